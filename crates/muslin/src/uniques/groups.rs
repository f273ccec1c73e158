//! Rows by what singles them out, and how novel that makes them.
//!
//! The KIMAS 2003 paper calls a row's column sets of minimal uniques its prime implicants, lists
//! the rows of each (its Table 7) and ranks rows by three measures of novelty: the fewest columns
//! of a prime implicant, the number of rows that share one, and the number of prime implicants.

use std::cmp::Reverse;
use std::collections::HashMap;

use muslin_assess::{Unique, UniquesFound};
use muslin_table::ColumnSet;

use super::GroupBy;

/// Rows by column set, or by itemset.
pub(super) struct Groups {
    by: GroupBy,
    number_of: HashMap<ColumnSet, usize>,
    sets: Vec<ColumnSet>,
    /// Number of the set, and rows.
    held: Vec<(usize, Vec<u32>)>,
    bytes: u64,
}

/// Rows that have something in common.
pub(super) struct Group {
    pub(super) columns: ColumnSet,
    pub(super) rows: Vec<u32>,
}

/// About what a set in its two places, a group and a row of it take.
const SET_BYTES: u64 = 144;
const GROUP_BYTES: u64 = 48;
const ROW_BYTES: u64 = 8;

impl Groups {
    pub(super) fn new(by: GroupBy) -> Self {
        let (number_of, sets, held) = (HashMap::new(), Vec::new(), Vec::new());
        Self { by, number_of, sets, held, bytes: 0 }
    }

    pub(super) fn add(&mut self, unique: &Unique<'_>) {
        let set: ColumnSet = unique.columns().collect();
        let number = match self.number_of.get(&set) {
            Some(&number) => number,
            None => {
                let number = self.sets.len();
                self.sets.push(set.clone());
                self.number_of.insert(set, number);
                self.bytes += SET_BYTES;
                if self.by == GroupBy::Columns {
                    self.held.push((number, Vec::new()));
                    self.bytes += GROUP_BYTES;
                }
                number
            }
        };
        match self.by {
            GroupBy::Columns => self.held[number].1.extend_from_slice(unique.rows()),
            GroupBy::Items => {
                self.held.push((number, unique.rows().to_vec()));
                self.bytes += GROUP_BYTES;
            }
        }
        self.bytes += ROW_BYTES * unique.rows().len() as u64;
    }

    /// Bytes that it takes, about.
    pub(super) fn memory(&self) -> u64 {
        self.bytes
    }

    /// The most rows first, then by columns, then by rows.
    pub(super) fn sorted(self) -> Vec<Group> {
        let Self { sets, held, .. } = self;
        let group = |(number, mut rows): (usize, Vec<u32>)| {
            rows.sort_unstable();
            let columns: ColumnSet = sets[number].clone();
            Group { columns, rows }
        };
        let mut groups: Vec<Group> = held.into_iter().map(group).collect();
        groups.sort_by(|a, b| {
            let by_columns = || a.columns.cmp(&b.columns);
            b.rows.len().cmp(&a.rows.len()).then_with(by_columns).then_with(|| a.rows.cmp(&b.rows))
        });
        groups
    }
}

/// Rows with minimal uniques and their ranks.
pub(super) struct Novelty {
    pub(super) rows: Vec<NovelRow>,
}

/// A row's three measures of novelty; rank 1 is the most novel, equal measures share a rank.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NovelRow {
    pub(super) row: usize,
    pub(super) fewest: u16,
    pub(super) fewest_rank: u64,
    pub(super) group: u64,
    pub(super) group_rank: u64,
    pub(super) uniques: u64,
    pub(super) uniques_rank: u64,
}

impl Novelty {
    /// From groups by columns.
    pub(super) fn new(groups: &Groups, found: &UniquesFound) -> Self {
        let mut smallest = vec![u64::MAX; found.rows()];
        for (_, rows) in &groups.held {
            for &row in rows {
                let smallest = &mut smallest[row as usize];
                *smallest = (*smallest).min(rows.len() as u64);
            }
        }
        let rows: Vec<usize> = (0..found.rows()).filter(|&row| smallest[row] < u64::MAX).collect();
        let fewest: Vec<u16> = rows.iter().map(|&row| found.row(row).smallest).collect();
        let group: Vec<u64> = rows.iter().map(|&row| smallest[row]).collect();
        let uniques: Vec<u64> = rows.iter().map(|&row| found.row(row).uniques).collect();
        let most: Vec<Reverse<u64>> = uniques.iter().copied().map(Reverse).collect();
        let ranks = (ranks(&fewest), ranks(&group), ranks(&most));
        let row = |at: usize| NovelRow {
            row: rows[at],
            fewest: fewest[at],
            fewest_rank: ranks.0[at],
            group: group[at],
            group_rank: ranks.1[at],
            uniques: uniques[at],
            uniques_rank: ranks.2[at],
        };
        Self { rows: (0..rows.len()).map(row).collect() }
    }
}

/// One more than the number of smaller measures, for each.
fn ranks<T: Ord>(measures: &[T]) -> Vec<u64> {
    let mut order: Vec<usize> = (0..measures.len()).collect();
    order.sort_by(|&a, &b| measures[a].cmp(&measures[b]));
    let mut ranks = vec![0; measures.len()];
    let mut rank = 0;
    for (smaller, &at) in order.iter().enumerate() {
        if smaller == 0 || measures[order[smaller - 1]] < measures[at] {
            rank = smaller as u64 + 1;
        }
        ranks[at] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_measures_share_a_rank() {
        assert_eq!(ranks(&[3, 1, 2, 1]), [4, 1, 3, 1]);
        assert_eq!(ranks::<u8>(&[]), [0u64; 0]);
    }
}
