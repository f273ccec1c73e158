//! Membership: whether a sliced release shows who is in the table; after Li, Li, Zhang and Molloy (2012).
//!
//! A combination of values is *consistent* with a release when a bucket has all of them, each slice's
//! together; it is *fake* when no row of the original has it. The attack rates a combination by how
//! often the release leads one to expect it, the sum over buckets of |B| times the product of the shares
//! of the slices' values, and succeeds as far as real ones are rated above fakes.

use muslin_engine::{Run, Seed};
use muslin_table::{ColumnId, ColumnSet};
use rayon::prelude::*;

use crate::attack::{Attack, UNSCORED};
use crate::error::fault;
use crate::groups::{Groups, Lists};
use crate::interval::of_area;
use crate::{Released, Result};

const NAME: &str = "membership";
const DEFENCE: &str =
    "generalize the columns first, or publish a sample: slicing does not protect membership";

/// Rates combinations of values by how likely they are people of a sliced release.
///
/// # Guarantee
/// Success is how often a real combination is rated above a fake one, equal ones counted half: the area
/// under the curve, of which 0.5 tells nothing. Without fakes it is 1: every consistent combination is
/// somebody. Up to the limit all fakes are counted; beyond, they are drawn by the run's seed, each as
/// likely as another, and the note says so. A combination that the release rules out is rated 0.
///
/// # Cost
/// Consistent combinations up to the limit times the buckets that match each.
///
/// # Example
/// ```
/// use std::collections::BTreeMap;
/// use muslin_attack::{Membership, Released, Rows};
/// use muslin_engine::Run;
/// use muslin_table::{ColumnId, ColumnSet, EncodedTable};
/// // A bucket and two slices of a column each; who has 1 and 5 is there twice.
/// let original = EncodedTable::of(&[[1, 5], [1, 5], [2, 6]]);
/// let release = EncodedTable::of(&[[1, 5, 0], [1, 6, 0], [2, 5, 0]]);
/// let (none, run) = (BTreeMap::new(), Run::new());
/// let released = Released::with_original(&release, &original, &none, &Rows::Unknown, &run)?;
/// let column = |at| -> ColumnSet { [ColumnId::new(at)].into_iter().collect() };
/// let found = Membership::new(ColumnId::new(2), vec![column(0), column(1)]).run(&released, &run)?;
/// // Expected are 4/3 and 1/3 of the real ones, 2/3 of each of the two fakes.
/// assert_eq!(found.success(), Some(0.5));
/// # Ok::<(), muslin_attack::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Membership {
    bucket: ColumnId,
    slices: Vec<ColumnSet>,
    counted: u64,
    draws: u64,
}

impl Membership {
    /// Attacks a release whose column `bucket` numbers buckets. Within a bucket, columns of one slice
    /// belong together.
    pub fn new(bucket: ColumnId, slices: Vec<ColumnSet>) -> Self {
        Self { bucket, slices, counted: 2_000_000, draws: 20_000 }
    }

    /// Counts combinations one by one up to this many (those of several buckets several times), and
    /// draws this many where there are more: two million and twenty thousand unless told.
    #[must_use]
    pub fn limits(mut self, counted: u64, draws: u64) -> Self {
        self.counted = counted;
        self.draws = draws.max(1);
        self
    }

    /// Attacks a release. Which row is which need not be known; without the original it is not scored.
    pub fn run(&self, released: &Released<'_>, run: &Run) -> Result<Attack> {
        self.check(released)?;
        let knows = "the release, and all values of a person who may be in it";
        let blank = Attack { baseline: Some(0.5), ..Attack::new(NAME, knows, DEFENCE) };
        if !released.has_original() {
            return Ok(blank.noted(UNSCORED));
        }
        run.install(|| {
            let index = Index::new(released, self, run)?;
            let total: f64 = index.totals.iter().sum();
            #[expect(clippy::cast_precision_loss, reason = "a limit")]
            let is_counted = total <= self.counted as f64;
            let (fakes, how) = if is_counted {
                let fakes = index.all_fakes(run)?;
                let how = format!("{} fake combinations", fakes.len());
                (fakes, how)
            } else {
                let fakes = index.drawn_fakes(self.draws, run.seed_of_run());
                let how = format!("{} fake combinations, drawn", fakes.len());
                (fakes, how)
            };
            run.check()?;
            let real: Vec<Rated> =
                index.real.par_iter().map(|own| index.rate(own, false)).collect();
            let rated: Vec<Rated> =
                fakes.par_iter().map(|own| index.rate(own, !is_counted)).collect();
            let targets = real.len() as u64;
            let success = match (targets, rated.is_empty()) {
                (0, _) => None,
                (_, true) => Some(1.0),
                (_, false) => auc(&real, &rated),
            };
            let interval = success.and_then(|own| of_area(own, targets, rated.len() as u64));
            let found = Attack { targets, guessed: targets, scored: targets, success, ..blank };
            Ok(Attack { interval, ..found }.noted(how))
        })
    }

