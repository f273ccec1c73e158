//! The job that finds keys and quasi-identifiers: column sets that tell rows apart.
//!
//! ```text
//! question    what can be asked
//! counted     overview, all minimal sets, the cheapest set, a given set: from counts of all rows
//! one_pass    a cheap set, a given set: from a sample drawn while the input goes by
//! explain     why a set gives rows away
//! ```

mod convert;
mod counted;
mod explain;
mod one_pass;
mod output;
mod question;
mod report;

use std::collections::BTreeMap;

use muslin_assess::{Weight, Weights};
use muslin_engine::{Coverage, Engine, MemoryEngine, Run, Stop};
use muslin_io::{ColumnChoice, Input, ReadOptions, Source};
use muslin_table::{ColumnSet, EncodedTable, MissingRule, Role, printable};

pub use self::output::KeysOutput;
pub use self::question::{AllSets, KeysQuestion, MinimumMethod, SampledSet, SetsMethod};
pub use self::report::{
    AllReport, BoundsReport, ExplanationReport, GivenSetReport, KeysAnswer, KeysReport,
    MinimumReport, OverviewReport, RatiosKind, RatiosReport, SampleReport, SetFacts, ShareReport,
    StepReport, TargetReport, WholeReport,
};

pub(crate) use self::counted::explained_measure;
pub(crate) use self::explain::Explainer;

use self::counted::Counted;
use crate::elsewhere::{self, AskAt, Elsewhere};
use crate::input::InputReport;
use crate::looked::{Looked, is_nearly_unique};
use crate::{Error, Result};

/// Finds the keys and quasi-identifiers of a file: column sets that tell all rows, or enough of
/// them, apart.
///
/// # Guarantee
/// A set that is called a key tells every pair of rows apart; one that reaches a target has at
/// least that ratio, compared in whole numbers. All minimal sets are all of them when the coverage
/// is complete and nothing was left to chance. What a sampled answer promises is in its report,
/// and its ratios are exact where the file could be read again.
///
/// Where some columns have the role of a quasi-identifier, only those are looked at; otherwise all
/// that are read but identifiers. Roles are those given, never suggested ones. A given set is
/// looked at whatever the roles.
///
/// # Cost
/// Reading, then a search; see [`muslin_assess::MinimalSets`], [`muslin_assess::Greedy`] and
/// [`muslin_assess::ExactMinimum`]. Sampled questions take one pass, memory for the rows they
/// hold, and for verification another pass over the chosen columns.
///
/// # Example
/// ```
/// use muslin::{AllSets, Input, KeysAnswer, KeysJob, KeysQuestion, Run, Target};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("people.csv");
/// // Motwani and Xu, Table 1.
/// std::fs::write(&file, "age,sex,state\n20,F,CA\n30,F,CA\n40,F,TX\n20,M,NY\n40,M,CA\n")?;
/// let mut job = KeysJob::new(Input::named(&file));
/// job.question = KeysQuestion::All(AllSets::new(Target::key()));
/// let KeysAnswer::All(all) = job.run(&Run::new())?.answer else { unreachable!() };
/// assert_eq!(all.sets, [["age", "sex"], ["age", "state"]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct KeysJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// What a missing cell matches.
    pub missing: MissingRule,
    /// Whether rows that equal an earlier one, missing cells included, are left out first.
    pub distinct_rows: bool,
    /// What to find out.
    pub question: KeysQuestion,
    /// What learning a column costs, where it is not one.
    pub costs: BTreeMap<String, Weight>,
    /// Where all minimal sets are written to.
    pub output: Option<KeysOutput>,
    /// Where the table is asked about.
    pub at: AskAt,
}

