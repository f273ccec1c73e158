//! Whether a column set reaches the target, and if not, what is in its way.
//!
//! A set that falls short is grown: to a larger set that falls short too. Whoever reaches the
//! target has a column outside of that, so what is left over is an *edge*: every set that reaches
//! the target has one of its columns. For keys two rows that a set does not tell apart give the
//! edge at once: the columns in which they differ.

use std::sync::{Arc, Mutex};

use muslin_engine::{Engine, MemoryEngine, Run};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule};
use rayon::prelude::*;

use super::cache::Cache;
use super::classes::{Classes, Refiner, Scratch};
use super::count::{Limit, Together};
use super::edges::Edges;
use super::guide::{Guide, Left};
use crate::mask::Mask;
use crate::quasi_identifiers::{Measure, Target};
use crate::{Error, Result};

/// Pairs of rows that a set which is far from a key is told by.
const SOME_PAIRS: usize = 256;
/// Columns of a set, the most selective ones, that may come first.
const STARTS: usize = 16;

/// The table as the search sees it: columns by rank, the one that tells most rows apart first.
pub(super) struct Judge<'a, const W: usize> {
    table: &'a EncodedTable,
    target: Target,
    missing: MissingRule,
    run: &'a Run,
    /// Columns of more than one slot, by rank.
    ids: Vec<ColumnId>,
    columns: Vec<Refiner<'a>>,
    limit: Limit,
    /// Pairs of a block at most.
    most_pairs: u64,
    guide: Guide,
    cache: Mutex<Cache<W>>,
}

/// What is known of other sets.
#[derive(Clone, Copy)]
pub(super) struct Known<'a, const W: usize> {
    /// Who hits not all of these falls short.
    pub(super) edges: &'a [Mask<W>],
    /// Who contains one of these reaches the target.
    pub(super) found: &'a [Mask<W>],
}

/// The answer about a set.
pub(super) struct Verdict<const W: usize> {
    /// What the set leaves together; none when it falls short.
    pub(super) reaches: Option<Together>,
    /// Edges that were not known: every set that reaches the target has a column of each.
    pub(super) edges: Vec<Mask<W>>,
    /// Whoever has these columns and hits all edges, those included, reaches the target.
    pub(super) block: Option<Mask<W>>,
}

impl<const W: usize> Verdict<W> {
    fn reaches(together: Together) -> Self {
        Self { reaches: Some(together), edges: Vec::new(), block: None }
    }

    fn falls_short(edges: Vec<Mask<W>>) -> Self {
        Self { reaches: None, edges, block: None }
    }
}

impl<const W: usize> Known<'_, W> {
    /// Whether a set reaches the target, if that follows from what is known.
    fn about(&self, set: Mask<W>) -> Option<bool> {
        if self.edges.iter().any(|edge| (*edge & set).is_empty()) {
            Some(false)
        } else if self.found.iter().any(|found| found.is_within(set)) {
            Some(true)
        } else {
            None
        }
    }
}

impl<'a, const W: usize> Judge<'a, W> {
    pub(super) fn new(
        table: &'a EncodedTable,
        target: Target,
        missing: MissingRule,
        ids: Vec<ColumnId>,
        most_pairs: Option<u64>,
        run: &'a Run,
    ) -> Self {
        let rows = table.rows() as u64;
        let limit = match target.measure() {
            _ if target.is_key() => Limit { pairs: 0, repeated: 0 },
            Measure::Separation => Limit {
                pairs: u64::try_from(target.most_unseparated(rows)).unwrap_or(u64::MAX),
                repeated: u64::MAX,
            },
            Measure::Distinct => Limit { pairs: u64::MAX, repeated: target.most_repeated(rows) },
        };
        let columns = ids.iter().map(|&id| Refiner::new(table.column(id), missing)).collect();
        // As much again as the codes, and never less than a few columns' classes.
        let budget = table.memory().max(table.rows() * 24).max(1 << 20);
        let cache = Mutex::new(Cache::new(table.rows(), budget));
        let guide = Guide::new(table, &ids, missing);
        // About as much work as making the classes.
        let most_pairs = most_pairs.unwrap_or(rows.max(1 << 12));
        Self { table, target, missing, run, ids, columns, limit, most_pairs, guide, cache }
    }

