use std::collections::BTreeMap;

use muslin_engine::Coverage;
use muslin_table::{Changes, Codes, Ratio};

use crate::Protection;
use crate::slice::{Buckets, Sum, largest_l};

/// Rows of a bucket that have a sensitive value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SensitiveCount {
    /// The bucket.
    pub bucket: u32,
    /// The slot of the value in the sensitive column.
    pub slot: u32,
    /// How many rows.
    pub count: u32,
}

/// A table in buckets, and what changes places.
#[derive(Clone, Debug)]
#[must_use]
pub struct Bucketized {
    pub(super) l: u32,
    pub(super) bucket_of: Vec<u32>,
    pub(super) sizes: Vec<u32>,
    pub(super) sensitive: Vec<SensitiveCount>,
    pub(super) rce: f64,
    pub(super) rce_exact: Option<Ratio>,
    pub(super) max_p: Ratio,
    pub(super) feasible_l: u32,
    pub(super) changes: Changes,
    pub(super) coverage: Coverage,
}

impl Bucketized {
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

    /// The largest share that a sensitive value has of a bucket.
    pub fn max_p(&self) -> Ratio {
        self.max_p
    }

    /// The largest l for which the release is diverse.
    pub fn effective_l(&self) -> u32 {
        largest_l(self.max_p)
    }

    /// The largest l that the table allows.
    pub fn feasible_l(&self) -> u32 {
        self.feasible_l
    }

    /// The reconstruction error: over all rows, the squared distance between the row's sensitive
    /// value and the shares of values in its bucket.
    pub fn rce(&self) -> f64 {
        self.rce
    }

    /// The reconstruction error as a fraction, where it fits.
    pub fn rce_exact(&self) -> Option<Ratio> {
        self.rce_exact
    }

    /// No l-diverse buckets have a smaller reconstruction error: the rows times `1 - 1/l`.
    pub fn rce_bound(&self) -> Ratio {
        let rows = self.bucket_of.len() as u128;
        Ratio::new(rows * u128::from(self.l - 1), self.l.into())
    }

    /// The sensitive values of each bucket and how many rows have them, in order: the second of the
    /// two tables in which buckets can be published, the first being all other columns and the bucket.
    pub fn sensitive_table(&self) -> &[SensitiveCount] {
        &self.sensitive
    }

    /// Which sensitive values change places, and the column of buckets.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// How far the run got. The release is diverse in any case.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}

impl From<Bucketized> for Protection {
    fn from(found: Bucketized) -> Self {
        Self::new(found.changes, found.coverage)
    }
}

/// The sensitive values of each bucket.
pub(super) fn counts(buckets: &Buckets, codes: &Codes) -> Vec<SensitiveCount> {
    let mut counts = Vec::new();
    for (bucket, rows) in (0u32..).zip(buckets.iter()) {
        let mut slots: Vec<u32> = rows.iter().map(|&row| codes.slot(row as usize)).collect();
        slots.sort_unstable();
        counts.extend(slots.chunk_by(|a, b| a == b).map(|same| {
            let count = u32::try_from(same.len()).expect("row ids are 32 bits wide");
            SensitiveCount { bucket, slot: same[0], count }
        }));
    }
    counts
}

/// The reconstruction error: the rows, less for each bucket the sum of the squares of its counts over
/// its size. Also as a fraction, where it fits.
#[expect(clippy::cast_precision_loss, reason = "the fraction is kept beside it")]
pub(super) fn error_of(counts: &[SensitiveCount], sizes: &[u32]) -> (f64, Option<Ratio>) {
    // Buckets of one size have one denominator.
    let mut squares: BTreeMap<u32, u128> = BTreeMap::new();
    for own in counts {
        *squares.entry(sizes[own.bucket as usize]).or_default() += u128::from(own.count).pow(2);
    }
    let (mut sum, mut near) = (Sum::ZERO, 0.0);
    for (&size, &squares) in &squares {
        sum.add(Some((squares, size.into())));
        near += squares as f64 / f64::from(size);
    }
    let rows: u128 = sizes.iter().map(|&size| u128::from(size)).sum();
    let exact = sum.exact().and_then(|sum| {
        let all = rows.checked_mul(sum.whole())?;
        Some(Ratio::new(all.checked_sub(sum.part())?, sum.whole()))
    });
    (exact.map_or(rows as f64 - near, Ratio::as_f64), exact)
}
