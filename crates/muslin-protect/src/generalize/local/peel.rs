//! Classes node by node, the least loss first.
//!
//! Nodes come by the sum of the squares of their columns' mean losses, which does better than the
//! plain sum: many columns a little coarser before one that is gone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use muslin_engine::{Coverage, Run};
use rayon::prelude::*;

use super::super::group::Numbering;
use super::super::lattice::{Lattice, Node};
use super::super::units::Units;
use super::part::{self, Members};
use super::{Class, absorb, merge};
use crate::class_target::Judge;

/// Nodes that are looked at together; the same on any number of threads.
const BATCH: usize = 32;

/// No class.
pub(super) const NONE: u32 = u32::MAX;

/// Rows that are not in a class yet, and classes.
pub(super) struct Peel<'a> {
    pub(super) lattice: &'a Lattice,
    pub(super) units: &'a Units,
    pub(super) judge: &'a Judge,
    /// Rows of each unit that are in no class yet.
    pub(super) left: Vec<u32>,
    /// Units with such rows.
    pub(super) open: Vec<u32>,
    pub(super) classes: Vec<Class>,
    /// For each unit the classes that its rows are in, and how many are.
    pub(super) taken: Vec<Vec<(u32, u32)>>,
}

/// Every row in a class, or left over.
pub(super) struct Peeled {
    pub(super) classes: Vec<Class>,
    taken: Vec<Vec<(u32, u32)>>,
    /// Nodes that were looked at.
    pub(super) checked: u64,
    pub(super) coverage: Coverage,
}

impl<'a> Peel<'a> {
    pub(super) fn new(lattice: &'a Lattice, units: &'a Units, judge: &'a Judge) -> Self {
        Self {
            lattice,
            units,
            judge,
            left: units.rows().to_vec(),
            open: (0u32..).take(units.len()).collect(),
            classes: Vec::new(),
            taken: vec![Vec::new(); units.len()],
        }
    }

    /// Makes classes; no more than `allowed` rows are left, if that is possible.
    pub(super) fn run(mut self, allowed: u64, run: &Run) -> Peeled {
        let mut order = Order::new(self.lattice);
        let hashes = Hashes::new(self.lattice);
        let (mut checked, mut coverage) = (0, Coverage::Complete);
        while !self.open.is_empty() {
            let nodes: Vec<Node> = order.by_ref().take(BATCH).collect();
            if nodes.is_empty() {
                break;
            }
            if let Some(by) = run.stop() {
                coverage = Coverage::Stopped { by };
                // All that is left in one class, if that will do.
                self.peel(self.lattice.top());
                break;
            }
            // Rows only become fewer: a node of which nothing will come now is not asked again.
            let hopeful: Vec<bool> = nodes
                .par_iter()
                .map_init(Vec::new, |counts, &node| self.is_hopeful(node, &hashes, counts))
                .collect();
            for (&node, _) in nodes.iter().zip(hopeful).filter(|(_, hopeful)| *hopeful) {
                self.peel(node);
            }
            checked += nodes.len() as u64;
            run.reporter().advance(nodes.len() as u64);
        }
        absorb::absorb(&mut self);
        merge::merge(&mut self, allowed);
        Peeled { classes: self.classes, taken: self.taken, checked, coverage }
    }

    /// Whether some k rows may agree at a node. Rows are counted by a hash, so that a yes may be wrong.
    fn is_hopeful(&self, node: Node, hashes: &Hashes, counts: &mut Vec<u32>) -> bool {
        let places = (2 * self.open.len()).next_power_of_two().max(256);
        counts.clear();
        counts.resize(places, 0);
        let shift = 32 - places.trailing_zeros().min(32);
        let columns: Vec<(&[u32], &[u32])> = (0..self.lattice.width())
            .filter(|&axis| self.lattice.step(axis, node).len > 1)
            .map(|axis| (hashes.of(axis, node), self.units.positions(axis)))
            .collect();
        let k = self.judge.k();
        let mut most = 0;
        for &unit in &self.open {
            let hash = columns.iter().fold(0u32, |hash, (hashes, positions)| {
                hash.wrapping_add(hashes[positions[unit as usize] as usize])
            });
            let place = if shift == 32 { 0 } else { (hash >> shift) as usize };
            counts[place] += self.left[unit as usize];
            most = most.max(counts[place]);
        }
        most >= k
    }

