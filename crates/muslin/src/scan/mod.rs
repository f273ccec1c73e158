//! The main job: what is in a file, and how many of its people stand out.

mod report;
mod roles;

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use muslin_engine::{Engine, MemoryEngine, Run};
use muslin_io::{CsvOptions, Input, ReadOptions, ReadTable, Source, type_name};
use muslin_table::{
    ClassSizes, Column, ColumnId, ColumnSet, EncodedTable, MissingRule, Role, printable,
};

pub use self::report::{
    ClassesReport, ColumnReport, Decided, InputReport, ScanReport, SizeReport, Threshold,
};
pub use self::roles::suggest_role;

use crate::{Error, Result};

/// Scans a file: what its columns are, and the classes its quasi-identifiers make.
///
/// # Guarantee
/// Counts and ratios are exact. No cell's value is in the report, except spellings of missing
/// that muslin itself lists.
///
/// # Cost
/// One pass to read, one per column and one per quasi-identifier over the codes.
#[derive(Clone, Debug)]
pub struct ScanJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known; the others are suggested.
    pub roles: BTreeMap<String, Role>,
    /// The quasi-identifiers to look at; those with that role when not given.
    pub quasi_identifiers: Option<Vec<String>>,
    /// What a missing cell matches.
    pub missing: MissingRule,
}

/// Sizes that people ask about: each `k` is some office's or journal's rule.
const THRESHOLDS: [u64; 5] = [2, 3, 5, 10, 20];

impl ScanJob {
    /// Scans `input`, finding everything out.
    pub fn new(input: Input) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            quasi_identifiers: None,
            missing: MissingRule::default(),
        }
    }

    /// Reads the input and looks at it.
    pub fn run(&self, run: &Run) -> Result<ScanReport> {
        let ReadTable { table, source } = muslin_io::read(&self.input, &self.read, run)?;
        // A policy may know columns that this run does not read, but none that are not there.
        let unknown = self.roles.keys().find(|name| !source.columns.contains(name));
        unknown.map_or(Ok(()), |name| table.find(name).map(|_| ()))?;
        let engine = MemoryEngine::new(&table, run);
        run.reporter().stage("looking", Some(table.columns().len() as u64 + 1));
        let mut columns = Vec::new();
        for (index, column) in table.columns().iter().enumerate() {
            let by = [ColumnId::new(index)].into_iter().collect();
            let sizes = engine.class_sizes(&by, self.missing)?;
            columns.push(self.describe(column, &sizes));
            run.reporter().advance(1);
        }
        let quasi_identifiers = self.classes(&table, &columns, &engine)?;
        run.reporter().finish();
        let mut warnings = warnings(&table, &self.read.null);
        if source.blank_lines > 0 {
            warnings.push(format!("{} blank lines were passed over", source.blank_lines));
        }
        warnings.extend(guesses(&source, &self.read.csv));
        Ok(ScanReport {
            schema: 1,
            command: "scan".into(),
            coverage: muslin_engine::Coverage::Complete,
            input: InputReport::new(&source),
            rows: table.rows() as u64,
            missing_rule: self.missing,
            columns,
            quasi_identifiers,
            warnings,
        })
    }

    fn describe(&self, column: &Column, sizes: &ClassSizes) -> ColumnReport {
        let given = self.roles.get(column.name()).copied();
        let (role, reason, decided) = match given {
            Some(role) => (role, "given".to_owned(), Decided::Given),
            None => {
                let (role, reason) = suggest_role(column);
                (role, reason, Decided::Suggested)
            }
        };
        ColumnReport {
            name: column.name().to_owned(),
            data_type: type_name(column.data_type()).to_owned(),
            distinct: column.dictionary().len() as u64,
            missing: column.missing(),
            distinct_ratio: sizes.distinct_ratio().map(muslin_table::Ratio::as_f64),
            separation_ratio: sizes.separation_ratio().as_f64(),
            rows_alone: sizes.rows_below(2),
            role,
            decided,
            reason,
        }
    }

    /// The classes on the quasi-identifiers that are given, have that role, or are suggested.
    fn classes(
        &self,
        table: &EncodedTable,
        columns: &[ColumnReport],
        engine: &dyn Engine,
    ) -> Result<Option<ClassesReport>> {
        let (chosen, decided): (BTreeSet<ColumnId>, _) = match &self.quasi_identifiers {
            Some(names) => {
                let ids: Result<_, _> = names.iter().map(|name| table.find(name)).collect();
                (ids?, Decided::Given)
            }
            None => {
                let is_one = |column: &ColumnReport| column.role == Role::QuasiIdentifier;
                let ids = (0..columns.len()).filter(|&c| is_one(&columns[c])).map(ColumnId::new);
                let given =
                    columns.iter().filter(|c| is_one(c)).all(|c| c.decided == Decided::Given);
                (ids.collect(), if given { Decided::Given } else { Decided::Suggested })
            }
        };
        if chosen.is_empty() {
            return Ok(None);
        }
        let by: ColumnSet = chosen.iter().copied().collect();
        let sizes = engine.class_sizes(&by, self.missing).map_err(Error::from)?;
        let names = chosen.iter().map(|&id| table.column(id).name().to_owned()).collect();
        Ok(Some(ClassesReport::new(names, decided, &sizes, &THRESHOLDS)))
    }
}

