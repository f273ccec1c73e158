//! Verdicts as text.

use muslin::{VerifyCheck, VerifyReport};

use super::super::input::title;
use crate::style::{Style, count, counted, list};

/// The report.
pub(super) fn render(report: &VerifyReport, style: &Style) -> String {
    let columns = usize::try_from(report.columns).unwrap_or(usize::MAX);
    let mut text = title(&report.release, report.rows, columns, style);
    if let Some(original) = &report.original {
        let rows = report.original_rows.unwrap_or(0);
        let columns = usize::try_from(report.original_columns.unwrap_or(0)).unwrap_or(usize::MAX);
        text += &title(original, rows, columns, style);
    }
    text.push('\n');
    text += &style.heading(style.wrap(&headline(report), 0).trim_end());
    text += "\n\n";
    let row = |check: &VerifyCheck| {
        let verdict = match (check.met, check.decided) {
            (true, _) => "met",
            (false, true) => "NOT MET",
            (false, false) => "not decided",
        };
        vec![check.claim.clone(), verdict.to_owned(), check.reason.clone()]
    };
    let rows = report.checks.iter().map(row).collect();
    text += &style.table(&["claim", "verdict", "what was found"], &[], &[0, 2], rows);
    for check in report.checks.iter().filter(|check| !check.met) {
        text += &style.wrap(&counter_example(check), 2);
    }
    let wanted: Vec<&VerifyCheck> =
        report.checks.iter().filter(|check| check.met && !check.columns.is_empty()).collect();
    if let Some(check) = wanted.first() {
        text.push('\n');
        text += &style.wrap(&format!("On {}.", list(&check.columns)), 2);
    }
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text
}

fn headline(report: &VerifyReport) -> String {
    let failed = report.checks.iter().filter(|check| !check.met).count();
    let all = report.checks.len() as u64;
    match failed {
        0 => format!("All {} met", counted(all, "check")),
        failed => format!("{failed} of {} not met", counted(all, "check")),
    }
}

/// Where a claim does not hold: rows and columns, never values.
fn counter_example(check: &VerifyCheck) -> String {
    let mut parts = vec![format!("! {}", check.claim)];
    if !check.columns.is_empty() {
        parts.push(format!("on {}", list(&check.columns)));
    }
    if check.violations > 0 {
        let whose = if check.of_original { "of the original " } else { "" };
        parts.push(format!("{} {whose}against it", counted(check.violations, "row")));
    }
    if !check.rows.is_empty() {
        let rows: Vec<String> = check.rows.iter().map(|&row| count(row.into())).collect();
        let more = if check.violations > check.rows.len() as u64 { ", ..." } else { "" };
        parts.push(format!("such as {}{more} (from 0)", rows.join(", ")));
    }
    parts.join(": ")
}
