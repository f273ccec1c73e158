//! How far the reconstruction is from the original: KL(P || Q).
//!
//! P is the share of the original's rows that are x, Q the share that the reconstruction expects,
//! and the divergence is the sum over the original's distinct tuples x of P(x) ln(P(x) / Q(x)). It
//! is infinite where Q is 0 for some x that P has.
//!
//! # Method
//! The tuples of the original and those of the release are in lexicographic order, so tuples with a
//! common beginning are a stretch. Both are walked together, column by column: stretches of the
//! original that have a value are paired with the stretches of the release that give it weight. A
//! pair is looked at once for all tuples in it, and what does not fit is never looked at again.
//! Columns that say most come first.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use muslin_engine::Run;
use muslin_table::EncodedTable;
use rayon::prelude::*;

use super::found::{Halt, LeftOut};
use super::reconstruction::{Reconstruction, positions};
use super::spread::{Spread, float};
use super::tuples::{Strip, Tuples};

/// How far the reconstruction is from the original.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divergence {
    nats: f64,
    unreached: f64,
}

impl Divergence {
    /// KL(P || Q) in nats; infinite where the reconstruction rules out what the original has.
    pub fn nats(&self) -> f64 {
        self.nats
    }

    /// The share of the original's rows that the reconstruction rules out.
    pub fn unreached(&self) -> f64 {
        self.unreached
    }
}

/// Stretches of the original that threads take: a fixed number, so that the steps counted are the
/// same at any number of threads.
const STRETCHES: usize = 64;

/// The divergence over some columns.
pub(super) fn divergence(
    original: &EncodedTable,
    made: &Reconstruction,
    columns: &[usize],
    work_limit: u64,
    run: &Run,
) -> Result<Divergence, Halt> {
    let strips: Vec<Strip> = columns.iter().map(|&at| positions(original, at)).collect();
    let truth = Tuples::of(&strips, original.rows(), None, run)?;
    drop(strips);
    let work = Work { done: AtomicU64::new(0), limit: work_limit, run };
    let mut sides = Vec::new();
    for part in 0..made.parts.len() {
        let in_part = |&place: &usize| made.places[columns[place]].is_some_and(|at| at.0 == part);
        let places: Vec<usize> = (0..columns.len()).filter(in_part).collect();
        if !places.is_empty() {
            sides.push(Side::new(&truth, made, columns, part, places, &work)?);
        }
    }
    let withheld: Vec<usize> =
        (0..columns.len()).filter(|&place| made.places[columns[place]].is_none()).collect();
    let shortest = |at: usize| sides.iter().map(|side| side.of(at).len()).min().unwrap_or(0);
    let lookups: u64 = (0..truth.len()).into_par_iter().map(|at| shortest(at) as u64).sum();
    work.take(lookups.saturating_mul(sides.len() as u64))?;
    let expected = |at: usize| -> Result<f64, Halt> {
        if at.is_multiple_of(1_024) {
            work.take(0)?;
        }
        if made.rows == 0 {
            return Ok(0.0);
        }
        let tuple = truth.tuple(at);
        let alone: f64 =
            withheld.iter().map(|&place| made.spreads[columns[place]].any(tuple[place])).product();
        let mut lists: Vec<&[(u32, f64)]> = sides.iter().map(|side| side.of(at)).collect();
        lists.sort_by_key(|list| list.len());
        let Some((shortest, others)) = lists.split_first() else { return Ok(alone) };
        let rows = shortest.iter().map(|&(bucket, mass)| {
            let size = float(made.buckets[bucket as usize]);
            others.iter().try_fold(mass, |rows, other| {
                let found = other.binary_search_by_key(&bucket, |entry| entry.0).ok()?;
                Some(rows * other[found].1 / size)
            })
        });
        Ok(alone * rows.flatten().sum::<f64>() / float(made.rows))
    };
    let expected = (0..truth.len()).into_par_iter().map(expected);
    let expected: Vec<f64> = expected.collect::<Result<_, Halt>>()?;
    let (mut nats, mut unreached) = (0.0, 0u64);
    let total = float(original.rows() as u64);
    for (at, &expected) in expected.iter().enumerate() {
        let share = float(truth.rows(at)) / total;
        if expected > 0.0 {
            nats += share * (share / expected).ln();
        } else {
            unreached += truth.rows(at);
        }
    }
    let nats = if unreached > 0 { f64::INFINITY } else { nats };
    let unreached = if total > 0.0 { float(unreached) / total } else { 0.0 };
    Ok(Divergence { nats, unreached })
}

