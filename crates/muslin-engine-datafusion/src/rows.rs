//! Rows in their order: samples, and whole columns.
//!
//! A row's number is its place in the first file, then in the second and so on, files in the order of their
//! names; of a query, its place in what the query gives when it runs on one thread.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_schema::{ArrowError, SchemaRef};
use datafusion::arrow::compute::interleave_record_batch;
use datafusion::catalog::TableProvider;
use datafusion::common::DataFusionError;
use datafusion::common::stats::Precision;
use datafusion::datasource::listing::{ListingTable, PartitionedFile};
use datafusion::datasource::physical_plan::parquet::ParquetRowSelection;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::parquet::arrow::arrow_reader::{RowSelection, RowSelector};
use datafusion::prelude::SessionContext;
use futures::{FutureExt, StreamExt};
use muslin_engine::Run;
use tokio::runtime::Runtime;

use crate::drawn::ScannedFiles;

type Result<T, E = DataFusionError> = std::result::Result<T, E>;

/// Bytes of a file that are read at a time.
const PIECE: u64 = 32 << 20;

/// Files of a table with their numbers of rows, in order.
pub(crate) struct Files(Vec<(PartitionedFile, u64)>);

impl Files {
    /// Files and how many rows each has.
    pub(crate) fn new(files: Vec<(PartitionedFile, u64)>) -> Self {
        Self(files)
    }

    /// The files of a table; nothing where their footers do not say how many rows they have.
    pub(crate) async fn of(context: &SessionContext, table: &ListingTable) -> Result<Option<Self>> {
        let state = context.state();
        let listed = table.list_files_for_scan(&state, &[], None).await?;
        let mut files: Vec<PartitionedFile> =
            listed.file_groups.into_iter().flat_map(FileGroup::into_inner).collect();
        files.sort_by(|a, b| a.object_meta.location.cmp(&b.object_meta.location));
        let rows = |file: &PartitionedFile| match file.statistics.as_ref()?.num_rows {
            Precision::Exact(rows) => Some(rows as u64),
            _ => None,
        };
        let with_rows = files.into_iter().map(|file| rows(&file).map(|rows| (file, rows)));
        Ok(with_rows.collect::<Option<Vec<_>>>().map(Self))
    }

    pub(crate) fn rows(&self) -> u64 {
        self.0.iter().map(|(_, rows)| rows).sum()
    }

    /// The files that hold some of these rows, each with a mark of which; a large file several times, in pieces.
    /// Rows are in order.
    pub(crate) fn holding(&self, drawn: &[u64]) -> Vec<PartitionedFile> {
        let mut holding = Vec::new();
        let (mut first, mut drawn) = (0, drawn);
        for (file, rows) in &self.0 {
            let own = drawn.partition_point(|&row| row < first + rows);
            // Pages of a file with drawn rows are fetched all at once, so a large one is read in pieces.
            let piece =
                u128::from(*rows) * u128::from(PIECE) / u128::from(file.object_meta.size.max(1));
            let piece = u64::try_from(piece).unwrap_or(u64::MAX).max(1);
            for some in drawn[..own].chunk_by(|a, b| (a - first) / piece == (b - first) / piece) {
                let selection = selection(some.iter().map(|row| row - first), *rows);
                holding.push(file.clone().with_extension(ParquetRowSelection::new(selection)));
            }
            drawn = &drawn[own..];
            first += rows;
        }
        holding
    }
}

/// The selection of some of `rows` rows; they are in order.
fn selection(drawn: impl Iterator<Item = u64>, rows: u64) -> RowSelection {
    let count = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
    let mut selectors: Vec<RowSelector> = Vec::new();
    let mut next = 0;
    for row in drawn {
        match selectors.last_mut() {
            Some(last) if row == next => last.row_count += 1,
            _ => {
                if row > next {
                    selectors.push(RowSelector::skip(count(row - next)));
                }
                selectors.push(RowSelector::select(1));
            }
        }
        next = row + 1;
    }
    if next < rows {
        selectors.push(RowSelector::skip(count(rows - next)));
    }
    selectors.into()
}

