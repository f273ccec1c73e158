//! What every job does with its input: describes it, warns about it, checks names.

use std::collections::BTreeMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use muslin_io::{CsvOptions, Dialect, Format, ReadOptions, Source};
use muslin_table::{EncodedTable, Role, printable};
use serde::Serialize;

use crate::Result;

/// Facts about an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputReport {
    /// The file's name as it was given.
    pub file: String,
    /// Its format: `csv`, `parquet`, `arrow-file`, `arrow-stream`, `memory` or `query`.
    pub format: String,
    /// The compression around it: `gzip` or `zstd`.
    pub compression: Option<String>,
    /// The character between fields of a text.
    pub delimiter: Option<char>,
    /// Whether a text's first record was read as the columns' names.
    pub header: Option<bool>,
    /// How a text's characters are stored.
    pub encoding: Option<String>,
    /// Whether a text's decimal mark was read as a comma.
    pub decimal_comma: Option<bool>,
}

impl InputReport {
    pub(crate) fn new(source: &Source) -> Self {
        let of = |part: fn(&Dialect) -> bool| source.dialect.as_ref().map(part);
        Self {
            file: source.file.clone(),
            format: match source.format {
                Format::Csv => "csv",
                Format::Parquet => "parquet",
                Format::ArrowFile => "arrow-file",
                Format::ArrowStream => "arrow-stream",
                Format::Memory => "memory",
                Format::Query => "query",
            }
            .into(),
            compression: source.compression.map(|compression| compression.name().into()),
            delimiter: source.dialect.as_ref().map(|dialect| dialect.delimiter),
            header: of(|dialect| dialect.header),
            encoding: source.dialect.as_ref().map(|dialect| dialect.encoding.name().into()),
            decimal_comma: of(|dialect| dialect.decimal_comma),
        }
    }
}

/// A policy may know columns that this run does not read, but none that are not there.
pub(crate) fn check_roles(
    roles: &BTreeMap<String, Role>,
    table: &EncodedTable,
    source: &Source,
) -> Result<()> {
    let unknown = roles.keys().find(|name| !source.columns.contains(name));
    Ok(unknown.map_or(Ok(()), |name| table.find(name).map(|_| ()))?)
}

/// What was found out about a text and might be wrong.
fn guesses(source: &Source, asked: &CsvOptions) -> Vec<String> {
    let Some(dialect) = &source.dialect else { return Vec::new() };
    let mut guesses = Vec::new();
    if !dialect.header && asked.header.is_none() {
        guesses.push("the first record looks like data, so columns have numbers for names: pass `--header yes` if it is a header".into());
    }
    if dialect.header_guessed {
        guesses.push("the first record was taken for the columns' names, though nothing proves it: pass `--header no` if it is data".into());
    }
    if dialect.decimal_comma && asked.decimal_comma.is_none() {
        guesses.push(
            "`1,5` was taken for a number: pass `--decimal-comma no` if commas mean something else"
                .into(),
        );
    }
    guesses
}

/// Spellings that often stand for missing and are not listed as such.
const SPELLINGS: [&str; 12] =
    ["NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "none", "?", ".", "-"];
/// Numbers that often do.
const NUMBERS: [i64; 5] = [-9, -99, -999, -9999, -99999];

/// What to look at before relying on figures about an input.
pub(crate) fn warnings(table: &EncodedTable, source: &Source, read: &ReadOptions) -> Vec<String> {
    let mut warnings = spelled_warnings(table, &read.null);
    if source.blank_lines > 0 {
        warnings.push(format!("{} blank lines were passed over", source.blank_lines));
    }
    warnings.extend(guesses(source, &read.csv));
    warnings
}

fn spelled_warnings(table: &EncodedTable, listed: &[String]) -> Vec<String> {
    let mut empty = Vec::new();
    let mut spelled: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for column in table.columns() {
        let values = column.dictionary().values();
        match column.data_type() {
            DataType::Utf8 => {
                let values = values.as_string::<i32>();
                let holds = |text: &str| {
                    let (mut from, mut to) = (0, values.len());
                    while from < to {
                        let middle = from.midpoint(to);
                        if values.value(middle) < text { from = middle + 1 } else { to = middle }
                    }
                    from < values.len() && values.value(from) == text
                };
                if !values.is_empty() && values.value(0).is_empty() {
                    empty.push(column.name());
                }
                for spelling in SPELLINGS.into_iter().filter(|spelling| holds(spelling)) {
                    spelled.entry(spelling.into()).or_default().push(column.name());
                }
            }
            DataType::Int64 => {
                let values = values.as_primitive::<arrow_array::types::Int64Type>().values();
                // Only where nothing else is negative: then it is a mark, not a measure.
                let negative = values.partition_point(|&value| value < 0);
                if let [mark] = values[..negative]
                    && NUMBERS.contains(&mark)
                {
                    spelled.entry(mark.to_string()).or_default().push(column.name());
                }
            }
            DataType::Float64 => {
                // NaN comes after every other number.
                let values = values.as_primitive::<arrow_array::types::Float64Type>().values();
                if values.last().is_some_and(|value| value.is_nan()) {
                    spelled.entry("NaN".into()).or_default().push(column.name());
                }
            }
            _ => {}
        }
    }
    let mut warnings = Vec::new();
    if !empty.is_empty() {
        warnings.push(format!(
            "{} with empty cells ({}), which count as a value and keep numbers from being read as numbers: pass `--null ''` if they are missing",
            columns_counted(empty.len()),
            names(&empty),
        ));
    }
    for (spelling, columns) in spelled {
        if !listed.contains(&spelling) {
            warnings.push(format!(
                "{} with `{spelling}` ({}): pass `--null '{spelling}'` if it means missing",
                columns_counted(columns.len()),
                names(&columns),
            ));
        }
    }
    warnings
}

fn columns_counted(count: usize) -> String {
    format!("{count} {}", if count == 1 { "column" } else { "columns" })
}

/// A few names, and how many more there are.
pub(crate) fn names(all: &[&str]) -> String {
    let shown = all.iter().take(4).map(|name| printable(name)).collect::<Vec<_>>().join(", ");
    if all.len() > 4 { format!("{shown} and {} more", all.len() - 4) } else { shown }
}
