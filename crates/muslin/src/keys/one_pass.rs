//! Questions that are answered in one pass over the input, from the rows of a sample.

use muslin_assess::{
    Bound, Greedy, Measure, RatioEstimate, SampledKey, SampledKeyFound, SetRatios, Target, Weights,
};
use muslin_engine::{Coverage, Engine, MemoryEngine, Run};
use muslin_io::{ColumnChoice, Input, ReadOptions, ReadTable, SampledTable, Source};
use muslin_table::{ClassSizes, ColumnSet, EncodedTable, Ratio};

use super::counted::whole;
use super::question::{MinimumMethod, SampledSet, bound_name};
use super::report::{
    GivenSetReport, KeysAnswer, KeysReport, MinimumReport, RatiosReport, SampleReport,
    TargetReport, WholeReport,
};
use super::{Facts, KeysJob, nearly_unique, set_names, weights};
use crate::elsewhere::{self, Elsewhere};
use crate::input::{check_roles, warnings};
use crate::looked::chosen_columns;
use crate::{Error, Failure, Result};

/// How surely bounds hold.
const CONFIDENCE: f64 = 0.95;
/// Columns up to which bounds are given for a set that was chosen by looking at the sample: they
/// hold for all sets of that many columns at once.
const MOST_COLUMNS: usize = 40;

impl KeysJob {
    /// A cheap set that tells nearly all rows apart.
    pub(super) fn sampled(&self, asked: &SampledSet, run: &Run) -> Result<KeysReport> {
        let mut search =
            SampledKey::new(asked.measure, asked.epsilon, asked.delta)?.missing(self.missing);
        if let Some(beta) = asked.beta {
            search = search.beta(beta);
        }
        if let Some(bound) = asked.bound {
            search = search.bound(bound);
        }
        // Settings that do not go together are told before anything is read.
        search.rows_needed(0, 1, run)?;
        let wanted = |rows: u64, columns: usize| {
            search.rows_needed(rows, columns, run).expect("the settings were checked")
        };
        let (drawn, elsewhere) = self.draw(&self.read, &wanted, run)?;
        let SampledTable { table, rows, source } = drawn;
        check_roles(&self.roles, &table, &source)?;
        let mut warnings = warnings(&table, &source, &self.read);
        let chosen = chosen_columns(&table, &self.roles);
        let left_out = set_names(&table, &table.all_columns().difference(&chosen));
        let table = if chosen == table.all_columns() { table } else { table.project(&chosen) };
        let weights = weights(&self.costs, &table, &source)?;
        let solved = match asked.beta {
            // Pairs of rows that are all there can be counted; to draw from them would be waste.
            Some(beta) if table.rows() as u64 == rows => {
                let target = Target::new(asked.measure, beta);
                self.solved_whole(asked, &table, target, weights.clone(), run)?
            }
            _ => search.weights(weights.clone()).solve(&table, rows, run)?.into(),
        };

        let target = TargetReport::sampled(asked.measure, asked.beta);
        let mut report = MinimumReport::new(target, MinimumMethod::Sampled, &self.costs);
        report.whole.reachable = solved.reached;
        report.sample = Some(solved.sample.clone());
        let names = set_names(&table, &solved.set);
        if solved.reached {
            report.weight = Some(weights.sum(&solved.set).as_f64());
            let exact = match self.verified(asked, &table, &solved, elsewhere.as_ref(), run) {
                Ok(exact) => exact,
                Err(error) if is_limit(&error) => {
                    warnings.push(
                        "the chosen columns were not read again, as a limit was in the way: ratios are estimates".into(),
                    );
                    None
                }
                Err(error) => return Err(error),
            };
            report.ratios = match exact {
                Some(exact) => {
                    warnings.extend(exact.warnings(&mut report));
                    (&exact.ratios).into()
                }
                None => self.estimated(&table, rows, &solved.set, Chosen::FromSample)?,
            };
            report.set = Some(names);
        } else {
            report.nearest = Some(names);
            report.whole = self.whole_of_sample(&table, rows, run)?;
        }
        Ok(self.report(Facts {
            coverage: solved.coverage,
            answer: KeysAnswer::Minimum(Box::new(report)),
            source: &source,
            table: &table,
            rows,
            dropped: None,
            left_out,
            warnings,
        }))
    }

