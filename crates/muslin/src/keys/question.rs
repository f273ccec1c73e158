//! What can be asked about keys.

use muslin_assess::{Beta, Bound, Measure, Pruning, Target};
use serde::Serialize;

/// What to find out.
#[derive(Clone, Debug, Default)]
pub enum KeysQuestion {
    /// Whether there is a key, and how quickly columns single rows out.
    #[default]
    Overview,
    /// Every minimal key or quasi-identifier.
    All(AllSets),
    /// The cheapest set that reaches a target.
    Minimum {
        /// The target.
        target: Target,
        /// Whether to prove that none is cheaper, instead of taking columns greedily.
        exact: bool,
    },
    /// A cheap set that tells nearly all rows apart, from one pass over the input.
    Sampled(SampledSet),
    /// What a given set tells apart.
    Set {
        /// The columns.
        columns: Vec<String>,
        /// Rows to draw in one pass, instead of reading all.
        sample: Option<u64>,
    },
}

/// A search for every minimal set.
#[derive(Clone, Debug)]
pub struct AllSets {
    /// What a set must reach.
    pub target: Target,
    /// The way to search.
    pub method: SetsMethod,
    /// With a method that samples: the probability with which sets may be missing.
    pub delta: f64,
    /// Largest size to look for; any when none.
    pub max_size: Option<usize>,
    /// Most sets to list, the smallest ones; all when none.
    pub limit: Option<usize>,
}

impl AllSets {
    /// Every minimal set that reaches `target`.
    pub fn new(target: Target) -> Self {
        let method = SetsMethod::default();
        Self { target, method, delta: 0.01, max_size: None, limit: None }
    }
}

/// A search in one pass over the input.
#[derive(Clone, Debug)]
pub struct SampledSet {
    /// What is measured.
    pub measure: Measure,
    /// What may be missing to a key's ratio, or to beta as a share of it.
    pub epsilon: f64,
    /// The probability with which more may be missing.
    pub delta: f64,
    /// The separation ratio to reach instead of a key's.
    pub beta: Option<Beta>,
    /// How to look at the sample; both ways when none.
    pub bound: Option<Bound>,
    /// Whether to read the chosen columns of a file again and count their ratios.
    pub verify: bool,
}

impl SampledSet {
    /// Looks both ways and verifies.
    pub fn new(measure: Measure, epsilon: f64, delta: f64) -> Self {
        Self { measure, epsilon, delta, beta: None, bound: None, verify: true }
    }
}

/// How all minimal sets are searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SetsMethod {
    /// Sets that hit what smaller ones leave together; by far the fastest.
    #[default]
    HittingSets,
    /// Size by size, each set asked for.
    Levelwise,
    /// Size by size, after a sample of a tenth of the rows.
    LevelwiseOneSample,
    /// Size by size, after samples of a hundredth and a tenth of the rows.
    LevelwiseSamples,
}

impl SetsMethod {
    /// Every way, in the order in which help texts list them.
    pub const ALL: [Self; 4] =
        [Self::HittingSets, Self::Levelwise, Self::LevelwiseOneSample, Self::LevelwiseSamples];

    /// Its name, as flags spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::HittingSets => "hitting-sets",
            Self::Levelwise => "levelwise",
            Self::LevelwiseOneSample => "levelwise-one-sample",
            Self::LevelwiseSamples => "levelwise-samples",
        }
    }

    /// How samples rule sets out; none where the search does not go size by size.
    pub(super) fn pruning(self) -> Option<Pruning> {
        match self {
            Self::HittingSets => None,
            Self::Levelwise => Some(Pruning::None),
            Self::LevelwiseOneSample => Some(Pruning::Once),
            Self::LevelwiseSamples => Some(Pruning::Iterative),
        }
    }
}

/// How one cheap set is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MinimumMethod {
    /// The column that tells apart the most for its cost, over and over; then those that are not
    /// needed are left out.
    Greedy,
    /// With proof.
    Exact,
    /// Greedily, in a sample of the rows.
    Sampled,
}

impl MinimumMethod {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Greedy => "greedy",
            Self::Exact => "exact",
            Self::Sampled => "sampled",
        }
    }
}

/// A way to look at a sample, as flags spell it.
pub(super) fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Pairs => "pairs",
        Bound::Rows => "rows",
    }
}
