//! Internal: the nouns of muslin. No files, no threads, no randomness.
//!
//! A table is a list of [`Column`]s. A column is a list of codes, in the narrowest width
//! that fits, and a [`Dictionary`] that says which value a code stands for. Codes are in value
//! order, so a range of values is a range of codes.
//!
//! ```text
//! column `age`        dictionary      codes (u8)
//!   34                0 -> 29         1
//!   29                1 -> 34         0
//!   (missing)                         2   the first slot after the values: missing
//!   (suppressed)                      3   the second slot after the values: suppressed
//! ```

mod calendar;
mod changes;
mod class;
mod code;
mod column;
mod column_set;
mod day_format;
mod dictionary;
mod error;
mod form;
mod hierarchy;
mod id;
mod missing;
mod printable;
mod ratio;
mod table;
mod value;

pub use calendar::{calendar, date, day_of, first_of_month};
pub use changes::Changes;
pub use class::{ClassDiversity, ClassSizes, DiversityCount, SizeCount};
pub use code::{Code, Codes, Slot};
pub use column::{Column, Role};
pub use column_set::ColumnSet;
pub use day_format::DayFormat;
pub use dictionary::Dictionary;
pub use error::{Error, Result};
pub use form::Form;
pub use hierarchy::{ANY, Hierarchy, Level};
pub use id::{Cell, ColumnId, RowId};
pub use missing::MissingRule;
pub use printable::{printable, shell_word};
pub use ratio::Ratio;
pub use table::EncodedTable;
pub use value::{Number, spell_number};
