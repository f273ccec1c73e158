use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
use muslin_table::{Codes, Dictionary};

use super::*;

/// A column of values, each of as many rows as come out of it.
fn of(name: &str, values: ArrayRef, rows: usize) -> Column {
    let count = values.len();
    let slots: Vec<u32> = (0..rows).map(|row| u32::try_from(row % count.max(1)).unwrap()).collect();
    Column::new(name, Dictionary::new(values), Codes::pack(count, slots.into_iter())).unwrap()
}

fn texts(name: &str, values: impl IntoIterator<Item = String>, rows: usize) -> Column {
    let mut values: Vec<String> = values.into_iter().collect();
    values.sort();
    of(name, Arc::new(StringArray::from(values)), rows)
}

fn numbers(name: &str, values: impl IntoIterator<Item = f64>, rows: usize) -> Column {
    of(name, Arc::new(Float64Array::from_iter_values(values)), rows)
}

fn integers(name: &str, values: impl IntoIterator<Item = i64>, rows: usize) -> Column {
    of(name, Arc::new(Int64Array::from_iter_values(values)), rows)
}

fn column(name: &str, values: usize, rows: usize, long: bool) -> Column {
    let text = |v: usize| {
        format!("{v:05}{}", if long { " a long note of it ".repeat(4) } else { String::new() })
    };
    texts(name, (0..values).map(text), rows)
}

fn is(column: &Column, expected: Role) {
    let (found, reason) = suggest_role(column);
    assert_eq!(found, expected, "{}: {reason}", column.name());
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
        ("hhid", 40, 100, Role::Household),
        ("patient_no", 40, 100, Role::Unit),
    ] {
        is(&column(name, values, rows, false), role);
    }
}

#[test]
fn free_text_is_left_to_a_person() {
    let (role, reason) = suggest_role(&column("remarks", 60, 100, true));
    assert_eq!((role, reason.as_str()), (Role::Undecided, "free text: 100 % of values"));
}

#[test]
fn names_are_understood_in_several_languages() {
    for (names, role) in [
        (
            &["Vorname", "prénom", "apellidos", "cognome", "achternaam", "nazwisko"][..],
            Role::Identifier,
        ),
        (
            &["Geburtsdatum", "sexe", "código cp", "città", "leeftijd", "kön", "płeć", "ålder"],
            Role::QuasiIdentifier,
        ),
        (
            &["Einkommen_netto", "maladie", "salario", "reddito", "ziekte", "inkomst", "choroba"],
            Role::Sensitive,
        ),
        (&["Hochrechnungsfaktor", "pondération", "weging"], Role::Weight),
    ] {
        for name in names {
            is(&column(name, 40, 100, false), role);
        }
    }
}

#[test]
fn a_constant_survey_weight_is_a_weight() {
    is(&integers("sampling_weight", [100], 4_580), Role::Weight);
    is(&numbers("sampling_weight", (0..40).map(|at| 100.0 + f64::from(at)), 4_000), Role::Weight);
}

#[test]
fn incomes_are_sensitive_whatever_they_are_incomes_of() {
    is(
        &numbers("Haushaltseinkommen", (0..100).map(|at| f64::from(at) * 1.5), 3_000),
        Role::Sensitive,
    );
    is(&numbers("realrinc", (0..700).map(|at| f64::from(at) * 1.5), 61_697), Role::Sensitive);
    is(&texts("Chronisch krank", ["ja", "nein", "-9"].map(String::from), 3_000), Role::Sensitive);
}

#[test]
fn names_of_people_are_left_to_a_person_whatever_the_column_is_called() {
    let names = || {
        (0..100).map(|at| {
            format!(
                "Jan{} Huber",
                char::from(b'a' + at % 26).to_string().repeat(1 + usize::from(at) / 26)
            )
        })
    };
    for name in ["patient", "Person", "x1"] {
        is(&texts(name, names(), 3_000), Role::Undecided);
    }
    is(&texts("town", names(), 3_000), Role::QuasiIdentifier);
}

