//! A table whose partitions are tasks. To read a partition is to do its task; its only row is the answer.
//!
//! Ballista gives each task a slice of a plan's leaves, and knows how to cut its own leaves only. So ours is an
//! operator above such a leaf: a table of the numbers of parts, one in each partition.

use std::fmt;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{ArrayRef, BinaryArray, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::TableType;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use datafusion::prelude::Expr;
use futures::TryStreamExt;
use muslin_engine::Cancel;

use crate::work::{Home, Work};

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("answer", DataType::Binary, false)]))
}

/// Tasks as a table.
#[derive(Clone, Debug)]
pub(crate) struct Tasks {
    pub(crate) work: Work,
}

#[async_trait::async_trait]
impl TableProvider for Tasks {
    fn schema(&self) -> SchemaRef {
        schema()
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
        match projection.map(Vec::as_slice) {
            None | Some([0]) => {
                let part = |part: u32| {
                    RecordBatch::try_from_iter([(
                        "part",
                        Arc::new(UInt32Array::from_iter_values([part])) as ArrayRef,
                    )])
                };
                let parts: Vec<Vec<RecordBatch>> =
                    (0..self.work.parts()).map(|at| Ok(vec![part(at)?])).collect::<Result<_>>()?;
                let schema = part(0)?.schema();
                let parts = MemorySourceConfig::try_new_exec(&parts, schema, None)?;
                Ok(Arc::new(TasksExec::new(self.work.clone(), parts)))
            }
            Some(_) => internal_err!("tasks are asked for their answers"),
        }
    }
}

/// Does the parts of a work whose numbers it gets.
#[derive(Debug)]
pub(crate) struct TasksExec {
    pub(crate) work: Work,
    parts: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl TasksExec {
    pub(crate) fn new(work: Work, parts: Arc<dyn ExecutionPlan>) -> Self {
        let count = parts.properties().output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema()),
            Partitioning::UnknownPartitioning(count),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self { work, parts, properties: Arc::new(properties) }
    }
}

impl DisplayAs for TasksExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MuslinTasks: parts={}", self.work.parts())
    }
}

impl ExecutionPlan for TasksExec {
    fn name(&self) -> &'static str {
        "MuslinTasks"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.parts]
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
            Some(parts) if children.is_empty() => Ok(Arc::new(Self::new(self.work.clone(), parts))),
            _ => internal_err!("tasks have one table of parts"),
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let Some(home) = context.session_config().get_extension::<Home>() else {
            return internal_err!("tasks are done by executors");
        };
        let (work, task) = (self.work.clone(), context.task_id().unwrap_or_default());
        let parts = self.parts.execute(partition, context)?;
        let stream = parts
            .and_then(move |batch| answers(work.clone(), Arc::clone(&home), task.clone(), batch));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema(), stream)))
    }
}

/// The answers of the parts whose numbers a batch holds.
async fn answers(
    work: Work,
    home: Arc<Home>,
    task: String,
    parts: RecordBatch,
) -> Result<RecordBatch> {
    let wanted = Wanted(Cancel::default());
    let (cancel, own) = (wanted.0.clone(), Arc::clone(&home));
    // A search takes its time; others are served meanwhile.
    let done = tokio::task::spawn_blocking(move || {
        let numbers = parts.column(0).as_primitive::<UInt32Type>().values();
        numbers.iter().map(|&part| work.part(part, &own, &cancel)).collect::<Result<Vec<_>>>()
    });
    let answers = tokio::select! {
        done = done => done.map_err(|error| DataFusionError::External(Box::new(error)))??,
        () = home.scheduler.unwanted(&task) => {
            return Err(DataFusionError::Execution("nobody waits for it any more".into()));
        }
    };
    let column = Arc::new(BinaryArray::from_iter_values(answers));
    Ok(RecordBatch::try_new(schema(), vec![column])?)
}

/// Ends a search once nobody wants its answer: a thread that searches is not ended from outside.
struct Wanted(Cancel);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
