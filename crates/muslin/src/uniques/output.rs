//! Tables that a search writes.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{Field, Schema, SchemaRef};
use muslin_assess::{Dis, Unique, UniqueBatch, UniquesFound, ValueShare};
use muslin_engine::{Coverage, Run};
use muslin_io::{CsvStyle, Destination, Input, ResultWriter, WriteOptions};
use muslin_table::{Code, Column, ColumnId, EncodedTable, RowId};

use super::groups::{Groups, Novelty};
use super::tables::{GroupBy, UniquesTable};
use super::{RowReport, UniquesJob};
use crate::arrays::{LINES, f64s, joined, names, u16s, u32s, u64s};
use crate::looked::Looked;
use crate::{Error, Result, quoted};

/// A table that a search writes, and where.
#[derive(Clone, Debug)]
pub struct UniquesOutput {
    /// Which.
    pub table: UniquesTable,
    /// Where.
    pub destination: Destination,
    /// How; the input is never written over.
    pub options: WriteOptions,
    /// Whether the table has values of cells, where it can.
    pub show_values: bool,
}

impl UniquesOutput {
    /// Writes `table` to `destination`, without values.
    pub fn new(table: UniquesTable, destination: Destination) -> Self {
        Self { table, destination, options: WriteOptions::default(), show_values: false }
    }

    /// Searches and writes.
    pub(super) fn search(
        &self,
        job: &UniquesJob,
        looked: &Looked,
        find: &dyn Fn(&EncodedTable) -> Result<UniquesFound>,
        run: &Run,
    ) -> Result<UniquesFound> {
        let field = |(name, data_type)| Field::new(name, data_type, true);
        let fields = self.table.fields(job.k, self.show_values);
        let schema = Arc::new(Schema::new(fields.into_iter().map(field).collect::<Vec<_>>()));
        let mut options = self.options.clone();
        if let Input::Path(path) = &job.input {
            options.inputs.push(path.clone());
        }
        // Before the search: who cannot write need not wait for it.
        let writer = ResultWriter::create(&self.destination, &schema, &options)?;
        let mut lines = Lines { writer, schema, looked, style: &options.csv, with: self, k: job.k };
        let (table, search) = (&looked.table, job.search());
        let found = match self.table {
            UniquesTable::List => {
                let mut sink = |batch: &UniqueBatch| Ok(lines.list(batch)?);
                search.list(table, &mut sink, run)?
            }
            UniquesTable::Groups(by) => {
                let (found, groups) = grouped(by, job, looked, run)?;
                lines.unless_stopped(&found, |lines| lines.groups(groups))?;
                found
            }
            UniquesTable::Novelty => {
                let (found, groups) = grouped(GroupBy::Columns, job, looked, run)?;
                let novelty = Novelty::new(&groups, &found);
                lines.unless_stopped(&found, |lines| lines.novelty(&novelty))?;
                found
            }
            UniquesTable::Scores => {
                let found = find(table)?;
                let dis = found.dis(job.dis_fraction);
                lines.unless_stopped(&found, |lines| lines.scores(&found, &dis, run))?;
                found
            }
            UniquesTable::Contributions => {
                let found = search.contributions(true).run(table, run)?;
                lines.unless_stopped(&found, |lines| lines.contributions(&found, run))?;
                found
            }
            UniquesTable::Values => {
                let found = find(table)?;
                lines.unless_stopped(&found, |lines| lines.values(&found))?;
                found
            }
        };
        if self.is_written(&found) {
            lines.writer.finish()?;
        }
        Ok(found)
    }

    /// Whether a search that got this far leaves the table.
    pub(super) fn is_written(&self, found: &UniquesFound) -> bool {
        let stopped = matches!(found.coverage(), Coverage::Stopped { .. });
        !stopped || self.table.is_right_in_part()
    }
}

/// Searches, and groups rows by what it finds.
fn grouped(
    by: GroupBy,
    job: &UniquesJob,
    looked: &Looked,
    run: &Run,
) -> Result<(UniquesFound, Groups)> {
    let mut groups = Groups::new(by);
    let others = looked.table.memory() as u64;
    let mut sink = |batch: &UniqueBatch| {
        batch.iter().for_each(|unique| groups.add(&unique));
        run.check_memory(others + groups.memory()).map_err(|error| Error::from(error).into())
    };
    let found = job.search().list(&looked.table, &mut sink, run)?;
    Ok((found, groups))
}

