//! Classes of a node, made from those of a node below.

use super::super::group::Numbering;
use super::super::lattice::{Lattice, Node, WHOLE};
use super::super::units::Units;
use crate::class_target::Judge;

/// The classes of a node: for each a unit that stands for it, its rows, and its sensitive values.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    pub(super) node: Node,
    units: Vec<u32>,
    sizes: Vec<u32>,
    /// For each sensitive column, the values of each class and how many rows have each.
    spreads: Vec<Histograms>,
}

/// For each class the values it has, in order, and how many rows have each.
#[derive(Clone, Debug, Default)]
struct Histograms {
    starts: Vec<u32>,
    counts: Vec<(u32, u32)>,
}

impl Histograms {
    fn of(&self, class: usize) -> &[(u32, u32)] {
        &self.counts[self.starts[class] as usize..self.starts[class + 1] as usize]
    }
}

/// What a node comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Rows in classes that do not meet the target.
    pub(super) removed: u64,
    /// What those rows lose more than if they stayed.
    pub(super) penalty: u128,
    /// Classes that meet the target.
    pub(super) classes: u64,
    /// Rows of the smallest of them.
    pub(super) smallest: u32,
}

/// What work on classes needs again and again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    numbering: Numbering,
    numbers: Vec<u32>,
    order: Vec<u32>,
    starts: Vec<u32>,
    counts: Vec<u32>,
    touched: Vec<u32>,
}

impl Classes {
    /// Every unit by itself.
    pub(super) fn of_units(units: &Units, judge: &Judge) -> Self {
        let count = u32::try_from(units.len()).expect("no more units than rows");
        let spread = |column: usize| Histograms {
            starts: (0..=count).collect(),
            counts: units
                .sensitive(column)
                .iter()
                .copied()
                .zip(units.rows().iter().copied())
                .collect(),
        };
        Self {
            node: Node::BOTTOM,
            units: (0..count).collect(),
            sizes: units.rows().to_vec(),
            spreads: (0..judge.sensitive().len()).map(spread).collect(),
        }
    }

    /// Number of classes.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// The classes on only these columns, at the node's levels, which lies above.
    pub(super) fn on(
        &self,
        axes: impl Iterator<Item = usize>,
        node: Node,
        lattice: &Lattice,
        units: &Units,
        scratch: &mut Scratch,
    ) -> Self {
        scratch.numbering.start(self.len());
        for axis in axes {
            let (step, positions) = (lattice.step(axis, node), units.positions(axis));
            let code = |&unit: &u32| step.groups[positions[unit as usize] as usize];
            scratch.numbering.tell_apart(step.len, self.units.iter().map(code));
        }
        let count = scratch.numbering.finish(&mut scratch.numbers);
        let mut made = Self {
            node,
            units: Vec::with_capacity(count),
            sizes: vec![0; count],
            spreads: Vec::with_capacity(self.spreads.len()),
        };
        for (&number, (&unit, &size)) in
            scratch.numbers.iter().zip(self.units.iter().zip(&self.sizes))
        {
            if number as usize == made.units.len() {
                made.units.push(unit);
            }
            made.sizes[number as usize] += size;
        }
        if !self.spreads.is_empty() {
            scratch.sort(count);
            made.spreads.extend(self.spreads.iter().map(|spread| scratch.merge(spread)));
        }
        made
    }

    /// Judges the classes.
    pub(super) fn outcome(&self, lattice: &Lattice, units: &Units, judge: &Judge) -> Outcome {
        let mut outcome = Outcome { removed: 0, penalty: 0, classes: 0, smallest: u32::MAX };
        for class in 0..self.len() {
            let size = self.sizes[class];
            if self.is_met(class, judge) {
                outcome.classes += 1;
                outcome.smallest = outcome.smallest.min(size);
            } else {
                let loss = lattice.loss(self.node, units, self.units[class]);
                outcome.removed += u64::from(size);
                outcome.penalty += u128::from(size) * u128::from(lattice.all() - loss);
            }
        }
        outcome
    }

