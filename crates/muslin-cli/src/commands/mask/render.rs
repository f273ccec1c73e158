//! Reports about masks as text.

use muslin::{Coverage, MaskReason, MaskReport, Measure, printable};

use super::super::input::title;
use crate::layout::Column;
use crate::style::{Style, bar, count, counted, list, number, percent, ratio, share};

/// The report.
pub(super) fn render(report: &MaskReport, style: &Style) -> String {
    let read = report.publish.len()
        + report.masked.len()
        + report.unmeasured.len()
        + report.identifiers_dropped.len();
    let mut text = title(&report.input, report.rows, read, style);
    if let Some(dropped) = report.duplicates_dropped {
        text += &style
            .wrap(&format!("{} left out that equal an earlier row", counted(dropped, "row")), 2);
    }
    if !report.identifiers_dropped.is_empty() {
        let line = format!("Identifiers, never published: {}.", list(&report.identifiers_dropped));
        text += &style.wrap(&line, 2);
    }
    if !report.unmeasured.is_empty() {
        let line = format!("Published and not measured: {}.", list(&report.unmeasured));
        text += &style.wrap(&line, 2);
    }
    if let Coverage::Stopped { .. } = report.coverage {
        let line = "! The search was stopped by a limit: what is published keeps to the target, more might.";
        text += &style.wrap(line, 2);
    }
    text.push('\n');
    text += &style.heading(style.wrap(&headline(report), 0).trim_end());
    text += "\n\n";
    if report.reached {
        text += &published(report, style);
        text.push('\n');
    }
    // Without rows no column has a ratio that could exceed anything.
    if !report.masked_columns.is_empty() && report.rows > 0 {
        text += &masked(report, style);
        text.push('\n');
    }
    if report.reached {
        text += &style.wrap(&not_protected(report), 2);
    }
    text += &conventions(report, style);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text + &style.wrap(&next_step(report), 2)
}

fn headline(report: &MaskReport) -> String {
    if report.rows == 0 {
        return "nothing to publish: the table has no rows".to_owned();
    }
    if !report.reached {
        return format!("publish none of {} columns", report.columns);
    }
    format!(
        "publish {} of {} columns: {} ratio {}, not greater than {}",
        report.publish.len(),
        report.columns,
        report.measure.name(),
        ratio(report.ratio),
        report.beta
    )
}

/// The published columns in order, each with the ratio up to it.
fn published(report: &MaskReport, style: &Style) -> String {
    let rows = report.steps.iter().map(|step| {
        let mut name = printable(&step.column).into_owned();
        if step.kept {
            name += " (kept)";
        }
        // A bar is full where no more is allowed.
        let bars = step.ratio.map_or(String::new(), |ratio| {
            bar(if ratio > 0.0 { ratio / report.beta } else { 0.0 }, style.bar_width())
        });
        vec![name, step.ratio.map_or("-".into(), ratio), bars]
    });
    let header = [Column::words("published"), Column::number("ratio so far"), Column::bar()];
    style.table(&header, rows.collect())
}

/// The masked columns, and why each is.
fn masked(report: &MaskReport, style: &Style) -> String {
    let together = report.reached;
    let rows = report.masked_columns.iter().map(|column| {
        let show = |value: Option<f64>| value.map_or("-".into(), ratio);
        let mut cells = vec![printable(&column.column).into_owned(), show(column.ratio_alone)];
        if together {
            cells.push(show(column.ratio_together));
        }
        let why = match column.reason {
            MaskReason::ExceedsAlone => "exceeds alone",
            MaskReason::WouldExceed => "would exceed",
            MaskReason::Dropped => "dropped",
            MaskReason::NotChosen => "not chosen",
        };
        cells.push(why.into());
        cells
    });
    let mut header = vec![Column::words("masked"), Column::number("ratio alone")];
    header.extend(together.then_some(Column::number("with all published")));
    header.push(Column::text("why"));
    style.table(&header, rows.collect())
}

