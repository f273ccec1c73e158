//! The grammar of published labels, those of other tools among them.
//!
//! ```text
//! label     = "*"  |  range  |  open  |  set  |  counts  |  beginning  |  period  |  quoted value
//! range     = ("[" | "(") bound ("-" | " to " | "," | ";") bound ("]" | ")")      a round bracket leaves its bound out
//!           | point ("-" | "–" | " - " | " to " | "..") point                     both points are within it
//! open      = ("<" | "<=" | ">" | ">=" | "under" | "at least" | ...) point
//!           | point ("+" | "and over" | "or less" | ...)
//! set       = "{" value (("," | ";" | "|") value)* "}"  |  value ((";" | "|") value)+
//! counts    = value ":" number ("," value ":" number)*
//! beginning = character* "*"+                                 each "*" is one character
//! period    = year  |  year "-" month  |  year "-Q" quarter  |  decade "s"
//! point     = number [" years"]  |  day  |  time  |  year  |  year "-" month
//! ```
//!
//! The bounds around a dash are numbers, negative ones too; the bounds around ` to ` in brackets are
//! anything; all other bounds are points. A
//! value of a set that has a comma, a brace or a quote is within quotes, as is a counted value that
//! has a comma, a colon or a quote; a quote within quotes is written twice. Blanks around what is not
//! quoted do not count.
//!
//! What is between points without brackets, open, a period, or a set without braces may be a text
//! like any other, so it counts only where the column's values say so: see
//! [`Decoder`](super::decode::Decoder).

/// A label, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Label<'a> {
    /// Says nothing.
    Any,
    /// Ways to read a range: a bound may hold what also stands between bounds.
    Range { bounds: Vec<(&'a str, &'a str)>, within: Within, is_bare: bool },
    /// What is on one side of a bound.
    Side { bound: &'a str, is_below: bool, with_bound: bool },
    /// A value that begins so and has so many characters.
    Beginning { text: &'a str, length: usize },
    /// From the beginning of one period to the end of another: beginnings of days.
    Period { first: String, last: String },
    /// One value, which was within quotes.
    Value(String),
    /// One of these values: ways to read them.
    Set { ways: Vec<Vec<String>>, is_bare: bool },
    /// Values, each with the rows of its class that have it.
    Multiset(Vec<(String, u32)>),
}

/// Which bounds are within a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Within {
    pub(super) low: bool,
    pub(super) high: bool,
}

/// Takes a label apart; nothing where it is none.
pub(super) fn parse(label: &str) -> Option<Label<'_>> {
    let label = label.trim();
    if label == muslin_table::ANY {
        return Some(Label::Any);
    }
    if label.ends_with(muslin_table::ANY) {
        let text = label.trim_end_matches(muslin_table::ANY);
        return Some(Label::Beginning { text, length: label.chars().count() });
    }
    if let Some(label) = side(label).or_else(|| interval(label)).or_else(|| period(label)) {
        return Some(label);
    }
    if let Some(inner) = label.strip_prefix('{') {
        return braces(inner.strip_suffix('}')?);
    }
    if let Some(value) = unquoted(label) {
        return Some(Label::Value(value));
    }
    let counted = |items: Vec<Item<'_>>| items.into_iter().map(Item::counted).collect();
    if let Some(counted) = items(label, ',').and_then(counted) {
        return Some(Label::Multiset(counted));
    }
    let bounds = bounds(without_unit(label), true);
    if !bounds.is_empty() {
        let within = Within { low: true, high: true };
        return Some(Label::Range { bounds, within, is_bare: true });
    }
    let ways: Vec<Vec<String>> = [';', '|']
        .into_iter()
        .filter(|&mark| label.contains(mark))
        .filter_map(|mark| values(label, mark))
        .collect();
    (!ways.is_empty()).then_some(Label::Set { ways, is_bare: true })
}

/// A value as it is written in a label, without its quotes.
pub(super) fn unquoted(value: &str) -> Option<String> {
    match items(value, ',')?.as_slice() {
        [item] if item.is_quoted && item.rest.is_empty() => Some(item.value.clone()),
        _ => None,
    }
}

