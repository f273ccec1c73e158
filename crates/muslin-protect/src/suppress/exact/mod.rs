//! Small tables exactly: the question is written as a linear program over whole numbers, and a
//! solver finds the cheapest answer, or a bound on it.
//!
//! ```text
//! program      variables, constraints, costs; what any answer is checked against
//! clauses      by a SAT solver: for "if this then that" rules
//! relaxation   by branch and bound: for rows that go to groups
//! alike        rows that cannot be told apart: ambiguity, and against a dependency
//! compatible   people and published rows that fit each other: (1,k) and (k,k)
//! grouping     rows in groups: k-anonymity
//! ```
//!
//! No solver is trusted with what it can be checked for: an answer is counted again in whole
//! numbers, and a bound in floating point is lowered before it counts.

mod alike;
mod clauses;
mod compatible;
mod grouping;
mod program;
mod relaxation;
#[cfg(test)]
mod tests;

pub(super) use self::alike::{Alike, make_alike};
pub(super) use self::compatible::{Compatible, make_compatible};
pub(super) use self::grouping::{Grouping, Share, group};
use self::program::{Compare, Method, Minimum, Program, Variable};
use crate::Error;

/// Variables, terms or clauses that a program may have.
pub(super) const MOST: usize = 2_000_000;
/// Costs together, in steps: whole numbers that floating point holds exactly, with room.
const MOST_COST: u64 = 1 << 50;

/// What a program found: the best answer, and no answer costs less than the bound.
#[derive(Clone, Debug)]
pub(super) struct Best<T> {
    pub(super) answer: T,
    /// What any answer costs at least, in the unit of the costs given.
    pub(super) bound: u64,
    /// Whether the answer's cost is that bound.
    pub(super) is_optimal: bool,
}

/// The program is larger than what can be held.
pub(super) fn too_large() -> Error {
    Error::Setting(
        "the table is too large to be solved exactly\n  hint: exact is for small tables: take fewer rows or columns, or leave exact out"
            .into(),
    )
}

/// The greatest step of which all costs are multiples; one where all are zero.
fn step_of(costs: impl IntoIterator<Item = u64>) -> u64 {
    fn gcd(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    costs.into_iter().fold(0, gcd).max(1)
}
