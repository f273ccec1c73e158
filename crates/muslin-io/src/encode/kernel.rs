//! Tells the processor what will be read soon. `unsafe` by form only: a hint reads nothing.

#![expect(unsafe_code, reason = "the hint takes a pointer; leaving it out changes no result")]

/// Asks for the element at `index` to be brought near; nothing happens outside the slice.
#[inline]
pub(super) fn expect_soon<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the pointer comes from a reference, and a prefetch does not dereference it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_may_be_given_for_any_place() {
        let numbers = [1, 2, 3];
        [0, 2, 3, usize::MAX].into_iter().for_each(|index| expect_soon(&numbers, index));
        expect_soon::<u8>(&[], 0);
        assert_eq!(numbers, [1, 2, 3]);
    }
}
