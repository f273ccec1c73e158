//! Reports about keys as text.

use muslin::{
    AllReport, Coverage, KeysAnswer, KeysReport, Measure, OverviewReport, StepReport, TargetReport,
    WholeReport, printable,
};

use super::super::input::title;
use super::render_set;
use crate::layout::Column;
use crate::style::{Style, bar, count, counted, list, percent, ratio, share};

/// Sets that a summary shows; all are in `--json` and in the file of `-o`.
const SHOWN: usize = 12;

/// The summary.
pub(super) fn render(report: &KeysReport, style: &Style) -> String {
    let mut text = title(&report.input, report.rows, report.column_names.len(), style);
    if let Some(dropped) = report.duplicates_dropped {
        let line = format!("{} left out that equal an earlier row", counted(dropped, "row"));
        text += &style.wrap(&line, 2);
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
        let line = "! The search was stopped by a limit: what is given is right, more may exist.";
        text += &style.wrap(line, 2);
    }
    text.push('\n');
    text += &match &report.answer {
        KeysAnswer::Overview(overview) => render_overview(report, overview, style),
        KeysAnswer::All(all) => render_all(report, all, style),
        KeysAnswer::Minimum(minimum) => render_set::minimum(report, minimum, style),
        KeysAnswer::Set(set) => render_set::given(report, set, style),
    };
    text.push('\n');
    text += &conventions(report, style);
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text + &style.wrap(&next_step(report), 2)
}

fn render_overview(report: &KeysReport, overview: &OverviewReport, style: &Style) -> String {
    let mut text = String::new();
    if overview.whole.reachable {
        let title = match &overview.set {
            Some(set) => format!("A key of {}: {}", columns(set.len()), set_of(set)),
            None => "There is a key; it was not found in time".into(),
        };
        text += &heading(&title, style);
        let line = "These columns tell every pair of rows apart. They were taken one by one, greedily; fewer may do.";
        text += &style.wrap(line, 0);
    } else {
        text += &no_key(report, &overview.whole, style);
    }
    text.push('\n');
    text += &heading("How quickly this table gives people away, column by column", style);
    text + &curve(&overview.curve, report.rows, style)
}

/// Why no set tells all rows apart.
pub(super) fn no_key(report: &KeysReport, whole: &WholeReport, style: &Style) -> String {
    let text = heading("No key: no set of columns tells every pair of rows apart", style);
    text + &alike(report, whole, style) + &ceiling(whole, style)
}

/// Rows that are to blame.
fn alike(report: &KeysReport, whole: &WholeReport, style: &Style) -> String {
    let Some(alike) = whole.rows_alike.filter(|&alike| alike > 0) else { return String::new() };
    let all = columns(report.column_names.len());
    let mut parts = vec![format!("{} rows match another row in all {all}", count(alike))];
    if let Some(duplicates) = whole.duplicate_rows {
        let dropped = report.duplicates_dropped.is_some();
        let way_out = if dropped { "" } else { ", and `--distinct-rows` leaves those out" };
        parts.push(format!("{} of them equal an earlier row{way_out}", count(duplicates)));
    }
    style.wrap(&(parts.join("; ") + "."), 0)
}

/// The most that any set reaches.
pub(super) fn ceiling(whole: &WholeReport, style: &Style) -> String {
    let Some(ceiling) = &whole.ceiling else { return String::new() };
    let separation = ceiling.separation_ratio.map(|r| format!("separation {}", ratio(r)));
    let distinct = ceiling.distinct_ratio.map(|r| format!("distinct ratio {}", ratio(r)));
    let parts: Vec<String> = distinct.into_iter().chain(separation).collect();
    let line = format!("All columns together: {}. No set reaches more.", parts.join(", "));
    style.wrap(&line, 0)
}

/// What columns do together, one more on each line.
pub(super) fn curve(steps: &[StepReport], rows: u64, style: &Style) -> String {
    if steps.is_empty() {
        return style.wrap("No column tells anything apart.", 0);
    }
    let line = |(index, step): (usize, &StepReport)| {
        let plus = if index == 0 { "" } else { "+ " };
        let share = share(step.rows_alone, rows);
        vec![
            format!("{plus}{}", printable(&step.column)),
            step.distinct_ratio.map_or("-".into(), ratio),
            ratio(step.separation_ratio),
            count(step.rows_alone),
            percent(share),
            bar(share, style.bar_width() / 2),
        ]
    };
    let header = [
        Column::words("column"),
        Column::number("distinct"),
        Column::number("separation"),
        Column::number("rows singled out"),
        Column::number("share").optional(),
        Column::bar(),
    ];
    style.table(&header, steps.iter().enumerate().map(line).collect())
}

fn render_all(report: &KeysReport, all: &AllReport, style: &Style) -> String {
    let stopped = matches!(report.coverage, Coverage::Stopped { .. });
    if !all.whole.reachable {
        return match all.target.measure {
            None => no_key(report, &all.whole, style),
            Some(_) => unreached(report, &all.target, &all.whole, style),
        };
    }
    let size = all.max_size.map_or(String::new(), |size| format!(", of at most {}", columns(size)));
    let title = format!(
        "{}{} minimal {}: {}, without a needless one{size}",
        if stopped { "at least " } else { "" },
        count(all.total),
        if all.target.measure.is_none() {
            "keys".into()
        } else {
            format!("{} quasi-identifiers", all.target.target)
        },
        what(&all.target),
    );
    let mut text = heading(&title, style);
    let most = all.by_size.values().copied().max().unwrap_or(0);
    let row = |(size, &sets): (&usize, &u64)| {
        vec![size.to_string(), count(sets), bar(share(sets, most), style.bar_width())]
    };
    if all.total > 0 {
        let header = [Column::number("size"), Column::number("sets"), Column::bar()];
        text += &style.table(&header, all.by_size.iter().map(row).collect());
        text.push('\n');
        text += &first_sets(all, style);
    }
    text + &cut(report, all, style)
}

