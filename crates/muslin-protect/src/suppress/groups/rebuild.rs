//! Puts rows without a group into groups, guided by multipliers.
//!
//! A row's multiplier is what it costs about in the best protection. So of the groups that free rows
//! can make or join, the one comes first whose rows cost least above their multipliers.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use muslin_engine::Seed;

use super::candidates::{Candidates, OfKinds};
use super::diversity::Diversity;
use super::kinds::Kinds;
use super::{MILLION, as_f64};

/// What is known while rows are put into groups.
pub(super) struct Rebuild<'a> {
    pub(super) kinds: &'a Kinds,
    pub(super) candidates: &'a Candidates,
    pub(super) of: &'a OfKinds,
    /// About what a row of each kind costs.
    pub(super) multipliers: &'a [f64],
    pub(super) k: u32,
    /// What a cell costs about.
    pub(super) unit: f64,
    pub(super) diversity: Option<Diversity<'a>>,
}

/// Where free rows would go.
#[derive(Debug)]
pub(super) struct Proposal {
    /// Group, kind, and how many rows of it.
    pub(super) takes: Vec<(u32, u32, u32)>,
    /// What they cost there.
    pub(super) cost: u64,
    /// Kinds, and how many rows of each, that find no group.
    pub(super) left: Vec<(u32, u32)>,
}

/// What one thread needs again and again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The number of a group among those near, from one; zero for others.
    near: Vec<u32>,
}

/// A free kind.
struct Free {
    kind: u32,
    rows: u32,
    worth: f64,
}

/// A group near free rows.
struct Near {
    group: u32,
    cost: f64,
    /// Rows it had before and has taken.
    rows: u32,
    /// Its free kinds, as a stretch of a list.
    first: usize,
    end: usize,
}

/// What is this close to nothing is nothing.
const TINY: f64 = 1e-9;

