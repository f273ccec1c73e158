use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hashbrown::HashMap;
use muslin_table::{
    ClassDiversity, ClassSizes, Codes, Column, ColumnId, ColumnSet, DiversityCount, EncodedTable,
    MissingRule, SizeCount, Slot,
};
use rayon::prelude::*;

use crate::matches::match_sizes;
use crate::open_classes::{OpenClasses, TwoSlots};
use crate::{ColumnCounts, Engine, Partition, Result, Run, Seed, Shape, check_uniques, take_rows};

/// The engine of a table in memory.
///
/// # Guarantee
/// Answers do not depend on the number of threads, nor on what was asked before.
///
/// # Cost
/// About 8 bytes per row, once [`Engine::class_sizes_of_each`] was asked: the classes of the last
/// set stay, so that those of a set with more columns are made from them. Clones share them.
#[derive(Clone, Debug)]
pub struct MemoryEngine<'a> {
    table: &'a EncodedTable,
    run: &'a Run,
    kept: Arc<Kept>,
}

/// What an engine remembers of its table; it decides how quick an answer is, not what it is.
#[derive(Debug)]
struct Kept {
    classes: Mutex<Option<KeptClasses>>,
    /// For each column, whether two slots are in use, and which.
    two_slots: Vec<OnceLock<Option<TwoSlots>>>,
}

#[derive(Clone, Debug)]
struct KeptClasses {
    by: ColumnSet,
    missing: MissingRule,
    classes: Arc<OpenClasses>,
}

impl<'a> MemoryEngine<'a> {
    /// Answers about `table`, on the threads and within the limits of `run`.
    pub fn new(table: &'a EncodedTable, run: &'a Run) -> Self {
        let two_slots = table.columns().iter().map(|_| OnceLock::new()).collect();
        Self { table, run, kept: Arc::new(Kept { classes: Mutex::new(None), two_slots }) }
    }

    /// The classes that `by` makes. Columns with many values refine first: rows that are alone
    /// cost the later ones little.
    fn partition(&self, by: &ColumnSet, missing: MissingRule) -> Result<Partition> {
        let mut columns: Vec<_> = by.iter().map(|id| self.table.column(id)).collect();
        columns.sort_by_key(|column| std::cmp::Reverse(column.slots()));
        let mut partition = Partition::whole(self.table.rows());
        for column in columns {
            self.run.check()?;
            partition = self.run.install(|| partition.refine(column, missing));
        }
        Ok(partition)
    }

    /// Sizes of the classes that `by` makes. Rows that are alone are counted and left behind as
    /// soon as they are the most.
    fn sizes(&self, by: &ColumnSet, missing: MissingRule) -> Result<ClassSizes> {
        let mut columns: Vec<_> = by.iter().map(|id| self.table.column(id)).collect();
        columns.sort_by_key(|column| std::cmp::Reverse(column.slots()));
        let mut partition = Partition::whole(self.table.rows());
        let mut rows: Option<Vec<u32>> = None;
        let mut alone = 0;
        for column in columns {
            self.run.check()?;
            partition = self.run.install(|| match &rows {
                None => partition.refine(column, missing),
                Some(rows) => partition.refine_at(rows, column, missing),
            });
            let single = partition.sizes().iter().filter(|&&size| size == 1).count();
            if single * 2 > partition.class_of().len() {
                alone += single as u64;
                let (open, rest) = partition.open();
                rows = Some(match rows {
                    None => open,
                    Some(rows) => open.into_iter().map(|at| rows[at as usize]).collect(),
                });
                partition = rest;
            }
        }
        let sizes = partition.sizes().iter().map(|&size| u64::from(size));
        let alone = SizeCount { size: 1, rows: alone };
        let together = ClassSizes::from_sizes(sizes, missing);
        Ok(ClassSizes::from_rows(together.counts().iter().copied().chain([alone]), missing))
    }

