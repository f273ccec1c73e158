//! The minimal sets that a row shares with no other, the smallest first where there are too many.

use std::cell::Cell;

use muslin_engine::{Coverage, Error, Run, Stop};

use super::super::hypergraph::Hypergraph;
use super::super::kernel::Isa;
use super::super::transversals::{Collect, Transversals};
use crate::Result;
use crate::mask::Mask;

/// Minimal sets, and how far the search for them got.
pub(super) struct FoundSets<const W: usize> {
    pub(super) sets: Vec<Mask<W>>,
    pub(super) coverage: Coverage,
    pub(super) complete_to: usize,
}

/// The minimal sets of at most `most` columns that meet all `edges`, the smallest first.
pub(super) fn find<const W: usize>(
    edges: &[Mask<W>],
    most: usize,
    limit: usize,
    run: &Run,
) -> Result<FoundSets<W>> {
    let complete = |sets| FoundSets { sets, coverage: Coverage::Complete, complete_to: most };
    if edges.iter().any(Mask::is_empty) {
        return Ok(complete(Vec::new()));
    }
    let (is_full, stopped) = (Cell::new(false), Cell::new(None));
    let stop = || {
        stopped.set(run.stop());
        is_full.get() || stopped.get().is_some()
    };
    let mut lists = Transversals::default();
    let mut taken = Taken { sets: Vec::new(), limit, size: None, is_full: &is_full };
    lists.list_meeting(edges, most, Isa::best(), &stop, &mut taken);
    let mut complete_to = 0;
    if is_full.get() && stopped.get().is_none() {
        // There are too many; size by size, the smallest come first.
        taken.sets.clear();
        let fewest = disjoint(edges);
        complete_to = (fewest - 1).min(most);
        for size in fewest..=most {
            is_full.set(false);
            taken.size = Some(size);
            lists.list_meeting(edges, size, Isa::best(), &stop, &mut taken);
            if is_full.get() || stopped.get().is_some() {
                break;
            }
            complete_to = size;
        }
    }
    let mut sets = taken.sets;
    sets.sort_unstable_by(Mask::order);
    match stopped.get() {
        Some(by @ Stop::Interrupted) => Err(Error::Stopped(by).into()),
        Some(by) => Ok(FoundSets { sets, coverage: Coverage::Stopped { by }, complete_to }),
        None if is_full.get() => {
            let coverage = Coverage::Stopped { by: Stop::ResultLimit };
            Ok(FoundSets { sets, coverage, complete_to })
        }
        None => Ok(complete(sets)),
    }
}

/// Number of edges without a common column, taken greedily: a set that meets all has as many columns.
fn disjoint<const W: usize>(edges: &[Mask<W>]) -> usize {
    let mut small: Vec<Mask<W>> = edges.to_vec();
    small.sort_by_key(Mask::len);
    let (mut met, mut count) = (Mask::EMPTY, 0);
    for edge in small {
        if (edge & met).is_empty() {
            met |= edge;
            count += 1;
        }
    }
    count
}

/// Takes minimal sets until there are too many.
struct Taken<'a, const W: usize> {
    sets: Vec<Mask<W>>,
    limit: usize,
    /// The only size that is taken; all when none.
    size: Option<usize>,
    is_full: &'a Cell<bool>,
}

impl<const W: usize> Taken<'_, W> {
    /// Takes every set with one column of each class.
    fn take(&mut self, graph: &Hypergraph<W>, classes: &[u16], last: usize, columns: Mask<W>) {
        let (class, rest) = match classes.split_first() {
            Some((&class, rest)) => (class as usize, Some(rest)),
            None => (last, None),
        };
        for column in graph.members[class].iter() {
            if self.is_full.get() {
                return;
            }
            let columns = columns | Mask::one(column);
            match rest {
                Some(rest) => self.take(graph, rest, last, columns),
                None if self.sets.len() == self.limit => self.is_full.set(true),
                None => self.sets.push(columns),
            }
        }
    }
}

impl<const W: usize> Collect<W> for Taken<'_, W> {
    fn found(&mut self, graph: &Hypergraph<W>, base: &[u16], _: u64, completing: Mask<W>) {
        if self.size.is_none_or(|size| size == base.len() + 1) {
            completing.iter().for_each(|class| self.take(graph, base, class, Mask::EMPTY));
        }
    }
}
