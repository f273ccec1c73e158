use std::collections::BTreeMap;

use muslin_table::{ColumnId, Ratio};

use super::shares::Places;
use super::worst::{Moved, Of, Worst};
use crate::classes::Classes;

/// What is asked of every class.
///
/// All but [`Condition::AtLeast`] are about the values of a sensitive column in the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Condition {
    /// At least `k` rows.
    AtLeast {
        /// How many.
        k: u32,
    },
    /// At least `l` different values.
    Distinct {
        /// How many.
        l: u32,
    },
    /// No value in more than one in `l` rows.
    Probabilistic {
        /// One in how many.
        l: u32,
    },
    /// An entropy of at least that of `l` values that are equally frequent. A billionth is forgiven,
    /// since logarithms are rounded.
    Entropy {
        /// How many.
        l: u32,
    },
    /// The most frequent value has fewer rows than c times those of all values from the `l`-th most
    /// frequent on. A class of fewer than `l` values does not meet it.
    Recursive {
        /// The factor, in millionths.
        c_millionths: u64,
        /// From which on, counted from one.
        l: u32,
    },
    /// An earth mover's distance of at most t from the shares of the original.
    Close {
        /// At most how far, in millionths.
        t_millionths: u64,
        /// Whether values are as far from each other as their places in order are, the original's
        /// first and last being one apart. Otherwise all are one apart.
        ordered: bool,
    },
}

/// What the classes of a release are like.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct ClassFacts {
    rows: usize,
    classes: usize,
    histogram: BTreeMap<u32, u32>,
    spreads: Vec<SpreadFacts>,
    /// The class of each row, and the rows of each class.
    of: Vec<u32>,
    sizes: Vec<u32>,
}

impl ClassFacts {
    pub(super) fn new(classes: Classes, sizes: Vec<u32>, spreads: Vec<SpreadFacts>) -> Self {
        let mut histogram = BTreeMap::new();
        sizes.iter().for_each(|&size| *histogram.entry(size).or_default() += 1);
        let rows = classes.of.len();
        Self { rows, classes: sizes.len(), histogram, spreads, of: classes.of, sizes }
    }

    /// Rows of the release.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Rows of the smallest class; nothing in a release without rows.
    pub fn smallest(&self) -> Option<u32> {
        self.histogram.keys().next().copied()
    }

    /// For each size that a class has, the number of such classes.
    pub fn histogram(&self) -> &BTreeMap<u32, u32> {
        &self.histogram
    }

    /// Rows per class; nothing in a release without rows.
    #[expect(clippy::cast_precision_loss, reason = "row numbers have 32 bits")]
    pub fn average(&self) -> Option<f64> {
        (self.classes > 0).then(|| self.rows as f64 / self.classes as f64)
    }

    /// Classes of all rows: the distinct ratio. It is 1 in a release without rows.
    pub fn distinct_ratio(&self) -> Ratio {
        Ratio::new(self.classes as u128, self.rows as u128)
    }

    /// Pairs of rows in different classes, of all pairs: the separation ratio. It is 1 where there
    /// are no pairs.
    pub fn separation_ratio(&self) -> Ratio {
        let pairs = |rows: u128| rows * rows.saturating_sub(1) / 2;
        let all = pairs(self.rows as u128);
        let within = self
            .histogram
            .iter()
            .map(|(&size, &classes)| pairs(u128::from(size)) * u128::from(classes));
        Ratio::new(all - within.sum::<u128>(), all)
    }

    /// The first rows of the release in classes of fewer than `k` rows, at most so many.
    pub fn small_rows(&self, k: u32, at_most: usize) -> Vec<u32> {
        let rows = (0u32..).zip(&self.of).filter(|(_, class)| self.sizes[**class as usize] < k);
        rows.map(|(row, _)| row).take(at_most).collect()
    }

    /// The first rows, at most so many, of the class that is worst by the condition, for the
    /// sensitive column at this position of [`ClassFacts::spreads`]; of several the first. None where
    /// every class meets it, or where nobody looked at such a column.
    pub fn violating_rows(
        &self,
        condition: Condition,
        sensitive: usize,
        at_most: usize,
    ) -> Vec<u32> {
        if self.is_met(condition, sensitive) {
            return Vec::new();
        }
        let worst = match condition {
            Condition::AtLeast { .. } => {
                let sizes = (0u32..).zip(&self.sizes);
                sizes.min_by_key(|&(class, size)| (size, class)).map(|(class, _)| class)
            }
            _ => self.spreads.get(sensitive).and_then(|spread| spread.worst.of(condition)),
        };
        let rows = (0u32..).zip(&self.of).filter(|(_, class)| Some(**class) == worst);
        rows.map(|(row, _)| row).take(at_most).collect()
    }

    /// The sensitive columns, in the order in which they were asked for.
    pub fn spreads(&self) -> &[SpreadFacts] {
        &self.spreads
    }

    /// Whether every class meets the condition, for the sensitive column at this position of
    /// [`ClassFacts::spreads`]. A column that nobody looked at meets none; the number of rows is no
    /// matter of a column.
    ///
    /// Decided in whole numbers, but for entropy.
    pub fn is_met(&self, condition: Condition, sensitive: usize) -> bool {
        match condition {
            Condition::AtLeast { k } => self.smallest().is_none_or(|smallest| smallest >= k),
            _ => self.spreads.get(sensitive).is_some_and(|spread| spread.is_met(condition)),
        }
    }
}

