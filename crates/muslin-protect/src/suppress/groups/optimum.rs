//! The optimum of small tables, from what the search found.
//!
//! Most groups can be left out first. At the multipliers a that prove the bound L(a), a plan with a
//! group costs at least L(a) more by what the group's cheapest choice of k rows is above nothing.
//! Where that is no less than the plan at hand costs, no cheaper plan has the group. The same holds
//! for a kind in a group, with the cheapest choice that has one of its rows.

use muslin_engine::Run;

use super::super::exact::{Best, Compatible, Grouping, Share, group, make_compatible};
use super::Notion;
use super::candidates::Candidates;
use super::compatible::Kept;
use super::costs::Costs;
use super::kinds::Kinds;
use super::multipliers::Multipliers;
use super::plan::Plan;
use super::rebuild::Proposal;
use crate::Result;

/// How hard to try.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effort {
    /// Until it is done, or the run stops.
    Full,
    /// A little, the same on any machine: where there is little to choose, and for a while.
    Small,
}

/// Tables of so many rows get the optimum without being asked for, as far as little effort goes.
pub(super) const SMALL: usize = 64;
/// Choices of a kind and a group that are little to choose.
const FEW_PLACES: usize = 3_000;
/// Nodes of a search that are a while.
const FEW_NODES: u64 = 400;

/// A plan, what any plan costs at least, and whether the plan costs just that.
pub(super) struct Optimum {
    pub(super) plan: Plan,
    pub(super) bound: u64,
    pub(super) is_optimal: bool,
}

/// A plan that costs no more, and a bound that is no less. All closed groups are candidates.
pub(super) fn optimum(
    plan: Plan,
    proof: &Multipliers,
    (kinds, candidates, costs): (&Kinds, &Candidates, &Costs),
    k: u32,
    effort: Effort,
    run: &Run,
) -> Result<Optimum> {
    let bound = costs.rounded_up(proof.bound);
    if bound >= plan.cost() {
        return Ok(Optimum { bound: plan.cost(), plan, is_optimal: true });
    }
    let shares = shares(&plan, kinds);
    let left = Left { kinds, candidates, costs, k, proof, cost: plan.cost() };
    let (numbers, groups) = left.groups(&shares);
    let places: usize = groups.iter().map(|(_, kinds)| kinds.len()).sum();
    let most_nodes = match effort {
        Effort::Full => u64::MAX,
        Effort::Small if places <= FEW_PLACES => FEW_NODES,
        Effort::Small => return Ok(Optimum { plan, bound, is_optimal: false }),
    };
    let number = |number: usize| numbers.binary_search(&number).expect("a plan's groups stay");
    let start: Vec<Share> =
        shares.iter().map(|share| Share { group: number(share.group), ..*share }).collect();
    let asked = Grouping { counts: kinds.counts(), groups: &groups, k, most_nodes };
    let found = match (group(&asked, &start, run), effort) {
        // What was not asked for must not fail.
        (Err(_), Effort::Small) => return Ok(Optimum { plan, bound, is_optimal: false }),
        (found, _) => found?,
    };
    let takes = found.answer.iter().map(|share| {
        let group = u32::try_from(numbers[share.group]).expect("groups are counted in 32 bits");
        (group, share.kind, share.rows)
    });
    let proposal = Proposal { takes: takes.collect(), cost: 0, left: Vec::new() };
    let mut better = Plan::empty(kinds, candidates.len());
    let all: Vec<u32> = (0u32..).take(kinds.rows()).collect();
    better.apply(&all, &proposal, kinds, candidates);
    let plan = if better.cost() < plan.cost() { better } else { plan };
    let bound = bound.max(found.bound).min(plan.cost());
    Ok(Optimum { is_optimal: bound == plan.cost(), plan, bound })
}

