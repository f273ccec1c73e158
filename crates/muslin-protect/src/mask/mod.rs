//! Masks: columns are withheld so that what is published tells few rows apart, after paper 004.
//!
//! A release whose columns are together a quasi-identifier gives its rows away. So the most that
//! can be published without one is looked for: the heaviest column set whose ratio does not exceed
//! that of a target. The paper's *utility* is the weight of what is published.
//!
//! # Differences from the paper
//! It publishes while the ratio is *below* beta; by its definition and its Table 1 a ratio of
//! exactly beta is allowed, and so it is here. A set that was chosen on a sample is checked on the
//! whole table. The heaviest set is found as well, by another method.
//!
//! MX07: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers. 2007.

mod exact;
mod found;
mod greedy;
mod questions;
mod sampled;

use muslin_assess::{Beta, Measure, Target, Weight, Weights};
use muslin_engine::{Coverage, Engine, Run};
use muslin_table::{Changes, ClassSizes, ColumnId, ColumnSet, MissingRule};

pub use self::found::{MaskFound, MaskSample, MaskStep};

use self::exact::Exact;
use self::greedy::Greedy;
use self::questions::Questions;
use self::sampled::{Sampled, lowered};
use crate::{Error, Protection, Protector, Result};

/// How a mask is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaskMethod {
    /// Columns are published one by one, each time the one that tells fewest more rows apart.
    Greedy,
    /// The same on a sample, checked on the whole table.
    Sampled {
        /// Rows to draw, or pairs of rows where those told apart are measured.
        draws: u64,
        /// How likely, at most, the sample may suggest a set that is not allowed. It is then
        /// repaired.
        delta: Beta,
    },
    /// The heaviest set, with proof.
    Exact,
}

/// Chooses the columns that can be published together without exceeding a target.
///
/// # Guarantee
/// The ratio of the published columns on the whole table is not greater than the target's. The
/// columns to keep are published, those to drop are not. No allowed set is worth more than the
/// upper bound. [`MaskMethod::Greedy`] publishes a set to which no column can be added;
/// [`MaskMethod::Exact`] one of the heaviest, so that its weight is the upper bound. Both hold when
/// the coverage is [`Coverage::Complete`].
///
/// # Cost
/// Greedy asks one question about all columns that are left for each column it publishes.
/// A sample costs its draws and one question about the whole table. The heaviest set is
/// exponential in the number of columns in the worst case.
///
/// # Example
/// ```
/// use muslin_assess::{Measure, Target};
/// use muslin_engine::{MemoryEngine, Run};
/// use muslin_protect::{Mask, MaskMethod};
/// use muslin_table::{ColumnId, EncodedTable};
/// // Motwani and Xu, Table 1: age, sex, state. Sex and state make four classes of five rows.
/// let table = EncodedTable::of(&[[20, 1, 1], [30, 1, 1], [40, 1, 2], [20, 2, 3], [40, 2, 1]]);
/// let run = Run::new();
/// let target = Target::new(Measure::Distinct, "0.8".parse()?);
/// let mask = Mask::new(target).method(MaskMethod::Exact);
/// let found = mask.run(&MemoryEngine::new(&table, &run), &run)?;
/// assert_eq!(found.publish().iter().map(ColumnId::index).collect::<Vec<_>>(), [1, 2]);
/// assert!(found.is_optimal());
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mask {
    target: Target,
    weights: Weights,
    keep: ColumnSet,
    drop: ColumnSet,
    missing: MissingRule,
    method: MaskMethod,
}

impl Mask {
    /// Publishes greedily what does not exceed `target`; every column is worth one.
    pub fn new(target: Target) -> Self {
        Self {
            target,
            weights: Weights::new(),
            keep: ColumnSet::new(),
            drop: ColumnSet::new(),
            missing: MissingRule::default(),
            method: MaskMethod::Greedy,
        }
    }

    /// What the columns are worth when they are published.
    #[must_use]
    pub fn weights(mut self, weights: Weights) -> Self {
        self.weights = weights;
        self
    }

    /// Columns that must be published.
    #[must_use]
    pub fn keep(mut self, columns: ColumnSet) -> Self {
        self.keep = columns;
        self
    }

