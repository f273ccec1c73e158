//! Heuristic B: the cell that occurs most often in what is not satisfied yet.
//!
//! The formula has a part for each row that lacks partners: that it cannot be told apart from so
//! many of them as it needs. For each partner and each column in which both differ the part has
//! a clause of two cells, of which one must be suppressed. A cell's occurrences are the clauses
//! that it is in, over the parts that are not satisfied. (VO01's Example 5 writes the clauses of
//! a pair out as alternatives. Occurrences there cannot lead to its own results; see the notes on
//! the paper in the module above.)
//!
//! With `open` one for a row that lacks partners and zero for others, the cell of row r in
//! column c occurs as often as the sum of `open[r] + open[j]` over the partners j of r that differ
//! from it in c. So counts change only where a row is suppressed or closes.

use rayon::prelude::*;

use super::discernibility::places;
use super::problem::Problem;
use super::ties::pays_more;
use crate::Result;

impl Problem<'_> {
    /// Suppresses cells until no row lacks a partner: each time the one that occurs most often,
    /// for its cost; of equals that of the smallest row, then the column of the ties.
    pub(super) fn suppress_by_occurrence(&mut self) -> Result<()> {
        let mut open: Vec<u64> =
            (0..self.table.rows).map(|row| u64::from(self.lacks(row))).collect();
        let mut left = open.iter().sum::<u64>();
        let mut counts = self.occurrences(&open)?;
        let width = self.table.columns.len();
        let mut differences = Vec::new();
        self.run.reporter().stage("suppressing cells", Some(left));
        while left > 0 {
            self.run.check()?;
            let (row, place) = self.best(&counts);
            self.table.differences_shared(row, &mut differences);
            let mut mask = vec![0; self.table.words];
            mask[place / 64] = 1 << (place % 64);
            for (other, difference) in differences.chunks_exact(self.table.words).enumerate() {
                let is_clause = difference[place / 64] & mask[place / 64] != 0;
                if is_clause && self.demand.is_partner(row, other) {
                    counts[other * width + place] -= open[row] + open[other];
                }
            }
            counts[row * width + place] = 0;
            self.suppress(row, &mask, &differences);
            let closed = (0..self.table.rows).filter(|&at| open[at] == 1 && !self.lacks(at));
            for row in closed.collect::<Vec<_>>() {
                self.close(row, &mut counts, &mut differences);
                open[row] = 0;
                left -= 1;
                self.run.reporter().advance(1);
            }
        }
        Ok(())
    }

    /// How often each cell occurs, row by row.
    fn occurrences(&self, open: &[u64]) -> Result<Vec<u64>> {
        let width = self.table.columns.len();
        let mut counts = vec![0; self.table.rows * width];
        let rows = counts.par_chunks_mut(width.max(1)).enumerate();
        rows.try_for_each_init(Vec::new, |differences, (row, counts)| {
            self.run.check()?;
            self.table.differences(row, differences);
            for (other, mask) in differences.chunks_exact(self.table.words).enumerate() {
                let parts = open[row] + open[other];
                if parts > 0 && self.demand.is_partner(row, other) {
                    places(mask).for_each(|place| counts[place] += parts);
                }
            }
            Ok(())
        })
        .map(|()| counts)
    }

    /// The cell to suppress next.
    fn best(&self, counts: &[u64]) -> (usize, usize) {
        let width = self.costs.len();
        let (mut best, mut of) = ((0, 0), None);
        for (row, counts) in counts.chunks_exact(width).enumerate() {
            for place in self.ties.places(width) {
                let bid = (counts[place], self.costs[place]);
                if bid.0 > 0 && (of.is_none() || pays_more(bid, best)) {
                    (best, of) = (bid, Some((row, place)));
                }
            }
        }
        of.expect("a row that lacks a partner differs from one")
    }

    /// Takes the part of a row out of the counts.
    fn close(&self, row: usize, counts: &mut [u64], differences: &mut Vec<u64>) {
        let width = self.table.columns.len();
        self.table.differences_shared(row, differences);
        for (other, mask) in differences.chunks_exact(self.table.words).enumerate() {
            if self.demand.is_partner(row, other) {
                for place in places(mask) {
                    counts[row * width + place] -= 1;
                    counts[other * width + place] -= 1;
                }
            }
        }
    }
}
