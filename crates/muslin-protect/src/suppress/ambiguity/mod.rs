//! Ambiguity: cells are suppressed so that no row can be told apart from all others, after paper
//! 003.
//!
//! A suppressed cell matches anything. A table is k-ambiguous when every row matches k rows,
//! itself included. Then nobody can prove from it that some columns determine others. It is the
//! weakest notion of protection: whoever knows a person's values may still find the row, as the
//! values that rows would need to be alike need not be possible for that person.
//!
//! # Method
//! ```text
//! discernibility  where two rows differ, made when asked for
//! matches         how many rows each row matches, by grouping
//! problem         what every row needs, and bounds on what that costs
//! occurrences     heuristic B: the cell of most unsatisfied clauses
//! by_row          heuristics C, D and their variant: cells of the row itself
//! implicants      the minimal uniques of one row among suppressed cells
//! irredundant     cells that need not be suppressed are shown again
//! dependency      the same against one dependency
//! optimum         the cheapest cells of all, by a solver
//! ```
//!
//! # Differences from the paper
//! Any k and any costs of columns. Its lower bound is not one where the table is ambiguous already;
//! ours is, and is greater. Its heuristic B reproduces its results only when occurrences are
//! counted in the factored form, with ties to the smallest row, then the largest column; C with
//! ties to the smallest column. Nothing is suppressed where nothing is needed, by heuristic A
//! neither. Its Theorem 3 does not show that the problem is hard, so nothing here rests on it.
//!
//! For k above two, a row lacks so many matches as it has less than k. A: k - 1 rows. B: the
//! clauses of a row count until it lacks none. C and D: the prime implicants are the minimal
//! (k - 1)-uniques of the row, and each gets a suppressed cell. The variant: the nearest rows one
//! by one, where columns that are suppressed already cost nothing, until the row lacks none.
//!
//! VO01: Vinterbo and Ohno-Machado, Table ambiguation by minimal cell suppression. 2001.

mod by_row;
mod dependency;
mod discernibility;
mod found;
mod implicants;
mod irredundant;
mod matches;
mod occurrences;
mod optimum;
mod problem;
mod ties;

use muslin_assess::{Weight, Weights};
use muslin_engine::{Coverage, Engine, Run, Stop};
use muslin_table::{Changes, ColumnSet, EncodedTable};

pub use self::dependency::{Dependency, DependencyGoal};
pub use self::discernibility::Discernibility;
pub use self::found::Ambiguated;
pub use self::ties::Ties;

use self::by_row::Cells;
use self::problem::{Demand, Problem};
use crate::{Error, Protection, Protector, Result};

/// How the cells to suppress are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AmbiguityMethod {
    /// Heuristic A: whole rows, the first ones.
    Rows,
    /// Heuristic B: cell by cell, the one that occurs most often in what is not satisfied yet.
    Occurrences,
    /// Heuristic C: row by row, a cell of each minimal unique of the row, as few as a greedy
    /// choice finds. Cells suppressed before count.
    InTurn,
    /// Heuristic D: the same for every row as if it were the first.
    AtOnce,
    /// Row by row, the cells in which the row differs from the nearest one: the paper's
    /// improvement of heuristic C.
    Shortest,
    /// The cheapest cells of all, for small tables: the best of the others, then a solver. Ties
    /// are not asked for.
    Exact,
}

impl AmbiguityMethod {
    /// Every method: those of the paper, then the exact one.
    pub const ALL: [Self; 6] =
        [Self::Rows, Self::Occurrences, Self::InTurn, Self::AtOnce, Self::Shortest, Self::Exact];

    /// The ties of the paper: the largest column for [`Self::Occurrences`], else the smallest.
    fn ties(self) -> Ties {
        match self {
            Self::Occurrences => Ties::Largest,
            _ => Ties::Smallest,
        }
    }
}

