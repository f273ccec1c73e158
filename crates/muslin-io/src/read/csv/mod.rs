//! Delimited text, straight to codes.
//!
//! ```text
//! thread       blocks of text that end with a line
//! pool         pieces of a block -> fields (positions)        next block
//! pool         columns of a block -> codes                    this block, at the same time
//! ```
//!
//! # Method
//! A block is cut into pieces at line ends that look like record ends: where the number of quotes
//! before them is even. Pieces are tokenized in parallel. A piece that ends exactly where the next
//! begins proves the guess: the next piece does begin with a record. Where one does not, the
//! guess was wrong (a line end inside quotes, a quote inside a plain field) and the rest of the
//! block is tokenized in one go. So the fields are those of a reader that goes from start to end.
//!
//! Columns are then encoded in parallel, each from its own fields. Only values that a column has
//! not met before are looked at closely: valid text, and at the end, their type.

mod cells;
mod dialect;
mod first_record;
mod kernel;
mod text;
mod tokens;

use muslin_engine::Run;
use muslin_table::EncodedTable;
use rayon::prelude::*;

pub use self::dialect::{CsvOptions, Dialect};
pub use self::text::Encoding;

use self::cells::{encode, unquoted};
use self::dialect::{FirstRecord, Sniffed, sniff};
use self::first_record::first_record;
use self::text::{Block, Blocks, RECORD_LIMIT, TextFault};
use self::tokens::{Fault, FaultKind, Marks, PADDING, Tokens, tokenize};
use super::columns::Chosen;
use super::source::Opened;
use super::{ReadOptions, ReadTable, Source};
use crate::encode::{BytesEncoder, Spelling, Wanted, finish_all};
use crate::{Error, Place, Problem, Result};

/// Text per piece: its fields stay in the cache until they are encoded.
const PIECE_BYTES: usize = 256 << 10;

pub(super) fn read(
    opened: Opened,
    options: &ReadOptions,
    run: &Run,
    place: &Place,
) -> Result<ReadTable> {
    options.csv.check()?;
    let compression = opened.compression;
    let failed = |fault: TextFault| match fault {
        TextFault::Io(error) => Opened::failure(&place.file, compression, &error),
        TextFault::Text(problem) => place.clone().error(problem),
    };
    let mut blocks = Blocks::start(opened.content, options.csv.encoding).map_err(failed)?;
    let first = blocks.next().map_err(failed)?;
    if first.len == 0 {
        return Err(place.clone().error(Problem::Empty));
    }
    let Sniffed { marks, header, first: first_record, decimal_comma } =
        sniff(&first.text[..first.len], first.last, &options.csv);
    let mut reader = Reader::start(&first, marks, header, options, place)?;

    let mut read_bytes = 0;
    let mut waiting: Option<Fields> = None;
    let mut block = first;
    loop {
        run.check()?;
        let (last, consumed) = (block.last, block.consumed);
        // The next block is tokenized while this one's columns are encoded.
        let Reader { encoders, cut, chosen, .. } = &mut reader;
        let (encoded, fields) = rayon::join(
            || {
                waiting.take().map_or(Ok(()), |fields| {
                    encode(encoders, &fields, chosen, marks, options, place)
                })
            },
            || cut.fields(block, place),
        );
        encoded?;
        waiting = Some(fields?);
        run.reporter().advance(consumed);
        read_bytes += consumed;
        check_memory(
            reader.memory(),
            read_bytes,
            opened.bytes.filter(|_| compression.is_none()),
            run,
        )?;
        if last {
            break;
        }
        block = blocks.next().map_err(|fault| match fault {
            TextFault::Text(problem @ Problem::LongRecord(_)) => {
                place.clone().line(reader.cut.lines + 1).error(problem)
            }
            fault => failed(fault),
        })?;
    }
    if let Some(fields) = waiting {
        encode(&mut reader.encoders, &fields, &reader.chosen, marks, options, place)?;
    }
    let blank_lines = reader.cut.blank;
    let columns = std::mem::take(&mut reader.chosen.all);
    let table = reader.finish(Spelling { decimal_comma }, options, place)?;
    let dialect = Dialect {
        delimiter: char::from(marks.delimiter),
        quote: marks.quote.map(char::from),
        header,
        header_guessed: options.csv.header.is_none() && first_record == FirstRecord::ProbablyNames,
        encoding: blocks.encoding,
        decimal_comma,
    };
    let source = Source {
        file: opened.name,
        format: opened.format,
        compression,
        dialect: Some(dialect),
        columns,
        blank_lines,
        bytes: opened.bytes,
    };
    Ok(ReadTable { table, source })
}