/// What was found out about a text and might be wrong.
fn guesses(source: &Source, asked: &CsvOptions) -> Vec<String> {
    let Some(dialect) = &source.dialect else { return Vec::new() };
    let mut guesses = Vec::new();
    if !dialect.header && asked.header.is_none() {
        guesses.push("the first record looks like data, so columns have numbers for names: pass `--header yes` if it is a header".into());
    }
    if dialect.header_guessed {
        guesses.push("the first record was taken for the columns' names, though nothing proves it: pass `--header no` if it is data".into());
    }
    if dialect.decimal_comma && asked.decimal_comma.is_none() {
        guesses.push(
            "`1,5` was taken for a number: pass `--decimal-comma no` if commas mean something else"
                .into(),
        );
    }
    guesses
}

/// Spellings that often stand for missing and are not listed as such.
const SPELLINGS: [&str; 12] =
    ["NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "none", "?", ".", "-"];
/// Numbers that often do.
const NUMBERS: [i64; 5] = [-9, -99, -999, -9999, -99999];

fn warnings(table: &EncodedTable, listed: &[String]) -> Vec<String> {
    let mut empty = Vec::new();
    let mut spelled: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for column in table.columns() {
        let values = column.dictionary().values();
        match column.data_type() {
            DataType::Utf8 => {
                let values = values.as_string::<i32>();
                let holds = |text: &str| {
                    let (mut from, mut to) = (0, values.len());
                    while from < to {
                        let middle = from.midpoint(to);
                        if values.value(middle) < text { from = middle + 1 } else { to = middle }
                    }
                    from < values.len() && values.value(from) == text
                };
                if !values.is_empty() && values.value(0).is_empty() {
                    empty.push(column.name());
                }
                for spelling in SPELLINGS.into_iter().filter(|spelling| holds(spelling)) {
                    spelled.entry(spelling.into()).or_default().push(column.name());
                }
            }
            DataType::Int64 => {
                let values = values.as_primitive::<arrow_array::types::Int64Type>().values();
                // Only where nothing else is negative: then it is a mark, not a measure.
                let negative = values.partition_point(|&value| value < 0);
                if let [mark] = values[..negative]
                    && NUMBERS.contains(&mark)
                {
                    spelled.entry(mark.to_string()).or_default().push(column.name());
                }
            }
            DataType::Float64 => {
                // NaN comes after every other number.
                let values = values.as_primitive::<arrow_array::types::Float64Type>().values();
                if values.last().is_some_and(|value| value.is_nan()) {
                    spelled.entry("NaN".into()).or_default().push(column.name());
                }
            }
            _ => {}
        }
    }
    let mut warnings = Vec::new();
    if !empty.is_empty() {
        warnings.push(format!(
            "{} with empty cells ({}), which count as a value and keep numbers from being read as numbers: pass `--null ''` if they are missing",
            columns_counted(empty.len()),
            names(&empty),
        ));
    }
    for (spelling, columns) in spelled {
        if !listed.contains(&spelling) {
            warnings.push(format!(
                "{} with `{spelling}` ({}): pass `--null '{spelling}'` if it means missing",
                columns_counted(columns.len()),
                names(&columns),
            ));
        }
    }
    warnings
}

fn columns_counted(count: usize) -> String {
    format!("{count} {}", if count == 1 { "column" } else { "columns" })
}

/// A few names, and how many more there are.
fn names(all: &[&str]) -> String {
    let shown = all.iter().take(4).map(|name| printable(name)).collect::<Vec<_>>().join(", ");
    if all.len() > 4 { format!("{shown} and {} more", all.len() - 4) } else { shown }
}
