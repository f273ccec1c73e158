use std::borrow::Cow;
use std::fmt;

use muslin_engine::Stop;
use muslin_table::{DayFormat, printable};

use crate::{Cause, ColumnType};

/// Why a file could not be read or written. No message carries a cell's value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input cannot be read as a table.
    #[error("{place}: {problem}\n  hint: {}", .problem.hint())]
    Input {
        /// Where.
        place: Place,
        /// What.
        problem: Problem,
    },
    /// The release could not be written; the destination is as it was.
    #[error("{file}: {problem}\n  hint: {}", .problem.hint())]
    Output {
        /// The destination.
        file: String,
        /// What.
        problem: OutputProblem,
    },
    /// The options name a column that the input does not have, or do not fit together.
    #[error(transparent)]
    Table(#[from] muslin_table::Error),
    /// A limit or the user ended the work.
    #[error("{0}")]
    Stopped(Stop),
    /// Threads could not be had, or the like.
    #[error(transparent)]
    Engine(muslin_engine::Error),
    /// Options for reading that do not make sense.
    #[error(
        "{0}\n  hint: the delimiter and the quote are two different ASCII characters other than line ends"
    )]
    Options(&'static str),
    /// Our own mistake.
    #[error("internal error: {0}")]
    Internal(String),
}

impl From<muslin_engine::Error> for Error {
    fn from(error: muslin_engine::Error) -> Self {
        match error {
            muslin_engine::Error::Stopped(stop) => Self::Stopped(stop),
            muslin_engine::Error::Table(error) => Self::Table(error),
            other => Self::Engine(other),
        }
    }
}

/// The result of everything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Where in an input something is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file's name as it was given.
    pub file: String,
    /// Line of the text, from one.
    pub line: Option<u64>,
    /// Row of the table, from zero.
    pub row: Option<u64>,
    /// Name of the column.
    pub column: Option<String>,
}

impl Place {
    /// A whole file.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// A line of it.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// A row of it.
    #[must_use]
    pub fn row(mut self, row: u64) -> Self {
        self.row = Some(row);
        self
    }

    /// A column of it.
    #[must_use]
    pub fn column(mut self, column: impl Into<String>) -> Self {
        self.column = Some(column.into());
        self
    }

    /// The error that `problem` is here.
    pub fn error(self, problem: Problem) -> Error {
        Error::Input { place: self, problem }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        // An editor counts lines; rows are for formats that have none.
        if let Some(row) = self.row.filter(|_| self.line.is_none()) {
            write!(f, ", row {row}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column `{}`", printable(column))?;
        }
        Ok(())
    }
}

