use hashbrown::HashMap;
use muslin_table::{
    ClassDiversity, ClassSizes, ColumnId, ColumnSet, DiversityCount, EncodedTable, MissingRule,
};
use rayon::prelude::*;

use crate::matches::match_sizes;
use crate::{Engine, Partition, Result, Run, Seed, Shape, take_rows};

/// The engine of a table in memory.
///
/// # Guarantee
/// Answers do not depend on the number of threads.
#[derive(Clone, Debug)]
pub struct MemoryEngine<'a> {
    table: &'a EncodedTable,
    run: &'a Run,
}

impl<'a> MemoryEngine<'a> {
    /// Answers about `table`, on the threads and within the limits of `run`.
    pub fn new(table: &'a EncodedTable, run: &'a Run) -> Self {
        Self { table, run }
    }

    /// The classes that `by` makes; columns with few values refine first.
    fn partition(&self, by: &ColumnSet, missing: MissingRule) -> Result<Partition> {
        let mut columns: Vec<_> = by.iter().map(|id| self.table.column(id)).collect();
        columns.sort_by_key(|column| column.slots());
        let mut partition = Partition::whole(self.table.rows());
        for column in columns {
            self.run.check()?;
            partition = self.run.install(|| partition.refine(column, missing));
        }
        Ok(partition)
    }
}

impl Engine for MemoryEngine<'_> {
    fn shape(&self) -> Result<Shape> {
        Ok(Shape {
            rows: self.table.rows() as u64,
            columns: self.table.columns().len(),
        })
    }

    fn class_sizes(&self, by: &ColumnSet, missing: MissingRule) -> Result<ClassSizes> {
        if missing == MissingRule::Wildcard {
            return match_sizes(self.table, by, self.run);
        }
        let partition = self.partition(by, missing)?;
        Ok(ClassSizes::from_sizes(
            partition.sizes().iter().map(|&s| u64::from(s)),
            missing,
        ))
    }

    fn class_diversity(&self, by: &ColumnSet, sensitive: ColumnId) -> Result<ClassDiversity> {
        let classes = self.partition(by, MissingRule::Category)?;
        let values = self
            .run
            .install(|| classes.refine(self.table.column(sensitive), MissingRule::Category));
        let mut found: Vec<_> = classes
            .sizes()
            .iter()
            .map(|&rows| DiversityCount {
                rows: u64::from(rows),
                distinct: 0,
                most_frequent: 0,
                classes: 1,
            })
            .collect();
        // Refining splits classes: the first row of each part says which class it came from.
        for (part, row) in values.first_rows().into_iter().enumerate() {
            let class = &mut found[classes.class_of()[row as usize] as usize];
            class.distinct += 1;
            class.most_frequent = class.most_frequent.max(u64::from(values.sizes()[part]));
        }
        Ok(ClassDiversity::new(found))
    }

    fn sample(&self, rows: u64, seed: Seed) -> Result<EncodedTable> {
        let all = u32::try_from(self.table.rows()).expect("row ids are 32 bits wide");
        let wanted = usize::try_from(rows).unwrap_or(usize::MAX);
        if wanted >= self.table.rows() {
            return Ok(self.table.clone());
        }
        let sampled = self.run.install(|| {
            let mut drawn: Vec<(u64, u32)> = (0..all)
                .into_par_iter()
                .map(|row| (seed.draw(u64::from(row)), row))
                .collect();
            drawn.select_nth_unstable(wanted);
            let mut chosen: Vec<u32> = drawn[..wanted].iter().map(|&(_, row)| row).collect();
            chosen.sort_unstable();
            take_rows(self.table, &chosen)
        });
        Ok(sampled?)
    }

    fn collect(&self, columns: &ColumnSet) -> Result<EncodedTable> {
        let table = self.table.project(columns);
        self.run.check_memory(table.memory() as u64)?;
        Ok(table)
    }
}

/// Counts of equal keys, for those who group rows by more than codes.
pub(crate) type Counts<K> = HashMap<K, u64, foldhash::fast::RandomState>;
