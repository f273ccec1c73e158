//! What a search for minimal uniques says, in a form that every door shows.

use std::collections::BTreeMap;

use muslin_assess::{Dis, Interval, Method, Score, UniquesFound};
use muslin_engine::Coverage;
use muslin_table::{EncodedTable, MissingRule};
use serde::Serialize;

use crate::input::InputReport;
use crate::scan::share;

/// What a search for minimal uniques found. Rows are named by their numbers, from zero; no value
/// of a cell is here.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UniquesReport {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `uniques`.
    pub command: String,
    /// How far the search got. When stopped, all figures are of what was found until then.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// What was read.
    pub input: InputReport,
    /// Number of rows looked at.
    pub rows: u64,
    /// Rows left out because an earlier row equals them; none unless that was asked for.
    pub duplicates_dropped: Option<u64>,
    /// Number of columns looked at.
    pub columns: u64,
    /// Their names, in the input's order.
    pub column_names: Vec<String>,
    /// Columns that were read and not looked at, because of their roles.
    pub left_out: Vec<String>,
    /// What a missing cell matches.
    pub missing_rule: MissingRule,
    /// Most rows that hold a minimal unique.
    pub k: u32,
    /// Largest size looked for; none for any.
    pub max_size: Option<usize>,
    /// The way the search went; the answer does not depend on it.
    pub method: Method,
    /// Number of minimal uniques.
    pub total: u64,
    /// Number of minimal uniques of each size.
    pub by_size: BTreeMap<usize, u64>,
    /// Rows that hold a minimal unique; none where only counts were asked for.
    pub rows_with_uniques: Option<u64>,
    /// Rows by the size of their smallest minimal unique: up to 1, 2 and 3 items.
    pub rows_by_smallest: Vec<SmallestReport>,
    /// How rows are scored.
    pub score: ScoreReport,
    /// What is known about the whole file.
    pub dis: DisReport,
    /// Each column's part in all scores, the largest first.
    pub column_shares: Vec<ColumnShareReport>,
    /// The sets of up to three columns with the most minimal uniques, the most first; 20 at most.
    pub sets: Vec<ColumnSetReport>,
    /// The rows with the highest scores.
    pub top_rows: Vec<RowReport>,
    /// Where the table is that was asked for; none where it was not, or could not be right.
    pub written: Option<String>,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
}

/// Rows whose smallest minimal unique has at most some size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SmallestReport {
    /// The size.
    pub size: usize,
    /// Rows.
    pub rows: u64,
    /// Their share of all rows looked at.
    pub share: f64,
}

/// How rows are scored.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScoreReport {
    /// The variant.
    pub variant: Score,
    /// What a minimal unique adds to its row's score.
    pub formula: String,
    /// Scores are divided by ten to this power.
    pub scale: i32,
}

/// How likely a match with the file is a correct one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DisReport {
    /// The part of the population that is taken to be in the table.
    pub fraction: f64,
    /// Rows that no other row matches, by the rule for missing cells.
    pub alone: u64,
    /// Rows that exactly one other row matches.
    pub paired: u64,
    /// How likely a match with a row that nobody equals is correct; none when there are no such
    /// rows and no pairs.
    pub theta: Option<f64>,
}

/// A column's part in all scores.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ColumnShareReport {
    /// The column.
    pub name: String,
    /// Minimal uniques with the column, once for each row that holds one.
    pub uniques: u64,
    /// What they add to all scores, of all that is added. Shares sum to more than one, as a
    /// minimal unique has several columns.
    pub share: f64,
}

/// A set of columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ColumnSetReport {
    /// The columns.
    pub columns: Vec<String>,
    /// Minimal uniques in exactly these columns.
    pub uniques: u64,
}

/// A row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RowReport {
    /// Its number in the input, from zero.
    pub row: u32,
    /// Its SUDA score.
    pub suda: f64,
    /// Its DIS-SUDA score.
    pub dis_suda: f64,
    /// Number of its minimal uniques.
    pub uniques: u64,
    /// Items of the smallest.
    pub smallest: u16,
}

/// What a search would take.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UniquesEstimate {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `uniques`.
    pub command: String,
    /// Rows that were searched to find out.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// What was read.
    pub input: InputReport,
    /// Number of rows.
    pub rows: u64,
    /// Number of columns.
    pub columns: u64,
    /// What a missing cell matches.
    pub missing_rule: MissingRule,
    /// Most rows that hold a minimal unique.
    pub k: u32,
    /// Largest size looked for; none for any.
    pub max_size: Option<usize>,
    /// The way the search would go.
    pub method: Method,
    /// Threads that the time is for.
    pub threads: usize,
    /// Number of minimal uniques.
    pub total: IntervalReport,
    /// Seconds.
    pub seconds: IntervalReport,
    /// Bytes of memory.
    pub memory: IntervalReport,
}

/// A guess, and bounds that hold mostly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IntervalReport {
    /// The lower bound.
    pub low: f64,
    /// The guess.
    pub likely: f64,
    /// The upper bound.
    pub high: f64,
}

impl From<Interval> for IntervalReport {
    fn from(Interval { low, likely, high, .. }: Interval) -> Self {
        Self { low, likely, high }
    }
}

impl From<&Dis> for DisReport {
    fn from(dis: &Dis) -> Self {
        let Dis { fraction, alone, paired, theta, .. } = *dis;
        Self { fraction, alone, paired, theta }
    }
}

impl ScoreReport {
    /// Of a search for sets of at most `max_size` items in so many columns.
    pub(crate) fn new(variant: Score, scale: i32, columns: usize, max_size: Option<usize>) -> Self {
        // A bound from the number of columns on is none.
        let max_size = max_size.filter(|&size| size + 1 < columns);
        let formula = match (variant, max_size) {
            (Score::Original, Some(size)) => {
                format!("the product of (columns - i) for i from its size to {size}")
            }
            (Score::Original, None) | (Score::Sdcmicro, _) => "(columns - size)!".into(),
            (Score::Ihsn, _) => {
                "(2^(columns - size) - 1) * size! * (columns - size)! / columns!".into()
            }
        };
        Self { variant, formula, scale }
    }
}

/// Column sets that a report names.
const SETS: usize = 20;
/// Sizes whose rows a report counts.
const SMALL: [usize; 3] = [1, 2, 3];

pub(super) fn rows_by_smallest(found: &UniquesFound) -> Vec<SmallestReport> {
    let of_size = |size| {
        let rows = found.rows_within(size);
        SmallestReport { size, rows, share: share(rows, found.rows() as u64) }
    };
    SMALL.map(of_size).to_vec()
}

pub(crate) fn column_shares(found: &UniquesFound, table: &EncodedTable) -> Vec<ColumnShareReport> {
    let mut shares = found.columns().to_vec();
    shares.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.column.cmp(&b.column)));
    let report = |share: &muslin_assess::ColumnShare| ColumnShareReport {
        name: table.column(share.column).name().to_owned(),
        uniques: share.uniques,
        share: share.share,
    };
    shares.iter().map(report).collect()
}

pub(super) fn sets(found: &UniquesFound, table: &EncodedTable) -> Vec<ColumnSetReport> {
    let report = |(set, uniques): &(muslin_table::ColumnSet, u64)| ColumnSetReport {
        columns: set.iter().map(|id| table.column(id).name().to_owned()).collect(),
        uniques: *uniques,
    };
    found.column_sets().iter().take(SETS).map(report).collect()
}
