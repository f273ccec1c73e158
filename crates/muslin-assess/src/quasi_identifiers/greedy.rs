//! A small set that reaches a target, one column at a time, after MX07, section 2.2.
//!
//! # Method
//! Each time, the column that tells apart the most pairs which are still together; where it is
//! classes that are counted, the column that adds the most of them. Where columns weigh
//! differently, the most for its weight. Ties go to the column that comes first.
//!
//! A pair that one column tells apart needs no other. So what a column adds to the separation only
//! falls while the set grows, and what it added before bounds what it adds now: columns are looked
//! at in the order of these bounds, until the best is known (lazy evaluation; Minoux, 1978). The
//! number of added classes has no such bound, so there every column is looked at.
//!
//! # Differences from the paper
//! Its greedy algorithm is for keys and for columns of equal weight.
//!
//! MX07: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers. 2007.

use std::cmp::Ordering;

use muslin_engine::{Coverage, Engine, Run, Stop};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, MissingRule, Ratio};

use super::{Measure, SetRatios, Target, Weight, Weights};
use crate::{Error, Result};

/// Finds a small column set that reaches a target, greedily.
///
/// # Guarantee
/// The steps are those of the plain greedy algorithm. For a key, when it is reached, the set
/// weighs at most 1 + 2 ln(rows) times what the lightest key weighs (MX07, Theorem 2; Chvatal, 1979).
/// For other targets there is no such promise. A key of a table that has one is always reached,
/// unless a limit is in the way.
///
/// # Cost
/// One question to the engine per few columns and step, about as much as two passes over the table
/// per step for an engine that answers many neighbours at once.
///
/// # Example
/// ```
/// use muslin_assess::{Greedy, Target};
/// use muslin_engine::{MemoryEngine, Run};
/// use muslin_table::{ColumnSet, EncodedTable};
/// // Neither column tells all rows apart; both together do.
/// let (table, run) = (EncodedTable::of(&[[20, 1], [30, 1], [40, 1], [20, 2], [40, 2]]), Run::new());
/// let found = Greedy::new(Target::key()).run(&MemoryEngine::new(&table, &run), &run)?;
/// assert!(found.reached());
/// assert_eq!(found.set(), &ColumnSet::first(2));
/// # Ok::<(), muslin_assess::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Greedy {
    target: Target,
    weights: Weights,
    missing: MissingRule,
    max_size: Option<usize>,
    among: Option<ColumnSet>,
    prune: bool,
}

impl Greedy {
    /// Looks for a set that reaches `target`, among all columns, of any size.
    pub fn new(target: Target) -> Self {
        let (weights, missing) = (Weights::new(), MissingRule::default());
        Self { target, weights, missing, max_size: None, among: None, prune: false }
    }

    /// Columns cost this much.
    #[must_use]
    pub fn weights(mut self, weights: Weights) -> Self {
        self.weights = weights;
        self
    }

    /// Missing cells match by this rule.
    #[must_use]
    pub fn missing(mut self, missing: MissingRule) -> Self {
        self.missing = missing;
        self
    }

    /// Takes at most `columns` columns.
    #[must_use]
    pub fn max_size(mut self, columns: usize) -> Self {
        self.max_size = Some(columns);
        self
    }

    /// Takes only columns of `set`.
    #[must_use]
    pub fn among(mut self, set: ColumnSet) -> Self {
        self.among = Some(set);
        self
    }

    /// Takes out again, dearest first, then in the order in which they were taken, columns without
    /// which the set still reaches the target. No column of the result can then be left out.
    #[must_use]
    pub fn prune(mut self) -> Self {
        self.prune = true;
        self
    }

    /// Takes columns until the target is reached or none adds anything.
    pub fn run(&self, engine: &dyn Engine, run: &Run) -> Result<GreedyFound> {
        let mut found = self.walk(engine, run, Some(self.goal()))?;
        if self.prune && found.reached {
            self.take_out(&mut found, engine, run)?;
        }
        Ok(found)
    }

    /// Takes columns until none adds anything, whatever the target: how quickly a table gives
    /// its rows away.
    pub fn curve(&self, engine: &dyn Engine, run: &Run) -> Result<GreedyFound> {
        self.walk(engine, run, None)
    }

