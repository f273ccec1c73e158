//! Text to fields. A record is a run of fields; positions are kept, no field is copied.

use std::ops::Range;

use super::kernel::{BLOCK, find3};

/// Bytes that must be readable after the text.
pub(super) const PADDING: usize = BLOCK;

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) delimiter: u8,
    /// No quotes at all, or this one.
    pub(super) quote: Option<u8>,
    /// Line feed, also after a carriage return; or carriage return alone.
    pub(super) line_end: u8,
}

/// The fields of a stretch of text.
#[derive(Debug)]
pub(super) struct Tokens {
    /// For each record its start and the end of every field.
    bounds: Vec<u32>,
    fields: usize,
    /// Whether there may be quotes.
    pub(super) is_quoted: bool,
    /// Lines without any field.
    pub(super) blank: u64,
    /// Where the last whole record ends.
    pub(super) end: usize,
    /// What stopped the stretch before its end.
    pub(super) fault: Option<Fault>,
}

/// What is wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) kind: FaultKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultKind {
    Ragged {
        found: usize,
    },
    /// The text ends inside a quoted field or a record.
    Open {
        quoted: bool,
    },
    TextAfterQuote,
    StrayLineEnd,
}

impl Tokens {
    pub(super) fn records(&self) -> usize {
        self.bounds.len() / (self.fields + 1)
    }

    /// Bytes of the records' text and of their bounds.
    pub(super) fn bytes(&self) -> usize {
        let start = self.bounds.first().map_or(0, |&start| start as usize);
        self.end - start + size_of_val(&self.bounds[..])
    }

    pub(super) fn fields(&self) -> usize {
        self.fields
    }

    /// Start and end of a field of some records, quotes included.
    #[inline]
    pub(super) fn field(
        &self,
        field: usize,
        records: Range<usize>,
    ) -> impl Iterator<Item = (usize, usize)> + '_ {
        let width = self.fields + 1;
        let bounds = &self.bounds[records.start * width..records.end * width];
        let after_delimiter = u32::from(field > 0);
        bounds.chunks_exact(width).map(move |record| {
            ((record[field] + after_delimiter) as usize, record[field + 1] as usize)
        })
    }

    /// Start and end of one record's field, quotes included.
    pub(super) fn cell(&self, record: usize, field: usize) -> (usize, usize) {
        let record = &self.bounds[record * (self.fields + 1)..];
        let start = if field == 0 { record[0] } else { record[field] + 1 };
        (start as usize, record[field + 1] as usize)
    }

    /// Start of a record.
    pub(super) fn start_of(&self, record: usize) -> usize {
        self.bounds[record * (self.fields + 1)] as usize
    }
}

/// Finds the fields of `text[start..end]`, a run of whole records of `fields` fields each.
///
/// The text has [`PADDING`] bytes more than `end`. A stretch that stops inside a record reports
/// [`FaultKind::Open`] and where the last whole record ended.
pub(super) fn tokenize(
    text: &[u8],
    start: usize,
    end: usize,
    marks: Marks,
    fields: usize,
) -> Tokens {
    let is_quoted =
        marks.quote.is_some_and(|quote| memchr::memchr(quote, &text[start..end]).is_some());
    if is_quoted {
        Tokenizer::new(text, start, end, marks, fields).run::<true>()
    } else {
        Tokenizer::new(text, start, end, marks, fields).run::<false>()
    }
}

struct Tokenizer<'a> {
    text: &'a [u8],
    start: usize,
    end: usize,
    marks: Marks,
    out: Tokens,
    /// Where in `out.bounds` the open record begins.
    record: usize,
    /// Where the open field begins.
    field: usize,
    /// Carriage returns (or line feeds) that are where they may be.
    expected_other: usize,
}

impl<'a> Tokenizer<'a> {
    fn new(text: &'a [u8], start: usize, end: usize, marks: Marks, fields: usize) -> Self {
        let guess = (end - start) / 4 + fields + 2;
        let out = Tokens {
            bounds: Vec::with_capacity(guess),
            fields,
            is_quoted: false,
            blank: 0,
            end: start,
            fault: None,
        };
        Self { text, start, end, marks, out, record: 0, field: start, expected_other: 0 }
    }

