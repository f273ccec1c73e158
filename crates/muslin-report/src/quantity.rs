use std::fmt;

use serde::Serialize;

/// A number of a report, and what it counts: that decides how it is shown, and to whom.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Quantity {
    /// Rows, cells or other things of people: small ones are not for everybody.
    Count(u64),
    /// A part of such things, of all.
    Share {
        /// The part.
        part: u64,
        /// All.
        of: u64,
    },
    /// A share that is no count of people.
    Fraction(f64),
    /// Any other number.
    Number(f64),
    /// Fewer than this many, and at least one.
    Below(u64),
    /// A share in whole percent.
    Percent(u32),
    /// A share of less than this many percent, and more than nothing.
    BelowPercent(u32),
}

impl Quantity {
    /// The number as a place on an axis; shares from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a place in a plot")]
    pub fn place(self) -> f64 {
        match self {
            Self::Count(count) | Self::Below(count) => count as f64,
            Self::Share { part, of } if of > 0 => part as f64 / of as f64,
            Self::Share { .. } => 0.0,
            Self::Fraction(number) | Self::Number(number) => number,
            Self::Percent(percent) | Self::BelowPercent(percent) => f64::from(percent) / 100.0,
        }
    }

    /// Whether it is shown in percent.
    pub(crate) fn is_share(self) -> bool {
        !matches!(self, Self::Count(_) | Self::Below(_) | Self::Number(_))
    }

    /// So many things, such as `1 row` or `2 rows`.
    pub fn of(self, thing: &str) -> String {
        let one = matches!(self, Self::Count(1));
        format!("{self} {thing}{}", if one { "" } else { "s" })
    }

    /// What may be told of `rows` people where counts below `k` are not: small counts as `<k`; shares in
    /// whole percent, or coarser, so that one step is at least `k` people; other numbers by two digits.
    #[must_use]
    pub fn rounded(self, k: u64, rows: u64) -> Self {
        match self {
            Self::Count(count) if (1..k).contains(&count) => Self::Below(k),
            Self::Share { part, of } => {
                let step = step(k, of);
                if (1..k).contains(&part) {
                    return Self::BelowPercent(step.min(100));
                }
                if part < of && of - part < k {
                    return Self::Percent(100);
                }
                match whole_percent(part, of) {
                    percent if percent < step && part > 0 => Self::BelowPercent(step.min(100)),
                    percent => Self::Percent(((percent + step / 2) / step * step).min(100)),
                }
            }
            Self::Fraction(share) if share > 0.0 && share.is_finite() => {
                let step = f64::from(step(k, rows));
                let percent = share * 100.0;
                let steps = (percent / step).round();
                if percent < step {
                    Self::BelowPercent(to_percent(step).min(100))
                } else {
                    Self::Percent(to_percent(steps * step))
                }
            }
            Self::Number(number) if number.is_finite() && number != 0.0 => {
                let scale = 10f64.powf(1.0 - number.abs().log10().floor());
                Self::Number((number * scale).round() / scale)
            }
            other => other,
        }
    }
}

/// The percent that at least `k` of some people are.
fn step(k: u64, of: u64) -> u32 {
    let percent = (u128::from(k) * 100).div_ceil(u128::from(of.max(1)));
    u32::try_from(percent.clamp(1, 100)).unwrap_or(100)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn to_percent(percent: f64) -> u32 {
    percent as u32
}

/// A share in whole percent, halves up.
fn whole_percent(part: u64, of: u64) -> u32 {
    let of = u128::from(of.max(1));
    u32::try_from((u128::from(part) * 200 + of) / (2 * of)).unwrap_or(u32::MAX)
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Count(count) => f.write_str(&grouped(count)),
            Self::Below(k) => write!(f, "<{k}"),
            Self::Percent(percent) => write!(f, "{percent} %"),
            Self::BelowPercent(percent) => write!(f, "<{percent} %"),
            // So near to all that rounding would say so falsely.
            Self::Share { .. } | Self::Fraction(_) if (0.9999..1.0).contains(&self.place()) => {
                f.write_str(">99.99 %")
            }
            Self::Share { .. } | Self::Fraction(_) => {
                write!(f, "{} %", digits(self.place() * 100.0))
            }
            Self::Number(number) => f.write_str(&digits(number)),
        }
    }
}

