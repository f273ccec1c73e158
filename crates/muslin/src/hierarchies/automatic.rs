//! Hierarchies from the values alone.

use muslin_table::{ANY, Column, Hierarchy, Number, Result};

use super::rules::{DatePart, in_width, prefix};
use crate::scan::Nature;

/// About how many ranges the first level of numbers has.
const RANGES: f64 = 20.0;
/// Levels of numbers at most.
const LEVELS: usize = 5;
/// Texts are codes, of which beginnings mean something, if they are as long as each other, no longer
/// than this, and made of letters and digits.
const LONGEST_CODE: usize = 12;

/// Ranges that double, for numbers; months, quarters, years and decades, for dates; beginnings, for codes of one length
/// such as postcodes, whole numbers too. Everything else is itself or nothing.
pub(super) fn build(column: &Column) -> Result<Hierarchy> {
    let values = column.dictionary();
    let texts = || (0..values.len()).map(|at| values.text(at));
    let numbers: Option<Vec<Number>> = (0..values.len()).map(|at| values.number(at)).collect();
    let levels: Vec<Vec<String>> = match numbers {
        Some(numbers) if numbers.iter().any(|number| matches!(number, Number::Day(_))) => {
            dates(&numbers)
        }
        Some(numbers) if !numbers.is_empty() && !Nature::of(column).is_nominal() => {
            widths(&numbers)
                .into_iter()
                .map(|(width, times)| {
                    let label = |(at, &number): (usize, &Number)| {
                        in_width(number, width, times, || values.text(at))
                    };
                    numbers.iter().enumerate().map(label).collect()
                })
                .collect()
        }
        _ => match code_length(texts()) {
            Some(length) if values.len() >= 10 => (1..length)
                .rev()
                .map(|kept| texts().map(|text| prefix(&text, kept)).collect())
                .collect(),
            _ => Vec::new(),
        },
    };
    // Levels that put nothing together are left out.
    let mut kept: Vec<&Vec<String>> = Vec::new();
    let mut groups = values.len();
    for level in &levels {
        let mut labels: Vec<&String> = level.iter().collect();
        labels.sort_unstable();
        labels.dedup();
        if labels.len() < groups && labels.len() > 1 {
            groups = labels.len();
            kept.push(level);
        }
    }
    let path = |at: usize| -> Vec<String> {
        kept.iter().map(|level| level[at].clone()).chain([ANY.to_owned()]).collect()
    };
    let paths: Vec<Vec<String>> = (0..values.len()).map(path).collect();
    Hierarchy::new(column.name(), &paths, &[])
}

/// A width of ranges, 1, 2 or 5 times a power of ten, and how many are together at each level.
fn widths(numbers: &[Number]) -> Vec<(f64, f64)> {
    let finite = || numbers.iter().map(|number| number.as_f64()).filter(|value| value.is_finite());
    let (least, most) = (finite().fold(f64::MAX, f64::min), finite().fold(f64::MIN, f64::max));
    let span = most - least;
    if !(span.is_finite() && span > 0.0) {
        return Vec::new();
    }
    let power = 10f64.powf((span / RANGES).log10().floor());
    let first = [1.0, 2.0, 5.0, 10.0].into_iter().map(|of| of * power);
    let mut width = first.into_iter().find(|&width| width * RANGES >= span).unwrap_or(power * 10.0);
    if numbers.iter().all(|number| matches!(number, Number::Whole(_))) {
        width = width.max(1.0).round();
    }
    let doubled = std::iter::successors(Some(1.0), |times| Some(times * 2.0));
    let is_part = |&(width, times): &(f64, f64)| width * times < span;
    doubled.take(LEVELS).map(|times| (width, times)).take_while(is_part).collect()
}

fn dates(numbers: &[Number]) -> Vec<Vec<String>> {
    let label = |part: DatePart| -> Vec<String> {
        let days = |number: &Number| match *number {
            Number::Day(days) => part.label(days),
            _ => ANY.to_owned(),
        };
        numbers.iter().map(days).collect()
    };
    [DatePart::Day, DatePart::Month, DatePart::Quarter, DatePart::Year, DatePart::Decade]
        .map(label)
        .into()
}

/// The length that all texts have, if they are codes.
fn code_length(mut texts: impl Iterator<Item = String>) -> Option<usize> {
    let is_code = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && text.bytes().any(|byte| byte.is_ascii_digit())
    };
    let length = texts.next().filter(|text| is_code(text))?.len();
    let is_alike = (2..=LONGEST_CODE).contains(&length)
        && texts.all(|text| text.len() == length && is_code(&text));
    is_alike.then_some(length)
}
