//! Which type all values of a text column have, and what each of them is.
//!
//! A column is a number only when nothing is lost by it: `00123`, `+5`, `-0`, a whole number of more
//! than 64 bits, a decimal that a double cannot hold and a number in two spellings (`1.5`, `1.50`)
//! make it text. The look is at distinct values, all of them, so no later row can overturn what the
//! first ones suggested. A value that its type would spell otherwise (`250.10`, `1e5`) keeps the
//! text that it was read from.

use std::borrow::Cow;

use muslin_table::{DayFormat, Form};
use rayon::prelude::*;

use crate::ColumnType;
use crate::types::OrderKey;

/// How numbers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spelling {
    /// The decimal mark is a comma.
    pub(crate) decimal_comma: bool,
}

impl Spelling {
    pub(crate) fn mark(self) -> u8 {
        if self.decimal_comma { b',' } else { b'.' }
    }
}

/// Turns the texts of a type into the keys of their values.
#[derive(Clone, Debug)]
pub(crate) enum Parser<'a> {
    Integer,
    /// With this decimal mark.
    Number(u8),
    Day(Cow<'a, DayFormat>),
    Boolean,
}

impl<'a> Parser<'a> {
    /// For types that are asked for: leading zeros, a plus and more digits than a double holds
    /// are taken, since somebody said so; a number too large for a double is infinite. Nothing
    /// for text and categories.
    pub(crate) fn asked(
        column_type: ColumnType,
        spelling: Spelling,
        format: Option<&'a DayFormat>,
    ) -> Option<Self> {
        match column_type {
            ColumnType::Text | ColumnType::Category => None,
            ColumnType::Integer => Some(Self::Integer),
            ColumnType::Number => Some(Self::Number(spelling.mark())),
            ColumnType::Date => {
                let format = format.map_or_else(|| Cow::Owned(DayFormat::iso()), Cow::Borrowed);
                Some(Self::Day(format))
            }
            ColumnType::Boolean => Some(Self::Boolean),
        }
    }

    /// The key of a value; nothing where the text is none of the type.
    pub(crate) fn key(&self, text: &[u8]) -> Option<u64> {
        match self {
            Self::Integer => std::str::from_utf8(text).ok()?.parse::<i64>().ok().map(OrderKey::key),
            Self::Number(mark) => any_number(text, *mark).map(OrderKey::key),
            Self::Day(format) => format.day(text).map(OrderKey::key),
            Self::Boolean => boolean(text),
        }
    }

    /// Whether values of the type can be found out to be so from this text: nothing is lost.
    fn is_exact(&self, text: &[u8]) -> bool {
        match self {
            Self::Integer => integer(text).is_some(),
            Self::Number(mark) => number(text, *mark).is_some(),
            // The form of ISO 8601 has two digits for months and days.
            Self::Day(format) if format.is_iso() => text.len() == 10 && self.key(text).is_some(),
            Self::Day(_) | Self::Boolean => self.key(text).is_some(),
        }
    }

    /// Whether the value is spelled by its type as it is in this text.
    pub(crate) fn is_plain(&self, text: &[u8]) -> bool {
        match self {
            Self::Integer => integer(text).is_some(),
            Self::Number(mark) => is_plain_number(text, *mark),
            Self::Day(format) => {
                // Two digits for day and month, and a year of four.
                text.len() == format.spell(0).len()
            }
            Self::Boolean => true,
        }
    }

    /// The type of the values.
    pub(crate) fn column_type(&self) -> ColumnType {
        match self {
            Self::Integer => ColumnType::Integer,
            Self::Number(_) => ColumnType::Number,
            Self::Day(_) => ColumnType::Date,
            Self::Boolean => ColumnType::Boolean,
        }
    }

    /// What is known of the values besides their type.
    pub(crate) fn form(&self) -> Form {
        match self {
            Self::Day(format) if !format.is_iso() => Form::Days(format.clone().into_owned()),
            _ => Form::Plain,
        }
    }
}

/// What the values of a text column are.
#[derive(Clone, Debug)]
pub(super) enum Inferred<'a> {
    /// Of the narrowest type that all of them have.
    Typed(Parser<'a>),
    /// Texts, and what is known about them.
    Text(Form),
}