/// What becomes of suppressed cells that need not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Redundant {
    /// They stay suppressed, as in the paper.
    Keep,
    /// They are shown again: those of the dearest columns first, then of the last row.
    Show,
}

/// Chooses cells to suppress so that every row matches k rows, itself included, where a suppressed
/// cell matches anything.
///
/// This is a weak notion of protection: it keeps dependencies between columns from being proved,
/// but whoever knows a person's values may still find the row.
///
/// # Guarantee
/// With the cells suppressed, each row matches at least k rows on the columns, itself included,
/// whatever the coverage. No choice of cells for which this holds costs less than the lower bound.
/// When the coverage is [`Coverage::Complete`] and redundant cells are shown, it no longer holds
/// if any of the cells is shown. When it is not complete, whole rows may be suppressed instead of
/// what the method would have chosen. When it is and the method is [`AmbiguityMethod::Exact`], the
/// cost is the lower bound.
///
/// # Cost
/// Linear where every row matches k rows already. Else rows that do not, times rows, times columns;
/// for [`AmbiguityMethod::Occurrences`] and to show redundant cells, suppressed cells times rows
/// times columns. The minimal uniques of a row, for [`AmbiguityMethod::InTurn`] and
/// [`AmbiguityMethod::AtOnce`], can be exponentially many in the columns.
/// [`AmbiguityMethod::Exact`] is exponential in the cells in the worst case.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_protect::Ambiguity;
/// use muslin_table::{ColumnId, EncodedTable};
/// // Vinterbo and Ohno-Machado, Table 1: the first and the last row are alike.
/// let table = EncodedTable::of(&[[1, 1, 2], [3, 1, 1], [3, 2, 2], [1, 1, 2]]);
/// let found = Ambiguity::new(2).run(&table, &Run::new())?;
/// // Rows 1 and 2 have only the first value in common, and need no more.
/// let cells: Vec<_> = found.suppressed().iter().map(|c| (c.row.index(), c.column.index())).collect();
/// assert_eq!(cells, [(1, 2), (2, 1)]);
/// assert!(found.is_optimal());
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ambiguity {
    k: u32,
    columns: Option<ColumnSet>,
    method: AmbiguityMethod,
    ties: Option<Ties>,
    weights: Weights,
    redundant: Redundant,
}

impl Ambiguity {
    /// Every row is to match `k` rows, itself included, on all columns. Cells are chosen by
    /// occurrences, redundant ones are shown, and every cell costs one.
    pub fn new(k: u32) -> Self {
        Self {
            k,
            columns: None,
            method: AmbiguityMethod::Occurrences,
            ties: None,
            weights: Weights::new(),
            redundant: Redundant::Show,
        }
    }

    /// The columns on which rows are compared and cells suppressed; all when none are given.
    #[must_use]
    pub fn columns(mut self, columns: Option<ColumnSet>) -> Self {
        self.columns = columns;
        self
    }

    /// How cells are chosen.
    #[must_use]
    pub fn method(mut self, method: AmbiguityMethod) -> Self {
        self.method = method;
        self
    }

    /// Which column is taken where several are as good; that of the paper's results when none is
    /// given: the largest for [`AmbiguityMethod::Occurrences`], else the smallest.
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

    /// What becomes of suppressed cells that need not be.
    #[must_use]
    pub fn redundant(mut self, redundant: Redundant) -> Self {
        self.redundant = redundant;
        self
    }

