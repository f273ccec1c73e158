//! Internal: judges a release as an outsider would.
//!
//! It shares no code with what assesses a table or decides what to withhold: rows are grouped
//! here by a way of its own, so a mistake there does not hide itself here.
//!
//! [`Outsider`] counts what each row still matches in a release with suppressed cells;
//! [`ClassJudge`] counts the classes of a release and how sensitive values are spread in them;
//! [`Exposure`] counts the rows that published columns make unique, whatever their roles are;
//! [`BucketJudge`] counts what each bucket of a release has, against the rows that it was made of;
//! [`Matching`] says what buckets tell about sensitive values; [`Truth`] says whether there is an
//! assignment of published to original rows in which every cell is true. Both, and
//! [`Outsider::compare`], have two tables and do not know which row is whose. [`Certificate`] proves that no suppression of cells costs less; [`loss`] says what an analyst
//! loses by a release of any kind.

mod bucket_index;
mod bucket_judge;
mod certificate;
mod class_judge;
mod classes;
mod covering;
mod error;
mod exposure;
mod flow;
mod keys;
mod lists;
pub mod loss;
mod matching;
mod notions;
mod truth;
mod work;

pub use bucket_judge::{BucketFacts, BucketJudge};
pub use certificate::Certificate;
pub use class_judge::{ClassFacts, ClassJudge, Condition, SpreadFacts};
pub use error::{Error, Result, Unread};
pub use exposure::{Exposure, ExposureFacts};
pub use matching::{Matching, MatchingFacts};
pub use notions::{Counts, Notions, Outsider};
pub use truth::{Truth, Untrue};