impl KeysJob {
    /// Asks whether there is a key, and how quickly columns single rows out.
    pub fn new(input: Input) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            missing: MissingRule::default(),
            distinct_rows: false,
            question: KeysQuestion::default(),
            costs: BTreeMap::new(),
            output: None,
            at: AskAt::default(),
        }
    }

    /// Reads the input, answers the question, and writes the list that was asked for.
    pub fn run(&self, run: &Run) -> Result<KeysReport> {
        self.check()?;
        let report = match &self.question {
            KeysQuestion::Sampled(asked) => self.sampled(asked, run),
            KeysQuestion::Set { columns, sample: Some(rows) } => {
                self.given_sampled(columns, *rows, run)
            }
            _ => self.counted(run),
        };
        run.reporter().finish();
        report
    }

    fn counted(&self, run: &Run) -> Result<KeysReport> {
        if !self.at.is_memory() {
            return self.counted_elsewhere(run);
        }
        let looked = self.look(run)?;
        let table = &looked.table;
        let weights = weights(&self.costs, table, &looked.source)?;
        let engine = MemoryEngine::new(table, run);
        let rows = table.rows() as u64;
        let (missing, elsewhere) = (self.missing, None);
        let counted = Counted { table, engine: &engine, rows, elsewhere, missing, weights, run };
        let (coverage, answer) = self.answer(&counted)?;
        let mut warnings = match self.question {
            KeysQuestion::Set { .. } => Vec::new(),
            _ => nearly_unique(table),
        };
        warnings.extend(looked.warnings.iter().cloned());
        Ok(self.report(Facts {
            coverage,
            answer,
            source: &looked.source,
            table,
            rows,
            dropped: looked.dropped,
            left_out: looked.left_out.clone(),
            warnings,
        }))
    }

    /// The same, of a table that is asked about where it is.
    fn counted_elsewhere(&self, run: &Run) -> Result<KeysReport> {
        let elsewhere = self.open(run)?;
        let table = &elsewhere.head;
        let weights = weights(&self.costs, table, &elsewhere.source)?;
        // To explain a set is to ask about many of its parts.
        let fetched = match &self.question {
            KeysQuestion::Set { columns, .. } if columns.len() > 2 => elsewhere.fetched(run)?,
            _ => None,
        };
        let of_fetched = fetched.as_ref().map(|table| MemoryEngine::new(table, run));
        let engine: &dyn Engine = match &of_fetched {
            Some(engine) => engine,
            None => &*elsewhere.engine,
        };
        let (rows, missing) = (elsewhere.rows, self.missing);
        let of = Some(&elsewhere);
        let counted = Counted { table, engine, rows, elsewhere: of, missing, weights, run };
        let (coverage, answer) = self.answer(&counted)?;
        let warnings = match self.warnings_elsewhere(&elsewhere, run) {
            // What was found is right, with or without them.
            Err(Error::Engine(muslin_engine::Error::Stopped(Stop::TimeLimit)))
                if coverage != Coverage::Complete =>
            {
                vec!["the time was up before the columns themselves were looked at".into()]
            }
            warnings => warnings?,
        };
        Ok(self.report(Facts {
            coverage,
            answer,
            source: &elsewhere.source,
            table,
            rows,
            dropped: None,
            left_out: elsewhere.left_out.clone(),
            warnings,
        }))
    }

    fn warnings_elsewhere(&self, elsewhere: &Elsewhere<'_>, run: &Run) -> Result<Vec<String>> {
        let mut warnings: Vec<String> = match self.question {
            KeysQuestion::Set { .. } => Vec::new(),
            _ => {
                elsewhere.nearly_unique()?.iter().map(|name| nearly_unique_warning(name)).collect()
            }
        };
        warnings.extend(elsewhere.warnings(&self.read, run)?);
        Ok(warnings)
    }

    fn open<'a>(&self, run: &'a Run) -> Result<Elsewhere<'a>> {
        if let KeysQuestion::Set { columns, .. } = &self.question {
            let read =
                ReadOptions { columns: ColumnChoice::Only(columns.clone()), ..self.read.clone() };
            let all = |head: &EncodedTable, _: &Source| Ok(head.all_columns());
            return elsewhere::open(&self.at, &self.input, &read, &all, run);
        }
        elsewhere::open_by_roles(&self.at, &self.input, &self.read, &self.roles, run)
    }

    fn answer(&self, counted: &Counted<'_>) -> Result<(Coverage, KeysAnswer)> {
        match &self.question {
            KeysQuestion::All(asked) => {
                // Before the search: who cannot write need not wait for it.
                let begin = |output: &KeysOutput| output.begin(&self.input);
                let mut lines = self.output.as_ref().map(begin).transpose()?;
                let found = counted.all(asked, lines.as_mut())?;
                lines.map_or(Ok(()), output::Lines::finish)?;
                Ok(found)
            }
            KeysQuestion::Minimum { target, exact } => {
                counted.minimum(*target, *exact, &self.costs)
            }
            KeysQuestion::Set { columns, .. } => {
                let find = |name: &String| counted.table.find(name);
                let set: ColumnSet = columns.iter().map(find).collect::<Result<_, _>>()?;
                counted.given(&set)
            }
            _ => counted.overview(),
        }
    }

    /// A given set is all that need be read, unless equal rows are to be known.
    fn look(&self, run: &Run) -> Result<Looked> {
        match &self.question {
            KeysQuestion::Set { columns, .. } if !self.distinct_rows => {
                let columns = ColumnChoice::Only(columns.clone());
                let read = ReadOptions { columns, ..self.read.clone() };
                Looked::at(&self.input, &read, &BTreeMap::new(), false, run)
            }
            _ => Looked::at(&self.input, &self.read, &self.roles, self.distinct_rows, run),
        }
    }

    fn check(&self) -> Result<()> {
        let wrong = |text: &str| Err(Error::Assess(muslin_assess::Error::Setting(text.into())));
        let (one_pass, all) = match &self.question {
            KeysQuestion::Sampled(_) | KeysQuestion::Set { sample: Some(_), .. } => (true, false),
            KeysQuestion::All(_) => (false, true),
            _ => (false, false),
        };
        if one_pass && self.distinct_rows {
            return wrong(
                "one pass that holds a sample cannot tell which rows equal an earlier one\n  hint: leave out `--distinct-rows`, or `--epsilon` and `--sample`",
            );
        }
        if self.distinct_rows && !self.at.is_memory() {
            return Err(elsewhere::no_distinct_rows());
        }
        if self.output.is_some() && !all {
            return wrong(
                "only the list of all sets is written to a file\n  hint: add `--all`, or leave out `-o`",
            );
        }
        if !self.costs.is_empty() && (all || matches!(self.question, KeysQuestion::Set { .. })) {
            return wrong(
                "costs choose among sets, and here nothing is chosen\n  hint: leave out `--cost`, or ask for `--minimum`",
            );
        }
        match &self.question {
            KeysQuestion::Set { sample: Some(0 | 1), .. } => {
                wrong("a sample of less than two rows has no pair\n  hint: pass `--sample 10000`")
            }
            KeysQuestion::All(AllSets { delta, .. }) if !(*delta > 0.0 && *delta < 1.0) => {
                wrong("delta is above 0 and below 1\n  hint: pass one such as 0.01")
            }
            _ => Ok(()),
        }
    }

    fn report(&self, facts: Facts<'_>) -> KeysReport {
        let Facts { coverage, answer, source, table, rows, dropped, left_out, warnings } = facts;
        KeysReport {
            schema: 1,
            command: "keys".into(),
            coverage,
            input: InputReport::new(source),
            rows,
            duplicates_dropped: dropped,
            columns: table.columns().len() as u64,
            column_names: set_names(table, &table.all_columns()),
            left_out,
            missing_rule: self.missing,
            answer,
            written: self.output.as_ref().and_then(|output| output.destination.written()),
            warnings,
        }
    }
}

