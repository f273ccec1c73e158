//! How likely a sensitive value is for somebody whose other values are known: p(t,s).
//!
//! Sums are first made in floating point, for everybody; what may be the largest is then made again
//! in whole numbers. All terms are positive, so that a sum is off by a known share of itself.

use muslin_engine::Partition;
use muslin_table::{ColumnId, ColumnSet, EncodedTable, Ratio};
use rayon::prelude::*;

use super::buckets::Buckets;
use super::diversity::classes;
use super::fraction::{Sum, upwards};
use super::layout::Layout;
use super::matching::{Index, Match, intersect};

/// What an outsider makes of a sliced table who knows all of a row's values but the sensitive one.
#[derive(Debug)]
pub(crate) struct Likely {
    index: Index,
    /// The part that has the sensitive column.
    part: usize,
    /// For each entry of that part's lists, the sensitive values there.
    entries: Vec<Entry>,
    /// Sensitive slots and how many rows have them, entry after entry.
    values: Vec<(u32, u32)>,
    slots: usize,
    /// Rows that agree on all that is known.
    known: Partition,
}

/// What is known of the part, in a bucket.
#[derive(Clone, Copy, Debug)]
struct Entry {
    bucket: u32,
    count: u32,
    start: u32,
    end: u32,
}

/// How buckets that match a row are weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weighting {
    /// By how frequent the row's values are in each, as in the paper.
    Equal,
    /// And by how many rows each has: what follows from Bayes' rule.
    BySize,
}

/// So many slots are summed up in a table.
const DENSE: usize = 1 << 10;
/// Sums below this have lost what was added to them.
const TINY: f64 = 1e-250;

pub(super) const WEIGHTINGS: [Weighting; 2] = [Weighting::Equal, Weighting::BySize];

