//! Suggests what a column is to the people in the table, from its name and its counts.
//!
//! A suggestion is a start for a person who decides; it errs on the side of calling a column a
//! quasi-identifier. The reason names what was seen and never a value.

use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use muslin_io::type_name;
use muslin_table::{Column, Role};

/// Words in names that suggest a role. A word matches a whole part of a name: `zip` is in
/// `zip_code` and `homeZip` and not in `zipper`.
const WORDS: [(Role, &[&str]); 4] = [
    (
        Role::Identifier,
        &[
            "id",
            "uid",
            "uuid",
            "guid",
            "ssn",
            "nhs",
            "mrn",
            "name",
            "surname",
            "firstname",
            "lastname",
            "fullname",
            "forename",
            "vorname",
            "nachname",
            "nom",
            "prenom",
            "nombre",
            "apellido",
            "email",
            "mail",
            "phone",
            "telephone",
            "tel",
            "mobile",
            "fax",
            "address",
            "street",
            "strasse",
            "adresse",
            "iban",
            "account",
            "passport",
            "licence",
            "license",
            "plate",
            "url",
            "ip",
            "mac",
            "username",
            "login",
            "pid",
            "rb030",
        ],
    ),
    (
        Role::Weight,
        &["wgt", "fnlwgt", "pweight", "weights", "wt", "gewicht", "ponderation", "rb050", "db090"],
    ),
    (
        Role::Sensitive,
        &[
            "diagnosis",
            "diagnose",
            "disease",
            "illness",
            "icd",
            "condition",
            "hiv",
            "cancer",
            "treatment",
            "therapy",
            "medication",
            "drug",
            "symptom",
            "income",
            "salary",
            "wage",
            "earnings",
            "einkommen",
            "gehalt",
            "savings",
            "debt",
            "credit",
            "expend",
            "charge",
            "loan",
            "crime",
            "offence",
            "conviction",
            "grade",
            "score",
            "religion",
            "party",
            "vote",
        ],
    ),
    (
        Role::QuasiIdentifier,
        &[
            "age",
            "alter",
            "edad",
            "sex",
            "gender",
            "geschlecht",
            "sexe",
            "sexo",
            "zip",
            "zipcode",
            "postcode",
            "postal",
            "plz",
            "birth",
            "birthday",
            "birthdate",
            "dob",
            "geburt",
            "naissance",
            "race",
            "ethnicity",
            "ethnic",
            "nationality",
            "citizenship",
            "country",
            "city",
            "town",
            "village",
            "region",
            "state",
            "county",
            "district",
            "province",
            "municipality",
            "marital",
            "education",
            "occupation",
            "job",
            "profession",
            "employer",
            "workclass",
            "relationship",
            "household",
            "children",
            "language",
            "urbrur",
            "relat",
            "height",
            "date",
        ],
    ),
];

/// A role for a column, and why.
pub fn suggest_role(column: &Column) -> (Role, String) {
    let rows = column.rows() as u64;
    let valued = rows - column.missing() - column.suppressed();
    let distinct = column.dictionary().len() as u64;
    if distinct <= 1 {
        let reason = if distinct == 0 { "no value" } else { "one value only" };
        return (Role::Other, reason.into());
    }
    let parts = parts_of(column.name());
    let kind = type_name(column.data_type());
    let mostly_unique = valued >= 20 && distinct * 100 >= valued * 95;
    let named = WORDS.iter().find_map(|(role, words)| {
        let word = words.iter().find(|word| parts.iter().any(|part| part == *word))?;
        Some((*role, *word))
    });
    // `weight` says how many people a row stands for only next to a word that says so.
    let counts_people = ["sampling", "survey", "sample", "household", "person", "design", "final"];
    if parts.iter().any(|p| p == "weight" || p == "weights")
        && parts.iter().any(|part| counts_people.contains(&part.as_str()))
    {
        return (Role::Weight, "named as a survey weight".into());
    }
    match named {
        // A key into another table, such as a ward's number, names no person by itself.
        Some((Role::Identifier, word)) if distinct * 20 < valued => {
            let reason = format!("named `{word}`, values repeat");
            (Role::QuasiIdentifier, reason)
        }
        Some((role, word)) => (role, format!("named `{word}`")),
        None if mostly_unique && (kind == "text" || kind == "integer" || kind == "binary") => {
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

/// The parts of a name: `patientId`, `patient_id` and `Patient ID` have the same.
fn parts_of(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut previous = ' ';
    for c in name.chars() {
        let new_part = !c.is_alphanumeric() || (c.is_uppercase() && previous.is_lowercase());
        if new_part {
            parts.push(String::new());
        }
        if c.is_alphanumeric() {
            parts.last_mut().expect("there is a part").extend(c.to_lowercase());
        }
        previous = c;
    }
    parts.retain(|part| !part.is_empty());
    parts
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
            format!("{v:05}{}", if long { " long note ".repeat(4) } else { String::new() })
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
        assert_eq!((role, reason.as_str()), (Role::Identifier, "long texts, hardly repeated"));
    }
}
