//! Why a row is risky, as text.

use std::borrow::Cow;

use muslin::{ExplainReport, ExplainedRow, MissingRule, RowColumnReport, printable};

use super::super::keys::{heading, set_of};
use super::render::{is_stopped, sizes};
use crate::layout::Column;
use crate::style::{Style, count, counted, list, number};

/// Minimal uniques that a summary lists; all are in `--json`.
const SHOWN: usize = 12;
/// Numbers of differing columns up to which a summary counts rows.
const NEAR: usize = 3;

/// The row.
pub(super) fn row(report: &ExplainReport, row: &ExplainedRow, style: &Style) -> String {
    let mut text = heading(&headline(report, row), style);
    text += &score(row, style);
    if row.total > 0 {
        text.push('\n');
        text += &sizes(&row.by_size, style);
        text.push('\n');
        text += &uniques(row, style);
    }
    text.push('\n');
    text += &columns(row, style);
    text.push('\n');
    text += &nearest(row, style);
    text.push('\n');
    text + &conventions(report, row, style)
}

/// What matters most.
fn headline(report: &ExplainReport, row: &ExplainedRow) -> String {
    let number = row.row;
    if row.class_size > 1 {
        return format!(
            "Row {number} matches {} in all columns: no set of its values singles it out",
            counted(row.class_size - 1, "other row")
        );
    }
    if row.total == 0 {
        return match report.max_size {
            _ if is_stopped(report) => {
                format!(
                    "Row {number} matches no other row; what singles it out was not found within the limits"
                )
            }
            Some(size) if size < report.column_names.len() => format!(
                "Row {number} matches no other row; no set of up to {} singles it out",
                counted(size as u64, "value")
            ),
            _ => format!(
                "Row {number} matches no other row because of its missing cells: no set of its values singles it out"
            ),
        };
    }
    let least = if is_stopped(report) { "at least " } else { "" };
    let sizes: Vec<usize> = row.by_size.keys().copied().collect();
    let values = match sizes[..] {
        [1] => "1 value".to_owned(),
        [size] => format!("{size} values"),
        [small, large] => format!("{small} or {large} values"),
        [small, .., large] => format!("{small} to {large} values"),
        [] => "values".to_owned(),
    };
    let verb = if row.total == 1 { "singles" } else { "single" };
    format!(
        "Row {number} is the only one with its values: {least}{} of {values} {verb} it out",
        counted(row.total, "set")
    )
}

fn score(row: &ExplainedRow, style: &Style) -> String {
    let score = &row.score;
    let scale = match score.scale {
        0 => String::new(),
        scale => format!(", divided by 10^{scale}"),
    };
    let line = match row.suda {
        Some(_) if row.total == 0 => "SUDA score 0: it has no minimal unique.".into(),
        Some(suda) => format!(
            "SUDA score {}: each of its minimal uniques adds {}{scale} (`--score {}`).",
            number(suda),
            score.formula,
            score.variant.name()
        ),
        None if row.complete_to_size == 0 => {
            "No SUDA score, as not all minimal uniques are known.".into()
        }
        None => format!(
            "No SUDA score, as not all minimal uniques are known; those of up to {} are.",
            counted(row.complete_to_size as u64, "value")
        ),
    };
    style.wrap(&line, 2)
}

/// The sets of columns that single the row out, the smallest first.
fn uniques(row: &ExplainedRow, style: &Style) -> String {
    let item = |name: &String| {
        let column = row.row_columns.iter().find(|column| column.name == *name);
        match column.filter(|_| shows_values(row)) {
            Some(column) => format!("{} {}", printable(name), value_of(column)),
            None => printable(name).into_owned(),
        }
    };
    let line = |set: &Vec<String>| {
        vec![set.len().to_string(), set.iter().map(item).collect::<Vec<_>>().join(", ")]
    };
    let shown = row.uniques.iter().take(SHOWN).map(line).collect();
    let header = [Column::number("size"), Column::words("singled out by")];
    let mut text = style.table(&header, shown);
    let more = row.uniques.len().saturating_sub(SHOWN);
    if more > 0 {
        let line = format!("{} more: `--json` lists all.", count(more as u64));
        text += &style.wrap(&line, 2);
    }
    text
}

/// Whether values were asked for.
fn shows_values(row: &ExplainedRow) -> bool {
    row.row_columns.iter().any(|column| column.value.is_some())
}

fn value_of(column: &RowColumnReport) -> String {
    let value = column.value.as_deref().map(printable);
    value.map_or("(missing)".into(), Cow::into_owned)
}

/// Each column, the one in the most minimal uniques first.
fn columns(row: &ExplainedRow, style: &Style) -> String {
    let mut columns: Vec<&RowColumnReport> = row.row_columns.iter().collect();
    columns.sort_by_key(|column| (std::cmp::Reverse(column.uniques), column.rows_matching));
    let shows = shows_values(row);
    let line = |column: &RowColumnReport| {
        let mut cells = vec![printable(&column.name).into_owned()];
        if shows {
            cells.push(value_of(column));
        }
        cells.extend([
            count(column.rows_matching),
            count(column.uniques),
            column.uniques_without.map_or("-".into(), count),
            count(column.class_size_without),
        ]);
        cells
    };
    let mut header = vec![Column::words("column")];
    header.extend(shows.then_some(Column::words("value")));
    header.extend(
        ["rows alike", "in uniques", "uniques left without it", "class without it"]
            .map(Column::number),
    );
    style.table(&header, columns.into_iter().map(line).collect())
}

/// Rows that differ in few columns.
fn nearest(row: &ExplainedRow, style: &Style) -> String {
    let near = |columns: usize| row.differing.get(&columns).copied().unwrap_or(0);
    let count_of = |columns: usize| vec![counted(columns as u64, "column"), count(near(columns))];
    let most = NEAR.min(row.row_columns.len());
    let header = [Column::text("differ in"), Column::number("rows")];
    let mut text = style.table(&header, (1..=most).map(count_of).collect());
    if row.nearest.is_empty() {
        return text;
    }
    text.push('\n');
    let line = |near: &muslin::NearRowReport| {
        let columns = match near.columns.len() {
            0 => "nothing".into(),
            many if many > SHOWN => format!(
                "{} and {} more",
                list(&near.columns[..SHOWN]),
                counted((many - SHOWN) as u64, "column")
            ),
            _ => set_of(&near.columns),
        };
        vec![near.row.to_string(), columns]
    };
    let header = [Column::number("nearest rows"), Column::words("differ in")];
    text += &style.table(&header, row.nearest.iter().map(line).collect());
    text
}

/// How to read the figures.
fn conventions(report: &ExplainReport, row: &ExplainedRow, style: &Style) -> String {
    let line = "Rows alike match this one in the column. Minimal uniques are its smallest sets of values that no other row matches. A class is all rows that match in all columns. Both count this row too.";
    let mut text = style.wrap(line, 2);
    let no_item = row.row_columns.iter().filter(|column| !column.is_item);
    let no_item: Vec<String> = no_item.map(|column| column.name.clone()).collect();
    if !no_item.is_empty() && report.missing_rule != MissingRule::Category {
        let line = format!("Missing in this row, and so in no minimal unique: {}.", list(&no_item));
        text += &style.wrap(&line, 2);
    }
    text + &style.wrap("Rows are numbered from 0.", 2)
}
