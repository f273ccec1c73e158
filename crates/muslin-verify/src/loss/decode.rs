//! The labels of one column of a release, read against the values of the original.

#![expect(clippy::option_option, reason = "a label may be understood and stand for no value")]

use std::collections::HashMap;

use muslin_table::{Column, DayFormat, Form, Hierarchy, Level, printable};

use super::labels::{self, Label, Within};
use super::reading::Cover;
use super::values::{self, Kind};
use crate::{Error, Result};

/// What a label says.
#[derive(Debug, PartialEq)]
pub(super) enum Read {
    /// It stands for these values; and its loss by the leaves of the hierarchy where it knows the label.
    Cover(Cover, Option<f64>),
    /// It is understood, and the original has no value that it could stand for.
    NoValue,
    /// It may be anything.
    Unknown,
}

/// Reads the labels of one column.
pub(super) struct Decoder<'a> {
    /// The values of the original; nothing where those of the release are the same.
    original: Option<Original>,
    /// The values of the release as text, likewise.
    labels: Vec<String>,
    tree: Option<Tree<'a>>,
    /// Whether labels may name values that the original lacks.
    is_of_some: bool,
}

/// The values of the original, to be looked up.
struct Original {
    kind: Kind,
    texts: Vec<String>,
    /// Codes in the order of their text.
    by_text: Vec<u32>,
    numbers: Vec<f64>,
    /// How days are written, where their text is not in their order.
    days: Option<DayFormat>,
}

/// The labels of a hierarchy.
struct Tree<'a> {
    hierarchy: &'a Hierarchy,
    /// The lowest level and the group of each label.
    groups: HashMap<&'a str, (usize, u32)>,
    all_leaves: u32,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(
        original: &Column,
        release: &Column,
        hierarchy: Option<&'a Hierarchy>,
    ) -> Result<Self> {
        let values = original.dictionary();
        if let Some(hierarchy) = hierarchy.filter(|tree| tree.values() != values.len()) {
            return Err(Error::Setting(format!(
                "the hierarchy of column `{}` has {} values, the column {}\n  hint: give the hierarchy of the original's column",
                printable(original.name()),
                hierarchy.values(),
                values.len()
            )));
        }
        let tree = hierarchy.map(Tree::new);
        if values.data_type() == release.data_type() && values == release.dictionary() {
            return Ok(Self { original: None, labels: Vec::new(), tree, is_of_some: false });
        }
        let texts = values.texts();
        let mut by_text: Vec<u32> = (0u32..).zip(&texts).map(|(code, _)| code).collect();
        by_text.sort_by_key(|&code| &texts[code as usize]);
        let kind = if values.is_category() { Kind::Text } else { values::kind(values.data_type()) };
        let days = match values.form() {
            Form::Days(format) => Some(format.clone()),
            _ => None,
        };
        let numbers = values.numbers().unwrap_or_default();
        let labels = release.dictionary().texts();
        let original = Some(Original { kind, texts, by_text, numbers, days });
        Ok(Self { original, labels, tree, is_of_some: false })
    }

    /// The same, for values that are some of those which the labels are about: a set stands for those of its values
    /// that are among them.
    pub(super) fn of_some(mut self) -> Self {
        self.is_of_some = true;
        self
    }

    /// What the value at a position of the release's dictionary stands for.
    pub(super) fn read(&self, at: usize) -> Read {
        let exact = |code: u32| Read::Cover(Cover::Exact(code), Some(0.0));
        let Some(original) = &self.original else {
            return u32::try_from(at).map_or(Read::Unknown, exact);
        };
        let label = self.labels[at].as_str();
        if let Some(code) = original.code(label) {
            return exact(code);
        }
        let parsed = labels::parse(label);
        if parsed == Some(Label::Any) {
            return Read::Cover(Cover::Any, Some(1.0));
        }
        if let Some((cover, loss)) = self.tree.as_ref().and_then(|tree| tree.read(label)) {
            return Read::Cover(cover, loss);
        }
        if original.is_value(label) {
            return Read::NoValue;
        }
        match parsed.and_then(|parsed| self.values(original, parsed)) {
            Some(Some(cover)) => Read::Cover(cover, None),
            Some(None) => Read::NoValue,
            None => Read::Unknown,
        }
    }

    /// The values that a label stands for, if any; nothing where it is no label of such a column.
    fn values(&self, original: &Original, label: Label<'_>) -> Option<Option<Cover>> {
        match label {
            Label::Any => Some(Some(Cover::Any)),
            Label::Value(value) => Some(original.code(&value).map(Cover::Exact)),
            Label::Range { bounds, within, .. } if self.has_texts_of_numbers(&bounds) => {
                let is_within = |own: f64| {
                    bounds.iter().filter_map(numbers).any(|(low, high)| {
                        (low < own || within.low && low <= own)
                            && (own < high || within.high && own <= high)
                    })
                };
                Some(original.texts_where(is_within))
            }
            Label::Side { bound, is_below, with_bound }
                if self.has_texts_of_numbers(&[(bound, bound)]) =>
            {
                let bound = labels::number(bound)?;
                let is_there = |own: f64| {
                    let is_beyond = if is_below { own < bound } else { own > bound };
                    is_beyond || with_bound && (own - bound).abs() < f64::MIN_POSITIVE
                };
                Some(original.texts_where(is_there))
            }
            Label::Range { bounds, within, is_bare } => match (&self.tree, original.kind) {
                (_, Kind::Text) if is_bare => None,
                // Texts are in the order of the hierarchy.
                (Some(tree), Kind::Text) => Some(Some(tree.range(original, &bounds, within)?)),
                _ => original.range(&bounds, within),
            },
            Label::Side { bound, is_below, with_bound } => {
                original.side(bound, is_below, with_bound)
            }
            Label::Beginning { text, length } => original.beginning(text, length),
            Label::Period { first, last } => original.period(&first, &last),
            Label::Set { ways, is_bare } => original.set(&ways, is_bare),
            Label::Multiset(values) => {
                let codes =
                    values.iter().map(|(value, count)| Some((original.code(value)?, *count)));
                match self.known(codes) {
                    Some(codes) => Some(Cover::of_counts(codes)),
                    None => {
                        values.iter().all(|(value, _)| original.is_value(value)).then_some(None)
                    }
                }
            }
        }
    }

    /// Whether numbers bound a label and the people's values are texts: one value that is no number, such as `unknown`,
    /// makes their column one of texts, and the others are numbers all the same.
    fn has_texts_of_numbers(&self, bounds: &[(&str, &str)]) -> bool {
        let is_text = self.original.as_ref().is_some_and(|own| own.kind == Kind::Text);
        let are_numbers = bounds.iter().all(|own| numbers(own).is_some());
        self.is_of_some && self.tree.is_none() && is_text && are_numbers
    }

    /// The values that are known; nothing where all have to be and one is not.
    fn known<T>(&self, codes: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
        if self.is_of_some { Some(codes.flatten().collect()) } else { codes.collect() }
    }
}

