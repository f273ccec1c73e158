use muslin_table::{ClassDiversity, ClassSizes, ColumnId, ColumnSet, EncodedTable, MissingRule};

use crate::{Result, Seed};

/// Rows and columns of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of rows.
    pub rows: u64,
    /// Number of columns.
    pub columns: usize,
}

/// The questions an algorithm may ask of a table; every engine gives the same answers.
pub trait Engine: Send + Sync {
    /// Rows and columns.
    fn shape(&self) -> Result<Shape>;

    /// Sizes of the classes that `by` makes, missing cells matching by `missing`.
    fn class_sizes(&self, by: &ColumnSet, missing: MissingRule) -> Result<ClassSizes>;

    /// For each of `more`, sizes of the classes that `by` and that column make together: what
    /// [`Engine::class_sizes`] answers, asked once for all (ADR 8). An engine that can answer them
    /// together does.
    fn class_sizes_of_each(
        &self,
        by: &ColumnSet,
        more: &[ColumnId],
        missing: MissingRule,
    ) -> Result<Vec<ClassSizes>> {
        let with = |&column: &ColumnId| {
            let mut set = by.clone();
            set.insert(column);
            self.class_sizes(&set, missing)
        };
        more.iter().map(with).collect()
    }

    /// Diversity of `sensitive` in each class that `by` makes. Missing cells of `by` and of
    /// `sensitive` are values of their own.
    fn class_diversity(&self, by: &ColumnSet, sensitive: ColumnId) -> Result<ClassDiversity>;

    /// A uniform sample without replacement that seed and row ids alone decide: the `rows` rows
    /// with the smallest [`Seed::draw`], in row order. All rows when there are no more.
    fn sample(&self, rows: u64, seed: Seed) -> Result<EncodedTable>;

    /// The whole of `columns` in memory, or an error when it does not fit.
    fn collect(&self, columns: &ColumnSet) -> Result<EncodedTable>;
}
