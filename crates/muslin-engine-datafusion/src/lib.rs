//! Internal: an engine on [DataFusion](datafusion), for tables that memory does not hold.
//!
//! ```text
//! place       who answers queries: this process, or a cluster behind another context
//! stores      where files are, by their addresses
//! roots       what may be read by a process that answers others
//! location    a file, a folder, a glob or an address --> a table called `input`
//! values      its columns as the values that muslin compares --> a view called `cells`
//! questions   what an algorithm asks --> SQL about `cells`
//! fingerprint whether an answer is about every row, once
//! rows        whole columns, in the order of the rows
//! one_by_one  rows of a query in one order, whatever it is made of
//! drawn       samples: an operator that reads rows by their numbers
//! engine      all of them together: opening, counts, fetching
//! error       what may be said of an error
//! ```

mod drawn;
mod engine;
mod error;
mod fingerprint;
mod location;
mod one_by_one;
mod place;
mod questions;
mod roots;
mod rows;
mod stores;
mod values;

pub use datafusion;

pub use drawn::{DrawnRows, DrawnRowsExec, ScannedFiles};
pub use engine::{DataFusionEngine, of_io};
pub use error::{Carried, Saying, said};
pub use fingerprint::{FINGERPRINT, fingerprint};
pub use place::{LetGo, Place, embedded_runtime, environment, keep_names};
pub use roots::Roots;
pub use stores::Stores;
