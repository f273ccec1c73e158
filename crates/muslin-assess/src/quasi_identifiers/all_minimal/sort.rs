//! The classes of a single column: its rows in the order of their slots.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use muslin_table::Slot;
use rayon::prelude::*;

use super::classes::{Classes, ROWS_PER_PART, narrow};

/// No place: for slots of a single row.
const NOWHERE: u32 = u32::MAX;

/// Rows by their slots, those of single rows left out.
pub(super) fn sort<S: Slot>(codes: &[S], slots: usize, alone: Option<u32>) -> Classes {
    let most = (codes.len() / ROWS_PER_PART).min(codes.len() / slots.max(1)).max(1);
    let parts = rayon::current_num_threads().min(most);
    let part_rows = codes.len().div_ceil(parts).max(1);
    // Rows of each slot, part by part; then where the next row of a slot goes.
    let mut places: Vec<Vec<u32>> = codes
        .par_chunks(part_rows)
        .map(|codes| {
            let mut counts = vec![0; slots];
            codes.iter().for_each(|code| counts[code.index()] += 1);
            counts
        })
        .collect();
    let (mut end, mut ends) = (0, Vec::new());
    for slot in 0..slots {
        let rows: u32 = places.iter().map(|counts| counts[slot]).sum();
        let is_class = rows > 1 && Some(narrow(slot)) != alone;
        for place in places.iter_mut().map(|places| &mut places[slot]) {
            let rows = std::mem::replace(place, if is_class { end } else { NOWHERE });
            end += if is_class { rows } else { 0 };
        }
        if is_class {
            ends.push(end);
        }
    }
    if let [places] = &mut places[..] {
        let mut rows = vec![0; end as usize];
        each_place(codes, 0, places, |place, row| rows[place] = row);
        return Classes::new(rows, ends);
    }
    let rows: Vec<AtomicU32> = (0..end).map(|_| AtomicU32::new(0)).collect();
    places.par_iter_mut().zip(codes.par_chunks(part_rows)).enumerate().for_each(
        |(part, (places, codes))| {
            let first = narrow(part * part_rows);
            each_place(codes, first, places, |place, row| rows[place].store(row, Relaxed));
        },
    );
    Classes::new(rows.into_iter().map(AtomicU32::into_inner).collect(), ends)
}

/// Gives away where each row goes, of those that go anywhere.
fn each_place<S: Slot>(
    codes: &[S],
    first: u32,
    places: &mut [u32],
    mut take: impl FnMut(usize, u32),
) {
    for (row, code) in (first..).zip(codes) {
        let place = &mut places[code.index()];
        if *place != NOWHERE {
            take(*place as usize, row);
            *place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_sorted_as_the_whole() {
        let slots = 1000u16;
        let spread = |row: u32| u16::try_from(row.wrapping_mul(2_654_435_761) >> 22).unwrap_or(0);
        // The last slots have one row or none.
        let mut codes: Vec<u16> = (0..200_000).map(|row| spread(row).min(slots - 3)).collect();
        codes[150_000] = slots - 2;
        let sorted = |threads: usize, alone| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let classes = pool.unwrap().install(|| sort(&codes, usize::from(slots), alone));
            classes.each().map(<[u32]>::to_vec).collect::<Vec<_>>()
        };
        for alone in [None, Some(7)] {
            let of_slot = |slot: u16| -> Vec<u32> {
                (0..).zip(&codes).filter(|&(_, &code)| code == slot).map(|(row, _)| row).collect()
            };
            let expected: Vec<_> = (0..slots)
                .filter(|&slot| Some(u32::from(slot)) != alone)
                .map(of_slot)
                .filter(|rows| rows.len() > 1)
                .collect();
            assert_eq!(sorted(1, alone), expected);
            assert_eq!(sorted(3, alone), expected);
        }
    }
}
