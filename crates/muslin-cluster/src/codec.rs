//! How tasks and drawn rows travel, beside everything that travels already; and what is not taken when it arrives.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use ballista_core::execution_plans::{ShuffleWriterExec, SortShuffleWriterExec};
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, TableReference, internal_err};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, Extension, LogicalPlan, ScalarUDF, WindowUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::bytes::{physical_plan_from_bytes, physical_plan_to_bytes};
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use muslin_engine_datafusion::{
    Carried, DrawnRows, DrawnRowsExec, FINGERPRINT, ScannedFiles, fingerprint,
};

use crate::accept::{check_scan, check_stage, roots};
use crate::tasks::{Tasks, TasksExec};
use crate::work::Work;

/// What a message about tasks begins with.
const TASKS: &[u8] = b"muslin-tasks-1\n";
/// What a message about drawn rows begins with.
const DRAWN: &[u8] = b"muslin-drawn-1\n";

/// One of ours.
enum Own {
    Tasks(Work),
    Drawn(ScannedFiles, Vec<Vec<u64>>),
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

fn encode_tasks(work: &Work, buffer: &mut Vec<u8>) -> Result<()> {
    buffer.extend_from_slice(TASKS);
    serde_json::to_writer(buffer, work).map_err(external)
}

/// A line of numbers, then the plan that reads the files.
fn encode_drawn(files: &ScannedFiles, parts: &[Vec<u64>], buffer: &mut Vec<u8>) -> Result<()> {
    buffer.extend_from_slice(DRAWN);
    serde_json::to_writer(&mut *buffer, &(files.rows(), parts)).map_err(external)?;
    buffer.push(b'\n');
    buffer.extend_from_slice(&physical_plan_to_bytes(Arc::clone(files.scan()))?);
    Ok(())
}

fn decode(buffer: &[u8], context: &TaskContext) -> Result<Option<Own>> {
    if let Some(work) = buffer.strip_prefix(TASKS) {
        return Ok(Some(Own::Tasks(serde_json::from_slice(work).map_err(external)?)));
    }
    let Some(drawn) = buffer.strip_prefix(DRAWN) else { return Ok(None) };
    let Some(end) = drawn.iter().position(|&byte| byte == b'\n') else {
        return internal_err!("drawn rows have numbers");
    };
    let (rows, parts) = serde_json::from_slice(&drawn[..end]).map_err(external)?;
    let scan = physical_plan_from_bytes(&drawn[end + 1..], context)?;
    check_scan(&scan, &*roots(context)?)?;
    Ok(Some(Own::Drawn(ScannedFiles::new(scan, rows), parts)))
}

/// The functions of the query engine are known by their names: none of them reads or writes. Others would come with a codec.
fn unknown_function() -> DataFusionError {
    Carried::Refused.about("a function of somebody else")
}

/// Tables of tasks and of drawn rows; of what Ballista knows, only what muslin asks is decoded.
#[derive(Debug, Default)]
pub(crate) struct LogicalCodec(BallistaLogicalExtensionCodec);

impl LogicalExtensionCodec for LogicalCodec {
    fn try_decode(&self, _: &[u8], _: &[LogicalPlan], _: &TaskContext) -> Result<Extension> {
        Err(Carried::Refused.about("an operator of somebody else"))
    }

    fn try_encode(&self, node: &Extension, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode(node, buffer)
    }

