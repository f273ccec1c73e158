use std::io::{self, Write};
use std::sync::Arc;

use arrow_schema::SchemaRef;
use muslin_engine::Run;
use muslin_table::EncodedTable;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::Failed;
use super::values::{Stored, batches};

/// Begins a Parquet file. Its statistics are those of the published values; it names no program
/// version, so files of equal content are equal.
pub(super) fn writer<W: Write + Send>(
    out: W,
    schema: &SchemaRef,
) -> Result<ArrowWriter<W>, Failed> {
    let properties = WriterProperties::builder()
        .set_created_by("muslin".into())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    ArrowWriter::try_new(out, Arc::clone(schema), Some(properties)).map_err(io_error)
}

/// Writes a Parquet file.
pub(super) fn write(
    table: &EncodedTable,
    run: &Run,
    out: &mut (dyn Write + Send),
) -> Result<(), Failed> {
    let stored = Stored::new(table);
    let mut writer = writer(out, stored.schema())?;
    for rows in batches(table) {
        run.check()?;
        let count = rows.len() as u64;
        writer.write(&stored.batch(rows)).map_err(io_error)?;
        run.reporter().advance(count);
    }
    writer.close().map_err(io_error)?;
    Ok(())
}

pub(super) fn io_error(error: ParquetError) -> Failed {
    Failed::Io(match error {
        ParquetError::External(error) => error
            .downcast::<io::Error>()
            .map_or_else(|_| io::ErrorKind::Other.into(), |error| *error),
        _ => io::ErrorKind::Other.into(),
    })
}
