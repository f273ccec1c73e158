use super::{ScatterPlot, colour};
use crate::svg::{Anchor, LINE, Plot, TOP, axis_ticks, length, short};

const SIDE: f64 = 300.0;
const WIDTH: f64 = 400.0;

pub(super) fn draw(chart: &ScatterPlot, plot: &mut Plot) {
    let groups = chart.groups.len();
    let mut top = TOP + 6.0;
    if groups > 1 {
        let entries: Vec<(&str, &str)> = (chart.groups.iter().enumerate())
            .map(|(at, group)| (colour(at, groups), group.name.as_str()))
            .collect();
        plot.legend(12.0, top + 6.0, &entries);
        top += 26.0;
    }
    let all = chart.groups.iter().flat_map(|group| &group.points);
    let most = |of: &dyn Fn(&super::Point) -> f64| {
        all.clone().map(of).filter(|own| own.is_finite()).fold(0.0, f64::max)
    };
    let is_share = |of: &dyn Fn(&super::Point) -> bool| all.clone().next().is_some_and(of);
    let across = axis_ticks(most(&|point| point.x.place()), is_share(&|point| point.x.is_share()));
    let upward = axis_ticks(most(&|point| point.y.place()), is_share(&|point| point.y.is_share()));
    let end = |ticks: &[(f64, String)]| ticks.last().map_or(1.0, |last| last.0);
    let left = upward.iter().map(|tick| length(&tick.1)).fold(30.0, f64::max) + 34.0;
    let (right, bottom) = (left + WIDTH, top + SIDE);
    for (number, (place, told)) in upward.iter().enumerate() {
        let y = bottom - SIDE * place / end(&upward);
        plot.line((left, y), (right, y), if number == 0 { "line" } else { "grid" });
        plot.text(left - 6.0, y + 4.0, told, Anchor::End, "ink small");
    }
    for (number, (place, told)) in across.iter().enumerate() {
        let x = left + WIDTH * place / end(&across);
        plot.line((x, top), (x, bottom), if number == 0 { "line" } else { "grid" });
        plot.text(x, bottom + 15.0, told, Anchor::Middle, "ink small");
    }
    for (number, group) in chart.groups.iter().enumerate() {
        for point in &group.points {
            let x = left + (WIDTH * point.x.place() / end(&across)).clamp(0.0, WIDTH);
            let y = bottom - (SIDE * point.y.place() / end(&upward)).clamp(0.0, SIDE);
            let label = short(&point.label, 80);
            let says = format!("{label}: {} {}, {} {}", chart.x, point.x, chart.y, point.y);
            plot.dot((x, y), 4.5, (colour(number, groups), 0.75), &says);
        }
    }
    plot.text(left + WIDTH / 2.0, bottom + 2.2 * LINE, &chart.x, Anchor::Middle, "ink small");
    plot.upright(14.0, top + SIDE / 2.0, &chart.y);
    plot.size(right + 24.0, bottom + 3.0 * LINE);
}
