//! How tasks travel: as JSON, beside everything that travels already.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, TableReference, internal_err};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, Extension, LogicalPlan, ScalarUDF, WindowUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};

use crate::tasks::{Tasks, TasksExec};
use crate::work::Work;

/// What our own messages begin with.
const MARK: &[u8] = b"muslin-tasks-1\n";

fn encode(work: &Work, buffer: &mut Vec<u8>) -> Result<()> {
    buffer.extend_from_slice(MARK);
    serde_json::to_writer(buffer, work).map_err(|error| DataFusionError::External(Box::new(error)))
}

fn decode(buffer: &[u8]) -> Option<Result<Work>> {
    let work = buffer.strip_prefix(MARK)?;
    Some(serde_json::from_slice(work).map_err(|error| DataFusionError::External(Box::new(error))))
}

/// Tables of tasks, and all that Ballista knows.
#[derive(Debug, Default)]
pub(crate) struct LogicalCodec(BallistaLogicalExtensionCodec);

impl LogicalExtensionCodec for LogicalCodec {
    fn try_decode(
        &self,
        buffer: &[u8],
        inputs: &[LogicalPlan],
        context: &TaskContext,
    ) -> Result<Extension> {
        self.0.try_decode(buffer, inputs, context)
    }

    fn try_encode(&self, node: &Extension, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode(node, buffer)
    }

    fn try_decode_table_provider(
        &self,
        buffer: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match decode(buffer) {
            Some(work) => Ok(Arc::new(Tasks { work: work? })),
            None => self.0.try_decode_table_provider(buffer, name, schema, context),
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        node: Arc<dyn TableProvider>,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        match node.downcast_ref::<Tasks>() {
            Some(tasks) => encode(&tasks.work, buffer),
            None => self.0.try_encode_table_provider(name, node, buffer),
        }
    }

    fn try_decode_file_format(
        &self,
        buffer: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.0.try_decode_file_format(buffer, context)
    }

    fn try_encode_file_format(
        &self,
        buffer: &mut Vec<u8>,
        node: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        self.0.try_encode_file_format(buffer, node)
    }

    fn try_decode_udf(&self, name: &str, buffer: &[u8]) -> Result<Arc<ScalarUDF>> {
        self.0.try_decode_udf(name, buffer)
    }

    fn try_encode_udf(&self, node: &ScalarUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udf(node, buffer)
    }

    fn try_decode_udaf(&self, name: &str, buffer: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.0.try_decode_udaf(name, buffer)
    }

    fn try_encode_udaf(&self, node: &AggregateUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udaf(node, buffer)
    }

    fn try_decode_udwf(&self, name: &str, buffer: &[u8]) -> Result<Arc<WindowUDF>> {
        self.0.try_decode_udwf(name, buffer)
    }

    fn try_encode_udwf(&self, node: &WindowUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udwf(node, buffer)
    }
}

/// Operators that do tasks, and all that Ballista knows.
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
        match decode(buffer) {
            Some(work) => match inputs {
                [parts] => Ok(Arc::new(TasksExec::new(work?, Arc::clone(parts)))),
                _ => internal_err!("tasks have one table of parts"),
            },
            None => self.0.try_decode(buffer, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buffer: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        match node.downcast_ref::<TasksExec>() {
            Some(tasks) => encode(&tasks.work, buffer),
            None => self.0.try_encode(node, buffer, converter),
        }
    }

    fn try_decode_udf(&self, name: &str, buffer: &[u8]) -> Result<Arc<ScalarUDF>> {
        self.0.try_decode_udf(name, buffer)
    }

    fn try_encode_udf(&self, node: &ScalarUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udf(node, buffer)
    }

    fn try_decode_udaf(&self, name: &str, buffer: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.0.try_decode_udaf(name, buffer)
    }

    fn try_encode_udaf(&self, node: &AggregateUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udaf(node, buffer)
    }

    fn try_decode_udwf(&self, name: &str, buffer: &[u8]) -> Result<Arc<WindowUDF>> {
        self.0.try_decode_udwf(name, buffer)
    }

    fn try_encode_udwf(&self, node: &WindowUDF, buffer: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode_udwf(node, buffer)
    }
}
