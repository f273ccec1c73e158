use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray};
use muslin_table::{Codes, Dictionary};

use super::*;
use crate::scan::roles::parts_of;

fn column(name: &str, values: ArrayRef) -> Column {
    let count = values.len();
    let slots = (0..u32::try_from(count).unwrap()).collect::<Vec<_>>();
    Column::new(name, Dictionary::new(values), Codes::pack(count, slots.into_iter())).unwrap()
}

fn of_texts(name: &str, values: impl Iterator<Item = String>) -> Option<Pattern> {
    let mut values: Vec<String> = values.collect();
    values.sort();
    let column = column(name, Arc::new(StringArray::from(values)));
    look(&column, &parts_of(name)).map(|found| found.pattern)
}

fn of_numbers(name: &str, values: impl Iterator<Item = i64>) -> Option<Pattern> {
    let mut values: Vec<i64> = values.collect();
    values.sort_unstable();
    let column = column(name, Arc::new(Int64Array::from(values)));
    look(&column, &parts_of(name)).map(|found| found.pattern)
}

#[test]
fn most_values_decide() {
    let mails = |wrong: usize| {
        (0..100).map(
            move |at| if at < wrong { format!("none {at}") } else { format!("p{at}@example.org") },
        )
    };
    assert_eq!(of_texts("contact", mails(10)), Some(Pattern::Email));
    assert_eq!(of_texts("contact", mails(50)), None);
    assert_eq!(of_texts("contact", mails(0).take(4)), None);
    let cards = (0..20_000u64).map(|at| format!("{}", 4_000_000_000_000_000 + at));
    assert_eq!(of_texts("x", cards.clone()), None, "one in ten has a right check digit");
    let right = cards.filter(|text| checks::luhn(&digits(text).unwrap()));
    assert_eq!(of_texts("x", right), Some(Pattern::CreditCard));
}

#[test]
fn numbers_need_a_name_that_speaks_of_them() {
    let phones = || (0..50).map(|at| 6_641_234_500 + at);
    assert_eq!(of_numbers("amount", phones()), None);
    assert_eq!(of_numbers("Telefon", phones()), Some(Pattern::Phone));
    let issued =
        || (100_000_000..100_005_000i64).filter(|n| checks::bsn(&digits(&n.to_string()).unwrap()));
    assert_eq!(of_numbers("bsn", issued()), Some(Pattern::Bsn));
    assert_eq!(of_numbers("weight", issued()), None);
    assert_eq!(of_numbers("SSN", (0..50).map(|at| 123_451_000 + at)), Some(Pattern::UsSsn));
}

#[test]
fn names_of_people_hardly_repeat() {
    let letters = |at: usize| {
        let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
        format!("Ann{}{} Lee{}", letter(at), letter(at / 26), letter(at / 676))
    };
    assert_eq!(of_texts("who", (0..100).map(letters)), Some(Pattern::PersonName));
    assert_eq!(of_texts("who", (0..10).map(letters)), None);
    let notes = (0..30).map(|at| format!("came in with a cough {at}"));
    assert_eq!(of_texts("remarks", notes), Some(Pattern::FreeText));
}

/// Bits of everything that rules look for, put together at random, and cut in the middle of characters' bytes
/// never.
#[test]
fn no_text_makes_a_rule_panic() {
    let bits = [
        "",
        "+",
        "-",
        ".",
        "/",
        "(",
        "@",
        "www.",
        "http://",
        ":",
        " ",
        "é",
        "\u{1F600}",
        "0",
        "99",
        "A",
        "Z",
        "x",
        "2A",
        "DE89",
        "ß",
        "\0",
        "'",
        "e",
        "İ",
    ];
    let seed = muslin_engine::Seed::new(7);
    for draw in 0..20_000u64 {
        let count = seed.part(draw).below(0, 12);
        let text: String = (1..=count)
            .map(|at| bits[usize::try_from(seed.part(draw).below(at, bits.len() as u64)).unwrap()])
            .collect();
        for rule in &RULES {
            (rule.fits)(&text, false);
            (rule.fits)(&text, true);
        }
        for length in 0..20 {
            let text = "1".repeat(length) + &text;
            RULES.iter().for_each(|rule| {
                (rule.fits)(&text, true);
            });
        }
    }
}
