//! Made-up tables for keys: small ones with keys of every size, a wide one with very many keys, a
//! large one with some dozens.

use muslin_engine::Seed;
use muslin_table::EncodedTable;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::generate::large_table;
use crate::survey::skewed;

/// Tables of up to 40 rows and 8 columns in which columns depend on each other. Minimal keys of no
/// column up to six and more, and many of them, occur; so do equal rows, which leave no key.
pub fn key_tables() -> impl Strategy<Value = EncodedTable> {
    let rows = prop_oneof![1 => 0usize..=4, 4 => 5usize..=16, 2 => 17usize..=40];
    let columns = prop_oneof![1 => 0usize..=8, 5 => 6usize..=8];
    let values = prop_oneof![1 => Just(2i64), 3 => 3i64..6, 3 => 6i64..20, 1 => Just(1_000)];
    let missing = prop_oneof![3 => Just(0.0), 1 => Just(0.1), 1 => Just(0.5)];
    let again = prop_oneof![6 => Just(0.0), 1 => Just(0.1), 1 => Just(0.5)];
    (rows, columns, values, missing, again).prop_flat_map(
        |(rows, columns, values, missing, again)| {
            let chance = prop::bool::weighted;
            let cell = (chance(missing), 0..values).prop_map(|(no, value)| (!no).then_some(value));
            let column = (prop::collection::vec(cell, rows), kinds());
            let row = (chance(again), any::<Index>()).prop_map(|(again, of)| again.then_some(of));
            (prop::collection::vec(column, columns), prop::collection::vec(row, rows))
                .prop_map(|(columns, rows)| dependent(columns, &rows))
        },
    )
}

/// Where a column of a small table comes from.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Drawn,
    /// One value, where the drawn cell is not missing.
    Constant,
    /// This digit of the row's number in this base, where the drawn cell is not missing: with the
    /// other digits a key.
    Digit(i64, u32),
    /// The same as an earlier column, under other codes.
    Repeat(Index),
    /// An earlier column in so many values.
    Coarser(Index, i64),
    /// Whether an earlier column has the value that it has in this row.
    OneHot(Index, Index),
    /// An earlier column, but for the rows where the drawn cell is one or missing.
    Near(Index),
}

fn kinds() -> impl Strategy<Value = Kind> {
    let of = any::<Index>;
    prop_oneof![
        8 => Just(Kind::Drawn),
        1 => Just(Kind::Constant),
        6 => (prop_oneof![3 => Just(2i64), 1 => 3i64..5], 0u32..6)
            .prop_map(|(base, place)| Kind::Digit(base, place)),
        1 => of().prop_map(Kind::Repeat),
        1 => (of(), 1i64..4).prop_map(|(of, values)| Kind::Coarser(of, values)),
        2 => (of(), of()).prop_map(|(of, row)| Kind::OneHot(of, row)),
        2 => of().prop_map(Kind::Near),
    ]
}

/// The table of these columns, after they depend on each other and rows repeat earlier rows.
fn dependent(columns: Vec<(Vec<Option<i64>>, Kind)>, rows: &[Option<Index>]) -> EncodedTable {
    let mut cells: Vec<Vec<Option<i64>>> = Vec::new();
    for (drawn, kind) in columns {
        let earlier = |of: Index| if cells.is_empty() { &drawn } else { of.get(&cells) };
        let numbered = || (0i64..).zip(&drawn);
        let column = match kind {
            Kind::Drawn => drawn,
            Kind::Constant => drawn.iter().map(|own| own.and(Some(0))).collect(),
            Kind::Digit(base, place) => {
                let digit = |row: i64| row / base.pow(place) % base;
                numbered().map(|(row, own)| own.and(Some(digit(row)))).collect()
            }
            Kind::Repeat(of) => earlier(of).iter().map(|cell| cell.map(|value| -value)).collect(),
            Kind::Coarser(of, values) => {
                earlier(of).iter().map(|cell| cell.map(|value| value.rem_euclid(values))).collect()
            }
            Kind::OneHot(of, row) => {
                let hot = |cells: &[Option<i64>]| cells[row.index(cells.len())];
                earlier(of).iter().map(|&cell| Some((cell == hot(earlier(of))).into())).collect()
            }
            Kind::Near(of) => {
                let kept = |own: &Option<i64>| own.is_some_and(|value| value != 1);
                let pairs = earlier(of).iter().zip(&drawn);
                pairs.map(|(&cell, own)| if kept(own) { cell } else { *own }).collect()
            }
        };
        cells.push(column);
    }
    for column in &mut cells {
        for (row, again) in rows.iter().enumerate().skip(1) {
            if let Some(of) = again {
                column[row] = column[of.index(row)];
            }
        }
    }
    let named = cells.into_iter().enumerate().map(|(c, cells)| (format!("c{c}"), cells));
    let columns = EncodedTable::of_columns(named).into_columns();
    EncodedTable::new(rows.len(), columns).expect("names differ and lengths are equal")
}

