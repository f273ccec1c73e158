use muslin_engine::Run;
use muslin_io::{ReadTable, Source};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, Role, printable};

use super::MaskJob;
use crate::input::{check_roles, warnings};
use crate::looked::{chosen_columns, distinct_rows};
use crate::{Error, Result};

/// All of an input, since what is not measured is published too.
pub(super) struct Whole {
    pub(super) table: EncodedTable,
    pub(super) source: Source,
    /// Columns that the ratio is of.
    pub(super) measured: ColumnSet,
    /// Columns that are never published.
    pub(super) identifiers: ColumnSet,
    /// Rows that were left out because an earlier one equals them.
    pub(super) dropped: Option<u64>,
    pub(super) warnings: Vec<String>,
}

impl Whole {
    /// Reads what a job looks at.
    pub(super) fn of(job: &MaskJob, run: &Run) -> Result<Self> {
        let ReadTable { table, source } = muslin_io::read(&job.input, &job.read, run)?;
        check_roles(&job.roles, &table, &source)?;
        let warnings = warnings(&table, &source, &job.read);
        let measured = chosen_columns(&table, &job.roles);
        let is_identifier =
            |id: &ColumnId| job.roles.get(table.column(*id).name()) == Some(&Role::Identifier);
        let identifiers = table.all_columns().iter().filter(is_identifier).collect();
        if !job.distinct_rows {
            return Ok(Self { table, source, measured, identifiers, dropped: None, warnings });
        }
        // All columns count, identifiers too: two people who are alike are two people.
        let (distinct, kept) = run.install(|| distinct_rows(&table))?;
        let dropped = Some((table.rows() - kept.len()) as u64);
        Ok(Self { table: distinct, source, measured, identifiers, dropped, warnings })
    }

    /// Columns that are published as they are.
    pub(super) fn unmeasured(&self) -> ColumnSet {
        self.table.all_columns().difference(&self.measured).difference(&self.identifiers)
    }

    pub(super) fn name(&self, column: ColumnId) -> String {
        self.table.column(column).name().to_owned()
    }

    pub(super) fn names(&self, columns: &ColumnSet) -> Vec<String> {
        columns.iter().map(|column| self.name(column)).collect()
    }

    /// The column of a name, if it is measured.
    pub(super) fn measured_column(&self, name: &str) -> Result<ColumnId> {
        let column = self.table.find(name)?;
        if self.measured.contains(column) {
            return Ok(column);
        }
        let name = printable(name);
        let text = if self.identifiers.contains(column) {
            format!(
                "column `{name}` is an identifier and never published\n  hint: leave it out of `--keep`, `--drop` and `--weight`"
            )
        } else {
            format!(
                "column `{name}` is not measured, as it is no quasi-identifier\n  hint: pass `--role {name}=quasi-identifier` to measure it, or `--exclude {name}` not to publish it"
            )
        };
        Err(Error::Protect(muslin_protect::Error::Setting(text)))
    }
}
