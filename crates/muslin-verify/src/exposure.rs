//! How many rows the published columns make unique, whatever their roles are.
//!
//! A claim of k-anonymity is about the quasi-identifiers. An attacker who knows another published column as well may
//! still recognize a row. So the rows that are unique on all published columns are counted, and those that one column or
//! two columns make unique by themselves, to name the columns that do most.

use muslin_engine::Run;
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable};
use rayon::prelude::*;

use crate::classes::Classes;
use crate::keys::{Keys, agree, hash};
use crate::{Error, Result};

/// Cells that may be looked at to count pairs of columns, unless told otherwise.
const PAIR_WORK: u64 = 400_000_000;

/// Counts the rows of a release that its columns make unique.
///
/// # Guarantee
/// A row is unique on some columns when no other row has the same cells in all of them. A missing cell is a value of its
/// own, so is a suppressed one. All counts are of all rows. Where all pairs of columns are more work than allowed, only
/// pairs of the columns with the most distinct values are counted, and [`ExposureFacts::paired_columns`] says of how many.
///
/// # Cost
/// Rows times columns; for pairs, rows times pairs.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_table::{ColumnId, ColumnSet, EncodedTable};
/// use muslin_verify::Exposure;
/// // The second column alone makes the last row unique, both columns together make all rows unique.
/// let release = EncodedTable::of(&[[1, 5], [1, 6], [2, 5], [2, 6], [2, 9]]);
/// let facts = Exposure::new(ColumnSet::first(2)).run(&release, &Run::new())?;
/// assert_eq!(facts.unique(), 5);
/// assert_eq!(facts.singles(), [(ColumnId::new(1), 1), (ColumnId::new(0), 0)]);
/// # Ok::<(), muslin_verify::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Exposure {
    columns: ColumnSet,
    pair_work: u64,
}

/// How many rows published columns make unique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExposureFacts {
    rows: u64,
    unique: u64,
    singles: Vec<(ColumnId, u64)>,
    pairs: Vec<([ColumnId; 2], u64)>,
    paired_columns: usize,
}

impl Exposure {
    /// Looks at `columns` of the release.
    pub fn new(columns: ColumnSet) -> Self {
        Self { columns, pair_work: PAIR_WORK }
    }

    /// Counts so many pairs of columns that at most this many cells are looked at.
    #[must_use]
    pub fn pair_work(mut self, cells: u64) -> Self {
        self.pair_work = cells;
        self
    }

    /// Counts the rows of `release`.
    pub fn run(&self, release: &EncodedTable, run: &Run) -> Result<ExposureFacts> {
        if !self.columns.is_subset(&release.all_columns()) {
            return Err(Error::Setting(format!(
                "a column to look at is beyond the release's {} columns\n  hint: name columns of the release",
                release.columns().len()
            )));
        }
        let columns: Vec<ColumnId> = self.columns.iter().collect();
        run.install(|| {
            let unique = unique_on_all(release, &columns, run)?;
            let mut singles: Vec<(ColumnId, u64)> =
                columns.par_iter().map(|&id| (id, unique_in(release.column(id)))).collect();
            // A stable sort: of equal counts, the first column of the table comes first.
            singles.sort_by_key(|&(_, unique)| std::cmp::Reverse(unique));
            let paired = self.paired(release, &columns);
            let chosen: Vec<[ColumnId; 2]> = paired
                .iter()
                .enumerate()
                .flat_map(|(at, &a)| paired[at + 1..].iter().map(move |&b| [a, b]))
                .collect();
            let pair = |ids: [ColumnId; 2]| {
                run.check()?;
                Ok((ids, unique_in_pair(ids.map(|id| release.column(id)))))
            };
            let pairs: Result<Vec<([ColumnId; 2], u64)>> =
                chosen.into_par_iter().map(pair).collect();
            let mut pairs = pairs?;
            pairs.sort_by_key(|&(_, unique)| std::cmp::Reverse(unique));
            let rows = release.rows() as u64;
            Ok(ExposureFacts { rows, unique, singles, pairs, paired_columns: paired.len() })
        })
    }

    /// The columns of which pairs are counted, in the table's order: as many as the work allows, those with the most
    /// distinct values first.
    fn paired(&self, release: &EncodedTable, columns: &[ColumnId]) -> Vec<ColumnId> {
        let rows = (release.rows() as u64).max(1);
        let cells = |count: u64| (count * count.saturating_sub(1) / 2).saturating_mul(rows);
        let mut count = columns.len();
        while count > 0 && cells(count as u64) > self.pair_work {
            count -= 1;
        }
        let mut paired = columns.to_vec();
        paired.sort_by_key(|&id| std::cmp::Reverse(release.column(id).dictionary().len()));
        paired.truncate(if count < 2 { 0 } else { count });
        paired.sort_unstable();
        paired
    }
}

impl ExposureFacts {
    /// Rows of the release.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows that are unique on all columns together.
    pub fn unique(&self) -> u64 {
        self.unique
    }

    /// The rows that each column makes unique by itself, the most first.
    pub fn singles(&self) -> &[(ColumnId, u64)] {
        &self.singles
    }

    /// The rows that each pair of columns makes unique, the most first.
    pub fn pairs(&self) -> &[([ColumnId; 2], u64)] {
        &self.pairs
    }

    /// Columns of which all pairs were counted.
    pub fn paired_columns(&self) -> usize {
        self.paired_columns
    }
}

fn unique_on_all(release: &EncodedTable, columns: &[ColumnId], run: &Run) -> Result<u64> {
    let keys = Keys::pack(release, columns);
    let all = keys.all();
    let classes = Classes::new(
        release.rows(),
        |row| hash(keys.row(row), &all),
        |a, b| agree(keys.row(a), keys.row(b), &all),
        run,
    )?;
    Ok(classes.sizes().into_iter().filter(|&size| size == 1).count() as u64)
}

fn unique_in(column: &Column) -> u64 {
    ones(column.codes().slots().map(|slot| slot as usize), column.slots())
}

fn unique_in_pair([a, b]: [&Column; 2]) -> u64 {
    let width = b.slots();
    let slots = a.codes().slots().zip(b.codes().slots());
    let cells = a.slots().saturating_mul(width);
    // A counter for each pair of values, where these are not many more than the rows.
    if cells <= a.rows().saturating_mul(8).max(1 << 16) {
        return ones(slots.map(|(a, b)| a as usize * width + b as usize), cells);
    }
    let mut keys: Vec<u64> = slots.map(|(a, b)| u64::from(a) << 32 | u64::from(b)).collect();
    keys.sort_unstable();
    keys.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).count() as u64
}

/// How many of `count` numbers occur once.
fn ones(numbers: impl Iterator<Item = usize>, count: usize) -> u64 {
    let mut seen = vec![0u8; count];
    numbers.for_each(|number| seen[number] = seen[number].saturating_add(1));
    seen.into_iter().filter(|&times| times == 1).count() as u64
}
