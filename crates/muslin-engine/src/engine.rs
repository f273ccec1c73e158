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

    /// Diversity of `sensitive` in each class that `by` makes. Missing cells of `by` and of
    /// `sensitive` are values of their own.
    fn class_diversity(&self, by: &ColumnSet, sensitive: ColumnId) -> Result<ClassDiversity>;

    /// A uniform sample without replacement that seed and row ids alone decide: the `rows` rows
    /// with the smallest [`Seed::draw`], in row order. All rows when there are no more.
    fn sample(&self, rows: u64, seed: Seed) -> Result<EncodedTable>;

    /// The whole of `columns` in memory, or an error when it does not fit.
    fn collect(&self, columns: &ColumnSet) -> Result<EncodedTable>;
}
