//! The table as the search sees it: distinct rows, cells as ranks of items.

use muslin_engine::{Partition, Run};
use muslin_table::{Code, Column, EncodedTable, MissingRule};
use rayon::prelude::*;

use super::mask::{Mask, Ones};
use crate::Result;

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
    /// Where the rows of each rank begin.
    starts: Vec<usize>,
    /// Distinct rows that hold each ranked item, rising.
    holders: Vec<u32>,
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
        let wild = missing == MissingRule::Wildcard;

        // Support of every slot; what matches anything adds to every item of its column.
        let mut ranked = Vec::new();
        let mut labels: Vec<Vec<u32>> = Vec::new();
        let mut single_items = Vec::new();
        for (index, column) in columns.iter().enumerate() {
            let mut support = vec![0u64; column.slots()];
            (0..table.rows()).for_each(|row| support[column.codes().slot(row) as usize] += 1);
            let absent = column.missing_slot() as usize;
            if missing != MissingRule::Category {
                if wild {
                    let everywhere = support[absent];
                    support
                        .iter_mut()
                        .filter(|count| **count > 0)
                        .for_each(|count| *count += everywhere);
                }
                support[absent] = 0;
            }
            let label = support.iter().enumerate().map(|(slot, &support)| match support {
                0 => UNRANKED,
                support if support <= k => SINGLE,
                support if support == table.rows() as u64 => UNRANKED,
                support => {
                    ranked.push((support, index, slot));
                    UNRANKED
                }
            });
            labels.push(label.collect());
            single_items
                .push(labels[index].iter().filter(|&&label| label == SINGLE).count() as u64);
        }
        ranked.sort_unstable();
        for (rank, &(_, column, slot)) in ranked.iter().enumerate() {
            labels[column][slot] = u32::try_from(rank).expect("no more items than cells") + 1;
        }
        let column_of: Vec<u16> = ranked
            .iter()
            .map(|&(_, column, _)| u16::try_from(column).expect("at most 1,024 columns"))
            .collect();

        let slot_of = ranked
            .iter()
            .map(|&(.., slot)| u32::try_from(slot).expect("slots fit 32 bits"))
            .collect();
        let stride = columns.len().next_multiple_of(16).max(16);
        let mut cells = vec![0u32; first.len() * stride];
        let mut singles = vec![0u64; first.len() * words];
        let mut absent = vec![0u64; if wild { first.len() * words } else { 0 }];
        for (index, (column, labels)) in columns.iter().zip(&labels).enumerate() {
            run.check()?;
            let (word, bit) = (index / 64, 1u64 << (index % 64));
            for (distinct, &row) in first.iter().enumerate() {
                let slot = column.codes().slot(row as usize);
                match labels[slot as usize] {
                    SINGLE => singles[distinct * words + word] |= bit,
                    label => cells[distinct * stride + index] = label,
                }
                if wild && slot == column.missing_slot() {
                    absent[distinct * words + word] |= bit;
                }
            }
        }
        let (starts, holders) = holders(&cells, stride, column_of.len());
        let absent_rows = if wild { absent_rows(columns, &first) } else { Vec::new() };
        Ok(Self {
            columns: columns.len(),
            distinct_of,
            first,
            weight,
            stride,
            cells,
            column_of,
            slot_of,
            starts,
            holders,
            single_items,
            singles,
            absent,
            absent_rows,
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
        &self.holders[self.starts[rank]..self.starts[rank + 1]]
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
        let words = self.singles.len() + self.absent.len() + self.starts.len();
        let halves =
            self.cells.len() + self.holders.len() + self.distinct_of.len() + 2 * self.first.len();
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

/// Where the rows of each rank begin, and the distinct rows by rank.
fn holders(cells: &[u32], stride: usize, ranks: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0usize; ranks + 1];
    cells.iter().filter(|&&cell| cell != 0).for_each(|&cell| starts[cell as usize] += 1);
    for rank in 0..ranks {
        starts[rank + 1] += starts[rank];
    }
    let mut next = starts.clone();
    let mut holders = vec![0u32; starts[ranks]];
    for (distinct, cells) in (0u32..).zip(cells.chunks_exact(stride)) {
        for &cell in cells.iter().filter(|&&cell| cell != 0) {
            let at = &mut next[cell as usize - 1];
            holders[*at] = distinct;
            *at += 1;
        }
    }
    (starts, holders)
}

fn absent_rows(columns: &[Column], first: &[u32]) -> Vec<Vec<u32>> {
    let of_column = |column: &Column| {
        let is_absent = |row: u32| column.codes().slot(row as usize) == column.missing_slot();
        (0u32..)
            .zip(first)
            .filter(|&(_, &row)| is_absent(row))
            .map(|(distinct, _)| distinct)
            .collect()
    };
    columns.par_iter().map(of_column).collect()
}
