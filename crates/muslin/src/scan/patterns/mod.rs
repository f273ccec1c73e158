//! What the values of a column look like: e-mail addresses, telephone numbers, numbers of persons.
//!
//! ```text
//! checks   check digits
//! shapes   everything that has a form and no check digit
//! ```
//!
//! Only distinct values are looked at, evenly over the dictionary, and only how many of them fit is told.
//! A form without a check digit fits by chance as well, so it counts only where most values have it, and
//! whole numbers only where the column's name says the same.

mod checks;
mod shapes;

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use muslin_table::Column;
use serde::Serialize;

use self::checks::digits;

/// Values that are looked at, at most.
const LOOKED_AT: usize = 20_000;
/// Values that must be there before their form says anything.
const FEWEST: usize = 5;

/// What values look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Pattern {
    /// E-mail addresses.
    Email,
    /// Addresses of web pages.
    Url,
    /// Addresses of machines on the internet.
    IpAddress,
    /// Addresses of network cards.
    MacAddress,
    /// Universally unique identifiers.
    Uuid,
    /// International bank account numbers, with their check digits.
    Iban,
    /// Numbers of payment cards, with their check digit.
    CreditCard,
    /// Social security numbers of the United States.
    UsSsn,
    /// National insurance numbers of the United Kingdom.
    UkNino,
    /// NHS numbers, with their check digit.
    NhsNumber,
    /// German tax numbers, with their check digit.
    SteuerId,
    /// French social security numbers, with their key.
    Nir,
    /// Spanish identity numbers, with their letter.
    Dni,
    /// Italian tax codes, with their letter.
    CodiceFiscale,
    /// Dutch citizen service numbers, with their check.
    Bsn,
    /// Swedish personal numbers, with their check digit.
    Personnummer,
    /// Danish personal numbers.
    Cpr,
    /// Norwegian birth numbers, with their check digits.
    Fodselsnummer,
    /// Polish PESEL numbers, with their check digit.
    Pesel,
    /// Brazilian CPF numbers, with their check digits.
    Cpf,
    /// Indian Aadhaar numbers, with their check digit.
    Aadhaar,
    /// Telephone numbers.
    Phone,
    /// Places on the map.
    Coordinates,
    /// Days, written as text.
    Date,
    /// Names of people.
    PersonName,
    /// Sentences.
    FreeText,
}

/// A pattern, and how many of a column's values have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternReport {
    /// What values look like.
    pub pattern: Pattern,
    /// Distinct values that do.
    pub values: u64,
    /// Distinct values that were looked at.
    pub looked_at: u64,
    /// The share that does.
    pub share: f64,
}

/// One way values may look.
struct Rule {
    pattern: Pattern,
    /// Words in a column's name that speak of it.
    words: &'static [&'static str],
    /// The least share of values.
    least: f64,
    /// Whether a number without a name that speaks of it may be one.
    needs_name: bool,
    fits: fn(&str, bool) -> bool,
}

impl Pattern {
    /// What the values are, in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Email => "e-mail addresses",
            Self::Url => "web addresses",
            Self::IpAddress => "internet addresses",
            Self::MacAddress => "addresses of network cards",
            Self::Uuid => "universally unique identifiers",
            Self::Iban => "bank account numbers (IBAN)",
            Self::CreditCard => "payment card numbers",
            Self::UsSsn => "US social security numbers",
            Self::UkNino => "UK national insurance numbers",
            Self::NhsNumber => "NHS numbers",
            Self::SteuerId => "German tax numbers",
            Self::Nir => "French social security numbers",
            Self::Dni => "Spanish identity numbers",
            Self::CodiceFiscale => "Italian tax codes",
            Self::Bsn => "Dutch citizen numbers (BSN)",
            Self::Personnummer => "Swedish personal numbers",
            Self::Cpr => "Danish personal numbers",
            Self::Fodselsnummer => "Norwegian birth numbers",
            Self::Pesel => "Polish PESEL numbers",
            Self::Cpf => "Brazilian CPF numbers",
            Self::Aadhaar => "Indian Aadhaar numbers",
            Self::Phone => "telephone numbers",
            Self::Coordinates => "places on the map",
            Self::Date => "dates",
            Self::PersonName => "names of people",
            Self::FreeText => "free text",
        }
    }

    /// Whether such a value names a person by itself.
    pub(super) fn is_identifying(self) -> bool {
        !matches!(self, Self::Coordinates | Self::Date)
    }
}

