//! Internal: attacks a release as an attacker would.
//!
//! An attack knows the release ([`Released`]), sometimes another file, and never the original: that is
//! there, where it is, to say which guesses were right. Without it most attacks count what they guess
//! and say that it is not scored. Every attack is a struct of settings whose `run` gives an [`Attack`]:
//! what the attacker knows, how often the guesses are right, what one gets without the attack, and the
//! setting that defends. No result holds a value.
//!
//! | Attack | On |
//! | --- | --- |
//! | [`Disambiguation`] | cells that were suppressed only where needed |
//! | [`RowOrder`] | releases in the original's order |
//! | [`Dependencies`] | suppressed and generalized cells in columns that others determine |
//! | [`WithinGroups`] | suppressed and generalized cells of rows that share a value of another column |
//! | [`DeFinetti`] | buckets |
//! | [`Composition`] | two releases about the same people |
//! | [`Membership`] | slices |
//! | [`SeedGuess`] | orders that a seed made |
//! | [`Linkage`] | releases with columns that another file has |
//! | [`Homogeneity`], [`Skewness`] | classes with few or uneven sensitive values |
//!
//! Downcoding (Cohen, USENIX Security 2022), which undoes minimal generalization by knowing how the
//! table was distributed, is out of scope: it needs that distribution. So is the minimality attack on
//! l-diversity beyond single cells.

mod attack;
mod composition;
mod covers;
mod definetti;
mod dependencies;
mod disambiguation;
mod error;
mod fits;
mod groups;
mod homogeneity;
mod interval;
mod linkage;
mod membership;
mod released;
mod row_order;
mod seeds;
mod strips;
mod within_groups;

pub use attack::{Attack, AttackedColumn};
pub use composition::{Composition, Part};
pub use definetti::DeFinetti;
pub use dependencies::Dependencies;
pub use disambiguation::{Disambiguation, Equals};
pub use error::{Error, Result};
pub use homogeneity::{Homogeneity, Skewness};
pub use linkage::Linkage;
pub use membership::Membership;
pub use released::{Released, Rows};
pub use row_order::RowOrder;
pub use seeds::SeedGuess;
pub use within_groups::WithinGroups;
