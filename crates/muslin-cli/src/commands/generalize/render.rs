//! Reports about generalizations as text.

use muslin::{Coverage, GeneralizeReport, GeneralizedColumnReport, printable};

use super::super::input::title;
use crate::layout::Column;
use crate::style::{Style, bar, count, counted, list, percent};

/// The report.
pub(super) fn render(report: &GeneralizeReport, style: &Style) -> String {
    let read = report.columns.len() + report.unmeasured.len() + report.identifiers_dropped.len();
    let mut text = title(&report.input, report.rows, read, style);
    if !report.identifiers_dropped.is_empty() {
        let line = format!("Identifiers, never published: {}.", list(&report.identifiers_dropped));
        text += &style.wrap(&line, 2);
    }
    if !report.unmeasured.is_empty() {
        let line = format!("Published as they are: {}.", list(&report.unmeasured));
        text += &style.wrap(&line, 2);
    }
    if let Coverage::Stopped { .. } = report.coverage {
        let line =
            "! The search was stopped by a limit: what is claimed holds, less loss might do.";
        text += &style.wrap(line, 2);
    }
    text.push('\n');
    text += &style.heading(style.wrap(&headline(report), 0).trim_end());
    text += "\n\n";
    text += &columns(report, style);
    text.push('\n');
    for claim in &report.claims {
        text += &style.wrap(&format!("Holds: {claim}."), 2);
    }
    text += &style.wrap(&goodness(report), 2);
    let line = "A missing cell is a value of its own. Classes are counted by a judge that shares no code with the search.";
    text += &style.wrap(line, 2);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text + &style.wrap(&next_step(report), 2)
}

fn headline(report: &GeneralizeReport) -> String {
    let removed = match report.removed_rows {
        0 => "no row withheld".to_owned(),
        rows => format!("{} withheld ({})", counted(rows, "row"), percent(report.removed_share)),
    };
    format!(
        "{} classes of {} rows or more, {} lost, {removed}",
        count(report.classes),
        count(u64::from(report.smallest.unwrap_or(0))),
        percent(report.loss.gcp)
    )
}

fn columns(report: &GeneralizeReport, style: &Style) -> String {
    let has_levels = report.columns.iter().any(|column| column.level.is_some());
    let form = |column: &GeneralizedColumnReport| match column.hierarchy.as_deref() {
        Some("file") => "labels of a file".into(),
        Some("rule") => "labels by rule".into(),
        Some(_) => "labels by value".into(),
        None => format!("{}s", column.form),
    };
    let rows = report.columns.iter().map(|column| {
        let mut cells = vec![printable(&column.name).into_owned(), form(column)];
        if has_levels {
            let of = |level: Option<u64>| level.map_or("-".into(), count);
            cells.push(format!("{} of {}", of(column.level), of(column.levels)));
        }
        cells.extend([
            count(column.distinct_before),
            count(column.distinct_after),
            percent(column.gcp),
            bar(column.gcp, style.bar_width()),
        ]);
        cells
    });
    let mut header = vec![Column::words("column"), Column::text("published as")];
    header.extend(has_levels.then_some(Column::text("level")));
    header.extend(["values", "after", "lost"].map(Column::number));
    header.push(Column::bar());
    style.table(&header, rows.collect())
}

fn goodness(report: &GeneralizeReport) -> String {
    let convention = "Lost is the mean over all cells of (values covered - 1) / (values of the column - 1), withheld rows counting 1";
    let proven = match (report.optimal, report.loss.gcp_lower_bound) {
        (Some(true), _) => "; no levels lose less: proven".to_owned(),
        (Some(false), Some(bound)) => format!("; no levels lose less than {}", percent(bound)),
        _ => String::new(),
    };
    let searched = match (report.nodes, report.nodes_checked) {
        (Some(nodes), Some(checked)) => {
            format!(" ({} of {} combinations of levels looked at)", count(checked), count(nodes))
        }
        _ => String::new(),
    };
    format!("{convention}{proven}{searched}.")
}

fn next_step(report: &GeneralizeReport) -> String {
    match &report.written {
        Some(file) => {
            let order = report.row_order.as_deref().unwrap_or("as read");
            format!("Release written to {}, rows {order}.", printable(file))
        }
        None => "Nothing was written. Next: the same with `-o FILE`.".into(),
    }
}
