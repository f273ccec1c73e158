//! Rows of a sample, from batches as they come.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::concat::concat;
use arrow_select::take::take;
use muslin_engine::Run;
use muslin_table::EncodedTable;
use rayon::prelude::*;

use super::arrow::{Batches, check_rows, damaged, encoders, finish, names_of, with_batches};
use super::columns::Chosen;
use super::sample::{Candidates, SampleSize};
use super::source::Opened;
use super::{ReadOptions, SampledTable, guarded};
use crate::{Error, Place, Result};

/// Rows drawn for together. A column without values claims any number of rows in a few bytes, so
/// a batch is no limit.
const STEP: usize = 1 << 14;

/// Draws a sample of the rows of an Arrow IPC file or stream; see [`sample`](super::sample()).
pub(super) fn sample(
    opened: Opened,
    options: &ReadOptions,
    size: SampleSize<'_>,
    run: &Run,
    place: &Place,
) -> Result<SampledTable> {
    let ((table, rows), source) = with_batches(opened, run, place, |schema, batches| {
        draw(schema, batches, options, size, run, place)
    })?;
    Ok(SampledTable { table, rows, source })
}

/// Draws the `wanted` rows of batches of one schema with the smallest draws, as they come.
///
/// # Guarantee
/// As [`sample`](super::sample()). An error of the batches is damage in `name`.
pub fn sample_batches(
    name: &str,
    schema: &SchemaRef,
    batches: &mut (dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send),
    options: &ReadOptions,
    wanted: u64,
    run: &Run,
) -> Result<EncodedTable> {
    let place = Place::file(name);
    let size = SampleSize { wanted: &|_, _| wanted };
    let (table, _) = run.install(|| draw(schema, batches, options, size, run, &place))?;
    Ok(table)
}

/// Draws a sample of the rows of batches.
pub(super) fn draw(
    schema: &SchemaRef,
    batches: &mut Batches<'_>,
    options: &ReadOptions,
    size: SampleSize<'_>,
    run: &Run,
    place: &Place,
) -> Result<(EncodedTable, u64)> {
    let chosen = Chosen::new(&names_of(schema), options, place)?;
    let mut encoders = encoders(schema, &chosen, options, place)?;
    let mut candidates = Candidates::new(run.seed_of_run(), size, encoders.len());
    let mut parts = Parts::default();
    let mut rows = 0;
    for batch in batches {
        let batch = batch.map_err(|_| damaged(place))?;
        let columns: Vec<&ArrayRef> = chosen.positions.iter().map(|&p| batch.column(p)).collect();
        for start in (0..batch.num_rows()).step_by(STEP) {
            run.check()?;
            let next = rows + STEP.min(batch.num_rows() - start) as u64;
            let hits = candidates.hits(rows..next);
            let old = candidates.len();
            let kept = candidates.admit(hits.iter().copied(), next)?;
            if let Some(kept) = &kept {
                parts.retain(&kept[..old])?;
            }
            let new = hits.iter().zip(old..);
            let new = new.filter(|&(_, at)| kept.as_ref().is_none_or(|kept| kept[at]));
            let at = new.map(|(&(_, row), _)| row - rows + start as u64);
            parts.push(&columns, &UInt64Array::from_iter_values(at))?;
            run.check_memory(candidates.memory() + parts.memory())?;
            rows = next;
        }
        run.reporter().advance(batch.get_array_memory_size() as u64);
    }
    if let Some(kept) = candidates.finish(rows)? {
        parts.retain(&kept)?;
    }
    check_rows(candidates.len(), &chosen, run)?;
    encoders.par_iter_mut().enumerate().for_each(|(index, encoder)| {
        parts.parts.iter().for_each(|part| encoder.push(&part.columns[index]));
    });
    drop(parts);
    let drawn: Vec<u64> = candidates.rows().collect();
    let row_of = |row| usize::try_from(row).ok().and_then(|at| drawn.get(at)).copied();
    let row_of = |row| row_of(row).unwrap_or(row);
    Ok((finish(encoders, drawn.len(), &chosen, options, place, &row_of)?, rows))
}

