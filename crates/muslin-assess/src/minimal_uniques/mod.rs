//! Minimal uniques: the smallest combinations of values that single rows out.
//!
//! A row that few items single out is the easiest to recognise, so we find every smallest such
//! itemset and rate rows, columns and values by them. Paper 001 (MH05) calls them minimal sample
//! uniques (MSU); paper 000 (KIMAS) calls the columns of one a prime implicant of its row.
//!
//! # What the paper's search rests on
//! SUDA2 ranks items by rising support, takes each in turn as *reference* and searches the rows that
//! hold it, on the items of higher rank only, in the same way. Five properties make it right and
//! quick (MH05, sections 4.2 and 4.3):
//!
//! - **Support rows.** Each item of a minimal unique is needed: for each, some other row holds all
//!   but that one. So an item of support s is in no minimal unique of more than s items.
//! - **Uniform support.** An item that all rows of a subtable share tells none of them apart and is
//!   in no minimal unique there.
//! - **Recursion.** Without one of its items, a minimal unique is a minimal unique of the rows that
//!   hold that item.
//! - **Perfect correlation.** Items of the same rows never come together in a minimal unique, and
//!   each can stand for the other.
//! - **Rank order.** Every itemset has one item of lowest rank, so each is found once, and the
//!   subtables of rare items are small.
//!
//! # How we use them
//! A set of a row's columns is held by another row exactly when it lies within the pair's *agree
//! set*, the columns in which both have the same item. So a row's minimal uniques are the minimal
//! sets that lie in none of its maximal agree sets. No candidate has to be checked against a
//! special row, rows are independent of each other, and the cost of the second half follows the
//! number of results.
//!
//! ```text
//! ranked        distinct rows, items relabelled by rank           (rank order)
//! plan          which search, and which ranks share a leaf
//! agree, leaf   maximal agree sets, one leaf per reference item   (recursion, uniform support)
//! scan          one row against all others of a leaf, by bitmaps
//! hypergraph    columns that stand for each other, per row        (perfect correlation)
//! transversals  minimal sets in no agree set, each item needed    (support rows)
//! partial       the same where up to k rows may share a set
//! column_sets   the other search: set by set, with classes of rows
//! tally         counts and scores;  listing: one by one, in order
//! parts         ranges of rows as tasks that know nothing of each other
//! one_row       the same for one given row, from one pass
//! ```
//!
//! In a leaf, the rows that hold the reference item are compared on the items of its rank and above.
//! Equal rows are one there; a row with an equal shares everything and is settled: leaves of higher
//! rank have nothing for it. The others are compared 512 at a time by bitmaps, see `scan`. Threads
//! take leaves in rank order, share out the targets of large ones, and then rows in small pieces,
//! stealing from each other; that is the load balancing the paper leaves open.
//!
//! # Differences from the paper
//! Any k, not only one: a leaf then keeps as many agree sets around each other as it takes to count
//! to k. Missing cells match by a rule: under `category` missing is an item like any other; under
//! `distinct` a missing cell forms no item and matches none; under `wildcard` it forms none and
//! matches all. Rows with more than k equals hold nothing, and with them duplicates cost nothing.
//!
//! MH05: Manning and Haglin, A new algorithm for finding minimal sample uniques. ICDM 2005.
//! KIMAS: paper 000, on records with unique combinations of values, KIMAS 2003, Boston.

#![expect(
    clippy::inline_always,
    reason = "bodies of tasks are compiled anew for each instruction set, see kernel"
)]

mod agree;
mod classes;
mod column_sets;
mod estimate;
mod found;
mod hypergraph;
mod kernel;
mod leaf;
mod listing;
mod one_row;
mod partial;
mod parts;
mod plan;
mod ranked;
mod scan;
mod scores;
mod search;
mod tally;
mod transversals;

use muslin_engine::Run;
use muslin_table::{EncodedTable, MissingRule};

pub use self::estimate::{Estimate, Interval};
pub use self::found::{ColumnShare, RowUniques, UniquesFound, ValueShare};
pub use self::listing::{Unique, UniqueBatch};
pub use self::one_row::{ExplainRow, NearRow, RowColumn, RowExplanation};
pub use self::parts::{PreparedUniques, UniquesPart};
pub use self::plan::Method;
pub use self::scores::{Dis, Score};

use self::agree::Tuning;
use self::column_sets::ColumnSets;
use self::found::Asked;
use self::listing::{Lister, Sink};
use self::plan::Plan;
use self::ranked::{MOST_COLUMNS, Ranked};
use self::search::Search;
use self::tally::{SmallSets, Totals};
use crate::{Error, Result};

