//! The little of SVG that plots need.

use std::fmt::Write as _;

use muslin_table::printable;

/// Height of a line of text.
pub(super) const LINE: f64 = 16.0;
/// About the width of a character.
const CHARACTER: f64 = 6.6;

/// Colours of the parts of a plot: `ground`, `ink` (text), `line` (axes), `grid` (paler than any data),
/// `one` and `two` (data), `less` (what went down).
const STYLE: &str = "<style>\
text{font:12px system-ui,sans-serif}.title{font-size:15px;font-weight:600}.small{font-size:10px}\
.ground{fill:#ffffff}.ink{fill:#1c2330}.line{stroke:#8b93a1}.grid{stroke:#e2e6ec}\
.one{fill:#9aa3b2}.two{fill:#2b6cd4}.less{fill:#d9641e}\
@media(prefers-color-scheme:dark){\
.ground{fill:#11151c}.ink{fill:#e4e8ef}.line{stroke:#6a7383}.grid{stroke:#262d39}\
.one{fill:#7d8798}.two{fill:#6ea3f5}.less{fill:#f08a4b}}\
</style>";

/// Where a text is held.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A plot in the making. The ground is drawn when its size is known.
pub(super) struct Plot {
    title: String,
    body: String,
}

impl Plot {
    pub(super) fn new(title: &str) -> Self {
        let mut plot = Self { title: escaped(title), body: String::new() };
        plot.text(12.0, 24.0, title, Anchor::Start, "ink title");
        plot
    }

    pub(super) fn text(&mut self, x: f64, y: f64, text: &str, anchor: Anchor, class: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{text}</text>"
        ));
    }

    /// Text that goes up to the right and ends at a point.
    pub(super) fn slanted(&mut self, x: f64, y: f64, text: &str, class: &str) {
        let text = escaped(text);
        self.push(format_args!(
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-45)\" text-anchor=\"end\" class=\"{class}\">{text}</text>"
        ));
    }

    /// Text that goes up along an axis.
    pub(super) fn upright(&mut self, x: f64, y: f64, text: &str) {
        let text = escaped(text);
        self.push(format_args!(
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" text-anchor=\"middle\" class=\"ink small\">{text}</text>"
        ));
    }

    /// A line of the class `line` or `grid`.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>"
        ));
    }

    /// A box at `(x, y)` of some width and height, with what a pointer over it says.
    pub(super) fn area(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        (class, strength): (&str, f64),
        says: &str,
    ) {
        let (width, height, says) = (width.max(0.0), height.max(0.0), escaped(says));
        let strength = strength.clamp(0.0, 1.0);
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" class=\"{class}\" fill-opacity=\"{strength:.3}\"><title>{says}</title></rect>"
        ));
    }

    /// What the colours of data are; returns where it ends.
    pub(super) fn legend(&mut self, x: f64, y: f64, entries: &[(&str, &str)]) -> f64 {
        let mut x = x;
        for (class, text) in entries {
            self.area((x, y - 9.0), (10.0, 10.0), (class, 1.0), text);
            self.text(x + 15.0, y, text, Anchor::Start, "ink small");
            x += 34.0 + length(text);
        }
        x
    }

    fn push(&mut self, part: std::fmt::Arguments<'_>) {
        // Writing to a text does not fail.
        let _ = self.body.write_fmt(part);
        self.body.push('\n');
    }

    pub(super) fn finish(self, width: f64, height: f64) -> String {
        let Self { title, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n<title>{title}</title>\n{STYLE}\n<rect width=\"100%\" height=\"100%\" class=\"ground\"/>\n{body}</svg>\n"
        )
    }
}

/// About how wide a text is.
pub(super) fn length(text: &str) -> f64 {
    float(text.chars().count()) * CHARACTER
}

/// A name or label that is not too long.
pub(super) fn short(text: &str, most: usize) -> String {
    let text = printable(text);
    if text.chars().count() <= most {
        return text.into_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.1 { "< 0.1 %".into() } else { format!("{percent:.1} %") }
}

/// Where an axis of shares has ticks, and what they say: from zero to the first at or above `most`,
/// which is 0 to 1, in round steps.
pub(super) fn ticks(most: f64) -> Vec<(f64, String)> {
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
pub(super) fn float(count: usize) -> f64 {
    count as f64
}

/// Text between tags, in characters that XML may have.
fn escaped(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => made.push_str("&amp;"),
            '<' => made.push_str("&lt;"),
            '>' => made.push_str("&gt;"),
            '"' => made.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => made.push(' '),
            c => made.push(c),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        let mut plot = Plot::new("a<script>\"x\"&\u{0}\u{1b}");
        plot.area((0.0, 0.0), (1.0, 1.0), ("one", 1.0), "</title><script>");
        let plot = plot.finish(10.0, 10.0);
        assert!(!plot.contains("<script") && plot.contains("a&lt;script&gt;&quot;x&quot;&amp;  "));
        assert_eq!(plot.matches("<title>").count(), plot.matches("</title>").count());
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
    fn long_names_are_cut() {
        assert_eq!(short("abcdef", 4), "abc…");
        assert_eq!(short("abcd", 4), "abcd");
    }
}
