//! What a search for keys says, in a form that every door shows.

use std::collections::BTreeMap;

use muslin_assess::Measure;
use muslin_engine::{Coverage, Seed};
use muslin_table::MissingRule;
use serde::Serialize;

use super::question::{MinimumMethod, SetsMethod};
use crate::input::InputReport;

/// What a search for keys and quasi-identifiers found. No value of a cell is here.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeysReport {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `keys`.
    pub command: String,
    /// How far the search got. When stopped, what is given is right and more may exist.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// What was read.
    pub input: InputReport,
    /// Number of rows looked at; of a sampled answer, all rows of the input.
    pub rows: u64,
    /// Rows left out because an earlier row equals them; none unless that was asked for.
    pub duplicates_dropped: Option<u64>,
    /// Number of columns looked at.
    pub columns: u64,
    /// Their names, in the input's order.
    pub column_names: Vec<String>,
    /// Columns that were read and not looked at, because of their roles.
    pub left_out: Vec<String>,
    /// What a missing cell matches.
    pub missing_rule: MissingRule,
    /// The answer.
    #[serde(flatten)]
    pub answer: KeysAnswer,
    /// Where the list of sets is that was asked for.
    pub written: Option<String>,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
}

/// The answer to what was asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "question", rename_all = "lowercase")]
pub enum KeysAnswer {
    /// How quickly the table gives its rows away.
    Overview(OverviewReport),
    /// All minimal sets.
    All(AllReport),
    /// One cheap set.
    Minimum(Box<MinimumReport>),
    /// One given set.
    Set(Box<GivenSetReport>),
}

impl KeysReport {
    /// Whether a cheapest set was asked for and no set does what was asked.
    pub fn is_unreachable(&self) -> bool {
        matches!(&self.answer, KeysAnswer::Minimum(minimum) if !minimum.whole.reachable)
    }
}

/// What all columns together do: no set of them does more.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WholeReport {
    /// Whether all columns together reach the target, as far as is known; where they do not, no set
    /// does.
    pub reachable: bool,
    /// Rows that equal an earlier row in all columns; none where that is not known.
    pub duplicate_rows: Option<u64>,
    /// Rows that match another row in all columns; none where that is not known.
    pub rows_alike: Option<u64>,
    /// The ratios of all columns together; none where they are not known.
    pub ceiling: Option<RatiosReport>,
}

/// How figures were come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RatiosKind {
    /// Counted over all rows.
    Exact,
    /// From a sample of the rows.
    Estimated,
}

/// How well a column set tells rows apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RatiosReport {
    /// Classes, of all rows; none where it is not known or rows do not fall into classes.
    pub distinct_ratio: Option<f64>,
    /// Row pairs told apart, of all pairs; none where it is not known.
    pub separation_ratio: Option<f64>,
    /// How the ratios were come by; none where there are none.
    pub ratios: Option<RatiosKind>,
    /// Bounds of an estimated distinct ratio.
    pub distinct_bounds: Option<BoundsReport>,
    /// Bounds of an estimated separation ratio.
    pub separation_bounds: Option<BoundsReport>,
    /// How surely each pair of bounds holds.
    pub confidence: Option<f64>,
    /// Number of classes.
    pub classes: Option<u64>,
    /// Pairs of rows that are not told apart.
    pub unseparated_pairs: Option<u64>,
    /// Rows that match no other: those that are singled out.
    pub rows_alone: Option<u64>,
    /// Rows of the smallest class.
    pub smallest_class: Option<u64>,
    /// Rows of the largest class.
    pub largest_class: Option<u64>,
}

/// Bounds of an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoundsReport {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// How quickly a table gives its rows away.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverviewReport {
    /// Whether there is a key, and why not.
    #[serde(flatten)]
    pub whole: WholeReport,
    /// A key, found greedily; none where there is none or the search was stopped.
    pub set: Option<Vec<String>>,
    /// Columns in the order in which each tells apart the most that is left, until none does.
    pub curve: Vec<StepReport>,
}

/// A column that was taken, and what the columns up to it do together.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepReport {
    /// The column.
    pub column: String,
    /// Classes, of all rows; where rows fall into classes.
    pub distinct_ratio: Option<f64>,
    /// Row pairs told apart, of all pairs.
    pub separation_ratio: f64,
    /// Rows that match no other.
    pub rows_alone: u64,
}

