//! The cheapest key or quasi-identifier, with proof.
//!
//! # Method
//! A set that does not reach the target is grown as far as it still does not. Whatever reaches
//! the target has one of the columns that are left then: that is an edge, and the cheapest set is
//! found among those that hit every edge ([`hit`]). A greedy set is where the search starts from.
//! When a key is looked for and the rows fit in memory, two rows that a set leaves together show
//! an edge at once: the columns in which they differ.
//!
//! # Differences from the paper
//! It proves the problem hard and stops at greedy and sampled answers (MX07, sections 2.1 to 2.5).

use muslin_engine::{Coverage, Engine, Run, Stop};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, MissingRule};

use super::alike::Alike;
use super::cover::Cover;
use super::hit::{Border, Shown, hit};
use super::{Measure, Target, Weight, Weights};
use crate::{Error, Result};

/// Finds the cheapest column set that reaches a target.
///
/// # Guarantee
/// The set found reaches the target. No set that reaches it weighs less than the lower bound; when
/// the coverage is [`Coverage::Complete`] that is the set's own weight. Without a set, the whole
/// table does not reach the target, or the run was stopped before one was found. Which one of
/// several cheapest sets is found depends on the table and the settings alone.
///
/// # Cost
/// Exponential in the number of columns in the worst case. Each edge takes one question about
/// every column and some more about sets; tables of tens of columns take tens of edges. For a key,
/// the rows are fetched and a set shows many edges for about the price of one question.
///
/// # Example
/// ```
/// use muslin_assess::{ExactMinimum, Target};
/// use muslin_engine::{MemoryEngine, Run};
/// use muslin_table::{ColumnId, EncodedTable};
/// // The second column tells nobody apart; the other two tell all.
/// let table = EncodedTable::of(&[[0, 5, 0], [0, 5, 1], [1, 5, 0], [1, 5, 1]]);
/// let run = Run::new();
/// let found = ExactMinimum::new(Target::key()).run(&MemoryEngine::new(&table, &run), &run)?;
/// let key = found.set().expect("no two rows are equal");
/// assert_eq!(key.iter().map(ColumnId::index).collect::<Vec<_>>(), [0, 2]);
/// assert!(found.is_optimal());
/// # Ok::<(), muslin_assess::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExactMinimum {
    target: Target,
    weights: Weights,
    missing: MissingRule,
}

impl ExactMinimum {
    /// Every column weighs one; a missing cell is one more value.
    pub fn new(target: Target) -> Self {
        Self { target, weights: Weights::new(), missing: MissingRule::default() }
    }

    /// What the columns weigh.
    #[must_use]
    pub fn weights(mut self, weights: Weights) -> Self {
        self.weights = weights;
        self
    }

    /// What a missing cell matches.
    #[must_use]
    pub fn missing(mut self, missing: MissingRule) -> Self {
        self.missing = missing;
        self
    }

    /// Searches `table`.
    pub fn run(&self, table: &dyn Engine, run: &Run) -> Result<ExactFound> {
        if self.missing == MissingRule::Wildcard && self.target.measure() == Measure::Distinct {
            return Err(Error::Setting(
                "rows do not fall into classes where a missing cell matches anything, so there is no distinct ratio\n  hint: pass `--measure separation` or another `--missing`".into(),
            ));
        }
        let columns = table.shape()?.columns;
        let all = ColumnSet::first(columns);
        let whole = table.class_sizes(&all, self.missing)?;
        let mut search = Search {
            exact: self,
            table,
            run,
            columns,
            border: Border::default(),
            alike: None,
            best: (all.clone(), whole),
            evaluations: 1,
        };
        if !self.target.is_reached(&search.best.1) {
            return Ok(search.finish(false, Weight::ZERO, None));
        }
        search.border.learn(&all, true);
        match search.greedy() {
            Err(Error::Engine(muslin_engine::Error::Stopped(stop))) => {
                return Ok(search.finish(true, Weight::ZERO, Some(stop)));
            }
            greedy => search.best = greedy?,
        }
        if self.target.is_key() {
            search.alike = Alike::fetched(table, self.missing)?;
        }
        let mut cover = Cover::new(&self.weights, columns);
        let start = Some(search.best.0.clone());
        let mut show = |candidate: &ColumnSet| search.show(candidate);
        let found = hit(&mut cover, &self.weights, start, &mut show, run)?;
        Ok(search.finish(true, found.lower_bound, found.stop))
    }
}

