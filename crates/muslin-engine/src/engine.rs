use muslin_table::{ClassDiversity, ClassSizes, ColumnId, ColumnSet, EncodedTable, MissingRule};

use crate::{Error, Fault, Result, Seed};

/// Rows and columns of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of rows.
    pub rows: u64,
    /// Number of columns.
    pub columns: usize,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnCounts {
    /// Distinct values, missing not counted.
    pub distinct: u64,
    /// Missing cells.
    pub missing: u64,
}

/// An error where a question about minimal uniques cannot be answered by counts.
pub fn check_uniques(set: &ColumnSet, missing: MissingRule) -> Result<()> {
    if !set.is_empty() && missing != MissingRule::Wildcard {
        return Ok(());
    }
    Err(Error::Elsewhere {
        fault: Fault::Question,
        reason: "counts tell of minimal uniques of some columns, where missing cells do not match anything".into(),
        hint: "pass another `--missing`".into(),
    })
}

/// The questions an algorithm may ask of a table; every engine gives the same answers.
pub trait Engine: Send + Sync {
    /// Rows and columns.
    fn shape(&self) -> Result<Shape>;

    /// What each column holds, in their order.
    fn column_counts(&self) -> Result<Vec<ColumnCounts>>;

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

    /// Sizes of the classes that each of `sets` makes: what [`Engine::class_sizes`] answers, asked once for
    /// all. An engine that can answer them together does.
    fn class_sizes_of_sets(
        &self,
        sets: &[ColumnSet],
        missing: MissingRule,
    ) -> Result<Vec<ClassSizes>> {
        sets.iter().map(|set| self.class_sizes(set, missing)).collect()
    }

    /// Diversity of `sensitive` in each class that `by` makes. Missing cells of `by` and of
    /// `sensitive` are values of their own.
    fn class_diversity(&self, by: &ColumnSet, sensitive: ColumnId) -> Result<ClassDiversity>;

    /// Minimal uniques of exactly these columns: how many itemsets at most `k` rows hold, while more than `k`
    /// hold each of its non-empty proper subsets. Not asked where missing cells match anything.
    fn minimal_uniques_of(&self, set: &ColumnSet, k: u32, missing: MissingRule) -> Result<u64>;

    /// A uniform sample without replacement that seed and row ids alone decide: the `rows` rows
    /// with the smallest [`Seed::draw`], in row order. All rows when there are no more.
    fn sample(&self, rows: u64, seed: Seed) -> Result<EncodedTable>;

    /// The whole of `columns` in memory, or an error when it does not fit.
    fn collect(&self, columns: &ColumnSet) -> Result<EncodedTable>;
}
