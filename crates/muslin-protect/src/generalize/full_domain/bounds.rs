//! What three columns at a time say about a node, before its classes are made.
//!
//! A class on three columns is a union of the node's classes. If it is too small, all of them are,
//! and its rows are removed at the node whatever the levels of the other columns.

use super::super::lattice::{Lattice, Node, WHOLE};
use super::super::units::Units;
use super::classes::{Classes, Scratch};
use crate::class_target::Judge;

/// Bounds for every node, computed when first asked for.
#[derive(Debug)]
pub(super) struct Bounds<'a> {
    lattice: &'a Lattice,
    units: &'a Units,
    judge: &'a Judge,
    /// Whether a node with a single removed row will not do.
    is_strict: bool,
    triples: Vec<Triple>,
    scratch: Scratch,
}

#[derive(Debug)]
struct Triple {
    axes: Vec<usize>,
    base: Option<Classes>,
    /// By the levels of the columns: rows that are lost, and what they lose at least.
    lost: Vec<Option<(u64, u128)>>,
}

/// Columns in a bound.
const SIZE: usize = 3;
/// Sets of columns that are looked at.
const MOST_TRIPLES: usize = 600;

impl<'a> Bounds<'a> {
    pub(super) fn new(
        lattice: &'a Lattice,
        units: &'a Units,
        judge: &'a Judge,
        is_strict: bool,
    ) -> Self {
        let width = lattice.width();
        // The more groups columns have, the more they tell.
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for a in 0..width {
            for b in a + 1..width {
                sets.extend((b + 1..width).map(|c| vec![a, b, c]));
            }
        }
        if width < SIZE {
            sets.push((0..width).collect());
        }
        let cells = |set: &Vec<usize>| -> f64 {
            set.iter().map(|&axis| f64::from(lattice.axes[axis].steps[0].len).ln()).sum()
        };
        sets.sort_by(|a, b| cells(b).total_cmp(&cells(a)).then_with(|| a.cmp(b)));
        sets.truncate(MOST_TRIPLES);
        let triple = |axes: Vec<usize>| {
            let levels = axes.iter().map(|&axis| lattice.axes[axis].steps.len()).product();
            Triple { axes, base: None, lost: vec![None; levels] }
        };
        let triples = sets.into_iter().map(triple).collect();
        Self { lattice, units, judge, is_strict, triples, scratch: Scratch::default() }
    }

    /// At a node: rows that are removed at least, and the loss at least. Stops looking where more
    /// than `allowed` rows are removed, or no less than `best` is lost.
    pub(super) fn at(
        &mut self,
        node: Node,
        units: &Classes,
        allowed: u64,
        best: u128,
    ) -> (u64, u128) {
        let total = self.lattice.total(node);
        let (mut removed, mut loss) = (0, total);
        let spared: Vec<u64> = (0..self.lattice.width())
            .map(|axis| WHOLE - self.lattice.step(axis, node).most)
            .collect();
        let spared_by_all: u64 = spared.iter().sum();
        for at in 0..self.triples.len() {
            let (rows, penalty) = self.lost(at, node, units);
            if rows == 0 {
                continue;
            }
            let others: u64 =
                spared_by_all - self.triples[at].axes.iter().map(|&axis| spared[axis]).sum::<u64>();
            removed = removed.max(rows);
            loss = loss.max(total + penalty + u128::from(rows) * u128::from(others));
            if removed > allowed || loss >= best {
                // What rules nodes out is asked first next time.
                self.triples[..=at].rotate_right(usize::from(at > 0));
                break;
            }
        }
        (removed, loss)
    }

    fn lost(&mut self, at: usize, node: Node, units: &Classes) -> (u64, u128) {
        let (lattice, triple) = (self.lattice, &mut self.triples[at]);
        let place = triple
            .axes
            .iter()
            .fold(0, |place, &axis| place * lattice.axes[axis].steps.len() + node.level(axis));
        if let Some(known) = triple.lost[place] {
            return known;
        }
        let axes = triple.axes.iter().copied();
        let scratch = &mut self.scratch;
        let base = triple.base.get_or_insert_with(|| {
            units.on(axes.clone(), Node::BOTTOM, lattice, self.units, scratch)
        });
        let own = axes.clone().fold(Node::BOTTOM, |own, axis| own.with(axis, node.level(axis)));
        let classes = base.on(axes, own, lattice, self.units, scratch);
        let lost = classes.lost(&triple.axes, lattice, self.units, self.judge, self.is_strict);
        triple.lost[place] = Some(lost);
        lost
    }
}
