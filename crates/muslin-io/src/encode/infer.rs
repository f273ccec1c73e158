//! Which type all values of a text column have, and what each of them is.
//!
//! A column is a number only when nothing is lost by it: `00123`, `+5`, a whole number of more than
//! 64 bits and a decimal that a double cannot hold are text. The look is at distinct values, all
//! of them, so no later row can overturn what the first ones suggested.

use rayon::prelude::*;

use crate::ColumnType;
use crate::types::OrderKey;

/// How numbers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spelling {
    /// The decimal mark is a comma.
    pub(crate) decimal_comma: bool,
}

/// Turns a text into the key of its value.
type Parser = fn(&[u8]) -> Option<u64>;

impl Spelling {
    /// For types that are found out: nothing is lost. Nothing for text.
    fn exact_parser(self, column_type: ColumnType) -> Option<Parser> {
        match column_type {
            ColumnType::Integer => Some(|text| integer(text).map(OrderKey::key)),
            ColumnType::Number if self.decimal_comma => {
                Some(|text| number(text, b',').map(OrderKey::key))
            }
            ColumnType::Number => Some(|text| number(text, b'.').map(OrderKey::key)),
            other => self.asked_parser(other),
        }
    }

    /// For types that are asked for: leading zeros, a plus and more digits than a double holds
    /// are taken, since somebody said so; a number too large for a double is infinite. Nothing
    /// for text.
    pub(crate) fn asked_parser(self, column_type: ColumnType) -> Option<Parser> {
        match column_type {
            ColumnType::Text => None,
            ColumnType::Integer => {
                Some(|text| std::str::from_utf8(text).ok()?.parse::<i64>().ok().map(OrderKey::key))
            }
            ColumnType::Number if self.decimal_comma => {
                Some(|text| any_number(text, b',').map(OrderKey::key))
            }
            ColumnType::Number => Some(|text| any_number(text, b'.').map(OrderKey::key)),
            ColumnType::Date => Some(|text| date(text).map(OrderKey::key)),
            ColumnType::Boolean => Some(boolean),
        }
    }
}

/// Whether reading spellings as numbers makes two of them one, such as `1.5` and `1.50`. Zeros,
/// infinities and NaN may be spelled in several ways.
fn merges_spellings(mut keys: Vec<u64>) -> bool {
    keys.par_sort_unstable();
    let special = |key: u64| f64::of_key(key) == 0.0 || !f64::of_key(key).is_finite();
    keys.windows(2).any(|pair| pair[0] == pair[1] && !special(pair[0]))
}

/// The narrowest type that every value has; text when there is no value.
pub(super) fn infer<'a>(
    values: impl ParallelIterator<Item = &'a [u8]> + Clone,
    spelling: Spelling,
) -> ColumnType {
    let candidates =
        [ColumnType::Integer, ColumnType::Number, ColumnType::Date, ColumnType::Boolean];
    if values.clone().find_any(|_| true).is_none() {
        return ColumnType::Text;
    }
    for column_type in candidates {
        let Some(parse) = spelling.exact_parser(column_type) else { continue };
        if !values.clone().all(|value| parse(value).is_some()) {
            continue;
        }
        if column_type == ColumnType::Number {
            // A column of nothing but `NaN` and `inf` is made of words.
            let digits = values.clone().any(|value| value.iter().any(u8::is_ascii_digit));
            if !digits || merges_spellings(values.filter_map(parse).collect()) {
                return ColumnType::Text;
            }
        }
        return column_type;
    }
    ColumnType::Text
}

/// A whole number in its one spelling: no plus, no leading zero, no negative zero.
fn integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if !is_whole(digits) || (digits == b"0" && text.len() > 1) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Digits without a leading zero.
fn is_whole(digits: &[u8]) -> bool {
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
    if !is_whole(whole)
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

/// A day of the years 0001 to 9999, as `YYYY-MM-DD`; days since 1970-01-01.
fn date(text: &[u8]) -> Option<i32> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else {
        return None;
    };
    let digits = |digits: &[u8]| {
        digits
            .iter()
            .try_fold(0i32, |sum, d| d.is_ascii_digit().then(|| sum * 10 + i32::from(d - b'0')))
    };
    let (year, month, day) = (digits(&[y1, y2, y3, y4])?, digits(&[m1, m2])?, digits(&[d1, d2])?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_in = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    if year == 0 || day < 1 || day > days_in {
        return None;
    }
    // Days from the civil calendar, counting years from March so that leap days come last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * m + 2) / 5 + day - 1;
    Some(365 * y + y / 4 - y / 100 + y / 400 + day_of_year - 719_468)
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
        infer(values.par_iter().map(|v| v.as_bytes()), Spelling::default())
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
            (&["-0", "1"], ColumnType::Number),
            (&["1.5", "2", "1e3", "-0.0"], ColumnType::Number),
            (&["1.50", "1.5"], ColumnType::Text),
            (&["1e2", "100"], ColumnType::Text),
            (&["12.50", "3.00"], ColumnType::Number),
            (&["0", "0.0", "-0.0", "1"], ColumnType::Number),
            (&["0.1234567890123456789"], ColumnType::Text),
            (&["0.30000000000000004"], ColumnType::Number),
            (&["123456789012345678.5"], ColumnType::Text),
            (&["1e309", "1"], ColumnType::Text),
            (&["1e-400"], ColumnType::Text),
            (&["1.5", "NaN"], ColumnType::Number),
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
            (&["true", "false"], ColumnType::Boolean),
            (&["True"], ColumnType::Text),
            (&[], ColumnType::Text),
        ] {
            assert_eq!(inferred(values), expected, "{values:?}");
        }
    }

    #[test]
    fn a_decimal_comma_is_read_when_it_is_the_mark() {
        let spelling = Spelling { decimal_comma: true };
        let values = ["1,5", "2"].map(str::as_bytes);
        assert_eq!(infer(values.into_par_iter(), spelling), ColumnType::Number);
        assert_eq!(number(b"-1,25", b','), Some(-1.25));
        assert_eq!(number(b"1.5", b','), None);
    }

    #[test]
    fn what_is_asked_for_may_lose_its_spelling() {
        let parse = |column_type, text: &str| {
            Spelling::default().asked_parser(column_type).unwrap()(text.as_bytes())
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
            assert_eq!(date(text.as_bytes()), Some(days), "{text}");
        }
    }
}
