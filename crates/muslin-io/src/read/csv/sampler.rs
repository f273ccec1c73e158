//! Fields of the rows that may be in the sample.
//!
//! # Cost
//! A row costs a draw and a comparison; only those below the limit are copied. Memory grows with
//! the candidates, never with the rows.

use muslin_engine::Run;
use muslin_table::EncodedTable;
use rayon::prelude::*;

use super::cells::{finish, new_problem, value_of};
use super::cut::Fields;
use super::tokens::Tokens;
use super::{Layout, TakeRows};
use crate::encode::BytesEncoder;
use crate::read::sample::{Candidates, Drawn};
use crate::{Place, Result};

/// Draws a sample of the rows of a text.
pub(super) struct Sampler<'a> {
    candidates: Candidates<'a>,
    cells: Cells,
}

impl<'a> Sampler<'a> {
    pub(super) fn new(candidates: Candidates<'a>, columns: usize) -> Self {
        Self { candidates, cells: Cells::new(columns) }
    }

    fn memory(&self) -> u64 {
        self.candidates.memory() + self.cells.memory()
    }

    /// Encodes the sample of all `rows` rows.
    ///
    /// Types are found out from the sampled values, and fewer values may suggest a narrower type
    /// than all of them do. A type that is found out tells all spellings apart, so the sample sees
    /// the differences that the whole table has, and no others.
    pub(super) fn finish(mut self, rows: u64, layout: &Layout<'_>) -> Result<EncodedTable> {
        if let Some(kept) = self.candidates.finish(rows)? {
            self.cells.retain(&kept);
        }
        let Self { candidates, cells } = self;
        let rows: Vec<u64> = candidates.rows().collect();
        drop(candidates);
        let encoders: Vec<Result<BytesEncoder>> = (0..cells.columns)
            .into_par_iter()
            .with_max_len(1)
            .map(|column| encode(&cells, column, &rows, layout))
            .collect();
        drop(cells);
        // In order: the error is the first column's, whichever thread is faster.
        let encoders: Vec<BytesEncoder> = encoders.into_iter().collect::<Result<_>>()?;
        let row_of = |row| usize::try_from(row).ok().and_then(|at| rows.get(at)).copied();
        finish(encoders, rows.len(), layout, &|row| row_of(row).unwrap_or(row))
    }
}

/// Encodes one column of the candidates.
fn encode(cells: &Cells, column: usize, rows: &[u64], layout: &Layout<'_>) -> Result<BytesEncoder> {
    const BATCH_ROWS: usize = 1 << 14;
    let mut encoder = BytesEncoder::new(&layout.options.null);
    for (rows, first) in rows.chunks(BATCH_ROWS).zip((0..).step_by(BATCH_ROWS)) {
        let known = encoder.distinct();
        let values: Vec<&[u8]> =
            (first..).take(rows.len()).map(|r| cells.cell(r, column)).collect();
        let mut numbers = Vec::with_capacity(rows.len());
        encoder.number_all(&values, &mut numbers);
        if let Some((at, problem)) = new_problem(&encoder, known, &numbers) {
            let here = Place::clone(layout.place).row(rows[at]);
            return Err(here.column(layout.chosen.name(column)).error(problem));
        }
        encoder.end_batch(&numbers);
    }
    Ok(encoder)
}

impl TakeRows for Sampler<'_> {
    /// Draws for the rows of every piece in parallel, and copies the cells of those that stay.
    fn take(&mut self, fields: &Fields, layout: &Layout<'_>) -> Result<()> {
        let rows = fields.rows_of_pieces();
        let hits: Vec<Vec<Drawn>> =
            rows.par_iter().map(|rows| self.candidates.hits(rows.clone())).collect();
        let old = self.candidates.len();
        let all_hits = hits.iter().flatten().copied();
        let kept = self.candidates.admit(all_hits, fields.next_row())?;
        if let Some(kept) = &kept {
            self.cells.retain(&kept[..old]);
        }
        let mut new = old..;
        for ((piece, rows), hits) in fields.pieces.iter().zip(&rows).zip(&hits) {
            for ((_, row), at) in hits.iter().zip(&mut new) {
                if kept.as_ref().is_none_or(|kept| kept[at]) {
                    let record = usize::try_from(row - rows.start).expect("a row of this piece");
                    self.cells.push(&fields.text, piece, record, layout);
                }
            }
        }
        debug_assert_eq!(self.cells.rows(), self.candidates.len());
        Ok(())
    }

    fn check_memory(&self, _: u64, _: Option<u64>, run: &Run) -> Result<()> {
        Ok(run.check_memory(self.memory())?)
    }
}

/// Cells of some rows, one after the other, quotes resolved.
struct Cells {
    columns: usize,
    bytes: Vec<u8>,
    /// Where in `bytes` each row begins.
    starts: Vec<usize>,
    /// For each cell its end, from the start of its row.
    ends: Vec<u32>,
}

impl Cells {
    fn new(columns: usize) -> Self {
        Self { columns, bytes: Vec::new(), starts: Vec::new(), ends: Vec::new() }
    }

    fn rows(&self) -> usize {
        self.starts.len()
    }

    fn memory(&self) -> u64 {
        let starts = self.starts.len() * size_of::<usize>();
        (self.bytes.len() + starts + self.ends.len() * size_of::<u32>()) as u64
    }

    /// Copies the chosen fields of a record.
    fn push(&mut self, text: &[u8], piece: &Tokens, record: usize, layout: &Layout<'_>) {
        let (quote, trim) = (layout.marks.quote, layout.options.csv.trim);
        let start = self.bytes.len();
        self.starts.push(start);
        for &field in &layout.chosen.positions {
            self.bytes.extend_from_slice(&value_of(text, piece.cell(record, field), quote, trim));
            let end = u32::try_from(self.bytes.len() - start);
            self.ends.push(end.expect("a record is far below 4 GiB"));
        }
    }

    fn cell(&self, row: usize, column: usize) -> &[u8] {
        let ends = &self.ends[row * self.columns..][..self.columns];
        let start = column.checked_sub(1).map_or(0, |before| ends[before]);
        let bytes = &self.bytes[self.starts[row]..];
        &bytes[start as usize..ends[column] as usize]
    }

    /// Lets go of the rows that do not stay. The others move to the front; their order is kept.
    fn retain(&mut self, stays: &[bool]) {
        let (mut rows, mut end) = (0, 0);
        for row in (0..self.rows()).filter(|&row| stays[row]) {
            let from = self.starts[row];
            let until = self.starts.get(row + 1).copied().unwrap_or(self.bytes.len());
            self.bytes.copy_within(from..until, end);
            self.ends
                .copy_within(row * self.columns..(row + 1) * self.columns, rows * self.columns);
            // No row after this one has moved yet, so the starts that are still needed are whole.
            self.starts[rows] = end;
            end += until - from;
            rows += 1;
        }
        self.bytes.truncate(end);
        self.starts.truncate(rows);
        self.ends.truncate(rows * self.columns);
    }
}
