//! Arrow IPC: dictionaries and buffers against the cells.

use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_buffer::bit_util::get_bit;
use arrow_data::ArrayData;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use bytes::Bytes;
use muslin_engine::Run;

use super::{Failed, Findings, ResidueKind};
use crate::Batches;

pub(super) fn look_at_file(bytes: Bytes, run: &Run) -> Result<Findings, Failed> {
    let reader = FileReader::try_new(Cursor::new(bytes), None).map_err(damaged)?;
    let notes = reader.custom_metadata().len();
    let schema = reader.schema();
    look(&schema, notes, reader, run)
}

pub(super) fn look_at_stream(bytes: Bytes, run: &Run) -> Result<Findings, Failed> {
    let reader = StreamReader::try_new(Cursor::new(bytes), None).map_err(damaged)?;
    let schema = reader.schema();
    look(&schema, 0, reader, run)
}

/// Batches in memory may share buffers with other tables, and readers leave whatever they like under missing
/// cells. What of that gets out is decided by whoever writes them, so that only values of dictionaries and notes are
/// findings.
pub(super) fn look_at_batches(batches: &Batches, run: &Run) -> Result<Findings, Failed> {
    let mut found = look(batches.schema(), 0, batches.batches().iter().cloned().map(Ok), run)?;
    let lasts = |kind| matches!(kind, ResidueKind::Dictionary | ResidueKind::Metadata);
    found.0.retain(|(kind, _), _| lasts(*kind));
    Ok(found)
}

fn look(
    schema: &Schema,
    notes: usize,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    run: &Run,
) -> Result<Findings, Failed> {
    let mut found = Findings::default();
    found.add(ResidueKind::Metadata, None, notes + schema.metadata().len());
    for field in schema.fields() {
        found.add(ResidueKind::Metadata, Some(field.name()), field.metadata().len());
    }
    // Values of dictionaries that some batch uses.
    let mut used: Vec<Vec<bool>> = vec![Vec::new(); schema.fields().len()];
    for batch in batches {
        run.check()?;
        let batch = batch.map_err(damaged)?;
        for ((field, array), used) in schema.fields().iter().zip(batch.columns()).zip(&mut used) {
            array_residue(field, &array.to_data(), used, &mut found);
        }
    }
    for (field, used) in schema.fields().iter().zip(used) {
        let unused = used.iter().filter(|used| !**used).count();
        found.add(ResidueKind::Dictionary, Some(field.name()), unused);
    }
    Ok(found)
}

fn array_residue(field: &Field, data: &ArrayData, used: &mut Vec<bool>, found: &mut Findings) {
    let column = Some(field.name().as_str());
    let under = |bytes: usize, found: &mut Findings| {
        found.add(ResidueKind::UnderNull, column, bytes);
    };
    match data.data_type() {
        DataType::Utf8 | DataType::Binary => {
            let offsets = data.buffers()[0].typed_data::<i32>();
            let offsets: Vec<usize> =
                offsets.iter().map(|&at| at.unsigned_abs() as usize).collect();
            texts(data, &offsets, column, found);
        }
        DataType::LargeUtf8 | DataType::LargeBinary => {
            let offsets = data.buffers()[0].typed_data::<i64>();
            let at = |at: &i64| usize::try_from(*at).unwrap_or(0);
            texts(data, &offsets.iter().map(at).collect::<Vec<_>>(), column, found);
        }
        DataType::Utf8View | DataType::BinaryView => views(data, column, found),
        DataType::Dictionary(key, _) => {
            let width = key.primitive_width().unwrap_or(4);
            under(fixed(data, width), found);
            let values = data.child_data().first().map_or(0, ArrayData::len);
            used.resize(used.len().max(values), false);
            for row in 0..data.len() {
                if !data.is_null(row)
                    && let Some(is_used) = used.get_mut(key_at(data, width, row))
                {
                    *is_used = true;
                }
            }
        }
        DataType::Boolean => {
            let bits = data.buffers()[0].as_slice();
            let is_set = |row: &usize| data.is_null(*row) && get_bit(bits, data.offset() + row);
            under((0..data.len()).filter(is_set).count(), found);
        }
        DataType::FixedSizeBinary(width) => {
            under(fixed(data, usize::try_from(*width).unwrap_or(0)), found);
        }
        other => under(other.primitive_width().map_or(0, |width| fixed(data, width)), found),
    }
}

