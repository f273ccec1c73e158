//! How deep a scan looks: an amount of work that the budget of time stands for, and a clock behind it.
//!
//! What is looked at is decided by counting steps before they are made, never by the clock, so that the same
//! input, settings and seed give the same report. The clock only ends what a slow machine would not finish.

use std::time::Duration;

use muslin_engine::{Coverage, Engine, MemoryEngine, Run, Stop};
use muslin_table::EncodedTable;
use serde::Serialize;

use crate::{Error, Result};

/// Rows that a pass over one column is taken to look at in a second.
const STEPS_PER_SECOND: f64 = 8e7;
/// Steps that a row of a search for sets or uniques is taken to cost.
pub(super) const STEPS_PER_ROW: u64 = 1_000;

/// What a part of a scan may cost.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    run: Run,
    steps: u64,
}

/// How far a part of a scan got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartCoverage {
    /// Whether nothing is left out, rows were drawn, or the budget ended it.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// Rows that were looked at.
    pub rows: u64,
    /// Rows of the table.
    pub of_rows: u64,
}

impl Budget {
    /// What `time` stands for, in parts. A part that is through early leaves its time to the next ones.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative; saturates"
    )]
    pub(super) fn split<const PARTS: usize>(
        time: Duration,
        run: &Run,
        shares: [f64; PARTS],
    ) -> [Self; PARTS] {
        let mut until = 0.0;
        shares.map(|share| {
            until += share;
            let end = Duration::try_from_secs_f64(time.as_secs_f64() * until).unwrap_or(time);
            let steps = (time.as_secs_f64() * share * STEPS_PER_SECOND) as u64;
            Self { run: run.clone().at_most(end), steps }
        })
    }

    /// Steps that are left.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Takes steps from what is left, if there are as many.
    pub(super) fn take(&mut self, steps: u64) -> bool {
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or(self.steps);
        left.is_some()
    }

    /// The run whose clock the budget is.
    pub(super) fn run(&self) -> &Run {
        &self.run
    }

    /// Whether the clock of the budget stopped the work, while the run itself goes on.
    pub(super) fn is_over(&self, outer: &Run) -> Result<bool> {
        outer.check()?;
        Ok(self.run.stop().is_some())
    }

    /// The table itself where it has no more than some rows, or as many drawn by the run's seed.
    pub(super) fn sample(&self, table: &EncodedTable, most: usize) -> Result<EncodedTable> {
        if table.rows() <= most {
            return Ok(table.clone());
        }
        let seed = self.run.seed_of_run();
        Ok(MemoryEngine::new(table, &self.run).sample(most as u64, seed)?)
    }
}

impl PartCoverage {
    /// All rows, or those of a sample.
    pub(super) fn of(looked_at: u64, rows: u64, run: &Run) -> Self {
        let coverage = if looked_at < rows {
            Coverage::Sampled { rows: looked_at, seed: run.seed_of_run() }
        } else {
            Coverage::Complete
        };
        Self { coverage, rows: looked_at, of_rows: rows }
    }

    /// The same, ended by the budget before it was through.
    pub(super) fn stopped(self) -> Self {
        Self { coverage: Coverage::Stopped { by: Stop::TimeLimit }, ..self }
    }
}

/// Sets of `size` among `of`; as many as can be counted.
pub(super) fn choose(of: u64, size: u64) -> u64 {
    (0..size).fold(1u64, |sets, at| sets.saturating_mul(of.saturating_sub(at)) / (at + 1))
}

/// What was found, or nothing where the budget ended it, while the run itself goes on.
pub(super) fn unless_over<T>(found: Result<T>, outer: &Run) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::Engine(muslin_engine::Error::Stopped(by))) if by != Stop::Interrupted => {
            outer.check()?;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
