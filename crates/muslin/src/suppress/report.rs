//! What a suppression says, in a form that every door shows.

use muslin_engine::Coverage;
use serde::Serialize;

use super::SuppressNotion;
use crate::claims::Claim;
use crate::input::InputReport;

/// Which cells are withheld, what that protects, and how good it is. No value of a cell is here.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuppressReport {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `suppress`.
    pub command: String,
    /// How far the search got. The notion holds in any case.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// What was read.
    pub input: InputReport,
    /// Number of rows, all of which are published.
    pub rows: u64,
    /// The quasi-identifiers: columns that are looked at and lose cells.
    pub columns: Vec<SuppressColumnReport>,
    /// Other columns that lose cells, because they tell withheld ones.
    pub tellers: Vec<SuppressColumnReport>,
    /// Columns that are published as they are.
    pub unmeasured: Vec<String>,
    /// Columns that are not published because they are identifiers.
    pub identifiers_dropped: Vec<String>,
    /// What was asked for.
    pub notion: SuppressNotion,
    /// Of how many each row is one.
    pub k: u32,
    /// How cells were chosen: `search`, `exact`, `a`, `b`, `c`, `d`, `shortest`, `best`.
    pub method: String,
    /// Cells withheld.
    pub suppressed_cells: u64,
    /// Of all cells of the quasi-identifiers.
    pub suppressed_share: f64,
    /// Of the cells withheld, those that only keep others from being guessed.
    pub decoys: u64,
    /// Rows that lose a cell.
    pub rows_changed: u64,
    /// Rows that lose more than half of their cells: an attacker may leave them out.
    pub sacrificial_rows: u64,
    /// What the withheld cells cost: their number, unless columns have weights.
    pub cost: f64,
    /// Whatever reaches the same costs at least this much.
    pub lower_bound: f64,
    /// The least costs at most this much, by paper 003: so many whole rows; none for other notions.
    pub upper_bound: Option<f64>,
    /// How far the cost is above the bound, as a share of it; none where the bound is nothing.
    pub gap: Option<f64>,
    /// Whether nothing costs less.
    pub optimal: bool,
    /// Whether the bound was computed again, from the table and the certificate alone.
    pub bound_checked: bool,
    /// For each notion, the fewest that a row or person is one of, in the release.
    pub notions: NotionsReport,
    /// The same for the table as it was read.
    pub notions_before: NotionsReport,
    /// People whose values fit exactly one published row.
    pub matched_once: u64,
    /// The same before.
    pub matched_once_before: u64,
    /// The sensitive column and l: no value is that of more than one in l rows of a class.
    pub diversity: Option<DiversityReport>,
    /// The order of the release's rows: `shuffled`, `as-read` or `seeded`; none without a release.
    pub row_order: Option<String>,
    /// Where the release is; none where none was asked for.
    pub written: Option<String>,
    /// Where the certificate is.
    pub certificate: Option<String>,
    /// Where the ledger is.
    pub ledger: Option<String>,
    /// What the release claims.
    pub claims: Vec<Claim>,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
}

/// A column that loses cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuppressColumnReport {
    /// The column.
    pub name: String,
    /// Cells withheld.
    pub suppressed: u64,
    /// Of all its cells.
    pub share: f64,
    /// What a cell costs; none where it must stay.
    pub weight: Option<f64>,
    /// Cells that it may lose; none where that was not said.
    pub budget: Option<u64>,
}

/// The fewest that any row or person is one of; none where that was too much work to count, or
/// there are no rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotionsReport {
    /// Rows that a published row cannot be told from when a blank matches anything. Weak: it stops
    /// nobody who knows a person's values.
    pub n1: Option<u32>,
    /// (1,k): published rows that a person's values fit.
    pub n2: Option<u32>,
    /// (k,1): people whose values fit a published row.
    pub n3: Option<u32>,
    /// (k,k): the lesser of the two.
    pub n4: Option<u32>,
    /// Global (1,k): published rows that can be a person's when every row is somebody's.
    pub n5: Option<u32>,
    /// Own-value k-anonymity: published rows that are equal, a blank being a value.
    pub n6: Option<u32>,
}

/// A sensitive column that no class gives away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiversityReport {
    /// The column.
    pub column: String,
    /// No value is that of more than one in so many rows of a class.
    pub l: u32,
}
