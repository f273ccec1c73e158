//! A lower bound on what any protection costs, by Lagrangian relaxation.
//!
//! Every row is in exactly one group. Give up that rule and pay for breaking it: whoever puts row i
//! into a group gets back a multiplier `a_i`. Then groups no longer depend on each other, and
//!
//! ```text
//! L(a) = sum of all a_i + sum over groups of min(0, cheapest choice of k rows or more, each c - a_i)
//! ```
//!
//! is at most what the best protection costs: its own groups are such choices, and its rows pay back
//! what the first sum charged. So any multipliers prove a bound, whoever found them. The cheapest
//! choice is the k smallest `c - a_i` and all further negative ones. Only closed groups count, since
//! the rows of any group fit one that is closed and costs no more.
//!
//! Good multipliers are found by steps along a subgradient: up for rows that no group chose, down
//! for rows that several chose.

use muslin_engine::Run;
use rayon::prelude::*;

use super::candidates::Candidates;
use super::kinds::Kinds;
use super::{MILLION, as_f64};

/// Multipliers in millionths, one per kind of row, and what they prove.
#[derive(Clone, Debug)]
pub(super) struct Multipliers {
    pub(super) of_kinds: Vec<u64>,
    /// No protection costs less, in millionths.
    pub(super) bound: u64,
}

/// Groups per piece of work: pieces are the same on any number of threads.
const PIECE: usize = 1 << 10;
/// Steps at most.
const STEPS: u32 = 600;
/// Steps without progress until they are shortened.
const PATIENCE: u32 = 12;
/// What they are shortened by.
const SHORTER: f64 = 0.75;
/// How much of the last direction is kept.
const MOMENTUM: f64 = 0.6;

/// How long the first steps are, and the last, as a share of what is between the bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    pub(super) longest: f64,
    pub(super) shortest: f64,
}

/// Multipliers of a better bound than those to start with. Some protection costs `upper`; a bound
/// that is within the share `gap` of that is good enough.
#[expect(clippy::too_many_arguments, reason = "one of each")]
pub(super) fn ascend(
    candidates: &Candidates,
    kinds: &Kinds,
    k: u32,
    start: &Multipliers,
    upper: u64,
    gap: f64,
    steps: Steps,
    run: &Run,
) -> Multipliers {
    let (counts, upper) = (kinds.counts(), as_f64(upper) / MILLION);
    let mut ascent = Ascent {
        multipliers: start.of_kinds.iter().map(|&a| as_f64(a) / MILLION).collect(),
        asleep: vec![f64::NEG_INFINITY; candidates.len()],
        risen: 0.0,
        counts,
        k,
    };
    let most = candidates.most_cost() / MILLION;
    let mut direction = vec![0.0f64; kinds.len()];
    let (mut best, mut best_at) = (f64::NEG_INFINITY, ascent.multipliers.clone());
    let (mut length, mut waited) = (steps.longest, 0);
    for _ in 0..STEPS {
        let is_good = best * (1.0 + gap) >= upper;
        if is_good || run.stop().is_some() || length < steps.shortest {
            break;
        }
        let (value, chosen) = ascent.value(candidates);
        let progress = (upper - best).max(1.0) * 2e-4;
        waited = if value > best + progress { 0 } else { waited + 1 };
        if value > best {
            best = value;
            best_at.copy_from_slice(&ascent.multipliers);
        }
        if waited >= PATIENCE {
            length *= SHORTER;
            waited = 0;
        }
        let mut norm = 0.0;
        for ((direction, &chosen), &count) in direction.iter_mut().zip(&chosen).zip(counts) {
            let missing = 1.0 - f64::from(chosen) / f64::from(count);
            *direction = missing + MOMENTUM * *direction;
            norm += *direction * *direction * f64::from(count);
        }
        if norm <= 0.0 || upper <= value {
            break;
        }
        ascent.step(&direction, length * (upper - value) / norm, most);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative")]
    let rounded = best_at.iter().map(|a| (a * MILLION).round() as u64).collect();
    let found = prove(candidates, kinds, k, rounded);
    if found.bound > start.bound { found } else { start.clone() }
}

/// What multipliers prove, in whole numbers.
pub(super) fn prove(
    candidates: &Candidates,
    kinds: &Kinds,
    k: u32,
    of_kinds: Vec<u64>,
) -> Multipliers {
    let counts = kinds.counts();
    let value = |group: u32| -> i128 {
        let cost = i128::from(candidates.cost(group));
        let less = |kind: u32| cost - i128::from(of_kinds[kind as usize]);
        let (mut sum, mut rows, mut others) = (0, 0u32, Vec::new());
        for &kind in candidates.kinds(group) {
            let (less, count) = (less(kind), counts[kind as usize]);
            if less < 0 {
                sum += less * i128::from(count);
                rows = rows.saturating_add(count);
            } else if rows < k {
                others.push((less, count));
            }
        }
        if sum == 0 {
            return 0;
        }
        if rows < k {
            others.sort_unstable();
            for (less, count) in others {
                let taken = count.min(k - rows);
                sum += less * i128::from(taken);
                rows += taken;
                if rows == k {
                    break;
                }
            }
        }
        sum.min(0)
    };
    let groups = u32::try_from(candidates.len()).expect("groups are counted in 32 bits");
    let chosen: i128 = (0..groups).into_par_iter().map(value).sum();
    let charged: i128 = of_kinds
        .iter()
        .zip(counts)
        .map(|(&multiplier, &count)| i128::from(multiplier) * i128::from(count))
        .sum();
    let bound = u64::try_from((charged + chosen).max(0)).unwrap_or(u64::MAX);
    Multipliers { of_kinds, bound }
}

/// What each group is worth at some multipliers: its cheapest choice of k rows or more.
pub(super) fn reduced_costs(
    candidates: &Candidates,
    kinds: &Kinds,
    k: u32,
    multipliers: &[f64],
) -> Vec<f64> {
    let groups = u32::try_from(candidates.len()).expect("groups are counted in 32 bits");
    let counts = kinds.counts();
    (0..groups)
        .into_par_iter()
        .map_init(Vec::new, |others, group| {
            let cost = as_f64(candidates.cost(group)) / MILLION;
            let all = candidates.kinds(group);
            let (sum, rows, _) = negative(all, cost, multipliers, counts);
            if rows >= k {
                return sum;
            }
            fill(all, cost, multipliers, counts, k - rows, others);
            sum + others.iter().map(|&(less, _, taken)| less * f64::from(taken)).sum::<f64>()
        })
        .collect()
}

struct Ascent<'a> {
    multipliers: Vec<f64>,
    /// How far multipliers must have risen in all until each group can be worth anything.
    asleep: Vec<f64>,
    /// How far they have risen at most.
    risen: f64,
    counts: &'a [u32],
    k: u32,
}

