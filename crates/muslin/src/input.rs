//! What every job does with its input: describes it, warns about it, checks names.

use std::collections::BTreeMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use muslin_io::{CsvOptions, Dialect, Format, ReadOptions, Source};
use muslin_table::{EncodedTable, Form, Role, printable};
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
const SPELLINGS: [&str; 19] = [
    "NA",
    "N/A",
    "n/a",
    "NaN",
    "nan",
    "NULL",
    "null",
    "None",
    "none",
    "?",
    ".",
    "-",
    "n.a.",
    "N.A.",
    "#N/A",
    "k.A.",
    "k. A.",
    "k.A",
    "keine Angabe",
];
/// Numbers that often do.
const NUMBERS: [i64; 5] = [-9, -99, -999, -9999, -99999];
/// Numbers that stand for missing in surveys, where values are far smaller.
const LARGE: [i64; 9] = [97, 98, 99, 997, 998, 999, 9_997, 9_998, 9_999];

/// What to look at before relying on figures about an input.
pub(crate) fn warnings(table: &EncodedTable, source: &Source, read: &ReadOptions) -> Vec<String> {
    let mut warnings = spelled_warnings(table, &read.null);
    if source.blank_lines > 0 {
        warnings.push(format!("{} blank lines were passed over", source.blank_lines));
    }
    warnings.extend(guesses(source, &read.csv));
    warnings
}

/// Whether a text column has cells without a character, which count as a value.
pub(crate) fn has_empty_cells(table: &EncodedTable) -> bool {
    table.columns().iter().any(|column| {
        *column.data_type() == DataType::Utf8
            && column.dictionary().texts().first().is_some_and(String::is_empty)
    })
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
                // A number among texts is a mark, if no other number is.
                let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
                let mut numbers =
                    (0..values.len()).map(|at| values.value(at)).filter(|text| is_number(text));
                if let (Some(mark), None) = (numbers.next(), numbers.next())
                    && values.len() > 1
                    && NUMBERS.iter().any(|number| number.to_string() == mark)
                {
                    spelled.entry(mark.to_owned()).or_default().push(column.name());
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
                for mark in large_marks(values) {
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
    let mut warnings = spelling_warnings(table);
    if !empty.is_empty() {
        warnings.push(format!(
            "{} with empty cells ({}), which count as a value and keep numbers from being read as numbers: pass `--null ''` if they are missing",
            columns_counted(empty.len()),
            names(&empty),
        ));
    }
    for (spelling, columns) in spelled {
        if !listed.contains(&spelling) {
            let others = others_with(table, &spelling, &columns);
            let more = if others.is_empty() {
                String::new()
            } else {
                format!("; the flag is for every column, and {} has that value too", names(&others))
            };
            warnings.push(format!(
                "{} with `{spelling}` ({}): pass `--null '{spelling}'` if it means missing{more}",
                columns_counted(columns.len()),
                names(&columns),
            ));
        }
    }
    warnings
}

/// Columns whose type hangs on how their values are spelled.
fn spelling_warnings(table: &EncodedTable) -> Vec<String> {
    let mut warnings = Vec::new();
    for column in table.columns() {
        let name = printable(column.name());
        let values = column.dictionary();
        match values.form() {
            Form::MixedNumbers => warnings.push(format!(
                "column `{name}` holds numbers, some of them in two spellings (such as `1.5` and `1.50`, or `-0`), and stays text so that none is changed: pass `--type {name}=number` to read them as numbers, which respells them"
            )),
            Form::MixedDays => warnings.push(format!(
                "column `{name}` holds dates, and nothing shows whether the day or the month comes first, so it stays text: pass `--date-format {name}=%d/%m/%Y` or `--date-format {name}=%m/%d/%Y`"
            )),
            Form::Respelled if !values.keeps_texts() => warnings.push(format!(
                "column `{name}` was asked to be of type {}: values that were read in two spellings are one value, and are published in another spelling than they were read",
                muslin_io::type_name(column.data_type())
            )),
            _ => {}
        }
    }
    warnings
}

/// The largest of some rising values, if they are codes of surveys and far from all others.
fn large_marks(values: &[i64]) -> Vec<i64> {
    let Some(last) = values.last().filter(|last| LARGE.contains(last)) else { return Vec::new() };
    let digits = last.ilog10();
    let is_mark = |value: &i64| LARGE.contains(value) && value.ilog10() == digits;
    let from = values.len() - values.iter().rev().take_while(|value| is_mark(value)).count();
    match values[..from] {
        [_, .., largest] if largest * 2 < values[from] => values[from..].to_vec(),
        _ => Vec::new(),
    }
}

/// Other columns of whole numbers that hold a number.
fn others_with<'a>(table: &'a EncodedTable, spelling: &str, columns: &[&str]) -> Vec<&'a str> {
    let Ok(number) = spelling.parse::<i64>() else { return Vec::new() };
    let holds = |column: &&muslin_table::Column| {
        let values = column.dictionary().values();
        *column.data_type() == DataType::Int64
            && !columns.contains(&column.name())
            && values
                .as_primitive::<arrow_array::types::Int64Type>()
                .values()
                .binary_search(&number)
                .is_ok()
    };
    table.columns().iter().filter(holds).map(muslin_table::Column::name).collect()
}

fn columns_counted(count: usize) -> String {
    format!("{count} {}", if count == 1 { "column" } else { "columns" })
}

/// A few names, and how many more there are.
pub(crate) fn names(all: &[&str]) -> String {
    let shown = all.iter().take(4).map(|name| printable(name)).collect::<Vec<_>>().join(", ");
    if all.len() > 4 { format!("{shown} and {} more", all.len() - 4) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_marks_are_far_from_all_other_values() {
        let of = |values: &[i64]| large_marks(values);
        assert_eq!(of(&[1, 2, 3, 98, 99]), [98, 99]);
        assert_eq!(of(&[0, 5, 40, 99]), [99]);
        assert_eq!(of(&[1, 2, 98, 99, 998, 999]), [998, 999]);
        assert_eq!(of(&[1, 2, 3, 4, 5, 9_999]), [9_999]);
        for ages in
            [&[18, 60, 97, 98, 99][..], &[1, 80, 99], &[98, 99], &[1, 99], &[1, 2, 99, 100], &[]]
        {
            assert_eq!(of(ages), [] as [i64; 0], "{ages:?}");
        }
    }
}