    /// A sample of the table, and the table itself where it is asked about where it is.
    fn draw<'a>(
        &self,
        read: &ReadOptions,
        wanted: &(dyn Fn(u64, usize) -> u64 + Sync),
        run: &'a Run,
    ) -> Result<(SampledTable, Option<Elsewhere<'a>>)> {
        if self.at.is_memory() {
            return Ok((muslin_io::sample(&self.input, read, wanted, run)?, None));
        }
        let all = |head: &EncodedTable, _: &Source| Ok(head.all_columns());
        let elsewhere = elsewhere::open(&self.at, &self.input, read, &all, run)?;
        let rows = elsewhere.rows;
        let wanted = wanted(rows, elsewhere.head.columns().len());
        let table = elsewhere.engine.sample(wanted, run.seed_of_run())?;
        let source = elsewhere.source.clone();
        Ok((SampledTable { table, rows, source }, Some(elsewhere)))
    }

    /// The answer where the sample is the table: nothing is left to chance.
    fn solved_whole(
        &self,
        asked: &SampledSet,
        table: &EncodedTable,
        target: Target,
        weights: Weights,
        run: &Run,
    ) -> Result<Solved> {
        let engine = MemoryEngine::new(table, run);
        let greedy = Greedy::new(target).missing(self.missing).weights(weights).prune();
        let found = greedy.run(&engine, run)?;
        if let Coverage::Stopped { by } = found.coverage() {
            return Err(muslin_engine::Error::Stopped(by).into());
        }
        let rows = table.rows() as u64;
        Ok(Solved {
            set: found.set().clone(),
            reached: found.reached(),
            coverage: Coverage::Complete,
            sampled: found.ratios().clone(),
            sample: SampleReport {
                rows_held: rows,
                rows_passed: rows,
                seed: run.seed_of_run(),
                measure: asked.measure,
                epsilon: asked.epsilon,
                delta: asked.delta,
                bound: bound_name(Bound::Rows).into(),
                rows_used: Some(rows),
                pairs_used: None,
                promised_ratio: target.beta().as_f64(),
                promise_kept: None,
                description: format!(
                    "all {rows} rows were held, so that nothing was left to chance"
                ),
            },
        })
    }

    /// The ratios of the chosen columns in the whole table, where they can be counted.
    fn verified(
        &self,
        asked: &SampledSet,
        sample: &EncodedTable,
        solved: &Solved,
        elsewhere: Option<&Elsewhere<'_>>,
        run: &Run,
    ) -> Result<Option<Exact>> {
        let rows = solved.sample.rows_passed;
        if solved.sample.rows_held == rows {
            return Ok(Some(Exact::new(solved.sampled.clone(), Vec::new())));
        }
        if solved.set.is_empty() {
            let sizes = ClassSizes::from_sizes([rows], self.missing);
            let ratios = SetRatios::from_sizes(ColumnSet::new(), &sizes);
            return Ok(Some(Exact::new(ratios, Vec::new())));
        }
        if let Some(elsewhere) = elsewhere {
            if !asked.verify {
                return Ok(None);
            }
            let find = |id| Ok(elsewhere.head.find(sample.column(id).name())?);
            let set: ColumnSet = solved.set.iter().map(find).collect::<Result<_>>()?;
            let sizes = elsewhere.engine.class_sizes(&set, self.missing)?;
            let ratios = SetRatios::from_sizes(solved.set.clone(), &sizes);
            return Ok(Some(Exact::new(ratios, Vec::new())));
        }
        // A pipe cannot be read again.
        let is_there = match &self.input {
            Input::Path(path) => path.is_file(),
            Input::Stdin => false,
            Input::Memory(_) => true,
        };
        if !asked.verify || !is_there {
            return Ok(None);
        }
        let columns = ColumnChoice::Only(set_names(sample, &solved.set));
        let options = ReadOptions { columns, ..self.read.clone() };
        let ReadTable { table, .. } = muslin_io::read(&self.input, &options, run)?;
        let engine = MemoryEngine::new(&table, run);
        let ratios = SetRatios::of(&engine, &table.all_columns(), self.missing)?;
        let mut told = nearly_unique(&table);
        if ratios.rows() != rows {
            told.push("the file has another number of rows than when it was sampled: somebody is writing to it".into());
        }
        Ok(Some(Exact::new(ratios, told)))
    }

    /// Ratios as far as a sample says.
    fn estimated(
        &self,
        sample: &EncodedTable,
        all_rows: u64,
        set: &ColumnSet,
        chosen: Chosen,
    ) -> Result<RatiosReport> {
        let columns = sample.columns().len();
        let confidence = match chosen {
            Chosen::Before => CONFIDENCE,
            // Whatever set was chosen, its bounds are among those that hold.
            Chosen::FromSample => {
                let sets = i32::try_from(columns.min(MOST_COLUMNS)).unwrap_or(i32::MAX);
                1.0 - (1.0 - CONFIDENCE) / 2f64.powi(sets)
            }
        };
        let estimate = RatioEstimate::of(sample, all_rows, set, self.missing, confidence)?;
        let mut report = RatiosReport::estimated(&estimate, CONFIDENCE);
        if chosen == Chosen::FromSample && columns > MOST_COLUMNS {
            (report.separation_bounds, report.distinct_bounds) = (None, None);
            report.confidence = None;
        }
        Ok(report)
    }

    /// What all columns do, as far as a sample says.
    fn whole_of_sample(&self, sample: &EncodedTable, rows: u64, run: &Run) -> Result<WholeReport> {
        let all = sample.all_columns();
        if sample.rows() as u64 == rows {
            let sizes = MemoryEngine::new(sample, run).class_sizes(&all, self.missing)?;
            return Ok(WholeReport { reachable: false, ..whole(&sizes, all, Target::key()) });
        }
        let ceiling = Some(self.estimated(sample, rows, &all, Chosen::Before)?);
        Ok(WholeReport { ceiling, ..WholeReport::default() })
    }

    /// What a given set does, from a sample of so many rows.
    pub(super) fn given_sampled(
        &self,
        columns: &[String],
        sample: u64,
        run: &Run,
    ) -> Result<KeysReport> {
        let read =
            ReadOptions { columns: ColumnChoice::Only(columns.to_vec()), ..self.read.clone() };
        let (drawn, _) = self.draw(&read, &|_, _| sample, run)?;
        let SampledTable { table, rows, source } = drawn;
        let all = table.all_columns();
        let held = table.rows() as u64;
        let answer = GivenSetReport {
            set: set_names(&table, &all),
            ratios: self.estimated(&table, rows, &all, Chosen::Before)?,
            rows_held: Some(held),
            curve: Vec::new(),
            explanation: None,
        };
        let sampled = Coverage::Sampled { rows: held, seed: run.seed_of_run() };
        Ok(self.report(Facts {
            coverage: if held == rows { Coverage::Complete } else { sampled },
            answer: KeysAnswer::Set(Box::new(answer)),
            source: &source,
            warnings: warnings(&table, &source, &read),
            table: &table,
            rows,
            dropped: None,
            left_out: Vec::new(),
        }))
    }
}

