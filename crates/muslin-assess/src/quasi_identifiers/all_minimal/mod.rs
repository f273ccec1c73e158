//! Every minimal key or quasi-identifier.
//!
//! # Method
//! For each pair of rows, a key has a column in which they differ: keys are the sets that hit every
//! such *edge*, minimal keys those that hit them minimally. There are too many pairs to look at
//! all of them, so the search knows few edges, lists the minimal sets that hit those, and judges
//! each on the rows; a set that falls short gives new edges (hitting sets with partial information, after
//! Birnick, Bläsius and others, 2020). A set is judged with its neighbours: all pairs of rows that some of its
//! columns leave together, its block, are held against the edges, so every set with these columns is
//! settled by the edges alone. Below a ratio of one the edges are what larger and larger sets that
//! fall short leave over, which needs nothing but that more columns never tell less apart.
//!
//! ```text
//! judge     a set's classes, refined column by column, kept for its neighbours; blocks; edges from what falls short
//! search    the tree of minimal sets that hit all edges, over and over until no edge is new
//! edges     pairs of rows against the edges
//! classes   rows that are not alone, class by class; cache keeps some
//! count     what classes leave together with a column more; few, where there are few rows
//! guide     in which order columns refine best, by some of the rows
//! ```

mod cache;
mod classes;
mod count;
mod edges;
mod few;
mod guide;
mod judge;
mod search;
mod sort;

use muslin_engine::{Coverage, Error as EngineError, Run, Stop};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule, Ratio};

use self::count::Together;
use self::judge::Judge;
use self::search::{Schedule, Search};
use super::{Measure, Target};
use crate::mask::Mask;
use crate::{Error, Result};

/// Most columns that a search takes.
const MOST_COLUMNS: usize = 1_024;
/// Rows that columns are ranked by.
const RANKED_ROWS: usize = 1 << 14;

/// Finds every minimal set of columns that reaches a target.
///
/// # Guarantee
/// When the coverage is [`Coverage::Complete`], the result lists every column set of at most
/// `max_size` columns whose ratio reaches the target while that of none of its subsets does, the
/// empty set included. It lists nothing else, in order of size, then columns, on any number of
/// threads. When a limit ended the search, what is listed is right; after a limit on results it is
/// the beginning of the list.
///
/// # Cost
/// Follows the number of results and of maximal sets that fall short, each of which takes a few
/// passes over the rows that are not alone on it. The worst case is exponential in the columns.
/// Memory: classes of the sets looked at last, as much again as the table, and the results.
///
/// # Example
/// ```
/// use muslin_assess::{MinimalSets, Target};
/// use muslin_engine::{Coverage, Run};
/// use muslin_table::EncodedTable;
/// // No column is a key by itself; the first with either other one is.
/// let table = EncodedTable::of(&[[1, 1, 5], [1, 2, 6], [2, 1, 5], [2, 2, 6]]);
/// let found = MinimalSets::new(Target::key()).run(&table, &Run::new())?;
/// let sets: Vec<String> = found.sets().iter().map(|set| format!("{:?}", set.columns)).collect();
/// assert_eq!(sets, ["{0, 1}", "{0, 2}"]);
/// assert_eq!(found.coverage(), Coverage::Complete);
/// # Ok::<(), muslin_assess::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MinimalSets {
    target: Target,
    max_size: Option<usize>,
    limit: Option<usize>,
    missing: MissingRule,
    tuning: Tuning,
}

/// What makes the search quick; no answer depends on it.
#[derive(Clone, Copy, Debug)]
struct Tuning {
    /// Nodes after which a pass over sets of any size is given up for one size after the other.
    many_nodes: usize,
    /// Pairs of rows that are all looked at together at most, where it is not as many as rows.
    most_pairs: Option<u64>,
    /// In which order nodes are taken.
    schedule: Schedule,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { many_nodes: 200_000, most_pairs: None, schedule: Schedule::default() }
    }
}

impl MinimalSets {
    /// Looks for sets of any size.
    pub fn new(target: Target) -> Self {
        let missing = MissingRule::default();
        Self { target, max_size: None, limit: None, missing, tuning: Tuning::default() }
    }

    /// Looks for sets of at most so many columns; of any size when none.
    #[must_use]
    pub fn max_size(mut self, columns: Option<usize>) -> Self {
        self.max_size = columns;
        self
    }

