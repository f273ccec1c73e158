use muslin_engine::Coverage;
use serde::Serialize;

use crate::claims::Claim;
use crate::input::InputReport;

/// What bucketizing a table came to. The same through every door.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BucketizeReport {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `bucketize`.
    pub command: String,
    /// How far the search got. The claims hold in any case.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// What was read.
    pub input: InputReport,
    /// Number of rows, all of which are published.
    pub rows: u64,
    /// The quasi-identifiers, published as they are.
    pub quasi_identifiers: Vec<String>,
    /// Other columns that are published as they are.
    pub unmeasured: Vec<String>,
    /// The sensitive column.
    pub sensitive: String,
    /// Columns that are not published because they are identifiers.
    pub identifiers_dropped: Vec<String>,
    /// `anatomy` or `mondrian`.
    pub method: String,
    /// The published column of buckets.
    pub bucket: String,
    /// The diversity that was asked for.
    pub l: u32,
    /// The largest that the table allows; none for one of no rows.
    pub feasible_l: Option<u32>,
    /// The largest for which the release is diverse; none where it has no rows.
    pub effective_l: Option<u32>,
    /// Buckets of the release, counted by a judge of its own.
    pub buckets: u64,
    /// Rows of the smallest; none without rows.
    pub smallest: Option<u64>,
    /// Rows of the largest.
    pub largest: Option<u64>,
    /// The largest share of a sensitive value in a bucket: how likely somebody's value is told.
    pub max_p: f64,
    /// What an analyst loses.
    pub loss: BucketizeLoss,
    /// What holds for the release.
    pub claims: Vec<Claim>,
    /// The order of the release's rows; none without a release.
    pub row_order: Option<String>,
    /// Where the release is; none where none was asked for.
    pub written: Option<String>,
    /// Where the table of sensitive values is; none where the release has them.
    pub sensitive_written: Option<String>,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
}

/// What bucketization loses; `muslin diff` says more.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BucketizeLoss {
    /// The reconstruction error: the sum over rows of the squared distance between the row's sensitive
    /// value and the shares of values in its bucket.
    pub rce: f64,
    /// No buckets of this diversity have less: the rows times 1 - 1/l.
    pub rce_bound: f64,
}
