//! Buckets of rows that differ in the sensitive value, after Xiao and Tao's Anatomy.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use muslin_engine::Stop;
use muslin_table::Codes;

use crate::order::{below, shuffle};
use crate::slice::Buckets;

/// The bucket of a row that has none yet; after all others.
const NONE: u32 = u32::MAX;
/// Rows that are placed before the limits are looked at again.
const ROWS_PER_LOOK: usize = 1 << 12;

/// Buckets of `l` to `2 l - 1` rows, in each of which no sensitive value comes twice. The rows are
/// known to allow it: no value has more than one in `l`.
///
/// Each bucket takes a row of each of the `l` values that most rows are left of; of values with
/// equally many, the smallest. What is left, a row of fewer than `l` values, goes to buckets that lack
/// them.
///
/// When `stop` says so, the rows that are left are one bucket, or all rows where those alone would
/// not be diverse.
pub(super) fn anatomy(
    codes: &Codes,
    slots: usize,
    l: usize,
    draw: &mut dyn FnMut() -> u64,
    stop: &mut dyn FnMut() -> Option<Stop>,
) -> Buckets {
    let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); slots];
    (0u32..).zip(codes.slots()).for_each(|(row, slot)| rows_of[slot as usize].push(row));
    rows_of.iter_mut().for_each(|rows| shuffle(rows, draw));
    let left = |(slot, rows): (usize, &Vec<u32>)| (rows.len(), Reverse(slot));
    let mut heap: BinaryHeap<(usize, Reverse<usize>)> =
        rows_of.iter().enumerate().map(left).filter(|&(count, _)| count > 0).collect();
    let mut bucket_of = vec![NONE; codes.len()];
    let mut taken = Vec::with_capacity(l);
    let (mut buckets, mut placed, mut next_look) = (0u32, 0, 0);
    while heap.len() >= l {
        if placed >= next_look {
            next_look = placed + ROWS_PER_LOOK;
            if let Some(stop) = stop() {
                let most = heap.peek().map_or(0, |top| top.0);
                if most.saturating_mul(l) > codes.len() - placed {
                    bucket_of.fill(NONE);
                }
                return Buckets { stop: Some(stop), ..Buckets::given(&bucket_of) };
            }
        }
        taken.extend((0..l).filter_map(|_| heap.pop()));
        for (count, Reverse(slot)) in taken.drain(..) {
            let row = rows_of[slot].pop().expect("as many rows as counted");
            bucket_of[row as usize] = buckets;
            if count > 1 {
                heap.push((count - 1, Reverse(slot)));
            }
        }
        buckets += 1;
        placed += l;
    }
    // The buckets that have the values of which a row is left.
    let mut has: Vec<Vec<u32>> = vec![Vec::new(); slots];
    for (slot, &bucket) in codes.slots().zip(&bucket_of) {
        if bucket != NONE && !rows_of[slot as usize].is_empty() {
            has[slot as usize].push(bucket);
        }
    }
    for (rows, has) in rows_of.iter().zip(&mut has) {
        for &row in rows {
            has.sort_unstable();
            // The buckets before it that have the value make way.
            let mut bucket = below(draw, buckets as usize - has.len());
            bucket +=
                has.iter().zip(0..).take_while(|(own, at)| **own as usize - at <= bucket).count();
            let bucket = u32::try_from(bucket).expect("no more buckets than rows");
            bucket_of[row as usize] = bucket;
            has.push(bucket);
        }
    }
    Buckets::given(&bucket_of)
}

#[cfg(test)]
mod tests {
    use muslin_engine::Seed;
    use muslin_table::{ColumnId, EncodedTable};

    use super::*;
    use crate::Draws;

    #[test]
    fn rows_that_are_left_when_the_run_stops_are_one_bucket() {
        let cells = (0..20_000).map(|row| Some(row * row % 11)).collect();
        let table = EncodedTable::of_columns([("s".to_owned(), cells)]);
        let column = table.column(ColumnId::new(0));
        // As diverse as can be: the most frequent value has 2 in 11 rows.
        for (l, looks) in [(2, 0), (5, 0), (5, 1), (5, 3), (5, 4), (3, 2), (3, 1_000)] {
            let (seed, mut left) = (Seed::new(7), looks);
            let mut draw = seed.sequence(0);
            let mut stop = || {
                left -= 1;
                (left < 0).then_some(Stop::TimeLimit)
            };
            let made = anatomy(column.codes(), column.slots(), l, &mut draw, &mut stop);
            let is_whole = looks == 1_000;
            assert_eq!(made.stop.is_none(), is_whole);
            assert_eq!(made.sizes.len() == 1, looks == 0);
            assert_eq!(made.sizes.iter().map(|&size| size as usize).sum::<usize>(), 20_000);
            for rows in made.iter() {
                let mut slots: Vec<u32> =
                    rows.iter().map(|&row| column.codes().slot(row as usize)).collect();
                slots.sort_unstable();
                let most = slots.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap_or(0);
                assert!(most * l <= rows.len(), "{l} {looks}");
            }
        }
    }

    #[test]
    fn rows_that_are_left_and_not_diverse_join_all_others() {
        // After a bucket of 5,000, two of the 5,002 rows that are left have the same value.
        let cells = (0..10_002).map(|row| Some(row % 5_001)).collect();
        let table = EncodedTable::of_columns([("s".to_owned(), cells)]);
        let column = table.column(ColumnId::new(0));
        let (seed, mut looks) = (Seed::new(7), 0);
        let mut draw = seed.sequence(0);
        let mut stop = || {
            looks += 1;
            (looks == 2).then_some(Stop::Interrupted)
        };
        let made = anatomy(column.codes(), column.slots(), 5_000, &mut draw, &mut stop);
        assert_eq!((made.sizes, made.stop), (vec![10_002], Some(Stop::Interrupted)));
    }
}
