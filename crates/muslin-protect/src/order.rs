//! In what order rows stand within their bucket.

use std::fmt;
use std::sync::Arc;

use muslin_engine::Seed;

/// Where the draws come from that protect people.
///
/// A caller that publishes passes draws of the operating system's randomness, by a generator that
/// cannot be guessed; [`Seed`] is for work that must be repeated: whoever guesses it undoes the draws.
pub trait Draws: fmt::Debug + Send + Sync {
    /// A sequence of 64 even bits at a time for a numbered part of the work. The same part always
    /// has the same sequence, and different parts have different ones.
    fn sequence(&self, part: u64) -> Box<dyn FnMut() -> u64 + '_>;
}

impl Draws for Seed {
    fn sequence(&self, part: u64) -> Box<dyn FnMut() -> u64 + '_> {
        let seed = self.part(part);
        let mut next = 0;
        Box::new(move || {
            next += 1;
            seed.draw(next)
        })
    }
}

/// The order of what stands in a bucket.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum BucketOrder {
    /// By value: nothing is drawn, and the order tells nothing that the values do not. Columns of
    /// different slices then rise together, which looks like a correlation.
    #[default]
    Sorted,
    /// Every order is equally likely.
    Random(Arc<dyn Draws>),
}

impl BucketOrder {
    /// Every order is equally likely, by these draws.
    pub fn random(draws: impl Draws + 'static) -> Self {
        Self::Random(Arc::new(draws))
    }
}

/// A number below `bound`, each equally likely.
pub(crate) fn below(draw: &mut dyn FnMut() -> u64, bound: usize) -> usize {
    let bound = bound as u64;
    // Draws from an incomplete last stretch of the 64-bit range are thrown away.
    let even = u64::MAX - u64::MAX % bound;
    loop {
        let drawn = draw();
        if drawn < even {
            return usize::try_from(drawn % bound).expect("below a number of rows");
        }
    }
}

/// Fisher and Yates: every order is equally likely.
pub(crate) fn shuffle(rows: &mut [u32], draw: &mut dyn FnMut() -> u64) {
    for last in (1..rows.len()).rev() {
        rows.swap(last, below(draw, last + 1));
    }
}
