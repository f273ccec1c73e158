//! The heaviest set that may be published.
//!
//! # Method
//! What is masked must hit every set of columns that together are forbidden. So a smallest
//! forbidden set is an edge, and the lightest mask is the cheapest set that hits all edges
//! ([`muslin_assess::hit`]). A forbidden set is taken from what a mask leaves: the columns that tell
//! most rows apart come first, as few as are forbidden, and those that are not needed are left
//! out. What is left without them, or without one of them, shows another edge when it is still
//! forbidden.

use muslin_assess::{Border, Cover, Shown, Target, Weight, Weights, hit};
use muslin_engine::{Run, Stop};
use muslin_table::{ClassSizes, ColumnId, ColumnSet};

use super::questions::Questions;
use crate::Result;

pub(super) struct Exact<'a> {
    pub(super) questions: &'a Questions<'a>,
    pub(super) target: Target,
    pub(super) weights: &'a Weights,
    pub(super) keep: &'a ColumnSet,
    /// Columns that may be published or masked, those that tell most rows apart first.
    pub(super) open: Vec<ColumnId>,
}

/// The heaviest set known, and what the lightest mask weighs at least.
pub(super) struct Heaviest {
    pub(super) publish: ColumnSet,
    pub(super) sizes: ClassSizes,
    pub(super) least_masked: Weight,
    pub(super) stop: Option<Stop>,
}

impl Exact<'_> {
    /// Improves on `publish`, whose classes are `sizes`.
    pub(super) fn run(&self, publish: ColumnSet, sizes: ClassSizes, run: &Run) -> Result<Heaviest> {
        let all: ColumnSet = self.open.iter().copied().collect();
        let columns = all.iter().map(|column| column.index() + 1).max().unwrap_or(0);
        let mut cover = Cover::new(self.weights, columns);
        let start = all.difference(&publish);
        let mut search = Search { exact: self, border: Border::default(), best: (publish, sizes) };
        let mut show = |masked: &ColumnSet| search.show(&all.difference(masked));
        let found = hit(&mut cover, self.weights, Some(start), &mut show, run)?;
        let (publish, sizes) = search.best;
        Ok(Heaviest { publish, sizes, least_masked: found.lower_bound, stop: found.stop })
    }
}

struct Search<'a> {
    exact: &'a Exact<'a>,
    border: Border,
    best: (ColumnSet, ClassSizes),
}

impl Search<'_> {
    /// Whether `open`, with the columns to keep, is forbidden.
    fn is_forbidden(&mut self, open: &ColumnSet) -> muslin_assess::Result<bool> {
        if let Some(known) = self.border.says(open) {
            return Ok(known);
        }
        let set = open.union(self.exact.keep);
        let sizes = self.exact.questions.sizes(&set).map_err(as_assess)?;
        let forbidden = self.exact.target.is_exceeded(&sizes);
        self.border.learn(open, forbidden);
        let weights = self.exact.weights;
        if !forbidden && weights.sum(&set) > weights.sum(&self.best.0) {
            self.best = (set, sizes);
        }
        Ok(forbidden)
    }

    /// Smallest forbidden sets within `within`.
    fn show(&mut self, within: &ColumnSet) -> muslin_assess::Result<Shown> {
        let all: ColumnSet = self.exact.open.iter().copied().collect();
        let mut shown = Shown::default();
        let mut left = within.clone();
        while self.is_forbidden(&left)? {
            let edge = self.smallest_forbidden(&left)?;
            left = left.difference(&edge);
            shown.edges.push(edge);
        }
        shown.other = Some(all.difference(&left)).filter(|_| !shown.edges.is_empty());
        // Towards the end a mask misses few edges and finding the next one costs most. Where
        // answers are cheap, the edges that are missed without each column of the first are added.
        if shown.edges.len() == 1 && self.exact.questions.are_cheap() {
            for column in shown.edges[0].clone().iter() {
                let mut left = within.clone();
                left.remove(column);
                if self.is_forbidden(&left)? {
                    shown.edges.push(self.smallest_forbidden(&left)?);
                }
            }
        }
        Ok(shown)
    }

    fn smallest_forbidden(&mut self, within: &ColumnSet) -> muslin_assess::Result<ColumnSet> {
        let exact = self.exact;
        let order: Vec<ColumnId> =
            exact.open.iter().copied().filter(|&column| within.contains(column)).collect();
        let first = |count: usize| -> ColumnSet { order[..count].iter().copied().collect() };
        // The fewest in order that are forbidden: more than `allowed`, at most `forbidden`.
        let (mut allowed, mut forbidden) = (0, order.len());
        let mut next = 1;
        while forbidden - allowed > 1 {
            let is_forbidden = self.is_forbidden(&first(next))?;
            *(if is_forbidden { &mut forbidden } else { &mut allowed }) = next;
            next = allowed.midpoint(forbidden).min((allowed * 2).max(1));
        }
        let mut set = first(forbidden);
        // The last one is needed. Those that tell few rows apart are left out first.
        for &column in order[..forbidden].iter().rev().skip(1) {
            set.remove(column);
            if !self.is_forbidden(&set)? {
                set.insert(column);
            }
        }
        Ok(set)
    }
}

/// Errors of the questions, for the search that asks them.
fn as_assess(error: crate::Error) -> muslin_assess::Error {
    match error {
        crate::Error::Engine(error) => error.into(),
        error => muslin_assess::Error::Setting(error.to_string()),
    }
}
