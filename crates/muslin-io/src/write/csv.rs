//! Delimited text. Every distinct value is formatted once; rows are then copied together.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use muslin_engine::Run;
use muslin_table::{Column, Dictionary, EncodedTable};
use rayon::prelude::*;

use super::Failed;
use super::values::ranges;
use crate::{CsvOptions, Encoding};

/// How text is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvStyle {
    /// The character between fields.
    pub delimiter: char,
    /// The character around fields that need one.
    pub quote: char,
    /// How characters are stored.
    pub encoding: Encoding,
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
            quote: '"',
            encoding: Encoding::Utf8,
            decimal_comma: false,
            missing: String::new(),
            suppressed: "*".into(),
        }
    }
}

impl CsvStyle {
    /// How text that is written so is read: nothing is left to be found out.
    pub fn to_options(&self) -> CsvOptions {
        CsvOptions {
            delimiter: Some(self.delimiter),
            quote: Some(Some(self.quote)),
            header: Some(true),
            encoding: Some(self.encoding),
            decimal_comma: Some(self.decimal_comma),
            trim: false,
        }
    }

    /// A value as text that reads back as the same value.
    pub fn spell(&self, values: &Dictionary, at: usize) -> String {
        let text = values.text(at);
        let has_mark = self.decimal_comma && values.data_type().is_numeric();
        if has_mark { text.replace('.', ",") } else { text }
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
    let header = header(table.columns().iter().map(Column::name), style);
    out.write_all(style.encoding.mark())?;
    out.write_all(&encoded(header.into_bytes(), style)?)?;
    let alone = table.columns().len() == 1;
    let columns: Vec<Spelled> =
        table.columns().par_iter().map(|column| Spelled::new(column, style, alone)).collect();
    let mut delimiter = [0; 4];
    let delimiter = style.delimiter.encode_utf8(&mut delimiter).as_bytes();
    let ranges: Vec<_> = ranges(table.rows(), ROWS).collect();
    for some in ranges.chunks(rayon::current_num_threads().max(1) * 4) {
        run.check()?;
        let texts: Result<Vec<Vec<u8>>, Failed> = some
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
                encoded(text, style)
            })
            .collect();
        texts?.iter().try_for_each(|text| out.write_all(text))?;
        run.reporter().advance(some.iter().map(|rows| rows.len() as u64).sum());
    }
    Ok(())
}

/// Text in the encoding of the style.
fn encoded(text: Vec<u8>, style: &CsvStyle) -> Result<Vec<u8>, Failed> {
    let name = style.encoding.name();
    style.encoding.encode(text).ok_or(Failed::NotEncodable(name))
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
    let columns: Vec<Dictionary> =
        batch.columns().iter().map(|values| Dictionary::new(Arc::clone(values))).collect();
    let lines = |rows: Range<usize>| {
        let mut text = String::new();
        for row in rows {
            for (index, values) in columns.iter().enumerate() {
                text.extend((index > 0).then_some(style.delimiter));
                text.push_str(&if values.values().is_null(row) {
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
        let values = column.dictionary();
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
fn field(values: &Dictionary, at: usize, style: &CsvStyle) -> String {
    let value = style.spell(values, at);
    // An empty value is quoted: an empty field is a missing cell.
    let force = value.is_empty() || value == style.missing || value == style.suppressed;
    // The mark of a number is no delimiter but where it is the file's.
    let is_number = values.data_type().is_numeric() && !value.contains(style.delimiter);
    if is_number && !force { value } else { quoted(&value, style, force) }
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
    let quote = style.quote;
    if force
        || field.contains(special)
        || field.contains(quote)
        || field.starts_with([' ', '\''])
        || field.ends_with(' ')
    {
        format!("{quote}{}{quote}", field.replace(quote, &format!("{quote}{quote}")))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};

    use super::*;

    #[test]
    fn a_decimal_comma_is_put_in_numbers_alone() {
        let style = CsvStyle { decimal_comma: true, ..CsvStyle::default() };
        let spelled = |values: ArrayRef| style.spell(&Dictionary::new(values), 0);
        assert_eq!(spelled(Arc::new(Float64Array::from(vec![-1.25]))), "-1,25");
        assert_eq!(spelled(Arc::new(Int64Array::from(vec![12]))), "12");
        assert_eq!(spelled(Arc::new(StringArray::from(vec!["1.2.3"]))), "1.2.3");
    }
}
