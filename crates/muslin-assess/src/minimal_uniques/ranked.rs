//! The table as the search sees it: distinct rows, cells as ranks of items.

use muslin_engine::{Partition, Run};
use muslin_table::{Code, Codes, Column, EncodedTable, MissingRule, Slot};
use rayon::prelude::*;

use crate::Result;
use crate::mask::{Mask, Ones};

/// Distinct rows over items in rank order.
///
/// An *item* is a column and a slot of it. Items that at most `k` rows match are minimal
/// uniques by themselves (`single`); an item that every row matches is in none. All others are
/// ranked by rising support, ties by column, then slot (MH05, section 4.3).
///
/// # Invariants
/// `cells` has `stride` numbers per distinct row: one plus the rank of its item in each column,
/// zero where it has no ranked item. `stride` is a multiple of 16.
pub(super) struct Ranked {
    /// Columns of the table.
    pub(super) columns: usize,
    /// Distinct row of each row.
    pub(super) distinct_of: Vec<u32>,
    /// The first row of each distinct row.
    pub(super) first: Vec<u32>,
    /// Rows equal to each distinct row, itself included.
    pub(super) weight: Vec<u32>,
    pub(super) stride: usize,
    cells: Vec<u32>,
    /// Column of each rank.
    pub(super) column_of: Vec<u16>,
    /// Slot of each rank in its column.
    pub(super) slot_of: Vec<u32>,
    /// By column, the distinct rows that hold each ranked item.
    holders: Vec<Holders>,
    /// Number of items of each column that are minimal uniques by themselves.
    pub(super) single_items: Vec<u64>,
    /// Columns of each distinct row whose item is a minimal unique by itself.
    singles: Vec<u64>,
    /// Columns of each distinct row that are missing; only where missing matches anything.
    absent: Vec<u64>,
    /// Distinct rows whose cell is missing, by column; only where missing matches anything.
    absent_rows: Vec<Vec<u32>>,
    /// Words per mask of columns.
    words: usize,
}

/// Most columns that a search takes.
pub(super) const MOST_COLUMNS: usize = 1024;
/// A slot without rank: no item, or one that every row matches.
const UNRANKED: u32 = 0;
/// A slot that is a minimal unique by itself.
const SINGLE: u32 = u32::MAX;

impl Ranked {
    pub(super) fn new(
        table: &EncodedTable,
        k: u64,
        missing: MissingRule,
        words: usize,
        run: &Run,
    ) -> Result<Self> {
        let (distinct_of, first, weight) = distinct_rows(table, run)?;
        let columns = table.columns();
        let (labels, ranked) = rank(table, k, missing);
        run.check()?;
        let single = |labels: &Vec<u32>| labels.iter().filter(|&&label| label == SINGLE).count();
        let single_items = labels.iter().map(|labels| single(labels) as u64).collect();
        let stride = columns.len().next_multiple_of(16).max(16);
        let wild = missing == MissingRule::Wildcard;
        let mut rows = Rows {
            cells: vec![0u32; first.len() * stride],
            singles: vec![0u64; first.len() * words],
            absent: vec![0u64; if wild { first.len() * words } else { 0 }],
        };
        rows.fill(columns, &labels, &first, stride, words);
        run.check()?;
        let holders = columns.par_iter().zip(&labels).map(|(column, labels)| {
            Holders::new(labels.len(), &first, |row| {
                let slot = column.codes().slot(row as usize);
                let label = labels[slot as usize];
                (label != UNRANKED && label != SINGLE).then_some(slot)
            })
        });
        let absent_rows = columns.par_iter().filter(|_| wild).map(|column| {
            let missing = column.missing_slot();
            let absent = |&(_, row): &(u32, &u32)| column.codes().slot(*row as usize) == missing;
            (0u32..).zip(&first).filter(absent).map(|(distinct, _)| distinct).collect()
        });
        Ok(Self {
            columns: columns.len(),
            holders: holders.collect(),
            absent_rows: absent_rows.collect(),
            distinct_of,
            first,
            weight,
            stride,
            cells: rows.cells,
            column_of: ranked.iter().map(|item| item.column).collect(),
            slot_of: ranked.iter().map(|item| item.slot).collect(),
            single_items,
            singles: rows.singles,
            absent: rows.absent,
            words,
        })
    }

    /// Number of distinct rows.
    pub(super) fn distinct(&self) -> usize {
        self.first.len()
    }

    /// Number of ranked items.
    pub(super) fn ranks(&self) -> usize {
        self.column_of.len()
    }

    /// Whether a column has ranked items.
    pub(super) fn has_items(&self, column: usize) -> bool {
        self.column_of.iter().any(|&of| of as usize == column)
    }

    /// The cells of a distinct row.
    #[inline(always)]
    pub(super) fn cells(&self, distinct: u32) -> &[u32] {
        &self.cells[distinct as usize * self.stride..][..self.stride]
    }

