//! Reports about minimal uniques as text.

use muslin::{Coverage, IntervalReport, UniquesEstimate, UniquesReport, printable};
use muslin_command::args::method_name;

use super::super::input::title;
use crate::layout::Column;
use crate::style::{Style, bar, count, counted, list, number, percent, share};

/// Columns and column sets that a summary names; all are in `--json`.
const SHOWN: usize = 8;

/// The summary.
pub(super) fn render(report: &UniquesReport, style: &Style) -> String {
    let columns = report.column_names.len();
    let mut text = title(&report.input, report.rows, columns, style);
    if let Some(dropped) = report.duplicates_dropped {
        text += &style
            .wrap(&format!("{} left out that equal an earlier row", counted(dropped, "row")), 2);
    }
    if !report.left_out.is_empty() {
        let line = format!(
            "Looked at: {}. Left out by their roles: {}.",
            list(&report.column_names),
            list(&report.left_out)
        );
        text += &style.wrap(&line, 2);
    }
    if let Coverage::Stopped { .. } = report.coverage {
        let line = "! The search was stopped by a limit: what is counted is right, more may exist.";
        text += &style.wrap(line, 2);
    }
    text.push('\n');
    text += &sizes(report, style);
    // Counts alone tell nothing of rows.
    let of_rows = report.rows_with_uniques.is_some();
    if of_rows {
        text.push('\n');
        text += &rows_that_stand_out(report, style);
    }
    if report.total > 0 {
        text.push('\n');
        if of_rows {
            text += &risky_columns(report, style);
        }
        text += &risky_sets(report, style);
    }
    if report.total > 0 && of_rows {
        text.push('\n');
        text += &top_rows(report, style);
    }
    text.push('\n');
    text += &conventions(report, style);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text += &style.wrap(&next_step(report), 2);
    text
}

/// What is looked for, in words.
fn what(k: u32, max_size: Option<usize>) -> String {
    let holders = match k {
        1 => "one row".to_owned(),
        k => format!("at most {} rows", count(k.into())),
    };
    let size = max_size.map_or(String::new(), |size| format!(", of at most {size} values"));
    format!(
        "the smallest sets of values that {holders} hold{}{size}",
        if k == 1 { "s" } else { "" }
    )
}

/// Total and histogram.
fn sizes(report: &UniquesReport, style: &Style) -> String {
    let stopped = matches!(report.coverage, Coverage::Stopped { .. });
    let title = format!(
        "{}{} minimal uniques: {}",
        if stopped { "at least " } else { "" },
        count(report.total),
        what(report.k, report.max_size)
    );
    let mut text = style.heading(style.wrap(&title, 0).trim_end()) + "\n";
    let most = report.by_size.values().copied().max().unwrap_or(0);
    let rows = report.by_size.iter().map(|(size, &uniques)| {
        vec![size.to_string(), count(uniques), bar(share(uniques, most), style.bar_width())]
    });
    if report.total > 0 {
        let header = [Column::number("size"), Column::number("minimal uniques"), Column::bar()];
        text += &style.table(&header, rows.collect());
    }
    text
}

/// How many rows hold one.
fn rows_that_stand_out(report: &UniquesReport, style: &Style) -> String {
    let line = |what: String, rows: u64| {
        let share = share(rows, report.rows);
        vec![what, count(rows), percent(share), bar(share, style.bar_width())]
    };
    let mut rows: Vec<_> = report
        .rows_by_smallest
        .iter()
        .filter(|small| report.max_size.is_none_or(|most| small.size <= most))
        .map(|small| match small.size {
            1 => line("1".into(), small.rows),
            size => line(format!("up to {size}"), small.rows),
        })
        .collect();
    rows.extend(report.rows_with_uniques.map(|rows| line("any".into(), rows)));
    let header = [
        Column::text("rows with one of size"),
        Column::number("rows"),
        Column::number("share"),
        Column::bar(),
    ];
    style.table(&header, rows)
}

fn risky_columns(report: &UniquesReport, style: &Style) -> String {
    let shares = report.column_shares.iter().filter(|column| column.uniques > 0).take(SHOWN);
    let rows = shares.map(|column| {
        vec![
            printable(&column.name).into_owned(),
            percent(column.share),
            count(column.uniques),
            bar(column.share, style.bar_width()),
        ]
    });
    let header = [
        Column::words("riskiest columns"),
        Column::number("of all scores"),
        Column::number("minimal uniques"),
        Column::bar(),
    ];
    style.table(&header, rows.collect()) + "\n"
}

