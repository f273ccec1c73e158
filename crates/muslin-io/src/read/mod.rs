//! Files to encoded tables. The format is told by content, never by name.

mod arrow;
mod arrow_lengths;
mod arrow_sample;
mod columns;
mod csv;
mod parquet;
mod sample;
mod source;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use muslin_engine::Run;
use muslin_table::{DayFormat, EncodedTable};
use serde::{Deserialize, Serialize};

pub use self::arrow::{encode_batches, encode_stream};
pub use self::arrow_sample::sample_batches;
pub use self::columns::ColumnChoice;
pub use self::csv::{CsvOptions, Dialect, Encoding};
pub use self::source::{Compression, Format, Input};

pub(crate) use self::source::content;

pub use self::sample::draw_rows;

use self::sample::SampleSize;
use self::source::Opened;
use crate::{Batches, ColumnType, Error, Place, Result};

/// How to read a table. The default finds everything out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOptions {
    /// For text formats.
    pub csv: CsvOptions,
    /// Which columns to read.
    pub columns: ColumnChoice,
    /// Types of text columns by name; the others are found out.
    pub types: BTreeMap<String, ColumnType>,
    /// How days of text columns are written, by name: those are columns of dates.
    #[serde(default)]
    pub formats: BTreeMap<String, DayFormat>,
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

/// Rows drawn from an input in one pass.
#[derive(Clone, Debug)]
pub struct SampledTable {
    /// The rows that were drawn, in the order of the input.
    pub table: EncodedTable,
    /// Number of all rows of the input.
    pub rows: u64,
    /// Where they came from.
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
    if let Input::Memory(batches) = input {
        let table = with_memory(batches, run, |each, place| {
            arrow::encode(batches.schema(), each, options, run, place)
        })?;
        run.check_memory(table.memory() as u64)?;
        return Ok(ReadTable { table, source: source_of(batches) });
    }
    let read = with_opened(input, run, |opened, place| match opened.format {
        Format::Csv => csv::read(opened, options, run, place),
        Format::Parquet => parquet::read(opened, options, run, place),
        _ => arrow::read(opened, options, run, place),
    });
    let read = read.map_err(|error| with_line(error, input, options))?;
    run.check_memory(read.table.memory() as u64)?;
    Ok(read)
}

/// Draws a uniform sample of the rows of an input while it goes by.
///
/// `wanted` says how many rows to draw from so many rows of so many columns. It is asked while the
/// number of rows is still growing, so it must be a function of its arguments alone that does not
/// fall when there are more rows, nor rise by a larger factor than the rows: a fixed number, a
/// root of the rows and a share of them are all right.
///
/// # Guarantee
/// With `n` rows and `c` chosen columns, the table holds the `wanted(n, c)` rows with the smallest
/// [`Seed::draw`](muslin_engine::Seed::draw) by the run's seed, in row order, or all rows where
/// there are no more: the rows that [`Engine::sample`](muslin_engine::Engine::sample) draws from
/// the whole table, on any number of threads. Should `wanted` rise with the rows and the draws of
/// the first rows be freakishly small, the table holds fewer of them; the odds are below one in
/// 10^40, and its number of rows tells.
///
/// Options have the meaning that they have for [`read`]. Types are found out from the sampled
/// values. Where records and fields begin and end is checked in all of a text, as [`read`] does;
/// whether values are valid text, of the type asked for and undamaged is checked in the sampled
/// rows, and the place of such an error is the row of the input.
///
/// # Cost
/// One pass. Delimited text costs what finding its fields costs; Parquet is decoded where rows were
/// drawn. Memory grows with the rows wanted, not with those of the input, of which there may be
/// more than a table can hold: about twice the rows wanted and a few hundred more are held as they
/// are written, and some batches of a few megabytes. Parquet and Arrow files that come compressed
/// or through a pipe are held in memory whole, as for [`read`].
pub fn sample(
    input: &Input,
    options: &ReadOptions,
    wanted: &(dyn Fn(u64, usize) -> u64 + Sync),
    run: &Run,
) -> Result<SampledTable> {
    let size = SampleSize { wanted };
    if let Input::Memory(batches) = input {
        let drawn = with_memory(batches, run, |each, place| {
            arrow_sample::draw(batches.schema(), each, options, size, run, place)
        })?;
        let (table, rows) = drawn;
        run.check_memory(table.memory() as u64)?;
        return Ok(SampledTable { table, rows, source: source_of(batches) });
    }
    let drawn = with_opened(input, run, |opened, place| match opened.format {
        Format::Csv => csv::sample(opened, options, size, run, place),
        Format::Parquet => parquet::sample(opened, options, size, run, place),
        _ => arrow_sample::sample(opened, options, size, run, place),
    });
    let drawn = drawn.map_err(|error| with_line(error, input, options))?;
    run.check_memory(drawn.table.memory() as u64)?;
    Ok(drawn)
}

/// An error about a row of a text, with the line of that row: only codes were kept, so the file is
/// read again.
fn with_line(mut error: Error, input: &Input, options: &ReadOptions) -> Error {
    let Error::Input { place, .. } = &mut error else { return error };
    let (Some(row), None, Input::Path(_)) = (place.row, place.line, input) else { return error };
    place.line = source::open(input)
        .ok()
        .filter(|opened| opened.format == Format::Csv)
        .and_then(|opened| csv::line_of_row(opened, options, row));
    error
}

/// Opens an input and does `work` on it, on the run's threads.
fn with_opened<T: Send>(
    input: &Input,
    run: &Run,
    work: impl FnOnce(Opened, &Place) -> Result<T> + Send,
) -> Result<T> {
    let opened = source::open(input)?;
    let place = Place::file(input.name());
    let progress = run.reporter();
    progress.stage("reading", opened.bytes);
    let done = run.install(|| work(opened, &place));
    progress.finish();
    done
}

/// Does `work` on batches in memory, on the run's threads. Each is handed on as it is.
fn with_memory<T: Send>(
    batches: &Batches,
    run: &Run,
    work: impl FnOnce(&mut arrow::Batches<'_>, &Place) -> Result<T> + Send,
) -> Result<T> {
    let place = Place::file(batches.name());
    let progress = run.reporter();
    let bytes = batches.batches().iter().map(|own| own.get_array_memory_size() as u64);
    progress.stage("reading", Some(bytes.sum()));
    let done = run.install(|| work(&mut batches.batches().iter().cloned().map(Ok), &place));
    progress.finish();
    done
}

fn source_of(batches: &Batches) -> Source {
    Source {
        file: batches.name().to_owned(),
        format: Format::Memory,
        compression: None,
        dialect: None,
        columns: arrow::names_of(batches.schema()),
        blank_lines: 0,
        bytes: None,
    }
}

/// Does what a decoding library does. Those of Parquet and Arrow check what they read; should one
/// of them panic on bytes it did not expect, that is damage in the file, not a mistake of ours.
pub(crate) fn guarded<T>(decode: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(decode)).ok()
}
