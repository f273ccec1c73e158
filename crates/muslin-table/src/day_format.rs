use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::calendar::{calendar, day_of};

/// How the days of a column are written, such as `%d.%m.%Y`.
///
/// A pattern has `%d` (day of the month), `%m` (month) and `%Y` (year of four digits) once each, and
/// any other characters between them. Days and months are read with one or two digits; with two
/// digits where no other character follows.
///
/// ```
/// use muslin_table::DayFormat;
/// let format: DayFormat = "%d.%m.%Y".parse().unwrap();
/// assert_eq!(format.day(b"1.02.1970"), Some(31));
/// assert_eq!(format.spell(31), "01.02.1970");
/// assert!("%d.%m".parse::<DayFormat>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DayFormat(Arc<Pattern>);

#[derive(PartialEq, Eq, Hash)]
struct Pattern {
    text: Box<str>,
    parts: Box<[Part]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Day,
    Month,
    Year,
    Character(char),
}

/// What a pattern must have.
const EXPECTED: &str = "a pattern with %d, %m and %Y once each, such as %d.%m.%Y";

impl DayFormat {
    /// Patterns that are found out where all values of a column fit one of them alone.
    pub fn known() -> [Self; 4] {
        ["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d"]
            .map(|pattern| pattern.parse().expect("a pattern with all parts"))
    }

    /// `%Y-%m-%d`, the form of ISO 8601.
    pub fn iso() -> Self {
        "%Y-%m-%d".parse().expect("a pattern with all parts")
    }

    /// The pattern.
    pub fn pattern(&self) -> &str {
        &self.0.text
    }

    /// The pattern as people write it, such as `DD.MM.YYYY`.
    pub fn in_words(&self) -> String {
        self.0.text.replace("%d", "DD").replace("%m", "MM").replace("%Y", "YYYY")
    }

    /// Whether this is [`DayFormat::iso`].
    pub fn is_iso(&self) -> bool {
        &*self.0.text == "%Y-%m-%d"
    }

    /// The day that a text stands for, counted from 1970-01-01; of the years 1 to 9999.
    pub fn day(&self, text: &[u8]) -> Option<i32> {
        let (mut day, mut month, mut year) = (0, 0, 0);
        let mut rest = text;
        for (at, part) in self.0.parts.iter().enumerate() {
            let next = self.0.parts.get(at + 1);
            let is_fixed = next.is_some_and(|next| !matches!(next, Part::Character(_)));
            let least = if is_fixed { 2 } else { 1 };
            let (number, length) = match part {
                Part::Day => (&mut day, digits(rest, least, 2)?),
                Part::Month => (&mut month, digits(rest, least, 2)?),
                Part::Year => (&mut year, digits(rest, 4, 4)?),
                Part::Character(own) => {
                    let mut bytes = [0; 4];
                    rest = rest.strip_prefix(own.encode_utf8(&mut bytes).as_bytes())?;
                    continue;
                }
            };
            let (own, others) = rest.split_at(length);
            *number = own.iter().fold(0, |sum, digit| sum * 10 + i32::from(digit - b'0'));
            rest = others;
        }
        if rest.is_empty() { day_of(year, month, day) } else { None }
    }

    /// A day as text, with two digits for days and months.
    pub fn spell(&self, day: i64) -> String {
        let (year, month, day) = calendar(day);
        let part = |part: &Part| match part {
            Part::Day => format!("{day:02}"),
            Part::Month => format!("{month:02}"),
            Part::Year if year < 0 => format!("-{:04}", -year),
            Part::Year => format!("{year:04}"),
            Part::Character(own) => own.to_string(),
        };
        self.0.parts.iter().map(part).collect()
    }
}

/// Number of digits that a text begins with, of which there must be so many and no more count.
fn digits(text: &[u8], least: usize, most: usize) -> Option<usize> {
    let found = text.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
    (found >= least).then_some(found)
}

impl std::str::FromStr for DayFormat {
    type Err = &'static str;

    fn from_str(pattern: &str) -> Result<Self, Self::Err> {
        let mut parts = Vec::new();
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            let part = match character {
                '%' => match characters.next() {
                    Some('d') => Part::Day,
                    Some('m') => Part::Month,
                    Some('Y') => Part::Year,
                    _ => return Err(EXPECTED),
                },
                // A digit beside a number could not be told from it.
                digit if digit.is_ascii_digit() || digit.is_control() => return Err(EXPECTED),
                other => Part::Character(other),
            };
            parts.push(part);
        }
        let once = |part: Part| parts.iter().filter(|own| **own == part).count() == 1;
        if !(once(Part::Day) && once(Part::Month) && once(Part::Year)) {
            return Err(EXPECTED);
        }
        Ok(Self(Arc::new(Pattern { text: pattern.into(), parts: parts.into() })))
    }
}

impl TryFrom<String> for DayFormat {
    type Error = &'static str;

    fn try_from(pattern: String) -> Result<Self, Self::Error> {
        pattern.parse()
    }
}

impl From<DayFormat> for String {
    fn from(format: DayFormat) -> Self {
        format.pattern().to_owned()
    }
}

impl fmt::Debug for DayFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.pattern())
    }
}

impl fmt::Display for DayFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.pattern())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_and_spelled_by_their_pattern() {
        for (pattern, text, day, spelled) in [
            ("%Y-%m-%d", "2000-02-29", 11_016, "2000-02-29"),
            ("%d.%m.%Y", "29.2.2000", 11_016, "29.02.2000"),
            ("%m/%d/%Y", "02/29/2000", 11_016, "02/29/2000"),
            ("%Y%m%d", "20000229", 11_016, "20000229"),
            ("le %d %m %Y", "le 1 1 1970", 0, "le 01 01 1970"),
        ] {
            let format: DayFormat = pattern.parse().unwrap();
            assert_eq!(format.day(text.as_bytes()), Some(day), "{text}");
            assert_eq!(format.spell(day.into()), spelled);
        }
        let format: DayFormat = "%d.%m.%Y".parse().unwrap();
        for text in ["31.04.2000", "29.02.1900", "1.1.70", "1.13.2000", "01.01.2000 ", "0.1.2000"] {
            assert_eq!(format.day(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn patterns_name_each_part_once() {
        for pattern in ["", "%d.%m", "%d.%m.%Y.%d", "%d.%m.%y", "%d1%m1%Y", "%"] {
            assert!(pattern.parse::<DayFormat>().is_err(), "{pattern}");
        }
    }
}
