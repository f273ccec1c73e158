//! Whole numbers of any size: sums of fractions of many different wholes.

use std::cmp::Ordering;

/// A whole number, its lowest 64 bits first, without leading zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Big(Vec<u64>);

impl Big {
    pub(super) fn new(number: u64) -> Self {
        let mut big = Self(vec![number]);
        big.trim();
        big
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of bits up to the highest that is set.
    pub(super) fn bits(&self) -> u64 {
        let high = self.0.last().map_or(0, |word| 64 - u64::from(word.leading_zeros()));
        high + 64 * (self.0.len() as u64).saturating_sub(1)
    }

    pub(super) fn times(mut self, factor: u64) -> Self {
        let mut carry = 0;
        for word in &mut self.0 {
            let product = u128::from(*word) * u128::from(factor) + carry;
            *word = low(product);
            carry = product >> 64;
        }
        self.0.push(low(carry));
        self.trim();
        self
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()) + 1, 0);
        let mut carry = 0;
        for (at, word) in self.0.iter_mut().enumerate() {
            let sum = u128::from(*word) + u128::from(other.0.get(at).copied().unwrap_or(0)) + carry;
            *word = low(sum);
            carry = sum >> 64;
        }
        self.trim();
    }

    /// Takes away a number that is not larger.
    fn take(&mut self, other: &Self) {
        let mut borrow = false;
        for (at, word) in self.0.iter_mut().enumerate() {
            let (less, under) = word.overflowing_sub(other.0.get(at).copied().unwrap_or(0));
            let (less, again) = less.overflowing_sub(u64::from(borrow));
            *word = less;
            borrow = under || again;
        }
        self.trim();
    }

    /// Without its lowest bits, rounded down.
    pub(super) fn shifted_down(&self, bits: u64) -> Self {
        let words = usize::try_from(bits / 64).unwrap_or(usize::MAX).min(self.0.len());
        let mut rest = Self(self.0[words..].to_vec());
        let shift = bits % 64;
        if shift > 0 {
            let above: Vec<u64> = rest.0.iter().skip(1).copied().chain([0]).collect();
            for (word, above) in rest.0.iter_mut().zip(above) {
                *word = *word >> shift | above << (64 - shift);
            }
        }
        rest.trim();
        rest
    }

    fn shifted_up(&self, bits: u64) -> Self {
        let words = usize::try_from(bits / 64).unwrap_or(usize::MAX);
        let mut big = Self(vec![0; words]);
        big.0.extend(&self.0);
        big.trim();
        big.times(1 << (bits % 64))
    }

    fn zeros(&self) -> u64 {
        let words = self.0.iter().take_while(|&&word| word == 0).count();
        64 * words as u64 + self.0.get(words).map_or(0, |word| u64::from(word.trailing_zeros()))
    }

    /// The greatest common divisor of two numbers that are not 0.
    pub(super) fn common(&self, other: &Self) -> Self {
        let both = self.zeros().min(other.zeros());
        let mut a = self.shifted_down(self.zeros());
        let mut b = other.shifted_down(other.zeros());
        // Both are odd, so their difference is even and has the same odd divisors in common.
        loop {
            match a.cmp(&b) {
                Ordering::Equal => return a.shifted_up(both),
                Ordering::Less => std::mem::swap(&mut a, &mut b),
                Ordering::Greater => {}
            }
            a.take(&b);
            a = a.shifted_down(a.zeros());
        }
    }

    /// How often a divisor goes into it, where that has 128 bits at most.
    pub(super) fn divided(&self, divisor: &Self) -> Option<u128> {
        let more = self.bits().saturating_sub(divisor.bits());
        if more > 128 {
            return None;
        }
        let mut rest = self.clone();
        let mut times = 0u128;
        for bit in (0..=more).rev() {
            let part = divisor.shifted_up(bit);
            if rest >= part {
                rest.take(&part);
                times |= 1u128.checked_shl(u32::try_from(bit).ok()?)?;
            }
        }
        Some(times)
    }

    /// The number, where it has 128 bits at most.
    pub(super) fn small(&self) -> Option<u128> {
        match self.0[..] {
            [] => Some(0),
            [low] => Some(low.into()),
            [low, high] => Some(u128::from(low) | u128::from(high) << 64),
            _ => None,
        }
    }
}

impl Ord for Big {
    fn cmp(&self, other: &Self) -> Ordering {
        let highest_first = || self.0.iter().rev().cmp(other.0.iter().rev());
        self.0.len().cmp(&other.0.len()).then_with(highest_first)
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
fn low(wide: u128) -> u64 {
    wide as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn big(number: u128) -> Big {
        let mut big = Big::new(low(number >> 64)).shifted_up(64);
        big.add(&Big::new(low(number)));
        big
    }

    proptest! {
        #[test]
        fn numbers_of_128_bits_are_what_they_should_be(
            a in any::<u128>(), b in any::<u128>(), cut in 0u32..128, by in 0u64..130, small in any::<u64>(),
        ) {
            let (a, b) = ((a >> cut).max(1), (b >> (cut / 2)).max(1));
            let (more, less) = (a.max(b), a.min(b));
            prop_assert_eq!(big(a).small(), Some(a));
            prop_assert_eq!(big(a).cmp(&big(b)), a.cmp(&b));
            prop_assert_eq!(big(a).bits(), u64::from(128 - a.leading_zeros()));
            let mut rest = big(more);
            rest.take(&big(less));
            prop_assert_eq!(rest.small(), Some(more - less));
            rest.add(&big(less));
            prop_assert_eq!(rest.small(), Some(more));
            let down = u32::try_from(by).ok().and_then(|by| a.checked_shr(by)).unwrap_or(0);
            prop_assert_eq!(big(a).shifted_down(by).small(), Some(down));
            prop_assert_eq!(big(a).shifted_up(by).shifted_down(by).small(), Some(a));
            prop_assert_eq!(big(more).divided(&big(less)), Some(more / less));
            let (mut x, mut y) = (a, b);
            while y != 0 {
                (x, y) = (y, x % y);
            }
            prop_assert_eq!(big(a).common(&big(b)).small(), Some(x));
            // Larger ones: a product can be divided again.
            let product = big(a).times(small.max(1)).times(3);
            prop_assert_eq!(product.divided(&Big::new(small.max(1)).times(3)), Some(a));
        }
    }
}