/// Rows of each kind in each group of a plan, by group.
fn shares(plan: &Plan, kinds: &Kinds) -> Vec<Share> {
    let mut shares: Vec<Share> = (plan.groups())
        .flat_map(|group| plan.members(group).iter().map(move |&place| (group as usize, place)))
        .map(|(group, place)| Share { group, kind: kinds.kind_at(place), rows: 1 })
        .collect();
    shares.sort_unstable();
    shares.dedup_by(|next, before| {
        let is_same = (next.group, next.kind) == (before.group, before.kind);
        before.rows += u32::from(is_same);
        is_same
    });
    shares
}

/// What a cheaper plan can be made of.
struct Left<'a> {
    kinds: &'a Kinds,
    candidates: &'a Candidates,
    costs: &'a Costs,
    k: u32,
    proof: &'a Multipliers,
    /// What the plan at hand costs.
    cost: u64,
}

impl Left<'_> {
    /// Groups with their costs and kinds, and their numbers: those of a cheaper plan, and of the
    /// plan at hand.
    fn groups(&self, shares: &[Share]) -> (Vec<usize>, Vec<(u64, Vec<u32>)>) {
        let (mut numbers, mut groups) = (Vec::new(), Vec::new());
        for group in (0u32..).take(self.candidates.len()) {
            let number = group as usize;
            let begin = shares.partition_point(|share| share.group < number);
            let end = shares.partition_point(|share| share.group <= number);
            let own = &shares[begin..end];
            let is_own = |kind: u32| own.binary_search_by_key(&kind, |share| share.kind).is_ok();
            let kinds = self.of_group(group, &is_own);
            let rows: u64 = kinds.iter().map(|&kind| u64::from(self.kinds.count(kind))).sum();
            if rows >= u64::from(self.k) {
                numbers.push(number);
                groups.push((self.candidates.cost(group), kinds));
            }
        }
        (numbers, groups)
    }

    /// The kinds that are in a group in some cheaper plan, or that are in it now.
    fn of_group(&self, group: u32, is_own: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let cost = i128::from(self.candidates.cost(group));
        let less = |kind: u32| cost - i128::from(self.proof.of_kinds[kind as usize]);
        let kinds = self.candidates.kinds(group);
        let mut order: Vec<(i128, u32)> =
            kinds.iter().map(|&kind| (less(kind), self.kinds.count(kind))).collect();
        order.sort_unstable();
        // The cheapest choice, and the last that it would give up for another row.
        let (mut worth, mut rows, mut last) = (0i128, 0u32, 0i128);
        for (less, count) in order {
            let taken = if less < 0 { count } else { count.min(self.k.saturating_sub(rows)) };
            if taken > 0 {
                worth += less * i128::from(taken);
                rows = rows.saturating_add(taken);
                last = less.max(0);
            }
        }
        // The bound has groups that are worth something already.
        let above = |worth_with: i128| worth_with - worth.min(0);
        let is_cheaper = |kind: u32| {
            let with = worth + (less(kind) - last).max(0);
            let bound = i128::from(self.proof.bound) + above(with);
            let bound = u64::try_from(bound).unwrap_or(u64::MAX);
            self.costs.rounded_up(bound) < self.cost
        };
        kinds.iter().copied().filter(|&kind| is_own(kind) || is_cheaper(kind)).collect()
    }
}

/// The cheapest columns that each row keeps, from some that do.
pub(super) fn compatible_optimum(
    kept: &Kept,
    (kinds, costs): (&Kinds, &Costs),
    notion: Notion,
    k: u32,
    run: &Run,
) -> Result<Best<Kept>> {
    let all = u128::MAX >> (128 - kinds.columns());
    let kind_of: Vec<u32> = (0u32..).take(kinds.rows()).map(|place| kinds.kind_at(place)).collect();
    let asked = Compatible {
        counts: kinds.counts(),
        kind_of: &kind_of,
        costs: costs.columns(),
        k,
        is_both: notion == Notion::BothK,
        differing: &|a, b| all & !kinds.agreed(&[a, b]),
    };
    let start: Vec<u128> = kept.iter().map(|kept| all & !kept).collect();
    let found = make_compatible(&asked, &start, run)?;
    let answer = found.answer.iter().map(|blanked| all & !blanked).collect();
    Ok(Best { answer, bound: found.bound, is_optimal: found.is_optimal })
}
