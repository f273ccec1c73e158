use super::HeatMap;
use crate::svg::{Anchor, Plot, TOP, float, length, short};

/// Names that are drawn; more are told in number.
const NAMES: usize = 40;
/// The side of a field.
const FIELD: f64 = 20.0;

pub(super) fn draw(map: &HeatMap, plot: &mut Plot) {
    let shown = &map.names[..map.names.len().min(NAMES)];
    let names: Vec<String> = shown.iter().map(|name| short(name, 20)).collect();
    let longest = names.iter().map(|name| length(name)).fold(40.0, f64::max);
    let margin = longest + 20.0;
    let side = FIELD * float(shown.len());
    let mut top = TOP + 6.0;
    let all = map.panels.iter().flat_map(|panel| &panel.fields);
    let mut width = 0.0;
    if all.clone().any(|field| field.value.place() < 0.0) {
        width = plot.legend(12.0, top + 6.0, &[("two", "stronger"), ("less", "weaker")]);
        top += 26.0;
    }
    let has_titles = map.panels.len() > 1;
    if has_titles {
        top += 16.0;
    }
    for (at, name) in names.iter().enumerate() {
        let y = top + FIELD * (float(at) + 0.5) + 4.0;
        plot.text(margin - 8.0, y, name, Anchor::End, "ink small");
    }
    let panel_width = side + 28.0;
    for (number, panel) in map.panels.iter().enumerate() {
        let left = margin + panel_width * float(number);
        if has_titles {
            plot.text(left, top - 8.0, &panel.title, Anchor::Start, "ink");
        }
        for (at, name) in names.iter().enumerate() {
            let x = left + FIELD * (float(at) + 0.5) + 4.0;
            plot.slanted(x, top + side + 12.0, name, "ink small");
        }
        for edge in 0..=shown.len() {
            let at = FIELD * float(edge);
            plot.line((left, top + at), (left + side, top + at), "grid");
            plot.line((left + at, top), (left + at, top + side), "grid");
        }
        for field in &panel.fields {
            let (Some(a), Some(b)) = (shown.get(field.a), shown.get(field.b)) else { continue };
            let value = field.value.place();
            let class = if value < 0.0 { "less" } else { "two" };
            let what = if has_titles { format!(", {}", panel.title) } else { String::new() };
            let says = format!("{} and {}{what}: {}", short(a, 40), short(b, 40), field.value);
            // Most are near 0: by the square root they are seen.
            let strength = value.abs().sqrt();
            let both = [(field.a, field.b), (field.b, field.a)];
            let both = if field.a == field.b { &both[..1] } else { &both };
            for &(x, y) in both {
                let at = (left + FIELD * float(x) + 1.0, top + FIELD * float(y) + 1.0);
                plot.area(at, (FIELD - 2.0, FIELD - 2.0), (class, strength), &says);
            }
        }
    }
    let more = map.names.len() - shown.len();
    let bottom = top + side + longest * 0.72 + 26.0;
    let told = match more {
        0 => "shaded by the square root".to_owned(),
        more => format!("shaded by the square root; {more} names more are not drawn"),
    };
    plot.text(margin, bottom, &told, Anchor::Start, "ink small");
    let panels = margin + panel_width * float(map.panels.len());
    plot.size(panels.max(width).max(320.0), bottom + 12.0);
}
