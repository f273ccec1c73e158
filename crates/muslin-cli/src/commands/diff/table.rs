//! Several releases of one original in a table, as text.

use muslin::{Coverage, DiffColumnReport, DiffReport, DiffTableReport, printable};

use super::super::input::title;
use super::render::percent_of;
use crate::layout::Column;
use crate::style::{Style, count, list, number, percent};

/// Releases whose columns are compared side by side at most.
const SIDE_BY_SIDE: usize = 6;

/// The report.
pub(super) fn render(report: &DiffTableReport, style: &Style) -> String {
    let Some(first) = report.releases.first() else { return String::new() };
    let mut text = title(&first.original, report.rows_before, first.columns.len(), style);
    text += &style.wrap(&format!("Quasi-identifiers: {}.", list(&first.quasi_identifiers)), 2);
    if let Some(sensitive) = &first.sensitive {
        text += &style.wrap(&format!("Sensitive: {}.", printable(sensitive)), 2);
    }
    if let Coverage::Stopped { .. } = report.coverage {
        text += &style.wrap("! A limit left some measures out; the others are complete.", 2);
    }
    text.push('\n');
    text += &style.heading(&format!("Information loss of {} releases", report.releases.len()));
    text += "\n\n";
    text += &releases(report, style);
    text.push('\n');
    text += &columns(report, style);
    for (number, own) in (1..).zip(&report.releases) {
        for warning in &own.warnings {
            text += &style.wrap(&format!("! release {number}: {warning}"), 2);
        }
    }
    text + &style.wrap("Changed: generalized or suppressed cells, of a release's cells in that column. `muslin diff` of one release shows all measures.", 2)
}

/// A line for each release.
fn releases(report: &DiffTableReport, style: &Style) -> String {
    let some = |share: Option<f64>| share.map_or_else(|| "-".into(), percent_of);
    let row = |(at, own): (usize, &DiffReport)| {
        let infinite = own.kl.unreached.map(|_| "infinite".to_owned());
        let kl = own.kl.nats.map(|nats| number(nats.max(0.0))).or(infinite);
        vec![
            at.to_string(),
            printable(&own.release.file).into_owned(),
            count(own.suppression.rows_removed),
            percent(own.suppression.suppressed_share),
            percent(own.loss.gcp),
            some(own.association.ratio),
            some(own.queries.median),
            kl.unwrap_or("-".into()),
        ]
    };
    let header = [
        Column::number(""),
        Column::words("release"),
        Column::number("rows removed"),
        Column::number("suppressed"),
        Column::number("GCP"),
        Column::number("association kept").optional(),
        Column::number("counts off").optional(),
        Column::number("KL").optional(),
    ];
    style.table(&header, (1..).zip(&report.releases).map(row).collect())
}

/// The share of changed cells, column by column and release by release.
fn columns(report: &DiffTableReport, style: &Style) -> String {
    let shown = &report.releases[..report.releases.len().min(SIDE_BY_SIDE)];
    let changed = |own: &DiffColumnReport| {
        if own.withheld { "withheld".into() } else { percent(own.changed_share) }
    };
    let is_changed = |at: &usize| shown.iter().any(|own| own.columns[*at].changed_share > 0.0);
    let row = |at: usize| {
        let name = printable(&shown[0].columns[at].name).into_owned();
        let shares = shown.iter().map(|own| changed(&own.columns[at]));
        std::iter::once(name).chain(shares).collect::<Vec<String>>()
    };
    let all = shown.iter().map(|own| own.columns.len()).min().unwrap_or(0);
    let rows: Vec<Vec<String>> = (0..all).filter(is_changed).map(row).collect();
    if rows.is_empty() {
        return style.wrap("No cell was changed in any of them.", 2);
    }
    let names: Vec<String> = (1..=shown.len()).map(|number| format!("release {number}")).collect();
    let mut header = vec![Column::words("changed cells")];
    header.extend(names.iter().map(|name| Column::number(name)));
    let mut text = style.table(&header, rows);
    if shown.len() < report.releases.len() {
        text += &style.wrap("Further releases are left out of this table: pass `--json`.", 2);
    }
    text
}
