//! What a policy asks of a release, and how it is made.

use std::collections::BTreeMap;

use muslin_io::WriteFormat;
use muslin_table::Role;
use serde::{Deserialize, Serialize};

use crate::generalize::{Labels, Recoding};
use crate::suppress::SuppressNotion;

/// What a release must meet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ReleasePolicy {
    /// A threshold that is in use somewhere, such as `ihsn-5`; `k` wins over it.
    pub preset: Option<String>,
    /// The least rows that agree on all quasi-identifiers.
    pub k: Option<u32>,
    /// Columns with a k of their own.
    pub combination: Vec<CombinationPolicy>,
    /// Attacks that are accepted, by name: those that methods are known to be open to (`definetti`,
    /// `disambiguation`, `downcoding`) and any that `muslin attack` tries.
    pub accept: Vec<String>,
    /// The largest share of rows that columns beside the quasi-identifiers may make unique without that being
    /// a finding: 0.05 where nothing is said.
    pub max_unique: Option<f64>,
    /// The most that an attack may gain over its baseline without that being a finding: 0.05 where nothing is said.
    pub max_advantage: Option<f64>,
    /// The format of the data: `csv`, `tsv`, `parquet` or `arrow`.
    pub format: Option<String>,
    /// The order of the rows: `shuffled` or `sorted`.
    pub order: Option<String>,
    /// The character between fields of a text; the input's where nothing is said.
    pub delimiter: Option<char>,
    /// Whether the decimal mark of a text is a comma; as in the input where nothing is said.
    pub decimal_comma: Option<bool>,
    /// How characters of a text are stored: `utf-8`, `utf-16le`, `utf-16be`, `latin-1` or `windows-1252`; as in
    /// the input where nothing is said.
    pub encoding: Option<String>,
    /// What the rows are of the population: `table` where the table holds every person of it. Presets that limit the
    /// risk of people need it.
    pub population: Option<String>,
    /// The role of columns that the policy does not name; `undecided` where nothing is said, which no release may have.
    pub undeclared: Option<Role>,
}

/// Columns that somebody may know together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CombinationPolicy {
    /// Their names.
    pub columns: Vec<String>,
    /// The least rows that agree on them.
    pub k: u32,
}

/// How a release is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ProtectPolicy {
    /// Methods in their order; generalize, then suppress, where nothing is said.
    pub methods: Option<Vec<ProtectMethod>>,
    /// How columns are masked.
    pub mask: MaskPolicy,
    /// How values are generalized.
    pub generalize: GeneralizePolicy,
    /// How cells are suppressed.
    pub suppress: SuppressPolicy,
    /// How rows are bucketized.
    pub bucketize: BucketizePolicy,
    /// How tables are sliced.
    pub slice: SlicePolicy,
}

/// A way of protecting people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProtectMethod {
    /// Columns are withheld.
    Mask,
    /// Values become ranges, sets or groups.
    Generalize,
    /// Cells are withheld.
    Suppress,
    /// Sensitive values change places within buckets.
    Bucketize,
    /// Links between columns are cut within buckets.
    Slice,
}

impl ProtectMethod {
    /// The method's name, as policies and commands spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mask => "mask",
            Self::Generalize => "generalize",
            Self::Suppress => "suppress",
            Self::Bucketize => "bucketize",
            Self::Slice => "slice",
        }
    }
}

/// How columns are masked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct MaskPolicy {
    /// `distinct` or `separation`; `distinct` where nothing is said.
    pub measure: Option<String>,
    /// The most that the ratio may be; 0.5 where nothing is said.
    pub beta: Option<f64>,
    /// Whether the best choice is proven.
    pub exact: bool,
}

/// How values are generalized.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct GeneralizePolicy {
    /// `mondrian`, `local` or `full-domain`.
    pub recoding: Option<Recoding>,
    /// The share of rows that may be withheld.
    pub suppression_limit: Option<f64>,
    /// `ranges`, `sets` or `multisets`.
    pub labels: Option<Labels>,
    /// The most values of a set of texts or codes; a larger one is suppressed.
    pub max_set: Option<u32>,
    /// Whether bounds of ranges are those of the class.
    pub tight: bool,
    /// Steps of the grids that bounds lie on, by column.
    pub grid: BTreeMap<String, f64>,
    /// Levels of hierarchies that columns are taken to, whatever that reaches; suppress does the rest.
    pub levels: BTreeMap<String, u64>,
}

/// How cells are suppressed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct SuppressPolicy {
    /// `k-anonymity`, `kk`, `k1`, `1k` or `ambiguity`.
    pub notion: Option<SuppressNotion>,
    /// How far above the bound is good enough, as a share of it.
    pub gap: Option<f64>,
    /// Whether every blank keeps at least two candidates for somebody who knows how blanks are chosen.
    pub robust: bool,
    /// Whether columns that tell another one are withheld with it, quasi-identifiers or not.
    pub closed: bool,
}

/// How rows are bucketized.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct BucketizePolicy {
    /// The diversity of every bucket; that of the sensitive column where nothing is said.
    pub l: Option<u32>,
    /// `anatomy` or `mondrian`.
    pub method: Option<String>,
}

/// How tables are sliced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct SlicePolicy {
    /// The diversity; that of the sensitive column where nothing is said.
    pub l: Option<u32>,
    /// Columns that stay together; found by association where nothing is said.
    pub slices: Option<Vec<Vec<String>>>,
}

/// What a release may lose. Where it would lose more, nothing is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct LimitsPolicy {
    /// The most cells of quasi-identifiers that are suppressed, as a share.
    pub suppressed: Option<f64>,
    /// The most rows that are withheld, as a share.
    pub removed: Option<f64>,
    /// The most of the detail of quasi-identifiers that is lost (GCP).
    pub gcp: Option<f64>,
    /// The most that counting queries are off, at the median.
    pub counts_off: Option<f64>,
}

/// What analysts need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct UtilityPolicy {
    /// Columns that are neither masked nor lose cells.
    pub keep: Vec<String>,
}

/// A known format.
pub(super) fn format(name: &str) -> Option<WriteFormat> {
    WriteFormat::ALL.into_iter().find(|format| format.name() == name)
}
