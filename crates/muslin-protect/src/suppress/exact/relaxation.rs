//! Branch and bound over linear relaxations.
//!
//! It suits assignment to groups, where the relaxation is nearly whole already. It computes in
//! floating point, so its values are rounded and counted again, and its bounds are lowered by more
//! than rounding can have put on them before they are rounded up.

use microlp::{ComparisonOp, OptimizationDirection, Problem, ResumeOptions, SolveOptions};
use muslin_engine::Run;

use super::program::{Compare, Minimum, Program, internal};
use crate::{Error, Result};

/// Nodes between two looks at the run. Counting nodes, not time, keeps the search the same.
const NODES_A_SLICE: u64 = 8;
/// What rounding may have put on a bound at most, as a share of it, or of one.
const TOLERANCE: f64 = 1e-6;
/// How far below the best cost nothing better can be: costs are whole. The rest is for rounding.
const NO_BETTER: f64 = 0.5;

impl Program {
    pub(super) fn by_relaxation(
        &self,
        mut best: (Vec<u32>, u64),
        most_nodes: u64,
        run: &Run,
    ) -> Result<Minimum> {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let mut variables = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            let cost = as_f64(column.cost);
            variables.push(if column.is_implied {
                problem.add_var(cost, (0.0, f64::from(column.most)))
            } else {
                problem.add_binary_var(cost)
            });
        }
        for constraint in &self.constraints {
            let terms: Result<Vec<_>> = (constraint.terms.iter())
                .map(|&(variable, coefficient)| Ok((variables[variable], small(coefficient)?)))
                .collect();
            let compare = match constraint.compare {
                Compare::AtLeast => ComparisonOp::Ge,
                Compare::AtMost => ComparisonOp::Le,
                Compare::Equal => ComparisonOp::Eq,
            };
            problem.add_constraint(&terms?[..], compare, small(constraint.bound)?);
        }

        let mut options = SolveOptions::default();
        options.node_limit = Some(NODES_A_SLICE.min(most_nodes));
        let values = best.0.iter().map(|&value| f64::from(value));
        options.warm_start = Some(variables.iter().copied().zip(values).collect());
        // The solver's slack is a share of the best cost, which only falls from here.
        let share = NO_BETTER / as_f64(best.1.max(1));
        // Where costs are so large that rounding hides a whole one, nothing is cut off early.
        let slack = if share > TOLERANCE { NO_BETTER } else { 0.0 };
        if slack > 0.0 {
            options.tolerances.prune_epsilon = share;
        }

        let mut lower_bound = 0;
        let mut nodes = NODES_A_SLICE.min(most_nodes);
        let mut outcome = problem.solve_with(options).map_err(|error| failure(&error))?;
        loop {
            // What was cut off was no better than the best by more than the slack. Its cost as the
            // solver has it counts, not that of the rounded values: they may cost more.
            let cut_off = outcome.solution().map(|solution| solution.objective() - slack);
            let bounds = outcome.stats().best_bound.into_iter().chain(cut_off);
            if let Some(bound) = bounds.reduce(f64::min) {
                lower_bound = lower_bound.max(round_up(bound));
            }
            if outcome.is_optimal() || nodes >= most_nodes || run.stop().is_some() {
                break;
            }
            let mut more = ResumeOptions::default();
            more.node_limit = Some(NODES_A_SLICE.min(most_nodes - nodes));
            nodes += NODES_A_SLICE.min(most_nodes - nodes);
            outcome = outcome.resume_with(more).map_err(|error| failure(&error))?;
        }
        if let Some(solution) = outcome.solution() {
            let values: Vec<u32> =
                variables.iter().map(|&variable| rounded(solution.var_value(variable))).collect();
            // Rounded values that break a constraint come of variables that are not whole.
            if let Some(cost) = self.cost_of(&values).filter(|&cost| cost < best.1) {
                best = (values, cost);
            }
        }
        let (values, cost) = best;
        Ok(Minimum { values, cost, lower_bound: lower_bound.min(cost) })
    }
}

/// A coefficient as the solver wants it.
fn small(coefficient: i64) -> Result<f64> {
    let narrow = i32::try_from(coefficient);
    narrow.map(f64::from).map_err(|_| internal("a coefficient is too large"))
}

/// The least whole cost that is not below `bound`, less what rounding may have put on it.
fn round_up(bound: f64) -> u64 {
    let whole = (bound - TOLERANCE * bound.abs().max(1.0)).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    let whole = whole as u64;
    whole
}

/// The nearest whole value.
fn rounded(value: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    let value = value.round() as u32;
    value
}

/// Costs are checked to be below 2^50.
#[expect(clippy::cast_precision_loss, reason = "exact below 2^53")]
fn as_f64(cost: u64) -> f64 {
    cost as f64
}

/// A solver's message says nothing of values.
fn failure(error: &microlp::Error) -> Error {
    internal(match error {
        microlp::Error::Infeasible => "the relaxation was called infeasible",
        _ => "the relaxation could not be solved",
    })
}