impl Rebuild<'_> {
    /// A group for each of the free rows, where `sizes` are the rows that groups have without them.
    /// Noise makes a choice other than the first thought.
    pub(super) fn propose(
        &self,
        free: &[(u32, u32)],
        sizes: &(dyn Fn(u32) -> usize + Sync),
        noise: f64,
        seed: Seed,
        scratch: &mut Scratch,
    ) -> Proposal {
        let mut free: Vec<Free> = (0u64..)
            .zip(free)
            .map(|(at, &(kind, rows))| {
                let worth = self.multipliers[kind as usize] + noise * (seed.unit(at) - 0.5);
                Free { kind, rows, worth }
            })
            .collect();
        // The dearest first: so they stand in every group, whatever it costs.
        free.sort_by(|a, b| b.worth.total_cmp(&a.worth).then(a.kind.cmp(&b.kind)));
        let (mut near, fits) = self.near(&free, sizes, scratch);
        let mut heap: BinaryHeap<Entry> = (0..near.len())
            .filter_map(|at| Some(Entry { score: self.score(&near[at], &fits, &free)?, at }))
            .collect();
        let mut proposal = Proposal { takes: Vec::new(), cost: 0, left: Vec::new() };
        let mut left: usize = free.iter().map(|free| free.rows as usize).sum();
        while let Some(Entry { score, at }) = heap.pop() {
            let Some(now) = self.score(&near[at], &fits, &free) else { continue };
            if now > score + TINY {
                heap.push(Entry { score: now, at });
                continue;
            }
            let Some(chosen) = self.choose(&near[at], &fits, &free) else { continue };
            let here = &mut near[at];
            for (index, rows) in chosen {
                free[index].rows -= rows;
                here.rows += rows;
                left -= rows as usize;
                proposal.takes.push((here.group, free[index].kind, rows));
                proposal.cost += self.candidates.cost(here.group) * u64::from(rows);
            }
            if left == 0 {
                break;
            }
            if let Some(score) = self.score(&near[at], &fits, &free) {
                heap.push(Entry { score, at });
            }
        }
        self.join(&free, &near, &fits, &mut proposal);
        proposal
    }

    /// The groups that free rows can make, or join, and the free kinds that fit each.
    fn near(
        &self,
        free: &[Free],
        sizes: &(dyn Fn(u32) -> usize + Sync),
        scratch: &mut Scratch,
    ) -> (Vec<Near>, Vec<u32>) {
        let numbers = &mut scratch.near;
        numbers.resize(self.candidates.len(), 0);
        // Every group that a free kind fits: its rows, and how many kinds.
        let mut met: Vec<(u32, u32, u32)> = Vec::new();
        for free in free {
            for &group in self.of.groups(free.kind) {
                let number = &mut numbers[group as usize];
                if *number == 0 {
                    met.push((group, 0, 0));
                    *number = u32::try_from(met.len()).expect("groups are counted in 32 bits");
                }
                let (_, rows, kinds) = &mut met[*number as usize - 1];
                *rows = rows.saturating_add(free.rows);
                *kinds += 1;
            }
        }
        let (mut near, mut end) = (Vec::new(), 0usize);
        for &(group, rows, kinds) in &met {
            let size = u32::try_from(sizes(group)).unwrap_or(u32::MAX);
            let number = &mut numbers[group as usize];
            *number = 0;
            if rows >= self.k || size >= self.k {
                let cost = as_f64(self.candidates.cost(group)) / MILLION;
                near.push(Near { group, cost, rows: size, first: end, end });
                end += kinds as usize;
                *number = u32::try_from(near.len()).expect("groups are counted in 32 bits");
            }
        }
        let mut fits = vec![0u32; end];
        for (index, free) in (0u32..).zip(free) {
            for &group in self.of.groups(free.kind) {
                if let Some(number) = numbers[group as usize].checked_sub(1) {
                    let near = &mut near[number as usize];
                    fits[near.end] = index;
                    near.end += 1;
                }
            }
        }
        met.iter().for_each(|&(group, ..)| numbers[group as usize] = 0);
        (near, fits)
    }

    /// What the rows that a group would take cost above their multipliers, on average.
    fn score(&self, near: &Near, fits: &[u32], free: &[Free]) -> Option<f64> {
        let (mut sum, mut rows) = (0.0, 0);
        let mut needed = if near.rows >= self.k { 0 } else { self.k };
        for &index in &fits[near.first..near.end] {
            let kind = &free[index as usize];
            let less = near.cost - kind.worth;
            let taken = if less <= TINY { kind.rows } else { kind.rows.min(needed) };
            if less > TINY && needed == 0 {
                break;
            }
            sum += less * f64::from(taken);
            rows += taken;
            needed = needed.saturating_sub(taken);
        }
        (rows > 0 && needed == 0).then(|| sum / f64::from(rows))
    }

    /// The free kinds that a group takes, and how many rows of each.
    fn choose(&self, near: &Near, fits: &[u32], free: &[Free]) -> Option<Vec<(usize, u32)>> {
        let mut chosen = Vec::new();
        let mut needed = if near.rows >= self.k { 0 } else { self.k };
        for &index in &fits[near.first..near.end] {
            let kind = &free[index as usize];
            let less = near.cost - kind.worth;
            let taken = if less <= TINY { kind.rows } else { kind.rows.min(needed) };
            if less > TINY && needed == 0 {
                break;
            }
            needed = needed.saturating_sub(taken);
            if taken > 0 {
                chosen.push((index as usize, taken));
            }
        }
        let Some(diversity) = &self.diversity else { return Some(chosen) };
        let fits = fits[near.first..near.end].iter().map(|&index| {
            let free = &free[index as usize];
            (index as usize, free.kind, free.rows)
        });
        // Rows that came before are diverse by themselves, and so are two such together.
        diversity.extend(chosen, |index| free[index].kind, fits)
    }

    /// Rows that are left join the cheapest group that has enough rows.
    fn join(&self, free: &[Free], near: &[Near], fits: &[u32], proposal: &mut Proposal) {
        if free.iter().all(|free| free.rows == 0) {
            return;
        }
        let mut best: Vec<Option<usize>> = vec![None; free.len()];
        for (at, here) in near.iter().enumerate().filter(|(_, here)| here.rows >= self.k) {
            for &index in &fits[here.first..here.end] {
                let best = &mut best[index as usize];
                if best.is_none_or(|best| near[best].cost > here.cost) {
                    *best = Some(at);
                }
            }
        }
        for (free, best) in free.iter().zip(best).filter(|(free, _)| free.rows > 0) {
            match best.filter(|_| self.diversity.is_none()) {
                Some(at) => {
                    let group = near[at].group;
                    proposal.takes.push((group, free.kind, free.rows));
                    proposal.cost += self.candidates.cost(group) * u64::from(free.rows);
                }
                None => proposal.left.push((free.kind, free.rows)),
            }
        }
    }
}

/// A group and its score; the smallest score is the greatest entry.
struct Entry {
    score: f64,
    at: usize,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(other.at.cmp(&self.at))
    }
}
