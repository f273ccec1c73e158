use muslin_report::{Chart, Field, Figure, HeatMap, Panel, Quantity};

use crate::diff::{DiffAssociation, DiffPair};

/// Heat maps of how strongly columns go together: before, after, and what changed. Empty where there are
/// no pairs.
pub fn association_figure(association: &DiffAssociation) -> Figure {
    let mut names: Vec<String> = Vec::new();
    for pair in &association.pairs {
        for name in [&pair.a, &pair.b] {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        // Pairs are in order: the first column's have all.
        if pair.a != association.pairs[0].a {
            break;
        }
    }
    let place = |name: &str| names.iter().position(|own| own == name);
    let panel = |title: &str, value: fn(&DiffPair) -> f64| {
        let field = |pair: &DiffPair| {
            let (a, b) = (place(&pair.a)?, place(&pair.b)?);
            Some(Field { a, b, value: Quantity::Number(value(pair)) })
        };
        let fields = association.pairs.iter().filter_map(field).collect();
        Panel { title: title.into(), fields }
    };
    let panels = vec![
        panel("before", |pair| pair.before),
        panel("after", |pair| pair.after),
        panel("difference", |pair| pair.after - pair.before),
    ];
    let says = "Mean-square contingency of each two columns, from 0 (they tell nothing of each other) to 1, before and after, and what changed.";
    let chart = Chart::Heat(HeatMap { names, panels });
    Figure::new("association", "How strongly columns go together", says, chart)
}
