//! Keys and quasi-identifiers: column sets that tell rows apart, after paper 004 (MX07).
//!
//! A *key* tells every pair of rows apart; a *quasi-identifier* enough of them, by one of two
//! measures. The paper's attributes are our columns, its tuples our rows, its alpha and beta the
//! ratio of a [`Target`].
//!
//! MX07: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers. 2007.

mod alike;
mod all_minimal;
mod bits;
mod condition;
mod counted;
mod cover;
mod cover_search;
mod exact;
mod explain;
mod greedy;
mod hit;
mod levelwise;
mod pairs;
mod ratios;
mod sample_size;
mod sampled;
mod sampled_found;
mod target;
mod weights;

pub use self::all_minimal::{FoundSet, MinimalSets, MinimalSetsFound};
pub use self::counted::{CountedSets, CountedSetsFound};
pub use self::cover::{Cover, Solved};
pub use self::exact::{ExactFound, ExactMinimum};
pub use self::explain::{Explain, Explanation, ShareReached};
pub use self::greedy::{Greedy, GreedyFound, GreedyStep};
pub use self::hit::{Border, Hit, Shown, hit};
pub use self::levelwise::{Levelwise, LevelwiseFound, Pruning};
pub use self::ratios::{Bounds, RatioEstimate, SetRatios};
pub use self::sampled::{Bound, SampledKey};
pub use self::sampled_found::SampledKeyFound;
pub use self::target::{Beta, Measure, Target};
pub use self::weights::{Weight, Weights};
