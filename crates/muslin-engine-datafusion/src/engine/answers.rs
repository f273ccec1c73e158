//! What queries answer.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use muslin_engine::{Error, Fault, Result};
use muslin_table::EncodedTable;

/// Whole numbers of a column of an answer.
pub(super) fn numbers(batches: &[RecordBatch], column: usize) -> Vec<u64> {
    signed(batches, column).into_iter().map(|number| u64::try_from(number).unwrap_or(0)).collect()
}

/// Whole numbers of a column of an answer, which may be below zero.
pub(super) fn signed(batches: &[RecordBatch], column: usize) -> Vec<i64> {
    let all = batches.iter().flat_map(|batch| {
        let values = batch.column(column).as_primitive::<Int64Type>();
        (0..values.len()).map(|at| values.value(at)).collect::<Vec<_>>()
    });
    all.collect()
}

/// The sum of fingerprints.
pub(super) fn sum(prints: &[i64]) -> i64 {
    prints.iter().fold(0, |sum, &print| sum.wrapping_add(print))
}

/// The only number of a column of an answer.
pub(super) fn one(batches: &[RecordBatch], column: usize) -> Result<u64> {
    match numbers(batches, column)[..] {
        [number] => Ok(number),
        _ => Err(mistaken()),
    }
}

pub(super) fn mistaken() -> Error {
    Error::Elsewhere {
        fault: Fault::Internal,
        reason: "the query's answer is not one to this question: this is a mistake of muslin's"
            .into(),
        hint: "please report it with the command and the version".into(),
    }
}

/// A table of as many rows as there must be.
pub(super) fn unchanged(table: EncodedTable, rows: u64) -> Result<EncodedTable> {
    if table.rows() as u64 == rows { Ok(table) } else { Err(changed()) }
}

pub(super) fn changed() -> Error {
    Error::Elsewhere {
        fault: Fault::Table,
        reason: "the table changed while it was asked about".into(),
        hint: "ask again once nobody writes to it".into(),
    }
}

/// What reading said, as an engine says it.
pub fn of_io(error: muslin_io::Error) -> Error {
    match error {
        muslin_io::Error::Engine(error) => error,
        muslin_io::Error::Table(error) => Error::Table(error),
        muslin_io::Error::Stopped(stop) => Error::Stopped(stop),
        other => {
            let said = other.to_string();
            let (reason, hint) =
                said.split_once("\n  hint: ").unwrap_or((&said, "check the table"));
            Error::Elsewhere { fault: Fault::Table, reason: reason.into(), hint: hint.into() }
        }
    }
}
