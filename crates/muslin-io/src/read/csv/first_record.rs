use super::cut::count;
use super::text::Block;
use super::tokens::{Fault, FaultKind, Marks, PADDING, tokenize};

/// The first record of a text, in one piece.
pub(super) struct FirstRecord<'a> {
    pub(super) fields: Vec<&'a [u8]>,
    /// Where it ends, after its line end.
    pub(super) end: usize,
    /// The line it begins on.
    pub(super) line: u64,
}

/// Where the record at `start` ends, after its line end, in one pass.
fn record_end(text: &[u8], start: usize, marks: Marks) -> usize {
    let (mut field, mut in_quotes) = (start, false);
    for at in start..text.len() {
        let byte = text[at];
        if Some(byte) == marks.quote {
            if in_quotes {
                in_quotes = false;
            } else {
                let doubled = at > field && text[at - 1] == byte && text[field] == byte;
                in_quotes = at == field || doubled;
            }
        } else if !in_quotes && byte == marks.delimiter {
            field = at + 1;
        } else if !in_quotes && byte == marks.line_end {
            return at + 1;
        }
    }
    text.len()
}

/// Finds the first record that has any field, whatever their number.
pub(super) fn first_record(first: &Block, marks: Marks) -> Result<FirstRecord<'_>, Fault> {
    let text = &first.text[..first.len];
    let mut start = 0;
    loop {
        let end = record_end(text, start, marks);
        let mut padded = text[start..end].to_vec();
        if padded.last() != Some(&marks.line_end) {
            padded.push(marks.line_end);
        }
        let len = padded.len();
        padded.resize(len + PADDING, 0);
        // The tokenizer wants to know the number of fields; asking for the wrong one tells it.
        let fields = match tokenize(&padded, 0, len, marks, 0).fault {
            Some(Fault { kind: FaultKind::Ragged { found }, .. }) => found,
            Some(fault) => {
                return Err(Fault { at: start + fault.at, ..fault });
            }
            None => 1,
        };
        let tokens = tokenize(&padded, 0, len, marks, fields);
        if let Some(fault) = tokens.fault {
            return Err(Fault { at: start + fault.at, ..fault });
        }
        let all = |field: usize| tokens.field(field, 0..tokens.records());
        let blank = tokens.records() == 0 || (tokens.fields() == 1 && all(0).all(|(s, e)| s == e));
        if blank && end < text.len() {
            start = end;
            continue;
        }
        let place = |field: usize| all(field).next().unwrap_or((0, 0));
        let fields =
            (0..tokens.fields()).map(place).map(|(s, e)| &text[start + s..start + e]).collect();
        let line = count(marks.line_end, &text[..start]) + 1;
        return Ok(FirstRecord { fields, end, line });
    }
}