    fn run<const QUOTED: bool>(mut self) -> Tokens {
        let Marks { delimiter, line_end, quote } = self.marks;
        let wanted = [delimiter, line_end, quote.filter(|_| QUOTED).unwrap_or(line_end)];
        self.out.is_quoted = QUOTED;
        let mut in_quotes = false;
        // A quote right after this place belongs to the pair that began there.
        let mut doubled = usize::MAX;
        // After a closing quote the field must end here.
        let mut closed = usize::MAX;
        self.out.bounds.push(narrow(self.start));
        let mut base = self.start;
        while base < self.end {
            let block = self.text[base..].first_chunk().expect("the text is padded");
            let [delimiters, line_ends, quotes] = find3(block, wanted);
            let inside =
                if self.end - base < BLOCK { (1 << (self.end - base)) - 1 } else { u64::MAX };
            if !QUOTED {
                if !self.take_plain(base, delimiters & inside, line_ends & inside) {
                    return self.out;
                }
                base += BLOCK;
                continue;
            }
            let mut bits = (delimiters | line_ends | quotes) & inside;
            while bits != 0 {
                let at = base + bits.trailing_zeros() as usize;
                let bit = bits & bits.wrapping_neg();
                bits ^= bit;
                if quotes & bit != 0 {
                    if in_quotes {
                        // Out, and in again at the second of a pair.
                        in_quotes = false;
                        if self.text[at + 1] == self.text[at] && at + 1 < self.end {
                            doubled = at + 1;
                        } else {
                            closed = at + 1;
                        }
                    } else if doubled == at || self.field == at {
                        in_quotes = true;
                    }
                    continue;
                }
                if in_quotes {
                    continue;
                }
                let is_line_end = line_ends & bit != 0;
                let mut field_end = at;
                if is_line_end && line_end == b'\n' && at > self.field && self.text[at - 1] == b'\r'
                {
                    field_end = at - 1;
                    self.expected_other += 1;
                }
                if closed != usize::MAX {
                    if closed != field_end {
                        return self.stop(closed, FaultKind::TextAfterQuote);
                    }
                    closed = usize::MAX;
                    self.count_other_in(field_end);
                }
                self.out.bounds.push(narrow(field_end));
                self.field = at + 1;
                if is_line_end && !self.end_record(at + 1) {
                    return self.out;
                }
            }
            base += BLOCK;
        }
        self.finish(in_quotes)
    }

    /// Takes the delimiters and line ends of a block without quotes; false when a record does not
    /// have the right number of fields.
    #[inline]
    fn take_plain(&mut self, base: usize, mut delimiters: u64, mut line_ends: u64) -> bool {
        loop {
            // All delimiters before the next line end together.
            let before = (line_ends & line_ends.wrapping_neg()).wrapping_sub(1);
            let mut here = delimiters & before;
            delimiters &= !before;
            let bounds = &mut self.out.bounds;
            let known = bounds.len();
            bounds.resize(known + here.count_ones() as usize, 0);
            for bound in &mut bounds[known..] {
                *bound = narrow(base) + here.trailing_zeros();
                here &= here - 1;
            }
            if line_ends == 0 {
                return true;
            }
            let at = base + line_ends.trailing_zeros() as usize;
            line_ends &= line_ends - 1;
            let mut field_end = at;
            if self.marks.line_end == b'\n' && self.is_after_return(at) {
                field_end = at - 1;
                self.expected_other += 1;
            }
            self.out.bounds.push(narrow(field_end));
            if !self.end_record(at + 1) {
                return false;
            }
        }
    }

    /// Whether a carriage return of the open field is right before `at`.
    fn is_after_return(&self, at: usize) -> bool {
        let bounds = &self.out.bounds[self.record..];
        let start = match bounds {
            [start] => *start,
            [.., end] => end + 1,
            [] => narrow(at),
        };
        at > start as usize && self.text[at - 1] == b'\r'
    }

    /// Ends the record before `next`; false when it does not have the right number of fields.
    fn end_record(&mut self, next: usize) -> bool {
        let bounds = &mut self.out.bounds;
        let found = bounds.len() - self.record - 1;
        if found != self.out.fields {
            let start = bounds[self.record];
            if found == 1 && bounds[self.record + 1] == start {
                bounds.truncate(self.record);
                self.out.blank += 1;
            } else {
                bounds.truncate(self.record);
                self.out.fault =
                    Some(Fault { at: start as usize, kind: FaultKind::Ragged { found } });
                return false;
            }
        }
        self.out.end = next;
        self.record = bounds.len();
        bounds.push(narrow(next));
        true
    }

    /// Line-end characters inside a quoted field are part of its value.
    fn count_other_in(&mut self, field_end: usize) {
        let value = &self.text[self.field..field_end];
        self.expected_other += memchr::memchr_iter(self.other(), value).count();
    }

    /// The line-end character that does not end lines by itself.
    fn other(&self) -> u8 {
        if self.marks.line_end == b'\n' { b'\r' } else { b'\n' }
    }

    fn finish(mut self, in_quotes: bool) -> Tokens {
        if self.out.end != self.end {
            let at = if in_quotes { self.field } else { self.out.end };
            return self.stop(at, FaultKind::Open { quoted: in_quotes });
        }
        self.out.bounds.truncate(self.record);
        let whole = &self.text[self.start..self.end];
        let other = self.other();
        if memchr::memchr_iter(other, whole).count() != self.expected_other {
            let at = self.find_stray();
            self.out.fault = Some(Fault { at, kind: FaultKind::StrayLineEnd });
        }
        self.out
    }

