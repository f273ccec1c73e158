//! Why a set of columns is risky.

use muslin_assess::{MinimalUniques, SetRatios, Target};
use muslin_engine::{Coverage, Engine, MemoryEngine, Run};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, EncodedTable};

use super::report::{ColumnWithoutReport, ExplainAnswer, ExplainedSet};
use super::{ExplainJob, Explained};
use crate::Result;
use crate::keys::{Explainer, explained_measure, set_names};
use crate::scan::Threshold;

/// Sizes of classes that somebody may ask for.
const THRESHOLDS: [u64; 5] = [2, 3, 5, 10, 20];
/// Columns up to which minimal uniques are looked for along with the rest.
const FEW_COLUMNS: usize = 16;

impl ExplainJob {
    /// Explains all columns of a table together.
    pub(super) fn columns(&self, table: &EncodedTable, run: &Run) -> Result<Explained> {
        let engine = MemoryEngine::new(table, run);
        let set = table.all_columns();
        let whole = engine.class_sizes(&set, self.missing)?;
        let alone = whole.rows_below(2);
        let without = self.without(&engine, &set)?;
        let explainer = Explainer {
            table,
            engine: &engine,
            rows: table.rows() as u64,
            missing: self.missing,
            run,
        };
        let measure = explained_measure(Target::key(), self.missing);
        let (coverage, uniques_by_size) = if set.len() <= FEW_COLUMNS {
            let search = MinimalUniques::new().max_size(self.max_size).missing(self.missing);
            let found = search.run(table, run)?;
            (found.coverage(), Some(found.by_size().collect()))
        } else {
            (Coverage::Complete, None)
        };
        let name = |id| table.column(id).name().to_owned();
        let answer = ExplainedSet {
            set: set_names(table, &set),
            is_key: whole.unseparated_pairs() == 0,
            is_nearly_key: u128::from(alone) * 100 >= u128::from(whole.rows()) * 95,
            ratios: (&SetRatios::from_sizes(set.clone(), &whole)).into(),
            below: below(&whole),
            smaller: self
                .smaller(&engine, &set, &whole, &without)?
                .map(|few| set_names(table, &few)),
            explanation: explainer.explanation(&set, measure)?,
            uniques_by_size,
            without: in_order(without)
                .into_iter()
                .map(|(column, sizes)| ColumnWithoutReport {
                    column: name(column),
                    ratios: (&SetRatios::from_sizes(without_one(&set, column), &sizes)).into(),
                    below: below(&sizes),
                })
                .collect(),
        };
        let answer = ExplainAnswer::Columns(Box::new(answer));
        Ok(Explained { coverage, answer, warnings: Vec::new() })
    }

    /// The classes without each column.
    fn without(
        &self,
        engine: &MemoryEngine<'_>,
        set: &ColumnSet,
    ) -> Result<Vec<(ColumnId, ClassSizes)>> {
        let sizes = |column| {
            let sizes = engine.class_sizes(&without_one(set, column), self.missing)?;
            Ok((column, sizes))
        };
        set.iter().map(sizes).collect()
    }

    /// Fewer columns that tell as many pairs apart, if there are any. A column that cannot be left
    /// out of a set cannot be left out of a smaller one either.
    fn smaller(
        &self,
        engine: &MemoryEngine<'_>,
        set: &ColumnSet,
        whole: &ClassSizes,
        without: &[(ColumnId, ClassSizes)],
    ) -> Result<Option<ColumnSet>> {
        let tells = whole.unseparated_pairs();
        let mut left = set.clone();
        // Where one of several can go, the last does.
        let mut needless: Vec<ColumnId> = without
            .iter()
            .filter(|(_, sizes)| sizes.unseparated_pairs() == tells)
            .map(|(column, _)| *column)
            .collect();
        needless.reverse();
        for column in needless {
            let fewer = without_one(&left, column);
            let is_first = left.len() == set.len();
            let same = || engine.class_sizes(&fewer, self.missing);
            if is_first || same()?.unseparated_pairs() == tells {
                left = fewer;
            }
        }
        Ok((left.len() < set.len()).then_some(left))
    }
}

fn below(sizes: &ClassSizes) -> Vec<Threshold> {
    THRESHOLDS.iter().map(|&k| Threshold::new(sizes, k)).collect()
}

fn without_one(set: &ColumnSet, column: ColumnId) -> ColumnSet {
    let mut fewer = set.clone();
    fewer.remove(column);
    fewer
}

/// The column without which the fewest rows are singled out comes first, then the one without which
/// the fewest pairs are told apart.
fn in_order(mut without: Vec<(ColumnId, ClassSizes)>) -> Vec<(ColumnId, ClassSizes)> {
    without.sort_by_key(|(column, sizes)| {
        (sizes.rows_below(2), std::cmp::Reverse(sizes.unseparated_pairs()), *column)
    });
    without
}
