//! A table at a location, or what a query about it gives, as a view of cells.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::DataFusionError;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::context::SQLOptions;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use muslin_engine::Fault;
use muslin_io::ReadOptions;
use muslin_table::EncodedTable;

use crate::error::own_error;
use crate::location::{Located, locate};
use crate::place::Place;
use crate::values::{cell, value};

/// The table that is named first.
const INPUT: &str = "input";
/// What is asked about it.
pub(super) const ASKED: &str = "asked";

/// What was found at a location.
pub(super) struct Opened {
    pub(super) located: Located,
    pub(super) schema: SchemaRef,
}

/// Both contexts know the table as `input`, and what is asked about it as `asked`.
pub(super) async fn open(
    place: &Place,
    location: &str,
    sql: Option<&str>,
    read: &ReadOptions,
) -> Result<Opened, DataFusionError> {
    let located = locate(&place.reading, location, &read.csv, sql.is_some()).await?;
    let mut schema = None;
    for context in [&place.counting, &place.reading] {
        context.register_table(INPUT, Arc::clone(&located.table) as _)?;
        let frame = match sql {
            None => context.table(INPUT).await?,
            Some(sql) => {
                let only_select = SQLOptions::new()
                    .with_allow_ddl(false)
                    .with_allow_dml(false)
                    .with_allow_statements(false);
                let context = context.clone().enable_url_table();
                let frame = context.sql_with_options(sql, only_select).await?;
                check_query(&context, frame.logical_plan())?;
                frame
            }
        };
        schema = Some(Arc::new(frame.schema().as_arrow().clone()));
        context.register_table(ASKED, frame.into_view())?;
    }
    let schema = schema.unwrap_or_else(|| located.table.schema());
    Ok(Opened { located, schema })
}

/// Types that do not fit are told while only the query is quoted; what is drawn anew each time is refused.
fn check_query(context: &SessionContext, plan: &LogicalPlan) -> Result<(), DataFusionError> {
    let state = context.state();
    state.analyzer().execute_and_check(plan.clone(), state.config_options(), |_, _| ())?;
    let mut is_volatile = false;
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expression| {
            is_volatile |= expression.is_volatile();
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    if is_volatile {
        return own_error(
            Fault::Question,
            "the query calls a function that gives other values each time",
            "leave it out, or write the rows of the query to a file first",
        );
    }
    Ok(())
}

/// Others look from another folder.
pub(super) fn whole_path(location: &str) -> String {
    if location.contains("://") {
        return location.to_owned();
    }
    let whole = std::path::absolute(location).ok();
    whole.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| location.to_owned())
}

/// Places of the columns of `head`.
pub(super) fn positions(schema: &SchemaRef, head: &EncodedTable) -> Vec<usize> {
    let place = |name: &str| schema.fields().iter().position(|field| field.name() == name);
    head.columns().iter().filter_map(|column| place(column.name())).collect()
}

/// The view of the columns that are read. One without columns still has rows.
pub(super) fn view(schema: &SchemaRef, positions: &[usize], read: &ReadOptions) -> String {
    let one = |(index, &at): (usize, &usize)| {
        let field = schema.field(at);
        format!("{} AS {}", value(field.name(), field.data_type(), read), cell(index))
    };
    let mut values: Vec<String> = positions.iter().enumerate().map(one).collect();
    if values.is_empty() {
        values.push("1 AS nothing".into());
    }
    format!("SELECT {} FROM {ASKED}", values.join(", "))
}
