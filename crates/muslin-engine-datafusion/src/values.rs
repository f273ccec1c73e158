//! Columns of a table as the values that muslin compares: one zero, one NaN, listed spellings as missing,
//! texts as texts however they are stored.

use arrow_schema::DataType;
use muslin_io::ReadOptions;

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
            (one_nan, numbers(&options.null))
        }
        whole if whole.is_integer() => (plain, whole_numbers(&options.null)),
        DataType::Date32 => (plain, dates(&options.null)),
        DataType::Boolean => (plain, truths(&options.null)),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            (plain, options.null.iter().map(|null| text(null)).collect())
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            (plain, options.null.iter().map(|null| bytes(null)).collect())
        }
        _ => (plain, Vec::new()),
    };
    if nulls.is_empty() {
        return plain;
    }
    format!("CASE WHEN {plain} IN ({}) THEN NULL ELSE {plain} END", nulls.join(", "))
}

fn whole_numbers(nulls: &[String]) -> Vec<String> {
    nulls.iter().filter_map(|null| null.parse::<i128>().ok()).map(|null| null.to_string()).collect()
}

fn numbers(nulls: &[String]) -> Vec<String> {
    let number = |null: &String| null.parse::<f64>().ok();
    let spelled = |number: f64| format!("CAST('{number:?}' AS DOUBLE)");
    nulls.iter().filter_map(number).map(spelled).collect()
}

fn dates(nulls: &[String]) -> Vec<String> {
    let is_date = |null: &&String| {
        let parts: Vec<&str> = null.split('-').collect();
        let digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        matches!(parts[..], [year, month, day] if year.len() == 4 && month.len() == 2 && day.len() == 2)
            && parts.iter().all(digits)
    };
    nulls.iter().filter(is_date).map(|null| format!("try_cast({} AS DATE)", text(null))).collect()
}

fn truths(nulls: &[String]) -> Vec<String> {
    let truth = |null: &String| match null.to_ascii_lowercase().as_str() {
        "true" => Some("TRUE".to_owned()),
        "false" => Some("FALSE".to_owned()),
        _ => None,
    };
    nulls.iter().filter_map(truth).collect()
}

fn bytes(null: &str) -> String {
    let hex: Vec<String> = null.bytes().map(|byte| format!("{byte:02X}")).collect();
    format!("X'{}'", hex.concat())
}