    /// The first line-end character that is neither part of a line's end nor quoted.
    fn find_stray(&self) -> usize {
        let quote = self.marks.quote;
        let other = self.other();
        let records = self.out.bounds.chunks_exact(self.out.fields + 1);
        let fields = records.flat_map(|record| {
            (0..self.out.fields).map(move |f| {
                let start = if f == 0 { record[0] } else { record[f] + 1 };
                (start as usize, record[f + 1] as usize)
            })
        });
        let unquoted = fields.filter(|&(start, _)| Some(self.text[start]) != quote);
        let mut found = unquoted;
        let found = found.find_map(|(start, end)| {
            memchr::memchr(other, &self.text[start..end]).map(|at| start + at)
        });
        found.unwrap_or(self.start)
    }

    fn stop(mut self, at: usize, kind: FaultKind) -> Tokens {
        self.out.bounds.truncate(self.record);
        self.out.fault = Some(Fault { at, kind });
        self.out
    }
}

fn narrow(position: usize) -> u32 {
    u32::try_from(position).expect("a batch is far below 4 GiB")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MARKS: Marks = Marks { delimiter: b',', quote: Some(b'"'), line_end: b'\n' };

    fn fields(text: &str, count: usize) -> Result<Vec<Vec<String>>, FaultKind> {
        let mut padded = text.as_bytes().to_vec();
        padded.resize(text.len() + PADDING, 0);
        let tokens = tokenize(&padded, 0, text.len(), MARKS, count);
        if let Some(fault) = tokens.fault {
            return Err(fault.kind);
        }
        let columns: Vec<Vec<_>> =
            (0..count).map(|f| tokens.field(f, 0..tokens.records()).collect()).collect();
        let record = |r: usize| columns.iter().map(|c| text[c[r].0..c[r].1].to_owned()).collect();
        Ok((0..tokens.records()).map(record).collect())
    }

    /// One byte at a time, as the grammar says.
    fn slow(text: &str, count: usize) -> Result<Vec<Vec<String>>, FaultKind> {
        let (mut records, mut record, mut field) = (vec![], vec![], String::new());
        let mut chars = text.chars().peekable();
        let (mut quoted, mut after) = (false, false);
        while let Some(c) = chars.next() {
            if quoted {
                field.push(c);
                if c == '"' && chars.peek() == Some(&'"') {
                    field.push(chars.next().unwrap());
                } else if c == '"' {
                    (quoted, after) = (false, true);
                }
            } else if c == ',' || c == '\n' {
                let cut = c == '\n' && field.ends_with('\r');
                field.truncate(field.len() - usize::from(cut));
                if after && !field.ends_with('"') {
                    return Err(FaultKind::TextAfterQuote);
                }
                if !field.starts_with('"') && field.contains('\r') {
                    return Err(FaultKind::StrayLineEnd);
                }
                after = false;
                record.push(std::mem::take(&mut field));
                if c == '\n' {
                    let found = record.len();
                    if found == count {
                        records.push(std::mem::take(&mut record));
                    } else if record != [""] {
                        return Err(FaultKind::Ragged { found });
                    }
                    record.clear();
                }
            } else {
                if after && c != '\r' {
                    return Err(FaultKind::TextAfterQuote);
                }
                quoted = c == '"' && field.is_empty();
                field.push(c);
            }
        }
        if quoted || !record.is_empty() || !field.is_empty() {
            return Err(FaultKind::Open { quoted });
        }
        Ok(records)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]
        #[test]
        fn fields_are_those_of_the_slow_reader(
            parts in prop::collection::vec(
                prop_oneof![
                    4 => Just("a".to_owned()), 4 => Just(",".to_owned()), 3 => Just("\n".to_owned()),
                    2 => Just("\"".to_owned()), 1 => Just("\"x,\"\"y\n\"".to_owned()),
                    1 => Just("\r\n".to_owned()), 1 => "[a-z]{0,70}",
                ], 0..40),
            count in 1usize..4,
        ) {
            let text = parts.concat();
            let (fast, slow) = (fields(&text, count), slow(&text, count));
            // The first fault counts; where there are two, either may be named.
            prop_assert_eq!(fast.is_err(), slow.is_err(), "{:?} {:?}", &fast, &slow);
            if slow.is_ok() {
                prop_assert_eq!(fast, slow);
            }
        }
    }

    #[test]
    fn quoted_fields_hold_delimiters_and_line_ends() {
        let found = fields("a,\"b,\"\"\nc\"\r\n,\n", 2).unwrap();
        assert_eq!(found, [["a", "\"b,\"\"\nc\""], ["", ""]]);
    }

    #[test]
    fn faults_are_told_apart() {
        assert_eq!(fields("a,b\na\n", 2), Err(FaultKind::Ragged { found: 1 }));
        assert_eq!(fields("a,\"b\n", 2), Err(FaultKind::Open { quoted: true }));
        assert_eq!(fields("a,b", 2), Err(FaultKind::Open { quoted: false }));
        assert_eq!(fields("a,\"b\"c\n", 2), Err(FaultKind::TextAfterQuote));
        assert_eq!(fields("a,b\rc\n", 2), Err(FaultKind::StrayLineEnd));
    }

    #[test]
    fn a_quote_inside_a_plain_field_is_a_character() {
        assert_eq!(fields("5\",x\n", 2).unwrap(), [["5\"", "x"]]);
    }
}