/// All minimal sets that reach a target.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AllReport {
    /// What is looked for.
    #[serde(flatten)]
    pub target: TargetReport,
    /// Whether any set reaches it, and why not.
    #[serde(flatten)]
    pub whole: WholeReport,
    /// The way the search went.
    pub method: SetsMethod,
    /// Whether nothing was left to chance.
    pub sure: bool,
    /// The probability with which sets may be missing or not minimal, where that can be.
    pub delta: Option<f64>,
    /// Largest size looked for; none for any.
    pub max_size: Option<usize>,
    /// Most sets to list; none for all.
    pub limit: Option<usize>,
    /// Number of sets listed.
    pub total: u64,
    /// Number of sets of each size.
    pub by_size: BTreeMap<usize, u64>,
    /// Every set of up to so many columns is listed; none where not even that is known.
    pub complete_to_size: Option<usize>,
    /// Whether there may be sets of more columns than were looked for.
    pub larger_may_exist: bool,
    /// The sets, by size, then columns; columns in the input's order.
    pub sets: Vec<Vec<String>>,
    /// What each of them tells apart, in the same order.
    pub set_facts: Vec<SetFacts>,
}

/// What one set tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetFacts {
    /// Number of columns.
    pub size: usize,
    /// Classes, of all rows; where rows fall into classes.
    pub distinct_ratio: Option<f64>,
    /// Row pairs told apart, of all pairs.
    pub separation_ratio: f64,
    /// Rows that match no other.
    pub rows_alone: u64,
}

/// A ratio to reach.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetReport {
    /// `key`, or beta and the measure, as in `0.9-distinct`.
    pub target: String,
    /// What is measured; none for a key, which is one by both measures.
    pub measure: Option<Measure>,
    /// The ratio to reach; 1 for a key.
    pub beta: f64,
}

/// One cheap set that reaches a target.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MinimumReport {
    /// What is looked for.
    #[serde(flatten)]
    pub target: TargetReport,
    /// Whether any set reaches it, and why not.
    #[serde(flatten)]
    pub whole: WholeReport,
    /// The way it was found.
    pub method: MinimumMethod,
    /// The columns; none where no set reaches the target or none was found in time.
    pub set: Option<Vec<String>>,
    /// What the set tells apart.
    #[serde(flatten)]
    pub ratios: RatiosReport,
    /// What learning a column costs, where that was given; one for every other column.
    pub costs: BTreeMap<String, f64>,
    /// What learning the set's columns costs; their number unless costs were given.
    pub weight: Option<f64>,
    /// Whether no set that reaches the target costs less; none where that is not known.
    pub optimal: Option<bool>,
    /// What every set that reaches the target costs at least, where that was looked into.
    pub lower_bound: Option<f64>,
    /// What the set costs beyond that bound.
    pub gap: Option<f64>,
    /// Columns that were taken greedily and turned out not to be needed.
    pub dropped: Vec<String>,
    /// Where no set reaches the target or a limit was in the way: the columns that came nearest.
    pub nearest: Option<Vec<String>>,
    /// Columns of the set, or of the nearest, in the order in which each tells apart the most.
    pub curve: Vec<StepReport>,
    /// Which few of its columns already do most; none where that was not looked into.
    pub explanation: Option<ExplanationReport>,
    /// The sample that the set was found in.
    pub sample: Option<SampleReport>,
}

/// Which few columns of a set already reach some shares.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplanationReport {
    /// What is measured.
    pub measure: Measure,
    /// The shares, in rising order.
    pub shares: Vec<ShareReport>,
    /// Whether no limit was in the way.
    pub complete: bool,
}

/// The few columns that reach a share.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShareReport {
    /// The share of the rows or pairs.
    pub share: f64,
    /// The columns; none where the whole set does not reach the share.
    pub columns: Option<Vec<String>>,
    /// Their ratio.
    pub ratio: Option<f64>,
    /// Whether no fewer columns of the set do it.
    pub exact: bool,
}

/// A sample, and what it promises.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SampleReport {
    /// Rows that were held.
    pub rows_held: u64,
    /// Rows that went by: all of the input.
    pub rows_passed: u64,
    /// The seed of every draw.
    pub seed: Seed,
    /// The measure that is promised.
    pub measure: Measure,
    /// What may be missing to a key's ratio, or to beta as a share of it.
    pub epsilon: f64,
    /// The probability with which more is missing.
    pub delta: f64,
    /// How the sample was looked at: `rows` or `pairs`.
    pub bound: String,
    /// Rows of which all pairs counted, where it was looked at in that way.
    pub rows_used: Option<u64>,
    /// Independent pairs, where it was looked at in that way.
    pub pairs_used: Option<u64>,
    /// The ratio that the set has at least, with probability 1 - delta.
    pub promised_ratio: f64,
    /// Whether it has; none where the exact ratio is not known.
    pub promise_kept: Option<bool>,
    /// All of it in words.
    pub description: String,
}

/// One given set.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GivenSetReport {
    /// The columns, in the input's order.
    pub set: Vec<String>,
    /// What they tell apart.
    #[serde(flatten)]
    pub ratios: RatiosReport,
    /// Rows that were held, where a sample was asked for.
    pub rows_held: Option<u64>,
    /// The columns in the order in which each tells apart the most; empty for a sample.
    pub curve: Vec<StepReport>,
    /// Which few of them already do most; none for a sample.
    pub explanation: Option<ExplanationReport>,
}