/// A count with a comma between thousands.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with as many digits as people read: three that count, and none for nothing.
fn digits(number: f64) -> String {
    let size = number.abs();
    if !number.is_finite() {
        return "-".into();
    }
    // The same: one digit would not do.
    if size > 99.9 && size < 100.0 {
        return format!("{number:.2}");
    }
    match size {
        0.0 => "0".into(),
        ..0.001 => format!("{number:.0e}"),
        ..0.1 => trimmed(&format!("{number:.3}")),
        ..1.0 => trimmed(&format!("{number:.2}")),
        ..100.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

fn trimmed(text: &str) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let said = |quantity: Quantity| quantity.to_string();
        assert_eq!(said(Quantity::Count(0)), "0");
        assert_eq!(said(Quantity::Count(999)), "999");
        assert_eq!(said(Quantity::Count(1_234_567)), "1,234,567");
        assert_eq!(said(Quantity::Share { part: 1, of: 8 }), "12.5 %");
        assert_eq!(said(Quantity::Share { part: 0, of: 0 }), "0 %");
        assert_eq!(said(Quantity::Share { part: 9_998, of: 10_000 }), "99.98 %");
        assert_eq!(said(Quantity::Share { part: 999_999, of: 1_000_000 }), ">99.99 %");
        assert_eq!(said(Quantity::Share { part: 1, of: 1 }), "100 %");
        assert_eq!(said(Quantity::Fraction(0.000_01)), "0.001 %");
        assert_eq!(said(Quantity::Number(0.000_4)), "4e-4");
        assert_eq!(said(Quantity::Number(f64::NAN)), "-");
    }

    #[test]
    fn small_counts_are_not_told_to_everybody() {
        let told = |quantity: Quantity| quantity.rounded(5, 1_000).to_string();
        assert_eq!(told(Quantity::Count(0)), "0");
        assert_eq!(told(Quantity::Count(4)), "<5");
        assert_eq!(told(Quantity::Count(5)), "5");
        assert_eq!(told(Quantity::Share { part: 0, of: 100 }), "0 %");
        assert_eq!(told(Quantity::Share { part: 3, of: 100 }), "<5 %");
        assert_eq!(told(Quantity::Share { part: 3, of: 100_000 }), "<1 %");
        assert_eq!(told(Quantity::Share { part: 12, of: 100_000 }), "<1 %");
        assert_eq!(told(Quantity::Share { part: 97, of: 100 }), "100 %");
        assert_eq!(told(Quantity::Share { part: 1, of: 8 }), "<63 %");
        assert_eq!(told(Quantity::Share { part: 1, of: 2 }), "<100 %");
        assert_eq!(told(Quantity::Share { part: 255, of: 1_000 }), "26 %");
        // Eleven and thirteen of fifty are not told apart.
        assert_eq!(told(Quantity::Share { part: 11, of: 50 }), "20 %");
        assert_eq!(told(Quantity::Share { part: 13, of: 50 }), "30 %");
        assert_eq!(told(Quantity::Fraction(0.123)), "12 %");
        assert_eq!(told(Quantity::Fraction(0.003)), "<1 %");
        assert_eq!(told(Quantity::Fraction(0.0)), "0 %");
        assert_eq!(told(Quantity::Fraction(21.43)), "2143 %");
        assert_eq!(told(Quantity::Number(0.003_115_26)), "0.003");
        assert_eq!(Quantity::Number(-0.031_15).rounded(5, 9), Quantity::Number(-0.031));
    }
}
