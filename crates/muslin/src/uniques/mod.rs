//! The job that finds what singles rows out: minimal uniques, and the rows scored by them.

mod groups;
mod output;
mod report;
mod small;
mod tables;

use std::collections::BTreeMap;

use muslin_assess::{Method, MinimalUniques, Score, UniquesFound};
use muslin_engine::{Coverage, Error as EngineError, Run, Stop};
use muslin_io::{Input, ReadOptions};
use muslin_table::{EncodedTable, MissingRule, Role, printable};

pub use self::output::UniquesOutput;
pub(crate) use self::report::column_shares;
pub use self::report::{
    ColumnSetReport, ColumnShareReport, DisReport, IntervalReport, RowReport, ScoreReport,
    SmallestReport, UniquesEstimate, UniquesReport,
};
pub use self::tables::{GroupBy, UniquesTable};

use crate::elsewhere::{self, AskAt, Elsewhere, UniquesAsked};
use crate::input::InputReport;
use crate::looked::{Looked, is_nearly_unique};
use crate::{Error, Result};

/// Finds the minimal uniques of a file: the smallest itemsets that at most `k` rows hold.
///
/// # Guarantee
/// When the coverage is complete, every minimal unique of at most `max_size` items in the columns
/// looked at is counted, and nothing else. A table is written as a whole or not at all. When a
/// limit stops the search, counts and the list are right as far as they go; scores, groups,
/// novelty and values would mislead and are then not written.
///
/// Where some columns have the role of a quasi-identifier, only those are looked at; otherwise all
/// that are read but identifiers. Roles are those given, never suggested ones.
///
/// # Cost
/// Reading, then a search whose time follows the number of results. Memory follows rows and
/// columns, except for groups and novelty: those keep eight bytes for each row of each minimal
/// unique, and check the run's memory budget while they grow.
///
/// # Example
/// ```
/// use muslin::{Input, Run, UniquesJob};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("people.csv");
/// // One row is 16, another is widowed and 51; 51 alone and widowed alone are two rows each.
/// std::fs::write(&file, "age,status\n16,widowed\n51,widowed\n51,single\n34,single\n34,single\n")?;
/// let report = UniquesJob::new(Input::named(&file)).run(&Run::new())?;
/// assert_eq!(report.by_size, [(1, 1), (2, 2)].into());
/// assert_eq!(report.top_rows[0].row, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct UniquesJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// What a missing cell matches.
    pub missing: MissingRule,
    /// Most rows that hold a minimal unique.
    pub k: u32,
    /// Largest size to look for; any when none.
    pub max_size: Option<usize>,
    /// How rows are scored.
    pub score: Score,
    /// The part of the population that is in the table: above 0, at most 1.
    pub dis_fraction: f64,
    /// The way to search, instead of the one that seems cheaper.
    pub method: Option<Method>,
    /// Number of risky rows that the report names.
    pub top: usize,
    /// Whether rows that equal an earlier one, missing cells included, are left out first.
    pub distinct_rows: bool,
    /// A table to write.
    pub output: Option<UniquesOutput>,
    /// Where the table is asked about. A search needs the rows, so what does not fit memory is searched for
    /// sets of up to three items alone, by counts; executors of a cluster search where there are some.
    pub at: AskAt,
}

/// Rows that an estimate tries.
const TRIED_ROWS: usize = 1_000;

