//! What every class of a release must meet.

use muslin_assess::Weight;
use muslin_table::{ColumnId, EncodedTable};

use crate::{Error, Result};

/// What every class must meet: a size, and how its sensitive values are spread.
///
/// A missing sensitive value is a value of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassTarget {
    k: u32,
    spreads: Vec<(ColumnId, Spread)>,
}

/// How the sensitive values of a class must be spread.
///
/// Everything is decided in whole numbers, but entropy, for which a billionth is forgiven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spread {
    /// At least l different values.
    Distinct {
        /// How many.
        l: u32,
    },
    /// No value in more than one in l rows.
    Probabilistic {
        /// One in how many.
        l: u32,
    },
    /// An entropy of at least that of l values that are equally frequent.
    Entropy {
        /// How many.
        l: u32,
    },
    /// The most frequent value is less than c times as frequent as all from the l-th on together.
    Recursive {
        /// The factor.
        c: Weight,
        /// From which on.
        l: u32,
    },
    /// The values' shares differ from those of the whole table by at most t, by an earth mover's
    /// distance.
    Close {
        /// At most how far, from 0 to 1.
        t: Weight,
        /// How far values are from each other.
        distance: Distance,
    },
}

impl Spread {
    /// Every class that is spread so has at least this many different values.
    pub(crate) fn least_distinct(self) -> usize {
        match self {
            Self::Distinct { l }
            | Self::Probabilistic { l }
            | Self::Entropy { l }
            | Self::Recursive { l, .. } => l as usize,
            Self::Close { .. } => 0,
        }
    }
}

/// How far a sensitive value is from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// All are equally far.
    Equal,
    /// By their places in order.
    Ordered,
}

/// Millionths of a whole.
const WHOLE: u128 = 1_000_000;

impl ClassTarget {
    /// At least `k` rows.
    pub fn new(k: u32) -> Self {
        Self { k, spreads: Vec::new() }
    }

    /// And a sensitive column that is spread so.
    #[must_use]
    pub fn spread(mut self, sensitive: ColumnId, spread: Spread) -> Self {
        self.spreads.push((sensitive, spread));
        self
    }

    /// The least rows of a class.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// Sensitive columns, and how they must be spread.
    pub fn spreads(&self) -> &[(ColumnId, Spread)] {
        &self.spreads
    }

    /// Ready to judge classes of `table`.
    pub(crate) fn judge(&self, table: &EncodedTable) -> Result<Judge> {
        let wrong = |text: &str| Err(Error::Setting(text.into()));
        if self.k == 0 || (self.k < 2 && self.spreads.is_empty()) {
            return wrong(
                "classes of one row are what a table has already\n  hint: pass a `-k` of 2 or more",
            );
        }
        let mut sensitive: Vec<ColumnId> = self.spreads.iter().map(|&(id, _)| id).collect();
        sensitive.sort_unstable();
        sensitive.dedup();
        let totals: Vec<Vec<u32>> = sensitive.iter().map(|&id| histogram(table, id)).collect();
        for (_, spread) in &self.spreads {
            match *spread {
                Spread::Distinct { l } | Spread::Probabilistic { l } | Spread::Entropy { l }
                    if l < 2 =>
                {
                    return wrong(
                        "a diversity below 2 asks for nothing\n  hint: pass one of 2 or more",
                    );
                }
                Spread::Recursive { l, .. } if l < 2 => {
                    return wrong(
                        "a diversity below 2 asks for nothing\n  hint: pass one of 2 or more",
                    );
                }
                Spread::Close { t, .. } if u128::from(t.millionths()) > WHOLE => {
                    return wrong("a closeness is from 0 to 1\n  hint: pass one such as 0.2");
                }
                _ => {}
            }
        }
        let part = |&(id, spread): &(ColumnId, Spread)| {
            (sensitive.partition_point(|&column| column < id), spread)
        };
        let parts = self.spreads.iter().map(part).collect();
        Ok(Judge { k: self.k, rows: table.rows() as u64, sensitive, totals, parts })
    }
}

fn histogram(table: &EncodedTable, id: ColumnId) -> Vec<u32> {
    let column = table.column(id);
    let mut counts = vec![0u32; column.slots()];
    column.codes().slots().for_each(|slot| counts[slot as usize] += 1);
    counts
}

/// Tells whether a class meets a target.
#[derive(Clone, Debug)]
pub(crate) struct Judge {
    k: u32,
    rows: u64,
    sensitive: Vec<ColumnId>,
    totals: Vec<Vec<u32>>,
    parts: Vec<(usize, Spread)>,
}

impl Judge {
    /// The least rows of a class.
    pub(crate) fn k(&self) -> u32 {
        self.k
    }

    /// The sensitive columns, each once, in order.
    pub(crate) fn sensitive(&self) -> &[ColumnId] {
        &self.sensitive
    }

    /// Rows that have each value of a sensitive column, in the whole table.
    pub(crate) fn totals(&self, sensitive: usize) -> &[u32] {
        &self.totals[sensitive]
    }

    /// What is asked of sensitive columns, by their place in [`Self::sensitive`].
    pub(crate) fn parts(&self) -> &[(usize, Spread)] {
        &self.parts
    }

    /// Whether no part of a class of `size` rows will do, given how many different values it has of
    /// each sensitive column.
    pub(crate) fn is_hopeless(&self, size: u32, distinct: impl Iterator<Item = usize>) -> bool {
        let least = |at: usize| {
            let own = self.parts.iter().filter(|(column, _)| *column == at);
            own.map(|(_, spread)| spread.least_distinct()).max().unwrap_or(0)
        };
        size < self.k || distinct.enumerate().any(|(at, values)| values < least(at))
    }

