//! Whether a release tells who is in the table.
//!
//! A combination of values is *consistent* with a release when all of them are in one bucket, each
//! slice's together; it is *fake* when no row has it. Fakes are what hides who is there, if they look
//! as those who are do not: two attacks rate combinations and are judged by how often they rate a
//! real one higher than a fake one.

use std::collections::BTreeMap;

use muslin_engine::{Run, Seed};
use rayon::prelude::*;

use super::buckets::Buckets;
use super::matching::{Index, Match};
use super::scaled::{Scaled, weights};
use crate::Result;

/// A number of combinations.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Combinations {
    /// Counted.
    Exactly(u64),
    /// Estimated from so many draws.
    About {
        /// The estimate; none where it is beyond the largest floating-point number, about 1.8e308.
        number: Option<f64>,
        /// Combinations that were drawn.
        draws: u64,
    },
}

impl Combinations {
    /// The number, or what it is about; none where it is beyond the largest floating-point number.
    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Exactly(number) => Some(number as f64),
            Self::About { number, .. } => number,
        }
    }
}

/// How well it is told from a release who is in the table.
#[derive(Clone, Debug)]
pub struct Membership {
    real: u64,
    consistent: Combinations,
    fakes: Combinations,
    matching_auc: Option<f64>,
    multiplicity_auc: Option<f64>,
}

/// Combinations that are counted one by one at most, those of several buckets several times.
const COUNTED: f64 = 6e6;
/// Combinations that are drawn where there are more.
const DRAWS: usize = 20_000;

/// A combination as two attacks rate it.
#[derive(Clone, Copy, Debug)]
struct Rated {
    matching: f64,
    /// Its logarithm.
    multiplicity: f64,
    weight: f64,
}

impl Membership {
    /// Looks at the combinations of an index of all columns. `rows` has one row of each real one, in
    /// the index's order.
    pub(super) fn new(index: &Index, buckets: &Buckets, rows: &[u32], run: &Run) -> Result<Self> {
        let held = Held::new(index, buckets);
        let totals: Vec<Scaled> = (0..index.sizes.len())
            .into_par_iter()
            .map(|bucket| held.tree(index, bucket).total())
            .collect();
        let total = sum(totals.iter().copied());
        let value = |at: usize, part: usize| index.parts[part].value_of[rows[at] as usize];
        let real: Vec<Rated> = index.each(rows.len(), value, |at, matches| {
            rate(index, matches, |part| value(at, part), 1.0)
        });
        run.check()?;
        let mut sorted: Vec<Vec<u32>> = rows.iter().map(|&row| index.values(row)).collect();
        sorted.par_sort_unstable();
        let is_real =
            |combination: &[u32]| sorted.binary_search_by(|own| own[..].cmp(combination)).is_ok();
        let (fakes, consistent) = if total.as_f64() <= COUNTED {
            let each = held.each(index, run)?;
            let consistent = each.len() as u64 / index.parts.len().max(1) as u64;
            let fakes = rated(index, &each, is_real, |_| 1.0);
            (fakes, Combinations::Exactly(consistent))
        } else {
            let drawn = held.draw(index, &totals, run)?;
            let all = rated(index, &drawn, |_| false, |count| 1.0 / count);
            let weight: f64 = all.iter().map(|own| own.weight).sum();
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let number = total.times(weight).times(1.0 / all.len() as f64).as_f64();
            let number = Some(number).filter(|number| number.is_finite());
            let draws = all.len() as u64;
            let each = drawn.chunks(index.parts.len().max(1)).zip(all);
            let fakes = each.filter(|(own, _)| !is_real(own)).map(|(_, rated)| rated).collect();
            (fakes, Combinations::About { number, draws })
        };
        let number = real.len() as u64;
        Ok(Self {
            real: number,
            fakes: match consistent {
                Combinations::Exactly(all) => Combinations::Exactly(all - number),
                #[expect(clippy::cast_precision_loss, reason = "an estimate")]
                Combinations::About { number: all, draws } => Combinations::About {
                    number: all.map(|all| (all - number as f64).max(0.0)),
                    draws,
                },
            },
            consistent,
            matching_auc: auc(&real, &fakes, |own| own.matching),
            multiplicity_auc: auc(&real, &fakes, |own| own.multiplicity),
        })
    }

    /// Different rows of the table.
    pub fn real(&self) -> u64 {
        self.real
    }

    /// Combinations of values that are consistent with the release.
    pub fn consistent(&self) -> Combinations {
        self.consistent
    }

    /// Those of them that no row has.
    pub fn fakes(&self) -> Combinations {
        self.fakes
    }

