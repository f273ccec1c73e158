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
/// its place among `sets`; none is empty and no two are alike. Where missing cells equal nothing, classes
/// of missing cells are left out: their rows are those that the sum lacks.
pub(crate) fn class_sizes(sets: &[ColumnSet], missing: MissingRule) -> String {
    let all = sets.iter().fold(ColumnSet::new(), |all, set| all.union(set));
    let columns = names(&all);
    let is_absent = |set: &ColumnSet| {
        names(set).iter().map(|name| format!("{name} IS NULL")).collect::<Vec<_>>()
    };
    if let [only] = sets {
        let by = names(only).join(", ");
        let kept = match missing {
            MissingRule::Distinct => format!(" WHERE NOT ({})", is_absent(only).join(" OR ")),
            _ => String::new(),
        };
        return format!(
            "SELECT CAST(0 AS BIGINT) AS set, size, count(*) AS classes \
             FROM (SELECT count(*) AS size FROM {CELLS}{kept} GROUP BY {by}) GROUP BY size"
        );
    }
    // Each column that a set groups by is marked by a zero: the first column is the highest digit.
    let mark = |set: &ColumnSet| {
        all.iter().fold(0u64, |mark, id| mark << 1 | u64::from(!set.contains(id)))
    };
    let groups: Vec<String> =
        sets.iter().map(|set| format!("({})", names(set).join(", "))).collect();
    let places: Vec<String> =
        sets.iter().enumerate().map(|(at, set)| format!("WHEN {} THEN {at}", mark(set))).collect();
    let kept = match missing {
        MissingRule::Distinct => {
            let absent = sets
                .iter()
                .map(|set| format!("(mark = {} AND ({}))", mark(set), is_absent(set).join(" OR ")));
            format!(" WHERE NOT ({})", absent.collect::<Vec<_>>().join(" OR "))
        }
        _ => String::new(),
    };
    format!(
        "SELECT CASE mark {} END AS set, size, count(*) AS classes FROM (\
           SELECT CAST(grouping({}) AS BIGINT) AS mark, count(*) AS size, {} \
           FROM {CELLS} GROUP BY GROUPING SETS ({})){kept} GROUP BY mark, size",
        places.join(" "),
        columns.join(", "),
        columns.join(", "),
        groups.join(", "),
    )
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
    fn each_set_is_known_by_the_columns_it_lacks() {
        let sql = class_sizes(&[set(&[0, 2]), set(&[0, 5])], MissingRule::Category);
        assert!(sql.contains("GROUPING SETS ((c0, c2), (c0, c5))"), "{sql}");
        assert!(sql.contains("CASE mark WHEN 1 THEN 0 WHEN 2 THEN 1 END"), "{sql}");
    }

    #[test]
    fn one_set_needs_no_marks() {
        let sql = class_sizes(&[set(&[1])], MissingRule::Distinct);
        assert!(sql.contains("WHERE NOT (c1 IS NULL) GROUP BY c1"), "{sql}");
    }
}
