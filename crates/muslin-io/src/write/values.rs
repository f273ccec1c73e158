//! Codes back to values: arrays made anew from published cells.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type, Float64Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, FixedSizeBinaryArray, LargeStringArray,
    RecordBatch, StringArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use muslin_table::{Column, Dictionary, EncodedTable, Form, RowId, spell_number};

use crate::types::{natives, primitive_array, with_keyed_type};

/// A table as formats with types hold it.
pub(super) struct Stored<'a> {
    table: &'a EncodedTable,
    values: Vec<ArrayRef>,
    schema: SchemaRef,
}

impl<'a> Stored<'a> {
    pub(super) fn new(table: &'a EncodedTable) -> Self {
        let values: Vec<ArrayRef> =
            table.columns().iter().map(|column| stored_values(column.dictionary())).collect();
        let field = |(column, values): (&Column, &ArrayRef)| {
            Field::new(column.name(), values.data_type().clone(), true)
        };
        let fields: Vec<Field> = table.columns().iter().zip(&values).map(field).collect();
        Self { table, values, schema: Arc::new(Schema::new(fields)) }
    }

    /// The names and types of the table, and nothing else about where it came from.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Some rows; missing and suppressed cells are null, with nothing beneath them.
    pub(super) fn batch(&self, rows: Range<usize>) -> RecordBatch {
        let columns = self.table.columns().iter().zip(&self.values);
        let columns = columns.map(|(column, values)| decode(column, values, rows.clone()));
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows.len()));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns.collect(), &options)
            .expect("columns of one length and of the schema's types")
    }
}

/// The values of a dictionary, in its order, in a type that does not spell them otherwise than they
/// were read: `250.10` is no double, whose value would be `250.1`. Where somebody asked for numbers,
/// they are numbers.
fn stored_values(dictionary: &Dictionary) -> ArrayRef {
    let values = dictionary.values();
    let is_kept = dictionary.keeps_texts() && *dictionary.form() == Form::Plain;
    if !is_kept || *values.data_type() != DataType::Float64 {
        return Arc::clone(values);
    }
    let texts = dictionary.texts();
    let doubles = values.as_primitive::<Float64Type>();
    let is_double = |(at, text): (usize, &String)| {
        let spelled = spell_number(doubles.value(at));
        // Who writes doubles often writes `1.0` where others write `1`.
        *text == spelled || text.strip_suffix(".0") == Some(&spelled)
    };
    if texts.iter().enumerate().all(is_double) {
        return Arc::clone(values);
    }
    decimals(&texts).unwrap_or_else(|| Arc::new(StringArray::from_iter_values(&texts)))
}

/// Texts as decimals; nothing where they have not all the same number of digits after the point.
fn decimals(texts: &[String]) -> Option<ArrayRef> {
    let parts: Vec<(&str, &str)> =
        texts.iter().map(|text| text.split_once('.')).collect::<Option<_>>()?;
    let scale = parts.first()?.1.len();
    let is_alike = |(_, digits): &(&str, &str)| {
        digits.len() == scale && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let longest = texts.iter().map(String::len).max()?;
    // The point and a sign are no digits.
    let precision = if longest <= 18 { 18 } else { 38 };
    if longest > 38 || !parts.iter().all(is_alike) {
        return None;
    }
    let whole = |(whole, digits): (&str, &str)| format!("{whole}{digits}").parse::<i128>().ok();
    let values = parts.into_iter().map(whole).collect::<Option<Vec<_>>>()?;
    let array = Decimal128Array::from_iter_values(values);
    Some(Arc::new(array.with_precision_and_scale(precision, i8::try_from(scale).ok()?).ok()?))
}

fn decode(column: &Column, values: &ArrayRef, rows: Range<usize>) -> ArrayRef {
    let cells = rows.map(|row| {
        let row = u32::try_from(row).expect("row ids are 32 bits wide");
        column.code(RowId::new(row)).value()
    });
    match values.data_type() {
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
