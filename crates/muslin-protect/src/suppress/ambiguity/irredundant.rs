//! Cells that need not be suppressed are shown again.
//!
//! More suppressed cells never make rows differ, so the choices that do are closed upwards. So
//! one pass that takes back every cell without which the choice still does leaves a choice from
//! which no cells at all can be taken (what VO01's Theorem 2 promises to be easy to check).

use std::cmp::Reverse;

use super::problem::Problem;
use crate::Result;

impl Problem<'_> {
    /// Takes back, one by one, the cells without which every row keeps the partners that it
    /// needs: those of the dearest columns first; of these the last row, then the last column.
    /// What is left when the run must stop still does.
    pub(super) fn take_back(&mut self) -> Result<()> {
        let mut cells = self.added();
        cells.sort_by_key(|&(row, place)| Reverse((self.costs[place], row, place)));
        self.count()?;
        self.run.reporter().stage("taking cells back", Some(cells.len() as u64));
        let mut differences = Vec::new();
        // The partners of the row that cannot be told apart from it, while its cells go on.
        let (mut of, mut alike) = (None, Vec::new());
        for (row, place) in cells {
            if of != Some(row) {
                self.run.check()?;
                of = Some(row);
                self.table.differences_shared(row, &mut differences);
                let masks = differences.chunks_exact(self.table.words).enumerate();
                let is_alike = |&(other, mask): &(usize, &[u64])| {
                    mask.iter().all(|&word| word == 0) && self.demand.is_partner(row, other)
                };
                alike = masks.filter(is_alike).map(|(other, _)| other).collect();
            }
            let slot = |row: usize| self.table.row(row)[place];
            let is_lost =
                |other: usize| slot(other) != slot(row) && !self.table.is_hidden(other, place);
            let lost: Vec<usize> = alike.iter().copied().filter(|&other| is_lost(other)).collect();
            let needs = self.demand.partners;
            let spares_own = self.met[row] - lost.len() as u64 >= needs;
            if spares_own && lost.iter().all(|&other| self.met[other] > needs) {
                alike.retain(|other| lost.binary_search(other).is_err());
                self.met[row] -= lost.len() as u64;
                lost.iter().for_each(|&other| self.met[other] -= 1);
                self.table.hidden[row * self.table.words + place / 64] &= !(1 << (place % 64));
            }
            self.run.reporter().advance(1);
        }
        Ok(())
    }
}
