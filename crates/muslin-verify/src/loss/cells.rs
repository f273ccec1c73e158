//! Measures of single cells: what was taken out, and how coarse the rest is.
//!
//! The cells of a column are those of the release and one for each row that was removed; a removed
//! row's cells and those of a column that is withheld count as suppressed. With d values in the
//! column:
//!
//! ```text
//! NCP            numbers, days, times: (hi - lo) / (max - min), of the smallest and the largest value
//!                that the cell may stand for; others: (covered - 1) / (d - 1); suppressed: 1
//! by values      (covered - 1) / (d - 1) in every column; suppressed: 1
//! by leaves      (leaves - 1) / (all leaves - 1), leaves of the hierarchy below the label (Iyengar's
//!                LM, the Loss of ARX); suppressed: 1
//! entropy        -log2 (freq(v) / freq(covered)) bits: see below
//! ```
//!
//! A value and a missing cell lose nothing. Where the denominator is 0, so is the loss. GCP is the
//! mean over all cells.
//!
//! Non-uniform entropy asks for each row which value v its cell stands for. Rows of a release are in
//! no order, so the expectation over the values covered is taken: v comes as often as in the
//! original's column, or, where the cell has counts, as these say. That is the entropy of the
//! covered values. A suppressed cell loses the entropy of the whole column, missing included.

use muslin_table::{Column, ColumnId, EncodedTable};

use super::reading::{ColumnReading, Cover, Reading};
use super::spread::float;

/// What was taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suppression {
    cells: u64,
    suppressed: u64,
    rows_touched: u64,
    rows_removed: u64,
    rows_added: u64,
    columns_withheld: u64,
}

impl Suppression {
    pub(super) fn new(original: &EncodedTable, release: &EncodedTable, reading: &Reading) -> Self {
        let mut touched = vec![false; release.rows()];
        let (mut columns, mut suppressed) = (0, 0);
        for read in &reading.columns {
            let Some(id) = read.release else { continue };
            columns += 1;
            let here = read.suppressed();
            suppressed += here;
            if here > 0 {
                let is_any: Vec<bool> = read.covers.iter().map(|c| *c == Cover::Any).collect();
                let slots = release.column(id).codes().slots();
                touched.iter_mut().zip(slots).for_each(|(row, slot)| *row |= is_any[slot as usize]);
            }
        }
        let (before, after) = (original.rows() as u64, release.rows() as u64);
        Self {
            cells: columns * after,
            suppressed,
            rows_touched: touched.iter().filter(|&&row| row).count() as u64,
            rows_removed: before.saturating_sub(after),
            rows_added: after.saturating_sub(before),
            columns_withheld: reading.withheld().count() as u64,
        }
    }

    /// Cells of the release in columns that the original has.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Cells among them that are suppressed.
    pub fn suppressed(&self) -> u64 {
        self.suppressed
    }

    /// Suppressed cells, of all cells of the release; 0 where there are none.
    pub fn share(&self) -> f64 {
        share(float(self.suppressed), float(self.cells))
    }

    /// Rows of the release with a suppressed cell.
    pub fn rows_touched(&self) -> u64 {
        self.rows_touched
    }

    /// Rows of the original less rows of the release.
    pub fn rows_removed(&self) -> u64 {
        self.rows_removed
    }

    /// Rows that the release has more than the original.
    pub fn rows_added(&self) -> u64 {
        self.rows_added
    }

    /// Columns of the original that the release lacks.
    pub fn columns_withheld(&self) -> u64 {
        self.columns_withheld
    }
}

/// What the cells of one column lose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnLoss {
    column: ColumnId,
    is_withheld: bool,
    cells: u64,
    suppressed: u64,
    generalized: u64,
    ncp: f64,
    by_values: f64,
    by_leaves: Option<f64>,
    bits: f64,
    most_bits: f64,
}

