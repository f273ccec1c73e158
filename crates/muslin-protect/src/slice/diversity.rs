//! Which rows of a bucket share what is known, and which the sensitive value too.

use muslin_engine::Partition;
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule, Ratio};

/// The rows of a table by the slice that has the sensitive column: its *value* is that of all its
/// columns, what is *known* of it that of all but the sensitive one.
#[derive(Clone, Debug)]
pub(crate) struct Diversity {
    value_of_row: Vec<u32>,
    known_of_value: Vec<u32>,
    known: usize,
}

/// The classes that rows make on some columns.
pub(crate) fn classes(table: &EncodedTable, columns: &ColumnSet) -> Partition {
    let mut columns: Vec<_> = columns.iter().map(|id| table.column(id)).collect();
    columns.sort_by_key(|column| std::cmp::Reverse(column.slots()));
    let refine = |classes: Partition, column| classes.refine(column, MissingRule::Category);
    columns.into_iter().fold(Partition::whole(table.rows()), refine)
}

impl Diversity {
    /// For a slice of these columns.
    pub(crate) fn new(table: &EncodedTable, columns: &ColumnSet, sensitive: ColumnId) -> Self {
        let mut rest = columns.clone();
        rest.remove(sensitive);
        let known = classes(table, &rest);
        let values = known.refine(table.column(sensitive), MissingRule::Category);
        let known_of_value =
            values.first_rows().iter().map(|&row| known.class_of()[row as usize]).collect();
        Self {
            value_of_row: values.class_of().to_vec(),
            known_of_value,
            known: known.sizes().len(),
        }
    }

    /// Room to count in.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            of_value: vec![[0; 2]; self.known_of_value.len()],
            of_known: vec![[0; 2]; self.known],
            met: Vec::new(),
        }
    }

    /// The largest share that a sensitive value has of the rows that have the same known values, in
    /// a bucket of these rows.
    pub(crate) fn largest_share(&self, rows: &[u32], counts: &mut Counts) -> Ratio {
        rows.iter().for_each(|&row| counts.add(self, row, 0));
        let (mut part, mut whole) = (0u64, 1u64);
        for &value in &counts.met {
            let own = u64::from(counts.of_value[value as usize][0]);
            let of = counts.of_known[self.known_of_value[value as usize] as usize][0];
            if own * whole > part * u64::from(of) {
                (part, whole) = (own, u64::from(of));
            }
        }
        counts.clear(self);
        Ratio::new(part.into(), whole.into())
    }

    /// Whether in both of two buckets no sensitive value has more than one in `l` of the rows with
    /// the same known values. `sides` lists rows, and in which of the two each is.
    pub(crate) fn are_diverse(
        &self,
        sides: impl Iterator<Item = (u32, usize)>,
        l: u32,
        counts: &mut Counts,
    ) -> bool {
        sides.for_each(|(row, side)| counts.add(self, row, side));
        let is_diverse = |&value: &u32| {
            let own = counts.of_value[value as usize];
            let of = counts.of_known[self.known_of_value[value as usize] as usize];
            (0..2).all(|side| u64::from(own[side]) * u64::from(l) <= u64::from(of[side]))
        };
        let met = counts.met.iter().all(is_diverse);
        counts.clear(self);
        met
    }
}

/// Rows of two buckets by value. Empty between uses.
#[derive(Debug)]
pub(crate) struct Counts {
    of_value: Vec<[u32; 2]>,
    of_known: Vec<[u32; 2]>,
    met: Vec<u32>,
}

impl Counts {
    fn add(&mut self, diversity: &Diversity, row: u32, side: usize) {
        let value = diversity.value_of_row[row as usize];
        let own = &mut self.of_value[value as usize];
        if *own == [0; 2] {
            self.met.push(value);
        }
        own[side] += 1;
        self.of_known[diversity.known_of_value[value as usize] as usize][side] += 1;
    }

    fn clear(&mut self, diversity: &Diversity) {
        for value in self.met.drain(..) {
            self.of_value[value as usize] = [0; 2];
            self.of_known[diversity.known_of_value[value as usize] as usize] = [0; 2];
        }
    }
}
