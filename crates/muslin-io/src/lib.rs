//! Internal: both ends of the flow, files to [`muslin_table::EncodedTable`] and releases to files.
//!
//! ```text
//! file -> bytes -> (decompress) -> (decode text) -> fields or arrays -> codes and dictionaries
//! table, changes -> Release -> values -> temporary file -> destination
//! results -> batches -> ResultWriter -> temporary file -> destination
//! ```
//!
//! Reading keeps the codes and each distinct value, never the text; writing makes every byte
//! anew from the values that are published.

mod apply;
mod cause;
mod draws;
mod encode;
mod error;
mod memory;
mod read;
mod residue;
mod types;
mod write;

pub use apply::{Release, RowOrder, seeded_order};
pub use cause::Cause;
pub use draws::SystemDraws;
pub use encode::{MissingValue, missing_values, retyped};
pub use error::{Error, Kept, OutputProblem, Place, Problem, Result};
pub use memory::{Batches, Memory};
pub use read::{
    ColumnChoice, Compression, CsvOptions, Dialect, Encoding, Format, Input, ReadOptions,
    ReadTable, SampledTable, Source, draw_rows, encode_batches, encode_stream, read, sample,
    sample_batches,
};
pub use residue::{Residue, ResidueKind, find_residue};
pub use types::{ColumnType, type_name};
pub use write::{
    CsvStyle, Destination, IsOurs, Prepared, ResultWriter, SafeFolder, ScratchFolder, WriteFormat,
    WriteOptions, check_destination, check_folder, check_outputs, remove_temporary_files, write,
    write_text, write_together,
};