impl ColumnLoss {
    pub(super) fn new(original: &EncodedTable, at: usize, reading: &Reading) -> Self {
        let (column, read) = (&original.columns()[at], &reading.columns[at]);
        let released = reading.release_rows as u64;
        let removed = (reading.original_rows as u64).saturating_sub(released);
        let scale = Scale::new(column);
        let mut loss = Self {
            column: ColumnId::new(at),
            is_withheld: read.release.is_none(),
            cells: released + removed,
            suppressed: if read.release.is_some() { read.suppressed() } else { 0 },
            generalized: 0,
            ncp: float(removed),
            by_values: float(removed),
            by_leaves: read.leaf_loss.as_ref().map(|_| float(removed)),
            bits: float(removed) * scale.entropy,
            most_bits: float(released + removed) * scale.entropy,
        };
        for (slot, (cover, &cells)) in read.covers.iter().zip(&read.cells).enumerate() {
            let kept = if slot + 2 == read.covers.len() { read.missing_before } else { 0 };
            let cells = cells - kept;
            if cells == 0 {
                continue;
            }
            loss.generalized += if cover.is_generalized() { cells } else { 0 };
            loss.ncp += float(cells) * scale.ncp(cover);
            loss.by_values += float(cells) * scale.by_values(cover);
            loss.bits += float(cells) * scale.bits(cover);
            let leaves = read.leaf_loss.as_ref().and_then(|losses| losses[slot]);
            loss.by_leaves = loss.by_leaves.zip(leaves).map(|(sum, one)| sum + float(cells) * one);
        }
        loss
    }

    /// The column, of the original.
    pub fn column(&self) -> ColumnId {
        self.column
    }

    /// Whether the release lacks the column.
    pub fn is_withheld(&self) -> bool {
        self.is_withheld
    }

    /// Cells of the release and one for each row that was removed.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Cells of the release that are suppressed; none where the column is withheld.
    pub fn suppressed(&self) -> u64 {
        self.suppressed
    }

    /// Cells of the release that stand for more than one value and yet not for anything.
    pub fn generalized(&self) -> u64 {
        self.generalized
    }

    /// The mean NCP of the cells.
    pub fn ncp(&self) -> f64 {
        share(self.ncp, float(self.cells))
    }

    /// The mean of (covered values - 1) / (values - 1).
    pub fn by_values(&self) -> f64 {
        share(self.by_values, float(self.cells))
    }

    /// The mean of (leaves - 1) / (all leaves - 1). Nothing for a column without a hierarchy or with
    /// labels that its hierarchy does not know.
    pub fn by_leaves(&self) -> Option<f64> {
        self.by_leaves.map(|sum| share(sum, float(self.cells)))
    }

    /// Non-uniform entropy of the cells together, in bits.
    pub fn bits(&self) -> f64 {
        self.bits
    }

    /// These bits, of those lost where every cell is suppressed; 0 where that is none.
    pub fn bits_share(&self) -> f64 {
        share(self.bits, self.most_bits)
    }
}

/// The cells of several columns together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellLoss {
    gcp: f64,
    by_values: f64,
    by_leaves: Option<f64>,
    bits: f64,
    bits_share: f64,
}

impl CellLoss {
    pub(super) fn of(columns: &[&ColumnLoss]) -> Self {
        let cells = float(columns.iter().map(|column| column.cells).sum());
        let sum =
            |of: fn(&ColumnLoss) -> f64| columns.iter().fold(0.0, |sum, column| sum + of(column));
        let leaves: Option<f64> = columns.iter().map(|column| column.by_leaves).sum();
        Self {
            gcp: share(sum(|column| column.ncp), cells),
            by_values: share(sum(|column| column.by_values), cells),
            by_leaves: leaves.filter(|_| !columns.is_empty()).map(|l| share(l, cells)),
            bits: sum(|column| column.bits),
            bits_share: share(sum(|column| column.bits), sum(|column| column.most_bits)),
        }
    }

    /// GCP: the mean NCP, with numbers, days and times by their distance.
    pub fn gcp(&self) -> f64 {
        self.gcp
    }

