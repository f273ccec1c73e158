use muslin_engine::take_rows;
use muslin_table::{Changes, Codes, Column, ColumnId, EncodedTable};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::{Error, Result};

/// A table meant to leave the house.
///
/// # Invariant
/// Every dictionary holds the values of published cells and nothing else, so whatever is written
/// from it cannot hold a value that was taken out.
#[derive(Clone, Debug)]
pub struct Release {
    table: EncodedTable,
}

/// The order of a release's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// As they were read. Neighbours in the original stay neighbours, which can give values away.
    AsRead,
    /// Shuffled by the operating system's randomness.
    Shuffled,
    /// Shuffled by a seed, for work that must be repeated; whoever guesses the seed undoes it.
    Seeded(muslin_engine::Seed),
}

impl Release {
    /// Applies `changes` to `table`: the only code that edits values.
    ///
    /// # Guarantee
    /// The release has the table's rows, in the asked order, and its columns that are not masked;
    /// each cell is the original or suppressed, as the changes say.
    pub fn new(table: &EncodedTable, changes: &Changes, order: RowOrder) -> Result<Self> {
        let kept = table.all_columns().difference(changes.masked());
        let columns: Result<Vec<Column>> =
            kept.iter().map(|id| suppress(table.column(id), id, changes)).collect();
        let changed = EncodedTable::new(table.rows(), columns?)?;
        let rows = u32::try_from(table.rows()).expect("row ids are 32 bits wide");
        let mut rows: Vec<u32> = (0..rows).collect();
        match order {
            RowOrder::AsRead => {}
            RowOrder::Shuffled => {
                let mut key = [0; 32];
                getrandom::fill(&mut key)
                    .map_err(|_| Error::Internal("the system gives no randomness".into()))?;
                shuffle(&mut rows, ChaCha20Rng::from_seed(key));
            }
            RowOrder::Seeded(seed) => shuffle(&mut rows, ChaCha20Rng::seed_from_u64(seed.number())),
        }
        Ok(Self { table: take_rows(&changed, &rows)? })
    }

    /// The published table.
    pub fn table(&self) -> &EncodedTable {
        &self.table
    }
}

fn suppress(column: &Column, id: ColumnId, changes: &Changes) -> Result<Column> {
    let mut withheld = changes.suppressed(id).iter().map(|row| row.index()).peekable();
    let slots = column.codes().slots().enumerate().map(|(row, slot)| {
        if withheld.next_if_eq(&row).is_some() { column.suppressed_slot() } else { slot }
    });
    let codes = Codes::pack(column.dictionary().len(), slots);
    Ok(Column::new(column.name(), column.dictionary().clone(), codes)?.with_role(column.role()))
}

/// Fisher and Yates, each draw even.
fn shuffle(rows: &mut [u32], mut random: ChaCha20Rng) {
    for last in (1..rows.len()).rev() {
        let bound = last as u64 + 1;
        // Draws from an incomplete last stretch of the 64-bit range are thrown away.
        let even = u64::MAX - u64::MAX % bound;
        let draw = loop {
            let draw = random.next_u64();
            if draw < even {
                break draw % bound;
            }
        };
        rows.swap(last, usize::try_from(draw).expect("below the number of rows"));
    }
}
