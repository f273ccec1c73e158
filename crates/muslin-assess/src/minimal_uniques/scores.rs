//! Scores of rows by the sizes of their minimal uniques.

use serde::{Deserialize, Serialize};

/// How a row's minimal uniques make its SUDA score. `columns` is the number of columns looked at,
/// `size` that of a minimal unique.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// Elliot and others (2005): the product of `columns - i` for `i` from `size` to the largest
    /// size looked for, which is `(columns - size)!` when all sizes are.
    #[default]
    Original,
    /// sdcMicro with `original_scores = TRUE`: always `(columns - size)!`.
    Sdcmicro,
    /// sdcMicro with `original_scores = FALSE`, once the IHSN's program:
    /// `(2^(columns - size) - 1) * size! * (columns - size)! / columns!`.
    Ihsn,
}

impl Score {
    /// Every variant, in the order in which help texts list them.
    pub const ALL: [Self; 3] = [Self::Original, Self::Sdcmicro, Self::Ihsn];

    /// The variant's name, as flags spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Sdcmicro => "sdcmicro",
            Self::Ihsn => "ihsn",
        }
    }

    /// What minimal uniques of each size from 0 to `most` add, and the power of ten that these
    /// numbers were divided by to fit: zero up to some 170 columns.
    pub(super) fn weights(self, columns: usize, most: usize) -> (Vec<f64>, i32) {
        // A table without columns has no minimal uniques, but a place for their scores.
        let columns = columns.max(most);
        let log = |size: usize| self.log10(columns, most, size);
        let largest = (1..=most).map(log).fold(f64::NEG_INFINITY, f64::max);
        if largest < MOST_DIGITS {
            let weight = |size| if size == 0 { 0.0 } else { self.weight(columns, most, size) };
            return ((0..=most).map(weight).collect(), 0);
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most some thousands")]
        let scale = (largest - MOST_DIGITS).ceil() as i32;
        let weight = |size| if size == 0 { 0.0 } else { 10f64.powf(log(size) - f64::from(scale)) };
        ((0..=most).map(weight).collect(), scale)
    }

    /// Exact as far as whole numbers of 53 bits go.
    fn weight(self, columns: usize, most: usize, size: usize) -> f64 {
        match self {
            Self::Original => product(size, most.min(columns.saturating_sub(1)), |i| columns - i),
            Self::Sdcmicro => product(1, columns - size, |i| i),
            Self::Ihsn => {
                // 1 / (columns over size), term by term, so that nothing overflows.
                let share: f64 = (1..=size).map(|i| real(i) / real(columns - size + i)).product();
                (2f64.powi(i32::try_from(columns - size).unwrap_or(i32::MAX)) - 1.0) * share
            }
        }
    }

    fn log10(self, columns: usize, most: usize, size: usize) -> f64 {
        let sum = |from: usize, to: usize, term: &dyn Fn(usize) -> usize| -> f64 {
            (from..=to).map(|i| real(term(i)).log10()).sum()
        };
        match self {
            Self::Original => sum(size, most.min(columns.saturating_sub(1)), &|i| columns - i),
            Self::Sdcmicro => sum(1, columns - size, &|i| i),
            Self::Ihsn => {
                let powers = real(columns - size) * 2f64.log10();
                powers + sum(1, size, &|i| i) - sum(columns - size + 1, columns, &|i| i)
            }
        }
    }
}

/// The score of a row with so many minimal uniques of each size.
#[expect(clippy::cast_precision_loss, reason = "a score is a rounded number")]
pub(super) fn score_of(by_size: &[u64], weights: &[f64]) -> f64 {
    by_size.iter().zip(weights).map(|(&count, weight)| count as f64 * weight).sum()
}

/// Larger scores are divided by a power of ten: room is left for sums and powers.
const MOST_DIGITS: f64 = 290.0;

fn product(from: usize, to: usize, term: impl Fn(usize) -> usize) -> f64 {
    (from..=to).map(|i| real(term(i))).product()
}

#[expect(clippy::cast_precision_loss, reason = "numbers of columns are small")]
fn real(number: usize) -> f64 {
    number as f64
}

