use std::fmt;

use serde::{Deserialize, Serialize};

/// The number that decides every reproducible draw.
///
/// A draw is a function of the seed and of what is drawn for, never of the order of drawing, so
/// results do not depend on threads or engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Seed(u64);

impl Seed {
    /// The seed of that number.
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }

    /// A seed of its own for a numbered part of the work.
    #[must_use]
    pub fn part(self, part: u64) -> Self {
        Self(self.draw(part))
    }

    /// 64 even bits for `index`: the `SplitMix64` sequence of Steele, Lea and Flood (2014) that
    /// starts at the mixed seed. Simple enough for an engine that speaks SQL to repeat.
    pub fn draw(self, index: u64) -> u64 {
        mix(mix(self.0).wrapping_add(index.wrapping_mul(GOLDEN)))
    }

    /// A number below `bound`, by the high half of a product; the bias is below `bound` / 2^64.
    pub fn below(self, index: u64, bound: u64) -> u64 {
        let wide = u128::from(self.draw(index)) * u128::from(bound);
        u64::try_from(wide >> 64).expect("the high half of a product of 64-bit numbers")
    }

    /// A number in `0.0..1.0` with 53 even bits.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double")]
    pub fn unit(self, index: u64) -> f64 {
        (self.draw(index) >> 11) as f64 / (1u64 << 53) as f64
    }
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(GOLDEN);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mix_is_that_of_the_published_generator() {
        // First outputs of SplitMix64 started at 1234567.
        let state = |n: u64| 1_234_567u64.wrapping_add(n.wrapping_mul(GOLDEN));
        assert_eq!(mix(state(0)), 6_457_827_717_110_365_317);
        assert_eq!(mix(state(1)), 3_203_168_211_198_807_973);
    }

    #[test]
    fn draws_stay_below_their_bound() {
        let seed = Seed::new(3);
        assert!((0..1_000).all(|i| seed.below(i, 7) < 7));
        assert!((0..1_000).all(|i| (0.0..1.0).contains(&seed.unit(i))));
        assert_ne!(seed.part(1), seed.part(2));
    }
}
