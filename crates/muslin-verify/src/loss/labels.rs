//! The grammar of published labels.
//!
//! ```text
//! label     = "*"  |  range  |  open  |  set  |  counts  |  beginning  |  quoted value
//! range     = "[" bound ("-" | " to ") bound ("]" | ")")      ")" leaves the upper bound out
//! open      = ("<" | "<=" | ">" | ">=") bound
//! set       = "{" value ("," value)* "}"
//! counts    = value ":" number ("," value ":" number)*
//! beginning = character* "*"+                                 each "*" is one character
//! ```
//!
//! The bounds around a dash are numbers, negative ones too; the bounds around ` to ` are anything; the
//! bound of a range that is open to one side is a number or a day. A
//! value of a set that has a comma, a brace or a quote is within quotes, as is a counted value that
//! has a comma, a colon or a quote; a quote within quotes is written twice. Blanks around what is not
//! quoted do not count.

/// A label, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Label<'a> {
    /// Says nothing.
    Any,
    /// Ways to read a range: a bound may hold what also stands between bounds.
    Range { bounds: Vec<(&'a str, &'a str)>, is_open: bool },
    /// What is on one side of a bound.
    Side { bound: &'a str, is_below: bool, with_bound: bool },
    /// A value that begins so and has so many characters.
    Beginning { text: &'a str, length: usize },
    /// One value, which was within quotes.
    Value(String),
    /// One of these values.
    Set(Vec<String>),
    /// Values, each with the rows of its class that have it.
    Multiset(Vec<(String, u32)>),
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
    if let Some(side) = side(label) {
        return Some(side);
    }
    if let Some(inner) = label.strip_prefix('[') {
        let (inner, is_open) = match inner.strip_suffix(']') {
            Some(inner) => (inner, false),
            None => (inner.strip_suffix(')')?, true),
        };
        let bounds = bounds(inner);
        return (!bounds.is_empty()).then_some(Label::Range { bounds, is_open });
    }
    if let Some(inner) = label.strip_prefix('{') {
        let items = items(inner.strip_suffix('}')?)?;
        let values = items.into_iter().map(|item| item.rest.is_empty().then_some(item.value));
        return Some(Label::Set(values.collect::<Option<_>>()?));
    }
    if let Some(value) = unquoted(label) {
        return Some(Label::Value(value));
    }
    let counted = items(label)?.into_iter().map(Item::counted).collect::<Option<Vec<_>>>()?;
    Some(Label::Multiset(counted))
}

/// A value as it is written in a label, without its quotes.
pub(super) fn unquoted(value: &str) -> Option<String> {
    match items(value)?.as_slice() {
        [item] if item.is_quoted && item.rest.is_empty() => Some(item.value.clone()),
        _ => None,
    }
}

/// A range that is open to one side.
fn side(label: &str) -> Option<Label<'_>> {
    let (is_below, rest) = match (label.strip_prefix('<'), label.strip_prefix('>')) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return None,
    };
    let (with_bound, rest) = rest.strip_prefix('=').map_or((false, rest), |rest| (true, rest));
    let bound = rest.trim();
    let is_number = bound.parse::<f64>().is_ok_and(f64::is_finite);
    let is_day = bound.chars().all(|c| c.is_ascii_digit() || c == '-')
        && bound.contains('-')
        && bound.chars().filter(char::is_ascii_digit).count() >= 4;
    (is_number || is_day).then_some(Label::Side { bound, is_below, with_bound })
}

fn bounds(inner: &str) -> Vec<(&str, &str)> {
    let words =
        inner.match_indices(" to ").map(|(at, word)| (&inner[..at], &inner[at + word.len()..]));
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok_and(f64::is_finite);
    let dashes = inner.match_indices('-').map(|(at, _)| (&inner[..at], &inner[at + 1..]));
    let numbers = dashes.filter(|(low, high)| is_number(low) && is_number(high));
    words.chain(numbers).map(|(low, high)| (low.trim(), high.trim())).collect()
}

/// What stands between two commas: a value, and what follows where the value is quoted.
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

fn items(mut text: &str) -> Option<Vec<Item<'_>>> {
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
            let end = text.find(',').unwrap_or(text.len());
            (text[..end].trim_end().to_owned(), &text[end..], false)
        };
        let end = after.find(',').unwrap_or(after.len());
        let rest = after[..end].trim();
        if value.is_empty() && !is_quoted {
            return None;
        }
        items.push(Item { value, rest, is_quoted });
        match after[end..].strip_prefix(',') {
            Some(next) => text = next,
            None => return Some(items),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range<'a>(bounds: &[(&'a str, &'a str)], is_open: bool) -> Label<'a> {
        Label::Range { bounds: bounds.to_vec(), is_open }
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
        let side = |bound, is_below, with_bound| Some(Label::Side { bound, is_below, with_bound });
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
            Some(Label::Set(values.iter().map(|&value| value.to_owned()).collect()))
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
}
