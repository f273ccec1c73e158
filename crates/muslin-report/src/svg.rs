//! The little of SVG that plots need.

use maud::{Markup, PreEscaped, html};
use muslin_table::printable;

/// Height of a line of text.
pub(crate) const LINE: f64 = 16.0;
/// Where drawing begins.
pub(crate) const TOP: f64 = 12.0;
/// About the width of a character.
const CHARACTER: f64 = 6.6;

/// Colours of the parts of a plot: `ground`, `ink` (text), `line` (axes), `grid` (paler than any data),
/// `one` to `three` (data), `less` (what went down). Pages have the same names.
const STYLE: &str = include_str!("plot.css");

/// Where a text is held.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A plot in the making. The ground is drawn when its size is known.
pub(crate) struct Plot {
    id: String,
    title: String,
    says: String,
    parts: Vec<Markup>,
    size: (f64, f64),
}

impl Plot {
    /// A plot of this title; `says` is for those who do not see it.
    pub(crate) fn new(id: &str, title: &str, says: &str) -> Self {
        let (id, title, says) = (id.to_owned(), clean(title), clean(says));
        Self { id, title, says, parts: Vec::new(), size: (0.0, 0.0) }
    }

    /// How large it is.
    pub(crate) fn size(&mut self, width: f64, height: f64) {
        self.size = (width, height);
    }

    pub(crate) fn text(&mut self, x: f64, y: f64, text: &str, anchor: Anchor, class: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.parts.push(html! {
            text x=(at(x)) y=(at(y)) text-anchor=(anchor) class=(class) { (clean(text)) }
        });
    }

    /// Text that goes up to the right and ends at a point.
    pub(crate) fn slanted(&mut self, x: f64, y: f64, text: &str, class: &str) {
        let place = format!("translate({x:.1} {y:.1}) rotate(-45)");
        self.parts.push(html! {
            text transform=(place) text-anchor="end" class=(class) { (clean(text)) }
        });
    }

    /// Text that goes up along an axis.
    pub(crate) fn upright(&mut self, x: f64, y: f64, text: &str) {
        let place = format!("translate({x:.1} {y:.1}) rotate(-90)");
        self.parts.push(html! {
            text transform=(place) text-anchor="middle" class="ink small" { (clean(text)) }
        });
    }

    /// A line of the class `line` or `grid`.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.parts.push(html! {
            line x1=(at(from.0)) y1=(at(from.1)) x2=(at(to.0)) y2=(at(to.1)) class=(class) {}
        });
    }

    /// A line through points, in the colour of a class of data.
    pub(crate) fn path(&mut self, points: &[(f64, f64)], class: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.parts.push(html! { polyline points=(points.join(" ")) class={ "path " (class) } {} });
    }

    /// A point, with what a pointer over it says.
    pub(crate) fn dot(
        &mut self,
        (x, y): (f64, f64),
        radius: f64,
        (class, strength): (&str, f64),
        says: &str,
    ) {
        self.parts.push(html! {
            circle cx=(at(x)) cy=(at(y)) r=(at(radius)) class=(class) fill-opacity=(faint(strength)) {
                title { (clean(says)) }
            }
        });
    }

    /// A box at `(x, y)` of some width and height, with what a pointer over it says.
    pub(crate) fn area(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        (class, strength): (&str, f64),
        says: &str,
    ) {
        let (width, height) = (at(width.max(0.0)), at(height.max(0.0)));
        self.parts.push(html! {
            rect x=(at(x)) y=(at(y)) width=(width) height=(height) class=(class)
                fill-opacity=(faint(strength)) { title { (clean(says)) } }
        });
    }

    /// What the colours of data are; returns where it ends.
    pub(crate) fn legend(&mut self, x: f64, y: f64, entries: &[(&str, &str)]) -> f64 {
        let mut x = x;
        for (class, text) in entries {
            self.area((x, y - 9.0), (10.0, 10.0), (class, 1.0), text);
            self.text(x + 15.0, y, text, Anchor::Start, "ink small");
            x += 34.0 + length(text);
        }
        x
    }

    /// The plot: a file of its own has a title, a ground and its colours.
    pub(crate) fn finish(self, is_file: bool) -> String {
        let Self { id, title, says, parts, size: (width, height) } = self;
        let above = if is_file { 34.0 } else { 0.0 };
        let width = if is_file { width.max(length(&title) * 1.25 + 30.0) } else { width };
        let view = format!("0 0 {width:.0} {:.0}", height + above);
        let (title_id, says_id) = (format!("{id}-title"), format!("{id}-says"));
        let svg = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox=(view)
                width=(format!("{width:.0}")) height=(format!("{:.0}", height + above))
                role="img" aria-labelledby={ (title_id) " " (says_id) } {
                title id=(title_id) { (title) }
                desc id=(says_id) { (says) }
                @if is_file {
                    style { (PreEscaped(STYLE)) }
                    rect width="100%" height="100%" class="ground" {}
                    text x="12" y="24" class="ink title" { (title) }
                }
                g transform={ "translate(0 " (at(above)) ")" } {
                    @for part in &parts { (part) "\n" }
                }
            }
        };
        svg.into_string() + "\n"
    }
}

