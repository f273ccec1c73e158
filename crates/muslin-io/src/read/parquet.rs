use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use bytes::Bytes;
use muslin_engine::Run;
use muslin_table::EncodedTable;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use rayon::prelude::*;

use super::arrow::check_rows;
use super::columns::Chosen;
use super::sample::{SampleSize, draw_rows};
use super::source::Opened;
use super::{ReadOptions, ReadTable, SampledTable, Source, arrow, guarded};
use crate::encode::ArrayEncoder;
use crate::{Error, Place, Problem, Result};

/// Rows decoded at a time.
const BATCH_ROWS: usize = 1 << 16;

/// Reads a Parquet file, columns in parallel, each from first to last row group.
///
/// Text that the file stores as dictionaries is asked for as such: a dictionary page is then looked
/// at once and its strings are never copied per row.
pub(super) fn read(
    opened: Opened,
    options: &ReadOptions,
    run: &Run,
    place: &Place,
) -> Result<ReadTable> {
    let file = ParquetFile::open(opened, options, run, place)?;
    let table = file.table(None, options, run, place)?;
    Ok(ReadTable { table, source: file.source })
}

/// Draws a sample of the rows; see [`sample`](super::sample()). The footer tells how many there are, so the
/// sample is known before any is decoded, and the others are passed over.
pub(super) fn sample(
    opened: Opened,
    options: &ReadOptions,
    size: SampleSize<'_>,
    run: &Run,
    place: &Place,
) -> Result<SampledTable> {
    let file = ParquetFile::open(opened, options, run, place)?;
    let rows = file.rows as u64;
    if !rows_agree(&file.metadata, rows) {
        return Err(damaged(place));
    }
    let wanted = (size.wanted)(rows, file.chosen.positions.len());
    let drawn = draw_rows(rows, wanted, run.seed_of_run(), run)?;
    let table = file.table(drawn.as_deref(), options, run, place)?;
    Ok(SampledTable { table, rows, source: file.source })
}

/// A file whose footer was read.
struct ParquetFile {
    content: Content,
    metadata: ArrowReaderMetadata,
    chosen: Chosen,
    rows: usize,
    source: Source,
}

impl ParquetFile {
    fn open(opened: Opened, options: &ReadOptions, run: &Run, place: &Place) -> Result<Self> {
        let (file, format, compression, bytes) =
            (opened.name.clone(), opened.format, opened.compression, opened.bytes);
        let content = match (opened.file, opened.bytes) {
            (Some(file), Some(length)) => Content::File(Arc::new(file), length),
            (file, bytes) => {
                Content::Memory(Opened { file, bytes, ..opened }.into_bytes(run)?.into())
            }
        };
        let metadata = guarded(|| load_metadata(&content)).and_then(Result::ok);
        let metadata = metadata.ok_or_else(|| damaged(place))?;
        let columns = arrow::names_of(metadata.schema());
        let chosen = Chosen::new(&columns, options, place)?;
        let rows = metadata.metadata().file_metadata().num_rows();
        let rows = usize::try_from(rows).map_err(|_| damaged(place))?;
        let source =
            Source { file, format, compression, dialect: None, columns, blank_lines: 0, bytes };
        Ok(Self { content, metadata, chosen, rows, source })
    }

