//! Numbers of any size: products of more shares and counts than a floating-point number holds.

/// A number that is not negative.
///
/// It is scaled by powers of two alone, which is exact: roundings are those of floating point.
///
/// # Invariants
/// Zero has exponent 0; every other mantissa is from 2^-256 to below 2^256. So equal numbers are equal
/// in both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scaled {
    mantissa: f64,
    /// Of 2^512.
    exponent: i32,
}

/// 2^512.
const STEP: f64 = f64::from_bits((1023 + 512) << 52);
/// 2^256.
const LARGE: f64 = f64::from_bits((1023 + 256) << 52);

impl Scaled {
    pub(crate) const ZERO: Self = Self { mantissa: 0.0, exponent: 0 };
    pub(crate) const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// A number that is finite and not negative.
    pub(crate) fn new(number: f64) -> Self {
        Self { mantissa: number, exponent: 0 }.normal()
    }

    fn normal(mut self) -> Self {
        if self.mantissa == 0.0 {
            return Self::ZERO;
        }
        while self.mantissa >= LARGE {
            self.mantissa /= STEP;
            self.exponent += 1;
        }
        while self.mantissa < 1.0 / LARGE {
            self.mantissa *= STEP;
            self.exponent -= 1;
        }
        self
    }

    /// The product with a number from 2^-256 to 2^256.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self { mantissa: self.mantissa * factor, ..self }.normal()
    }

    /// The product with another.
    pub(crate) fn by(self, other: Self) -> Self {
        let exponent = self.exponent + other.exponent;
        Self { mantissa: self.mantissa * other.mantissa, exponent }.normal()
    }

    /// The sum with another.
    pub(crate) fn plus(self, other: Self) -> Self {
        if self.mantissa == 0.0 {
            return other;
        }
        let exponent = if other.mantissa == 0.0 { self.exponent } else { other.exponent };
        let exponent = exponent.max(self.exponent);
        Self { mantissa: self.at(exponent) + other.at(exponent), exponent }.normal()
    }

    /// The number over 2^512 to the power of `exponent`, which is no less than its own.
    fn at(self, exponent: i32) -> f64 {
        match exponent - self.exponent {
            0 => self.mantissa,
            1 => self.mantissa / STEP,
            // Too little to be added to what has that exponent.
            _ => 0.0,
        }
    }

    /// The number, or infinity where it is too large; where it is too small, about zero.
    pub(crate) fn as_f64(self) -> f64 {
        match self.exponent {
            0 => self.mantissa,
            1 => self.mantissa * STEP,
            2 => self.mantissa * STEP * STEP,
            -1 => self.mantissa / STEP,
            -2 => self.mantissa / STEP / STEP,
            3.. => f64::INFINITY,
            _ => 0.0,
        }
    }

    /// The logarithm of the number without its last bits, so that products of the same factors are
    /// equal whatever their order.
    pub(crate) fn rounded_log2(self) -> f64 {
        let bits = (self.mantissa.to_bits() + (1 << 15)) & !((1 << 16) - 1);
        f64::from_bits(bits).log2() + f64::from(self.exponent) * 512.0
    }
}

/// Numbers in proportion to these, which add up without an overflow.
pub(crate) fn weights(
    numbers: impl Iterator<Item = Scaled> + Clone,
) -> impl Iterator<Item = f64> + Clone {
    let some = numbers.clone().filter(|number| number.mantissa > 0.0);
    let largest = some.map(|number| number.exponent).max().unwrap_or(0);
    numbers.map(move |number| if number.mantissa > 0.0 { number.at(largest) } else { 0.0 })
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "powers of two are exact")]
mod tests {
    use super::*;

    fn power(base: f64, times: usize) -> Scaled {
        (0..times).fold(Scaled::ONE, |product, _| product.times(base))
    }

    #[test]
    fn products_of_any_size_have_logarithms() {
        for (base, times) in [(0.01, 1_000), (400.0, 1_000), (3.0, 40), (0.5, 7)] {
            let expected = f64::log2(base) * f64::from(u32::try_from(times).expect("few"));
            let found = power(base, times).rounded_log2();
            assert!((found - expected).abs() < 1e-8, "{base} {times}: {found}");
        }
        assert_eq!(power(3.0, 40).as_f64(), 3f64.powi(40));
        assert_eq!((power(400.0, 200).as_f64(), power(0.01, 200).as_f64()), (f64::INFINITY, 0.0));
        assert_eq!(power(2.0, 600).by(power(0.5, 600)), Scaled::ONE);
        assert_eq!(Scaled::new(f64::MAX).as_f64(), f64::MAX);
        assert_eq!(Scaled::new(1e-310).as_f64(), 1e-310);
    }

    #[test]
    fn sums_keep_what_can_be_kept() {
        let (small, large) = (power(2.0, 250), power(2.0, 300));
        assert_eq!(small.plus(large).as_f64(), 2f64.powi(250) + 2f64.powi(300));
        assert_eq!(small.plus(large), large.plus(small));
        assert_eq!(power(2.0, 3_000).plus(Scaled::ONE), power(2.0, 3_000));
        let tiny = power(0.01, 1_000);
        assert_eq!(tiny.plus(Scaled::ZERO), tiny);
        assert_eq!(Scaled::ZERO.plus(tiny), tiny);
    }

    #[test]
    fn weights_are_in_proportion() {
        let numbers = [power(2.0, 5_000), power(2.0, 5_002), Scaled::ONE, Scaled::ZERO];
        let found: Vec<f64> = weights(numbers.into_iter()).collect();
        assert_eq!(found[1] / found[0], 4.0);
        assert_eq!(found[2..], [0.0, 0.0]);
        let tiny = [power(0.5, 5_000), Scaled::ZERO];
        assert!(weights(tiny.into_iter()).next().is_some_and(|weight| weight > 0.0));
    }
}
