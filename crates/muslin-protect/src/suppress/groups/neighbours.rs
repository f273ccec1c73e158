//! Some groups of a table with many columns.
//!
//! Of many columns there are too many closed groups to list. What the cheapest group of a row must
//! blank is a set that hits each of the row's minimal k-uniques; the smallest such sets are what the
//! row does not share with its nearest rows. So groups are made of rows that are near each other,
//! and no column set is ever tried that singles rows out.

use hashbrown::HashSet;
use muslin_engine::Run;
use rayon::prelude::*;

use super::candidates::Candidates;
use super::costs::Costs;
use super::kinds::Kinds;
use crate::Result;

/// Groups made around each row.
const WIDTHS: [usize; 4] = [1, 2, 4, 8];
/// Of more kinds than this, each is compared with so many that stand near it in some orders.
const MOST_COMPARED: usize = 1 << 15;
/// Orders by which kinds are neighbours.
const ORDERS: usize = 24;
/// How far apart neighbours stand at most.
const REACH: usize = 16;

/// Groups that hold rows near each other, one that holds all, and what a row of each kind costs at
/// least.
pub(super) fn some_candidates(
    kinds: &Kinds,
    costs: &Costs,
    k: u32,
    run: &Run,
) -> Result<(Candidates, Option<Vec<u64>>)> {
    let near = Near { kinds, costs, k };
    let all: Vec<u32> = (0u32..).take(kinds.len()).collect();
    let is_whole = kinds.len() <= MOST_COMPARED;
    let orders = if is_whole { Vec::new() } else { near.orders(run) };
    let found: Vec<(u64, Vec<u128>)> = all
        .par_iter()
        .map(|&kind| {
            run.check()?;
            let others = if is_whole { all.clone() } else { near.standing_near(kind, &orders) };
            Ok(near.around(kind, others, is_whole))
        })
        .collect::<Result<_>>()?;
    let mut patterns: Vec<u128> = found.iter().flat_map(|(_, kept)| kept.iter().copied()).collect();
    patterns.sort_unstable();
    patterns.dedup();
    let least = found.into_iter().map(|(least, _)| least).collect();
    Ok((near.groups_of(&patterns, run)?, Some(least)))
}

struct Near<'a> {
    kinds: &'a Kinds,
    costs: &'a Costs,
    k: u32,
}

