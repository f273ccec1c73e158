//! In which order to refine: what columns tell apart together, by some of the rows.
//!
//! Nothing here decides an answer. The order in which a set's columns refine its classes decides
//! how soon rows are alone, and how many sets can share the work.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use muslin_engine::take_rows;
use muslin_table::{ColumnId, EncodedTable, MissingRule};

use super::classes::{Classes, Refiner, Scratch};
use super::count::Limit;
use crate::mask::Mask;

/// Rows that the guide looks at.
const ROWS: usize = 1 << 12;

/// A sample of the rows, and how alike columns are on it.
pub(super) struct Guide {
    sample: EncodedTable,
    ids: Vec<ColumnId>,
    missing: MissingRule,
    classes: Vec<OnceLock<(Classes, u64)>>,
    /// For each pair of columns, the share of pairs of rows that agree on the first and agree on
    /// the second too, as bits of a float; or [`UNKNOWN`].
    shares: Vec<AtomicU32>,
}

const UNKNOWN: u32 = u32::MAX;

impl Guide {
    pub(super) fn new(table: &EncodedTable, ids: &[ColumnId], missing: MissingRule) -> Self {
        let step = table.rows().div_ceil(ROWS).max(1);
        let rows: Vec<u32> = (0..u32::try_from(table.rows()).expect("row ids are 32 bits wide"))
            .step_by(step)
            .collect();
        let sample = take_rows(table, &rows).expect("a part of a table is a table");
        Self {
            sample,
            ids: ids.to_vec(),
            missing,
            classes: ids.iter().map(|_| OnceLock::new()).collect(),
            shares: (0..ids.len() * ids.len()).map(|_| AtomicU32::new(UNKNOWN)).collect(),
        }
    }

    fn refiner(&self, rank: usize) -> Refiner<'_> {
        Refiner::new(self.sample.column(self.ids[rank]), self.missing)
    }

    /// A column's classes on the sample, and its pairs of rows in one class.
    fn column(&self, rank: usize) -> &(Classes, u64) {
        self.classes[rank].get_or_init(|| {
            let classes = self.refiner(rank).classes();
            let pairs = classes.together(self.sample.rows()).pairs;
            (classes, pairs)
        })
    }

    /// Of the pairs of rows that agree on `first`, the share that agrees on `second` too.
    pub(super) fn share(&self, first: usize, second: usize, scratch: &mut Scratch) -> f32 {
        let place = &self.shares[first * self.ids.len() + second];
        let known = place.load(Ordering::Relaxed);
        if known != UNKNOWN {
            return f32::from_bits(known);
        }
        let (classes, pairs) = self.column(first);
        let no_limit = Limit { pairs: u64::MAX, repeated: u64::MAX };
        let both = classes
            .count(self.sample.rows(), self.refiner(second), no_limit, scratch)
            .map_or(0, |together| together.pairs);
        let share = ratio(both, *pairs);
        place.store(share.to_bits(), Ordering::Relaxed);
        share
    }

    /// Pairs of rows that a set leaves together in a table of `rows` rows, about.
    pub(super) fn pairs<const W: usize>(
        &self,
        set: Mask<W>,
        rows: usize,
        scratch: &mut Scratch,
    ) -> u64 {
        let mut classes = Classes::whole(self.sample.rows());
        for rank in set.iter() {
            classes = classes.refine(self.refiner(rank), scratch);
        }
        let scale = (rows / self.sample.rows().max(1)) as u64;
        classes.together(self.sample.rows()).pairs * scale * scale
    }

    /// The share of rows that two columns leave in a class with others, of a table of `rows` rows.
    pub(super) fn open_share(
        &self,
        first: usize,
        second: usize,
        rows: usize,
        scratch: &mut Scratch,
    ) -> f32 {
        let sampled = self.sample.rows() as u64;
        let pairs = ratio(self.column(first).1, sampled * sampled.saturating_sub(1) / 2)
            * self.share(first, second, scratch);
        // With this many others to meet, the chance to meet one.
        1.0 - (-pairs * ratio(rows as u64, 1)).exp()
    }
}

/// The columns of a set that are still to refine, each with how far it is implied by one taken.
pub(super) struct Left(Vec<(f32, usize)>);

impl Left {
    pub(super) fn new<const W: usize>(columns: Mask<W>) -> Self {
        Self(columns.iter().map(|rank| (0.0, rank)).collect())
    }

    /// Takes the column that is least implied, after `new` ones were taken.
    pub(super) fn take<const W: usize>(
        &mut self,
        new: Mask<W>,
        guide: &Guide,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        for (implied, rank) in &mut self.0 {
            let by_new = new.iter().map(|by| guide.share(by, *rank, scratch));
            *implied = by_new.fold(*implied, f32::max);
        }
        let least = (0..self.0.len()).min_by(|&a, &b| self.0[a].0.total_cmp(&self.0[b].0))?;
        Some(self.0.remove(least).1)
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn ratio(part: u64, whole: u64) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}
