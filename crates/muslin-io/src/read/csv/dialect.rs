//! How a text is delimited, found out from its beginning.

use serde::{Deserialize, Serialize};

use super::Encoding;
use super::tokens::Marks;
use crate::{Error, Result};

/// How a delimited text is read. Parts that are not given are found out from its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CsvOptions {
    /// The character between fields.
    pub delimiter: Option<char>,
    /// The character around fields; `Some(None)` for a text without quotes.
    pub quote: Option<Option<char>>,
    /// Whether the first record holds the columns' names.
    pub header: Option<bool>,
    /// How characters are stored.
    pub encoding: Option<Encoding>,
    /// Whether the decimal mark is a comma.
    pub decimal_comma: Option<bool>,
    /// Whether spaces around unquoted fields are left out.
    pub trim: bool,
}

impl CsvOptions {
    /// What is wrong with the options, if anything is.
    pub(super) fn check(&self) -> Result<()> {
        let quote = self.quote.flatten();
        let unusable = |c: char| !c.is_ascii() || matches!(c, '\n' | '\r' | '\0');
        if self.delimiter.is_some_and(unusable) {
            return Err(Error::Options("the delimiter cannot be used"));
        }
        if quote.is_some_and(unusable) {
            return Err(Error::Options("the quote cannot be used"));
        }
        if quote.is_some() && quote == self.delimiter {
            return Err(Error::Options("the delimiter and the quote are the same"));
        }
        Ok(())
    }
}

/// How a text was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialect {
    /// The character between fields.
    pub delimiter: char,
    /// The character around fields, if there is one.
    pub quote: Option<char>,
    /// Whether the first record holds the columns' names.
    pub header: bool,
    /// Whether that was guessed and nothing in the text proves it.
    pub header_guessed: bool,
    /// How characters are stored.
    pub encoding: Encoding,
    /// Whether the decimal mark is a comma.
    pub decimal_comma: bool,
}

/// Delimiters that are tried; on a draw of all else the first wins, since commas and bars are also
/// found inside fields.
const DELIMITERS: [u8; 4] = [b'\t', b';', b'|', b','];
/// Records that are looked at.
const RECORDS: usize = 500;
/// Bytes that are looked at.
const BYTES: usize = 256 << 10;

/// Fields of some records, with their quotes.
type Records<'a> = Vec<Vec<&'a [u8]>>;

/// What the beginning of a text shows.
pub(super) struct Sniffed {
    pub(super) marks: Marks,
    pub(super) header: bool,
    /// What the first record looks like.
    pub(super) first: FirstRecord,
    pub(super) decimal_comma: bool,
}