    /// The table of the rows that were drawn, or of all of them.
    fn table(
        &self,
        drawn: Option<&[u64]>,
        options: &ReadOptions,
        run: &Run,
        place: &Place,
    ) -> Result<EncodedTable> {
        let Self { metadata, chosen, .. } = self;
        let encoders = arrow::encoders(metadata.schema(), chosen, options, place)?;
        let rows = drawn.map_or(self.rows, <[u64]>::len);
        check_rows(rows, chosen, run)?;
        let others = AllMemory::default();
        let encoders: Result<Vec<ArrayEncoder>> = encoders
            .into_par_iter()
            .zip(&chosen.positions)
            .with_max_len(1)
            .map(|(mut encoder, &position)| {
                let mut reader = guarded(|| self.reader(position, drawn))
                    .and_then(Result::ok)
                    .ok_or_else(|| damaged(place))?;
                let (mut read_rows, mut counted) = (0, 0);
                while let Some(batch) = guarded(|| reader.next()).ok_or_else(|| damaged(place))? {
                    run.check()?;
                    let batch = batch.map_err(|_| damaged(place))?;
                    read_rows += batch.num_rows();
                    encoder.push(batch.column(0));
                    let memory = encoder.memory() as u64;
                    run.check_memory(others.change(counted, memory))?;
                    counted = memory;
                }
                if read_rows != rows {
                    return Err(damaged(place));
                }
                run.reporter().advance(stored_bytes(metadata, position));
                Ok(encoder)
            })
            .collect();
        let row_of = |row: u64| {
            let row_drawn = drawn.zip(usize::try_from(row).ok()).and_then(|(d, at)| d.get(at));
            row_drawn.copied().unwrap_or(row)
        };
        arrow::finish(encoders?, rows, chosen, options, place, &row_of)
    }

    /// The batches of one column, of the rows that were drawn or of all of them.
    fn reader(
        &self,
        position: usize,
        drawn: Option<&[u64]>,
    ) -> Result<ParquetRecordBatchReader, ParquetError> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), [position]);
        let (content, metadata) = (self.content.clone(), self.metadata.clone());
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(content, metadata)
            .with_projection(mask);
        let Some(drawn) = drawn else {
            return builder.with_batch_size(BATCH_ROWS).build();
        };
        // As many as there are among so many rows, so that limits are looked at as often.
        let share = drawn.len().saturating_mul(BATCH_ROWS) / self.rows.max(1);
        let ranges = drawn.iter().filter_map(|&row| usize::try_from(row).ok());
        let selection =
            RowSelection::from_consecutive_ranges(ranges.map(|row| row..row + 1), self.rows);
        builder.with_row_selection(selection).with_batch_size(share.max(16)).build()
    }
}

fn damaged(place: &Place) -> Error {
    place.clone().error(Problem::Damaged("Parquet"))
}

/// Whether the row groups have as many rows as the footer says, and none more than any writer puts
/// into one. Drawing takes time for every row that is claimed.
fn rows_agree(metadata: &ArrowReaderMetadata, rows: u64) -> bool {
    let groups = metadata.metadata().row_groups().iter();
    let sum: Option<u64> =
        groups.map(|group| u32::try_from(group.num_rows()).ok().map(u64::from)).sum();
    sum == Some(rows)
}

/// Reads the footer, and decides how to read the columns.
fn load_metadata(content: &Content) -> Result<ArrowReaderMetadata, ParquetError> {
    let options = ArrowReaderOptions::new();
    let own = ArrowReaderMetadata::load(content, options.clone())?;
    let as_wanted = |dictionaries: bool| {
        let wanted = options.clone().with_schema(wanted_schema(&own, dictionaries));
        ArrowReaderMetadata::try_new(Arc::clone(own.metadata()), wanted)
    };
    // Dictionaries are for speed: a file that does not give them is read without.
    as_wanted(true).or_else(|_| as_wanted(false))
}

/// Bytes that all columns together use.
#[derive(Default)]
struct AllMemory(AtomicU64);

impl AllMemory {
    /// One column's part changes; returns the new sum. A part may shrink.
    fn change(&self, from: u64, to: u64) -> u64 {
        let change = to.wrapping_sub(from);
        self.0.fetch_add(change, Ordering::Relaxed).wrapping_add(change)
    }
}

fn stored_bytes(metadata: &ArrowReaderMetadata, position: usize) -> u64 {
    let of = |group: &parquet::file::metadata::RowGroupMetaData| {
        let columns = group.columns().iter().zip(0..);
        let roots = columns
            .filter(|(_, leaf)| metadata.parquet_schema().get_column_root_idx(*leaf) == position);
        roots.map(|(column, _)| u64::try_from(column.compressed_size()).unwrap_or(0)).sum::<u64>()
    };
    metadata.metadata().row_groups().iter().map(of).sum()
}

