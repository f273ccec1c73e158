//! Delimited text, straight to codes.
//!
//! ```text
//! a block of text that ends with a line                      the block after the next
//! pieces of a block -> fields (positions)                    the next block
//! columns of a block -> codes                                this block, at the same time
//! (or pieces of a block -> rows of the sample)
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
//!
//! A sample is drawn from the same fields: those of its rows are copied, the others are passed
//! over, and at the end the copies are encoded like any other fields.

mod cells;
mod cut;
mod dialect;
mod first_record;
mod kernel;
mod sampler;
mod text;
mod tokens;

use muslin_engine::Run;

pub use self::dialect::{CsvOptions, Dialect};
pub use self::text::Encoding;

use self::cells::{Columns, unquoted};
use self::cut::{Cut, Fields, fault_error};
use self::dialect::{FirstRecord, Sniffed, sniff};
use self::first_record::first_record;
use self::sampler::Sampler;
use self::text::{Block, Blocks, TextFault};
use self::tokens::Marks;
use super::columns::Chosen;
use super::sample::{Candidates, SampleSize};
use super::source::{Compression, Format, Opened};
use super::{ReadOptions, ReadTable, SampledTable, Source};
use crate::encode::Spelling;
use crate::{Place, Problem, Result};

pub(super) fn read(
    opened: Opened,
    options: &ReadOptions,
    run: &Run,
    place: &Place,
) -> Result<ReadTable> {
    let mut text = Text::start(opened, options, place)?;
    let mut columns = Columns::new(&text.layout);
    text.each_block(&mut columns, run)?;
    let table = columns.finish(text.cut.rows, &text.layout)?;
    Ok(ReadTable { table, source: text.into_source() })
}

/// Draws a sample of the rows; see [`sample`](super::sample()).
pub(super) fn sample(
    opened: Opened,
    options: &ReadOptions,
    size: SampleSize<'_>,
    run: &Run,
    place: &Place,
) -> Result<SampledTable> {
    let mut text = Text::start(opened, options, place)?;
    let columns = text.layout.chosen.positions.len();
    let mut sampler = Sampler::new(Candidates::new(run.seed_of_run(), size, columns), columns);
    text.each_block(&mut sampler, run)?;
    let rows = text.cut.rows;
    let table = sampler.finish(rows, &text.layout)?;
    Ok(SampledTable { table, rows, source: text.into_source() })
}

/// The line of a text that a row begins on, as an editor counts lines; nothing where the text cannot
/// be read again.
pub(super) fn line_of_row(opened: Opened, options: &ReadOptions, row: u64) -> Option<u64> {
    let place = Place::default();
    let mut text = Text::start(opened, options, &place).ok()?;
    let mut found = FindLine { row, line: None };
    text.each_block(&mut found, &Run::new()).ok()?;
    found.line
}

/// Looks for the line of a row.
struct FindLine {
    row: u64,
    line: Option<u64>,
}

impl TakeRows for FindLine {
    fn take(&mut self, fields: &Fields, _: &Layout<'_>) -> Result<()> {
        for (piece, rows) in fields.pieces.iter().zip(fields.rows_of_pieces()) {
            if rows.contains(&self.row) {
                let record = usize::try_from(self.row - rows.start).expect("a row of this piece");
                self.line = Some(fields.line_of(piece.start_of(record)));
            }
        }
        Ok(())
    }

    fn check_memory(&self, _: u64, _: Option<u64>, _: &Run) -> Result<()> {
        Ok(())
    }
}

/// What becomes of the rows of a text.
trait TakeRows: Send {
    /// Takes the rows of the next block.
    fn take(&mut self, fields: &Fields, layout: &Layout<'_>) -> Result<()>;

    /// There will be about so many rows in all.
    fn expect(&mut self, _rows: u64) {}

    /// An error when the rows taken use more than the memory budget. So many bytes of the input
    /// were read, of so many in all where that is known.
    fn check_memory(&self, read: u64, whole: Option<u64>, run: &Run) -> Result<()>;
}

/// How the fields of a text become values.
struct Layout<'a> {
    marks: Marks,
    spelling: Spelling,
    chosen: Chosen,
    options: &'a ReadOptions,
    place: &'a Place,
}

/// A text whose columns are known and whose rows are still to be read.
struct Text<'a> {
    blocks: Blocks,
    /// The block that told the columns.
    first: Option<Block>,
    cut: Cut,
    layout: Layout<'a>,
    dialect: Dialect,
    name: String,
    format: Format,
    compression: Option<Compression>,
    bytes: Option<u64>,
}

