use super::draw::{Anchor, LINE, Plot, float, length, percent, short};
use crate::diff::DiffColumnReport;

/// Columns that are drawn; more are told in number.
const COLUMNS: usize = 100;
/// The width of a bar that loses all.
const WIDTH: f64 = 360.0;

/// Bars of what each column loses: by distance or values covered (NCP), and of its entropy.
pub fn loss_plot(columns: &[DiffColumnReport]) -> String {
    let shown = &columns[..columns.len().min(COLUMNS)];
    let names: Vec<String> = shown.iter().map(|column| short(&column.name, 28)).collect();
    let left = names.iter().map(|name| length(name)).fold(60.0, f64::max) + 24.0;
    let mut plot = Plot::new("What each column loses");
    plot.legend(12.0, 46.0, &[("two", "NCP"), ("one", "non-uniform entropy")]);
    let (top, step) = (64.0, 30.0);
    let bottom = top + step * float(shown.len());
    for quarter in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let x = left + WIDTH * quarter;
        let class = if quarter == 0.0 { "line" } else { "grid" };
        plot.line((x, top - 4.0), (x, bottom), class);
        let told = format!("{:.0} %", quarter * 100.0);
        plot.text(x, bottom + LINE, &told, Anchor::Middle, "ink small");
    }
    for (at, (column, name)) in shown.iter().zip(&names).enumerate() {
        let y = top + step * float(at);
        plot.text(left - 8.0, y + 16.0, name, Anchor::End, "ink");
        let of = |what: &str, share: f64| format!("{}: {} {what}", column.name, percent(share));
        let (ncp, bits) = (column.ncp, column.entropy_share);
        plot.area((left, y + 3.0), (WIDTH * ncp, 10.0), ("two", 1.0), &of("NCP", ncp));
        plot.area((left, y + 14.0), (WIDTH * bits, 8.0), ("one", 1.0), &of("entropy", bits));
        let told = if column.withheld { "withheld".to_owned() } else { percent(ncp) };
        plot.text(left + WIDTH + 10.0, y + 16.0, &told, Anchor::Start, "ink small");
    }
    let more = columns.len() - shown.len();
    let axis = if more == 0 {
        "share of the column's detail that is lost".to_owned()
    } else {
        format!("share of the column's detail that is lost; {more} columns more are not drawn")
    };
    plot.text(left + WIDTH / 2.0, bottom + 2.2 * LINE, &axis, Anchor::Middle, "ink small");
    plot.finish(left + WIDTH + 80.0, bottom + 3.2 * LINE)
}
