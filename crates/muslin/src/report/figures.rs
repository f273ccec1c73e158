//! Figures of what a scan found.

use muslin_report::{
    BarChart, Chart, Curve, CurveChart, Field, Figure, HeatMap, Panel, Point, PointGroup, Quantity,
    ScatterPlot,
};

use crate::protect::{Candidate, PlanReport};
use crate::scan::{ScanReport, SetPoint, SizeReport};

/// Columns of the heat map and the scatter plot are few enough to see.
const POINTS: usize = 400;

/// Rows by the size of their class; before, and after where there is a release.
pub(super) fn class_sizes(before: &ScanReport, after: Option<&ScanReport>) -> Figure {
    let all = [Some(before), after];
    let longest = all.iter().flatten().map(|own| own.plots.class_sizes.len()).max().unwrap_or(0);
    let bins = |at: usize| all.iter().flatten().find_map(move |own| own.plots.class_sizes.get(at));
    let bar = |at: usize| {
        let label = bins(at).map(bin).unwrap_or_default();
        let share = |own: &&ScanReport| {
            let part = own.plots.class_sizes.get(at).map_or(0, |size| size.rows);
            Quantity::Share { part, of: own.rows }
        };
        (label, all.iter().flatten().map(share).collect())
    };
    let mut series = vec!["before".to_owned()];
    series.extend(after.map(|_| "after".to_owned()));
    let chart = BarChart { series, bars: (0..longest).map(bar).collect() };
    Figure::new(
        "class-sizes",
        "How many people share their quasi-identifiers",
        "Shares of rows by the size of their class, the rows that agree with them on all quasi-identifiers. Rows in classes of 1 are told apart from everybody else.",
        Chart::Histogram(chart),
    )
}

fn bin(size: &SizeReport) -> String {
    match size.to {
        Some(to) if to == size.from => to.to_string(),
        Some(to) => format!("{} to {to}", size.from),
        None => format!("{} or more", size.from),
    }
}

/// Rows in classes of at least k.
pub(super) fn survival(before: &ScanReport, after: Option<&ScanReport>) -> Figure {
    let all = [("before", Some(before)), ("after", after)];
    let points = |own: &ScanReport| own.plots.survival.clone();
    let mut steps: Vec<u64> = all
        .iter()
        .filter_map(|(_, own)| *own)
        .flat_map(|own| points(own).into_iter().map(|point| point.k))
        .collect();
    steps.sort_unstable();
    steps.dedup();
    let curve = |name: &str, own: &ScanReport| {
        let known = points(own);
        let share = |&k: &u64| known.iter().find(|point| point.k == k).map_or(0.0, |p| p.share);
        let part = |k: &u64| Quantity::Share { part: rows(share(k), own.rows), of: own.rows };
        Curve { name: name.into(), values: steps.iter().map(part).collect() }
    };
    let curves = all.iter().filter_map(|(name, own)| own.map(|own| curve(name, own))).collect();
    let chart = CurveChart {
        axis: "k".into(),
        steps: steps.iter().map(ToString::to_string).collect(),
        curves,
    };
    Figure::new(
        "survival",
        "Rows in classes of at least k",
        "The share of rows that agree with at least k - 1 others on all quasi-identifiers. A release with k-anonymity is at 100 % up to its k.",
        Chart::Curves(chart),
    )
}

/// A share of some rows as rows.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share from 0 to 1"
)]
pub(super) fn rows(share: f64, of: u64) -> u64 {
    (share * of as f64).round() as u64
}

/// Minimal uniques by their number of values.
pub(super) fn unique_sizes(scan: &ScanReport) -> Option<Figure> {
    let found = scan.minimal_uniques.as_ref()?;
    let bar = |(size, count): (&usize, &u64)| (size.to_string(), vec![Quantity::Count(*count)]);
    let bars = found.by_size.iter().map(bar).collect();
    let chart = BarChart { series: vec!["minimal uniques".into()], bars };
    Some(Figure::new(
        "unique-sizes",
        "How many values single somebody out",
        "Minimal uniques by their number of values: the smallest sets of values that one row holds. The fewer values it takes, the easier somebody is found.",
        Chart::Histogram(chart),
    ))
}

