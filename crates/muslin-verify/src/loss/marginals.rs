//! Each column by itself, before and after.

use muslin_table::{Column, ColumnId, EncodedTable};

use super::bins::Bins;
use super::cells::share;
use super::reconstruction::Reconstruction;
use super::spread::float;

/// Bins of a column, at most, besides that of missing cells.
const BINS: u32 = 20;

/// Values of a column that are counted together, as codes of the original's column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bin {
    /// One value.
    Value(u32),
    /// The values from the first to the last: an equal width of numbers, days or times.
    Range {
        /// The smallest value.
        first: u32,
        /// The largest value.
        last: u32,
    },
    /// So many values that no other bin has: the less frequent ones.
    Others(u32),
    /// Missing cells.
    Missing,
}

/// How often values come in one column, before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Marginal {
    column: ColumnId,
    bins: Vec<Bin>,
    before: Vec<u64>,
    after: Vec<f64>,
    total_variation: f64,
}

impl Marginal {
    /// The column, of the original.
    pub fn column(&self) -> ColumnId {
        self.column
    }

    /// What is counted together. A column of at most 20 values has a bin for each; numbers, days and
    /// times have 20 equal widths, less those without a value; others have the 19 most frequent
    /// values (ties to the smaller) in value order and one bin for the rest. Missing comes last, where
    /// the original has missing cells.
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// Rows of the original in each bin.
    pub fn before(&self) -> &[u64] {
        &self.before
    }

    /// Rows that the reconstruction expects in each bin; together the rows of the release.
    pub fn after(&self) -> &[f64] {
        &self.after
    }

    /// Half the sum over the bins of how much their shares differ.
    pub fn total_variation(&self) -> f64 {
        self.total_variation
    }

    pub(super) fn new(original: &EncodedTable, made: &Reconstruction, at: usize) -> Self {
        let column = &original.columns()[at];
        let mut rows = vec![0u64; column.slots()];
        column.codes().slots().for_each(|slot| rows[slot as usize] += 1);
        let (bins, of_value) = bins(column, &rows);
        let count = bins.len();
        let (mut before, mut after) = (vec![0; count], vec![0.0; count]);
        for (position, &bin) in of_value.iter().enumerate() {
            before[bin as usize] += rows[position];
            after[bin as usize] += made.spreads[at].expected()[position];
        }
        let (all, released) = (float(original.rows() as u64), float(made.rows));
        let differ = |(&before, &after): (&u64, &f64)| {
            (share(float(before), all) - share(after, released)).abs()
        };
        let total_variation =
            before.iter().zip(&after).map(differ).fold(0.0, |sum, one| sum + one / 2.0);
        Self { column: ColumnId::new(at), bins, before, after, total_variation }
    }
}

/// The bins of a column and that of each position.
fn bins(column: &Column, rows: &[u64]) -> (Vec<Bin>, Vec<u32>) {
    let missing = column.missing_slot();
    let made = Bins::new(column, BINS as usize, BINS);
    let (mut bins, mut of): (Vec<Bin>, Vec<u32>) = if made.len() > BINS as usize + 1 {
        let mut order: Vec<u32> = (0..missing).collect();
        order.sort_by_key(|&value| std::cmp::Reverse(rows[value as usize]));
        let mut kept = order[..BINS as usize - 1].to_vec();
        kept.sort_unstable();
        let bin = |value: u32| match kept.binary_search(&value) {
            Ok(bin) => u32::try_from(bin).expect("there are few bins"),
            Err(_) => BINS - 1,
        };
        let rest = missing - (BINS - 1);
        let named = kept.iter().map(|&value| Bin::Value(value)).chain([Bin::Others(rest)]);
        (named.collect(), (0..missing).map(bin).collect())
    } else {
        let ends = made.starts.windows(2).map(|pair| (pair[0], pair[1] - 1));
        let bin = |(first, last)| {
            if made.is_binned { Bin::Range { first, last } } else { Bin::Value(first) }
        };
        let mut of = made.of_positions();
        of.pop();
        (ends.map(bin).collect(), of)
    };
    if column.missing() > 0 {
        of.push(u32::try_from(bins.len()).expect("there are few bins"));
        bins.push(Bin::Missing);
    }
    (bins, of)
}
