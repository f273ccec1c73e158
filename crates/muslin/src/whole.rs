//! All of an input, and what its columns are to a protector.

use std::collections::BTreeMap;

use muslin_engine::Run;
use muslin_io::{Input, ReadOptions, ReadTable, Source};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, Role, printable};

use crate::input::{check_roles, warnings};
use crate::looked::{chosen_columns, distinct_rows};
use crate::{Error, Result};

/// All of an input, since what is not measured is published too.
pub(crate) struct Whole {
    pub(crate) table: EncodedTable,
    pub(crate) source: Source,
    /// Columns that the ratio is of.
    pub(crate) measured: ColumnSet,
    /// Columns that are never published.
    pub(crate) identifiers: ColumnSet,
    /// Rows that were left out because an earlier one equals them.
    pub(crate) dropped: Option<u64>,
    pub(crate) warnings: Vec<String>,
}

impl Whole {
    /// Reads an input; without rows that equal an earlier one, where asked.
    pub(crate) fn of(
        input: &Input,
        read: &ReadOptions,
        roles: &BTreeMap<String, Role>,
        distinct: bool,
        run: &Run,
    ) -> Result<Self> {
        let ReadTable { table, source } = muslin_io::read(input, read, run)?;
        check_roles(roles, &table, &source)?;
        let warnings = warnings(&table, &source, read);
        let measured = chosen_columns(&table, roles);
        let is_identifier =
            |id: &ColumnId| roles.get(table.column(*id).name()) == Some(&Role::Identifier);
        let identifiers = table.all_columns().iter().filter(is_identifier).collect();
        if !distinct {
            return Ok(Self { table, source, measured, identifiers, dropped: None, warnings });
        }
        // All columns count, identifiers too: two people who are alike are two people.
        let (distinct, kept) = run.install(|| distinct_rows(&table))?;
        let dropped = Some((table.rows() - kept.len()) as u64);
        Ok(Self { table: distinct, source, measured, identifiers, dropped, warnings })
    }

    /// Columns that are published as they are.
    pub(crate) fn unmeasured(&self) -> ColumnSet {
        self.table.all_columns().difference(&self.measured).difference(&self.identifiers)
    }

    pub(crate) fn name(&self, column: ColumnId) -> String {
        self.table.column(column).name().to_owned()
    }

    pub(crate) fn names(&self, columns: &ColumnSet) -> Vec<String> {
        columns.iter().map(|column| self.name(column)).collect()
    }

    /// The column of a name, if it is measured.
    pub(crate) fn measured_column(&self, name: &str) -> Result<ColumnId> {
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
