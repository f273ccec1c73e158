use muslin_engine::{Coverage, Engine, Run};
use muslin_table::Changes;

use crate::Result;

/// Turns a table into a list of changes. It never edits the table.
pub trait Protector {
    /// Decides what to mask, suppress, generalize or slice.
    fn protect(&self, table: &dyn Engine, run: &Run) -> Result<Protection>;
}

/// What a protector decided, and how far it got.
///
/// The changes do what the protector promises whatever the coverage: a run that was stopped may
/// withhold more than it had to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Protection {
    changes: Changes,
    coverage: Coverage,
}

impl Protection {
    /// These changes, found that far.
    pub fn new(changes: Changes, coverage: Coverage) -> Self {
        Self { changes, coverage }
    }

    /// What to withhold.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// How far the run got.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// The changes alone.
    pub fn into_changes(self) -> Changes {
        self.changes
    }
}
