use muslin_engine::Coverage;
use serde::Serialize;

use crate::input::InputReport;

/// What a release loses. The same through every door.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffReport {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `diff`.
    pub command: String,
    /// Whether a limit left a measure out.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The table before.
    pub original: InputReport,
    /// The table after.
    pub release: InputReport,
    /// Rows of the original.
    pub rows_before: u64,
    /// Rows of the release.
    pub rows_after: u64,
    /// Columns of the release.
    pub release_columns: u64,
    /// Columns that `loss`, `classes`, `kl` and `queries` are about.
    pub quasi_identifiers: Vec<String>,
    /// The sensitive column; `kl` and `queries` are about it too.
    pub sensitive: Option<String>,
    /// The `k` that `classes.c_avg` is told against.
    pub k: Option<u32>,
    /// The columns that stayed together in buckets; none without buckets.
    pub slices: Option<Vec<Vec<String>>>,
    /// Every column of the original.
    pub columns: Vec<DiffColumnReport>,
    /// What was taken out.
    pub suppression: DiffSuppression,
    /// How coarse the cells of the quasi-identifiers are.
    pub loss: DiffLoss,
    /// How large the classes are.
    pub classes: DiffClasses,
    /// How far what the release leads to expect is from the original.
    pub kl: DiffDivergence,
    /// RCE: the sum over rows of the squared error of what their bucket says about the sensitive value;
    /// none without buckets or without a sensitive column.
    pub rce: Option<f64>,
    /// How strongly columns go together.
    pub association: DiffAssociation,
    /// How far off counts are.
    pub queries: DiffQueries,
    /// Each published column by itself.
    pub marginals: Vec<DiffMarginal>,
    /// Files with plots; none where none were asked for.
    pub written: Vec<String>,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
}

/// What several releases of one original lose.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffTableReport {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `diff`.
    pub command: String,
    /// Whether a limit left a measure of a release out.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// Rows of the original.
    pub rows_before: u64,
    /// What each release loses, in the order in which they were given.
    pub releases: Vec<DiffReport>,
}

impl DiffReport {
    /// The quasi-identifier with the largest share of changed cells, the first of several; none where no
    /// cell of a published one was changed.
    pub fn most_changed(&self) -> Option<&DiffColumnReport> {
        let is_published = |own: &&DiffColumnReport| {
            !own.withheld && own.changed_share > 0.0 && self.quasi_identifiers.contains(&own.name)
        };
        self.columns
            .iter()
            .filter(is_published)
            .reduce(|most, own| if own.changed_share > most.changed_share { own } else { most })
    }
}

/// A column of the original. Cells of removed rows and of a column that is withheld lose all.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffColumnReport {
    /// The column.
    pub name: String,
    /// `quasi-identifier` for the columns that `loss` is about, `sensitive` for the sensitive one, and
    /// the role that was given for others, or `other`.
    pub role: String,
    /// Whether the release lacks it.
    pub withheld: bool,
    /// Suppressed cells, of those that the release has of it.
    pub suppressed_share: f64,
    /// Cells that stand for several values and yet not for all, likewise.
    pub generalized_share: f64,
    /// Both together; 1 where the release lacks the column.
    pub changed_share: f64,
    /// The mean NCP of its cells: the part of the distance, or of the values where there is none.
    pub ncp: f64,
    /// The mean of (covered values - 1) / (values - 1).
    pub gcp_by_values: f64,
    /// The mean of (leaves - 1) / (all leaves - 1) in its hierarchy; none where labels are not of one.
    pub loss_by_leaves: Option<f64>,
    /// Non-uniform entropy of its cells, in bits.
    pub entropy_bits: f64,
    /// These bits, of those lost where all is suppressed.
    pub entropy_share: f64,
    /// Half the sum over its bins of how much their shares differ; none where it is withheld.
    pub total_variation: Option<f64>,
}

