use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, SchemaRef};
use muslin_engine::Run;
use muslin_table::EncodedTable;

use super::Failed;
use super::values::{Stored, batches};
use crate::Result;

/// Writes an Arrow IPC file.
pub(super) fn write(
    table: &EncodedTable,
    run: &Run,
    out: &mut (dyn Write + Send),
) -> Result<(), Failed> {
    let stored = Stored::new(table);
    let mut writer = FileWriter::try_new(out, stored.schema()).map_err(io_error)?;
    for rows in batches(table) {
        run.check()?;
        let count = rows.len() as u64;
        writer.write(&stored.batch(rows)).map_err(io_error)?;
        run.reporter().advance(count);
    }
    writer.finish().map_err(io_error)?;
    Ok(())
}

/// The batches that are written, all at once; buffers are new ones.
pub(super) fn batches_of(table: &EncodedTable, run: &Run) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let stored = Stored::new(table);
    let make = |rows: std::ops::Range<usize>| {
        run.check()?;
        let count = rows.len() as u64;
        let made = stored.batch(rows);
        run.reporter().advance(count);
        Ok(made)
    };
    let made: Result<Vec<RecordBatch>> = batches(table).map(make).collect();
    Ok((Arc::clone(stored.schema()), made?))
}

pub(super) fn io_error(error: ArrowError) -> Failed {
    Failed::Io(match error {
        ArrowError::IoError(_, error) => error,
        _ => io::ErrorKind::Other.into(),
    })
}