/// What the release still gives away.
fn not_protected(report: &MaskReport) -> String {
    let are_classes = report.distinct_ratio.is_some();
    let share = share(report.rows_alone, report.rows);
    let alone = match (report.rows_alone, are_classes) {
        (0, true) => "no row is alone in its class".to_owned(),
        (0, false) => "no row matches itself only".to_owned(),
        (1, true) => format!("1 row ({}) is still alone in its class", percent(share)),
        (1, false) => format!("1 row ({}) still matches itself only", percent(share)),
        (n, true) => {
            format!("{} rows ({}) are still alone in their class", count(n), percent(share))
        }
        (n, false) => format!("{} rows ({}) still match themselves only", count(n), percent(share)),
    };
    let smallest = report.smallest_class.map_or(String::new(), |size| {
        let rows = if size == 1 { "1 row".into() } else { format!("{} rows", count(size)) };
        if are_classes {
            format!("; the smallest class has {rows}")
        } else {
            format!("; the fewest that a row matches, itself included, are {rows}")
        }
    });
    let other = match (report.measure, report.distinct_ratio) {
        (Measure::Distinct, _) => format!("; separation ratio {}", ratio(report.separation_ratio)),
        (Measure::Separation, Some(distinct)) => format!("; distinct ratio {}", ratio(distinct)),
        (Measure::Separation, None) => String::new(),
    };
    format!("Not protected, on the published columns: {alone}{smallest}{other}.")
}

/// How to read the figures.
fn conventions(report: &MaskReport, style: &Style) -> String {
    let meaning = match report.measure {
        Measure::Distinct => "Distinct ratio: classes that the columns make / rows",
        Measure::Separation => {
            "Separation ratio: row pairs that the columns tell apart / all pairs"
        }
    };
    let bars = if report.reached { ", where bars are full" } else { "" };
    let line = format!(
        "{meaning}; exactly {} is allowed{bars}. It is of all rows together and promises nothing about a single one.",
        report.beta
    );
    let mut text = style.wrap(&line, 2);
    let rule = report.missing_rule;
    text += &style.wrap(&format!("Missing cells: {} (`--missing {rule}`).", rule.describe()), 2);
    if report.reached {
        text += &style.wrap(&chosen(report), 2);
    }
    text
}

/// How the columns were chosen, and what may be left to gain.
fn chosen(report: &MaskReport) -> String {
    let way = match (&report.sample, report.method.as_str()) {
        (Some(sample), _) => format!(
            "Chosen greedily on {} {} (seed {}), where {} was not exceeded, and checked on all rows",
            count(sample.draws),
            if sample.of == "pairs" { "row pairs" } else { "rows" },
            sample.seed,
            ratio(sample.beta_prime)
        ),
        (None, "exact") => "Chosen by the exact search".into(),
        (None, _) => "Chosen greedily".into(),
    };
    if report.optimal {
        return format!("{way}: nothing that is allowed is worth more.");
    }
    format!(
        "{way}: worth {}, and nothing that is allowed is worth more than {}.",
        number(report.weight),
        number(report.upper_bound)
    )
}

fn next_step(report: &MaskReport) -> String {
    let stopped = matches!(report.coverage, Coverage::Stopped { .. });
    match &report.written {
        Some(file) => {
            let order = match report.row_order.as_deref() {
                Some("as-read") => "rows in the input's order",
                Some("seeded") => "rows shuffled by the seed",
                _ => "rows shuffled",
            };
            format!("Written: {}, {order}.", printable(file))
        }
        None if stopped => "Next: pass a larger limit.".into(),
        None if !report.reached => "Nothing is written.".into(),
        None if report.optimal || report.method == "exact" => {
            "Next: `-o release.csv` writes the published columns.".into()
        }
        None => "Next: `-o release.csv` writes the published columns; `--exact` finds whether more can be published.".into(),
    }
}