/// Finds out how `text`, the beginning of an input, is delimited; given parts are kept.
pub(super) fn sniff(text: &[u8], whole: bool, options: &CsvOptions) -> Sniffed {
    let sample = &text[..text.len().min(BYTES)];
    let cut = sample.len() < text.len() || !whole;
    let line_end = line_end_of(sample);
    let given_delimiter = options.delimiter.and_then(|c| u8::try_from(c).ok());
    let given_quote = options.quote.map(|quote| quote.and_then(|c| u8::try_from(c).ok()));
    let candidates = |quote: Option<u8>| {
        let delimiters = given_delimiter.map_or(DELIMITERS.to_vec(), |given| vec![given]);
        let usable = delimiters.into_iter().filter(move |delimiter| Some(*delimiter) != quote);
        usable.map(move |delimiter| Marks { delimiter, quote, line_end })
    };
    let tried = [Some(b'"'), Some(b'\''), None].into_iter();
    let usable = tried.filter(|quote| given_delimiter.is_none() || *quote != given_delimiter);
    let quotes = given_quote.map_or_else(|| usable.take(2).collect(), |quote| vec![quote]);
    let mut best: Option<(Score, Marks, Records<'_>)> = None;
    for marks in quotes.into_iter().flat_map(candidates) {
        let records = split(sample, cut, marks);
        let score = Score::of(&records, marks, sample, given_quote.is_some());
        if best.as_ref().is_none_or(|(top, ..)| score > *top) {
            best = Some((score, marks, records));
        }
    }
    let (_, marks, records) = best.expect("there is always a candidate");
    let decimal_comma = options
        .decimal_comma
        .unwrap_or_else(|| marks.delimiter != b',' && shows_decimal_comma(&records));
    let first = look_at_first(&records, marks.quote, decimal_comma);
    let header = options.header.unwrap_or(first != FirstRecord::Data);
    Sniffed { marks, header, first, decimal_comma }
}

/// How well a candidate fits: larger is better, field by field.
#[derive(PartialEq, PartialOrd)]
struct Score {
    /// Share of records with the usual number of fields, where that is more than one.
    agreement: f64,
    /// A quote that is used beats one that is not; the double quote beats the single.
    quotes: u8,
    /// Share of the fields with quotes that quotes open and close.
    closed: f64,
    /// Commas that all stand between digits are decimal marks rather than delimiters.
    splits_no_numbers: bool,
    /// The usual number of fields.
    fields: usize,
}

impl Score {
    #[expect(clippy::cast_precision_loss, reason = "a few hundred records")]
    fn of(records: &[Vec<&[u8]>], marks: Marks, sample: &[u8], given_quote: bool) -> Self {
        let mut counts: Vec<usize> = records.iter().map(Vec::len).collect();
        counts.sort_unstable();
        let usual = counts.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).unwrap_or(&[]);
        let several = usual.first().is_some_and(|&fields| fields > 1);
        let agreement = if several { usual.len() as f64 / counts.len() as f64 } else { 0.0 };
        let quotes = match marks.quote {
            Some(b'\'') if !given_quote => {
                let quoted =
                    records.iter().filter(|r| r.iter().any(|f| is_quoted(f, b'\''))).count();
                let double = memchr::memchr(b'"', sample).is_some();
                if quoted * 2 > records.len() && !double { 2 } else { 0 }
            }
            _ => 1,
        };
        let with_quotes = || {
            let fields = records.iter().flatten().map(|field| field.trim_ascii());
            let quote = marks.quote.unwrap_or(b'"');
            fields.filter(move |field| field.contains(&quote)).map(move |f| is_quoted(f, quote))
        };
        let quoted = with_quotes().count();
        let closed = match quoted {
            0 => 1.0,
            _ => with_quotes().filter(|is_closed| *is_closed).count() as f64 / quoted as f64,
        };
        Self {
            agreement: if quotes == 0 { -1.0 } else { agreement },
            quotes,
            closed,
            splits_no_numbers: marks.delimiter != b',' || !are_decimal_commas(sample),
            fields: usual.first().copied().unwrap_or(0),
        }
    }
}

/// Whether every comma stands between two digits.
fn are_decimal_commas(sample: &[u8]) -> bool {
    let is_digit =
        |at: Option<usize>| at.and_then(|at| sample.get(at)).is_some_and(u8::is_ascii_digit);
    memchr::memchr_iter(b',', sample)
        .all(|at| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)))
}

fn is_quoted(field: &[u8], quote: u8) -> bool {
    field.len() >= 2 && field.first() == Some(&quote) && field.last() == Some(&quote)
}

/// Carriage return where it ends lines alone; line feed otherwise.
fn line_end_of(sample: &[u8]) -> u8 {
    let lone_returns =
        memchr::memchr(b'\n', sample).is_none() && memchr::memchr(b'\r', sample).is_some();
    if lone_returns { b'\r' } else { b'\n' }
}

/// The first records of a sample, fields with their quotes. A last record that the sample cuts is
/// left out.
fn split(sample: &[u8], cut: bool, marks: Marks) -> Records<'_> {
    let (mut records, mut record): (Records<'_>, Vec<&[u8]>) = (Vec::new(), Vec::new());
    let (mut start, mut in_quotes) = (0, false);
    for (at, &byte) in sample.iter().enumerate() {
        if Some(byte) == marks.quote && (in_quotes || at == start) {
            in_quotes = !in_quotes;
        } else if Some(byte) == marks.quote
            && sample[at - 1] == byte
            && sample.get(start) == Some(&byte)
        {
            in_quotes = true; // the second of a doubled quote
        } else if !in_quotes && (byte == marks.delimiter || byte == marks.line_end) {
            let field = &sample[start..at];
            start = at + 1;
            if byte == marks.delimiter {
                record.push(field);
                continue;
            }
            record.push(field.strip_suffix(b"\r").unwrap_or(field));
            if record.len() > 1 || !record[0].is_empty() {
                records.push(std::mem::take(&mut record));
            }
            record.clear();
            if records.len() == RECORDS {
                return records;
            }
        }
    }
    let unended = !cut && start < sample.len();
    if unended || records.is_empty() {
        record.push(&sample[start..]);
        records.push(record);
    }
    records
}