    /// The classes of more than one row that `by` makes: those of the last question refined by
    /// what is new, where that is possible.
    fn open_classes(&self, by: &ColumnSet, missing: MissingRule) -> Result<Arc<OpenClasses>> {
        // A poisoned lock still guards whole answers: they are made outside it.
        let kept = self.kept.classes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let kept = kept.filter(|kept| kept.missing == missing && kept.by.is_subset(by));
        let (known, mut classes) = match kept {
            Some(kept) => (kept.by, kept.classes),
            None => (ColumnSet::new(), Arc::new(OpenClasses::whole(self.table.rows()))),
        };
        let new = by.difference(&known);
        let mut columns: Vec<_> = new.iter().map(|id| self.table.column(id)).collect();
        columns.sort_by_key(|column| std::cmp::Reverse(column.slots()));
        for column in columns {
            self.run.check()?;
            classes = Arc::new(self.run.install(|| classes.refine(column, missing)));
        }
        let kept = KeptClasses { by: by.clone(), missing, classes: Arc::clone(&classes) };
        *self.kept.classes.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        Ok(classes)
    }

    /// Whether two slots of a column are in use, and which.
    fn two_slots(&self, id: ColumnId) -> Option<TwoSlots> {
        let kept = &self.kept.two_slots[id.index()];
        if let Some(known) = kept.get() {
            return *known;
        }
        // Counted outside the lock: counting may do other work meanwhile, even this again.
        let two = TwoSlots::of(&self.slot_counts(self.table.column(id)));
        *kept.get_or_init(|| two)
    }

    /// Rows of each slot of a column.
    fn slot_counts(&self, column: &Column) -> Vec<u64> {
        fn count<S: Slot>(codes: &[S], slots: usize) -> Vec<u64> {
            // Every chunk has counts of its own, so chunks are no smaller than those.
            let chunk_rows =
                codes.len().div_ceil(rayon::current_num_threads()).max(1 << 16).max(slots * 4);
            let counted = codes.par_chunks(chunk_rows).map(|codes| {
                if slots <= FEW {
                    return count_few(codes, slots);
                }
                let mut counts = vec![0u64; slots];
                codes.iter().for_each(|code| counts[code.index()] += 1);
                counts
            });
            let add = |mut a: Vec<u64>, b: Vec<u64>| {
                a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
                a
            };
            counted.reduce_with(add).unwrap_or_else(|| vec![0; slots])
        }
        self.run.install(|| match column.codes() {
            Codes::U8(codes) => count(codes, column.slots()),
            Codes::U16(codes) => count(codes, column.slots()),
            Codes::U32(codes) => count(codes, column.slots()),
        })
    }

    /// Class sizes of one column, from counts alone.
    fn column_sizes(&self, id: ColumnId, missing: MissingRule) -> ClassSizes {
        let column = self.table.column(id);
        let mut counts = self.slot_counts(column);
        self.kept.two_slots[id.index()].get_or_init(|| TwoSlots::of(&counts));
        let absent = counts[column.missing_slot() as usize];
        match missing {
            MissingRule::Category => {}
            MissingRule::Distinct => {
                counts[column.missing_slot() as usize] = 0;
                let alone = (0..absent).map(|_| 1);
                return ClassSizes::from_sizes(
                    counts.into_iter().filter(|&c| c > 0).chain(alone),
                    missing,
                );
            }
            MissingRule::Wildcard => {
                let rows = self.table.rows() as u64;
                counts[column.missing_slot() as usize] = 0;
                let valued = counts.into_iter().map(|rows| SizeCount { size: rows + absent, rows });
                let absent = SizeCount { size: rows, rows: absent };
                return ClassSizes::from_rows(valued.chain([absent]), missing);
            }
        }
        ClassSizes::from_sizes(counts.into_iter().filter(|&count| count > 0), missing)
    }
}

