//! Counting queries: how far off an analyst's counts are.

use std::fmt;

use muslin_engine::{Run, Seed};
use muslin_table::{Codes, EncodedTable, Slot};
use rayon::prelude::*;

use super::found::{Halt, LeftOut};
use super::reconstruction::Reconstruction;
use super::spread::float;
use super::tuples::Tuples;
use crate::{Error, Result};

/// Which counting queries are asked. Its text says what they are, for a report.
///
/// A query counts the rows whose values lie in a range in each of some columns. The columns are
/// drawn without repetition, the sensitive one being always among them; ranges are of neighbouring
/// values, placed at random, and have the share of a column's values that makes `selectivity` when
/// multiplied over the columns. A query that no row of the original meets is drawn again, up to 100
/// times. Missing is in no range, and a column that is withheld is not asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// How many queries.
    pub queries: usize,
    /// Columns of each, the sensitive one included; fewer where the table has fewer.
    pub columns_per_query: usize,
    /// The share of rows that a query is meant to meet, above 0 and at most 1.
    pub selectivity: f64,
    /// Decides the draws.
    pub seed: Seed,
}

impl Default for Workload {
    /// A thousand queries of three columns that meet about a twentieth of the rows.
    fn default() -> Self {
        Self { queries: 1_000, columns_per_query: 3, selectivity: 0.05, seed: Seed::default() }
    }
}

impl Workload {
    /// What was asked, for a report: over so many columns, and whether the sensitive one is among
    /// them.
    fn told(&self, columns: usize, with_sensitive: bool) -> String {
        let Self { queries, selectivity, seed, .. } = self;
        let columns = format!("{columns} {}", if columns == 1 { "column" } else { "columns each" });
        let sensitive = if with_sensitive { ", always with the sensitive one," } else { "" };
        format!(
            "{queries} COUNT queries over {columns}{sensitive} \
             with random ranges of values sized for a selectivity of {selectivity} (seed {seed}); \
             the error is |estimate - count| / count, the estimate what the release leads to expect"
        )
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(self.columns_per_query, false))
    }
}

/// Draws of a query before it is given up.
const DRAWS: u64 = 100;

/// How far off the counts are.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryLoss {
    workload: Workload,
    columns: usize,
    with_sensitive: bool,
    errors: Vec<f64>,
}

impl QueryLoss {
    /// The queries that were asked.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// What was asked, in words.
    pub fn definition(&self) -> String {
        self.workload.told(self.columns, self.with_sensitive)
    }

    /// Whether the queries ask for the sensitive column: there is one, and it is published.
    pub fn is_with_sensitive(&self) -> bool {
        self.with_sensitive
    }

    /// Queries that some row of the original meets; the others do not count.
    pub fn answered(&self) -> usize {
        self.errors.len()
    }

    /// Relative errors in rising order.
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// The mean relative error; nothing where no query was answered.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.errors.iter().sum();
        (!self.errors.is_empty()).then(|| sum / float(self.errors.len() as u64))
    }

    /// The middle one, or the mean of the two in the middle.
    pub fn median(&self) -> Option<f64> {
        let (low, high) = (self.errors.len().checked_sub(1)? / 2, self.errors.len() / 2);
        Some(f64::midpoint(self.errors[low], self.errors[high]))
    }

    /// The smallest error that at least 95 of 100 queries do not exceed.
    pub fn percentile_95(&self) -> Option<f64> {
        let rank = (self.errors.len() * 95).div_ceil(100);
        self.errors.get(rank.checked_sub(1)?).copied()
    }
}

/// A range of values of one column.
#[derive(Clone, Copy)]
pub(super) struct Condition {
    pub(super) column: usize,
    pub(super) first: u32,
    pub(super) last: u32,
}

/// Asks the queries. `columns` are those to draw from; `sensitive` is always taken.
pub(super) fn queries(
    original: &EncodedTable,
    made: &Reconstruction,
    columns: &[usize],
    sensitive: Option<usize>,
    (workload, work_limit): (&Workload, u64),
    run: &Run,
) -> Result<QueryLoss, Halt> {
    // Nobody asks for a column that is not there, or has no value.
    let can_ask =
        |&at: &usize| made.places[at].is_some() && !original.columns()[at].dictionary().is_empty();
    let sensitive = sensitive.filter(can_ask);
    let columns: Vec<usize> =
        columns.iter().copied().filter(|at| can_ask(at) && Some(*at) != sensitive).collect();
    let tuples: usize = made.parts.iter().map(|part| part.tuples.len()).sum();
    let steps = (workload.queries as u64).saturating_mul((original.rows() + tuples) as u64);
    if steps > work_limit {
        return Err(LeftOut::Work { limit: work_limit }.into());
    }
    let estimator = Estimator::new(made);
    let ask = |number: u64| -> Result<Option<f64>, Halt> {
        let seed = workload.seed.part(number);
        for draw in 0..DRAWS {
            run.check().map_err(Error::from)?;
            let asked = draw_query(original, &columns, sensitive, workload, seed.part(draw));
            if asked.is_empty() {
                return Ok(None);
            }
            let count = count(original, &asked);
            if count > 0 {
                let off = estimator.rows(&asked) - float(count);
                return Ok(Some(off.abs() / float(count)));
            }
        }
        Ok(None)
    };
    let errors: Vec<Option<f64>> =
        (0..workload.queries as u64).into_par_iter().map(ask).collect::<Result<_, Halt>>()?;
    let mut errors: Vec<f64> = errors.into_iter().flatten().collect();
    errors.sort_by(f64::total_cmp);
    let most = columns.len() + usize::from(sensitive.is_some());
    Ok(QueryLoss {
        workload: *workload,
        columns: workload.columns_per_query.min(most),
        with_sensitive: sensitive.is_some(),
        errors,
    })
}

