//! Which way to search, and where leaves end: decided from counts of pairs, not from trials.

#![expect(clippy::cast_precision_loss, reason = "costs are rough")]

use muslin_engine::Run;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::classes::ClassCount;
use super::kernel::Isa;
use super::ranked::Ranked;
use crate::Result;

/// A way to search. Both find the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// What rows share, then what singles them out: for wide tables and all sizes.
    AgreeSets,
    /// One column set after the other: for few columns, small sizes, or very many rows.
    ColumnSets,
}

/// What a search will do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) method: Method,
    /// Ranks from here on are one leaf.
    pub(super) cut: usize,
    /// Nanoseconds that agree sets take, about.
    agreement: f64,
    /// Nanoseconds that column sets take, at most, about.
    column_sets: f64,
    /// Column sets, all of them.
    pub(super) sets: f64,
    /// Bytes that column sets are remembered in.
    remembered: f64,
}

/// Nanoseconds for a pair of rows in a leaf, for a cell whatever its leaf, and for a row of a column
/// set: rough, and only their ratios matter.
const PAIR: f64 = 1.0;
const CELL: f64 = 100.0;
const REFINED_ROW: f64 = 8.0;
/// Bytes that the search by column sets may remember.
const REMEMBERED: f64 = 2e9;
/// Part of all pairs that one leaf for the last ranks may save at least.
const WORTH_A_LOOK: f64 = 0.1;
/// Leaves of fewer rows are not looked at one by one.
const SMALL_LEAF: usize = 256;

impl Plan {
    pub(super) fn new(
        ranked: &Ranked,
        k: u32,
        most: usize,
        method: Option<Method>,
        isa: Isa,
        run: &Run,
    ) -> Result<Self> {
        let columns = (0..ranked.columns).filter(|&c| ranked.has_items(c)).count();
        let rows = ranked.distinct() as f64;
        let sets: f64 = (2..=most.min(columns)).map(|size| choose(columns, size)).sum();
        let kept: f64 = (2..most.min(columns)).map(|size| choose(columns, size)).sum();
        let remembered = kept * rows / 8.0 + rows * (most + 1) as f64 * 4.0;
        let budget =
            run.memory_budget().map_or(REMEMBERED, |budget| (budget as f64 / 2.0).min(REMEMBERED));
        let fits = remembered <= budget;
        let by_sets = sets * rows * REFINED_ROW;

        // The cheapest bound first: where column sets win against building leaves alone.
        let cells: f64 = (0..ranked.ranks()).map(|rank| ranked.holders(rank).len() as f64).sum();
        let build = cells * CELL;
        let takes_sets = !ranked.is_wild() && fits && method != Some(Method::AgreeSets);
        if takes_sets && (method == Some(Method::ColumnSets) || by_sets < build) {
            return Ok(Self {
                method: Method::ColumnSets,
                cut: ranked.ranks(),
                agreement: build,
                column_sets: by_sets,
                sets,
                remembered,
            });
        }

        run.reporter().stage("planning", Some(ranked.ranks() as u64));
        let merges = k == 1 && !ranked.is_wild();
        let pairs: Result<Vec<f64>> = (0..ranked.ranks())
            .into_par_iter()
            .with_max_len(16)
            .map_init(ClassCount::default, |count, rank| {
                run.check()?;
                let rows = ranked.holders(rank);
                let partners = (rows.len() + ranked.wild_rows(rank).len()) as f64;
                run.reporter().advance(1);
                if !merges || rows.len() < SMALL_LEAF {
                    return Ok(rows.len() as f64 * partners);
                }
                let (alone, classes) = count.of(ranked, rank, rows, isa);
                Ok(alone as f64 * classes as f64)
            })
            .collect();
        let pairs = pairs?;
        let all: f64 = pairs.iter().sum();

        // One leaf for the last ranks, where that has fewer pairs than their own leaves.
        let everyone: Vec<u32> = (0u32..).take(ranked.distinct()).collect();
        let (mut cut, mut best) = (ranked.ranks(), all);
        let (mut last, mut above, mut at) = (4, 0.0, ranked.ranks());
        let mut count = ClassCount::default();
        while at > 0 && last <= 4 * MOST_RANKS_IN_LEAF {
            let from = ranked.ranks().saturating_sub(last.min(MOST_RANKS_IN_LEAF));
            above += pairs[from..at].iter().sum::<f64>();
            at = from;
            last *= 2;
            // Little to gain is not worth a look at all rows.
            if above < WORTH_A_LOOK * all {
                continue;
            }
            run.check()?;
            let leaf = if merges {
                let (alone, classes) = count.of(ranked, from, &everyone, isa);
                alone as f64 * classes as f64
            } else {
                rows * rows
            };
            if leaf < above && all - above + leaf < best {
                (cut, best) = (from, all - above + leaf);
            }
            if leaf > best {
                break;
            }
        }
        // Counting to k instead of to one, a leaf knows about k times as many sets.
        let by_agreement = best * PAIR * f64::from(k) + build;
        let method = match method {
            None if takes_sets && by_sets < by_agreement => Method::ColumnSets,
            _ => Method::AgreeSets,
        };
        Ok(Self { method, cut, agreement: by_agreement, column_sets: by_sets, sets, remembered })
    }

    /// Seconds that finding agree sets takes on one thread, about.
    pub(super) fn agreement_seconds(&self) -> f64 {
        self.agreement / 1e9
    }

    /// Seconds that column sets take on one thread, about.
    pub(super) fn column_set_seconds(&self) -> f64 {
        self.column_sets / 1e9
    }

    /// Bytes that column sets are remembered in.
    pub(super) fn remembered_bytes(&self) -> f64 {
        self.remembered
    }
}

/// A leaf has a code of 16 bits for each of its items in a column.
const MOST_RANKS_IN_LEAF: usize = 60_000;

/// Subsets of `size` of `columns` columns.
fn choose(columns: usize, size: usize) -> f64 {
    (0..size).map(|i| (columns - i) as f64 / (i + 1) as f64).product()
}
