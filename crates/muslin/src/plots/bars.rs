use muslin_report::{BarChart, Chart, Figure, Quantity};

use crate::diff::DiffColumnReport;

/// Bars of what each column loses: by distance or values covered (NCP), and of its entropy.
pub fn loss_figure(columns: &[DiffColumnReport]) -> Figure {
    let bar = |column: &DiffColumnReport| {
        let name = if column.withheld {
            format!("{} (withheld)", column.name)
        } else {
            column.name.clone()
        };
        (name, vec![Quantity::Fraction(column.entropy_share), Quantity::Fraction(column.ncp)])
    };
    let chart = BarChart {
        series: vec!["non-uniform entropy".into(), "NCP".into()],
        bars: columns.iter().map(bar).collect(),
    };
    let says = "The share of each column's detail that is lost: of its entropy, and by distance or values covered (NCP).";
    Figure::new("loss", "What each column loses", says, Chart::Bars(chart))
}
