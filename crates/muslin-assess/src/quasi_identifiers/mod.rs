//! Keys and quasi-identifiers: column sets that tell rows apart, after paper 004 (MX07).
//!
//! A *key* tells every pair of rows apart; a *quasi-identifier* enough of them, by one of two
//! measures. The paper's attributes are our columns, its tuples our rows, its alpha and beta the
//! ratio of a [`Target`].
//!
//! MX07: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers. 2007.

mod all_minimal;
mod target;
mod weights;

pub use self::all_minimal::{FoundSet, MinimalSets, MinimalSetsFound};
pub use self::target::{Beta, Measure, Target};
pub use self::weights::{Weight, Weights};
