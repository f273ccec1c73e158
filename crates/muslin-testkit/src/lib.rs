//! Internal: what tests share. Generated tables, answers by brute force, tables from the papers.

pub mod data;
pub mod engines;
pub mod generate;
mod keyed;
mod labelled;
pub mod oracle;
pub mod published;
mod recoded;
mod survey;
