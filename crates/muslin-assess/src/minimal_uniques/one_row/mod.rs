//! What singles one given row out, from one pass over the table.
//!
//! The search for all rows, for one of them: the row's agree sets with every other row, the maximal
//! ones of these, and the minimal sets that lie in none. The same pass tells how near the others are.

mod pass;
mod smallest;

use muslin_engine::{Coverage, Run};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule, RowId};

use self::pass::Pass;
use self::smallest::find;
use super::ranked::MOST_COLUMNS;
use super::scores::{Score, score_of};
use crate::mask::Mask;
use crate::{Error, Result};

/// Explains one row: its minimal uniques, its score, and the rows that are nearest to it.
///
/// # Guarantee
/// When the coverage is [`Coverage::Complete`], the list holds every itemset of at most `max_size`
/// items that this row alone matches, while other rows match each of its non-empty proper subsets;
/// and the score is the one that [`MinimalUniques`](super::MinimalUniques) gives the row, for a k of
/// one. When a limit stopped the search, what is listed is right. Counts of rows are always exact.
///
/// # Cost
/// One pass over the table; comparing the agree sets that differ with the maximal ones among them;
/// then the number of results. Memory follows the number of different agree sets.
///
/// # Example
/// ```
/// use muslin_assess::ExplainRow;
/// use muslin_engine::Run;
/// use muslin_table::{EncodedTable, RowId};
/// // Only the second row has a 1 in the first column.
/// let table = EncodedTable::of(&[[0, 5], [1, 5], [0, 5]]);
/// let found = ExplainRow::new().run(&table, RowId::new(1), &Run::new())?;
/// assert_eq!((found.total(), found.class_size()), (1, 1));
/// assert_eq!(found.uniques()[0].len(), 1);
/// // Both others differ in one column.
/// assert_eq!(found.differing()[1], 2);
/// # Ok::<(), muslin_assess::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExplainRow {
    max_size: Option<usize>,
    missing: MissingRule,
    score: Score,
    limit: usize,
    nearest: usize,
}

impl Default for ExplainRow {
    fn default() -> Self {
        Self::new()
    }
}

impl ExplainRow {
    /// Looks for minimal uniques of any size, a hundred thousand at most, and for five near rows.
    pub fn new() -> Self {
        Self {
            max_size: None,
            missing: MissingRule::default(),
            score: Score::default(),
            limit: 100_000,
            nearest: 5,
        }
    }

    /// Looks for itemsets of at most so many items; of any size when none.
    #[must_use]
    pub fn max_size(mut self, items: Option<usize>) -> Self {
        self.max_size = items;
        self
    }

    /// What a missing cell matches.
    #[must_use]
    pub fn missing(mut self, rule: MissingRule) -> Self {
        self.missing = rule;
        self
    }

    /// How the row is scored.
    #[must_use]
    pub fn score(mut self, score: Score) -> Self {
        self.score = score;
        self
    }

    /// Lists at most so many minimal uniques, the smallest ones; where there are more, the search
    /// is stopped.
    #[must_use]
    pub fn limit(mut self, uniques: usize) -> Self {
        self.limit = uniques;
        self
    }

    /// Names so many of the nearest rows.
    #[must_use]
    pub fn nearest(mut self, rows: usize) -> Self {
        self.nearest = rows;
        self
    }

    /// Compares `row` with all others.
    pub fn run(&self, table: &EncodedTable, row: RowId, run: &Run) -> Result<RowExplanation> {
        if self.max_size == Some(0) {
            return Err(Error::Setting("the largest size is 0\n  hint: pass 1 or more".into()));
        }
        let rows = table.rows();
        if row.index() >= rows {
            let hint = match rows {
                0 => "the table has no rows; check what was read".to_owned(),
                rows => format!("rows are counted from 0; pass one from 0 to {}", rows - 1),
            };
            return Err(Error::Setting(format!(
                "there is no row {}: the table has {rows} {}\n  hint: {hint}",
                row.index(),
                if rows == 1 { "row" } else { "rows" }
            )));
        }
        match table.columns().len() {
            0..=64 => self.explain::<1>(table, row.index(), run),
            65..=128 => self.explain::<2>(table, row.index(), run),
            129..=256 => self.explain::<4>(table, row.index(), run),
            257..=MOST_COLUMNS => self.explain::<16>(table, row.index(), run),
            columns => Err(Error::TooManyColumns { columns, most: MOST_COLUMNS }),
        }
    }

