//! What was found in a sample, and what that says about the table.

use std::fmt::Write;

use muslin_engine::{Coverage, Seed};
use muslin_table::ColumnSet;

use super::sampled::Bound;
use super::{Beta, Measure, SetRatios};

/// What [`SampledKey`](crate::SampledKey) found.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledKeyFound {
    pub(super) set: ColumnSet,
    pub(super) reached: bool,
    pub(super) bound: Bound,
    pub(super) rows_used: Option<u64>,
    pub(super) pairs_used: Option<u64>,
    pub(super) all_rows: u64,
    pub(super) sampled: SetRatios,
    pub(super) measure: Measure,
    pub(super) epsilon: f64,
    pub(super) delta: f64,
    pub(super) beta: Option<Beta>,
    pub(super) seed: Seed,
    pub(super) coverage: Coverage,
}

impl SampledKeyFound {
    /// The columns.
    pub fn set(&self) -> &ColumnSet {
        &self.set
    }

    /// Whether the set does in the sample what was asked for. If not, no set does: the sample has
    /// rows that match in all columns, and so the table has no key.
    pub fn reached(&self) -> bool {
        self.reached
    }

    /// The way of looking at the sample that found the set.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// Rows of the sample.
    pub fn rows_held(&self) -> u64 {
        self.sampled.rows()
    }

    /// Rows of which all pairs counted, where the sample was looked at in that way.
    pub fn rows_used(&self) -> Option<u64> {
        self.rows_used
    }

    /// Independent pairs, where the sample was looked at in that way.
    pub fn pairs_used(&self) -> Option<u64> {
        self.pairs_used
    }

    /// The set's ratios in the sample; estimates of those in the table.
    pub fn sampled(&self) -> &SetRatios {
        &self.sampled
    }

    /// Rows of the table.
    pub fn all_rows(&self) -> u64 {
        self.all_rows
    }

    /// What was measured.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// The separation ratio that was looked for, where it was not a key.
    pub fn beta(&self) -> Option<Beta> {
        self.beta
    }

    /// What may be missing to a key's ratio, or to beta as a share of it.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The probability with which more is missing.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// The seed of all draws.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Sampled; or complete, when the sample was the table.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// What holds, and how sure it is, in words.
    pub fn describe(&self) -> String {
        let Self { epsilon, delta, all_rows, seed, .. } = self;
        let (columns, held, measure) = (self.set.len(), self.rows_held(), self.measure.name());
        let mut text = format!("{columns} columns, from {held} of {all_rows} rows (seed {seed})");
        let looked = match (self.bound, self.rows_used, self.pairs_used) {
            (Bound::Rows, Some(rows), _) => format!("; they are a key of {rows} rows"),
            (_, _, Some(pairs)) => format!("; they tell enough of {pairs} random pairs apart"),
            _ => String::new(),
        };
        if !self.reached {
            text.push_str("; no set does what was asked for: some rows match in all columns");
            return text;
        }
        text.push_str(&looked);
        let share = match self.beta {
            Some(beta) => format!("(1 - {epsilon}) * {beta}"),
            None => format!("1 - {epsilon}"),
        };
        if self.coverage == Coverage::Complete {
            text.push_str("; they are a key of the table");
        } else {
            write!(
                text,
                "; with probability at least 1 - {delta} their {measure} ratio is at least {share}"
            )
            .expect("writing to a string does not fail");
        }
        text
    }
}