    /// Distinct rows that hold the item of a rank.
    pub(super) fn holders(&self, rank: usize) -> &[u32] {
        self.holders[self.column_of[rank] as usize].of(self.slot_of[rank])
    }

    /// Whether missing cells match anything here.
    pub(super) fn is_wild(&self) -> bool {
        !self.absent.is_empty()
    }

    /// Distinct rows whose cell in the column of a rank matches anything.
    pub(super) fn wild_rows(&self, rank: usize) -> &[u32] {
        self.wild_rows_of_column(self.column_of[rank] as usize)
    }

    /// Distinct rows whose cell in a column matches anything.
    pub(super) fn wild_rows_of_column(&self, column: usize) -> &[u32] {
        self.absent_rows.get(column).map_or(&[], Vec::as_slice)
    }

    /// Columns that match anything in a distinct row.
    #[inline(always)]
    pub(super) fn absent<const W: usize>(&self, distinct: u32) -> Mask<W> {
        if self.absent.is_empty() { Mask::EMPTY } else { mask_at(&self.absent, distinct) }
    }

    /// Columns that match anything in a distinct row, one by one.
    pub(super) fn absent_columns(&self, distinct: u32) -> impl Iterator<Item = usize> {
        let words = &self.absent[distinct as usize * self.words..][..self.words];
        words
            .iter()
            .enumerate()
            .flat_map(|(word, &bits)| Ones(bits).map(move |bit| word * 64 + bit))
    }

    /// Columns whose item is a minimal unique by itself.
    pub(super) fn singles<const W: usize>(&self, distinct: u32) -> Mask<W> {
        debug_assert_eq!(W, self.words);
        mask_at(&self.singles, distinct)
    }

    /// Calls `each` with the column, the code and the number of holders of every item that is a
    /// minimal unique by itself.
    pub(super) fn each_single(&self, table: &EncodedTable, mut each: impl FnMut(usize, Code, u64)) {
        for (index, column) in table.columns().iter().enumerate() {
            if self.single_items[index] == 0 {
                continue;
            }
            let mut rows = vec![0u64; column.slots()];
            for (distinct, &first) in self.first.iter().enumerate() {
                let word = self.singles[distinct * self.words + index / 64];
                if word >> (index % 64) & 1 != 0 {
                    rows[column.codes().slot(first as usize) as usize] +=
                        u64::from(self.weight[distinct]);
                }
            }
            for (slot, &rows) in (0u32..).zip(&rows).filter(|(_, rows)| **rows > 0) {
                each(index, column.code_of_slot(slot), rows);
            }
        }
    }

    /// Bytes that this takes.
    pub(super) fn memory(&self) -> u64 {
        let words = self.singles.len() + self.absent.len();
        let holders: usize = self.holders.iter().map(|of| of.rows.len() + of.starts.len()).sum();
        let halves = self.cells.len() + holders + self.distinct_of.len() + 2 * self.first.len();
        8 * words as u64 + 4 * halves as u64
    }
}

fn mask_at<const W: usize>(words: &[u64], distinct: u32) -> Mask<W> {
    Mask(words[distinct as usize * W..][..W].try_into().expect("W words each"))
}

/// A row without equals.
const ALONE: u32 = u32::MAX;

/// The class of each row when equal rows are one, its first row and its size.
fn distinct_rows(table: &EncodedTable, run: &Run) -> Result<(Vec<u32>, Vec<u32>, Vec<u32>)> {
    let mut columns: Vec<&Column> = table.columns().iter().collect();
    // Columns with many values first: rows that are alone need no further look.
    columns.sort_by_key(|column| std::cmp::Reverse(column.slots()));
    let mut open: Vec<u32> =
        (0..u32::try_from(table.rows()).expect("row ids are 32 bits wide")).collect();
    let mut partition = Partition::whole(table.rows());
    for column in columns {
        run.check()?;
        partition = partition.refine_at(&open, column, MissingRule::Category);
        let (rest, classes) = partition.open();
        open = rest.into_iter().map(|at| open[at as usize]).collect();
        partition = classes;
    }
    // Rows that stay open have equals; they are numbered with the others by their first row.
    let mut class_of = vec![ALONE; table.rows()];
    open.iter().zip(partition.class_of()).for_each(|(&row, &class)| class_of[row as usize] = class);
    let mut number = vec![ALONE; partition.sizes().len()];
    let (mut first, mut weight) = (Vec::new(), Vec::new());
    for (row, class) in (0u32..).zip(class_of.iter_mut()) {
        let new = u32::try_from(first.len()).expect("no more classes than rows");
        let known = if *class == ALONE { None } else { Some(&mut number[*class as usize]) };
        match known {
            Some(number) if *number != ALONE => {
                weight[*number as usize] += 1;
                *class = *number;
            }
            known => {
                if let Some(number) = known {
                    *number = new;
                }
                first.push(row);
                weight.push(1);
                *class = new;
            }
        }
    }
    Ok((class_of, first, weight))
}