/// How a sensitive column is spread in the classes of a release: of each kind, the worst class. Every
/// fact is nothing in a release without rows.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct SpreadFacts {
    column: ColumnId,
    fewest_distinct: Option<u32>,
    largest_share: Option<Ratio>,
    least_entropy: Option<f64>,
    /// For l = 1, 2, ...: the largest ratio of the first count to the sum from the l-th on.
    heads: Vec<Ratio>,
    farthest_equal: Option<Ratio>,
    farthest_ordered: Option<Ratio>,
    worst: WorstClasses,
}

/// For each kind the class that is worst.
#[derive(Clone, Debug, PartialEq)]
struct WorstClasses {
    distinct: Option<u32>,
    share: Option<u32>,
    entropy: Option<u32>,
    heads: Vec<u32>,
    equal: Option<u32>,
    ordered: Option<u32>,
}

impl WorstClasses {
    fn new(worst: &Worst) -> Self {
        fn class<T>(of: &Of<T>) -> u32 {
            of.class
        }
        Self {
            distinct: worst.distinct.as_ref().map(class),
            share: worst.share.as_ref().map(class),
            entropy: worst.entropy.as_ref().map(class),
            heads: worst.heads.iter().map(class).collect(),
            equal: worst.equal.as_ref().map(class),
            ordered: worst.ordered.as_ref().map(class),
        }
    }

    fn of(&self, condition: Condition) -> Option<u32> {
        match condition {
            Condition::AtLeast { .. } => None,
            Condition::Distinct { .. } => self.distinct,
            Condition::Probabilistic { .. } => self.share,
            Condition::Entropy { .. } => self.entropy,
            // A class of too few values is worst.
            Condition::Recursive { l, .. } => {
                let head = self.heads.get((l as usize).saturating_sub(1));
                head.copied().or(self.distinct)
            }
            Condition::Close { ordered: true, .. } => self.ordered,
            Condition::Close { ordered: false, .. } => self.equal,
        }
    }
}

impl SpreadFacts {
    pub(super) fn new(column: ColumnId, worst: Worst, places: &Places) -> Self {
        let ratio =
            |Of { fact: [part, whole], .. }: Of<[u32; 2]>| Ratio::new(part.into(), whole.into());
        let far = |steps: u32| {
            let unit = u128::from(places.rows()) * u128::from(steps);
            move |Of { fact: Moved { moved, size }, .. }: Of<Moved>| {
                Ratio::new(moved, unit * u128::from(size))
            }
        };
        Self {
            column,
            worst: WorstClasses::new(&worst),
            fewest_distinct: worst.distinct.map(|of| of.fact),
            largest_share: worst.share.map(ratio),
            least_entropy: worst.entropy.map(|of| of.fact),
            heads: worst.heads.into_iter().map(ratio).collect(),
            farthest_equal: worst.equal.map(far(1)),
            farthest_ordered: worst.ordered.map(far(places.steps())),
        }
    }

    /// The sensitive column.
    pub fn column(&self) -> ColumnId {
        self.column
    }

    /// The fewest different values in a class.
    pub fn fewest_distinct(&self) -> Option<u32> {
        self.fewest_distinct
    }

    /// The largest share of one value in a class. One in it is the l of probabilistic diversity.
    pub fn largest_share(&self) -> Option<Ratio> {
        self.largest_share
    }

    /// The least entropy of a class, in natural units.
    pub fn least_entropy(&self) -> Option<f64> {
        self.least_entropy
    }

    /// As many values as would have the least entropy if they were equally frequent: the l of
    /// entropy diversity.
    pub fn least_entropy_values(&self) -> Option<f64> {
        self.least_entropy.map(f64::exp)
    }

    /// The largest earth mover's distance of a class from the original, all values being one apart.
    pub fn farthest_equal(&self) -> Option<Ratio> {
        self.farthest_equal
    }

    /// The largest earth mover's distance of a class from the original, by places in order; the
    /// original's first and last value are one apart. It is above 1 only where cells are missing or
    /// suppressed in the release and none is in the original.
    pub fn farthest_ordered(&self) -> Option<Ratio> {
        self.farthest_ordered
    }

    fn is_met(&self, condition: Condition) -> bool {
        let Some(distinct) = self.fewest_distinct else { return true };
        let is_within = |far: Option<Ratio>, most: Ratio| far.is_none_or(|far: Ratio| far <= most);
        match condition {
            // A size is no matter of a column.
            Condition::AtLeast { .. } => true,
            Condition::Distinct { l } => distinct >= l,
            Condition::Probabilistic { l } => {
                is_within(self.largest_share, Ratio::new(1, u128::from(l).max(1)))
            }
            Condition::Entropy { l } => {
                self.least_entropy.is_none_or(|least| least >= f64::from(l).ln() - 1e-9)
            }
            Condition::Recursive { c_millionths, l } => {
                let head = self.heads.get((l as usize).saturating_sub(1));
                head.is_some_and(|&head| head < millionths(c_millionths))
            }
            Condition::Close { t_millionths, ordered } => {
                let far = if ordered { self.farthest_ordered } else { self.farthest_equal };
                is_within(far, millionths(t_millionths))
            }
        }
    }
}

fn millionths(count: u64) -> Ratio {
    Ratio::new(count.into(), 1_000_000)
}