const fn rule(
    pattern: Pattern,
    words: &'static [&'static str],
    fits: fn(&str, bool) -> bool,
) -> Rule {
    Rule { pattern, words, least: 0.8, needs_name: false, fits }
}

/// What a number of digits must be named, since one in ten has a right check digit by chance, or all have.
const fn named(
    pattern: Pattern,
    words: &'static [&'static str],
    fits: fn(&str, bool) -> bool,
) -> Rule {
    Rule { needs_name: true, ..rule(pattern, words, fits) }
}

fn by_digits(text: &str, check: fn(&[u8]) -> bool) -> bool {
    digits(text).is_some_and(|digits| check(&digits))
}

/// Every rule, the more telling ones first.
const RULES: [Rule; 26] = [
    rule(Pattern::Email, &["email", "mail"], |text, _| shapes::is_email(text)),
    rule(Pattern::Url, &["url", "website", "link"], |text, _| shapes::is_url(text)),
    rule(Pattern::IpAddress, &["ip", "host"], |text, _| shapes::is_ip(text)),
    rule(Pattern::MacAddress, &["mac"], |text, _| shapes::is_mac(text)),
    rule(Pattern::Uuid, &["uuid", "guid"], |text, _| shapes::is_uuid(text)),
    rule(Pattern::Iban, &["iban", "konto", "account"], |text, _| checks::iban(text)),
    rule(Pattern::CreditCard, &["card", "pan", "kreditkarte", "carte", "tarjeta"], |text, _| {
        digits(text).is_some_and(|d| (13..=19).contains(&d.len()) && checks::luhn(&d))
    }),
    rule(Pattern::UkNino, &["nino", "insurance"], |text, _| shapes::is_nino(text)),
    rule(Pattern::Dni, &["dni", "nie", "nif"], |text, _| checks::dni(text)),
    rule(Pattern::CodiceFiscale, &["codice", "fiscale", "cf"], |text, _| {
        checks::codice_fiscale(text)
    }),
    rule(Pattern::Nir, &["nir", "secu", "insee"], |text, _| checks::nir(text)),
    rule(Pattern::Cpf, &["cpf"], |text, _| by_digits(text, checks::cpf)),
    rule(Pattern::SteuerId, &["steuer", "steuerid", "idnr", "tin"], |text, _| {
        by_digits(text, checks::steuer_id)
    }),
    rule(Pattern::Fodselsnummer, &["fodselsnummer", "fnr", "personnummer"], |text, _| {
        by_digits(text, checks::fodselsnummer)
    }),
    rule(Pattern::Pesel, &["pesel"], |text, _| by_digits(text, checks::pesel)),
    rule(Pattern::Personnummer, &["personnummer", "pnr", "personnr"], |text, _| {
        by_digits(text, checks::personnummer)
    }),
    rule(Pattern::Aadhaar, &["aadhaar", "aadhar", "uid"], |text, _| {
        digits(text).is_some_and(|d| d.len() == 12 && d[0] > 1 && checks::verhoeff(&d))
    }),
    rule(Pattern::NhsNumber, &["nhs"], |text, _| by_digits(text, checks::nhs)),
    rule(Pattern::Bsn, &["bsn", "sofi", "burgerservicenummer"], |text, _| {
        by_digits(text, checks::bsn)
    }),
    rule(Pattern::UsSsn, &["ssn", "social", "security"], shapes::is_ssn),
    named(Pattern::Cpr, &["cpr", "personnummer"], |text, _| by_digits(text, checks::cpr)),
    rule(Pattern::Phone, PHONE, shapes::is_phone),
    rule(Pattern::Coordinates, &["gps", "location", "coordinates"], |text, _| {
        shapes::is_coordinates(text)
    }),
    rule(Pattern::Date, &["date", "birth"], |text, _| shapes::is_date(text)),
    rule(
        Pattern::PersonName,
        &["name", "nom", "nombre", "nome", "naam", "namn", "navn"],
        |text, _| shapes::is_person_name(text),
    ),
    Rule {
        least: 0.5,
        ..rule(Pattern::FreeText, &["note", "comment"], |text, _| shapes::is_prose(text))
    },
];

