//! What was made by a policy.

use serde::Serialize;

use super::ProtectStep;
use crate::claims::Claim;
use crate::input::InputReport;
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
    /// What the judge found in the file that was written.
    pub verdict: VerifyReport,
    /// What an analyst loses.
    pub loss: ProtectLoss,
    /// Known attacks that were accepted.
    pub accepted: Vec<String>,
    /// Whether a seed decided every draw.
    pub reproducible: bool,
    /// The folder that was written.
    pub written: Option<String>,
    /// What to look at before relying on the release.
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
}
