//! Independent pairs of rows, and the columns that tell them apart.
//!
//! # Pairs from rows
//! A sample without replacement, in random order, is a supply of rows nobody has seen. To draw a
//! row of the table with replacement, draw a number below n: if it is below the number d of rows
//! seen so far, the row is the seen one of that number, else the next unseen one. Whatever was
//! seen, a seen row comes with chance 1/n, and each of the n - d others with (n - d)/n times
//! 1/(n - d), the same, since the next unseen row is any of them alike. The second row of a pair is
//! drawn in this way among the n - 1 others. So every pair is uniform given all before: k of them are
//! independent, and they use up at most 2k rows.

use std::cmp::Ordering;

use muslin_engine::{Run, Seed};
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable, MissingRule};
use rayon::prelude::*;

use super::greedy::order_of_gains;
use super::{Weight, Weights};
use crate::Result;

/// The rows of a sample in an order that the seed decides.
pub(super) fn shuffled(rows: usize, seed: Seed) -> Vec<u32> {
    let count = u32::try_from(rows).expect("row ids are 32 bits wide");
    let mut order: Vec<u32> = (0..count).collect();
    for last in (1..rows).rev() {
        let other = usize::try_from(seed.below(last as u64, last as u64 + 1)).expect("a row");
        order.swap(last, other);
    }
    order
}

/// `count` independent uniform pairs of different rows of a table of `all_rows` rows, from a
/// shuffled sample of it that has two rows per pair or is the whole table.
pub(super) fn draw_pairs(sample: &[u32], all_rows: u64, count: u64, seed: Seed) -> Vec<[u32; 2]> {
    if all_rows < 2 {
        return Vec::new();
    }
    let mut seen = 0u64;
    let mut next = |place: u64| {
        let place = if place < seen { place } else { seen };
        seen = seen.max(place + 1);
        (usize::try_from(place).expect("a row of the sample"), seen)
    };
    (0..count)
        .map(|pair| {
            let (first, seen) = next(seed.below(2 * pair, all_rows));
            // Below n - 1, with the first row left out: places from it on move up by one. A place
            // that is not seen stays unseen.
            let other = seed.below(2 * pair + 1, all_rows - 1);
            let other =
                if other + 1 < seen { other + u64::from(other >= first as u64) } else { seen };
            let (second, _) = next(other);
            [sample[first], sample[second]]
        })
        .collect()
}

/// For each column, the pairs it tells apart, one bit each.
pub(super) struct SeparatedPairs {
    pairs: u64,
    columns: Vec<Vec<u64>>,
}

impl SeparatedPairs {
    pub(super) fn new(
        table: &EncodedTable,
        pairs: &[[u32; 2]],
        missing: MissingRule,
        run: &Run,
    ) -> Self {
        let bits = |column: &Column| {
            let (codes, absent) = (column.codes(), column.missing_slot());
            let apart = |&[a, b]: &[u32; 2]| {
                let (a, b) = (codes.slot(a as usize), codes.slot(b as usize));
                match missing {
                    MissingRule::Category => a != b,
                    MissingRule::Distinct => a != b || a == absent,
                    MissingRule::Wildcard => a != b && a != absent && b != absent,
                }
            };
            let word = |pairs: &[[u32; 2]]| {
                (0..)
                    .zip(pairs)
                    .fold(0u64, |word, (bit, pair)| word | u64::from(apart(pair)) << bit)
            };
            pairs.chunks(64).map(word).collect()
        };
        let columns = run.install(|| table.columns().par_iter().map(bits).collect());
        Self { pairs: pairs.len() as u64, columns }
    }

