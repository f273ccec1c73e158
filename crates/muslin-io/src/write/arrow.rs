use std::io::{self, Write};

use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use muslin_engine::Run;
use muslin_table::EncodedTable;

use super::Failed;
use super::values::{batch, batches, schema};

/// Writes an Arrow IPC file.
pub(super) fn write(
    table: &EncodedTable,
    run: &Run,
    out: &mut (dyn Write + Send),
) -> Result<(), Failed> {
    let schema = schema(table);
    let mut writer = FileWriter::try_new(out, &schema).map_err(io_error)?;
    for rows in batches(table) {
        run.check()?;
        let count = rows.len() as u64;
        writer.write(&batch(table, &schema, rows)).map_err(io_error)?;
        run.reporter().advance(count);
    }
    writer.finish().map_err(io_error)?;
    Ok(())
}

pub(super) fn io_error(error: ArrowError) -> Failed {
    Failed::Io(match error {
        ArrowError::IoError(_, error) => error,
        _ => io::ErrorKind::Other.into(),
    })
}
