//! Internal: what commands take, as flags and as jobs.
//!
//! ```text
//! words -> args (parsed, checked, defaults) -> jobs (with the policy file) -> muslin
//! ```
//!
//! The command line and the Python package speak the same words: names, defaults and checks are here, once.

pub mod args;
mod jobs;
mod places;

pub use self::jobs::Wrong;
pub use self::places::Places;