struct Search<'a> {
    exact: &'a ExactMinimum,
    table: &'a dyn Engine,
    run: &'a Run,
    columns: usize,
    border: Border,
    /// The rows, when a key is looked for and they fit.
    alike: Option<Alike>,
    /// The cheapest set known that reaches the target, or all columns, and its classes.
    best: (ColumnSet, ClassSizes),
    evaluations: u64,
}

impl Search<'_> {
    fn finish(self, is_reached: bool, lower_bound: Weight, stop: Option<Stop>) -> ExactFound {
        let (set, sizes) = self.best;
        let set = is_reached.then_some(set);
        let weight = set.as_ref().map(|set| self.exact.weights.sum(set));
        let coverage = stop.map_or(Coverage::Complete, |by| Coverage::Stopped { by });
        ExactFound { set, sizes, weight, lower_bound, coverage, evaluations: self.evaluations }
    }

    fn sizes(&mut self, set: &ColumnSet) -> Result<ClassSizes> {
        self.evaluations += 1;
        Ok(self.table.class_sizes(set, self.exact.missing)?)
    }

    fn sizes_of_each(&mut self, by: &ColumnSet, more: &[ColumnId]) -> Result<Vec<ClassSizes>> {
        self.evaluations += more.len() as u64;
        Ok(self.table.class_sizes_of_each(by, more, self.exact.missing)?)
    }

    fn is_reached(&mut self, set: &ColumnSet) -> Result<bool> {
        if let Some(known) = self.border.says(set) {
            return Ok(known);
        }
        let reached = self.exact.target.is_reached(&self.sizes(set)?);
        self.border.learn(set, reached);
        Ok(reached)
    }

    /// Columns are added until the target is reached, each time the one that brings it nearest
    /// for its weight; then those that are not needed are left out, the heaviest first.
    fn greedy(&mut self) -> Result<(ColumnSet, ClassSizes)> {
        let (target, weights) = (self.exact.target, &self.exact.weights);
        let weight = |column: ColumnId| u128::from(weights.of(column).millionths());
        let mut set = ColumnSet::new();
        let mut now = self.sizes(&set)?;
        while !target.is_reached(&now) {
            self.run.check()?;
            self.border.learn(&set, false);
            let rest: Vec<ColumnId> =
                ColumnSet::first(self.columns).difference(&set).iter().collect();
            let each = self.sizes_of_each(&set, &rest)?;
            let gained: Vec<u128> =
                each.iter().map(|sizes| gain(target.measure(), &now, sizes)).collect();
            let reaches = |at: usize| target.is_reached(&each[at]);
            let better = |a: usize, b: usize| {
                let (heavy_a, heavy_b) = (weight(rest[a]), weight(rest[b]));
                let by_price = gained[a] * heavy_b > gained[b] * heavy_a
                    || (gained[a] * heavy_b == gained[b] * heavy_a && gained[a] > gained[b]);
                match (reaches(a), reaches(b)) {
                    (true, true) => heavy_a < heavy_b,
                    (false, false) => by_price,
                    (a, _) => a,
                }
            };
            let best = (0..rest.len()).reduce(|best, at| if better(at, best) { at } else { best });
            let best = best.expect("all columns together reach the target");
            set.insert(rest[best]);
            now = each[best].clone();
        }
        let mut columns: Vec<ColumnId> = set.iter().collect();
        columns.sort_by_key(|&column| std::cmp::Reverse((weight(column), column)));
        for column in columns {
            set.remove(column);
            if !self.is_reached(&set)? {
                set.insert(column);
            }
        }
        let sizes = self.sizes(&set)?;
        Ok((set, sizes))
    }

    /// Whether a set reaches the target; it is the best one then if it is lighter.
    fn try_out(&mut self, set: &ColumnSet) -> Result<bool> {
        let weights = &self.exact.weights;
        let is_lighter = weights.sum(set) < weights.sum(&self.best.0);
        match self.border.says(set) {
            Some(false) => return Ok(false),
            Some(true) if !is_lighter => return Ok(true),
            _ => {}
        }
        let sizes = self.sizes(set)?;
        let reached = self.exact.target.is_reached(&sizes);
        self.border.learn(set, reached);
        if reached && is_lighter {
            self.best = (set.clone(), sizes);
        }
        Ok(reached)
    }

    /// Edges that a set does not hit; none where it reaches the target.
    fn show(&mut self, set: &ColumnSet) -> Result<Shown> {
        let mut shown = Shown::default();
        if let Some(alike) = &self.alike {
            shown.edges = alike.edges(set, self.run)?;
            if !shown.edges.is_empty() {
                self.evaluations += 1;
                return Ok(shown);
            }
        }
        // With the columns of an edge the set may still not reach: then it shows another edge, one
        // without those columns.
        let mut grown = set.clone();
        while !self.try_out(&grown)? {
            let edge = self.edge(&grown)?;
            grown = grown.union(&edge);
            shown.edges.push(edge);
        }
        shown.other = Some(grown).filter(|_| !shown.edges.is_empty());
        Ok(shown)
    }

    /// Columns of which every set that reaches the target has one, none of them in `set`, which
    /// does not reach it.
    fn edge(&mut self, set: &ColumnSet) -> Result<ColumnSet> {
        let target = self.exact.target;
        let all = ColumnSet::first(self.columns);
        let rest: Vec<ColumnId> = all.difference(set).iter().collect();
        let each = self.sizes_of_each(set, &rest)?;
        // Columns that bring the set no nearer to the target leave most room for others.
        let ratio = |sizes: &ClassSizes| target.measure().ratio(sizes);
        let mut open: Vec<(ColumnId, &ClassSizes)> =
            rest.into_iter().zip(&each).filter(|(_, sizes)| !target.is_reached(sizes)).collect();
        open.sort_by(|(a, size_a), (b, size_b)| ratio(size_a).cmp(&ratio(size_b)).then(a.cmp(b)));
        let open: Vec<ColumnId> = open.into_iter().map(|(column, _)| column).collect();

        let mut grown = set.clone();
        let mut open = &open[..];
        while !open.is_empty() {
            let with = |count: usize| grown.union(&open[..count].iter().copied().collect());
            // The most of the open columns, in order, that can be added: some number of
            // `fits..fails`.
            let (mut fits, mut fails) = (0, open.len() + 1);
            let mut next = open.len();
            while fails - fits > 1 {
                let bound = if self.is_reached(&with(next))? { &mut fails } else { &mut fits };
                *bound = next;
                next = fits.midpoint(fails);
            }
            grown = with(fits);
            open = open.get(fails..).unwrap_or(&[]);
        }
        self.border.learn(&grown, false);
        Ok(all.difference(&grown))
    }
}

