//! The labels of one column of a release, read against the values of the original.

use std::collections::HashMap;

use muslin_table::{Column, Hierarchy, Level, printable};

use super::labels::{self, Label};
use super::reading::Cover;
use super::values::{self, Kind};
use crate::{Error, Result};

/// Reads the labels of one column.
pub(super) struct Decoder<'a> {
    /// The values of the original; nothing where those of the release are the same.
    original: Option<Original>,
    /// The values of the release as text, likewise.
    labels: Vec<String>,
    tree: Option<Tree<'a>>,
}

/// The values of the original, to be looked up.
struct Original {
    kind: Kind,
    texts: Vec<String>,
    /// Codes in the order of their text.
    by_text: Vec<u32>,
    numbers: Vec<f64>,
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
            return Ok(Self { original: None, labels: Vec::new(), tree });
        }
        let texts = values.texts();
        let mut by_text: Vec<u32> = (0u32..).zip(&texts).map(|(code, _)| code).collect();
        by_text.sort_by_key(|&code| &texts[code as usize]);
        let kind = values::kind(values.data_type());
        let numbers = values.numbers().unwrap_or_default();
        let labels = release.dictionary().texts();
        Ok(Self { original: Some(Original { kind, texts, by_text, numbers }), labels, tree })
    }

    /// What the value at a position of the release's dictionary stands for, and its loss by the
    /// leaves of the hierarchy where it knows the label.
    pub(super) fn read(&self, at: usize) -> Option<(Cover, Option<f64>)> {
        let Some(original) = &self.original else {
            let code = u32::try_from(at).ok()?;
            return Some((Cover::Exact(code), Some(0.0)));
        };
        let label = self.labels[at].as_str();
        if let Some(code) = original.code(label) {
            return Some((Cover::Exact(code), Some(0.0)));
        }
        let parsed = labels::parse(label);
        if parsed == Some(Label::Any) {
            return Some((Cover::Any, Some(1.0)));
        }
        if let Some(found) = self.tree.as_ref().and_then(|tree| tree.read(label)) {
            return Some(found);
        }
        let cover = match parsed? {
            Label::Any => Cover::Any,
            Label::Value(value) => Cover::Exact(original.code(&value)?),
            Label::Range { bounds, is_open } => match &self.tree {
                // Texts are in the order of the hierarchy.
                Some(tree) if original.kind == Kind::Text => {
                    tree.range(original, &bounds, is_open)?
                }
                _ => original.range(&bounds, is_open)?,
            },
            Label::Side { bound, is_below, with_bound } => {
                original.side(bound, is_below, with_bound)?
            }
            Label::Beginning { text, length } => original.beginning(text, length)?,
            Label::Set(values) => {
                let codes = values.iter().map(|value| original.code(value));
                Cover::of_values(codes.collect::<Option<_>>()?)?
            }
            Label::Multiset(values) => {
                let codes =
                    values.iter().map(|(value, count)| Some((original.code(value)?, *count)));
                Cover::of_counts(codes.collect::<Option<_>>()?)?
            }
        };
        Some((cover, None))
    }
}

impl Original {
    /// The code of a value as it is written: by its text, or by its number.
    fn code(&self, text: &str) -> Option<u32> {
        let by_text = |&code: &u32| self.texts[code as usize].as_str().cmp(text);
        if let Ok(at) = self.by_text.binary_search_by(by_text) {
            return Some(self.by_text[at]);
        }
        if self.kind != Kind::Number {
            return None;
        }
        let number: f64 = text.trim().parse().ok()?;
        // Zero has no sign here, as in a dictionary.
        let order = |value: &f64| (value + 0.0).total_cmp(&(number + 0.0));
        self.numbers.binary_search_by(order).ok().and_then(|at| u32::try_from(at).ok())
    }

    /// The values between two bounds. Where the label can be read in several ways, the first whose
    /// bounds are values counts, else the first that covers a value.
    fn range(&self, bounds: &[(&str, &str)], is_open: bool) -> Option<Cover> {
        let bounds: Vec<(String, String)> = bounds.iter().copied().map(plain).collect();
        let known = bounds.iter().find(|(low, high)| {
            self.code(low).zip(self.code(high)).is_some_and(|(low, high)| low <= high)
        });
        let mut ways = known.map_or(&bounds[..], std::slice::from_ref).iter();
        ways.find_map(|(low, high)| {
            let (first, end) = (self.below(low, false)?, self.below(high, !is_open)?);
            Cover::of_ends(first, end)
        })
    }

    /// The values on one side of a bound; only where values have distances.
    fn side(&self, bound: &str, is_below: bool, with_bound: bool) -> Option<Cover> {
        if self.kind == Kind::Text {
            return None;
        }
        if is_below {
            return Cover::of_ends(0, self.below(bound, with_bound)?);
        }
        // What is not a number is on neither side, and comes last.
        let end = match self.kind {
            Kind::Number => self.numbers.partition_point(|value| !value.is_nan()),
            Kind::Time | Kind::Text => self.texts.len(),
        };
        Cover::of_ends(self.below(bound, !with_bound)?, u32::try_from(end).ok()?)
    }

    /// The values that begin so and have so many characters.
    fn beginning(&self, text: &str, length: usize) -> Option<Cover> {
        let texts = |code: u32| self.texts[code as usize].as_str();
        let from = self.by_text.partition_point(|&code| texts(code) < text);
        let alike = self.by_text[from..].iter().copied();
        let alike = alike.take_while(|&code| texts(code).starts_with(text));
        let fit = alike.filter(|&code| texts(code).chars().count() == length);
        Cover::of_values(fit.collect())
    }

    /// Number of values below a bound, or up to it; nothing where the bound is none of the column.
    fn below(&self, bound: &str, or_equal: bool) -> Option<u32> {
        if let Some(code) = self.code(bound) {
            return Some(code + u32::from(or_equal));
        }
        let below = match self.kind {
            Kind::Number => {
                let bound: f64 = bound.trim().parse().ok().filter(|bound: &f64| !bound.is_nan())?;
                self.numbers.partition_point(|&value| value < bound)
            }
            // Days and times that are written alike are in the order of their text.
            Kind::Time if !is_time(bound) => return None,
            // A day takes in its times.
            Kind::Time => self.texts.partition_point(|text| {
                text.as_str() < bound || (or_equal && text.starts_with(bound))
            }),
            Kind::Text => self.texts.partition_point(|text| text.as_str() < bound),
        };
        u32::try_from(below).ok()
    }
}

/// Bounds without quotes.
fn plain((low, high): (&str, &str)) -> (String, String) {
    let plain = |bound: &str| labels::unquoted(bound).unwrap_or_else(|| bound.to_owned());
    (plain(low), plain(high))
}

/// Whether a text looks like a day or a time.
fn is_time(text: &str) -> bool {
    let is_mark = |c: char| matches!(c, '-' | ':' | '.' | 'T' | 'Z' | ' ');
    text.chars().filter(char::is_ascii_digit).count() >= 4
        && text.chars().all(|c| c.is_ascii_digit() || is_mark(c))
        && text.contains(['-', ':'])
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
    fn range(&self, original: &Original, bounds: &[(&str, &str)], is_open: bool) -> Option<Cover> {
        let place = |text: &str| Some(self.hierarchy.position(original.code(text)?));
        bounds.iter().copied().map(plain).find_map(|(low, high)| {
            let (first, end) = (place(&low)?, place(&high)? + u32::from(!is_open));
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
