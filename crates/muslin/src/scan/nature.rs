//! What kind of values a column has, as far as that decides how they may be generalized.

use arrow_schema::DataType;
use muslin_table::{Column, Number};

use super::patterns::{self, Pattern};
use super::roles::{is_free_text, parts_of};
use super::words::{Topic, spoken};

/// What a column's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// Numbers and times whose distances mean something.
    Quantity,
    /// Whole numbers that stand for something else: postal codes, occupations, places.
    Code,
    /// Texts and truth values that repeat.
    Category,
    /// Texts that name a person or say much about one, or days that were read as text.
    Telling(Pattern),
}

/// Words in names of columns whose numbers are codes.
#[rustfmt::skip]
const CODES: &[&str] = &[
    "code", "codes", "kode", "kod", "schluessel", "schlussel", "zip", "zipcode", "postcode", "postal", "plz",
    "postleitzahl", "cap", "cep", "cp", "postnummer", "postnr", "occ", "occupation", "beruf", "isco", "soc", "ind",
    "industry", "naics", "sic", "nace", "icd", "fips", "nuts", "ags", "insee", "lau", "ward", "msa", "cbsa", "tract",
];

/// Words in names of columns whose numbers are amounts, however they are spread.
#[rustfmt::skip]
const QUANTITIES: &[&str] = &[
    "age", "alter", "edad", "eta", "idade", "leeftijd", "year", "years", "yob", "jahr", "income", "einkommen", "wage",
    "wages", "salary", "gehalt", "lohn", "earnings", "pay", "price", "amount", "cost", "costs", "value", "total", "sum",
    "gain", "loss", "hours", "days", "weight", "gewicht", "height", "size", "score", "count", "number", "revenue",
    "revenu", "salaire", "renta", "ingreso", "reddito", "renda", "inkomen", "expend", "expenditure", "tax", "rent",
];

/// Words in names of columns with people's names, and words that stand beside these.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "name", "names", "surname", "firstname", "lastname", "fullname", "forename", "givenname", "familyname",
    "middlename", "nickname", "vorname", "nachname", "zuname", "familienname", "geburtsname", "nom", "prenom",
    "patronyme", "nombre", "nombres", "apellido", "apellidos", "nome", "cognome", "sobrenome", "apelido", "naam",
    "voornaam", "achternaam", "namn", "fornamn", "efternamn", "navn", "fornavn", "efternavn", "etternavn", "imie",
    "nazwisko",
];
const WHICH_NAME: &[&str] = &[
    "first", "last", "full", "given", "family", "middle", "maiden", "person", "patient", "client",
];

/// More different sentences than these are no labels of categories.
const CATEGORIES: u64 = 20;

/// Values repeat where each of them is in this many rows on average.
const REPEATS: u64 = 20;

impl Nature {
    /// What a column's values are, by its type, its name and what they look like.
    pub(crate) fn of(column: &Column) -> Self {
        let parts = parts_of(column.name());
        match column.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 => of_text(column, &parts),
            DataType::Boolean | DataType::Binary | DataType::LargeBinary => Self::Category,
            _ if column.dictionary().is_category() || is_code(column, &parts) => Self::Code,
            _ => Self::Quantity,
        }
    }

    /// Whether values have no distances, so that a range of them means nothing.
    pub(crate) fn is_nominal(self) -> bool {
        self != Self::Quantity
    }
}

fn of_text(column: &Column, parts: &[String]) -> Nature {
    let valued = column.rows() as u64 - column.missing() - column.suppressed();
    let distinct = column.dictionary().len() as u64;
    let is_rare = distinct * REPEATS >= valued;
    // Labels of a few categories may be sentences as well.
    let is_varied = is_rare || distinct > CATEGORIES;
    let pattern = patterns::look(column, parts).map(|found| found.pattern);
    if let Some(pattern) = pattern.filter(|&own| own != Pattern::FreeText || is_varied) {
        return Nature::Telling(pattern);
    }
    // Whatever the column is called, unless it speaks of places, work and the like.
    let is_known = || spoken(parts).iter().any(|(topic, _)| *topic == Topic::Known);
    if patterns::may_be_names(column) && !is_known() {
        return Nature::Telling(Pattern::PersonName);
    }
    let texts = column.dictionary().texts();
    if !texts.is_empty() && texts.iter().all(|text| patterns::is_date(text.trim())) {
        return Nature::Telling(Pattern::Date);
    }
    let is_name = |part: &String| NAMES.contains(&part.as_str());
    let says_which = |part: &String| WHICH_NAME.contains(&part.as_str());
    if parts.iter().any(is_name) && parts.iter().all(|part| is_name(part) || says_which(part)) {
        return Nature::Telling(Pattern::PersonName);
    }
    if is_free_text(column, distinct, valued) {
        return Nature::Telling(Pattern::FreeText);
    }
    Nature::Category
}

