//! Fields to codes.

use std::borrow::Cow;
use std::ops::Range;

use muslin_engine::Run;
use muslin_table::EncodedTable;
use rayon::prelude::*;

use super::cut::Fields;
use super::tokens::Tokens;
use super::{Layout, TakeRows};
use crate::encode::{BytesEncoder, Wanted, finish_all};
use crate::{Place, Problem, Result};

/// The columns of a table, from all of its rows.
pub(super) struct Columns {
    encoders: Vec<BytesEncoder>,
}

impl Columns {
    /// The chosen columns of a text.
    pub(super) fn new(layout: &Layout<'_>) -> Self {
        let encoder = |_| BytesEncoder::new(&layout.options.null);
        Self { encoders: layout.chosen.positions.iter().map(encoder).collect() }
    }

    /// Decides the types and makes the table of all `rows` rows.
    pub(super) fn finish(self, rows: u64, layout: &Layout<'_>) -> Result<EncodedTable> {
        let rows = usize::try_from(rows).map_err(|_| muslin_table::Error::TooManyRows)?;
        finish(self.encoders, rows, layout, &|row| row)
    }
}

impl TakeRows for Columns {
    /// Encodes the fields of a block, columns in parallel.
    fn take(&mut self, fields: &Fields, layout: &Layout<'_>) -> Result<()> {
        let Layout { marks, chosen, options, place, .. } = layout;
        if u32::try_from(fields.next_row()).is_err() {
            return Err(muslin_table::Error::TooManyRows.into());
        }
        let rows = fields.pieces.iter().map(Tokens::records).sum();
        // A thread takes some columns through a piece while it is in the cache, then the next one;
        // groups are smaller than they could be so that threads can share them out.
        let threads = rayon::current_num_threads();
        let groups = if threads == 1 { 1 } else { threads * 3 };
        let group = self.encoders.len().div_ceil(groups).max(1);
        let ends: Vec<Result<()>> = self
            .encoders
            .par_chunks_mut(group)
            .zip(chosen.positions.par_chunks(group))
            .enumerate()
            .with_max_len(1)
            .flat_map_iter(|(at, (encoders, positions))| {
                let mut columns: Vec<Batch<'_>> = encoders
                    .iter_mut()
                    .zip(positions)
                    .map(|(encoder, &position)| Batch::new(encoder, position, rows))
                    .collect();
                let (quote, trim) = (marks.quote, options.csv.trim);
                for piece in &fields.pieces {
                    // Columns of few values share a stretch of text; to one of many values its own
                    // look-up table is dearer than the text.
                    let (mut small, mut large): (Vec<_>, Vec<_>) =
                        columns.iter_mut().partition(|column| column.encoder.is_small());
                    for records in tiles(piece) {
                        for column in &mut small {
                            column.take(&fields.text, piece, records.clone(), quote, trim);
                        }
                    }
                    for column in &mut large {
                        column.take(&fields.text, piece, 0..piece.records(), quote, trim);
                    }
                }
                columns
                    .into_iter()
                    .zip(at * group..)
                    .map(|(column, index)| {
                        column.end().map_err(|(record, problem)| {
                            let line = fields.line_of(record);
                            Place::clone(place).line(line).column(chosen.name(index)).error(problem)
                        })
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        // In order: the error is the first column's, whichever thread is faster.
        ends.into_iter().collect()
    }

    fn expect(&mut self, rows: u64) {
        // More is an error once they are there.
        let rows = usize::try_from(rows.min(u64::from(u32::MAX))).unwrap_or(0);
        self.encoders.iter_mut().for_each(|encoder| encoder.expect(rows));
    }

    /// The error says what the whole input would need, as far as the part that was read tells.
    fn check_memory(&self, read: u64, whole: Option<u64>, run: &Run) -> Result<()> {
        let used: u64 = self.encoders.iter().map(|encoder| encoder.memory() as u64).sum();
        let needed = match whole {
            Some(whole) if read > 0 => {
                u128::from(used) * u128::from(whole.max(read)) / u128::from(read)
            }
            _ => u128::from(used),
        };
        match run.check_memory(used) {
            Ok(()) => Ok(()),
            Err(_) => Ok(run.check_memory(u64::try_from(needed).unwrap_or(u64::MAX))?),
        }
    }
}

/// A column's part of a block.
struct Batch<'a> {
    encoder: &'a mut BytesEncoder,
    position: usize,
    numbers: Vec<u32>,
    /// Where the record with the first value that cannot be text begins, and why it cannot.
    problem: Option<(usize, Problem)>,
}

impl<'a> Batch<'a> {
    fn new(encoder: &'a mut BytesEncoder, position: usize, rows: usize) -> Self {
        Self { encoder, position, numbers: Vec::with_capacity(rows), problem: None }
    }

    /// Encodes the column's fields of some records of a piece.
    fn take(
        &mut self,
        text: &[u8],
        piece: &Tokens,
        records: Range<usize>,
        quote: Option<u8>,
        trim: bool,
    ) {
        if self.problem.is_some() {
            return;
        }
        let (known, begun) = (self.encoder.distinct(), self.numbers.len());
        let fields = piece.field(self.position, records.clone());
        let value = |place: (usize, usize)| value_of(text, place, quote, trim);
        if self.encoder.has_many() {
            let values: Vec<_> = fields.map(value).collect();
            self.encoder.number_all(&values, &mut self.numbers);
        } else if piece.is_quoted || trim {
            self.numbers.extend(fields.map(|(start, end)| {
                if trim || is_quoted(text, start, quote) {
                    self.encoder.number(&value((start, end)))
                } else {
                    self.encoder.number_at(text, start, end)
                }
            }));
        } else {
            self.numbers
                .extend(fields.map(|(start, end)| self.encoder.number_at(text, start, end)));
        }
        if self.encoder.distinct() > known {
            self.problem = new_problem(self.encoder, known, &self.numbers[begun..])
                .map(|(record, problem)| (piece.start_of(records.start + record), problem));
        }
    }

    fn end(self) -> Result<(), (usize, Problem)> {
        self.encoder.end_batch(&self.numbers);
        self.problem.map_or(Ok(()), Err)
    }
}

/// Decides the types of encoded columns and makes the table; `row_of` says which row of the input
/// a row of the table is.
pub(super) fn finish(
    mut encoders: Vec<BytesEncoder>,
    rows: usize,
    layout: &Layout<'_>,
    row_of: &(dyn Fn(u64) -> u64 + Sync),
) -> Result<EncodedTable> {
    let Layout { spelling, chosen, options, place, .. } = layout;
    debug_assert!(encoders.iter().all(|encoder| encoder.rows() == rows));
    encoders.par_iter_mut().for_each(BytesEncoder::close);
    let columns = finish_all(encoders, BytesEncoder::distinct, |index, encoder| {
        let column_type = chosen.column_type(index);
        let format = chosen.format(index);
        let wanted = Wanted { column_type, format, spelling: *spelling, nulls: &options.null };
        encoder.finish_text(chosen.name(index), &wanted).map_err(|found| {
            let mut place = Place::clone(place).column(chosen.name(index));
            place.row = found.row.map(row_of);
            place.error(found.problem)
        })
    });
    Ok(EncodedTable::new(rows, columns?)?)
}

/// The first of `numbers` whose value is new since `known` values and cannot be text.
pub(super) fn new_problem(
    encoder: &BytesEncoder,
    known: usize,
    numbers: &[u32],
) -> Option<(usize, Problem)> {
    let (number, problem) = encoder
        .values_after(known)
        .find_map(|(number, value)| value_problem(value).map(|problem| (number, problem)))?;
    Some((numbers.iter().position(|&n| n == number).unwrap_or(0), problem))
}

/// Bytes of text and of bounds that stay near the core while one column after the other is read.
const TILE_BYTES: usize = 24 << 10;

/// Stretches of a piece's records, each as large as a tile.
fn tiles(piece: &Tokens) -> impl Iterator<Item = Range<usize>> {
    let records = piece.records();
    let tile = (TILE_BYTES * records / piece.bytes().max(1)).max(1);
    (0..records).step_by(tile).map(move |start| start..(start + tile).min(records))
}

#[inline]
fn is_quoted(text: &[u8], start: usize, quote: Option<u8>) -> bool {
    quote.is_some() && quote == Some(text[start])
}

/// The value of the field at a place.
#[inline]
pub(super) fn value_of(
    text: &[u8],
    (start, end): (usize, usize),
    quote: Option<u8>,
    trim: bool,
) -> Cow<'_, [u8]> {
    let value = &text[start..end];
    match is_quoted(text, start, quote) {
        true => unquoted(value, quote),
        false if trim => value.trim_ascii().into(),
        false => value.into(),
    }
}

/// A field without its quotes, doubled ones made single.
pub(super) fn unquoted(field: &[u8], quote: Option<u8>) -> Cow<'_, [u8]> {
    let Some(quote) = quote else {
        return field.into();
    };
    let inner = field.strip_prefix(&[quote]).and_then(|inner| inner.strip_suffix(&[quote]));
    let Some(inner) = inner else {
        return field.into();
    };
    if memchr::memchr(quote, inner).is_none() {
        return inner.into();
    }
    let mut value = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(quote, rest) {
        value.extend_from_slice(&rest[..=at]);
        rest = &rest[at + 1..];
        rest = rest.strip_prefix(&[quote]).unwrap_or(rest);
    }
    value.extend_from_slice(rest);
    value.into()
}

fn value_problem(value: &[u8]) -> Option<Problem> {
    if std::str::from_utf8(value).is_err() {
        return Some(Problem::NotEncoded("UTF-8"));
    }
    value.contains(&0).then_some(Problem::Nul)
}