/// What all values are; text when there is no value.
pub(super) fn infer<'a>(
    values: impl ParallelIterator<Item = &'a [u8]> + Clone,
    spelling: Spelling,
) -> Inferred<'static> {
    let text = Inferred::Text(Form::Plain);
    if values.clone().find_any(|_| true).is_none() {
        return text;
    }
    let fits = |parser: &Parser<'_>| values.clone().all(|value| parser.is_exact(value));
    if fits(&Parser::Integer) {
        return Inferred::Typed(Parser::Integer);
    }
    let number = Parser::Number(spelling.mark());
    if fits(&number) {
        // A column of nothing but `NaN` and `inf` is made of words.
        if !values.clone().any(|value| value.iter().any(u8::is_ascii_digit)) {
            return text;
        }
        let is_mixed = values.clone().any(is_negative_zero) || merges(values, &number);
        return if is_mixed { Inferred::Text(Form::MixedNumbers) } else { Inferred::Typed(number) };
    }
    let iso = Parser::Day(Cow::Owned(DayFormat::iso()));
    if fits(&iso) {
        return Inferred::Typed(iso);
    }
    let known = DayFormat::known().map(|format| Parser::Day(Cow::Owned(format)));
    let mut fitting = known.into_iter().filter(&fits);
    match (fitting.next(), fitting.next()) {
        (Some(_), Some(_)) => return Inferred::Text(Form::MixedDays),
        (Some(only), None) if !merges(values.clone(), &only) => return Inferred::Typed(only),
        (Some(_), None) => return text,
        (None, _) => {}
    }
    if fits(&Parser::Boolean) { Inferred::Typed(Parser::Boolean) } else { text }
}

/// Whether all values are whole numbers in their one spelling.
pub(super) fn is_whole<'a>(values: impl ParallelIterator<Item = &'a [u8]>) -> bool {
    values.all(|value| integer(value).is_some())
}

/// The only known pattern in which all values are days, where they are none of ISO 8601.
pub(super) fn only_days<'a>(
    values: &(impl ParallelIterator<Item = &'a [u8]> + Clone),
) -> Option<DayFormat> {
    let fits = |format: &DayFormat| values.clone().all(|value| format.day(value).is_some());
    if fits(&DayFormat::iso()) {
        return None;
    }
    let mut fitting = DayFormat::known().into_iter().filter(&fits);
    fitting.next().filter(|_| fitting.next().is_none())
}

/// A known pattern in which all values are days.
pub(super) fn known_days<'a>(
    values: &(impl ParallelIterator<Item = &'a [u8]> + Clone),
) -> Option<DayFormat> {
    let mut known = DayFormat::known().into_iter();
    known.find(|format| values.clone().all(|value| format.day(value).is_some()))
}

/// Whether two spellings are one value of a type, such as `1.5` and `1.50`.
fn merges<'a>(values: impl ParallelIterator<Item = &'a [u8]>, parser: &Parser<'_>) -> bool {
    let mut keys: Vec<u64> = values.filter_map(|value| parser.key(value)).collect();
    keys.par_sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

/// A zero whose sign a number would lose.
fn is_negative_zero(text: &[u8]) -> bool {
    text.first() == Some(&b'-')
        && text.get(1).is_some_and(u8::is_ascii_digit)
        && text[1..]
            .iter()
            .take_while(|byte| !matches!(byte, b'e' | b'E'))
            .all(|byte| matches!(byte, b'0' | b'.' | b','))
}

/// Whether a number is written with its shortest digits and without an exponent, or as the type
/// writes very large and very small ones.
fn is_plain_number(text: &[u8], mark: u8) -> bool {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, fraction) = match unsigned.iter().position(|&byte| byte == mark) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    // Up to 15 digits tell a double apart from its neighbours, so they are its shortest ones.
    let is_short = unsigned.len() <= 15 + usize::from(fraction.is_some())
        && is_digits(whole)
        && !is_negative_zero(text);
    let small = || whole == b"0" && fraction.is_some_and(|digits| digits.starts_with(b"0000"));
    if is_short && !small() {
        return fraction.is_none_or(|digits| {
            digits.iter().all(u8::is_ascii_digit) && digits.last().is_some_and(|&d| d != b'0')
        });
    }
    let Some(value) = any_number(text, mark) else { return false };
    // A key has one zero, without a sign.
    let spelled = muslin_table::spell_number(value + 0.0);
    let same = |(own, other): (u8, &u8)| own == *other || (own == b'.' && *other == mark);
    // No point stands where the mark is a comma.
    spelled.len() == text.len() && spelled.bytes().zip(text).all(same)
}

