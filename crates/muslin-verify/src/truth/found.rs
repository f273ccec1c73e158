use muslin_table::ColumnId;

/// How many rows are listed at most.
pub(super) const LISTED: usize = 1_000;

/// What is not true in a release.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Untrue {
    pub(super) rows: Vec<u32>,
    pub(super) count: u64,
    pub(super) columns: Vec<(ColumnId, u64)>,
    pub(super) is_exact: bool,
}

impl Untrue {
    /// Rows of the release that are nobody's in one assignment that leaves few, in order: the first
    /// thousand. Of equal rows the last are listed. In buckets, rows of which a slice is nobody's.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The number of these rows. Where the result is exact and there are no buckets, no assignment
    /// leaves fewer; but where lists of counts are right column by column and not together, these are all
    /// rows that have such lists. Where buckets are right slice by slice and not together, all rows.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The columns of the original that are untrue by themselves, in order, and for each the fewest
    /// cells that say what no row is left for. None of them may be so and rows yet be untrue: by
    /// what stands beside what. Looked at where something is untrue or may be.
    pub fn columns(&self) -> Vec<(ColumnId, u64)> {
        self.columns.clone()
    }

    /// Whether nothing was left open. Otherwise what is found untrue is untrue for certain, but there
    /// may be more of it: see [`Truth`](crate::Truth).
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Whether nothing was found untrue.
    pub fn is_true(&self) -> bool {
        self.count == 0 && self.columns.is_empty()
    }
}
