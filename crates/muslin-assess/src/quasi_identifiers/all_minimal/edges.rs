//! Pairs of rows against edges.

use std::ops::Range;

use super::classes::{Classes, Refiner};
use crate::mask::Mask;

/// The edges that pairs of rows of a block are held against.
pub(super) struct Edges<'a, const W: usize> {
    columns: &'a [Refiner<'a>],
    /// Edges without a column of the block, those that are not known last.
    all: Vec<Edge<'a, W>>,
    known: usize,
    /// The edge that held last: neighbours differ alike.
    last: usize,
}

struct Edge<'a, const W: usize> {
    mask: Mask<W>,
    columns: Vec<Refiner<'a>>,
}

impl<'a, const W: usize> Edge<'a, W> {
    fn new(mask: Mask<W>, columns: &[Refiner<'a>]) -> Self {
        Self { mask, columns: mask.iter().map(|rank| columns[rank]).collect() }
    }

    /// Whether two rows differ on all columns. Two at a time: a guess at one would often be wrong.
    #[inline]
    fn holds(&self, a: u32, b: u32) -> bool {
        let mut pairs = self.columns.chunks(2);
        pairs.all(|pair| pair.iter().fold(true, |differ, column| differ & !column.agree(a, b)))
    }
}

impl<'a, const W: usize> Edges<'a, W> {
    pub(super) fn new(columns: &'a [Refiner<'a>], known: &[Mask<W>], block: Mask<W>) -> Self {
        let mut apart: Vec<Mask<W>> =
            known.iter().copied().filter(|edge| (*edge & block).is_empty()).collect();
        apart.sort_unstable_by(Mask::order);
        let all: Vec<_> = apart.into_iter().map(|edge| Edge::new(edge, columns)).collect();
        Self { columns, known: all.len(), all, last: 0 }
    }

    /// Looks at every pair of rows of some classes of the block. Returns the edges that are new.
    pub(super) fn of_pairs(mut self, classes: &Classes, part: Range<usize>) -> Vec<Mask<W>> {
        classes.each_pair(part, |a, b| self.take(a, b));
        self.new_ones()
    }

    /// As [`Edges::of_pairs`], for about `most` pairs from all over.
    pub(super) fn of_some_pairs(mut self, classes: &Classes, most: usize) -> Vec<Mask<W>> {
        classes.some_pairs(most, |a, b| self.take(a, b));
        self.new_ones()
    }

    /// Looks at a pair of rows that agree on the block.
    #[inline]
    fn take(&mut self, a: u32, b: u32) {
        if self.all.get(self.last).is_some_and(|edge| edge.holds(a, b)) {
            return;
        }
        match self.all.iter().position(|edge| edge.holds(a, b)) {
            Some(edge) => self.last = edge,
            None => self.learn(a, b),
        }
    }

    #[cold]
    fn learn(&mut self, a: u32, b: u32) {
        let columns = self.columns.iter().enumerate();
        let differ = columns.filter(|(_, column)| !column.agree(a, b)).map(|(rank, _)| rank);
        let edge = differ.fold(Mask::EMPTY, |edge, rank| edge | Mask::one(rank));
        let known = self.known;
        let mut at = 0;
        self.all.retain(|other| {
            at += 1;
            at <= known || !edge.is_within(other.mask)
        });
        self.all.push(Edge::new(edge, self.columns));
    }

    fn new_ones(self) -> Vec<Mask<W>> {
        self.all[self.known..].iter().map(|edge| edge.mask).collect()
    }
}