/// Lines on their way to a file.
struct Lines<'a> {
    writer: ResultWriter,
    schema: SchemaRef,
    looked: &'a Looked,
    style: &'a CsvStyle,
    with: &'a UniquesOutput,
    k: u32,
}

impl Lines<'_> {
    /// What is not to be left need not be made.
    fn unless_stopped(
        &mut self,
        found: &UniquesFound,
        write: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if self.with.is_written(found) { write(self) } else { Ok(()) }
    }

    fn push(&mut self, columns: Vec<ArrayRef>) -> Result<()> {
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .expect("columns of one length and of the schema's types");
        Ok(self.writer.push(&batch)?)
    }

    fn list(&mut self, batch: &UniqueBatch) -> Result<()> {
        let all: Vec<Unique<'_>> = batch.iter().collect();
        for part in all.chunks(LINES) {
            let table = &self.looked.table;
            let mut columns = vec![
                u32s(part.iter().map(|unique| self.looked.row(first_row(unique)))),
                u16s(part.iter().map(Unique::size)),
                u64s(part.iter().map(Unique::support)),
                joined(part.iter().map(|unique| names(table, unique.columns()))),
            ];
            if self.k > 1 {
                columns.push(joined(part.iter().map(|unique| self.rows(unique.rows()))));
            }
            if self.with.show_values {
                let values = |unique: &Unique<'_>| self.cells(unique.columns(), first_row(unique));
                columns.push(joined(part.iter().map(values)));
            }
            self.push(columns)?;
        }
        Ok(())
    }

    fn scores(&mut self, found: &UniquesFound, dis: &Dis, run: &Run) -> Result<()> {
        run.reporter().stage("writing", Some(found.rows() as u64));
        let all: Vec<usize> = (0..found.rows()).collect();
        for rows in all.chunks(LINES) {
            let rows: Vec<RowReport> =
                rows.iter().map(|&row| row_report(found, dis, row, self.looked.row(row))).collect();
            self.push(vec![
                u32s(rows.iter().map(|row| row.row)),
                f64s(rows.iter().map(|row| row.suda)),
                f64s(rows.iter().map(|row| row.dis_suda)),
                u64s(rows.iter().map(|row| row.uniques)),
                u16s(rows.iter().map(|row| usize::from(row.smallest))),
            ])?;
            run.reporter().advance(rows.len() as u64);
        }
        Ok(())
    }

    fn contributions(&mut self, found: &UniquesFound, run: &Run) -> Result<()> {
        run.reporter().stage("writing", Some(found.rows() as u64));
        let names: Vec<&str> = self.looked.table.columns().iter().map(Column::name).collect();
        let all: Vec<usize> = (0..found.rows()).collect();
        for rows in all.chunks(LINES / names.len().max(1) + 1) {
            let of_row = |&row: &usize| {
                let shares = found.contributions(row).into_iter().flatten().zip(&names);
                let row = self.looked.row(row);
                shares
                    .filter(|(share, _)| *share > 0.0)
                    .map(move |(share, name)| (row, name, share))
            };
            let lines: Vec<_> = rows.iter().flat_map(of_row).collect();
            let columns = vec![
                u32s(lines.iter().map(|line| line.0)),
                joined(lines.iter().map(|line| (*line.1).to_owned())),
                f64s(lines.iter().map(|line| line.2)),
            ];
            self.push(columns)?;
            run.reporter().advance(rows.len() as u64);
        }
        Ok(())
    }

    fn groups(&mut self, groups: Groups) -> Result<()> {
        let groups = groups.sorted();
        // A line has as many rows as there are; some lines at a time keep texts short.
        for part in groups.chunks(LINES / 8) {
            let table = &self.looked.table;
            let mut columns = vec![
                joined(part.iter().map(|group| names(table, group.columns.iter()))),
                u16s(part.iter().map(|group| group.columns.len())),
                u64s(part.iter().map(|group| group.rows.len() as u64)),
                joined(part.iter().map(|group| self.rows(&group.rows))),
            ];
            if self.with.show_values {
                let values = part.iter().map(|group| {
                    self.cells(group.columns.iter(), group.rows.first().map_or(0, |&r| r as usize))
                });
                columns.push(joined(values));
            }
            self.push(columns)?;
        }
        Ok(())
    }

    fn novelty(&mut self, novelty: &Novelty) -> Result<()> {
        for lines in novelty.rows.chunks(LINES) {
            self.push(vec![
                u32s(lines.iter().map(|row| self.looked.row(row.row))),
                u16s(lines.iter().map(|row| usize::from(row.fewest))),
                u64s(lines.iter().map(|row| row.fewest_rank)),
                u64s(lines.iter().map(|row| row.group)),
                u64s(lines.iter().map(|row| row.group_rank)),
                u64s(lines.iter().map(|row| row.uniques)),
                u64s(lines.iter().map(|row| row.uniques_rank)),
            ])?;
        }
        Ok(())
    }

    fn values(&mut self, found: &UniquesFound) -> Result<()> {
        let table = &self.looked.table;
        let mut values = found.values().to_vec();
        values.sort_by(|a, b| {
            let by_share = || b.share.total_cmp(&a.share);
            a.column.cmp(&b.column).then_with(by_share).then(a.code.cmp(&b.code))
        });
        for part in values.chunks(LINES) {
            let value: ArrayRef = if self.with.show_values {
                let spell = |value: &ValueShare| self.spell(value.column, value.code);
                Arc::new(part.iter().map(spell).collect::<StringArray>())
            } else {
                let code =
                    |value: &ValueShare| value.code.value().and_then(|c| u32::try_from(c).ok());
                Arc::new(part.iter().map(code).collect::<UInt32Array>())
            };
            self.push(vec![
                joined(part.iter().map(|value| table.column(value.column).name().to_owned())),
                value,
                u64s(part.iter().map(|value| value.uniques)),
                f64s(part.iter().map(|value| value.share)),
            ])?;
        }
        Ok(())
    }

    /// Rows of the input.
    fn rows(&self, rows: &[u32]) -> String {
        let mut text = String::new();
        for (index, &row) in rows.iter().enumerate() {
            let separator = if index > 0 { "|" } else { "" };
            write!(text, "{separator}{}", self.looked.row(row as usize)).expect("text grows");
        }
        text
    }

    /// The values of a row, missing ones empty and others as lists of names have them.
    fn cells(&self, columns: impl Iterator<Item = ColumnId>, row: usize) -> String {
        let row = RowId::new(u32::try_from(row).expect("row ids are 32 bits wide"));
        let cell = |id| {
            let value = self.spell(id, self.looked.table.column(id).code(row));
            value.map_or(String::new(), |value| quoted(&value).into_owned())
        };
        columns.map(cell).collect::<Vec<_>>().join("|")
    }

    fn spell(&self, column: ColumnId, code: Code) -> Option<String> {
        let values = self.looked.table.column(column).dictionary();
        code.value().map(|at| self.style.spell(values, at))
    }
}

fn first_row(unique: &Unique<'_>) -> usize {
    unique.rows().first().map_or(0, |&row| row as usize)
}

fn row_report(found: &UniquesFound, dis: &Dis, row: usize, row_of_input: u32) -> RowReport {
    let of_row = found.row(row);
    RowReport {
        row: row_of_input,
        suda: of_row.suda,
        dis_suda: found.dis_suda(row, dis),
        uniques: of_row.uniques,
        smallest: of_row.smallest,
    }
}

/// The rows of the highest scores, the highest first, equal ones by row.
pub(super) fn top_rows(
    found: &UniquesFound,
    dis: &Dis,
    most: usize,
    row_of_input: impl Fn(usize) -> u32,
) -> Vec<RowReport> {
    let mut rows: Vec<usize> =
        (0..found.rows()).filter(|&row| found.row(row).uniques > 0).collect();
    rows.sort_by(|&a, &b| found.row(b).suda.total_cmp(&found.row(a).suda).then(a.cmp(&b)));
    rows.truncate(most);
    rows.into_iter().map(|row| row_report(found, dis, row, row_of_input(row))).collect()
}