/// A place with a tenth of a unit.
fn at(place: f64) -> String {
    format!("{place:.1}")
}

fn faint(strength: f64) -> String {
    format!("{:.3}", strength.clamp(0.0, 1.0))
}

/// About how wide a text is.
pub(crate) fn length(text: &str) -> f64 {
    float(text.chars().count()) * CHARACTER
}

/// A name or label that is not too long.
pub(crate) fn short(text: &str, most: usize) -> String {
    let text = printable(text);
    if text.chars().count() <= most {
        return text.into_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// Where an axis of shares has ticks, and what they say: from zero to the first at or above `most`,
/// which is 0 to 1, in round steps.
pub(crate) fn ticks(most: f64) -> Vec<(f64, String)> {
    let most = if most > 0.0 { most * 100.0 } else { 100.0 };
    let mut step: f64 = 1e-6;
    let mut decimals = 6i32;
    // At most five steps of 1, 2 or 5 times a power of ten.
    let factors = [1.0, 2.0, 5.0];
    let mut at = 0;
    while step * factors[at] * 5.0 < most * (1.0 - 1e-9) {
        at += 1;
        if at == factors.len() {
            (at, step, decimals) = (0, step * 10.0, decimals - 1);
        }
    }
    let step = step * factors[at];
    let decimals = usize::try_from(decimals).unwrap_or(0);
    let mut ticks = vec![(0.0, "0 %".to_owned())];
    for number in 1..=5u32 {
        let before = step * f64::from(number - 1);
        if before < most * (1.0 - 1e-9) {
            let share = step * f64::from(number);
            ticks.push((share / 100.0, format!("{share:.decimals$} %")));
        }
    }
    ticks
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "a place in a plot")]
pub(crate) fn float(count: usize) -> f64 {
    count as f64
}

/// Text in characters that XML may have; the template escapes the rest.
fn clean(text: &str) -> String {
    let is_bad = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if is_bad(c) { ' ' } else { c }).collect()
}

/// Where an axis has ticks, and what they say: shares in percent, or counts.
pub(crate) fn axis_ticks(most: f64, is_share: bool) -> Vec<(f64, String)> {
    if is_share {
        return ticks(most.min(1.0));
    }
    let most = if most > 0.0 && most.is_finite() { most } else { 1.0 };
    // Powers of ten, and round parts of them, are ticks of shares.
    let power = 10f64.powf(most.log10().ceil());
    let number = |share: f64| {
        let value = share * power;
        let text = if power <= 10.0 { trimmed(value) } else { compact(value) };
        (value, text)
    };
    ticks(most / power).into_iter().map(|(share, _)| number(share)).collect()
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A count in few characters.
fn compact(value: f64) -> String {
    match value {
        1e9.. => trimmed(value / 1e9) + "G",
        1e6.. => trimmed(value / 1e6) + "M",
        1e4.. => trimmed(value / 1e3) + "k",
        _ => trimmed(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        let mut plot = Plot::new("a", "a<script>\"x\"&\u{0}\u{1b}", "says");
        plot.area((0.0, 0.0), (1.0, 1.0), ("one", 1.0), "</title><script>");
        plot.size(10.0, 10.0);
        let plot = plot.finish(true);
        assert!(!plot.contains("<script") && plot.contains("a&lt;script&gt;&quot;x&quot;&amp;  "));
        assert_eq!(plot.matches("<title").count(), plot.matches("</title>").count());
    }

    #[test]
    fn ticks_are_round() {
        let said =
            |most: f64| -> Vec<String> { ticks(most).into_iter().map(|own| own.1).collect() };
        assert_eq!(said(0.15), ["0 %", "5 %", "10 %", "15 %"]);
        assert_eq!(said(0.151), ["0 %", "5 %", "10 %", "15 %", "20 %"]);
        assert_eq!(said(0.012), ["0 %", "0.5 %", "1.0 %", "1.5 %"]);
        assert_eq!(said(0.0), ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]);
        assert_eq!(said(1.0), said(0.0));
        for most in (1..=1_000).map(|part| f64::from(part) / 1_000.0) {
            let ticks = ticks(most);
            assert!((3..=6).contains(&ticks.len()), "{most}");
            assert!(ticks.last().is_some_and(|last| last.0 > most * 0.999_999), "{most}");
            for (share, said) in ticks {
                let said: f64 = said.trim_end_matches(" %").parse().expect("a number");
                assert!((said - share * 100.0).abs() < 1e-9, "{most}: {said}");
            }
        }
    }

    #[test]
    fn ticks_of_counts_are_round() {
        let said = |most: f64| -> Vec<String> {
            axis_ticks(most, false).into_iter().map(|own| own.1).collect()
        };
        assert_eq!(said(7.0), ["0", "2", "4", "6", "8"]);
        assert_eq!(said(48_842.0), ["0", "10k", "20k", "30k", "40k", "50k"]);
        assert_eq!(said(0.0), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(said(f64::NAN).len(), 6);
        assert_eq!(said(1_000_000.0), ["0", "200k", "400k", "600k", "800k", "1M"]);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(short("abcdef", 4), "abc…");
        assert_eq!(short("abcd", 4), "abcd");
    }
}
