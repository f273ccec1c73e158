//! What every part of a scan looks at.

use muslin_engine::{Engine, Run};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule, Role};

use super::report::ColumnReport;
use crate::looked::is_nearly_unique;

/// A table, and what its columns are to somebody who looks for people in it.
pub(super) struct Scene<'a> {
    /// The table, or rows drawn from it where it is not in memory.
    pub(super) table: &'a EncodedTable,
    /// All of its rows.
    pub(super) rows: u64,
    /// Who counts all rows, where they are not in memory.
    pub(super) engine: Option<&'a dyn Engine>,
    pub(super) columns: &'a [ColumnReport],
    pub(super) missing: MissingRule,
    /// Columns that are quasi-identifiers.
    pub(super) quasi_identifiers: Vec<ColumnId>,
    /// Columns that somebody may know: those, and others that are neither identifiers nor sensitive nor nearly unique.
    pub(super) known: Vec<ColumnId>,
    /// The run of the whole scan.
    pub(super) run: &'a Run,
}

impl Scene<'_> {
    /// The columns that somebody may know. Who names quasi-identifiers has said what is known.
    pub(super) fn known(
        table: &EncodedTable,
        columns: &[ColumnReport],
        quasi_identifiers: &[ColumnId],
        are_given: bool,
    ) -> Vec<ColumnId> {
        let is_known = |id: &ColumnId| {
            let column = table.column(*id);
            let is_other = matches!(columns[id.index()].role, Role::Other | Role::Undecided)
                && column.dictionary().len() > 1
                && !is_nearly_unique(column);
            quasi_identifiers.contains(id) || (is_other && !are_given)
        };
        table.all_columns().iter().filter(is_known).collect()
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn name(&self, id: ColumnId) -> String {
        self.table.column(id).name().to_owned()
    }

    pub(super) fn names(&self, set: &ColumnSet) -> Vec<String> {
        set.iter().map(|id| self.name(id)).collect()
    }
}