/// Cells of the candidates, in row order.
#[derive(Default)]
struct Parts {
    parts: Vec<Part>,
    /// How many of them have grown as large as they will.
    merged: usize,
}

struct Part {
    rows: usize,
    columns: Vec<ArrayRef>,
}

impl Part {
    fn memory(&self) -> usize {
        self.columns.iter().map(Array::get_array_memory_size).sum()
    }
}

impl Parts {
    /// Small parts that are held before they are made one.
    const SMALL: usize = 64;
    /// Bytes up to which parts are made one; offsets of 32 bits reach much further.
    const LARGE: usize = 64 << 20;

    /// Copies the cells of these rows.
    fn push(&mut self, columns: &[&ArrayRef], rows: &UInt64Array) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let picked = columns.iter().map(|column| pick(column, rows)).collect::<Result<_>>()?;
        self.parts.push(Part { rows: rows.len(), columns: picked });
        if self.parts.len() - self.merged >= Self::SMALL {
            self.merge(self.merged)?;
        }
        Ok(())
    }

    /// Lets go of the rows that do not stay.
    fn retain(&mut self, mut stays: &[bool]) -> Result<()> {
        let parts = std::mem::take(&mut self.parts);
        for part in parts {
            let (here, rest) = stays.split_at(part.rows);
            stays = rest;
            let rows = (0u64..).zip(here).filter(|(_, stays)| **stays).map(|(row, _)| row);
            let rows = UInt64Array::from_iter_values(rows);
            if rows.len() == part.rows {
                self.parts.push(part);
            } else if !rows.is_empty() {
                let columns = part.columns.iter().map(|column| pick(column, &rows));
                let columns = columns.collect::<Result<_>>()?;
                self.parts.push(Part { rows: rows.len(), columns });
            }
        }
        self.merge(0)
    }

    /// Makes neighbours one, from a part on: an array of a few cells is mostly overhead.
    fn merge(&mut self, from: usize) -> Result<()> {
        let mut small: Vec<Part> = Vec::new();
        let mut bytes = 0;
        for part in self.parts.split_off(from) {
            let more = part.memory();
            if bytes + more > Self::LARGE {
                self.parts.extend(one(std::mem::take(&mut small))?);
                bytes = 0;
            }
            bytes += more;
            small.push(part);
        }
        self.parts.extend(one(small)?);
        self.merged = self.parts.len();
        Ok(())
    }

    fn memory(&self) -> u64 {
        self.parts.iter().map(|part| part.memory() as u64).sum()
    }
}

/// Some parts as one.
fn one(mut parts: Vec<Part>) -> Result<Option<Part>> {
    if parts.len() < 2 {
        return Ok(parts.pop());
    }
    let column = |index: usize| {
        let arrays: Vec<&dyn Array> = parts.iter().map(|part| &*part.columns[index]).collect();
        selected(|| concat(&arrays))
    };
    let columns = (0..parts[0].columns.len()).map(column).collect::<Result<_>>()?;
    Ok(Some(Part { rows: parts.iter().map(|part| part.rows).sum(), columns }))
}

/// The cells of these rows in buffers of their own: nothing of the others stays in memory.
fn pick(column: &ArrayRef, rows: &UInt64Array) -> Result<ArrayRef> {
    let picked = match column.as_any_dictionary_opt() {
        // The values themselves: a dictionary may be far larger than the sample.
        Some(dictionary) => {
            let keys = selected(|| take(dictionary.keys(), rows, None))?;
            selected(|| take(dictionary.values(), &keys, None))?
        }
        None => selected(|| take(column, rows, None))?,
    };
    Ok(match picked.data_type() {
        DataType::Utf8View => std::sync::Arc::new(picked.as_string_view().gc()),
        DataType::BinaryView => std::sync::Arc::new(picked.as_binary_view().gc()),
        _ => picked,
    })
}

/// Does what selects cells; it does not fail for types that can be encoded.
fn selected(select: impl FnOnce() -> Result<ArrayRef, ArrowError>) -> Result<ArrayRef> {
    let selected = guarded(select).and_then(Result::ok);
    selected.ok_or_else(|| Error::Internal("cannot select the cells of a sample".into()))
}
