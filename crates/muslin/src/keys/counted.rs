//! Questions that are answered from counts of all rows, wherever they are.

use std::collections::BTreeMap;

use muslin_assess::{
    CountedSets, ExactMinimum, FoundSet, Greedy, Levelwise, Measure, MinimalSets, Pruning,
    SetRatios, Target, Weight, Weights,
};
use muslin_engine::{Coverage, Engine, Run, Stop};
use muslin_table::{ClassSizes, ColumnSet, EncodedTable, MissingRule, SizeCount};

use super::explain::Explainer;
use super::output::Lines;
use super::question::{AllSets, MinimumMethod};
use super::report::{
    AllReport, GivenSetReport, KeysAnswer, MinimumReport, OverviewReport, SetFacts, WholeReport,
};
use super::{not_interrupted, set_names};
use crate::elsewhere::Elsewhere;
use crate::{Error, Result};

/// A table, and how to look at it.
pub(super) struct Counted<'a> {
    /// Its columns; all of its rows too, where it is in memory.
    pub(super) table: &'a EncodedTable,
    pub(super) engine: &'a dyn Engine,
    pub(super) rows: u64,
    /// The table, where it is not in memory.
    pub(super) elsewhere: Option<&'a Elsewhere<'a>>,
    pub(super) missing: MissingRule,
    pub(super) weights: Weights,
    pub(super) run: &'a Run,
}

/// An answer, and how far it got.
pub(super) type Answered = (Coverage, KeysAnswer);

