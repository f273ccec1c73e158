//! What a column set must do in a sub-table, if it is to reach a target in the table.

use muslin_engine::{Engine, MemoryEngine};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, MissingRule};

use super::Target;
use super::pairs::SeparatedPairs;
use crate::Result;

/// Class sizes of a prefix with each of these columns; of the prefix itself for no column.
pub(super) fn sizes_of_each(
    engine: &dyn Engine,
    prefix: &ColumnSet,
    last: &[Option<ColumnId>],
    missing: MissingRule,
) -> Result<Vec<ClassSizes>> {
    let columns: Vec<ColumnId> = last.iter().copied().flatten().collect();
    if columns.is_empty() {
        return Ok(vec![engine.class_sizes(prefix, missing)?]);
    }
    Ok(engine.class_sizes_of_each(prefix, &columns, missing)?)
}

/// What a set must do in a sub-table.
pub(super) enum Condition<'a> {
    /// Reach the target itself.
    Reaches(MemoryEngine<'a>, Target),
    /// Make at least so many classes.
    Classes(MemoryEngine<'a>, f64),
    /// Tell at least so many pairs apart.
    Pairs(SeparatedPairs, f64),
}

impl Condition<'_> {
    #[expect(clippy::cast_precision_loss, reason = "a bound that leaves room")]
    /// Whether the prefix with each of these columns does it.
    pub(super) fn holds(
        &self,
        prefix: &ColumnSet,
        last: &[Option<ColumnId>],
        missing: MissingRule,
    ) -> Result<Vec<bool>> {
        let sizes = |engine: &MemoryEngine<'_>| sizes_of_each(engine, prefix, last, missing);
        Ok(match self {
            Self::Reaches(engine, target) => {
                sizes(engine)?.iter().map(|sizes| target.is_reached(sizes)).collect()
            }
            Self::Classes(engine, least) => sizes(engine)?
                .iter()
                .map(|sizes| sizes.classes().is_some_and(|classes| classes as f64 >= *least))
                .collect(),
            Self::Pairs(pairs, least) => last
                .iter()
                .map(|&last| pairs.separated(&prefix.iter().chain(last).collect()) as f64 >= *least)
                .collect(),
        })
    }
}
