//! Reports about suppressions as text.

use muslin::{Coverage, NotionsReport, SuppressNotion, SuppressReport, printable};

use super::super::input::title;
use crate::layout::Column;
use crate::style::{Style, bar, count, counted, gap_in_percent, list, number, percent};

/// The report.
pub(super) fn render(report: &SuppressReport, style: &Style) -> String {
    let read = report.columns.len()
        + report.tellers.len()
        + report.unmeasured.len()
        + report.identifiers_dropped.len();
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
            "! The search was stopped by a limit: what is asked for holds, fewer blanks might do.";
        text += &style.wrap(line, 2);
    }
    text.push('\n');
    text += &style.heading(style.wrap(&headline(report), 0).trim_end());
    text += "\n\n";
    text += &columns(report, style);
    text.push('\n');
    text += &notions(report, style);
    text.push('\n');
    text += &style.wrap(&goodness(report), 2);
    if report.decoys > 0 {
        let line = format!(
            "Withheld only so that other blanks cannot be guessed: {}.",
            counted(report.decoys, "cell")
        );
        text += &style.wrap(&line, 2);
    }
    text += &style.wrap(&people(report), 2);
    if let Some(diversity) = &report.diversity {
        let line = format!(
            "In no class is a value of `{}` that of more than one in {} rows.",
            printable(&diversity.column),
            diversity.l
        );
        text += &style.wrap(&line, 2);
    }
    let line = "A missing cell is a value of its own. Counts are of a judge that shares no code with the search.";
    text += &style.wrap(line, 2);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text + &style.wrap(&next_step(report), 2)
}

fn headline(report: &SuppressReport) -> String {
    format!(
        "{} withheld ({} of the quasi-identifiers) in {}: {} with k = {}",
        counted(report.suppressed_cells, "cell"),
        percent(report.suppressed_share),
        counted(report.rows_changed, "row"),
        report.notion.name(),
        report.k
    )
}

fn columns(report: &SuppressReport, style: &Style) -> String {
    let all = || report.columns.iter().chain(&report.tellers);
    let is_weighted = all().any(|column| column.weight != Some(1.0));
    let rows = all().map(|column| {
        let mut cells = vec![
            printable(&column.name).into_owned(),
            count(column.suppressed),
            percent(column.share),
        ];
        if is_weighted {
            cells.push(column.weight.map_or("never".into(), number));
        }
        cells.push(bar(column.share, style.bar_width()));
        cells
    });
    let mut header =
        vec![Column::words("column"), Column::number("withheld"), Column::number("share")];
    header.extend(is_weighted.then_some(Column::number("weight")));
    header.push(Column::bar());
    style.table(&header, rows.collect())
}

/// What each notion counts, before and after.
fn notions(report: &SuppressReport, style: &Style) -> String {
    let figures = |of: &NotionsReport| [of.n6, of.n5, of.n4, of.n3, of.n2, of.n1];
    let names = [
        "N6 equal rows (k-anonymity)",
        "N5 rows that can be a person's, globally",
        "N4 the lesser of the next two",
        "N3 people that fit a row",
        "N2 rows that fit a person",
        "N1 wildcard ambiguity (weak)",
    ];
    let show = |found: Option<u32>| found.map_or("-".into(), |found| count(u64::from(found)));
    let rows = names
        .iter()
        .zip(figures(&report.notions_before))
        .zip(figures(&report.notions))
        .map(|((name, before), after)| vec![(*name).to_owned(), show(before), show(after)]);
    let header =
        [Column::words("fewest, over all rows"), Column::number("before"), Column::number("after")];
    style.table(&header, rows.collect())
}

/// A cost: a number of cells, unless columns have weights.
fn cost_of(cost: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    if cost.fract() == 0.0 && cost < 1e15 { count(cost as u64) } else { number(cost) }
}

fn goodness(report: &SuppressReport) -> String {
    let cost = cost_of(report.cost);
    if report.optimal {
        return format!("Nothing that holds the same costs less than {cost}: proven.");
    }
    let Some(gap) = report.gap else {
        return format!("The cost is {cost}; no bound on the least is known.");
    };
    let checked = if report.bound_checked { ", checked from the table alone" } else { "" };
    let between = match report.upper_bound {
        Some(upper) => format!("between {} and {}", cost_of(report.lower_bound), cost_of(upper)),
        None => format!("at least {}", cost_of(report.lower_bound)),
    };
    format!(
        "The cost is {cost}; the least is {between} (proven{checked}): at most {} more than needed.",
        gap_in_percent(gap)
    )
}

fn people(report: &SuppressReport) -> String {
    format!(
        "People whose values fit exactly one published row: {} (before: {}).",
        count(report.matched_once),
        count(report.matched_once_before)
    )
}

fn next_step(report: &SuppressReport) -> String {
    match &report.written {
        Some(file) => {
            let order = report.row_order.as_deref().unwrap_or("as read");
            format!("Release written to {}, rows {order}.", printable(file))
        }
        None if report.notion == SuppressNotion::Ambiguity => {
            "Nothing was written. Next: the same without `--notion`, and `-o FILE`.".into()
        }
        None => "Nothing was written. Next: the same with `-o FILE`.".into(),
    }
}
