//! The job that says why one row, or one set of columns, is risky.

mod columns;
mod report;
mod row;

use std::collections::BTreeMap;

use muslin_assess::Score;
use muslin_engine::{Coverage, Run};
use muslin_io::{ColumnChoice, Input, ReadOptions};
use muslin_table::{MissingRule, Role};

pub use self::report::{
    ColumnWithoutReport, ExplainAnswer, ExplainReport, ExplainedRow, ExplainedSet, NearRowReport,
    RowColumnReport,
};

use crate::input::InputReport;
use crate::keys::set_names;
use crate::looked::Looked;
use crate::{Error, Result};

/// What to explain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExplainQuestion {
    /// The row of this number, from zero.
    Row(u32),
    /// These columns together.
    Columns(Vec<String>),
}

/// Explains why a row is risky, or a set of columns.
///
/// # Guarantee
/// A row's minimal uniques are those that [`UniquesJob`](crate::UniquesJob) finds at it for a k of
/// one, all of them when the coverage is complete, and its score is the one of that job. Counts of
/// rows, ratios of a set and what it does without each of its columns are exact. No value of a cell
/// is in the report, unless `show_values` asks for those of the row.
///
/// Where some columns have the role of a quasi-identifier, a row is looked at by those only;
/// otherwise by all that are read but identifiers. Roles are those given, never suggested ones. A
/// set of columns is looked at whatever the roles.
///
/// # Cost
/// Reading. Then, for a row, one pass and a search; see [`muslin_assess::ExplainRow`]. For a set of
/// columns, a pass for each of them, and for few columns the search of
/// [`muslin_assess::MinimalUniques`].
///
/// # Example
/// ```
/// use muslin::{ExplainAnswer, ExplainJob, ExplainQuestion, Input, Run};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("people.csv");
/// std::fs::write(&file, "age,status\n16,widowed\n51,widowed\n51,single\n34,single\n34,single\n")?;
/// let job = ExplainJob::new(Input::named(&file), ExplainQuestion::Row(1));
/// let ExplainAnswer::Row(row) = job.run(&Run::new())?.answer else { unreachable!() };
/// // Others are 51, others are widowed; nobody else is both.
/// assert_eq!(row.uniques, [["age", "status"]]);
/// assert_eq!(row.class_size, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExplainJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// What a missing cell matches.
    pub missing: MissingRule,
    /// What to explain.
    pub question: ExplainQuestion,
    /// Largest size of minimal uniques to look for; any when none.
    pub max_size: Option<usize>,
    /// How the row is scored.
    pub score: Score,
    /// Most minimal uniques of the row to look for, the smallest ones.
    pub limit: usize,
    /// Number of nearest rows that the report names.
    pub nearest: usize,
    /// Whether the report has the row's values.
    pub show_values: bool,
}

impl ExplainJob {
    /// Explains by minimal uniques of any size.
    pub fn new(input: Input, question: ExplainQuestion) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            missing: MissingRule::default(),
            question,
            max_size: None,
            score: Score::default(),
            limit: 100_000,
            nearest: 5,
            show_values: false,
        }
    }

    /// Reads the input and explains.
    pub fn run(&self, run: &Run) -> Result<ExplainReport> {
        self.check()?;
        let explained = match &self.question {
            ExplainQuestion::Row(row) => {
                let looked = Looked::at(&self.input, &self.read, &self.roles, false, run)?;
                self.row(*row, &looked, run).map(|explained| (looked, explained))
            }
            ExplainQuestion::Columns(names) => {
                // These columns are all that need be read, whatever their roles.
                let columns = ColumnChoice::Only(names.clone());
                let read = ReadOptions { columns, ..self.read.clone() };
                let looked = Looked::at(&self.input, &read, &BTreeMap::new(), false, run)?;
                self.columns(&looked.table, run).map(|explained| (looked, explained))
            }
        };
        run.reporter().finish();
        let (looked, Explained { coverage, answer, mut warnings }) = explained?;
        warnings.extend(looked.warnings);
        let table = &looked.table;
        Ok(ExplainReport {
            schema: 1,
            command: "explain".into(),
            coverage,
            input: InputReport::new(&looked.source),
            rows: table.rows() as u64,
            columns: table.columns().len() as u64,
            column_names: set_names(table, &table.all_columns()),
            left_out: looked.left_out,
            missing_rule: self.missing,
            max_size: self.max_size,
            answer,
            warnings,
        })
    }

    fn check(&self) -> Result<()> {
        let wrong = |text: &str| Err(Error::Assess(muslin_assess::Error::Setting(text.into())));
        match &self.question {
            _ if self.max_size == Some(0) => wrong("the largest size is 0\n  hint: pass 1 or more"),
            ExplainQuestion::Columns(names) if names.is_empty() => wrong(
                "there is no column to explain\n  hint: name some, such as `--columns age,sex`",
            ),
            ExplainQuestion::Columns(_) if self.show_values => wrong(
                "a set of columns has no values to show\n  hint: `--show-values` goes with `--row`",
            ),
            _ => Ok(()),
        }
    }
}

/// What was found out.
struct Explained {
    coverage: Coverage,
    answer: ExplainAnswer,
    warnings: Vec<String>,
}
