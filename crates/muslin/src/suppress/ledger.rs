//! Why each cell is withheld. For the house, not for release.
//!
//! A row that keeps some columns is like enough others. With one more cell shown it may be one of
//! fewer than k people; then some of its visible values and that cell are a minimal k-unique, which
//! the blank breaks. Where they are not, the cell is blank because the rows of its class must be
//! equal and this row is needed there.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use hashbrown::HashMap;
use muslin_engine::{Partition, Run};
use muslin_io::{Destination, Prepared, ResultWriter, WriteOptions};
use muslin_table::{Changes, ColumnId, ColumnSet, EncodedTable, MissingRule, RowId};

use crate::Result;
use crate::arrays::{LINES, joined, names, u32s};

/// Prepares a line for each withheld cell: row, column, the minimal unique it breaks, and how many
/// rows hold that. Columns are those that make classes, and others that may have lost cells.
pub(super) fn prepare(
    table: &EncodedTable,
    (columns, others): (&ColumnSet, &ColumnSet),
    changes: &Changes,
    k: u32,
    to: (&Destination, &WriteOptions),
    run: &Run,
) -> Result<Prepared> {
    let field = |name: &str, kind| Field::new(name, kind, false);
    let schema = Arc::new(Schema::new(vec![
        field("row", DataType::UInt32),
        field("column", DataType::Utf8),
        field("breaks", DataType::Utf8),
        field("rows_holding_it", DataType::UInt32),
    ]));
    let mut writer = ResultWriter::create(to.0, &schema, to.1)?;
    let mut supports = Supports { table, sizes: HashMap::default() };
    let mut lines: Vec<(u32, ColumnId, ColumnSet, u32)> = Vec::with_capacity(LINES);
    let mut flush = |lines: &mut Vec<(u32, ColumnId, ColumnSet, u32)>| -> Result<()> {
        let arrays: Vec<ArrayRef> = vec![
            u32s(lines.iter().map(|line| line.0)),
            joined(lines.iter().map(|line| table.column(line.1).name().to_owned())),
            joined(lines.iter().map(|line| names(table, line.2.iter()))),
            u32s(lines.iter().map(|line| line.3)),
        ];
        lines.clear();
        let batch =
            RecordBatch::try_new(Arc::clone(&schema), arrays).expect("columns of one length");
        Ok(writer.push(&batch)?)
    };
    for row in (0u32..).take(table.rows()) {
        let id = RowId::new(row);
        let is_blank = |column: &ColumnId| changes.suppressed(*column).binary_search(&id).is_ok();
        let blank: ColumnSet = columns.iter().filter(is_blank).collect();
        let told: ColumnSet = others.iter().filter(is_blank).collect();
        if blank.is_empty() && told.is_empty() {
            continue;
        }
        run.check()?;
        let kept = columns.difference(&blank);
        for column in blank.iter().chain(told.iter()) {
            let (set, rows) = supports.broken(row, &kept, column, k);
            lines.push((row, column, set, rows));
            if lines.len() == LINES {
                flush(&mut lines)?;
            }
        }
    }
    flush(&mut lines)?;
    Ok(writer.prepare()?)
}

/// How many rows agree with each row on column sets that were asked for.
struct Supports<'a> {
    table: &'a EncodedTable,
    sizes: HashMap<Vec<u32>, Partition, foldhash::fast::FixedState>,
}

/// Column sets that are kept in mind.
const MOST_SETS: usize = 4_096;

impl Supports<'_> {
    fn rows(&mut self, row: u32, set: &ColumnSet) -> u32 {
        let key: Vec<u32> =
            set.iter().map(|id| u32::try_from(id.index()).unwrap_or(u32::MAX)).collect();
        if self.sizes.len() >= MOST_SETS && !self.sizes.contains_key(&key) {
            self.sizes.clear();
        }
        let table = self.table;
        let partition = self.sizes.entry(key).or_insert_with(|| {
            let whole = Partition::whole(table.rows());
            set.iter()
                .fold(whole, |classes, id| classes.refine(table.column(id), MissingRule::Category))
        });
        partition.sizes()[partition.class_of()[row as usize] as usize]
    }

    /// A minimal set of kept columns and this one that fewer than k rows share with the row, and how
    /// many do; no columns where there is none, or none of a few thousand sets that were asked about.
    fn broken(&mut self, row: u32, kept: &ColumnSet, column: ColumnId, k: u32) -> (ColumnSet, u32) {
        let mut set = kept.clone();
        set.insert(column);
        let mut rows = self.rows(row, &set);
        if rows >= k {
            return (ColumnSet::new(), rows);
        }
        for id in kept.iter() {
            let mut less = set.clone();
            less.remove(id);
            let found = self.rows(row, &less);
            if found < k {
                (set, rows) = (less, found);
            }
        }
        let mut others = set.clone();
        others.remove(column);
        if self.rows(row, &others) >= k { (set, rows) } else { self.smallest(row, kept, column, k) }
    }

    /// The same where the kept columns alone are shared by fewer than k rows, so that sets without the
    /// column must be passed over: sets of one kept column, then of two, as long as k rows share them. The
    /// first that fewer share together with the column is minimal, as no part of it was one.
    fn smallest(
        &mut self,
        row: u32,
        kept: &ColumnSet,
        column: ColumnId,
        k: u32,
    ) -> (ColumnSet, u32) {
        let mut shared = vec![ColumnSet::new()];
        let mut asked = 0;
        while !shared.is_empty() {
            let mut larger = Vec::new();
            for set in &shared {
                let mut with = set.clone();
                with.insert(column);
                let rows = self.rows(row, &with);
                if rows < k {
                    return (with, rows);
                }
                let last = set.iter().last();
                for id in kept.iter().filter(|id| last.is_none_or(|last| *id > last)) {
                    asked += 1;
                    if asked > MOST_SETS {
                        return (ColumnSet::new(), rows);
                    }
                    let mut more = set.clone();
                    more.insert(id);
                    if self.rows(row, &more) >= k {
                        larger.push(more);
                    }
                }
            }
            shared = larger;
        }
        let mut all = kept.clone();
        all.insert(column);
        (ColumnSet::new(), self.rows(row, &all))
    }
}