impl Counted<'_> {
    fn names(&self, set: &ColumnSet) -> Vec<String> {
        set_names(self.table, set)
    }

    fn explainer(&self) -> Explainer<'_> {
        let Self { table, engine, rows, missing, run, .. } = *self;
        Explainer { table, engine, rows, missing, run }
    }

    /// What all columns do together.
    fn whole(&self, target: Target) -> Result<WholeReport> {
        let all = self.table.all_columns();
        let sizes = self.engine.class_sizes(&all, self.missing)?;
        Ok(whole(&sizes, all, target))
    }

    /// What all columns do together, after a search for keys.
    fn whole_of_keys(&self, found: &FoundSets) -> Result<WholeReport> {
        let rows = self.rows;
        if !found.sets.is_empty() {
            let alone = ClassSizes::from_rows([SizeCount { size: 1, rows }], self.missing);
            return Ok(whole(&alone, self.table.all_columns(), Target::key()));
        }
        match self.whole(Target::key()) {
            // Nothing was found in time, and there is no time to find out why.
            Err(Error::Engine(muslin_engine::Error::Stopped(Stop::TimeLimit))) => {
                Ok(WholeReport { reachable: true, ..WholeReport::default() })
            }
            whole => whole,
        }
    }

    pub(super) fn overview(&self) -> Result<Answered> {
        let whole = self.whole(Target::key())?;
        let found = self.greedy(Target::key()).curve(self.engine, self.run)?;
        not_interrupted(found.coverage())?;
        let set = found.reached().then(|| self.names(found.set()));
        let curve = self.explainer().steps(&found);
        Ok((found.coverage(), KeysAnswer::Overview(OverviewReport { whole, set, curve })))
    }

    fn greedy(&self, target: Target) -> Greedy {
        Greedy::new(target).missing(self.missing).weights(self.weights.clone())
    }

    pub(super) fn all(&self, asked: &AllSets, lines: Option<&mut Lines>) -> Result<Answered> {
        // A key that is found says all about all columns, so they are asked about later, if at all.
        let of_all = (!asked.target.is_key()).then(|| self.whole(asked.target));
        let of_all = of_all.transpose()?;
        let found = match asked.method.pruning() {
            None => self.hitting_sets(asked, lines)?,
            Some(pruning) => self.levelwise(asked, pruning, lines)?,
        };
        not_interrupted(found.coverage)?;
        let whole = match of_all {
            Some(whole) => whole,
            None => self.whole_of_keys(&found)?,
        };
        let mut by_size = BTreeMap::new();
        for set in &found.sets {
            *by_size.entry(set.0.len()).or_insert(0) += 1;
        }
        let report = AllReport {
            target: asked.target.into(),
            whole,
            method: asked.method,
            sure: found.delta.is_none(),
            delta: found.delta,
            max_size: asked.max_size,
            limit: asked.limit,
            total: found.sets.len() as u64,
            by_size,
            complete_to_size: found.complete_to,
            larger_may_exist: found.larger_may_exist,
            sets: found.sets.iter().map(|(set, _)| self.names(set)).collect(),
            set_facts: found.sets.iter().map(|(_, facts)| *facts).collect(),
        };
        Ok((found.coverage, KeysAnswer::All(report)))
    }

    fn hitting_sets(&self, asked: &AllSets, lines: Option<&mut Lines>) -> Result<FoundSets> {
        let Some(elsewhere) = self.elsewhere else {
            return self.hitting_sets_of(self.table, asked, lines);
        };
        match elsewhere.fetched(self.run)? {
            Some(table) => self.hitting_sets_of(&table, asked, lines),
            None => self.counted_sets(asked, lines),
        }
    }

    /// The same by counts alone, where the table does not fit memory.
    fn counted_sets(&self, asked: &AllSets, lines: Option<&mut Lines>) -> Result<FoundSets> {
        let search = CountedSets::new(asked.target).missing(self.missing).max_size(asked.max_size);
        let found = search.run(self.engine, self.run)?;
        let facts = |(set, sizes): &(ColumnSet, ClassSizes)| {
            (set.clone(), SetFacts::from(&SetRatios::from_sizes(set.clone(), sizes)))
        };
        let mut sets: Vec<(ColumnSet, SetFacts)> = found.sets().iter().map(facts).collect();
        let (mut coverage, mut complete_to) = (found.coverage(), found.complete_to());
        if let Some(limit) = asked.limit.filter(|&limit| limit < sets.len()) {
            sets.truncate(limit);
            coverage = Coverage::Stopped { by: Stop::ResultLimit };
            complete_to = complete_to.min(complete_before_last(&sets));
        }
        if let Some(lines) = lines {
            let sets: Vec<_> = sets.iter().map(|(set, facts)| (set, *facts)).collect();
            lines.push(self.table, &sets)?;
        }
        let columns = self.table.columns().len();
        let largest = asked.max_size.unwrap_or(columns).min(columns);
        let complete = coverage == Coverage::Complete;
        Ok(FoundSets {
            complete_to: complete_to.filter(|&size| size > 0),
            larger_may_exist: !complete || largest < columns,
            sets,
            delta: None,
            coverage,
        })
    }

    fn hitting_sets_of(
        &self,
        table: &EncodedTable,
        asked: &AllSets,
        mut lines: Option<&mut Lines>,
    ) -> Result<FoundSets> {
        let search = MinimalSets::new(asked.target)
            .missing(self.missing)
            .max_size(asked.max_size)
            .limit(asked.limit);
        let mut sink = |sets: &[FoundSet]| match &mut lines {
            None => Ok(()),
            Some(lines) => {
                let sets: Vec<_> =
                    sets.iter().map(|set| (&set.columns, SetFacts::from(set))).collect();
                Ok(lines.push(table, &sets)?)
            }
        };
        let found = search.list(table, &mut sink, self.run)?;
        let sets: Vec<(ColumnSet, SetFacts)> =
            found.sets().iter().map(|set| (set.columns.clone(), set.into())).collect();
        let mut complete_to = found.complete_to();
        if found.coverage() == (Coverage::Stopped { by: Stop::ResultLimit }) {
            complete_to = complete_before_last(&sets);
        }
        Ok(FoundSets {
            sets,
            complete_to,
            larger_may_exist: found.larger_may_exist(),
            delta: None,
            coverage: found.coverage(),
        })
    }

    fn levelwise(
        &self,
        asked: &AllSets,
        pruning: Pruning,
        lines: Option<&mut Lines>,
    ) -> Result<FoundSets> {
        let mut search =
            Levelwise::new(asked.target).missing(self.missing).pruning(pruning).delta(asked.delta);
        if let Some(size) = asked.max_size {
            search = search.max_size(size);
        }
        if let Some(limit) = asked.limit {
            search = search.limit(limit);
        }
        let found = search.run(self.engine, self.run)?;
        let mut coverage = found.coverage();
        if found.limited() {
            coverage = Coverage::Stopped { by: Stop::ResultLimit };
        }
        let mut sets = Vec::new();
        for set in found.sets() {
            // A set without its figures would not be a whole line.
            match SetRatios::of(self.engine, set, self.missing) {
                Ok(ratios) => sets.push((set.clone(), SetFacts::from(&ratios))),
                Err(muslin_assess::Error::Engine(muslin_engine::Error::Stopped(by))) => {
                    coverage = Coverage::Stopped { by };
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(lines) = lines {
            let sets: Vec<_> = sets.iter().map(|(set, facts)| (set, *facts)).collect();
            lines.push(self.table, &sets)?;
        }
        let columns = self.table.columns().len();
        let largest = asked.max_size.unwrap_or(columns).min(columns);
        let complete = coverage == Coverage::Complete;
        Ok(FoundSets {
            complete_to: if complete { Some(largest) } else { complete_before_last(&sets) },
            larger_may_exist: !complete || largest < columns,
            sets,
            delta: found.delta(),
            coverage,
        })
    }

    pub(super) fn minimum(
        &self,
        target: Target,
        exact: bool,
        costs: &BTreeMap<String, Weight>,
    ) -> Result<Answered> {
        let method = if exact { MinimumMethod::Exact } else { MinimumMethod::Greedy };
        let mut report = MinimumReport::new(target.into(), method, costs);
        report.whole = self.whole(target)?;
        let explainer = self.explainer();
        let (set, ratios, coverage) = if exact && report.whole.reachable {
            let search =
                ExactMinimum::new(target).missing(self.missing).weights(self.weights.clone());
            let found = search.run(self.engine, self.run)?;
            report.lower_bound = Some(found.lower_bound().as_f64());
            report.gap = found.weight().map(|weight| weight.minus(found.lower_bound()).as_f64());
            report.optimal = Some(found.is_optimal());
            let set = found.set().cloned().unwrap_or_default();
            let ratios = SetRatios::from_sizes(set.clone(), found.sizes());
            (set, ratios, found.coverage())
        } else {
            let found = self.greedy(target).prune().run(self.engine, self.run)?;
            if !found.reached() {
                not_interrupted(found.coverage())?;
                report.nearest = Some(self.names(found.set()));
                report.curve = explainer.steps(&found);
                return Ok((found.coverage(), KeysAnswer::Minimum(Box::new(report))));
            }
            report.dropped = self.names(&found.dropped().iter().copied().collect());
            (found.set().clone(), found.ratios().clone(), found.coverage())
        };
        not_interrupted(coverage)?;
        report.set = Some(self.names(&set));
        report.ratios = (&ratios).into();
        report.weight = Some(self.weights.sum(&set).as_f64());
        report.curve = explainer.order(&set, target.measure())?;
        report.explanation =
            explainer.explanation(&set, explained_measure(target, self.missing))?;
        Ok((coverage, KeysAnswer::Minimum(Box::new(report))))
    }

    /// What `set` does.
    pub(super) fn given(&self, set: &ColumnSet) -> Result<Answered> {
        let explainer = self.explainer();
        let ratios = SetRatios::of(self.engine, set, self.missing)?;
        let measure = explained_measure(Target::key(), self.missing);
        let report = GivenSetReport {
            set: self.names(set),
            ratios: (&ratios).into(),
            rows_held: None,
            curve: explainer.order(set, Measure::Separation)?,
            explanation: explainer.explanation(set, measure)?,
        };
        Ok((Coverage::Complete, KeysAnswer::Set(Box::new(report))))
    }
}

/// Sets, and how far the search for them got.
struct FoundSets {
    sets: Vec<(ColumnSet, SetFacts)>,
    complete_to: Option<usize>,
    larger_may_exist: bool,
    delta: Option<f64>,
    coverage: Coverage,
}

/// Where a list was cut, all sets smaller than its last one are there.
fn complete_before_last(sets: &[(ColumnSet, SetFacts)]) -> Option<usize> {
    sets.last().and_then(|(set, _)| set.len().checked_sub(1))
}

/// What all columns do, from their classes.
pub(super) fn whole(sizes: &ClassSizes, all: ColumnSet, target: Target) -> WholeReport {
    WholeReport {
        reachable: if target.is_key() { Target::key() } else { target }.is_reached(sizes),
        duplicate_rows: sizes.classes().map(|classes| sizes.rows() - classes),
        rows_alike: Some(sizes.rows() - sizes.rows_below(2)),
        ceiling: Some((&SetRatios::from_sizes(all, sizes)).into()),
    }
}

/// What a set is explained by. Of a key, the classes say more than the pairs, nearly all of which
/// any few columns tell apart.
pub(crate) fn explained_measure(target: Target, missing: MissingRule) -> Measure {
    match (target.is_key(), missing) {
        (false, _) => target.measure(),
        (true, MissingRule::Wildcard) => Measure::Separation,
        (true, _) => Measure::Distinct,
    }
}
