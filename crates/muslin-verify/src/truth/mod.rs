//! Whether every published cell is true: the original's value, something that takes it in, or
//! nothing.
//!
//! Nobody knows which published row is whose, so the question is whether there is *an* assignment of
//! published rows to original rows, no original row twice, in which every published cell may stand
//! for the original's. That is a flow between classes of equal rows.
//!
//! # Buckets
//! In a bucket the rows of a slice stand in an order of their own. Then original rows are to be
//! assigned to buckets, as many as each has rows, so that each bucket shows in each slice what its
//! rows have there. For each slice a flow is looked for, from original rows to what is shown in the
//! buckets that match them in *all* slices. That it is found for each slice does not yet say that it
//! is the same for all; it is where every original row matches one bucket at most and none was
//! removed, which is so for buckets that were cut out by ranges. Elsewhere a search looks for it.
//!
//! # Counts
//! A list of counts (`a:2,b:1`) says of a group of rows which values they have together. A group are
//! the rows that have the same such lists in all columns, or in all of a slice. Its rows have to be as many as are counted,
//! or some times that many, and each column by itself has to have the values that are counted. Where that
//! is so, a search looks for one assignment that does it for all columns at once.

mod columns;
mod counted;
mod found;
mod repair;
mod search;

use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet, EncodedTable};
use rayon::prelude::*;

pub use self::found::Untrue;

use self::found::LISTED;
use self::search::Together;
use crate::bucket_index::BucketIndex;
use crate::covering::{Covering, Side, Wanted};
use crate::flow::Flow;
use crate::lists::Lists;
use crate::loss::{Cover, Reading};
use crate::work::Work;
use crate::{Error, Result};

/// Looks for an assignment of published rows to original ones that makes every cell true.
///
/// # Guarantee
/// A value stands for itself, a range, a set or a label for the values that it takes in, a missing
/// cell for a missing one, and a suppressed cell for anything. Where the result
/// [is exact](Untrue::is_exact), it is true when there is such an assignment, and otherwise
/// [`Untrue::count`] is the fewest published rows that have to be left out for there to be one.
///
/// It is not exact, and what is found untrue is untrue all the same, where
/// - the search takes more steps than allowed: then each published row is to have an original row
///   that it may stand for, and each column by itself is to be true;
/// - cells are lists of counts, and the search for an assignment that fits all of them at once takes too
///   many steps, or slices stand in buckets;
/// - several slices stand in buckets, an original row matches two buckets or was removed, and the search
///   for an assignment that fits all slices at once takes too many steps.
///
/// Columns that the release lacks say nothing and are true.
///
/// # Cost
/// Distinct original rows times sets of columns that published rows have suppressed, each sorted by
/// its columns where there are ranges or sets; and the pairs of a distinct original and a distinct
/// published row that fit, 16 bytes each, some times over.
///
/// # Example
/// ```
/// use std::collections::BTreeMap;
/// use muslin_engine::Run;
/// use muslin_table::{Column, EncodedTable};
/// use muslin_verify::{Truth, loss::Reading};
/// // One of 20 to 30 and one of 50: but there are two of 50, and one of 20.
/// let original = EncodedTable::of(&[[20], [50], [50]]);
/// let labels = ["[20-30]", "50"];
/// let judge = |rows: &[u32]| {
///     let release = Column::of_labels("c0", &labels, rows.iter().copied())?;
///     let release = EncodedTable::new(rows.len(), vec![release])?;
///     let reading = Reading::of(&original, &release, &BTreeMap::new(), None)?;
///     Truth::new(original.all_columns()).run(&original, &release, &reading, &Run::new())
/// };
/// assert!(judge(&[1, 0, 1])?.is_true());
/// assert_eq!(judge(&[0, 0, 1])?.rows(), [1]);
/// # Ok::<(), muslin_verify::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Truth {
    columns: ColumnSet,
    work_limit: u64,
}

/// For each published class how many of its rows are nobody's, and whether that is certain.
struct Solved {
    unlinked: Vec<u32>,
    is_exact: bool,
}

impl Truth {
    /// Looks at these columns of the original.
    pub fn new(columns: ColumnSet) -> Self {
        Self { columns, work_limit: 100_000_000 }
    }

    /// Does no more than this many steps for an answer that is exact: a hundred million unless told.
    #[must_use]
    pub fn work_limit(mut self, steps: u64) -> Self {
        self.work_limit = steps;
        self
    }

