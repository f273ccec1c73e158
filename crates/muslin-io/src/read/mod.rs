//! Files to encoded tables. The format is told by content, never by name.

mod arrow;
mod arrow_lengths;
mod columns;
mod csv;
mod parquet;
mod source;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use muslin_engine::Run;
use muslin_table::EncodedTable;
use serde::{Deserialize, Serialize};

pub use self::arrow::encode_batches;
pub use self::columns::ColumnChoice;
pub use self::csv::{CsvOptions, Dialect, Encoding};
pub use self::source::{Compression, Format, Input};

use self::source::Opened;
use crate::{ColumnType, Place, Result};

/// How to read a table. The default finds everything out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOptions {
    /// For text formats.
    pub csv: CsvOptions,
    /// Which columns to read.
    pub columns: ColumnChoice,
    /// Types of text columns by name; the others are found out.
    pub types: BTreeMap<String, ColumnType>,
    /// Spellings of missing. There is none unless it is listed, not even the empty one.
    pub null: Vec<String>,
}

/// What was read, and what it was read from.
#[derive(Clone, Debug)]
pub struct ReadTable {
    /// The table.
    pub table: EncodedTable,
    /// Where it came from.
    pub source: Source,
}

/// Facts about an input that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file's name as it was given.
    pub file: String,
    /// Its format.
    pub format: Format,
    /// The compression around it.
    pub compression: Option<Compression>,
    /// How the text was read, for text formats.
    pub dialect: Option<Dialect>,
    /// Names of all of its columns, read or not.
    pub columns: Vec<String>,
    /// Lines without any field that were passed over.
    pub blank_lines: u64,
    /// Bytes of the input as it is stored, where known.
    pub bytes: Option<u64>,
}

/// Reads a table.
///
/// # Guarantee
/// Every row and chosen column of the input is in the table with its value, or there is an error;
/// the table is the same on any number of threads.
///
/// # Cost
/// One pass. Peak memory is about the encoded table plus some batches of a few megabytes per
/// thread; while the last columns are finished, a column's distinct values are held twice.
pub fn read(input: &Input, options: &ReadOptions, run: &Run) -> Result<ReadTable> {
    let opened = source::open(input)?;
    let place = Place::file(input.name());
    let progress = run.reporter();
    progress.stage("reading", opened.bytes);
    let read = run.install(|| read_opened(opened, options, run, &place));
    progress.finish();
    let read = read?;
    run.check_memory(read.table.memory() as u64)?;
    Ok(read)
}

/// Does what a decoding library does. Those of Parquet and Arrow check what they read; should one
/// of them panic on bytes it did not expect, that is damage in the file, not a mistake of ours.
fn guarded<T>(decode: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(decode)).ok()
}

fn read_opened(
    opened: Opened,
    options: &ReadOptions,
    run: &Run,
    place: &Place,
) -> Result<ReadTable> {
    match opened.format {
        Format::Csv => csv::read(opened, options, run, place),
        Format::Parquet => parquet::read(opened, options, run, place),
        Format::ArrowFile | Format::ArrowStream => arrow::read(opened, options, run, place),
    }
}