    /// Number of pairs.
    pub(super) fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Pairs that a set tells apart.
    pub(super) fn separated(&self, set: &ColumnSet) -> u64 {
        let mut covered = vec![0u64; self.columns.first().map_or(0, Vec::len)];
        for column in set.iter() {
            let bits = &self.columns[column.index()];
            covered.iter_mut().zip(bits).for_each(|(all, new)| *all |= new);
        }
        covered.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Takes the column that tells apart the most pairs for its weight until `enough` are told
    /// apart (MX07, section 2.2); ties to the first. False when that cannot be.
    pub(super) fn cover(
        &self,
        enough: u64,
        weights: &Weights,
        run: &Run,
    ) -> Result<(ColumnSet, bool)> {
        let mut open: Vec<u64> = vec![u64::MAX; self.columns.first().map_or(0, Vec::len)];
        let (mut set, mut told) = (ColumnSet::new(), 0u64);
        // Gains only fall, so an old one is a bound.
        let mut candidates: Vec<Candidate> = (0..self.columns.len())
            .map(ColumnId::new)
            .map(|column| Candidate {
                gain: u64::MAX,
                at: None,
                column,
                weight: weights.of(column),
            })
            .collect();
        while told < enough {
            let step = set.len();
            let taken = loop {
                let best = (0..candidates.len())
                    .min_by(|&a, &b| candidates[a].order(&candidates[b]))
                    .filter(|&best| candidates[best].gain > 0);
                let Some(best) = best else { return Ok((set, false)) };
                if candidates[best].at == Some(step) {
                    break candidates.swap_remove(best);
                }
                run.check()?;
                let bits = &self.columns[candidates[best].column.index()];
                let new = bits.iter().zip(&open).map(|(bits, open)| (bits & open).count_ones());
                candidates[best].gain = new.map(u64::from).sum();
                candidates[best].at = Some(step);
            };
            told += taken.gain;
            set.insert(taken.column);
            let bits = &self.columns[taken.column.index()];
            open.iter_mut().zip(bits).for_each(|(open, bits)| *open &= !bits);
        }
        Ok((set, true))
    }
}

/// A column that may be taken: what it adds, or added at an earlier step.
struct Candidate {
    gain: u64,
    at: Option<usize>,
    column: ColumnId,
    weight: Weight,
}

impl Candidate {
    fn order(&self, other: &Self) -> Ordering {
        let key = |candidate: &Self| (candidate.gain.into(), candidate.weight, candidate.column);
        order_of_gains(key(self), key(other))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn pairs_are_uniform_and_independent_of_each_other() {
        // All ordered pairs of two pairs of 4 rows: 12 * 12 outcomes, from samples of all sizes
        // that are allowed. The sample's rows are random too, as an engine would draw them.
        let (rows, draws) = (4u64, 72_000u32);
        let mut seen: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for draw in 0..draws {
            let seed = Seed::new(17).part(draw.into());
            let sample = shuffled(4, seed.part(1));
            let pairs = draw_pairs(&sample, rows, 2, seed.part(2));
            *seen.entry(pairs.concat()).or_default() += 1;
        }
        assert_eq!(seen.len(), 144);
        let expected = f64::from(draws) / 144.0;
        let squares: f64 =
            seen.values().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        // 143 degrees of freedom: mean 143, standard deviation 17.
        assert!(squares < 143.0 + 5.0 * 17.0, "{squares}");
    }

    #[test]
    fn pairs_of_a_small_sample_of_a_large_table_repeat_no_row_as_a_rule() {
        let order = shuffled(200, Seed::new(1));
        let pairs = draw_pairs(&order, 1_000_000_000, 100, Seed::new(2));
        let rows: std::collections::BTreeSet<u32> = pairs.iter().flatten().copied().collect();
        assert_eq!(rows.len(), 200);
        assert!(pairs.iter().all(|[a, b]| a != b));
        assert!(draw_pairs(&[0], 1, 5, Seed::new(2)).is_empty());
    }

    #[test]
    fn a_shuffle_is_a_permutation() {
        let mut order = shuffled(1_000, Seed::new(4));
        assert!(!order.is_sorted());
        order.sort_unstable();
        assert!(order.into_iter().eq(0..1_000));
    }
}
