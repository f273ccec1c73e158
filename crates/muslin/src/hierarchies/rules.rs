//! Hierarchies by rules: ranges of numbers, parts of dates, beginnings of texts.

use std::path::PathBuf;

use muslin_engine::Run;
use muslin_table::{ANY, Column, Hierarchy, Number, calendar};
use serde::{Deserialize, Serialize};

use super::{file, wrong};
use crate::Result;

/// What a policy file says of a column's hierarchy. Every one ends with a level at which nothing is
/// left.
///
/// ```
/// let policy = muslin::Policy::parse("muslin.toml", r#"
///     schema = 1
///     [columns.age]
///     hierarchy.widths = [5, 10, 20]
///     [columns.income]
///     hierarchy.breaks = [[10_000, 20_000, 50_000], [20_000]]
///     [columns.birth]
///     hierarchy.parts = ["month", "year"]
///     [columns.postcode]
///     hierarchy.prefixes = [4, 2]
/// "#)?;
/// assert!(policy.columns["age"].hierarchy.is_some());
/// # Ok::<(), muslin::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum HierarchyRule {
    /// A file, as `--hierarchy` takes it.
    File(PathBuf),
    /// Ranges of these widths, level by level; each a multiple of the one before.
    Widths(Vec<f64>),
    /// Ranges that begin at these numbers, level by level; each level's among those of the one
    /// before.
    Breaks(Vec<Vec<f64>>),
    /// Parts of dates, level by level.
    Parts(Vec<DatePart>),
    /// Beginnings of so many characters, level by level; the others become `*`.
    Prefixes(Vec<usize>),
}

/// A part of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DatePart {
    /// The day, of a point in time.
    Day,
    /// The month of the year.
    Month,
    /// Three months.
    Quarter,
    /// The year.
    Year,
    /// Ten years.
    Decade,
}

impl DatePart {
    /// The part that a day is in.
    pub(super) fn label(self, days: i64) -> String {
        let (year, month, _) = calendar(days);
        match self {
            Self::Day => muslin_table::date(days),
            Self::Month => format!("{year:04}-{month:02}"),
            Self::Quarter => format!("{year:04}-Q{}", (month + 2) / 3),
            Self::Year => format!("{year:04}"),
            Self::Decade => format!("{}s", year.div_euclid(10) * 10),
        }
    }
}

pub(super) fn build(rule: &HierarchyRule, column: &Column, run: &Run) -> Result<Hierarchy> {
    let level_texts = |label: &dyn Fn(usize, usize) -> String, levels: usize| {
        let path = |at: usize| -> Vec<String> {
            (0..levels).map(|level| label(at, level)).chain([ANY.to_owned()]).collect()
        };
        let paths: Vec<Vec<String>> = (0..column.dictionary().len()).map(path).collect();
        Ok(Hierarchy::new(column.name(), &paths, &[])?)
    };
    let values = column.dictionary();
    match rule {
        HierarchyRule::File(file) => file::read(file, column, run),
        HierarchyRule::Widths(widths) => {
            check_widths(column, widths)?;
            let numbers = numbers(column)?;
            level_texts(
                &|at, level| {
                    in_width(numbers[at], widths[0], (widths[level] / widths[0]).round(), || {
                        values.text(at)
                    })
                },
                widths.len(),
            )
        }
        HierarchyRule::Breaks(levels) => {
            check_breaks(column, levels)?;
            let numbers = numbers(column)?;
            level_texts(
                &|at, level| between(numbers[at], &levels[level], || values.text(at)),
                levels.len(),
            )
        }
        HierarchyRule::Parts(parts) => {
            let days: Option<Vec<i64>> = (0..values.len())
                .map(|at| match values.number(at) {
                    Some(Number::Day(days)) => Some(days),
                    _ => None,
                })
                .collect();
            let days = days.ok_or_else(|| {
                wrong(
                    column,
                    "parts are of dates, and it has none",
                    "pass `--type NAME=date`, or leave the rule out",
                )
            })?;
            if !parts.is_sorted() {
                return Err(wrong(
                    column,
                    "parts go from small to large",
                    "write them so: day, month, quarter, year, decade",
                ));
            }
            level_texts(&|at, level| parts[level].label(days[at]), parts.len())
        }
        HierarchyRule::Prefixes(lengths) => {
            if !lengths.is_sorted_by(|a, b| a > b) {
                return Err(wrong(
                    column,
                    "prefixes do not become shorter",
                    "write them so: [4, 3, 2]",
                ));
            }
            level_texts(&|at, level| prefix(&values.text(at), lengths[level]), lengths.len())
        }
    }
}