impl UniquesJob {
    /// Looks for itemsets of one row, of any size.
    pub fn new(input: Input) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            missing: MissingRule::default(),
            k: 1,
            max_size: None,
            score: Score::default(),
            dis_fraction: 0.01,
            method: None,
            top: 10,
            distinct_rows: false,
            output: None,
            at: AskAt::default(),
        }
    }

    /// Reads the input, searches it, and writes the table that was asked for.
    pub fn run(&self, run: &Run) -> Result<UniquesReport> {
        self.check()?;
        let elsewhere = if self.at.is_memory() { None } else { Some(self.open(run)?) };
        let looked = match &elsewhere {
            None => self.look(run)?,
            Some(elsewhere) if self.is_countable() && !elsewhere.is_searchable(run) => {
                return self.small_uniques(elsewhere, run);
            }
            Some(elsewhere) => match elsewhere.fetched(run)? {
                Some(table) => Looked::fetched(table, elsewhere, &self.read),
                None => return self.small_uniques(elsewhere, run),
            },
        };
        let searcher = elsewhere.as_ref().and_then(|elsewhere| elsewhere.searcher.as_ref());
        let find = |table: &EncodedTable| match searcher {
            None => Ok(self.search().run(table, run)?),
            Some(search) => search(table, self.asked(), run),
        };
        let found = match &self.output {
            None => find(&looked.table),
            Some(output) => output.search(self, &looked, &find, run),
        };
        run.reporter().finish();
        match (found, &elsewhere) {
            // The table fits, and the search for it does not.
            (
                Err(Error::Engine(EngineError::Stopped(Stop::MemoryLimit { .. }))),
                Some(elsewhere),
            ) if self.is_countable() => {
                drop(looked);
                self.small_uniques(elsewhere, run)
            }
            (found, _) => Ok(self.report(&found?, &looked)),
        }
    }

    fn open<'a>(&self, run: &'a Run) -> Result<Elsewhere<'a>> {
        if self.distinct_rows {
            return Err(elsewhere::no_distinct_rows());
        }
        elsewhere::open_by_roles(&self.at, &self.input, &self.read, &self.roles, run)
    }

    fn asked(&self) -> UniquesAsked {
        let Self { k, max_size, missing, score, .. } = *self;
        UniquesAsked { k, max_size, missing, score }
    }

    /// What [`UniquesJob::run`] would take, from some rows drawn by the run's seed.
    pub fn estimate(&self, run: &Run) -> Result<UniquesEstimate> {
        self.check()?;
        if !self.at.is_memory() {
            return Err(elsewhere::wrong(
                "what a search would take is estimated from a table in memory",
                "leave out `--engine` and `--sql`, or `--dry-run`",
            ));
        }
        let looked = self.look(run)?;
        let estimate = self.search().estimate(&looked.table, TRIED_ROWS, run);
        run.reporter().finish();
        let estimate = estimate?;
        Ok(UniquesEstimate {
            schema: 1,
            command: "uniques".into(),
            coverage: Coverage::Sampled { rows: estimate.sampled_rows, seed: run.seed_of_run() },
            input: InputReport::new(&looked.source),
            rows: looked.table.rows() as u64,
            columns: looked.table.columns().len() as u64,
            missing_rule: self.missing,
            k: self.k,
            max_size: self.max_size,
            method: estimate.method,
            threads: run.thread_count(),
            total: estimate.total.into(),
            seconds: estimate.seconds.into(),
            memory: estimate.memory.into(),
        })
    }

    fn check(&self) -> Result<()> {
        let wrong = |text: &str| Err(Error::Assess(muslin_assess::Error::Setting(text.into())));
        if !(self.dis_fraction > 0.0 && self.dis_fraction <= 1.0) {
            return wrong(
                "the fraction of the population is not above 0 and at most 1\n  hint: pass the part of the population that is in the table, such as `--dis-fraction 0.05`",
            );
        }
        self.search().check()?;
        match &self.output {
            Some(output) if output.show_values && !output.table.has_values() => wrong(
                "this table has no values to show\n  hint: `--show-values` goes with `--list`, `--groups=items` and `--values`",
            ),
            _ => Ok(()),
        }
    }

    fn search(&self) -> MinimalUniques {
        MinimalUniques::new()
            .k(self.k)
            .max_size(self.max_size)
            .missing(self.missing)
            .score(self.score)
            .method(self.method)
    }

    fn look(&self, run: &Run) -> Result<Looked> {
        Looked::at(&self.input, &self.read, &self.roles, self.distinct_rows, run)
    }

    fn report(&self, found: &UniquesFound, looked: &Looked) -> UniquesReport {
        let dis = found.dis(self.dis_fraction);
        let table = &looked.table;
        let mut warnings = self.findings_to_mind(found, table);
        warnings.extend(looked.warnings.iter().cloned());
        let written = self.output.as_ref().filter(|output| output.is_written(found));
        UniquesReport {
            schema: 1,
            command: "uniques".into(),
            coverage: found.coverage(),
            input: InputReport::new(&looked.source),
            rows: table.rows() as u64,
            duplicates_dropped: looked.dropped,
            columns: table.columns().len() as u64,
            column_names: table.columns().iter().map(|column| column.name().into()).collect(),
            left_out: looked.left_out.clone(),
            missing_rule: self.missing,
            k: self.k,
            max_size: self.max_size,
            method: found.method(),
            total: found.total(),
            by_size: found.by_size().collect(),
            rows_with_uniques: Some(found.rows_with_uniques()),
            rows_by_smallest: report::rows_by_smallest(found),
            score: ScoreReport::new(
                found.score(),
                found.score_scale(),
                table.columns().len(),
                self.max_size,
            ),
            dis: DisReport::from(&dis),
            column_shares: report::column_shares(found, table),
            sets: report::sets(found, table),
            top_rows: output::top_rows(found, &dis, self.top, |row| looked.row(row)),
            written: written.and_then(|output| output.destination.written()),
            warnings,
        }
    }

    /// What to look at before relying on what was found.
    fn findings_to_mind(&self, found: &UniquesFound, table: &EncodedTable) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(output) = self.output.as_ref().filter(|output| !output.is_written(found)) {
            let name = output.destination.name();
            warnings.push(format!(
                "{} was not written: the search was stopped, and a part of it would mislead",
                printable(&name)
            ));
        }
        for column in table.columns().iter().filter(|column| is_nearly_unique(column)) {
            let name = printable(column.name());
            warnings.push(format!(
                "column `{name}` is nearly unique by itself, as an identifier is: pass `--exclude {name}` to see what the others give away"
            ));
        }
        if found.score_scale() != 0 {
            warnings.push(format!(
                "scores are divided by ten to the power of {}: this many columns make larger ones than numbers hold",
                found.score_scale()
            ));
        }
        if found.dis(self.dis_fraction).paired == 0 && found.rows_with_uniques() > 0 {
            warnings.push(
                "no row has exactly one equal, so DIS-SUDA is 1 for every row with a score, by its formula: rank rows by SUDA".into(),
            );
        }
        if table.columns().len() > 28 && found.rows_with_uniques() > 0 {
            warnings.push(
                "above 28 columns DIS-SUDA is lower for rows of higher scores, by its formula: rank rows by SUDA".into(),
            );
        }
        warnings
    }
}