    /// Judges `release`, whose labels `reading` has.
    pub fn run(
        &self,
        original: &EncodedTable,
        release: &EncodedTable,
        reading: &Reading,
        run: &Run,
    ) -> Result<Untrue> {
        if !self.columns.is_subset(&original.all_columns()) {
            return Err(Error::Setting(format!(
                "a column to look at is beyond the original's {} columns\n  hint: name columns of the original",
                original.columns().len()
            )));
        }
        reading.check(original, release)?;
        run.install(|| {
            let tables = (original, release);
            let mut rows = vec![false; release.rows()];
            let mut is_exact = match (reading.bucket_column(), reading.slices()) {
                (Some(bucket), Some(slices)) => {
                    self.in_buckets(tables, reading, bucket, &slices, &mut rows, run)?
                }
                _ => {
                    let columns: Vec<ColumnId> = self.columns.iter().collect();
                    self.in_rows(tables, reading, &columns, &mut rows, run)?
                }
            };
            // Rows of different slices do not belong together.
            let together = match reading.slices() {
                Some(slices) => slices.iter().map(|slice| self.looked_at(slice)).collect(),
                None => vec![self.columns.iter().collect()],
            };
            let mut has_lists = false;
            for columns in &together {
                if let Some(groups) = columns::groups(release, reading, columns, run)? {
                    has_lists = true;
                    groups.mark(&mut rows);
                }
            }
            let mut columns = Vec::new();
            if !is_exact || has_lists || rows.contains(&true) {
                let judged: Result<Vec<_>> = (self.columns.iter().collect::<Vec<_>>())
                    .par_iter()
                    .map(|&id| columns::untrue(tables, reading, id, self.work_limit, run))
                    .collect();
                for (id, found) in self.columns.iter().zip(judged?) {
                    is_exact &= found.is_exact;
                    if !found.cells.is_empty() {
                        columns.push((id, found.cells.len() as u64));
                    }
                    more(&mut rows, &found.cells);
                }
            }
            if has_lists {
                is_exact &= match &together[..] {
                    [all] if columns.is_empty() && !rows.contains(&true) => {
                        let limit = self.work_limit;
                        let found = counted::of_lists(tables, reading, all, limit, &mut rows, run)?;
                        found != Together::Open
                    }
                    _ => false,
                };
            }
            // No original row is anybody's twice.
            let extra: Vec<u32> = (0u32..).take(release.rows()).skip(original.rows()).collect();
            more(&mut rows, &extra);
            let listed = (0u32..).zip(&rows).filter(|(_, is_untrue)| **is_untrue);
            Ok(Untrue {
                count: count(&rows) as u64,
                rows: listed.map(|(row, _)| row).take(LISTED).collect(),
                columns,
                is_exact,
            })
        })
    }

    /// Those of some columns that are looked at.
    fn looked_at(&self, columns: &[ColumnId]) -> Vec<ColumnId> {
        columns.iter().copied().filter(|&id| self.columns.contains(id)).collect()
    }

    /// Marks rows that are nobody's on some columns, as if there were no buckets; whether these are
    /// all.
    fn in_rows(
        &self,
        (original, release): (&EncodedTable, &EncodedTable),
        reading: &Reading,
        columns: &[ColumnId],
        rows: &mut [bool],
        run: &Run,
    ) -> Result<bool> {
        let covering = Covering::new(original, release, reading, columns.iter().copied(), run)?;
        let work = Work::new(self.work_limit);
        let solved = match covering.links(Wanted::All, &work, run)? {
            Some(links) => self.solve(&covering, &links, run)?,
            None => None,
        };
        let solved = match solved {
            Some(solved) => solved,
            None => self.without_any(&covering, run)?,
        };
        mark(&covering.published, solved.unlinked, rows);
        Ok(solved.is_exact)
    }

    /// The rows that a largest flow leaves; nothing where it takes too much work.
    fn solve(&self, covering: &Covering<'_>, links: &Lists, run: &Run) -> Result<Option<Solved>> {
        let (giving, taking) = (&covering.published.rows, &covering.originals.rows);
        // Rows that say nothing may be anybody's, so they come last and take what is left.
        let silent: Vec<usize> =
            (0..giving.len()).filter(|&class| covering.shown(class).is_empty()).collect();
        let mut others = giving.clone();
        silent.iter().for_each(|&class| others[class] = 0);
        let flow = Flow::largest(&others, taking, |class| links.of(class), self.work_limit, run)?;
        Ok(flow.map(|flow| {
            let mut left: u64 = flow.left.iter().map(|&rows| u64::from(rows)).sum();
            let mut unlinked = flow.unlinked;
            for class in silent {
                let rows = u64::from(giving[class]);
                unlinked[class] =
                    u32::try_from(rows.saturating_sub(left)).expect("no more than the class has");
                left = left.saturating_sub(rows);
            }
            Solved { unlinked, is_exact: true }
        }))
    }

    /// The rows that may stand for no original row, or for none where there is none at all.
    fn without_any(&self, covering: &Covering<'_>, run: &Run) -> Result<Solved> {
        let rows = &covering.published.rows;
        let found = covering.links(Wanted::One, &Work::new(self.work_limit), run)?;
        let is_left = |class: usize| match &found {
            Some(links) => links.of(class).is_empty() && !covering.shown(class).is_empty(),
            None => false,
        };
        let unlinked = (0..rows.len()).map(|class| if is_left(class) { rows[class] } else { 0 });
        Ok(Solved { unlinked: unlinked.collect(), is_exact: false })
    }

