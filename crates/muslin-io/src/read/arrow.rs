use std::io::{self, BufReader, Cursor, Read, Seek};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use muslin_engine::Run;
use muslin_table::EncodedTable;
use rayon::prelude::*;

use super::arrow_lengths::{CheckedStream, check_file};
use super::columns::Chosen;
use super::source::{Format, Opened};
use super::{ReadOptions, ReadTable, Source, guarded};
use crate::encode::{ArrayEncoder, Spelling, Wanted, finish_all};
use crate::{Place, Problem, Result};

/// Batches of one schema, as they come.
pub(super) type Batches<'a> = dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'a;

/// Reads an Arrow IPC file or stream, batch by batch, columns in parallel.
pub(super) fn read(
    opened: Opened,
    options: &ReadOptions,
    run: &Run,
    place: &Place,
) -> Result<ReadTable> {
    let (table, source) = with_batches(opened, run, place, |schema, batches| {
        encode(schema, batches, options, run, place)
    })?;
    Ok(ReadTable { table, source })
}

/// Opens an Arrow IPC file or stream and does `work` on its batches.
pub(super) fn with_batches<T>(
    opened: Opened,
    run: &Run,
    place: &Place,
    work: impl FnOnce(&SchemaRef, &mut Batches<'_>) -> Result<T>,
) -> Result<(T, Source)> {
    let (file, format, compression, bytes) =
        (opened.name.clone(), opened.format, opened.compression, opened.bytes);
    let (done, schema) = match opened.format {
        Format::ArrowStream => {
            let content = BufReader::with_capacity(1 << 20, opened.content);
            let failure = |error: &io::Error| match error.kind() {
                io::ErrorKind::InvalidData => damaged(place),
                _ => Opened::failure(&place.file, opened.compression, error),
            };
            let content = CheckedStream::new(content);
            let reader = guarded(|| StreamReader::try_new(content, None)).and_then(Result::ok);
            let mut reader = reader.ok_or_else(|| damaged(place))?;
            let schema = reader.schema();
            let done = work(&schema, &mut checked(reader.by_ref()))?;
            reader.get_mut().finish().map_err(|error| failure(&error))?;
            (done, schema)
        }
        _ => match opened.file {
            Some(file) => with_file(BufReader::with_capacity(1 << 20, file), place, work)?,
            None => with_file(Cursor::new(opened.into_bytes(run)?), place, work)?,
        },
    };
    let columns = names_of(&schema);
    let source =
        Source { file, format, compression, dialect: None, columns, blank_lines: 0, bytes };
    Ok((done, source))
}

/// Batches of a reader; where it panics, an error.
fn checked(
    mut reader: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> {
    let panicked = || ArrowError::IpcError("the decoder panicked".into());
    std::iter::from_fn(move || guarded(|| reader.next()).unwrap_or_else(|| Some(Err(panicked()))))
}

pub(super) fn names_of(schema: &SchemaRef) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

fn with_file<T>(
    mut content: impl Read + Seek,
    place: &Place,
    work: impl FnOnce(&SchemaRef, &mut Batches<'_>) -> Result<T>,
) -> Result<(T, SchemaRef)> {
    check_file(&mut content).map_err(|_| damaged(place))?;
    let reader = guarded(|| FileReader::try_new(content, None)).and_then(Result::ok);
    let reader = reader.ok_or_else(|| damaged(place))?;
    let schema = reader.schema();
    Ok((work(&schema, &mut checked(reader))?, schema))
}

/// Encodes batches of one schema that are in memory already.
///
/// # Guarantee
/// As [`read`](super::read): every row, the same table on any number of threads.
pub fn encode_batches(
    name: &str,
    schema: &SchemaRef,
    batches: impl IntoIterator<Item = RecordBatch> + Send,
    options: &ReadOptions,
    run: &Run,
) -> Result<EncodedTable> {
    let place = Place::file(name);
    run.install(|| encode(schema, batches.into_iter().map(Ok), options, run, &place))
}

/// Encodes batches of one schema as they come.
///
/// # Guarantee
/// As [`encode_batches`]. An error of the batches is damage in `name`.
pub fn encode_stream(
    name: &str,
    schema: &SchemaRef,
    batches: &mut (dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send),
    options: &ReadOptions,
    run: &Run,
) -> Result<EncodedTable> {
    let place = Place::file(name);
    let table = run.install(|| encode(schema, batches, options, run, &place))?;
    run.check_memory(table.memory() as u64)?;
    Ok(table)
}

pub(super) fn damaged(place: &Place) -> crate::Error {
    place.clone().error(Problem::Damaged("Arrow"))
}

pub(super) fn encode(
    schema: &SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    options: &ReadOptions,
    run: &Run,
    place: &Place,
) -> Result<EncodedTable> {
    let chosen = Chosen::new(&names_of(schema), options, place)?;
    let mut encoders = encoders(schema, &chosen, options, place)?;
    let mut rows = 0;
    for batch in batches {
        run.check()?;
        let batch = batch.map_err(|_| damaged(place))?;
        rows += batch.num_rows();
        check_rows(rows, &chosen, run)?;
        encoders
            .par_iter_mut()
            .zip(&chosen.positions)
            .for_each(|(encoder, &position)| encoder.push(batch.column(position)));
        run.reporter().advance(batch.get_array_memory_size() as u64);
        run.check_memory(encoders.iter().map(|encoder| encoder.memory() as u64).sum())?;
    }
    finish(encoders, rows, &chosen, options, place, &|row| row)
}

/// An error when a table cannot have so many rows, or not within the memory budget. A column
/// without values claims any number of rows in a few bytes.
pub(super) fn check_rows(rows: usize, chosen: &Chosen, run: &Run) -> Result<()> {
    if u32::try_from(rows).is_err() {
        return Err(muslin_table::Error::TooManyRows.into());
    }
    Ok(run.check_memory(rows as u64 * chosen.positions.len() as u64)?)
}

/// The encoders of the chosen columns, or the error that the type of one is not supported.
pub(super) fn encoders(
    schema: &SchemaRef,
    chosen: &Chosen,
    options: &ReadOptions,
    place: &Place,
) -> Result<Vec<ArrayEncoder>> {
    let encoder = |(index, &position): (usize, &usize)| {
        let data_type = schema.field(position).data_type();
        ArrayEncoder::new(data_type, &options.null).ok_or_else(|| {
            let nested = data_type.is_nested();
            let kind = if nested { "of nested values".into() } else { data_type.to_string() };
            place.clone().column(chosen.name(index)).error(Problem::UnsupportedType(kind))
        })
    };
    chosen.positions.iter().enumerate().map(encoder).collect()
}

/// The table of finished columns; `row_of` says which row of the input a row of the table is.
pub(super) fn finish(
    mut encoders: Vec<ArrayEncoder>,
    rows: usize,
    chosen: &Chosen,
    options: &ReadOptions,
    place: &Place,
    row_of: &(dyn Fn(u64) -> u64 + Sync),
) -> Result<EncodedTable> {
    encoders.par_iter_mut().for_each(ArrayEncoder::close);
    let columns = finish_all(encoders, ArrayEncoder::distinct, |index, encoder| {
        let wanted = Wanted {
            column_type: chosen.column_type(index),
            format: chosen.format(index),
            spelling: Spelling { decimal_comma: options.csv.decimal_comma.unwrap_or(false) },
            nulls: &options.null,
        };
        encoder.finish(chosen.name(index), &wanted).map_err(|found| {
            let mut place = place.clone().column(chosen.name(index));
            place.row = found.row.map(row_of);
            place.error(found.problem)
        })
    });
    Ok(EncodedTable::new(rows, columns?)?)
}
