//! One bad file: its bytes, how it is read and how that must end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types as arrow;
use arrow_schema::{DataType, TimeUnit};
use muslin_engine::Run;
use muslin_io::{Error, Input, Problem, ReadOptions, ReadTable, type_name};
use muslin_table::{Column, Form, RowId};

/// A cell's value that no message may hold.
pub(crate) const CANARY: &str = "QZX7canary";
/// A file that takes longer is one that never ends.
const PATIENCE: Duration = Duration::from_secs(20);

/// A file and what must become of it.
pub(crate) struct Case {
    pub(crate) name: String,
    bytes: Vec<u8>,
    options: ReadOptions,
    expected: Expected,
    blank_lines: Option<u64>,
}

enum Expected {
    /// The table has exactly these columns.
    Loads(Vec<Cells>),
    /// There is this error, at this place.
    Fails { problem: Problem, line: Option<u64>, row: Option<u64>, column: Option<String> },
    /// There is an error about the data, whichever.
    Refused,
    /// The format cannot tell; a load and an error are both right.
    Ends,
}

/// A column as people see it.
#[derive(Debug, PartialEq)]
pub(crate) struct Cells {
    name: String,
    kind: String,
    values: Vec<Option<String>>,
}

/// An expected column without missing cells.
pub(crate) fn col(name: &str, kind: &str, cells: &[&str]) -> Cells {
    let cells: Vec<_> = cells.iter().map(|cell| Some(*cell)).collect();
    holes(name, kind, &cells)
}

/// An expected column with missing cells.
pub(crate) fn holes(name: &str, kind: &str, cells: &[Option<&str>]) -> Cells {
    Cells {
        name: name.into(),
        kind: kind.into(),
        values: cells.iter().map(|cell| cell.map(str::to_owned)).collect(),
    }
}

/// A case whose expectation is still to be said; until then any end will do.
pub(crate) fn case(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Case {
    Case {
        name: name.into(),
        bytes: bytes.into(),
        options: ReadOptions::default(),
        expected: Expected::Ends,
        blank_lines: None,
    }
}

/// Lines of text, each with its end.
pub(crate) fn lines<L: AsRef<str>>(lines: impl IntoIterator<Item = L>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line.as_ref());
        text.push('\n');
    }
    text
}

impl Case {
    /// Changes how the file is read.
    pub(crate) fn reading(mut self, change: impl FnOnce(&mut ReadOptions)) -> Self {
        change(&mut self.options);
        self
    }

    pub(crate) fn loads(mut self, columns: impl Into<Vec<Cells>>) -> Self {
        self.expected = Expected::Loads(columns.into());
        self
    }

    pub(crate) fn fails(mut self, expected: Problem) -> Self {
        self.expected = Expected::Fails { problem: expected, line: None, row: None, column: None };
        self
    }

    pub(crate) fn line(mut self, at: u64) -> Self {
        if let Expected::Fails { line, .. } = &mut self.expected {
            *line = Some(at);
        }
        self
    }

    pub(crate) fn row(mut self, at: u64) -> Self {
        if let Expected::Fails { row, .. } = &mut self.expected {
            *row = Some(at);
        }
        self
    }

    pub(crate) fn column(mut self, name: &str) -> Self {
        if let Expected::Fails { column, .. } = &mut self.expected {
            *column = Some(name.to_owned());
        }
        self
    }

    pub(crate) fn refused(mut self) -> Self {
        self.expected = Expected::Refused;
        self
    }

    pub(crate) fn blank(mut self, lines: u64) -> Self {
        self.blank_lines = Some(lines);
        self
    }

