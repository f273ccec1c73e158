//! The deFinetti attack: a release in buckets teaches who has which sensitive value; after Kifer
//! (SIGMOD 2009).
//!
//! # Method
//! Expectation and maximization. A row's values tell about its sensitive value as a naive Bayes model
//! says; within a bucket, what the model says is scaled until every row has one value and every value
//! as many rows as the bucket has of it. From these weights the model is learned again. The first
//! weights are the bucket's own shares, so all that is learned comes from the release.
//!
//! # Differences from the paper
//! Kifer samples permutations; here the expected assignment is computed by scaling, which is the same
//! at every run.

use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet};
use rayon::prelude::*;

use crate::attack::{Attack, Certain, UNSCORED, ambiguous, first_rows, share};
use crate::error::fault;
use crate::groups::{Groups, Lists};
use crate::interval::wilson;
use crate::{Error, Released, Result};

const NAME: &str = "definetti";
const DEFENCE: &str =
    "generalize the quasi-identifiers, or make buckets in which shares resemble the table's";
const KNOWS: &str =
    "the release alone: how other columns go together with the sensitive values of buckets";
/// What is added to each count, so that nothing is impossible.
const SMOOTHING: f64 = 0.5;
/// How often a bucket's weights are scaled at most.
const SCALINGS: usize = 20;

/// Guesses the sensitive value of each row of a release with buckets.
///
/// # Guarantee
/// Each row gets the value of its bucket with the largest weight; of several, the first. The baseline
/// is the mean share of the most frequent value of the row's bucket. The result is the same on any
/// number of threads.
///
/// # Cost
/// Rows times columns times the values of a bucket times iterations.
///
/// # Example
/// ```
/// use muslin_attack::{DeFinetti, Released};
/// use muslin_engine::Run;
/// use muslin_table::{ColumnId, ColumnSet, EncodedTable};
/// // A bucket, a colour, and a value that the buckets hide.
/// let release = EncodedTable::of(&[[0, 1, 7], [0, 2, 8], [1, 1, 7], [1, 3, 9]]);
/// let attack = DeFinetti::new(ColumnId::new(0), ColumnId::new(2), [ColumnId::new(1)].into_iter().collect());
/// let found = attack.run(&Released::new(&release), &Run::new())?;
/// assert_eq!((found.targets(), found.right()), (4, None));
/// # Ok::<(), muslin_attack::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeFinetti {
    bucket: ColumnId,
    sensitive: ColumnId,
    known: ColumnSet,
    iterations: usize,
    work_limit: u64,
}

impl DeFinetti {
    /// Attacks the sensitive column of a release by the columns `known`, all of the release.
    pub fn new(bucket: ColumnId, sensitive: ColumnId, known: ColumnSet) -> Self {
        Self { bucket, sensitive, known, iterations: 50, work_limit: 5_000_000_000 }
    }

    /// Learns this often at most: 50 times unless told.
    #[must_use]
    pub fn iterations(mut self, iterations: usize) -> Self {
        self.iterations = iterations;
        self
    }

    /// Refuses to take more steps: five thousand million unless told.
    #[must_use]
    pub fn work_limit(mut self, steps: u64) -> Self {
        self.work_limit = steps;
        self
    }

    /// Attacks a release.
    pub fn run(&self, released: &Released<'_>, run: &Run) -> Result<Attack> {
        let named: ColumnSet = [self.bucket, self.sensitive].into_iter().collect();
        released.check(&self.known.union(&named))?;
        if self.known.contains(self.bucket)
            || self.known.contains(self.sensitive)
            || self.bucket == self.sensitive
        {
            return fault(
                "the bucket, the sensitive column and what is known are different columns",
                "name each column once",
            );
        }
        run.install(|| {
            let buckets = Buckets::new(released, self.bucket, self.sensitive, run)?;
            let columns: Vec<Strip> =
                self.known.iter().map(|id| Strip::new(released, id, run)).collect::<Result<_>>()?;
            let weights = buckets.ends.last().copied().unwrap_or(0) as u64;
            let values: u64 = columns.iter().map(|strip| strip.values as u64).sum();
            let model = values.saturating_mul(buckets.domain as u64);
            let per_step = weights.saturating_mul(columns.len() as u64 + 1).saturating_add(model);
            if per_step.saturating_mul(self.iterations.max(1) as u64) > self.work_limit {
                return Err(Error::TooMuchWork { attack: NAME, limit: self.work_limit });
            }
            run.check_memory(8 * (2 * weights + model))?;
            let mut weights = buckets.shares();
            for _ in 0..self.iterations {
                run.check()?;
                let model = Model::learn(&buckets, &columns, &weights);
                let next = model.assign(&buckets, &columns);
                let moved =
                    weights.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                weights = next;
                if moved < 1e-6 {
                    break;
                }
            }
            Ok(self.score(released, &buckets, &weights))
        })
    }