impl Ascent<'_> {
    /// The relaxed cost, and how many rows of each kind the groups choose.
    fn value(&mut self, candidates: &Candidates) -> (f64, Vec<u32>) {
        let Self { multipliers, asleep, risen, counts, k } = self;
        let (multipliers, counts, risen, k) = (&multipliers[..], *counts, *risen, *k);
        let pieces: Vec<(f64, Vec<(u32, u32)>)> = asleep
            .par_chunks_mut(PIECE)
            .enumerate()
            .map(|(piece, asleep)| {
                let (mut sum, mut chosen, mut others) = (0.0, Vec::new(), Vec::new());
                for (asleep, group) in asleep.iter_mut().zip(piece * PIECE..) {
                    if risen < *asleep {
                        continue;
                    }
                    let group = u32::try_from(group).expect("groups are counted in 32 bits");
                    let cost = as_f64(candidates.cost(group)) / MILLION;
                    let kinds = candidates.kinds(group);
                    let (mut worth, rows, least) = negative(kinds, cost, multipliers, counts);
                    others.clear();
                    if rows < k {
                        let at_least = worth + f64::from(k - rows) * least;
                        // Its k cheapest rows decide, and they fall by as much as multipliers rise.
                        if rows == 0 || at_least >= 0.0 {
                            *asleep = risen + at_least / f64::from(k);
                            continue;
                        }
                        fill(kinds, cost, multipliers, counts, k - rows, &mut others);
                        worth += others.iter().map(|o| o.0 * f64::from(o.2)).sum::<f64>();
                        if worth >= 0.0 {
                            *asleep = risen + worth / f64::from(k);
                            continue;
                        }
                    }
                    sum += worth;
                    let is_negative = |kind: &&u32| multipliers[**kind as usize] > cost;
                    let all_of = |&kind: &u32| (kind, counts[kind as usize]);
                    chosen.extend(kinds.iter().filter(is_negative).map(all_of));
                    chosen.extend(others.iter().map(|&(_, kind, taken)| (kind, taken)));
                }
                (sum, chosen)
            })
            .collect();
        let charged = multipliers.iter().zip(counts).map(|(a, &count)| a * f64::from(count));
        let mut value: f64 = charged.sum();
        let mut all = vec![0u32; counts.len()];
        for (sum, chosen) in pieces {
            value += sum;
            for (kind, taken) in chosen {
                all[kind as usize] = all[kind as usize].saturating_add(taken);
            }
        }
        (value, all)
    }

    fn step(&mut self, direction: &[f64], step: f64, most: f64) {
        let mut rise = 0.0f64;
        for (multiplier, direction) in self.multipliers.iter_mut().zip(direction) {
            let next = (*multiplier + step * direction).clamp(0.0, most);
            rise = rise.max(next - *multiplier);
            *multiplier = next;
        }
        self.risen += rise;
    }
}

/// What rows that are worth choosing add up to, how many they are, and what the cheapest other costs.
fn negative(kinds: &[u32], cost: f64, multipliers: &[f64], counts: &[u32]) -> (f64, u32, f64) {
    let (mut sum, mut rows, mut least) = (0.0, 0u32, f64::INFINITY);
    for &kind in kinds {
        let less = cost - multipliers[kind as usize];
        if less < 0.0 {
            let count = counts[kind as usize];
            sum += less * f64::from(count);
            rows = rows.saturating_add(count);
        } else {
            least = least.min(less);
        }
    }
    (sum, rows, least)
}

/// The `needed` cheapest rows among those not worth choosing: what each costs, its kind, how many.
fn fill(
    kinds: &[u32],
    cost: f64,
    multipliers: &[f64],
    counts: &[u32],
    needed: u32,
    others: &mut Vec<(f64, u32, u32)>,
) {
    let least = |kind: u32| cost - multipliers[kind as usize];
    others.clear();
    let all = kinds.iter().map(|&kind| (least(kind), kind, counts[kind as usize]));
    others.extend(all.filter(|&(less, ..)| less >= 0.0));
    let order = |a: &(f64, u32, u32), b: &(f64, u32, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let most = needed as usize;
    if others.len() > most {
        others.select_nth_unstable_by(most, order);
        others.truncate(most);
    }
    others.sort_unstable_by(order);
    let mut left = needed;
    others.retain_mut(|(_, _, taken)| {
        *taken = left.min(*taken);
        left -= *taken;
        *taken > 0
    });
}