    /// What is wrong with how the file ends on one and on two threads.
    fn faults(&self, folder: &Path) -> Vec<String> {
        let path = folder.join("input.dat");
        std::fs::write(&path, &self.bytes).expect("the folder can be written to");
        let ends: Vec<_> = [1, 2].map(|threads| (threads, self.read(&path, threads))).into();
        let mut faults: Vec<String> = ends
            .iter()
            .filter_map(|(threads, end)| {
                let fault = match end {
                    Ok(end) => self.judge(end, &path).err()?,
                    Err(fault) => (*fault).to_owned(),
                };
                Some(format!("{}, on {threads} threads: {fault}", self.name))
            })
            .collect();
        let shown = |end: &Result<Result<ReadTable, Error>, &'static str>| match end {
            Ok(Ok(read)) => Ok(columns_of(read)),
            Ok(Err(error)) => Err(error.to_string()),
            Err(fault) => Err((*fault).to_owned()),
        };
        if faults.is_empty() && shown(&ends[0].1) != shown(&ends[1].1) {
            faults.push(format!("{}: ends differently on two threads", self.name));
        }
        faults
    }

    fn read(&self, path: &Path, threads: usize) -> Result<Result<ReadTable, Error>, &'static str> {
        let (sender, receiver) = channel();
        let (path, options) = (PathBuf::from(path), self.options.clone());
        std::thread::spawn(move || {
            let run = Run::new().threads(threads).expect("threads can be had");
            let reading = || muslin_io::read(&Input::named(path), &options, &run);
            // Nobody listens any more when the wait was too long.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(reading)));
        });
        let end = receiver.recv_timeout(PATIENCE);
        end.map_err(|_| "does not end")?.map_err(|_| "ends in a panic")
    }

    fn judge(&self, end: &Result<ReadTable, Error>, path: &Path) -> Result<(), String> {
        // Options that cannot be are refused before any file is looked at.
        let options = matches!(end, Err(Error::Options(_)));
        if let Err(error) = end
            && !options
        {
            judge_message(error, path)?;
        }
        match (&self.expected, end) {
            (Expected::Loads(expected), Ok(read)) => {
                same_columns(expected, &columns_of(read))?;
                let found = read.source.blank_lines;
                match self.blank_lines {
                    Some(blank) if blank != found => {
                        Err(format!("{found} blank lines instead of {blank}"))
                    }
                    _ => Ok(()),
                }
            }
            (
                Expected::Fails { problem, line, row, column },
                Err(Error::Input { place, problem: found }),
            ) => {
                let expected = (problem, *line, *row, column);
                let found = (found, place.line, place.row, &place.column);
                if expected == found {
                    Ok(())
                } else {
                    Err(format!("fails with {found:?} instead of {expected:?}"))
                }
            }
            (Expected::Refused, Err(_)) | (Expected::Ends, _) => Ok(()),
            (_, Err(error)) => Err(format!("fails with {error}")),
            (_, Ok(read)) => {
                let (rows, columns) = (read.table.rows(), read.table.columns().len());
                Err(format!("loads as {rows} rows of {columns} columns"))
            }
        }
    }
}

/// Runs the cases and shows all that ended otherwise than they should.
///
/// # Panics
/// When there is one.
pub(crate) fn check(cases: &[Case]) {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let faults: Vec<String> = cases.iter().flat_map(|case| case.faults(folder.path())).collect();
    assert!(faults.is_empty(), "{} of {} cases:\n{}", faults.len(), cases.len(), faults.join("\n"));
}

fn judge_message(error: &Error, path: &Path) -> Result<(), String> {
    let (shown, debug) = (error.to_string(), format!("{error:?}"));
    if !matches!(error, Error::Input { .. }) {
        return Err(format!("fails with an error of another kind: {shown}"));
    }
    if !shown.starts_with(&path.display().to_string()) {
        return Err(format!("the message does not name the file: {shown}"));
    }
    if !shown.contains("\n  hint: ") {
        return Err(format!("the message has no hint: {shown}"));
    }
    if shown.contains(CANARY) || debug.contains(CANARY) {
        return Err("the message holds a cell's value".into());
    }
    Ok(())
}

