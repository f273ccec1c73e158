//! The form of labels that are none of muslin's: a text with fields, such as `{low} to {high}`.
//!
//! ```text
//! format = column "=" (character | "{{" | "}}" | field)+
//! field  = "{low}" | "{high}"        a bound that is within the range
//!        | "{above}" | "{below}"     a bound that is not
//!        | "{prefix}"                the beginning of a value; each character after it stands for one
//!        | "{value}"                 a value itself
//! ```
//!
//! A format is for a whole label. One bound alone makes a range that is open to the other side. A label
//! of the release is written anew as muslin spells it, before anything reads it.

use std::fmt;
use std::str::FromStr;

use arrow_schema::DataType;
use muslin_table::{ANY, Column, EncodedTable};

use crate::Result;

/// The form of the labels of a column.
///
/// ```
/// let format: muslin::LabelFormat = "age={low} up to {below}".parse()?;
/// assert_eq!(format.column(), "age");
/// assert!("age={low}".parse::<muslin::LabelFormat>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelFormat {
    column: String,
    parts: Vec<Part>,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Field(Field),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Low,
    High,
    Above,
    Below,
    Prefix,
    Value,
}

const FIELDS: [(&str, Field); 6] = [
    ("low", Field::Low),
    ("high", Field::High),
    ("above", Field::Above),
    ("below", Field::Below),
    ("prefix", Field::Prefix),
    ("value", Field::Value),
];

impl FromStr for LabelFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (column, form) =
            text.split_once('=').ok_or("NAME=FORM, such as 'age={low} to {high}'")?;
        let format = Self { column: column.into(), parts: parts(form)?, text: text.into() };
        format.check()?;
        Ok(format)
    }
}

