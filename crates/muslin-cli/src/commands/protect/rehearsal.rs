//! What a policy would do, as text.

use muslin::{Rehearsal, RehearsalReport};

use super::super::input::title;
use super::render::chosen;
use crate::layout::Column;
use crate::style::{Style, count, list, percent};

/// The report.
pub(super) fn render(report: &RehearsalReport, style: &Style) -> String {
    let columns = usize::try_from(report.columns).unwrap_or(usize::MAX);
    let mut text = title(&report.input, report.rows, columns, style);
    text.push('\n');
    text += &style.heading(style.wrap(&headline(report), 0).trim_end());
    text += "\n\n";
    let named = [
        ("Never published", &report.identifiers),
        ("Quasi-identifiers", &report.quasi_identifiers),
        ("Sensitive", &report.sensitive),
    ];
    for (what, names) in named {
        if !names.is_empty() {
            text += &style.wrap(&format!("{what}: {}.", list(names)), 2);
        }
    }
    if let Some(preset) = &report.preset {
        text += &style.wrap(&format!("Preset {preset}."), 2);
    }
    text += &style.wrap(&format!("Methods: {}.", report.methods.join(", then ")), 2);
    for claim in &report.claims {
        text += &style.wrap(&format!("Will be judged: {claim}."), 2);
    }
    for attack in &report.accepted {
        text += &style.wrap(&format!("Accepted: the known attack `{attack}`."), 2);
    }
    text.push('\n');
    let share = |own: Option<f64>| own.map_or_else(|| "-".into(), percent);
    let row = |own: &Rehearsal| {
        vec![
            count(own.rows),
            format!("{:.1} s", own.seconds),
            share(own.gcp),
            share(own.suppressed_share),
            share(own.removed_share),
        ]
    };
    let header =
        ["rows drawn", "time", "loss", "cells suppressed", "rows removed"].map(Column::number);
    let rows = report.rehearsals.iter().map(row).collect();
    text += &style.table(&header, rows);
    if report.rehearsals.last().is_some_and(|own| own.rows < report.rows) {
        text += &style.wrap("All rows together lose less than rows that are drawn.", 2);
    }
    text += &chosen(&report.choices, style);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text + &style.wrap("Nothing was written.", 2)
}

fn headline(report: &RehearsalReport) -> String {
    let memory = memory(report.estimated_bytes);
    match report.estimated_seconds {
        Some(seconds) => format!("The release would take about {} and {memory}", time(seconds)),
        None => format!("How long the release would take is not known; it takes about {memory}"),
    }
}

/// Two digits are more than an estimate has.
fn time(seconds: f64) -> String {
    match seconds {
        ..1.0 => "a second".into(),
        ..90.0 => format!("{seconds:.0} s"),
        ..5_400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3_600.0),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few digits are printed")]
fn memory(bytes: u64) -> String {
    match bytes as f64 / 1e6 {
        megabytes @ ..1_000.0 => format!("{megabytes:.0} MB"),
        megabytes => format!("{:.1} GB", megabytes / 1_000.0),
    }
}
