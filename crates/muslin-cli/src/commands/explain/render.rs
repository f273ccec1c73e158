//! Explanations as text.

use std::collections::BTreeMap;

use muslin::{Coverage, ExplainAnswer, ExplainReport};

use super::super::input::title;
use super::{render_columns, render_row};
use crate::layout::Column;
use crate::style::{Style, bar, count, list, share};

/// The summary.
pub(super) fn render(report: &ExplainReport, style: &Style) -> String {
    let mut text = title(&report.input, report.rows, report.column_names.len(), style);
    if !report.left_out.is_empty() {
        let line = format!(
            "Looked at: {}. Left out by their roles: {}.",
            list(&report.column_names),
            list(&report.left_out)
        );
        text += &style.wrap(&line, 2);
    }
    if is_stopped(report) {
        let line = "! The search for minimal uniques was stopped by a limit: those given are right, more may exist. Counts of rows are exact.";
        text += &style.wrap(line, 2);
    }
    text.push('\n');
    text += &match &report.answer {
        ExplainAnswer::Row(row) => render_row::row(report, row, style),
        ExplainAnswer::Columns(set) => render_columns::set(report, set, style),
    };
    let rule = report.missing_rule;
    text += &style.wrap(&format!("Missing cells: {} (`--missing {rule}`).", rule.describe()), 2);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text + &style.wrap(next_step(report), 2)
}

pub(super) fn is_stopped(report: &ExplainReport) -> bool {
    matches!(report.coverage, Coverage::Stopped { .. })
}

/// Minimal uniques by size.
pub(super) fn sizes(by_size: &BTreeMap<usize, u64>, style: &Style) -> String {
    let most = by_size.values().copied().max().unwrap_or(0);
    let line = |(size, &uniques): (&usize, &u64)| {
        vec![size.to_string(), count(uniques), bar(share(uniques, most), style.bar_width())]
    };
    let header = [Column::number("size"), Column::number("minimal uniques"), Column::bar()];
    style.table(&header, by_size.iter().map(line).collect())
}

fn next_step(report: &ExplainReport) -> &'static str {
    match &report.answer {
        _ if is_stopped(report) => "Next: pass a larger limit, or a smaller `--max-size`.",
        ExplainAnswer::Row(row) if row.total == 0 => {
            "Next: `muslin uniques` finds the rows that stand out."
        }
        ExplainAnswer::Row(_) => {
            "Next: `muslin uniques --scores` rates all rows, with DIS-SUDA, which takes the scores of all; `muslin suppress` and `muslin generalize` make rows alike."
        }
        ExplainAnswer::Columns(_) => {
            "Next: `muslin uniques --columns` with these names says whom they single out, `muslin keys --set` in which order; `muslin mask` says which can be published together."
        }
    }
}