/// How likely a match with a row is a correct one, from the rows' scores.
///
/// Rows equal each other by the rule for missing cells that minimal uniques were found by: where a missing
/// cell matches anything, so does it here.
///
/// The file's own figure is Skinner and Elliot's: `theta = U f / (U f + P (1 - f))` for `U` rows
/// that no other equals, `P` rows in pairs of equals and the fraction `f` of the population in the
/// table. Rows share it by their scores, as the SUDA user guide (Elliot, 2004) and sdcMicro do: with
/// `Q = 1 + (8 - columns) / 20` and `A` the sum of all `S^-Q`, a row of score `S` gets
/// `1 / (1 + P (1 - f) / (f A S^Q))`; where `U` cancels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dis {
    /// `f`: the part of the population that is in the table.
    pub fraction: f64,
    /// Rows that no other row matches.
    pub alone: u64,
    /// Rows that exactly one other row matches.
    pub paired: u64,
    /// `theta` for the whole file; none when there is neither.
    pub theta: Option<f64>,
    exponent: f64,
    /// The logarithm of `A`.
    log_sum: f64,
}

impl Dis {
    /// From the rows' scores, each with the number of rows that have it, in order.
    #[expect(clippy::cast_precision_loss, reason = "counts of rows in a formula of real numbers")]
    pub(super) fn new(
        fraction: f64,
        columns: usize,
        alone: u64,
        paired: u64,
        scores: impl Iterator<Item = (f64, u64)> + Clone,
    ) -> Self {
        let exponent = 1.0 + (8.0 - real(columns)) / 20.0;
        let positive = scores.filter(|&(score, _)| score > 0.0);
        // By logarithms: powers of scores of wide tables are beyond what a number holds.
        let logs = positive.map(|(score, rows)| (-exponent * score.ln(), rows));
        let most = logs.clone().map(|(log, _)| log).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.map(|(log, rows)| rows as f64 * (log - most).exp()).sum();
        let log_sum = most + sum.ln();
        let (known, unknown) = (alone as f64 * fraction, paired as f64 * (1.0 - fraction));
        let theta = (known + unknown > 0.0).then(|| known / (known + unknown));
        Self { fraction, alone, paired, theta, exponent, log_sum }
    }

    /// A row's share.
    #[expect(clippy::cast_precision_loss, reason = "counts of rows in a formula of real numbers")]
    pub(super) fn of(&self, score: f64) -> f64 {
        if score <= 0.0 {
            return 0.0;
        }
        let odds = self.paired as f64 * (1.0 - self.fraction) / self.fraction;
        if odds <= 0.0 {
            return 1.0;
        }
        1.0 / (1.0 + (odds.ln() - self.exponent * score.ln() - self.log_sum).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_agree_where_all_sizes_are_looked_for() {
        let (original, scale) = Score::Original.weights(5, 5);
        assert_eq!(original, [0.0, 24.0, 6.0, 2.0, 1.0, 1.0]);
        assert_eq!(scale, 0);
        assert_eq!(Score::Sdcmicro.weights(5, 5).0, original);
        // A bound on the size ends the original's product early.
        assert_eq!(Score::Original.weights(5, 2).0, [0.0, 12.0, 3.0]);
        assert_eq!(Score::Sdcmicro.weights(5, 2).0, [0.0, 24.0, 6.0]);
    }

    #[test]
    fn the_ihsn_variant_is_a_share_of_column_sets() {
        // Four columns, size 2: 3 of the sets above it, over the 6 sets of its size.
        let (weights, _) = Score::Ihsn.weights(4, 4);
        assert!((weights[2] - 0.5).abs() < 1e-12 && weights[4].abs() < 1e-12, "{weights:?}");
    }

    #[test]
    fn dis_of_very_different_scores_is_a_number() {
        for columns in [5, 28, 100, 1_000] {
            let scores = [9.3e155, 2.0, 1e-300, 0.0, 9.3e155];
            let dis = Dis::new(0.01, columns, 3, 2, scores.iter().map(|&score| (score, 1)));
            let of: Vec<f64> = scores.iter().map(|&score| dis.of(score)).collect();
            assert!(of.iter().all(|dis| (0.0..=1.0).contains(dis)), "{columns}: {of:?}");
        }
    }

    #[test]
    fn wide_tables_are_scaled() {
        let (weights, scale) = Score::Original.weights(1_000, 6);
        assert!(weights[1..].iter().all(|weight| weight.is_finite() && *weight > 0.0));
        assert_eq!(scale, 0);
        let (weights, scale) = Score::Original.weights(1_000, 1_000);
        assert!(weights.iter().all(|weight| weight.is_finite()) && scale > 2_000);
        assert!(weights[1] > weights[2]);
    }
}
