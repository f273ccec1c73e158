//! Makes a plan cheaper: takes some groups apart and builds them anew, again and again.
//!
//! A round takes apart several neighbourhoods that share no group, and rebuilds them at the same
//! time. One that got cheaper stays, and so does one that costs the same; the others are as they
//! were. Rows may join groups of no neighbourhood but their own and those that stand, so what one
//! does cannot harm another, and the outcome is the same on any number of threads.

use muslin_engine::{Run, Seed};
use rayon::prelude::*;

use super::plan::{NONE, Plan};
use super::rebuild::{Proposal, Rebuild, Scratch};
use super::{MILLION, as_f64};

/// Neighbourhoods of a round.
const ROUND: usize = 32;
/// Groups of more rows than this are not taken apart as a whole.
const LARGE: usize = 48;
/// Rows of a neighbourhood, fewest and most.
const ROWS: (u64, u64) = (10, 60);
/// How far choices may be from the first thought, in cells.
const NOISE: [f64; 4] = [0.0, 0.2, 0.5, 1.0];
/// A group whose rows cost this many cells above their multipliers is always a place to begin.
const DEAR: f64 = 0.7;

/// Rows looked at to find a place to begin.
const TRIES: u32 = 500;

/// When to stop.
pub(super) struct Until {
    /// No plan costs less.
    pub(super) bound: u64,
    /// A plan that costs at most this much more than the bound, as a share of it, is good enough.
    pub(super) gap: f64,
    /// The search ends when so many neighbourhoods in a row brought next to nothing.
    pub(super) patience: u64,
}

/// Rebuilds parts of a plan until it is good enough, or nothing gets better.
pub(super) fn improve(
    plan: &mut Plan,
    rebuild: &Rebuild<'_>,
    until: &Until,
    seed: Seed,
    run: &Run,
) {
    let mut rng = Draws { seed, next: 0 };
    let mut touched = vec![0u32; rebuild.candidates.len()];
    let (mut tried, mut since) = (0u64, plan.cost());
    for round in 1.. {
        let is_good = as_f64(plan.cost()) <= as_f64(until.bound) * (1.0 + until.gap);
        if is_good || run.stop().is_some() {
            return;
        }
        let mut neighbourhoods: Vec<Vec<u32>> = Vec::with_capacity(ROUND);
        for _ in 0..ROUND {
            let Some(first) = dear(plan, rebuild, round, &touched, &mut rng) else { break };
            let rows = near(first, plan, rebuild, round, &mut touched, &mut rng);
            neighbourhoods.extend(Some(rows).filter(|rows| !rows.is_empty()));
        }
        let seed = seed.part(u64::from(round));
        let sizes = |group: u32| {
            let is_open = touched[group as usize] != round * 2 && rebuild.diversity.is_none();
            if is_open { plan.size(group) } else { 0 }
        };
        let proposals: Vec<Option<Proposal>> = neighbourhoods
            .par_iter()
            .enumerate()
            .map_init(Scratch::default, |scratch, (at, places)| {
                let seed = seed.part(at as u64);
                let noise = rebuild.unit * NOISE[usize::try_from(seed.below(0, 4)).unwrap_or(0)];
                let free = kinds_of(places, rebuild);
                let before: u64 =
                    places.iter().map(|&place| rebuild.candidates.cost(plan.group_of(place))).sum();
                let found = rebuild.propose(&free, &sizes, noise, seed.part(1), scratch);
                (found.left.is_empty() && found.cost <= before).then_some(found)
            })
            .collect();
        for (places, proposal) in neighbourhoods.iter().zip(&proposals) {
            if let Some(proposal) = proposal {
                plan.free(places, rebuild.candidates);
                plan.apply(places, proposal, rebuild.kinds, rebuild.candidates);
            }
        }
        // Where no place to begin is found, there are few: that counts like trying in vain.
        tried += ROUND as u64;
        if tried >= until.patience {
            // Less than a part in two thousand is next to nothing.
            if (since - plan.cost()) * 2000 < since {
                return;
            }
            (tried, since) = (0, plan.cost());
        }
    }
}

/// The kinds of rows, and how many of each.
fn kinds_of(places: &[u32], rebuild: &Rebuild<'_>) -> Vec<(u32, u32)> {
    let mut kinds: Vec<u32> = places.iter().map(|&place| rebuild.kinds.kind_at(place)).collect();
    kinds.sort_unstable();
    let count = |same: &[u32]| (same[0], u32::try_from(same.len()).unwrap_or(u32::MAX));
    kinds.chunk_by(|a, b| a == b).map(count).collect()
}

