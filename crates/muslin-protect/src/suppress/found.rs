use muslin_assess::Weight;
use muslin_engine::Coverage;
use muslin_table::{Changes, ColumnId};

use crate::Protection;

/// Which cells are withheld, and how good that is.
#[derive(Clone, Debug)]
#[must_use]
pub struct Suppressed {
    pub(super) changes: Changes,
    pub(super) decoys: u64,
    pub(super) open: Vec<(ColumnId, ColumnId)>,
    pub(super) cost: Weight,
    pub(super) lower_bound: Weight,
    pub(super) certificate: Option<Vec<u64>>,
    pub(super) certified: Weight,
    pub(super) coverage: Coverage,
}

impl Suppressed {
    /// The cells to withhold.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Number of cells withheld.
    pub fn cells(&self) -> usize {
        self.changes.suppressed_cells()
    }

    /// Cells of these that no class needed: they keep others from being told.
    pub fn decoys(&self) -> u64 {
        self.decoys
    }

    /// Columns that stay and tell a withheld one, with that one, in order: what is closed but for them.
    pub fn open_tellers(&self) -> &[(ColumnId, ColumnId)] {
        &self.open
    }

    /// Cells withheld from a column.
    pub fn cells_of(&self, column: ColumnId) -> usize {
        self.changes.suppressed(column).len()
    }

    /// What they cost.
    pub fn cost(&self) -> Weight {
        self.cost
    }

    /// Whatever reaches the target costs at least this much.
    pub fn lower_bound(&self) -> Weight {
        self.lower_bound
    }

    /// Whether nothing costs less.
    pub fn is_optimal(&self) -> bool {
        self.cost == self.lower_bound
    }

    /// What proves a bound, the lower bound unless a solver raised it: a multiplier for each row, in
    /// millionths of a weight.
    pub fn certificate(&self) -> Option<&[u64]> {
        self.certificate.as_deref()
    }

    /// What the certificate proves: the lower bound, or less where a solver raised that.
    pub fn certified_bound(&self) -> Weight {
        self.certified
    }

    /// How far the search got. The target is reached in any case.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}

impl From<Suppressed> for Protection {
    fn from(found: Suppressed) -> Self {
        Self::new(found.changes, found.coverage)
    }
}
