//! How well one column set tells rows apart: exactly, or as far as a sample says.
//!
//! # Method of the estimates
//! Let n be the rows, r the sampled ones, q the share of pairs that the set leaves together in the
//! table and u the same share in the sample, which is unbiased for q.
//!
//! *Separation.* For rows drawn independently, u is the average, over all orders of the rows, of
//! means of h = floor(r / 2) independent terms, so that by Hoeffding (1963, section 5)
//! P(u - q >= t) <= exp(-h KL(q + t, q)), KL being the relative entropy of two coins. Ours are drawn
//! without replacement. An independent draw can be made of such a sample: decide at random
//! which draws repeat which, and give the distinct ones the rows in random order. Let v be the
//! share of that draw, two draws of the same row counting as q. Given the sample, v is q / n +
//! (1 - 1/n) u on average, since two draws are the same row with probability 1/n. Exponentials are
//! convex, so those of (1 - 1/n)(u - q) are no larger on average than those of v - q, and the bound
//! holds with t shrunk by 1 - 1/n. The interval is all q that the bound does not rule out. It is
//! found by bisection: the exponent is convex in q and nought at u.
//!
//! *Classes.* From below: the sample's classes are classes of the table; and n rows whose classes
//! have sizes s make at least n^2 / sum(s^2) of them (Cauchy and Schwarz), which is
//! n / (1 + q (n - 1)). From above (the argument of MX07, Lemma 10): take one row of each class.
//! The sample has no more of those than it has classes, d. Their number is hypergeometric, and
//! P(number <= d) <= exp(-r KL(d / r, classes / n)) (Hoeffding, section 6). Also, the rows of the
//! sample that repeat another are no first of a class.
//!
//! There is no good guess of the number of classes from few rows (Charikar, Chaudhuri, Motwani and
//! Narasayya, 2000), so none is made.

use muslin_engine::{Engine, MemoryEngine, Run};
use muslin_table::{ClassSizes, ColumnSet, EncodedTable, MissingRule, Ratio};

use crate::{Error, Result};

/// How well one column set tells rows apart, counted over all rows.
///
/// # Example
/// ```
/// use muslin_assess::SetRatios;
/// use muslin_engine::{MemoryEngine, Run};
/// use muslin_table::{ColumnSet, EncodedTable, MissingRule, Ratio};
/// let (table, run) = (EncodedTable::of(&[[20, 1], [30, 1], [40, 1], [20, 2], [40, 2]]), Run::new());
/// let engine = MemoryEngine::new(&table, &run);
/// let by_first = SetRatios::of(&engine, &ColumnSet::first(1), MissingRule::Category)?;
/// assert_eq!(by_first.distinct(), Some(Ratio::new(3, 5)));
/// assert_eq!(by_first.separation(), Ratio::new(8, 10));
/// # Ok::<(), muslin_assess::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetRatios {
    set: ColumnSet,
    rows: u64,
    classes: Option<u64>,
    unseparated: u128,
    distinct: Option<Ratio>,
    separation: Ratio,
    alone: u64,
    smallest: Option<u64>,
    largest: Option<u64>,
}

impl SetRatios {
    /// Asks for the class sizes of `set`.
    pub fn of(engine: &dyn Engine, set: &ColumnSet, missing: MissingRule) -> Result<Self> {
        Ok(Self::from_sizes(set.clone(), &engine.class_sizes(set, missing)?))
    }

    /// From class sizes that are known already.
    pub fn from_sizes(set: ColumnSet, sizes: &ClassSizes) -> Self {
        Self {
            set,
            rows: sizes.rows(),
            classes: sizes.classes(),
            unseparated: sizes.unseparated_pairs(),
            distinct: sizes.distinct_ratio(),
            separation: sizes.separation_ratio(),
            alone: sizes.rows_below(2),
            smallest: sizes.smallest(),
            largest: sizes.largest(),
        }
    }

