//! Exact arithmetic of small fractions, for the oracles.

use muslin_table::Ratio;

/// A fraction of 0 or more, in lowest terms. Sums of very different denominators overflow and
/// panic: the tables of tests are small.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Fraction {
    part: u128,
    whole: u128,
}

impl Fraction {
    pub(super) const ZERO: Self = Self { part: 0, whole: 1 };
    pub(super) const ONE: Self = Self { part: 1, whole: 1 };

    /// `part` of `whole`, which is not 0.
    pub(super) fn new(part: usize, whole: usize) -> Self {
        Self::reduced(part as u128, whole as u128)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let common = gcd(self.whole, other.whole);
        let (left, right) = (other.whole / common, self.whole / common);
        Self::reduced(self.part * left + other.part * right, self.whole * left)
    }

    pub(super) fn times(self, other: Self) -> Self {
        // Crosswise in lowest terms, the products are as small as can be.
        let (a, b) = (Self::reduced(self.part, other.whole), Self::reduced(other.part, self.whole));
        Self { part: a.part * b.part, whole: a.whole * b.whole }
    }

    /// This part of `other`, which is not 0.
    pub(super) fn over(self, other: Self) -> Self {
        self.times(Self { part: other.whole, whole: other.part })
    }

    pub(super) fn sum(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::ZERO, Self::plus)
    }

    pub(super) fn product(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::ONE, Self::times)
    }

    pub(super) fn ratio(self) -> Ratio {
        Ratio::new(self.part, self.whole)
    }

    fn reduced(part: u128, whole: u128) -> Self {
        let common = gcd(part, whole);
        Self { part: part / common, whole: whole / common }
    }
}

/// The greatest common divisor; of 0 and a number, the number.
fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_thirds_and_sixths_make_a_whole() {
        let [half, third, sixth] = [2, 3, 6].map(|whole| Fraction::new(1, whole));
        assert!(Fraction::sum([half, third, sixth]) == Fraction::ONE);
        assert!(half.times(third) == sixth && sixth.over(third) == half);
        assert!(Fraction::product([half, Fraction::ZERO]) == Fraction::new(0, 7));
        assert_eq!(Fraction::new(4, 6).ratio(), Ratio::new(2, 3));
    }
}