impl<'a> Text<'a> {
    /// Finds the dialect out and reads the names, from the header or made up.
    fn start(opened: Opened, options: &'a ReadOptions, place: &'a Place) -> Result<Self> {
        options.csv.check()?;
        let Opened { format, compression, content, bytes, name, .. } = opened;
        let failed = |fault| failure(fault, place, compression);
        let mut blocks = Blocks::start(content, options.csv.encoding).map_err(failed)?;
        let first = blocks.next().map_err(failed)?;
        if first.len == 0 {
            return Err(place.clone().error(Problem::Empty));
        }
        let Sniffed { marks, header, first: kind, decimal_comma } =
            sniff(&first.text[..first.len], first.last, &options.csv);
        let (names, header_bytes) = names(&first, marks, header, place)?;
        let chosen = Chosen::new(&names, options, place)?;
        let dialect = Dialect {
            delimiter: char::from(marks.delimiter),
            quote: marks.quote.map(char::from),
            header,
            header_guessed: options.csv.header.is_none() && kind == FirstRecord::ProbablyNames,
            encoding: blocks.encoding,
            decimal_comma,
        };
        let layout = Layout { marks, spelling: Spelling { decimal_comma }, chosen, options, place };
        let cut = Cut::new(marks, names.len(), header_bytes);
        let first = Some(first);
        Ok(Self { blocks, first, cut, layout, dialect, name, format, compression, bytes })
    }

    /// Gives the rows away, block by block.
    fn each_block(&mut self, rows: &mut impl TakeRows, run: &Run) -> Result<()> {
        let Self { blocks, first, cut, layout, compression, bytes, .. } = self;
        let (layout, place) = (&*layout, layout.place);
        let stored = bytes.filter(|_| compression.is_none());
        let (mut read_bytes, mut waiting_bytes) = (0, 0);
        let mut waiting: Option<Fields> = None;
        let mut next = first.take();
        while let Some(block) = next.take() {
            run.check()?;
            let (last, consumed) = (block.last, block.consumed);
            // While a block's rows are taken the next is tokenized and the one after it is read.
            let (taken, (fields, read)) = rayon::join(
                || {
                    let Some(fields) = waiting.take() else { return Ok(None) };
                    if let Some(stored) = stored.filter(|_| fields.first_row == 0) {
                        rows.expect(rows_in_all(fields.next_row(), waiting_bytes, stored));
                    }
                    rows.take(&fields, layout).map(|()| Some(fields.text))
                },
                || {
                    rayon::join(
                        || cut.fields(block, place),
                        || if last { None } else { Some(blocks.next()) },
                    )
                },
            );
            if let Some(text) = taken? {
                blocks.give_back(text);
            }
            waiting = Some(fields?);
            run.reporter().advance(consumed);
            waiting_bytes = consumed;
            read_bytes += consumed;
            rows.check_memory(read_bytes, stored, run)?;
            let failed = |fault| match fault {
                TextFault::Text(problem @ Problem::LongRecord(_)) => {
                    place.clone().line(cut.lines + 1).error(problem)
                }
                fault => failure(fault, place, *compression),
            };
            next = read.transpose().map_err(failed)?;
        }
        waiting.map_or(Ok(()), |fields| rows.take(&fields, layout))
    }

    fn into_source(self) -> Source {
        Source {
            file: self.name,
            format: self.format,
            compression: self.compression,
            dialect: Some(self.dialect),
            columns: self.layout.chosen.all,
            blank_lines: self.cut.blank,
            bytes: self.bytes,
        }
    }
}

/// Rows of a whole input, as some of its bytes let expect, and a few more.
fn rows_in_all(rows: u64, bytes: u64, whole: u64) -> u64 {
    let rows = u128::from(rows) * u128::from(whole) / u128::from(bytes.max(1));
    u64::try_from(rows + rows / 32).unwrap_or(u64::MAX)
}

/// The error for a fault.
fn failure(fault: TextFault, place: &Place, compression: Option<Compression>) -> crate::Error {
    match fault {
        TextFault::Io(error) => Opened::failure(&place.file, compression, &error),
        TextFault::Text(problem) => place.clone().error(problem),
    }
}

/// The names of the columns, from the header or made up, and the bytes of the header.
fn names(first: &Block, marks: Marks, header: bool, place: &Place) -> Result<(Vec<String>, usize)> {
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
        let name =
            std::str::from_utf8(&field).map_err(|_| here().error(Problem::NotEncoded("UTF-8")))?;
        if name.contains('\0') {
            return Err(here().error(Problem::Nul));
        }
        let name = name.trim();
        Ok(if name.is_empty() { made_up() } else { name.to_owned() })
    };
    let names = record.fields.iter().copied().enumerate().map(name).collect::<Result<_>>()?;
    Ok((names, if header { record.end } else { 0 }))
}