    fn try_decode_table_provider(
        &self,
        buffer: &[u8],
        _: &TableReference,
        _: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match decode(buffer, context)? {
            Some(Own::Tasks(work)) => Ok(Arc::new(Tasks { work })),
            Some(Own::Drawn(files, parts)) => Ok(Arc::new(DrawnRows::new(files, parts))),
            None => Err(Carried::Refused.about("a table of somebody else")),
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        node: Arc<dyn TableProvider>,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        if let Some(tasks) = node.downcast_ref::<Tasks>() {
            return encode_tasks(&tasks.work, buffer);
        }
        match node.downcast_ref::<DrawnRows>() {
            Some(drawn) => encode_drawn(drawn.files(), drawn.parts(), buffer),
            None => self.0.try_encode_table_provider(name, node, buffer),
        }
    }

    fn try_decode_file_format(
        &self,
        _: &[u8],
        _: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        // Formats travel with what writes files.
        Err(Carried::Refused.about("it writes files: COPY"))
    }

    fn try_encode_file_format(
        &self,
        buffer: &mut Vec<u8>,
        node: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        self.0.try_encode_file_format(buffer, node)
    }

    fn try_decode_udf(&self, name: &str, _: &[u8]) -> Result<Arc<ScalarUDF>> {
        match name {
            FINGERPRINT => Ok(Arc::new(fingerprint())),
            _ => Err(unknown_function()),
        }
    }

    fn try_encode_udf(&self, node: &ScalarUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udf(node, buffer)
    }

    fn try_decode_udaf(&self, _: &str, _: &[u8]) -> Result<Arc<AggregateUDF>> {
        Err(unknown_function())
    }

    fn try_encode_udaf(&self, node: &AggregateUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udaf(node, buffer)
    }

    fn try_decode_udwf(&self, _: &str, _: &[u8]) -> Result<Arc<WindowUDF>> {
        Err(unknown_function())
    }

    fn try_encode_udwf(&self, node: &WindowUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udwf(node, buffer)
    }
}

/// Operators that do tasks and read drawn rows, and all that Ballista knows. Whatever an executor is to do is checked here.
#[derive(Debug, Default)]
pub(crate) struct PhysicalCodec(BallistaPhysicalExtensionCodec);

impl PhysicalExtensionCodec for PhysicalCodec {
    fn try_decode(
        &self,
        buffer: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match (decode(buffer, context)?, inputs) {
            (Some(Own::Tasks(work)), [parts]) => {
                Ok(Arc::new(TasksExec::new(work, Arc::clone(parts))))
            }
            (Some(Own::Drawn(files, _)), [numbers]) => {
                Ok(Arc::new(DrawnRowsExec::new(files, Arc::clone(numbers))))
            }
            (Some(_), _) => internal_err!("an operator of muslin's has one table of numbers"),
            (None, _) => {
                let plan = self.0.try_decode(buffer, inputs, context, converter)?;
                // What writes an answer is the root of all that an executor does: nothing runs without one.
                if plan.is::<ShuffleWriterExec>() || plan.is::<SortShuffleWriterExec>() {
                    inputs.iter().try_for_each(|input| check_stage(input, context))?;
                }
                Ok(plan)
            }
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buffer: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if let Some(tasks) = node.downcast_ref::<TasksExec>() {
            return encode_tasks(&tasks.work, buffer);
        }
        match node.downcast_ref::<DrawnRowsExec>() {
            // The numbers are in the table below.
            Some(drawn) => encode_drawn(drawn.files(), &[], buffer),
            None => self.0.try_encode(node, buffer, converter),
        }
    }

    fn try_decode_udf(&self, name: &str, _: &[u8]) -> Result<Arc<ScalarUDF>> {
        match name {
            FINGERPRINT => Ok(Arc::new(fingerprint())),
            _ => Err(unknown_function()),
        }
    }

    fn try_encode_udf(&self, node: &ScalarUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udf(node, buffer)
    }

    fn try_decode_udaf(&self, _: &str, _: &[u8]) -> Result<Arc<AggregateUDF>> {
        Err(unknown_function())
    }

    fn try_encode_udaf(&self, node: &AggregateUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udaf(node, buffer)
    }

    fn try_decode_udwf(&self, _: &str, _: &[u8]) -> Result<Arc<WindowUDF>> {
        Err(unknown_function())
    }

    fn try_encode_udwf(&self, node: &WindowUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udwf(node, buffer)
    }
}
