use std::fmt::Write as _;
use std::time::Instant;

use muslin::{ClassesReport, ColumnChoice, Decided, Input, Policy, Role, ScanJob, ScanReport};

use super::{Outcome, print, start};
use crate::args::{Common, InputArgs, Scan};
use crate::exit::Exit;
use crate::stats;
use crate::style::{Style, count, percent, ratio};

/// Scans a file and prints what it found.
pub(crate) fn run(args: &Scan, common: &Common) -> Outcome {
    let started = Instant::now();
    let run = start(common)?;
    let report = job(args)?.run(&run)?;
    let text = if common.json { to_json(&report)? } else { render(&report, &Style::of_stdout()) };
    print(&text)?;
    if common.stats {
        eprintln!("{}", stats::line(started, report.rows));
    }
    Ok(Exit::Fine)
}

fn to_json(report: &ScanReport) -> Result<String, super::Finished> {
    let json = serde_json::to_string_pretty(report);
    json.map(|json| json + "\n").map_err(|error| super::Finished::Printing(error.into()))
}

/// The job that the flags and the policy file describe; flags win.
fn job(args: &Scan) -> Result<ScanJob, muslin::Error> {
    let InputArgs { file, policy, .. } = &args.input;
    let mut job = ScanJob::new(Input::named(file));
    if let Some(path) = policy {
        let policy = Policy::read(path)?;
        job.read = policy.to_read_options();
        job.roles = policy.roles();
        job.missing = policy.missing.unwrap_or_default();
    }
    let input = &args.input;
    if let Some(columns) = &input.columns {
        job.read.columns = ColumnChoice::Only(columns.clone());
    }
    if let Some(columns) = &input.exclude {
        job.read.columns = ColumnChoice::Except(columns.clone());
    }
    job.roles.extend(input.role.iter().cloned());
    job.read.types.extend(input.types.iter().cloned());
    job.read.null.extend(input.null.iter().cloned());
    job.missing = input.missing.unwrap_or(job.missing);
    let csv = &mut job.read.csv;
    csv.delimiter = input.delimiter.or(csv.delimiter);
    csv.quote = input.quote.map(|quote| quote.0).or(csv.quote);
    csv.header = input.header.or(csv.header);
    csv.encoding = input.encoding.or(csv.encoding);
    csv.decimal_comma = input.decimal_comma.then_some(true).or(csv.decimal_comma);
    csv.trim |= input.trim;
    job.quasi_identifiers.clone_from(&args.quasi_identifiers);
    Ok(job)
}

fn render(report: &ScanReport, style: &Style) -> String {
    let mut text = String::new();
    let columns = report.columns.len();
    let _ = writeln!(
        text,
        "{}: {} rows, {columns} columns ({})\n",
        report.input.file,
        count(report.rows),
        describe_input(report)
    );
    let rows = report.columns.iter().map(|column| {
        vec![
            column.name.clone(),
            column.data_type.clone(),
            count(column.distinct),
            count(column.missing),
            column.distinct_ratio.map_or("-".into(), ratio),
            ratio(column.separation_ratio),
            column.role.name().to_owned(),
            column.reason.clone(),
        ]
    });
    let header =
        ["column", "type", "distinct", "missing", "distinct ratio", "separation", "role", "why"];
    text += &style.table(&header, &[2, 3, 4, 5], rows.collect());
    text.push('\n');
    match &report.quasi_identifiers {
        Some(classes) => text += &render_classes(report, classes, style),
        None => {
            text +=
                "No column looks like a quasi-identifier: name some with `--quasi-identifiers`.\n"
        }
    }
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text
}

fn describe_input(report: &ScanReport) -> String {
    let input = &report.input;
    let mut parts = vec![input.format.clone()];
    parts.extend(input.compression.clone());
    if let Some(delimiter) = input.delimiter.filter(|_| report.columns.len() > 1) {
        parts.push(match delimiter {
            '\t' => "tab between fields".into(),
            delimiter => format!("`{delimiter}` between fields"),
        });
    }
    if input.header == Some(false) {
        parts.push("no header".into());
    }
    parts.extend(input.encoding.clone().filter(|encoding| encoding != "utf-8"));
    if input.decimal_comma == Some(true) {
        parts.push("decimal comma".into());
    }
    parts.join(", ")
}

fn render_classes(report: &ScanReport, classes: &ClassesReport, style: &Style) -> String {
    let which = match classes.decided {
        Decided::Given => "the given quasi-identifiers",
        Decided::Suggested => "the suggested quasi-identifiers",
    };
    let mut text = style.heading(&format!("Rows that stand out on {which}")) + "\n";
    text += &style.wrap(&classes.columns.join(", "), 0);
    if let (Some(number), Some(smallest), Some(largest)) =
        (classes.classes, classes.smallest, classes.largest)
    {
        let _ = writeln!(
            text,
            "{} classes of {} to {} rows; distinct ratio {}, separation {}",
            count(number),
            count(smallest),
            count(largest),
            classes.distinct_ratio.map_or("-".into(), ratio),
            ratio(classes.separation_ratio),
        );
    }
    text.push('\n');
    let rows = classes.below.iter().map(|threshold| {
        vec![
            threshold.k.to_string(),
            count(threshold.rows),
            percent(threshold.share),
            bar(threshold.share),
        ]
    });
    text +=
        &style.table(&["k", "rows in classes below k", "share", ""], &[0, 1, 2], rows.collect());
    text.push('\n');
    let _ = writeln!(
        text,
        "Missing cells: {} (`--missing {}`).",
        report.missing_rule.describe(),
        report.missing_rule
    );
    let identifiers: Vec<&str> = report
        .columns
        .iter()
        .filter(|column| column.role == Role::Identifier)
        .map(|column| column.name.as_str())
        .collect();
    if !identifiers.is_empty() {
        let list = identifiers.join(", ");
        text += &style.wrap(&format!("Identifiers, to be left out of any release: {list}."), 2);
    }
    text
}

/// A share as a bar of up to thirty marks; any share at all shows one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 30")]
fn bar(share: f64) -> String {
    let marks = (share * 30.0).round() as usize;
    "#".repeat(if share > 0.0 { marks.max(1) } else { 0 })
}