/// As [`Run::check_memory`]; the error says what the whole input would need, as far as the part
/// that was read tells.
fn check_memory(used: u64, read: u64, whole: Option<u64>, run: &Run) -> Result<()> {
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

struct Reader {
    chosen: Chosen,
    encoders: Vec<BytesEncoder>,
    cut: Cut,
}

impl Reader {
    /// Reads the names, from the header or made up.
    fn start(
        first: &Block,
        marks: Marks,
        header: bool,
        options: &ReadOptions,
        place: &Place,
    ) -> Result<Self> {
        let record = first_record(first, marks);
        let record = record.map_err(|fault| fault_error(&first.text, 0, fault, 0, marks, place))?;
        if record.fields == [b""] {
            return Err(place.clone().error(Problem::Empty));
        }
        let name = |(index, field): (usize, &[u8])| -> Result<String> {
            let made_up = || format!("column_{}", index + 1);
            if !header {
                return Ok(made_up());
            }
            let here = || place.clone().line(record.line);
            let field = unquoted(field, marks.quote);
            let name = std::str::from_utf8(&field)
                .map_err(|_| here().error(Problem::NotEncoded("UTF-8")))?;
            if name.contains('\0') {
                return Err(here().error(Problem::Nul));
            }
            let name = name.trim();
            Ok(if name.is_empty() { made_up() } else { name.to_owned() })
        };
        let names: Vec<String> =
            record.fields.iter().copied().enumerate().map(name).collect::<Result<_>>()?;
        let chosen = Chosen::new(&names, options, place)?;
        let encoders = chosen.positions.iter().map(|_| BytesEncoder::new(&options.null)).collect();
        let cut = Cut {
            marks,
            fields: names.len(),
            skip: if header { record.end } else { 0 },
            rest: Vec::new(),
            lines: 0,
            rows: 0,
            blank: 0,
        };
        Ok(Self { chosen, encoders, cut })
    }

    fn memory(&self) -> u64 {
        self.encoders.iter().map(|encoder| encoder.memory() as u64).sum()
    }

    fn finish(
        self,
        spelling: Spelling,
        options: &ReadOptions,
        place: &Place,
    ) -> Result<EncodedTable> {
        let Self { chosen, mut encoders, cut } = self;
        let rows = cut.rows;
        encoders.par_iter_mut().for_each(BytesEncoder::close);
        let columns = finish_all(encoders, BytesEncoder::distinct, |index, encoder| {
            debug_assert_eq!(encoder.rows() as u64, rows);
            let column_type = chosen.column_type(index);
            let wanted = Wanted { column_type, spelling, nulls: &options.null };
            encoder.finish_text(chosen.name(index), &wanted).map_err(|found| {
                let mut place = place.clone().column(chosen.name(index));
                place.row = found.row;
                place.error(found.problem)
            })
        });
        let rows = usize::try_from(rows).map_err(|_| muslin_table::Error::TooManyRows)?;
        Ok(EncodedTable::new(rows, columns?)?)
    }
}

/// Cuts blocks into records and fields.
struct Cut {
    marks: Marks,
    fields: usize,
    /// Bytes of the header, to be passed over.
    skip: usize,
    /// The begun record after the last block.
    rest: Vec<u8>,
    /// Lines before the next block.
    lines: u64,
    /// Rows before the next block.
    rows: u64,
    blank: u64,
}

/// The fields of a block.
struct Fields {
    text: Vec<u8>,
    pieces: Vec<Tokens>,
    /// Lines before the text.
    lines: u64,
    line_end: u8,
}

impl Cut {
    fn fields(&mut self, block: Block, place: &Place) -> Result<Fields> {
        let Block { mut text, mut len, last, .. } = block;
        if !self.rest.is_empty() {
            let mut joined = std::mem::take(&mut self.rest);
            joined.extend_from_slice(&text);
            len = joined.len() - PADDING;
            text = joined;
        }
        let start = std::mem::take(&mut self.skip).min(len);
        // A header that nothing follows, not even a line end, is not followed by a row.
        if last && len > start && text[len - 1] != self.marks.line_end {
            text[len] = self.marks.line_end;
            len += 1;
            text.resize(len + PADDING, 0);
        }
        let mut pieces = self.tokenize_pieces(&text, start, len);
        let end = pieces.last().map_or(start, |piece| piece.end);
        if let Some(fault) = pieces.iter().find_map(|piece| piece.fault) {
            // A record that goes on in the next block is no fault, unless there is none.
            let goes_on = matches!(fault.kind, FaultKind::Open { .. }) && !last;
            if !goes_on {
                let lines = self.lines;
                return Err(fault_error(&text, lines, fault, self.fields, self.marks, place));
            }
            self.rest = text[end..len].to_vec();
            if self.rest.len() > RECORD_LIMIT {
                let line = self.lines + count(self.marks.line_end, &text[..end]) + 1;
                return Err(place.clone().line(line).error(Problem::LongRecord(RECORD_LIMIT)));
            }
        }
        let lines = self.lines;
        self.lines += count(self.marks.line_end, &text[..end]);
        self.rows += pieces.iter().map(|piece| piece.records() as u64).sum::<u64>();
        self.blank += pieces.iter().map(|piece| piece.blank).sum::<u64>();
        if u32::try_from(self.rows).is_err() {
            return Err(muslin_table::Error::TooManyRows.into());
        }
        pieces.retain(|piece| piece.records() > 0);
        Ok(Fields { text, pieces, lines, line_end: self.marks.line_end })
    }

    /// Tokenizes pieces in parallel; from the first that does not end where it should, in one go.
    fn tokenize_pieces(&self, text: &[u8], start: usize, end: usize) -> Vec<Tokens> {
        let ends = guess_record_ends(text, start, end, self.marks);
        let starts = std::iter::once(start).chain(ends.iter().copied());
        let bounds: Vec<(usize, usize)> = starts.zip(ends.iter().copied()).collect();
        let mut pieces: Vec<Tokens> = bounds
            .par_iter()
            .map(|&(start, end)| tokenize(text, start, end, self.marks, self.fields))
            .collect();
        let wrong = pieces.iter().zip(&bounds).position(|(piece, &(_, end))| piece.end != end);
        if let Some(wrong) = wrong {
            let open = |piece: &Tokens| {
                matches!(piece.fault, Some(Fault { kind: FaultKind::Open { .. }, .. }))
            };
            if wrong + 1 < pieces.len() && open(&pieces[wrong]) {
                pieces.truncate(wrong);
                pieces.push(tokenize(text, bounds[wrong].0, end, self.marks, self.fields));
            } else {
                pieces.truncate(wrong + 1);
            }
        }
        pieces
    }
}

/// Line ends after about [`PIECE_BYTES`] each that have an even number of quotes before them; the
/// last is `end`.
fn guess_record_ends(text: &[u8], start: usize, end: usize, marks: Marks) -> Vec<usize> {
    let mut ends = Vec::with_capacity((end - start) / PIECE_BYTES + 1);
    let mut from = start;
    while end - from > PIECE_BYTES * 3 / 2 {
        let target = from + PIECE_BYTES;
        let quotes_in =
            |range: &[u8]| marks.quote.map_or(0, |quote| memchr::memchr_iter(quote, range).count());
        let mut odd = quotes_in(&text[from..target]) % 2 == 1;
        let mut at = target;
        let found = loop {
            let Some(next) = memchr::memchr(marks.line_end, &text[at..end]).map(|next| at + next)
            else {
                break end;
            };
            odd ^= quotes_in(&text[at..next]) % 2 == 1;
            at = next + 1;
            if !odd {
                break at;
            }
        };
        if found == end {
            break;
        }
        ends.push(found);
        from = found;
    }
    if end > from {
        ends.push(end);
    }
    ends
}

impl Fields {
    /// The line, from one, that a place is on.
    fn line_of(&self, at: usize) -> u64 {
        self.lines + count(self.line_end, &self.text[..at]) + 1
    }
}

fn count(byte: u8, text: &[u8]) -> u64 {
    memchr::memchr_iter(byte, text).count() as u64
}

/// The error for a fault, with the line it is on.
fn fault_error(
    text: &[u8],
    lines: u64,
    fault: Fault,
    fields: usize,
    marks: Marks,
    place: &Place,
) -> Error {
    let line = lines + count(marks.line_end, &text[..fault.at]) + 1;
    let problem = match fault.kind {
        FaultKind::Ragged { found } => Problem::Ragged { expected: fields, found },
        FaultKind::Open { .. } => Problem::OpenQuote,
        FaultKind::TextAfterQuote => Problem::TextAfterQuote,
        FaultKind::StrayLineEnd if marks.line_end == b'\n' => {
            Problem::StrayLineEnd("carriage return")
        }
        FaultKind::StrayLineEnd => Problem::StrayLineEnd("line feed"),
    };
    place.clone().line(line).error(problem)
}
