//! Every attack: tables where it must succeed and where it must not, brute force on small tables, and
//! known figures on a real one.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adult;
mod blanks;
mod buckets;
mod common;
mod groups;
mod people;
mod results;
