//! Minimal uniques one by one, in order, in batches.

use std::collections::HashMap;

use muslin_table::{ColumnId, EncodedTable};

use super::ranked::Ranked;
use crate::Result;
use crate::mask::{Mask, Ones};

/// Minimal uniques, listed.
#[derive(Clone, Debug, Default)]
pub struct UniqueBatch {
    words: usize,
    columns: Vec<u64>,
    rows: Vec<u32>,
    row_ends: Vec<usize>,
    supports: Vec<u64>,
}

/// One minimal unique of a batch: the values of `rows[0]` in its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unique<'a> {
    columns: &'a [u64],
    rows: &'a [u32],
    support: u64,
}

impl<'a> Unique<'a> {
    /// Its columns, rising.
    pub fn columns(&self) -> impl Iterator<Item = ColumnId> + 'a {
        let words = self.columns.iter().enumerate();
        words.flat_map(|(word, &bits)| Ones(bits).map(move |bit| ColumnId::new(word * 64 + bit)))
    }

    /// Number of its columns.
    pub fn size(&self) -> usize {
        self.columns.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The rows that hold it, rising.
    pub fn rows(&self) -> &'a [u32] {
        self.rows
    }

    /// Number of rows that match it: those that hold it and, where missing matches anything, those
    /// that are missing where they do not.
    pub fn support(&self) -> u64 {
        self.support
    }
}

impl UniqueBatch {
    /// Number of minimal uniques.
    pub fn len(&self) -> usize {
        self.supports.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.supports.is_empty()
    }

    /// The minimal uniques: by first row, then by size, then by columns.
    pub fn iter(&self) -> impl Iterator<Item = Unique<'_>> {
        let starts = std::iter::once(0).chain(self.row_ends.iter().copied());
        let rows = starts.zip(&self.row_ends).map(|(from, &to)| &self.rows[from..to]);
        let columns = self.columns.chunks_exact(self.words.max(1));
        columns.zip(rows).zip(&self.supports).map(|((columns, rows), &support)| Unique {
            columns,
            rows,
            support,
        })
    }
}

/// Takes batches.
pub(super) type Sink<'a> = &'a mut (dyn FnMut(&UniqueBatch) -> Result<()> + Send);

/// What a distinct row lists.
pub(super) struct RowList<const W: usize> {
    pub(super) row: u32,
    pub(super) listed: Vec<Listed<W>>,
    pub(super) others: Vec<u32>,
    /// Whether there were more than fit.
    pub(super) is_cut: bool,
}

/// A minimal unique at its first row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed<const W: usize> {
    pub(super) columns: Mask<W>,
    /// Where the other distinct rows that match it are.
    pub(super) others: (u32, u32),
}

/// Minimal uniques in a batch.
const BATCH: usize = 1 << 16;

/// Makes batches of what rows list.
pub(super) struct Lister<'a, const W: usize> {
    ranked: &'a Ranked,
    table: &'a EncodedTable,
    most: usize,
    /// Rows equal to each distinct row; empty when rows differ or only unequal ones matter.
    equals: HashMap<u32, Vec<u32>>,
    /// By column and slot, the distinct rows that hold an item of several rows that is a minimal
    /// unique by itself.
    singles: HashMap<(usize, u32), Vec<u32>>,
    /// The row that comes next.
    next: u32,
    batch: UniqueBatch,
    sink: Sink<'a>,
}

impl<'a, const W: usize> Lister<'a, W> {
    pub(super) fn new(
        ranked: &'a Ranked,
        table: &'a EncodedTable,
        k: u32,
        most: usize,
        sink: Sink<'a>,
    ) -> Self {
        let mut equals: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut singles: HashMap<(usize, u32), Vec<u32>> = HashMap::new();
        if k > 1 {
            for (row, &distinct) in (0u32..).zip(&ranked.distinct_of) {
                if (2..=k).contains(&ranked.weight[distinct as usize]) {
                    equals.entry(distinct).or_default().push(row);
                }
            }
            for (distinct, &row) in (0u32..).zip(&ranked.first) {
                for column in ranked.singles::<W>(distinct).iter() {
                    let slot = table.column(ColumnId::new(column)).codes().slot(row as usize);
                    singles.entry((column, slot)).or_default().push(distinct);
                }
            }
        }
        let batch = UniqueBatch { words: W, ..UniqueBatch::default() };
        Self { ranked, table, most, equals, singles, next: 0, batch, sink }
    }

    /// Takes what a row lists; rows come in order.
    pub(super) fn row(&mut self, list: &RowList<W>) -> Result<()> {
        self.next = list.row + 1;
        if self.most > 0 {
            self.singles_of(list.row)?;
        }
        for listed in &list.listed {
            let others = &list.others[listed.others.0 as usize..listed.others.1 as usize];
            self.push(list.row, listed.columns, others)?;
        }
        Ok(())
    }

    /// Items of the row that are minimal uniques by themselves.
    fn singles_of(&mut self, row: u32) -> Result<()> {
        for column in self.ranked.singles::<W>(row).iter() {
            let first = self.ranked.first[row as usize] as usize;
            let slot = self.table.column(ColumnId::new(column)).codes().slot(first);
            let mut others = self.singles.get(&(column, slot)).cloned().unwrap_or_default();
            if others.first().is_none_or(|&first| first == row) {
                others.retain(|&other| other != row);
                others.extend_from_slice(self.ranked.wild_rows_of_column(column));
                self.push(row, Mask::one(column), &others)?;
            }
        }
        Ok(())
    }

    fn push(&mut self, row: u32, columns: Mask<W>, others: &[u32]) -> Result<()> {
        let Self { ranked, equals, batch, .. } = self;
        let start = batch.rows.len();
        let mut support = 0;
        for &other in std::iter::once(&row).chain(others) {
            support += u64::from(ranked.weight[other as usize]);
            // Rows that only match it, because they are missing somewhere, do not hold it.
            if (ranked.absent::<W>(other) & columns).is_empty() {
                match equals.get(&other) {
                    Some(rows) => batch.rows.extend_from_slice(rows),
                    None => batch.rows.push(ranked.first[other as usize]),
                }
            }
        }
        batch.rows[start..].sort_unstable();
        batch.columns.extend_from_slice(&columns.0);
        batch.row_ends.push(batch.rows.len());
        batch.supports.push(support);
        if batch.len() >= BATCH { self.flush() } else { Ok(()) }
    }

    /// Lists what is known of rows that a limit kept from being searched: items that are minimal
    /// uniques by themselves.
    pub(super) fn finish(&mut self) -> Result<()> {
        let rows = u32::try_from(self.ranked.distinct()).expect("row ids are 32 bits wide");
        (self.next..rows).try_for_each(|row| self.singles_of(row))?;
        self.flush()
    }

    /// Hands the last batch over.
    fn flush(&mut self) -> Result<()> {
        if !self.batch.is_empty() {
            (self.sink)(&self.batch)?;
        }
        let UniqueBatch { columns, rows, row_ends, supports, .. } = &mut self.batch;
        columns.clear();
        rows.clear();
        row_ends.clear();
        supports.clear();
        Ok(())
    }
}