/// A number as labels have it, which may have a minus sign of its own.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.strip_prefix('\u{2212}') {
        Some(text) => {
            text.parse::<f64>().ok().filter(|_| !text.starts_with(['-', '+'])).map(|own| -own)
        }
        None => text.parse().ok(),
    }
}

/// Whether a text looks like a day or a time, or the beginning of one: a year, a month.
pub(super) fn is_time(text: &str) -> bool {
    let is_mark = |c: char| matches!(c, '-' | ':' | '.' | 'T' | 'Z' | ' ');
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let is_year = text.len() == 4 && digits == 4;
    is_year
        || (digits >= 4
            && text.chars().all(|c| c.is_ascii_digit() || is_mark(c))
            && (text.contains('-') || text.matches(':').count() == 2)
            && number(text).is_none())
}

/// What bounds a range that is open to one side: words before the bound, whether the range is below
/// it, and whether the bound is within it. The longer ones first.
const BEFORE: [(&str, bool, bool); 19] = [
    ("<=", true, true),
    (">=", false, true),
    ("\u{2264}", true, true),
    ("\u{2265}", false, true),
    ("<", true, false),
    (">", false, false),
    ("up to ", true, true),
    ("at most ", true, true),
    ("under ", true, false),
    ("below ", true, false),
    ("less than ", true, false),
    ("fewer than ", true, false),
    ("younger than ", true, false),
    ("at least ", false, true),
    ("over ", false, false),
    ("above ", false, false),
    ("more than ", false, false),
    ("greater than ", false, false),
    ("older than ", false, false),
];

/// Words after the bound; the bound is within the range. Whether the range is below it.
const AFTER: [(&str, bool); 17] = [
    ("+", false),
    (" plus", false),
    (" and over", false),
    (" and older", false),
    (" and above", false),
    (" and more", false),
    (" or over", false),
    (" or older", false),
    (" or above", false),
    (" or more", false),
    (" and under", true),
    (" and younger", true),
    (" and below", true),
    (" or under", true),
    (" or younger", true),
    (" or less", true),
    (" or fewer", true),
];

/// What may stand behind a number and says no more than the column does.
const UNITS: [&str; 4] = [" years", " year", " yrs", " yr"];

/// A range that is open to one side.
fn side(label: &str) -> Option<Label<'_>> {
    let label = without_unit(label);
    for (words, is_below, with_bound) in BEFORE {
        let Some(start) = label.get(..words.len()).filter(|own| own.eq_ignore_ascii_case(words))
        else {
            continue;
        };
        let bound = label[start.len()..].trim();
        return is_point(bound, false).then_some(Label::Side { bound, is_below, with_bound });
    }
    for (words, is_below) in AFTER {
        let Some(at) = label.len().checked_sub(words.len()) else { continue };
        if label.get(at..).is_some_and(|own| own.eq_ignore_ascii_case(words)) {
            let bound = without_unit(label[..at].trim());
            return is_point(bound, false).then_some(Label::Side {
                bound,
                is_below,
                with_bound: true,
            });
        }
    }
    None
}

fn without_unit(text: &str) -> &str {
    let unit = UNITS.iter().find(|unit| {
        let at = text.len().checked_sub(unit.len());
        at.and_then(|at| text.get(at..)).is_some_and(|own| own.eq_ignore_ascii_case(unit))
    });
    unit.map_or(text, |unit| text[..text.len() - unit.len()].trim_end())
}

/// A number, a day or a time; where it may be, a number without end.
fn is_point(text: &str, may_be_infinite: bool) -> bool {
    let text = text.trim();
    let is_number =
        number(text).is_some_and(|own| own.is_finite() || (may_be_infinite && !own.is_nan()));
    is_number || is_time(text)
}

/// A range in brackets.
fn interval(label: &str) -> Option<Label<'_>> {
    let low = match label.chars().next()? {
        '[' => true,
        '(' => false,
        _ => return None,
    };
    let (inner, high) = match label[1..].strip_suffix(']') {
        Some(inner) => (inner, true),
        None => (label[1..].strip_suffix(')')?, false),
    };
    let bounds = bounds(inner, false);
    let within = Within { low, high };
    (!bounds.is_empty()).then_some(Label::Range { bounds, within, is_bare: false })
}

