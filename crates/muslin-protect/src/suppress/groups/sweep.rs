//! A first plan: patterns from the cheapest on, each taking the rows that it can.

use std::collections::BinaryHeap;

use super::candidates::{Candidates, OfKinds};
use super::diversity::Diversity;
use super::kinds::Kinds;
use super::plan::Plan;
use super::rebuild::Proposal;

/// Puts every row into a group.
///
/// Patterns, which are the columns kept, go by their cost; of equal ones the next is that whose
/// groups still get most rows. Rows of a group that gets enough stay there. Rows that are left join
/// the cheapest group they fit; where there is none, whole groups join them.
pub(super) fn sweep(
    kinds: &Kinds,
    candidates: &Candidates,
    of: &OfKinds,
    k: u32,
    diversity: Option<Diversity<'_>>,
) -> Plan {
    let mut order: Vec<u32> = (0u32..).take(candidates.len()).collect();
    order.sort_by_key(|&group| (candidates.cost(group), candidates.kept(group), group));
    let mut sweep = Sweep { candidates, k, diversity, left: kinds.counts().to_vec() };
    let mut takes = Vec::new();
    for level in order.chunk_by(|&a, &b| candidates.cost(a) == candidates.cost(b)) {
        let patterns: Vec<&[u32]> =
            level.chunk_by(|&a, &b| candidates.kept(a) == candidates.kept(b)).collect();
        let mut heap: BinaryHeap<(u64, usize)> =
            (0..patterns.len()).map(|at| (sweep.rows_for(patterns[at]), at)).collect();
        while let Some((rows, at)) = heap.pop() {
            let now = sweep.rows_for(patterns[at]);
            if now == 0 {
                continue;
            }
            // Others can only have lost rows too.
            if now < rows && heap.peek().is_some_and(|next| next.0 > now) {
                heap.push((now, at));
                continue;
            }
            sweep.take(patterns[at], &mut takes);
        }
    }
    let mut plan = Plan::empty(kinds, candidates.len());
    let all: Vec<u32> = (0u32..).take(kinds.rows()).collect();
    plan.apply(&all, &Proposal { takes, cost: 0, left: Vec::new() }, kinds, candidates);
    let left = (0u32..).zip(sweep.left).filter(|&(_, rows)| rows > 0).collect();
    rescue(&mut plan, left, kinds, candidates, of, k, diversity);
    plan
}

struct Sweep<'a> {
    candidates: &'a Candidates,
    k: u32,
    diversity: Option<Diversity<'a>>,
    /// Rows of each kind without a group.
    left: Vec<u32>,
}

impl Sweep<'_> {
    /// Rows that a group gets; none when they are too few.
    fn rows_of(&self, group: u32) -> u64 {
        let left = |&kind: &u32| (kind, self.left[kind as usize]);
        let rows = || self.candidates.kinds(group).iter().map(left).filter(|&(_, rows)| rows > 0);
        let count = rows().map(|(_, rows)| u64::from(rows)).sum();
        let is_enough = count >= u64::from(self.k)
            && self.diversity.is_none_or(|diversity| diversity.holds(rows()));
        if is_enough { count } else { 0 }
    }

    fn rows_for(&self, pattern: &[u32]) -> u64 {
        pattern.iter().map(|&group| self.rows_of(group)).sum()
    }

    fn take(&mut self, pattern: &[u32], takes: &mut Vec<(u32, u32, u32)>) {
        for &group in pattern {
            if self.rows_of(group) == 0 {
                continue;
            }
            for &kind in self.candidates.kinds(group) {
                let rows = std::mem::take(&mut self.left[kind as usize]);
                if rows > 0 {
                    takes.push((group, kind, rows));
                }
            }
        }
    }
}

/// Finds a group for rows that are too few for one of their own.
pub(super) fn rescue(
    plan: &mut Plan,
    mut left: Vec<(u32, u32)>,
    kinds: &Kinds,
    candidates: &Candidates,
    of: &OfKinds,
    k: u32,
    diversity: Option<Diversity<'_>>,
) {
    let places_of = |plan: &Plan, rows: &[(u32, u32)]| -> Vec<u32> {
        let free = |&(kind, count): &(u32, u32)| {
            let free = kinds.places(kind).filter(|&place| plan.is_free(place));
            free.take(count as usize).collect::<Vec<_>>()
        };
        rows.iter().flat_map(free).collect()
    };
    while let Some(&(kind, rows)) = left.first() {
        let fits = of.groups(kind);
        let joined = fits.iter().find(|&&group| plan.size(group) >= k as usize);
        if let (Some(&group), None) = (joined, diversity) {
            let places = places_of(plan, &[(kind, rows)]);
            let takes = vec![(group, kind, rows)];
            plan.apply(&places, &Proposal { takes, cost: 0, left: Vec::new() }, kinds, candidates);
            left.remove(0);
            continue;
        }
        // All that may be in one group with it.
        let root = candidates.largest(fits).expect("a kind that can be protected fits a group");
        let is_in = |kind: u32| candidates.kinds(root).binary_search(&kind).is_ok();
        let (mut here, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|l| is_in(l.0));
        left = others;
        let mut places = places_of(plan, &here);
        let cost = candidates.cost(root);
        let mut groups: Vec<(u64, u32)> = plan
            .groups()
            .filter(|&group| is_in(kinds.kind_at(plan.members(group)[0])))
            .map(|group| ((cost - candidates.cost(group)) * plan.size(group) as u64, group))
            .collect();
        groups.sort_unstable();
        let mut groups = groups.into_iter();
        while places.len() < k as usize
            || diversity.is_some_and(|diversity| !diversity.holds(here.iter().copied()))
        {
            let Some((_, group)) = groups.next() else { break };
            let members = plan.members(group).to_vec();
            plan.free(&members, candidates);
            here.extend(members.iter().map(|&place| (kinds.kind_at(place), 1)));
            places.extend(members);
        }
        let takes = here.into_iter().map(|(kind, rows)| (root, kind, rows)).collect();
        plan.apply(&places, &Proposal { takes, cost: 0, left: Vec::new() }, kinds, candidates);
    }
}