/// What columns contribute to the scores of minimal uniques.
pub(super) fn contributions(scan: &ScanReport) -> Option<Figure> {
    let found = scan.minimal_uniques.as_ref()?;
    let bars = found.contributions.iter().take(40);
    let bars = bars.map(|own| (own.name.clone(), vec![Quantity::Fraction(own.share)])).collect();
    let chart = BarChart { series: vec!["share of all scores".into()], bars };
    Some(Figure::new(
        "contributions",
        "Which columns single people out",
        "The share of the scores of minimal uniques that have a value of the column. Columns with long bars are the first to drop or coarsen.",
        Chart::Bars(chart),
    ))
}

/// Rows that each two columns single out.
pub(super) fn pairs(scan: &ScanReport) -> Option<Figure> {
    let found = scan.singled_out.as_ref()?;
    let names = found.columns.clone();
    let place = |name: &str| names.iter().position(|own| own == name);
    let field = |pair: &crate::PairReport| {
        let [a, b] = pair.columns.as_slice() else { return None };
        let value = Quantity::Share { part: pair.rows_alone, of: scan.rows };
        Some(Field { a: place(a)?, b: place(b)?, value })
    };
    let fields: Vec<Field> = found.pairs.iter().filter_map(field).collect();
    if fields.is_empty() {
        return None;
    }
    let panels = vec![Panel { title: "rows singled out".into(), fields }];
    Some(Figure::new(
        "pairs",
        "Which two columns single people out",
        "The share of rows that nobody else agrees with on the two columns.",
        Chart::Heat(HeatMap { names, panels }),
    ))
}

/// Column sets by what they tell apart.
pub(super) fn column_sets(scan: &ScanReport) -> Figure {
    let kind = |set: &&SetPoint, size: usize| match size {
        3 => set.columns.len() >= 3,
        size => set.columns.len() == size,
    };
    let group = |name: &str, size: usize| {
        let sets = scan.plots.sets.iter().filter(|set| kind(set, size)).take(POINTS);
        let points = sets.filter_map(|set| {
            Some(Point {
                label: set.columns.join(", "),
                x: Quantity::Fraction(set.distinct_ratio?),
                y: Quantity::Fraction(set.separation_ratio),
            })
        });
        PointGroup { name: name.into(), points: points.collect() }
    };
    let all = [group("one column", 1), group("two columns", 2), group("three or more", 3)];
    let groups = all.into_iter().filter(|group| !group.points.is_empty()).collect();
    let (x, y) = ("distinct ratio".into(), "separation ratio".into());
    Figure::new(
        "column-sets",
        "What column sets tell apart",
        "Each point is a set of columns: classes by rows (distinct ratio) against row pairs told apart (separation ratio). Sets at the right tell most people apart.",
        Chart::Scatter(ScatterPlot { x, y, groups }),
    )
}

/// What protections would leave of risk and detail.
pub(super) fn plan(plan: &PlanReport) -> Figure {
    let mut groups: Vec<PointGroup> = Vec::new();
    let tried = plan.candidates.iter().filter(|own| own.failed.is_none());
    for own in tried {
        let Candidate { method, k, loss, mean_risk, .. } = own;
        let point = Point {
            label: format!("{method}, k = {k}"),
            x: Quantity::Fraction(*loss),
            y: Quantity::Fraction(*mean_risk),
        };
        match groups.iter_mut().find(|group| group.name == *method) {
            Some(group) => group.points.push(point),
            None => groups.push(PointGroup { name: method.clone(), points: vec![point] }),
        }
    }
    let (x, y) = ("detail lost".into(), "mean risk".into());
    Figure::new(
        "risk-loss",
        "Risk against loss of what could be done",
        "Each point is a protection with some k: the mean part of the detail of quasi-identifiers that it loses, against the share of people that guessing within classes finds. Down and to the left is better.",
        Chart::Scatter(ScatterPlot { x, y, groups }),
    )
}
