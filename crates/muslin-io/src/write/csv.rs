//! Delimited text. Every distinct value is formatted once; rows are then copied together.

use std::fmt::Write as _;
use std::io::Write;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use muslin_engine::Run;
use muslin_table::{Column, EncodedTable};
use rayon::prelude::*;

use super::Failed;
use super::values::ranges;
use crate::types::{natives, with_keyed_type};

/// How text is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvStyle {
    /// The character between fields.
    pub delimiter: char,
    /// Whether the decimal mark is a comma.
    pub decimal_comma: bool,
    /// What stands for a missing cell.
    pub missing: String,
    /// What stands for a suppressed cell.
    pub suppressed: String,
}

impl Default for CsvStyle {
    /// Commas, decimal points, nothing for missing, a star for suppressed.
    fn default() -> Self {
        Self {
            delimiter: ',',
            decimal_comma: false,
            missing: String::new(),
            suppressed: "*".into(),
        }
    }
}

impl CsvStyle {
    /// A value as text that reads back as the same value.
    pub fn spell(&self, values: &ArrayRef, at: usize) -> String {
        match values.data_type() {
            DataType::Utf8 => values.as_string::<i32>().value(at).to_owned(),
            DataType::LargeUtf8 => values.as_string::<i64>().value(at).to_owned(),
            DataType::Boolean => values.as_boolean().value(at).to_string(),
            DataType::Binary => hex(values.as_binary::<i32>().value(at)),
            DataType::FixedSizeBinary(_) => hex(values.as_fixed_size_binary().value(at)),
            DataType::Float64 => {
                number(values.as_primitive::<arrow_array::types::Float64Type>().value(at), self)
            }
            DataType::Float32 => {
                // The shortest digits of the narrow type, not those of its widened value.
                let value = values.as_primitive::<arrow_array::types::Float32Type>().value(at);
                marked(
                    if value.is_finite() {
                        format!("{value}")
                    } else {
                        return number(value.into(), self);
                    },
                    self,
                )
            }
            DataType::Float16 => {
                let value = values.as_primitive::<arrow_array::types::Float16Type>().value(at);
                number(value.to_f64(), self)
            }
            DataType::Decimal128(_, scale) => marked(
                scaled(&natives::<Decimal128Type>(values.as_ref())[at].to_string(), *scale),
                self,
            ),
            DataType::Decimal256(_, scale) => marked(
                scaled(&natives::<Decimal256Type>(values.as_ref())[at].to_string(), *scale),
                self,
            ),
            DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) => {
                let digits = with_keyed_type!(values.data_type(), T => {
                    natives::<T>(values.as_ref())[at].to_string()
                }, _ => unreachable!("a decimal has a key"));
                marked(scaled(&digits, *scale), self)
            }
            DataType::Date32 => {
                date(i64::from(values.as_primitive::<arrow_array::types::Date32Type>().value(at)))
            }
            DataType::Date64 => date(
                values
                    .as_primitive::<arrow_array::types::Date64Type>()
                    .value(at)
                    .div_euclid(86_400_000),
            ),
            DataType::Timestamp(unit, zone) => {
                let ticks: i64 = whole(values, at);
                let per_day = 86_400 * per_second(*unit);
                let (days, rest) = (ticks.div_euclid(per_day), ticks.rem_euclid(per_day));
                let zone = if zone.is_some() { "Z" } else { "" };
                format!("{}T{}{zone}", date(days), clock(rest, *unit))
            }
            DataType::Time32(unit) | DataType::Time64(unit) => clock(whole(values, at), *unit),
            // Whole numbers; durations and intervals count their units.
            _ => with_keyed_type!(values.data_type(), T => {
                natives::<T>(values.as_ref())[at].to_string()
            }, _ => unreachable!("no column is made of another type")),
        }
    }
}

/// Rows formatted by one thread at a time.
const ROWS: usize = 1 << 14;