    /// How often a real combination matches more buckets than a fake one, equal ones counted half: 0.5
    /// tells nothing, 1 everything. None where there is no fake one.
    pub fn matching_auc(&self) -> Option<f64> {
        self.matching_auc
    }

    /// How often a real combination is expected more often than a fake one, by the shares of its
    /// values in each bucket.
    pub fn multiplicity_auc(&self) -> Option<f64> {
        self.multiplicity_auc
    }
}

fn rate(index: &Index, matches: &[Match], value: impl Fn(usize) -> u32, weight: f64) -> Rated {
    let expected = |matched: &Match| {
        index.share(matched, &value).times(f64::from(index.sizes[matched.bucket as usize]))
    };
    let count = f64::from(u32::try_from(matches.len()).expect("no more buckets than rows"));
    let multiplicity = sum(matches.iter().map(expected)).rounded_log2();
    Rated { matching: count, multiplicity, weight }
}

fn sum(numbers: impl Iterator<Item = Scaled>) -> Scaled {
    numbers.fold(Scaled::ZERO, Scaled::plus)
}

/// The combinations of a list that are not real, rated.
fn rated(
    index: &Index,
    combinations: &[u32],
    is_real: impl Fn(&[u32]) -> bool + Sync,
    weight: impl Fn(f64) -> f64 + Sync,
) -> Vec<Rated> {
    let width = index.parts.len();
    let fakes: Vec<&[u32]> =
        combinations.par_chunks(width.max(1)).filter(|own| !is_real(own)).collect();
    index.each(
        fakes.len(),
        |at, part| fakes[at][part],
        |at, matches| {
            let mut rated = rate(index, matches, |part| fakes[at][part], 1.0);
            rated.weight = weight(rated.matching);
            rated
        },
    )
}

/// How often a real one is rated above a fake one.
fn auc(real: &[Rated], fakes: &[Rated], score: impl Fn(&Rated) -> f64) -> Option<f64> {
    let mut all: Vec<(f64, f64, f64)> = real.iter().map(|own| (score(own), 1.0, 0.0)).collect();
    all.extend(fakes.iter().map(|own| (score(own), 0.0, own.weight)));
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut wins, mut reals) = (0.0, 0.0, 0.0);
    for same in all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let own: f64 = same.iter().map(|one| one.1).sum();
        let fake: f64 = same.iter().map(|one| one.2).sum();
        wins += own * (below + fake / 2.0);
        below += fake;
        reals += own;
    }
    (below > 0.0 && reals > 0.0).then(|| wins / (below * reals))
}

/// The values that each bucket has.
struct Held {
    /// For each part, where the values of each bucket begin.
    starts: Vec<Vec<usize>>,
    values: Vec<Vec<u32>>,
}

/// How many combinations a bucket has that begin with each of its values.
struct Tree<'a> {
    index: &'a Index,
    values: Vec<&'a [u32]>,
    /// For each part and each of its values there.
    numbers: Vec<Vec<Scaled>>,
}

impl Held {
    fn new(index: &Index, buckets: &Buckets) -> Self {
        let of_part = |value_of: &[u32]| {
            let (mut starts, mut values) = (vec![0], Vec::new());
            for rows in buckets.iter() {
                let from = values.len();
                let mut own: Vec<u32> = rows.iter().map(|&row| value_of[row as usize]).collect();
                own.sort_unstable();
                own.dedup();
                values.extend(own);
                debug_assert!(values.len() > from);
                starts.push(values.len());
            }
            (starts, values)
        };
        let (starts, values) = index.parts.iter().map(|part| of_part(&part.value_of)).unzip();
        Self { starts, values }
    }

    fn of(&self, part: usize, bucket: usize) -> &[u32] {
        &self.values[part][self.starts[part][bucket]..self.starts[part][bucket + 1]]
    }

    fn tree<'a>(&'a self, index: &'a Index, bucket: usize) -> Tree<'a> {
        let values: Vec<&[u32]> =
            (0..index.parts.len()).map(|part| self.of(part, bucket)).collect();
        let mut numbers: Vec<Vec<Scaled>> =
            values.iter().map(|own| vec![Scaled::ONE; own.len()]).collect();
        // Each part tells its parent how many of its combinations fit.
        for at in (1..values.len()).rev() {
            let part = &index.parts[at];
            match &part.shared {
                None => {
                    let all = sum(numbers[at].iter().copied());
                    numbers[part.parent].iter_mut().for_each(|number| *number = number.by(all));
                }
                Some(shared) => {
                    let mut sums: BTreeMap<u32, Scaled> = BTreeMap::new();
                    for (&value, &number) in values[at].iter().zip(&numbers[at]) {
                        let class = shared.of_value[value as usize];
                        let sum = sums.entry(class).or_insert(Scaled::ZERO);
                        *sum = sum.plus(number);
                    }
                    let parents = values[part.parent].iter().zip(&mut numbers[part.parent]);
                    for (&value, number) in parents {
                        let class = shared.of_parent[value as usize];
                        *number = number.by(*sums.get(&class).unwrap_or(&Scaled::ZERO));
                    }
                }
            }
        }
        Tree { index, values, numbers }
    }

