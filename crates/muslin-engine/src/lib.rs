//! Internal: the seam between an algorithm and the place where the table is.
//!
//! An algorithm that needs only counts and samples takes `&dyn` [`Engine`] and runs wherever the
//! data is; one that needs the rows takes an `EncodedTable`. Both get a [`Run`]: threads, limits,
//! seed, progress and cancellation. What they return says by its [`Coverage`] how far they got.

mod engine;
mod error;
mod hash;
mod matches;
mod memory;
mod open_classes;
mod partition;
mod rows;
mod run;
mod seed;

pub use engine::{ColumnCounts, Engine, Shape, check_uniques};
pub use error::{Error, Fault, Result};
pub use hash::fold_bits;
pub use memory::MemoryEngine;
pub use partition::Partition;
pub use rows::take_rows;
pub use run::{Cancel, Coverage, NoProgress, Progress, Run, Stop};
pub use seed::Seed;