    /// Whether a class of `size` rows will do. `counts` lists for each sensitive column the values
    /// that the class has, in order, and how many rows have each.
    pub(crate) fn is_met(&self, size: u32, counts: &[&[(u32, u32)]]) -> bool {
        size >= self.k
            && self.parts.iter().all(|&(at, spread)| {
                is_spread(spread, size, counts[at], &self.totals[at], self.rows)
            })
    }
}

/// Whether `counts` (values in order and how many rows have each), of `size` rows in all, are spread
/// as asked, in a table of `rows` rows with these `totals`.
pub(crate) fn is_spread(
    spread: Spread,
    size: u32,
    counts: &[(u32, u32)],
    totals: &[u32],
    rows: u64,
) -> bool {
    let most = || counts.iter().map(|&(_, count)| count).max().unwrap_or(0);
    match spread {
        Spread::Distinct { l } => counts.len() >= l as usize,
        Spread::Probabilistic { l } => u64::from(most()) * u64::from(l) <= u64::from(size),
        Spread::Entropy { l } => {
            let size = f64::from(size);
            let sum: f64 = counts.iter().map(|&(_, c)| f64::from(c) * f64::from(c).ln()).sum();
            size * (size.ln() - f64::from(l).ln()) >= sum - 1e-9 * size
        }
        Spread::Recursive { c, l } => {
            let mut sorted: Vec<u32> = counts.iter().map(|&(_, count)| count).collect();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let tail: u128 = sorted.iter().skip(l as usize - 1).map(|&c| u128::from(c)).sum();
            u128::from(most()) * WHOLE < u128::from(c.millionths()) * tail
        }
        Spread::Close { t, distance } => {
            let (size, rows) = (i128::from(size), i128::from(rows));
            let t = i128::from(t.millionths());
            let whole = i128::try_from(WHOLE).expect("a million");
            match distance {
                Distance::Equal => {
                    // Values that the class lacks differ by their whole share.
                    let (mut moved, mut seen) = (0i128, 0i128);
                    for &(value, count) in counts {
                        let total = i128::from(totals[value as usize]);
                        moved += (i128::from(count) * rows - total * size).abs();
                        seen += total;
                    }
                    moved += (rows - seen) * size;
                    moved * whole <= 2 * t * size * rows
                }
                Distance::Ordered => {
                    let places = totals.iter().filter(|&&total| total > 0).count();
                    let steps = i128::try_from(places.saturating_sub(1)).expect("a few billions");
                    let (mut moved, mut carried) = (0i128, 0i128);
                    let mut own = counts.iter().peekable();
                    for (value, &total) in (0u32..).zip(totals) {
                        let count = own.next_if(|own| own.0 == value).map_or(0, |own| own.1);
                        carried += i128::from(count) * rows - i128::from(total) * size;
                        moved += if total > 0 { carried.abs() } else { 0 };
                    }
                    moved * whole <= t * size * rows * steps
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(spread: Spread, counts: &[u32], totals: &[u32]) -> bool {
        let pairs: Vec<(u32, u32)> =
            (0u32..).zip(counts).filter(|(_, c)| **c > 0).map(|(v, &c)| (v, c)).collect();
        let rows = totals.iter().map(|&c| u64::from(c)).sum();
        is_spread(spread, counts.iter().sum(), &pairs, totals, rows)
    }

    fn weight(text: &str) -> Weight {
        text.parse().expect("a number")
    }

    #[test]
    fn boundaries_are_met() {
        let totals = [4, 4, 4];
        assert!(met(Spread::Distinct { l: 2 }, &[3, 1, 0], &totals));
        assert!(!met(Spread::Distinct { l: 3 }, &[3, 1, 0], &totals));
        assert!(met(Spread::Probabilistic { l: 2 }, &[2, 1, 1], &totals));
        assert!(!met(Spread::Probabilistic { l: 3 }, &[2, 1, 1], &totals));
        assert!(met(Spread::Entropy { l: 3 }, &[2, 2, 2], &totals));
        assert!(!met(Spread::Entropy { l: 3 }, &[3, 2, 1], &totals));
        // 2 < 1.5 * 2, but not 2 < 1 * 2.
        let recursive = |c: &str| Spread::Recursive { c: weight(c), l: 2 };
        assert!(met(recursive("1.5"), &[2, 1, 1], &totals));
        assert!(!met(recursive("1"), &[2, 1, 1], &totals));
        assert!(!met(Spread::Recursive { c: weight("9"), l: 4 }, &[2, 1, 1], &totals));
    }

    #[test]
    fn closeness_is_an_earth_movers_distance() {
        let close = |t: &str, distance| Spread::Close { t: weight(t), distance };
        // Shares 1, 0, 0 against thirds: two thirds move, by one place and by two.
        for (distance, at, below) in
            [(Distance::Equal, "0.666667", "0.666666"), (Distance::Ordered, "0.5", "0.499999")]
        {
            assert!(met(close(at, distance), &[4, 0, 0], &[4, 4, 4]), "{distance:?}");
            assert!(!met(close(below, distance), &[4, 0, 0], &[4, 4, 4]), "{distance:?}");
        }
        assert!(met(close("0", Distance::Equal), &[1, 1, 1], &[4, 4, 4]));
        assert!(met(close("0", Distance::Ordered), &[1, 1, 1], &[4, 4, 4]));
    }
}