fn risky_sets(report: &UniquesReport, style: &Style) -> String {
    let rows = report.sets.iter().take(SHOWN);
    let rows = rows.map(|set| vec![list(&set.columns), count(set.uniques)]);
    let sets = match report.columns {
        0..=128 => "riskiest sets of up to 3 columns",
        _ => "riskiest sets of up to 2 columns",
    };
    let header = [Column::words(sets), Column::number("minimal uniques")];
    style.table(&header, rows.collect())
}

fn top_rows(report: &UniquesReport, style: &Style) -> String {
    let rows = report.top_rows.iter().map(|row| {
        vec![
            row.row.to_string(),
            number(row.suda),
            number(row.dis_suda),
            row.smallest.to_string(),
            count(row.uniques),
        ]
    });
    let header = ["riskiest rows", "SUDA", "DIS-SUDA", "smallest", "minimal uniques"];
    style.table(&header.map(Column::number), rows.collect())
}

/// How to read the figures.
fn conventions(report: &UniquesReport, style: &Style) -> String {
    let rule = report.missing_rule;
    let missing = format!("Missing cells: {} (`--missing {rule}`).", rule.describe());
    if report.rows_with_uniques.is_none() {
        return style.wrap(&missing, 2);
    }
    let score = &report.score;
    let scale = match score.scale {
        0 => String::new(),
        scale => format!(", divided by 10^{scale}"),
    };
    let line = format!(
        "SUDA: each of a row's minimal uniques adds {}{scale} (`--score {}`).",
        score.formula,
        score.variant.name()
    );
    let mut text = style.wrap(&line, 2);
    let dis = &report.dis;
    let line = format!(
        "DIS-SUDA: for a table of {} of the population (`--dis-fraction {}`). A match with a row that no other equals is correct with probability {}: {} rows equal no other, {} equal exactly one.",
        percent(dis.fraction),
        dis.fraction,
        dis.theta.map_or("unknown".into(), number),
        count(dis.alone),
        count(dis.paired)
    );
    text += &style.wrap(&line, 2);
    text += &style.wrap(&missing, 2);
    let way = method_name(report.method);
    text += &style.wrap(&format!("Rows are numbered from 0. Searched by {way}."), 2);
    text
}

fn next_step(report: &UniquesReport) -> String {
    let stopped = matches!(report.coverage, Coverage::Stopped { .. });
    match &report.written {
        Some(file) if stopped => {
            format!("Written, as far as the search got: {}.", printable(file))
        }
        Some(file) => format!("Written: {}.", printable(file)),
        None if stopped => "Next: pass a larger limit, or a smaller `--max-size`.".into(),
        None if report.total == 0 => {
            "Next: `--max-size`, `-k` and `--columns` say how far to look.".into()
        }
        None if report.rows_with_uniques.is_none() => {
            "Next: a larger `--memory` or fewer `--columns` tell which rows these are.".into()
        }
        None => "Next: `--scores -o scores.csv` rates every row, `--list -o list.parquet` lists every minimal unique.".into(),
    }
}

/// What a search would take.
pub(super) fn render_estimate(report: &UniquesEstimate, style: &Style) -> String {
    let columns = usize::try_from(report.columns).unwrap_or(usize::MAX);
    let mut text = title(&report.input, report.rows, columns, style);
    text += &style.wrap(&format!("To find {}:", what(report.k, report.max_size)), 2);
    text.push('\n');
    let line = |name: &str, interval: &IntervalReport, show: fn(f64) -> String| {
        vec![name.into(), show(interval.likely), show(interval.low), show(interval.high)]
    };
    let rows = vec![
        line("minimal uniques", &report.total, whole),
        line("time", &report.seconds, seconds),
        line("memory", &report.memory, bytes),
    ];
    let header =
        [Column::text(""), Column::number("likely"), Column::number("from"), Column::number("to")];
    text += &style.table(&header, rows);
    text.push('\n');
    let sampled = match report.coverage {
        Coverage::Sampled { rows, .. } => rows,
        _ => report.rows,
    };
    let threads = match report.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let line = format!(
        "From {} rows; by {} on {threads}; nothing was searched or written. Memory is for the search; the table itself comes on top.",
        count(sampled),
        method_name(report.method)
    );
    text += &style.wrap(&line, 2);
    let rule = report.missing_rule;
    text + &style.wrap(&format!("Missing cells: {} (`--missing {rule}`).", rule.describe()), 2)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rough count")]
fn whole(number: f64) -> String {
    count(number.max(0.0).round() as u64)
}

fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.1 => "< 0.1 s".into(),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7_200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3_600.0),
    }
}

fn bytes(bytes: f64) -> String {
    match bytes {
        b if b < 1e6 => "< 1 MB".into(),
        b if b < 1e9 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}