/// A year, a month, a quarter or ten years.
fn period(label: &str) -> Option<Label<'_>> {
    let year = label.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?;
    let (first, last) = match &label.as_bytes()[4..] {
        [] => (year.to_owned(), year.to_owned()),
        [b's'] if year.ends_with('0') => (year.to_owned(), format!("{}9", &year[..3])),
        [b'-', b'Q', quarter @ b'1'..=b'4'] => {
            let month = (quarter - b'1') * 3 + 1;
            (format!("{year}-{month:02}"), format!("{year}-{:02}", month + 2))
        }
        [b'-', b'0' | b'1', b'0'..=b'9'] => {
            let month: u8 = label[5..].parse().ok()?;
            (1..=12).contains(&month).then(|| (label.to_owned(), label.to_owned()))?
        }
        _ => return None,
    };
    Some(Label::Period { first, last })
}

/// Ways to cut a range in two bounds. Without brackets, or around other marks than a dash or ` to `, bounds
/// are points.
fn bounds(inner: &str, is_bare: bool) -> Vec<(&str, &str)> {
    let cut = |mark: &'static str| {
        inner
            .match_indices(mark)
            .map(move |(at, mark)| (inner[..at].trim(), inner[at + mark.len()..].trim()))
    };
    let are_points = |&(low, high): &(&str, &str)| {
        is_point(low, !is_bare)
            && is_point(high, !is_bare)
            && number(low).is_some() == number(high).is_some()
    };
    let are_numbers = |&(low, high): &(&str, &str)| {
        let is_number = |text| number(text).is_some_and(f64::is_finite);
        is_number(low) && is_number(high)
    };
    let mut ways: Vec<(&str, &str)> =
        cut(" to ").filter(|way| !is_bare || are_points(way)).collect();
    ways.extend(cut("-").filter(are_numbers));
    let marks = [" - ", "\u{2013}", "\u{2014}", "\u{2012}", "\u{2011}", ".."];
    ways.extend(marks.into_iter().flat_map(cut).filter(are_points));
    if !is_bare {
        ways.extend([",", ";"].into_iter().flat_map(cut).filter(are_points));
    }
    ways.dedup();
    ways
}

/// A set in braces.
fn braces(inner: &str) -> Option<Label<'_>> {
    let ways: Vec<Vec<String>> = [',', ';', '|']
        .into_iter()
        .filter(|&mark| mark == ',' || inner.contains(mark))
        .filter_map(|mark| values(inner, mark))
        .collect();
    (!ways.is_empty()).then_some(Label::Set { ways, is_bare: false })
}

/// Values between marks.
fn values(text: &str, mark: char) -> Option<Vec<String>> {
    let items = items(text, mark)?.into_iter();
    items.map(|item| item.rest.is_empty().then_some(item.value)).collect()
}

/// What stands between two marks: a value, and what follows where the value is quoted.
struct Item<'a> {
    value: String,
    rest: &'a str,
    is_quoted: bool,
}

impl Item<'_> {
    fn counted(self) -> Option<(String, u32)> {
        if self.is_quoted {
            let count = count(self.rest.strip_prefix(':')?)?;
            return Some((self.value, count));
        }
        let (value, number) = self.value.rsplit_once(':')?;
        Some((value.trim().to_owned(), count(number)?))
    }
}

fn count(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|&count| count > 0)
}

