//! Columns of the tables that jobs write.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Float64Array, UInt16Array, UInt32Array, UInt64Array};
use muslin_table::{ColumnId, EncodedTable};

use crate::quoted;

/// Lines of a batch: few enough that no text of one is longer than a batch may be.
pub(crate) const LINES: usize = 1 << 13;

pub(crate) fn u16s(numbers: impl Iterator<Item = usize>) -> ArrayRef {
    let narrow = |number| u16::try_from(number).expect("no more than a thousand columns");
    Arc::new(UInt16Array::from_iter_values(numbers.map(narrow)))
}

pub(crate) fn u32s(numbers: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(UInt32Array::from_iter_values(numbers))
}

pub(crate) fn u64s(numbers: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(numbers))
}

pub(crate) fn f64s(numbers: impl Iterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(numbers))
}

pub(crate) fn joined(texts: impl Iterator<Item = String>) -> ArrayRef {
    let mut builder = StringBuilder::new();
    texts.for_each(|text| builder.append_value(text));
    Arc::new(builder.finish())
}

/// The names of some columns, joined so that they are read back as they are.
pub(crate) fn names(table: &EncodedTable, columns: impl Iterator<Item = ColumnId>) -> String {
    columns.map(|id| quoted(table.column(id).name())).collect::<Vec<_>>().join("|")
}