/// A table of few rows and columns of three even values, which has very many minimal keys: with 30
/// columns and a seed of one, 29,144 for 20 rows, 63,338 for 30 and 125,425 for 40 (counted by
/// `HPIValid`), of 4 to 8 columns.
pub fn wide_table_with_many_keys(rows: u64, columns: usize, seed: Seed) -> EncodedTable {
    large_table(rows, &vec![3; columns], false, seed)
}

/// Where a column of the large table comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// One of so many values, small ones the more often the larger the second number.
    Drawn(u64, u64),
    /// Decided by an earlier column: one of so many values.
    Recode(usize, u64),
    /// The same, but drawn anew in one row of so many.
    Near(usize, u64, u64),
}

const COLUMNS: [(&str, Source); 20] = [
    ("birth_date", Source::Drawn(20_000, 2)),
    ("postcode", Source::Drawn(50_000, 3)),
    ("surname", Source::Drawn(40_000, 5)),
    ("first_name", Source::Drawn(3_000, 5)),
    ("employer", Source::Drawn(20_000, 3)),
    ("city", Source::Recode(1, 500)),
    ("region", Source::Recode(5, 16)),
    ("age", Source::Recode(0, 90)),
    ("birth_month", Source::Recode(0, 12)),
    ("sex", Source::Recode(3, 2)),
    ("marital_status", Source::Recode(7, 5)),
    ("industry", Source::Recode(4, 20)),
    ("occupation", Source::Near(11, 300, 1_000)),
    ("education", Source::Recode(12, 12)),
    ("tax_class", Source::Recode(10, 4)),
    ("income", Source::Drawn(2_000, 2)),
    ("income_band", Source::Recode(15, 10)),
    ("language", Source::Near(6, 30, 5_000)),
    ("insured", Source::Recode(13, 2)),
    ("origin", Source::Recode(2, 20)),
];

/// A table of 20 columns like those of a register of people: 2 to 50,000 values, skewed, some
/// decided by others or nearly so. No column is a key of a table of more than some hundred rows.
/// Two million rows of a seed of one differ and have 69 minimal keys of 4 to 7 columns (counted by
/// `HPIValid`).
///
/// A cell depends on the seed, its row and its column alone: fewer rows cut the table.
pub fn keyed_table(rows: u64, seed: Seed) -> EncodedTable {
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for ((_, source), part) in COLUMNS.into_iter().zip(0..) {
        let next = source.values(rows, &columns, seed.part(part));
        columns.push(next);
    }
    EncodedTable::of_columns(COLUMNS.into_iter().zip(columns).map(|((name, _), values)| {
        (name.to_owned(), values.into_iter().map(|value| Some(value.into())).collect())
    }))
}

impl Source {
    /// The values of each row, given those of the earlier columns.
    fn values(self, rows: u64, earlier: &[Vec<u32>], seed: Seed) -> Vec<u32> {
        let (code, when, other) = (seed.part(0), seed.part(1), seed.part(2));
        let recode = |of: usize, row: u64, values| {
            let row = usize::try_from(row).expect("rows are in memory");
            code.below(earlier[of][row].into(), values)
        };
        let value = |row| match self {
            Self::Drawn(values, skew) => skewed(seed.draw(row), skew, values),
            Self::Near(_, values, one_of) if when.below(row, one_of) == 0 => {
                other.below(row, values)
            }
            Self::Recode(of, values) | Self::Near(of, values, _) => recode(of, row, values),
        };
        (0..rows).map(|row| u32::try_from(value(row)).expect("values are few")).collect()
    }
}