    /// GCP by covered values: the mean of (covered values - 1) / (values - 1).
    pub fn by_values(&self) -> f64 {
        self.by_values
    }

    /// Loss by leaves of the hierarchies; nothing unless each column has it.
    pub fn by_leaves(&self) -> Option<f64> {
        self.by_leaves
    }

    /// Non-uniform entropy in bits.
    pub fn bits(&self) -> f64 {
        self.bits
    }

    /// These bits, of those lost where every cell is suppressed.
    pub fn bits_share(&self) -> f64 {
        self.bits_share
    }
}

impl ColumnReading {
    /// Cells that are suppressed.
    fn suppressed(&self) -> u64 {
        let cells = self.covers.iter().zip(&self.cells);
        let any: u64 =
            cells.filter(|(cover, _)| **cover == Cover::Any).map(|(_, cells)| cells).sum();
        any - self.missing_before
    }
}

/// What cells of a column are measured against.
struct Scale {
    numbers: Option<Vec<f64>>,
    span: f64,
    values: f64,
    rows: Vec<u64>,
    /// Sums of rows, and of rows times their binary logarithm, below each position.
    rows_below: Vec<u64>,
    logs_below: Vec<f64>,
    entropy: f64,
}

impl Scale {
    fn new(column: &Column) -> Self {
        let mut rows = vec![0u64; column.slots()];
        column.codes().slots().for_each(|slot| rows[slot as usize] += 1);
        let (mut rows_below, mut logs_below) = (vec![0], vec![0.0]);
        for &rows in &rows {
            rows_below.push(rows_below[rows_below.len() - 1] + rows);
            logs_below.push(logs_below[logs_below.len() - 1] + times_log(float(rows)));
        }
        let numbers = column.dictionary().numbers();
        let finite = || numbers.iter().flatten().copied().filter(|number| number.is_finite());
        let span =
            finite().fold(f64::NEG_INFINITY, f64::max) - finite().fold(f64::INFINITY, f64::min);
        let entropy = entropy(float(column.rows() as u64), logs_below[column.slots()]);
        let values = float(column.dictionary().len() as u64);
        Self { numbers, span, values, rows, rows_below, logs_below, entropy }
    }

    fn ncp(&self, cover: &Cover) -> f64 {
        match (&self.numbers, cover.ends()) {
            (Some(numbers), Some((first, last))) => {
                let width = numbers[last as usize] - numbers[first as usize];
                // A range that goes to infinity is all there is.
                match share(width, self.span) {
                    part if part.is_finite() => part.clamp(0.0, 1.0),
                    _ => 1.0,
                }
            }
            _ => self.by_values(cover),
        }
    }

    fn by_values(&self, cover: &Cover) -> f64 {
        cover.len().map_or(1.0, |covered| {
            share(float(covered.saturating_sub(1) as u64), self.values - 1.0)
        })
    }

    fn bits(&self, cover: &Cover) -> f64 {
        match cover {
            Cover::Exact(_) | Cover::Missing => 0.0,
            Cover::Range { first, last } => {
                let (first, end) = (*first as usize, *last as usize + 1);
                let rows = self.rows_below[end] - self.rows_below[first];
                entropy(float(rows), self.logs_below[end] - self.logs_below[first])
            }
            Cover::Set(values) => {
                let rows = || values.iter().map(|&value| float(self.rows[value as usize]));
                entropy(rows().sum(), rows().map(times_log).sum())
            }
            Cover::Multiset(values) => {
                let counts = || values.iter().map(|&(_, count)| f64::from(count));
                entropy(counts().sum(), counts().map(times_log).sum())
            }
            Cover::Any => self.entropy,
        }
    }
}

fn times_log(count: f64) -> f64 {
    if count > 0.0 { count * count.log2() } else { 0.0 }
}

/// The entropy of counts, from their sum and the sum of each times its logarithm.
fn entropy(sum: f64, logs: f64) -> f64 {
    if sum > 0.0 { (sum.log2() - logs / sum).max(0.0) } else { 0.0 }
}

/// A part of a whole; 0 where there is no whole.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
