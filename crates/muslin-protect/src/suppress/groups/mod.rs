//! Own-value k-anonymity by blanking cells: every row looks like at least k - 1 others, a blank
//! being a value like any other.
//!
//! ```text
//! kinds         rows that are equal are handled together
//! candidates    every closed group of k rows and more; of many columns only some (neighbours)
//! sweep         a first plan
//! multipliers   what no plan can cost less than, and what each row is worth
//! search        parts of the plan are built anew, guided by the multipliers
//! optimum       of small tables, or where it is asked for
//! ```

mod candidates;
mod compatible;
mod costs;
mod diversity;
mod kinds;
mod multipliers;
mod neighbours;
mod optimum;
mod plan;
mod rebuild;
mod search;
mod sweep;

use hashbrown::HashMap;
use muslin_engine::{Coverage, Run};
use muslin_table::{ColumnId, EncodedTable};

use self::candidates::{Candidates, OfKinds};
use self::compatible::{Kept, cover, k_to_one};
use self::costs::Costs;
use self::diversity::Diversity;
use self::kinds::Kinds;
use self::multipliers::{Multipliers, Steps, ascend, reduced_costs};
use self::neighbours::some_candidates;
use self::optimum::{Effort, Optimum, SMALL, compatible_optimum, optimum};
use self::plan::Plan;
use self::rebuild::{Rebuild, Scratch};
use self::search::{Until, improve};
use self::sweep::{rescue, sweep};
use super::{Notion, exact};
use crate::{Error, Result};

/// What is to be protected, and how dear blanks are.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    pub(super) columns: Vec<ColumnId>,
    /// What a blank costs in each column, in millionths; none where there may be none.
    pub(super) costs: Vec<Option<u64>>,
    pub(super) k: u32,
    pub(super) notion: Notion,
    /// A sensitive column, and l: no value may be that of more than one in l rows of a group.
    pub(super) sensitive: Option<(ColumnId, u32)>,
    /// How far above the bound is good enough, as a share of it.
    pub(super) gap: f64,
    /// Whether only the optimum will do.
    pub(super) exact: bool,
}

/// A protection, and how good it is.
#[derive(Clone, Debug)]
pub(super) struct Grouped {
    /// The columns to blank, as bits, of each row.
    pub(super) blanked: Vec<u128>,
    /// No protection costs less.
    pub(super) bound: u64,
    /// What proves it, where groups are asked for: a multiplier for each row, in millionths.
    pub(super) multipliers: Option<Vec<u64>>,
    /// What they prove.
    pub(super) certified: u64,
    pub(super) coverage: Coverage,
}

/// Costs are counted in millionths.
const MILLION: f64 = 1e6;
/// Of more columns than this, not every group is listed.
const MOST_PATTERNED: usize = 16;
/// Kinds in candidate groups at most: a gigabyte.
const MOST_FITS: usize = 1 << 28;
/// Groups whose cheapest rows cost this many cells above their multipliers are left out of the
/// search.
const CORE: f64 = 3.0;
/// A search follows each; the next comes where that was not enough.
const STAGES: [Steps; 3] = [
    Steps { longest: 1.0, shortest: 0.08 },
    Steps { longest: 0.15, shortest: 0.01 },
    Steps { longest: 0.02, shortest: 0.001 },
];
/// Neighbourhoods that are tried between two looks at the progress: so many per row, and at most.
const TRIES_PER_ROW: usize = 16;
const MOST_TRIES: usize = 16_000;

impl Groups {
    /// Finds a cheap protection and a bound on the cheapest.
    pub(super) fn run(&self, table: &EncodedTable, run: &Run) -> Result<Grouped> {
        run.install(|| self.solve(table, run))
    }

