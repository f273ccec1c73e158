//! Internal: decides what to withhold from a release. Nothing here edits a table.

mod error;
mod mask;
mod protector;

pub use error::{Error, Result};
pub use mask::{Mask, MaskFound, MaskMethod, MaskSample, MaskStep};
pub use protector::{Protection, Protector};
