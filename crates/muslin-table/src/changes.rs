use crate::{Cell, ColumnId, ColumnSet, EncodedTable, Error, Result, RowId};

/// All that a protector decided about a table: which columns and which cells to withhold.
///
/// It says what to do and edits nothing; applying it makes a release.
///
/// ```
/// use muslin_table::{Cell, Changes, ColumnId, EncodedTable, RowId};
/// let table = EncodedTable::of(&[[1, 5], [2, 5]]);
/// let mut changes = Changes::none(&table);
/// changes.mask(ColumnId::new(0));
/// changes.suppress(Cell { row: RowId::new(1), column: ColumnId::new(1) })?;
/// assert_eq!(changes.suppressed_cells(), 1);
/// # Ok::<(), muslin_table::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    rows: usize,
    masked: ColumnSet,
    suppressed: Vec<Vec<RowId>>,
}

impl Changes {
    /// Leaves `table` as it is.
    pub fn none(table: &EncodedTable) -> Self {
        Self::none_of(table.rows(), table.columns().len())
    }

    /// Leaves a table of so many rows and columns as it is, wherever that table may be.
    pub fn none_of(rows: usize, columns: usize) -> Self {
        Self { rows, masked: ColumnSet::new(), suppressed: vec![Vec::new(); columns] }
    }

    /// Whether these are changes of a table of this many rows and columns.
    pub fn is_for(&self, table: &EncodedTable) -> bool {
        self.rows == table.rows() && self.suppressed.len() == table.columns().len()
    }

    /// Withholds a column.
    pub fn mask(&mut self, column: ColumnId) {
        self.masked.insert(column);
    }

    /// Withholds a cell.
    pub fn suppress(&mut self, cell: Cell) -> Result<()> {
        let rows = self.suppressed.get_mut(cell.column.index());
        let rows = rows.filter(|_| cell.row.index() < self.rows).ok_or(Error::UnknownCell(cell))?;
        if let Err(place) = rows.binary_search(&cell.row) {
            rows.insert(place, cell.row);
        }
        Ok(())
    }

    /// The columns to withhold.
    pub fn masked(&self) -> &ColumnSet {
        &self.masked
    }

    /// The rows of `column` whose cells to withhold, in rising order.
    pub fn suppressed(&self, column: ColumnId) -> &[RowId] {
        &self.suppressed[column.index()]
    }

    /// Number of cells to withhold.
    pub fn suppressed_cells(&self) -> usize {
        self.suppressed.iter().map(Vec::len).sum()
    }
}