    /// What a key is does not depend on the measure; separation counts it under every rule.
    fn goal(&self) -> Target {
        if self.target.is_key() { Target::key() } else { self.target }
    }

    fn walk(&self, engine: &dyn Engine, run: &Run, until: Option<Target>) -> Result<GreedyFound> {
        let measure = self.goal().measure();
        if measure == Measure::Distinct && self.missing == MissingRule::Wildcard {
            return Err(no_classes());
        }
        let shape = engine.shape()?;
        let mut sizes = ClassSizes::from_sizes(Some(shape.rows).filter(|&n| n > 0), self.missing);
        let all = ColumnSet::first(shape.columns);
        let among = self.among.as_ref().map_or_else(|| all.clone(), |set| set.intersection(&all));
        let mut candidates: Vec<Candidate> =
            among.iter().map(|column| Candidate::new(column, self.weights.of(column))).collect();

        let mut found = GreedyFound {
            start: SetRatios::from_sizes(ColumnSet::new(), &sizes),
            steps: Vec::new(),
            dropped: Vec::new(),
            set: ColumnSet::new(),
            ratios: SetRatios::from_sizes(ColumnSet::new(), &sizes),
            reached: false,
            coverage: Coverage::Complete,
        };
        let target = self.goal();
        run.reporter().stage("taking columns", None);
        loop {
            found.reached = target.is_reached(&sizes);
            let full = self.max_size.is_some_and(|most| found.set.len() >= most);
            if full || until.is_some_and(|target| target.is_reached(&sizes)) {
                break;
            }
            let step = Step { engine, run, measure, set: &found.set, sizes: &sizes };
            match step.best(&mut candidates, self.missing) {
                Ok(Some((column, with))) => {
                    found.set.insert(column);
                    found.ratios = SetRatios::from_sizes(found.set.clone(), &with);
                    found.steps.push(GreedyStep { column, ratios: found.ratios.clone() });
                    sizes = with;
                    run.reporter().advance(1);
                }
                Ok(None) => break,
                Err(error) => {
                    found.coverage = Coverage::Stopped { by: stop_of(error)? };
                    break;
                }
            }
        }
        run.reporter().finish();
        Ok(found)
    }

    fn take_out(&self, found: &mut GreedyFound, engine: &dyn Engine, run: &Run) -> Result<()> {
        let mut order: Vec<ColumnId> = found.steps.iter().map(|step| step.column).collect();
        order.sort_by_key(|&column| std::cmp::Reverse(self.weights.of(column)));
        for column in order {
            let mut fewer = found.set.clone();
            fewer.remove(column);
            let asked = run.check().and_then(|()| engine.class_sizes(&fewer, self.missing));
            match asked {
                Ok(sizes) if self.goal().is_reached(&sizes) => {
                    found.ratios = SetRatios::from_sizes(fewer.clone(), &sizes);
                    found.set = fewer;
                    found.dropped.push(column);
                }
                Ok(_) => {}
                Err(error) => {
                    found.coverage = Coverage::Stopped { by: stop_of(error.into())? };
                    break;
                }
            }
        }
        Ok(())
    }
}

/// The limit that an error stands for; other errors stay errors.
pub(super) fn stop_of(error: Error) -> Result<Stop> {
    match error {
        Error::Engine(muslin_engine::Error::Stopped(stop)) => Ok(stop),
        other => Err(other),
    }
}

/// Under the wildcard rule there is nothing to count.
pub(super) fn no_classes() -> Error {
    Error::Setting(
        "where a missing cell matches anything, rows do not fall into classes\n  hint: pass `--measure separation`, or `--missing category` or `distinct`".into(),
    )
}

/// A column that may be taken.
struct Candidate {
    column: ColumnId,
    weight: Weight,
    /// What it adds at most.
    bound: u128,
    /// The class sizes that it makes with the set, when that was asked; `bound` is then what
    /// it adds.
    known: Option<ClassSizes>,
}

impl Candidate {
    fn new(column: ColumnId, weight: Weight) -> Self {
        Self { column, weight, bound: u128::MAX, known: None }
    }

    fn order(&self, other: &Self) -> Ordering {
        let key = |candidate: &Self| (candidate.bound, candidate.weight, candidate.column);
        order_of_gains(key(self), key(other))
    }
}

