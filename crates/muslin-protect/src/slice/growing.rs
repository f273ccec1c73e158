//! Splits that are accepted when p(t,s) stays at most 1/l over all buckets that match.
//!
//! Rows that agree on all that is known are one *kind*. A kind that matches half of a bucket matched
//! the whole, so a split concerns only the kinds that matched what is split, and each bucket knows
//! its kinds.

use std::collections::VecDeque;

use hashbrown::HashMap;
use muslin_engine::Partition;
use muslin_table::{ColumnId, ColumnSet, EncodedTable, Ratio};

use super::buckets::{Buckets, Splits};
use super::diversity::classes;
use super::fraction::Sum;
use super::layout::Layout;

/// Buckets while they are split.
pub(super) struct Growing {
    /// For each part: the value of each kind, and of each row.
    parts: Vec<(Vec<u32>, Vec<u32>)>,
    /// The same for what parts share with earlier ones.
    shared: Vec<(Vec<u32>, Vec<u32>)>,
    /// The part that has the sensitive column.
    own: usize,
    slot_of: Vec<u32>,
    l: u32,
    /// The buckets that each kind matches, and how it stands there.
    matches: Vec<Vec<(usize, Standing)>>,
}

/// How a kind stands in a bucket: its share of the rows as a fraction where that fits, and how many
/// rows of the bucket share what is known, by sensitive slot.
#[derive(Clone, Debug)]
struct Standing {
    share: Option<(u128, u128)>,
    alike: u32,
    slots: Vec<(u32, u32)>,
}

type Map<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// What a bucket has.
struct Held {
    size: u32,
    parts: Vec<Map<u32, u32>>,
    shared: Vec<Map<u32, u32>>,
    slots: Map<u32, Vec<(u32, u32)>>,
}

impl Growing {
    pub(super) fn new(table: &EncodedTable, layout: &Layout, sensitive: ColumnId, l: u32) -> Self {
        let unknown: ColumnSet = [sensitive].into_iter().collect();
        let all = layout.parts.iter().fold(ColumnSet::new(), |set, part| set.union(&part.columns));
        let kinds = classes(table, &all.difference(&unknown));
        let first = kinds.first_rows();
        let values = |columns: &ColumnSet| {
            let values: Partition = classes(table, columns);
            let of_row = values.class_of().to_vec();
            (first.iter().map(|&row| of_row[row as usize]).collect(), of_row)
        };
        let parts = layout.parts.iter().map(|part| values(&part.columns.difference(&unknown)));
        let shared = layout.parts.iter().skip(1).map(|part| values(&part.shared));
        Self {
            parts: parts.collect(),
            shared: shared.collect(),
            own: layout.sensitive,
            slot_of: table.column(sensitive).codes().slots().collect(),
            l,
            matches: vec![Vec::new(); first.len()],
        }
    }

    /// Splits all rows, first buckets first. The unsplit table is known to be diverse.
    pub(super) fn run(mut self, splits: &Splits<'_>, rows: u32) -> Buckets {
        let mut all: Vec<u32> = (0..rows).collect();
        let mut spare = vec![0; all.len()];
        let kinds: Vec<usize> = (0..self.matches.len()).collect();
        let whole = self.held(&all);
        for &kind in &kinds {
            let standing = self.standing(kind, &whole).expect("every kind is in the table");
            self.matches[kind].push((0, standing));
        }
        let mut next = 1;
        // A bucket: its number, where it begins and ends, and its kinds.
        let mut open = VecDeque::from([(0, 0, all.len(), kinds)]);
        let mut ends: Vec<usize> = Vec::new();
        while let Some((number, start, end, kinds)) = open.pop_front() {
            let mut after: Vec<(usize, [Option<Standing>; 2])> = Vec::new();
            let mut accept = |low: &[u32], high: &[u32]| {
                let halves = [self.held(low), self.held(high)];
                after.clear();
                kinds.iter().all(|&kind| {
                    let new = [0, 1].map(|half: usize| self.standing(kind, &halves[half]));
                    let others = self.matches[kind].iter().filter(|own| own.0 != number);
                    let met = self.is_diverse(others.map(|own| &own.1).chain(new.iter().flatten()));
                    after.push((kind, new));
                    met
                })
            };
            let split = splits.once(&mut all[start..end], &mut spare[start..end], &mut accept);
            let Some(left) = split else {
                ends.push(end);
                continue;
            };
            let mut halves = [Vec::new(), Vec::new()];
            for (kind, new) in after {
                self.matches[kind].retain(|own| own.0 != number);
                for (half, standing) in new.into_iter().enumerate() {
                    if let Some(standing) = standing {
                        self.matches[kind].push((next + half, standing));
                        halves[half].push(kind);
                    }
                }
            }
            let [low, high] = halves;
            open.push_back((next, start, start + left, low));
            open.push_back((next + 1, start + left, end, high));
            next += 2;
        }
        ends.sort_unstable();
        let starts = [0].into_iter().chain(ends.iter().copied());
        let size = |(start, &end): (usize, &usize)| u32::try_from(end - start).expect("32 bits");
        let sizes = starts.zip(&ends).map(size).collect();
        Buckets { rows: all, sizes, stop: splits.stop() }
    }