#[test]
fn a_sensitive_amount_that_few_rows_share_is_left_to_a_person() {
    // Published unchanged, it would number the households.
    for name in ["Haushaltseinkommen", "eqIncome", "expend"] {
        let amounts = (0..6_000).map(|at| f64::from(at) * 1.5);
        let (role, reason) = suggest_role(&numbers(name, amounts, 14_827));
        assert_eq!(role, Role::Undecided, "{name}: {reason}");
        assert!(reason.contains("6000 distinct values"), "{reason}");
    }
    // Codes, bands and texts are shared by many.
    is(&integers("income_band", 1..=12, 3_000), Role::Sensitive);
    let codes = (0..900).map(|at| format!("K{at:03}"));
    is(&texts("diagnosis", codes, 3_000), Role::Sensitive);
    // A few texts among them change nothing.
    let amounts = (0..900).map(|at| format!("{at},50")).chain(["k.A.".to_owned()]);
    is(&texts("Haushaltseinkommen", amounts, 3_000), Role::Undecided);
}

/// Names with letters alone.
fn people(count: usize) -> impl Iterator<Item = String> {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    (0..count)
        .map(move |at| format!("Ann{}{} Lee{}", letter(at), letter(at / 26), letter(at / 676)))
}

#[test]
fn names_of_people_are_identifiers_however_often_they_repeat() {
    is(&texts("Name", people(100), 3_000), Role::Identifier);
    is(&texts("Name", people(1_600), 3_000), Role::Identifier);
    let first = || people(111).map(|name| name.split(' ').next().unwrap().to_owned());
    is(
        &texts("Vorname", first().collect::<std::collections::BTreeSet<_>>(), 3_000),
        Role::Identifier,
    );
    // Of other things, nobody knows.
    is(&texts("name", ["red", "green", "blue"].map(String::from), 3_000), Role::Undecided);
    is(
        &texts("ward_name", ["red", "green", "blue"].map(String::from), 3_000),
        Role::QuasiIdentifier,
    );
}

#[test]
fn numbers_of_firms_and_measures_are_left_to_a_person() {
    // 15,691 rows: the number of an employer, and hours that nearly every row has alone.
    is(&integers("IDunit", 1_000..1_700, 15_691), Role::Undecided);
    is(&numbers("hoursPaid", (0..15_691).map(|at| f64::from(at) / 7.0), 15_691), Role::Undecided);
    is(&numbers("py010n", (0..2_000).map(|at| f64::from(at) / 7.0), 14_827), Role::Undecided);
    is(&integers("occ10", 10..550, 61_697), Role::Undecided);
}

#[test]
fn a_name_that_values_contradict_decides_nothing() {
    is(&integers("id", [1, 2], 3_000), Role::QuasiIdentifier);
    let moods = |at: usize| format!("a text about how old one feels, number{}", "x".repeat(at));
    is(&texts("age", (0..60).map(moods), 100), Role::Undecided);
    // Kilograms beside a survey weight, and a weight that may be either.
    is(
        &numbers("weight", (0..600).map(|at| 45.0 + f64::from(at) / 10.0), 3_000),
        Role::QuasiIdentifier,
    );
    is(&numbers("weight", (0..600).map(|at| 900.0 + f64::from(at) / 10.0), 3_000), Role::Undecided);
    is(
        &texts("Gewichtung", ["high", "low", "mid"].map(String::from), 3_000),
        Role::QuasiIdentifier,
    );
}

#[test]
fn codes_with_gaps_are_codes_whatever_their_type() {
    // Some tools read whole numbers with gaps as numbers.
    is(&numbers("pl030", (1..=7).map(f64::from), 14_827), Role::QuasiIdentifier);
    is(&integers("pl030", 1..=7, 14_827), Role::QuasiIdentifier);
}

#[test]
fn every_undecided_column_says_what_to_consider() {
    for column in [
        numbers("x", (0..2_000).map(|at| f64::from(at) / 7.0), 3_000),
        integers("IDunit", 1_000..1_700, 15_691),
        column("remarks", 60, 100, true),
    ] {
        let (role, _, consider) = suggestion(&column);
        assert_eq!(role, Role::Undecided);
        assert!(consider.unwrap().contains("`identifier`") || column.name() == "x");
    }
}
