//! All minimal sets by counts alone, for tables that are not at hand.
//!
//! # Method
//! Hitting sets, as for [`MinimalSets`], with an engine instead of rows. A set that does not reach the target
//! is enlarged as long as it does not: every set that does has one of the columns that are left, an edge. The
//! minimal sets that hit all edges known are candidates; they are counted several at a time, and where all
//! reach the target they are all there are: a smaller set that reaches it would hit every edge too.
//!
//! Two rows of a sample that agree on some columns are two rows of the table that do. So the search for keys
//! begins with the minimal keys of a sample, and few of those fail.

use std::collections::BTreeMap;

use muslin_engine::{Coverage, Engine, Run, Stop};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, MissingRule};

use super::{MinimalSets, Target};
use crate::{Error, Result};

/// Candidates that are counted together.
const TOGETHER: usize = 8;
/// Candidates at most: more would take longer to make than anybody waits.
const MOST: usize = 200_000;

/// Finds every minimal set of columns that reaches a target, by counts and a sample.
///
/// # Guarantee
/// What [`MinimalSets`] finds, on any engine.
///
/// # Cost
/// One question for each set found and for each candidate that fails, a few of them at a time; for each
/// that fails, up to one more for each column. The sample decides how many fail, not what is found.
#[derive(Clone, Debug)]
pub struct CountedSets {
    target: Target,
    missing: MissingRule,
    max_size: Option<usize>,
    sample: u64,
}

/// What was found.
#[derive(Clone, Debug)]
#[must_use]
pub struct CountedSetsFound {
    sets: Vec<(ColumnSet, ClassSizes)>,
    complete_to: Option<usize>,
    coverage: Coverage,
}

impl CountedSetsFound {
    /// The sets by size and then by columns, with the classes that each makes.
    pub fn sets(&self) -> &[(ColumnSet, ClassSizes)] {
        &self.sets
    }

    /// Every set of up to so many columns is there, whatever ended the search; nothing where it ended too early to say.
    pub fn complete_to(&self) -> Option<usize> {
        self.complete_to
    }

    /// Whether these are all.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}

impl CountedSets {
    /// Looks for sets of any size.
    pub fn new(target: Target) -> Self {
        Self { target, missing: MissingRule::default(), max_size: None, sample: 20_000 }
    }

    /// Looks for sets of at most so many columns; of any size when none.
    #[must_use]
    pub fn max_size(mut self, columns: Option<usize>) -> Self {
        self.max_size = columns;
        self
    }

    /// What a missing cell matches.
    #[must_use]
    pub fn missing(mut self, rule: MissingRule) -> Self {
        self.missing = rule;
        self
    }

    /// Rows to draw for the search of keys.
    #[must_use]
    pub fn sample(mut self, rows: u64) -> Self {
        self.sample = rows;
        self
    }

    /// Finds all sets.
    pub fn run(&self, engine: &dyn Engine, run: &Run) -> Result<CountedSetsFound> {
        let mut found: BTreeMap<ColumnSet, ClassSizes> = BTreeMap::new();
        let columns = engine.shape()?.columns;
        let mut smallest_open = 0;
        let (complete_to, coverage) = match self.search(engine, run, &mut found, &mut smallest_open)
        {
            Ok(()) => {
                (Some(self.max_size.map_or(columns, |most| most.min(columns))), Coverage::Complete)
            }
            Err(Error::Engine(muslin_engine::Error::Stopped(by))) if by != Stop::Interrupted => {
                (smallest_open.checked_sub(1), Coverage::Stopped { by })
            }
            Err(error) => return Err(error),
        };
        let mut sets: Vec<(ColumnSet, ClassSizes)> = found.into_iter().collect();
        sets.sort_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        Ok(CountedSetsFound { sets, complete_to, coverage })
    }

    /// Notes the size of the smallest candidate that is not counted: every set that is not found holds a candidate.
    fn search(
        &self,
        engine: &dyn Engine,
        run: &Run,
        found: &mut BTreeMap<ColumnSet, ClassSizes>,
        smallest_open: &mut usize,
    ) -> Result<()> {
        let all = ColumnSet::first(engine.shape()?.columns);
        if !self.target.is_reached(&engine.class_sizes(&all, self.missing)?) {
            return Ok(());
        }
        let most = self.max_size.unwrap_or(all.len());
        let mut candidates = self.first_candidates(engine, most, run)?;
        loop {
            candidates.retain(|set| set.len() <= most);
            candidates.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
            let open = candidates.iter().filter(|set| !found.contains_key(set));
            let open: Vec<ColumnSet> = open.take(TOGETHER).cloned().collect();
            let Some(smallest) = open.first() else { return Ok(()) };
            *smallest_open = smallest.len();
            run.check()?;
            let counted = engine.class_sizes_of_sets(&open, self.missing)?;
            for (set, sizes) in open.into_iter().zip(counted) {
                if self.target.is_reached(&sizes) {
                    found.insert(set, sizes);
                } else {
                    let edge = all.difference(&self.enlarged(set, &all, engine, run)?);
                    candidates = hit(candidates, &edge)?;
                }
            }
        }
    }

    /// Sets that hit what is known from the start.
    fn first_candidates(
        &self,
        engine: &dyn Engine,
        most: usize,
        run: &Run,
    ) -> Result<Vec<ColumnSet>> {
        if !self.target.is_key() {
            return Ok(vec![ColumnSet::new()]);
        }
        let sample = engine.sample(self.sample, run.seed_of_run())?;
        let keys = MinimalSets::new(self.target).missing(self.missing).max_size(Some(most));
        let found = keys.run(&sample, run)?;
        if let Coverage::Stopped { by } = found.coverage() {
            return Err(muslin_engine::Error::Stopped(by).into());
        }
        Ok(found.sets().iter().map(|set| set.columns.clone()).collect())
    }

    /// A largest set around `set` that does not reach the target either.
    fn enlarged(
        &self,
        mut set: ColumnSet,
        all: &ColumnSet,
        engine: &dyn Engine,
        run: &Run,
    ) -> Result<ColumnSet> {
        let mut rest: Vec<ColumnId> = all.difference(&set).iter().collect();
        while !rest.is_empty() {
            run.check()?;
            let sizes = engine.class_sizes_of_each(&set, &rest, self.missing)?;
            // Whoever reaches the target now reaches it in every larger set.
            let mut failing: Vec<(ColumnId, &ClassSizes)> = rest
                .iter()
                .copied()
                .zip(&sizes)
                .filter(|(_, sizes)| !self.target.is_reached(sizes))
                .collect();
            failing.sort_by_key(|(id, sizes)| (sizes.unseparated_pairs(), *id));
            let Some((most_alike, _)) = failing.pop() else { break };
            set.insert(most_alike);
            rest = failing.into_iter().map(|(id, _)| id).collect();
            rest.sort_unstable();
        }
        Ok(set)
    }
}

/// The minimal sets that hit an edge too (Berge).
fn hit(candidates: Vec<ColumnSet>, edge: &ColumnSet) -> Result<Vec<ColumnSet>> {
    let (mut hitting, missing): (Vec<ColumnSet>, Vec<ColumnSet>) =
        candidates.into_iter().partition(|set| !set.is_disjoint(edge));
    let old = hitting.len();
    for set in missing {
        for column in edge.iter() {
            let mut more = set.clone();
            more.insert(column);
            if !hitting[..old].iter().any(|known| known.is_subset(&more)) {
                hitting.push(more);
            }
        }
        if hitting.len() > MOST {
            return Err(Error::TooManyResults);
        }
    }
    Ok(hitting)
}