/// How much nearer to the whole some classes bring a measure.
fn gain(measure: Measure, from: &ClassSizes, to: &ClassSizes) -> u128 {
    match measure {
        Measure::Distinct => {
            let classes = |sizes: &ClassSizes| u128::from(sizes.classes().unwrap_or(0));
            classes(to) - classes(from)
        }
        Measure::Separation => from.unseparated_pairs() - to.unseparated_pairs(),
    }
}

/// The cheapest column set that reaches a target, as far as is known.
#[derive(Clone, Debug)]
#[must_use]
pub struct ExactFound {
    set: Option<ColumnSet>,
    sizes: ClassSizes,
    weight: Option<Weight>,
    lower_bound: Weight,
    coverage: Coverage,
    evaluations: u64,
}

impl ExactFound {
    /// The set; none when the whole table does not reach the target.
    pub fn set(&self) -> Option<&ColumnSet> {
        self.set.as_ref()
    }

    /// The classes that the set makes, or that all columns make when they do not reach the target.
    pub fn sizes(&self) -> &ClassSizes {
        &self.sizes
    }

    /// What the set weighs.
    pub fn weight(&self) -> Option<Weight> {
        self.weight
    }

    /// What every set that reaches the target weighs at least. Means nothing where none does.
    pub fn lower_bound(&self) -> Weight {
        self.lower_bound
    }

    /// Whether the set is known to be one of the cheapest.
    pub fn is_optimal(&self) -> bool {
        self.weight.is_some_and(|weight| weight <= self.lower_bound)
    }

    /// Complete when the set is one of the cheapest, or there is none.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Number of column sets whose classes were counted.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }
}