impl Engine for MemoryEngine<'_> {
    fn shape(&self) -> Result<Shape> {
        Ok(Shape { rows: self.table.rows() as u64, columns: self.table.columns().len() })
    }

    fn column_counts(&self) -> Result<Vec<ColumnCounts>> {
        // A dictionary may hold values that no row has any more.
        let count = |column: &Column| {
            let counts = self.slot_counts(column);
            let values = &counts[..column.dictionary().len()];
            let distinct = values.iter().filter(|&&rows| rows > 0).count() as u64;
            ColumnCounts { distinct, missing: column.missing() }
        };
        self.run.check()?;
        Ok(self.table.columns().iter().map(count).collect())
    }

    fn class_sizes(&self, by: &ColumnSet, missing: MissingRule) -> Result<ClassSizes> {
        let mut columns = by.iter();
        if let (Some(only), None) = (columns.next(), columns.next()) {
            self.run.check()?;
            return Ok(self.column_sizes(only, missing));
        }
        if missing == MissingRule::Wildcard {
            return match_sizes(self.table, by, self.run);
        }
        self.sizes(by, missing)
    }

    fn class_sizes_of_each(
        &self,
        by: &ColumnSet,
        more: &[ColumnId],
        missing: MissingRule,
    ) -> Result<Vec<ClassSizes>> {
        if by.is_empty() || missing == MissingRule::Wildcard {
            let with = |&column: &ColumnId| {
                let mut set = by.clone();
                set.insert(column);
                self.class_sizes(&set, missing)
            };
            return self.run.install(|| more.par_iter().map(with).collect());
        }
        let classes = self.open_classes(by, missing)?;
        let with = |&id: &ColumnId| {
            self.run.check()?;
            if by.contains(id) {
                return Ok(classes.sizes(missing));
            }
            Ok(classes.sizes_with(self.table.column(id), missing, self.two_slots(id)))
        };
        self.run.install(|| more.par_iter().map(with).collect())
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

    fn minimal_uniques_of(&self, set: &ColumnSet, k: u32, missing: MissingRule) -> Result<u64> {
        check_uniques(set, missing)?;
        let classes = self.partition(set, missing)?;
        let without = |id: ColumnId| {
            let rest = set.difference(&[id].into_iter().collect());
            self.partition(&rest, missing)
        };
        let smaller = match set.len() {
            1 => Vec::new(),
            _ => set.iter().map(without).collect::<Result<Vec<Partition>>>()?,
        };
        // A missing cell that equals nothing is no item.
        let absent = |row: usize| {
            let missing_at = |id| {
                let column = self.table.column(id);
                column.codes().slot(row) == column.missing_slot()
            };
            missing == MissingRule::Distinct && set.iter().any(missing_at)
        };
        let counts =
            classes.first_rows().into_iter().zip(classes.sizes()).filter(|&(row, &size)| {
                let at = row as usize;
                let large = |of: &Partition| of.sizes()[of.class_of()[at] as usize] > k;
                size <= k && !absent(at) && smaller.iter().all(large)
            });
        Ok(counts.count() as u64)
    }

    fn sample(&self, rows: u64, seed: Seed) -> Result<EncodedTable> {
        let all = u32::try_from(self.table.rows()).expect("row ids are 32 bits wide");
        let wanted = usize::try_from(rows).unwrap_or(usize::MAX);
        if wanted >= self.table.rows() {
            return Ok(self.table.clone());
        }
        let sampled = self.run.install(|| {
            let mut drawn: Vec<(u64, u32)> =
                (0..all).into_par_iter().map(|row| (seed.draw(u64::from(row)), row)).collect();
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

/// Slots of a column whose codes are single bytes.
const FEW: usize = 1 << 8;

/// Rows of each of at most [`FEW`] slots. Four tables take turns, so that equal neighbours do not
/// wait for each other; their size is known, so that no index is checked.
fn count_few<S: Slot>(codes: &[S], slots: usize) -> Vec<u64> {
    let mut turns = [[0u32; FEW]; 4];
    let [first, second, third, fourth] = &mut turns;
    let (blocks, rest) = codes.as_chunks();
    for &[a, b, c, d] in blocks {
        first[a.index() % FEW] += 1;
        second[b.index() % FEW] += 1;
        third[c.index() % FEW] += 1;
        fourth[d.index() % FEW] += 1;
    }
    rest.iter().for_each(|code| first[code.index() % FEW] += 1);
    (0..slots).map(|slot| turns.iter().map(|turn| u64::from(turn[slot])).sum()).collect()
}

/// Counts of equal keys, for those who group rows by more than codes.
pub(crate) type Counts<K> = HashMap<K, u64, foldhash::fast::RandomState>;