pub(super) fn write(
    table: &EncodedTable,
    style: &CsvStyle,
    run: &Run,
    out: &mut (dyn Write + Send),
) -> Result<(), Failed> {
    out.write_all(header(table.columns().iter().map(Column::name), style).as_bytes())?;
    let alone = table.columns().len() == 1;
    let columns: Vec<Spelled> =
        table.columns().par_iter().map(|column| Spelled::new(column, style, alone)).collect();
    let mut delimiter = [0; 4];
    let delimiter = style.delimiter.encode_utf8(&mut delimiter).as_bytes();
    let ranges: Vec<_> = ranges(table.rows(), ROWS).collect();
    for some in ranges.chunks(rayon::current_num_threads().max(1) * 4) {
        run.check()?;
        let texts: Vec<Vec<u8>> = some
            .par_iter()
            .map(|rows| {
                let mut text = Vec::with_capacity(rows.len() * columns.len() * 8);
                for row in rows.clone() {
                    for (index, column) in columns.iter().enumerate() {
                        if index > 0 {
                            text.extend_from_slice(delimiter);
                        }
                        text.extend_from_slice(column.field(row));
                    }
                    text.push(b'\n');
                }
                text
            })
            .collect();
        texts.iter().try_for_each(|text| out.write_all(text))?;
        run.reporter().advance(some.iter().map(|rows| rows.len() as u64).sum());
    }
    Ok(())
}

/// The line of names.
pub(super) fn header<'a>(names: impl Iterator<Item = &'a str>, style: &CsvStyle) -> String {
    let mut header = String::new();
    for (index, name) in names.enumerate() {
        header.extend((index > 0).then_some(style.delimiter));
        header.push_str(&quoted(name, style, name.is_empty()));
    }
    header.push('\n');
    header
}

/// The lines of a batch whose values are not in dictionaries.
pub(super) fn lines(batch: &RecordBatch, style: &CsvStyle) -> String {
    let alone = batch.num_columns() == 1;
    let lines = |rows: Range<usize>| {
        let mut text = String::new();
        for row in rows {
            for (index, values) in batch.columns().iter().enumerate() {
                text.extend((index > 0).then_some(style.delimiter));
                text.push_str(&if values.is_null(row) {
                    missing_field(style, alone)
                } else {
                    field(values, row, style)
                });
            }
            text.push('\n');
        }
        text
    };
    let parts: Vec<_> = ranges(batch.num_rows(), ROWS / 8).collect();
    parts.into_par_iter().map(lines).collect()
}

/// The fields of a column, one per slot.
struct Spelled<'a> {
    column: &'a Column,
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl<'a> Spelled<'a> {
    fn new(column: &'a Column, style: &CsvStyle, alone: bool) -> Self {
        let (mut text, mut ends) = (Vec::new(), Vec::with_capacity(column.slots()));
        let mut add = |field: &str| {
            text.extend_from_slice(field.as_bytes());
            ends.push(text.len());
        };
        let values = column.dictionary().values();
        for index in 0..values.len() {
            add(&field(values, index, style));
        }
        // A lone column's missing cell would be a blank line, which readers pass over.
        add(&missing_field(style, alone));
        add(&quoted(&style.suppressed, style, false));
        Self { column, text, ends }
    }

    fn field(&self, row: usize) -> &[u8] {
        let slot = self.column.codes().slot(row) as usize;
        let start = slot.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[slot]]
    }
}

/// A value as a field.
fn field(values: &ArrayRef, at: usize, style: &CsvStyle) -> String {
    let value = style.spell(values, at);
    // An empty value is quoted: an empty field is a missing cell.
    let force = value.is_empty() || value == style.missing || value == style.suppressed;
    quoted(&value, style, force)
}

/// A missing cell as a field.
fn missing_field(style: &CsvStyle, alone: bool) -> String {
    quoted(&style.missing, style, alone && style.missing.is_empty())
}