/// Some numbers have a comma that cannot be a thousands mark, and none has a point.
fn shows_decimal_comma(records: &[Vec<&[u8]>]) -> bool {
    let fields = || records.iter().skip(1).flatten();
    let with = |mark: u8| fields().filter(move |field| is_decimal(field, mark));
    let not_thousands =
        |field: &&&[u8]| field.rsplit(|&b| b == b',').next().is_some_and(|d| d.len() != 3);
    with(b'.').next().is_none() && with(b',').any(|field| not_thousands(&field))
}

/// Digits, the mark once, digits; a sign may come first.
fn is_decimal(field: &[u8], mark: u8) -> bool {
    let field = field.strip_prefix(b"-").unwrap_or(field);
    let mut parts = field.splitn(2, |&b| b == mark);
    let digits = |part: Option<&[u8]>| {
        part.is_some_and(|p| !p.is_empty() && p.iter().all(u8::is_ascii_digit))
    };
    digits(parts.next()) && digits(parts.next())
}

/// What the first record is, as far as the others tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstRecord {
    /// Some column is words in the first record and numbers or dates below: names.
    Names,
    /// Some column is numbers or dates from the first record on: data.
    Data,
    /// Nothing tells; names are the custom.
    ProbablyNames,
}

fn look_at_first(records: &[Vec<&[u8]>], quote: Option<u8>, decimal_comma: bool) -> FirstRecord {
    let Some((first, rest)) = records.split_first() else {
        return FirstRecord::ProbablyNames;
    };
    let plain = |field: &[u8]| -> Vec<u8> {
        let field = field.trim_ascii();
        let inner = quote.and_then(|quote| field.strip_prefix(&[quote])?.strip_suffix(&[quote]));
        inner.unwrap_or(field).trim_ascii().to_vec()
    };
    let like_data = |field: &[u8]| is_like_number(field, decimal_comma) || is_like_date(field);
    let mostly_data = |column: usize| {
        let below = rest.iter().filter_map(|record| record.get(column)).map(|field| plain(field));
        let below: Vec<Vec<u8>> = below.filter(|field| !is_like_missing(field)).collect();
        (below.len(), below.iter().filter(|field| like_data(field)).count())
    };
    let (mut names, mut data) = (false, Vec::new());
    for (column, field) in first.iter().enumerate() {
        let (all, alike) = mostly_data(column);
        // Four in five: a few cells may be spoiled.
        let numeric = alike * 5 >= all * 4;
        let field = plain(field);
        match like_data(&field) {
            true if numeric => data.push(field),
            false if numeric && all > 0 && !is_like_missing(&field) => names = true,
            _ => {}
        }
    }
    match (names, data.as_slice()) {
        (true, []) => FirstRecord::Names,
        (_, []) => FirstRecord::ProbablyNames,
        (_, data) if are_even_years(data) => FirstRecord::Names,
        _ => FirstRecord::Data,
    }
}

/// Spellings that stand for missing so often that they tell nothing about a column.
fn is_like_missing(field: &[u8]) -> bool {
    let usual: [&[u8]; 10] =
        [b"", b"NA", b"N/A", b"NULL", b"null", b"NaN", b"nan", b"None", b"?", b"."];
    usual.contains(&field)
}