/// Steps that were taken, of those that may be.
struct Work<'a> {
    done: AtomicU64,
    limit: u64,
    run: &'a Run,
}

impl Work<'_> {
    /// Counts steps.
    fn take(&self, steps: u64) -> Result<(), Halt> {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        self.run.check().map_err(crate::Error::from)?;
        if done > self.limit {
            return Err(LeftOut::Work { limit: self.limit }.into());
        }
        Ok(())
    }
}

/// Buckets, in order, and the rows that are expected of each.
type Masses = Vec<(u32, f64)>;

/// What one slice says about each tuple of the original.
struct Side {
    /// The tuple of this slice's columns that each tuple of the original has.
    of_tuple: Vec<u32>,
    /// What is expected of each of these.
    masses: Vec<Masses>,
}

impl Side {
    fn new(
        truth: &Tuples,
        made: &Reconstruction,
        columns: &[usize],
        part: usize,
        mut places: Vec<usize>,
        work: &Work,
    ) -> Result<Self, Halt> {
        let place_in_part = |place: usize| made.places[columns[place]].map_or(0, |at| at.1);
        let tuples = &made.parts[part].tuples;
        // Weighted by rows, the share of positions that a cell covers.
        let openness = |place: usize| {
            let spread = &made.spreads[columns[place]];
            let at = place_in_part(place);
            let covered = |number: u32| spread.covered(number) as u64;
            let sum: u64 = tuples.iter().map(|(tuple, rows)| rows * covered(tuple[at])).sum();
            float(sum) / float(spread.positions() as u64)
        };
        let mut keyed: Vec<(f64, usize)> = places.iter().map(|&at| (openness(at), at)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        places = keyed.into_iter().map(|(_, place)| place).collect();

        let ends = |place: usize| made.spreads[columns[place]].positions();
        let own: Vec<(usize, usize)> = places.iter().map(|&at| (at, ends(at))).collect();
        let distinct = truth.project(&own, work.run)?;
        let mut published: Vec<(usize, usize)> = Vec::new();
        for &place in &places {
            published.push((place_in_part(place), made.spreads[columns[place]].len()));
        }
        published.push((0, made.buckets.len()));
        let published = tuples.project(&published, work.run)?;
        let spreads: Vec<&Spread> = places.iter().map(|&at| &made.spreads[columns[at]]).collect();

        let kept = if made.buckets.len() > 1 { 16 } else { 1 };
        let step = distinct.len().div_ceil(STRETCHES).max(1);
        let starts: Vec<usize> = (0..distinct.len()).step_by(step).collect();
        let walk = |&start: &usize| {
            let range = start..distinct.len().min(start + step);
            let join =
                Join { distinct: &distinct, published: &published, spreads: &spreads, kept, work };
            join.run(range)
        };
        let found: Vec<Vec<Masses>> = starts.par_iter().map(walk).collect::<Result<_, Halt>>()?;
        let masses = found.into_iter().flatten().collect();
        let number = |at: usize| {
            let tuple = truth.tuple(at);
            let wanted = places.iter().map(|&place| tuple[place]);
            find(&distinct, wanted.collect::<Vec<_>>().as_slice())
        };
        let of_tuple = if truth.width() == places.len() && places.is_sorted() {
            (0u32..).take(truth.len()).collect()
        } else {
            (0..truth.len()).into_par_iter().map(number).collect()
        };
        Ok(Self { of_tuple, masses })
    }

    fn of(&self, tuple: usize) -> &[(u32, f64)] {
        &self.masses[self.of_tuple[tuple] as usize]
    }
}

/// The number of a tuple that is there.
fn find(tuples: &Tuples, wanted: &[u32]) -> u32 {
    let at = partition(0..tuples.len(), |at| tuples.tuple(at) < wanted);
    u32::try_from(at).expect("no more tuples than rows")
}

/// Two lists of tuples, walked together.
struct Join<'a> {
    distinct: &'a Tuples,
    published: &'a Tuples,
    spreads: &'a [&'a Spread],
    /// Steps that an entry of a list counts for: with many buckets it costs memory too.
    kept: u64,
    work: &'a Work<'a>,
}

