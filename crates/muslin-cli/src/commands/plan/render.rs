//! Candidate protections as text.

use muslin::{Candidate, PlanReport, printable};

use super::super::input::title;
use crate::layout::Column;
use crate::style::{Style, bar, count, list, percent};

/// The report.
pub(super) fn render(report: &PlanReport, style: &Style) -> String {
    let columns = usize::try_from(report.columns).unwrap_or(usize::MAX);
    let mut text = title(&report.input, report.rows, columns, style);
    text += &style.wrap(&format!("Quasi-identifiers: {}.", list(&report.quasi_identifiers)), 2);
    if report.tried_rows < report.rows {
        text += &style.wrap(
            &format!(
                "! Tried on {} rows that were drawn: all rows together lose less.",
                count(report.tried_rows)
            ),
            2,
        );
    }
    text.push('\n');
    let headline = format!(
        "As it is, {} of the rows can be found by guessing within classes, somebody with a chance of {}",
        percent(report.mean_risk),
        percent(report.highest_risk)
    );
    text += &style.heading(style.wrap(&headline, 0).trim_end());
    text += "\n\n";
    let row = |own: &Candidate| {
        let mut row = vec![own.k.to_string(), own.method.clone()];
        match &own.failed {
            Some(_) => row.extend(["-".into(), "-".into(), "-".into(), "-".into()]),
            None => row.extend([
                percent(own.highest_risk),
                percent(own.mean_risk),
                percent(own.loss),
                percent(own.removed_share),
            ]),
        }
        row.push(if own.best { "best".into() } else { String::new() });
        row.push(if own.failed.is_some() { String::new() } else { bar(own.loss, 12) });
        row
    };
    let header = [
        Column::number("k"),
        Column::words("method"),
        Column::number("highest risk"),
        Column::number("mean risk"),
        Column::number("lost"),
        Column::number("rows withheld"),
        Column::text(""),
        Column::bar(),
    ];
    let rows: Vec<Vec<String>> = report.candidates.iter().map(row).collect();
    text += &style.table(&header, rows);
    text += &style.wrap(
        "risk: 1 / rows of a class; mean: classes / rows. lost: mean part of the detail of quasi-identifiers; bars show it. best: no other candidate is as good in both mean risk and loss, and better in one. mondrian, local, full-domain: `protect.generalize.recoding`; limit: `protect.generalize.suppression_limit`",
        2,
    );
    for own in report.candidates.iter().filter(|own| own.failed.is_some()) {
        let why = own.failed.as_deref().unwrap_or_default();
        text += &style.wrap(
            &format!(
                "! {} with k = {} does not reach what the policy asks for: {why}",
                own.method, own.k
            ),
            2,
        );
    }
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    let best: Vec<&Candidate> = report.candidates.iter().filter(|own| own.best).collect();
    if !best.is_empty() {
        text.push('\n');
        text += &style.wrap(
            "To choose one, replace the sections [release] and [protect] of the policy by its lines (`--json` has those of every candidate):",
            0,
        );
    }
    for own in best {
        text += "\n";
        text += &style.wrap(&format!("# {}, k = {}", own.method, own.k), 0);
        text += &printable_lines(&own.toml);
    }
    text
}

/// Lines of a policy, as they can be pasted.
fn printable_lines(toml: &str) -> String {
    let lines = toml.lines().filter(|line| !line.is_empty());
    lines.map(|line| printable(line).into_owned() + "\n").collect()
}
