//! The search for the node of least loss.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use muslin_engine::{Coverage, Run};
use rayon::prelude::*;

use super::super::lattice::{Lattice, Node};
use super::super::units::Units;
use super::bounds::Bounds;
use super::classes::{Classes, Outcome, Scratch};
use crate::class_target::Judge;

/// Nodes looked at before the search gives up on proving that nothing is better.
const MOST_NODES: u64 = 4_000_000;
/// Nodes whose classes are made at once; the same on any number of threads.
const BATCH: usize = 8;
/// Class tables that are kept to make others from.
const KEPT: usize = 200;

/// A search in progress.
pub(super) struct Search<'a> {
    lattice: &'a Lattice,
    units: &'a Units,
    judge: &'a Judge,
    /// Rows that may be removed.
    allowed: u64,
    base: Classes,
    kept: VecDeque<Classes>,
    best: Option<Best>,
    checked: u64,
}

#[derive(Clone, Copy)]
struct Best {
    loss: u128,
    node: Node,
    outcome: Outcome,
}

/// The best node.
pub(super) struct Chosen {
    pub(super) node: Node,
    pub(super) outcome: Outcome,
    /// No node loses less.
    pub(super) bound: u128,
    /// Whether the node loses no more than that.
    pub(super) is_least: bool,
    /// Whether each unit is removed.
    pub(super) removed: Vec<bool>,
    /// Nodes whose classes were made.
    pub(super) checked: u64,
    pub(super) coverage: Coverage,
}

/// What the place of a node in the queue rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    /// Its loss if no row were removed.
    Total,
    /// What three columns at a time say.
    Bound,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        lattice: &'a Lattice,
        units: &'a Units,
        judge: &'a Judge,
        allowed: u64,
    ) -> Self {
        Self {
            lattice,
            units,
            judge,
            allowed,
            base: Classes::of_units(units, judge),
            kept: VecDeque::new(),
            best: None,
            checked: 0,
        }
    }

    /// The best node; none where the target is met nowhere.
    pub(super) fn run(mut self, run: &Run) -> Option<Chosen> {
        // Mostly a first answer; but rows that are skewed as a whole may be good in part.
        self.check(&[self.lattice.top()]);
        if self.lattice.nodes() > MOST_NODES {
            self.descend(run);
        }
        run.reporter().stage("choosing levels", None);
        let (bound, coverage) = self.prove(run);
        run.reporter().finish();
        let Best { loss, node, outcome } = self.best?;
        let classes = self.classes_at(node, &mut Scratch::default());
        let removed = classes.removed(self.units, self.lattice, self.judge);
        let (bound, checked, is_least) = (bound.min(loss), self.checked, bound >= loss);
        Some(Chosen { node, outcome, bound, is_least, removed, checked, coverage })
    }

    /// Takes nodes by their bounds until none can be better; returns what none is below.
    fn prove(&mut self, run: &Run) -> (u128, Coverage) {
        let (lattice, units, judge) = (self.lattice, self.units, self.judge);
        let mut bounds = Bounds::new(lattice, units, judge, self.allowed == 0);
        let mut queue = BinaryHeap::new();
        queue.push(Reverse((lattice.total(Node::BOTTOM), Known::Total, Node::BOTTOM)));
        let mut batch: Vec<Node> = Vec::new();
        let mut seen = 0u64;
        loop {
            let best = self.best.map_or(u128::MAX, |best| best.loss);
            let next = queue.pop().filter(|Reverse((bound, ..))| *bound < best);
            let Some(Reverse((bound, known, node))) = next else {
                if batch.is_empty() {
                    return (best, Coverage::Complete);
                }
                self.check(&std::mem::take(&mut batch));
                continue;
            };
            if let Some(by) = run.stop() {
                return (bound, Coverage::Stopped { by });
            }
            match known {
                Known::Total => {
                    seen += 1;
                    if seen > MOST_NODES {
                        return (bound, Coverage::Complete);
                    }
                    for above in lattice.successors(node) {
                        queue.push(Reverse((lattice.total(above), Known::Total, above)));
                    }
                    let (removed, bound) = bounds.at(node, &self.base, self.allowed, best);
                    if removed <= self.allowed && bound < best {
                        queue.push(Reverse((bound, Known::Bound, node)));
                    }
                }
                Known::Bound => {
                    batch.push(node);
                    if batch.len() == BATCH {
                        run.reporter().advance(BATCH as u64);
                        self.check(&std::mem::take(&mut batch));
                    }
                }
            }
        }
    }

    /// A good node of a lattice too large to search: from the top down, always the best step.
    fn descend(&mut self, run: &Run) {
        loop {
            let Some(best) = self.best else { return };
            let down = |axis: usize| {
                let level = best.node.level(axis);
                (level > 0).then(|| best.node.with(axis, level - 1))
            };
            let below: Vec<Node> = (0..self.lattice.width()).filter_map(down).collect();
            self.check(&below);
            if run.stop().is_some() || self.best.is_none_or(|found| found.loss >= best.loss) {
                return;
            }
        }
    }

    /// Makes the classes of these nodes and keeps the best node in mind.
    fn check(&mut self, nodes: &[Node]) {
        let made: Vec<(Classes, Outcome)> = nodes
            .par_iter()
            .map_init(Scratch::default, |scratch, &node| {
                let classes = self.classes_at(node, scratch);
                let outcome = classes.outcome(self.lattice, self.units, self.judge);
                (classes, outcome)
            })
            .collect();
        self.checked += nodes.len() as u64;
        for (classes, outcome) in made {
            let node = classes.node;
            let loss = self.lattice.total(node) + outcome.penalty;
            if outcome.removed <= self.allowed && self.best.is_none_or(|best| loss < best.loss) {
                self.best = Some(Best { loss, node, outcome });
            }
            // Tables hardly smaller than the first are of no use.
            if classes.len() * 2 <= self.base.len() {
                self.kept.push_back(classes);
                if self.kept.len() > KEPT {
                    self.kept.pop_front();
                }
            }
        }
    }

    fn classes_at(&self, node: Node, scratch: &mut Scratch) -> Classes {
        let below = self.kept.iter().filter(|classes| classes.node.is_below(&node));
        let nearest = below.min_by_key(|classes| classes.len()).unwrap_or(&self.base);
        nearest.on(0..self.lattice.width(), node, self.lattice, self.units, scratch)
    }
}