    fn score(&self, released: &Released<'_>, buckets: &Buckets, weights: &[f64]) -> Attack {
        let rows = released.table().rows() as u64;
        let (mut scored, mut right, mut certain) = (0, 0, Certain::default());
        let mut certain_rows = Vec::new();
        let mut baseline = 0.0;
        for (bucket, members) in buckets.members.iter().enumerate() {
            let values = buckets.values(bucket);
            let most = values.iter().map(|value| value.1).max().unwrap_or(0);
            baseline += f64::from(most);
            for (nth, &row) in members.iter().enumerate() {
                let is_certain = values.len() == 1;
                if is_certain {
                    certain.all += 1;
                    certain_rows.push(row);
                }
                let own = &weights[buckets.weight(bucket, nth)..][..values.len()];
                let best =
                    (0..own.len()).max_by(|&a, &b| own[a].total_cmp(&own[b]).then(b.cmp(&a)));
                let Some(best) = best else { continue };
                if let Some(actual) = released.actual(row, self.sensitive) {
                    scored += 1;
                    let is_right = actual == values[best].0;
                    right += u64::from(is_right);
                    certain.scored += u64::from(is_certain);
                    certain.right += u64::from(is_certain && is_right);
                }
            }
        }
        certain_rows.sort_unstable();
        #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
        let (baseline, interval) =
            ((rows > 0).then(|| baseline / rows as f64), wilson(right as f64, scored, 1));
        let attack = Attack {
            targets: rows,
            guessed: rows,
            scored,
            right: released.has_original().then_some(right),
            success: share(right, scored),
            baseline,
            interval,
            certain,
            rows: first_rows(certain_rows),
            ..Attack::new(NAME, KNOWS, DEFENCE)
        };
        match (released.has_original(), rows - scored) {
            (false, _) => attack.noted(UNSCORED),
            (true, 0) => attack,
            (true, left) => attack.noted(ambiguous(left)),
        }
    }
}

/// A column as dense numbers.
struct Strip {
    of: Vec<u32>,
    values: usize,
}

impl Strip {
    fn new(released: &Released<'_>, id: ColumnId, run: &Run) -> Result<Self> {
        let groups = Groups::of(&[released.numbers(id)], released.table().rows(), run)?;
        let values = groups.len();
        Ok(Self { of: groups.of, values })
    }
}

/// The rows and the sensitive values of every bucket. Weights are stored bucket by bucket, row by row,
/// value by value.
struct Buckets {
    members: Lists,
    /// Values, in order, and how often the bucket has them; bucket by bucket.
    values: Vec<(u32, u32)>,
    starts: Vec<usize>,
    /// Where the weights of each bucket end.
    ends: Vec<usize>,
    /// Sensitive numbers, all below this.
    domain: usize,
}

impl Buckets {
    fn new(
        released: &Released<'_>,
        bucket: ColumnId,
        sensitive: ColumnId,
        run: &Run,
    ) -> Result<Self> {
        let numbers = released.numbers(sensitive);
        let groups = Groups::of(&[released.numbers(bucket)], numbers.len(), run)?;
        let members = groups.members();
        let domain = numbers.iter().max().map_or(0, |&largest| largest as usize + 1);
        let (mut values, mut starts, mut ends) = (Vec::new(), vec![0], Vec::new());
        let mut end = 0;
        for rows in members.iter() {
            let mut own: Vec<u32> = rows.iter().map(|&row| numbers[row as usize]).collect();
            own.sort_unstable();
            let before = values.len();
            let count = |same: &[u32]| u32::try_from(same.len()).expect("row ids are 32 bits wide");
            values.extend(own.chunk_by(|a, b| a == b).map(|same| (same[0], count(same))));
            end += rows.len() * (values.len() - before);
            starts.push(values.len());
            ends.push(end);
        }
        Ok(Self { members, values, starts, ends, domain })
    }

