use muslin_engine::Coverage;
use muslin_table::{Changes, ColumnId};

use crate::Protection;

/// A table whose values gave way to groups.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Generalized {
    pub(super) changes: Changes,
    pub(super) classes: u64,
    pub(super) smallest: Option<u32>,
    pub(super) loss: f64,
    pub(super) lower_bound: Option<f64>,
    pub(super) losses: Vec<(ColumnId, f64)>,
    pub(super) levels: Option<Vec<(ColumnId, usize)>>,
    pub(super) nodes: u64,
    pub(super) checked: u64,
    pub(super) coverage: Coverage,
}

impl Generalized {
    /// What to publish.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Number of classes that are published.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// Rows of the smallest class; none where no row is published.
    pub fn smallest(&self) -> Option<u32> {
        self.smallest
    }

    /// Rows that are withheld.
    pub fn removed(&self) -> u64 {
        self.changes.removed().len() as u64
    }

    /// The mean over all cells of (values covered - 1) / (values of the column - 1); a cell of a
    /// removed row counts 1.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// No choice of this kind loses less; none where that is not known.
    pub fn lower_bound(&self) -> Option<f64> {
        self.lower_bound
    }

    /// The loss of each column.
    pub fn losses(&self) -> &[(ColumnId, f64)] {
        &self.losses
    }

    /// The level of each column, where all its cells are at one.
    pub fn levels(&self) -> Option<&[(ColumnId, usize)]> {
        self.levels.as_deref()
    }

    /// Ways to take columns to levels.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// How many of them were looked at in the rows.
    pub fn checked(&self) -> u64 {
        self.checked
    }

    /// How far the search got. The target is met in any case.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}

impl From<Generalized> for Protection {
    fn from(found: Generalized) -> Self {
        Self::new(found.changes, found.coverage)
    }
}