    /// Ends with so many sets, the smallest ones.
    #[must_use]
    pub fn limit(mut self, sets: Option<usize>) -> Self {
        self.limit = sets;
        self
    }

    /// What a missing cell matches.
    #[must_use]
    pub fn missing(mut self, rule: MissingRule) -> Self {
        self.missing = rule;
        self
    }

    /// Finds all sets.
    pub fn run(&self, table: &EncodedTable, run: &Run) -> Result<MinimalSetsFound> {
        self.list(table, &mut |_| Ok(()), run)
    }

    /// Finds all sets and hands them to `sink` in order, as soon as no smaller one can come.
    pub fn list(
        &self,
        table: &EncodedTable,
        sink: &mut dyn FnMut(&[FoundSet]) -> Result<()>,
        run: &Run,
    ) -> Result<MinimalSetsFound> {
        if self.missing == MissingRule::Wildcard && self.target.measure() == Measure::Distinct {
            return Err(Error::Setting(
                "rows do not fall into classes when a missing cell matches anything, so there is no distinct ratio\n  hint: pass `--measure separation`, or another `--missing`".into(),
            ));
        }
        let ids = ranked_columns(table, run);
        match ids.len() {
            0..=64 => self.search::<1>(table, ids, sink, run),
            65..=128 => self.search::<2>(table, ids, sink, run),
            129..=256 => self.search::<4>(table, ids, sink, run),
            257..=MOST_COLUMNS => self.search::<16>(table, ids, sink, run),
            columns => Err(Error::TooManyColumns { columns, most: MOST_COLUMNS }),
        }
    }

    fn search<const W: usize>(
        &self,
        table: &EncodedTable,
        ids: Vec<ColumnId>,
        sink: &mut dyn FnMut(&[FoundSet]) -> Result<()>,
        run: &Run,
    ) -> Result<MinimalSetsFound> {
        run.reporter().stage("searching", None);
        let judge =
            Judge::<W>::new(table, self.target, self.missing, ids, self.tuning.most_pairs, run);
        let search = Search::new(&judge, self.tuning.schedule, run);
        let mut listing =
            Listing { rows: table.rows() as u64, limit: self.limit, sets: Vec::new() };
        let largest = self.max_size.unwrap_or(usize::MAX).min(judge.columns());
        let mut coverage = Coverage::Complete;
        let mut complete_to = None;
        let mut larger_may_exist = true;
        // All sizes at once; where that is too much, size by size, so that results come early.
        let (mut size, mut most_nodes) = (largest, self.tuning.many_nodes);
        loop {
            match search.find(size, most_nodes) {
                Ok(None) => (size, most_nodes) = (1.min(largest), usize::MAX),
                Ok(Some(more)) => {
                    complete_to = Some(size);
                    larger_may_exist = more;
                    if !listing.take(&judge, &search, size, self.missing, sink)? {
                        coverage = Coverage::Stopped { by: Stop::ResultLimit };
                        break;
                    }
                    if !more || size == largest {
                        break;
                    }
                    size += 1;
                }
                Err(Error::Engine(EngineError::Stopped(stop))) if stop != Stop::Interrupted => {
                    coverage = Coverage::Stopped { by: stop };
                    listing.take(&judge, &search, usize::MAX, self.missing, sink)?;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        run.reporter().finish();
        Ok(MinimalSetsFound {
            target: self.target,
            missing: self.missing,
            is_reachable: !search.is_hopeless(),
            sets: listing.sets,
            coverage,
            complete_to,
            larger_may_exist,
            judged: search.judged() as u64,
            edges: search.edges() as u64,
        })
    }
}

/// Columns that may tell rows apart, those that tell most apart first, by some of the rows.
fn ranked_columns(table: &EncodedTable, run: &Run) -> Vec<ColumnId> {
    use rayon::prelude::*;
    let step = table.rows().div_ceil(RANKED_ROWS).max(1);
    let together = |id: ColumnId| {
        let column = table.column(id);
        let mut counts = vec![0u64; column.slots()];
        let mut pairs = 0;
        for row in (0..table.rows()).step_by(step) {
            let count = &mut counts[column.codes().slot(row) as usize];
            pairs += *count;
            *count += 1;
        }
        pairs
    };
    let ids: Vec<ColumnId> = table.all_columns().iter().collect();
    let differs = |id: &ColumnId| {
        let column = table.column(*id);
        column.dictionary().len() > 1 || column.missing() > 0 || column.suppressed() > 0
    };
    let mut ranked: Vec<(u64, ColumnId)> =
        run.install(|| ids.into_par_iter().filter(differs).map(|id| (together(id), id)).collect());
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, id)| id).collect()
}

/// The results that were handed on.
struct Listing {
    rows: u64,
    limit: Option<usize>,
    sets: Vec<FoundSet>,
}

impl Listing {
    /// Hands on what was found of at most `size` columns and not yet handed on, in order. Returns
    /// whether that is all of it; it is not when there are more sets than the limit.
    fn take<const W: usize>(
        &mut self,
        judge: &Judge<'_, W>,
        search: &Search<'_, W>,
        size: usize,
        missing: MissingRule,
        sink: &mut dyn FnMut(&[FoundSet]) -> Result<()>,
    ) -> Result<bool> {
        let listed = self.sets.last().map(|set| set.columns.len());
        let is_new =
            |set: &Mask<W>| set.len() <= size && listed.is_none_or(|last| set.len() > last);
        let found = search.found().into_iter().filter(|(set, _)| is_new(set));
        let set = |(set, together): (Mask<W>, Together)| FoundSet {
            columns: judge.named(set),
            rows: self.rows,
            unseparated: together.pairs,
            classes: (missing != MissingRule::Wildcard).then(|| self.rows - together.repeated),
            alone: together.alone,
        };
        let mut new: Vec<FoundSet> = found.map(set).collect();
        new.sort_unstable_by(|a, b| a.columns.cmp(&b.columns));
        let room = self.limit.map_or(usize::MAX, |limit| limit - self.sets.len());
        let is_all = new.len() <= room;
        new.truncate(room);
        sink(&new)?;
        self.sets.append(&mut new);
        Ok(is_all)
    }
}

/// A column set that reaches the target, and what it tells apart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundSet {
    /// The columns.
    pub columns: ColumnSet,
    /// Rows of the table.
    pub rows: u64,
    /// Pairs of rows that the columns do not tell apart.
    pub unseparated: u64,
    /// Number of classes, where rows fall into classes.
    pub classes: Option<u64>,
    /// Rows with a class of their own: those that the columns single out.
    pub alone: u64,
}

