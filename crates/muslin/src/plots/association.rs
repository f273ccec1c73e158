use super::draw::{Anchor, LINE, Plot, float, length, short};
use crate::diff::DiffAssociation;

/// Columns that are drawn; more are told in number.
const COLUMNS: usize = 40;
/// The side of a field.
const FIELD: f64 = 20.0;

/// Three heat maps of how strongly columns go together: before, after, and what changed. Nothing where
/// there are no pairs.
pub fn association_plot(association: &DiffAssociation) -> Option<String> {
    let mut all: Vec<&str> = Vec::new();
    for pair in &association.pairs {
        for name in [pair.a.as_str(), pair.b.as_str()] {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        // Pairs are in order: the first column's have all.
        if pair.a != association.pairs[0].a {
            break;
        }
    }
    if all.is_empty() {
        return None;
    }
    let shown = &all[..all.len().min(COLUMNS)];
    let place = |name: &str| shown.iter().position(|&own| own == name);
    let names: Vec<String> = shown.iter().map(|name| short(name, 20)).collect();
    let margin = names.iter().map(|name| length(name)).fold(40.0, f64::max) + 20.0;
    let side = FIELD * float(shown.len());
    let (top, panel) = (76.0, side + 28.0);

    let mut plot = Plot::new("How strongly columns go together");
    let of = [
        ("two", "before and after: from 0 (pale) to 1, shaded by the square root"),
        ("two", "difference: stronger"),
        ("less", "difference: weaker"),
    ];
    let legend = plot.legend(12.0, 46.0, &of);
    for (at, name) in names.iter().enumerate() {
        let y = top + FIELD * (float(at) + 0.5) + 4.0;
        plot.text(margin - 8.0, y, name, Anchor::End, "ink small");
    }
    for (number, title) in ["before", "after", "difference"].into_iter().enumerate() {
        let left = margin + panel * float(number);
        plot.text(left, top - 8.0, title, Anchor::Start, "ink");
        for (at, name) in names.iter().enumerate() {
            let x = left + FIELD * (float(at) + 0.5) + 4.0;
            plot.slanted(x, top + side + 12.0, name, "ink small");
        }
        for edge in 0..=shown.len() {
            let at = FIELD * float(edge);
            plot.line((left, top + at), (left + side, top + at), "grid");
            plot.line((left + at, top), (left + at, top + side), "grid");
        }
        for pair in &association.pairs {
            let (Some(a), Some(b)) = (place(&pair.a), place(&pair.b)) else { continue };
            let value = [pair.before, pair.after, pair.after - pair.before][number];
            let class = if value < 0.0 { "less" } else { "two" };
            // Most are near 0: by the square root they are seen.
            let strength = value.abs().sqrt();
            let says = format!("{} and {}, {title}: {value:.3}", pair.a, pair.b);
            for (x, y) in [(a, b), (b, a)] {
                let at = (left + FIELD * float(x) + 1.0, top + FIELD * float(y) + 1.0);
                plot.area(at, (FIELD - 2.0, FIELD - 2.0), (class, strength), &says);
            }
        }
    }
    let (more, bottom) = (all.len() - shown.len(), top + side + margin * 0.8 + LINE);
    let what = "mean-square contingency of each two columns";
    let axis = match more {
        0 => what.to_owned(),
        more => format!("{what}; {more} columns more are not drawn"),
    };
    plot.text(margin, bottom, &axis, Anchor::Start, "ink small");
    Some(plot.finish((margin + panel * 3.0).max(legend), bottom + LINE))
}
