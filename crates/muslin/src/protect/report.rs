//! What was made by a policy.

use muslin_report::Verdict;
use serde::Serialize;

use super::ProtectStep;
use crate::claims::Claim;
use crate::input::InputReport;
use crate::release_folder::ReleaseDialect;
use crate::verify::VerifyReport;

/// What was made by a policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProtectReport {
    /// Version of this report's form: 1.
    pub schema: u32,
    /// `protect`.
    pub command: String,
    /// The input.
    pub input: InputReport,
    /// Rows of the input.
    pub rows_before: u64,
    /// Columns of the input.
    pub columns_before: u64,
    /// Published rows.
    pub rows_after: u64,
    /// Published columns.
    pub columns: Vec<String>,
    /// The preset, and where it comes from.
    pub preset: Option<String>,
    /// The quasi-identifiers that are published.
    pub quasi_identifiers: Vec<String>,
    /// The steps that were taken.
    pub steps: Vec<ProtectStep>,
    /// What holds.
    pub claims: Vec<Claim>,
    /// `passed`, or `findings` where every check passed and something else was found.
    pub verdict: Verdict,
    /// What was checked and found in the file that was written.
    pub verification: VerifyReport,
    /// What an analyst loses.
    pub loss: ProtectLoss,
    /// How the text of the release is written; none for formats that say it themselves.
    pub dialect: Option<ReleaseDialect>,
    /// Known attacks that were accepted.
    pub accepted: Vec<String>,
    /// Whether a seed decided every draw.
    pub reproducible: bool,
    /// The file of the folder that says which cells are suppressed, where the format of the data shows
    /// them as missing ones.
    pub suppressed: Option<String>,
    /// The folder that was written.
    pub written: Option<String>,
    /// What the policy leaves unsaid, and the safer choice that was made.
    pub choices: Vec<String>,
    /// SHA-256 of the input, for its owner: whoever can guess a small input could confirm it.
    pub input_sha256: Option<String>,
    /// What to look at before relying on the release: of the input, of every step, of the release.
    pub warnings: Vec<String>,
}

/// What an analyst loses.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProtectLoss {
    /// The part of the detail of quasi-identifiers that is lost.
    pub gcp: f64,
    /// Cells that are suppressed, as a share.
    pub suppressed_share: f64,
    /// Rows that are withheld, as a share.
    pub removed_share: f64,
    /// How far counting queries are off, at the median.
    pub counts_off: Option<f64>,
    /// The quasi-identifiers of the input, and which share of their cells was changed.
    pub columns: Vec<ChangedColumn>,
}

/// How many cells of a column were changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedColumn {
    /// The column.
    pub name: String,
    /// Whether it is not published.
    pub withheld: bool,
    /// Suppressed cells, of those that are published of it.
    pub suppressed_share: f64,
    /// Generalized cells, likewise.
    pub generalized_share: f64,
    /// Both together; 1 where it is not published.
    pub changed_share: f64,
}
