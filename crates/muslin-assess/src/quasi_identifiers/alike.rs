use std::collections::BTreeSet;

use muslin_engine::{Engine, Partition, Run};
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable, MissingRule};

use crate::Result;

/// Rows in memory, for pairs of them that a column set does not tell apart: a key has one of the
/// columns in which they differ, so each pair is an edge.
pub(super) struct Alike {
    table: EncodedTable,
    missing: MissingRule,
}

/// Tables of more cells than this stay where they are.
const MOST_CELLS: u64 = 1 << 32;
/// Pairs that are looked at for one set.
const PAIRS: usize = 4_096;
/// Edges that are taken from them: the smallest.
const EDGES: usize = 32;

impl Alike {
    /// Fetches the rows; nothing where they do not fall into classes or do not fit.
    pub(super) fn fetched(table: &dyn Engine, missing: MissingRule) -> Result<Option<Self>> {
        let shape = table.shape()?;
        let cells = shape.rows.saturating_mul(shape.columns as u64);
        if missing == MissingRule::Wildcard || cells > MOST_CELLS {
            return Ok(None);
        }
        match table.collect(&ColumnSet::first(shape.columns)) {
            Err(muslin_engine::Error::Stopped(_)) => Ok(None),
            table => Ok(Some(Self { table: table?, missing })),
        }
    }

    /// Edges that `set` does not hit; none when it is a key.
    pub(super) fn edges(&self, set: &ColumnSet, run: &Run) -> Result<Vec<ColumnSet>> {
        let mut columns: Vec<&Column> = set.iter().map(|id| self.table.column(id)).collect();
        columns.sort_by_key(|column| std::cmp::Reverse(column.slots()));
        let all = u32::try_from(self.table.rows()).expect("row ids are 32 bits wide");
        let mut rows: Vec<u32> = (0..all).collect();
        let mut classes = Partition::whole(rows.len());
        for column in columns {
            run.check()?;
            let (open, rest) =
                run.install(|| classes.refine_at(&rows, column, self.missing).open());
            rows = open.into_iter().map(|at| rows[at as usize]).collect();
            classes = rest;
        }
        // Rows next to each other in their class. Pairs are taken evenly from the whole table.
        let mut last: Vec<Option<u32>> = vec![None; classes.sizes().len()];
        let mut pairs = Vec::with_capacity(rows.len());
        for (&row, &class) in rows.iter().zip(classes.class_of()) {
            pairs.extend(last[class as usize].replace(row).map(|before| (before, row)));
        }
        let step = pairs.len().div_ceil(PAIRS).max(1);
        let differ = |&(a, b): &(u32, u32)| self.differ(a, b);
        let edges: BTreeSet<ColumnSet> = pairs.iter().step_by(step).map(differ).collect();
        let mut smallest: Vec<ColumnSet> = Vec::new();
        for edge in edges {
            if smallest.len() < EDGES && !smallest.iter().any(|known| known.is_subset(&edge)) {
                smallest.push(edge);
            }
        }
        Ok(smallest)
    }

    /// The columns that tell two rows apart.
    fn differ(&self, a: u32, b: u32) -> ColumnSet {
        let is_apart = |column: &Column| {
            let (x, y) = (column.codes().slot(a as usize), column.codes().slot(b as usize));
            x != y || (self.missing == MissingRule::Distinct && x == column.missing_slot())
        };
        let columns = self.table.columns().iter().enumerate();
        columns.filter(|(_, column)| is_apart(column)).map(|(at, _)| ColumnId::new(at)).collect()
    }
}
