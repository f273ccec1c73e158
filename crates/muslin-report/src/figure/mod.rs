//! Figures: binned numbers, and how they are drawn.

mod bars;
mod curves;
mod heat;
mod histogram;
mod scatter;

use serde::Serialize;

use crate::quantity::Quantity;
use crate::svg::Plot;

/// A figure: numbers, and what they show in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figure {
    /// A short name without spaces.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// What a reader should see in it, for those who do not see it too.
    pub says: String,
    /// The numbers.
    pub chart: Chart,
}

impl Figure {
    /// A figure.
    pub fn new(id: &str, title: &str, says: impl Into<String>, chart: Chart) -> Self {
        Self { id: id.into(), title: title.into(), says: says.into(), chart }
    }

    /// The figure as a file of its own.
    pub fn to_svg(&self) -> String {
        self.draw().finish(true)
    }

    /// The figure as a part of a page that has its colours.
    pub(crate) fn to_inline_svg(&self) -> String {
        self.draw().finish(false)
    }

    fn draw(&self) -> Plot {
        let mut plot = Plot::new(&self.id, &self.title, &self.says);
        match &self.chart {
            Chart::Bars(chart) => bars::draw(chart, &mut plot),
            Chart::Histogram(chart) => histogram::draw(chart, &mut plot),
            Chart::Curves(chart) => curves::draw(chart, &mut plot),
            Chart::Heat(map) => heat::draw(map, &mut plot),
            Chart::Scatter(chart) => scatter::draw(chart, &mut plot),
        }
        plot
    }
}

/// The numbers of a figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Chart {
    /// Bars beside names, from left to right.
    Bars(BarChart),
    /// Bars above bins, from below.
    Histogram(BarChart),
    /// Lines over steps.
    Curves(CurveChart),
    /// Shaded fields of each two names.
    Heat(HeatMap),
    /// Points.
    Scatter(ScatterPlot),
}

impl Chart {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Bars(chart) | Self::Histogram(chart) => chart.bars.is_empty(),
            Self::Curves(chart) => chart.steps.is_empty() || chart.curves.is_empty(),
            Self::Heat(map) => map.names.is_empty() || map.panels.is_empty(),
            Self::Scatter(plot) => plot.groups.iter().all(|group| group.points.is_empty()),
        }
    }

    /// Every text in it.
    pub(crate) fn labels(&self) -> Vec<String> {
        match self {
            Self::Bars(chart) | Self::Histogram(chart) => {
                let labels = chart.bars.iter().map(|bar| bar.0.clone());
                chart.series.iter().cloned().chain(labels).collect()
            }
            Self::Curves(chart) => {
                let names = chart.curves.iter().map(|curve| curve.name.clone());
                chart.steps.iter().cloned().chain(names).chain([chart.axis.clone()]).collect()
            }
            Self::Heat(map) => {
                let titles = map.panels.iter().map(|panel| panel.title.clone());
                map.names.iter().cloned().chain(titles).collect()
            }
            Self::Scatter(plot) => {
                let groups = plot.groups.iter();
                let labels = groups.clone().flat_map(|group| &group.points);
                let names = groups.map(|group| group.name.clone());
                let axes = [plot.x.clone(), plot.y.clone()];
                labels.map(|point| point.label.clone()).chain(names).chain(axes).collect()
            }
        }
    }
}

/// Bars: names or bins, each with a number of every series.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BarChart {
    /// Names of the series, one to five.
    pub series: Vec<String>,
    /// Names or bins, and the numbers of the series.
    pub bars: Vec<(String, Vec<Quantity>)>,
}

impl BarChart {
    /// The largest number, and whether it is a share.
    fn most(&self) -> (f64, bool) {
        let all = self.bars.iter().flat_map(|bar| &bar.1);
        let most = all.clone().map(|own| own.place()).filter(|own| own.is_finite());
        (most.fold(0.0, f64::max), all.clone().next().is_some_and(|own| own.is_share()))
    }
}

/// Lines over steps that they have in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurveChart {
    /// What the steps are.
    pub axis: String,
    /// The steps, at equal distances.
    pub steps: Vec<String>,
    /// The lines.
    pub curves: Vec<Curve>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Curve {
    /// What it is of.
    pub name: String,
    /// A number for each step.
    pub values: Vec<Quantity>,
}

/// Fields of each two of some names, in one or more panels.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeatMap {
    /// The names.
    pub names: Vec<String>,
    /// The panels.
    pub panels: Vec<Panel>,
}

/// A panel of a heat map.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Panel {
    /// What it shows.
    pub title: String,
    /// Its fields. Both of a pair are drawn.
    pub fields: Vec<Field>,
}

/// A field of a heat map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Field {
    /// A name, by its place.
    pub a: usize,
    /// Another.
    pub b: usize,
    /// From -1 to 1.
    pub value: Quantity,
}

/// Points of several groups.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScatterPlot {
    /// What the horizontal axis is.
    pub x: String,
    /// What the vertical axis is.
    pub y: String,
    /// The groups, at most five.
    pub groups: Vec<PointGroup>,
}

/// Points of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PointGroup {
    /// What they are.
    pub name: String,
    /// The points.
    pub points: Vec<Point>,
}

/// A point, between 0 and 1 on both axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Point {
    /// What it is.
    pub label: String,
    /// Its place from left to right.
    pub x: Quantity,
    /// Its place from below.
    pub y: Quantity,
}

/// Classes of the colours of series.
const SERIES: [&str; 5] = ["one", "two", "three", "four", "five"];

/// The colour of a series; one alone has the strongest.
fn colour(at: usize, of: usize) -> &'static str {
    if of == 1 { "two" } else { SERIES[at % SERIES.len()] }
}
