//! Internal: finds what gives rows away.

mod error;
mod mask;
mod minimal_uniques;
mod quasi_identifiers;

pub use error::{Error, Result};
pub use minimal_uniques::{
    ColumnShare, Dis, Estimate, Interval, Method, MinimalUniques, RowUniques, Score, Unique,
    UniqueBatch, UniquesFound, ValueShare,
};
pub use quasi_identifiers::{
    Beta, Bound, Bounds, Explain, Explanation, FoundSet, Greedy, GreedyFound, GreedyStep,
    Levelwise, LevelwiseFound, Measure, MinimalSets, MinimalSetsFound, Pruning, RatioEstimate,
    SampledKey, SampledKeyFound, SetRatios, ShareReached, Target, Weight, Weights,
};