    /// Whether sets are looked for that tell all rows apart, in classes.
    pub(super) fn has_blocks(&self) -> bool {
        self.target.is_key() && self.missing != MissingRule::Wildcard
    }

    /// Whether judging a set keeps all threads busy.
    pub(super) fn is_parallel(&self) -> bool {
        self.has_blocks() && self.table.rows() > 1 << 16
    }

    /// What a key leaves together.
    pub(super) fn all_alone(&self) -> Together {
        Together { alone: self.table.rows() as u64, ..Together::default() }
    }

    /// Number of columns that the search is about.
    pub(super) fn columns(&self) -> usize {
        self.ids.len()
    }

    /// The columns of a set, by their own names.
    pub(super) fn named(&self, set: Mask<W>) -> ColumnSet {
        set.iter().map(|rank| self.ids[rank]).collect()
    }

    /// Whether `set` reaches the target; the sets above it in the tree, the highest first, are those
    /// whose columns other sets share.
    pub(super) fn judge(
        &self,
        set: Mask<W>,
        above: &[Mask<W>],
        known: Known<'_, W>,
        scratch: &mut Scratch,
    ) -> Result<Verdict<W>> {
        if self.missing == MissingRule::Wildcard {
            return self.judge_by_counts(set, known);
        }
        if self.target.is_key() {
            return Ok(self.judge_key(set, above, known, scratch));
        }
        // Counted by the column that tells least apart, so the set's own classes need not be made.
        let last = set.iter().last();
        let rest = last.map_or(set, |last| set.without(Mask::one(last)));
        let classes = self.classes(rest, scratch);
        let rows = self.table.rows();
        let found = match last {
            Some(last) => classes.count(rows, self.columns[last], self.limit, scratch),
            None => Some(classes.together(rows)).filter(|all| all.is_within(self.limit)),
        };
        Ok(found.map_or_else(
            || {
                let edge = self.grow(set, &classes, set.without(rest), known, scratch);
                Verdict::falls_short(vec![edge])
            },
            Verdict::reaches,
        ))
    }

    /// The columns that are left when a set has grown as far as it falls short. The classes are
    /// those of all its columns but the `unrefined` ones.
    ///
    /// Pairs are in large classes, rows mostly in small ones. So the small ones, as long as they hold
    /// a small part of the pairs that may be left, are only looked at when it is close.
    fn grow(
        &self,
        set: Mask<W>,
        classes: &Classes,
        unrefined: Mask<W>,
        known: Known<'_, W>,
        scratch: &mut Scratch,
    ) -> Mask<W> {
        let rows = self.table.rows();
        let (mut grown, mut left) = (set, Mask::EMPTY);
        let small_pairs = if self.limit.pairs == u64::MAX { 0 } else { self.limit.pairs / 8 };
        let (mut large, mut small) = classes.split(small_pairs);
        let mut small_pairs = small.together(rows).pairs;
        // Columns of the set that the classes do not know of.
        let (mut new, mut new_to_small) = (unrefined, Mask::EMPTY);
        // Columns that tell little apart first: more of them fit.
        let tried: Vec<usize> = Mask::first(self.columns()).without(set).iter().collect();
        for &rank in tried.iter().rev() {
            let (one, by) = (Mask::one(rank), self.columns[rank]);
            let reaches = known.about(grown | one).unwrap_or_else(|| {
                new_to_small |= new;
                for joined in std::mem::replace(&mut new, Mask::EMPTY).iter() {
                    large = large.refine(self.columns[joined], scratch);
                }
                if let Some(fits) = large.fits(by, self.limit, small_pairs, scratch) {
                    return fits;
                }
                for joined in std::mem::replace(&mut new_to_small, Mask::EMPTY).iter() {
                    small = small.refine(self.columns[joined], scratch);
                }
                small_pairs = small.together(rows).pairs;
                let Some(found) = large.count(rows, by, self.limit, scratch) else { return false };
                let pairs = self.limit.pairs - found.pairs;
                small.fits(by, Limit { pairs, ..self.limit }, 0, scratch) == Some(true)
            });
            if reaches {
                left |= one;
            } else {
                grown |= one;
                new |= one;
            }
        }
        left
    }