/// What is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system refused.
    #[error("cannot be read: {0}")]
    Unreadable(Cause),
    /// There is nothing in it.
    #[error("is empty")]
    Empty,
    /// It is of a kind that muslin does not read.
    #[error("looks like {0}, which muslin does not read")]
    OtherFormat(&'static str),
    /// Its bytes do not follow its format.
    #[error("the {0} data is damaged or cut short")]
    Damaged(&'static str),
    /// A byte sequence does not fit the encoding.
    #[error("the text is not {0}")]
    NotEncoded(&'static str),
    /// The same of a release that is read beside its original, which has flags of its own.
    #[error("the text is not {0}")]
    ReleaseNotEncoded(&'static str),
    /// A NUL byte in text.
    #[error("there is a NUL byte in the text")]
    Nul,
    /// A row has fewer or more fields than the first.
    #[error("{} where {expected} were expected", fields(*.found))]
    Ragged {
        /// Fields of the first record.
        expected: usize,
        /// Fields of this one.
        found: usize,
    },
    /// A quoted field has no end.
    #[error("a quote is opened here and not closed")]
    OpenQuote,
    /// A quoted field goes on after its closing quote.
    #[error("there is text between a closing quote and the next delimiter")]
    TextAfterQuote,
    /// One of the two line-end characters stands alone among lines that end otherwise.
    #[error("a lone {0} stands in an unquoted field")]
    StrayLineEnd(&'static str),
    /// A record does not end within the limit.
    #[error("a record is longer than {} MiB", .0 >> 20)]
    LongRecord(usize),
    /// Two columns have one name.
    #[error("columns {first} and {second} have the same name")]
    SameName {
        /// Position of the first, from one.
        first: usize,
        /// Position of the second, from one.
        second: usize,
    },
    /// More columns than muslin handles.
    #[error("{found} columns, more than {limit}")]
    TooManyColumns {
        /// How many there are.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A column's type has no values that muslin can order.
    #[error("the type {0} is not supported")]
    UnsupportedType(String),
    /// A value is not of the type the column was asked to have.
    #[error("not {}", .0.with_article())]
    NotOfType(ColumnType),
    /// A value is no day in the pattern that days of the column are written in.
    #[error("`{}` expects {}", asked_days(.column, .expected), .expected.in_words())]
    NotADay {
        /// The column.
        column: String,
        /// How its days were to be written.
        expected: DayFormat,
        /// How they seem to be written, where that is known.
        found: Option<DayFormat>,
    },
    /// A type was asked for that the column's own type does not become.
    #[error("the column is of type {found} in the file and is not read as {}", .wanted.name())]
    TypedAlready {
        /// Its type.
        found: String,
        /// The type asked for.
        wanted: ColumnType,
    },
}

impl Problem {
    /// A flag and its value that may let the same command go on.
    pub fn flag(&self) -> Option<[&'static str; 2]> {
        match self {
            Self::NotEncoded("UTF-8") => Some(["--encoding", "windows-1252"]),
            Self::ReleaseNotEncoded("UTF-8") => Some(["--release-encoding", "windows-1252"]),
            _ => None,
        }
    }

    /// A way out.
    pub fn hint(&self) -> String {
        match self {
            Self::Unreadable(cause) => cause.hint_of_reading().into(),
            Self::Empty => "check that the export that made it has finished".into(),
            Self::OtherFormat(_) => "export it as CSV or Parquet".into(),
            Self::Damaged(_) => "copy or export the file again".into(),
            Self::NotEncoded("UTF-8") => {
                "pass `--encoding windows-1252`, or the encoding it was saved in".into()
            }
            Self::NotEncoded(_) => "pass the encoding it was saved in as `--encoding`".into(),
            Self::ReleaseNotEncoded(_) => {
                "pass the encoding that the release was saved in, such as `--release-encoding windows-1252`".into()
            }
            Self::Nul => "pass `--encoding utf-16le` if the file was saved as UTF-16".into(),
            Self::Ragged { .. } => {
                "quote fields that hold the delimiter, or pass another `--delimiter` or `--quote`"
                    .into()
            }
            Self::OpenQuote | Self::TextAfterQuote => {
                "double quotes that are part of a value, or pass `--quote none`".into()
            }
            Self::StrayLineEnd(_) => "quote the field, or give every line the same end".into(),
            Self::LongRecord(_) => {
                "look for a quote that is not closed, or pass `--quote none`".into()
            }
            Self::SameName { .. } => {
                "give every column a name of its own, or pass `--header no` if there is no header"
                    .into()
            }
            Self::TooManyColumns { .. } => {
                "pass the `--delimiter` if it was guessed wrongly".into()
            }
            Self::UnsupportedType(_) => "leave the column out with `--exclude`".into(),
            Self::NotOfType(_) => {
                "mend the cell, list its spelling with `--null`, or read the column as text".into()
            }
            Self::NotADay { column, found: Some(found), .. } => {
                format!("pass `--date-format {}={found}`", printable(column))
            }
            Self::NotADay { column, .. } => {
                let name = printable(column);
                format!(
                    "pass `--date-format {name}=%d.%m.%Y` with the column's own pattern, or `--type {name}=text`"
                )
            }
            Self::TypedAlready { .. } => "leave the column out of `--type`".into(),
        }
    }
}

/// What went wrong while writing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutputProblem {
    /// The operating system refused.
    #[error("cannot be written: {0}")]
    Unwritable(Cause),
    /// The operating system refused, after other files of the same run got their names.
    #[error("cannot be written: {cause}; of the same run, {} complete", these(.placed))]
    Parted {
        /// Why.
        cause: Cause,
        /// The files that are there, which are complete.
        placed: Vec<String>,
    },
    /// The destination is something that the same command reads.
    #[error("is a file that this command reads, and is not replaced")]
    IsInput,
    /// The destination is in a folder that the same command reads, or one of the files that a pattern
    /// stands for.
    #[error("is part of `{}`, which this command reads", printable(.0))]
    WithinInput(String),
    /// Something else is to be written there too.
    #[error("is the place of two outputs of this command")]
    Twice,
    /// The destination is a folder or a device.
    #[error("is not a file")]
    NotAFile,
    /// The destination is a file where a folder should be.
    #[error("is not a folder")]
    NotAFolder,
    /// A file is there that nobody named and that muslin did not write.
    #[error("is there already, was not written by muslin, and is not replaced")]
    NotReplaced,
    /// A folder is there that must not be replaced.
    #[error("the folder is not replaced, as it {reason}")]
    Kept {
        /// Why.
        reason: Kept,
        /// The name of a folder that is not there, for a shell.
        free: String,
    },
    /// A character cannot be written in the encoding.
    #[error("a character of the release cannot be written as {0}")]
    NotEncodable(&'static str),
    /// The name does not say which format to write.
    #[error("the name does not say a format")]
    UnknownFormat,
}

/// Why a folder is not replaced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Kept {
    /// Who works in it would stand in a folder that is gone.
    #[error("is the working folder or holds it")]
    WorkingFolder,
    /// Something in it is read.
    #[error("holds `{}`, which this command reads", printable(.0))]
    HoldsInput(String),
    /// Something in it was not made by muslin.
    #[error("is not wholly a release of muslin: {0}")]
    NotOurs(String),
}

impl OutputProblem {
    /// A way out.
    pub fn hint(&self) -> Cow<'static, str> {
        match self {
            Self::Unwritable(cause) => cause.hint_of_writing(),
            Self::Parted { .. } => "remove what is there, or repeat the command",
            Self::IsInput => "write to another file",
            Self::WithinInput(_) | Self::NotReplaced => "write to another folder",
            Self::Twice => "give each a file of its own",
            Self::NotAFile => "name a file, or `-` for standard output",
            Self::NotAFolder => "name a folder that is there, or one to be made",
            Self::Kept { free, .. } => return format!("pass `-o {}`", printable(free)).into(),
            Self::NotEncodable(_) => {
                "pass `--release-encoding utf-8`, or write `release.encoding = \"utf-8\"` in the policy"
            }
            Self::UnknownFormat => "end it in .csv, .tsv, .parquet or .arrow, or pass `--format`",
        }
        .into()
    }
}

/// Names of files, and the verb.
fn these(files: &[String]) -> String {
    let names: Vec<String> = files.iter().map(|file| format!("`{}`", printable(file))).collect();
    format!("{} {}", names.join(", "), if files.len() == 1 { "is" } else { "are" })
}

/// What somebody said who is to be answered that a cell is no day.
fn asked_days(column: &str, format: &DayFormat) -> String {
    let name = printable(column);
    if format.is_iso() {
        format!("--type {name}=date")
    } else {
        format!("--date-format {name}={format}")
    }
}

fn fields(count: usize) -> String {
    format!("{count} {}", if count == 1 { "field" } else { "fields" })
}