/// A walk over some tuples of the original.
struct Walk {
    start: usize,
    masses: Vec<Masses>,
    steps: u64,
}

impl Join<'_> {
    /// What is expected of each of these tuples.
    fn run(&self, range: Range<usize>) -> Result<Vec<Masses>, Halt> {
        let masses = vec![Vec::new(); range.len()];
        let mut walk = Walk { start: range.start, masses, steps: 0 };
        let all = 0..self.published.len();
        self.walk(range, all, 0, 1.0, &mut walk)?;
        self.work.take(walk.steps)?;
        for list in &mut walk.masses {
            // Stable, so rows of one bucket are summed in the order of the release's tuples.
            list.sort_by_key(|entry| entry.0);
            list.dedup_by(|later, kept| {
                let is_same = later.0 == kept.0;
                kept.1 += if is_same { later.1 } else { 0.0 };
                is_same
            });
        }
        Ok(walk.masses)
    }

    fn walk(
        &self,
        own: Range<usize>,
        published: Range<usize>,
        place: usize,
        weight: f64,
        walk: &mut Walk,
    ) -> Result<(), Halt> {
        if walk.steps >= 1 << 16 {
            self.work.take(std::mem::take(&mut walk.steps))?;
        }
        let Some(spread) = self.spreads.get(place) else {
            // One tuple of the original; the release's differ in their bucket alone.
            walk.steps += self.kept * published.len() as u64;
            let list = &mut walk.masses[own.start - walk.start];
            for at in published {
                let bucket = self.published.tuple(at)[place];
                let mass = weight * float(self.published.rows(at));
                match list.last_mut() {
                    Some(last) if last.0 == bucket => last.1 += mass,
                    _ => list.push((bucket, mass)),
                }
            }
            return Ok(());
        };
        // Values by themselves come before all else, in order.
        let positions = u32::try_from(spread.positions()).expect("positions have numbers");
        let others = published.start
            + partition(published.clone(), |at| self.published.tuple(at)[place] < positions);
        let wide: Vec<Range<usize>> =
            stretches(self.published, others..published.end, place).collect();
        for own in stretches(self.distinct, own, place) {
            let position = self.distinct.tuple(own.start)[place];
            walk.steps += 1 + wide.len() as u64;
            let below = |at: usize| self.published.tuple(at)[place] < position;
            let upto = |at: usize| self.published.tuple(at)[place] <= position;
            let first = published.start + partition(published.start..others, below);
            let last = first + partition(first..others, upto);
            if first < last {
                self.walk(own.clone(), first..last, place + 1, weight, walk)?;
            }
            for stretch in &wide {
                let number = self.published.tuple(stretch.start)[place];
                let part = spread.weight(number, position);
                if part > 0.0 {
                    self.walk(own.clone(), stretch.clone(), place + 1, weight * part, walk)?;
                }
            }
        }
        Ok(())
    }
}

/// How many of a range a condition holds for, where it holds for none after one it fails for.
fn partition(range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low - range.start
}

/// Stretches of tuples that are alike up to a place, split by the number they have there.
fn stretches(
    tuples: &Tuples,
    range: Range<usize>,
    place: usize,
) -> impl Iterator<Item = Range<usize>> {
    let mut start = range.start;
    std::iter::from_fn(move || {
        if start >= range.end {
            return None;
        }
        let number = tuples.tuple(start)[place];
        // Most stretches are short: steps double until one is too long.
        let is_same = |at: usize| tuples.tuple(at)[place] == number;
        let (mut known, mut step) = (start, 1);
        while known + step < range.end && is_same(known + step) {
            known += step;
            step *= 2;
        }
        let end = known + partition(known..range.end.min(known + step), is_same);
        let found = start..end;
        start = end;
        Some(found)
    })
}