fn is_like_number(field: &[u8], decimal_comma: bool) -> bool {
    let text = String::from_utf8_lossy(field);
    let text = if decimal_comma { text.replace(',', ".") } else { text.into_owned() };
    text.contains(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

/// Three numbers with the same mark between them, and perhaps a time: `2020-01-31`, `31.1.20`,
/// `1/31/2020 10:00`.
fn is_like_date(field: &[u8]) -> bool {
    let Some(mark) = field.iter().copied().find(|b| !b.is_ascii_digit()) else { return false };
    let day = field.split(|b| matches!(b, b' ' | b'T')).next().unwrap_or(field);
    let parts: Vec<&[u8]> = day.split(|&b| b == mark).collect();
    let numbers =
        parts.iter().all(|p| (1..=4).contains(&p.len()) && p.iter().all(u8::is_ascii_digit));
    matches!(mark, b'-' | b'/' | b'.') && parts.len() == 3 && numbers
}

/// Two or more years at even steps: columns of a wide table, not cells of a row.
fn are_even_years(fields: &[Vec<u8>]) -> bool {
    let year = |field: &Vec<u8>| -> Option<i32> {
        let year = std::str::from_utf8(field).ok()?.parse().ok()?;
        (1800..=2200).contains(&year).then_some(year)
    };
    let Some(years) = fields.iter().map(year).collect::<Option<Vec<i32>>>() else { return false };
    let step = years.get(1).map_or(0, |second| second - years[0]);
    step != 0 && years.windows(2).all(|pair| pair[1] - pair[0] == step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (char, Option<char>, bool, bool) {
        let sniffed = sniff(text.as_bytes(), true, &CsvOptions::default());
        let Marks { delimiter, quote, .. } = sniffed.marks;
        (char::from(delimiter), quote.map(char::from), sniffed.header, sniffed.decimal_comma)
    }

    #[test]
    fn dialects_are_found_out() {
        for (text, expected) in [
            ("a,b\n1,2\n", (',', Some('"'), true, false)),
            ("a;b\n1,5;2,25\n", (';', Some('"'), true, true)),
            ("a;b\n1,500;2\n", (';', Some('"'), true, false)),
            ("a\tb\n1\t2\n", ('\t', Some('"'), true, false)),
            ("a|b\nx|y\n", ('|', Some('"'), true, false)),
            ("a\n1\n", (',', Some('"'), true, false)),
            ("1,2\n3,4\n", (',', Some('"'), false, false)),
            ("ann,1980-01-01\nbob,1990-01-01\n", (',', Some('"'), false, false)),
            ("name,2010\nx,y\n", (',', Some('"'), true, false)),
            ("'a','b'\n'x,y','z'\n'1','2'\n", (',', Some('\''), true, false)),
            ("a,b\n'tis,x\nit's,y\n", (',', Some('"'), true, false)),
            ("\"a;b\",c\n\"1;2\",3\n", (',', Some('"'), true, false)),
            ("\"a,\"\"b\",c\n\"1,2\",3\n", (',', Some('"'), true, false)),
            ("34,1.5\n35,NA\nNA,2.5\n36,3.5\n", (',', Some('"'), false, false)),
            ("1,x\n\"\",y\n3,z\n", (',', Some('"'), false, false)),
            ("Ann,2020-01-01 10:00:00\nBob,2021-01-01 11:00:00\n", (',', Some('"'), false, false)),
            ("Ann,01/02/2020,1e5\nBob,03/04/2021,2e5\n", (',', Some('"'), false, false)),
            (" 39, State-gov\n 50, Self\n", (',', Some('"'), false, false)),
            ("country,2010,2011\nx,5,6\ny,7,8\n", (',', Some('"'), true, false)),
            ("id,age\n1,30\n2,?\n", (',', Some('"'), true, false)),
            // With bars each record has two fields too, but no quote opens or closes one of them.
            (
                "sex,\"k|l\",n\nf,\"{\"\"a:2,b:1\"\", k|l}\",1\nm,\"{a, k|l}\",2\n",
                (',', Some('"'), true, false),
            ),
            // Of delimiters that are as regular, the one that makes more fields.
            ("a,b|c,d\nx,y|z,w\n", (',', Some('"'), true, false)),
            // Commas between digits are decimal marks.
            ("1,5;2,5\n3,5;4,5\n", (';', Some('"'), false, true)),
            ("a,b", (',', Some('"'), true, false)),
            ("", (',', Some('"'), true, false)),
        ] {
            let expected = if text.is_empty() || !text.contains([',', ';', '|', '\t']) {
                // Nothing tells a delimiter: any will do, and the first is taken.
                (found(text).0, expected.1, expected.2, expected.3)
            } else {
                expected
            };
            assert_eq!(found(text), expected, "{text:?}");
        }
    }

    #[test]
    fn given_parts_are_kept() {
        let options = CsvOptions {
            delimiter: Some(';'),
            quote: Some(None),
            header: Some(false),
            decimal_comma: Some(true),
            ..CsvOptions::default()
        };
        let sniffed = sniff(b"a,b\nc,d\n", true, &options);
        assert_eq!((sniffed.marks.delimiter, sniffed.marks.quote), (b';', None));
        assert!(!sniffed.header && sniffed.decimal_comma);
    }

    #[test]
    fn lone_carriage_returns_end_lines() {
        assert_eq!(sniff(b"a,b\rc,d\r", true, &CsvOptions::default()).marks.line_end, b'\r');
        assert_eq!(sniff(b"a,b\r\nc,d\r\n", true, &CsvOptions::default()).marks.line_end, b'\n');
    }
}
