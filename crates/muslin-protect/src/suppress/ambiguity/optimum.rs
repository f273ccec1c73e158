//! The cheapest cells of all, for small tables.

use muslin_assess::Weight;
use muslin_engine::Stop;

use super::super::exact::{Alike, MOST, make_alike, too_large};
use super::by_row::Cells;
use super::discernibility::places;
use super::problem::Problem;
use super::{AmbiguityMethod, note};
use crate::Result;

/// Of more columns than this, minimal uniques may be too many for a start.
const MOST_IMPLICANT_COLUMNS: usize = 20;

/// Where to start from: the best of these is nearly always the optimum.
const STARTS: [AmbiguityMethod; 4] = [
    AmbiguityMethod::Rows,
    AmbiguityMethod::Occurrences,
    AmbiguityMethod::InTurn,
    AmbiguityMethod::Shortest,
];

impl Problem<'_> {
    /// Suppresses the cheapest cells that do; the cheapest found where the run must stop. Says what
    /// any choice costs at least, and what stopped it before that was the cost.
    pub(super) fn suppress_exactly(&mut self) -> Result<(Weight, Option<Stop>)> {
        if self.table.rows.saturating_mul(self.table.rows) / 2 > MOST {
            return Err(too_large());
        }
        let mut stop = None;
        let start = self.start(&mut stop)?;
        self.suppress_cells(&start);
        let (least, bounded) = self.lower_bound();
        note(&mut stop, bounded)?;
        if stop.is_some() {
            return Ok((least, stop));
        }
        self.suppress_cells(&[]);
        let asked = Alike {
            rows: self.table.rows,
            costs: &self.costs,
            partners: self.demand.partners,
            is_partner: &|a, b| self.demand.is_partner(a, b),
            differences: &|a, b| {
                let mut mask = vec![0; self.table.words];
                self.table.difference_mask(a, b, &mut mask);
                places(&mask).collect()
            },
        };
        let found = make_alike(&asked, &start, self.run)?;
        self.suppress_cells(&found.answer);
        let stop = self.run.stop().filter(|_| !found.is_optimal);
        Ok((least.max(Weight::of_millionths(found.bound)), stop))
    }

    /// The cheapest cells of several heuristics; of as many as there is time for.
    fn start(&mut self, stop: &mut Option<Stop>) -> Result<Vec<(usize, usize)>> {
        let mut best: Option<(u64, Vec<(usize, usize)>)> = None;
        for method in STARTS {
            let is_wide = self.table.columns.len() > MOST_IMPLICANT_COLUMNS;
            if stop.is_some() || (method == AmbiguityMethod::InTurn && is_wide) {
                continue;
            }
            self.suppress_cells(&[]);
            self.ties = method.ties();
            let chosen = self.count().and_then(|()| match method {
                AmbiguityMethod::Occurrences => self.suppress_by_occurrence(),
                AmbiguityMethod::InTurn => self.suppress_in_turn(Cells::HittingSet),
                AmbiguityMethod::Shortest => self.suppress_in_turn(Cells::Nearest),
                _ => Ok(()),
            });
            if chosen.is_err() || method == AmbiguityMethod::Rows {
                self.suppress_rows();
            }
            note(stop, chosen)?;
            if stop.is_none() {
                note(stop, self.take_back())?;
            }
            let cells = self.added();
            let cost = cells.iter().fold(0u64, |sum, &(_, at)| sum.saturating_add(self.costs[at]));
            if best.as_ref().is_none_or(|&(least, _)| cost < least) {
                best = Some((cost, cells));
            }
        }
        Ok(best.map(|(_, cells)| cells).unwrap_or_default())
    }
}
