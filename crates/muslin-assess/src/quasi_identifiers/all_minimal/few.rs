//! Classes of few rows, compared without a branch.

use super::classes::narrow;
use super::count::Together;

/// Rows of a class that are compared with each other, all with all.
pub(super) const FEW: usize = 4;

/// The slots of a class of few rows; what is not a row has a number that nothing else has.
pub(super) struct Few(pub(super) [u32; FEW]);

impl Few {
    #[inline]
    pub(super) fn new(class: &[u32], slot_of: impl Fn(u32) -> usize, alone: usize) -> Self {
        let mut slots = std::array::from_fn(Self::none);
        for (at, (slot, &row)) in slots.iter_mut().zip(class).enumerate() {
            let index = slot_of(row);
            *slot = if index == alone { Self::none(at) } else { narrow(index) };
        }
        Self(slots)
    }

    /// A number that is no slot: there are fewer of those.
    fn none(at: usize) -> u32 {
        u32::MAX - narrow(at)
    }

    /// How many rows have each row's slot, itself included.
    #[inline]
    pub(super) fn equals(&self) -> [u32; FEW] {
        let mut equals = [0; FEW];
        for other in self.0 {
            for (count, slot) in equals.iter_mut().zip(self.0) {
                *count += u32::from(slot == other);
            }
        }
        equals
    }

    /// Whether no row before has the same slot.
    pub(super) fn is_first(&self, at: usize) -> bool {
        !self.0[..at].contains(&self.0[at])
    }

    #[inline]
    pub(super) fn count(&self, rows: usize, found: &mut Together) {
        let equals = self.equals();
        let mut firsts = [1u32; FEW];
        for (before, other) in self.0.into_iter().enumerate() {
            for (at, (first, slot)) in firsts.iter_mut().zip(self.0).enumerate() {
                *first &= u32::from(slot != other || at <= before);
            }
        }
        // What is not a row is its own equal, first and alone.
        let filled = (FEW - rows) as u64;
        found.pairs += equals.iter().map(|&equals| u64::from(equals - 1)).sum::<u64>() / 2;
        found.repeated += FEW as u64 - firsts.iter().map(|&first| u64::from(first)).sum::<u64>();
        found.alone += equals.iter().map(|&e| u64::from(e == 1)).sum::<u64>() - filled;
    }
}