/// A whole number in its one spelling: no plus, no leading zero, no negative zero.
fn integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if !is_digits(digits) || (digits == b"0" && text.len() > 1) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Digits without a leading zero.
fn is_digits(digits: &[u8]) -> bool {
    match digits {
        [b'0'] => true,
        [] | [b'0', ..] => false,
        digits => digits.iter().all(u8::is_ascii_digit),
    }
}

/// A decimal number that a double holds: as many digits as tell it apart from its neighbours, or
/// fewer. `NaN` and the infinities by their usual spellings.
fn number(text: &[u8], mark: u8) -> Option<f64> {
    match text {
        b"NaN" | b"nan" => return Some(f64::NAN),
        b"inf" | b"Inf" | b"Infinity" => return Some(f64::INFINITY),
        b"-inf" | b"-Inf" | b"-Infinity" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let (mantissa, exponent) = match unsigned.iter().position(|b| matches!(b, b'e' | b'E')) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.iter().position(|&b| b == mark) {
        Some(at) => (&mantissa[..at], Some(&mantissa[at + 1..])),
        None => (mantissa, None),
    };
    let all_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let exponent_digits =
        exponent.map(|e| e.strip_prefix(b"-").or(e.strip_prefix(b"+")).unwrap_or(e));
    if !is_digits(whole)
        || !fraction.is_none_or(all_digits)
        || !exponent_digits.is_none_or(all_digits)
    {
        return None;
    }
    let value = any_number(text, mark)?;
    // Up to 15 digits tell a double apart from its neighbours, unless it is very near to zero.
    let short = mantissa.len() <= 15 + usize::from(fraction.is_some());
    let exact = if short && (1e-300..1e300).contains(&value.abs()) {
        true
    } else {
        let written = significant(mantissa);
        value.is_finite()
            && (written.is_empty() == (value == 0.0))
            && ((written.len() <= 15 && !value.is_subnormal())
                || written == significant(format!("{value:e}").split('e').next()?.as_bytes()))
    };
    exact.then_some(value)
}

/// Whatever reads as a decimal number, rounded to a double.
fn any_number(text: &[u8], mark: u8) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    if mark == b'.' {
        return text.parse().ok();
    }
    if text.contains('.') {
        return None;
    }
    text.replace(char::from(mark), ".").parse().ok()
}

/// The digits of a mantissa without leading and trailing zeros, sign and mark.
fn significant(mantissa: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = mantissa.iter().copied().filter(u8::is_ascii_digit).collect();
    let start = digits.iter().position(|&d| d != b'0').unwrap_or(digits.len());
    let end = digits.iter().rposition(|&d| d != b'0').map_or(start, |last| last + 1);
    digits[start..end].to_vec()
}

