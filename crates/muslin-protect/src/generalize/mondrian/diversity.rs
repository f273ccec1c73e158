//! Whether both sides of a cut meet a target.

use super::best::Candidate;
use super::cutter::Threshold;
use super::lanes::{Lane, Row};
use crate::class_target::Judge;

/// Judges sides of cuts; keeps its counts from one cut to the next.
#[derive(Clone, Debug)]
pub(super) struct Sides {
    left: Tally,
    right: Tally,
    keys: Vec<u64>,
}

/// Rows that have each value of each sensitive column.
#[derive(Clone, Debug)]
struct Tally {
    counts: Vec<Vec<u32>>,
    pairs: Vec<Vec<(u32, u32)>>,
}

/// The sensitive columns' slots by row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sensitive<'a> {
    pub(super) judge: &'a Judge,
    pub(super) slots: &'a [Vec<u32>],
}

impl Sensitive<'_> {
    /// Whether nothing but the number of rows matters.
    pub(super) fn is_size_alone(&self) -> bool {
        self.judge.parts().is_empty()
    }

    /// Whether a class of these rows meets the target.
    pub(super) fn is_met(&self, ids: &[u32]) -> bool {
        let mut tally = Tally::new(self.judge);
        ids.iter().for_each(|&id| tally.add(self, id));
        tally.is_met(self.judge, ids.len())
    }
}

impl Tally {
    fn new(judge: &Judge) -> Self {
        let columns = 0..judge.sensitive().len();
        let counts = columns.map(|at| vec![0; judge.totals(at).len()]).collect();
        Self { counts, pairs: vec![Vec::new(); judge.sensitive().len()] }
    }

    fn add(&mut self, sensitive: &Sensitive, id: u32) {
        let lists = self.counts.iter_mut().zip(&mut self.pairs);
        for ((counts, pairs), slots) in lists.zip(sensitive.slots) {
            let slot = slots[id as usize];
            let count = &mut counts[slot as usize];
            if *count == 0 {
                pairs.push((slot, 0));
            }
            *count += 1;
        }
    }

    /// Judges what was added, and forgets it.
    fn is_met(&mut self, judge: &Judge, size: usize) -> bool {
        for (counts, pairs) in self.counts.iter_mut().zip(&mut self.pairs) {
            pairs.sort_unstable();
            for (slot, count) in pairs {
                *count = std::mem::take(&mut counts[*slot as usize]);
            }
        }
        let met = is_met(judge, size, &self.pairs);
        self.pairs.iter_mut().for_each(Vec::clear);
        met
    }
}

fn is_met(judge: &Judge, size: usize, pairs: &[Vec<(u32, u32)>]) -> bool {
    let size = u32::try_from(size).expect("row ids are 32 bits wide");
    match pairs {
        [one] => judge.is_met(size, &[one]),
        pairs => judge.is_met(size, &pairs.iter().map(Vec::as_slice).collect::<Vec<_>>()),
    }
}

impl Sides {
    pub(super) fn new(judge: &Judge) -> Self {
        Self { left: Tally::new(judge), right: Tally::new(judge), keys: Vec::new() }
    }

    /// Whether both sides of a cut meet the target; `left` rows are on one.
    pub(super) fn are_met<T: Lane, const N: usize>(
        &mut self,
        sensitive: &Sensitive,
        rows: &[Row<T, N>],
        ids: &[u32],
        mut threshold: Threshold,
    ) -> bool {
        let mut left = 0;
        for (row, &id) in rows.iter().zip(ids) {
            let is_left = threshold.is_left(row);
            left += usize::from(is_left);
            let side = if is_left { &mut self.left } else { &mut self.right };
            side.add(sensitive, id);
        }
        let met = self.left.is_met(sensitive.judge, left);
        self.right.is_met(sensitive.judge, rows.len() - left) && met
    }

    /// Keeps those candidates of one lane whose sides both meet the target. They come, and stay, in
    /// rising order of position.
    pub(super) fn retain<T: Lane, const N: usize>(
        &mut self,
        sensitive: &Sensitive,
        rows: &[Row<T, N>],
        ids: &[u32],
        candidates: &mut Vec<Candidate>,
    ) {
        let Some(first) = candidates.first() else { return };
        let lane = first.lane as usize;
        let keys = &mut self.keys;
        keys.clear();
        let places = 0u32..;
        let key =
            |(at, row): (u32, &Row<T, N>)| u64::from(row[lane].position()) << 32 | u64::from(at);
        keys.extend(places.zip(rows).map(key));
        keys.sort_unstable();
        // Slots that occur are numbered in order; counts go by those numbers.
        let columns = sensitive.slots.len();
        let mut left: Vec<Vec<(u32, u32)>> = Vec::with_capacity(columns);
        let mut right = Vec::with_capacity(columns);
        for (number, slots) in self.left.counts.iter_mut().zip(sensitive.slots) {
            let mut pairs: Vec<(u32, u32)> =
                ids.iter().map(|&id| (slots[id as usize], 0)).collect();
            pairs.sort_unstable();
            pairs.dedup();
            (0u32..).zip(&pairs).for_each(|(at, &(slot, _))| number[slot as usize] = at);
            left.push(pairs.clone());
            ids.iter().for_each(|&id| pairs[number[slots[id as usize] as usize] as usize].1 += 1);
            right.push(pairs);
        }
        let (mut next, mut pairs) = (0, vec![Vec::new(); columns]);
        let mut met = |size: usize, counts: &[Vec<(u32, u32)>]| {
            for (pairs, counts) in pairs.iter_mut().zip(counts) {
                pairs.clear();
                pairs.extend(counts.iter().filter(|(_, count)| *count > 0));
            }
            is_met(sensitive.judge, size, &pairs)
        };
        candidates.retain(|candidate| {
            while let Some(&key) =
                keys.get(next).filter(|&&key| key >> 32 <= u64::from(candidate.position))
            {
                let id = ids[usize::try_from(key & u64::from(u32::MAX)).expect("32 bits")] as usize;
                for (at, slots) in sensitive.slots.iter().enumerate() {
                    let number = self.left.counts[at][slots[id] as usize] as usize;
                    left[at][number].1 += 1;
                    right[at][number].1 -= 1;
                }
                next += 1;
            }
            met(next, &left) && met(rows.len() - next, &right)
        });
        for (number, pairs) in self.left.counts.iter_mut().zip(&left) {
            pairs.iter().for_each(|&(slot, _)| number[slot as usize] = 0);
        }
    }
}
