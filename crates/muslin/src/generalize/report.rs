use muslin_engine::Coverage;
use serde::Serialize;

use crate::claims::Claim;
use crate::input::InputReport;

/// What generalizing a table came to. The same through every door.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GeneralizeReport {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `generalize`.
    pub command: String,
    /// How far the search got. The claims hold in any case.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// What was read.
    pub input: InputReport,
    /// Number of rows read.
    pub rows: u64,
    /// The quasi-identifiers.
    pub columns: Vec<GeneralizedColumnReport>,
    /// Columns that are published as they are.
    pub unmeasured: Vec<String>,
    /// Columns that are not published because they are identifiers.
    pub identifiers_dropped: Vec<String>,
    /// `full-domain`, `local` or `mondrian`.
    pub recoding: String,
    /// Rows that are not published.
    pub removed_rows: u64,
    /// Of all rows.
    pub removed_share: f64,
    /// The share of rows that might have been.
    pub suppression_limit: f64,
    /// Classes of the release, counted by a judge of its own.
    pub classes: u64,
    /// Rows of the smallest; none where no row is published.
    pub smallest: Option<u32>,
    /// What an analyst loses.
    pub loss: GeneralizeLoss,
    /// Whether no choice of this kind loses less; none where that is not known.
    pub optimal: Option<bool>,
    /// Ways to take columns to levels; none for `mondrian`.
    pub nodes: Option<u64>,
    /// How many of them were looked at in the rows.
    pub nodes_checked: Option<u64>,
    /// What holds for the release.
    pub claims: Vec<Claim>,
    /// The order of the release's rows; none without a release.
    pub row_order: Option<String>,
    /// Where the release is; none where none was asked for.
    pub written: Option<String>,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
}

/// What generalization loses; `muslin diff` says more.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GeneralizeLoss {
    /// The mean over all cells of (values covered - 1) / (values of the column - 1); 1 for a
    /// cell that is suppressed or whose row is removed.
    pub gcp: f64,
    /// No choice of this kind has less; none where that is not known.
    pub gcp_lower_bound: Option<f64>,
    /// The sum of the squares of class sizes; a removed row counts as many as there are rows.
    pub discernibility: f64,
    /// Rows per class, of the release.
    pub average_class: f64,
}

/// A quasi-identifier.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GeneralizedColumnReport {
    /// The column.
    pub name: String,
    /// The mean loss of its cells.
    pub gcp: f64,
    /// The level of all its cells; none where they differ.
    pub level: Option<u64>,
    /// The last level of its hierarchy; none where it has none.
    pub levels: Option<u64>,
    /// Where its hierarchy is from: `file`, `rule` or `values`; none where it has none.
    pub hierarchy: Option<String>,
    /// How several values are published: `range`, `set`, `multiset` or `label`.
    pub form: String,
    /// Different values before.
    pub distinct_before: u64,
    /// Different values published, those that are withheld not counted.
    pub distinct_after: u64,
}
