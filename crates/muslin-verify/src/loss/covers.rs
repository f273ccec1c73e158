//! The labels of a release, read without its original: against the values of some people, or against the values that
//! the release itself shows.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, StringArray};
use arrow_schema::DataType;
use muslin_table::{Codes, Column, Dictionary, Hierarchy};

use super::decode::{Decoder, Read};
use super::labels::{self, Label};
use super::reading::Cover;
use crate::Result;

/// What the labels of a release's column may stand for among the values of some people.
///
/// # Guarantee
/// One entry for each value of the release's dictionary. Labels are read as [`super::Reading`] reads them, with one
/// difference: the people need not have all values that a label names, so a set or values with counts stand for those
/// of their values that the people have. A label that stands for none of them has no cover.
///
/// # Example
/// ```
/// use muslin_table::{Column, EncodedTable};
/// use muslin_verify::loss::{Cover, covers};
/// let people = EncodedTable::of(&[[20], [35]]);
/// let release = Column::of_labels("c0", &["{20, 99}", "[90-99]"], [0, 1].into_iter())?;
/// let found = covers(&people.columns()[0], &release, None)?;
/// assert_eq!(found, [None, Some(Cover::Exact(0))], "in the order of their texts");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn covers(
    people: &Column,
    release: &Column,
    hierarchy: Option<&Hierarchy>,
) -> Result<Vec<Option<Cover>>> {
    let decoder = Decoder::new(people, release, hierarchy)?.of_some();
    let values = 0..release.dictionary().len();
    Ok(values
        .map(|at| match decoder.read(at) {
            Read::Cover(cover, _) => Some(cover),
            Read::NoValue | Read::Unknown => None,
        })
        .collect())
}

/// How the labels of one column of a release relate to the values that it shows exactly.
///
/// # Guarantee
/// A text is a label when it is a range, a set, a beginning with stars, a side of a bound, or values with counts of
/// which the column shows one exactly; `*` is suppressed; every other text is a value. Where all values are numbers,
/// they are compared as numbers. A column that shows no value exactly, and one that is no text, has no labels.
///
/// # Example
/// ```
/// use muslin_table::Column;
/// use muslin_verify::loss::{Cover, OwnLabels};
/// let ages = Column::of_labels("age", &["100", "20", "[15-99]"], [0, 1, 2].into_iter())?;
/// let own = OwnLabels::of(&ages)?.expect("there is a range");
/// // 20 is the first value and 100 the second.
/// assert_eq!(own.covers()[2], Some(Cover::Exact(0)));
/// assert_eq!((own.values(), own.is_number()), (2, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OwnLabels {
    covers: Vec<Option<Cover>>,
    is_wide: Vec<bool>,
    values: usize,
    is_number: bool,
}

