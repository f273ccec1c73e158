//! Queries, as a scheduler decodes them.

use bytes::BufMut;
use datafusion::catalog::TableProvider;
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::listing::{ListingTable, ListingTableUrl};
use datafusion::datasource::source_as_provider;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::LogicalPlan;
use datafusion_proto::logical_plan::{AsLogicalPlan, LogicalExtensionCodec};
use datafusion_proto::protobuf::LogicalPlanNode;
use muslin_engine_datafusion::{Carried, DrawnRows, Roots};

use super::{check_scan, refused, roots};
use crate::tasks::Tasks;

/// A query that becomes a plan only if it reads, and reads below the roots alone.
#[derive(Clone, Debug)]
pub(crate) struct AcceptedQuery(LogicalPlanNode);

impl AsLogicalPlan for AcceptedQuery {
    fn try_decode(bytes: &[u8]) -> Result<Self> {
        LogicalPlanNode::try_decode(bytes).map(Self)
    }

    fn try_encode<B: BufMut>(&self, buffer: &mut B) -> Result<()> {
        self.0.try_encode(buffer)
    }

    fn try_into_logical_plan(
        &self,
        context: &TaskContext,
        codec: &dyn LogicalExtensionCodec,
    ) -> Result<LogicalPlan> {
        let plan = self.0.try_into_logical_plan(context, codec)?;
        check(&plan, &*roots(context)?)?;
        Ok(plan)
    }

    fn try_from_logical_plan(
        plan: &LogicalPlan,
        codec: &dyn LogicalExtensionCodec,
    ) -> Result<Self> {
        LogicalPlanNode::try_from_logical_plan(plan, codec).map(Self)
    }
}

fn check(plan: &LogicalPlan, roots: &Roots) -> Result<()> {
    plan.apply_with_subqueries(|node| {
        match node {
            LogicalPlan::Projection(_)
            | LogicalPlan::Filter(_)
            | LogicalPlan::Window(_)
            | LogicalPlan::Aggregate(_)
            | LogicalPlan::Sort(_)
            | LogicalPlan::Join(_)
            | LogicalPlan::Repartition(_)
            | LogicalPlan::Union(_)
            | LogicalPlan::EmptyRelation(_)
            | LogicalPlan::Subquery(_)
            | LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::Limit(_)
            | LogicalPlan::Values(_)
            | LogicalPlan::Distinct(_)
            | LogicalPlan::Unnest(_) => {}
            LogicalPlan::TableScan(scan) => {
                check_table(source_as_provider(&scan.source)?.as_ref(), roots)?;
            }
            // Whatever writes, defines, sets or explains something, and what is not known.
            other => return Err(refused(kind(other))),
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

fn check_table(table: &dyn TableProvider, roots: &Roots) -> Result<()> {
    if let Some(files) = table.downcast_ref::<ListingTable>() {
        let is_below =
            |url: &ListingTableUrl| roots.admit(url.object_store().as_ref(), url.prefix());
        let is_below = files.table_paths().iter().all(is_below);
        return if is_below { Ok(()) } else { Err(Carried::Outside.into()) };
    }
    if let Some(tasks) = table.downcast_ref::<Tasks>() {
        return tasks.work.check(roots);
    }
    match table.downcast_ref::<DrawnRows>() {
        Some(drawn) => check_scan(drawn.files().scan(), roots),
        None => Err(refused("a table of another kind than files")),
    }
}

/// What a plan that is not taken does.
fn kind(plan: &LogicalPlan) -> &'static str {
    match plan {
        LogicalPlan::Copy(_) => "it writes files: COPY",
        LogicalPlan::Dml(_) => "it changes a table: INSERT, UPDATE, DELETE",
        LogicalPlan::Ddl(_) => "it defines something: CREATE, DROP",
        LogicalPlan::Statement(_) => "a statement",
        LogicalPlan::Explain(_) | LogicalPlan::Analyze(_) => "EXPLAIN",
        LogicalPlan::Extension(_) => "an operator of somebody else",
        LogicalPlan::RecursiveQuery(_) => "WITH RECURSIVE",
        _ => "an operator that is not known",
    }
}
