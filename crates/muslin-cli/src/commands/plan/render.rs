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
                "! Tried on a random sample of {} rows: the whole table loses less.",
                count(report.tried_rows)
            ),
            2,
        );
    }
    text.push('\n');
    let headline = format!(
        "Unprotected: mean re-identification risk {}, highest {} (the table taken as the population)",
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
        Column::number("loss"),
        Column::number("rows removed"),
        Column::text(""),
        Column::bar(),
    ];
    let rows: Vec<Vec<String>> = report.candidates.iter().map(row).collect();
    text += &style.table(&header, rows);
    text += &style.wrap(
        "highest risk: 1 / rows of the smallest class; mean risk: classes / rows. loss: information loss on the quasi-identifiers (GCP), which the bars show. best: no other candidate is as good in both mean risk and loss, and better in one. mondrian, local, full-domain: `protect.generalize.recoding`; limit: `protect.generalize.suppression_limit`",
        2,
    );
    text += &without_figures(&report.candidates, style);
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

/// Why candidates have no figures, each reason of a method once.
fn without_figures(candidates: &[Candidate], style: &Style) -> String {
    let mut reasons: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for own in candidates {
        let Some(why) = own.failed.as_deref() else { continue };
        let same = |(method, reason, _): &&mut (&str, &str, Vec<String>)| {
            *method == own.method && *reason == why
        };
        match reasons.iter_mut().find(same) {
            Some((_, _, ks)) => ks.push(own.k.to_string()),
            None => reasons.push((&own.method, why, vec![own.k.to_string()])),
        }
    }
    let line = |(method, why, ks): &(&str, &str, Vec<String>)| {
        style.wrap(&format!("! {method}, k = {}: {why}", ks.join(", ")), 2)
    };
    reasons.iter().map(line).collect()
}

/// Lines of a policy, as they can be pasted.
fn printable_lines(toml: &str) -> String {
    let lines = toml.lines().filter(|line| !line.is_empty());
    lines.map(|line| printable(line).into_owned() + "\n").collect()
}
