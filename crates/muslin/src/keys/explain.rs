//! Why a set gives rows away: the order of its columns, and the few that already do most.

use muslin_assess::{Beta, Explain, Greedy, GreedyFound, GreedyStep, Measure, SetRatios, Target};
use muslin_engine::{Coverage, Engine, Run};
use muslin_table::{ColumnSet, EncodedTable, MissingRule, Ratio};

use super::report::{ExplanationReport, ShareReport, StepReport};
use super::{not_interrupted, set_names};
use crate::{Failure, Result};

/// Looks into a set.
pub(crate) struct Explainer<'a> {
    pub(crate) table: &'a EncodedTable,
    pub(crate) engine: &'a dyn Engine,
    /// Rows of the table, at hand or not.
    pub(crate) rows: u64,
    pub(crate) missing: MissingRule,
    pub(crate) run: &'a Run,
}

/// Rows times subsets up to which every subset is looked at.
const MOST_WORK: u64 = 1 << 28;
/// Shares that are explained greedily, where that would be too much.
const SHARES: [&str; 5] = ["0.5", "0.8", "0.9", "0.95", "0.99"];

impl Explainer<'_> {
    /// The steps of a search.
    pub(super) fn steps(&self, found: &GreedyFound) -> Vec<StepReport> {
        found.steps().iter().map(|step| self.step(step)).collect()
    }

    fn step(&self, step: &GreedyStep) -> StepReport {
        StepReport {
            column: self.table.column(step.column).name().to_owned(),
            distinct_ratio: step.ratios.distinct().map(Ratio::as_f64),
            separation_ratio: step.ratios.separation().as_f64(),
            rows_alone: step.ratios.rows_alone(),
        }
    }

    /// The columns of `set`, each time the one that tells apart the most.
    pub(super) fn order(&self, set: &ColumnSet, measure: Measure) -> Result<Vec<StepReport>> {
        Ok(self.steps(&self.curve(set, measure)?))
    }

    fn curve(&self, set: &ColumnSet, measure: Measure) -> Result<GreedyFound> {
        // Where it ends does not matter; by what it goes does.
        let nothing = Target::new(measure, Beta::ONE.rest());
        let greedy = Greedy::new(nothing).missing(self.missing).among(set.clone());
        let found = greedy.curve(self.engine, self.run)?;
        not_interrupted(found.coverage())?;
        Ok(found)
    }

    /// Which few columns of `set` do most; none when a limit was in the way from the start.
    pub(crate) fn explanation(
        &self,
        set: &ColumnSet,
        measure: Measure,
    ) -> Result<Option<ExplanationReport>> {
        let subsets = 1u64.checked_shl(u32::try_from(set.len()).unwrap_or(u32::MAX));
        let work = subsets.and_then(|subsets| subsets.checked_mul(self.rows));
        let explained = match work {
            Some(work) if work <= MOST_WORK => self.smallest(set, measure),
            _ => self.greedy(set, measure),
        };
        match explained {
            Ok(explained) => Ok(Some(explained)),
            Err(error) if error.failure() == Failure::Limit => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The smallest subsets.
    fn smallest(&self, set: &ColumnSet, measure: Measure) -> Result<ExplanationReport> {
        let explain = Explain::new(measure).missing(self.missing);
        let found = explain.run(self.engine, set, self.run)?;
        not_interrupted(found.coverage())?;
        let share = |reached: &muslin_assess::ShareReached| {
            self.share(reached.share, reached.subset.as_ref(), measure, reached.exact)
        };
        let shares = found.shares().iter().map(share).collect();
        let complete = found.coverage() == Coverage::Complete;
        Ok(ExplanationReport { measure, shares, complete })
    }

    /// The first columns of the greedy order.
    fn greedy(&self, set: &ColumnSet, measure: Measure) -> Result<ExplanationReport> {
        let found = self.curve(set, measure)?;
        let ratios =
            || std::iter::once(found.start()).chain(found.steps().iter().map(|s| &s.ratios));
        let share = |share: &str| {
            let share: Beta = share.parse().expect("the shares are decimal numbers");
            let reaches = |of: &&SetRatios| ratio(of, measure).is_some_and(|r| r >= share.ratio());
            self.share(share, ratios().find(reaches), measure, false)
        };
        let complete = found.coverage() == Coverage::Complete;
        Ok(ExplanationReport { measure, shares: SHARES.map(share).to_vec(), complete })
    }

    fn share(
        &self,
        share: Beta,
        subset: Option<&SetRatios>,
        measure: Measure,
        exact: bool,
    ) -> ShareReport {
        ShareReport {
            share: share.as_f64(),
            columns: subset.map(|subset| set_names(self.table, subset.set())),
            ratio: subset.and_then(|subset| ratio(subset, measure)).map(Ratio::as_f64),
            exact,
        }
    }
}

fn ratio(of: &SetRatios, measure: Measure) -> Option<Ratio> {
    match measure {
        Measure::Distinct => of.distinct(),
        Measure::Separation => Some(of.separation()),
    }
}