    /// Makes classes at a node of what rows are left.
    fn peel(&mut self, node: Node) {
        let (mut numbering, mut numbers) = (Numbering::default(), Vec::new());
        numbering.start(self.open.len());
        for axis in 0..self.lattice.width() {
            let (step, positions) = (self.lattice.step(axis, node), self.units.positions(axis));
            let group = |&unit: &u32| step.groups[positions[unit as usize] as usize];
            numbering.tell_apart(step.len, self.open.iter().map(group));
        }
        let count = numbering.finish(&mut numbers);
        let mut rows = vec![0u32; count];
        for (&number, &unit) in numbers.iter().zip(&self.open) {
            rows[number as usize] += self.left[unit as usize];
        }
        let k = self.judge.k();
        let mut members: Vec<(u32, u32)> = numbers
            .iter()
            .zip(&self.open)
            .filter(|(number, _)| rows[**number as usize] >= k)
            .map(|(&number, &unit)| (number, unit))
            .collect();
        members.sort_unstable();
        let mut is_changed = false;
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            is_changed |= self.close(node, group);
        }
        if is_changed {
            self.open.retain(|&unit| self.left[unit as usize] > 0);
        }
    }

    /// Makes a class of these units, or of a part of their rows; whether it could.
    fn close(&mut self, node: Node, group: &[(u32, u32)]) -> bool {
        let units: Vec<u32> = group.iter().map(|&(_, unit)| unit).collect();
        let members = Members { units: &units, left: &self.left };
        let Some(chosen) = part::choose(&members, self.units, self.judge) else { return false };
        let class = u32::try_from(self.classes.len()).expect("no more classes than rows");
        let mut rows = 0;
        for (&unit, &taken) in units.iter().zip(&chosen.rows).filter(|(_, taken)| **taken > 0) {
            self.taken[unit as usize].push((class, taken));
            self.left[unit as usize] -= taken;
            rows += taken;
        }
        self.classes.push(Class { node, unit: units[0], rows, counts: chosen.counts });
        true
    }
}

impl Peeled {
    /// The class of each row; [`NONE`] for those that are left over.
    pub(super) fn class_of(&self, units: &Units) -> Vec<u32> {
        // Rows of a unit are alike: the first ones are in the first class.
        let mut next = vec![(0u32, 0u32); units.len()];
        let class = |&unit: &u32| {
            let taken = &self.taken[unit as usize];
            let (at, used) = &mut next[unit as usize];
            if taken.get(*at as usize).is_some_and(|(_, rows)| rows == used) {
                (*at, *used) = (*at + 1, 0);
            }
            *used += 1;
            taken.get(*at as usize).map_or(NONE, |&(class, _)| class)
        };
        units.of_row().iter().map(class).collect()
    }
}

/// A number for each group of each level; those of a row's groups are added up.
struct Hashes {
    /// By column, level and position.
    of: Vec<Vec<Vec<u32>>>,
}

impl Hashes {
    fn new(lattice: &Lattice) -> Self {
        let seed = muslin_engine::Seed::new(0);
        let hash = |axis: usize, level: usize, group: u32| {
            let place = (axis as u64) << 40 | (level as u64) << 32 | u64::from(group);
            u32::try_from(seed.draw(place) >> 32).expect("half of 64 bits")
        };
        let step = |axis: usize, level: usize| {
            let groups = &lattice.axes[axis].steps[level].groups;
            groups.iter().map(|&group| hash(axis, level, group)).collect()
        };
        let column = |axis: usize| {
            (0..lattice.axes[axis].steps.len()).map(|level| step(axis, level)).collect()
        };
        Self { of: (0..lattice.width()).map(column).collect() }
    }

    fn of(&self, axis: usize, node: Node) -> &[u32] {
        &self.of[axis][node.level(axis)]
    }
}

/// Nodes by rising cost.
struct Order<'a> {
    lattice: &'a Lattice,
    costs: Vec<Vec<u64>>,
    queue: BinaryHeap<Reverse<(u64, Node)>>,
}

impl<'a> Order<'a> {
    fn new(lattice: &'a Lattice) -> Self {
        // In 2^-40 of the most; 32 columns still add up.
        let costs = lattice.axes.iter().map(|axis| {
            let rows = axis.rows.max(1);
            let mean = |total: u128| {
                (total << 20) / u128::from(super::super::lattice::WHOLE) / u128::from(rows)
            };
            axis.steps
                .iter()
                .map(|step| u64::try_from(mean(step.total).pow(2)).expect("at most 2^40"))
                .collect()
        });
        let mut order = Self { lattice, costs: costs.collect(), queue: BinaryHeap::new() };
        order.queue.push(Reverse((order.cost(Node::BOTTOM), Node::BOTTOM)));
        order
    }

    fn cost(&self, node: Node) -> u64 {
        self.costs.iter().enumerate().map(|(axis, costs)| costs[node.level(axis)]).sum()
    }
}

impl Iterator for Order<'_> {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        let Reverse((_, node)) = self.queue.pop()?;
        for above in self.lattice.successors(node) {
            self.queue.push(Reverse((self.cost(above), above)));
        }
        Some(node)
    }
}