    fn check(&self, released: &Released<'_>) -> Result<()> {
        let mut seen: ColumnSet = [self.bucket].into_iter().collect();
        for slice in &self.slices {
            if !slice.is_disjoint(&seen) || slice.is_empty() {
                return fault(
                    "each column is in one slice, and none in the column of buckets",
                    "name each column once; slices that overlap are not attacked",
                );
            }
            seen = seen.union(slice);
        }
        if self.slices.is_empty() {
            return fault("there is no slice to look at", "name the columns of each slice");
        }
        released.check(&seen)?;
        let known =
            |id: ColumnId| !released.has_original() || released.original_column(id).is_some();
        if self.slices.iter().all(|slice| slice.iter().all(known)) {
            return Ok(());
        }
        fault("a column of a slice is not in the original", "name columns that both tables have")
    }
}

/// A combination as the attacker rates it, and how many it stands for.
struct Rated {
    score: f64,
    weight: f64,
}

/// A value of each slice.
type Combination = Vec<u32>;

/// The values of the slices and the buckets that have them.
struct Index {
    sizes: Vec<u32>,
    /// For each slice and each of its values, places in `entries`.
    lists: Vec<Lists>,
    /// For each slice, a bucket and how often it has the value.
    entries: Vec<Vec<(u32, u32)>>,
    /// For each slice, the values of each bucket, in order.
    held: Vec<Vec<Vec<u32>>>,
    /// Combinations of each bucket.
    totals: Vec<f64>,
    /// Those of the original, in order.
    real: Vec<Combination>,
}

