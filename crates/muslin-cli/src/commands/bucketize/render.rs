//! Reports about buckets as text.

use muslin::{BucketizeReport, Coverage, printable};

use super::super::input::title;
use crate::layout::Column;
use crate::style::{Style, count, counted, list, number, percent};

/// The report.
pub(super) fn render(report: &BucketizeReport, style: &Style) -> String {
    let published = report.quasi_identifiers.len() + report.unmeasured.len() + 1;
    let read = published + report.identifiers_dropped.len();
    let mut text = title(&report.input, report.rows, read, style);
    if !report.identifiers_dropped.is_empty() {
        let line = format!("Identifiers, never published: {}.", list(&report.identifiers_dropped));
        text += &style.wrap(&line, 2);
    }
    let as_they_are = [&report.quasi_identifiers[..], &report.unmeasured].concat();
    if !as_they_are.is_empty() {
        text += &style.wrap(&format!("Published as they are: {}.", list(&as_they_are)), 2);
    }
    if let Coverage::Stopped { .. } = report.coverage {
        let line =
            "! The search was stopped by a limit: what is claimed holds, smaller buckets might do.";
        text += &style.wrap(line, 2);
    }
    text.push('\n');
    text += &style.heading(style.wrap(&headline(report), 0).trim_end());
    text += "\n\n";
    text += &figures(report, style);
    text.push('\n');
    for claim in &report.claims {
        text += &style.wrap(&format!("Holds: {claim}."), 2);
    }
    let line = "The error is the sum over rows of the squared distance between the row's value and the shares of values in its bucket. A missing cell is a value of its own. Buckets are counted by a judge that shares no code with the search.";
    text += &style.wrap(line, 2);
    let line = "Not protected: who is in the table, as all other columns are published row by row.";
    text += &style.wrap(line, 2);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text + &next_steps(report, style)
}

fn headline(report: &BucketizeReport) -> String {
    let (smallest, largest) = (report.smallest.unwrap_or(0), report.largest.unwrap_or(0));
    let rows = if smallest == largest {
        counted(smallest, "row")
    } else {
        format!("{} to {} rows", count(smallest), count(largest))
    };
    format!(
        "{} of {rows} by {}, {}-diverse in `{}`",
        counted(report.buckets, "bucket"),
        report.method,
        report.l,
        printable(&report.sensitive)
    )
}

fn figures(report: &BucketizeReport, style: &Style) -> String {
    let l = |l: Option<u32>| l.map_or("any".into(), |l| count(l.into()));
    let rows = vec![
        vec!["l asked for".into(), count(report.l.into())],
        vec!["l reached".into(), l(report.effective_l)],
        vec!["largest l that the table allows".into(), l(report.feasible_l)],
        vec!["likeliest value of somebody".into(), percent(report.max_p)],
        vec!["reconstruction error".into(), number(report.loss.rce)],
        vec!["least for this l".into(), number(report.loss.rce_bound)],
    ];
    style.table(&[Column::words("figure"), Column::number("")], rows)
}

fn next_steps(report: &BucketizeReport, style: &Style) -> String {
    let Some(file) = &report.written else {
        return style.wrap("Nothing was written. Next: the same with `-o FILE`.", 2);
    };
    let order = report.row_order.as_deref().unwrap_or("as read");
    let bucket = printable(&report.bucket);
    let (file, rows) = (printable(file), format!("rows {order}"));
    style.wrap(
        &match &report.sensitive_written {
            None => {
                format!("Release written to {file}, {rows}; column `{bucket}` has the buckets.")
            }
            Some(values) => format!(
                "Release written to {file}, {rows}; the sensitive values of each `{bucket}` to {}.",
                printable(values)
            ),
        },
        2,
    )
}
