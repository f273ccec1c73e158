//! The largest part of some rows that meets a target.

use super::super::units::Units;
use crate::class_target::{Distance, Judge, Spread};

/// Units that agree at a node.
pub(super) struct Members<'a> {
    pub(super) units: &'a [u32],
    /// Rows of every unit that are in no class yet.
    pub(super) left: &'a [u32],
}

/// Rows that are a class.
pub(super) struct Chosen {
    /// Rows of each member.
    pub(super) rows: Vec<u32>,
    /// For each sensitive column, its values and how many rows have each.
    pub(super) counts: Vec<Vec<(u32, u32)>>,
}

/// A part is left alone if it is less than one in so many rows.
const LEAST_PART: u32 = 5;

/// All rows if they meet the target; a part where that is possible and not too small.
pub(super) fn choose(members: &Members, units: &Units, judge: &Judge) -> Option<Chosen> {
    let rows: Vec<u32> = members.units.iter().map(|&unit| members.left[unit as usize]).collect();
    let size = rows.iter().sum();
    let counts: Vec<Vec<(u32, u32)>> = (0..judge.sensitive().len())
        .map(|column| count(members.units.iter().zip(&rows), units.sensitive(column)))
        .collect();
    let slices: Vec<&[(u32, u32)]> = counts.iter().map(Vec::as_slice).collect();
    if judge.is_met(size, &slices) {
        return Some(Chosen { rows, counts });
    }
    // Parts are known for one condition on one column.
    let [(column, spread)] = judge.parts() else { return None };
    let kept = match *spread {
        Spread::Probabilistic { l } => capped(&counts[*column], l),
        Spread::Close { t, distance: Distance::Equal } => {
            closest(&counts[*column], judge.totals(*column), t.millionths())
        }
        _ => return None,
    }?;
    let part: u32 = kept.iter().map(|&(_, rows)| rows).sum();
    let is_large = u64::from(part) * u64::from(LEAST_PART) >= u64::from(size);
    if !is_large || !judge.is_met(part, &[&kept]) {
        return None;
    }
    let sensitive = units.sensitive(*column);
    let mut wanted = kept.clone();
    let take = |(&unit, &left): (&u32, &u32)| {
        let at = wanted.binary_search_by_key(&sensitive[unit as usize], |&(value, _)| value);
        let taken = at.map_or(0, |at| wanted[at].1.min(left));
        if let Ok(at) = at {
            wanted[at].1 -= taken;
        }
        taken
    };
    let rows = members.units.iter().zip(&rows).map(take).collect();
    Some(Chosen { rows, counts: vec![kept] })
}

/// Values in order, and how many rows have each.
fn count<'a>(rows: impl Iterator<Item = (&'a u32, &'a u32)>, sensitive: &[u32]) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> =
        rows.map(|(&unit, &rows)| (sensitive[unit as usize], rows)).collect();
    pairs.sort_unstable();
    pairs.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    pairs
}

/// The most rows of which no value has more than one in l.
fn capped(counts: &[(u32, u32)], l: u32) -> Option<Vec<(u32, u32)>> {
    let sum = |cap: u32| counts.iter().map(|&(_, rows)| u64::from(rows.min(cap))).sum::<u64>();
    let most = counts.iter().map(|&(_, rows)| rows).max()?;
    // The larger the cap, the harder: a cap that will do, and the next that will not.
    let fits = |cap: u32| u64::from(cap) * u64::from(l) <= sum(cap);
    let cap = partition_point(most, fits);
    (cap > 0).then(|| counts.iter().map(|&(value, rows)| (value, rows.min(cap))).collect())
}

/// The most rows whose shares are within t, in millionths, of those of the table, all values being
/// equally far from each other.
///
/// Of n rows, those values that fall short of their share do so by at least the sum of what they
/// lack; that sum over n grows with n, since it is convex and nothing at nothing.
fn closest(counts: &[(u32, u32)], totals: &[u32], t: u64) -> Option<Vec<(u32, u32)>> {
    let rows: u64 = totals.iter().map(|&total| u64::from(total)).sum();
    let size: u32 = counts.iter().map(|&(_, rows)| rows).sum();
    let present: u64 = counts.iter().map(|&(value, _)| u64::from(totals[value as usize])).sum();
    let fits = |part: u32| {
        // In parts of a row of the whole table.
        let part = u128::from(part);
        let short = |&(value, own): &(u32, u32)| {
            let share = u128::from(totals[value as usize]) * part;
            share.saturating_sub(u128::from(own) * u128::from(rows))
        };
        let lacking = u128::from(rows - present) * part;
        let short = counts.iter().map(short).sum::<u128>() + lacking;
        short * 1_000_000 <= u128::from(t) * part * u128::from(rows)
    };
    let part = partition_point(size, fits);
    if part == 0 {
        return None;
    }
    // First everybody's share, rounded down, then one more each by what is still lacking.
    let share = |value: u32| u64::from(totals[value as usize]) * u64::from(part);
    let mut kept: Vec<(u32, u32)> = counts
        .iter()
        .map(|&(value, own)| (value, own.min(u32::try_from(share(value) / rows).unwrap_or(own))))
        .collect();
    let mut sum: u32 = kept.iter().map(|&(_, rows)| rows).sum();
    let mut order: Vec<usize> = (0..kept.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(share(counts[at].0) % rows));
    for &at in &order {
        if sum < part && kept[at].1 < counts[at].1 {
            kept[at].1 += 1;
            sum += 1;
        }
    }
    // Then whatever there is, evenly.
    while sum < part {
        let before = sum;
        for (kept, own) in kept.iter_mut().zip(counts) {
            if sum < part && kept.1 < own.1 {
                kept.1 += 1;
                sum += 1;
            }
        }
        if sum == before {
            return None;
        }
    }
    kept.retain(|&(_, rows)| rows > 0);
    Some(kept)
}

/// The largest number up to `most` that fits, where all below a fitting one fit.
fn partition_point(most: u32, fits: impl Fn(u32) -> bool) -> u32 {
    let (mut yes, mut no) = (0, most + 1);
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if fits(middle) { yes = middle } else { no = middle }
    }
    yes
}
