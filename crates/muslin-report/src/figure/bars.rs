use super::{BarChart, colour};
use crate::svg::{Anchor, LINE, Plot, TOP, axis_ticks, float, length, short};

/// Bars that are drawn; more are told in number.
const BARS: usize = 60;
/// The width of the longest bar.
const WIDTH: f64 = 340.0;

pub(super) fn draw(chart: &BarChart, plot: &mut Plot) {
    let shown = &chart.bars[..chart.bars.len().min(BARS)];
    let names: Vec<String> = shown.iter().map(|bar| short(&bar.0, 30)).collect();
    let left = names.iter().map(|name| length(name)).fold(60.0, f64::max) + 20.0;
    let series = chart.series.len().max(1);
    let mut top = TOP;
    if series > 1 {
        let entries: Vec<(&str, &str)> = (chart.series.iter().enumerate())
            .map(|(at, name)| (colour(at, series), name.as_str()))
            .collect();
        plot.legend(12.0, top + 10.0, &entries);
        top += 26.0;
    }
    let (most, is_share) = chart.most();
    let ticks = axis_ticks(most, is_share);
    let end = ticks.last().map_or(1.0, |last| last.0);
    let thick = if series == 1 { 14.0 } else { 13.0 };
    let step = thick * float(series) + 10.0;
    let bottom = top + step * float(shown.len());
    for (number, (place, told)) in ticks.iter().enumerate() {
        let x = left + WIDTH * place / end;
        plot.line((x, top - 2.0), (x, bottom), if number == 0 { "line" } else { "grid" });
        plot.text(x, bottom + LINE, told, Anchor::Middle, "ink small");
    }
    for (at, ((name, values), drawn)) in shown.iter().zip(&names).enumerate() {
        let y = top + step * float(at);
        plot.text(left - 8.0, y + step / 2.0 + 3.0, drawn, Anchor::End, "ink");
        for (number, value) in values.iter().enumerate() {
            let width = (WIDTH * value.place() / end).clamp(0.0, WIDTH);
            let of = chart.series.get(number).map_or("", String::as_str);
            let y = y + 4.0 + thick * float(number);
            let says = format!("{}, {of}: {value}", short(name, 60));
            plot.area((left, y), (width, thick - 1.0), (colour(number, series), 1.0), &says);
            let told = value.to_string();
            plot.text(left + width + 6.0, y + thick - 3.0, &told, Anchor::Start, "ink small");
        }
    }
    let more = chart.bars.len() - shown.len();
    let mut axis: Vec<String> = chart.series.iter().filter(|_| series == 1).cloned().collect();
    if more > 0 {
        axis.push(format!("{more} more are not drawn"));
    }
    let axis = axis.join("; ");
    plot.text(left + WIDTH / 2.0, bottom + 2.2 * LINE, &axis, Anchor::Middle, "ink small");
    plot.size(left + WIDTH + 70.0, bottom + 3.0 * LINE);
}