fn draw_query(
    original: &EncodedTable,
    columns: &[usize],
    sensitive: Option<usize>,
    workload: &Workload,
    seed: Seed,
) -> Vec<Condition> {
    let wanted = workload.columns_per_query - usize::from(sensitive.is_some());
    let wanted = wanted.min(columns.len());
    let mut order = columns.to_vec();
    let mut draws = 0;
    let mut below = |bound: usize| {
        draws += 1;
        usize::try_from(seed.below(draws, bound as u64)).expect("below a length")
    };
    for at in 0..wanted {
        let other = at + below(order.len() - at);
        order.swap(at, other);
    }
    order.truncate(wanted);
    order.extend(sensitive);
    let each = workload.selectivity.powf(1.0 / float(order.len().max(1) as u64));
    let condition = |column: usize| {
        let values = original.columns()[column].dictionary().len();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a length"
        )]
        let length = (float(values as u64) * each).round() as usize;
        let length = length.clamp(1, values);
        let first = u32::try_from(below(values - length + 1)).expect("values have numbers");
        let last = first + u32::try_from(length - 1).expect("values have numbers");
        Condition { column, first, last }
    };
    order.into_iter().map(condition).collect()
}

/// Rows of the original that meet every condition.
fn count(original: &EncodedTable, conditions: &[Condition]) -> u64 {
    const ROWS: usize = 4_096;
    let mut count = 0;
    let mut meets = [0u8; ROWS];
    for start in (0..original.rows()).step_by(ROWS) {
        let rows = start..original.rows().min(start + ROWS);
        let meets = &mut meets[..rows.len()];
        meets.fill(1);
        for condition in conditions {
            match original.columns()[condition.column].codes() {
                Codes::U8(slots) => narrow(meets, &slots[rows.clone()], *condition),
                Codes::U16(slots) => narrow(meets, &slots[rows.clone()], *condition),
                Codes::U32(slots) => narrow(meets, &slots[rows.clone()], *condition),
            }
        }
        count += meets.iter().map(|&meets| u64::from(meets)).sum::<u64>();
    }
    count
}

fn narrow<S: Slot>(meets: &mut [u8], slots: &[S], condition: Condition) {
    let (first, last) = (S::at(condition.first), S::at(condition.last));
    for (meets, &slot) in meets.iter_mut().zip(slots) {
        *meets &= u8::from(slot >= first) & u8::from(slot <= last);
    }
}

/// Answers queries from the reconstruction. It has the release column by column, since a query looks
/// at few of them.
pub(super) struct Estimator<'a> {
    made: &'a Reconstruction,
    /// For each part the buckets of its tuples, and then their numbers, place by place.
    parts: Vec<Vec<Vec<u32>>>,
}

impl<'a> Estimator<'a> {
    pub(super) fn new(made: &'a Reconstruction) -> Self {
        let strips = |tuples: &Tuples| {
            (0..tuples.width()).map(|place| tuples.strip(place, 0).numbers).collect()
        };
        let parts = made.parts.par_iter().map(|part| strips(&part.tuples)).collect();
        Self { made, parts }
    }

    /// Rows that are expected to meet every condition.
    pub(super) fn rows(&self, conditions: &[Condition]) -> f64 {
        let Self { made, parts } = self;
        // The rows of each bucket that meet the conditions of one slice, then of more.
        let mut expected: Option<Vec<f64>> = None;
        for (part, strips) in parts.iter().enumerate() {
            let mut tables: Vec<(&[u32], Vec<f64>)> = Vec::new();
            for condition in conditions {
                let Some((_, place)) = made.places[condition.column].filter(|at| at.0 == part)
                else {
                    continue;
                };
                let spread = &made.spreads[condition.column];
                let mass = |number| spread.mass(number, condition.first, condition.last);
                let table = (0u32..).take(spread.len()).map(mass).collect();
                tables.push((&strips[place], table));
            }
            if tables.is_empty() {
                continue;
            }
            let mut rows_of = vec![0.0; made.buckets.len()];
            meeting(made.parts[part].tuples.all_rows(), &strips[0], &tables, &mut rows_of);
            if let Some(expected) = &expected {
                for ((rows, before), &size) in rows_of.iter_mut().zip(expected).zip(&made.buckets) {
                    *rows *= before / float(size);
                }
            }
            expected = Some(rows_of);
        }
        expected.map_or(float(made.rows), |rows| rows.iter().fold(0.0, |sum, one| sum + one))
    }
}

/// Adds to each bucket the rows of its tuples, times the weights that tables give to their numbers.
fn meeting(rows: &[u64], buckets: &[u32], tables: &[(&[u32], Vec<f64>)], rows_of: &mut [f64]) {
    const TUPLES: usize = 1_024;
    let mut meets = [0.0; TUPLES];
    for start in (0..rows.len()).step_by(TUPLES) {
        let range = start..rows.len().min(start + TUPLES);
        let meets = &mut meets[..range.len()];
        meets.iter_mut().zip(&rows[range.clone()]).for_each(|(meets, &rows)| *meets = float(rows));
        for (numbers, table) in tables {
            for (meets, &number) in meets.iter_mut().zip(&numbers[range.clone()]) {
                *meets *= table[number as usize];
            }
        }
        if let [sum] = rows_of {
            *sum = meets.iter().fold(*sum, |sum, meets| sum + meets);
        } else {
            for (meets, &bucket) in meets.iter().zip(&buckets[range]) {
                rows_of[bucket as usize] += meets;
            }
        }
    }
}
