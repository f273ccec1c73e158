//! Which columns belong together: how strongly each two are associated, and groups of those that are.

use muslin_engine::Run;
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable, printable};
use rayon::prelude::*;

use super::medoids::clusters;
use crate::{Error, Result};

/// How strongly each two of some columns are associated: their mean-square contingency, from 0 when
/// the one says nothing about the other to 1.
///
/// Numbers of many values are counted in ten bins of equal width: were they counted one by one, they
/// would seem to say everything about everything. Missing is a value of its own.
///
/// # Cost
/// The rows, for each pair of columns.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_protect::Associations;
/// use muslin_table::{ColumnId, EncodedTable};
/// // The first two columns say the same, the third nothing.
/// let table = EncodedTable::of(&[[1, 5, 1], [1, 5, 2], [2, 6, 1], [2, 6, 2]]);
/// let found = Associations::new(&table, &table.all_columns(), &Run::new())?;
/// assert_eq!(found.strength(ColumnId::new(0), ColumnId::new(1)), Some(1.0));
/// assert_eq!(found.strength(ColumnId::new(0), ColumnId::new(2)), Some(0.0));
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Associations {
    columns: Vec<ColumnId>,
    binned: ColumnSet,
    /// Row after row of a square.
    strengths: Vec<f64>,
}

/// Numbers of more values than this are binned.
const FEW_NUMBERS: usize = 32;
/// So many values are never too many.
const FEW_VALUES: usize = 10;
/// Rows for each value of a text column, at the least.
const ROWS_PER_VALUE: usize = 20;
/// Pairs of values that are counted in a table.
const COUNTED: usize = 1 << 20;

/// A column's slots in few groups.
struct Grouped<'a> {
    column: &'a Column,
    group_of: Vec<u32>,
    counts: Vec<u64>,
}

impl Associations {
    /// Measures all pairs of `columns`. A text column of more than ten values with fewer than 20 rows for
    /// each is refused.
    pub fn new(table: &EncodedTable, columns: &ColumnSet, run: &Run) -> Result<Self> {
        let columns: Vec<ColumnId> = columns.iter().collect();
        let mut binned = ColumnSet::new();
        let mut grouped = Vec::with_capacity(columns.len());
        for &id in &columns {
            let (own, is_binned) = grouped_slots(table.column(id))?;
            if is_binned {
                binned.insert(id);
            }
            grouped.push(own);
        }
        let width = columns.len();
        let pairs: Vec<(usize, usize)> =
            (0..width).flat_map(|a| (a + 1..width).map(move |b| (a, b))).collect();
        let strength = |&(a, b): &(usize, usize)| {
            run.check()?;
            Ok(contingency(&grouped[a], &grouped[b]))
        };
        let measured: Result<Vec<f64>> = run.install(|| pairs.par_iter().map(strength).collect());
        let mut strengths = vec![1.0; width * width];
        for (&(a, b), strength) in pairs.iter().zip(measured?) {
            strengths[a * width + b] = strength;
            strengths[b * width + a] = strength;
        }
        Ok(Self { columns, binned, strengths })
    }

    /// The columns that were measured, in order.
    pub fn columns(&self) -> &[ColumnId] {
        &self.columns
    }

    /// Those of them whose values were put into bins.
    pub fn binned(&self) -> &ColumnSet {
        &self.binned
    }

    /// How strongly two columns are associated; none where one was not measured.
    pub fn strength(&self, a: ColumnId, b: ColumnId) -> Option<f64> {
        let place = |id| self.columns.binary_search(&id).ok();
        Some(self.strengths[place(a)? * self.columns.len() + place(b)?])
    }

    /// The strengths of each column with all, row after row of a square.
    pub fn matrix(&self) -> impl Iterator<Item = &[f64]> {
        self.strengths.chunks(self.columns.len().max(1))
    }

    /// `count` slices of the columns: the sensitive one with the columns that are most associated
    /// with it, `with_sensitive` columns in all, and the others clustered.
    pub fn slices(
        &self,
        sensitive: ColumnId,
        count: usize,
        with_sensitive: usize,
    ) -> Result<Vec<ColumnSet>> {
        let Ok(at) = self.columns.binary_search(&sensitive) else {
            return Err(Error::Internal("the sensitive column was not measured".into()));
        };
        let width = self.columns.len();
        let others = width.saturating_sub(with_sensitive);
        let wrong = |text: String| Err(Error::Setting(text));
        if with_sensitive == 0 || with_sensitive > width {
            return wrong(format!(
                "the sensitive column's slice cannot have {with_sensitive} of {width} columns\n  hint: pass a number from 1 to {width}"
            ));
        }
        if count == 0 || count - 1 > others || (count == 1 && others > 0) {
            let most = others + 1;
            return wrong(format!(
                "{width} columns, {with_sensitive} of them with the sensitive one, do not make {count} slices\n  hint: pass a number from {} to {most}",
                most.min(2)
            ));
        }
        let with = &self.strengths[at * width..(at + 1) * width];
        let mut rest: Vec<usize> = (0..width).filter(|&other| other != at).collect();
        rest.sort_by(|&a, &b| with[b].total_cmp(&with[a]));
        let mut open = rest.split_off(with_sensitive - 1);
        open.sort_unstable();
        let column = |&at: &usize| self.columns[at];
        let own: ColumnSet = rest.iter().map(column).chain([sensitive]).collect();
        let distance = |a: usize, b: usize| 1.0 - self.strengths[open[a] * width + open[b]];
        let mut slices: Vec<ColumnSet> = clusters(open.len(), count - 1, distance)
            .iter()
            .map(|cluster| cluster.iter().map(|&at| self.columns[open[at]]).collect())
            .collect();
        slices.sort_by_key(|slice: &ColumnSet| slice.iter().next());
        slices.push(own);
        Ok(slices)
    }
}

