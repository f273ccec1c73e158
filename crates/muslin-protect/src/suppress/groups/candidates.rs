//! The groups that rows may be published in.
//!
//! A group keeps some columns and blanks the others; it takes rows that are equal on those it
//! keeps. Only *closed* ones matter: where all rows that fit also agree on a blanked column, the
//! group that keeps it too takes the same rows at a lower cost. Closed groups of at least k rows are
//! the closed frequent itemsets of the table, and they are listed as those are: each once, from the
//! closure of one with a column less.
//!
//! LCM: Uno, Asai, Uchida and Arimura, An efficient algorithm for enumerating closed patterns in
//! transaction databases. 2004.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use muslin_engine::Run;
use rayon::prelude::*;

use super::costs::Costs;
use super::kinds::Kinds;
use crate::Result;

/// Closed groups, and the kinds of rows that fit each.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// The columns that each keeps, as bits.
    kept: Vec<u128>,
    /// What a row costs in each.
    costs: Vec<u64>,
    /// Where the kinds of each end.
    ends: Vec<usize>,
    kinds: Vec<u32>,
}

/// Nodes with fewer kinds than this are not shared out among threads.
const SHARED: usize = 1 << 11;

impl Candidates {
    pub(super) fn len(&self) -> usize {
        self.costs.len()
    }

    /// What a row costs in a group.
    pub(super) fn cost(&self, group: u32) -> u64 {
        self.costs[group as usize]
    }

    /// The columns that a group keeps, as bits.
    pub(super) fn kept(&self, group: u32) -> u128 {
        self.kept[group as usize]
    }

    /// The kinds that fit a group, in rising order.
    pub(super) fn kinds(&self, group: u32) -> &[u32] {
        let group = group as usize;
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        &self.kinds[start..self.ends[group]]
    }

    /// What a row costs in the dearest group.
    pub(super) fn most_cost(&self) -> f64 {
        self.costs.iter().max().map_or(0.0, |&cost| super::as_f64(cost))
    }

    /// The group that most kinds fit, of some.
    pub(super) fn largest(&self, groups: &[u32]) -> Option<u32> {
        groups.iter().copied().max_by_key(|&group| (self.kinds(group).len(), group))
    }

    /// Only some of the groups.
    pub(super) fn only(&self, groups: &[u32]) -> Self {
        let mut only = Self::default();
        for &group in groups {
            only.push(self.kept(group), self.cost(group), self.kinds(group));
        }
        only
    }

    pub(super) fn push(&mut self, kept: u128, cost: u64, kinds: &[u32]) {
        self.kept.push(kept);
        self.costs.push(cost);
        self.kinds.extend_from_slice(kinds);
        self.ends.push(self.kinds.len());
    }

    fn append(&mut self, other: &Self) {
        let before = self.kinds.len();
        self.kept.extend_from_slice(&other.kept);
        self.costs.extend_from_slice(&other.costs);
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.kinds.extend_from_slice(&other.kinds);
    }

    /// The groups that each kind fits, the cheapest first.
    pub(super) fn of_kinds(&self, kinds: usize) -> OfKinds {
        let mut order: Vec<u32> = (0..).take(self.len()).collect();
        order.sort_by_key(|&group| self.cost(group));
        let mut starts = vec![0usize; kinds + 1];
        self.kinds.iter().for_each(|&kind| starts[kind as usize + 1] += 1);
        for kind in 0..kinds {
            starts[kind + 1] += starts[kind];
        }
        let mut groups = vec![0; self.kinds.len()];
        // Each begins where the one before starts; after the last group it is where it starts itself.
        let mut next = starts.clone();
        for group in order {
            for &kind in self.kinds(group) {
                let place = &mut next[kind as usize];
                groups[*place] = group;
                *place += 1;
            }
        }
        OfKinds { starts, groups }
    }

