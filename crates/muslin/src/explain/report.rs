//! Why something is risky, in a form that every door shows.

use std::collections::BTreeMap;
use std::fmt;

use muslin_engine::Coverage;
use muslin_table::MissingRule;
use serde::Serialize;

use crate::input::InputReport;
use crate::keys::{ExplanationReport, RatiosReport};
use crate::scan::Threshold;
use crate::uniques::ScoreReport;

/// Why a row, or a set of columns, is risky. Rows are named by their numbers, from zero; values of
/// cells are here only where they were asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainReport {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `explain`.
    pub command: String,
    /// How far the search for minimal uniques got. When stopped, those given are right and more may
    /// exist; all counts of rows are exact.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// What was read.
    pub input: InputReport,
    /// Number of rows.
    pub rows: u64,
    /// Number of columns looked at.
    pub columns: u64,
    /// Their names, in the input's order.
    pub column_names: Vec<String>,
    /// Columns that were read and not looked at, because of their roles.
    pub left_out: Vec<String>,
    /// What a missing cell matches.
    pub missing_rule: MissingRule,
    /// Largest size of minimal uniques looked for; none for any.
    pub max_size: Option<usize>,
    /// The answer.
    #[serde(flatten)]
    pub answer: ExplainAnswer,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
}

/// The answer to what was asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "question", rename_all = "lowercase")]
pub enum ExplainAnswer {
    /// About one row.
    Row(Box<ExplainedRow>),
    /// About a set of columns.
    Columns(Box<ExplainedSet>),
}

/// Why a row is risky.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedRow {
    /// Its number in the input, from zero.
    pub row: u32,
    /// Rows that match it in all columns looked at, itself included.
    pub class_size: u64,
    /// Most minimal uniques to look for.
    pub limit: usize,
    /// Number of its minimal uniques that were found.
    pub total: u64,
    /// The same by size.
    pub by_size: BTreeMap<usize, u64>,
    /// Minimal uniques of up to so many values are all found.
    pub complete_to_size: usize,
    /// The columns of each minimal unique, the smallest first.
    pub uniques: Vec<Vec<String>>,
    /// Its SUDA score; none where not all minimal uniques are known.
    pub suda: Option<f64>,
    /// How it is scored.
    pub score: ScoreReport,
    /// Each column, as the row sees it, in the input's order.
    pub row_columns: Vec<RowColumnReport>,
    /// Other rows by the number of columns in which they do not match the row; numbers without any
    /// are left out.
    pub differing: BTreeMap<usize, u64>,
    /// The nearest rows, the nearest first.
    pub nearest: Vec<NearRowReport>,
}

/// A column, as a row sees it.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RowColumnReport {
    /// The column.
    pub name: String,
    /// The row's value; none where it is missing, or was not asked for.
    pub value: Option<String>,
    /// Whether the cell can be part of a minimal unique: a missing one cannot, unless missing is one
    /// more value.
    pub is_item: bool,
    /// Rows that match the row here, itself included.
    pub rows_matching: u64,
    /// The row's minimal uniques with this column.
    pub uniques: u64,
    /// The row's minimal uniques if the column were dropped; none where not all are known.
    pub uniques_without: Option<u64>,
    /// Rows that would match the row in all columns if this one were dropped, itself included.
    pub class_size_without: u64,
}

/// Without the value.
impl fmt::Debug for RowColumnReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowColumnReport")
            .field("name", &self.name)
            .field("is_item", &self.is_item)
            .field("rows_matching", &self.rows_matching)
            .field("uniques", &self.uniques)
            .field("uniques_without", &self.uniques_without)
            .field("class_size_without", &self.class_size_without)
            .finish_non_exhaustive()
    }
}

/// A row that is near to the one in question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearRowReport {
    /// Its number in the input, from zero.
    pub row: u32,
    /// The columns in which both do not match.
    pub columns: Vec<String>,
}

/// Why a set of columns is risky.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedSet {
    /// The columns, in the input's order.
    pub set: Vec<String>,
    /// Whether they tell every pair of rows apart.
    pub is_key: bool,
    /// Whether they single out at least 95 % of the rows.
    pub is_nearly_key: bool,
    /// What they tell apart.
    #[serde(flatten)]
    pub ratios: RatiosReport,
    /// Rows in classes that are smaller than some k.
    pub below: Vec<Threshold>,
    /// What is left without each column, the one that matters most first.
    pub without: Vec<ColumnWithoutReport>,
    /// Fewer of the columns that tell as many pairs apart, none of them needless; none where each
    /// column of the set is needed.
    pub smaller: Option<Vec<String>>,
    /// Which few of them already do most; none where a limit was in the way.
    pub explanation: Option<ExplanationReport>,
    /// Number of minimal uniques within the columns by size; none where there are too many columns
    /// to look for them here.
    pub uniques_by_size: Option<BTreeMap<usize, u64>>,
}

/// A set without one of its columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ColumnWithoutReport {
    /// The column that is left out.
    pub column: String,
    /// What the others tell apart.
    #[serde(flatten)]
    pub ratios: RatiosReport,
    /// Rows in classes of the others that are smaller than some k.
    pub below: Vec<Threshold>,
}