/// Better columns first: those that cost nothing and add something; then the most for its weight;
/// then the one that comes first.
pub(super) fn order_of_gains(a: (u128, Weight, ColumnId), b: (u128, Weight, ColumnId)) -> Ordering {
    let rate = |(gain, weight, _): (u128, Weight, ColumnId)| match (gain, weight.millionths()) {
        (0, _) => (0, Ratio::new(0, 1)),
        (gain, 0) => (2, Ratio::new(gain, 1)),
        (gain, weight) => (1, Ratio::new(gain, weight.into())),
    };
    rate(b).cmp(&rate(a)).then(a.2.cmp(&b.2))
}

/// One choice.
struct Step<'a> {
    engine: &'a dyn Engine,
    run: &'a Run,
    measure: Measure,
    set: &'a ColumnSet,
    sizes: &'a ClassSizes,
}

impl Step<'_> {
    /// Takes the best candidate out of the list; none when nobody adds anything.
    fn best(
        &self,
        candidates: &mut Vec<Candidate>,
        missing: MissingRule,
    ) -> Result<Option<(ColumnId, ClassSizes)>> {
        for candidate in candidates.iter_mut() {
            candidate.known = None;
            if self.measure == Measure::Distinct {
                candidate.bound = u128::MAX;
            }
        }
        // How many are asked for at once changes how long it takes, not what comes out.
        let batch = self.run.thread_count().saturating_mul(2).max(4);
        loop {
            candidates.sort_unstable_by(Candidate::order);
            let Some(first) = candidates.first() else { return Ok(None) };
            if first.bound == 0 {
                return Ok(None);
            }
            if let Some(sizes) = first.known.clone() {
                return Ok(Some((candidates.remove(0).column, sizes)));
            }
            self.run.check()?;
            // Unknown bounds are all the same: then all are asked for.
            let unknown = candidates.iter().filter(|c| c.bound == u128::MAX).count();
            let asked = candidates.iter_mut().filter(|c| c.known.is_none() && c.bound > 0);
            let asked: Vec<&mut Candidate> = asked.take(batch.max(unknown)).collect();
            let columns: Vec<ColumnId> = asked.iter().map(|candidate| candidate.column).collect();
            let answers = self.engine.class_sizes_of_each(self.set, &columns, missing)?;
            for (candidate, sizes) in asked.into_iter().zip(answers) {
                candidate.bound = self.gain(&sizes);
                candidate.known = Some(sizes);
            }
        }
    }

    /// Pairs told apart, or classes, beyond what there was.
    fn gain(&self, with: &ClassSizes) -> u128 {
        match self.measure {
            Measure::Separation => self.sizes.unseparated_pairs() - with.unseparated_pairs(),
            Measure::Distinct => {
                let classes = |sizes: &ClassSizes| u128::from(sizes.classes().unwrap_or(0));
                classes(with) - classes(self.sizes)
            }
        }
    }
}

/// A column that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GreedyStep {
    /// The column.
    pub column: ColumnId,
    /// What the columns up to this one tell apart together.
    pub ratios: SetRatios,
}

/// What [`Greedy`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GreedyFound {
    start: SetRatios,
    steps: Vec<GreedyStep>,
    dropped: Vec<ColumnId>,
    set: ColumnSet,
    ratios: SetRatios,
    reached: bool,
    coverage: Coverage,
}

impl GreedyFound {
    /// Ratios of the empty set, before the first step.
    pub fn start(&self) -> &SetRatios {
        &self.start
    }

    /// Columns in the order in which they were taken.
    pub fn steps(&self) -> &[GreedyStep] {
        &self.steps
    }

    /// Columns that [`Greedy::prune`] took out again.
    pub fn dropped(&self) -> &[ColumnId] {
        &self.dropped
    }

    /// The columns taken, without the dropped ones.
    pub fn set(&self) -> &ColumnSet {
        &self.set
    }

    /// What the set tells apart.
    pub fn ratios(&self) -> &SetRatios {
        &self.ratios
    }

    /// Whether the set reaches the target.
    pub fn reached(&self) -> bool {
        self.reached
    }

    /// How far it got: a run that was stopped took its steps rightly, but not all of them.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}
