//! What a search found.

use muslin_engine::{Coverage, Engine, MemoryEngine, Run};
use muslin_table::{Code, ColumnId, ColumnSet, EncodedTable, MissingRule};

use super::plan::Method;
use super::ranked::Ranked;
use super::scores::{Dis, Score};
use super::tally::{Counted, SmallSets};
use crate::Result;

/// What was asked and how it went.
pub(super) struct Asked {
    pub(super) k: u32,
    pub(super) most: usize,
    pub(super) coverage: Coverage,
    pub(super) method: Method,
    pub(super) weights: Vec<f64>,
    pub(super) scale: i32,
    pub(super) score: Score,
    pub(super) missing: MissingRule,
}

/// Minimal uniques, counted, and the rows scored by them.
#[derive(Clone, Debug)]
pub struct UniquesFound {
    coverage: Coverage,
    method: Method,
    k: u32,
    max_size: usize,
    score: Score,
    score_scale: i32,
    by_size: Vec<u64>,
    distinct_of: Vec<u32>,
    uniques: Vec<u64>,
    scores: Vec<f64>,
    smallest: Vec<u16>,
    parts: Vec<f64>,
    alone: u64,
    paired: u64,
    columns: Vec<ColumnShare>,
    values: Vec<ValueShare>,
    sets: Vec<(ColumnSet, u64)>,
}

/// What a row holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowUniques {
    /// Number of minimal uniques.
    pub uniques: u64,
    /// Items of the smallest; zero when there is none.
    pub smallest: u16,
    /// The SUDA score.
    pub suda: f64,
}

/// A column's part in all scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnShare {
    /// The column.
    pub column: ColumnId,
    /// Minimal uniques with an item of the column, once for each row that holds one.
    pub uniques: u64,
    /// What they add to all rows' scores, of all that is added. Shares of columns sum to more than
    /// one, as a minimal unique has several columns.
    pub share: f64,
}

/// A value's part in its column's part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueShare {
    /// The column.
    pub column: ColumnId,
    /// The value's code.
    pub code: Code,
    /// Minimal uniques with this item, once for each row that holds one.
    pub uniques: u64,
    /// What they add to all rows' scores, of what the column's items add. Shares sum to one within
    /// a column, together with those of values that are minimal uniques by themselves.
    pub share: f64,
}

/// Rows that no other row matches on all columns, and rows that exactly one other row matches, by the
/// rule for missing cells.
fn alone_and_paired(
    table: &EncodedTable,
    ranked: &Ranked,
    missing: MissingRule,
) -> Result<(u64, u64)> {
    let has_missing = table.columns().iter().any(|column| column.missing() > 0);
    if missing == MissingRule::Category || !has_missing {
        // Rows that look alike were counted when they were ranked.
        let rows_of = |weight: u32| ranked.weight.iter().filter(|w| **w == weight).count() as u64;
        return Ok((rows_of(1), 2 * rows_of(2)));
    }
    // Whatever limit ended the search, its figures are of all rows.
    let run = Run::new();
    let sizes = MemoryEngine::new(table, &run).class_sizes(&table.all_columns(), missing)?;
    let rows_of = |size: u64| {
        sizes.counts().iter().find(|count| count.size == size).map_or(0, |count| count.rows)
    };
    Ok((rows_of(1), rows_of(2)))
}

impl UniquesFound {
    pub(super) fn new(
        table: &EncodedTable,
        ranked: Ranked,
        counted: Counted,
        small: &SmallSets,
        asked: Asked,
    ) -> Result<Self> {
        let Asked { k, most, coverage, method, weights, scale, score, missing } = asked;
        let (alone, paired) = alone_and_paired(table, &ranked, missing)?;
        let score_of = |counts: &[u64]| -> f64 {
            counts.iter().zip(&weights).map(|(&c, w)| real(c) * w).sum()
        };

        // Rows of a column whose value is a minimal unique by itself.
        let mut single_rows = vec![0u64; ranked.columns];
        let mut single_values: Vec<(usize, Code, u64)> = Vec::new();
        ranked.each_single(table, |column, code, rows| {
            single_rows[column] += rows;
            single_values.push((column, code, rows));
        });
        let mut of_column = vec![(0u64, 0f64); ranked.columns];
        let mut values = Vec::new();
        let sizes = weights.len();
        for (rank, counts) in counted.items.chunks_exact(sizes).enumerate() {
            let uniques = counts.iter().sum();
            if uniques > 0 {
                let column = ranked.column_of[rank] as usize;
                let share = score_of(counts);
                of_column[column].0 += uniques;
                of_column[column].1 += share;
                let code = table.columns()[column].code_of_slot(ranked.slot_of[rank]);
                values.push(ValueShare { column: ColumnId::new(column), code, uniques, share });
            }
        }
        for (column, code, rows) in single_values {
            let share = real(rows) * weights[1];
            of_column[column].0 += rows;
            of_column[column].1 += share;
            values.push(ValueShare { column: ColumnId::new(column), code, uniques: rows, share });
        }
        let weighed = counted.scores.iter().zip(&ranked.weight);
        let all: f64 = weighed.map(|(score, &rows)| score * f64::from(rows)).sum();
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        for value in &mut values {
            value.share = share(value.share, of_column[value.column.index()].1);
        }
        values.sort_unstable_by_key(|value| (value.column, value.code));
        let columns = of_column.iter().enumerate().map(|(column, &(uniques, score))| ColumnShare {
            column: ColumnId::new(column),
            uniques,
            share: share(score, all),
        });
        let mut sets: Vec<(ColumnSet, u64)> = small
            .counts()
            .into_iter()
            .map(|(set, count)| (set.into_iter().map(ColumnId::new).collect(), count))
            .collect();
        for (column, &items) in
            ranked.single_items.iter().enumerate().filter(|(_, items)| **items > 0)
        {
            sets.push((std::iter::once(ColumnId::new(column)).collect(), items));
        }
        sets.sort_unstable_by(|(a, more), (b, fewer)| fewer.cmp(more).then_with(|| a.cmp(b)));
        sets.truncate(MOST_SETS);
        Ok(Self {
            coverage,
            method,
            k,
            max_size: most,
            score,
            score_scale: scale,
            by_size: counted.by_size,
            columns: columns.collect(),
            distinct_of: ranked.distinct_of,
            uniques: counted.uniques,
            scores: counted.scores,
            smallest: counted.smallest,
            parts: counted.parts,
            alone,
            paired,
            values,
            sets,
        })
    }

