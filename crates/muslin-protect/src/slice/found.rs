use muslin_engine::Coverage;
use muslin_table::{Changes, ColumnSet, Ratio};

use crate::Protection;

/// A sliced table: its slices, its buckets and what changes places.
#[derive(Clone, Debug)]
#[must_use]
pub struct Sliced {
    pub(super) slices: Vec<ColumnSet>,
    pub(super) bucket_of: Vec<u32>,
    pub(super) sizes: Vec<u32>,
    pub(super) max_p: Ratio,
    pub(super) feasible_l: u32,
    pub(super) changes: Changes,
    pub(super) coverage: Coverage,
}

impl Sliced {
    /// Columns that stay together.
    pub fn slices(&self) -> &[ColumnSet] {
        &self.slices
    }

    /// The bucket of each row.
    pub fn bucket_of(&self) -> &[u32] {
        &self.bucket_of
    }

    /// Number of buckets.
    pub fn buckets(&self) -> usize {
        self.sizes.len()
    }

    /// Rows in each bucket.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Rows in the smallest bucket.
    pub fn smallest(&self) -> u32 {
        self.sizes.iter().copied().min().unwrap_or(0)
    }

    /// Rows in the largest bucket.
    pub fn largest(&self) -> u32 {
        self.sizes.iter().copied().max().unwrap_or(0)
    }

    /// The largest probability with which somebody's sensitive value is told from the release, by
    /// who knows all other values of that row. Where buckets were given and the fraction does not
    /// fit, it is rounded up.
    pub fn max_p(&self) -> Ratio {
        self.max_p
    }

    /// The largest l for which the release is diverse.
    pub fn effective_l(&self) -> u32 {
        largest_l(self.max_p)
    }

    /// The largest l that these slices allow when no bucket is split.
    pub fn feasible_l(&self) -> u32 {
        self.feasible_l
    }

    /// Whose cells change places, and the column of buckets.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// How far the run got. The release is diverse in any case.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}

impl From<Sliced> for Protection {
    fn from(found: Sliced) -> Self {
        Self::new(found.changes, found.coverage)
    }
}

/// The largest l for which a probability is at most 1/l.
pub(crate) fn largest_l(p: Ratio) -> u32 {
    p.whole().checked_div(p.part()).map_or(u32::MAX, |l| u32::try_from(l).unwrap_or(u32::MAX))
}