    fn values(&self, bucket: usize) -> &[(u32, u32)] {
        &self.values[self.starts[bucket]..self.starts[bucket + 1]]
    }

    /// Where the weights of a row of a bucket begin.
    fn weight(&self, bucket: usize, nth: usize) -> usize {
        let start = bucket.checked_sub(1).map_or(0, |before| self.ends[before]);
        start + nth * self.values(bucket).len()
    }

    /// Each value's share of its bucket, for every row.
    fn shares(&self) -> Vec<f64> {
        let mut weights = Vec::with_capacity(self.ends.last().copied().unwrap_or(0));
        for (bucket, rows) in self.members.iter().enumerate() {
            let size = f64::from(u32::try_from(rows.len()).expect("row ids are 32 bits wide"));
            for _ in rows {
                weights
                    .extend(self.values(bucket).iter().map(|&(_, count)| f64::from(count) / size));
            }
        }
        weights
    }
}

/// How likely the values of columns are, given a sensitive value: as logarithms.
struct Model {
    /// For each column, each of its values, each sensitive value.
    columns: Vec<Vec<f64>>,
}

impl Model {
    fn learn(buckets: &Buckets, columns: &[Strip], weights: &[f64]) -> Self {
        let domain = buckets.domain;
        let of_column = |strip: &Strip| -> Vec<f64> {
            let mut counts = vec![SMOOTHING; strip.values * domain];
            let mut totals = vec![0.0; domain];
            for (bucket, rows) in buckets.members.iter().enumerate() {
                let values = buckets.values(bucket);
                for (nth, &row) in rows.iter().enumerate() {
                    let at = strip.of[row as usize] as usize * domain;
                    let own = &weights[buckets.weight(bucket, nth)..];
                    for (&(value, _), weight) in values.iter().zip(own) {
                        counts[at + value as usize] += weight;
                    }
                }
            }
            for own in counts.chunks_exact(domain.max(1)) {
                totals.iter_mut().zip(own).for_each(|(total, count)| *total += count);
            }
            for own in counts.chunks_exact_mut(domain.max(1)) {
                own.iter_mut()
                    .zip(&totals)
                    .for_each(|(count, total)| *count = (*count / total).ln());
            }
            counts
        };
        Self { columns: columns.par_iter().map(of_column).collect() }
    }

    /// The weights of every bucket.
    fn assign(&self, buckets: &Buckets, columns: &[Strip]) -> Vec<f64> {
        let of_bucket = |bucket: usize| {
            let (rows, values) = (buckets.members.of(bucket), buckets.values(bucket));
            let mut weights = Vec::with_capacity(rows.len() * values.len());
            for &row in rows {
                let start = weights.len();
                for &(value, _) in values {
                    let each = self.columns.iter().zip(columns);
                    let log = |(model, strip): (&Vec<f64>, &Strip)| {
                        model[strip.of[row as usize] as usize * buckets.domain + value as usize]
                    };
                    weights.push(each.map(log).sum::<f64>());
                }
                let own = &mut weights[start..];
                let largest = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                own.iter_mut().for_each(|log| *log = (*log - largest).exp().max(1e-30));
            }
            scale(&mut weights, values);
            weights
        };
        let all: Vec<Vec<f64>> =
            (0..buckets.members.len()).into_par_iter().map(of_bucket).collect();
        all.concat()
    }
}

/// Scales weights until each row's sum is one and each value's sum is its count.
fn scale(weights: &mut [f64], values: &[(u32, u32)]) {
    let width = values.len().max(1);
    let mut sums = vec![0.0; width];
    for _ in 0..SCALINGS {
        sums.fill(0.0);
        for own in weights.chunks_exact(width) {
            sums.iter_mut().zip(own).for_each(|(sum, weight)| *sum += weight);
        }
        let mut off: f64 = 0.0;
        for own in weights.chunks_exact_mut(width) {
            for ((weight, sum), &(_, count)) in own.iter_mut().zip(&sums).zip(values) {
                *weight *= f64::from(count) / sum;
            }
            let total: f64 = own.iter().sum();
            off = off.max((total - 1.0).abs());
            own.iter_mut().for_each(|weight| *weight /= total);
        }
        if off < 1e-6 {
            break;
        }
    }
}
