//! Suggests what a column is to the people in the table, from its name, its counts and what its values look like.
//!
//! A suggestion is a start for a person who decides; it errs on the side of calling a column a
//! quasi-identifier. The reason names what was seen and never a value.

use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use muslin_io::type_name;
use muslin_table::{Column, Role};

use super::patterns::{self, Pattern, PatternReport};
use super::words::{COUNTS_PEOPLE, HOUSEHOLD_NUMBERS, HOUSEHOLDS, NUMBERS, WORDS, is_word, shown};
use crate::looked::is_nearly_unique;

/// What muslin takes a column for.
pub(super) struct Suggestion {
    pub(super) role: Role,
    /// The name, the counts or the pattern that say so.
    pub(super) reason: String,
    /// What values look like.
    pub(super) pattern: Option<PatternReport>,
}

/// A role for a column, and why.
pub fn suggest_role(column: &Column) -> (Role, String) {
    let Suggestion { role, reason, .. } = suggest(column);
    (role, reason)
}

/// A role for a column, and what its values look like.
pub(super) fn suggest(column: &Column) -> Suggestion {
    let parts = parts_of(column.name());
    let pattern = patterns::look(column, &parts);
    let (role, reason) = decide(column, &parts, pattern);
    Suggestion { role, reason, pattern }
}

fn decide(column: &Column, parts: &[String], pattern: Option<PatternReport>) -> (Role, String) {
    let valued = column.rows() as u64 - column.missing() - column.suppressed();
    let distinct = column.dictionary().len() as u64;
    if distinct == 0 {
        return (Role::Other, "no value".into());
    }
    // A key into another table, such as a ward's number, names no person by itself.
    let repeats = distinct * 20 < valued;
    let holds = |words: &[&str]| parts.iter().any(|part| words.contains(&part.as_str()));
    let named = WORDS.iter().find_map(|(role, words)| {
        let is_there = |word: &&&str| parts.iter().any(|part| is_word(part, word));
        Some((*role, shown(words.iter().find(is_there)?)))
    });
    if distinct == 1 {
        // One value tells nothing in this table; the next delivery may have more.
        return match named {
            Some((role, word)) => (role, format!("named `{word}`, one value only")),
            None => (Role::Other, "one value only".into()),
        };
    }
    let identifying = pattern.filter(|found| found.pattern.is_identifying());
    if holds(&["weight", "weights"]) && holds(COUNTS_PEOPLE) {
        return (Role::Weight, "named as a survey weight".into());
    }
    if holds(HOUSEHOLD_NUMBERS) || (holds(HOUSEHOLDS) && holds(NUMBERS)) {
        return (Role::Identifier, "named as a household's number".into());
    }
    if let Some(found) = identifying {
        let what = found.pattern.describe();
        let mut reason = format!("{what}: {} of values", percent(found.share));
        if let Some((Role::Identifier, word)) = named {
            reason = format!("named `{word}`; {reason}");
        }
        if repeats && found.pattern != Pattern::FreeText {
            return (Role::QuasiIdentifier, format!("{reason}, repeated"));
        }
        return (Role::Identifier, reason);
    }
    let kind = type_name(column.data_type());
    match named {
        Some((Role::Identifier, word)) if repeats => {
            (Role::QuasiIdentifier, format!("named `{word}`, values repeat"))
        }
        Some((role, word)) => (role, format!("named `{word}`")),
        None if pattern.is_some() => {
            let what = pattern.map_or("", |found| found.pattern.describe());
            (Role::QuasiIdentifier, what.into())
        }
        None if is_nearly_unique(column) && matches!(kind, "text" | "integer" | "binary") => {
            (Role::Identifier, "nearly unique".into())
        }
        None if is_free_text(column, distinct, valued) => {
            (Role::Identifier, "long texts, hardly repeated".into())
        }
        None if kind == "number" || kind == "duration" => (Role::Other, "a measure".into()),
        None if kind == "integer" && distinct * 10 >= valued => {
            (Role::Other, "a measure, many values".into())
        }
        None => (Role::QuasiIdentifier, "values repeat".into()),
    }
}

/// A share in whole percent, rounded down so that all means all.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
fn percent(share: f64) -> String {
    format!("{} %", (share * 100.0).floor() as u32)
}

