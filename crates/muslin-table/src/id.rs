use std::fmt;

/// Position of a row, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(u32);

impl RowId {
    /// The row at `index`. Tables hold no more rows than 32 bits can number.
    pub fn new(index: u32) -> Self {
        Self(index)
    }

    /// Position as an index into a column's codes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Position of a column, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnId(u32);

impl ColumnId {
    /// The column at `index`.
    ///
    /// # Panics
    /// When `index` does not fit 32 bits; no reader makes a table that wide.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("column ids are 32 bits wide"))
    }

    /// Position as an index into the table's columns.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Position as people count: from one.
    pub fn position(self) -> usize {
        self.index() + 1
    }
}

/// A place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The row.
    pub row: RowId,
    /// The column.
    pub column: ColumnId,
}

impl fmt::Display for RowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