    /// The same for rows in buckets.
    fn in_buckets(
        &self,
        tables: (&EncodedTable, &EncodedTable),
        reading: &Reading,
        bucket: ColumnId,
        slices: &[Vec<ColumnId>],
        rows: &mut [bool],
        run: &Run,
    ) -> Result<bool> {
        let mut slices: Vec<Vec<ColumnId>> =
            slices.iter().map(|slice| self.looked_at(slice)).collect();
        slices.retain(|slice| !slice.is_empty());
        if slices.len() <= 1 {
            // One slice alone is a table without buckets.
            return self.in_rows(tables, reading, slices.first().map_or(&[], |s| s), rows, run);
        }
        let work = Work::new(self.work_limit);
        let index = BucketIndex::new(tables, reading, bucket, &slices, &work, run)?;
        let found = match &index {
            Some(index) => self.assign(index, &work, rows, run)?,
            None => None,
        };
        if let (Some(index), Some(matches_one)) = (&index, found) {
            let slack = tables.0.rows().checked_sub(tables.1.rows());
            // Where something was found, it is there in any case; else what each slice allows by itself
            // may not go together.
            return Ok(match slack {
                Some(0) if matches_one => true,
                Some(slack) if !rows.contains(&true) => {
                    match counted::of_buckets(index, slack as u64, self.work_limit, run)? {
                        Together::Fits => true,
                        Together::Not => {
                            rows.fill(true);
                            true
                        }
                        Together::Open => false,
                    }
                }
                _ => false,
            });
        }
        for slice in &slices {
            self.in_rows(tables, reading, slice, rows, run)?;
        }
        Ok(false)
    }

    /// Marks rows that no original row which matches their bucket is left for, slice by slice;
    /// whether each original row matches one bucket at most. Nothing where it takes too much work.
    fn assign(
        &self,
        index: &BucketIndex<'_>,
        work: &Work,
        rows: &mut [bool],
        run: &Run,
    ) -> Result<Option<bool>> {
        let tuples = index.tuple_rows.len();
        // For each tuple, slice by slice, the nodes of the buckets that it matches.
        let look = |tuple: usize| {
            let mut nodes: Vec<Vec<u32>> = vec![Vec::new(); index.slices.len()];
            let mut buckets = 0;
            if work.is_within() {
                let steps = index.matching(tuple, |_, own| {
                    buckets += 1;
                    nodes.iter_mut().zip(own).for_each(|(all, own)| all.extend(*own));
                });
                work.add(steps + nodes.iter().map(Vec::len).sum::<usize>() as u64);
            }
            if tuple.is_multiple_of(1_024) {
                run.check()?;
            }
            Ok((buckets, nodes))
        };
        let found: Result<Vec<(u32, Vec<Vec<u32>>)>> =
            (0..tuples).into_par_iter().map(look).collect();
        let mut found = found?;
        if !work.is_within() {
            return Ok(None);
        }
        let mut marked = rows.to_vec();
        for (at, slice) in index.slices.iter().enumerate() {
            let links =
                Lists::new(found.iter_mut().map(|(_, nodes)| std::mem::take(&mut nodes[at])));
            let (giving, taking) = (&index.tuple_rows, &slice.rows);
            let flow = Flow::largest(giving, taking, |from| links.of(from), self.work_limit, run)?;
            let Some(flow) = flow else { return Ok(None) };
            mark_classes(&slice.node_of, flow.left, &mut marked);
        }
        rows.copy_from_slice(&marked);
        Ok(Some(found.iter().all(|&(buckets, _)| buckets <= 1)))
    }
}

fn mark(side: &Side, unlinked: Vec<u32>, rows: &mut [bool]) {
    mark_classes(&side.of, unlinked, rows);
}

/// Marks the last rows of each class, as many as are nobody's.
fn mark_classes(class_of: &[u32], mut unlinked: Vec<u32>, rows: &mut [bool]) {
    for (row, &class) in class_of.iter().enumerate().rev() {
        let left = &mut unlinked[class as usize];
        rows[row] |= *left > 0;
        *left = left.saturating_sub(1);
    }
}

fn count(rows: &[bool]) -> usize {
    rows.iter().filter(|&&is_marked| is_marked).count()
}

/// Marks these rows instead, where they are more.
fn more(rows: &mut [bool], others: &[u32]) {
    if others.len() > count(rows) {
        rows.fill(false);
        others.iter().for_each(|&row| rows[row as usize] = true);
    }
}

/// Whether a cell is a list of counts.
fn is_counted(cover: &Cover) -> bool {
    matches!(cover, Cover::Multiset(_))
}
