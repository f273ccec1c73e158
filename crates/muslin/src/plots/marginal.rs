use super::draw::{Anchor, LINE, Plot, float, percent, short, ticks};
use crate::diff::DiffMarginal;

/// The height of the largest bar.
const HEIGHT: f64 = 200.0;

/// Pairs of bars: how often each bin of a column comes in the original and how often the release leads
/// to expect it.
pub fn marginal_plot(marginal: &DiffMarginal) -> String {
    let before: f64 = marginal.bins.iter().map(|bin| count(bin.before)).sum();
    let after: f64 = marginal.bins.iter().map(|bin| bin.after).sum();
    let part = |of: f64, whole: f64| if whole > 0.0 { of / whole } else { 0.0 };
    let shares: Vec<(f64, f64)> = (marginal.bins.iter())
        .map(|bin| (part(count(bin.before), before), part(bin.after, after)))
        .collect();
    let most = shares.iter().fold(0.0, |most: f64, of| most.max(of.0).max(of.1));
    let ticks = ticks(most);
    let top_share = ticks.last().map_or(1.0, |last| last.0);

    let mut plot = Plot::new(&format!("{}: before and after", short(&marginal.column, 40)));
    plot.legend(12.0, 46.0, &[("one", "original"), ("two", "release, expected")]);
    let (left, top, step) = (64.0, 64.0, 34.0);
    let (right, bottom) = (left + step * float(marginal.bins.len().max(4)), top + HEIGHT);
    for (number, (share, told)) in ticks.iter().enumerate() {
        let y = bottom - HEIGHT * share / top_share;
        plot.line((left, y), (right, y), if number == 0 { "line" } else { "grid" });
        plot.text(left - 6.0, y + 4.0, told, Anchor::End, "ink small");
    }
    let mut has_labels = false;
    for ((at, bin), &(old, new)) in marginal.bins.iter().enumerate().zip(&shares) {
        let x = left + step * float(at) + 4.0;
        let label = bin.label.as_deref();
        let name = label.map_or_else(|| format!("bin {}", bin.bin), |label| short(label, 60));
        for (x, class, what, share) in
            [(x, "one", "original", old), (x + 13.0, "two", "release", new)]
        {
            let height = HEIGHT * share / top_share;
            let says = format!("{name}, {what}: {}", percent(share));
            plot.area((x, bottom - height), (12.0, height), (class, 1.0), &says);
        }
        match label {
            Some(label) => {
                has_labels = true;
                plot.slanted(x + 18.0, bottom + 14.0, &short(label, 22), "ink small");
            }
            None => {
                let number = bin.bin.to_string();
                plot.text(x + 13.0, bottom + 14.0, &number, Anchor::Middle, "ink small");
            }
        }
    }
    let axis = match marginal.kind.as_str() {
        "ranges" => "ranges of equal width, from small to large",
        "frequent" => "the most frequent values, in order, and all others",
        _ => "values, in order",
    };
    let below = if has_labels { 110.0 } else { 24.0 };
    plot.text(left, bottom + below + LINE, axis, Anchor::Start, "ink small");
    plot.upright(14.0, top + HEIGHT / 2.0, "share of rows");
    plot.finish((right + 24.0).max(360.0), bottom + below + 2.0 * LINE)
}

#[expect(clippy::cast_precision_loss, reason = "a place in a plot")]
fn count(rows: u64) -> f64 {
    rows as f64
}
