//! Tables made up for tests: small ugly ones for property tests, large seeded ones for benches.

use muslin_engine::Seed;
use muslin_table::EncodedTable;
use proptest::prelude::*;

/// Small tables of every ugly kind: no rows, one row, all equal, all missing, one column, none.
pub fn small_tables() -> impl Strategy<Value = EncodedTable> {
    let values = prop_oneof![Just(1i64), Just(2), 1i64..5, Just(1_000)];
    let missing = prop_oneof![Just(0.001), Just(0.2), Just(0.999)];
    (0usize..6, 0usize..15, values, missing).prop_flat_map(|(columns, rows, values, missing)| {
        let cell = prop::option::weighted(1.0 - missing, 0..values);
        let column = prop::collection::vec(cell, rows);
        prop::collection::vec(column, columns).prop_map(|columns| {
            let named = columns.into_iter().enumerate();
            EncodedTable::of_columns(named.map(|(c, cells)| (format!("c{c}"), cells)))
        })
    })
}

/// A table of `rows` rows whose column `c` has about `values[c]` values, small ones more often
/// than large ones when `skewed`.
pub fn large_table(rows: u64, values: &[u64], skewed: bool, seed: Seed) -> EncodedTable {
    EncodedTable::of_columns((0u64..).zip(values).map(|(c, &values)| {
        let seed = seed.part(c);
        let cell = |row| {
            let bound = if skewed { seed.part(1).below(row, values) + 1 } else { values };
            i64::try_from(seed.below(row, bound)).ok()
        };
        (format!("c{c}"), (0..rows).map(cell).collect())
    }))
}
