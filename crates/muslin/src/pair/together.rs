//! Whether columns stayed together.

use std::hash::{BuildHasher, Hasher};

use foldhash::quality::FixedState;
use muslin_table::{ColumnId, EncodedTable};
use muslin_verify::loss::{Cover, Reading};

use crate::input::names;

/// A warning for each slice whose cells the release pairs otherwise than the original did. Slices
/// with cells that were generalized or suppressed are not looked at.
pub(super) fn warnings(
    original: &EncodedTable,
    release: &EncodedTable,
    reading: &Reading,
) -> Vec<String> {
    if original.rows() != release.rows() {
        return Vec::new();
    }
    let slices = reading.slices().unwrap_or_default();
    let apart = slices.iter().filter(|slice| slice.len() > 1).filter(|slice| {
        let published = published(release, reading, slice);
        let before: Vec<Vec<u32>> = slice.iter().map(|&id| cells(original, id)).collect();
        published.is_some_and(|after| sum(&before) != sum(&after))
    });
    let warning = |slice: &Vec<ColumnId>| {
        let own: Vec<&str> = slice.iter().map(|&id| original.column(id).name()).collect();
        format!(
            "these columns did not stay together in the release, so figures about buckets are wrong: {}; pass `--slices` as the release was cut",
            names(&own)
        )
    };
    apart.map(warning).collect()
}

/// The cells of a column, missing ones as the largest number.
fn cells(original: &EncodedTable, id: ColumnId) -> Vec<u32> {
    let column = original.column(id);
    let cell = |slot: u32| if slot == column.missing_slot() { u32::MAX } else { slot };
    column.codes().slots().map(cell).collect()
}

/// The cells of a slice as slots of the original, where each is one.
fn published(
    release: &EncodedTable,
    reading: &Reading,
    slice: &[ColumnId],
) -> Option<Vec<Vec<u32>>> {
    let column = |&id: &ColumnId| -> Option<Vec<u32>> {
        let column = release.column(reading.published(id)?);
        let slot = |slot: u32| match reading.cover(id, slot) {
            Cover::Exact(value) => Some(*value),
            Cover::Missing => Some(u32::MAX),
            _ => None,
        };
        column.codes().slots().map(slot).collect()
    };
    slice.iter().map(column).collect()
}

/// A number that lists of the same rows have in common, in whatever order, and others hardly ever.
fn sum(columns: &[Vec<u32>]) -> u128 {
    let rows = columns.first().map_or(0, Vec::len);
    let row = |row: usize| {
        let hash = |seed: u64| {
            let mut hasher = FixedState::with_seed(seed).build_hasher();
            columns.iter().for_each(|column| hasher.write_u32(column[row]));
            hasher.finish()
        };
        u128::from(hash(1)) << 64 | u128::from(hash(2))
    };
    (0..rows).map(row).fold(0, u128::wrapping_add)
}
