//! All of an input, and what its columns are to a protector.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use muslin_engine::Run;
use muslin_io::{Input, ReadOptions, ReadTable, Release, Source};
use muslin_protect::Error as ProtectError;
use muslin_table::{ANY, Column, ColumnId, ColumnSet, EncodedTable, Role, printable};

use crate::input::{check_roles, names, warnings};
use crate::looked::{chosen_columns, distinct_rows, is_nearly_unique};
use crate::protect::of_column;
use crate::{Error, Result};

/// All of an input, since what is not measured is published too.
#[derive(Clone)]
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

/// The columns that have the mark of a suppressed cell as a value.
fn marked<'a>(table: &'a EncodedTable, columns: &ColumnSet) -> Vec<&'a str> {
    let has_mark = |column: &&Column| {
        let values = column.dictionary();
        *column.data_type() == DataType::Utf8
            && values.values().as_string::<i32>().iter().any(|value| value == Some(ANY))
    };
    columns.iter().map(|id| table.column(id)).filter(has_mark).map(Column::name).collect()
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
        let whole = Self::of_table(table, source, roles, warnings);
        if !distinct {
            return Ok(whole);
        }
        // All columns count, identifiers too: two people who are alike are two people.
        let (distinct, kept) = run.install(|| distinct_rows(&whole.table))?;
        let dropped = Some((whole.table.rows() - kept.len()) as u64);
        Ok(Self { table: distinct, dropped, ..whole })
    }

    /// A table, or its columns alone.
    pub(crate) fn of_table(
        table: EncodedTable,
        source: Source,
        roles: &BTreeMap<String, Role>,
        mut warnings: Vec<String>,
    ) -> Self {
        let measured = chosen_columns(&table, roles);
        let role = |id: &ColumnId| roles.get(table.column(*id).name());
        let is_identifier = |id: &ColumnId| role(id).is_some_and(|role| role.is_identifying());
        let identifiers: ColumnSet = table.all_columns().iter().filter(is_identifier).collect();
        let marked = marked(&table, &table.all_columns().difference(&identifiers));
        if !marked.is_empty() {
            warnings.push(format!(
                "the value `{ANY}` of {} looks like a suppressed cell in a release; pass `--null '{ANY}'` if it stands for a missing cell",
                names(&marked)
            ));
        }
        Self { table, source, measured, identifiers, dropped: None, warnings }
    }

    /// The table after a step; columns are what they were.
    pub(crate) fn then(&self, release: Release) -> Self {
        let table = release.into_table();
        let of = |columns: &ColumnSet| {
            let found = |id| table.find(self.table.column(id).name()).ok();
            columns.iter().filter_map(found).collect()
        };
        let (measured, identifiers) = (of(&self.measured), of(&self.identifiers));
        let source = self.source.clone();
        Self {
            table,
            source,
            measured,
            identifiers,
            dropped: None,
            warnings: self.warnings.clone(),
        }
    }

    /// Measures the quasi-identifiers of these roles.
    pub(crate) fn look_at(&mut self, roles: &BTreeMap<String, Role>) {
        self.measured = chosen_columns(&self.table, roles).difference(&self.identifiers);
    }

    /// Columns that are not published although they are no identifiers, and columns that are published although
    /// they number people; neither are measured.
    pub(crate) fn withhold(&mut self, withheld: &ColumnSet, published: &ColumnSet) {
        self.identifiers = self.identifiers.union(withheld).difference(published);
        self.measured = self.measured.difference(withheld).difference(published);
    }

    /// Leaves out what is published on request only, and refuses what nobody has decided: for a protector that is run
    /// by itself.
    pub(crate) fn check_decided(&mut self, roles: &BTreeMap<String, Role>) -> Result<()> {
        let of = |is_one: &dyn Fn(Role) -> bool| -> ColumnSet {
            let role = |id: &ColumnId| roles.get(self.table.column(*id).name());
            self.table
                .all_columns()
                .iter()
                .filter(|id| role(id).is_some_and(|&r| is_one(r)))
                .collect()
        };
        let undecided = of(&|role| role == Role::Undecided);
        if !undecided.is_empty() {
            let columns = undecided.iter().map(|id| of_column(self.table.column(id))).collect();
            return Err(Error::Undecided { columns });
        }
        let withheld = of(&Role::is_published_on_request).difference(&self.identifiers);
        let all = self.names(&withheld);
        if !all.is_empty() {
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            self.warnings.push(format!(
                "survey weights are not published ({}): `publish = true` in a policy publishes a column, and so does the role `other`",
                names(&all)
            ));
        }
        self.withhold(&withheld, &ColumnSet::default());
        Ok(())
    }

    /// Columns that are published as they are.
    pub(crate) fn unmeasured(&self) -> ColumnSet {
        self.table.all_columns().difference(&self.measured).difference(&self.identifiers)
    }

    /// Columns that are published.
    pub(crate) fn published(&self) -> ColumnSet {
        self.table.all_columns().difference(&self.identifiers)
    }

    /// Sensitive columns are not changed, unless somebody called them quasi-identifiers.
    pub(crate) fn leave_sensitive(&mut self, roles: &BTreeMap<String, Role>, named: &[&str]) {
        let stays = |id: &ColumnId| {
            let name = self.table.column(*id).name();
            roles.get(name) != Some(&Role::Sensitive) && !named.contains(&name)
        };
        self.measured = self.measured.iter().filter(stays).collect();
    }

    /// An error where a published column has a value that cannot be told from a suppressed cell.
    pub(crate) fn check_mark(&self) -> Result<()> {
        match marked(&self.table, &self.published()).as_slice() {
            [] => Ok(()),
            columns => Err(Error::Protect(ProtectError::Setting(format!(
                "the value `{ANY}` of {} could not be told from a suppressed cell of the release\n  hint: pass `--null '{ANY}'` if it stands for a missing cell, or write another value in the input",
                names(columns)
            )))),
        }
    }

    /// Columns that are published as they are, and what that may give away.
    pub(crate) fn published_warnings(&self, roles: &BTreeMap<String, Role>) -> Vec<String> {
        let mut warnings = Vec::new();
        // Whoever gave a column a role has thought about it.
        let mut open = self.names(&self.unmeasured());
        open.retain(|name| !roles.contains_key(name));
        if !open.is_empty() {
            let all: Vec<&str> = open.iter().map(String::as_str).collect();
            warnings.push(format!(
                "published as they are, and not counted: {}; whoever knows them tells more rows apart",
                names(&all)
            ));
        }
        warnings.extend(nearly_unique(&self.table, &self.unmeasured()));
        warnings
    }

    pub(crate) fn name(&self, column: ColumnId) -> String {
        self.table.column(column).name().to_owned()
    }

    pub(crate) fn names(&self, columns: &ColumnSet) -> Vec<String> {
        columns.iter().map(|column| self.name(column)).collect()
    }

    /// The column of a name. Where the input has it and it was not read, the error says so.
    pub(crate) fn find(&self, name: &str) -> Result<ColumnId> {
        let is_there = self.source.columns.iter().any(|own| own == name);
        match self.table.find(name) {
            Err(_) if is_there => Err(Error::NotRead { name: name.to_owned() }),
            found => Ok(found?),
        }
    }

    /// The sensitive column that is named, or all that have that role.
    pub(crate) fn sensitive(
        &self,
        named: Option<&str>,
        roles: &BTreeMap<String, Role>,
    ) -> Result<Vec<ColumnId>> {
        if let Some(name) = named {
            return Ok(vec![self.find(name)?]);
        }
        let has_role =
            |id: &ColumnId| roles.get(self.table.column(*id).name()) == Some(&Role::Sensitive);
        Ok(self.table.all_columns().iter().filter(has_role).collect())
    }

    /// The column of a name, if it is measured.
    pub(crate) fn measured_column(&self, name: &str) -> Result<ColumnId> {
        let column = self.find(name)?;
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

/// What columns to be published say that are nearly unique.
pub(crate) fn nearly_unique(table: &EncodedTable, columns: &ColumnSet) -> Vec<String> {
    let columns = columns.iter().map(|id| table.column(id)).filter(|own| is_nearly_unique(own));
    let warning = |column: &Column| {
        let name = printable(column.name());
        format!(
            "column `{name}` is published and nearly unique by itself, as an identifier is: pass `--role {name}=identifier` if it is one"
        )
    };
    columns.map(warning).collect()
}
