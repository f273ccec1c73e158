use super::{CurveChart, colour};
use crate::svg::{Anchor, LINE, Plot, TOP, axis_ticks, float, length};

const HEIGHT: f64 = 190.0;
const WIDTH: f64 = 440.0;

pub(super) fn draw(chart: &CurveChart, plot: &mut Plot) {
    let curves = chart.curves.len();
    let mut top = TOP + 6.0;
    if curves > 1 {
        let entries: Vec<(&str, &str)> = (chart.curves.iter().enumerate())
            .map(|(at, curve)| (colour(at, curves), curve.name.as_str()))
            .collect();
        plot.legend(12.0, top + 6.0, &entries);
        top += 26.0;
    }
    let all = chart.curves.iter().flat_map(|curve| &curve.values);
    let is_share = all.clone().next().is_some_and(|own| own.is_share());
    let most = all.map(|own| own.place()).filter(|own| own.is_finite()).fold(0.0, f64::max);
    let ticks = axis_ticks(most, is_share);
    let end = ticks.last().map_or(1.0, |last| last.0);
    let left = ticks.iter().map(|tick| length(&tick.1)).fold(30.0, f64::max) + 16.0;
    let (right, bottom) = (left + WIDTH, top + HEIGHT);
    for (number, (place, told)) in ticks.iter().enumerate() {
        let y = bottom - HEIGHT * place / end;
        plot.line((left, y), (right, y), if number == 0 { "line" } else { "grid" });
        plot.text(left - 6.0, y + 4.0, told, Anchor::End, "ink small");
    }
    let last = float(chart.steps.len().max(2) - 1);
    let x = |at: usize| left + 12.0 + (WIDTH - 24.0) * float(at) / last;
    for (at, step) in chart.steps.iter().enumerate() {
        plot.text(x(at), bottom + 15.0, step, Anchor::Middle, "ink small");
    }
    for (number, curve) in chart.curves.iter().enumerate() {
        let y = |place: f64| bottom - (HEIGHT * place / end).clamp(0.0, HEIGHT);
        let points: Vec<(f64, f64)> =
            curve.values.iter().enumerate().map(|(at, own)| (x(at), y(own.place()))).collect();
        plot.path(&points, colour(number, curves));
        for ((at, value), &place) in curve.values.iter().enumerate().zip(&points) {
            let step = chart.steps.get(at).map_or("", String::as_str);
            let says = format!("{}, {} {step}: {value}", curve.name, chart.axis);
            plot.dot(place, 3.5, (colour(number, curves), 1.0), &says);
        }
    }
    plot.text(left + WIDTH / 2.0, bottom + 2.1 * LINE, &chart.axis, Anchor::Middle, "ink small");
    plot.size(right + 20.0, bottom + 2.8 * LINE);
}
