use std::collections::HashMap;

use muslin_assess::{Weight, Weights};
use muslin_engine::Run;
use muslin_table::{Changes, ColumnSet, EncodedTable};
use rayon::prelude::*;

use super::problem::{Demand, Problem};
use super::{Ambiguated, AmbiguityMethod, Discernibility, Redundant, Ties, note};
use crate::{Error, Result};

/// What is to speak against a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DependencyGoal {
    /// Every row matches one that depends otherwise. The cells are chosen by a method, so they
    /// need not be the cheapest, unless it is [`AmbiguityMethod::Exact`].
    RowWise(AmbiguityMethod),
    /// Two rows match and depend otherwise, at the least cost. It protects nobody else.
    OneCounterexample,
}

/// Chooses cells to suppress so that nobody can prove that some columns determine others.
///
/// Cells are suppressed in the determining columns only. There, a suppressed cell matches anything.
/// In the dependent columns, missing and suppressed are values of their own.
///
/// # Guarantee
/// With the cells suppressed, each row (for [`DependencyGoal::OneCounterexample`] some row) matches
/// a row on the determining columns whose dependent columns are not the same, whatever the coverage.
/// No choice of cells for which this holds costs less than the lower bound. When the coverage is
/// [`Complete`](muslin_engine::Coverage::Complete), one counterexample costs exactly the lower
/// bound, and row by row it no longer holds if any of the cells is shown.
///
/// # Cost
/// Pairs of rows times columns, where the goal is not reached already; else as
/// [`Ambiguity`](super::Ambiguity).
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_protect::{Dependency, DependencyGoal};
/// use muslin_table::{ColumnId, ColumnSet, EncodedTable};
/// // The first column determines the second.
/// let table = EncodedTable::of(&[[1, 7], [1, 7], [2, 8], [2, 8]]);
/// let of = |column| -> ColumnSet { std::iter::once(ColumnId::new(column)).collect() };
/// let dependency = Dependency::new(of(0), of(1));
/// let found = dependency.clone().goal(DependencyGoal::OneCounterexample).run(&table, &Run::new())?;
/// assert_eq!(found.cells(), 1);
/// // One suppressed cell matches both rows of the other kind; its own neighbour needs one too.
/// assert_eq!(dependency.run(&table, &Run::new())?.cells(), 2);
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dependency {
    from: ColumnSet,
    to: ColumnSet,
    goal: DependencyGoal,
    ties: Option<Ties>,
    weights: Weights,
}

impl Dependency {
    /// That the columns `from` determine the columns `to`. Every row is to match one that depends
    /// otherwise, by occurrences, and every cell costs one.
    pub fn new(from: ColumnSet, to: ColumnSet) -> Self {
        Self {
            from,
            to,
            goal: DependencyGoal::RowWise(AmbiguityMethod::Occurrences),
            ties: None,
            weights: Weights::new(),
        }
    }

    /// What is to speak against it.
    #[must_use]
    pub fn goal(mut self, goal: DependencyGoal) -> Self {
        self.goal = goal;
        self
    }

    /// Which column is taken where several are as good; as for [`Ambiguity`](super::Ambiguity)
    /// when none is given.
    #[must_use]
    pub fn ties(mut self, ties: Option<Ties>) -> Self {
        self.ties = ties;
        self
    }

    /// What a suppressed cell of each column costs.
    #[must_use]
    pub fn weights(mut self, weights: Weights) -> Self {
        self.weights = weights;
        self
    }

