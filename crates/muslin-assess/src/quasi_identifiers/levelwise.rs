//! All minimal quasi-identifiers, size by size, with smaller tables that rule sets out; after
//! MX07, section 3.
//!
//! # Method
//! Sets are asked for in rising size; a set that reaches the target ends its line, any other is
//! extended by every column. So each set is asked for once, and only when no smaller one inside it
//! reaches the target.
//!
//! A sub-table is a uniform sample of rows. A set that cannot reach the target, seen from
//! the sub-table, is passed over: the smallest sets that can are a lower border, where the search in
//! the next larger table starts.
//!
//! * A key of the table is a key of every sub-table: this is certain.
//! * A beta-separation quasi-identifier tells at least alpha beta of k random pairs apart, but for a
//!   probability of exp(-(1 - alpha)^2 beta k / 2) (MX07, Lemma 9).
//! * A beta-distinct quasi-identifier makes at least alpha beta k classes of k rows, but for the same
//!   probability (Lemma 10; without replacement it holds as it is, by Hoeffding, 1963).
//!
//! Alpha is chosen so that, over all 2^m sets and all sub-tables, this goes wrong with probability
//! delta at most. Where alpha is not above nought, the sub-table rules nothing out.
//!
//! # Differences from the paper
//! It starts from single columns; here the empty set is asked for too, since it is the only minimal
//! key of a table of one row. Sets that differ in their last column are asked for together.
//!
//! MX07: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers. 2007.

use std::collections::BTreeSet;

use muslin_engine::{Coverage, Engine, MemoryEngine, Run};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule};

use super::condition::{Condition, sizes_of_each};
use super::greedy::{no_classes, stop_of};
use super::pairs::{SeparatedPairs, draw_pairs, shuffled};
use super::sample_size::log_sets;
use super::{Measure, Target};
use crate::{Error, Result};

/// How smaller tables rule sets out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pruning {
    /// Not at all: every set is asked for in the table itself.
    None,
    /// One sub-table of a tenth of the rows.
    #[default]
    Once,
    /// Sub-tables of a hundredth and of a tenth of the rows.
    Iterative,
}

/// Finds all minimal quasi-identifiers of a target, size by size.
///
/// # Guarantee
/// When the coverage is [`Coverage::Complete`] and the result is not limited, it lists the
/// sets of at most `max_size` columns that reach the target while none of their proper subsets does,
/// and nothing else. For a key or without pruning this is certain. Otherwise it holds with probability
/// at least 1 - delta; where it fails, a listed set still reaches the target, but may not be
/// minimal, and sets may be left out.
///
/// # Cost
/// One question per set that reaches nothing smaller: exponential in the number of columns. Memory
/// grows with the sets of one size.
///
/// # Example
/// ```
/// use muslin_assess::{Levelwise, Target};
/// use muslin_engine::{MemoryEngine, Run};
/// use muslin_table::EncodedTable;
/// let (table, run) = (EncodedTable::of(&[[20, 1, 1], [30, 1, 1], [40, 1, 2], [20, 2, 3], [40, 2, 1]]), Run::new());
/// let found = Levelwise::new(Target::key()).run(&MemoryEngine::new(&table, &run), &run)?;
/// // Motwani and Xu, Table 1: age with sex, age with state.
/// assert_eq!(format!("{:?}", found.sets()), "[{0, 1}, {0, 2}]");
/// # Ok::<(), muslin_assess::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Levelwise {
    target: Target,
    pruning: Pruning,
    delta: f64,
    max_size: Option<usize>,
    limit: Option<usize>,
    missing: MissingRule,
}

/// A sub-table has at least this many rows.
const FEWEST_ROWS: u64 = 100;

impl Levelwise {
    /// Looks for the sets that reach `target`, pruned once, wrong with probability 0.01 at most.
    pub fn new(target: Target) -> Self {
        let missing = MissingRule::default();
        let pruning = Pruning::default();
        Self { target, pruning, delta: 0.01, max_size: None, limit: None, missing }
    }

    /// Rules sets out in this way.
    #[must_use]
    pub fn pruning(mut self, pruning: Pruning) -> Self {
        self.pruning = pruning;
        self
    }

    /// Pruning may go wrong with this probability.
    #[must_use]
    pub fn delta(mut self, delta: f64) -> Self {
        self.delta = delta;
        self
    }

    /// Looks at sets of at most `columns` columns.
    #[must_use]
    pub fn max_size(mut self, columns: usize) -> Self {
        self.max_size = Some(columns);
        self
    }

    /// Lists at most `sets` sets, the smallest ones.
    #[must_use]
    pub fn limit(mut self, sets: usize) -> Self {
        self.limit = Some(sets);
        self
    }

