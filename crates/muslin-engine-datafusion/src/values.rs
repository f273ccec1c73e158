//! Columns of a table as the values that muslin compares: one zero, one NaN, listed spellings as missing,
//! texts as texts however they are stored.

use arrow_schema::DataType;
use muslin_io::{MissingValue, ReadOptions, missing_values};

/// The name of the `index`-th column of the view.
pub(crate) fn cell(index: usize) -> String {
    format!("c{index}")
}

/// A name in SQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in SQL.
pub(crate) fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// The expression for the values of a column.
pub(crate) fn value(name: &str, data_type: &DataType, options: &ReadOptions) -> String {
    let stored = match data_type {
        DataType::Dictionary(_, values) => values.as_ref(),
        plain => plain,
    };
    let column = quoted(name);
    let plain = match (data_type, stored) {
        (_, DataType::Null) => format!("CAST({column} AS VARCHAR)"),
        (DataType::Dictionary(..), _) => format!("arrow_cast({column}, '{stored}')"),
        _ => column,
    };
    let (plain, nulls) = match stored {
        // Adding nothing turns the negative zero into the other one.
        DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            let number = format!("CAST({plain} AS DOUBLE)");
            let one_nan = format!(
                "CASE WHEN isnan({number}) THEN CAST('NaN' AS DOUBLE) ELSE {number} + CAST(0 AS DOUBLE) END"
            );
            (one_nan, missing(stored, options))
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            (plain, options.null.iter().map(|null| text(null)).collect())
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            (plain, options.null.iter().map(|null| bytes(null)).collect())
        }
        _ => (plain, missing(stored, options)),
    };
    if nulls.is_empty() {
        return plain;
    }
    format!("CASE WHEN {plain} IN ({}) THEN NULL ELSE {plain} END", nulls.join(", "))
}

/// Listed spellings that are values of a column's type, as values of that type.
fn missing(stored: &DataType, options: &ReadOptions) -> Vec<String> {
    let spelled = |value| match value {
        MissingValue::Whole(number) => number.to_string(),
        // One zero, as above.
        MissingValue::Number(number) => format!("CAST('{:?}' AS DOUBLE)", number + 0.0),
        MissingValue::Day(day) => format!("arrow_cast(arrow_cast({day}, 'Int32'), 'Date32')"),
        MissingValue::Truth(truth) => truth.to_string(),
    };
    missing_values(stored, options).into_iter().map(spelled).collect()
}

fn bytes(null: &str) -> String {
    let hex: Vec<String> = null.bytes().map(|byte| format!("{byte:02X}")).collect();
    format!("X'{}'", hex.concat())
}