/// The groups of a column's slots, and whether they are bins.
fn grouped_slots(column: &Column) -> Result<(Grouped<'_>, bool)> {
    let mut of_slot = vec![0u64; column.slots()];
    column.codes().slots().for_each(|slot| of_slot[slot as usize] += 1);
    let values = column.dictionary().len();
    let used = of_slot[..values].iter().filter(|&&rows| rows > 0).count();
    let most = (column.rows() / ROWS_PER_VALUE).max(FEW_VALUES);
    let numbers = if used > most.min(FEW_NUMBERS) { column.dictionary().numbers() } else { None };
    let group_of: Vec<u32> = match &numbers {
        Some(numbers) => {
            let used = numbers.iter().zip(&of_slot).filter(|(_, rows)| **rows > 0);
            let finite = used.map(|(number, _)| *number).filter(|number| number.is_finite());
            let (least, largest) =
                finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), n| (a.min(n), b.max(n)));
            let bins = numbers.iter().map(|&number| bin(number, least, largest));
            bins.chain([BIN_OF_NAN + 1, BIN_OF_NAN + 2]).collect()
        }
        None if used > most => {
            return Err(Error::Setting(format!(
                "column `{}` has {used} values in {} rows: too many to tell what it is associated with\n  hint: name the slices by hand with `--slices`, generalize the column first, or exclude it",
                printable(column.name()),
                column.rows()
            )));
        }
        None => (0u32..).take(column.slots()).collect(),
    };
    // Groups that no row is in are left out.
    let mut counts = vec![0u64; group_of.iter().max().map_or(0, |&most| most as usize + 1)];
    group_of.iter().zip(&of_slot).for_each(|(&group, rows)| counts[group as usize] += rows);
    let mut next = 0;
    let number_of: Vec<u32> = counts
        .iter()
        .map(|&rows| {
            let number = next;
            next += u32::from(rows > 0);
            number
        })
        .collect();
    let group_of = group_of.iter().map(|&group| number_of[group as usize]).collect();
    counts.retain(|&rows| rows > 0);
    Ok((Grouped { column, group_of, counts }, numbers.is_some()))
}

/// The bin of what is not a number, after the ten of numbers.
const BIN_OF_NAN: u32 = 10;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 0 to the number of bins"
)]
fn bin(number: f64, least: f64, largest: f64) -> u32 {
    if number.is_nan() {
        return BIN_OF_NAN;
    }
    // Halved, so that the range of the largest numbers does not overflow.
    let share = (number / 2.0 - least / 2.0) / (largest / 2.0 - least / 2.0);
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    ((share * f64::from(BIN_OF_NAN)) as u32).min(BIN_OF_NAN - 1)
}

/// The mean-square contingency of two columns: with rows n, the sum over pairs of
/// `n(i,j)^2 / (n(i) n(j))`, less one, over one less than the fewer values.
#[expect(clippy::cast_precision_loss, reason = "a measure for people and for choosing")]
fn contingency(a: &Grouped<'_>, b: &Grouped<'_>) -> f64 {
    let fewer = a.counts.len().min(b.counts.len());
    if fewer < 2 {
        return 0.0;
    }
    let term = |own: u64, i: usize, j: usize| {
        let own = own as f64;
        own / a.counts[i] as f64 * (own / b.counts[j] as f64)
    };
    let (codes_a, codes_b) = (a.column.codes(), b.column.codes());
    let width = b.counts.len();
    let sum: f64 = if a.counts.len().saturating_mul(width) <= COUNTED {
        let mut counts = vec![0u64; a.counts.len() * width];
        for (i, j) in codes_a.slots().zip(codes_b.slots()) {
            let (i, j) = (a.group_of[i as usize], b.group_of[j as usize]);
            counts[i as usize * width + j as usize] += 1;
        }
        let pairs = counts.iter().enumerate().filter(|(_, rows)| **rows > 0);
        pairs.map(|(at, &rows)| term(rows, at / width, at % width)).sum()
    } else {
        let mut pairs: Vec<u64> = codes_a
            .slots()
            .zip(codes_b.slots())
            .map(|(i, j)| {
                let (i, j) = (a.group_of[i as usize], b.group_of[j as usize]);
                u64::from(i) << 32 | u64::from(j)
            })
            .collect();
        pairs.sort_unstable();
        let of_pair = |same: &[u64]| {
            let (i, j) = (same[0] >> 32, same[0] & u64::from(u32::MAX));
            let place = |at: u64| usize::try_from(at).expect("32 bits");
            term(same.len() as u64, place(i), place(j))
        };
        pairs.chunk_by(|a, b| a == b).map(of_pair).sum()
    };
    ((sum - 1.0) / (fewer - 1) as f64).clamp(0.0, 1.0)
}
