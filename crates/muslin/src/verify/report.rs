//! What was found about a release.

use muslin_report::Verdict;
use serde::Serialize;

use super::exposed::ExposureReport;
use crate::input::InputReport;
use crate::verdict::VerdictFinding;

/// Whether a release is what it claims to be.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyReport {
    /// Version of this report's form: 1.
    pub schema: u32,
    /// `verify`.
    pub command: String,
    /// Whether every check is met.
    pub met: bool,
    /// `passed`, `findings` where every check passed and something else was found, or `failed`.
    pub verdict: Verdict,
    /// The release.
    pub release: InputReport,
    /// The original, where it was given.
    pub original: Option<InputReport>,
    /// Rows of the release.
    pub rows: u64,
    /// Columns of the release.
    pub columns: u64,
    /// Rows of the original.
    pub original_rows: Option<u64>,
    /// Columns of the original.
    pub original_columns: Option<u64>,
    /// The columns that classes are made of, where nothing else is claimed.
    pub quasi_identifiers: Vec<String>,
    /// What was checked, in the order of the claims.
    pub checks: Vec<VerifyCheck>,
    /// What was found although every check passed, or beside the checks that failed.
    pub findings: Vec<VerdictFinding>,
    /// What would be findings, had the policy not accepted them.
    pub accepted: Vec<VerdictFinding>,
    /// Rows that the published columns make unique, whatever their roles are.
    pub exposure: ExposureReport,
    /// What was not checked, and how to check it.
    pub not_checked: Vec<String>,
    /// What a certificate proves about the blanks; none where none was given, or the release has more
    /// than blanks.
    pub bound: Option<VerifyBound>,
    /// What to look at before relying on the verdict.
    pub warnings: Vec<String>,
}

/// One thing that was checked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyCheck {
    /// What must hold, such as `5-anonymity`, `truthful` or `hygiene`.
    pub claim: String,
    /// Whether it does. What cannot be decided is not met.
    pub met: bool,
    /// Whether it could be decided.
    pub decided: bool,
    /// What was found.
    pub reason: String,
    /// The columns it is about.
    pub columns: Vec<String>,
    /// Rows that do not meet it, counted; of the original where `of_original` says so.
    pub violations: u64,
    /// The first of them, from 0.
    pub rows: Vec<u32>,
    /// Whether these are rows of the original.
    pub of_original: bool,
}

/// How near the blanks of a release are to the fewest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyBound {
    /// Whatever reaches the same k by blanks alone costs at least this much, by the certificate.
    pub lower_bound: f64,
    /// What the report says that the certificate proves; none without such a report.
    pub claimed_bound: Option<f64>,
    /// Cells that the release blanks.
    pub suppressed_cells: u64,
    /// What they cost: their number, unless columns have weights.
    pub cost: f64,
    /// How far the cost is above the bound, as a share of it; none where the bound is nothing.
    pub gap: Option<f64>,
}