/// The schema to read by: text that is stored as dictionaries is asked for as such.
fn wanted_schema(own: &ArrowReaderMetadata, dictionaries: bool) -> SchemaRef {
    let roots = own.parquet_schema().root_schema().get_fields();
    let is_int96 = |root: usize| {
        roots[root].is_primitive() && roots[root].get_physical_type() == PhysicalType::INT96
    };
    let fields: Vec<Field> = own
        .schema()
        .fields()
        .iter()
        .enumerate()
        .map(|(root, field)| match field.data_type() {
            // Nanoseconds of 64 bits end in 2262 and would wrap around without a word.
            DataType::Timestamp(_, zone) if is_int96(root) => {
                let moment = DataType::Timestamp(TimeUnit::Microsecond, zone.clone());
                Field::new(field.name(), moment, field.is_nullable())
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
                if dictionaries && is_dictionary(own, root) =>
            {
                let (key, text) = (Box::new(DataType::Int32), Box::new(DataType::Utf8));
                Field::new(field.name(), DataType::Dictionary(key, text), field.is_nullable())
            }
            _ => field.as_ref().clone(),
        })
        .collect();
    Arc::new(Schema::new_with_metadata(fields, own.schema().metadata().clone()))
}

/// Whether every data page of a column refers to a dictionary, as far as the file tells. Making a
/// dictionary of pages that do not would cost more than it saves.
fn is_dictionary(metadata: &ArrowReaderMetadata, root: usize) -> bool {
    let leaf_of = |leaf: usize| metadata.parquet_schema().get_column_root_idx(leaf) == root;
    let groups = metadata.metadata().row_groups().iter();
    let mut chunks = groups.flat_map(|group| {
        group
            .columns()
            .iter()
            .enumerate()
            .filter(|(leaf, _)| leaf_of(*leaf))
            .map(|(_, chunk)| chunk)
    });
    chunks.all(|chunk| {
        let only =
            |encoding| chunk.page_encoding_stats_mask().is_none_or(|mask| mask.is_only(encoding));
        only(Encoding::RLE_DICTIONARY) || only(Encoding::PLAIN_DICTIONARY)
    })
}

/// The bytes of a Parquet file, read at any place from any thread.
#[derive(Clone)]
enum Content {
    File(Arc<File>, u64),
    Memory(Bytes),
}

impl Length for Content {
    fn len(&self) -> u64 {
        match self {
            Self::File(_, length) => *length,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Content {
    type T = Box<dyn Read + Send>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(match self {
            Self::File(file, _) => {
                Box::new(io::BufReader::new(FileFrom { file: Arc::clone(file), at: start }))
            }
            Self::Memory(bytes) => Box::new(io::Cursor::new(slice(bytes, start, None)?)),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        match self {
            Self::File(file, whole) => {
                if start.checked_add(length as u64).is_none_or(|end| end > *whole) {
                    return Err(ParquetError::EOF("past the end of the file".into()));
                }
                let mut bytes = vec![0; length];
                read_exact_at(file, &mut bytes, start)?;
                Ok(bytes.into())
            }
            Self::Memory(bytes) => slice(bytes, start, Some(length)),
        }
    }
}

fn slice(bytes: &Bytes, start: u64, length: Option<usize>) -> Result<Bytes, ParquetError> {
    let start = usize::try_from(start).ok().filter(|start| *start <= bytes.len());
    let end = start.and_then(|start| length.map_or(Some(bytes.len()), |l| start.checked_add(l)));
    match (start, end.filter(|end| *end <= bytes.len())) {
        (Some(start), Some(end)) => Ok(bytes.slice(start..end)),
        _ => Err(ParquetError::EOF("past the end of the file".into())),
    }
}

/// Reads a file from a place on without moving the position that other threads share.
struct FileFrom {
    file: Arc<File>,
    at: u64,
}

impl Read for FileFrom {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

fn read_exact_at(file: &File, mut buffer: &mut [u8], mut at: u64) -> Result<(), ParquetError> {
    while !buffer.is_empty() {
        match read_at(file, buffer, at) {
            Ok(0) => return Err(ParquetError::EOF("the file ends early".into())),
            Ok(read) => {
                buffer = &mut buffer[read..];
                at += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ParquetError::from(error)),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}
