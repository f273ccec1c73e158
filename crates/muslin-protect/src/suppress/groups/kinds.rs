//! The kinds of rows that a table has on some of its columns.

use std::ops::Range;

use muslin_engine::Partition;
use muslin_table::{ColumnId, EncodedTable, MissingRule};
use rayon::prelude::*;

/// Rows that are equal on all columns are one kind.
#[derive(Debug)]
pub(super) struct Kinds {
    /// The slot of each kind, column by column.
    columns: Vec<Vec<u32>>,
    /// Distinct slots of a column at most.
    slots: Vec<usize>,
    /// Rows of each kind.
    counts: Vec<u32>,
    /// The slot of each kind in the sensitive column, where there is one.
    sensitive: Option<Vec<u32>>,
    /// Where the rows of each kind begin; one more at the end.
    starts: Vec<u32>,
    /// Rows, kind after kind: a row's *place* is where it stands here.
    rows: Vec<u32>,
    /// The kind at each place.
    kind_at: Vec<u32>,
}

impl Kinds {
    /// The kinds of a table on `columns`. A missing cell is one more value. Rows of one kind also
    /// agree on the sensitive column.
    pub(super) fn new(
        table: &EncodedTable,
        columns: &[ColumnId],
        sensitive: Option<ColumnId>,
    ) -> Self {
        let refine = |partition: Partition, id: &ColumnId| {
            partition.refine(table.column(*id), MissingRule::Category)
        };
        let partition =
            columns.iter().chain(&sensitive).fold(Partition::whole(table.rows()), refine);
        let first = partition.first_rows();
        let slots_of = |id: &ColumnId| -> Vec<u32> {
            let codes = table.column(*id).codes();
            first.iter().map(|&row| codes.slot(row as usize)).collect()
        };
        let counts = partition.sizes().to_vec();
        let mut starts = Vec::with_capacity(counts.len() + 1);
        let mut start = 0;
        for &count in &counts {
            starts.push(start);
            start += count;
        }
        starts.push(start);
        let (mut next, mut rows) = (starts.clone(), vec![0; table.rows()]);
        for (row, &kind) in (0u32..).zip(partition.class_of()) {
            let place = &mut next[kind as usize];
            rows[*place as usize] = row;
            *place += 1;
        }
        let kind_at = (0u32..)
            .zip(&counts)
            .flat_map(|(kind, &count)| std::iter::repeat_n(kind, count as usize))
            .collect();
        Self {
            columns: columns.par_iter().map(slots_of).collect(),
            slots: columns.iter().map(|&id| table.column(id).slots()).collect(),
            counts,
            sensitive: sensitive.as_ref().map(slots_of),
            starts,
            rows,
            kind_at,
        }
    }

    /// Number of kinds.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The slots of all kinds in a column.
    pub(super) fn column(&self, column: usize) -> &[u32] {
        &self.columns[column]
    }

    /// Distinct slots of a column at most.
    pub(super) fn slots(&self, column: usize) -> usize {
        self.slots[column]
    }

    /// Rows of each kind.
    pub(super) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Rows of a kind.
    pub(super) fn count(&self, kind: u32) -> u32 {
        self.counts[kind as usize]
    }

    /// The slot of a kind in the sensitive column.
    pub(super) fn sensitive(&self) -> Option<&[u32]> {
        self.sensitive.as_deref()
    }

    /// The places of a kind's rows.
    pub(super) fn places(&self, kind: u32) -> Range<u32> {
        self.starts[kind as usize]..self.starts[kind as usize + 1]
    }

    /// The kind of the row at a place.
    pub(super) fn kind_at(&self, place: u32) -> u32 {
        self.kind_at[place as usize]
    }

    /// The row at a place.
    pub(super) fn row_at(&self, place: u32) -> u32 {
        self.rows[place as usize]
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The columns, as bits, on which all of some kinds agree.
    pub(super) fn agreed(&self, kinds: &[u32]) -> u128 {
        let Some((&first, others)) = kinds.split_first() else { return 0 };
        let agree = |slots: &[u32]| {
            let slot = slots[first as usize];
            others.iter().all(|&kind| slots[kind as usize] == slot)
        };
        let bit = |(column, slots): (usize, &Vec<u32>)| u128::from(agree(slots)) << column;
        self.columns.iter().enumerate().map(bit).sum()
    }
}