impl Likely {
    /// For a slicing of a table.
    pub(crate) fn new(
        table: &EncodedTable,
        layout: &Layout,
        sensitive: ColumnId,
        buckets: &Buckets,
    ) -> Self {
        let unknown: ColumnSet = [sensitive].into_iter().collect();
        let index = Index::new(table, layout, &unknown, buckets);
        let own = &index.parts[layout.sensitive];
        let codes = table.column(sensitive).codes();
        let mut rows: Vec<(u32, u32, u32)> = (0u32..)
            .zip(buckets.iter())
            .flat_map(|(bucket, rows)| rows.iter().map(move |&row| (bucket, row as usize)))
            .map(|(bucket, row)| (own.value_of[row], bucket, codes.slot(row)))
            .collect();
        rows.par_sort_unstable();
        let count = |rows: usize| u32::try_from(rows).expect("row ids are 32 bits wide");
        let (mut entries, mut values) = (Vec::new(), Vec::new());
        for entry in rows.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let start = count(values.len());
            values.extend(entry.chunk_by(|a, b| a == b).map(|same| (same[0].2, count(same.len()))));
            entries.push(Entry {
                bucket: entry[0].1,
                count: count(entry.len()),
                start,
                end: count(values.len()),
            });
        }
        let all = layout.parts.iter().fold(ColumnSet::new(), |set, part| set.union(&part.columns));
        let known = classes(table, &all.difference(&unknown));
        let slots = table.column(sensitive).slots();
        Self { index, part: layout.sensitive, entries, values, slots, known }
    }

    /// The largest p(t,s) of all rows, and whether it is exact; where it did not fit, it is rounded
    /// up.
    pub(crate) fn largest(&self, weighting: Weighting) -> (Ratio, bool) {
        let rows = self.index.distinct_rows(&self.known);
        let value = |at: usize, part: usize| self.index.parts[part].value_of[rows[at] as usize];
        let near: Vec<f64> = self.index.each(rows.len(), value, |at, matches| {
            let each = self.near(rows[at], matches, weighting);
            each.into_iter().map(|(_, p)| p).fold(0.0, f64::max)
        });
        let most = near.iter().copied().fold(0.0, f64::max);
        let slack = self.slack(self.index.sizes.len());
        let may_be: Vec<u32> = rows
            .iter()
            .zip(&near)
            .filter(|(_, near)| **near * slack * slack >= most)
            .map(|(&row, _)| row)
            .collect();
        let of_row = |&row: &u32| {
            self.of_row(row, weighting).into_iter().map(|(_, p, is_exact)| (p, is_exact)).max()
        };
        // An average is at most the largest of what it is of: most ties need no second look.
        let mut largest = (Ratio::new(0, 1), true);
        let bounds = self.bounds();
        let bound = |row: u32| bounds[self.index.parts[self.part].value_of[row as usize] as usize];
        for together in may_be.chunks(256) {
            let open = together.par_iter().filter(|&&row| bound(row) > largest.0);
            largest = open.filter_map(of_row).max().map_or(largest, |found| found.max(largest));
        }
        largest
    }

    /// For each value that is known of the part, the largest probability of a sensitive value in any
    /// bucket that has it.
    fn bounds(&self) -> Vec<Ratio> {
        let of_entry = |entry: &Entry| {
            let values = &self.values[entry.start as usize..entry.end as usize];
            let most = values.iter().map(|own| own.1).max().unwrap_or(0);
            Ratio::new(most.into(), entry.count.into())
        };
        let ends = self.index.parts[self.part].lists.starts().windows(2);
        let most = |ends: &[usize]| self.entries[ends[0]..ends[1]].iter().map(of_entry).max();
        ends.map(|ends| most(ends).unwrap_or(Ratio::new(0, 1))).collect()
    }

    /// The probability of each sensitive slot for a row, and whether it is exact. Where it did not
    /// fit, it is rounded up, but to no more than the largest of any bucket.
    pub(crate) fn of_row(&self, row: u32, weighting: Weighting) -> Vec<(u32, Ratio, bool)> {
        let value = |part: usize| self.index.parts[part].value_of[row as usize];
        let mut found = self.index.each(
            1,
            |_, part| value(part),
            |_, matches| {
                let near = self.near(row, matches, weighting);
                let slack = self.slack(matches.len());
                let mut all = Sum::ZERO;
                let mut sums = vec![(Sum::ZERO, Ratio::new(0, 1)); near.len()];
                self.each_match(row, matches, |matched, entry, values| {
                    let by = match weighting {
                        Weighting::Equal => 1,
                        Weighting::BySize => self.index.sizes[matched.bucket as usize],
                    };
                    let share = self
                        .index
                        .exact_share(matched.bucket, value)
                        .and_then(|(part, whole)| Some((part.checked_mul(by.into())?, whole)));
                    all.add(share);
                    for &(slot, count) in values {
                        let at = near.partition_point(|own| own.0 < slot);
                        let (sum, most) = &mut sums[at];
                        sum.add(share.and_then(|(part, whole)| {
                            let part = part.checked_mul(count.into())?;
                            Some((part, whole.checked_mul(entry.count.into())?))
                        }));
                        *most = (*most).max(Ratio::new(count.into(), entry.count.into()));
                    }
                });
                let each = near.iter().zip(&sums).map(|(&(slot, near), &(sum, most))| {
                    match sum.share(all) {
                        // One bucket matches: there is nothing to average.
                        _ if matches.len() == 1 => (slot, most, true),
                        Some(exact) => (slot, exact, true),
                        None => (slot, upwards(near * slack).min(most), false),
                    }
                });
                each.collect()
            },
        );
        found.pop().unwrap_or_default()
    }

    /// By how much a probability may be off at most, as a factor.
    fn slack(&self, matches: usize) -> f64 {
        let terms = f64::from(u32::try_from(matches).unwrap_or(u32::MAX));
        1.0 + (2.0 * terms + 2.0 * self.index.roundings() + 16.0) * f64::EPSILON
    }

    /// About the probability of each sensitive slot for a row.
    fn near(&self, row: u32, matches: &[Match], weighting: Weighting) -> Vec<(u32, f64)> {
        let value = |part: usize| self.index.parts[part].value_of[row as usize];
        let mut all = 0.0;
        let mut met: Vec<(u32, f64)> = Vec::new();
        let is_dense = matches.len() > 1 && self.slots <= DENSE;
        let mut dense = vec![0.0; if is_dense { self.slots } else { 0 }];
        let mut add = |matched: &Match, entry: &Entry, values: &[(u32, u32)]| {
            let mut weight = self.index.share(matched, value).as_f64();
            if weighting == Weighting::BySize {
                weight *= f64::from(self.index.sizes[matched.bucket as usize]);
            }
            all += weight;
            let each = weight / f64::from(entry.count);
            let own = values.iter().map(|&(slot, count)| (slot, each * f64::from(count)));
            if is_dense {
                own.for_each(|(slot, own)| dense[slot as usize] += own);
            } else {
                met.extend(own);
            }
        };
        self.each_match(row, matches, &mut add);
        if !(TINY..f64::INFINITY).contains(&all) {
            return self.nearest(row, matches);
        }
        met.extend((0u32..).zip(dense).filter(|own| own.1 > 0.0));
        let mut merged = merge(met, |a, b| a + b);
        merged.iter_mut().for_each(|own| own.1 /= all);
        merged
    }

    /// For each sensitive slot, its largest probability in any bucket that matches: what an average
    /// does not exceed, where shares are too small to be averaged.
    fn nearest(&self, row: u32, matches: &[Match]) -> Vec<(u32, f64)> {
        let mut met = Vec::new();
        self.each_match(row, matches, |_, entry, values| {
            let share = |count: u32| f64::from(count) / f64::from(entry.count);
            met.extend(values.iter().map(|&(slot, count)| (slot, share(count))));
        });
        merge(met, f64::max)
    }

    /// Calls `look` with every match of a row, and with the sensitive values that are there with
    /// what is known.
    fn each_match(
        &self,
        row: u32,
        matches: &[Match],
        mut look: impl FnMut(&Match, &Entry, &[(u32, u32)]),
    ) {
        let own = &self.index.parts[self.part];
        let starts = own.lists.starts();
        let known = own.value_of[row as usize] as usize;
        let entries = &self.entries[starts[known]..starts[known + 1]];
        intersect(
            matches,
            |matched| matched.bucket,
            entries,
            |entry| entry.bucket,
            |matched, entry| {
                let values = &self.values[entry.start as usize..entry.end as usize];
                look(matched, entry, values);
            },
        );
    }
}

/// One number for each slot, in order.
fn merge(mut each: Vec<(u32, f64)>, with: impl Fn(f64, f64) -> f64) -> Vec<(u32, f64)> {
    each.sort_by_key(|own| own.0);
    each.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 = with(kept.1, next.1);
        }
        is_same
    });
    each
}
