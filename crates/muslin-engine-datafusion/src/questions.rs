//! Questions about the view of cells, as SQL. Answers are a few rows, whatever the table's size.

use muslin_table::{ColumnSet, MissingRule};

use crate::fingerprint::FINGERPRINT;
use crate::values::cell;

/// The view of a table's values.
pub(crate) const CELLS: &str = "cells";

/// Whether answers bring the fingerprints of the rows that they are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prints {
    /// Zeros: nothing is lost where there is one process.
    Left,
    /// Their sum.
    Summed,
}

impl Prints {
    /// The fingerprint of so many rows with the same values.
    fn of(self, rows: &str, values: &[String]) -> String {
        match self {
            Self::Left => "CAST(0 AS BIGINT)".into(),
            Self::Summed => format!("{FINGERPRINT}({rows}, {})", values.join(", ")),
        }
    }
}

/// How many rows there are.
pub(crate) fn rows() -> String {
    format!("SELECT count(*) FROM {CELLS}")
}

fn names(set: &ColumnSet) -> Vec<String> {
    set.iter().map(|id| cell(id.index())).collect()
}

/// Sizes of the classes that each set makes, and how many classes have each: set, size, whether their rows are
/// alone, classes, fingerprint. A set is its place among `sets`; none is empty. Rows are alone, whatever the size of
/// their class, where one of their cells is missing and equals nothing.
///
/// Each set reads its own columns. Grouping sets would read the table once, and take two to four times as long:
/// their classes are told apart by all columns of all sets.
pub(crate) fn class_sizes(sets: &[ColumnSet], missing: MissingRule, prints: Prints) -> String {
    let of_set = |(at, set): (usize, &ColumnSet)| {
        let by = names(set);
        let alone = match missing {
            MissingRule::Distinct => format!("{} IS NULL", by.join(" IS NULL OR ")),
            _ => "FALSE".into(),
        };
        format!(
            "SELECT CAST({at} AS BIGINT) AS set, size, CAST(alone AS BIGINT) AS alone, count(*) AS classes, \
             sum(print) AS print \
             FROM (SELECT count(*) AS size, {alone} AS alone, {print} AS print FROM {CELLS} GROUP BY {by}) \
             GROUP BY size, alone",
            print = prints.of("count(*)", &by),
            by = by.join(", ")
        )
    };
    sets.iter().enumerate().map(of_set).collect::<Vec<_>>().join(" UNION ALL ")
}

/// For each class, its rows, the values of a column among them and those of the most frequent one; and how
/// many classes are alike: rows, distinct, most frequent, classes, fingerprint.
pub(crate) fn diversity(by: &ColumnSet, sensitive: usize, prints: Prints) -> String {
    let sensitive = cell(sensitive);
    let columns = names(by);
    let inner: Vec<String> = columns
        .iter()
        .filter(|name| **name != sensitive)
        .cloned()
        .chain([sensitive.clone()])
        .collect();
    // All rows are one class where there is nothing to tell them apart, and none where there are no rows.
    let grouping = if columns.is_empty() {
        "HAVING count(*) > 0".to_owned()
    } else {
        format!("GROUP BY {}", columns.join(", "))
    };
    let classes = format!(
        "SELECT CAST(sum(n) AS BIGINT) AS size, count(*) AS kinds, max(n) AS most, sum(print) AS print \
         FROM counted {grouping}"
    );
    format!(
        "WITH counted AS (SELECT {columns}, count(*) AS n, {print} AS print FROM {CELLS} GROUP BY {columns}), \
         classes AS ({classes}) \
         SELECT size, kinds, most, count(*) AS classes, sum(print) FROM classes GROUP BY size, kinds, most",
        print = prints.of("count(*)", &inner),
        columns = inner.join(", "),
    )
}

/// Classes of at most `k` rows, while more than `k` rows are in the class of every smaller set; then all rows, and
/// their fingerprint.
///
/// A class of a smaller set is made of classes of one row and more. So `k` of them on either side tell whether there are more than
/// `k` rows: if they are not all there are, there are as many. Frames that end somewhere need no memory to speak of, and
/// sorting puts on disk what memory does not hold.
pub(crate) fn minimal_uniques(
    set: &ColumnSet,
    k: u32,
    missing: MissingRule,
    prints: Prints,
) -> String {
    let columns = names(set);
    let by = columns.join(", ");
    let print = prints.of("size", &columns);
    let mut conditions = vec![format!("size <= {k}")];
    let mut around = Vec::new();
    if columns.len() > 1 {
        for (at, without) in columns.iter().enumerate() {
            let rest: Vec<&str> =
                columns.iter().filter(|name| *name != without).map(String::as_str).collect();
            around.push(format!(
                "sum(size) OVER (PARTITION BY {} ORDER BY {without} \
                 ROWS BETWEEN {k} PRECEDING AND {k} FOLLOWING) AS around{at}",
                rest.join(", ")
            ));
            conditions.push(format!("around{at} > {k}"));
        }
    }
    // A missing cell that equals nothing is no item; its row still counts for the others.
    if missing == MissingRule::Distinct {
        conditions.extend(columns.iter().map(|name| format!("{name} IS NOT NULL")));
    }
    let columns = [columns, around].concat().join(", ");
    format!(
        "SELECT count(*) FILTER (WHERE {}), coalesce(CAST(sum(size) AS BIGINT), 0), coalesce(sum({print}), 0) \
         FROM (SELECT size, {columns} FROM (\
           SELECT {by}, count(*) AS size FROM {CELLS} GROUP BY {by}))",
        conditions.join(" AND "),
    )
}

/// All rows; then, of each column, cells that are not missing, and the fingerprint.
pub(crate) fn columns(set: &ColumnSet, prints: Prints) -> String {
    let of_column = |name: String| {
        let print = prints.of("CAST(1 AS BIGINT)", std::slice::from_ref(&name));
        format!("count({name}), coalesce(sum({print}), 0) AS print_{name}")
    };
    let counts: Vec<String> = names(set).into_iter().map(of_column).collect();
    format!("SELECT count(*), {} FROM {CELLS}", counts.join(", "))
}

#[cfg(test)]
mod tests {
    use muslin_table::ColumnId;

    use super::*;

    fn set(columns: &[usize]) -> ColumnSet {
        columns.iter().map(|&column| ColumnId::new(column)).collect()
    }

    #[test]
    fn each_set_is_known_by_its_place() {
        let sql = class_sizes(&[set(&[0, 2]), set(&[5])], MissingRule::Distinct, Prints::Left);
        let [first, second] = sql.split(" UNION ALL ").collect::<Vec<_>>()[..] else {
            panic!("{sql}");
        };
        assert!(first.contains("CAST(0 AS BIGINT) AS set") && first.contains("GROUP BY c0, c2)"));
        assert!(first.contains("c0 IS NULL OR c2 IS NULL AS alone"), "{sql}");
        assert!(second.contains("CAST(1 AS BIGINT) AS set") && second.contains("GROUP BY c5)"));
        assert!(second.contains("c5 IS NULL AS alone"), "{sql}");
    }
}