    /// All combinations, each once, in order; one value of each part after the other.
    fn each(&self, index: &Index, run: &Run) -> Result<Vec<u32>> {
        let width = index.parts.len();
        let of_bucket = |bucket: usize| {
            let mut found = Vec::new();
            if run.stop().is_none() {
                let mut combination = vec![0; width];
                self.extend(index, bucket, 0, &mut combination, &mut found);
            }
            found
        };
        let all: Vec<u32> =
            (0..index.sizes.len()).into_par_iter().flat_map_iter(of_bucket).collect();
        run.check()?;
        let mut order: Vec<&[u32]> = all.chunks(width.max(1)).collect();
        order.par_sort_unstable();
        order.dedup();
        Ok(order.concat())
    }

    fn extend(
        &self,
        index: &Index,
        bucket: usize,
        at: usize,
        combination: &mut Vec<u32>,
        found: &mut Vec<u32>,
    ) {
        let Some(part) = index.parts.get(at) else {
            found.extend_from_slice(combination);
            return;
        };
        for &value in self.of(at, bucket) {
            let parent = combination[part.parent] as usize;
            let fits = part
                .shared
                .as_ref()
                .is_none_or(|shared| shared.of_value[value as usize] == shared.of_parent[parent]);
            if fits {
                combination[at] = value;
                self.extend(index, bucket, at + 1, combination, found);
            }
        }
    }

    /// Combinations of buckets, one as likely as another.
    fn draw(&self, index: &Index, totals: &[Scaled], run: &Run) -> Result<Vec<u32>> {
        let seed = run.seed_of_run();
        let mut ends = Vec::with_capacity(totals.len());
        let mut sum = 0.0;
        for weight in weights(totals.iter().copied()) {
            sum += weight;
            ends.push(sum);
        }
        let mut picks: Vec<(usize, u64)> = (0..DRAWS as u64)
            .map(|draw| {
                let at = seed.unit(draw) * sum;
                (ends.partition_point(|&end| end <= at).min(totals.len() - 1), draw)
            })
            .collect();
        picks.sort_unstable();
        let buckets: Vec<&[(usize, u64)]> = picks.chunk_by(|a, b| a.0 == b.0).collect();
        let mut drawn: Vec<Vec<u32>> = buckets
            .into_par_iter()
            .flat_map_iter(|picks| {
                let tree = self.tree(index, picks[0].0);
                let open = picks.iter().take_while(|_| run.stop().is_none());
                open.map(move |&(_, draw)| tree.draw(seed.part(draw)))
            })
            .collect();
        run.check()?;
        drawn.sort_unstable();
        Ok(drawn.concat())
    }
}

impl Tree<'_> {
    fn total(&self) -> Scaled {
        self.numbers.first().map_or(Scaled::ZERO, |numbers| sum(numbers.iter().copied()))
    }

    /// A combination, each as likely as another.
    fn draw(&self, seed: Seed) -> Vec<u32> {
        let mut combination = Vec::with_capacity(self.values.len());
        for (at, part) in self.index.parts.iter().enumerate() {
            let class = part.shared.as_ref().map(|shared| {
                let parent: u32 = combination[part.parent];
                (shared, shared.of_parent[parent as usize])
            });
            let fits = |value: u32| {
                class.is_none_or(|(shared, class)| shared.of_value[value as usize] == class)
            };
            let each = self.values[at].iter().zip(&self.numbers[at]);
            let open = each.filter(|(value, _)| fits(**value));
            let weights = weights(open.clone().map(|own| *own.1));
            let open = open.zip(weights).map(|((&value, _), weight)| (value, weight));
            let sum: f64 = open.clone().map(|own| own.1).sum();
            let mut left = seed.unit(at as u64) * sum;
            let passed = |own: &(u32, f64)| {
                left -= own.1;
                left < 0.0
            };
            let chosen = open.clone().find(passed).or_else(|| open.clone().last());
            combination.push(chosen.expect("a value that fits").0);
        }
        combination
    }
}