impl Index {
    fn new(released: &Released<'_>, of: &Membership, run: &Run) -> Result<Self> {
        let (table, original) = (released.table(), released.original());
        let rows = table.rows();
        let buckets = Groups::of(&[released.numbers(of.bucket)], rows, run)?;
        let more = original.map_or(0, muslin_table::EncodedTable::rows);
        let mut value_of: Vec<Vec<u32>> = Vec::new();
        for slice in &of.slices {
            let strip = |id: ColumnId| {
                let mut numbers = released.numbers(id);
                let own = released.original_column(id).zip(original);
                let blank = released.blank(id);
                // The original's missing slot is where blank is here.
                let number = |slot: u32| if slot == blank { blank + 1 } else { slot };
                numbers.extend(
                    own.into_iter()
                        .flat_map(|(id, table)| table.column(id).codes().slots().map(number)),
                );
                numbers
            };
            let strips: Vec<Vec<u32>> = slice.iter().map(strip).collect();
            value_of.push(Groups::of(&strips, rows + more, run)?.of);
        }
        let (mut lists, mut entries, mut held) = (Vec::new(), Vec::new(), Vec::new());
        let members = buckets.members();
        for values in &value_of {
            let mut own: Vec<Vec<u32>> = Vec::new();
            let mut pairs: Vec<(u32, (u32, u32))> = Vec::new();
            for (bucket, rows) in (0u32..).zip(members.iter()) {
                let mut here: Vec<u32> = rows.iter().map(|&row| values[row as usize]).collect();
                here.sort_unstable();
                let count =
                    |same: &[u32]| u32::try_from(same.len()).expect("row ids are 32 bits wide");
                pairs.extend(
                    here.chunk_by(|a, b| a == b).map(|same| (same[0], (bucket, count(same)))),
                );
                here.dedup();
                own.push(here);
            }
            let end = values.iter().max().map_or(0, |&largest| largest as usize + 1);
            let each = pairs.iter().zip(0u32..).map(|(pair, at)| (pair.0, at));
            lists.push(Lists::new(end, pairs.len(), each));
            entries.push(pairs.into_iter().map(|pair| pair.1).collect());
            held.push(own);
        }
        let number = |values: &Vec<u32>| f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX));
        let totals = (0..buckets.len())
            .map(|bucket| held.iter().map(|own: &Vec<Vec<u32>>| number(&own[bucket])).product())
            .collect();
        let combination = |row: usize| value_of.iter().map(|values| values[rows + row]).collect();
        let mut real: Vec<Combination> = (0..more).map(combination).collect();
        real.par_sort_unstable();
        real.dedup();
        Ok(Self { sizes: buckets.sizes, lists, entries, held, totals, real })
    }

    /// How often a combination is to be expected. One that was drawn stands for fewer, the more buckets
    /// it may have been drawn from.
    fn rate(&self, combination: &[u32], is_drawn: bool) -> Rated {
        let list = |slice: usize| self.lists[slice].of(combination[slice] as usize);
        let count = |slice: usize, bucket: u32| {
            let list = list(slice);
            let entry = |at: &u32| self.entries[slice][*at as usize];
            let found = list.binary_search_by_key(&bucket, |at| entry(at).0).ok()?;
            Some(entry(&list[found]).1)
        };
        let slices = 0..combination.len();
        let shortest = slices.clone().min_by_key(|&slice| (list(slice).len(), slice)).unwrap_or(0);
        let (mut score, mut matching) = (0.0, 0u32);
        for &at in list(shortest) {
            let bucket = self.entries[shortest][at as usize].0;
            let size = f64::from(self.sizes[bucket as usize]);
            let share = |slice: usize| Some(f64::from(count(slice, bucket)?) / size);
            if let Some(product) =
                slices.clone().map(share).try_fold(1.0, |all, own| Some(all * own?))
            {
                score += size * product;
                matching += 1;
            }
        }
        let weight = if is_drawn { 1.0 / f64::from(matching.max(1)) } else { 1.0 };
        Rated { score: round(score), weight }
    }

    fn is_fake(&self, combination: &Combination) -> bool {
        self.real.binary_search(combination).is_err()
    }

    /// Every fake, once.
    fn all_fakes(&self, run: &Run) -> Result<Vec<Combination>> {
        let of_bucket = |bucket: usize| -> Vec<Combination> {
            let mut found: Vec<Combination> = vec![Vec::new()];
            for held in &self.held {
                let with = |before: &Combination| {
                    let before = before.clone();
                    let add = move |&value: &u32| [&before[..], &[value]].concat();
                    held[bucket].iter().map(add).collect::<Vec<_>>()
                };
                found = found.iter().flat_map(with).collect();
            }
            found.retain(|combination| self.is_fake(combination));
            found
        };
        let mut all: Vec<Combination> =
            (0..self.sizes.len()).into_par_iter().flat_map_iter(of_bucket).collect();
        run.check()?;
        all.par_sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// Fakes, drawn: a bucket by its combinations, then one of them.
    fn drawn_fakes(&self, draws: u64, seed: Seed) -> Vec<Combination> {
        let mut sum = 0.0;
        let ends: Vec<f64> = self
            .totals
            .iter()
            .map(|total| {
                sum += total;
                sum
            })
            .collect();
        let draw = |nth: u64| -> Combination {
            let seed = seed.part(nth);
            let at = seed.unit(0) * sum;
            let bucket = ends.partition_point(|&end| end <= at).min(ends.len() - 1);
            let value = |(slice, held): (u64, &Vec<Vec<u32>>)| {
                let values = &held[bucket];
                let at = usize::try_from(seed.below(slice, values.len() as u64)).unwrap_or(0);
                values[at]
            };
            (1u64..).zip(&self.held).map(value).collect()
        };
        let drawn: Vec<Combination> = (0..draws).into_par_iter().map(draw).collect();
        drawn.into_iter().filter(|combination| self.is_fake(combination)).collect()
    }
}

/// A number without its last bits: the order of a product makes no difference.
fn round(number: f64) -> f64 {
    f64::from_bits((number.to_bits() + (1 << 15)) & !((1 << 16) - 1))
}

/// How often a real one is rated above a fake one.
fn auc(real: &[Rated], fakes: &[Rated]) -> Option<f64> {
    let own = real.iter().map(|rated| (rated.score, rated.weight, 0.0));
    let theirs = fakes.iter().map(|rated| (rated.score, 0.0, rated.weight));
    let mut all: Vec<(f64, f64, f64)> = own.chain(theirs).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut reals, mut wins) = (0.0, 0.0, 0.0);
    for same in all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let own: f64 = same.iter().map(|one| one.1).sum();
        let fake: f64 = same.iter().map(|one| one.2).sum();
        wins += own * (below + fake / 2.0);
        below += fake;
        reals += own;
    }
    (below > 0.0 && reals > 0.0).then(|| wins / (below * reals))
}