    fn explain<const W: usize>(
        &self,
        table: &EncodedTable,
        row: usize,
        run: &Run,
    ) -> Result<RowExplanation> {
        let columns = table.columns().len();
        let most = self.max_size.unwrap_or(columns).min(columns).max(1);
        let (weights, score_scale) = self.score.weights(columns, most);
        run.reporter().stage("comparing rows", None);
        let pass = Pass::<W>::over(table, row, self, run)?;
        run.reporter().stage("looking for minimal uniques", None);
        let edges = pass.edges(run)?;
        let found = find(&edges, most, self.limit, run)?;
        run.reporter().finish();

        let mut by_size = vec![0; weights.len()];
        let mut with_column = vec![0u64; columns];
        for set in &found.sets {
            by_size[set.len()] += 1;
            set.iter().for_each(|column| with_column[column] += 1);
        }
        let is_complete = found.coverage == Coverage::Complete;
        let class_size = pass.differing[0] + 1;
        let of_column = |column: usize| RowColumn {
            column: ColumnId::new(column),
            forms_item: pass.items.contains(column),
            matching: pass.matching[column],
            uniques: with_column[column],
            class_without: class_size + pass.only[column],
        };
        let nearest = pass
            .nearest
            .iter()
            .map(|&(row, differ)| NearRow { row: RowId::new(row), differing: set_of(differ) });
        Ok(RowExplanation {
            coverage: found.coverage,
            complete_to: if is_complete { most } else { found.complete_to },
            suda: is_complete.then(|| score_of(&by_size, &weights)),
            score_scale,
            by_size,
            uniques: found.sets.iter().map(|&set| set_of(set)).collect(),
            class_size,
            columns: (0..columns).map(of_column).collect(),
            nearest: nearest.collect(),
            differing: pass.differing,
        })
    }
}

/// What singles a row out.
#[derive(Clone, Debug, PartialEq)]
pub struct RowExplanation {
    coverage: Coverage,
    complete_to: usize,
    suda: Option<f64>,
    score_scale: i32,
    by_size: Vec<u64>,
    uniques: Vec<ColumnSet>,
    class_size: u64,
    columns: Vec<RowColumn>,
    differing: Vec<u64>,
    nearest: Vec<NearRow>,
}

/// A column, as a row sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowColumn {
    /// The column.
    pub column: ColumnId,
    /// Whether the row has an item here: a missing cell is none, unless missing is a value.
    pub forms_item: bool,
    /// Rows that match the row here, itself included.
    pub matching: u64,
    /// Minimal uniques of the row with this column, of those that were found.
    pub uniques: u64,
    /// Rows that match the row in all other columns, itself included.
    pub class_without: u64,
}

/// A row that is near to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearRow {
    /// The row.
    pub row: RowId,
    /// The columns in which they do not match.
    pub differing: ColumnSet,
}

impl RowExplanation {
    /// How far the search for minimal uniques got.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Minimal uniques of up to so many items are all found.
    pub fn complete_to(&self) -> usize {
        self.complete_to
    }

    /// Number of minimal uniques found.
    pub fn total(&self) -> u64 {
        self.uniques.len() as u64
    }

    /// Number of minimal uniques of each size, the sizes rising; those without any left out.
    pub fn by_size(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.by_size.iter().copied().enumerate().filter(|&(_, count)| count > 0)
    }

    /// The columns of each minimal unique, the smallest first, then by columns.
    pub fn uniques(&self) -> &[ColumnSet] {
        &self.uniques
    }

    /// The SUDA score; none where not all minimal uniques are known.
    pub fn suda(&self) -> Option<f64> {
        self.suda
    }

    /// The score is divided by ten to this power, so that those of very wide tables fit a number.
    pub fn score_scale(&self) -> i32 {
        self.score_scale
    }

    /// Rows that match the row in all columns, itself included.
    pub fn class_size(&self) -> u64 {
        self.class_size
    }

    /// Each column, as the row sees it.
    pub fn columns(&self) -> &[RowColumn] {
        &self.columns
    }

    /// Other rows by the number of columns in which they do not match, from zero to all.
    pub fn differing(&self) -> &[u64] {
        &self.differing
    }

    /// The nearest other rows: by the number of columns in which they do not match, then by number.
    pub fn nearest(&self) -> &[NearRow] {
        &self.nearest
    }
}

fn set_of<const W: usize>(columns: Mask<W>) -> ColumnSet {
    columns.iter().map(ColumnId::new).collect()
}
