//! Internal: finds what gives rows away.

mod error;
mod mask;
mod minimal_uniques;
mod quasi_identifiers;

pub use error::{Error, Result};
pub use minimal_uniques::{
    ColumnShare, Dis, Estimate, ExplainRow, Interval, Method, MinimalUniques, NearRow,
    PreparedUniques, RowColumn, RowExplanation, RowUniques, Score, Unique, UniqueBatch,
    UniquesFound, UniquesPart, ValueShare,
};
pub use quasi_identifiers::{
    Beta, Border, Bound, Bounds, CountedSets, CountedSetsFound, Cover, ExactFound, ExactMinimum,
    Explain, Explanation, FoundSet, Greedy, GreedyFound, GreedyStep, Hit, Levelwise,
    LevelwiseFound, Measure, MinimalSets, MinimalSetsFound, Pruning, RatioEstimate, SampledKey,
    SampledKeyFound, SetRatios, ShareReached, Shown, Solved, Target, Weight, Weights, hit,
};
