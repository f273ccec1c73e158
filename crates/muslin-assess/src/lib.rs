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
    Beta, FoundSet, Measure, MinimalSets, MinimalSetsFound, Target, Weight, Weights,
};