    /// Columns that must not be published.
    #[must_use]
    pub fn drop(mut self, columns: ColumnSet) -> Self {
        self.drop = columns;
        self
    }

    /// What a missing cell matches.
    #[must_use]
    pub fn missing(mut self, missing: MissingRule) -> Self {
        self.missing = missing;
        self
    }

    /// How the mask is chosen.
    #[must_use]
    pub fn method(mut self, method: MaskMethod) -> Self {
        self.method = method;
        self
    }

    /// Chooses for `table`.
    pub fn run(&self, table: &dyn Engine, run: &Run) -> Result<MaskFound> {
        let shape = table.shape()?;
        self.check(shape.columns)?;
        let sizes = table.class_sizes(&self.keep, self.missing)?;
        let open = ColumnSet::first(shape.columns).difference(&self.keep.union(&self.drop));
        let mut found = MaskFound {
            target: self.target,
            publish: self.keep.clone(),
            masked: ColumnSet::new(),
            weight: Weight::ZERO,
            upper_bound: Weight::ZERO,
            sizes,
            steps: Vec::new(),
            sample: None,
            coverage: Coverage::Complete,
        };
        if !self.target.is_exceeded(&found.sizes) {
            let open: Vec<ColumnId> = open.iter().collect();
            match self.method {
                MaskMethod::Sampled { draws, delta } => {
                    // All rows are no sample: they need no lowered ratio.
                    let rows = match self.target.measure() {
                        Measure::Distinct => shape.rows,
                        Measure::Separation => u64::MAX,
                    };
                    if draws < rows {
                        self.sampled(table, &open, (draws, delta), &mut found, run)?;
                    } else {
                        self.unsampled(table, open, MaskMethod::Greedy, &mut found, run)?;
                    }
                }
                method => self.unsampled(table, open, method, &mut found, run)?,
            }
        } else if !self.keep.is_empty() {
            return Err(Error::Unreachable(format!(
                "the columns to keep exceed {} on their own\n  hint: keep fewer columns, or pass a larger `--beta`",
                self.target
            )));
        }
        found.masked = ColumnSet::first(shape.columns).difference(&found.publish);
        found.weight = self.weights.sum(&found.publish);
        Ok(found)
    }

    fn check(&self, columns: usize) -> Result<()> {
        if self.missing == MissingRule::Wildcard && self.target.measure() == Measure::Distinct {
            return Err(Error::Setting(
                "rows do not fall into classes where a missing cell matches anything, so there is no distinct ratio\n  hint: pass `--measure separation` or another `--missing`".into(),
            ));
        }
        if !self.keep.is_disjoint(&self.drop) {
            return Err(Error::Setting(
                "a column cannot be both kept and dropped\n  hint: name it once".into(),
            ));
        }
        let all = ColumnSet::first(columns);
        if !self.keep.union(&self.drop).is_subset(&all) {
            return Err(Error::Setting(format!(
                "a column to keep or to drop is beyond the table's {columns} columns\n  hint: name columns of the table"
            )));
        }
        Ok(())
    }

