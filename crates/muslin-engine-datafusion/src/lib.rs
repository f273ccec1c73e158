//! Internal: an engine on [DataFusion](datafusion), for tables that memory does not hold.
//!
//! ```text
//! place       who answers queries: this process, or a cluster behind another context
//! location    a file, a folder, a glob or an address --> a table called `input`
//! values      its columns as the values that muslin compares --> a view called `cells`
//! questions   what an algorithm asks --> SQL about `cells`
//! rows        samples and whole columns, in the order of the rows
//! engine      all of them together
//! error       what may be said of an error
//! ```

mod engine;
mod error;
mod location;
mod place;
mod questions;
mod rows;
mod values;

pub use datafusion;

pub use engine::DataFusionEngine;
pub use error::said;
pub use place::{Place, embedded_runtime, keep_names};
