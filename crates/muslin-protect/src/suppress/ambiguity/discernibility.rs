use std::fmt;

use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet, EncodedTable};
use rayon::prelude::*;

use crate::{Error, Result};

/// Where the rows of a table differ on some columns, with suppressed cells that match anything.
///
/// VO01 calls it the discernibility matrix. It is never stored: an entry is made when it is asked
/// for. Missing is a value like any other. A cell that is suppressed in the table stays so.
///
/// Masks are bits over [`columns`](Self::columns), in their order, 64 to a word.
///
/// # Example
/// ```
/// use muslin_protect::Discernibility;
/// use muslin_table::{ColumnId, EncodedTable};
/// let table = EncodedTable::of(&[[1, 1, 2], [3, 1, 1]]);
/// let mut rows = Discernibility::new(&table, &table.all_columns())?;
/// assert_eq!(rows.difference(0, 1).iter().map(ColumnId::index).collect::<Vec<_>>(), [0, 2]);
/// rows.suppress(1, ColumnId::new(2));
/// assert_eq!(rows.difference(0, 1).iter().map(ColumnId::index).collect::<Vec<_>>(), [0]);
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Clone)]
pub struct Discernibility {
    pub(super) columns: Vec<ColumnId>,
    pub(super) rows: usize,
    /// Words of a mask; one where there is no column.
    pub(super) words: usize,
    /// Row by row. What a suppressed cell had stays here.
    slots: Vec<u32>,
    /// Row by row, the suppressed cells.
    pub(super) hidden: Vec<u64>,
}

impl Discernibility {
    /// The rows of `table` on these columns.
    pub fn new(table: &EncodedTable, columns: &ColumnSet) -> Result<Self> {
        if !columns.is_subset(&table.all_columns()) {
            return Err(Error::Setting(format!(
                "a column is beyond the table's {} columns\n  hint: name columns of the table",
                table.columns().len()
            )));
        }
        let columns: Vec<ColumnId> = columns.iter().collect();
        let (rows, width) = (table.rows(), columns.len());
        let words = width.div_ceil(64).max(1);
        let mut slots = vec![0; rows * width];
        let mut hidden = vec![0; rows * words];
        for (place, &id) in columns.iter().enumerate() {
            let column = table.column(id);
            for (row, slot) in column.codes().slots().enumerate() {
                slots[row * width + place] = slot;
                if slot == column.suppressed_slot() {
                    hidden[row * words + place / 64] |= 1 << (place % 64);
                }
            }
        }
        Ok(Self { columns, rows, words, slots, hidden })
    }

    /// Bytes that the rows of `table` take on so many columns, with what a search keeps of one.
    pub(super) fn memory(table: &EncodedTable, columns: usize) -> u64 {
        table.rows() as u64 * (4 * columns as u64 + 4 * 8 * columns.div_ceil(64).max(1) as u64)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, rising.
    pub fn columns(&self) -> &[ColumnId] {
        &self.columns
    }

    /// Words of a mask.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Suppresses a cell; true when it was not.
    ///
    /// # Panics
    /// When the column is none of these.
    pub fn suppress(&mut self, row: usize, column: ColumnId) -> bool {
        let place = self.columns.binary_search(&column).expect("the column is one of these");
        let is_new = !self.is_hidden(row, place);
        self.hidden[row * self.words + place / 64] |= 1 << (place % 64);
        is_new
    }

    /// The columns in which two rows have different values, neither suppressed (the paper's m).
    pub fn difference(&self, a: usize, b: usize) -> ColumnSet {
        let mut mask = vec![0; self.words];
        self.difference_mask(a, b, &mut mask);
        self.set_of(&mask)
    }

    /// The same as a mask.
    pub fn difference_mask(&self, a: usize, b: usize, mask: &mut [u64]) {
        let (x, y) = (self.row(a), self.row(b));
        let hidden = self.hidden_of(a).iter().zip(self.hidden_of(b));
        let parts = x.chunks(64).zip(y.chunks(64));
        mask.fill(0);
        for ((mask, (p, q)), (x, y)) in mask.iter_mut().zip(hidden).zip(parts) {
            *mask = differing(x, y) & !(p | q);
        }
    }

    /// Whether two rows cannot be told apart.
    pub fn are_alike(&self, a: usize, b: usize) -> bool {
        let hidden = self.hidden_of(a).iter().zip(self.hidden_of(b));
        let parts = self.row(a).chunks(64).zip(self.row(b).chunks(64));
        hidden.zip(parts).all(|((p, q), (x, y))| differing(x, y) & !(p | q) == 0)
    }

    /// For each row, the number of rows that it cannot be told apart from, itself included (the
    /// paper's alpha).
    pub fn alphas(&self, run: &Run) -> Result<Vec<u64>> {
        run.install(|| self.matches(None, run))
    }

    /// The masks of all differences with one row, row by row.
    pub(super) fn differences(&self, row: usize, masks: &mut Vec<u64>) {
        masks.clear();
        masks.resize(self.rows * self.words, 0);
        let of = |(other, mask): (usize, &mut [u64])| self.difference_mask(row, other, mask);
        masks.chunks_exact_mut(self.words).enumerate().for_each(of);
    }

    /// The same on all threads, where there are rows enough.
    pub(super) fn differences_shared(&self, row: usize, masks: &mut Vec<u64>) {
        masks.clear();
        masks.resize(self.rows * self.words, 0);
        let of = |(other, mask): (usize, &mut [u64])| self.difference_mask(row, other, mask);
        let rows = masks.par_chunks_exact_mut(self.words).enumerate();
        rows.with_min_len(1 << 13).for_each(of);
    }

    pub(super) fn row(&self, row: usize) -> &[u32] {
        let width = self.columns.len();
        &self.slots[row * width..][..width]
    }

    /// The suppressed cells of a row.
    pub(super) fn hidden_of(&self, row: usize) -> &[u64] {
        &self.hidden[row * self.words..][..self.words]
    }

    pub(super) fn is_hidden(&self, row: usize, place: usize) -> bool {
        self.hidden[row * self.words + place / 64] >> (place % 64) & 1 == 1
    }

    /// The columns of a mask.
    pub(super) fn set_of(&self, mask: &[u64]) -> ColumnSet {
        places(mask).map(|place| self.columns[place]).collect()
    }

    /// The mask of these columns.
    pub(super) fn mask_of(&self, columns: &ColumnSet) -> Vec<u64> {
        let mut mask = vec![0; self.words];
        for column in columns.iter() {
            let place = self.columns.binary_search(&column).expect("the column is one of these");
            mask[place / 64] |= 1 << (place % 64);
        }
        mask
    }
}

/// The places of a mask, rising.
pub(super) fn places(mask: &[u64]) -> impl Iterator<Item = usize> + '_ {
    mask.iter().enumerate().flat_map(|(at, &word)| {
        std::iter::successors(Some(word), |w| Some(w & w.wrapping_sub(1)))
            .take_while(|&w| w != 0)
            .map(move |w| at * 64 + w.trailing_zeros() as usize)
    })
}

/// A bit for each place where the slots differ.
fn differing(a: &[u32], b: &[u32]) -> u64 {
    let bit = |(at, (x, y)): (usize, (&u32, &u32))| u64::from(x != y) << at;
    a.iter().zip(b).enumerate().map(bit).fold(0, |mask, bit| mask | bit)
}

impl fmt::Debug for Discernibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Discernibility")
            .field("rows", &self.rows)
            .field("columns", &self.columns.len())
            .finish_non_exhaustive()
    }
}
