//! The cut of `LeFevre` and others: at the median of the column with the widest range.

use std::cmp::Reverse;

use super::cutter::{Cutter, Room, Threshold};
use super::lanes::{Bounds, Lane, Row};

/// The first cut that both sides allow, columns in falling order of their range.
pub(super) fn choose<T: Lane, const N: usize>(
    cutter: &Cutter<T, N>,
    rows: &[Row<T, N>],
    ids: &[u32],
    bounds: &Bounds<T, N>,
    room: &mut Room<T, N>,
) -> Option<Threshold> {
    // Ranges are compared as fractions: 64 bits hold their products.
    let width = |lane: usize| {
        let (lo, hi) = bounds.lane(lane);
        let missing = cutter.axes[lane].values;
        if hi >= missing && lo < hi { cutter.axes[lane].steps() } else { hi - lo }
    };
    let mut order: Vec<usize> = (0..cutter.axes.len()).filter(|&lane| width(lane) > 0).collect();
    order.sort_by(|&a, &b| {
        let share = |lane: usize, other: usize| {
            Reverse(u64::from(width(lane)) * u64::from(cutter.axes[other].steps()))
        };
        share(a, b).cmp(&share(b, a))
    });
    let mut allowed = |lane: usize| {
        let threshold = at_median(rows, lane, cutter.relaxed, &mut room.keys);
        let mut sides = threshold;
        let left = rows.iter().filter(|row| sides.is_left(row)).count();
        let k = cutter.sensitive.judge.k() as usize;
        let enough = left >= k && rows.len() - left >= k;
        let met = enough
            && (cutter.sensitive.is_size_alone()
                || room.sides.are_met(&cutter.sensitive, rows, ids, threshold));
        met.then_some(threshold)
    };
    order.into_iter().find_map(&mut allowed)
}

/// A cut at the lower median of a lane.
fn at_median<T: Lane, const N: usize>(
    rows: &[Row<T, N>],
    lane: usize,
    relaxed: bool,
    keys: &mut Vec<u32>,
) -> Threshold {
    keys.clear();
    keys.extend(rows.iter().map(|row| row[lane].position()));
    let middle = (rows.len() - 1) / 2;
    let position = *keys.select_nth_unstable(middle).1;
    if !relaxed {
        return Threshold::up_to(lane, position);
    }
    let before = keys.iter().filter(|&&at| at < position).count();
    let at_position = u32::try_from(middle + 1 - before).expect("no more than rows");
    Threshold { lane, position, at_position }
}