impl FoundSet {
    /// Classes, of all rows; where rows fall into classes.
    pub fn distinct_ratio(&self) -> Option<Ratio> {
        self.classes.map(|classes| Ratio::new(classes.into(), self.rows.into()))
    }

    /// Row pairs told apart, of all pairs.
    pub fn separation_ratio(&self) -> Ratio {
        let rows = u128::from(self.rows);
        let pairs = rows * rows.saturating_sub(1) / 2;
        Ratio::new(pairs - u128::from(self.unseparated), pairs)
    }
}

/// What a search for minimal sets found.
#[derive(Clone, Debug)]
#[must_use]
pub struct MinimalSetsFound {
    target: Target,
    missing: MissingRule,
    is_reachable: bool,
    sets: Vec<FoundSet>,
    coverage: Coverage,
    complete_to: Option<usize>,
    larger_may_exist: bool,
    judged: u64,
    edges: u64,
}

impl MinimalSetsFound {
    /// What the sets reach.
    pub fn target(&self) -> Target {
        self.target
    }

    /// What a missing cell matched.
    pub fn missing(&self) -> MissingRule {
        self.missing
    }

    /// How far the search got.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// The sets, by size, then columns.
    pub fn sets(&self) -> &[FoundSet] {
        &self.sets
    }

    /// Whether all columns together reach the target. Where they do not, no set does: a table with
    /// equal rows has no key.
    pub fn is_reachable(&self) -> bool {
        self.is_reachable
    }

    /// Every set of at most so many columns was found; none when a limit ended the search before.
    /// A limit on results may have cut the list before that.
    pub fn complete_to(&self) -> Option<usize> {
        self.complete_to
    }

    /// Whether there may be sets of more columns than were looked for.
    pub fn larger_may_exist(&self) -> bool {
        self.larger_may_exist
    }

    /// Sets that were judged on the rows.
    pub fn judged(&self) -> u64 {
        self.judged
    }

    /// Edges that the search ended with.
    pub fn edges(&self) -> u64 {
        self.edges
    }
}

#[cfg(test)]
mod tests;