/// Finds minimal k-uniques: the smallest itemsets that at most `k` rows hold.
///
/// # Guarantee
/// When the coverage is [`Coverage::Complete`](muslin_engine::Coverage::Complete), the result
/// counts, and a list holds, every itemset of at most `max_size` items that some row holds and at
/// most `k` rows match, while more than `k` rows match each of its non-empty proper subsets. It
/// holds nothing else and nothing twice, in order of first row, then size, then columns, on any
/// number of threads. When a limit stopped the search, what is counted and listed is right.
///
/// # Cost
/// The search by agree sets looks at pairs of rows within leaves, in the worst case all pairs, and
/// then follows the number of results. The search by column sets looks at every row for each set of
/// up to `max_size` columns. The cheaper one is chosen from counts. Memory: some 8 bytes per cell,
/// 8 per item and size, and the agree sets of as many rows as fit; never by the number of results.
///
/// # Example
/// ```
/// use muslin_assess::MinimalUniques;
/// use muslin_engine::{Coverage, Run};
/// use muslin_table::EncodedTable;
/// // Only the second row has a 1 in the first column.
/// let table = EncodedTable::of(&[[0, 5], [1, 5], [0, 5]]);
/// let found = MinimalUniques::new().run(&table, &Run::new())?;
/// assert_eq!(found.total(), 1);
/// assert_eq!(found.row(1).smallest, 1);
/// assert_eq!(found.coverage(), Coverage::Complete);
/// # Ok::<(), muslin_assess::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MinimalUniques {
    k: u32,
    max_size: Option<usize>,
    missing: MissingRule,
    score: Score,
    method: Option<Method>,
    contributions: bool,
    tuning: Tuning,
}

impl Default for MinimalUniques {
    fn default() -> Self {
        Self::new()
    }
}

impl MinimalUniques {
    /// Looks for itemsets of one row, of any size.
    pub fn new() -> Self {
        Self {
            k: 1,
            max_size: None,
            missing: MissingRule::default(),
            score: Score::default(),
            method: None,
            contributions: false,
            tuning: Tuning::default(),
        }
    }

    /// Looks for itemsets of at most `k` rows.
    #[must_use]
    pub fn k(mut self, k: u32) -> Self {
        self.k = k;
        self
    }

    /// Looks for itemsets of at most so many items; of any size when none.
    #[must_use]
    pub fn max_size(mut self, items: Option<usize>) -> Self {
        self.max_size = items;
        self
    }

    /// What a missing cell matches.
    #[must_use]
    pub fn missing(mut self, rule: MissingRule) -> Self {
        self.missing = rule;
        self
    }

    /// How rows are scored.
    #[must_use]
    pub fn score(mut self, score: Score) -> Self {
        self.score = score;
        self
    }

    /// Whether to tell what each column adds to each row's score: eight bytes per cell.
    #[must_use]
    pub fn contributions(mut self, wanted: bool) -> Self {
        self.contributions = wanted;
        self
    }

    /// The way to search, instead of the one that seems cheaper. The answer is the same.
    #[must_use]
    pub fn method(mut self, method: Option<Method>) -> Self {
        self.method = method;
        self
    }

    /// Finds and counts. Billions of results take no more memory than none.
    pub fn run(&self, table: &EncodedTable, run: &Run) -> Result<UniquesFound> {
        self.start(table, None, run)
    }

    /// Finds, counts, and hands every minimal unique to `sink`, in order and in batches.
    pub fn list(
        &self,
        table: &EncodedTable,
        sink: &mut (dyn FnMut(&UniqueBatch) -> Result<()> + Send),
        run: &Run,
    ) -> Result<UniquesFound> {
        self.start(table, Some(sink), run)
    }

    /// What a search would take, from at most `rows` rows drawn by the run's seed.
    ///
    /// Unlike everything else here, the seconds depend on the machine and the moment.
    pub fn estimate(&self, table: &EncodedTable, rows: usize, run: &Run) -> Result<Estimate> {
        self.check()?;
        run.install(|| match table.columns().len() {
            0..=64 => self.guess::<1>(table, rows, run),
            65..=128 => self.guess::<2>(table, rows, run),
            129..=256 => self.guess::<4>(table, rows, run),
            257..=MOST_COLUMNS => self.guess::<16>(table, rows, run),
            columns => Err(Error::TooManyColumns { columns, most: MOST_COLUMNS }),
        })
    }