    /// Whether a set tells all rows apart.
    ///
    /// Looks at every pair of rows that some of its columns leave together: the *block*. Each either
    /// differs on all columns of a known edge, or makes a new edge. Then no pair of the block is in
    /// the way of a set that hits all edges, and other sets with the block's columns need no look.
    fn judge_key(
        &self,
        set: Mask<W>,
        above: &[Mask<W>],
        known: Known<'_, W>,
        scratch: &mut Scratch,
    ) -> Verdict<W> {
        // Sets that come soon share the columns from far above.
        let is_enough = |part: &&Mask<W>| {
            part.len() > 1
                && self.guide.pairs(**part, self.table.rows(), scratch) <= self.most_pairs / 2
        };
        let part = above.iter().find(is_enough).copied().unwrap_or(set);
        let (block, classes) = self.block(part, set, scratch);
        let pairs = classes.together(self.table.rows()).pairs;
        let is_whole = pairs <= self.most_pairs;
        let new: Vec<Mask<W>> = if is_whole {
            let edges = || Edges::new(&self.columns, known.edges, block);
            let of_part = |part| edges().of_pairs(&classes, part);
            classes.parts(4).into_par_iter().flat_map_iter(of_part).collect()
        } else {
            Edges::new(&self.columns, known.edges, block).of_some_pairs(&classes, SOME_PAIRS)
        };
        debug_assert!(is_whole || !new.is_empty(), "a set that is far from a key shows a pair");
        let falls_short = new.iter().any(|edge| (*edge & set).is_empty());
        let reaches = (is_whole && !falls_short).then(|| self.all_alone());
        Verdict { reaches, edges: new, block: is_whole.then_some(block) }
    }

    /// Columns of a set that leave few pairs of rows together, those of `part` before others, and
    /// their classes; or all columns.
    fn block(&self, part: Mask<W>, set: Mask<W>, scratch: &mut Scratch) -> (Mask<W>, Arc<Classes>) {
        let rows = self.table.rows() as u64;
        if set.is_empty() || rows * rows.saturating_sub(1) / 2 <= self.most_pairs {
            return (Mask::EMPTY, Arc::new(Classes::whole(self.table.rows())));
        }
        if set.len() == 1 {
            return (set, self.column(set.iter().next().expect("one")));
        }
        let (mut taken, mut classes) = self.start(part, scratch);
        let mut new = taken;
        for columns in [part, set] {
            let mut left = Left::new(columns.without(taken));
            while classes.together(self.table.rows()).pairs > self.most_pairs {
                let Some(next) = left.take(new, &self.guide, scratch) else { break };
                new = Mask::one(next);
                taken |= new;
                classes = Arc::new(classes.refine(self.columns[next], scratch));
                self.lock().keep(taken, &classes);
            }
        }
        (taken, classes)
    }

