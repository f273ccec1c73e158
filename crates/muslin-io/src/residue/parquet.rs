//! Parquet: dictionaries and statistics against the values of the pages.

use std::collections::HashSet;

use bytes::Bytes;
use muslin_engine::Run;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, parquet_to_arrow_schema};
use parquet::basic::Type;
use parquet::column::page::Page;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{AsBytes, DataType};
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;

use super::{Failed, Findings, ResidueKind};

/// Values of a column chunk, as they are stored.
type Stored = HashSet<Vec<u8>>;

/// Values decoded at a time.
const BATCH: usize = 1 << 14;

pub(super) fn look(bytes: Bytes, run: &Run) -> Result<Findings, Failed> {
    let file = SerializedFileReader::new(bytes).map_err(damaged)?;
    let mut found = Findings::default();
    let metadata = file.metadata();
    let notes = metadata.file_metadata().key_value_metadata().map_or(&[][..], Vec::as_slice);
    let about_types = |note: &&KeyValue| note.key == ARROW_SCHEMA_META_KEY;
    let (types, others): (Vec<&KeyValue>, Vec<&KeyValue>) = notes.iter().partition(about_types);
    let types: Vec<KeyValue> = types.into_iter().cloned().collect();
    let schema = metadata.file_metadata().schema_descr();
    let schema = parquet_to_arrow_schema(schema, Some(&types)).map_err(damaged)?;
    let of_fields = schema.fields().iter().map(|field| field.metadata().len()).sum::<usize>();
    found.add(ResidueKind::Metadata, None, others.len() + schema.metadata().len() + of_fields);
    for number in 0..metadata.num_row_groups() {
        let group = file.get_row_group(number).map_err(damaged)?;
        let sorted = group.metadata().sorting_columns().map_or(0, Vec::len);
        found.add(ResidueKind::Order, None, sorted);
        for at in 0..group.num_columns() {
            run.check()?;
            let chunk = group.metadata().column(at);
            let name = chunk.column_path().string();
            let column = Some(name.as_str());
            let filters = usize::from(chunk.bloom_filter_offset().is_some());
            found.add(ResidueKind::Filter, column, filters);
            let reader = group.get_column_reader(at).map_err(damaged)?;
            let Some(cells) = cells(reader)? else { continue };
            let mut pages = group.get_column_page_reader(at).map_err(damaged)?;
            if let Some(Page::DictionaryPage { buf, .. }) =
                pages.get_next_page().map_err(damaged)?
            {
                let entries = entries(&buf, chunk).ok_or(Failed::Damaged)?;
                let unused = entries.iter().filter(|entry| !cells.contains(**entry)).count();
                found.add(ResidueKind::Dictionary, column, unused);
            }
            if let Some(statistics) = chunk.statistics() {
                found.add(ResidueKind::Statistics, column, strange(statistics, &cells));
            }
        }
    }
    Ok(found)
}

/// The values that the cells of a column chunk have; nothing for truth values, which have no
/// dictionary.
fn cells(reader: ColumnReader) -> Result<Option<Stored>, Failed> {
    Ok(Some(match reader {
        ColumnReader::BoolColumnReader(_) => return Ok(None),
        ColumnReader::Int32ColumnReader(reader) => stored(reader)?,
        ColumnReader::Int64ColumnReader(reader) => stored(reader)?,
        ColumnReader::Int96ColumnReader(reader) => stored(reader)?,
        ColumnReader::FloatColumnReader(reader) => stored(reader)?,
        ColumnReader::DoubleColumnReader(reader) => stored(reader)?,
        ColumnReader::ByteArrayColumnReader(reader) => stored(reader)?,
        ColumnReader::FixedLenByteArrayColumnReader(reader) => stored(reader)?,
    }))
}

fn stored<T: DataType>(mut reader: ColumnReaderImpl<T>) -> Result<Stored, Failed> {
    let mut cells = Stored::new();
    let (mut levels, mut repeats) = (Vec::new(), Vec::new());
    loop {
        let mut values = Vec::with_capacity(BATCH);
        levels.clear();
        repeats.clear();
        let read = reader.read_records(BATCH, Some(&mut levels), Some(&mut repeats), &mut values);
        let (records, ..) = read.map_err(damaged)?;
        for value in &values {
            if !cells.contains(value.as_bytes()) {
                cells.insert(value.as_bytes().to_vec());
            }
        }
        if records == 0 {
            return Ok(cells);
        }
    }
}

/// The entries of a dictionary page.
fn entries<'a>(page: &'a Bytes, chunk: &ColumnChunkMetaData) -> Option<Vec<&'a [u8]>> {
    let width = match chunk.column_type() {
        Type::BYTE_ARRAY => return lengths_and_bytes(page),
        Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(chunk.column_descr().type_length()).ok()?,
        Type::INT96 => 12,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT32 | Type::FLOAT => 4,
        Type::BOOLEAN => return Some(Vec::new()),
    };
    (width > 0 && page.len().is_multiple_of(width)).then(|| page.chunks_exact(width).collect())
}

/// Entries that have their length before them.
fn lengths_and_bytes(page: &[u8]) -> Option<Vec<&[u8]>> {
    let (mut rest, mut entries) = (page, Vec::new());
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        entries.push(after.get(..length)?);
        rest = &after[length..];
    }
    Some(entries)
}

/// Bounds that are no value of a cell. A bound that was shortened begins one, or is just above one.
fn strange(statistics: &Statistics, cells: &Stored) -> usize {
    let is_text =
        matches!(statistics.physical_type(), Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
    let is_zero = |bound: &[u8]| {
        // Zero may be written with either sign.
        let magnitude: Vec<u8> = match bound.split_last() {
            Some((last, others)) => others.iter().copied().chain([last & 0x7F]).collect(),
            None => Vec::new(),
        };
        !is_text && magnitude.iter().all(|&byte| byte == 0)
    };
    let is_known = |bound: &[u8], is_exact: bool, is_above: bool| {
        if cells.contains(bound) || is_zero(bound) {
            return true;
        }
        if is_exact || !is_text || bound.is_empty() {
            return false;
        }
        // All but the last character of an upper bound are those of a value.
        let begin = if is_above { &bound[..bound.len() - 1] } else { bound };
        cells.iter().any(|cell| cell.starts_with(begin))
    };
    let low = statistics.min_bytes_opt().map(|min| is_known(min, statistics.min_is_exact(), false));
    let high = statistics.max_bytes_opt().map(|max| is_known(max, statistics.max_is_exact(), true));
    [low, high].into_iter().flatten().filter(|known| !known).count()
}

fn damaged(_: parquet::errors::ParquetError) -> Failed {
    Failed::Damaged
}
