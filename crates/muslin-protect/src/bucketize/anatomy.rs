//! Buckets of rows that differ in the sensitive value, after Xiao and Tao's Anatomy.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use muslin_table::Codes;

use crate::order::{below, shuffle};
use crate::slice::Buckets;

/// Buckets of `l` rows and a few more, in each of which no sensitive value comes twice. The rows are
/// known to allow it: no value has more than one in `l`.
///
/// Each bucket takes a row of each of the `l` values that most rows are left of; of values with
/// equally many, the smallest. What is left, a row of some values, goes to buckets that lack them.
pub(super) fn anatomy(
    codes: &Codes,
    slots: usize,
    l: usize,
    draw: &mut dyn FnMut() -> u64,
) -> Buckets {
    let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); slots];
    (0u32..).zip(codes.slots()).for_each(|(row, slot)| rows_of[slot as usize].push(row));
    rows_of.iter_mut().for_each(|rows| shuffle(rows, draw));
    let left = |(slot, rows): (usize, &Vec<u32>)| (rows.len(), Reverse(slot));
    let mut heap: BinaryHeap<(usize, Reverse<usize>)> =
        rows_of.iter().enumerate().map(left).filter(|&(count, _)| count > 0).collect();
    let mut bucket_of = vec![0u32; codes.len()];
    let mut taken = Vec::with_capacity(l);
    let mut buckets = 0u32;
    while heap.len() >= l {
        taken.extend((0..l).filter_map(|_| heap.pop()));
        for (count, Reverse(slot)) in taken.drain(..) {
            let row = rows_of[slot].pop().expect("as many rows as counted");
            bucket_of[row as usize] = buckets;
            if count > 1 {
                heap.push((count - 1, Reverse(slot)));
            }
        }
        buckets += 1;
    }
    for (slot, rows) in (0u32..).zip(&rows_of) {
        for &row in rows {
            let mut lacks = vec![true; buckets as usize];
            for (other, own) in (0u32..).zip(codes.slots()) {
                if own == slot && other != row {
                    lacks[bucket_of[other as usize] as usize] = false;
                }
            }
            let open: Vec<u32> = (0..buckets).filter(|&bucket| lacks[bucket as usize]).collect();
            bucket_of[row as usize] = open[below(draw, open.len())];
        }
    }
    Buckets::given(&bucket_of)
}
