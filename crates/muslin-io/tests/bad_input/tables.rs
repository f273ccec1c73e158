//! Arrow and Parquet files to make cases of.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{CompressionType, MetadataVersion};
use arrow_schema::{Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// A batch of named columns that may hold nulls.
pub(crate) fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(schema), arrays).expect("columns of one length")
}

/// A Parquet file of batches, one row group each.
pub(crate) fn parquet(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    pressed: Compression,
) -> Vec<u8> {
    let properties = WriterProperties::builder().set_compression(pressed).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, Arc::clone(schema), Some(properties))
        .expect("a schema that Parquet has");
    for batch in batches {
        writer.write(batch).expect("memory can be written to");
        writer.flush().expect("memory can be written to");
    }
    writer.close().expect("memory can be written to");
    bytes
}

/// A Parquet file of one batch.
pub(crate) fn parquet_of(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = batch(columns);
    parquet(&batch.schema(), &[batch], Compression::UNCOMPRESSED)
}

fn ipc_options(pressed: Option<CompressionType>) -> IpcWriteOptions {
    IpcWriteOptions::try_new(8, false, MetadataVersion::V5)
        .and_then(|options| options.try_with_compression(pressed))
        .expect("options that fit together")
}

/// An Arrow file of batches.
pub(crate) fn arrow_file(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    pressed: Option<CompressionType>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new_with_options(&mut bytes, schema, ipc_options(pressed))
        .expect("memory can be written to");
    for batch in batches {
        writer.write(batch).expect("memory can be written to");
    }
    writer.finish().expect("memory can be written to");
    drop(writer);
    bytes
}

/// An Arrow file of one batch.
pub(crate) fn arrow_file_of(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = batch(columns);
    arrow_file(&batch.schema(), &[batch], None)
}

/// An Arrow stream of batches.
pub(crate) fn arrow_stream(schema: &SchemaRef, batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, schema).expect("memory can be written to");
    for batch in batches {
        writer.write(batch).expect("memory can be written to");
    }
    writer.finish().expect("memory can be written to");
    drop(writer);
    bytes
}
