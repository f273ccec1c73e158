//! Drawn rows of Parquet files, read by whoever answers queries.
//!
//! The numbers of the rows are a table in memory, one partition for each part; an operator above it reads the rows
//! with these numbers. So each part travels to where it is read with its own numbers alone.

use std::fmt;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::TableType;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use datafusion::prelude::Expr;
use futures::{StreamExt, TryStreamExt, stream};

use crate::rows::Files;

/// Drawn rows as a table: their columns, and last their numbers.
#[derive(Clone, Debug)]
pub struct DrawnRows {
    files: ScannedFiles,
    /// Numbers of the rows, in order, in parts.
    parts: Vec<Vec<u64>>,
}

/// Files that are read one after the other, with their numbers of rows.
#[derive(Clone, Debug)]
pub struct ScannedFiles {
    /// Reads all rows of all files.
    scan: Arc<dyn ExecutionPlan>,
    rows: Vec<u64>,
}

impl ScannedFiles {
    /// What `scan` reads, which is files with so many rows each.
    pub fn new(scan: Arc<dyn ExecutionPlan>, rows: Vec<u64>) -> Self {
        Self { scan, rows }
    }

    /// Reads all rows of all files.
    pub fn scan(&self) -> &Arc<dyn ExecutionPlan> {
        &self.scan
    }

    /// How many rows each file has.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// The columns of the files, and last the numbers of their rows.
    fn schema(&self) -> SchemaRef {
        let own = self.scan.schema();
        let mut name = "row".to_owned();
        while own.field_with_name(&name).is_ok() {
            name.push('_');
        }
        let row = Arc::new(Field::new(name, DataType::UInt64, false));
        Arc::new(Schema::new(own.fields().iter().cloned().chain([row]).collect::<Vec<_>>()))
    }

    /// The rows with these numbers, which are in order.
    fn read(
        &self,
        numbers: &[u64],
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let source = self.scan.downcast_ref::<DataSourceExec>();
        let Some(scan) = source.and_then(|own| own.data_source().downcast_ref::<FileScanConfig>())
        else {
            return internal_err!("drawn rows are read from files");
        };
        let files = scan.file_groups.iter().flat_map(|group| group.files().iter().cloned());
        let files = Files::new(files.zip(self.rows.iter().copied()).collect());
        let groups = vec![FileGroup::new(files.holding(numbers))];
        let scan = FileScanConfigBuilder::from(scan.clone()).with_file_groups(groups).build();
        DataSourceExec::from_data_source(scan).execute(0, context)
    }
}

impl DrawnRows {
    /// The rows of `files` with the numbers in `parts`.
    pub fn new(files: ScannedFiles, parts: Vec<Vec<u64>>) -> Self {
        Self { files, parts }
    }

    /// The files.
    pub fn files(&self) -> &ScannedFiles {
        &self.files
    }

    /// The numbers.
    pub fn parts(&self) -> &[Vec<u64>] {
        &self.parts
    }
}

#[async_trait::async_trait]
impl TableProvider for DrawnRows {
    fn schema(&self) -> SchemaRef {
        self.files.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns = self.files.schema().fields().len();
        if projection.is_some_and(|chosen| !chosen.iter().copied().eq(0..columns)) {
            return internal_err!("drawn rows are read whole");
        }
        let numbers = |part: &Vec<u64>| {
            let numbers = Arc::new(UInt64Array::from(part.clone())) as ArrayRef;
            Ok(vec![RecordBatch::try_from_iter([("row", numbers)])?])
        };
        let parts: Vec<Vec<RecordBatch>> = self.parts.iter().map(numbers).collect::<Result<_>>()?;
        let schema = Arc::new(Schema::new(vec![Field::new("row", DataType::UInt64, false)]));
        let numbers = MemorySourceConfig::try_new_exec(&parts, schema, None)?;
        Ok(Arc::new(DrawnRowsExec::new(self.files.clone(), numbers)))
    }
}

/// Reads the rows whose numbers it gets.
#[derive(Debug)]
pub struct DrawnRowsExec {
    files: ScannedFiles,
    numbers: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl DrawnRowsExec {
    /// Reads the rows of `files` whose numbers `numbers` gives.
    pub fn new(files: ScannedFiles, numbers: Arc<dyn ExecutionPlan>) -> Self {
        let count = numbers.properties().output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(files.schema()),
            Partitioning::UnknownPartitioning(count),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self { files, numbers, properties: Arc::new(properties) }
    }

    /// The files.
    pub fn files(&self) -> &ScannedFiles {
        &self.files
    }
}

impl DisplayAs for DrawnRowsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MuslinDrawnRows: files={}", self.files.rows.len())
    }
}

impl ExecutionPlan for DrawnRowsExec {
    fn name(&self) -> &'static str {
        "MuslinDrawnRows"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.numbers]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.pop() {
            Some(numbers) if children.is_empty() => {
                Ok(Arc::new(Self::new(self.files.clone(), numbers)))
            }
            _ => internal_err!("drawn rows have one table of numbers"),
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let (files, schema) = (self.files.clone(), self.files.schema());
        let numbers = self.numbers.execute(partition, Arc::clone(&context))?;
        let rows = numbers.map(move |batch| {
            let numbers = batch?.column(0).as_primitive::<UInt64Type>().clone();
            numbered(&files, numbers, Arc::clone(&context))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows.try_flatten())))
    }
}

/// The rows with these numbers, and last the numbers.
fn numbered(
    files: &ScannedFiles,
    numbers: UInt64Array,
    context: Arc<TaskContext>,
) -> Result<impl futures::Stream<Item = Result<RecordBatch>> + use<>> {
    let schema = files.schema();
    let rows = if numbers.is_empty() { None } else { Some(files.read(numbers.values(), context)?) };
    let mut told = 0;
    let wanted = numbers.len();
    let rows = stream::iter(rows).flatten().map(move |batch| {
        let batch = batch?;
        let own = batch.num_rows();
        if told + own > wanted {
            return changed();
        }
        let last = Arc::new(numbers.slice(told, own)) as ArrayRef;
        told += own;
        let columns = batch.columns().iter().cloned().chain([last]).collect();
        Ok(RecordBatch::try_new(Arc::clone(&schema), columns)?)
    });
    Ok(rows)
}

/// Whoever asked sees that rows lack; too many have no number.
fn changed<T>() -> Result<T> {
    Err(DataFusionError::Execution("the table changed while it was asked about".into()))
}