    /// Greedy, and the heaviest set from there on when it is asked for.
    fn unsampled(
        &self,
        table: &dyn Engine,
        open: Vec<ColumnId>,
        method: MaskMethod,
        found: &mut MaskFound,
        run: &Run,
    ) -> Result<()> {
        let (target, weights) = (self.target, &self.weights);
        let mut questions = Questions::new(table, self.missing);
        let each = questions.sizes_of_each(&self.keep, &open)?;
        // A column that exceeds the target on its own is in no allowed set.
        let (mut open, first): (Vec<ColumnId>, Vec<ClassSizes>) =
            open.into_iter().zip(each).filter(|(_, sizes)| !target.is_exceeded(sizes)).unzip();
        let all = self.keep.union(&open.iter().copied().collect());
        found.upper_bound = weights.sum(&all);
        if open.is_empty() {
            return Ok(());
        }
        questions.about(&all, run)?;
        let questions = &questions;
        let greedy = Greedy { questions, target, weights, run };
        let start = greedy.run(
            self.keep.clone(),
            found.sizes.clone(),
            open.clone(),
            Some(first.clone()),
        )?;
        (found.publish, found.sizes, found.steps) = (start.publish, start.sizes, start.steps);
        let mut stop = start.stop;
        if method == MaskMethod::Exact && stop.is_none() {
            let ratio = |at: usize| target.measure().ratio(&first[at]);
            let mut order: Vec<usize> = (0..open.len()).collect();
            order.sort_by(|&a, &b| ratio(b).cmp(&ratio(a)).then(a.cmp(&b)));
            let order = order.into_iter().map(|at| open[at]).collect();
            let exact = Exact { questions, target, weights, keep: &self.keep, open: order };
            let best = exact.run(found.publish.clone(), found.sizes.clone(), run)?;
            found.upper_bound = found.upper_bound.minus(best.least_masked);
            (found.publish, found.sizes) = (best.publish, best.sizes);
            stop = best.stop;
            if stop.is_none() {
                // Columns that are worth nothing may still fit.
                open.retain(|&column| !found.publish.contains(column));
                let more = greedy.run(found.publish.clone(), found.sizes.clone(), open, None)?;
                (found.publish, found.sizes, stop) = (more.publish, more.sizes, more.stop);
            }
        }
        if let Some(by) = stop {
            found.coverage = Coverage::Stopped { by };
        }
        Ok(())
    }

    /// Greedy on a sample; the outcome is checked, and repaired where it must be.
    fn sampled(
        &self,
        table: &dyn Engine,
        open: &[ColumnId],
        (draws, delta): (u64, Beta),
        found: &mut MaskFound,
        run: &Run,
    ) -> Result<()> {
        let all = self.keep.union(&open.iter().copied().collect());
        found.upper_bound = self.weights.sum(&all);
        let beta = lowered(self.target.beta(), draws, delta, open.len())?;
        let sampled = Sampled {
            target: Target::new(self.target.measure(), beta),
            weights: &self.weights,
            missing: self.missing,
            keep: &self.keep,
            open,
        };
        let suggested = sampled.run(table, draws, run)?;
        found.publish = suggested.publish;
        found.steps = suggested.steps;
        found.sizes = table.class_sizes(&found.publish, self.missing)?;
        let is_repaired = self.target.is_exceeded(&found.sizes);
        while self.target.is_exceeded(&found.sizes) {
            self.take_one_out(table, found)?;
        }
        let seed = run.seed_of_run();
        found.sample = Some(MaskSample { draws, beta, delta, seed, is_repaired });
        found.coverage = Coverage::Sampled { rows: suggested.rows, seed };
        Ok(())
    }

    /// Takes out the column without which the ratio is smallest: of several the lightest, then
    /// the largest.
    fn take_one_out(&self, table: &dyn Engine, found: &mut MaskFound) -> Result<()> {
        let without = |column: ColumnId| {
            let mut set = found.publish.clone();
            set.remove(column);
            let sizes = table.class_sizes(&set, self.missing)?;
            Ok((column, sizes))
        };
        let open = found.publish.difference(&self.keep);
        let each: Result<Vec<(ColumnId, ClassSizes)>> = open.iter().map(without).collect();
        let rank = |(column, sizes): &(ColumnId, ClassSizes)| {
            let ratio = self.target.measure().ratio(sizes);
            (ratio, self.weights.of(*column), std::cmp::Reverse(*column))
        };
        let best = each?.into_iter().min_by_key(rank);
        let (column, sizes) = best.expect("the columns to keep alone do not exceed the target");
        found.publish.remove(column);
        found.sizes = sizes;
        Ok(())
    }
}

impl Protector for Mask {
    /// Masks every column that is not published.
    fn protect(&self, table: &dyn Engine, run: &Run) -> Result<Protection> {
        let shape = table.shape()?;
        let found = self.run(table, run)?;
        let rows = usize::try_from(shape.rows).map_err(|_| {
            Error::Setting("the table has more rows than this machine can number".into())
        })?;
        let mut changes = Changes::none_of(rows, shape.columns);
        found.masked().iter().for_each(|column| changes.mask(column));
        Ok(Protection::new(changes, found.coverage()))
    }
}
