//! Sums of fractions that may not fit 128 bits.

use muslin_table::Ratio;

/// A sum of positive fractions while it fits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    exact: Option<(u128, u128)>,
}

impl Sum {
    /// Nothing.
    pub(crate) const ZERO: Self = Self { exact: Some((0, 1)) };

    /// Adds a fraction, or one that does not fit.
    pub(crate) fn add(&mut self, term: Option<(u128, u128)>) {
        self.exact = self.exact.zip(term).and_then(|((part, whole), (own_part, own_whole))| {
            let common = gcd(own_part, own_whole).max(1);
            let (own_part, own_whole) = (own_part / common, own_whole / common);
            let common = gcd(whole, own_whole);
            let left = part.checked_mul(own_whole / common)?;
            let right = own_part.checked_mul(whole / common)?;
            let part = left.checked_add(right)?;
            let whole = whole.checked_mul(own_whole / common)?;
            let common = gcd(part, whole).max(1);
            Some((part / common, whole / common))
        });
    }

    /// The sum, where it fits.
    pub(crate) fn exact(self) -> Option<Ratio> {
        self.exact.map(|(part, whole)| Ratio::new(part, whole))
    }

    /// This sum as a share of `of`, where it fits.
    pub(crate) fn share(self, of: Self) -> Option<Ratio> {
        let ((part, whole), (of_part, of_whole)) = (self.exact?, of.exact?);
        let (down, across) = (gcd(part, of_part).max(1), gcd(whole, of_whole));
        let part = (part / down).checked_mul(of_whole / across)?;
        let whole = (of_part / down).checked_mul(whole / across)?;
        Some(Ratio::new(part, whole))
    }
}

/// A fraction of at least a number from 0 to 1, less than a quintillionth above it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number from 0 to 2^60"
)]
pub(crate) fn upwards(number: f64) -> Ratio {
    let whole = 1u64 << 60;
    let part = (number.clamp(0.0, 1.0) * 2f64.powi(60)).ceil() as u64;
    Ratio::new(u128::from(part.min(whole)), u128::from(whole))
}

/// The greatest common divisor; of zero and a number, that number.
pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_while_they_fit() {
        let (mut third, mut half) = (Sum::ZERO, Sum::ZERO);
        third.add(Some((1, 6)));
        third.add(Some((1, 6)));
        half.add(Some((1, 2)));
        assert_eq!(third.share(half), Some(Ratio::new(2, 3)));
        // Denominators without a common divisor: the third no longer fits.
        let mut sum = Sum::ZERO;
        for whole in [(1 << 61) - 1, 1 << 60, 3u128.pow(38)] {
            sum.add(Some((1, whole)));
        }
        assert_eq!(sum.exact(), None);
        assert_eq!(sum.share(half), None);
    }

    #[test]
    fn numbers_are_rounded_up() {
        assert!(upwards(1.0 / 3.0) >= Ratio::new(1, 3) || upwards(1.0 / 3.0).as_f64() >= 1.0 / 3.0);
        assert_eq!(upwards(7.0), Ratio::new(1, 1));
    }
}
