use muslin_engine::Coverage;
use serde::Serialize;

use crate::claims::Claim;
use crate::input::InputReport;

/// What slicing a table came to. The same through every door.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SliceReport {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `slice`.
    pub command: String,
    /// How far the search got. The claims hold in any case.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// What was read.
    pub input: InputReport,
    /// Number of rows, all of which are published.
    pub rows: u64,
    /// What may be known of somebody: all published columns but the sensitive one.
    pub quasi_identifiers: Vec<String>,
    /// The sensitive column.
    pub sensitive: String,
    /// Columns that are not published because they are identifiers.
    pub identifiers_dropped: Vec<String>,
    /// Columns that were taken to a level of their hierarchy first.
    pub generalized: Vec<SliceLevelReport>,
    /// Columns that stay together.
    pub slices: Vec<Vec<String>>,
    /// Where the slices come from: `given` or `found`.
    pub slices_by: String,
    /// How strongly columns are associated; none where that was not found out in time.
    pub associations: Option<AssociationsReport>,
    /// The published column of buckets.
    pub bucket: String,
    /// The diversity that was asked for.
    pub l: u32,
    /// The largest that the slices allow when no bucket is split; none for a table of no rows.
    pub feasible_l: Option<u32>,
    /// The largest for which the release is diverse, by both weightings that are known; none where it
    /// has no rows.
    pub effective_l: Option<u32>,
    /// Buckets of the release, counted by a judge of its own.
    pub buckets: u64,
    /// Rows of the smallest; none without rows.
    pub smallest: Option<u64>,
    /// Rows of the largest.
    pub largest: Option<u64>,
    /// How likely somebody's sensitive value is told at most, buckets that match being weighted by how
    /// frequent the values are in each. Where matching buckets are not looked at, the largest share in
    /// a bucket, which is no less.
    pub max_p: f64,
    /// The same, larger buckets being likelier, as Bayes' rule has it; none where matching buckets are
    /// not looked at.
    pub max_p_bayes: Option<f64>,
    /// How many buckets match how many rows; none where they are not looked at.
    pub matching: Option<Vec<MatchingReport>>,
    /// How well it is told who is in the table; none where that is not looked at.
    pub membership: Option<MembershipReport>,
    /// What an analyst loses.
    pub loss: SliceLoss,
    /// What holds for the release.
    pub claims: Vec<Claim>,
    /// The order of the release's rows; none without a release.
    pub row_order: Option<String>,
    /// Where the release is; none where none was asked for.
    pub written: Option<String>,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
}

/// What slicing loses; `muslin diff` says more.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SliceLoss {
    /// The reconstruction error: the sum over rows of the squared distance between the row's sensitive
    /// value and the shares of values among the rows of its bucket that are alike in its slice.
    pub rce: f64,
}

/// A column that was taken to a level of its hierarchy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SliceLevelReport {
    /// The column.
    pub name: String,
    /// The level of all its cells.
    pub level: u64,
    /// The last level of its hierarchy.
    pub levels: u64,
    /// Different values before.
    pub distinct_before: u64,
    /// Different values published.
    pub distinct_after: u64,
}

/// How strongly each two columns are associated: their mean-square contingency, from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AssociationsReport {
    /// The columns of the square.
    pub columns: Vec<String>,
    /// Those of them whose values were put into ten bins of equal width.
    pub binned: Vec<String>,
    /// Columns of too many values to tell what they are associated with.
    pub left_out: Vec<String>,
    /// Row after row.
    pub matrix: Vec<Vec<f64>>,
}

/// Rows that some number of buckets match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchingReport {
    /// Buckets that have all of a row's values, slice by slice.
    pub buckets: u32,
    /// How many rows have so many.
    pub rows: u64,
}

/// How well it is told who is in the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MembershipReport {
    /// Different rows of the table.
    pub real: u64,
    /// Combinations of values that are consistent with the release; none where they are more than a
    /// number can say, some 1e308.
    pub consistent: Option<f64>,
    /// Those of them that no row has; none in the same way.
    pub fakes: Option<f64>,
    /// The draws that both numbers are estimated from; none where they are counted.
    pub draws: Option<u64>,
    /// How often a real combination matches more buckets than a fake one, equal ones counted half: 0.5
    /// is guessing. None where there is no fake one.
    pub matching_auc: Option<f64>,
    /// How often a real combination is expected more often than a fake one.
    pub multiplicity_auc: Option<f64>,
}
