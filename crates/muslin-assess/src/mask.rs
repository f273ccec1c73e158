#![expect(
    clippy::inline_always,
    reason = "bodies of tasks are compiled anew for each instruction set, see kernel"
)]

use std::cmp::Ordering;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign};

/// A set of small numbers, of columns mostly: one bit each in `W` words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mask<const W: usize>(pub(crate) [u64; W]);

impl<const W: usize> Mask<W> {
    /// The empty set.
    pub(crate) const EMPTY: Self = Self([0; W]);

    /// The set of one number.
    #[inline(always)]
    pub(crate) fn one(number: usize) -> Self {
        let mut set = Self::EMPTY;
        set.insert(number);
        set
    }

    /// The numbers below `count`.
    #[inline(always)]
    pub(crate) fn first(count: usize) -> Self {
        Self(std::array::from_fn(|word| match count.saturating_sub(word * 64) {
            rest @ 0..64 => (1 << rest) - 1,
            _ => u64::MAX,
        }))
    }

    #[inline(always)]
    pub(crate) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    #[inline(always)]
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The numbers of this set that are not in `other`.
    #[inline(always)]
    pub(crate) fn without(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        self
    }

    /// Whether every number of this set is in `other`.
    #[inline(always)]
    pub(crate) fn is_within(&self, other: Self) -> bool {
        self.without(other).is_empty()
    }

    /// Smaller sets first, then by their numbers.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let by_numbers = || {
            let differ = self.0.iter().zip(&other.0).find(|(a, b)| a != b);
            // The one that has the lowest number that is not in both comes first.
            differ.map_or(Ordering::Equal, |(a, b)| {
                let lowest = (a ^ b) & (a ^ b).wrapping_neg();
                if a & lowest != 0 { Ordering::Less } else { Ordering::Greater }
            })
        };
        self.len().cmp(&other.len()).then_with(by_numbers)
    }

    /// The numbers, rising.
    #[inline(always)]
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        self.0
            .into_iter()
            .enumerate()
            .flat_map(|(index, word)| Ones(word).map(move |bit| index * 64 + bit))
    }
}

impl<const W: usize> BitAnd for Mask<W> {
    type Output = Self;
    #[inline(always)]
    fn bitand(mut self, other: Self) -> Self {
        self &= other;
        self
    }
}

impl<const W: usize> BitAndAssign for Mask<W> {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= b);
    }
}

impl<const W: usize> BitOr for Mask<W> {
    type Output = Self;
    #[inline(always)]
    fn bitor(mut self, other: Self) -> Self {
        self |= other;
        self
    }
}

impl<const W: usize> BitOrAssign for Mask<W> {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }
}

/// The positions of the ones of a word, rising.
pub(crate) struct Ones(pub(crate) u64);

impl Iterator for Ones {
    type Item = usize;
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}