/// The parts of a name, without accents: `patientId`, `patient_id` and `Patient ID` have the same.
pub(super) fn parts_of(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut previous = ' ';
    for c in name.chars() {
        let new_part = !c.is_alphanumeric() || (c.is_uppercase() && previous.is_lowercase());
        if new_part {
            parts.push(String::new());
        }
        if c.is_alphanumeric() {
            let part = parts.last_mut().expect("there is a part");
            c.to_lowercase().for_each(|c| push_plain(part, c));
        }
        previous = c;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Adds a letter without its accent.
fn push_plain(part: &mut String, letter: char) {
    let plain = match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' => 'a',
        'ç' | 'ć' => 'c',
        'è' | 'é' | 'ê' | 'ë' | 'ę' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ś' => 's',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ý' => 'y',
        'ź' | 'ż' => 'z',
        'ß' => return part.push_str("ss"),
        'æ' => return part.push_str("ae"),
        'œ' => return part.push_str("oe"),
        other => other,
    };
    part.push(plain);
}

fn is_free_text(column: &Column, distinct: u64, valued: u64) -> bool {
    if *column.data_type() != DataType::Utf8 || distinct * 2 < valued {
        return false;
    }
    let values = column.dictionary().values().as_string::<i32>();
    let bytes = values.value_data().len() as u64;
    bytes > distinct * 25
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, StringArray};
    use muslin_table::{Codes, Dictionary};

    use super::*;

    fn column(name: &str, values: usize, rows: usize, long: bool) -> Column {
        let text = |v: usize| {
            format!("{v:05}{}", if long { " a long note of it ".repeat(4) } else { String::new() })
        };
        let array: ArrayRef = Arc::new((0..values).map(|v| Some(text(v))).collect::<StringArray>());
        let slots: Vec<u32> =
            (0..rows).map(|row| u32::try_from(row % values.max(1)).unwrap()).collect();
        Column::new(name, Dictionary::new(array), Codes::pack(values, slots.into_iter())).unwrap()
    }

    #[test]
    fn roles_follow_names_and_counts() {
        for (name, values, rows, role) in [
            ("patientId", 100, 100, Role::Identifier),
            ("E-Mail", 90, 100, Role::Identifier),
            ("ward_id", 3, 100, Role::QuasiIdentifier),
            ("Age", 40, 100, Role::QuasiIdentifier),
            ("zip code", 40, 100, Role::QuasiIdentifier),
            ("zipper", 99, 100, Role::Identifier),
            ("diagnosis", 40, 100, Role::Sensitive),
            ("sampling_weight", 40, 100, Role::Weight),
            ("weight", 4, 100, Role::QuasiIdentifier),
            ("hair", 4, 100, Role::QuasiIdentifier),
            ("constant", 1, 100, Role::Other),
        ] {
            let (found, reason) = suggest_role(&column(name, values, rows, false));
            assert_eq!(found, role, "{name}: {reason}");
        }
    }

    #[test]
    fn notes_are_told_by_their_length() {
        let (role, reason) = suggest_role(&column("remarks", 60, 100, true));
        assert_eq!((role, reason.as_str()), (Role::Identifier, "free text: 100 % of values"));
    }

    #[test]
    fn names_are_understood_in_several_languages() {
        for (names, role) in [
            (
                &["Vorname", "prénom", "apellidos", "cognome", "achternaam", "nazwisko", "hhid"][..],
                Role::Identifier,
            ),
            (
                &["Geburtsdatum", "sexe", "código cp", "città", "leeftijd", "kön", "płeć", "ålder"],
                Role::QuasiIdentifier,
            ),
            (
                &[
                    "Einkommen_netto",
                    "maladie",
                    "salario",
                    "reddito",
                    "ziekte",
                    "inkomst",
                    "choroba",
                ],
                Role::Sensitive,
            ),
            (&["Hochrechnungsfaktor", "pondération", "weging"], Role::Weight),
        ] {
            for name in names {
                let (found, reason) = suggest_role(&column(name, 40, 100, false));
                assert_eq!(found, role, "{name}: {reason}");
            }
        }
    }
}