fn same_columns(expected: &[Cells], found: &[Cells]) -> Result<(), String> {
    let heads = |columns: &[Cells]| -> Vec<String> {
        let head = |c: &Cells| format!("{:?} {} of {} rows", c.name, c.kind, c.values.len());
        columns.iter().map(head).collect()
    };
    let (heads_expected, heads_found) = (heads(expected), heads(found));
    if heads_expected != heads_found {
        return Err(format!("loads {heads_found:?} instead of {heads_expected:?}"));
    }
    for (expected, found) in expected.iter().zip(found) {
        let pairs = expected.values.iter().zip(&found.values).enumerate();
        if let Some((row, (expected, found))) = pairs.into_iter().find(|(_, (e, f))| e != f) {
            let short = |cell: &Option<String>| -> String {
                cell.as_ref()
                    .map_or("nothing".into(), |c| format!("{:?}", c.get(..80).unwrap_or(c)))
            };
            return Err(format!("row {row} holds {} instead of {}", short(found), short(expected)));
        }
    }
    Ok(())
}

fn columns_of(read: &ReadTable) -> Vec<Cells> {
    let cells = |column: &Column| {
        let values = column.dictionary().values();
        // Where the spelling was kept, it is what counts.
        let is_kept = column.dictionary().keeps_texts()
            || matches!(column.dictionary().form(), Form::Days(_));
        let text = |at| if is_kept { column.dictionary().text(at) } else { shown(values, at) };
        let texts: Vec<String> = (0..values.len()).map(text).collect();
        (0u32..)
            .take(read.table.rows())
            .map(|row| column.code(RowId::new(row)).value())
            .map(|at| at.map(|at| texts[at].clone()))
            .collect()
    };
    let columns = read.table.columns().iter();
    columns
        .map(|column| Cells {
            name: column.name().into(),
            kind: type_name(column.data_type()).into(),
            values: cells(column),
        })
        .collect()
}

/// A value as people write it.
fn shown(values: &ArrayRef, at: usize) -> String {
    macro_rules! plain {
        ($type:ty) => {
            values.as_primitive::<$type>().value(at).to_string()
        };
    }
    macro_rules! moment {
        ($type:ty) => {
            values
                .as_primitive::<$type>()
                .value_as_datetime(at)
                .map_or("outside the calendar".into(), |moment| moment.to_string())
        };
    }
    match values.data_type() {
        DataType::Boolean => values.as_boolean().value(at).to_string(),
        DataType::Utf8 => values.as_string::<i32>().value(at).to_owned(),
        DataType::LargeUtf8 => values.as_string::<i64>().value(at).to_owned(),
        DataType::Binary => format!("{:?}", values.as_binary::<i32>().value(at)),
        DataType::FixedSizeBinary(_) => format!("{:?}", values.as_fixed_size_binary().value(at)),
        DataType::Int8 => plain!(arrow::Int8Type),
        DataType::Int16 => plain!(arrow::Int16Type),
        DataType::Int32 => plain!(arrow::Int32Type),
        DataType::Int64 => plain!(arrow::Int64Type),
        DataType::UInt8 => plain!(arrow::UInt8Type),
        DataType::UInt16 => plain!(arrow::UInt16Type),
        DataType::UInt32 => plain!(arrow::UInt32Type),
        DataType::UInt64 => plain!(arrow::UInt64Type),
        DataType::Float16 => plain!(arrow::Float16Type),
        DataType::Float32 => plain!(arrow::Float32Type),
        DataType::Float64 => plain!(arrow::Float64Type),
        DataType::Decimal32(..) => {
            values.as_primitive::<arrow::Decimal32Type>().value_as_string(at)
        }
        DataType::Decimal64(..) => {
            values.as_primitive::<arrow::Decimal64Type>().value_as_string(at)
        }
        DataType::Decimal128(..) => {
            values.as_primitive::<arrow::Decimal128Type>().value_as_string(at)
        }
        DataType::Decimal256(..) => {
            values.as_primitive::<arrow::Decimal256Type>().value_as_string(at)
        }
        DataType::Date32 => values
            .as_primitive::<arrow::Date32Type>()
            .value_as_date(at)
            .map_or("outside the calendar".into(), |day| day.to_string()),
        DataType::Timestamp(TimeUnit::Second, _) => moment!(arrow::TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => moment!(arrow::TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => moment!(arrow::TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => moment!(arrow::TimestampNanosecondType),
        other => format!("a value of type {other}"),
    }
}