/// Whether a set was chosen before the sample was looked at. Bounds of a set that was chosen
/// because it does well in the sample must hold for all that it was chosen from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    Before,
    FromSample,
}

/// Ratios of the chosen columns, counted over all rows.
struct Exact {
    ratios: SetRatios,
    told: Vec<String>,
}

impl Exact {
    fn new(ratios: SetRatios, told: Vec<String>) -> Self {
        Self { ratios, told }
    }

    /// Says whether the promise was kept, and what else to mind.
    fn warnings(&self, report: &mut MinimumReport) -> Vec<String> {
        let mut told = self.told.clone();
        let Some(sample) = &mut report.sample else { return told };
        let ratio = match sample.measure {
            Measure::Distinct => self.ratios.distinct().map(Ratio::as_f64),
            Measure::Separation => Some(self.ratios.separation().as_f64()),
        };
        sample.promise_kept = ratio.map(|ratio| ratio >= sample.promised_ratio);
        if sample.promise_kept == Some(false) {
            told.push("this sample was one of the few that mislead, the set's ratio is below what was promised: pass another `--seed` or a smaller `--delta`".into());
        }
        told
    }
}

/// What a sample says.
struct Solved {
    set: ColumnSet,
    reached: bool,
    coverage: Coverage,
    /// The set's figures in the sample.
    sampled: SetRatios,
    sample: SampleReport,
}

impl From<SampledKeyFound> for Solved {
    fn from(found: SampledKeyFound) -> Self {
        Self {
            set: found.set().clone(),
            reached: found.reached(),
            coverage: found.coverage(),
            sampled: found.sampled().clone(),
            sample: sample_report(&found),
        }
    }
}

/// Whether a limit was in the way, be it that a table has room for so many rows only.
fn is_limit(error: &Error) -> bool {
    let full = muslin_table::Error::TooManyRows;
    error.failure() == Failure::Limit
        || matches!(error, Error::Io(muslin_io::Error::Table(error)) if *error == full)
}

fn sample_report(found: &SampledKeyFound) -> SampleReport {
    let complete = found.coverage() == Coverage::Complete;
    let beta = found.beta().map_or(1.0, muslin_assess::Beta::as_f64);
    SampleReport {
        rows_held: found.rows_held(),
        rows_passed: found.all_rows(),
        seed: found.seed(),
        measure: found.measure(),
        epsilon: found.epsilon(),
        delta: found.delta(),
        bound: bound_name(found.bound()).into(),
        rows_used: found.rows_used(),
        pairs_used: found.pairs_used(),
        promised_ratio: if complete { 1.0 } else { (1.0 - found.epsilon()) * beta },
        promise_kept: None,
        description: found.describe(),
    }
}
