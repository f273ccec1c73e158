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

/// Reads an Arrow IPC file or stream, batch by batch, columns in parallel.
pub(super) fn read(
    opened: Opened,
    options: &ReadOptions,
    run: &Run,
    place: &Place,
) -> Result<ReadTable> {
    let (file, format, compression, bytes) =
        (opened.name.clone(), opened.format, opened.compression, opened.bytes);
    let (table, columns) = match opened.format {
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
            let table = encode(&schema, checked(reader.by_ref()), options, run, place)?;
            reader.get_mut().finish().map_err(|error| failure(&error))?;
            (table, names_of(&schema))
        }
        _ => match opened.file {
            Some(file) => read_file(BufReader::with_capacity(1 << 20, file), options, run, place)?,
            None => read_file(Cursor::new(opened.into_bytes(run)?), options, run, place)?,
        },
    };
    let source =
        Source { file, format, compression, dialect: None, columns, blank_lines: 0, bytes };
    Ok(ReadTable { table, source })
}

/// Batches of a reader; where it panics, an error.
fn checked(
    mut reader: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> {
    let panicked = || ArrowError::IpcError("the decoder panicked".into());
    std::iter::from_fn(move || guarded(|| reader.next()).unwrap_or_else(|| Some(Err(panicked()))))
}

fn names_of(schema: &SchemaRef) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

fn read_file(
    mut content: impl Read + Seek,
    options: &ReadOptions,
    run: &Run,
    place: &Place,
) -> Result<(EncodedTable, Vec<String>)> {
    check_file(&mut content).map_err(|_| damaged(place))?;
    let reader = guarded(|| FileReader::try_new(content, None)).and_then(Result::ok);
    let reader = reader.ok_or_else(|| damaged(place))?;
    let schema = reader.schema();
    Ok((encode(&schema, checked(reader), options, run, place)?, names_of(&schema)))
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

fn damaged(place: &Place) -> crate::Error {
    place.clone().error(Problem::Damaged("Arrow"))
}

fn encode(
    schema: &SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    options: &ReadOptions,
    run: &Run,
    place: &Place,
) -> Result<EncodedTable> {
    let chosen = Chosen::new(&names_of(schema), options, place)?;
    let mut encoders: Vec<ArrayEncoder> = (0..chosen.positions.len())
        .map(|index| encoder(schema, &chosen, index, options, place))
        .collect::<Result<_>>()?;
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
    finish(encoders, rows, &chosen, options, place)
}

/// An error when a table cannot have so many rows, or not within the memory budget. A column
/// without values claims any number of rows in a few bytes.
pub(super) fn check_rows(rows: usize, chosen: &Chosen, run: &Run) -> Result<()> {
    if u32::try_from(rows).is_err() {
        return Err(muslin_table::Error::TooManyRows.into());
    }
    Ok(run.check_memory(rows as u64 * chosen.positions.len() as u64)?)
}

/// The encoder of the `index`-th chosen column, or the error that its type is not supported.
pub(super) fn encoder(
    schema: &SchemaRef,
    chosen: &Chosen,
    index: usize,
    options: &ReadOptions,
    place: &Place,
) -> Result<ArrayEncoder> {
    let data_type = schema.field(chosen.positions[index]).data_type();
    ArrayEncoder::new(data_type, &options.null).ok_or_else(|| {
        let kind =
            if data_type.is_nested() { "of nested values".into() } else { data_type.to_string() };
        place.clone().column(chosen.name(index)).error(Problem::UnsupportedType(kind))
    })
}

/// The table of finished columns.
pub(super) fn finish(
    mut encoders: Vec<ArrayEncoder>,
    rows: usize,
    chosen: &Chosen,
    options: &ReadOptions,
    place: &Place,
) -> Result<EncodedTable> {
    encoders.par_iter_mut().for_each(ArrayEncoder::close);
    let columns = finish_all(encoders, ArrayEncoder::distinct, |index, encoder| {
        let wanted = Wanted {
            column_type: chosen.column_type(index),
            spelling: Spelling { decimal_comma: options.csv.decimal_comma.unwrap_or(false) },
            nulls: &options.null,
        };
        encoder.finish(chosen.name(index), &wanted).map_err(|found| {
            let mut place = place.clone().column(chosen.name(index));
            place.row = found.row;
            place.error(found.problem)
        })
    });
    Ok(EncodedTable::new(rows, columns?)?)
}
