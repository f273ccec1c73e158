//! The same code compiled for several instruction sets, chosen when the program runs.
//!
//! A [`Task`] is written once, in plain Rust, over [`Lanes`]; [`Isa::run`] runs it compiled for
//! AVX-512, AVX2 or whatever the target always has. The plain form is the safe twin of the others:
//! tests run every task on every instruction set that the machine has and compare.

#![expect(unsafe_code, reason = "SIMD; the plain lanes are the safe twin")]

/// Work that is compiled once per instruction set. Bodies are `#[inline(always)]` all the way.
pub(super) trait Task<Out> {
    /// Does the work.
    fn run<L: Lanes>(self) -> Out;
}

/// What instruction sets do differently.
pub(super) trait Lanes {
    /// A bit for each position where both have the same number, not zero.
    fn equal(a: &[u32; 16], b: &[u32; 16]) -> u16;
    /// A bit for each position where both have the same number.
    fn equal_codes(a: &[u16; 32], b: &[u16; 32]) -> u32;
    /// A bit for each position whose number is at least `bound`.
    fn at_least(a: &[u32; 16], bound: u32) -> u16;
}

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isa {
    /// What the target always has.
    Plain,
    /// 256-bit integers.
    Avx2,
    /// 512-bit integers with masks.
    Avx512,
}

impl Isa {
    /// Those that this machine has, the best one last.
    pub(super) fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "only x86 has more"))]
        let mut all = vec![Self::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
            {
                all.push(Self::Avx2);
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                {
                    all.push(Self::Avx512);
                }
            }
        }
        all
    }

    /// The best that this machine has.
    pub(super) fn best() -> Self {
        Self::available().pop().unwrap_or(Self::Plain)
    }

    /// Runs the task compiled for this instruction set.
    #[inline(always)]
    pub(super) fn run<Out, T: Task<Out>>(self, task: T) -> Out {
        match self {
            Self::Plain => task.run::<PlainLanes>(),
            // SAFETY: `available` is the only maker of these and has asked the machine.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::with_avx2(task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::with_avx512(task) },
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => task.run::<PlainLanes>(),
        }
    }
}

/// Plain Rust.
pub(super) struct PlainLanes;

impl Lanes for PlainLanes {
    #[inline(always)]
    fn equal(a: &[u32; 16], b: &[u32; 16]) -> u16 {
        let pairs = a.iter().zip(b).enumerate();
        pairs.fold(0, |bits, (lane, (a, b))| bits | u16::from(a == b && *a != 0) << lane)
    }

    #[inline(always)]
    fn equal_codes(a: &[u16; 32], b: &[u16; 32]) -> u32 {
        let pairs = a.iter().zip(b).enumerate();
        pairs.fold(0, |bits, (lane, (a, b))| bits | u32::from(a == b) << lane)
    }

    #[inline(always)]
    fn at_least(a: &[u32; 16], bound: u32) -> u16 {
        a.iter().enumerate().fold(0, |bits, (lane, a)| bits | u16::from(*a >= bound) << lane)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm256_andnot_si256, _mm256_castsi256_ps, _mm256_cmpeq_epi16, _mm256_cmpeq_epi32,
        _mm256_loadu_si256, _mm256_max_epu32, _mm256_movemask_epi8, _mm256_movemask_ps,
        _mm256_packs_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi32, _mm256_setzero_si256,
        _mm512_cmpeq_epi16_mask, _mm512_cmpge_epu32_mask, _mm512_loadu_si512,
        _mm512_mask_cmpeq_epi32_mask, _mm512_set1_epi32, _mm512_test_epi32_mask,
    };

    use super::{Lanes, Task};

    /// Runs a task compiled for AVX2.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn with_avx2<Out, T: Task<Out>>(task: T) -> Out {
        task.run::<Avx2Lanes>()
    }

    /// Runs a task compiled for AVX-512.
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn with_avx512<Out, T: Task<Out>>(task: T) -> Out {
        task.run::<Avx512Lanes>()
    }

    struct Avx2Lanes;

    impl Lanes for Avx2Lanes {
        #[inline(always)]
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "16 bits of a mask"
        )]
        fn equal(a: &[u32; 16], b: &[u32; 16]) -> u16 {
            // SAFETY: only `with_avx2` uses these lanes; both arrays hold two times eight lanes.
            let half = |at: usize| unsafe {
                let (a, b) = (
                    _mm256_loadu_si256(a.as_ptr().add(at).cast()),
                    _mm256_loadu_si256(b.as_ptr().add(at).cast()),
                );
                let zero = _mm256_cmpeq_epi32(a, _mm256_setzero_si256());
                let equal = _mm256_andnot_si256(zero, _mm256_cmpeq_epi32(a, b));
                _mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u32
            };
            (half(0) | half(8) << 8) as u16
        }

        #[inline(always)]
        #[expect(clippy::cast_sign_loss, reason = "32 bits of a mask")]
        fn equal_codes(a: &[u16; 32], b: &[u16; 32]) -> u32 {
            // SAFETY: only `with_avx2` uses these lanes; both arrays hold two times 16 lanes.
            unsafe {
                let half = |at: usize| {
                    let (a, b) = (
                        _mm256_loadu_si256(a.as_ptr().add(at).cast()),
                        _mm256_loadu_si256(b.as_ptr().add(at).cast()),
                    );
                    _mm256_cmpeq_epi16(a, b)
                };
                // Packing works within halves of 128 bits; the permutation puts them in order.
                let bytes = _mm256_packs_epi16(half(0), half(16));
                _mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b1101_1000>(bytes)) as u32
            }
        }

        #[inline(always)]
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "16 bits of a mask"
        )]
        fn at_least(a: &[u32; 16], bound: u32) -> u16 {
            // SAFETY: only `with_avx2` uses these lanes; the array holds two times eight lanes.
            let half = |at: usize| unsafe {
                let a = _mm256_loadu_si256(a.as_ptr().add(at).cast());
                // Unsigned: the larger of the two is `a` exactly when `a` is at least the bound.
                let larger = _mm256_max_epu32(a, _mm256_set1_epi32(bound.cast_signed()));
                _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, larger))) as u32
            };
            (half(0) | half(8) << 8) as u16
        }
    }

    struct Avx512Lanes;

    impl Lanes for Avx512Lanes {
        #[inline(always)]
        fn equal(a: &[u32; 16], b: &[u32; 16]) -> u16 {
            // SAFETY: only `with_avx512` uses these lanes; both arrays hold 16 lanes.
            unsafe {
                let (a, b) =
                    (_mm512_loadu_si512(a.as_ptr().cast()), _mm512_loadu_si512(b.as_ptr().cast()));
                _mm512_mask_cmpeq_epi32_mask(_mm512_test_epi32_mask(a, a), a, b)
            }
        }

        #[inline(always)]
        fn equal_codes(a: &[u16; 32], b: &[u16; 32]) -> u32 {
            // SAFETY: only `with_avx512` uses these lanes; both arrays hold 32 lanes.
            unsafe {
                let (a, b) =
                    (_mm512_loadu_si512(a.as_ptr().cast()), _mm512_loadu_si512(b.as_ptr().cast()));
                _mm512_cmpeq_epi16_mask(a, b)
            }
        }

        #[inline(always)]
        fn at_least(a: &[u32; 16], bound: u32) -> u16 {
            // SAFETY: only `with_avx512` uses these lanes; the array holds 16 lanes.
            unsafe {
                let a = _mm512_loadu_si512(a.as_ptr().cast());
                _mm512_cmpge_epu32_mask(a, _mm512_set1_epi32(bound.cast_signed()))
            }
        }
    }
}