fn items(mut text: &str, mark: char) -> Option<Vec<Item<'_>>> {
    let mut items = Vec::new();
    loop {
        text = text.trim_start();
        let (value, after, is_quoted) = if let Some(mut open) = text.strip_prefix('"') {
            let mut value = String::new();
            loop {
                let at = open.find('"')?;
                value.push_str(&open[..at]);
                open = &open[at + 1..];
                match open.strip_prefix('"') {
                    Some(next) => {
                        value.push('"');
                        open = next;
                    }
                    None => break,
                }
            }
            (value, open, true)
        } else {
            let end = text.find(mark).unwrap_or(text.len());
            (text[..end].trim_end().to_owned(), &text[end..], false)
        };
        let end = after.find(mark).unwrap_or(after.len());
        let rest = after[..end].trim();
        if value.is_empty() && !is_quoted {
            return None;
        }
        items.push(Item { value, rest, is_quoted });
        match after[end..].strip_prefix(mark) {
            Some(next) => text = next,
            None => return Some(items),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range<'a>(bounds: &[(&'a str, &'a str)], is_open: bool) -> Label<'a> {
        let within = Within { low: true, high: !is_open };
        Label::Range { bounds: bounds.to_vec(), within, is_bare: false }
    }

    #[expect(clippy::unnecessary_wraps, reason = "compared with what the parser gives")]
    fn bare<'a>(low: &'a str, high: &'a str) -> Option<Label<'a>> {
        let within = Within { low: true, high: true };
        Some(Label::Range { bounds: vec![(low, high)], within, is_bare: true })
    }

    #[expect(clippy::unnecessary_wraps, reason = "compared with what the parser gives")]
    fn side(bound: &str, is_below: bool, with_bound: bool) -> Option<Label<'_>> {
        Some(Label::Side { bound, is_below, with_bound })
    }

    #[test]
    fn ranges_of_numbers_dates_and_text() {
        assert_eq!(parse("[22-52]"), Some(range(&[("22", "52")], false)));
        assert_eq!(parse("[-5-3]"), Some(range(&[("-5", "3")], false)));
        assert_eq!(parse("[-5--3)"), Some(range(&[("-5", "-3")], true)));
        assert_eq!(parse("[-5 to 3]"), Some(range(&[("-5", "3")], false)));
        assert_eq!(parse("[1e-5-2.5]"), Some(range(&[("1e-5", "2.5")], false)));
        let days = [("2020-01-01", "2020-03-31")];
        assert_eq!(parse("[2020-01-01 to 2020-03-31)"), Some(range(&days, true)));
        let both = [("a", "b to c"), ("a to b", "c")];
        assert_eq!(parse("[a to b to c]"), Some(range(&both, false)));
        assert_eq!(parse("[a-b]"), None);
        assert_eq!(parse("[5 to"), None);
    }

    #[test]
    fn ranges_open_to_one_side() {
        assert_eq!(parse("<18"), side("18", true, false));
        assert_eq!(parse("<= -1.5"), side("-1.5", true, true));
        assert_eq!(parse(">65"), side("65", false, false));
        assert_eq!(parse(">=2020-01-01"), side("2020-01-01", false, true));
        for other in ["<", "<b", ">=", "<>5", ">= one"] {
            assert_eq!(parse(other), None, "{other}");
        }
        // A counted value may begin like that.
        assert_eq!(parse("<10:30"), Some(Label::Multiset(vec![("<10".into(), 30)])));
    }

    #[test]
    fn beginnings_have_a_length() {
        let beginning = |text, length| Some(Label::Beginning { text, length });
        assert_eq!(parse("4790*"), beginning("4790", 5));
        assert_eq!(parse(" é**"), beginning("é", 3));
        assert_eq!(parse("***"), beginning("", 3));
        assert_eq!(parse("*"), Some(Label::Any));
    }

    #[test]
    fn sets_and_counts_with_quotes() {
        let set = |values: &[&str]| {
            let way = values.iter().map(|&value| value.to_owned()).collect();
            Some(Label::Set { ways: vec![way], is_bare: false })
        };
        assert_eq!(parse("{a, b}"), set(&["a", "b"]));
        assert_eq!(parse(r#"{"a, ""b""",c}"#), set(&["a, \"b\"", "c"]));
        assert_eq!(parse("{}"), None);
        assert_eq!(parse("{a, }"), None);
        let counts = |values: &[(&str, u32)]| {
            let values = values.iter().map(|&(value, count)| (value.to_owned(), count));
            Some(Label::Multiset(values.collect()))
        };
        assert_eq!(parse("22:2,33:1,52:1"), counts(&[("22", 2), ("33", 1), ("52", 1)]));
        assert_eq!(
            parse(r#""10:30":2, "a,b":1,-5:3"#),
            counts(&[("10:30", 2), ("a,b", 1), ("-5", 3)])
        );
        for wrong in ["a:0", "a:b", "a", "a:1,b", "\"a:1", ":", ""] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(parse("*"), Some(Label::Any));
    }

    #[test]
    fn a_quoted_bound_loses_its_quotes() {
        assert_eq!(unquoted("\"a to b\"").as_deref(), Some("a to b"));
        assert_eq!(unquoted("a"), None);
        assert_eq!(parse("\"[a]\""), Some(Label::Value("[a]".into())));
    }

    #[test]
    fn ranges_of_other_tools_are_read() {
        for (label, low, high) in [
            ("40-49", "40", "49"),
            ("40 - 49", "40", "49"),
            ("40\u{2013}49", "40", "49"),
            ("40 to 49", "40", "49"),
            ("40..49", "40", "49"),
            ("18-24 years", "18", "24"),
            ("-5--1", "-5", "-1"),
            ("-5-1", "-5", "1"),
            ("\u{2212}5\u{2013}\u{2212}1", "\u{2212}5", "\u{2212}1"),
            ("1.5-2", "1.5", "2"),
            ("1980-1989", "1980", "1989"),
            ("1980-05 - 1980-08", "1980-05", "1980-08"),
            ("2020-01-01\u{2013}2020-03-31", "2020-01-01", "2020-03-31"),
        ] {
            assert_eq!(parse(label), bare(low, high), "{label}");
        }
        let brackets = |low, high, bounds: (&'static str, &'static str)| {
            let within = Within { low, high };
            Some(Label::Range { bounds: vec![bounds], within, is_bare: false })
        };
        assert_eq!(parse("(40,49]"), brackets(false, true, ("40", "49")));
        assert_eq!(parse("[40, 50)"), brackets(true, false, ("40", "50")));
        assert_eq!(parse("(40;50)"), brackets(false, false, ("40", "50")));
        assert_eq!(parse("[-5, -1]"), brackets(true, true, ("-5", "-1")));
        assert_eq!(parse("(-Inf,18]"), brackets(false, true, ("-Inf", "18")));
        assert_eq!(parse("[2020-01,2020-03)"), brackets(true, false, ("2020-01", "2020-03")));
        for other in ["5-", "-5", "-", "40-49-59-", "a-b", "A00-B99", "(a,b]", "40-", "to 5"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn open_ranges_of_other_tools_are_read() {
        for (label, bound, is_below, with_bound) in [
            ("70+", "70", false, true),
            ("70 and over", "70", false, true),
            ("70 Years and Older", "70", false, true),
            ("70+ years", "70", false, true),
            ("5 or less", "5", true, true),
            ("under 5", "5", true, false),
            ("Up to 17 years", "17", true, true),
            ("at least -3", "-3", false, true),
            ("over 65", "65", false, false),
            ("\u{2265}70", "70", false, true),
            ("\u{2264} 5", "5", true, true),
            ("1990 and over", "1990", false, true),
            ("before 5+", "", false, false),
        ] {
            let expected = if bound.is_empty() { None } else { side(bound, is_below, with_bound) };
            assert_eq!(parse(label), expected, "{label}");
        }
        for other in ["+", " and over", "over the hill", "C++", "A+", "é+"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn periods_and_other_sets_are_read() {
        let period = |first: &str, last: &str| {
            Some(Label::Period { first: first.to_owned(), last: last.to_owned() })
        };
        assert_eq!(parse("1980"), period("1980", "1980"));
        assert_eq!(parse("1980-05"), period("1980-05", "1980-05"));
        assert_eq!(parse("1980-Q2"), period("1980-04", "1980-06"));
        assert_eq!(parse("1980s"), period("1980", "1989"));
        for other in ["1980-Q5", "1985s", "19805", "198"] {
            assert_eq!(parse(other), None, "{other}");
        }
        // No month: a range, of which only the column can say that it makes no sense.
        assert_eq!(parse("1980-13"), bare("1980", "13"));
        let ways = |label: &str| match parse(label) {
            Some(Label::Set { ways, is_bare }) => (ways, is_bare),
            _ => (Vec::new(), false),
        };
        let of = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>();
        assert_eq!(ways("a;b"), (vec![of(&["a", "b"])], true));
        assert_eq!(ways("a | b|c"), (vec![of(&["a", "b", "c"])], true));
        assert_eq!(ways("{a;b}"), (vec![of(&["a;b"]), of(&["a", "b"])], false));
        assert_eq!(ways("a;"), (Vec::new(), false));
    }
}