    /// Whether each unit is in a class that does not meet the target.
    pub(super) fn removed(&self, units: &Units, lattice: &Lattice, judge: &Judge) -> Vec<bool> {
        let mut numbering = Numbering::default();
        let mut numbers = Vec::new();
        numbering.start(units.len());
        for axis in 0..lattice.width() {
            let step = lattice.step(axis, self.node);
            let code = |&position: &u32| step.groups[position as usize];
            numbering.tell_apart(step.len, units.positions(axis).iter().map(code));
        }
        numbering.finish(&mut numbers);
        // Both are numbered by first appearance.
        let is_removed: Vec<bool> =
            (0..self.len()).map(|class| !self.is_met(class, judge)).collect();
        numbers.iter().map(|&class| is_removed[class as usize]).collect()
    }

    /// Rows of classes on these columns that are removed at every node that tells more rows apart, and
    /// what they lose more on these columns than if they stayed. Strictly, a class that does not
    /// meet the target is lost: then all parts of it would have to meet it.
    pub(super) fn lost(
        &self,
        axes: &[usize],
        lattice: &Lattice,
        units: &Units,
        judge: &Judge,
        is_strict: bool,
    ) -> (u64, u128) {
        let (mut rows, mut penalty) = (0, 0);
        for class in 0..self.len() {
            let distinct = self.spreads.iter().map(|spread| spread.of(class).len());
            let is_lost = if is_strict {
                !self.is_met(class, judge)
            } else {
                judge.is_hopeless(self.sizes[class], distinct)
            };
            if is_lost {
                let (unit, size) = (self.units[class], self.sizes[class]);
                let kept = |&axis: &usize| {
                    let losses = &lattice.step(axis, self.node).losses;
                    WHOLE - losses[units.position(axis, unit) as usize]
                };
                rows += u64::from(size);
                penalty += u128::from(size) * u128::from(axes.iter().map(kept).sum::<u64>());
            }
        }
        (rows, penalty)
    }

    fn is_met(&self, class: usize, judge: &Judge) -> bool {
        match self.spreads.as_slice() {
            [] => self.sizes[class] >= judge.k(),
            [spread] => judge.is_met(self.sizes[class], &[spread.of(class)]),
            spreads => {
                let counts: Vec<&[(u32, u32)]> =
                    spreads.iter().map(|spread| spread.of(class)).collect();
                judge.is_met(self.sizes[class], &counts)
            }
        }
    }
}

impl Scratch {
    /// Sorts the old classes by their new one.
    fn sort(&mut self, count: usize) {
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        self.numbers.iter().for_each(|&number| self.starts[number as usize + 1] += 1);
        for class in 0..count {
            self.starts[class + 1] += self.starts[class];
        }
        let mut next = self.starts.clone();
        self.order.clear();
        self.order.resize(self.numbers.len(), 0);
        for (old, &number) in (0u32..).zip(&self.numbers) {
            let place = &mut next[number as usize];
            self.order[*place as usize] = old;
            *place += 1;
        }
    }

    /// The values of the new classes, from those of the old.
    fn merge(&mut self, old: &Histograms) -> Histograms {
        let mut made = Histograms { starts: vec![0], counts: Vec::with_capacity(old.counts.len()) };
        let largest = old.counts.iter().map(|&(value, _)| value).max().unwrap_or(0) as usize;
        self.counts.clear();
        self.counts.resize(largest + 1, 0);
        for class in self.starts.windows(2) {
            let members = &self.order[class[0] as usize..class[1] as usize];
            if let [only] = members {
                made.counts.extend_from_slice(old.of(*only as usize));
            } else {
                self.touched.clear();
                for &(value, count) in members.iter().flat_map(|&member| old.of(member as usize)) {
                    if self.counts[value as usize] == 0 {
                        self.touched.push(value);
                    }
                    self.counts[value as usize] += count;
                }
                self.touched.sort_unstable();
                for &value in &self.touched {
                    made.counts.push((value, std::mem::take(&mut self.counts[value as usize])));
                }
            }
            made.starts.push(u32::try_from(made.counts.len()).expect("no more than rows"));
        }
        made
    }
}
