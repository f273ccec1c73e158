//! Whether rows are where they were.

use muslin_table::{ColumnId, ColumnSet};
use muslin_verify::loss::Cover;

use super::Pair;

impl Pair {
    /// Of tables with as many rows: how many published rows fit the original's row at their place, on
    /// these columns of the original as far as they are published, and how many fit one that is half a
    /// table away, by chance.
    pub(crate) fn in_place(&self, columns: &ColumnSet) -> (usize, usize) {
        let rows = self.whole.table.rows().min(self.release.rows());
        (self.at_shift(columns, 0), self.at_shift(columns, rows / 2))
    }

    /// How many published rows fit an original row by chance: the mean over places all over the table.
    pub(crate) fn by_chance(&self, columns: &ColumnSet) -> usize {
        const SHIFTS: usize = 16;
        let rows = self.whole.table.rows().min(self.release.rows());
        let shifts = (1..=SHIFTS).map(|part| (rows * part / (SHIFTS + 1)).max(1));
        shifts.map(|shift| self.at_shift(columns, shift)).sum::<usize>().div_ceil(SHIFTS)
    }

    /// Published rows that fit the original's row so many places further on.
    fn at_shift(&self, columns: &ColumnSet, shift: usize) -> usize {
        let (original, release) = (&self.whole.table, &self.release);
        let rows = original.rows().min(release.rows());
        let on: Vec<(ColumnId, ColumnId)> =
            columns.iter().filter_map(|id| Some((id, self.reading.published(id)?))).collect();
        let covers = |row: usize, other: usize| {
            on.iter().all(|&(id, published)| {
                let slot = original.column(id).codes().slot(row);
                let value = (slot != original.column(id).missing_slot()).then_some(slot);
                fits(self.reading.cover(id, release.column(published).codes().slot(other)), value)
            })
        };
        (0..rows).filter(|&row| covers(row, (row + shift) % rows)).count()
    }
}

/// Whether a cell can be that of somebody with this value.
fn fits(cover: &Cover, value: Option<u32>) -> bool {
    match (cover, value) {
        (Cover::Any, _) | (Cover::Missing, None) => true,
        (Cover::Exact(own), Some(value)) => *own == value,
        (Cover::Range { first, last }, Some(value)) => (*first..=*last).contains(&value),
        (Cover::Set(values), Some(value)) => values.binary_search(&value).is_ok(),
        (Cover::Multiset(values), Some(value)) => {
            values.binary_search_by_key(&value, |own| own.0).is_ok()
        }
        _ => false,
    }
}
