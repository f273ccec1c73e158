//! Candidate protections as text.

use muslin::{Candidate, PlanReport};

use super::super::input::title;
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
    let header = ["k", "method", "highest risk", "mean risk", "lost", "rows withheld", "", ""];
    let rows: Vec<Vec<String>> = report.candidates.iter().map(row).collect();
    text += &style.table(&header, &[0, 2, 3, 4, 5], &[1], rows);
    text += &style.wrap(
        "risk: 1 / rows of a class; mean: classes / rows. lost: mean part of the detail of quasi-identifiers; bars show it. best: no other has both less mean risk and less loss",
        2,
    );
    for own in report.candidates.iter().filter(|own| own.failed.is_some()) {
        let why = own.failed.as_deref().unwrap_or_default();
        text += &style.wrap(&format!("! {} with k = {}: {why}", own.method, own.k), 2);
    }
    for warning in &report.warnings {
        text += &style.wrap(&format!("! {warning}"), 2);
    }
    text + &style.wrap("Next: write what you choose into a policy, and `muslin protect`.", 2)
}