    fn solve(&self, table: &EncodedTable, run: &Run) -> Result<Grouped> {
        let sensitive = self.sensitive.map(|(column, _)| column);
        let kinds = Kinds::new(table, &self.columns, sensitive);
        let costs = Costs::new(self.costs.clone());
        let diversity =
            self.sensitive.and_then(|(_, l)| kinds.sensitive().map(|slots| Diversity { slots, l }));
        self.check(&kinds, &costs, diversity)?;
        let needs_all = self.exact && matches!(self.notion, Notion::KAnonymity | Notion::KToOne);
        let all = if needs_all {
            let all = Candidates::closed(&kinds, &costs, self.k, exact::MOST, run)?;
            Some(all.ok_or_else(exact::too_large)?)
        } else if self.columns.len() <= MOST_PATTERNED {
            Candidates::closed(&kinds, &costs, self.k, MOST_FITS, run)?
        } else {
            None
        };
        let is_complete = all.is_some();
        let (candidates, floor) = match all {
            Some(all) => (all, None),
            None => some_candidates(&kinds, &costs, self.k, run)?,
        };
        let of = candidates.of_kinds(kinds.len());
        let least = floor.unwrap_or_else(|| least_costs(&kinds, &candidates, &of));
        if self.notion != Notion::KAnonymity {
            return self.compatible(&kinds, &candidates, &of, &costs, &least, run);
        }
        let mut plan = sweep(&kinds, &candidates, &of, self.k, diversity);
        let kind = |kind| candidates.largest(of.groups(kind));
        let mut last: Vec<u32> = (0u32..).take(kinds.len()).filter_map(kind).collect();
        last.sort_unstable();
        last.dedup();
        drop(of);
        // What rows cost at least proves a bound whether or not all groups are known.
        let charged = |(&least, &count): (&u64, &u32)| least * u64::from(count);
        let bound = least.iter().zip(kinds.counts()).map(charged).sum();
        let mut proof = Multipliers { of_kinds: least, bound };
        let mut guide = proof.clone();
        let work =
            Work { groups: self, kinds: &kinds, candidates: &candidates, last, diversity, run };
        for (stage, steps) in (0u64..).zip(STAGES) {
            let gap = if is_complete { self.gap } else { 0.0 };
            guide = ascend(&candidates, &kinds, self.k, &guide, plan.cost(), gap, steps, run);
            if is_complete && guide.bound > proof.bound {
                proof.clone_from(&guide);
            }
            if self.is_good(&plan, proof.bound) || run.stop().is_some() {
                break;
            }
            plan = work.improve(&plan, &guide, proof.bound, stage);
            if self.is_good(&plan, proof.bound) {
                break;
            }
        }
        let bound = costs.rounded_up(proof.bound);
        let is_small = is_complete && diversity.is_none() && kinds.rows() <= SMALL;
        let effort = if self.exact { Effort::Full } else { Effort::Small };
        let Optimum { plan, bound, is_optimal } = if self.exact || is_small {
            optimum(plan, &proof, (&kinds, &candidates, &costs), self.k, effort, run)?
        } else {
            Optimum { plan, bound, is_optimal: false }
        };
        let coverage = coverage(is_optimal, run);
        let (blanked, multipliers) = self.by_row(&plan, &kinds, &proof);
        let certified = costs.rounded_up(proof.bound);
        Ok(Grouped { blanked, bound, multipliers: Some(multipliers), certified, coverage })
    }

    fn is_good(&self, plan: &Plan, bound: u64) -> bool {
        as_f64(plan.cost()) <= as_f64(bound) * (1.0 + self.gap)
    }

    /// An error where some row can be in no group.
    fn check(&self, kinds: &Kinds, costs: &Costs, diversity: Option<Diversity<'_>>) -> Result<()> {
        let stays: Vec<usize> =
            (0..kinds.columns()).filter(|&c| costs.must_stay() >> c & 1 == 1).collect();
        // Rows that agree on all columns that must stay may be in one group.
        let mut together: HashMap<Vec<u32>, Vec<(u32, u32)>, foldhash::fast::FixedState> =
            HashMap::default();
        for kind in (0u32..).take(kinds.len()) {
            let slots = stays.iter().map(|&column| kinds.column(column)[kind as usize]).collect();
            together.entry(slots).or_default().push((kind, kinds.count(kind)));
        }
        let rows =
            |kinds: &[(u32, u32)]| kinds.iter().map(|&(_, rows)| u64::from(rows)).sum::<u64>();
        let (mut few, mut skewed) = (0, 0);
        for kinds in together.values() {
            let rows = rows(kinds);
            few += if rows < u64::from(self.k) { rows } else { 0 };
            let holds = diversity.is_none_or(|diversity| diversity.holds(kinds.iter().copied()));
            skewed += if holds { 0 } else { rows };
        }
        let k = self.k;
        if few > 0 && stays.is_empty() {
            return Err(Error::Unreachable(format!(
                "{few} rows cannot be in classes of at least {k}\n  hint: pass a smaller `-k`"
            )));
        }
        if few > 0 {
            return Err(Error::Unreachable(format!(
                "{few} rows have values that fewer than {k} rows share, in columns that must stay as they are\n  hint: allow blanks in more columns, or pass a smaller `-k`"
            )));
        }
        if let Some(Diversity { l, .. }) = diversity.filter(|_| skewed > 0) {
            return Err(Error::Unreachable(format!(
                "{skewed} rows cannot be in classes where no sensitive value is that of more than one in {l} rows: it is more frequent among all that may share a class\n  hint: pass a smaller `--diversity`"
            )));
        }
        Ok(())
    }