/// A column's values as numbers.
fn numbers(column: &Column) -> Result<Vec<Number>> {
    let values = column.dictionary();
    let numbers: Option<Vec<Number>> = (0..values.len()).map(|at| values.number(at)).collect();
    numbers.ok_or_else(|| {
        wrong(
            column,
            "ranges are of numbers, and some of its values are none",
            "give groups in a file, or leave the rule out",
        )
    })
}

fn check_widths(column: &Column, widths: &[f64]) -> Result<()> {
    let is_good = |width: f64| width.is_finite() && width > 0.0;
    let is_multiple = |pair: &[f64]| {
        let ratio = pair[1] / pair[0];
        ratio > 1.0 && (ratio - ratio.round()).abs() < 1e-9
    };
    if !widths.iter().copied().all(is_good) || !widths.windows(2).all(is_multiple) {
        return Err(wrong(
            column,
            "widths are not multiples of one another",
            "write them so: [5, 10, 20]",
        ));
    }
    Ok(())
}

fn check_breaks(column: &Column, levels: &[Vec<f64>]) -> Result<()> {
    for level in levels {
        if !level.is_sorted_by(|a, b| a < b) || level.iter().any(|bound| !bound.is_finite()) {
            return Err(wrong(column, "breaks do not rise", "write each level's so: [18, 30, 65]"));
        }
    }
    for pair in levels.windows(2) {
        if let Some(at) = pair[1].iter().position(|bound| !pair[0].contains(bound)) {
            return Err(wrong(
                column,
                format!("break {} of a level is none of the level before", at + 1),
                "take each level's breaks from those of the level before",
            ));
        }
    }
    Ok(())
}

/// The range that a number is in, of `times` ranges of a width together.
pub(super) fn in_width(
    number: Number,
    width: f64,
    times: f64,
    text: impl Fn() -> String,
) -> String {
    let value = number.as_f64();
    if !value.is_finite() {
        return text();
    }
    // A number that is on a bound but for rounding is on it. Ranges of ranges are counted, so that
    // rounding never tears them apart.
    let first = ((value / width) + 1e-9).floor();
    let lower = (first / times).floor() * times;
    range(number, lower * width, (lower + times) * width)
}

/// The range from `lower` up to, and without, `upper`.
fn range(number: Number, lower: f64, upper: f64) -> String {
    let spell = |value: f64| match number {
        Number::Day(_) => {
            #[expect(clippy::cast_possible_truncation, reason = "a count of days")]
            let days = value.round() as i64;
            muslin_table::date(days)
        }
        _ => trimmed(value),
    };
    let is_whole =
        !matches!(number, Number::Real(_)) && lower.fract() == 0.0 && upper.fract() == 0.0;
    if is_whole && upper - lower <= 1.0 {
        return spell(lower);
    }
    let (upper, close) = if is_whole { (upper - 1.0, ']') } else { (upper, ')') };
    let (lower, upper) = (spell(lower), spell(upper));
    let joint = if lower.contains('-') || upper.contains('-') { " to " } else { "-" };
    format!("[{lower}{joint}{upper}{close}")
}

/// The range between breaks that a number is in.
fn between(number: Number, breaks: &[f64], text: impl Fn() -> String) -> String {
    let value = number.as_f64();
    if value.is_nan() {
        return text();
    }
    let above = breaks.partition_point(|&bound| bound <= value);
    match (above.checked_sub(1).map(|at| breaks[at]), breaks.get(above)) {
        (None, None) => ANY.to_owned(),
        (None, Some(&upper)) => format!("<{}", trimmed(upper)),
        (Some(lower), None) => format!(">={}", trimmed(lower)),
        (Some(lower), Some(&upper)) => range(number, lower, upper),
    }
}

/// A number without what rounding added.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.9}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// The first characters of a text; the others become `*`.
pub(super) fn prefix(text: &str, length: usize) -> String {
    let kept: String = text.chars().take(length).collect();
    let others = text.chars().count().saturating_sub(length);
    kept + &ANY.repeat(others)
}