/// What was taken out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffSuppression {
    /// Cells of the release in columns that the original has.
    pub cells: u64,
    /// Suppressed cells among them.
    pub suppressed_cells: u64,
    /// Of these cells.
    pub suppressed_share: f64,
    /// Rows of the release with a suppressed cell.
    pub rows_touched: u64,
    /// Rows of the original less rows of the release.
    pub rows_removed: u64,
    /// Of the original's rows.
    pub removed_share: f64,
    /// Rows that the release has more than the original.
    pub rows_added: u64,
    /// Columns of the original that the release lacks.
    pub columns_withheld: Vec<String>,
}

/// How coarse the cells of the quasi-identifiers are; removed rows and withheld columns lose all.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffLoss {
    /// GCP: the mean NCP, numbers, days and times by their distance.
    pub gcp: f64,
    /// The mean of (covered values - 1) / (values - 1); what `muslin generalize` reports.
    pub gcp_by_values: f64,
    /// The mean of (leaves - 1) / (all leaves - 1) in the hierarchies, as the Loss of ARX; none unless
    /// every quasi-identifier has it.
    pub arx_loss: Option<f64>,
    /// Non-uniform entropy in bits.
    pub entropy_bits: f64,
    /// These bits, of those lost where all is suppressed.
    pub entropy_share: f64,
}

/// How large the classes are: rows whose quasi-identifiers stand for the same, or buckets.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffClasses {
    /// Number of classes.
    pub classes: u64,
    /// The squares of their sizes, and for each removed row the rows of the original.
    pub discernibility: f64,
    /// AECS: rows of the release by classes.
    pub aecs: f64,
    /// `C_AVG`: that by `k`; none where no `k` was given.
    pub c_avg: Option<f64>,
}

/// KL(P || Q) over quasi-identifiers and the sensitive column: P the original's rows, Q what the
/// release leads to expect.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffDivergence {
    /// In nats; none where it is infinite or was left out.
    pub nats: Option<f64>,
    /// The share of the original's rows that the release rules out; above 0 the divergence is infinite.
    pub unreached: Option<f64>,
    /// Why it was left out.
    pub left_out: Option<String>,
}

/// How strongly columns go together: the mean-square contingency of each pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffAssociation {
    /// The sum after by the sum before; none where nothing went together.
    pub ratio: Option<f64>,
    /// That of pairs within a slice; without buckets, of published columns.
    pub within: Option<f64>,
    /// That of pairs across slices, or with a column that is withheld.
    pub across: Option<f64>,
    /// That of pairs with the sensitive column.
    pub with_sensitive: Option<f64>,
    /// Every pair, in the original's order.
    pub pairs: Vec<DiffPair>,
    /// Columns that were put into ten bins of equal width.
    pub binned: Vec<String>,
    /// Columns with too many values to say anything.
    pub too_many_values: Vec<String>,
    /// Why all of it was left out.
    pub left_out: Option<String>,
}

/// Two columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffPair {
    /// The first.
    pub a: String,
    /// The second.
    pub b: String,
    /// Their contingency in the original, from 0 to 1.
    pub before: f64,
    /// And what the release leads to expect.
    pub after: f64,
    /// Whether they are in one slice.
    pub within: bool,
}

/// How far off counts are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffQueries {
    /// What was asked, in words.
    pub definition: String,
    /// Queries asked.
    pub asked: u64,
    /// Those that some row of the original meets; the others do not count.
    pub answered: u64,
    /// The mean relative error.
    pub mean: Option<f64>,
    /// The middle one.
    pub median: Option<f64>,
    /// The error that 95 of 100 queries do not exceed.
    pub p95: Option<f64>,
    /// Why they were left out.
    pub left_out: Option<String>,
}

/// How often values come in one column.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffMarginal {
    /// The column.
    pub column: String,
    /// What a bin is: `values`, `ranges` of equal width, or `frequent` values and all others.
    pub kind: String,
    /// Half the sum over the bins of how much their shares differ.
    pub total_variation: f64,
    /// The bins, in the order of values.
    pub bins: Vec<DiffBin>,
}

/// Values that are counted together.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffBin {
    /// Its number, from 1.
    pub bin: u64,
    /// What is in it; values only where they were asked for.
    pub label: Option<String>,
    /// Rows of the original.
    pub before: u64,
    /// Rows that the release leads to expect.
    pub after: f64,
}