    /// As [`Judge::judge`] where rows do not fall into classes.
    fn judge_by_counts(&self, set: Mask<W>, known: Known<'_, W>) -> Result<Verdict<W>> {
        let engine = MemoryEngine::new(self.table, self.run);
        let reaches = |set: Mask<W>| -> Result<Option<Together>> {
            let sizes = engine.class_sizes(&self.named(set), self.missing)?;
            let pairs = u64::try_from(sizes.unseparated_pairs()).unwrap_or(u64::MAX);
            let alone = sizes.rows_below(2);
            Ok(self.target.is_reached(&sizes).then_some(Together { pairs, repeated: 0, alone }))
        };
        if let Some(together) = reaches(set)? {
            return Ok(Verdict::reaches(together));
        }
        let (mut grown, mut left) = (set, Mask::EMPTY);
        let tried: Vec<usize> = Mask::first(self.columns()).without(set).iter().collect();
        for &rank in tried.iter().rev() {
            self.run.check().map_err(Error::from)?;
            let larger = grown | Mask::one(rank);
            let larger_reaches = match known.about(larger) {
                Some(known) => known,
                None => reaches(larger)?.is_some(),
            };
            if larger_reaches {
                left.insert(rank);
            } else {
                grown = larger;
            }
        }
        Ok(Verdict::falls_short(vec![left]))
    }

    /// The classes of a set.
    ///
    /// Begins with the best classes that are there, or with two columns that leave few rows
    /// together; then always takes the column that is least implied by those before it.
    fn classes(&self, set: Mask<W>, scratch: &mut Scratch) -> Arc<Classes> {
        let mut ranks = set.iter();
        match (ranks.next(), ranks.next()) {
            (None, _) => return Arc::new(Classes::whole(self.table.rows())),
            (Some(rank), None) => return self.column(rank),
            _ => {}
        }
        if let Some(known) = self.lock().find(set) {
            return known;
        }
        let (mut taken, mut classes) = self.start(set, scratch);
        let mut left = Left::new(set.without(taken));
        let mut new = taken;
        while let Some(next) = left.take(new, &self.guide, scratch) {
            new = Mask::one(next);
            taken |= new;
            classes = Arc::new(classes.refine(self.columns[next], scratch));
            self.lock().keep(taken, &classes);
        }
        classes
    }

    /// Where to begin with a set of two columns or more: a proper part of it, and its classes.
    fn start(&self, set: Mask<W>, scratch: &mut Scratch) -> (Mask<W>, Arc<Classes>) {
        let rows = self.table.rows();
        let size = set.len();
        let known = self.lock().best_within(set);
        let ranks: Vec<usize> = set.iter().take(STARTS).collect();
        let mut best = (f32::INFINITY, ranks[0], None);
        if size > 2 {
            for (at, &a) in ranks.iter().enumerate() {
                for &b in &ranks[at + 1..] {
                    let open = self.guide.open_share(a, b, rows, scratch);
                    if open < best.0 {
                        best = (open, a, Some(b));
                    }
                }
            }
        }
        // Two new columns cost all rows, and what is open then; known classes what is open now, for
        // every column that is still to come.
        if let Some((part, classes)) = known {
            let steps = if size - part.len() > 1 { 2 } else { 1 };
            let cost = classes.rows() * steps;
            if best.2.is_none() || as_f32(cost) <= as_f32(rows) * (1.0 + best.0) {
                return (part, classes);
            }
        }
        let (_, a, b) = best;
        let of_a = self.column(a);
        match b {
            None => (Mask::one(a), of_a),
            Some(b) => {
                let both = Mask::one(a) | Mask::one(b);
                let classes = Arc::new(of_a.refine(self.columns[b], scratch));
                self.lock().keep(both, &classes);
                (both, classes)
            }
        }
    }

    /// The classes of one column.
    fn column(&self, rank: usize) -> Arc<Classes> {
        if let Some(known) = self.lock().find(Mask::one(rank)) {
            return known;
        }
        let classes = Arc::new(self.columns[rank].classes());
        self.lock().keep(Mask::one(rank), &classes);
        classes
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Cache<W>> {
        self.cache.lock().expect("nobody panics while holding it")
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn as_f32(rows: usize) -> f32 {
    rows as f32
}
