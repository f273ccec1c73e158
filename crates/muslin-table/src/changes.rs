use std::sync::Arc;

use crate::{Cell, Column, ColumnId, ColumnSet, EncodedTable, Error, Result, RowId};

/// All that a protector decided about a table: which columns, rows and cells to withhold, which
/// columns to publish in another form, and whose cells change places.
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
    removed: Vec<RowId>,
    columns: Vec<ColumnChanges>,
    added: Vec<Column>,
}

/// What happens to one column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ColumnChanges {
    suppressed: Vec<RowId>,
    replaced: Option<Column>,
    sources: Option<Arc<[RowId]>>,
}

impl Changes {
    /// Leaves `table` as it is.
    pub fn none(table: &EncodedTable) -> Self {
        Self::none_of(table.rows(), table.columns().len())
    }

    /// Leaves a table of so many rows and columns as it is, wherever that table may be.
    pub fn none_of(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            masked: ColumnSet::new(),
            removed: Vec::new(),
            columns: vec![ColumnChanges::default(); columns],
            added: Vec::new(),
        }
    }

    /// Whether these are changes of a table of this many rows and columns.
    pub fn is_for(&self, table: &EncodedTable) -> bool {
        self.rows == table.rows() && self.columns.len() == table.columns().len()
    }

    /// Withholds a column.
    pub fn mask(&mut self, column: ColumnId) {
        self.masked.insert(column);
    }

    /// Withholds a cell.
    pub fn suppress(&mut self, cell: Cell) -> Result<()> {
        let column = self.columns.get_mut(cell.column.index());
        let column =
            column.filter(|_| cell.row.index() < self.rows).ok_or(Error::UnknownCell(cell))?;
        insert(&mut column.suppressed, cell.row);
        Ok(())
    }

    /// Withholds a row.
    pub fn remove(&mut self, row: RowId) -> Result<()> {
        if row.index() >= self.rows {
            return Err(Error::UnknownCell(Cell { row, column: ColumnId::new(0) }));
        }
        insert(&mut self.removed, row);
        Ok(())
    }

    /// Publishes `published` in place of a column, under the column's own name.
    pub fn replace(&mut self, column: ColumnId, published: Column) -> Result<()> {
        self.has_rows(&published)?;
        self.columns[column.index()].replaced = Some(published);
        Ok(())
    }

    /// Publishes in each row of `columns` the cells of the row that `sources` lists for it. Columns
    /// that are rearranged together stay together.
    pub fn rearrange(&mut self, columns: &ColumnSet, sources: Vec<RowId>) -> Result<()> {
        let mut seen = vec![false; self.rows];
        let is_new =
            |row: &RowId| seen.get_mut(row.index()).is_some_and(|s| !std::mem::replace(s, true));
        if sources.len() != self.rows || !sources.iter().all(is_new) {
            return Err(Error::Internal("rows change places, and one is lost".into()));
        }
        let sources: Arc<[RowId]> = sources.into();
        for column in columns.iter() {
            self.columns[column.index()].sources = Some(Arc::clone(&sources));
        }
        Ok(())
    }

    /// Publishes one more column, after those of the table.
    pub fn add(&mut self, column: Column) -> Result<()> {
        self.has_rows(&column)?;
        self.added.push(column);
        Ok(())
    }

    fn has_rows(&self, column: &Column) -> Result<()> {
        if column.rows() == self.rows {
            return Ok(());
        }
        let (name, found) = (column.name().to_owned(), column.rows());
        Err(Error::UnequalLengths { name, expected: self.rows, found })
    }

    /// The columns to withhold.
    pub fn masked(&self) -> &ColumnSet {
        &self.masked
    }

    /// The rows of `column` whose cells to withhold, in rising order.
    pub fn suppressed(&self, column: ColumnId) -> &[RowId] {
        &self.columns[column.index()].suppressed
    }

    /// Number of cells to withhold.
    pub fn suppressed_cells(&self) -> usize {
        self.columns.iter().map(|column| column.suppressed.len()).sum()
    }

    /// The rows to withhold, in rising order.
    pub fn removed(&self) -> &[RowId] {
        &self.removed
    }

    /// What is published in place of a column.
    pub fn replaced(&self, column: ColumnId) -> Option<&Column> {
        self.columns[column.index()].replaced.as_ref()
    }

    /// For each row of a column, the row whose cell is published there.
    pub fn sources(&self, column: ColumnId) -> Option<&[RowId]> {
        self.columns[column.index()].sources.as_deref()
    }

    /// Columns that are published besides those of the table.
    pub fn added(&self) -> &[Column] {
        &self.added
    }
}

fn insert(rows: &mut Vec<RowId>, row: RowId) {
    // Most come in rising order.
    match rows.last() {
        Some(&last) if last >= row => {
            if let Err(place) = rows.binary_search(&row) {
                rows.insert(place, row);
            }
        }
        _ => rows.push(row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(ids: &[u32]) -> Vec<RowId> {
        ids.iter().map(|&id| RowId::new(id)).collect()
    }

    #[test]
    fn rows_that_change_places_are_all_there() {
        let table = EncodedTable::of(&[[1], [2], [3]]);
        let mut changes = Changes::none(&table);
        let columns = table.all_columns();
        assert!(changes.rearrange(&columns, rows(&[2, 0, 1])).is_ok());
        for wrong in [&[0, 0, 1][..], &[0, 1], &[0, 1, 3]] {
            assert!(changes.rearrange(&columns, rows(wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn removed_rows_are_in_order_whatever_the_order_of_asking() {
        let mut changes = Changes::none(&EncodedTable::of(&[[1], [2], [3]]));
        for row in rows(&[2, 0, 2]) {
            changes.remove(row).expect("a row of the table");
        }
        assert_eq!(changes.removed(), rows(&[0, 2]));
        assert!(changes.remove(RowId::new(3)).is_err());
    }
}
