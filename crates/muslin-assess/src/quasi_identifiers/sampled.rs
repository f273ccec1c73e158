//! A small set that tells nearly all rows apart, from one uniform sample, after MX07, sections 2.3
//! to 2.5.
//!
//! # Method
//! A column set that is far from a key is hardly ever a key of a large enough sample, so a key of the
//! sample is nearly a key of the table. How large is enough is said in the module on sample sizes,
//! with proofs. The key of the sample is found greedily. For the separation ratio there are two ways
//! to look at a sample: as independent pairs (the paper's) or as rows of which all pairs count
//! (Hildebrant, Le, Ta and Vu, 2022). The second needs far fewer rows, the first often finds
//! smaller sets. Unless told otherwise, both are done, each with half of delta, so that
//! both hold together with probability 1 - delta, and the lighter answer is kept.
//!
//! The sample may come from anywhere, such as one pass over a stream: [`SampledKey::rows_needed`] says
//! how many rows to hold, [`SampledKey::solve`] takes them.
//!
//! # Differences from the paper
//! Pairs are made of a sample of rows; Lemma 6's k^2 is k(k - 1); the bound by rows is not in
//! the paper. Its tuples are our rows.
//!
//! MX07: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers. 2007.

use muslin_engine::{Coverage, Engine, MemoryEngine, Run, take_rows};
use muslin_table::{ColumnSet, EncodedTable, MissingRule};

use super::greedy::no_classes;
use super::pairs::{SeparatedPairs, draw_pairs, shuffled};
use super::sample_size::{
    pairs_for_beta, pairs_for_separation, rows_for_distinct, rows_for_separation,
};
use super::{Beta, Greedy, Measure, SampledKeyFound, SetRatios, Target, Weights};
use crate::{Error, Result};

/// How a sample is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Independent pairs of rows.
    Pairs,
    /// Rows, of which all pairs count.
    Rows,
}

/// Finds a small set that tells nearly all rows apart, from one uniform sample.
///
/// # Guarantee
/// When the result is reached, then with probability at least 1 - delta, over the draw of the
/// sample, the set's ratio in the table is at least 1 - epsilon; or, where [`SampledKey::beta`] was
/// set, its separation ratio is at least (1 - epsilon) beta. The random draws are those of a
/// good generator, not true chance.
///
/// # Cost
/// Holds about m / sqrt(epsilon) rows of m columns, m / epsilon where there is room for pairs,
/// sqrt(n m / epsilon) of n rows for the distinct ratio. One sample from the engine.
///
/// # Example
/// ```
/// use muslin_assess::{Measure, SampledKey};
/// use muslin_engine::{MemoryEngine, Run};
/// use muslin_table::EncodedTable;
/// let rows: Vec<[i64; 2]> = (0..5_000).map(|row| [row, row % 7]).collect();
/// let (table, run) = (EncodedTable::of(&rows), Run::new());
/// let sampled = SampledKey::new(Measure::Separation, 0.01, 0.05)?;
/// let found = sampled.run(&MemoryEngine::new(&table, &run), &run)?;
/// assert!(found.reached() && found.rows_held() < 5_000);
/// assert_eq!(found.set().len(), 1);
/// # Ok::<(), muslin_assess::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SampledKey {
    measure: Measure,
    epsilon: f64,
    delta: f64,
    beta: Option<Beta>,
    bound: Option<Bound>,
    missing: MissingRule,
    weights: Weights,
}

/// What a sample is used for: rows, pairs or both.
#[derive(Clone, Copy, Debug, Default)]
struct Plan {
    rows: Option<u64>,
    pairs: Option<u64>,
}

impl Plan {
    fn held(self, all_rows: u64) -> u64 {
        let pairs = self.pairs.unwrap_or(0).saturating_mul(2);
        self.rows.unwrap_or(0).max(pairs).min(all_rows)
    }
}

/// Bytes that a cell of a held row takes, at most.
const BYTES_PER_CELL: u64 = 4;

