//! Minimal uniques.

#![expect(
    clippy::inline_always,
    reason = "bodies of tasks are compiled anew for each instruction set, see kernel"
)]

mod agree;
mod column_sets;
mod estimate;
mod found;
mod hypergraph;
mod kernel;
mod leaf;
mod listing;
mod mask;
mod partial;
mod plan;
mod ranked;
mod scores;
mod search;
mod tally;
mod transversals;

use muslin_engine::Run;
use muslin_table::{EncodedTable, MissingRule};

pub use self::estimate::{Estimate, Interval};
pub use self::found::{ColumnShare, RowUniques, UniquesFound, ValueShare};
pub use self::listing::{Unique, UniqueBatch};
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

/// Finds minimal uniques.
#[derive(Clone, Debug)]
pub struct MinimalUniques {
    k: u32,
    max_size: Option<usize>,
    missing: MissingRule,
    score: Score,
    method: Option<Method>,
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

    /// The way to search, instead of the one that seems cheaper. The answer is the same.
    #[must_use]
    pub fn method(mut self, method: Option<Method>) -> Self {
        self.method = method;
        self
    }

    /// Finds and counts.
    pub fn run(&self, table: &EncodedTable, run: &Run) -> Result<UniquesFound> {
        self.start(table, None, run)
    }

    /// Finds, counts, and hands every minimal unique to `sink`, in batches.
    pub fn list(
        &self,
        table: &EncodedTable,
        sink: &mut (dyn FnMut(&UniqueBatch) -> Result<()> + Send),
        run: &Run,
    ) -> Result<UniquesFound> {
        self.start(table, Some(sink), run)
    }

    /// What a search would take, from `rows` rows drawn by the run's seed.
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
        let totals = Totals::new(&ranked, &weights);
        let plan = Plan::new(&ranked, self.k, most, self.method, self.tuning.isa, run)?;
        let (k, tuning, cut) = (self.k, self.tuning, plan.cut);
        let search = Search { ranked: &ranked, k, most, cut, tuning, run };
        let singles = ranked.single_items.iter().sum();
        let estimate = search.estimate::<W>(&plan, &totals, rows, singles);
        run.reporter().finish();
        estimate
    }

    fn check(&self) -> Result<()> {
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
        run.check_memory(ranked.memory() + Totals::memory(&ranked, weights.len()))?;
        let totals = Totals::new(&ranked, &weights);
        let mut small = SmallSets::new(columns, weights.len());
        totals.add(1, ranked.single_items.iter().sum());
        let mut lister = sink.map(|sink| Lister::<W>::new(&ranked, table, self.k, most, sink));
        let planned = Plan::new(&ranked, self.k, most, self.method, self.tuning.isa, run);
        let (method, coverage) = match planned {
            Err(error) => (Method::AgreeSets, search::stopped(error)?),
            Ok(Plan { method: Method::ColumnSets, .. }) => {
                let sets = ColumnSets::<W>::new(&ranked, self.k, most, lister.is_some(), run);
                (Method::ColumnSets, sets.find(&totals, &mut small, lister.as_mut())?)
            }
            Ok(Plan { method: Method::AgreeSets, cut, .. }) => {
                let cut = self.tuning.cut.map_or(cut, |cut| cut.min(ranked.ranks()));
                let tuning = self.tuning;
                let search = Search { ranked: &ranked, k: self.k, most, cut, tuning, run };
                (Method::AgreeSets, search.find::<W>(&totals, &mut small, lister.as_mut())?)
            }
        };
        lister.map_or(Ok(()), |mut lister| lister.flush())?;
        run.reporter().finish();
        let counted = totals.finish();
        if counted.by_size.contains(&u64::MAX) {
            return Err(Error::TooManyResults);
        }
        let score = self.score;
        let asked = Asked { k: self.k, most, coverage, method, weights, scale, score };
        Ok(UniquesFound::new(table, ranked, counted, &small, asked))
    }
}

#[cfg(test)]
mod tests;
