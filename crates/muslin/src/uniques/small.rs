//! Minimal uniques of up to three items by counts alone, where the table does not fit memory.

use std::collections::BTreeMap;

use muslin_assess::Method;
use muslin_engine::{ColumnCounts, Coverage, Run};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, MissingRule, SizeCount};

use super::report::{ColumnSetReport, DisReport, ScoreReport};
use super::{UniquesJob, UniquesReport};
use crate::Result;
use crate::elsewhere::{self, Elsewhere};
use crate::input::InputReport;
use crate::keys::{nearly_unique_warning, set_names};

/// Items of a minimal unique, at most.
const MOST: usize = 3;
/// Sets of columns that are told.
const SETS: usize = 20;

impl UniquesJob {
    /// Whether counts alone answer.
    pub(super) fn is_countable(&self) -> bool {
        self.max_size.is_some_and(|most| most <= MOST)
            && self.missing != MissingRule::Wildcard
            && self.output.is_none()
    }

    /// For each column, its values that few rows hold, and whether it has others: a value that few rows hold is in
    /// no larger minimal unique.
    fn single_uniques(&self, elsewhere: &Elsewhere<'_>) -> Result<Vec<(ColumnId, (u64, bool))>> {
        let engine = &elsewhere.engine;
        let all: Vec<ColumnId> = elsewhere.head.all_columns().iter().collect();
        let sizes = engine.class_sizes_of_each(&ColumnSet::new(), &all, self.missing)?;
        let of_column = |(sizes, counts): (&ClassSizes, ColumnCounts)| {
            let is_few = |count: &&SizeCount| count.size <= u64::from(self.k);
            let few: u64 =
                sizes.counts().iter().filter(is_few).map(|count| count.rows / count.size).sum();
            // A missing cell that equals nothing is alone, and no value.
            let alone = if self.missing == MissingRule::Distinct { counts.missing } else { 0 };
            (few - alone, !sizes.counts().iter().all(|count| is_few(&count)))
        };
        let found = sizes.iter().zip(engine.column_counts()?).map(of_column);
        Ok(all.into_iter().zip(found).collect())
    }

    /// Counts minimal uniques, set of columns by set of columns. Rows are not told apart by counts, so they
    /// have no scores.
    pub(super) fn small_uniques(
        &self,
        elsewhere: &Elsewhere<'_>,
        run: &Run,
    ) -> Result<UniquesReport> {
        let most = self.max_size.filter(|&most| most <= MOST).ok_or_else(|| {
            elsewhere::wrong(
                "the table does not fit memory, and counts alone tell of up to three items",
                "pass `--max-size 3`, or a larger `--memory`",
            )
        })?;
        if self.missing == MissingRule::Wildcard || self.output.is_some() {
            return Err(elsewhere::wrong(
                "the table does not fit memory, and counts alone tell neither of rows nor of cells that match anything",
                "pass a larger `--memory`, or leave out `-o` and `--missing wildcard`",
            ));
        }
        let mut by_size: BTreeMap<usize, u64> = BTreeMap::new();
        let mut counted: Vec<(ColumnSet, u64)> = Vec::new();
        let mut add = |set: ColumnSet, found: u64| {
            if found > 0 {
                *by_size.entry(set.len()).or_insert(0) += found;
                counted.push((set, found));
            }
        };
        let mut in_larger = Vec::new();
        for (column, (found, is_in_larger)) in self.single_uniques(elsewhere)? {
            add([column].into_iter().collect(), found);
            if is_in_larger {
                in_larger.push(column);
            }
        }
        let sets = larger_sets(&in_larger, most);
        run.reporter().stage("counting", Some(sets.len() as u64));
        for set in sets {
            let found = elsewhere.engine.minimal_uniques_of(&set, self.k, self.missing)?;
            run.reporter().advance(1);
            add(set, found);
        }
        run.reporter().finish();
        counted.sort_by(|(a, more), (b, fewer)| fewer.cmp(more).then_with(|| a.cmp(b)));
        counted.truncate(SETS);
        let head = &elsewhere.head;
        let mut warnings: Vec<String> =
            elsewhere.nearly_unique()?.iter().map(|name| nearly_unique_warning(name)).collect();
        warnings.push(
            "the table does not fit memory, so minimal uniques were counted and rows were not: they have no scores here".into(),
        );
        warnings.extend(elsewhere.warnings(&self.read, run)?);
        let sizes = elsewhere.engine.class_sizes(&head.all_columns(), self.missing)?;
        let rows_of = |size: u64| {
            sizes.counts().iter().find(|count| count.size == size).map_or(0, |count| count.rows)
        };
        let (weights_scale, columns) = (0, head.columns().len());
        Ok(UniquesReport {
            schema: 1,
            command: "uniques".into(),
            coverage: Coverage::Complete,
            input: InputReport::new(&elsewhere.source),
            rows: elsewhere.rows,
            duplicates_dropped: None,
            columns: columns as u64,
            column_names: set_names(head, &head.all_columns()),
            left_out: elsewhere.left_out.clone(),
            missing_rule: self.missing,
            k: self.k,
            max_size: self.max_size,
            method: Method::ColumnSets,
            total: by_size.values().sum(),
            by_size,
            rows_with_uniques: None,
            rows_by_smallest: Vec::new(),
            score: ScoreReport::new(self.score, weights_scale, columns, self.max_size),
            dis: DisReport {
                fraction: self.dis_fraction,
                alone: rows_of(1),
                paired: rows_of(2),
                theta: None,
            },
            column_shares: Vec::new(),
            sets: counted
                .iter()
                .map(|(set, uniques)| ColumnSetReport {
                    columns: set_names(head, set),
                    uniques: *uniques,
                })
                .collect(),
            top_rows: Vec::new(),
            written: None,
            warnings,
        })
    }
}

/// Sets of two of these columns up to `most` of them, smaller ones first.
fn larger_sets(columns: &[ColumnId], most: usize) -> Vec<ColumnSet> {
    let mut sets: Vec<Vec<usize>> = (0..columns.len()).map(|at| vec![at]).collect();
    let singles = sets.len();
    let mut from = 0;
    for _ in 1..most {
        let to = sets.len();
        for at in from..to {
            let next = sets[at].last().map_or(0, |last| last + 1);
            for column in next..columns.len() {
                sets.push(sets[at].iter().copied().chain([column]).collect());
            }
        }
        from = to;
    }
    let of = |set: Vec<usize>| set.into_iter().map(|at| columns[at]).collect();
    sets.drain(singles..).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_grow_by_one_column_at_a_time() {
        let columns = [2, 5, 7].map(ColumnId::new);
        let sets = |most| {
            let found = larger_sets(&columns, most);
            found
                .iter()
                .map(|set| set.iter().map(ColumnId::index).collect())
                .collect::<Vec<Vec<_>>>()
        };
        assert_eq!(sets(3), [vec![2, 5], vec![2, 7], vec![5, 7], vec![2, 5, 7]]);
        assert_eq!(sets(2).len(), 3);
        assert_eq!(sets(1).len(), 0);
    }
}