/// The first sets, and how many more there are.
fn first_sets(all: &AllReport, style: &Style) -> String {
    let rows = all.sets.iter().zip(&all.set_facts).take(SHOWN).map(|(set, facts)| {
        vec![
            set_of(set),
            facts.distinct_ratio.map_or("-".into(), ratio),
            ratio(facts.separation_ratio),
            count(facts.rows_alone),
        ]
    });
    let header = [
        Column::words("columns"),
        Column::number("distinct"),
        Column::number("separation"),
        Column::number("rows singled out"),
    ];
    let mut text = style.table(&header, rows.collect());
    let more = all.sets.len().saturating_sub(SHOWN);
    if more > 0 {
        let line = format!("and {} more: `--json` and `-o FILE` list all.", count(more as u64));
        text += &style.wrap(&line, 2);
    }
    text
}

/// What is not in the list, and how to get it.
fn cut(report: &KeysReport, all: &AllReport, style: &Style) -> String {
    let mut text = String::new();
    if let Coverage::Stopped { .. } = report.coverage {
        let known = match all.complete_to_size {
            Some(size) => format!("Every set of up to {} is listed", columns(size)),
            None => "Sets of every size may be missing".into(),
        };
        text += &style.wrap(&format!("{known}; other sets may be missing."), 2);
    } else if let Some(size) = all.max_size.filter(|_| all.larger_may_exist) {
        let line = format!(
            "Sets of more than {} were not looked for and may exist: pass a larger `--max-size`, or none.",
            columns(size)
        );
        text += &style.wrap(&line, 2);
    }
    if let Some(delta) = all.delta {
        let line = format!(
            "Sets were ruled out by samples: with probability up to {delta} a set is missing, or listed though a part of it is enough (`--delta`)."
        );
        text += &style.wrap(&line, 2);
    }
    text
}

/// Why no set reaches a ratio.
pub(super) fn unreached(
    report: &KeysReport,
    target: &TargetReport,
    whole: &WholeReport,
    style: &Style,
) -> String {
    let text = heading(&format!("No set of columns: {} cannot be reached", target.target), style);
    text + &alike(report, whole, style) + &ceiling(whole, style)
}

/// What sets that reach a target do, in words.
pub(super) fn what(target: &TargetReport) -> String {
    match target.measure {
        None => "sets of columns that tell every pair of rows apart".into(),
        Some(measure) => {
            format!("sets of columns whose {} ratio is at least {}", measure.name(), target.beta)
        }
    }
}

/// How to read the figures.
fn conventions(report: &KeysReport, style: &Style) -> String {
    let mut text = style.wrap("Distinct ratio: classes of rows that agree on the columns, of all rows. Separation ratio: pairs of rows that differ in one of the columns, of all pairs. Singled out, or alone: rows that match no other.", 2);
    if let KeysAnswer::All(all) = &report.answer {
        text += &style.wrap(&format!("Searched by {}.", all.method.name()), 2);
    }
    let rule = report.missing_rule;
    text + &style.wrap(&format!("Missing cells: {} (`--missing {rule}`).", rule.describe()), 2)
}

fn next_step(report: &KeysReport) -> String {
    let stopped = matches!(report.coverage, Coverage::Stopped { .. });
    if let Some(file) = &report.written {
        let far = if stopped { ", as far as the search got" } else { "" };
        return format!("Written{far}: {}.", printable(file));
    }
    match &report.answer {
        _ if stopped => "Next: pass a larger limit, or a smaller `--max-size` or fewer `--columns`.".into(),
        KeysAnswer::Overview(overview) if overview.whole.reachable => "Next: `--minimum --exact` finds the fewest columns that are a key, `--all` every minimal key, `--all --measure distinct --beta 0.9` what nearly is one.".into(),
        KeysAnswer::Overview(_) => "Next: `--all --distinct-rows` finds every minimal key of the distinct rows, `--all --measure distinct --beta 0.9` what nearly is one.".into(),
        KeysAnswer::All(all) if all.total == 0 => "Next: a smaller `--beta`, a larger `--max-size` or `--distinct-rows` may have sets.".into(),
        KeysAnswer::All(_) => "Next: `-o sets.csv` writes every set, `--set NAMES` says what one of them gives away.".into(),
        KeysAnswer::Minimum(minimum) => render_set::next_step(minimum).into(),
        KeysAnswer::Set(set) if set.rows_held.is_some() => "Next: without `--sample` the ratios are exact.".into(),
        KeysAnswer::Set(_) => "Next: `muslin uniques --columns` with these names says whom they single out.".into(),
    }
}

pub(in super::super) fn heading(title: &str, style: &Style) -> String {
    style.heading(style.wrap(title, 0).trim_end()) + "\n"
}

pub(super) fn measure_of(measure: Measure) -> &'static str {
    match measure {
        Measure::Distinct => "distinct ratio",
        Measure::Separation => "separation ratio",
    }
}

pub(in super::super) fn columns(number: usize) -> String {
    format!("{number} {}", if number == 1 { "column" } else { "columns" })
}

/// The columns of a set; there may be none.
pub(in super::super) fn set_of(names: &[String]) -> String {
    if names.is_empty() { "(no column at all)".into() } else { list(names) }
}
