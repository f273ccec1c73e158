//! How many rows a row matches when a missing cell matches anything.
//!
//! # Method
//! Equal rows match the same rows, so the work is done once per class of equal rows. A class
//! has a pattern: which of the columns it has values in. Two classes match when they agree on the
//! columns that both patterns hold; so for each ordered pair of patterns, the classes of one are
//! counted by those columns and the classes of the other look their counts up.
//!
//! # Cost
//! Classes times patterns; there are no more patterns than 2 to the number of columns with
//! missing cells, and usually few.

use std::collections::BTreeMap;

use muslin_table::{ClassSizes, Column, ColumnSet, EncodedTable, MissingRule, SizeCount};
use rayon::prelude::*;

use crate::memory::Counts;
use crate::{Engine, MemoryEngine, Partition, Result, Run};

/// Rows by the number of rows each matches on `by`, itself included.
pub(crate) fn match_sizes(table: &EncodedTable, by: &ColumnSet, run: &Run) -> Result<ClassSizes> {
    let columns: Vec<&Column> = by.iter().map(|id| table.column(id)).collect();
    if columns.iter().all(|column| column.missing() == 0) {
        let exact = MemoryEngine::new(table, run).class_sizes(by, MissingRule::Category)?;
        return Ok(ClassSizes::from_rows(exact.counts().iter().copied(), MissingRule::Wildcard));
    }
    let classes = run.install(|| {
        columns.iter().fold(Partition::whole(table.rows()), |classes, column| {
            classes.refine(column, MissingRule::Category)
        })
    });
    let rows = classes.first_rows();
    let slot = |class: usize, column: usize| columns[column].codes().slot(rows[class] as usize);

    // Classes by pattern; a pattern is the list of the columns that have a value.
    let mut patterns: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for class in 0..rows.len() {
        let valued = (0..columns.len()).filter(|&c| slot(class, c) != columns[c].missing_slot());
        patterns.entry(valued.collect()).or_default().push(class);
    }
    let patterns: Vec<_> = patterns.into_iter().collect();

    let matched: Result<Vec<Vec<SizeCount>>> = run.install(|| {
        patterns
            .par_iter()
            .map(|(valued, members)| {
                let mut matched = vec![0u64; members.len()];
                for (other_valued, others) in &patterns {
                    run.check()?;
                    let shared: Vec<usize> =
                        valued.iter().copied().filter(|c| other_valued.contains(c)).collect();
                    let key = |class: usize| -> Box<[u32]> {
                        shared.iter().map(|&c| slot(class, c)).collect()
                    };
                    let mut counts = Counts::default();
                    for &other in others {
                        *counts.entry(key(other)).or_default() += u64::from(classes.sizes()[other]);
                    }
                    for (sum, &member) in matched.iter_mut().zip(members) {
                        *sum += counts.get(&key(member)).copied().unwrap_or(0);
                    }
                }
                let counted = matched.iter().zip(members).map(|(&size, &class)| SizeCount {
                    size,
                    rows: u64::from(classes.sizes()[class]),
                });
                Ok(counted.collect())
            })
            .collect()
    });
    Ok(ClassSizes::from_rows(matched?.into_iter().flatten(), MissingRule::Wildcard))
}
