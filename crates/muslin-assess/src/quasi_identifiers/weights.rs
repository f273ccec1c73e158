use std::fmt;
use std::str::FromStr;

use muslin_table::{ColumnId, ColumnSet};

use crate::{Error, Result};

/// What a column costs to learn or is worth to publish, in millionths, so that sums are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(u64);

impl Weight {
    /// One.
    pub const ONE: Self = Self(1_000_000);
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The largest of a single column; a thousand of them still add up.
    const MOST: u64 = 1_000_000_000_000_000;

    /// The weight of so many millionths.
    pub fn of_millionths(millionths: u64) -> Self {
        Self(millionths)
    }

    /// So many millionths.
    pub fn millionths(self) -> u64 {
        self.0
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left without `other`; nothing when that is more.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// For people to read.
    #[expect(clippy::cast_precision_loss, reason = "a figure to read")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl FromStr for Weight {
    type Err = Error;

    /// Reads `3`, `0.25`; up to six decimals.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::Setting(
                "a weight is a number from 0 to a billion with at most six decimals\n  hint: pass one such as 2 or 0.5".into(),
            )
        };
        let (before, after) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if before.len() + after.len() == 0 || after.len() > 6 || !digits(before) || !digits(after) {
            return Err(wrong());
        }
        let parsed = format!("{before}{after:0<6}").parse::<u64>().map_err(|_| wrong())?;
        if parsed <= Self::MOST { Ok(Self(parsed)) } else { Err(wrong()) }
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// The weight of every column of a table; one where nothing else was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights(Vec<Weight>);

impl Weights {
    /// One for every column.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one column's weight.
    pub fn set(&mut self, column: ColumnId, weight: Weight) {
        if self.0.len() <= column.index() {
            self.0.resize(column.index() + 1, Weight::ONE);
        }
        self.0[column.index()] = weight;
    }

    /// One column's weight.
    pub fn of(&self, column: ColumnId) -> Weight {
        self.0.get(column.index()).copied().unwrap_or(Weight::ONE)
    }

    /// The weight of a set.
    pub fn sum(&self, set: &ColumnSet) -> Weight {
        set.iter().fold(Weight::ZERO, |sum, column| sum.plus(self.of(column)))
    }

    /// Whether every column weighs one, so that weight is size.
    pub fn are_equal(&self) -> bool {
        self.0.iter().all(|&weight| weight == Weight::ONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_and_shown_without_rounding() {
        for text in ["0", "1", "0.25", "0.000001", "1000000000"] {
            assert_eq!(text.parse::<Weight>().expect(text).to_string(), text);
        }
        for text in ["", ".", "-1", "1e3", "0.0000001", "1000000001", "nan"] {
            assert!(text.parse::<Weight>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_set_weighs_what_its_columns_do() {
        let mut weights = Weights::new();
        assert!(weights.are_equal());
        weights.set(ColumnId::new(2), "0.5".parse().expect("a weight"));
        let all = ColumnSet::first(4);
        assert_eq!(weights.sum(&all).to_string(), "3.5");
        assert!(!weights.are_equal());
    }
}
