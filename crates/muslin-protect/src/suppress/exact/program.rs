use muslin_engine::Run;

use super::{MOST, MOST_COST, too_large};
use crate::{Error, Result};

/// A variable of one [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variable(usize);

impl Variable {
    /// Its place among the values.
    pub(super) fn index(self) -> usize {
        self.0
    }
}

/// How a weighted sum relates to its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compare {
    /// The sum is the bound or more.
    AtLeast,
    /// The sum is the bound or less.
    AtMost,
    /// The sum is the bound.
    Equal,
}

/// Who minimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// A SAT solver. It suits rules whose relaxation says little, and knows variables of 0 and 1.
    Clauses,
    /// Branch and bound over linear relaxations, of so many nodes at most.
    Relaxation {
        /// Nodes at most.
        most_nodes: u64,
    },
}

/// The best values found and what is known about the optimum.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub(super) struct Minimum {
    /// One per variable, in the order they were added.
    pub(super) values: Vec<u32>,
    /// What they cost.
    pub(super) cost: u64,
    /// No values that meet the constraints cost less: the cost itself where it is the optimum.
    pub(super) lower_bound: u64,
}

/// Terms in order of variables, each once and none zero; the relation; the bound.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub(super) terms: Vec<(usize, i64)>,
    pub(super) compare: Compare,
    pub(super) bound: i64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) cost: u64,
    /// The greatest value.
    pub(super) most: u32,
    /// Whether it is whole by itself.
    pub(super) is_implied: bool,
}

/// A linear program over whole numbers whose cost is to be as small as possible.
///
/// # Guarantee
/// Values that come back meet every constraint and cost no more than those to start from. No
/// others cost less than the lower bound. The same program gives the same values, unless the run
/// stops it.
///
/// # Cost
/// Exponential in the worst case.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) columns: Vec<Column>,
    pub(super) constraints: Vec<Constraint>,
    terms: usize,
}

impl Program {
    /// A program without variables.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a variable of 0 or 1 that costs this much when it is 1.
    pub(super) fn variable(&mut self, cost: u64) -> Variable {
        self.add(Column { cost, most: 1, is_implied: false })
    }

    /// Adds a variable from 0 to `most` that is whole at every vertex of the relaxation where all
    /// variables added by [`Program::variable`] are: for instance how many rows of a kind go to a
    /// group, given which groups are open. Nothing is branched on it. Where it is not whole after
    /// all, the bound is lower than it could be, but right.
    pub(super) fn implied_variable(&mut self, cost: u64, most: u32) -> Variable {
        self.add(Column { cost, most, is_implied: true })
    }

    fn add(&mut self, column: Column) -> Variable {
        self.columns.push(column);
        Variable(self.columns.len() - 1)
    }

    /// Requires that the sum of the variables times their coefficients compares so to `bound`.
    pub(super) fn constrain(
        &mut self,
        terms: impl IntoIterator<Item = (Variable, i64)>,
        compare: Compare,
        bound: i64,
    ) {
        let mut terms: Vec<(usize, i64)> =
            terms.into_iter().map(|(variable, coefficient)| (variable.0, coefficient)).collect();
        terms.sort_by_key(|&(variable, _)| variable);
        terms.dedup_by(|next, before| {
            let is_same = next.0 == before.0;
            before.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        terms.retain(|&(_, coefficient)| coefficient != 0);
        self.terms += terms.len();
        self.constraints.push(Constraint { terms, compare, bound });
    }

    /// An error where it is more than can be held. Callers that add much ask in between.
    pub(super) fn check_size(&self) -> Result<()> {
        let is_large = self.columns.len().max(self.terms) > MOST;
        if is_large { Err(too_large()) } else { Ok(()) }
    }

    /// What these values cost, if they meet every constraint.
    pub(super) fn cost_of(&self, values: &[u32]) -> Option<u64> {
        let fits = |(column, &value): (&Column, &u32)| value <= column.most;
        if values.len() != self.columns.len() || !self.columns.iter().zip(values).all(fits) {
            return None;
        }
        let is_met = |constraint: &Constraint| {
            let term = |&(variable, coefficient): &(usize, i64)| {
                i128::from(coefficient) * i128::from(values[variable])
            };
            let sum: i128 = constraint.terms.iter().map(term).sum();
            let bound = i128::from(constraint.bound);
            match constraint.compare {
                Compare::AtLeast => sum >= bound,
                Compare::AtMost => sum <= bound,
                Compare::Equal => sum == bound,
            }
        };
        let mut costs = self
            .columns
            .iter()
            .zip(values)
            .map(|(column, &value)| column.cost.checked_mul(u64::from(value)));
        let cost = costs.try_fold(0u64, |sum, cost| sum.checked_add(cost?));
        cost.filter(|_| self.constraints.iter().all(is_met))
    }

    /// Looks for the cheapest values, from some that meet all constraints, until the run stops it.
    pub(super) fn minimise(&self, method: Method, start: Vec<u32>, run: &Run) -> Result<Minimum> {
        self.check_size()?;
        let dearest = self.columns.iter().try_fold(0u64, |sum, column| {
            sum.checked_add(column.cost.checked_mul(u64::from(column.most))?)
        });
        if dearest.is_none_or(|dearest| dearest > MOST_COST) {
            return Err(too_large());
        }
        let best = self.checked(start)?;
        run.reporter().stage("proving the cost", None);
        match method {
            Method::Clauses => self.by_clauses(best, run),
            Method::Relaxation { most_nodes } => self.by_relaxation(best, most_nodes, run),
        }
    }

    /// The values with their cost. Values that break a constraint are somebody's fault.
    pub(super) fn checked(&self, values: Vec<u32>) -> Result<(Vec<u32>, u64)> {
        let cost = self.cost_of(&values);
        cost.map(|cost| (values, cost)).ok_or_else(|| internal("values break a constraint"))
    }
}

/// A bug of ours, or of a solver.
pub(super) fn internal(what: &str) -> Error {
    Error::Internal(format!("exact: {what}"))
}
