use std::fmt;

use muslin_table::{ClassSizes, Ratio};
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// How well a column set tells rows apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// Classes, of all rows.
    Distinct,
    /// Row pairs told apart, of all pairs.
    Separation,
}

impl Measure {
    /// Every measure, in the order in which help texts list them.
    pub const ALL: [Self; 2] = [Self::Distinct, Self::Separation];

    /// The measure's name, as flags spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Distinct => "distinct",
            Self::Separation => "separation",
        }
    }

    /// The ratio of some classes; none where rows do not fall into classes and those are counted.
    pub fn ratio(self, sizes: &ClassSizes) -> Option<Ratio> {
        match self {
            Self::Distinct => sizes.distinct_ratio(),
            Self::Separation => Some(sizes.separation_ratio()),
        }
    }
}

/// A ratio to reach, or not to exceed.
///
/// A column set is a *quasi-identifier* of the target when its ratio is at least beta; of a target
/// of one it is a *key*, whatever the measure. A published set is *allowed* while its ratio is not
/// greater than beta. Both are decided in whole numbers.
///
/// ```
/// use muslin_assess::{Measure, Target};
/// use muslin_table::{ClassSizes, MissingRule};
/// // Motwani and Xu, Table 1, by age: 8 of 10 pairs are told apart.
/// let by_age = ClassSizes::from_sizes([2, 1, 2], MissingRule::Category);
/// let target: Target = Target::new(Measure::Separation, "0.8".parse()?);
/// assert!(target.is_reached(&by_age) && !target.is_exceeded(&by_age));
/// # Ok::<(), muslin_assess::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    measure: Measure,
    beta: Beta,
}

impl Target {
    /// This much of this measure.
    pub fn new(measure: Measure, beta: Beta) -> Self {
        Self { measure, beta }
    }

    /// Every pair of rows is told apart.
    pub fn key() -> Self {
        Self { measure: Measure::Separation, beta: Beta::ONE }
    }

    /// What is measured.
    pub fn measure(self) -> Measure {
        self.measure
    }

    /// How much of it.
    pub fn beta(self) -> Beta {
        self.beta
    }

    /// Whether only a key reaches it.
    pub fn is_key(self) -> bool {
        self.beta == Beta::ONE
    }

    /// Whether the ratio of some classes is at least beta. Where rows do not fall into classes
    /// the distinct ratio does not exist and is never reached.
    pub fn is_reached(self, sizes: &ClassSizes) -> bool {
        self.measure.ratio(sizes).is_some_and(|ratio| ratio >= self.beta.ratio())
    }

    /// Whether the ratio of some classes is greater than beta.
    pub fn is_exceeded(self, sizes: &ClassSizes) -> bool {
        self.measure.ratio(sizes).is_none_or(|ratio| ratio > self.beta.ratio())
    }

    /// The most pairs of `rows` rows that a set which reaches the target leaves together:
    /// floor((1 - beta) * pairs). Only for [`Measure::Separation`].
    pub fn most_unseparated(self, rows: u64) -> u128 {
        let rows = u128::from(rows);
        let pairs = rows * rows.saturating_sub(1) / 2;
        let Beta { part, whole } = self.beta;
        mul_div(pairs, whole - part, whole)
    }

    /// The most rows of `rows` that may be left over when each class of a set which reaches the
    /// target keeps one: rows - ceil(beta * rows). Only for [`Measure::Distinct`].
    pub fn most_repeated(self, rows: u64) -> u64 {
        let Beta { part, whole } = self.beta;
        u64::try_from(mul_div(u128::from(rows), whole - part, whole))
            .expect("no more than the rows")
    }
}

/// floor(a * part / whole), where part is at most whole and whole below 2^63.
fn mul_div(a: u128, part: u64, whole: u64) -> u128 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    a / whole * part + a % whole * part / whole
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_key() {
            f.write_str("key")
        } else {
            write!(f, "{}-{}", self.beta, self.measure.name())
        }
    }
}

