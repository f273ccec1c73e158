use muslin_report::{BarChart, Chart, Figure, Quantity};
use muslin_table::printable;

use crate::diff::{DiffBin, DiffMarginal};

/// Pairs of bars: how often each bin of a column comes in the original and how often the release leads
/// to expect it.
pub fn marginal_figure(number: usize, marginal: &DiffMarginal) -> Figure {
    let before: u64 = marginal.bins.iter().map(|bin| bin.before).sum();
    let after: f64 = marginal.bins.iter().map(|bin| bin.after).sum();
    let bar = |bin: &DiffBin| {
        let label = bin.label.clone().unwrap_or_else(|| bin.bin.to_string());
        let old = Quantity::Share { part: bin.before, of: before };
        let new = Quantity::Share { part: whole(bin.after), of: whole(after) };
        (label, vec![old, new])
    };
    let chart = BarChart {
        series: vec!["original".into(), "release, expected".into()],
        bars: marginal.bins.iter().map(bar).collect(),
    };
    let bins = match marginal.kind.as_str() {
        "ranges" => "ranges of equal width, from small to large",
        "frequent" => "the most frequent values, in order, and all others",
        _ => "values, in order",
    };
    let title = format!("{}: before and after", printable(&marginal.column));
    let says = format!("Shares of rows; bins are {bins}.");
    Figure::new(&format!("marginal-{number}"), &title, says, Chart::Histogram(chart))
}

/// Expected rows as a count.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rows, rounded")]
fn whole(rows: f64) -> u64 {
    rows.round().max(0.0) as u64
}
