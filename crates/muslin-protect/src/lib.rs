//! Internal: decides what to withhold from a release. Nothing here edits a table.

mod bucketize;
mod class_target;
mod error;
mod generalize;
mod mask;
mod order;
mod protector;
mod slice;
mod suppress;

pub use bucketize::{BucketMethod, Bucketize, Bucketized, SensitiveCount};
pub use class_target::{ClassTarget, Distance, Spread};
pub use error::{Error, Result};
pub use generalize::{
    Cut, Form, FullDomain, Generalized, Grid, LocalRecoding, Mondrian, Partitioned, at_level,
};
pub use mask::{Mask, MaskFound, MaskMethod, MaskSample, MaskStep};
pub use order::{BucketOrder, Draws};
pub use protector::{Protection, Protector};
pub use slice::{
    Associations, BUCKET_NAME, Combinations, MatchingBuckets, Membership, Slice, SliceCheck,
    SliceCut, Sliced, Slices, Weighting, rows_in_buckets,
};
pub use suppress::{
    Ambiguated, Ambiguity, AmbiguityMethod, Dependency, DependencyGoal, Discernibility, Notion,
    Redundant, Suppress, Suppressed, Ties,
};