    /// Chooses for `table`.
    pub fn run(&self, table: &EncodedTable, run: &Run) -> Result<Ambiguated> {
        if self.k < 2 {
            return Err(Error::Setting(
                "with k below 2 every row is enough by itself\n  hint: pass a `--k` of 2 or more"
                    .into(),
            ));
        }
        if (1..u64::from(self.k)).contains(&(table.rows() as u64)) {
            return Err(Error::Unreachable(format!(
                "the table has {} rows, so none can match {}\n  hint: pass a smaller `--k`",
                table.rows(),
                self.k
            )));
        }
        let columns = self.columns.clone().unwrap_or_else(|| table.all_columns());
        run.check_memory(Discernibility::memory(table, columns.len()))?;
        let rows = Discernibility::new(table, &columns)?;
        let demand = Demand { partners: u64::from(self.k) - 1, classes: None };
        let ties = self.ties.unwrap_or(self.method.ties());
        let problem = Problem::new(rows, demand, &self.weights, ties, run);
        run.install(|| problem.solve(self.method, self.redundant, Changes::none(table)))
    }
}

impl Protector for Ambiguity {
    /// Suppresses the cells.
    fn protect(&self, table: &dyn Engine, run: &Run) -> Result<Protection> {
        let all = ColumnSet::first(table.shape()?.columns);
        let found = self.run(&table.collect(&all)?, run)?;
        Ok(Protection::new(found.changes, found.coverage))
    }
}

impl Problem<'_> {
    /// Chooses cells by `method`, and whole rows where there is no time for it.
    fn solve(
        mut self,
        method: AmbiguityMethod,
        redundant: Redundant,
        changes: Changes,
    ) -> Result<Ambiguated> {
        let mut upper_bound = self.upper_bound();
        let (mut stop, mut lower_bound) = (None, Weight::ZERO);
        note(&mut stop, self.count())?;
        if stop.is_none() && self.lacking().is_empty() {
            upper_bound = Weight::ZERO;
        } else {
            let chosen = match (stop, method) {
                (Some(_), _) | (_, AmbiguityMethod::Rows) => {
                    self.suppress_rows();
                    Ok(())
                }
                (_, AmbiguityMethod::Occurrences) => self.suppress_by_occurrence(),
                (_, AmbiguityMethod::InTurn) => self.suppress_in_turn(Cells::HittingSet),
                (_, AmbiguityMethod::AtOnce) => self.suppress_at_once(Cells::HittingSet),
                (_, AmbiguityMethod::Shortest) => self.suppress_in_turn(Cells::Nearest),
                (_, AmbiguityMethod::Exact) => {
                    (lower_bound, stop) = self.suppress_exactly()?;
                    Ok(())
                }
            };
            if chosen.is_err() {
                self.suppress_rows();
            }
            note(&mut stop, chosen)?;
        }
        if stop.is_none() && redundant == Redundant::Show {
            note(&mut stop, self.take_back())?;
        }
        if stop.is_none() {
            let (bound, how) = self.lower_bound();
            lower_bound = lower_bound.max(bound);
            note(&mut stop, how)?;
        }
        self.run.reporter().finish();
        self.finish(changes, (lower_bound, upper_bound), stop)
    }

    /// The cells that were suppressed, as a result.
    fn finish(
        &self,
        mut changes: Changes,
        (lower_bound, upper_bound): (Weight, Weight),
        stop: Option<Stop>,
    ) -> Result<Ambiguated> {
        let added = self.added();
        let cost =
            added.iter().fold(0u64, |sum, &(_, place)| sum.saturating_add(self.costs[place]));
        let suppressed: Vec<_> = added.into_iter().map(|at| self.cell(at)).collect();
        for &cell in &suppressed {
            changes.suppress(cell).map_err(muslin_engine::Error::from)?;
        }
        let cost = Weight::of_millionths(cost);
        let coverage = stop.map_or(Coverage::Complete, |by| Coverage::Stopped { by });
        Ok(Ambiguated { changes, suppressed, cost, lower_bound, upper_bound, coverage })
    }
}

/// Notes what ended a step before its end; other errors go on.
fn note(stop: &mut Option<Stop>, step: Result<()>) -> Result<()> {
    match step {
        Err(Error::Engine(muslin_engine::Error::Stopped(by))) => {
            stop.get_or_insert(by);
            Ok(())
        }
        step => step,
    }
}