impl Original {
    /// The code of a value as it is written: by its text, or by its number.
    fn code(&self, text: &str) -> Option<u32> {
        let by_text = |&code: &u32| self.texts[code as usize].as_str().cmp(text);
        if let Ok(at) = self.by_text.binary_search_by(by_text) {
            return Some(self.by_text[at]);
        }
        if let Some(format) = &self.days {
            // A day in another spelling of its pattern, such as `1.2.2000`.
            let day = f64::from(format.day(text.as_bytes())?);
            let at = self.numbers.binary_search_by(|own| own.total_cmp(&day)).ok()?;
            return u32::try_from(at).ok();
        }
        if self.kind != Kind::Number {
            return None;
        }
        let number = labels::number(text)?;
        // Zero has no sign here, as in a dictionary.
        let order = |value: &f64| (value + 0.0).total_cmp(&(number + 0.0));
        self.numbers.binary_search_by(order).ok().and_then(|at| u32::try_from(at).ok())
    }

    /// The texts that are such numbers.
    fn texts_where(&self, is_there: impl Fn(f64) -> bool) -> Option<Cover> {
        let is_one = |text: &String| labels::number(text).is_some_and(&is_there);
        let found = (0u32..).zip(&self.texts).filter(|(_, text)| is_one(text)).map(|(at, _)| at);
        Cover::of_values(found.collect())
    }

