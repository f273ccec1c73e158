use std::cmp::Ordering;

use muslin_engine::take_rows;
use muslin_table::{Changes, Codes, Column, ColumnId, EncodedTable};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use crate::{Result, SystemDraws};

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
    /// By their published values, so that the order tells nothing that the values do not.
    Sorted,
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
    /// The release has the table's rows that are not removed, in the asked order; its columns that
    /// are not masked, then the added ones. Each cell is the original, or what the changes put in
    /// its place: the replaced column's, that of another row, suppressed.
    pub fn new(table: &EncodedTable, changes: &Changes, order: RowOrder) -> Result<Self> {
        let kept = table.all_columns().difference(changes.masked());
        let columns: Result<Vec<Column>> = kept
            .iter()
            .map(|id| changed(table.column(id), id, changes))
            .chain(changes.added().iter().cloned().map(Ok))
            .collect();
        let changed = EncodedTable::new(table.rows(), columns?)?;
        let mut removed = changes.removed().iter().map(|row| row.index()).peekable();
        let mut rows: Vec<u32> = (0u32..)
            .take(table.rows())
            .filter(|&row| removed.next_if_eq(&(row as usize)).is_none())
            .collect();
        match order {
            RowOrder::AsRead => {}
            RowOrder::Sorted => sort(&mut rows, &changed, kept.len()),
            RowOrder::Shuffled => {
                shuffle(&mut rows, SystemDraws::new()?.generator());
            }
            RowOrder::Seeded(seed) => {
                let order = seeded_order(seed, rows.len());
                rows = order.into_iter().map(|place| rows[place as usize]).collect();
            }
        }
        Ok(Self { table: take_rows(&changed, &rows)? })
    }

    /// The published table.
    pub fn table(&self) -> &EncodedTable {
        &self.table
    }

    /// The table that is published, to go on with.
    pub fn into_table(self) -> EncodedTable {
        self.table
    }
}

fn changed(column: &Column, id: ColumnId, changes: &Changes) -> Result<Column> {
    let published = changes.replaced(id).unwrap_or(column);
    let sources = changes.sources(id);
    let mut withheld = changes.suppressed(id).iter().map(|row| row.index()).peekable();
    let slots = (0..published.rows()).map(|row| {
        let source = sources.map_or(row, |sources| sources[row].index());
        match withheld.next_if_eq(&row) {
            Some(_) => published.suppressed_slot(),
            None => published.codes().slot(source),
        }
    });
    let codes = Codes::pack(published.dictionary().len(), slots);
    let dictionary = published.dictionary().clone();
    Ok(Column::new(column.name(), dictionary, codes)?.with_role(column.role()))
}

/// By what is published: added columns first, then the others from left to right.
fn sort(rows: &mut [u32], table: &EncodedTable, kept: usize) {
    let (own, added) = table.columns().split_at(kept);
    let columns: Vec<&Codes> = added.iter().chain(own).map(Column::codes).collect();
    rows.par_sort_by(|&a, &b| {
        let order = |codes: &&Codes| codes.slot(a as usize).cmp(&codes.slot(b as usize));
        columns.iter().map(order).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
}

/// The order in which [`RowOrder::Seeded`] publishes rows: for each place, the row that stands there.
pub fn seeded_order(seed: muslin_engine::Seed, rows: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0u32..).take(rows).collect();
    shuffle(&mut order, ChaCha20Rng::seed_from_u64(seed.number()));
    order
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
