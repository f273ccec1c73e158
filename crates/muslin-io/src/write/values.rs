//! Codes back to values: arrays made anew from published cells.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, LargeStringArray, RecordBatch,
    StringArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use muslin_table::{Column, EncodedTable, RowId};

use crate::types::{natives, primitive_array, with_keyed_type};

/// The names and types of a table, and nothing else about where it came from.
pub(super) fn schema(table: &EncodedTable) -> SchemaRef {
    let field = |column: &Column| Field::new(column.name(), column.data_type().clone(), true);
    Arc::new(Schema::new(table.columns().iter().map(field).collect::<Vec<_>>()))
}

/// Some rows of a table; missing and suppressed cells are null, with nothing beneath them.
pub(super) fn batch(table: &EncodedTable, schema: &SchemaRef, rows: Range<usize>) -> RecordBatch {
    let columns = table.columns().iter().map(|column| decode(column, rows.clone())).collect();
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
        .expect("columns of one length and of the schema's types")
}

fn decode(column: &Column, rows: Range<usize>) -> ArrayRef {
    let values = column.dictionary().values();
    let cells = rows.map(|row| {
        let row = u32::try_from(row).expect("row ids are 32 bits wide");
        column.code(RowId::new(row)).value()
    });
    match column.data_type() {
        DataType::Boolean => {
            let values = values.as_boolean();
            Arc::new(cells.map(|at| at.map(|at| values.value(at))).collect::<BooleanArray>())
        }
        DataType::Utf8 => {
            let values = values.as_string::<i32>();
            Arc::new(cells.map(|at| at.map(|at| values.value(at))).collect::<StringArray>())
        }
        DataType::LargeUtf8 => {
            let values = values.as_string::<i64>();
            Arc::new(cells.map(|at| at.map(|at| values.value(at))).collect::<LargeStringArray>())
        }
        DataType::Binary => {
            let values = values.as_binary::<i32>();
            Arc::new(cells.map(|at| at.map(|at| values.value(at))).collect::<BinaryArray>())
        }
        DataType::FixedSizeBinary(width) => {
            let values = values.as_fixed_size_binary();
            let cells = cells.map(|at| at.map(|at| values.value(at)));
            let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(cells, *width);
            Arc::new(array.expect("every value has the width of the type"))
        }
        data_type @ DataType::Decimal128(..) => {
            let values = natives::<Decimal128Type>(values.as_ref());
            primitive_array::<Decimal128Type>(data_type, cells.map(|at| at.map(|at| values[at])))
        }
        data_type @ DataType::Decimal256(..) => {
            let values = natives::<Decimal256Type>(values.as_ref());
            primitive_array::<Decimal256Type>(data_type, cells.map(|at| at.map(|at| values[at])))
        }
        data_type => with_keyed_type!(data_type, T => {
            let values = natives::<T>(values.as_ref());
            primitive_array::<T>(data_type, cells.map(|at| at.map(|at| values[at])))
        }, _ => unreachable!("no column is made of another type")),
    }
}

/// Ranges of rows that cover a table: so many that no column of one is longer than a batch may be.
pub(super) fn batches(table: &EncodedTable) -> impl Iterator<Item = Range<usize>> {
    const ROWS: usize = 1 << 16;
    const BYTES: usize = 1 << 30;
    let longest = table.columns().iter().map(longest_value).max().unwrap_or(0);
    ranges(table.rows(), ROWS.min(BYTES / longest.max(1)).max(1))
}

/// Bytes of the longest text of a column.
fn longest_value(column: &Column) -> usize {
    let values = column.dictionary().values();
    let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    match column.data_type() {
        DataType::Utf8 => longest(&mut values.as_string::<i32>().offsets().lengths()),
        DataType::LargeUtf8 => longest(&mut values.as_string::<i64>().offsets().lengths()),
        DataType::Binary => longest(&mut values.as_binary::<i32>().offsets().lengths()),
        _ => 0,
    }
}

/// Ranges of `step` rows that cover a table.
pub(super) fn ranges(rows: usize, step: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(step).map(move |start| start..rows.min(start + step))
}
