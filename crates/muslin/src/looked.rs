//! What a job looks at: the columns and rows of an input that its roles and flags leave.

use std::collections::BTreeMap;

use muslin_engine::{Partition, Run, take_rows};
use muslin_io::{Input, ReadOptions, ReadTable, Source};
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable, MissingRule, Role};

use crate::Result;
use crate::elsewhere::Elsewhere;
use crate::input::{check_roles, warnings};

/// The part of an input that a job looks at.
pub(crate) struct Looked {
    pub(crate) table: EncodedTable,
    pub(crate) source: Source,
    /// Columns that were read and not looked at, because of their roles.
    pub(crate) left_out: Vec<String>,
    /// Rows of the input, where some were left out.
    pub(crate) kept: Option<Vec<u32>>,
    /// Rows that were left out because an earlier one equals them.
    pub(crate) dropped: Option<u64>,
    pub(crate) warnings: Vec<String>,
}

impl Looked {
    /// Reads an input and takes its quasi-identifiers, or all but identifiers where it has none;
    /// without rows that equal an earlier one, where asked.
    pub(crate) fn at(
        input: &Input,
        read: &ReadOptions,
        roles: &BTreeMap<String, Role>,
        distinct_rows: bool,
        run: &Run,
    ) -> Result<Self> {
        let ReadTable { table, source } = muslin_io::read(input, read, run)?;
        check_roles(roles, &table, &source)?;
        let warnings = warnings(&table, &source, read);
        let chosen = chosen_columns(&table, roles);
        let all = table.all_columns();
        let name = |id| table.column(id).name().to_owned();
        let left_out = all.difference(&chosen).iter().map(name).collect();
        let table = if chosen == all { table } else { table.project(&chosen) };
        if !distinct_rows {
            return Ok(Self { table, source, left_out, kept: None, dropped: None, warnings });
        }
        let (distinct, kept) = run.install(|| self::distinct_rows(&table))?;
        let dropped = Some((table.rows() - kept.len()) as u64);
        Ok(Self { table: distinct, source, left_out, kept: Some(kept), dropped, warnings })
    }

    /// All of a table that was asked for where it is.
    pub(crate) fn fetched(
        table: EncodedTable,
        elsewhere: &Elsewhere<'_>,
        read: &ReadOptions,
    ) -> Self {
        let warnings = warnings(&table, &elsewhere.source, read);
        let (source, left_out) = (elsewhere.source.clone(), elsewhere.left_out.clone());
        Self { table, source, left_out, kept: None, dropped: None, warnings }
    }

    /// The row of the input.
    pub(crate) fn row(&self, row: usize) -> u32 {
        let at = || u32::try_from(row).expect("row ids are 32 bits wide");
        self.kept.as_ref().map_or_else(at, |kept| kept[row])
    }
}

/// The quasi-identifiers of a table, or all columns but identifiers where it has none.
pub(crate) fn chosen_columns(table: &EncodedTable, roles: &BTreeMap<String, Role>) -> ColumnSet {
    let has = |id: &ColumnId, role| roles.get(table.column(*id).name()) == Some(&role);
    let all = table.all_columns();
    let chosen: ColumnSet = all.iter().filter(|id| has(id, Role::QuasiIdentifier)).collect();
    if chosen.is_empty() {
        let role = |id: &ColumnId| roles.get(table.column(*id).name());
        let is_left = |id: &ColumnId| !role(id).is_some_and(|role| role.is_identifying());
        return all.iter().filter(is_left).collect();
    }
    chosen
}

/// Whether nearly every value of a column is one row's.
pub(crate) fn is_nearly_unique(column: &Column) -> bool {
    let valued = column.rows() as u64 - column.missing() - column.suppressed();
    is_nearly_all(column.dictionary().len() as u64, valued)
}

/// Whether so many distinct values are nearly one for each cell that has one.
pub(crate) fn is_nearly_all(distinct: u64, valued: u64) -> bool {
    valued >= 20 && distinct * 100 >= valued * 95
}

/// The rows that equal no earlier row, and where they were.
pub(crate) fn distinct_rows(table: &EncodedTable) -> Result<(EncodedTable, Vec<u32>)> {
    let whole = Partition::whole(table.rows());
    let equal = table
        .columns()
        .iter()
        .fold(whole, |classes, column| classes.refine(column, MissingRule::Category));
    let kept = equal.first_rows();
    Ok((take_rows(table, &kept)?, kept))
}
