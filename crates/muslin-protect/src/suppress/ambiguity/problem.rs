use muslin_assess::{Weight, Weights};
use muslin_engine::Run;
use muslin_table::{Cell, ColumnSet, RowId};
use rayon::prelude::*;

use super::Ties;
use super::discernibility::{Discernibility, places};
use crate::Result;

/// What every row needs: so many *partners* that it cannot be told apart from.
pub(super) struct Demand {
    pub(super) partners: u64,
    /// Only a row of another class is a partner; every other row where there are no classes.
    pub(super) classes: Option<Vec<u32>>,
}

impl Demand {
    pub(super) fn is_partner(&self, a: usize, b: usize) -> bool {
        self.classes.as_ref().map_or(a != b, |classes| classes[a] != classes[b])
    }

    /// For each row, the partners that it cannot be told apart from.
    fn met(&self, table: &Discernibility, run: &Run) -> Result<Vec<u64>> {
        let mut met = table.matches(None, run)?;
        match &self.classes {
            None => met.iter_mut().for_each(|rows| *rows -= 1),
            Some(classes) => {
                let own = table.matches(Some(classes), run)?;
                met.iter_mut().zip(own).for_each(|(rows, own)| *rows -= own);
            }
        }
        Ok(met)
    }
}

/// Rows, what they need, what a cell costs, and what is suppressed so far.
///
/// # Invariant
/// Once they are counted, `met` are the partners that each row cannot be told apart from now.
pub(super) struct Problem<'a> {
    pub(super) table: Discernibility,
    pub(super) demand: Demand,
    pub(super) weights: &'a Weights,
    /// What a cell costs, by place of its column.
    pub(super) costs: Vec<u64>,
    pub(super) ties: Ties,
    pub(super) run: &'a Run,
    /// What was suppressed before.
    given: Vec<u64>,
    pub(super) met: Vec<u64>,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        table: Discernibility,
        demand: Demand,
        weights: &'a Weights,
        ties: Ties,
        run: &'a Run,
    ) -> Self {
        let costs = table.columns.iter().map(|&column| weights.of(column).millionths()).collect();
        let given = table.hidden.clone();
        Self { table, demand, weights, costs, ties, run, given, met: Vec::new() }
    }

    /// Counts the partners that each row has.
    pub(super) fn count(&mut self) -> Result<()> {
        self.met = self.demand.met(&self.table, self.run)?;
        Ok(())
    }

    /// Whether a row needs more partners than it has.
    pub(super) fn lacks(&self, row: usize) -> bool {
        self.met[row] < self.demand.partners
    }

    /// The rows that need more partners than they have, rising.
    pub(super) fn lacking(&self) -> Vec<usize> {
        (0..self.table.rows).filter(|&row| self.lacks(row)).collect()
    }

    /// Suppresses the cells of `row` in the columns of `mask`. `differences` are those of the row
    /// before.
    pub(super) fn suppress(&mut self, row: usize, mask: &[u64], differences: &[u64]) {
        let words = self.table.words;
        for (other, difference) in differences.chunks_exact(words).enumerate() {
            let differed = difference.iter().any(|&word| word != 0);
            let differs = difference.iter().zip(mask).any(|(word, gone)| word & !gone != 0);
            if differed && !differs && self.demand.is_partner(row, other) {
                self.met[row] += 1;
                self.met[other] += 1;
            }
        }
        let hidden = &mut self.table.hidden[row * words..][..words];
        hidden.iter_mut().zip(mask).for_each(|(hidden, gone)| *hidden |= gone);
    }

    /// Suppresses whole rows instead of all that was suppressed so far: every row then has the
    /// partners that it needs (VO01, heuristic A). Counts nothing.
    pub(super) fn suppress_rows(&mut self) {
        self.table.hidden.copy_from_slice(&self.given);
        for row in self.rows_for_all(|row| row) {
            for place in 0..self.table.columns.len() {
                self.table.hidden[row * self.table.words + place / 64] |= 1 << (place % 64);
            }
        }
    }

    /// Suppresses these cells instead of all that was suppressed so far. Counts nothing.
    pub(super) fn suppress_cells(&mut self, cells: &[(usize, usize)]) {
        self.table.hidden.copy_from_slice(&self.given);
        for &(row, place) in cells {
            self.table.hidden[row * self.table.words + place / 64] |= 1 << (place % 64);
        }
    }

    /// What the cheapest rows cost that give every row the partners that it needs.
    pub(super) fn upper_bound(&self) -> Weight {
        let cost = |row: usize| {
            let shown = (0..self.costs.len())
                .filter(|&at| self.given_of(row)[at / 64] >> (at % 64) & 1 == 0);
            shown.fold(0u64, |sum, place| sum.saturating_add(self.costs[place]))
        };
        let rows = self.rows_for_all(|row| (cost(row), row));
        Weight::of_millionths(rows.into_iter().fold(0, |sum, row| sum.saturating_add(cost(row))))
    }

    fn given_of(&self, row: usize) -> &[u64] {
        &self.given[row * self.table.words..][..self.table.words]
    }

    /// The least rows by `rank` that give every row the partners that it needs, when all their
    /// cells are suppressed: so many as are needed, or, with classes, two of different classes,
    /// since each row is of another class than one of them.
    fn rows_for_all<T: Ord>(&self, rank: impl Fn(usize) -> T) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.table.rows).collect();
        order.sort_by_cached_key(|&row| rank(row));
        match (&self.demand.classes, order.first().copied()) {
            (Some(classes), Some(first)) => {
                let second = order.iter().copied().find(|&row| classes[row] != classes[first]);
                std::iter::once(first).chain(second).collect()
            }
            _ => {
                let partners = usize::try_from(self.demand.partners).unwrap_or(usize::MAX);
                order.truncate(partners);
                order
            }
        }
    }

    /// What the cells of one row in the columns of `mask` cost.
    pub(super) fn cost(&self, mask: &[u64]) -> u64 {
        places(mask).fold(0, |sum, place| sum.saturating_add(self.costs[place]))
    }

    /// The cells that were suppressed on top of those before, by row, then column.
    pub(super) fn added(&self) -> Vec<(usize, usize)> {
        let words = self.table.words;
        let of = |row: usize| {
            let now = self.table.hidden_of(row).iter().zip(self.given_of(row));
            let new: Vec<u64> = now.map(|(now, given)| now & !given).collect();
            places(&new).map(|place| (row, place)).collect::<Vec<_>>()
        };
        let is_changed = |row: &usize| {
            self.table.hidden[row * words..][..words] != self.given[row * words..][..words]
        };
        (0..self.table.rows).filter(is_changed).flat_map(of).collect()
    }

    /// The cell of a row and the place of its column.
    pub(super) fn cell(&self, (row, place): (usize, usize)) -> Cell {
        let row = RowId::new(u32::try_from(row).expect("row ids are 32 bits wide"));
        Cell { row, column: self.table.columns[place] }
    }

    /// The different sets of columns in which a row differs from partners, and from how many.
    pub(super) fn edges(&self, row: usize, differences: &[u64]) -> Vec<(ColumnSet, u64)> {
        let words = self.table.words;
        let masks = differences.chunks_exact(words).enumerate();
        let differs = |&(other, mask): &(usize, &[u64])| {
            mask.iter().any(|&word| word != 0) && self.demand.is_partner(row, other)
        };
        let masks = masks.filter(differs).map(|(_, mask)| mask);
        if words == 1 {
            let mut masks: Vec<u64> = masks.map(|mask| mask[0]).collect();
            masks.sort_unstable();
            let alike = masks.chunk_by(|a, b| a == b);
            return alike.map(|of| (self.table.set_of(&of[..1]), of.len() as u64)).collect();
        }
        let mut masks: Vec<&[u64]> = masks.collect();
        masks.sort_unstable();
        let alike = masks.chunk_by(|a, b| a == b);
        alike.map(|of| (self.table.set_of(of[0]), of.len() as u64)).collect()
    }

    /// A lower bound on the cost of every choice of cells, from the rows that lack partners.
    ///
    /// A row that has `met` partners and needs `partners` must become alike with at least
    /// t = `partners - met` partners that it differs from now. Order these by what their
    /// difference costs. The t that it becomes alike with are not all among the t - 1 first, so
    /// one of them comes t-th or later. For each column of the difference with that one a cell
    /// must be suppressed, in either row: they are different cells, one for each column. So the
    /// cost is at least that of the t-th difference. The greatest bound of a row holds for all.
    /// With `partners` one (k = 2) it is the greatest distance to a nearest row.
    ///
    /// (VO01's bound, the least difference of any two rows, fails where nothing is needed.)
    ///
    /// When the run must stop it is the bound of the rows that were looked at.
    pub(super) fn lower_bound(&mut self) -> (Weight, Result<()>) {
        // The bound is about the table as it was.
        std::mem::swap(&mut self.given, &mut self.table.hidden);
        let found = self.greatest_lack();
        std::mem::swap(&mut self.given, &mut self.table.hidden);
        found
    }

    fn greatest_lack(&mut self) -> (Weight, Result<()>) {
        if let Err(error) = self.count() {
            return (Weight::ZERO, Err(error));
        }
        let lacking = self.lacking();
        let mut least = 0;
        self.run.reporter().stage("bounding the cost", Some(lacking.len() as u64));
        for some in lacking.chunks(256) {
            let each = some.par_iter().map_init(Vec::new, |masks, &row| {
                self.run.check()?;
                self.table.differences(row, masks);
                Ok(self.lack(row, masks))
            });
            match each.try_reduce(|| 0, |a: u64, b| Ok(a.max(b))) {
                Ok(bound) => least = least.max(bound),
                Err(error) => return (Weight::of_millionths(least), Err(error)),
            }
            self.run.reporter().advance(some.len() as u64);
        }
        (Weight::of_millionths(least), Ok(()))
    }

    /// What it costs at least that `row` gets the partners that it lacks.
    fn lack(&self, row: usize, differences: &[u64]) -> u64 {
        let masks = differences.chunks_exact(self.table.words).enumerate();
        let open = masks.filter(|&(other, mask)| {
            self.demand.is_partner(row, other) && mask.iter().any(|&word| word != 0)
        });
        let mut costs: Vec<u64> = open.map(|(_, mask)| self.cost(mask)).collect();
        let lacks = usize::try_from(self.demand.partners - self.met[row]).unwrap_or(usize::MAX);
        // Where there are too few partners, no choice will do; the caller has made sure.
        if lacks > costs.len() { 0 } else { *costs.select_nth_unstable(lacks - 1).1 }
    }
}
