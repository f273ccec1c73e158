//! Distinct byte strings, by number and in order.

use std::sync::Arc;

use arrow_array::{ArrayRef, GenericStringArray, OffsetSizeTrait};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use rayon::prelude::*;

use super::bytes::Ends;

/// The string of a number, among strings that stand one after the other and end at `ends`.
pub(super) fn stored<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let index = number as usize - 1;
    let start = index.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start..ends[index]]
}

/// Distinct byte strings in order.
pub(super) struct SortedBytes {
    pub(super) bytes: Vec<u8>,
    pub(super) ends: Vec<usize>,
    /// Numbers of the strings, in order.
    pub(super) order: Vec<u32>,
}

impl SortedBytes {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.order.iter().map(|&number| stored(&self.bytes, &self.ends, number))
    }

    /// The strings as an array of text; nothing when one of them is not UTF-8.
    pub(super) fn into_text(self) -> Option<ArrayRef> {
        if i32::try_from(self.bytes.len()).is_ok() {
            self.text_array::<i32>()
        } else {
            self.text_array::<i64>()
        }
    }

    fn text_array<O: OffsetSizeTrait>(&self) -> Option<ArrayRef> {
        const STEP: usize = 1 << 14;
        let value = |number: &u32| stored(&self.bytes, &self.ends, *number);
        let mut offsets = Vec::with_capacity(self.order.len() + 1);
        offsets.push(O::usize_as(0));
        let mut end = 0;
        offsets.extend(self.order.iter().map(|number| {
            end += value(number).len();
            O::usize_as(end)
        }));
        // Each stretch of values is copied to its own part of the text.
        let mut values = vec![0u8; end];
        let mut parts = Vec::with_capacity(self.order.len() / STEP + 1);
        let mut rest = values.as_mut_slice();
        for (numbers, start) in self.order.chunks(STEP).zip((0..).step_by(STEP)) {
            let length = offsets[start + numbers.len()].as_usize() - offsets[start].as_usize();
            let (part, others) = rest.split_at_mut(length);
            parts.push((numbers, part));
            rest = others;
        }
        parts.into_par_iter().for_each(|(numbers, mut part)| {
            for number in numbers {
                let value = value(number);
                let (to, others) = part.split_at_mut(value.len());
                to.copy_from_slice(value);
                part = others;
            }
        });
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let array =
            GenericStringArray::<O>::try_new(offsets, Buffer::from_vec(values), None).ok()?;
        Some(Arc::new(array))
    }
}

/// Numbers in the order of their strings. Eight bytes at a time decide; strings that agree on
/// them go by the next eight.
pub(super) fn sort_by_bytes<'a>(
    numbers: Vec<u32>,
    value: &(impl Fn(u32) -> &'a [u8] + Sync),
) -> Vec<u32> {
    fn sort<'a>(run: &mut [(u64, u32)], depth: usize, value: &(impl Fn(u32) -> &'a [u8] + Sync)) {
        // Few strings, or ones with a very long beginning in common, are compared as they are.
        if run.len() < 32 || depth > 512 {
            run.par_sort_unstable_by(|a, b| value(a.1).cmp(value(b.1)));
            return;
        }
        run.par_iter_mut().for_each(|(key, number)| {
            *key = Ends::of(value(*number).get(depth..).unwrap_or(&[])).head.swap_bytes();
        });
        run.par_sort_unstable();
        // A run of strings that all end here differs by zero bytes at most.
        let over =
            |run: &[(u64, u32)]| run.iter().all(|&(_, number)| value(number).len() <= depth + 8);
        run.par_chunk_by_mut(|a, b| a.0 == b.0).filter(|same| same.len() > 1).for_each(|same| {
            if over(same) {
                same.sort_unstable_by(|a, b| value(a.1).cmp(value(b.1)));
            } else {
                sort(same, depth + 8, value);
            }
        });
    }
    let mut keyed: Vec<(u64, u32)> = numbers.into_iter().map(|number| (0, number)).collect();
    sort(&mut keyed, 0, value);
    keyed.into_iter().map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn strings_are_sorted_by_bytes(
            texts in prop::collection::btree_set("[ab\u{0}]{0,20}|(prefix){0,4}[a-c]{0,3}", 0..200),
        ) {
            let texts: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
            // Numbered from one, in an order that is not theirs.
            let order: Vec<u32> = (1..=u32::try_from(texts.len()).unwrap()).rev().collect();
            let value = |number: u32| texts[number as usize - 1];
            let sorted: Vec<&[u8]> = sort_by_bytes(order, &value).into_iter().map(value).collect();
            prop_assert_eq!(sorted, texts);
        }
    }

    #[test]
    fn strings_with_a_long_common_beginning_are_sorted() {
        let texts: Vec<String> =
            (0..60).map(|v| format!("{}{v:02}", "x".repeat(2_000_000 / 60))).collect();
        let value = |number: u32| texts[number as usize - 1].as_bytes();
        let sorted = sort_by_bytes((1..=60).rev().collect(), &value);
        assert_eq!(sorted, (1..=60).collect::<Vec<_>>());
    }
}
