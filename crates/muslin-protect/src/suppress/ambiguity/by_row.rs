//! Heuristics C, D and their variant: row by row, cells of the row itself.

use muslin_table::ColumnSet;
use rayon::prelude::*;

use super::implicants::{hitting_set, implicants};
use super::problem::Problem;
use crate::Result;

/// How the cells of one row are chosen.
#[derive(Clone, Copy)]
pub(super) enum Cells {
    /// A cell of each minimal unique of the row, greedily.
    HittingSet,
    /// Those in which it differs from the nearest partners.
    Nearest,
}

impl Problem<'_> {
    /// Row by row in order: a row that lacks partners gets them by cells of its own. What was
    /// suppressed in rows before counts.
    pub(super) fn suppress_in_turn(&mut self, cells: Cells) -> Result<()> {
        let rows = self.table.rows;
        let mut differences = Vec::new();
        self.run.reporter().stage("suppressing cells", Some(rows as u64));
        for row in 0..rows {
            if self.lacks(row) {
                self.run.check()?;
                self.table.differences_shared(row, &mut differences);
                let chosen = self.choose(row, &differences, cells)?;
                let mask = self.table.mask_of(&chosen);
                self.suppress(row, &mask, &differences);
            }
            self.run.reporter().advance(1);
        }
        Ok(())
    }

    /// Every row that lacks partners gets them by cells of its own, whatever is suppressed in
    /// other rows. One pass is enough: what others suppress only adds partners.
    pub(super) fn suppress_at_once(&mut self, cells: Cells) -> Result<()> {
        let lacking = self.lacking();
        self.run.reporter().stage("suppressing cells", Some(lacking.len() as u64));
        let each = lacking.par_iter().map_init(Vec::new, |differences, &row| {
            self.run.check()?;
            self.table.differences(row, differences);
            let chosen = self.choose(row, differences, cells)?;
            self.run.reporter().advance(1);
            Ok(self.table.mask_of(&chosen))
        });
        let each: Result<Vec<Vec<u64>>> = each.collect();
        let words = self.table.words;
        for (row, mask) in lacking.into_iter().zip(each?) {
            let hidden = &mut self.table.hidden[row * words..][..words];
            hidden.iter_mut().zip(mask).for_each(|(hidden, gone)| *hidden |= gone);
        }
        Ok(())
    }

    /// The columns to suppress in a row that lacks partners.
    fn choose(&self, row: usize, differences: &[u64], cells: Cells) -> Result<ColumnSet> {
        let edges = self.edges(row, differences);
        let lacks = self.demand.partners - self.met[row];
        match cells {
            Cells::HittingSet => {
                let sets = implicants(edges, lacks - 1, self.run)?;
                Ok(hitting_set(sets, self.weights, self.ties))
            }
            Cells::Nearest => Ok(self.nearest(edges, lacks)),
        }
    }

    /// The columns in which a row differs from as many partners as it lacks: each time from the
    /// one that costs least more, of equals the one that differs in the columns of the ties.
    fn nearest(&self, mut edges: Vec<(ColumnSet, u64)>, mut lacks: u64) -> ColumnSet {
        let mut chosen = ColumnSet::new();
        while lacks > 0 {
            let cost = |set: &ColumnSet| self.weights.sum(set);
            let best = edges
                .iter()
                .min_by(|(a, _), (b, _)| cost(a).cmp(&cost(b)).then_with(|| self.ties.order(a, b)));
            let (best, _) = best.expect("there are as many partners as a row needs");
            chosen = chosen.union(best);
            edges.iter_mut().for_each(|(edge, _)| *edge = edge.difference(&chosen));
            let alike = edges.iter().filter(|(edge, _)| edge.is_empty()).map(|&(_, rows)| rows);
            lacks = lacks.saturating_sub(alike.sum());
            edges.retain(|(edge, _)| !edge.is_empty());
        }
        chosen
    }
}
