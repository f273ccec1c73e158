use std::cmp::Ordering;
use std::fmt;

/// A share as an exact fraction, compared without rounding.
///
/// Zero of zero counts as the whole: in a table of one row every pair of rows is told apart,
/// there being none.
///
/// ```
/// use muslin_table::Ratio;
/// assert_eq!(Ratio::new(4, 5), Ratio::new(8, 10));
/// assert!(Ratio::new(79_999_999, 100_000_000) < Ratio::new(4, 5));
/// assert_eq!(Ratio::new(0, 0), Ratio::new(1, 1));
/// ```
#[derive(Clone, Copy)]
pub struct Ratio {
    part: u128,
    whole: u128,
}

impl Ratio {
    /// `part` of `whole`.
    pub fn new(part: u128, whole: u128) -> Self {
        if whole == 0 { Self { part: 1, whole: 1 } } else { Self { part, whole } }
    }

    /// The numerator, not reduced.
    pub fn part(self) -> u128 {
        self.part
    }

    /// The denominator, not reduced.
    pub fn whole(self) -> u128 {
        self.whole
    }

    /// The nearest floating-point number; for people to read, never to compare.
    #[expect(clippy::cast_precision_loss, reason = "the exact fraction is kept beside it")]
    pub fn as_f64(self) -> f64 {
        self.part as f64 / self.whole as f64
    }
}

impl Ord for Ratio {
    // Compares whole parts, then the reciprocals of the rests: no product can overflow.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut a, mut b) = (*self, *other);
        let mut flipped = false;
        loop {
            let (whole_a, rest_a) = (a.part / a.whole, a.part % a.whole);
            let (whole_b, rest_b) = (b.part / b.whole, b.part % b.whole);
            let order = whole_a.cmp(&whole_b);
            let order = if order != Ordering::Equal || rest_a == 0 || rest_b == 0 {
                order.then(rest_a.min(1).cmp(&rest_b.min(1)))
            } else {
                a = Self { part: a.whole, whole: rest_a };
                b = Self { part: b.whole, whole: rest_b };
                flipped = !flipped;
                continue;
            };
            return if flipped { order.reverse() } else { order };
        }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ratio {}

impl fmt::Debug for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.whole)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn order_is_that_of_cross_products(
            a in 0..=u64::MAX, b in 1..=u64::MAX, c in 0..=u64::MAX, d in 1..=u64::MAX
        ) {
            let (a, b, c, d) = (u128::from(a), u128::from(b), u128::from(c), u128::from(d));
            prop_assert_eq!(Ratio::new(a, b).cmp(&Ratio::new(c, d)), (a * d).cmp(&(c * b)));
        }

        #[test]
        fn small_fractions_compare_as_cross_products(a in 0u128..9, b in 1u128..9, c in 0u128..9, d in 1u128..9) {
            prop_assert_eq!(Ratio::new(a, b).cmp(&Ratio::new(c, d)), (a * d).cmp(&(c * b)));
        }
    }

    #[test]
    fn neighbours_at_the_top_of_the_range_differ() {
        let whole = u128::MAX;
        assert!(Ratio::new(whole - 2, whole) < Ratio::new(whole - 1, whole));
        assert!(Ratio::new(whole - 1, whole) < Ratio::new(1, 1));
    }
}
