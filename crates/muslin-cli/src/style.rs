//! Tables and texts that fit the terminal, and a little bold where the terminal takes it.

use std::io::IsTerminal;

use muslin::printable;

use crate::layout::{self, Column, width_of};

/// How to show things to whoever reads standard output.
pub(crate) struct Style {
    width: u16,
    bold: bool,
}

/// The width where there is no terminal to ask.
const WIDTH: u16 = 100;

impl Style {
    /// By the terminal's width and the `NO_COLOR` rule.
    pub(crate) fn of_stdout() -> Self {
        let terminal = std::io::stdout().is_terminal();
        #[expect(
            clippy::disallowed_methods,
            reason = "the program is where the environment is looked at"
        )]
        let (no_color, columns, term) =
            (std::env::var_os("NO_COLOR"), std::env::var_os("COLUMNS"), std::env::var_os("TERM"));
        let is_plain = no_color.is_some_and(|value| !value.is_empty())
            || term.is_some_and(|value| value == "dumb");
        let asked = columns.and_then(|columns| columns.to_str()?.parse().ok());
        let own = terminal_size::terminal_size().filter(|_| terminal).map(|(width, _)| width.0);
        Self { width: asked.or(own).unwrap_or(WIDTH).clamp(20, 400), bold: terminal && !is_plain }
    }

    /// Marks of the longest bar beside a table of four columns.
    pub(crate) fn bar_width(&self) -> usize {
        usize::from(self.width).saturating_sub(48).clamp(1, 30)
    }

    /// A heading.
    pub(crate) fn heading(&self, text: &str) -> String {
        if self.bold { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A table with a header, or a list where the terminal is too narrow for a table.
    pub(crate) fn table(&self, columns: &[Column<'_>], mut rows: Vec<Vec<String>>) -> String {
        for cell in rows.iter_mut().flatten() {
            if let std::borrow::Cow::Owned(spelled) = printable(cell) {
                *cell = spelled;
            }
        }
        layout::table(columns, &rows, self.width.into(), &|text| self.heading(text))
    }

    /// A text and something to be copied, which is never broken and goes to a line of its own where both
    /// are too long for one.
    pub(crate) fn with_copied(&self, text: &str, copied: &str, indent: usize) -> String {
        let start = self.wrap(text, indent);
        let last = start.lines().last().map_or(0, width_of);
        let is_short = last + 1 + width_of(copied) <= usize::from(self.width);
        let joint = if is_short { " ".into() } else { format!("\n{}", " ".repeat(indent)) };
        format!("{}{joint}{copied}\n", start.trim_end())
    }

    /// Text broken at spaces to the width, later lines indented.
    pub(crate) fn wrap(&self, text: &str, indent: usize) -> String {
        layout::wrap(text, indent, self.width.into())
    }
}

/// A count with thousands set apart by commas.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count of things, such as `1 row` or `2 rows`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Names of columns, one after the other.
pub(crate) fn list(names: &[String]) -> String {
    names.iter().map(|name| printable(name)).collect::<Vec<_>>().join(", ")
}

/// Numbers, one after the other, separated by another sign than their thousands.
pub(crate) fn numbers(all: impl IntoIterator<Item = u64>) -> String {
    all.into_iter().map(count).collect::<Vec<_>>().join("; ")
}

/// A part as a share of the whole.
#[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A share in percent, never rounded to nothing or to all.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p <= 0.0 => "0 %".into(),
        p if p >= 100.0 => "100 %".into(),
        p if p < 0.01 => "< 0.01 %".into(),
        p if p > 99.99 => "> 99.99 %".into(),
        p if (0.1..99.9).contains(&p) => format!("{p:.1} %"),
        p => format!("{p:.2} %"),
    }
}

/// A share that may be above one, in percent.
pub(crate) fn gap_in_percent(share: f64) -> String {
    if share < 1.0 { percent(share) } else { format!("{:.0} %", share * 100.0) }
}

/// A share as a bar of up to `most` marks; any share at all shows one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "between 0 and the width of a terminal"
)]
pub(crate) fn bar(share: f64, most: usize) -> String {
    let marks = (share * most as f64).round() as usize;
    "#".repeat(if share > 0.0 { marks.max(1) } else { 0 })
}

/// A number to four digits, in powers of ten where it is large or small.
pub(crate) fn number(number: f64) -> String {
    match number.abs() {
        0.0 => "0".into(),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number well below 2^53"
        )]
        size if (1e3..1e15).contains(&size) => {
            let sign = if number < 0.0 { "-" } else { "" };
            format!("{sign}{}", count(size.round() as u64))
        }
        size if !(1e-3..1e15).contains(&size) => format!("{number:.3e}"),
        _ if number.fract() == 0.0 => format!("{number:.0}"),
        size if size >= 1.0 => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}

/// A ratio with as many digits as tell it from one.
pub(crate) fn ratio(ratio: f64) -> String {
    let gap = 1.0 - ratio;
    match gap {
        g if g <= 0.0 => "1".into(),
        g if g >= 0.001 => format!("{ratio:.4}"),
        g if g >= 1e-9 => {
            // One digit after the nines.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "at most ten"
            )]
            let digits = (-g.log10()).ceil() as usize + 1;
            format!("{ratio:.digits$}")
        }
        _ => "> 0.999999999".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(999), "999");
        assert_eq!([0, 1, 2_000].map(|n| counted(n, "row")), ["0 rows", "1 row", "2,000 rows"]);
        assert_eq!(numbers([158, 1_316, 1_600]), "158; 1,316; 1,600");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.000_001), "< 0.01 %");
        assert_eq!(percent(0.999_999), "> 99.99 %");
        assert_eq!(percent(0.5), "50.0 %");
        assert_eq!([0.02, 1.0, 2.138].map(gap_in_percent), ["2.0 %", "100 %", "214 %"]);
        assert_eq!(ratio(0.5), "0.5000");
        assert_eq!(number(12.0), "12");
        assert_eq!(number(1.755), "1.75");
        assert_eq!(number(43_930_123.0), "43,930,123");
        assert_eq!(number(-1_234.4), "-1,234");
        assert_eq!(number(0.00505), "0.0050");
        assert_eq!(number(1.2e19), "1.200e19");
        assert_eq!(ratio(1.0), "1");
        assert_eq!(ratio(0.999_95), "0.999950");
    }

    #[test]
    fn long_lines_are_broken() {
        let style = Style { width: 40, bold: false };
        let wrapped = style.wrap(&"word ".repeat(20), 2);
        assert!(wrapped.lines().all(|line| line.len() <= 40), "{wrapped}");
        let text = format!("{} 22.9 % of it", "x".repeat(34));
        assert_eq!(style.wrap(&text, 2), format!("{}\n  22.9 % of it\n", "x".repeat(34)));
        assert_eq!(style.with_copied("To copy:", "'a b'", 2), "To copy: 'a b'\n");
        let copied = "a b ".repeat(20);
        assert_eq!(style.with_copied("To copy:", &copied, 2), format!("To copy:\n  {copied}\n"));
    }
}
