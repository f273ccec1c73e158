//! Keys and quasi-identifiers: column sets that tell rows apart, after paper 004 (MX07).
//!
//! A *key* tells every pair of rows apart; a *quasi-identifier* enough of them, by one of two
//! measures. The paper's attributes are our columns, its tuples our rows, its alpha and beta the
//! ratio of a [`Target`].
//!
//! MX07: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers. 2007.

mod all_minimal;
mod condition;
mod explain;
mod greedy;
mod levelwise;
mod pairs;
mod ratios;
mod sample_size;
mod sampled;
mod sampled_found;
mod target;
mod weights;

pub use self::all_minimal::{FoundSet, MinimalSets, MinimalSetsFound};
pub use self::explain::{Explain, Explanation, ShareReached};
pub use self::greedy::{Greedy, GreedyFound, GreedyStep};
pub use self::levelwise::{Levelwise, LevelwiseFound, Pruning};
pub use self::ratios::{Bounds, RatioEstimate, SetRatios};
pub use self::sampled::{Bound, SampledKey};
pub use self::sampled_found::SampledKeyFound;
pub use self::target::{Beta, Measure, Target};
pub use self::weights::{Weight, Weights};
