//! A scan as text: what matters first, then the columns, the parts, and what to do next.

use muslin::{ClassesReport, ColumnReport, Decided, FindingKind, Role, ScanReport, printable};
use muslin_command::args::command_for_shell;

use super::super::input::title;
use super::parts;
use crate::layout::Column;
use crate::style::{Style, bar, count, list, percent, ratio};

pub(super) fn render(report: &ScanReport, style: &Style) -> String {
    let mut text = title(&report.input, report.rows, report.columns.len(), style);
    text += &verdict(report, style);
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
    text += &parts::render(report, style);
    // Identifiers stand at the top already.
    let findings = report.findings.iter().filter(|one| one.kind != FindingKind::DirectIdentifier);
    let said = findings.map(|finding| &finding.text).chain(&report.warnings);
    let warnings: Vec<_> = said.map(|text| style.wrap(&format!("! {text}"), 2)).collect();
    if !warnings.is_empty() {
        let more = format!("\n{}\n{}", style.heading("To look at"), warnings.concat());
        text += &more;
    }
    if let Some(next) = &report.next {
        let more = format!("\n{}", style.with_copied("next:", &command_for_shell(next), 0));
        text += &more;
    }
    text
}

/// What is wrong, in a line for each kind of column.
fn verdict(report: &ScanReport, style: &Style) -> String {
    let of = |role: Role| -> Vec<String> {
        let columns = report.columns.iter().filter(|column| column.role == role);
        columns.map(|column| column.name.clone()).collect()
    };
    let mut text = String::new();
    let identifiers = of(Role::Identifier);
    if !identifiers.is_empty() {
        let what = if identifiers.len() == 1 { "an identifier" } else { "identifiers" };
        let line = format!("! {}: {what}, never published", few(&identifiers));
        text += &style.wrap(&line, 2);
    }
    if let Some(classes) = &report.quasi_identifiers {
        let alone = classes.below.first().map_or(0.0, |below| below.share);
        let rows = classes.below.first().map_or(0, |below| below.rows);
        let mut line = format!(
            "~ {}: {} of {} rows are sample uniques on them ({})",
            few(&classes.columns),
            count(rows),
            count(report.rows),
            percent(alone)
        );
        // The fewest columns that give away half of what all of them do, or the most that three do.
        let sizes = report.singled_out.iter().flat_map(|part| &part.sizes);
        let worst: Vec<_> = sizes.filter_map(|size| size.worst.as_ref()).collect();
        let enough = worst.iter().find(|worst| worst.share > 0.0 && worst.share * 2.0 >= alone);
        if let Some(worst) = enough.or(worst.last()).filter(|worst| worst.rows_alone > 0)
            && worst.columns.len() < classes.columns.len()
        {
            let is_quasi = worst.columns.iter().all(|name| classes.columns.contains(name));
            let which = if is_quasi { "" } else { "outside them, " };
            let makes = if worst.columns.len() == 1 { "makes" } else { "make" };
            let more = format!(
                "; {which}{} {makes} {} unique",
                list(&worst.columns),
                percent(worst.share)
            );
            line += &more;
        }
        text += &style.wrap(&line, 2);
    }
    let sensitive = of(Role::Sensitive);
    if !sensitive.is_empty() {
        let looks = if sensitive.len() == 1 { "looks" } else { "look" };
        text += &style.wrap(&format!("- {}: {looks} sensitive", few(&sensitive)), 2);
    }
    let undecided = of(Role::Undecided);
    if !undecided.is_empty() {
        text +=
            &style.wrap(&format!("? {}: undecided, so no release is made yet", few(&undecided)), 2);
    }
    text
}

/// A few names, and how many more there are.
fn few(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown = list(&names[..names.len().min(SHOWN)]);
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}

/// One line per column of the table.
fn render_columns(report: &ScanReport, style: &Style) -> String {
    let any_missing = report.columns.iter().any(|column| column.missing > 0);
    let ratios = report.columns.iter().any(|column| column.distinct_ratio.is_some());
    let mut header =
        vec![Column::words("column"), Column::text("type"), Column::number("distinct")];
    header.extend(any_missing.then_some(Column::number("missing")));
    header.extend(ratios.then_some(Column::number("ratio").optional()));
    header.extend([Column::number("separation").optional(), Column::words("role, and why")]);
    let rows = report.columns.iter().map(|column: &ColumnReport| {
        let mut cells = vec![
            printable(&column.name).into_owned(),
            column.data_type.clone(),
            count(column.distinct),
        ];
        cells.extend(any_missing.then(|| count(column.missing)));
        cells.extend(column.distinct_ratio.map(ratio));
        cells.push(ratio(column.separation_ratio));
        cells.push(format!("{}: {}", column.role.name(), column.reason));
        cells
    });
    let mut meanings = Vec::new();
    meanings.extend(ratios.then_some("ratio: equivalence classes on the column / rows"));
    meanings.push("separation: row pairs that the column distinguishes / all pairs");
    style.table(&header, rows.collect()) + &style.wrap(&meanings.join("; "), 0)
}

fn render_classes(report: &ScanReport, classes: &ClassesReport, style: &Style) -> String {
    let which = match classes.decided {
        Decided::Given => "the given quasi-identifiers",
        Decided::Suggested => "the suggested quasi-identifiers",
    };
    let title = style.wrap(&format!("Equivalence classes on {which}"), 0);
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
    let header =
        [Column::number("k"), Column::number(below), Column::number("share"), Column::bar()];
    text += &style.table(&header, rows.collect());
    text.push('\n');
    let rule = report.missing_rule;
    text += &style.wrap(&format!("Missing cells: {} (`--missing {rule}`).", rule.describe()), 0);
    text
}