/// A field in quotes where it needs them.
fn quoted(field: &str, style: &CsvStyle, force: bool) -> String {
    // Other delimiters too, so that whoever guesses ours is not misled.
    let special =
        |c: char| c == style.delimiter || matches!(c, '"' | '\n' | '\r' | ',' | ';' | '\t' | '|');
    if force || field.contains(special) || field.starts_with([' ', '\'']) || field.ends_with(' ') {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// The ticks of a temporal value.
fn whole(values: &ArrayRef, at: usize) -> i64 {
    use crate::types::OrderKey;
    let key =
        with_keyed_type!(values.data_type(), T => natives::<T>(values.as_ref())[at].key(), _ => 0);
    i64::of_key(key)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The shortest digits that read back as the number; an exponent only where zeros would be many.
fn number(value: f64, style: &CsvStyle) -> String {
    let size = value.abs();
    let text = match value {
        value if value.is_nan() => return "NaN".into(),
        value if value.is_infinite() => return if value > 0.0 { "inf" } else { "-inf" }.into(),
        value if size != 0.0 && !(1e-5..1e16).contains(&size) => format!("{value:e}"),
        value => format!("{value}"),
    };
    marked(text, style)
}

fn marked(text: String, style: &CsvStyle) -> String {
    if style.decimal_comma { text.replace('.', ",") } else { text }
}

/// Puts the decimal point `scale` digits from the right.
fn scaled(digits: &str, scale: i8) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    match usize::try_from(scale) {
        Ok(0) => format!("{sign}{digits}"),
        Ok(scale) => {
            let padded = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = padded.split_at(padded.len() - scale);
            format!("{sign}{whole}.{fraction}")
        }
        Err(_) if digits == "0" => "0".into(),
        Err(_) => format!("{sign}{digits}{}", "0".repeat(usize::from(scale.unsigned_abs()))),
    }
}

/// Year, month and day of a day counted from 1970-01-01.
fn date(days: i64) -> String {
    // Days since 0000-03-01, in cycles of 400 years; years are counted from March.
    let shifted = days + 719_468;
    let (cycle, of_cycle) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let of_era = (of_cycle - of_cycle / 1_460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * of_era + of_era / 4 - of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = of_era + cycle * 400 + i64::from(month <= 2);
    let sign = if year < 0 { "-" } else { "" };
    format!("{sign}{:04}-{month:02}-{day:02}", year.abs())
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn clock(ticks: i64, unit: TimeUnit) -> String {
    let sign = if ticks < 0 { "-" } else { "" };
    let ticks = ticks.saturating_abs();
    let (seconds, rest) = (ticks / per_second(unit), ticks % per_second(unit));
    let digits = per_second(unit).to_string().len() - 1;
    let fraction = if rest == 0 { String::new() } else { format!(".{rest:0digits$}") };
    format!("{sign}{:02}:{:02}:{:02}{fraction}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_spelled_as_they_are_read() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (-719_162, "0001-01-01"),
            (2_932_896, "9999-12-31"),
            (-719_529, "-0001-12-31"),
        ] {
            assert_eq!(date(days), text);
        }
    }

    #[test]
    fn numbers_are_short_and_plain() {
        let style = CsvStyle::default();
        for (value, text) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (1e15, "1000000000000000"),
            (1e300, "1e300"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-7, "1e-7"),
        ] {
            assert_eq!(number(value, &style), text);
        }
        assert_eq!(number(-1.25, &CsvStyle { decimal_comma: true, ..style }), "-1,25");
    }

    #[test]
    fn decimals_keep_their_scale() {
        assert_eq!(scaled("-5", 2), "-0.05");
        assert_eq!(scaled("1234", 2), "12.34");
        assert_eq!(scaled("12", 0), "12");
        assert_eq!(scaled("12", -3), "12000");
    }

    #[test]
    fn clocks_show_fractions_only_where_there_are_some() {
        assert_eq!(clock(3_661_000, TimeUnit::Millisecond), "01:01:01");
        assert_eq!(clock(3_661_007, TimeUnit::Millisecond), "01:01:01.007");
    }
}
