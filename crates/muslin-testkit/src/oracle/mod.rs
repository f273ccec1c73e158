//! Answers by brute force: short, slow, obviously right. Only `suda2` is a longer one, a second
//! opinion by another method.

mod ambiguity;
mod diversity;
mod fraction;
mod generalization;
mod keys;
mod slicing;
mod suda2;
mod suppression;
mod uniques;

pub use ambiguity::{
    CellList, Does, alphas, cheapest_cells, differing_columns, fewest_cells, rows_that_determine,
};
pub use diversity::{Demand, Diversity, all_classes_meet, classes, is_diverse, is_k_anonymous};
pub use generalization::{
    FullDomain, LevelGroups, Leveled, best_full_domain, full_domain, gcp, nodes,
};
pub use keys::{cheapest_set, greedy_key_order, heaviest_set, is_key, minimal_sets};
pub use slicing::{BucketWeight, Slicing, Tuple, membership_auc, reconstruction_error};
pub use suda2::suda2;
pub use suppression::{least_suppression_cost, notions};
pub use uniques::{Unique, minimal_uniques};

use muslin_table::{ClassSizes, ColumnSet, EncodedTable, MissingRule, SizeCount};

/// For each row, the number of rows that it matches on `by`, itself included.
pub fn matches(table: &EncodedTable, by: &ColumnSet, missing: MissingRule) -> Vec<u64> {
    let agree = |a: usize, b: usize| {
        by.iter().map(|id| table.column(id)).all(|column| {
            let (x, y) = (column.codes().slot(a), column.codes().slot(b));
            let absent = x == column.missing_slot() || y == column.missing_slot();
            match missing {
                MissingRule::Category => x == y,
                MissingRule::Distinct => x == y && !absent,
                MissingRule::Wildcard => x == y || absent,
            }
        })
    };
    let count = |a| (0..table.rows()).filter(|&b| a == b || agree(a, b)).count() as u64;
    (0..table.rows()).map(count).collect()
}

/// The histogram of [`matches()`].
pub fn class_sizes(table: &EncodedTable, by: &ColumnSet, missing: MissingRule) -> ClassSizes {
    let one = |size| SizeCount { size, rows: 1 };
    ClassSizes::from_rows(matches(table, by, missing).into_iter().map(one), missing)
}
