//! Fields to codes.

use std::borrow::Cow;

use rayon::prelude::*;

use super::Fields;
use super::tokens::{Marks, Tokens};
use crate::encode::{BytesEncoder, Ends};
use crate::read::ReadOptions;
use crate::read::columns::Chosen;
use crate::{Place, Problem, Result};

/// Encodes the fields of a block, columns in parallel.
pub(super) fn encode(
    encoders: &mut [BytesEncoder],
    fields: &Fields,
    chosen: &Chosen,
    marks: Marks,
    options: &ReadOptions,
    place: &Place,
) -> Result<()> {
    let rows = fields.pieces.iter().map(Tokens::records).sum();
    let ends: Vec<Result<()>> = encoders
        .par_iter_mut()
        .zip(&chosen.positions)
        .enumerate()
        .with_max_len(1)
        .map(|(index, (encoder, &position))| {
            let mut numbers = Vec::with_capacity(rows);
            for piece in &fields.pieces {
                let known = encoder.distinct();
                let begun = numbers.len();
                encode_piece(
                    encoder,
                    &fields.text,
                    piece,
                    position,
                    marks.quote,
                    options.csv.trim,
                    &mut numbers,
                );
                let bad = encoder.values_after(known).find_map(|(number, value)| {
                    value_problem(value).map(|problem| (number, problem))
                });
                if let Some((number, problem)) = bad {
                    let record = numbers[begun..].iter().position(|&n| n == number).unwrap_or(0);
                    let line = fields.line_of(piece.start_of(record));
                    return Err(place.clone().line(line).column(chosen.name(index)).error(problem));
                }
            }
            encoder.end_batch(&numbers);
            Ok(())
        })
        .collect();
    // In order: the error is the first column's, whichever thread is faster.
    ends.into_iter().collect()
}

fn encode_piece(
    encoder: &mut BytesEncoder,
    text: &[u8],
    piece: &Tokens,
    field: usize,
    quote: Option<u8>,
    trim: bool,
    numbers: &mut Vec<u32>,
) {
    let is_quoted = |start: usize| quote.is_some() && quote == Some(text[start]);
    let is_plain = |start: usize| !trim && !is_quoted(start);
    let value = |(start, end): (usize, usize)| {
        let value = &text[start..end];
        match is_quoted(start) {
            true => unquoted(value, quote),
            false if trim => value.trim_ascii().into(),
            false => value.into(),
        }
    };
    if encoder.has_many() {
        let values: Vec<_> = piece.field(field).map(value).collect();
        encoder.number_all(&values, numbers);
        return;
    }
    numbers.extend(piece.field(field).map(|(start, end)| {
        if is_plain(start) {
            // The text is padded, so eight bytes can be taken from any place.
            encoder.number_of_ends(Ends::within(text, start, end), &text[start..end])
        } else {
            encoder.number(&value((start, end)))
        }
    }));
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
