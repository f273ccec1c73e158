use std::time::Instant;

use muslin::{ClassesReport, Decided, Input, Role, ScanJob, ScanReport, printable};

use super::input::{Asked, title};
use super::{Outcome, print, start, talk, to_json};
use crate::args::{Common, Names, Scan};
use crate::exit::Exit;
use crate::stats;
use crate::style::{Style, bar, count, percent, ratio};

/// Scans a file and prints what it found.
pub(crate) fn run(args: &Scan, common: &Common) -> Outcome {
    let started = Instant::now();
    let run = start(common)?;
    let report = job(args)?.run(&run)?;
    let text = if common.json { to_json(&report)? } else { render(&report, &Style::of_stdout()) };
    print(&text)?;
    if common.stats {
        talk(&stats::line(started, report.rows));
    }
    Ok(Exit::Fine)
}

fn job(args: &Scan) -> Result<ScanJob, muslin::Error> {
    let Asked { read, roles, missing, .. } = Asked::new(&args.input)?;
    let quasi_identifiers = args.quasi_identifiers.as_deref().map(Names::all);
    Ok(ScanJob {
        read,
        roles,
        missing,
        quasi_identifiers,
        ..ScanJob::new(Input::named(&args.input.file))
    })
}

fn render(report: &ScanReport, style: &Style) -> String {
    let mut text = title(&report.input, report.rows, report.columns.len(), style);
    text.push('\n');
    text += &render_columns(report, style);
    text.push('\n');
    text += &match &report.quasi_identifiers {
        Some(classes) => render_classes(report, classes, style),
        None => style.wrap(
            "No column looks like a quasi-identifier: name some with `--quasi-identifiers`.",
            0,
        ),
    };
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text
}

/// One line per column of the table; what a narrow terminal has no room for is left to `--json`.
fn render_columns(report: &ScanReport, style: &Style) -> String {
    let any_missing = report.columns.iter().any(|column| column.missing > 0);
    let (wide, narrow) = (style.is_wide(), style.is_narrow());
    let ratios = report.columns.iter().any(|column| column.distinct_ratio.is_some());
    let mut header = vec!["column", "type", "distinct"];
    header.extend(any_missing.then_some("missing"));
    header.extend(ratios.then_some("ratio"));
    header.extend(wide.then_some("separation"));
    let last = header.len();
    header.push(if narrow { "role" } else { "role, and why" });
    let rows = report.columns.iter().map(|column| {
        let mut cells = vec![
            printable(&column.name).into_owned(),
            column.data_type.clone(),
            count(column.distinct),
        ];
        cells.extend(any_missing.then(|| count(column.missing)));
        cells.extend(column.distinct_ratio.map(ratio));
        cells.extend(wide.then(|| ratio(column.separation_ratio)));
        let role = column.role.name();
        cells.push(if narrow { role.into() } else { format!("{role}: {}", column.reason) });
        cells
    });
    let numbers: Vec<usize> = (2..last).collect();
    let mut meanings = Vec::new();
    meanings.extend(ratios.then_some("ratio: classes the column makes / rows"));
    meanings.extend(wide.then_some("separation: row pairs told apart / all pairs"));
    style.table(&header, &numbers, &[0, last], rows.collect())
        + &style.wrap(&meanings.join("; "), 0)
}

fn render_classes(report: &ScanReport, classes: &ClassesReport, style: &Style) -> String {
    let which = match classes.decided {
        Decided::Given => "the given quasi-identifiers",
        Decided::Suggested => "the suggested quasi-identifiers",
    };
    let title = style.wrap(&format!("Rows that stand out on {which}"), 0);
    let mut text = style.heading(title.trim_end()) + "\n";
    let names: Vec<_> = classes.columns.iter().map(|name| printable(name)).collect();
    text += &style.wrap(&names.join(", "), 0);
    if let (Some(number), Some(smallest), Some(largest)) =
        (classes.classes, classes.smallest, classes.largest)
    {
        let line = format!(
            "{} classes of {} to {} rows; distinct ratio {}, separation {}",
            count(number),
            count(smallest),
            count(largest),
            classes.distinct_ratio.map_or("-".into(), ratio),
            ratio(classes.separation_ratio),
        );
        text += &style.wrap(&line, 0);
    }
    text.push('\n');
    // Where missing matches anything, rows match others and do not fall into classes.
    let below = match classes.classes {
        Some(_) => "rows in classes below k",
        None => "rows that match fewer than k",
    };
    let rows = classes.below.iter().map(|threshold| {
        vec![
            threshold.k.to_string(),
            count(threshold.rows),
            percent(threshold.share),
            bar(threshold.share, style.bar_width()),
        ]
    });
    text += &style.table(&["k", below, "share", ""], &[0, 1, 2], &[], rows.collect());
    text.push('\n');
    let rule = report.missing_rule;
    text += &style.wrap(&format!("Missing cells: {} (`--missing {rule}`).", rule.describe()), 0);
    let identifiers: Vec<_> = report
        .columns
        .iter()
        .filter(|column| column.role == Role::Identifier)
        .map(|column| printable(&column.name))
        .collect();
    if !identifiers.is_empty() {
        let list = identifiers.join(", ");
        text += &style.wrap(&format!("Identifiers, to be left out of any release: {list}."), 2);
    }
    text
}