/// An item with a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    support: u64,
    column: u16,
    slot: u32,
}

/// What each slot of each column is in cells, and the items by rank.
fn rank(table: &EncodedTable, k: u64, missing: MissingRule) -> (Vec<Vec<u32>>, Vec<Item>) {
    fn count<S: Slot>(codes: &[S], slots: usize) -> Vec<u64> {
        let mut counts = vec![0u64; slots];
        codes.iter().for_each(|code| counts[code.index()] += 1);
        counts
    }
    let rows = table.rows() as u64;
    let of_column = |(index, column): (usize, &Column)| {
        let mut support = match column.codes() {
            Codes::U8(codes) => count(codes, column.slots()),
            Codes::U16(codes) => count(codes, column.slots()),
            Codes::U32(codes) => count(codes, column.slots()),
        };
        let absent = std::mem::take(&mut support[column.missing_slot() as usize]);
        match missing {
            MissingRule::Category => support[column.missing_slot() as usize] = absent,
            MissingRule::Distinct => {}
            // What matches anything adds to every item that is there.
            MissingRule::Wildcard => {
                let held = support.iter_mut().filter(|support| **support > 0);
                held.for_each(|support| *support += absent);
            }
        }
        let column = u16::try_from(index).expect("at most 1,024 columns");
        let mut items = Vec::new();
        let label = |(slot, support): (u32, u64)| {
            if support > k && support < rows {
                items.push(Item { support, column, slot });
            }
            if (1..=k).contains(&support) { SINGLE } else { UNRANKED }
        };
        let labels: Vec<u32> = (0u32..).zip(support).map(label).collect();
        (labels, items)
    };
    let (mut labels, items): (Vec<_>, Vec<_>) =
        table.columns().par_iter().enumerate().map(of_column).unzip();
    let mut ranked: Vec<Item> = items.into_iter().flatten().collect();
    ranked.par_sort_unstable();
    for (cell, item) in (1u32..).zip(&ranked) {
        labels[item.column as usize][item.slot as usize] = cell;
    }
    (labels, ranked)
}

/// What rows have, row by row.
struct Rows {
    cells: Vec<u32>,
    singles: Vec<u64>,
    absent: Vec<u64>,
}

/// Distinct rows that a thread fills at once.
const FILLED_AT_ONCE: usize = 1 << 12;

impl Rows {
    fn fill(
        &mut self,
        columns: &[Column],
        labels: &[Vec<u32>],
        first: &[u32],
        stride: usize,
        words: usize,
    ) {
        let wild = !self.absent.is_empty();
        let mut absent: Vec<&mut [u64]> = self.absent.chunks_mut(FILLED_AT_ONCE * words).collect();
        absent.resize_with(first.len().div_ceil(FILLED_AT_ONCE), Default::default);
        let cells = self.cells.par_chunks_mut(FILLED_AT_ONCE * stride);
        let singles = self.singles.par_chunks_mut(FILLED_AT_ONCE * words);
        let rows = first.par_chunks(FILLED_AT_ONCE);
        cells.zip(singles).zip(absent).zip(rows).for_each(|(((cells, singles), absent), rows)| {
            for (index, (column, labels)) in columns.iter().zip(labels).enumerate() {
                let (word, bit) = (index / 64, 1u64 << (index % 64));
                for (at, &row) in rows.iter().enumerate() {
                    let slot = column.codes().slot(row as usize);
                    match labels[slot as usize] {
                        SINGLE => singles[at * words + word] |= bit,
                        label => cells[at * stride + index] = label,
                    }
                    if wild && slot == column.missing_slot() {
                        absent[at * words + word] |= bit;
                    }
                }
            }
        });
    }
}

/// The distinct rows of each slot of a column, rising.
struct Holders {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Holders {
    /// Sorts rows, given by their first row, by slot; those without slot are left out.
    fn new(slots: usize, first: &[u32], slot: impl Fn(u32) -> Option<u32>) -> Self {
        let mut starts = vec![0u32; slots + 1];
        first.iter().filter_map(|&row| slot(row)).for_each(|slot| starts[slot as usize + 1] += 1);
        for slot in 0..slots {
            starts[slot + 1] += starts[slot];
        }
        let mut next = starts.clone();
        let mut rows = vec![0u32; starts[slots] as usize];
        for (distinct, &row) in (0u32..).zip(first) {
            if let Some(slot) = slot(row) {
                let at = &mut next[slot as usize];
                rows[*at as usize] = distinct;
                *at += 1;
            }
        }
        Self { starts, rows }
    }

    fn of(&self, slot: u32) -> &[u32] {
        let slot = slot as usize;
        &self.rows[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }
}
