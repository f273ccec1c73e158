//! Tables made up for tests: small ugly ones for property tests, large seeded ones for benches.

use muslin_engine::Seed;
use muslin_table::{Codes, Column, EncodedTable};
use proptest::prelude::*;
use proptest::sample::Index;

pub use crate::keyed::{key_tables, keyed_table, wide_table_with_many_keys};
pub use crate::labelled::{Labelled, labelled};
pub use crate::recoded::{
    SmallSlicing, WithHierarchies, WithHierarchy, small_hierarchies, small_slicings,
};
pub use crate::survey::survey;

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

/// Tables of up to 14 rows and 7 columns for the search of minimal uniques. They differ in the
/// number of values, their skew and the share of missing cells, and many have columns of one
/// value, columns that repeat another, suppressed cells, or rows that repeat another but for a
/// cell or no cell.
pub fn ugly_tables() -> impl Strategy<Value = EncodedTable> {
    let rows = prop_oneof![1 => 0usize..=14, 2 => 9usize..=14];
    let columns = prop_oneof![1 => 0usize..=7, 1 => 5usize..=7];
    let values = prop_oneof![2 => Just(2i64), 2 => 3i64..5, 1 => Just(1), 1 => Just(1_000)];
    let skew = prop_oneof![1 => Just(0.0), 1 => Just(0.7)];
    let missing = prop_oneof![2 => Just(0.0), 2 => Just(0.15), 1 => Just(0.5), 1 => Just(0.95)];
    let again = prop_oneof![2 => Just(0.0), 1 => Just(0.3), 1 => Just(0.9)];
    (rows, columns, values, skew, missing, again).prop_flat_map(
        |(rows, columns, values, skew, missing, again)| {
            let chance = prop::bool::weighted;
            let cell =
                (chance(missing), chance(skew), 0..values).prop_map(|(missing, skew, value)| {
                    (!missing).then_some(if skew { 0 } else { value })
                });
            let column = (prop::collection::vec(cell, rows), twists());
            let which = prop_oneof![
                1 => any::<Index>().prop_map(Again::Whole),
                3 => any::<Index>().prop_map(Again::FirstBut),
            ];
            let row = (chance(again), which).prop_map(|(again, which)| again.then_some(which));
            (prop::collection::vec(column, columns), prop::collection::vec(row, rows))
                .prop_map(|(columns, rows)| twisted(columns, &rows))
        },
    )
}

/// How a row of an ugly table repeats another.
#[derive(Clone, Copy, Debug)]
enum Again {
    /// An earlier row.
    Whole(Index),
    /// The first row but for the value of this column. Such rows make large minimal uniques.
    FirstBut(Index),
}

/// What makes a column of an ugly table uglier.
#[derive(Clone, Copy, Debug)]
enum Twist {
    Plain,
    /// One value, where it is not missing.
    Constant,
    /// The same as an earlier column, under other codes.
    Repeat(Index),
    /// An earlier column under other codes, and missing where the drawn cell is.
    RepeatInPart(Index),
    /// The smallest value is suppressed.
    Suppressed,
}

fn twists() -> impl Strategy<Value = Twist> {
    prop_oneof![
        12 => Just(Twist::Plain),
        1 => Just(Twist::Constant),
        1 => any::<Index>().prop_map(Twist::Repeat),
        1 => any::<Index>().prop_map(Twist::RepeatInPart),
        1 => Just(Twist::Suppressed),
    ]
}

/// The table of these columns, after rows repeat rows and columns have their twists.
fn twisted(columns: Vec<(Vec<Option<i64>>, Twist)>, rows: &[Option<Again>]) -> EncodedTable {
    let width = columns.len();
    let mut cells: Vec<Vec<Option<i64>>> = Vec::new();
    let mut suppressed = Vec::new();
    for (c, (mut own, twist)) in columns.into_iter().enumerate() {
        for (row, again) in rows.iter().enumerate().skip(1) {
            match again {
                Some(Again::Whole(of)) => own[row] = own[of.index(row)],
                Some(Again::FirstBut(but)) => {
                    let other = i64::from(but.index(width) == c);
                    own[row] = own[0].map(|value| value + other);
                }
                None => {}
            }
        }
        let earlier = |of: Index| cells.get(of.index(c.max(1))).unwrap_or(&own);
        let other_code = |cell: &Option<i64>| cell.map(|value| -value);
        let twisted = match twist {
            Twist::Plain | Twist::Suppressed => own,
            Twist::Constant => own.iter().map(|cell| cell.map(|_| 0)).collect(),
            Twist::Repeat(of) => earlier(of).iter().map(other_code).collect(),
            Twist::RepeatInPart(of) => {
                let earlier = earlier(of).iter().map(other_code);
                earlier.zip(&own).map(|(cell, own)| own.and(cell)).collect()
            }
        };
        cells.push(twisted);
        suppressed.push(matches!(twist, Twist::Suppressed));
    }
    let named = cells.into_iter().enumerate().map(|(c, cells)| (format!("c{c}"), cells));
    let columns = EncodedTable::of_columns(named).into_columns().into_iter().zip(suppressed);
    let columns = columns
        .map(|(column, suppress)| if suppress { suppress_smallest(&column) } else { column });
    EncodedTable::new(rows.len(), columns.collect()).expect("names differ and lengths are equal")
}

/// The column with its smallest value suppressed; the dictionary keeps the value.
fn suppress_smallest(column: &Column) -> Column {
    let (values, suppressed) = (column.dictionary().len(), column.suppressed_slot());
    let slots = column.codes().slots();
    let slots = slots.map(|slot| if slot == 0 && values > 0 { suppressed } else { slot });
    let codes = Codes::pack(values, slots);
    Column::new(column.name(), column.dictionary().clone(), codes).expect("slots are in range")
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