    /// Every closed group of at least `k` rows that blanks no column which must stay; none where
    /// they have room for more than `most` kinds together.
    pub(super) fn closed(
        kinds: &Kinds,
        costs: &Costs,
        k: u32,
        most: usize,
        run: &Run,
    ) -> Result<Option<Self>> {
        let lister = Lister { kinds, costs, k, most, run, listed: AtomicUsize::new(0) };
        let whole: Vec<u32> = (0..).take(kinds.len()).collect();
        let rows: u64 = kinds.counts().iter().map(|&count| u64::from(count)).sum();
        if rows < u64::from(k) {
            return Ok(Some(Self::default()));
        }
        let node = Node { kept: kinds.agreed(&whole), kinds: whole, next: 0 };
        let mut scratch = Scratch::default();
        let mut all = Self::default();
        lister.list(&node, &mut all, &mut scratch);
        run.check()?;
        Ok((lister.listed.load(Relaxed) <= most).then_some(all))
    }
}

/// Which groups a kind fits.
#[derive(Debug)]
pub(super) struct OfKinds {
    starts: Vec<usize>,
    groups: Vec<u32>,
}

impl OfKinds {
    /// The groups that a kind fits, the cheapest first.
    pub(super) fn groups(&self, kind: u32) -> &[u32] {
        let kind = kind as usize;
        &self.groups[self.starts[kind]..self.starts[kind + 1]]
    }
}

/// A closed group whose extensions by the columns from `next` on are to be listed.
struct Node {
    kept: u128,
    kinds: Vec<u32>,
    next: usize,
}

#[derive(Default)]
struct Scratch {
    /// Rows of each slot; all zero between uses.
    counts: Vec<u32>,
    /// Where the next kind of each slot goes.
    places: Vec<u32>,
}

struct Lister<'a> {
    kinds: &'a Kinds,
    costs: &'a Costs,
    k: u32,
    most: usize,
    run: &'a Run,
    listed: AtomicUsize,
}

impl Lister<'_> {
    fn list(&self, node: &Node, all: &mut Candidates, scratch: &mut Scratch) {
        if self.costs.may_keep_only(node.kept) {
            all.push(node.kept, self.costs.of_group(node.kept), &node.kinds);
            let listed = self.listed.fetch_add(node.kinds.len(), Relaxed);
            if listed > self.most || (node.kinds.len() >= 64 && self.run.stop().is_some()) {
                return;
            }
        }
        let columns =
            (node.next..self.kinds.columns()).filter(|column| node.kept >> column & 1 == 0);
        if node.kinds.len() < SHARED || rayon::current_num_threads() == 1 {
            for column in columns {
                for child in self.children(node, column, scratch) {
                    self.list(&child, all, scratch);
                }
            }
            return;
        }
        let children: Vec<Node> =
            columns.flat_map(|column| self.children(node, column, scratch)).collect();
        let listed: Vec<Candidates> = children
            .into_par_iter()
            .map_init(Scratch::default, |scratch, child| {
                let mut all = Candidates::default();
                self.list(&child, &mut all, scratch);
                all
            })
            .collect();
        listed.iter().for_each(|part| all.append(part));
    }

    /// The closed groups that a column makes of a group and that no earlier column makes.
    fn children(&self, node: &Node, column: usize, scratch: &mut Scratch) -> Vec<Node> {
        let slots = self.kinds.column(column);
        let Scratch { counts, places } = scratch;
        if counts.len() < self.kinds.slots(column) {
            counts.resize(self.kinds.slots(column), 0);
            places.resize(self.kinds.slots(column), 0);
        }
        for &kind in &node.kinds {
            counts[slots[kind as usize] as usize] += self.kinds.count(kind);
        }
        // Kinds of each slot with enough rows, in the order of the slots' first kinds.
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for &kind in &node.kinds {
            let slot = slots[kind as usize] as usize;
            match counts[slot] {
                TAKEN => groups[places[slot] as usize].push(kind),
                count if count >= self.k => {
                    counts[slot] = TAKEN;
                    places[slot] = u32::try_from(groups.len()).expect("kinds are 32 bits wide");
                    groups.push(vec![kind]);
                }
                _ => {}
            }
        }
        node.kinds.iter().for_each(|&kind| counts[slots[kind as usize] as usize] = 0);
        let before = (1u128 << column) - 1;
        groups
            .into_iter()
            .filter_map(|kinds| {
                let kept = self.kinds.agreed(&kinds);
                // Who agrees on an earlier column as well was made by that one.
                let is_new = kept & !node.kept & before == 0;
                is_new.then_some(Node { kept, kinds, next: column + 1 })
            })
            .collect()
    }
}

/// A slot whose kinds are being taken.
const TAKEN: u32 = u32::MAX;