    /// Missing cells match by this rule.
    #[must_use]
    pub fn missing(mut self, missing: MissingRule) -> Self {
        self.missing = missing;
        self
    }

    /// Searches.
    pub fn run(&self, engine: &dyn Engine, run: &Run) -> Result<LevelwiseFound> {
        let target = self.goal();
        if target.measure() == Measure::Distinct && self.missing == MissingRule::Wildcard {
            return Err(no_classes());
        }
        if !(self.delta > 0.0 && self.delta < 1.0) {
            return Err(Error::Setting(
                "delta is above 0 and below 1\n  hint: pass one such as 0.01".into(),
            ));
        }
        let shape = engine.shape()?;
        let fractions: &[u64] = match self.pruning {
            Pruning::None => &[],
            Pruning::Once => &[10],
            Pruning::Iterative => &[100, 10],
        };
        let mut sub_rows: Vec<u64> = fractions
            .iter()
            .map(|part| (shape.rows / part).max(FEWEST_ROWS))
            .filter(|&rows| rows < shape.rows)
            .collect();
        sub_rows.dedup();

        let mut found = LevelwiseFound {
            sets: Vec::new(),
            checked: 0,
            checked_in_sub_tables: 0,
            delta: None,
            limited: false,
            coverage: Coverage::Complete,
        };
        let mut border = vec![ColumnSet::new()];
        for (part, &rows) in (0u64..).zip(&sub_rows) {
            let sub_table = SubTable { rows, part, tables: sub_rows.len() };
            let walk = match self.walk_in(&sub_table, engine, &border, run) {
                Ok(walk) => walk,
                Err(error) => {
                    found.coverage = Coverage::Stopped { by: stop_of(error)? };
                    return Ok(found);
                }
            };
            let Some(walk) = walk else { continue };
            found.checked_in_sub_tables += walk.checked;
            if !target.is_key() {
                found.delta = Some(self.delta);
            }
            if walk.coverage != Coverage::Complete {
                found.coverage = walk.coverage;
                return Ok(found);
            }
            border = walk.sets;
        }

        let ask = |prefix: &ColumnSet, last: &[Option<ColumnId>]| -> Result<Vec<bool>> {
            let sizes = sizes_of_each(engine, prefix, last, self.missing)?;
            Ok(sizes.iter().map(|sizes| target.is_reached(sizes)).collect())
        };
        let walk = self.walk(shape.columns, &border, self.limit, run, ask)?;
        found.sets = walk.sets;
        found.checked = walk.checked;
        found.coverage = walk.coverage;
        found.limited = walk.limited;
        Ok(found)
    }

    /// What a key is does not depend on the measure.
    fn goal(&self) -> Target {
        if self.target.is_key() { Target::key() } else { self.target }
    }

    /// The smallest sets that a sub-table does not rule out; none where it rules nothing out.
    fn walk_in(
        &self,
        sub_table: &SubTable,
        engine: &dyn Engine,
        border: &[ColumnSet],
        run: &Run,
    ) -> Result<Option<Walk>> {
        let shape = engine.shape()?;
        let sample = engine.sample(sub_table.rows, run.seed_of_run().part(sub_table.part))?;
        let Some(condition) = self.condition(&sample, shape.rows, sub_table.tables, run) else {
            return Ok(None);
        };
        let ask = |prefix: &ColumnSet, last: &[Option<ColumnId>]| {
            condition.holds(prefix, last, self.missing)
        };
        self.walk(shape.columns, border, None, run, ask).map(Some)
    }