fn boolean(text: &[u8]) -> Option<u64> {
    match text {
        b"false" => Some(0),
        b"true" => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inferred(values: &[&str]) -> ColumnType {
        match infer(values.par_iter().map(|v| v.as_bytes()), Spelling::default()) {
            Inferred::Typed(parser) => parser.column_type(),
            Inferred::Text(_) => ColumnType::Text,
        }
    }

    #[test]
    fn types_are_those_that_lose_nothing() {
        for (values, expected) in [
            (&["1", "-20", "0"][..], ColumnType::Integer),
            (&["9223372036854775807", "-9223372036854775808"], ColumnType::Integer),
            (&["9223372036854775808"], ColumnType::Text),
            (&["12345678901234567890"], ColumnType::Text),
            (&["00123", "1"], ColumnType::Text),
            (&["+5"], ColumnType::Text),
            (&["-0", "1"], ColumnType::Text),
            (&["1.5", "2", "1e3"], ColumnType::Number),
            (&["1.5", "-0.0"], ColumnType::Text),
            (&["1.5", "-0e5"], ColumnType::Text),
            (&["1.50", "1.5"], ColumnType::Text),
            (&["1e2", "100"], ColumnType::Text),
            (&["12.50", "3.00"], ColumnType::Number),
            (&["0", "0.0", "1"], ColumnType::Text),
            (&["0.1234567890123456789"], ColumnType::Text),
            (&["0.30000000000000004"], ColumnType::Number),
            (&["123456789012345678.5"], ColumnType::Text),
            (&["1e309", "1"], ColumnType::Text),
            (&["1e-400"], ColumnType::Text),
            (&["1.5", "NaN"], ColumnType::Number),
            (&["1.5", "NaN", "nan"], ColumnType::Text),
            (&["NaN"], ColumnType::Text),
            (&["1.5", "inf", "-Infinity"], ColumnType::Number),
            (&["0x1F"], ColumnType::Text),
            (&["1_000"], ColumnType::Text),
            (&["1.000,5"], ColumnType::Text),
            (&["1,5"], ColumnType::Text),
            (&[".5"], ColumnType::Text),
            (&["5."], ColumnType::Text),
            (&["1e"], ColumnType::Text),
            (&[" 1"], ColumnType::Text),
            (&["", "1"], ColumnType::Text),
            (&["2024-02-29", "1900-01-01"], ColumnType::Date),
            (&["1900-02-29"], ColumnType::Text),
            (&["2024-13-01"], ColumnType::Text),
            (&["24-01-01"], ColumnType::Text),
            (&["31.12.2020", "1.2.2020"], ColumnType::Date),
            (&["01.02.2020", "1.2.2020"], ColumnType::Text),
            (&["31/12/2020", "01/02/2020"], ColumnType::Date),
            (&["12/31/2020", "01/02/2020"], ColumnType::Date),
            (&["12/11/2020", "01/02/2020"], ColumnType::Text),
            (&["31/12/2020", "12/31/2020"], ColumnType::Text),
            (&["2020/12/31"], ColumnType::Date),
            (&["31.12.20"], ColumnType::Text),
            (&["true", "false"], ColumnType::Boolean),
            (&["True"], ColumnType::Text),
            (&[], ColumnType::Text),
        ] {
            assert_eq!(inferred(values), expected, "{values:?}");
        }
    }

    #[test]
    fn numbers_that_are_spelled_otherwise_are_known() {
        for (text, plain) in [
            ("1.5", true),
            ("-20", true),
            ("0", true),
            ("0.5", true),
            ("0.00001", true),
            ("0.000001", false),
            ("1e-6", true),
            ("1e-06", false),
            ("1.0", false),
            ("250.10", false),
            ("1E5", false),
            ("1e5", false),
            ("1e16", true),
            ("-0", false),
            ("-0.0", false),
            ("007", false),
            ("123456789012345680", false),
            ("0.30000000000000004", true),
            ("NaN", true),
            ("nan", false),
            ("-inf", true),
            ("Infinity", false),
        ] {
            assert_eq!(is_plain_number(text.as_bytes(), b'.'), plain, "{text}");
        }
        assert!(is_plain_number(b"1,25", b',') && !is_plain_number(b"1,20", b','));
    }

    #[test]
    fn a_decimal_comma_is_read_when_it_is_the_mark() {
        let spelling = Spelling { decimal_comma: true };
        let values = ["1,5", "2"].map(str::as_bytes);
        let found = infer(values.into_par_iter(), spelling);
        assert!(matches!(found, Inferred::Typed(Parser::Number(b','))));
        assert_eq!(number(b"-1,25", b','), Some(-1.25));
        assert_eq!(number(b"1.5", b','), None);
    }

    #[test]
    fn what_is_asked_for_may_lose_its_spelling() {
        let parse = |column_type, text: &str| {
            let parser = Parser::asked(column_type, Spelling::default(), None).unwrap();
            parser.key(text.as_bytes())
        };
        assert_eq!(parse(ColumnType::Integer, "00123"), Some(123i64.key()));
        assert_eq!(parse(ColumnType::Integer, "+5"), Some(5i64.key()));
        assert_eq!(parse(ColumnType::Integer, "12345678901234567890"), None);
        assert_eq!(
            parse(ColumnType::Number, "12345678901234567890"),
            Some(1.234_567_890_123_456_8e19.key())
        );
        assert_eq!(parse(ColumnType::Number, "1e309"), Some(f64::INFINITY.key()));
        assert_eq!(parse(ColumnType::Number, "-1e309"), Some(f64::NEG_INFINITY.key()));
        assert_eq!(parse(ColumnType::Number, "abc"), None);
    }

    #[test]
    fn days_are_counted_from_1970() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-03-01", 11_017),
            ("0001-01-01", -719_162),
            ("9999-12-31", 2_932_896),
        ] {
            assert_eq!(DayFormat::iso().day(text.as_bytes()), Some(days), "{text}");
        }
    }
}
