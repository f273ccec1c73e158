use muslin_engine::Coverage;
use muslin_table::{Changes, ColumnId};

use crate::Protection;

/// The classes that a table was cut into, and what is published for them.
#[derive(Clone, Debug)]
#[must_use]
pub struct Partitioned {
    pub(super) class_of: Vec<u32>,
    pub(super) sizes: Vec<u32>,
    pub(super) losses: Vec<(ColumnId, f64)>,
    pub(super) changes: Changes,
    pub(super) coverage: Coverage,
}

impl Partitioned {
    /// The class of each row. Classes are numbered by their first row.
    pub fn class_of(&self) -> &[u32] {
        &self.class_of
    }

    /// Rows of each class.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.sizes.len()
    }

    /// Rows of the smallest class; 0 where there is none.
    pub fn smallest(&self) -> u32 {
        self.sizes.iter().copied().min().unwrap_or(0)
    }

    /// What to publish.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// The loss over all columns: the mean over their cells of (values that the published cell
    /// stands for - 1) / (values of the column - 1); 1 for a suppressed cell. Also known as GCP.
    #[expect(clippy::cast_precision_loss, reason = "a few columns")]
    pub fn loss(&self) -> f64 {
        let sum: f64 = self.losses.iter().map(|(_, loss)| loss).sum();
        sum / (self.losses.len().max(1) as f64)
    }

    /// The same of each column, in the order of asking.
    pub fn losses(&self) -> &[(ColumnId, f64)] {
        &self.losses
    }

    /// How far the cutting got. Every class meets the target in any case.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}

impl From<Partitioned> for Protection {
    fn from(found: Partitioned) -> Self {
        Self::new(found.changes, found.coverage)
    }
}
