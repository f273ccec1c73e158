//! Verdicts as text.

use muslin::{VerifyCheck, VerifyReport, verdict_headline};

use super::super::input::title;
use crate::layout::Column;
use crate::style::{Style, count, counted, list, numbers, percent, share};

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
    let headline = verdict_headline(report.verdict, &report.checks, report.findings.len());
    text += &style.heading(style.wrap(&headline, 0).trim_end());
    text += "\n\n";
    let row = |check: &VerifyCheck| {
        let verdict = match (check.met, check.decided) {
            (true, _) => "passed",
            (false, true) => "FAILED",
            (false, false) => "not decided",
        };
        vec![check.claim.clone(), verdict.to_owned(), check.reason.clone()]
    };
    let rows = report.checks.iter().map(row).collect();
    let header = [Column::words("check"), Column::text("result"), Column::words("what was found")];
    text += &style.table(&header, rows);
    for check in report.checks.iter().filter(|check| !check.met) {
        text += &style.wrap(&counter_example(check), 2);
    }
    let wanted: Vec<&VerifyCheck> =
        report.checks.iter().filter(|check| check.met && !check.columns.is_empty()).collect();
    if let Some(check) = wanted.first() {
        text.push('\n');
        text += &style.wrap(&format!("On {}.", list(&check.columns)), 2);
    }
    text += &findings(report, style);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text
}

/// What was found beside the checks, and what was not checked.
pub(in crate::commands) fn findings(report: &VerifyReport, style: &Style) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let remedy = finding.remedy.as_deref().map(|own| format!(" Remedy: {own}."));
        let line = format!("! Finding: {}.{}", finding.text, remedy.unwrap_or_default());
        text += &style.wrap(&line, 2);
    }
    for accepted in &report.accepted {
        text += &style.wrap(&format!("! Accepted by the policy: {}.", accepted.text), 2);
    }
    let exposure = &report.exposure;
    let unique = format!(
        "Sample uniques on all published columns: {} of {} rows ({}); on the quasi-identifiers: {}.",
        count(exposure.unique),
        count(exposure.rows),
        percent(share(exposure.unique, exposure.rows)),
        count(exposure.unique_on_quasi_identifiers)
    );
    text += &style.wrap(&unique, 2);
    let most = |kind: &str, of: &[muslin::ExposedColumns]| -> Option<String> {
        let each = |own: &muslin::ExposedColumns| {
            format!("{} ({})", list(&own.columns).replace(", ", " with "), percent(own.share))
        };
        let each: Vec<String> = of.iter().take(3).map(each).collect();
        (!each.is_empty()).then(|| format!("{kind}: {}.", each.join("; ")))
    };
    let singles = most("Columns that make the most rows unique", &exposure.columns);
    let pairs = most("Pairs that do", &exposure.pairs);
    for line in singles.into_iter().chain(pairs) {
        text += &style.wrap(&line, 2);
    }
    for open in &report.not_checked {
        text += &style.wrap(&format!("Not checked: {open}."), 2);
    }
    text
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
        let rows = numbers(check.rows.iter().map(|&row| row.into()));
        let more = if check.violations > check.rows.len() as u64 { "; ..." } else { "" };
        parts.push(format!("such as {rows}{more} (from 0)"));
    }
    parts.join(": ")
}