impl fmt::Display for LabelFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Takes a form apart.
fn parts(form: &str) -> Result<Vec<Part>, String> {
    let (mut parts, mut text) = (Vec::new(), String::new());
    let mut rest = form;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("{{") || rest.starts_with("}}") {
            text.push(c);
            rest = &rest[2..];
        } else if let Some(inner) = rest.strip_prefix('{') {
            let (name, after) = inner
                .split_once('}')
                .ok_or("a field ends with `}`; write `{{` for a brace itself")?;
            let field = FIELDS.iter().find(|(own, _)| *own == name).map(|&(_, field)| field);
            let field =
                field.ok_or("fields are {low}, {high}, {above}, {below}, {prefix} and {value}")?;
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            parts.push(Part::Field(field));
            rest = after;
        } else {
            text.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    Ok(parts)
}

impl LabelFormat {
    /// The column whose labels have this form.
    pub fn column(&self) -> &str {
        &self.column
    }

    fn check(&self) -> Result<(), String> {
        let is_text = |part: &Part| matches!(part, Part::Text(_));
        if self.column.is_empty() || !self.parts.iter().any(is_text) {
            return Err("a column's name, `=`, and a form with a text and a field, such as 'age={low} to {high}'".into());
        }
        if self.parts.windows(2).any(|pair| !pair.iter().any(is_text)) {
            return Err("two fields have a text between them, such as '{low} to {high}'".into());
        }
        let lower = self.count(&[Field::Low, Field::Above]);
        let upper = self.count(&[Field::High, Field::Below]);
        let alone = self.count(&[Field::Prefix, Field::Value]);
        let is_one = matches!((lower, upper, alone), (0 | 1, 0 | 1, 0) | (0, 0, 1));
        if !is_one || lower + upper + alone == 0 {
            return Err("a form has one lower bound, one upper bound, or both; or {prefix} or {value} alone".into());
        }
        let begins = matches!(self.parts[..], [Part::Field(Field::Prefix), Part::Text(_)]);
        if self.count(&[Field::Prefix]) == 1 && !begins {
            return Err("{prefix} comes first, and a text for the characters left out after it, such as 'zip={prefix}XX'".into());
        }
        Ok(())
    }

    fn count(&self, fields: &[Field]) -> usize {
        let is_one = |part: &&Part| matches!(part, Part::Field(own) if fields.contains(own));
        self.parts.iter().filter(is_one).count()
    }

    /// A label of this form as muslin spells it; nothing where it has another form.
    fn spelled(&self, label: &str) -> Option<String> {
        let mut ways = Vec::new();
        fill(&self.parts, label, &mut Vec::new(), &mut ways);
        // Where a text can be read in several ways, bounds that could be numbers or days come first.
        let is_point = |(_, text): &(Field, &str)| text.contains(|c: char| c.is_ascii_digit());
        let way = ways.iter().find(|way| way.iter().all(is_point)).or(ways.first())?;
        let of =
            |wanted: Field| way.iter().find(|(field, _)| *field == wanted).map(|(_, text)| *text);
        let lower = of(Field::Low)
            .map(|text| (text, "[", ">="))
            .or_else(|| of(Field::Above).map(|text| (text, "(", ">")));
        let upper = of(Field::High)
            .map(|text| (text, "]", "<="))
            .or_else(|| of(Field::Below).map(|text| (text, ")", "<")));
        Some(match (lower, upper) {
            (Some((low, open, _)), Some((high, close, _))) => {
                format!("{open}{low} to {high}{close}")
            }
            (Some((low, _, sign)), None) => format!("{sign}{low}"),
            (None, Some((high, _, sign))) => format!("{sign}{high}"),
            (None, None) => match of(Field::Prefix) {
                Some(text) => {
                    let left_out = label.chars().count() - text.chars().count();
                    format!("{text}{}", ANY.repeat(left_out))
                }
                None => format!("\"{}\"", of(Field::Value)?.replace('"', "\"\"")),
            },
        })
    }
}

/// Every way to fill the fields of a form with a label.
fn fill<'l>(
    parts: &[Part],
    label: &'l str,
    found: &mut Vec<(Field, &'l str)>,
    ways: &mut Vec<Vec<(Field, &'l str)>>,
) {
    match parts {
        [] if label.is_empty() => ways.push(found.clone()),
        [] => {}
        [Part::Text(text), rest @ ..] => {
            if let Some(label) = label.strip_prefix(text.as_str()) {
                fill(rest, label, found, ways);
            }
        }
        [Part::Field(field), rest @ ..] => {
            let ends = label.char_indices().map(|(at, c)| at + c.len_utf8());
            for end in ends {
                let text = label[..end].trim();
                if !text.is_empty() {
                    found.push((*field, text));
                    fill(rest, &label[end..], found, ways);
                    found.pop();
                }
            }
        }
    }
}

/// An error where a form is for a column that a release lacks.
pub(crate) fn check(release: &EncodedTable, formats: &[LabelFormat]) -> Result<()> {
    formats.iter().try_for_each(|format| Ok(release.find(&format.column).map(|_| ())?))
}

/// A release whose labels of these forms are spelled as muslin spells them. What is a value of the original
/// stays one, and different labels stay different.
pub(crate) fn spelled(
    release: EncodedTable,
    formats: &[LabelFormat],
    original: Option<&EncodedTable>,
) -> Result<EncodedTable> {
    if formats.is_empty() {
        return Ok(release);
    }
    let rows = release.rows();
    let column = |column: Column| {
        let own: Vec<&LabelFormat> =
            formats.iter().filter(|format| format.column == column.name()).collect();
        if own.is_empty() || *column.data_type() != DataType::Utf8 {
            return Ok(column);
        }
        let known = original.and_then(|table| Some(table.column(table.find(column.name()).ok()?)));
        let known = known.map(|column| column.dictionary().texts()).unwrap_or_default();
        let known: std::collections::HashSet<&str> = known.iter().map(String::as_str).collect();
        let mut taken = std::collections::HashSet::new();
        let texts = column.dictionary().texts();
        let labels = texts.iter().map(|text| {
            let is_value = known.contains(text.as_str());
            let read = own.iter().find_map(|format| format.spelled(text.trim()));
            let mut label = read.filter(|_| !is_value).unwrap_or_else(|| text.clone());
            // Blanks around a label say nothing, and keep classes apart.
            while !taken.insert(label.clone()) {
                label.push(' ');
            }
            label
        });
        let labels: Vec<String> = labels.collect();
        let made = Column::of_labels(column.name(), &labels, column.codes().slots())?;
        Ok(made.with_role(column.role()))
    };
    let columns = release.into_columns().into_iter().map(column).collect::<Result<Vec<_>>>()?;
    Ok(EncodedTable::new(rows, columns)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str, label: &str) -> Option<String> {
        format!("x={format}").parse::<LabelFormat>().unwrap().spelled(label)
    }

    #[test]
    fn labels_of_a_form_are_spelled_as_ranges_beginnings_and_values() {
        for (format, label, spelled) in [
            ("{low} to {high}", "40 to 49", "[40 to 49]"),
            ("{low} bis unter {below} Jahre", "40 bis unter 50 Jahre", "[40 to 50)"),
            ("von {above}, {high}", "von 40, 49", "(40 to 49]"),
            ("{low}-{high}", "-5--1", "[-5 to -1]"),
            ("{low} y.+", "70 y.+", ">=70"),
            ("to {high}", "to 5", "<=5"),
            ("~{below}", "~5", "<5"),
            ("{prefix}XX", "102XX", "102**"),
            ("Town of {value}", "Town of \"A\"", "\"\"\"A\"\"\""),
            ("{{{low},{high}}}", "{1,2}", "[1 to 2]"),
        ] {
            assert_eq!(read(format, label).as_deref(), Some(spelled), "{format}");
        }
        for (format, label) in
            [("{low} to {high}", "40-49"), ("{prefix}XX", "XX"), ("to {high}", "up to 5")]
        {
            assert_eq!(read(format, label), None, "{format}");
        }
    }

    #[test]
    fn forms_that_could_be_anything_are_refused() {
        for format in [
            "{low}",
            "{low}{high}",
            "a",
            "{low} to {low}",
            "{low} to {above}",
            "{value} or {low}",
            "{min} to {max}",
            "{low to {high}",
            "X{prefix}X",
            "{prefix}",
            "",
        ] {
            assert!(format!("x={format}").parse::<LabelFormat>().is_err(), "{format}");
        }
        assert!("={low} to {high}".parse::<LabelFormat>().is_err());
        assert!("age".parse::<LabelFormat>().is_err());
    }

    #[test]
    fn values_of_the_original_stay_values_and_labels_stay_different() {
        let labels = ["1 to 2", "3 to 4", "3  to 4"];
        let release = Column::of_labels("x", &labels, [0, 1, 2, 4].into_iter()).unwrap();
        let release = EncodedTable::new(4, vec![release]).unwrap();
        let original = Column::of_labels("x", &["1 to 2"], [0].into_iter()).unwrap();
        let original = EncodedTable::new(1, vec![original]).unwrap();
        let formats = ["x={low} to {high}".parse().unwrap()];
        let read = spelled(release, &formats, Some(&original)).unwrap();
        let column = &read.columns()[0];
        let of = |row: u32| column.code(muslin_table::RowId::new(row)).value();
        let text = |row: u32| of(row).map(|at| column.dictionary().text(at));
        assert_eq!(text(0).as_deref(), Some("1 to 2"));
        let (one, other) = (text(1).unwrap(), text(2).unwrap());
        assert_ne!(one, other);
        assert_eq!((one.trim(), other.trim()), ("[3 to 4]", "[3 to 4]"));
        assert_eq!((of(3), column.suppressed()), (None, 1));
    }
}