impl SampledKey {
    /// Misses at most `epsilon` of a key's ratio, but for a probability of `delta`. Both are
    /// above 0 and below 1.
    pub fn new(measure: Measure, epsilon: f64, delta: f64) -> Result<Self> {
        for (name, value) in [("epsilon", epsilon), ("delta", delta)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(Error::Setting(format!(
                    "{name} is above 0 and below 1\n  hint: pass one such as 0.01"
                )));
            }
        }
        let (missing, weights) = (MissingRule::default(), Weights::new());
        Ok(Self { measure, epsilon, delta, beta: None, bound: None, missing, weights })
    }

    /// Looks for a set that reaches this separation ratio instead of a key (MX07, Theorem 8).
    #[must_use]
    pub fn beta(mut self, beta: Beta) -> Self {
        self.beta = Some(beta);
        self
    }

    /// Looks at the sample in this way only.
    #[must_use]
    pub fn bound(mut self, bound: Bound) -> Self {
        self.bound = Some(bound);
        self
    }

    /// Missing cells match by this rule. Where they match anything, only pairs are of use.
    #[must_use]
    pub fn missing(mut self, missing: MissingRule) -> Self {
        self.missing = missing;
        self
    }

    /// Columns cost this much.
    #[must_use]
    pub fn weights(mut self, weights: Weights) -> Self {
        self.weights = weights;
        self
    }

    /// Rows to hold of a table of `all_rows` rows; all of them where it has no more. More rows of the
    /// table never need fewer.
    pub fn rows_needed(&self, all_rows: u64, columns: usize, run: &Run) -> Result<u64> {
        Ok(self.plan(all_rows, columns, run)?.held(all_rows))
    }

    /// Draws a sample and looks for the set in it.
    pub fn run(&self, engine: &dyn Engine, run: &Run) -> Result<SampledKeyFound> {
        let shape = engine.shape()?;
        let rows = self.rows_needed(shape.rows, shape.columns, run)?;
        run.check_memory(rows.saturating_mul(shape.columns as u64).saturating_mul(BYTES_PER_CELL))?;
        self.solve(&engine.sample(rows, run.seed_of_run())?, shape.rows, run)
    }

    /// Looks for the set in a uniform sample without replacement of a table of `all_rows` rows. It
    /// must hold the rows that [`SampledKey::rows_needed`] asks for; more do no harm.
    pub fn solve(
        &self,
        sample: &EncodedTable,
        all_rows: u64,
        run: &Run,
    ) -> Result<SampledKeyFound> {
        let columns = sample.columns().len();
        let (plan, held) = (self.plan(all_rows, columns, run)?, sample.rows() as u64);
        if held > all_rows || held < plan.held(all_rows) {
            return Err(Error::Setting(format!(
                "a sample of {held} rows of {all_rows}, where {} are needed\n  hint: pass a larger sample, epsilon or delta",
                plan.held(all_rows)
            )));
        }
        let seed = run.seed_of_run();
        let order = shuffled(sample.rows(), seed.part(1));
        let by_pairs = match plan.pairs {
            Some(pairs) => Some(self.by_pairs(sample, &order, all_rows, pairs, run)?),
            None => None,
        };
        let by_rows = match plan.rows {
            Some(rows) => Some(self.by_rows(sample, &order, rows.min(held), run)?),
            None => None,
        };
        let price =
            |(set, reached): &(ColumnSet, bool)| (!reached, self.weights.sum(set), set.len());
        let rows_first = match (&by_rows, &by_pairs) {
            (Some(rows), Some(pairs)) => price(rows) <= price(pairs),
            (rows, _) => rows.is_some(),
        };
        let (bound, chosen) =
            if rows_first { (Bound::Rows, by_rows) } else { (Bound::Pairs, by_pairs) };
        let (set, reached) = chosen.expect("a plan has rows or pairs");
        let sampled = SetRatios::of(&MemoryEngine::new(sample, run), &set, self.missing)?;
        // All rows as rows: nothing is left to chance.
        let coverage = if bound == Bound::Rows && plan.rows >= Some(all_rows) {
            Coverage::Complete
        } else {
            Coverage::Sampled { rows: held, seed }
        };
        Ok(SampledKeyFound {
            set,
            reached,
            bound,
            rows_used: plan.rows.map(|rows| rows.min(held)),
            pairs_used: plan.pairs,
            all_rows,
            sampled,
            measure: self.measure,
            epsilon: self.epsilon,
            delta: self.delta,
            beta: self.beta,
            seed,
            coverage,
        })
    }

    /// Independent pairs, covered greedily (MX07, Theorems 5 and 8).
    fn by_pairs(
        &self,
        sample: &EncodedTable,
        order: &[u32],
        all_rows: u64,
        count: u64,
        run: &Run,
    ) -> Result<(ColumnSet, bool)> {
        let bytes = count.saturating_mul(8 + sample.columns().len() as u64 / 8);
        run.check_memory(bytes)?;
        let pairs = draw_pairs(order, all_rows, count, run.seed_of_run().part(2));
        let separated = SeparatedPairs::new(sample, &pairs, self.missing, run);
        let all = separated.pairs();
        let enough = self.beta.map_or(all, |beta| self.good_cover(beta, all));
        separated.cover(enough, &self.weights, run)
    }

    /// Pairs that a good cover of Theorem 8 has: (2 - epsilon) beta / 2 of all.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a bound between nought and all pairs"
    )]
    fn good_cover(&self, beta: Beta, all: u64) -> u64 {
        ((2.0 - self.epsilon) * beta.as_f64() * all as f64 / 2.0).ceil() as u64
    }

    /// A key of the first rows of the order, taken greedily.
    fn by_rows(
        &self,
        sample: &EncodedTable,
        order: &[u32],
        count: u64,
        run: &Run,
    ) -> Result<(ColumnSet, bool)> {
        let count = usize::try_from(count).expect("no more rows than the sample has");
        let mut rows = order[..count].to_vec();
        rows.sort_unstable();
        let part = take_rows(sample, &rows).map_err(muslin_engine::Error::from)?;
        let greedy = Greedy::new(Target::key()).missing(self.missing).weights(self.weights.clone());
        let found = greedy.run(&MemoryEngine::new(&part, run), run)?;
        match found.coverage() {
            Coverage::Stopped { by } => Err(muslin_engine::Error::Stopped(by).into()),
            _ => Ok((found.set().clone(), found.reached())),
        }
    }

    /// What the settings ask for. Only the memory budget of the run counts.
    fn plan(&self, all_rows: u64, columns: usize, run: &Run) -> Result<Plan> {
        let wildcard = self.missing == MissingRule::Wildcard;
        let (epsilon, delta) = (self.epsilon, self.delta);
        if self.measure == Measure::Distinct {
            if wildcard {
                return Err(no_classes());
            }
            if self.beta.is_some() || self.bound == Some(Bound::Pairs) {
                return Err(Error::Setting(
                    "pairs say nothing about the distinct ratio\n  hint: pass `--measure separation`".into(),
                ));
            }
            let rows = rows_for_distinct(all_rows, columns, epsilon, delta);
            return Ok(Plan { rows: Some(rows), pairs: None });
        }
        if let Some(beta) = self.beta {
            if self.bound == Some(Bound::Rows) || beta.as_f64() == 0.0 {
                return Err(Error::Setting(
                    "a share of the pairs that is above 0 is looked for in pairs\n  hint: leave out the bound, or pass a larger beta".into(),
                ));
            }
            let pairs = pairs_for_beta(columns, beta.as_f64(), epsilon, delta);
            return Ok(Plan { rows: None, pairs: Some(pairs) });
        }
        if wildcard && self.bound == Some(Bound::Rows) {
            return Err(no_classes());
        }
        let pairs_only =
            Plan { rows: None, pairs: Some(pairs_for_separation(columns, epsilon, delta)) };
        let rows_only =
            Plan { rows: Some(rows_for_separation(columns, epsilon, delta)), pairs: None };
        let both = Plan {
            rows: Some(rows_for_separation(columns, epsilon, delta / 2.0)),
            pairs: Some(pairs_for_separation(columns, epsilon, delta / 2.0)),
        };
        // Whether pairs fit is asked of the table without end, so that more rows never need fewer.
        let needed =
            both.held(u64::MAX).saturating_mul(columns as u64).saturating_mul(BYTES_PER_CELL);
        let fits = run.memory_budget().is_none_or(|budget| needed <= budget);
        // Drawing more pairs than there are is no way to save work.
        let few = u128::from(both.pairs.unwrap_or(0)) * 2
            <= u128::from(all_rows) * u128::from(all_rows.saturating_sub(1));
        Ok(match self.bound {
            Some(Bound::Pairs) => pairs_only,
            None if wildcard => pairs_only,
            None if fits && few => both,
            Some(Bound::Rows) | None => rows_only,
        })
    }
}