    /// What every set that reaches the target does in the sub-table; none where that says nothing.
    #[expect(clippy::cast_precision_loss, reason = "a bound that leaves room")]
    fn condition<'a>(
        &self,
        sample: &'a EncodedTable,
        all_rows: u64,
        tables: usize,
        run: &'a Run,
    ) -> Option<Condition<'a>> {
        let target = self.goal();
        if target.is_key() {
            return Some(Condition::Reaches(MemoryEngine::new(sample, run), target));
        }
        let (rows, beta) = (sample.rows() as u64, target.beta().as_f64());
        let log = log_sets(sample.columns().len(), self.delta / tables as f64);
        let least = |k: u64| {
            let alpha = 1.0 - (2.0 * log / (beta * k as f64)).sqrt();
            // A hair less, so that rounding rules nothing out.
            (alpha > 0.0).then_some(alpha * beta * k as f64 * (1.0 - 1e-12))
        };
        match target.measure() {
            Measure::Distinct => {
                least(rows).map(|least| Condition::Classes(MemoryEngine::new(sample, run), least))
            }
            Measure::Separation => least(rows / 2).map(|least| {
                let seed = run.seed_of_run();
                let order = shuffled(sample.rows(), seed.part(rows));
                let pairs = draw_pairs(&order, all_rows, rows / 2, seed.part(rows + 1));
                Condition::Pairs(SeparatedPairs::new(sample, &pairs, self.missing, run), least)
            }),
        }
    }

    /// The smallest sets for which `ask` says yes, from a border below which it says no.
    fn walk(
        &self,
        columns: usize,
        border: &[ColumnSet],
        limit: Option<usize>,
        run: &Run,
        ask: impl Fn(&ColumnSet, &[Option<ColumnId>]) -> Result<Vec<bool>>,
    ) -> Result<Walk> {
        let largest = self.max_size.unwrap_or(columns).min(columns);
        let mut walk =
            Walk { sets: Vec::new(), checked: 0, coverage: Coverage::Complete, limited: false };
        let mut level: BTreeSet<ColumnSet> = BTreeSet::new();
        run.reporter().stage("column sets", None);
        for size in 0..=largest {
            level.extend(border.iter().filter(|set| set.len() == size).cloned());
            let mut next = BTreeSet::new();
            let mut groups = by_prefix(&level).into_iter();
            let stopped = groups.try_for_each(|(prefix, last)| -> Result<()> {
                run.check()?;
                let answers = ask(&prefix, &last)?;
                walk.checked += answers.len() as u64;
                run.reporter().advance(answers.len() as u64);
                for (last, reaches) in last.into_iter().zip(answers) {
                    let set: ColumnSet = prefix.iter().chain(last).collect();
                    if reaches {
                        walk.sets.push(set);
                    } else if size < largest {
                        next.extend((0..columns).map(ColumnId::new).filter_map(|column| {
                            let mut larger = set.clone();
                            larger.insert(column).then_some(larger)
                        }));
                    }
                }
                Ok(())
            });
            // Within a size, sets come in order; all smaller ones were asked for before.
            if let Some(limit) = limit.filter(|&limit| walk.sets.len() > limit) {
                walk.sets.truncate(limit);
                walk.limited = true;
            }
            if let Err(error) = stopped {
                walk.coverage = Coverage::Stopped { by: stop_of(error)? };
            }
            if walk.limited || walk.coverage != Coverage::Complete {
                break;
            }
            next.retain(|set| !walk.sets.iter().any(|found| found.is_subset(set)));
            level = next;
        }
        run.reporter().finish();
        Ok(walk)
    }
}

/// Which of how many sub-tables, and its rows.
struct SubTable {
    rows: u64,
    part: u64,
    tables: usize,
}

/// Where a walk got.
struct Walk {
    sets: Vec<ColumnSet>,
    checked: u64,
    coverage: Coverage,
    limited: bool,
}

/// Sets of one size in order, those together that differ in their last column only. The empty
/// set has no last column.
fn by_prefix(level: &BTreeSet<ColumnSet>) -> Vec<(ColumnSet, Vec<Option<ColumnId>>)> {
    let mut groups: Vec<(ColumnSet, Vec<Option<ColumnId>>)> = Vec::new();
    for set in level {
        let mut prefix = set.clone();
        let last = set.iter().last();
        if let Some(last) = last {
            prefix.remove(last);
        }
        match groups.last_mut().filter(|group| group.0 == prefix) {
            Some(group) => group.1.push(last),
            None => groups.push((prefix, vec![last])),
        }
    }
    groups
}

/// What [`Levelwise`] found.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelwiseFound {
    sets: Vec<ColumnSet>,
    checked: u64,
    checked_in_sub_tables: u64,
    delta: Option<f64>,
    limited: bool,
    coverage: Coverage,
}

impl LevelwiseFound {
    /// The sets, by size, then by columns.
    pub fn sets(&self) -> &[ColumnSet] {
        &self.sets
    }

    /// Sets that were asked for in the table itself.
    pub fn checked(&self) -> u64 {
        self.checked
    }

    /// Sets that were asked for in sub-tables.
    pub fn checked_in_sub_tables(&self) -> u64 {
        self.checked_in_sub_tables
    }

    /// Whether nothing was left to chance.
    pub fn sure(&self) -> bool {
        self.delta.is_none()
    }

    /// The probability with which a set was wrongly ruled out, where that can be.
    pub fn delta(&self) -> Option<f64> {
        self.delta
    }

    /// Whether there are more sets than were to be listed.
    pub fn limited(&self) -> bool {
        self.limited
    }

    /// How far it got: the sets of a run that was stopped are right, larger ones may be missing.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}