/// Reads the chosen columns of all rows of Parquet files, one file after the other; nothing where there is no
/// file.
pub(crate) async fn scanned(
    context: &SessionContext,
    table: &ListingTable,
    files: &Files,
    columns: &[usize],
) -> Result<Option<ScannedFiles>> {
    let state = context.state();
    let plan = table.scan(&state, Some(&columns.to_vec()), &[], None).await?;
    let source = plan.downcast_ref::<DataSourceExec>();
    let scan = source.and_then(|own| own.data_source().downcast_ref::<FileScanConfig>());
    let Some(scan) = scan else { return Ok(None) };
    // What is known of their values need not travel with them.
    let bare =
        |(file, _): &(PartitionedFile, u64)| PartitionedFile { statistics: None, ..file.clone() };
    let groups = vec![FileGroup::new(files.0.iter().map(bare).collect())];
    let scan = FileScanConfigBuilder::from(scan.clone()).with_file_groups(groups).build();
    let rows = files.0.iter().map(|(_, rows)| *rows).collect();
    Ok(Some(ScannedFiles::new(DataSourceExec::from_data_source(scan), rows)))
}

/// Rows in the order of their numbers, which are the last column; nothing where those are not `wanted`.
pub(crate) fn in_order(
    batches: &[RecordBatch],
    wanted: &[u64],
) -> Option<Vec<Result<RecordBatch, ArrowError>>> {
    const AT_ONCE: usize = 8192;
    let mut places: Vec<(u64, (usize, usize))> = Vec::new();
    for (at, batch) in batches.iter().enumerate() {
        let numbers = batch.columns().last()?.as_primitive_opt::<UInt64Type>()?;
        places.extend(numbers.values().iter().enumerate().map(|(row, &own)| (own, (at, row))));
    }
    places.sort_unstable();
    if !places.iter().map(|(number, _)| number).eq(wanted) {
        return None;
    }
    let columns: Vec<usize> =
        (0..batches.first().map_or(0, |batch| batch.num_columns() - 1)).collect();
    let rows: Result<Vec<RecordBatch>, ArrowError> =
        batches.iter().map(|batch| batch.project(&columns)).collect();
    let rows = match rows {
        Ok(rows) => rows,
        Err(error) => return Some(vec![Err(error)]),
    };
    let rows: Vec<&RecordBatch> = rows.iter().collect();
    let ordered = places.chunks(AT_ONCE).map(|some| {
        let some: Vec<(usize, usize)> = some.iter().map(|(_, place)| *place).collect();
        interleave_record_batch(&rows, &some)
    });
    Some(ordered.collect())
}

/// Batches of a stream one after the other, for those who do not wait in turns.
pub(crate) struct Streamed<'a> {
    runtime: &'a Runtime,
    run: &'a Run,
    stream: SendableRecordBatchStream,
    /// What went wrong, to be told instead of what those who took the batches say.
    failed: Arc<Mutex<Option<DataFusionError>>>,
}

impl<'a> Streamed<'a> {
    pub(crate) fn new(
        runtime: &'a Runtime,
        run: &'a Run,
        stream: SendableRecordBatchStream,
    ) -> Self {
        Self { runtime, run, stream, failed: Arc::default() }
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.stream.schema()
    }

    /// Where an error will be.
    pub(crate) fn failure(&self) -> Arc<Mutex<Option<DataFusionError>>> {
        Arc::clone(&self.failed)
    }
}

impl Iterator for Streamed<'_> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        /// How often the run is asked whether it should end.
        const LOOK: std::time::Duration = std::time::Duration::from_millis(25);
        let stream = &mut self.stream;
        let run = self.run;
        let next = AssertUnwindSafe(async {
            loop {
                tokio::select! {
                    next = stream.next() => return next,
                    () = tokio::time::sleep(LOOK) => if run.stop().is_some() {
                        // Whoever takes the batches finds out why.
                        return None;
                    }
                }
            }
        });
        let panicked = |_| Some(Err(DataFusionError::Execution("panicked".into())));
        let next = next.catch_unwind().map(|next| next.unwrap_or_else(panicked));
        self.runtime.block_on(next).map(|batch| {
            batch.map_err(|error| {
                *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                ArrowError::ComputeError("the stream failed".into())
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_selected_together() {
        let found: Vec<RowSelector> = selection([0, 1, 4].into_iter(), 6).into();
        assert_eq!(
            found,
            [
                RowSelector::select(2),
                RowSelector::skip(2),
                RowSelector::select(1),
                RowSelector::skip(1)
            ]
        );
        let all: Vec<RowSelector> = selection(0..3, 3).into();
        assert_eq!(all, [RowSelector::select(3)]);
    }
}
