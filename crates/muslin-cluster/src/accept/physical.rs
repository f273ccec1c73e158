//! Parts of queries, as an executor decodes them.

use std::sync::Arc;

use ballista_core::execution_plans::ShuffleReaderExec;
use bytes::BufMut;
use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec, SymmetricHashJoinExec,
};
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::union::{InterleaveExec, UnionExec};
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion_proto::physical_plan::{AsExecutionPlan, PhysicalExtensionCodec};
use datafusion_proto::protobuf::PhysicalPlanNode;
use muslin_engine_datafusion::{Carried, DrawnRowsExec, Roots};

use super::{check_settings, refused, roots};
use crate::jobs::job_of;
use crate::tasks::TasksExec;

/// A plan that a scheduler makes of a query and hands to executors. It takes none from others: who asks sends queries.
#[derive(Clone, Debug)]
pub(crate) struct HandedOut(PhysicalPlanNode);

impl AsExecutionPlan for HandedOut {
    fn try_decode(_: &[u8]) -> Result<Self> {
        Err(refused("a plan of operators instead of a query"))
    }

    fn try_encode<B: BufMut>(&self, buffer: &mut B) -> Result<()> {
        self.0.try_encode(buffer)
    }

    fn try_into_physical_plan(
        &self,
        context: &TaskContext,
        codec: &dyn PhysicalExtensionCodec,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.0.try_into_physical_plan(context, codec)
    }

    fn try_from_physical_plan(
        plan: Arc<dyn ExecutionPlan>,
        codec: &dyn PhysicalExtensionCodec,
    ) -> Result<Self> {
        PhysicalPlanNode::try_from_physical_plan(plan, codec).map(Self)
    }
}

/// Operators that read nothing by themselves and write nothing but what memory does not hold.
const PLAIN: [fn(&dyn ExecutionPlan) -> bool; 22] = [
    is::<AggregateExec>,
    is::<BoundedWindowAggExec>,
    is::<CoalescePartitionsExec>,
    is::<CooperativeExec>,
    is::<CrossJoinExec>,
    is::<EmptyExec>,
    is::<FilterExec>,
    is::<GlobalLimitExec>,
    is::<HashJoinExec>,
    is::<InterleaveExec>,
    is::<LocalLimitExec>,
    is::<NestedLoopJoinExec>,
    is::<PlaceholderRowExec>,
    is::<ProjectionExec>,
    is::<RepartitionExec>,
    is::<SortExec>,
    is::<SortMergeJoinExec>,
    is::<SortPreservingMergeExec>,
    is::<SymmetricHashJoinExec>,
    is::<UnionExec>,
    is::<UnnestExec>,
    is::<WindowAggExec>,
];

fn is<T: ExecutionPlan>(plan: &dyn ExecutionPlan) -> bool {
    plan.is::<T>()
}

/// Whether an executor may do a part of a query, whose answer goes to its own folder.
pub(crate) fn check_stage(input: &Arc<dyn ExecutionPlan>, context: &TaskContext) -> Result<()> {
    // The folder of an answer is named after the query.
    let task = context.task_id().unwrap_or_default();
    check_job(job_of(&task).unwrap_or_default())?;
    check_settings(context.session_config())?;
    let roots = roots(context)?;
    input.apply(|node| check_node(node, &roots).map(|()| TreeNodeRecursion::Continue))?;
    Ok(())
}

fn check_node(node: &Arc<dyn ExecutionPlan>, roots: &Roots) -> Result<()> {
    if node.is::<DataSourceExec>() {
        return check_scan(node, roots);
    }
    if let Some(reader) = node.downcast_ref::<ShuffleReaderExec>() {
        let mut places = reader.partition.iter().flatten();
        return places.try_for_each(|place| check_job(place.partition_id.job_id.as_str()));
    }
    if let Some(tasks) = node.downcast_ref::<TasksExec>() {
        return tasks.work.check(roots);
    }
    if let Some(drawn) = node.downcast_ref::<DrawnRowsExec>() {
        return check_scan(drawn.files().scan(), roots);
    }
    if PLAIN.iter().any(|is_one| is_one(node.as_ref())) {
        return Ok(());
    }
    Err(refused(&format!("the operator {}", node.name())))
}

/// Whether a scan reads files below the roots, or rows that came with it.
pub(crate) fn check_scan(scan: &Arc<dyn ExecutionPlan>, roots: &Roots) -> Result<()> {
    let Some(source) = scan.downcast_ref::<DataSourceExec>().map(DataSourceExec::data_source)
    else {
        return Err(refused(&format!("the operator {} in place of files", scan.name())));
    };
    if source.is::<MemorySourceConfig>() {
        return Ok(());
    }
    let Some(files) = source.downcast_ref::<FileScanConfig>() else {
        return Err(refused("a table of another kind than files"));
    };
    let store = files.object_store_url.as_ref();
    let mut each = files.file_groups.iter().flat_map(FileGroup::files);
    if each.all(|file| roots.admit(store, &file.object_meta.location)) {
        Ok(())
    } else {
        Err(Carried::Outside.into())
    }
}

/// The name of a query is the name of a folder: letters and digits, so that it leads nowhere else.
pub(crate) fn check_job(name: &str) -> Result<()> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !name.is_empty() && name.bytes().all(is_plain) {
        return Ok(());
    }
    Err(refused("a query whose name is not letters and digits"))
}
