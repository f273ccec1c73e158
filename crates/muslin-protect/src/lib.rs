//! Internal: decides what to withhold from a release. Nothing here edits a table.

mod class_target;
mod error;
mod generalize;
mod mask;
mod protector;
mod suppress;

pub use class_target::{ClassTarget, Distance, Spread};
pub use error::{Error, Result};
pub use generalize::{
    Cut, Form, FullDomain, Generalized, Grid, LocalRecoding, Mondrian, Partitioned,
};
pub use mask::{Mask, MaskFound, MaskMethod, MaskSample, MaskStep};
pub use protector::{Protection, Protector};
pub use suppress::{
    Ambiguated, Ambiguity, AmbiguityMethod, Dependency, DependencyGoal, Discernibility, Notion,
    Redundant, Suppress, Suppressed, Ties,
};