    /// Chooses for `table`.
    pub fn run(&self, table: &EncodedTable, run: &Run) -> Result<Ambiguated> {
        if !self.from.is_disjoint(&self.to) {
            return Err(Error::Setting(
                "a column is on both sides of the dependency\n  hint: name it once".into(),
            ));
        }
        let width = self.from.len() + self.to.len();
        run.check_memory(Discernibility::memory(table, width))?;
        let classes = classes(table, &self.to)?;
        if table.rows() > 0 && classes.iter().all(|&class| class == 0) {
            return Err(Error::Unreachable(
                "the dependent columns are the same in every row, so no row speaks against the dependency\n  hint: name a column with several values".into(),
            ));
        }
        let rows = Discernibility::new(table, &self.from)?;
        let demand = Demand { partners: 1, classes: Some(classes) };
        let method = match self.goal {
            DependencyGoal::RowWise(method) => method,
            DependencyGoal::OneCounterexample => AmbiguityMethod::Shortest,
        };
        let ties = self.ties.unwrap_or(method.ties());
        let problem = Problem::new(rows, demand, &self.weights, ties, run);
        let changes = Changes::none(table);
        run.install(|| match self.goal {
            DependencyGoal::RowWise(method) => problem.solve(method, Redundant::Show, changes),
            DependencyGoal::OneCounterexample => problem.solve_one(changes),
        })
    }
}

/// A number for each row: the same where the columns are the same, from zero in order of rows.
fn classes(table: &EncodedTable, columns: &ColumnSet) -> Result<Vec<u32>> {
    let rows = Discernibility::new(table, columns)?;
    let mut known: HashMap<&[u32], u32> = HashMap::new();
    let of = |row| {
        let next = u32::try_from(known.len()).expect("row ids are 32 bits wide");
        *known.entry(rows.row(row)).or_insert(next)
    };
    Ok((0..rows.rows()).map(of).collect())
}

/// Cost of a difference, and its rows.
type Pair = (u64, usize, usize);

impl Problem<'_> {
    /// Suppresses the cheapest difference of two partners, in the first of both.
    fn solve_one(mut self, changes: Changes) -> Result<Ambiguated> {
        let mut stop = None;
        let counted = self.count();
        let is_done = counted.is_ok() && self.met.iter().any(|&rows| rows > 0);
        note(&mut stop, counted)?;
        if is_done || self.table.rows == 0 {
            return self.finish(changes, (Weight::ZERO, Weight::ZERO), stop);
        }
        let classes = self.demand.classes.as_ref().expect("a dependency has classes");
        let other = classes.iter().position(|&class| class != classes[0]);
        let other = other.expect("there are two classes");
        let mut mask = vec![0; self.table.words];
        self.table.difference_mask(0, other, &mut mask);
        let mut best: Pair = (self.cost(&mask), 0, other);
        if stop.is_none() {
            note(&mut stop, self.nearest_pair(&mut best))?;
        }
        let (cost, a, b) = best;
        self.table.difference_mask(a, b, &mut mask);
        let hidden = &mut self.table.hidden[a * self.table.words..][..mask.len()];
        hidden.iter_mut().zip(&mask).for_each(|(hidden, gone)| *hidden |= gone);
        self.run.reporter().finish();
        let lower_bound = if stop.is_none() { cost } else { 0 };
        let bounds = (Weight::of_millionths(lower_bound), Weight::of_millionths(cost));
        self.finish(changes, bounds, stop)
    }

    /// Makes `best` the partners whose difference costs least, the first of equals; the least of
    /// those looked at when the run must stop.
    fn nearest_pair(&self, best: &mut Pair) -> Result<()> {
        let rows: Vec<usize> = (0..self.table.rows).collect();
        self.run.reporter().stage("comparing rows", Some(rows.len() as u64));
        for some in rows.chunks(256) {
            self.run.check()?;
            let each = some.par_iter().map_init(Vec::new, |masks, &row| -> Result<Option<Pair>> {
                self.run.check()?;
                self.table.differences(row, masks);
                let masks = masks.chunks_exact(self.table.words).enumerate().skip(row + 1);
                let partners = masks.filter(|&(other, _)| self.demand.is_partner(row, other));
                Ok(partners.map(|(other, mask)| (self.cost(mask), row, other)).min())
            });
            let least =
                each.try_reduce(|| None, |a: Option<Pair>, b| Ok(a.into_iter().chain(b).min()))?;
            *best = least.map_or(*best, |pair| pair.min(*best));
            self.run.reporter().advance(some.len() as u64);
        }
        Ok(())
    }
}
