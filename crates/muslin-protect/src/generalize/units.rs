//! Rows that are alike are worked on as one.

use muslin_engine::Partition;
use muslin_table::{ColumnId, EncodedTable, Hierarchy, MissingRule};

/// Rows that agree on every quasi-identifier and every sensitive column are one unit.
#[derive(Clone, Debug)]
pub(super) struct Units {
    of_row: Vec<u32>,
    rows: Vec<u32>,
    positions: Vec<Vec<u32>>,
    sensitive: Vec<Vec<u32>>,
}

impl Units {
    /// The units of a table.
    pub(super) fn new(
        table: &EncodedTable,
        columns: &[(ColumnId, Hierarchy)],
        sensitive: &[ColumnId],
    ) -> Self {
        let ids = columns.iter().map(|(id, _)| id).chain(sensitive);
        let whole = Partition::whole(table.rows());
        let partition =
            ids.fold(whole, |classes, &id| classes.refine(table.column(id), MissingRule::Category));
        let of_row = partition.class_of().to_vec();
        let rows = partition.sizes().to_vec();
        let mut first = vec![0usize; rows.len()];
        of_row.iter().enumerate().rev().for_each(|(row, &unit)| first[unit as usize] = row);
        let slots = |id: ColumnId| {
            let codes = table.column(id).codes();
            first.iter().map(move |&row| codes.slot(row))
        };
        let positions = columns
            .iter()
            .map(|(id, hierarchy)| slots(*id).map(|slot| hierarchy.position(slot)).collect())
            .collect();
        let sensitive = sensitive.iter().map(|&id| slots(id).collect()).collect();
        Self { of_row, rows, positions, sensitive }
    }

    /// Number of units.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The unit of each row.
    pub(super) fn of_row(&self) -> &[u32] {
        &self.of_row
    }

    /// Number of rows of each unit.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Where a unit's value of a column stands in tree order.
    pub(super) fn position(&self, axis: usize, unit: u32) -> u32 {
        self.positions[axis][unit as usize]
    }

    /// The same for every unit.
    pub(super) fn positions(&self, axis: usize) -> &[u32] {
        &self.positions[axis]
    }

    /// The slot of each unit in a sensitive column.
    pub(super) fn sensitive(&self, column: usize) -> &[u32] {
        &self.sensitive[column]
    }
}
