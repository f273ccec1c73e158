//! Classes, counted by queries.

use arrow_array::RecordBatch;
use muslin_engine::Result;
use muslin_table::{ClassSizes, ColumnId, ColumnSet, MissingRule, SizeCount};

use super::DataFusionEngine;
use super::answers::{changed, mistaken, numbers};
use crate::questions;

impl DataFusionEngine<'_> {
    /// Sizes of the classes of sets, asked about together; answers are kept.
    pub(super) fn sizes_of(
        &self,
        sets: &[ColumnSet],
        missing: MissingRule,
    ) -> Result<Vec<ClassSizes>> {
        let key = |set: &ColumnSet| (set.iter().map(ColumnId::index).collect::<Vec<_>>(), missing);
        let mut open: Vec<ColumnSet> = Vec::new();
        for set in sets {
            if !open.contains(set) && !self.known().sizes.contains_key(&key(set)) {
                open.push(set.clone());
            }
        }
        for some in open.chunks(self.place.sets_at_once) {
            let counted = self.count(some, missing)?;
            let mut known = self.known();
            for (set, sizes) in some.iter().zip(counted) {
                known.sizes.insert(key(set), sizes);
            }
        }
        let known = self.known();
        Ok(sets.iter().map(|set| known.sizes[&key(set)].clone()).collect())
    }

    fn count(&self, sets: &[ColumnSet], missing: MissingRule) -> Result<Vec<ClassSizes>> {
        if let [only] = sets
            && only.is_empty()
        {
            return Ok(vec![ClassSizes::from_sizes(
                [self.rows].into_iter().filter(|&n| n > 0),
                missing,
            )]);
        }
        // All rows are one class, and no query says so.
        if sets.iter().any(ColumnSet::is_empty) {
            let one = |set: &ColumnSet| self.count(std::slice::from_ref(set), missing);
            let each: Vec<Vec<ClassSizes>> = sets.iter().map(one).collect::<Result<_>>()?;
            return Ok(each.into_iter().flatten().collect());
        }
        let sql = questions::class_sizes(sets, missing);
        self.ask(&sql, |batches| self.sizes_in(batches, sets.len(), missing))
    }

    /// The sizes of the classes of so many sets, in an answer.
    fn sizes_in(
        &self,
        batches: &[RecordBatch],
        sets: usize,
        missing: MissingRule,
    ) -> Result<Vec<ClassSizes>> {
        let mut found: Vec<Vec<SizeCount>> = vec![Vec::new(); sets];
        let (at, sizes, classes) = (numbers(batches, 0), numbers(batches, 1), numbers(batches, 2));
        for ((at, size), classes) in at.into_iter().zip(sizes).zip(classes) {
            let at = usize::try_from(at).ok().and_then(|at| found.get_mut(at));
            at.ok_or_else(mistaken)?.push(SizeCount { size, rows: size * classes });
        }
        let whole = |counts: Vec<SizeCount>| {
            let counted: u64 = counts.iter().map(|count| count.rows).sum();
            // Rows with missing cells that equal nothing are alone.
            let alone = self.rows.checked_sub(counted).ok_or_else(changed)?;
            if alone > 0 && missing != MissingRule::Distinct {
                return Err(changed());
            }
            let alone = SizeCount { size: 1, rows: alone };
            Ok(ClassSizes::from_rows(counts.into_iter().chain([alone]), missing))
        };
        found.into_iter().map(whole).collect()
    }
}