    /// The columns.
    pub fn set(&self) -> &ColumnSet {
        &self.set
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of classes, where rows fall into classes.
    pub fn classes(&self) -> Option<u64> {
        self.classes
    }

    /// Pairs of rows that the columns do not tell apart.
    pub fn unseparated_pairs(&self) -> u128 {
        self.unseparated
    }

    /// Classes, of all rows; where rows fall into classes.
    pub fn distinct(&self) -> Option<Ratio> {
        self.distinct
    }

    /// Row pairs told apart, of all pairs.
    pub fn separation(&self) -> Ratio {
        self.separation
    }

    /// Rows that match no other: those that the columns single out.
    pub fn rows_alone(&self) -> u64 {
        self.alone
    }

    /// Rows of the smallest class; none in a table without rows.
    pub fn smallest_class(&self) -> Option<u64> {
        self.smallest
    }

    /// Rows of the largest class; none in a table without rows.
    pub fn largest_class(&self) -> Option<u64> {
        self.largest
    }
}

/// Bounds of a figure that a sample cannot tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// How well one column set tells rows apart, as far as a uniform sample without replacement says.
///
/// # Guarantee
/// Each pair of bounds holds with at least the confidence asked for, over the draw of the sample,
/// for a set chosen before looking at it, whatever the table. Of the whole table the bounds are
/// the ratio itself.
#[derive(Clone, Debug, PartialEq)]
pub struct RatioEstimate {
    sampled: SetRatios,
    all_rows: u64,
    confidence: f64,
    separation: Bounds,
    distinct: Option<Bounds>,
}

impl RatioEstimate {
    /// What `sample`, drawn from `all_rows` rows, says about `set`.
    pub fn of(
        sample: &EncodedTable,
        all_rows: u64,
        set: &ColumnSet,
        missing: MissingRule,
        confidence: f64,
    ) -> Result<Self> {
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(Error::Setting(
                "a confidence is above 0 and below 1\n  hint: pass one such as 0.95".into(),
            ));
        }
        let run = Run::new();
        let sampled = SetRatios::of(&MemoryEngine::new(sample, &run), set, missing)?;
        let all_rows = all_rows.max(sampled.rows);
        // A bound is broken with at most half of what the confidence leaves.
        let exponent = (2.0 / (1.0 - confidence)).ln();
        let separation = separation_bounds(&sampled, all_rows, exponent);
        let distinct = sampled
            .classes
            .map(|classes| distinct_bounds(classes, sampled.rows, all_rows, separation, exponent));
        Ok(Self { sampled, all_rows, confidence, separation, distinct })
    }

    /// The sample's own figures.
    pub fn sampled(&self) -> &SetRatios {
        &self.sampled
    }

    /// Rows of the table.
    pub fn all_rows(&self) -> u64 {
        self.all_rows
    }

    /// The confidence of each pair of bounds.
    pub fn confidence(&self) -> f64 {
        self.confidence
    }

    /// An unbiased guess of the separation ratio: the sample's own. None where the sample has no
    /// pair of rows and the table has.
    pub fn likely_separation(&self) -> Option<f64> {
        let told = self.sampled.rows >= 2 || self.all_rows < 2;
        told.then(|| self.sampled.separation.as_f64())
    }

    /// Bounds of the separation ratio.
    pub fn separation(&self) -> Bounds {
        self.separation
    }

    /// Bounds of the distinct ratio, where rows fall into classes.
    pub fn distinct(&self) -> Option<Bounds> {
        self.distinct
    }
}

#[expect(clippy::cast_precision_loss, reason = "bounds are rounded outwards by far more")]
fn separation_bounds(sampled: &SetRatios, all_rows: u64, exponent: f64) -> Bounds {
    if sampled.rows == all_rows {
        let ratio = sampled.separation.as_f64();
        return Bounds { low: ratio, high: ratio };
    }
    if sampled.rows < 2 {
        return Bounds { low: 0.0, high: 1.0 };
    }
    let together = 1.0 - sampled.separation.as_f64();
    let terms = (sampled.rows / 2) as f64;
    let shrink = 1.0 - 1.0 / all_rows as f64;
    let ruled_out = |share: f64| {
        terms * relative_entropy(share + shrink * (together - share), share) > exponent
    };
    Bounds {
        low: (1.0 - last_allowed(together, 1.0, ruled_out)).max(0.0),
        high: (1.0 - last_allowed(together, 0.0, ruled_out)).min(1.0),
    }
}

#[expect(clippy::cast_precision_loss, reason = "bounds are rounded outwards by far more")]
fn distinct_bounds(
    classes: u64,
    sampled_rows: u64,
    all_rows: u64,
    separation: Bounds,
    exponent: f64,
) -> Bounds {
    if sampled_rows == all_rows {
        let ratio = Ratio::new(classes.into(), all_rows.into()).as_f64();
        return Bounds { low: ratio, high: ratio };
    }
    let (d, r, n) = (classes as f64, sampled_rows as f64, all_rows as f64);
    let low = (d / n).max(1.0 / (1.0 + (1.0 - separation.low) * (n - 1.0)));
    let repeated = 1.0 - (r - d) / n;
    let high = if sampled_rows == 0 {
        1.0
    } else {
        last_allowed(d / r, 1.0, |share| r * relative_entropy(d / r, share) > exponent)
    };
    Bounds { low, high: high.min(repeated) }
}

/// How far a coin of `a` is from a coin of `b`: the relative entropy, in nats.
pub(super) fn relative_entropy(a: f64, b: f64) -> f64 {
    let part = |a: f64, b: f64| if a <= 0.0 { 0.0 } else { a * (a / b).ln() };
    (part(a, b) + part(1.0 - a, 1.0 - b)).max(0.0)
}

/// The point between `from` and `to` that is the first to be ruled out, as seen from `from`; `to`
/// where nothing is. What is ruled out ends at `to`.
fn last_allowed(from: f64, to: f64, ruled_out: impl Fn(f64) -> bool) -> f64 {
    if !ruled_out(to) {
        return to;
    }
    let (mut allowed, mut out) = (from, to);
    for _ in 0..100 {
        let middle = f64::midpoint(allowed, out);
        if ruled_out(middle) {
            out = middle;
        } else {
            allowed = middle;
        }
    }
    out
}