/// What a report is made of.
struct Facts<'a> {
    coverage: Coverage,
    answer: KeysAnswer,
    source: &'a Source,
    table: &'a EncodedTable,
    rows: u64,
    dropped: Option<u64>,
    left_out: Vec<String>,
    warnings: Vec<String>,
}

/// The names of a set's columns.
pub(crate) fn set_names(table: &EncodedTable, set: &ColumnSet) -> Vec<String> {
    set.iter().map(|id| table.column(id).name().to_owned()).collect()
}

/// Costs by column. A column that is there but not looked at may have one.
fn weights(
    costs: &BTreeMap<String, Weight>,
    table: &EncodedTable,
    source: &Source,
) -> Result<Weights> {
    let mut weights = Weights::new();
    for (name, &cost) in costs {
        match table.find(name) {
            Ok(column) => weights.set(column, cost),
            Err(_) if source.columns.contains(name) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(weights)
}

/// Columns that say nearly everything by themselves and hide what the others say.
pub(crate) fn nearly_unique(table: &EncodedTable) -> Vec<String> {
    let named = table.columns().iter().filter(|column| is_nearly_unique(column));
    named.map(|column| nearly_unique_warning(column.name())).collect()
}

pub(crate) fn nearly_unique_warning(name: &str) -> String {
    let name = printable(name);
    format!(
        "column `{name}` is nearly unique by itself, as an identifier is: pass `--exclude {name}` to see what the others give away"
    )
}

/// What the user ended has no answer.
fn not_interrupted(coverage: Coverage) -> Result<()> {
    match coverage {
        Coverage::Stopped { by: by @ Stop::Interrupted } => {
            Err(muslin_engine::Error::Stopped(by).into())
        }
        _ => Ok(()),
    }
}