    /// How far the search got.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// The way it went.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Most rows that hold a minimal unique.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// Largest size looked for.
    pub fn max_size(&self) -> usize {
        self.max_size
    }

    /// Number of minimal uniques.
    pub fn total(&self) -> u64 {
        self.by_size.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// Number of minimal uniques of each size, the sizes rising; those without any left out.
    pub fn by_size(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.by_size.iter().copied().enumerate().filter(|&(_, count)| count > 0)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.distinct_of.len()
    }

    /// What a row holds.
    pub fn row(&self, row: usize) -> RowUniques {
        let distinct = self.distinct_of[row] as usize;
        RowUniques {
            uniques: self.uniques[distinct],
            smallest: self.smallest[distinct],
            suda: self.scores[distinct],
        }
    }

    /// What each column adds to a row's score, of that score, if that was asked for. Sums to more
    /// than one, as a minimal unique has several columns; all zero for a row without any.
    pub fn contributions(&self, row: usize) -> Option<impl Iterator<Item = f64> + '_> {
        let distinct = self.distinct_of[row] as usize;
        let columns = self.columns.len();
        let parts = self.parts.get(distinct * columns..(distinct + 1) * columns);
        let parts = parts.filter(|parts| !parts.is_empty())?;
        let score = self.scores[distinct];
        Some(parts.iter().map(move |part| if score > 0.0 { part / score } else { 0.0 }))
    }

    /// Number of rows whose smallest minimal unique has at most so many items.
    pub fn rows_within(&self, size: usize) -> u64 {
        let within =
            |&&distinct: &&u32| (1..=size).contains(&(self.smallest[distinct as usize] as usize));
        self.distinct_of.iter().filter(within).count() as u64
    }

    /// Number of rows that hold a minimal unique.
    pub fn rows_with_uniques(&self) -> u64 {
        self.rows_within(usize::MAX)
    }

    /// How scores were made.
    pub fn score(&self) -> Score {
        self.score
    }

    /// Scores are divided by ten to this power, so that those of very wide tables fit a number.
    pub fn score_scale(&self) -> i32 {
        self.score_scale
    }

    /// DIS for a table that holds this fraction of the population.
    pub fn dis(&self, fraction: f64) -> Dis {
        let scores = self.distinct_of.iter().map(|&distinct| (self.scores[distinct as usize], 1));
        Dis::new(fraction, self.columns.len(), self.alone, self.paired, scores)
    }

    /// A row's DIS-SUDA score.
    pub fn dis_suda(&self, row: usize, dis: &Dis) -> f64 {
        dis.of(self.row(row).suda)
    }

    /// Each column's part in all scores.
    pub fn columns(&self) -> &[ColumnShare] {
        &self.columns
    }

    /// Each value's part in its column's part, by column and code; values without any left out.
    pub fn values(&self) -> &[ValueShare] {
        &self.values
    }

    /// The sets of up to three columns (two in tables of more than 128) with the most minimal
    /// uniques, the most first; a hundred at most.
    pub fn column_sets(&self) -> &[(ColumnSet, u64)] {
        &self.sets
    }
}

/// Column sets that a result names.
const MOST_SETS: usize = 100;

#[expect(clippy::cast_precision_loss, reason = "counts in a score, which is a rounded number")]
fn real(count: u64) -> f64 {
    count as f64
}