    fn held(&self, rows: &[u32]) -> Held {
        let count = |of_row: &[u32]| {
            let mut counts: Map<u32, u32> = Map::default();
            rows.iter().for_each(|&row| *counts.entry(of_row[row as usize]).or_default() += 1);
            counts
        };
        let mut slots: Map<u32, Vec<(u32, u32)>> = Map::default();
        let of_row = &self.parts[self.own].1;
        for &row in rows {
            let own = slots.entry(of_row[row as usize]).or_default();
            let slot = self.slot_of[row as usize];
            match own.iter_mut().find(|own| own.0 == slot) {
                Some(known) => known.1 += 1,
                None => own.push((slot, 1)),
            }
        }
        Held {
            size: u32::try_from(rows.len()).expect("row ids are 32 bits wide"),
            parts: self.parts.iter().map(|(_, of_row)| count(of_row)).collect(),
            shared: self.shared.iter().map(|(_, of_row)| count(of_row)).collect(),
            slots,
        }
    }

    /// How a kind stands in a bucket, where it matches.
    fn standing(&self, kind: usize, held: &Held) -> Option<Standing> {
        let mut share = Some((1u128, u128::from(held.size)));
        for ((of_kind, _), counts) in self.parts.iter().zip(&held.parts) {
            let count = *counts.get(&of_kind[kind])?;
            share = share.and_then(|(part, whole)| Some((part.checked_mul(count.into())?, whole)));
        }
        for ((of_kind, _), counts) in self.shared.iter().zip(&held.shared) {
            let count = *counts.get(&of_kind[kind])?;
            share = share.and_then(|(part, whole)| Some((part, whole.checked_mul(count.into())?)));
        }
        let known = self.parts[self.own].0[kind];
        let alike = held.parts[self.own][&known];
        Some(Standing { share, alike, slots: held.slots[&known].clone() })
    }

    /// Whether no sensitive value is likelier than 1/l. What does not fit 128 bits is not accepted,
    /// unless every bucket by itself is diverse.
    fn is_diverse<'a>(&self, standings: impl Iterator<Item = &'a Standing> + Clone) -> bool {
        let is_met = |own: &Standing| {
            own.slots
                .iter()
                .all(|own_slot| u64::from(own_slot.1) * u64::from(self.l) <= u64::from(own.alike))
        };
        if standings.clone().all(is_met) {
            return true;
        }
        let mut all = Sum::ZERO;
        let mut sums: Map<u32, Sum> = Map::default();
        for own in standings {
            all.add(own.share);
            for &(slot, count) in &own.slots {
                let share = own.share.and_then(|(part, whole)| {
                    let part = part.checked_mul(count.into())?;
                    Some((part, whole.checked_mul(own.alike.into())?))
                });
                sums.entry(slot).or_insert(Sum::ZERO).add(share);
            }
        }
        let limit = Ratio::new(1, self.l.into());
        sums.values().all(|sum| sum.share(all).is_some_and(|share| share <= limit))
    }
}
