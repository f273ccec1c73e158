//! Finds bytes in blocks of 64: one bit per byte. The one place here with `unsafe` code.

#![expect(unsafe_code, reason = "vector instructions; the safe twin is tested beside it")]

/// Bytes looked at together.
pub(super) const BLOCK: usize = 64;

/// Where the three bytes of `wanted` are in `block`: bit `i` of a mask stands for byte `i`.
#[inline]
pub(super) fn find3(block: &[u8; BLOCK], wanted: [u8; 3]) -> [u64; 3] {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: SSE2 is part of every x86-64 processor.
        unsafe { find3_sse2(block, wanted) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        find3_plain(block, wanted)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn find3_sse2(block: &[u8; BLOCK], wanted: [u8; 3]) -> [u64; 3] {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8,
    };
    let lanes: [__m128i; 4] = std::array::from_fn(|lane| {
        // SAFETY: the block has 64 bytes, so 16 bytes from 0, 16, 32 and 48 are inside it; the
        // load asks for no alignment.
        unsafe { _mm_loadu_si128(block.as_ptr().add(lane * 16).cast()) }
    });
    wanted.map(|byte| {
        let byte = _mm_set1_epi8(byte.cast_signed());
        lanes.iter().rev().fold(0, |mask, lane| {
            let found = _mm_movemask_epi8(_mm_cmpeq_epi8(*lane, byte));
            mask << 16 | u64::from(found.cast_unsigned())
        })
    })
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn find3_plain(block: &[u8; BLOCK], wanted: [u8; 3]) -> [u64; 3] {
    wanted
        .map(|byte| block.iter().rev().fold(0, |mask, &found| mask << 1 | u64::from(found == byte)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_ways_find_the_same(
            bytes in prop::collection::vec(prop_oneof![Just(b','), Just(b'\n'), Just(b'"'), any::<u8>()], BLOCK),
            extra in any::<u8>(),
        ) {
            let block: &[u8; BLOCK] = bytes.as_slice().try_into().unwrap();
            for wanted in [[b',', b'\n', b'"'], [extra, 0, 0xFF]] {
                prop_assert_eq!(find3(block, wanted), find3_plain(block, wanted));
            }
        }
    }
}
