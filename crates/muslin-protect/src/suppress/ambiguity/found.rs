use muslin_assess::Weight;
use muslin_engine::Coverage;
use muslin_table::{Cell, Changes, ColumnId};

/// The cells to suppress so that rows can no longer be told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Ambiguated {
    pub(super) changes: Changes,
    pub(super) suppressed: Vec<Cell>,
    pub(super) cost: Weight,
    pub(super) lower_bound: Weight,
    pub(super) upper_bound: Weight,
    pub(super) coverage: Coverage,
}

impl Ambiguated {
    /// What to suppress.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// The cells to suppress, by row, then column.
    pub fn suppressed(&self) -> &[Cell] {
        &self.suppressed
    }

    /// Number of cells to suppress.
    pub fn cells(&self) -> usize {
        self.suppressed.len()
    }

    /// Number of cells of a column to suppress.
    pub fn cells_of(&self, column: ColumnId) -> usize {
        self.changes.suppressed(column).len()
    }

    /// What the cells cost.
    pub fn cost(&self) -> Weight {
        self.cost
    }

    /// No choice of cells that does costs less.
    pub fn lower_bound(&self) -> Weight {
        self.lower_bound
    }

    /// Some choice of cells that does costs this at most: whole rows.
    pub fn upper_bound(&self) -> Weight {
        self.upper_bound
    }

    /// Whether it is known that no choice of cells that does costs less.
    pub fn is_optimal(&self) -> bool {
        self.cost <= self.lower_bound
    }

    /// How far the run got. What is suppressed does in any case.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}