    fn guess<const W: usize>(
        &self,
        table: &EncodedTable,
        rows: usize,
        run: &Run,
    ) -> Result<Estimate> {
        let most = self.most(table);
        let (weights, _) = self.score.weights(table.columns().len(), most);
        let ranked = Ranked::new(table, u64::from(self.k), self.missing, W, run)?;
        let totals = Totals::new(&ranked, &weights, false);
        let plan = Plan::new(&ranked, self.k, most, self.method, self.tuning.isa, run)?;
        let (k, tuning, cut) = (self.k, self.tuning, plan.cut);
        let search = Search { ranked: &ranked, k, most, cut, tuning, run };
        let singles = ranked.single_items.iter().sum();
        let estimate = search.estimate::<W>(&plan, &totals, rows, singles);
        run.reporter().finish();
        estimate
    }

    /// Whether these settings can be searched by.
    pub fn check(&self) -> Result<()> {
        if self.k == 0 {
            return Err(Error::Setting("k is 0\n  hint: pass 1 or more".into()));
        }
        if self.max_size == Some(0) {
            return Err(Error::Setting("the largest size is 0\n  hint: pass 1 or more".into()));
        }
        Ok(())
    }

    /// Largest size that can be found.
    fn most(&self, table: &EncodedTable) -> usize {
        let columns = table.columns().len();
        self.max_size.unwrap_or(columns).min(columns).max(1)
    }

    fn start(
        &self,
        table: &EncodedTable,
        sink: Option<Sink<'_>>,
        run: &Run,
    ) -> Result<UniquesFound> {
        self.check()?;
        run.install(|| match table.columns().len() {
            0..=64 => self.search::<1>(table, sink, run),
            65..=128 => self.search::<2>(table, sink, run),
            129..=256 => self.search::<4>(table, sink, run),
            257..=MOST_COLUMNS => self.search::<16>(table, sink, run),
            columns => Err(Error::TooManyColumns { columns, most: MOST_COLUMNS }),
        })
    }

    fn search<const W: usize>(
        &self,
        table: &EncodedTable,
        sink: Option<Sink<'_>>,
        run: &Run,
    ) -> Result<UniquesFound> {
        let columns = table.columns().len();
        let most = self.most(table);
        let (weights, scale) = self.score.weights(columns, most);
        run.reporter().stage("ranking items", None);
        let ranked = Ranked::new(table, u64::from(self.k), self.missing, W, run)?;
        run.check_memory(
            ranked.memory() + Totals::memory(&ranked, weights.len(), self.contributions),
        )?;
        let totals = Totals::new(&ranked, &weights, self.contributions);
        let mut small = SmallSets::new(columns, weights.len());
        totals.add_singles::<W>();
        let mut lister = sink.map(|sink| Lister::<W>::new(&ranked, table, self.k, most, sink));
        let planned = Plan::new(&ranked, self.k, most, self.method, self.tuning.isa, run);
        let (method, coverage) = match planned {
            Err(error) => (Method::AgreeSets, search::stopped(error)?),
            Ok(Plan { method: Method::ColumnSets, sets, .. }) => {
                run.reporter().stage("looking at column sets", whole(sets));
                let lists = lister.is_some();
                let search = ColumnSets::<W>::new(&ranked, &totals, self.k, most, lists, run);
                (Method::ColumnSets, search.find(&mut small, lister.as_mut())?)
            }
            Ok(Plan { method: Method::AgreeSets, cut, .. }) => {
                let cut = self.tuning.cut.map_or(cut, |cut| cut.min(ranked.ranks()));
                let tuning = self.tuning;
                let search = Search { ranked: &ranked, k: self.k, most, cut, tuning, run };
                (Method::AgreeSets, search.find::<W>(&totals, &mut small, lister.as_mut())?)
            }
        };
        lister.map_or(Ok(()), |mut lister| lister.finish())?;
        run.reporter().finish();
        let counted = totals.finish();
        let total = counted.by_size.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        if total.is_none_or(|total| total == u64::MAX) {
            return Err(Error::TooManyResults);
        }
        let score = self.score;
        let missing = self.missing;
        let asked = Asked { k: self.k, most, coverage, method, weights, scale, score, missing };
        UniquesFound::new(table, ranked, counted, &small, asked)
    }
}

/// A count that is known only roughly, unless it is out of all bounds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bounded, not negative"
)]
fn whole(count: f64) -> Option<u64> {
    (count < 1e15).then_some(count as u64)
}

#[cfg(test)]
mod tests;