    /// Whether a text is a value as the column might have it, by its type.
    fn is_value(&self, text: &str) -> bool {
        match self.kind {
            Kind::Number => labels::number(text).is_some(),
            Kind::Time if self.days.is_some() => {
                self.days.as_ref().is_some_and(|format| format.day(text.as_bytes()).is_some())
            }
            // A year alone is a label for its days.
            Kind::Time => {
                let length = |text: &str| text.trim().chars().count();
                labels::is_time(text)
                    && self.texts.first().is_some_and(|own| length(own) == length(text))
            }
            Kind::Text => false,
        }
    }

    /// The values between two bounds; nothing where they bound none of this column. Where the label can be
    /// read in several ways, the first whose bounds are values counts, else the first that covers a value.
    fn range(&self, bounds: &[(&str, &str)], within: Within) -> Option<Option<Cover>> {
        let bounds: Vec<(String, String)> = bounds.iter().copied().map(plain).collect();
        let known = bounds.iter().find(|(low, high)| {
            self.code(low).zip(self.code(high)).is_some_and(|(low, high)| low <= high)
        });
        let ways = known.map_or(&bounds[..], std::slice::from_ref).iter();
        let ends: Vec<(u32, u32)> = ways
            .filter(|(low, high)| self.is_rising(low, high))
            .filter_map(|(low, high)| {
                Some((self.below(low, !within.low)?, self.below(high, within.high)?))
            })
            .collect();
        let covers = ends.iter().find_map(|&(first, end)| Cover::of_ends(first, end));
        (!ends.is_empty()).then_some(covers)
    }

    /// Whether a range may go from one bound to the other.
    fn is_rising(&self, low: &str, high: &str) -> bool {
        if let (Some(low), Some(high)) = (self.code(low), self.code(high)) {
            return low <= high;
        }
        // Days in a pattern of their own are not in the order of their texts.
        if let Some(format) = &self.days {
            let days = format.day(low.as_bytes()).zip(format.day(high.as_bytes()));
            return days.is_some_and(|(low, high)| low <= high);
        }
        match (self.kind, labels::number(low), labels::number(high)) {
            (Kind::Number, Some(low), Some(high)) => low <= high || low.is_nan() || high.is_nan(),
            (Kind::Number, ..) => false,
            // A year comes before its months.
            _ => low <= high || low.starts_with(high),
        }
    }

    /// The values on one side of a bound; only where values have distances.
    fn side(&self, bound: &str, is_below: bool, with_bound: bool) -> Option<Option<Cover>> {
        if self.kind == Kind::Text {
            return None;
        }
        if is_below {
            return Some(Cover::of_ends(0, self.below(bound, with_bound)?));
        }
        // What is not a number is on neither side, and comes last.
        let end = match self.kind {
            Kind::Number => self.numbers.partition_point(|value| !value.is_nan()),
            Kind::Time | Kind::Text => self.texts.len(),
        };
        Some(Cover::of_ends(self.below(bound, !with_bound)?, u32::try_from(end).ok()?))
    }

    /// The values that begin so and have so many characters. Of texts, only a code that is cut short is
    /// certainly such a label where no value fits.
    fn beginning(&self, text: &str, length: usize) -> Option<Option<Cover>> {
        let texts = |code: u32| self.texts[code as usize].as_str();
        let from = self.by_text.partition_point(|&code| texts(code) < text);
        let alike = self.by_text[from..].iter().copied();
        let alike = alike.take_while(|&code| texts(code).starts_with(text));
        let fit = alike.filter(|&code| texts(code).chars().count() == length);
        let cover = Cover::of_values(fit.collect());
        let is_code = text.is_empty() || text.contains(|c: char| c.is_ascii_digit());
        (cover.is_some() || is_code).then_some(cover)
    }

    /// The days from the beginning of one period to the end of another; of numbers, years.
    fn period(&self, first: &str, last: &str) -> Option<Option<Cover>> {
        (self.kind != Kind::Text).then_some(())?;
        Some(Cover::of_ends(self.below(first, false)?, self.below(last, true)?))
    }