const PHONE: &[&str] = &[
    "phone",
    "telephone",
    "tel",
    "mobile",
    "cell",
    "fax",
    "telefon",
    "handy",
    "portable",
    "telefono",
    "movil",
    "celular",
    "telefone",
    "cellulare",
    "telefoon",
    "mobiel",
    "mobil",
    "komorka",
];

/// Whether a text is a day, in one of the ways that people write it.
pub(super) fn is_date(text: &str) -> bool {
    shapes::is_date(text)
}

/// What most values of a column look like, if they look like anything. `parts` are the parts of its name.
pub(super) fn look(column: &Column, parts: &[String]) -> Option<PatternReport> {
    let dictionary = column.dictionary();
    let count = dictionary.len();
    let is_text = *column.data_type() == DataType::Utf8;
    let is_whole = *column.data_type() == DataType::Int64;
    if count < FEWEST || !(is_text || is_whole) {
        return None;
    }
    // Evenly over the dictionary: neighbours in it are alike.
    let looked_at = count.min(LOOKED_AT);
    let at = |step: usize| step * count / looked_at;
    let value = |step: usize| -> Cow<'_, str> {
        if is_text {
            dictionary.values().as_string::<i32>().value(at(step)).trim().into()
        } else {
            dictionary.text(at(step)).into()
        }
    };
    let mut candidates: Vec<(&Rule, bool, u64)> = RULES
        .iter()
        .map(|rule| {
            let speaks = parts.iter().any(|part| rule.words.contains(&part.as_str()));
            (rule, speaks, 0)
        })
        .filter(|(rule, speaks, _)| *speaks || (is_text && !rule.needs_name))
        .collect();
    for step in 0..looked_at {
        let value = value(step);
        // Empty cells are no values of any kind, and count against every pattern.
        for (rule, speaks, fitting) in &mut candidates {
            *fitting += u64::from((rule.fits)(&value, *speaks));
        }
        // What nothing fits after a while is not looked at any longer.
        if step == 1_000 {
            candidates.retain(|(_, _, fitting)| *fitting >= 100);
            if candidates.is_empty() {
                return None;
            }
        }
    }
    let report = |&(rule, _, values): &(&Rule, bool, u64)| {
        let share = super::report::share(values, looked_at as u64);
        let is_distinct = rule.pattern != Pattern::PersonName || is_mostly_distinct(column);
        (share >= rule.least && is_distinct).then_some(PatternReport {
            pattern: rule.pattern,
            values,
            looked_at: looked_at as u64,
            share,
        })
    };
    candidates.iter().find_map(report)
}

/// Whether the values of a column look like names of people, however often they repeat.
pub(super) fn look_like_names(column: &Column) -> bool {
    let count = column.dictionary().len();
    if count < FEWEST || *column.data_type() != DataType::Utf8 {
        return false;
    }
    let values = column.dictionary().values().as_string::<i32>();
    let looked_at = count.min(LOOKED_AT);
    let is_name =
        |step: &usize| shapes::is_person_name(values.value(step * count / looked_at).trim());
    (0..looked_at).filter(is_name).count() * 5 >= looked_at * 4
}

/// Whether so many values look like names of people that they are hardly those of places or categories.
pub(super) fn may_be_names(column: &Column) -> bool {
    column.dictionary().len() >= 20 && look_like_names(column)
}

/// Names of people hardly repeat; names of places and wards do.
fn is_mostly_distinct(column: &Column) -> bool {
    let valued = column.rows() as u64 - column.missing() - column.suppressed();
    let distinct = column.dictionary().len() as u64;
    distinct >= 20 && distinct * 2 >= valued
}

#[cfg(test)]
mod tests;
