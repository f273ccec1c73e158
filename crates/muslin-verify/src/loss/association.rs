//! How strongly columns go together, before and after.
//!
//! The mean-square contingency of two columns is
//!
//! ```text
//! phi2 = 1 / (min(d1, d2) - 1)  sum over i, j of (f_ij - f_i f_j)^2 / (f_i f_j)
//! ```
//!
//! where f are shares of rows and d1, d2 the bins that the original has: 0 for columns that are
//! independent, 1 where one decides the other. Numbers, days and times with more than 20 values are
//! put into 10 bins of equal width; missing is a bin of its own. After protection, f is what the
//! reconstruction expects, not what one arrangement of it shows, so that columns of one slice keep
//! what they had. A column that is withheld keeps nothing.

use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable};
use rayon::prelude::*;

use super::bins::Bins;
use super::found::{Halt, LeftOut};
use super::reconstruction::Reconstruction;
use super::spread::float;
use crate::Error;

/// Values that a column may have before it is put into bins.
const VALUES: usize = 20;
/// Bins of a column with more.
const BINS: u32 = 10;
/// Values of a column that has no bins, at most, besides a twentieth of the rows.
const MOST_VALUES: usize = 1_000;

/// Two columns of the original.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    first: ColumnId,
    second: ColumnId,
    before: f64,
    after: f64,
    is_within: bool,
}

impl Pair {
    /// The first column.
    pub fn first(&self) -> ColumnId {
        self.first
    }

    /// The second column.
    pub fn second(&self) -> ColumnId {
        self.second
    }

    /// Their phi2 in the original.
    pub fn before(&self) -> f64 {
        self.before
    }

    /// Their phi2 in the reconstruction.
    pub fn after(&self) -> f64 {
        self.after
    }

    /// Whether the two are in one slice. In a release without buckets all published columns are.
    pub fn is_within_slice(&self) -> bool {
        self.is_within
    }
}

/// How strongly columns go together, before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Association {
    pairs: Vec<Pair>,
    binned: Vec<ColumnId>,
    left_out: Vec<ColumnId>,
}

impl Association {
    /// Every pair of columns, in order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The columns that were put into bins.
    pub fn binned(&self) -> &[ColumnId] {
        &self.binned
    }

    /// Columns whose values have no distances and are too many to say anything: more than 20 and
    /// more than a twentieth of the rows, or more than 1,000.
    pub fn left_out(&self) -> &[ColumnId] {
        &self.left_out
    }

    /// The sum of phi2 after, by the sum before; nothing where that is 0.
    pub fn ratio(&self) -> Option<f64> {
        self.ratio_of(|_| true)
    }

    /// The same for the pairs within slices.
    pub fn ratio_within(&self) -> Option<f64> {
        self.ratio_of(|pair| pair.is_within)
    }

    /// The same for the pairs across slices.
    pub fn ratio_across(&self) -> Option<f64> {
        self.ratio_of(|pair| !pair.is_within)
    }

    /// The same for the pairs that have this column.
    pub fn ratio_with(&self, column: ColumnId) -> Option<f64> {
        self.ratio_of(|pair| pair.first == column || pair.second == column)
    }

    fn ratio_of(&self, wanted: impl Fn(&Pair) -> bool) -> Option<f64> {
        let pairs = || self.pairs.iter().filter(|pair| wanted(pair));
        let before: f64 = pairs().map(|pair| pair.before).sum();
        let after: f64 = pairs().map(|pair| pair.after).sum();
        (before > 0.0).then_some(after / before)
    }
}

/// A column in its bins.
struct Binned {
    at: usize,
    bins: usize,
    /// Bins that the original has rows in.
    used: usize,
    /// The bin of each row of the original.
    rows: Vec<u16>,
    /// For what each cell stands for, where its bins begin in `weights`.
    starts: Vec<usize>,
    weights: Vec<(u32, f64)>,
    /// Where each bucket's bins begin in `masses`; made where there are slices.
    bucket_starts: Vec<usize>,
    masses: Vec<(u32, f64)>,
}