    /// Those of some values that the column has. The way of reading counts in which all are values; without
    /// braces no other.
    fn set(&self, ways: &[Vec<String>], is_bare: bool) -> Option<Option<Cover>> {
        let codes = |way: &Vec<String>| -> Vec<u32> {
            way.iter().filter_map(|value| self.code(value)).collect()
        };
        let is_known = |way: &&Vec<String>| codes(way).len() == way.len();
        if let Some(way) = ways.iter().find(is_known) {
            return Some(Cover::of_values(codes(way)));
        }
        let could_be = |way: &Vec<String>| way.iter().all(|value| self.is_value(value));
        let best = ways.iter().max_by_key(|way| codes(way).len()).filter(|_| !is_bare);
        match best.and_then(|way| Cover::of_values(codes(way))) {
            Some(cover) => Some(Some(cover)),
            None => ways.iter().any(could_be).then_some(None),
        }
    }

    /// Number of values below a bound, or up to it; nothing where the bound is none of the column.
    fn below(&self, bound: &str, or_equal: bool) -> Option<u32> {
        if let Some(code) = self.code(bound) {
            return Some(code + u32::from(or_equal));
        }
        let below = match self.kind {
            Kind::Number => {
                let bound = labels::number(bound).filter(|bound| !bound.is_nan())?;
                self.numbers.partition_point(|&value| value < bound)
            }
            Kind::Time if self.days.is_some() => {
                let day = self.days.as_ref()?.day(bound.as_bytes()).map(f64::from)?;
                self.numbers.partition_point(|&own| own < day || (or_equal && own <= day))
            }
            // Days and times that are written alike are in the order of their text.
            Kind::Time if !labels::is_time(bound) || !self.has_years(bound) => return None,
            // A day takes in its times, and a year its days.
            Kind::Time => self.texts.partition_point(|text| {
                text.as_str() < bound || (or_equal && text.starts_with(bound))
            }),
            Kind::Text => self.texts.partition_point(|text| text.as_str() < bound),
        };
        u32::try_from(below).ok()
    }

    /// Whether a bound that may be a year is one here: times of day have none.
    fn has_years(&self, bound: &str) -> bool {
        bound.contains(['-', ':']) || self.texts.first().is_none_or(|own| own.contains('-'))
    }
}

/// Bounds that are numbers.
fn numbers((low, high): &(&str, &str)) -> Option<(f64, f64)> {
    labels::number(low).zip(labels::number(high))
}

/// Bounds without quotes.
fn plain((low, high): (&str, &str)) -> (String, String) {
    let plain = |bound: &str| labels::unquoted(bound).unwrap_or_else(|| bound.to_owned());
    (plain(low), plain(high))
}

impl<'a> Tree<'a> {
    fn new(hierarchy: &'a Hierarchy) -> Self {
        let mut groups = HashMap::new();
        for (at, level) in hierarchy.levels().iter().enumerate() {
            for group in 0u32.. {
                let Some(label) = level.label(group) else { break };
                groups.entry(label).or_insert((at, group));
            }
        }
        let leaves = |level: &Level| level.leaves().iter().sum();
        let all_leaves = hierarchy.levels()[1..].iter().map(leaves).max();
        let values = u32::try_from(hierarchy.values()).unwrap_or(u32::MAX);
        Self { hierarchy, groups, all_leaves: all_leaves.unwrap_or(values) }
    }

    /// The values between two, in the order of the hierarchy; the first way of reading that has any.
    fn range(&self, original: &Original, bounds: &[(&str, &str)], within: Within) -> Option<Cover> {
        let place = |text: &str| Some(self.hierarchy.position(original.code(text)?));
        bounds.iter().copied().map(plain).find_map(|(low, high)| {
            let (first, end) =
                (place(&low)? + u32::from(!within.low), place(&high)? + u32::from(within.high));
            let codes = (0u32..).take(self.hierarchy.values());
            let is_between = |&code: &u32| (first..end).contains(&self.hierarchy.position(code));
            Cover::of_values(codes.filter(is_between).collect())
        })
    }

    fn read(&self, label: &str) -> Option<(Cover, Option<f64>)> {
        let &(at, group) = self.groups.get(label)?;
        let level = &self.hierarchy.levels()[at];
        let values = (0u32..).zip(&level.groups()[..self.hierarchy.values()]);
        let values = values.filter(|&(_, &of)| of == group).map(|(code, _)| code);
        let leaves = f64::from(level.leaves()[group as usize]) - 1.0;
        let all = f64::from(self.all_leaves) - 1.0;
        let loss = if all > 0.0 { leaves / all } else { 0.0 };
        Some((Cover::of_values(values.collect())?, Some(loss)))
    }
}
