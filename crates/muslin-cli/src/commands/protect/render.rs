//! What a policy made, as text.

use muslin::{ChangedColumn, ProtectReport, ProtectStep, printable, verdict_headline};

use super::super::input::title;
use super::super::verify::render::findings;
use crate::layout::Column;
use crate::style::{Style, count, counted, gap_in_percent, list, percent};

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
    let header = [
        Column::number("step"),
        Column::text("method"),
        Column::number("k"),
        Column::number("cells suppressed"),
        Column::number("rows removed"),
        Column::words("columns not published"),
    ];
    text += &style.table(&header, rows);
    text.push('\n');
    text += &changed(report).map(|line| style.wrap(&line, 2)).unwrap_or_default();
    let found = &report.verification;
    let headline = verdict_headline(report.verdict, &found.checks, found.findings.len());
    text += &style.heading(style.wrap(&headline, 0).trim_end());
    text += "\n\n";
    for claim in &report.claims {
        text += &style.wrap(&format!("Verified in the file that was written: {claim}."), 2);
    }
    if let Some(dialect) = &report.dialect {
        text += &style.wrap(&format!("The file has {}.", dialect.in_words()), 2);
    }
    text += &findings(found, style);
    text += &chosen(&report.choices, style);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    if let Some(folder) = &report.written {
        let folder = printable(folder);
        text += &style
            .wrap(&format!("Release written to {folder}; `internal` in it is not for release."), 2);
    }
    text
}

/// How many cells of each quasi-identifier were changed.
fn changed(report: &ProtectReport) -> Option<String> {
    let column = |own: &ChangedColumn| {
        let name = printable(&own.name);
        if own.withheld {
            return format!("{name} not published");
        }
        let parts = [(own.generalized_share, "generalized"), (own.suppressed_share, "suppressed")];
        let parts = parts.iter().filter(|(share, _)| *share > 0.0);
        let parts: Vec<String> =
            parts.map(|(share, what)| format!("{} {what}", percent(*share))).collect();
        format!("{name} {}", parts.join(", "))
    };
    let columns = report.loss.columns.iter().filter(|own| own.changed_share > 0.0);
    let columns: Vec<String> = columns.map(column).collect();
    (!columns.is_empty()).then(|| format!("Changed cells: {}.", columns.join("; ")))
}

/// What the policy leaves unsaid.
pub(super) fn chosen(choices: &[String], style: &Style) -> String {
    if choices.is_empty() {
        return String::new();
    }
    let lines = choices.iter().map(|choice| style.wrap(&format!("- {choice}"), 4));
    style.wrap("Where the policy says nothing:", 2) + &lines.collect::<String>()
}

fn headline(report: &ProtectReport) -> String {
    let loss = &report.loss;
    let mut parts = vec![
        format!("{} published", counted(report.rows_after, "row")),
        format!("information loss on the quasi-identifiers {} (GCP)", percent(loss.gcp)),
    ];
    if loss.suppressed_share > 0.0 {
        parts.push(format!("{} of the cells suppressed", percent(loss.suppressed_share)));
    }
    if loss.removed_share > 0.0 {
        parts.push(format!("{} of the rows removed", percent(loss.removed_share)));
    }
    parts.extend(
        loss.counts_off.map(|off| format!("median error of counts {}", gap_in_percent(off))),
    );
    parts.join("; ")
}
