use std::fmt;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::{Error, Result};

/// Draws of the operating system's randomness: a key is drawn once, and a stream cipher makes as
/// many numbers of it as are wanted.
///
/// # Guarantee
/// Whoever does not have the key cannot tell the numbers from even ones. The key is never shown.
///
/// # Example
/// ```
/// use muslin_io::SystemDraws;
/// let draws = SystemDraws::new()?;
/// let (mut first, mut again, mut other) =
///     (draws.sequence(0), draws.sequence(0), draws.sequence(1));
/// let drawn = first();
/// assert_eq!(drawn, again());
/// assert_ne!(drawn, other());
/// # Ok::<(), muslin_io::Error>(())
/// ```
#[derive(Clone)]
pub struct SystemDraws {
    key: [u8; 32],
}

impl SystemDraws {
    /// Draws a key.
    pub fn new() -> Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)
            .map_err(|_| Error::Internal("the system gives no randomness".into()))?;
        Ok(Self { key })
    }

    /// The numbers of a part of the work. The same part always has the same, and different parts have
    /// different ones.
    pub fn sequence(&self, part: u64) -> impl FnMut() -> u64 + use<> {
        let mut random = self.generator();
        random.set_stream(part);
        move || random.next_u64()
    }

    /// The generator by itself.
    pub(crate) fn generator(&self) -> ChaCha20Rng {
        ChaCha20Rng::from_seed(self.key)
    }
}

impl fmt::Debug for SystemDraws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SystemDraws").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_another_and_none_is_shown() {
        let (one, other) = (SystemDraws::new().unwrap(), SystemDraws::new().unwrap());
        let first = |draws: &SystemDraws| draws.sequence(7)();
        assert_ne!(first(&one), first(&other));
        assert_eq!(first(&one), first(&one.clone()));
        assert_eq!(format!("{one:?}"), "SystemDraws { .. }");
    }
}
