//! The little of SVG that plots need.

use std::fmt::Write as _;

use muslin_table::printable;

/// Height of a line of text.
pub(super) const LINE: f64 = 16.0;
/// About the width of a character.
const CHARACTER: f64 = 6.6;

/// Colours of the parts of a plot: `ground`, `ink` (text), `line` (axes), `one` and `two` (data), `less`
/// (what went down).
const STYLE: &str = "<style>\
text{font:12px system-ui,sans-serif}.title{font-size:15px;font-weight:600}.small{font-size:10px}\
.ground{fill:#ffffff}.ink{fill:#1c2330}.line{stroke:#8b93a1;stroke-width:1}\
.one{fill:#9aa3b2}.two{fill:#2b6cd4}.less{fill:#d9641e}\
@media(prefers-color-scheme:dark){\
.ground{fill:#11151c}.ink{fill:#e4e8ef}.line{stroke:#6a7383}\
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

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"line\"/>"
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

    /// What the two colours of data are.
    pub(super) fn legend(&mut self, x: f64, y: f64, entries: &[(&str, &str)]) {
        let mut x = x;
        for (class, text) in entries {
            self.area((x, y - 9.0), (10.0, 10.0), (class, 1.0), text);
            self.text(x + 15.0, y, text, Anchor::Start, "ink small");
            x += 34.0 + length(text);
        }
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
    fn long_names_are_cut() {
        assert_eq!(short("abcdef", 4), "abc…");
        assert_eq!(short("abcd", 4), "abcd");
    }
}