/// phi2 of all pairs of columns.
pub(super) fn association(
    original: &EncodedTable,
    made: &Reconstruction,
    work_limit: u64,
    run: &Run,
) -> Result<Association, Halt> {
    let most = MOST_VALUES.min(VALUES.max(original.rows() / 20));
    let (mut chosen, mut binned, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for (at, column) in original.columns().iter().enumerate() {
        let bins = Bins::new(column, VALUES, BINS);
        if bins.is_binned {
            binned.push(ColumnId::new(at));
        }
        if bins.len() - 1 > most {
            left_out.push(ColumnId::new(at));
        } else {
            chosen.push((at, bins));
        }
    }
    let pairs = (chosen.len() * chosen.len().saturating_sub(1) / 2) as u64;
    let rows = original.rows() as u64 + made.rows;
    if pairs.saturating_mul(rows) > work_limit {
        return Err(LeftOut::Work { limit: work_limit }.into());
    }
    let column = |(at, bins): &(usize, Bins)| Binned::new(original, made, *at, bins, run);
    let columns: Vec<Binned> = chosen.par_iter().map(column).collect::<Result<_, Halt>>()?;
    let pairs: Vec<(usize, usize)> =
        (0..columns.len()).flat_map(|a| (a + 1..columns.len()).map(move |b| (a, b))).collect();
    let measure = |&(a, b): &(usize, usize)| -> Result<Pair, Halt> {
        run.check().map_err(Error::from)?;
        let (a, b) = (&columns[a], &columns[b]);
        let used = a.used.min(b.used);
        let mut joint = vec![0.0; a.bins * b.bins];
        before(a, b, &mut joint);
        let before = phi2(&joint, b.bins, float(original.rows() as u64), used);
        joint.fill(0.0);
        let is_published = made.places[a.at].is_some() && made.places[b.at].is_some();
        let is_within = made.is_linked(a.at, b.at);
        if is_within {
            within(made, a, b, &mut joint);
        } else if is_published {
            across(made, a, b, &mut joint);
        }
        let after = if is_published { phi2(&joint, b.bins, float(made.rows), used) } else { 0.0 };
        let (first, second) = (ColumnId::new(a.at), ColumnId::new(b.at));
        Ok(Pair { first, second, before, after, is_within })
    };
    let pairs = pairs.par_iter().map(measure).collect::<Result<_, Halt>>()?;
    Ok(Association { pairs, binned, left_out })
}

impl Binned {
    fn new(
        original: &EncodedTable,
        made: &Reconstruction,
        at: usize,
        bins: &Bins,
        run: &Run,
    ) -> Result<Self, Halt> {
        run.check().map_err(Error::from)?;
        let spread = &made.spreads[at];
        let of_position = bins.of_positions();
        let narrow = |bin: u32| u16::try_from(bin).expect("there are few bins");
        let slots = original.columns()[at].codes().slots();
        let rows: Vec<u16> = slots.map(|slot| narrow(of_position[slot as usize])).collect();
        let mut used = vec![false; bins.len()];
        rows.iter().for_each(|&bin| used[usize::from(bin)] = true);
        let (mut starts, mut weights) = (vec![0], Vec::new());
        for number in (0u32..).take(spread.len()) {
            match of_position.get(number as usize) {
                Some(&bin) => weights.push((bin, 1.0)),
                None => weights.extend(spread.stretches(number, &bins.starts)),
            }
            starts.push(weights.len());
        }
        let used = used.into_iter().filter(|&used| used).count();
        let (bucket_starts, masses) = (Vec::new(), Vec::new());
        let bins = bins.len();
        let mut made_of = Self { at, bins, used, rows, starts, weights, bucket_starts, masses };
        if made.parts.len() > 1 {
            made_of.count_buckets(made);
        }
        Ok(made_of)
    }

    fn weights(&self, number: u32) -> &[(u32, f64)] {
        stretch(&self.starts, &self.weights, number as usize)
    }

    /// The rows of each bucket, by bin.
    fn count_buckets(&mut self, made: &Reconstruction) {
        let Some((part, place)) = made.places[self.at] else { return };
        let mut sums = vec![0.0; self.bins];
        let mut bucket_starts = vec![0];
        let mut masses: Vec<(u32, f64)> = Vec::new();
        let mut tuples = made.parts[part].tuples.iter().peekable();
        let mut touched: Vec<u32> = Vec::new();
        for bucket in (0u32..).take(made.buckets.len()) {
            while let Some((tuple, rows)) = tuples.next_if(|(tuple, _)| tuple[0] == bucket) {
                for &(bin, weight) in self.weights(tuple[place]) {
                    sums[bin as usize] += float(rows) * weight;
                    touched.push(bin);
                }
            }
            touched.sort_unstable();
            touched.dedup();
            let here = touched.drain(..);
            masses.extend(here.map(|bin| (bin, std::mem::take(&mut sums[bin as usize]))));
            bucket_starts.push(masses.len());
        }
        (self.bucket_starts, self.masses) = (bucket_starts, masses);
    }
}

fn stretch<'a>(starts: &[usize], all: &'a [(u32, f64)], at: usize) -> &'a [(u32, f64)] {
    &all[starts[at]..starts[at + 1]]
}

fn before(a: &Binned, b: &Binned, joint: &mut [f64]) {
    for (&i, &j) in a.rows.iter().zip(&b.rows) {
        joint[usize::from(i) * b.bins + usize::from(j)] += 1.0;
    }
}

/// Adds rows that have one bin of each, with weights.
fn add(rows: f64, a: &[(u32, f64)], b: &[(u32, f64)], bins: usize, joint: &mut [f64]) {
    for &(i, weight) in a {
        let line = &mut joint[i as usize * bins..][..bins];
        b.iter().for_each(|&(j, other)| line[j as usize] += rows * weight * other);
    }
}

fn within(made: &Reconstruction, a: &Binned, b: &Binned, joint: &mut [f64]) {
    let (Some((part, at)), Some((_, other))) = (made.places[a.at], made.places[b.at]) else {
        return;
    };
    for (tuple, rows) in made.parts[part].tuples.iter() {
        add(float(rows), a.weights(tuple[at]), b.weights(tuple[other]), b.bins, joint);
    }
}

fn across(made: &Reconstruction, a: &Binned, b: &Binned, joint: &mut [f64]) {
    for (bucket, &rows) in made.buckets.iter().enumerate() {
        let first = stretch(&a.bucket_starts, &a.masses, bucket);
        let second = stretch(&b.bucket_starts, &b.masses, bucket);
        add(1.0 / float(rows), first, second, b.bins, joint);
    }
}

/// phi2 of a table of so many rows, in lines of `bins`.
fn phi2(joint: &[f64], bins: usize, rows: f64, used: usize) -> f64 {
    if used < 2 || rows <= 0.0 {
        return 0.0;
    }
    let mut columns = vec![0.0; bins];
    for line in joint.chunks_exact(bins) {
        columns.iter_mut().zip(line).for_each(|(sum, cell)| *sum += cell / rows);
    }
    let mut sum = 0.0;
    for line in joint.chunks_exact(bins) {
        let share = line.iter().sum::<f64>() / rows;
        if share > 0.0 {
            for (cell, &column) in line.iter().zip(&columns).filter(|(_, column)| **column > 0.0) {
                sum += (cell / rows - share * column).powi(2) / (share * column);
            }
        }
    }
    sum / (float(used as u64) - 1.0)
}