/// Rows of a group and of others that could share rows with it, of none that was touched in this
/// round.
fn near(
    first: u32,
    plan: &Plan,
    rebuild: &Rebuild<'_>,
    round: u32,
    touched: &mut [u32],
    rng: &mut Draws,
) -> Vec<u32> {
    let kinds = rebuild.kinds;
    let wanted = rng.below(ROWS.1 - ROWS.0) + ROWS.0;
    let mut rows: Vec<u32> = Vec::new();
    take(plan, rebuild, first, first_kind(plan, rebuild, first), round, touched, rng, &mut rows);
    for _ in 0..200 {
        if rows.len() as u64 >= wanted || rows.is_empty() {
            break;
        }
        let kind = kinds.kind_at(rows[rng.index(rows.len())]);
        let fits = rebuild.of.groups(kind);
        let others = rebuild.candidates.kinds(fits[rng.index(fits.len())]);
        let other = others[rng.index(others.len())];
        let places = kinds.places(other);
        let place = places.start + rng.below_u32(places.end - places.start);
        let group = plan.group_of(place);
        if group == NONE || touched[group as usize] >> 1 == round {
            continue;
        }
        // Rows that cost nothing are rarely of help.
        if rebuild.candidates.cost(group) == 0 && rng.below(8) != 0 {
            continue;
        }
        take(plan, rebuild, group, other, round, touched, rng, &mut rows);
    }
    rows
}

fn first_kind(plan: &Plan, rebuild: &Rebuild<'_>, group: u32) -> u32 {
    rebuild.kinds.kind_at(plan.members(group)[0])
}

/// Adds a group's rows to a neighbourhood: all of them, or of a large group a few it can spare.
#[expect(clippy::too_many_arguments, reason = "the state of one loop")]
fn take(
    plan: &Plan,
    rebuild: &Rebuild<'_>,
    group: u32,
    kind: u32,
    round: u32,
    touched: &mut [u32],
    rng: &mut Draws,
    rows: &mut Vec<u32>,
) {
    let members = plan.members(group);
    if members.len() <= LARGE {
        touched[group as usize] = round * 2;
        rows.extend_from_slice(members);
        return;
    }
    let spare = members.len() - rebuild.k as usize;
    if rebuild.diversity.is_some() || spare == 0 || rng.below(8) != 0 {
        return;
    }
    touched[group as usize] = round * 2 + 1;
    let fits = |place: &&u32| rebuild.kinds.kind_at(**place) == kind;
    rows.extend(members.iter().filter(fits).take(spare.min(2)));
}

/// A group whose rows cost more than their multipliers.
fn dear(
    plan: &Plan,
    rebuild: &Rebuild<'_>,
    round: u32,
    touched: &[u32],
    rng: &mut Draws,
) -> Option<u32> {
    for _ in 0..TRIES {
        let place = rng.below_u32(u32::try_from(rebuild.kinds.rows()).unwrap_or(u32::MAX));
        let group = plan.group_of(place);
        if group == NONE || touched[group as usize] >> 1 == round {
            continue;
        }
        let cost = as_f64(rebuild.candidates.cost(group)) / MILLION;
        let members = plan.members(group);
        let above = if members.len() <= LARGE {
            let worth = |&place: &u32| rebuild.multipliers[rebuild.kinds.kind_at(place) as usize];
            cost - members.iter().map(worth).sum::<f64>() / as_f64(members.len() as u64)
        } else {
            cost - rebuild.multipliers[rebuild.kinds.kind_at(place) as usize]
        };
        if above > rng.unit() * DEAR * rebuild.unit {
            return Some(group);
        }
    }
    None
}

/// One draw after the other.
struct Draws {
    seed: Seed,
    next: u64,
}

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.next += 1;
        self.seed.below(self.next, bound)
    }

    fn below_u32(&mut self, bound: u32) -> u32 {
        u32::try_from(self.below(u64::from(bound))).expect("below a bound of 32 bits")
    }

    fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).expect("below a length")
    }

    fn unit(&mut self) -> f64 {
        self.next += 1;
        self.seed.unit(self.next)
    }
}
