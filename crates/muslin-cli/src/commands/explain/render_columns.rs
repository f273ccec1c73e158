//! Why a set of columns is risky, as text.

use muslin::{ColumnWithoutReport, ExplainReport, ExplainedSet, Threshold, printable};

use super::super::keys::{columns, figures, heading, looked_into, set_of};
use super::render::{is_stopped, sizes};
use crate::layout::Column;
use crate::style::{Style, count, counted, percent, ratio, share};

/// The set.
pub(super) fn set(report: &ExplainReport, set: &ExplainedSet, style: &Style) -> String {
    let mut text = heading(&headline(report, set), style);
    text += &figures(&set.ratios, report.rows, style);
    text.push('\n');
    text += &below(&set.below, style);
    if set.set.len() > 1 {
        text.push('\n');
        text += &heading("Which column matters: what the others do without it", style);
        text += &without(&set.without, style);
        text += &smaller(set, style);
    }
    text += &looked_into(&[], set.explanation.as_ref(), report.rows, style);
    text.push('\n');
    text += &uniques(report, set, style);
    text + &style.wrap("Distinct ratio: classes of rows that agree on the columns, of all rows. Separation ratio: pairs of rows that differ in one of the columns, of all pairs. Singled out, or alone: rows that match no other.", 2)
}

/// What matters most.
fn headline(report: &ExplainReport, set: &ExplainedSet) -> String {
    let names = set_of(&set.set);
    let alone = set.ratios.rows_alone.unwrap_or(0);
    let verb =
        if set.set.len() == 1 { ["is", "tells", "singles"] } else { ["are", "tell", "single"] };
    let (own, of_all) = (columns(set.set.len()), counted(report.rows, "row"));
    let rows = format!("{} of {of_all} ({})", count(alone), percent(share(alone, report.rows)));
    if set.is_key {
        format!("{own} {} a key, and {} every pair of rows apart: {names}", verb[0], verb[1])
    } else if set.is_nearly_key {
        format!("{own} {} nearly a key, and {} out {rows}: {names}", verb[0], verb[2])
    } else {
        format!("{own} {} out {rows}: {names}", verb[2])
    }
}

fn below(thresholds: &[Threshold], style: &Style) -> String {
    let line = |below: &Threshold| {
        let classes = below.classes.map_or("-".into(), count);
        vec![below.k.to_string(), count(below.rows), percent(below.share), classes]
    };
    let header = ["in classes of fewer than", "rows", "share", "classes"].map(Column::number);
    style.table(&header, thresholds.iter().map(line).collect())
}

fn without(all: &[ColumnWithoutReport], style: &Style) -> String {
    let line = |without: &ColumnWithoutReport| {
        let of = &without.ratios;
        let few = without.below.iter().find(|below| below.k == FEW);
        vec![
            printable(&without.column).into_owned(),
            of.distinct_ratio.map_or("-".into(), ratio),
            of.separation_ratio.map_or("-".into(), ratio),
            of.rows_alone.map_or("-".into(), count),
            few.map_or("-".into(), |below| count(below.rows)),
            of.smallest_class.map_or("-".into(), count),
        ]
    };
    let header = [
        Column::words("without"),
        Column::number("distinct"),
        Column::number("separation"),
        Column::number("alone"),
        Column::number("below 5").optional(),
        Column::number("smallest class").optional(),
    ];
    style.table(&header, all.iter().map(line).collect())
}

/// Rows in smaller classes are counted without each column.
const FEW: u64 = 5;

fn smaller(set: &ExplainedSet, style: &Style) -> String {
    let line = match &set.smaller {
        Some(few) => format!("Fewer do the same: {}. None of these is needless.", set_of(few)),
        None => {
            "Each column is needed: without any of them, fewer pairs of rows are told apart.".into()
        }
    };
    style.wrap(&line, 2)
}

fn uniques(report: &ExplainReport, set: &ExplainedSet, style: &Style) -> String {
    let Some(by_size) = &set.uniques_by_size else {
        let line = "Minimal uniques of this many columns: `muslin uniques --columns` with their names finds them.";
        return style.wrap(line, 2);
    };
    let total = by_size.values().fold(0u64, |sum, &count| sum.saturating_add(count));
    let least = if is_stopped(report) { "at least " } else { "" };
    let size = report
        .max_size
        .map_or(String::new(), |size| format!(", of at most {}", counted(size as u64, "value")));
    let title = format!(
        "{least}{}: smallest sets of values in these columns that one row holds{size}",
        counted(total, "minimal unique")
    );
    let mut text = heading(&title, style);
    if total > 0 {
        text += &sizes(by_size, style);
    }
    text.push('\n');
    text
}