    /// Notions by which rows need not be equal.
    fn compatible(
        &self,
        kinds: &Kinds,
        candidates: &Candidates,
        of: &OfKinds,
        costs: &Costs,
        least: &[u64],
        run: &Run,
    ) -> Result<Grouped> {
        let all = u128::MAX >> (128 - self.columns.len());
        let charged = |(&least, &count): (&u64, &u32)| least * u64::from(count);
        let rows_alone: u64 = least.iter().zip(kinds.counts()).map(charged).sum();
        let few = kinds.counts().iter().map(|&count| self.k.saturating_sub(count)).max();
        let cheapest = self.costs.iter().flatten().min().copied().unwrap_or(0);
        let (mut kept, mut bound): (Kept, u64) = match self.notion {
            Notion::KToOne => (k_to_one(kinds, candidates, of), rows_alone),
            Notion::BothK => {
                let kept = k_to_one(kinds, candidates, of);
                (cover(kept, kinds, costs, self.k, true), rows_alone)
            }
            // A person in a class of n rows needs a blank in k - n others.
            _ => {
                let kept = vec![all; kinds.rows()];
                let bound = u64::from(few.unwrap_or(0)) * cheapest;
                (cover(kept, kinds, costs, self.k, false), bound)
            }
        };
        bound = costs.rounded_up(bound);
        let mut coverage = Coverage::Complete;
        if self.exact && self.notion != Notion::KToOne {
            let found = compatible_optimum(&kept, (kinds, costs), self.notion, self.k, run)?;
            // Cells that cost nothing may be blank without need.
            kept = cover(found.answer, kinds, costs, self.k, self.notion == Notion::BothK);
            bound = bound.max(found.bound);
            coverage = self::coverage(found.is_optimal, run);
        }
        let mut blanked = vec![0; kinds.rows()];
        for (place, kept) in (0u32..).zip(kept) {
            blanked[kinds.row_at(place) as usize] = all & !kept;
        }
        Ok(Grouped { blanked, bound, multipliers: None, certified: 0, coverage })
    }

    /// What is blanked in each row, and its multiplier.
    fn by_row(&self, plan: &Plan, kinds: &Kinds, proof: &Multipliers) -> (Vec<u128>, Vec<u64>) {
        let all = u128::MAX >> (128 - self.columns.len());
        let mut blanked = vec![0; kinds.rows()];
        for group in plan.groups() {
            let members: Vec<u32> =
                plan.members(group).iter().map(|&place| kinds.kind_at(place)).collect();
            let kept = kinds.agreed(&members);
            for &place in plan.members(group) {
                blanked[kinds.row_at(place) as usize] = all & !kept;
            }
        }
        let mut multipliers = vec![0; kinds.rows()];
        for place in (0u32..).take(kinds.rows()) {
            let of_kind = proof.of_kinds[kinds.kind_at(place) as usize];
            multipliers[kinds.row_at(place) as usize] = of_kind;
        }
        (blanked, multipliers)
    }
}

/// What the search works on.
struct Work<'a> {
    groups: &'a Groups,
    kinds: &'a Kinds,
    candidates: &'a Candidates,
    /// The group that each kind can be in at the worst.
    last: Vec<u32>,
    diversity: Option<Diversity<'a>>,
    run: &'a Run,
}

