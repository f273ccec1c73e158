//! Generalization: values give way to ranges, sets and groups until every class is large and
//! diverse enough.
//!
//! Two ways work with hierarchies. [`FullDomain`] takes every column to one level and finds the least
//! loss that way; [`LocalRecoding`] takes each class to levels of its own, which loses far less.

mod columns;
mod found;
mod full_domain;
mod group;
mod labels;
mod lattice;
mod local;
mod mondrian;
mod units;

pub use self::columns::at_level;
pub use self::found::Generalized;
pub use self::full_domain::FullDomain;
pub use self::labels::Grid;
pub use self::local::LocalRecoding;
pub use self::mondrian::{Cut, Form, Mondrian, Partitioned};

use crate::{Error, Result};

/// Rows that may be withheld: a share of all, from 0 to 1.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share from 0 to 1 of at most 2^32 rows"
)]
fn removable_rows(share: f64, rows: usize) -> Result<u64> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::Setting(
            "the share of rows to withhold is from 0 to 1\n  hint: pass one such as 0.02".into(),
        ));
    }
    // A share such as 0.07 is a little less than it says.
    Ok((share * rows as f64 * (1.0 + 1e-12)) as u64)
}
