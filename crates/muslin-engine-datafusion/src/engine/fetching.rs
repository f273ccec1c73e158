//! Rows that are fetched: samples, and whole columns.

use std::sync::{Arc, PoisonError};

use arrow_schema::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::datasource::listing::ListingTable;
use datafusion::physical_plan::execute_stream;
use muslin_engine::{Result, Seed};
use muslin_io::{ColumnChoice, ReadOptions};
use muslin_table::{ColumnSet, EncodedTable};

use super::DataFusionEngine;
use super::answers::{changed, of_io};
use super::opening::ASKED;
use crate::drawn::DrawnRows;
use crate::error::{Saying, said};
use crate::one_by_one::one_by_one;
use crate::rows::{Files, Streamed, in_order, scanned};
use crate::values::quoted;

impl DataFusionEngine<'_> {
    /// All rows of these columns, in order.
    pub(super) fn rows_of(&self, columns: &ColumnSet) -> Result<EncodedTable> {
        let streamed = self.streamed(columns)?;
        let read = self.reading(columns);
        // Half of the memory is for queries.
        let half = self.run.memory_budget().map(|budget| budget / 2);
        let run = self.run.clone().memory(half);
        self.encoded(streamed, |batches, schema| {
            muslin_io::encode_stream(&self.name, schema, batches, &read, &run)
        })
    }

    /// Drawn rows of whatever gives rows in their order, drawn as they pass.
    pub(super) fn rows_drawn_in_passing(&self, rows: u64, seed: Seed) -> Result<EncodedTable> {
        let streamed = self.streamed(&self.head.all_columns())?;
        let run = self.run.clone().seed(seed);
        let read = ReadOptions { columns: ColumnChoice::All, ..self.read.clone() };
        self.encoded(streamed, |batches, schema| {
            muslin_io::sample_batches(&self.name, schema, batches, &read, rows, &run)
        })
    }

    /// All rows of these columns on their way, in order.
    fn streamed(&self, columns: &ColumnSet) -> Result<Streamed<'_>> {
        let names: Vec<String> = self.names_of(columns).iter().map(|name| quoted(name)).collect();
        let sql = format!("SELECT {} FROM {ASKED}", names.join(", "));
        let stream = self.place.wait(&self.name, self.run, async {
            let frame = self.place.reading.sql(&sql).await?;
            let context = Arc::new(frame.task_ctx());
            execute_stream(one_by_one(frame.create_physical_plan().await?)?, context)
        })?;
        Ok(Streamed::new(self.place.runtime(), self.run, stream))
    }

    /// The drawn rows of files, read by whoever answers queries.
    pub(super) fn drawn_rows(
        &self,
        table: &ListingTable,
        files: &Files,
        drawn: &[u64],
    ) -> Result<EncodedTable> {
        /// Rows that are worth a part.
        const LEAST: usize = 256;
        let reading = &self.place.reading;
        let scanned = self.place.wait(&self.name, self.run, async {
            scanned(reading, table, files, &self.positions).await
        })?;
        let scanned = scanned.ok_or_else(changed)?;
        let parts = self.place.parts().min(drawn.len().div_ceil(LEAST)).max(1);
        let parts = drawn.chunks(drawn.len().div_ceil(parts).max(1)).map(<[u64]>::to_vec).collect();
        let rows = Arc::new(DrawnRows::new(scanned, parts)) as Arc<dyn TableProvider>;
        self.run.reporter().stage("reading drawn rows", None);
        let mut ordered = self.place.read(&self.name, self.run, &rows, |batches| {
            in_order(batches, drawn).ok_or_else(changed)
        })?;
        let read = self.reading(&self.head.all_columns());
        let schema = match ordered.first() {
            Some(Ok(first)) => first.schema(),
            _ => Arc::clone(&self.schema),
        };
        let batches = &mut ordered.drain(..);
        let encoded = muslin_io::encode_stream(&self.name, &schema, batches, &read, self.run);
        self.run.reporter().finish();
        encoded.map_err(of_io)
    }

    fn names_of(&self, columns: &ColumnSet) -> Vec<String> {
        columns.iter().map(|id| self.head.column(id).name().to_owned()).collect()
    }

    /// How these columns are read.
    fn reading(&self, columns: &ColumnSet) -> ReadOptions {
        ReadOptions { columns: ColumnChoice::Only(self.names_of(columns)), ..self.read.clone() }
    }

    fn encoded(
        &self,
        mut streamed: Streamed<'_>,
        encode: impl FnOnce(&mut Streamed<'_>, &SchemaRef) -> muslin_io::Result<EncodedTable>,
    ) -> Result<EncodedTable> {
        let failure = streamed.failure();
        let schema = streamed.schema();
        let encoded = encode(&mut streamed, &schema);
        if let Some(error) = failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(said(&error, &self.name, Saying::Here));
        }
        self.run.check()?;
        encoded.map_err(of_io)
    }
}
