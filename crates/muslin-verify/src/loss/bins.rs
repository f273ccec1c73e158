//! Columns in few bins.

use muslin_table::Column;

/// Values of a column that count as one: each by itself, or equal widths of numbers, days or times.
///
/// A bin is a stretch of positions; missing is the last bin and always there.
pub(super) struct Bins {
    /// The first position of each bin.
    pub(super) starts: Vec<u32>,
    pub(super) is_binned: bool,
}

impl Bins {
    /// A bin for each value.
    fn single(column: &Column) -> Self {
        Self { starts: (0..=column.missing_slot()).collect(), is_binned: false }
    }

    /// `bins` equal widths where the column has more than `values` values that have distances, else
    /// a bin for each value. Bins without a value are left out; numbers that are not finite go to the
    /// bin at their end.
    pub(super) fn new(column: &Column, values: usize, bins: u32) -> Self {
        if column.dictionary().len() <= values {
            return Self::single(column);
        }
        let Some(numbers) = column.dictionary().numbers() else {
            return Self::single(column);
        };
        let finite = || numbers.iter().copied().filter(|number| number.is_finite());
        let lowest = finite().fold(f64::INFINITY, f64::min);
        let width = (finite().fold(f64::NEG_INFINITY, f64::max) - lowest) / f64::from(bins);
        // Whole numbers up to the number of bins, as floats: they compare exactly.
        let bin = |number: f64| match (number - lowest) / width {
            at if at.is_nan() => f64::from(bins - 1),
            at => at.floor().clamp(0.0, f64::from(bins - 1)),
        };
        let mut starts: Vec<u32> = Vec::new();
        let mut last = f64::NEG_INFINITY;
        for (position, &number) in (0u32..).zip(&numbers) {
            if bin(number) > last {
                starts.push(position);
                last = bin(number);
            }
        }
        starts.push(column.missing_slot());
        Self { starts, is_binned: true }
    }

    /// Number of bins, that of missing included.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The bin of each position.
    pub(super) fn of_positions(&self) -> Vec<u32> {
        let positions = self.starts.last().map_or(0, |&missing| missing as usize + 1);
        let mut bins = Vec::with_capacity(positions);
        for bin in (0u32..).take(self.len()) {
            let end = self.starts.get(bin as usize + 1).map_or(positions, |&next| next as usize);
            bins.resize(end, bin);
        }
        bins
    }
}
