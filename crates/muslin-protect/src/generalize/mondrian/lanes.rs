//! Rows as short arrays of positions, and what the classes cost that they fall into.

use muslin_table::Slot;

use super::axis::{Axis, Tree, UNIT};

/// A position in some width.
pub(super) trait Lane: Slot {
    const LEAST: Self;
    const MOST: Self;
    const IS_WIDE: bool;
    fn position(self) -> u32;
}

impl Lane for u8 {
    const LEAST: Self = Self::MIN;
    const MOST: Self = Self::MAX;
    const IS_WIDE: bool = false;
    fn position(self) -> u32 {
        u32::from(self)
    }
}

impl Lane for u16 {
    const LEAST: Self = Self::MIN;
    const MOST: Self = Self::MAX;
    const IS_WIDE: bool = false;
    fn position(self) -> u32 {
        u32::from(self)
    }
}

impl Lane for u32 {
    const LEAST: Self = Self::MIN;
    const MOST: Self = Self::MAX;
    const IS_WIDE: bool = true;
    fn position(self) -> u32 {
        self
    }
}

/// Positions of a row, one lane a column; lanes that no column needs are 0.
pub(super) type Row<T, const N: usize> = [T; N];

/// The first and the last position of some rows in every lane.
#[derive(Clone, Copy)]
pub(super) struct Bounds<T, const N: usize> {
    pub(super) lo: Row<T, N>,
    pub(super) hi: Row<T, N>,
}

impl<T: Lane, const N: usize> Bounds<T, N> {
    /// Those of no row.
    pub(super) const EMPTY: Self = Self { lo: [T::MOST; N], hi: [T::LEAST; N] };

    pub(super) fn of(rows: &[Row<T, N>]) -> Self {
        let mut bounds = Self::EMPTY;
        rows.iter().for_each(|row| bounds.take(row));
        bounds
    }

    #[inline]
    pub(super) fn take(&mut self, row: &Row<T, N>) {
        self.lo.iter_mut().zip(row).for_each(|(lo, &at)| *lo = (*lo).min(at));
        self.hi.iter_mut().zip(row).for_each(|(hi, &at)| *hi = (*hi).max(at));
    }

    #[inline]
    pub(super) fn join(&mut self, other: &Self) {
        self.lo.iter_mut().zip(&other.lo).for_each(|(lo, &at)| *lo = (*lo).min(at));
        self.hi.iter_mut().zip(&other.hi).for_each(|(hi, &at)| *hi = (*hi).max(at));
    }

    /// First and last position in a lane.
    pub(super) fn lane(&self, lane: usize) -> (u32, u32) {
        (self.lo[lane].position(), self.hi[lane].position())
    }
}

/// What a row of a class costs, by the bounds of the class, in units of [`UNIT`] a cell.
#[derive(Clone, Debug)]
pub(super) struct Prices<const N: usize> {
    /// Of a step, in each lane that is priced by steps.
    scales: [u32; N],
    /// The same with 32 more bits, for lanes with more steps than [`UNIT`] can tell apart.
    fine: [u64; N],
    /// Where missing is.
    missing: [u32; N],
    has_gaps: bool,
    trees: Vec<(usize, Tree, u64)>,
}

impl<const N: usize> Prices<N> {
    pub(super) fn of(axes: &[Axis]) -> Self {
        let mut prices = Self {
            scales: [0; N],
            fine: [0; N],
            missing: [u32::MAX; N],
            has_gaps: axes.iter().any(|axis| axis.has_gaps),
            trees: Vec::new(),
        };
        for (lane, axis) in axes.iter().enumerate() {
            let fine = match axis.steps() {
                // Whole scales, so that every width of lane prices alike.
                steps @ 0..=0xFFFF => u64::from(UNIT / steps) << 32,
                steps => (u64::from(UNIT) << 32) / u64::from(steps),
            };
            prices.missing[lane] = axis.values;
            if let Some(tree) = &axis.tree {
                prices.trees.push((lane, tree.clone(), fine));
            } else {
                prices.fine[lane] = fine;
                prices.scales[lane] = u32::try_from(fine >> 32).expect("at most a unit");
            }
        }
        prices
    }

    /// What a row of a class with these bounds costs.
    #[inline]
    pub(super) fn row<T: Lane>(&self, bounds: &Bounds<T, N>) -> u32 {
        let mut sum = 0u32;
        let step = |lane: usize| {
            let width = bounds.hi[lane].position() - bounds.lo[lane].position();
            if T::IS_WIDE { scaled(width, self.fine[lane]) } else { width * self.scales[lane] }
        };
        if self.has_gaps {
            for lane in 0..N {
                let (lo, hi) = bounds.lane(lane);
                let missing = self.missing[lane];
                sum += if hi < missing {
                    step(lane)
                } else if lo < hi || hi > missing {
                    UNIT
                } else {
                    0
                };
            }
        } else {
            for lane in 0..N {
                sum += step(lane);
            }
        }
        for (lane, tree, fine) in &self.trees {
            let (lo, hi) = bounds.lane(*lane);
            if lo < hi && hi < self.missing[*lane] {
                sum += scaled(tree.steps(lo, hi), *fine);
            }
        }
        sum
    }
}

#[inline]
fn scaled(steps: u32, fine: u64) -> u32 {
    u32::try_from((u64::from(steps) * fine) >> 32).expect("at most a unit")
}
