//! Questions about the view of cells, as SQL. Answers are a few rows, whatever the table's size.

use muslin_table::{ColumnSet, MissingRule};

use crate::values::cell;

/// The view of a table's values.
pub(crate) const CELLS: &str = "cells";

/// How many rows there are.
pub(crate) fn rows() -> String {
    format!("SELECT count(*) FROM {CELLS}")
}

fn names(set: &ColumnSet) -> Vec<String> {
    set.iter().map(|id| cell(id.index())).collect()
}

/// Sizes of the classes that each set makes, and how many classes have each: set, size, classes. A set is
/// its place among `sets`; none is empty. Where missing cells equal nothing, classes of missing cells are left
/// out: their rows are those that the sum lacks.
///
/// Each set reads its own columns. Grouping sets would read the table once, and take two to four times as long:
/// their classes are told apart by all columns of all sets.
pub(crate) fn class_sizes(sets: &[ColumnSet], missing: MissingRule) -> String {
    let of_set = |(at, set): (usize, &ColumnSet)| {
        let by = names(set);
        let kept = match missing {
            MissingRule::Distinct => format!(" WHERE NOT ({} IS NULL)", by.join(" IS NULL OR ")),
            _ => String::new(),
        };
        format!(
            "SELECT CAST({at} AS BIGINT) AS set, size, count(*) AS classes \
             FROM (SELECT count(*) AS size FROM {CELLS}{kept} GROUP BY {}) GROUP BY size",
            by.join(", ")
        )
    };
    sets.iter().enumerate().map(of_set).collect::<Vec<_>>().join(" UNION ALL ")
}

/// For each class, its rows, the values of a column among them and those of the most frequent one; and how
/// many classes are alike: rows, distinct, most frequent, classes.
pub(crate) fn diversity(by: &ColumnSet, sensitive: usize) -> String {
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
        "SELECT CAST(sum(n) AS BIGINT) AS size, count(*) AS kinds, max(n) AS most FROM counted {grouping}"
    );
    format!(
        "WITH counted AS (SELECT {columns}, count(*) AS n FROM {CELLS} GROUP BY {columns}), classes AS ({classes}) \
         SELECT size, kinds, most, count(*) AS classes FROM classes GROUP BY size, kinds, most",
        columns = inner.join(", "),
    )
}

/// Classes of at most `k` rows, while more than `k` rows are in the class of every smaller set; and all rows.
pub(crate) fn minimal_uniques(set: &ColumnSet, k: u32, missing: MissingRule) -> String {
    let columns = names(set);
    let by = columns.join(", ");
    let mut conditions = vec![format!("size <= {k}")];
    let mut around = Vec::new();
    if columns.len() > 1 {
        for (at, without) in columns.iter().enumerate() {
            let rest: Vec<&str> =
                columns.iter().filter(|name| *name != without).map(String::as_str).collect();
            around.push(format!("sum(size) OVER (PARTITION BY {}) AS around{at}", rest.join(", ")));
            conditions.push(format!("around{at} > {k}"));
        }
    }
    // A missing cell that equals nothing is no item; its row still counts for the others.
    if missing == MissingRule::Distinct {
        conditions.extend(columns.iter().map(|name| format!("{name} IS NOT NULL")));
    }
    let columns = [columns, around].concat().join(", ");
    format!(
        "SELECT count(*) FILTER (WHERE {}), coalesce(CAST(sum(size) AS BIGINT), 0) \
         FROM (SELECT size, {columns} FROM (\
           SELECT {by}, count(*) AS size FROM {CELLS} GROUP BY {by}))",
        conditions.join(" AND "),
    )
}

/// All rows, and cells of each column that are not missing.
pub(crate) fn valued(columns: usize) -> String {
    let counts: Vec<String> =
        (0..columns).map(|column| format!("count({0}) AS {0}", cell(column))).collect();
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
        let sql = class_sizes(&[set(&[0, 2]), set(&[5])], MissingRule::Distinct);
        let [first, second] = sql.split(" UNION ALL ").collect::<Vec<_>>()[..] else {
            panic!("{sql}");
        };
        assert!(first.contains("CAST(0 AS BIGINT)") && second.contains("CAST(1 AS BIGINT)"));
        assert!(first.contains("WHERE NOT (c0 IS NULL OR c2 IS NULL) GROUP BY c0, c2"), "{sql}");
        assert!(second.contains("WHERE NOT (c5 IS NULL) GROUP BY c5"), "{sql}");
    }
}
