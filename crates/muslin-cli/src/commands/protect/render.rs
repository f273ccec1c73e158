//! What a policy made, as text.

use muslin::{ProtectReport, ProtectStep, printable};

use super::super::input::title;
use crate::style::{Style, count, counted, list, percent};

/// The report.
pub(super) fn render(report: &ProtectReport, style: &Style) -> String {
    let columns = usize::try_from(report.columns_before).unwrap_or(usize::MAX);
    let mut text = title(&report.input, report.rows_before, columns, style);
    text += &style.wrap(&format!("Quasi-identifiers: {}.", list(&report.quasi_identifiers)), 2);
    if let Some(preset) = &report.preset {
        text += &style.wrap(&format!("Preset {preset}."), 2);
    }
    text.push('\n');
    text += &style.heading(style.wrap(&headline(report), 0).trim_end());
    text += "\n\n";
    let row = |(number, step): (usize, &ProtectStep)| {
        vec![
            number.to_string(),
            step.method.clone(),
            step.k.map_or_else(|| "-".into(), |k| k.to_string()),
            count(step.suppressed_cells),
            count(step.removed_rows),
            if step.masked.is_empty() { "-".into() } else { list(&step.masked) },
        ]
    };
    let rows = (1..).zip(&report.steps).map(row).collect();
    let header = ["step", "method", "k", "cells withheld", "rows withheld", "columns withheld"];
    text += &style.table(&header, &[0, 2, 3, 4], &[5], rows);
    text.push('\n');
    for claim in &report.claims {
        text += &style.wrap(&format!("Holds: {claim}."), 2);
    }
    let checks = report.verdict.checks.len() as u64;
    text += &style.wrap(
        &format!("Judged in the file that was written: {} met.", counted(checks, "check")),
        2,
    );
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    if let Some(folder) = &report.written {
        let folder = printable(folder);
        text += &style.wrap(
            &format!("Release written to {folder}; `internal` in it is not for release. Next: `muslin verify {folder}`, `muslin attack {folder}`."),
            2,
        );
    }
    text
}

fn headline(report: &ProtectReport) -> String {
    let loss = &report.loss;
    let mut parts = vec![
        format!("{} published", counted(report.rows_after, "row")),
        format!("{} of the detail lost", percent(loss.gcp)),
    ];
    if loss.suppressed_share > 0.0 {
        parts.push(format!("{} of the cells withheld", percent(loss.suppressed_share)));
    }
    if loss.removed_share > 0.0 {
        parts.push(format!("{} of the rows withheld", percent(loss.removed_share)));
    }
    parts
        .extend(loss.counts_off.map(|off| format!("counts off by {} at the median", percent(off))));
    parts.join(", ")
}