/// Whether whole numbers are codes: a name that says so, and values that are as long as each other or
/// lie far apart; or, of any other name but that of a quantity, few values that repeat, as long as each
/// other and far apart without a common step.
fn is_code(column: &Column, parts: &[String]) -> bool {
    let values = column.dictionary();
    let whole = |at: usize| match values.number(at) {
        Some(Number::Whole(value)) => u64::try_from(value).ok(),
        _ => None,
    };
    let Some(numbers) = (0..values.len()).map(whole).collect::<Option<Vec<u64>>>() else {
        return false;
    };
    let (Some(&first), Some(&last)) = (numbers.first(), numbers.last()) else { return false };
    let distinct = numbers.len() as u64;
    if distinct < 2 {
        return false;
    }
    let holds = |words: &[&str]| {
        let plain = |part: &String| part.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        parts.iter().map(plain).any(|part| words.contains(&part.as_str()))
    };
    let is_sparser = |times: u64| distinct.saturating_mul(times) <= last - first;
    let are_as_long = first > 0 && first.ilog10() == last.ilog10();
    if holds(CODES) {
        return (are_as_long && last >= 10) || is_sparser(4);
    }
    let valued = column.rows() as u64 - column.missing() - column.suppressed();
    are_as_long
        && last >= 100
        && is_sparser(10)
        && distinct * REPEATS <= valued
        && step(&numbers) == 1
        && !holds(QUANTITIES)
}

/// The largest number that divides all.
fn step(numbers: &[u64]) -> u64 {
    let divisor = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    numbers.iter().fold(0, |step, &number| divisor(step, number))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Date32Array, Int64Array, StringArray};
    use muslin_table::{Codes, Dictionary};

    use super::*;

    fn column(name: &str, values: ArrayRef, rows: usize) -> Column {
        let count = u32::try_from(values.len()).unwrap();
        let slots = (0u32..).take(rows).map(|row| row % count);
        let codes = Codes::pack(values.len(), slots.collect::<Vec<_>>().into_iter());
        Column::new(name, Dictionary::new(values), codes).unwrap()
    }

    fn texts(name: &str, values: &[&str], rows: usize) -> Nature {
        Nature::of(&column(name, Arc::new(StringArray::from(values.to_vec())), rows))
    }

    fn whole(name: &str, values: impl Iterator<Item = i64>, rows: usize) -> Nature {
        Nature::of(&column(name, Arc::new(values.collect::<Int64Array>()), rows))
    }

    #[test]
    fn texts_that_tell_are_found_and_categories_are_left_alone() {
        assert_eq!(texts("town", &["Aa", "Bb", "Cc"], 100), Nature::Category);
        assert_eq!(texts("vorname", &["Ann", "Bob"], 100), Nature::Telling(Pattern::PersonName));
        assert_eq!(texts("first_name", &["Ann"], 100), Nature::Telling(Pattern::PersonName));
        assert_eq!(texts("town_name", &["Aa", "Bb"], 100), Nature::Category);
        let days = ["01.02.1980", "17.11.1991", "30.06.2001"];
        assert_eq!(texts("seen", &days, 100), Nature::Telling(Pattern::Date));
        let label = |n: usize| format!("lives with a partner and has {n} children");
        let labels: Vec<String> = (0..6).map(label).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        assert_eq!(texts("family", &labels, 10), Nature::Telling(Pattern::FreeText));
        assert_eq!(texts("family_type", &labels, 1_000), Nature::Category);
        // More than a few of them are no categories, however often they repeat.
        let labels: Vec<String> = (0..40).map(label).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        assert_eq!(texts("notes", &labels, 4_000), Nature::Telling(Pattern::FreeText));
        // Names of people under any heading; towns are called towns.
        let first = ["Ann", "Jan", "Ida", "Eva", "Tom"];
        let last = ["Huber", "Maier", "Lang", "Vogt"];
        let both = first.iter().flat_map(|own| last.map(|other| format!("{own} {other}")));
        let both: Vec<String> = both.collect();
        let both: Vec<&str> = both.iter().map(String::as_str).collect();
        assert_eq!(texts("patient", &both, 3_000), Nature::Telling(Pattern::PersonName));
        assert_eq!(texts("town", &both, 3_000), Nature::Category);
    }

    #[test]
    fn numbers_are_quantities_unless_they_look_like_codes() {
        let days: ArrayRef = Arc::new(Date32Array::from(vec![0, 10_000]));
        assert_eq!(Nature::of(&column("zip", days, 100)), Nature::Quantity);
        assert_eq!(whole("age", 17..90, 1_000), Nature::Quantity);
        assert_eq!(whole("year", 1_950..2_010, 1_000), Nature::Quantity);
        assert_eq!(whole("x", 100..140, 1_000), Nature::Quantity);
        // Named as codes: as long as each other, or far apart.
        assert_eq!(whole("zipcode", 47_302..47_310, 20), Nature::Code);
        assert_eq!(whole("occ10", (10..9_800).step_by(90), 500), Nature::Code);
        assert_eq!(whole("code", 0..9, 500), Nature::Quantity);
        // Not named so: few, far apart, and not in steps.
        let areas = || [101, 217, 333, 508, 911].into_iter();
        assert_eq!(whole("area", areas(), 500), Nature::Code);
        assert_eq!(whole("area", areas(), 50), Nature::Quantity);
        assert_eq!(whole("income", areas(), 500), Nature::Quantity);
        assert_eq!(whole("area", areas().map(|area| area * 5), 500), Nature::Quantity);
    }
}