impl Work<'_> {
    /// A plan that costs no more, in terms of all candidates.
    fn improve(&self, plan: &Plan, guide: &Multipliers, bound: u64, stage: u64) -> Plan {
        let (kinds, k) = (self.kinds, self.groups.k);
        let multipliers: Vec<f64> = guide.of_kinds.iter().map(|&a| as_f64(a) / MILLION).collect();
        let core = self.core(plan, &multipliers);
        let number_of = |group: u32| -> u32 {
            let number = core.binary_search(&group).expect("a plan's groups are in the core");
            u32::try_from(number).expect("groups are counted in 32 bits")
        };
        let candidates = self.candidates.only(&core);
        let of = candidates.of_kinds(kinds.len());
        let rebuild = Rebuild {
            kinds,
            candidates: &candidates,
            of: &of,
            multipliers: &multipliers,
            k,
            unit: self.unit(),
            diversity: self.diversity,
        };
        let mut plan = plan.renumbered(&number_of, core.len());
        let seed = self.run.seed_of_run().part(stage);
        let patience = (kinds.rows() * TRIES_PER_ROW).min(MOST_TRIES) as u64;
        let until = Until { bound, gap: self.groups.gap, patience };
        if stage == 0 {
            // A plan made by the multipliers alone costs more at first, and leads further.
            let mut guided = guided(&rebuild, seed);
            improve(&mut guided, &rebuild, &until, seed, self.run);
            if guided.cost() < plan.cost() {
                plan = guided;
            }
        } else {
            improve(&mut plan, &rebuild, &until, seed, self.run);
        }
        if self.diversity.is_none() {
            plan.settle(kinds, &candidates, &of, k as usize);
        }
        plan.renumbered(&|group| core[group as usize], self.candidates.len())
    }

    /// What a cell costs on average, where it costs anything.
    fn unit(&self) -> f64 {
        let costs = || self.groups.costs.iter().flatten().filter(|&&cost| cost > 0);
        let (sum, count) = (costs().sum::<u64>(), costs().count() as u64);
        if count == 0 { 1.0 } else { as_f64(sum) / as_f64(count) / MILLION }
    }

    /// The groups worth a look: of a plan, cheap at the multipliers, or a last resort.
    fn core(&self, plan: &Plan, multipliers: &[f64]) -> Vec<u32> {
        let reduced = reduced_costs(self.candidates, self.kinds, self.groups.k, multipliers);
        let most = CORE * self.unit();
        let is_core = |group: &u32| {
            reduced[*group as usize] <= most
                || plan.size(*group) > 0
                || self.last.binary_search(group).is_ok()
        };
        (0u32..).take(self.candidates.len()).filter(is_core).collect()
    }
}

/// A plan made by the multipliers alone.
fn guided(rebuild: &Rebuild<'_>, seed: muslin_engine::Seed) -> Plan {
    let kinds = rebuild.kinds;
    let free: Vec<(u32, u32)> = (0u32..).zip(kinds.counts().iter().copied()).collect();
    let proposal = rebuild.propose(&free, &|_| 0, 0.0, seed, &mut Scratch::default());
    let mut plan = Plan::empty(kinds, rebuild.candidates.len());
    let all: Vec<u32> = (0u32..).take(kinds.rows()).collect();
    plan.apply(&all, &proposal, kinds, rebuild.candidates);
    let Rebuild { candidates, of, k, diversity, .. } = rebuild;
    rescue(&mut plan, proposal.left, kinds, candidates, of, *k, *diversity);
    plan
}

/// What a row of each kind costs at least: in the cheapest group that it fits.
fn least_costs(kinds: &Kinds, candidates: &Candidates, of: &OfKinds) -> Vec<u64> {
    let least = |kind| of.groups(kind).first().map_or(0, |&group| candidates.cost(group));
    (0u32..).take(kinds.len()).map(least).collect()
}

/// How far a run got: where nothing is better, nothing was left out.
fn coverage(is_optimal: bool, run: &Run) -> Coverage {
    let stop = run.stop().filter(|_| !is_optimal);
    stop.map_or(Coverage::Complete, |by| Coverage::Stopped { by })
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn as_f64(number: u64) -> f64 {
    number as f64
}
