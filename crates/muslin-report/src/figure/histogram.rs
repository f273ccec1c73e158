use super::{BarChart, colour};
use crate::svg::{Anchor, LINE, Plot, TOP, axis_ticks, float, length, short};

/// The height of the largest bar.
const HEIGHT: f64 = 190.0;
/// The least width of all bars.
const WIDTH: f64 = 420.0;

pub(super) fn draw(chart: &BarChart, plot: &mut Plot) {
    let series = chart.series.len().max(1);
    let mut top = TOP + 6.0;
    if series > 1 {
        let entries: Vec<(&str, &str)> = (chart.series.iter().enumerate())
            .map(|(at, name)| (colour(at, series), name.as_str()))
            .collect();
        plot.legend(12.0, top + 6.0, &entries);
        top += 26.0;
    }
    let labels: Vec<String> = chart.bars.iter().map(|bar| short(&bar.0, 22)).collect();
    let longest = labels.iter().map(|label| length(label)).fold(0.0, f64::max);
    let (most, is_share) = chart.most();
    let ticks = axis_ticks(most, is_share);
    let end = ticks.last().map_or(1.0, |last| last.0);
    let told = ticks.iter().map(|tick| length(&tick.1)).fold(30.0, f64::max);
    let left = told + 16.0;
    let step = (WIDTH / float(chart.bars.len())).clamp(14.0 * float(series) + 8.0, 70.0);
    let (right, bottom) = (left + step * float(chart.bars.len()), top + HEIGHT);
    for (number, (place, told)) in ticks.iter().enumerate() {
        let y = bottom - HEIGHT * place / end;
        plot.line((left, y), (right, y), if number == 0 { "line" } else { "grid" });
        plot.text(left - 6.0, y + 4.0, told, Anchor::End, "ink small");
    }
    let is_slanted = longest > step - 4.0;
    let thick = (step - 8.0) / float(series);
    for (at, ((name, values), label)) in chart.bars.iter().zip(&labels).enumerate() {
        let x = left + step * float(at) + 4.0;
        for (number, value) in values.iter().enumerate() {
            let height = (HEIGHT * value.place() / end).clamp(0.0, HEIGHT);
            let of = chart.series.get(number).map_or("", String::as_str);
            let x = x + thick * float(number);
            let says = format!("{}, {of}: {value}", short(name, 60));
            let size = (thick - 1.0, height);
            plot.area((x, bottom - height), size, (colour(number, series), 1.0), &says);
        }
        let middle = x + (step - 8.0) / 2.0;
        if is_slanted {
            plot.slanted(middle + 4.0, bottom + 14.0, label, "ink small");
        } else {
            plot.text(middle, bottom + 14.0, label, Anchor::Middle, "ink small");
        }
    }
    let below = if is_slanted { 16.0 + longest * 0.72 } else { 20.0 };
    plot.size((right + 24.0).max(360.0), bottom + below + LINE);
}