impl OwnLabels {
    /// Reads the labels of a column; nothing where all of its texts are values or `*`.
    pub fn of(column: &Column) -> Result<Option<Self>> {
        if *column.data_type() != DataType::Utf8 {
            return Ok(None);
        }
        let texts = column.dictionary().texts();
        let parsed: Vec<Option<Label<'_>>> = texts.iter().map(|text| labels::parse(text)).collect();
        // Texts without brackets, such as 1980, 10-12 or a;b, may be values, and nothing here says that they are labels.
        let is_plain = |label: &Option<Label<'_>>| {
            matches!(
                label,
                None | Some(
                    Label::Value(_)
                        | Label::Period { .. }
                        | Label::Range { is_bare: true, .. }
                        | Label::Set { is_bare: true, .. }
                )
            )
        };
        let plain: BTreeSet<&str> = texts
            .iter()
            .zip(&parsed)
            .filter(|(_, label)| is_plain(label))
            .map(|(text, _)| text.as_str())
            .collect();
        // A time such as 10:30 reads like a value with its count.
        let is_value = |label: &Option<Label<'_>>| match label {
            Some(Label::Multiset(counts)) => {
                !counts.iter().any(|(value, _)| plain.contains(value.as_str()))
            }
            label => is_plain(label),
        };
        let is_any = |label: &Option<Label<'_>>| *label == Some(Label::Any);
        let is_wide: Vec<bool> =
            parsed.iter().map(|label| !is_value(label) && !is_any(label)).collect();
        let values: Vec<&str> = texts
            .iter()
            .zip(&parsed)
            .filter(|(_, label)| is_value(label))
            .map(|(text, _)| text.as_str())
            .collect();
        if values.is_empty() || !is_wide.contains(&true) {
            return Ok(None);
        }
        let (dictionary, is_number) = dictionary(&values);
        let count = dictionary.len();
        let values =
            Column::new(column.name(), dictionary, Codes::pack(count, std::iter::empty()))?;
        Ok(Some(Self { covers: covers(&values, column, None)?, is_wide, values: count, is_number }))
    }

    /// What each text of the column's dictionary may stand for, as places among the values it shows, in order.
    #[must_use]
    pub fn covers(&self) -> &[Option<Cover>] {
        &self.covers
    }

    /// Whether the text at a place of the dictionary is a label, and not a value.
    ///
    /// # Panics
    /// When there is no such place.
    #[must_use]
    pub fn is_label(&self, at: usize) -> bool {
        self.is_wide[at]
    }

    /// Number of values that the column shows exactly.
    #[must_use]
    pub fn values(&self) -> usize {
        self.values
    }

    /// Whether these are numbers.
    #[must_use]
    pub fn is_number(&self) -> bool {
        self.is_number
    }
}

/// Distinct texts as a dictionary: of numbers, where all are.
fn dictionary(values: &[&str]) -> (Dictionary, bool) {
    let number = |text: &&str| text.trim().parse::<f64>().ok().filter(|own| own.is_finite());
    let numbers: Option<Vec<f64>> = values.iter().map(number).collect();
    let (array, is_number): (ArrayRef, bool) = match numbers {
        Some(mut numbers) => {
            // Zero has no sign here.
            numbers.iter_mut().for_each(|own| *own += 0.0);
            numbers.sort_by(f64::total_cmp);
            numbers.dedup();
            (Arc::new(Float64Array::from(numbers)), true)
        }
        None => {
            let mut texts = values.to_vec();
            texts.sort_unstable();
            texts.dedup();
            (Arc::new(StringArray::from(texts)), false)
        }
    };
    (Dictionary::new(array), is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(labels: &[&str]) -> Option<OwnLabels> {
        let count = u32::try_from(labels.len()).unwrap();
        OwnLabels::of(&Column::of_labels("c", labels, 0..count).unwrap()).unwrap()
    }

    #[test]
    fn a_release_without_its_original_reads_its_own_labels() {
        // In the order of texts: `*`, `Graz`, `Linz`, `Wien`, `{Graz, Wien}`, `{Rom}`.
        let read = own(&["Graz", "Linz", "Wien", "{Graz, Wien}", "{Rom}", "*"]).unwrap();
        assert_eq!((read.values(), read.is_number()), (3, false));
        let labels: Vec<bool> = (0..6).map(|at| read.is_label(at)).collect();
        assert_eq!(labels, [false, false, false, false, true, true]);
        assert_eq!(read.covers()[0], Some(Cover::Any));
        assert_eq!(read.covers()[4], Some(Cover::Set([0, 2].into())));
        assert_eq!(read.covers()[5], None);
    }

    #[test]
    fn texts_that_only_look_like_labels_are_values() {
        assert_eq!(own(&["10:30", "11:15"]), None);
        assert_eq!(own(&["a", "b", "*"]), None);
        // Nothing is shown exactly, so there is nothing to read labels by.
        assert_eq!(own(&["[0-9]", "[10-19]"]), None);
        assert_eq!(own(&["1", "1.5", "1:2,1.5:1"]).unwrap().values(), 2);
    }
}