impl Near<'_> {
    /// The columns on which two kinds agree, as bits.
    fn agreed(&self, a: u32, b: u32) -> u128 {
        let agree = |column: usize| {
            let slots = self.kinds.column(column);
            u128::from(slots[a as usize] == slots[b as usize]) << column
        };
        (0..self.kinds.columns()).map(agree).sum()
    }

    /// What a row of a kind costs at least, and columns that groups around it can keep.
    fn around(&self, kind: u32, others: Vec<u32>, is_whole: bool) -> (u64, Vec<u128>) {
        let mut near: Vec<(u64, u32, u128)> = others
            .into_iter()
            .map(|other| (other, self.agreed(kind, other)))
            .filter(|&(_, kept)| self.costs.may_keep_only(kept))
            .map(|(other, kept)| (self.costs.of_group(kept), other, kept))
            .collect();
        // A group of k has a row at least as far away as the nearest k - 1 rows.
        near.sort_unstable_by_key(|&(cost, other, _)| (cost, other));
        let (mut rows, mut least) = (0u32, 0);
        for &(cost, other, _) in &near {
            if rows >= self.k {
                break;
            }
            rows = rows.saturating_add(self.kinds.count(other));
            least = cost;
        }
        let mut kept_sets = vec![];
        for width in WIDTHS {
            // The nearest that fill a group, then always those that cost it least.
            let (mut kept, mut rows) = (u128::MAX, 0u32);
            let pool = &near[..near.len().min(width * self.k as usize + width)];
            let mut left: Vec<&(u64, u32, u128)> = pool.iter().collect();
            while rows < self.k {
                let best = (0..left.len())
                    .min_by_key(|&at| (self.costs.of_group(kept & left[at].2), left[at].1));
                let Some(best) = best else { break };
                let taken = left.swap_remove(best);
                kept &= taken.2;
                rows = rows.saturating_add(self.kinds.count(taken.1));
            }
            if rows >= self.k {
                kept_sets.push(kept & (u128::MAX >> (128 - self.kinds.columns())));
            }
        }
        (if is_whole { least } else { 0 }, kept_sets)
    }

    /// The groups that patterns make, closed, each once; and those that keep only what must stay.
    fn groups_of(&self, patterns: &[u128], run: &Run) -> Result<Candidates> {
        let lists: Vec<Vec<Vec<u32>>> = patterns
            .par_iter()
            .chain(&[self.costs.must_stay()])
            .map(|&kept| {
                run.check()?;
                Ok(self.groups(kept))
            })
            .collect::<Result<_>>()?;
        let mut met: HashSet<(u128, u32), foldhash::fast::FixedState> = HashSet::default();
        let mut candidates = Candidates::default();
        for kinds in lists.into_iter().flatten() {
            let kept = self.kinds.agreed(&kinds);
            // Who keeps the same and has a row in common is the same group.
            if met.insert((kept, kinds[0])) {
                candidates.push(kept, self.costs.of_group(kept), &kinds);
            }
        }
        Ok(candidates)
    }

    /// The kinds that are equal on some columns, where they are enough rows.
    fn groups(&self, kept: u128) -> Vec<Vec<u32>> {
        let columns: Vec<&[u32]> = (0..self.kinds.columns())
            .filter(|column| kept >> column & 1 == 1)
            .map(|column| self.kinds.column(column))
            .collect();
        let mut order: Vec<u32> = (0u32..).take(self.kinds.len()).collect();
        let compare = |a: &u32, b: &u32| {
            let slots = |column: &&[u32], kind: u32| column[kind as usize];
            columns
                .iter()
                .map(|column| slots(column, *a).cmp(&slots(column, *b)))
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        };
        order.sort_by(compare);
        order
            .chunk_by(|a, b| compare(a, b).is_eq())
            .filter(|kinds| {
                let rows: u64 = kinds.iter().map(|&kind| u64::from(self.kinds.count(kind))).sum();
                rows >= u64::from(self.k)
            })
            .map(<[u32]>::to_vec)
            .collect()
    }

    /// Kinds in the order of their slots, columns taken in several orders: and where each stands.
    fn orders(&self, run: &Run) -> Vec<(Vec<u32>, Vec<u32>)> {
        let columns = self.kinds.columns();
        (0..ORDERS)
            .into_par_iter()
            .map(|number| {
                let seed = run.seed_of_run().part(number as u64);
                let mut by: Vec<usize> = (0..columns).collect();
                by.sort_by_key(|&column| seed.draw(column as u64));
                let mut order: Vec<u32> = (0u32..).take(self.kinds.len()).collect();
                order.sort_by(|&a, &b| {
                    by.iter()
                        .map(|&column| {
                            let slots = self.kinds.column(column);
                            slots[a as usize].cmp(&slots[b as usize])
                        })
                        .find(|order| order.is_ne())
                        .unwrap_or(a.cmp(&b))
                });
                let mut stands = vec![0u32; order.len()];
                for (at, &kind) in (0u32..).zip(&order) {
                    stands[kind as usize] = at;
                }
                (order, stands)
            })
            .collect()
    }

    /// Kinds that stand near one in some order.
    fn standing_near(&self, kind: u32, orders: &[(Vec<u32>, Vec<u32>)]) -> Vec<u32> {
        let mut near = Vec::with_capacity(orders.len() * (2 * REACH + 1));
        for (order, stands) in orders {
            let at = stands[kind as usize] as usize;
            let reach = REACH.max(self.k as usize);
            let end = (at + reach + 1).min(order.len());
            near.extend_from_slice(&order[at.saturating_sub(reach)..end]);
        }
        near.sort_unstable();
        near.dedup();
        near
    }
}
