//! Blocks of text to records and fields, pieces of a block in parallel.

use std::ops::Range;

use rayon::prelude::*;

use super::text::{Block, RECORD_LIMIT};
use super::tokens::{Fault, FaultKind, Marks, PADDING, Tokens, tokenize};
use crate::{Error, Place, Problem, Result};

/// Text per piece: its fields stay in the cache until they are encoded.
const PIECE_BYTES: usize = 64 << 10;

/// Cuts blocks into records and fields.
pub(super) struct Cut {
    marks: Marks,
    fields: usize,
    /// Bytes of the header, to be passed over.
    skip: usize,
    /// The begun record after the last block.
    rest: Vec<u8>,
    /// Lines before the next block.
    pub(super) lines: u64,
    /// Rows before the next block.
    pub(super) rows: u64,
    /// Lines without any field before the next block.
    pub(super) blank: u64,
}

/// The fields of a block.
pub(super) struct Fields {
    pub(super) text: Vec<u8>,
    pub(super) pieces: Vec<Tokens>,
    /// Rows before the block.
    pub(super) first_row: u64,
    /// Lines before the text.
    lines: u64,
    line_end: u8,
}

impl Cut {
    /// Cuts records of this many fields, after the header's bytes.
    pub(super) fn new(marks: Marks, fields: usize, header_bytes: usize) -> Self {
        Self { marks, fields, skip: header_bytes, rest: Vec::new(), lines: 0, rows: 0, blank: 0 }
    }

    /// The fields of the next block.
    pub(super) fn fields(&mut self, block: Block, place: &Place) -> Result<Fields> {
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
        let (lines, first_row) = (self.lines, self.rows);
        self.lines += count(self.marks.line_end, &text[..end]);
        self.rows += pieces.iter().map(|piece| piece.records() as u64).sum::<u64>();
        self.blank += pieces.iter().map(|piece| piece.blank).sum::<u64>();
        pieces.retain(|piece| piece.records() > 0);
        Ok(Fields { text, pieces, first_row, lines, line_end: self.marks.line_end })
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
    /// Rows before the next block.
    pub(super) fn next_row(&self) -> u64 {
        self.first_row + self.pieces.iter().map(|piece| piece.records() as u64).sum::<u64>()
    }

    /// The numbers of each piece's rows.
    pub(super) fn rows_of_pieces(&self) -> Vec<Range<u64>> {
        let mut next = self.first_row;
        let rows = |piece: &Tokens| {
            let first = next;
            next += piece.records() as u64;
            first..next
        };
        self.pieces.iter().map(rows).collect()
    }

    /// The line, from one, that a place is on.
    pub(super) fn line_of(&self, at: usize) -> u64 {
        self.lines + count(self.line_end, &self.text[..at]) + 1
    }
}

pub(super) fn count(byte: u8, text: &[u8]) -> u64 {
    memchr::memchr_iter(byte, text).count() as u64
}

/// The error for a fault, with the line it is on.
pub(super) fn fault_error(
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
