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
    let mut keys = std::mem::take(&mut room.keys);
    let mut allowed = |threshold: Threshold| {
        let mut sides = threshold;
        let left = rows.iter().filter(|row| sides.is_left(row)).count();
        let k = cutter.sensitive.judge.k() as usize;
        left >= k
            && rows.len() - left >= k
            && (cutter.sensitive.is_size_alone()
                || room.sides.are_met(&cutter.sensitive, rows, ids, threshold))
    };
    let found = order.into_iter().find_map(|lane| {
        let cuts = at_median(rows, lane, cutter.relaxed, &mut keys);
        cuts.into_iter().flatten().find(|&threshold| allowed(threshold))
    });
    room.keys = keys;
    found
}

/// Cuts at the lower median of a lane: with it on the left; if not relaxed, then with it on the right.
fn at_median<T: Lane, const N: usize>(
    rows: &[Row<T, N>],
    lane: usize,
    relaxed: bool,
    keys: &mut Vec<u32>,
) -> [Option<Threshold>; 2] {
    keys.clear();
    keys.extend(rows.iter().map(|row| row[lane].position()));
    let middle = (rows.len() - 1) / 2;
    let position = *keys.select_nth_unstable(middle).1;
    if !relaxed {
        let before = keys.iter().copied().filter(|&at| at < position).max();
        return [Some(position), before].map(|at| at.map(|at| Threshold::up_to(lane, at)));
    }
    let before = keys.iter().filter(|&&at| at < position).count();
    let at_position = u32::try_from(middle + 1 - before).expect("no more than rows");
    [Some(Threshold { lane, position, at_position }), None]
}