/// Bytes other than zero under nulls of cells of one width.
fn fixed(data: &ArrayData, width: usize) -> usize {
    let bytes = data.buffers()[0].as_slice();
    let cell = |row: usize| {
        let start = (data.offset() + row) * width;
        bytes.get(start..start + width).unwrap_or_default()
    };
    let under = (0..data.len()).filter(|&row| data.is_null(row)).map(cell);
    let is_value = |cell: &&[u8]| !says_nothing(data.data_type(), cell);
    under.filter(is_value).flatten().filter(|&&byte| byte != 0).count()
}

/// Whether the bytes of a cell are what others write where there is no value: no number, or no time.
fn says_nothing(data_type: &DataType, cell: &[u8]) -> bool {
    match (data_type, cell) {
        (DataType::Float32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).is_nan(),
        (DataType::Float64, cell) => {
            cell.try_into().is_ok_and(|bytes| f64::from_le_bytes(bytes).is_nan())
        }
        (DataType::Timestamp(..) | DataType::Duration(_) | DataType::Date64, cell) => {
            cell.try_into().is_ok_and(|bytes| i64::from_le_bytes(bytes) == i64::MIN)
        }
        _ => false,
    }
}

fn texts(data: &ArrayData, offsets: &[usize], column: Option<&str>, found: &mut Findings) {
    let own = &offsets[data.offset()..];
    let lengths = |row: usize| own.get(row + 1).zip(own.get(row)).map_or(0, |(end, at)| end - at);
    let under: usize = (0..data.len()).filter(|&row| data.is_null(row)).map(lengths).sum();
    found.add(ResidueKind::UnderNull, column, under);
    let (first, last) = (own.first().copied().unwrap_or(0), own.get(data.len()).copied());
    let all = data.buffers()[1].len();
    let outside = first + all.saturating_sub(last.unwrap_or(0));
    let bytes = data.buffers()[1].as_slice();
    let is_blank = bytes[..first.min(all)].iter().chain(&bytes[last.unwrap_or(0).min(all)..]);
    let outside = if is_blank.copied().all(|byte| byte == 0) { 0 } else { outside };
    found.add(ResidueKind::Unreferenced, column, outside);
}

/// Views say where their text is, unless it is short enough to be in the view.
fn views(data: &ArrayData, column: Option<&str>, found: &mut Findings) {
    let mut under = 0;
    let mut referenced = 0;
    for (row, view) in data.buffers()[0].typed_data::<u128>()[data.offset()..].iter().enumerate() {
        if row >= data.len() {
            break;
        }
        // The low four bytes are the length.
        let length = (*view & u128::from(u32::MAX)) as usize;
        if data.is_null(row) {
            under += usize::from(*view != 0);
        } else if length > 12 {
            referenced += length;
        }
    }
    let all: usize = data.buffers()[1..].iter().map(Buffer::len).sum();
    found.add(ResidueKind::UnderNull, column, under);
    found.add(ResidueKind::Unreferenced, column, all.saturating_sub(referenced));
}

/// The place in the dictionary that a cell has.
fn key_at(data: &ArrayData, width: usize, row: usize) -> usize {
    let start = (data.offset() + row) * width;
    let bytes = data.buffers()[0].as_slice().get(start..start + width).unwrap_or_default();
    let number = bytes.iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn damaged(_: ArrowError) -> Failed {
    Failed::Damaged
}