/// A share from nought to one, as a decimal fraction without rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beta {
    part: u64,
    whole: u64,
}

impl Beta {
    /// All of it.
    pub const ONE: Self = Self { part: 1, whole: 1 };

    /// The share as a fraction.
    pub fn ratio(self) -> Ratio {
        Ratio::new(self.part.into(), self.whole.into())
    }

    /// What is left to the whole.
    #[must_use]
    pub fn rest(self) -> Self {
        Self { part: self.whole - self.part, whole: self.whole }.reduced()
    }

    /// The nearest floating-point number.
    pub fn as_f64(self) -> f64 {
        self.ratio().as_f64()
    }

    /// With as few decimals as it takes, so that equal shares are equal.
    fn reduced(mut self) -> Self {
        while self.whole > 1 && self.part.is_multiple_of(10) {
            self.part /= 10;
            self.whole /= 10;
        }
        self
    }
}

impl std::str::FromStr for Beta {
    type Err = Error;

    /// Reads `0.999`, `1`, `.5`; up to 18 decimals, all of them counting.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::Setting(
                "a share is a decimal number from 0 to 1 with at most 18 decimals\n  hint: pass one such as 0.95".into(),
            )
        };
        let (before, after) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if before.len() + after.len() == 0 || !digits(before) || !digits(after) {
            return Err(wrong());
        }
        let after = after.trim_end_matches('0');
        let (decimals, before) = (u32::try_from(after.len()).ok(), before.trim_start_matches('0'));
        let decimals = decimals.filter(|&decimals| decimals <= 18).ok_or_else(wrong)?;
        let whole = 10u64.pow(decimals);
        let parse = |text: &str| if text.is_empty() { Ok(0) } else { text.parse::<u64>() };
        let (before, after) =
            (parse(before).map_err(|_| wrong())?, parse(after).map_err(|_| wrong())?);
        match (before, after) {
            (0, part) => Ok(Self { part, whole }.reduced()),
            (1, 0) => Ok(Self::ONE),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Beta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ONE {
            return f.write_str("1");
        }
        let decimals = self.whole.ilog10() as usize;
        if decimals == 0 { f.write_str("0") } else { write!(f, "0.{:0decimals$}", self.part) }
    }
}

#[cfg(test)]
mod tests {
    use muslin_table::MissingRule;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shares_are_read_and_shown_without_rounding() {
        for text in ["0", "1", "0.5", "0.999", "0.999999999999999999", "0.000000000000000001"] {
            let beta: Beta = text.parse().expect(text);
            assert_eq!(beta.to_string(), text);
        }
        let same = |a: &str, b: &str| assert_eq!(a.parse::<Beta>().ok(), b.parse::<Beta>().ok());
        same("1.000", "1");
        same(".50", "0.5");
        same("00.5", "0.5");
        for text in ["", ".", "-0.1", "1.1", "2", "0.5e1", "nan", "0,5", "0.1234567890123456789"] {
            assert!(text.parse::<Beta>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whole_numbers_decide_as_fractions_do(
            sizes in prop::collection::vec(1u64..40, 0..12), part in 0u64..=1_000, decimals in 3u32..=18
        ) {
            let whole = 10u64.pow(decimals);
            let beta = Beta { part: part * (whole / 1_000), whole }.reduced();
            let rows: u64 = sizes.iter().sum();
            let sizes = ClassSizes::from_sizes(sizes, MissingRule::Category);
            let separation = Target::new(Measure::Separation, beta);
            prop_assert_eq!(
                separation.is_reached(&sizes),
                sizes.unseparated_pairs() <= separation.most_unseparated(rows) || rows < 2
            );
            let distinct = Target::new(Measure::Distinct, beta);
            let repeated = rows - sizes.classes().unwrap_or(0);
            prop_assert_eq!(
                distinct.is_reached(&sizes),
                repeated <= distinct.most_repeated(rows)
            );
        }
    }
}
