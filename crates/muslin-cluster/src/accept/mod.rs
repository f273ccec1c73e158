//! What scheduler and executors take: the plans that muslin sends, and no others.
//!
//! Whoever reaches a scheduler could hand it any plan that the query engine knows, and so write files with the rights of
//! executors, or read whatever they can. So what is decoded is looked at before anything is done with it, and only
//! operators, tables and settings that are listed here pass.
//!
//! ```text
//! logical    what a scheduler is asked: queries that read, of tables below the roots
//! physical   what an executor is told to do: the same, and nothing but its own folder to write to
//! settings   what both are told about how to do it
//! ```

mod logical;
mod physical;
mod settings;

use std::sync::Arc;

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use muslin_engine_datafusion::{Carried, Roots};

pub(crate) use self::logical::AcceptedQuery;
pub(crate) use self::physical::{HandedOut, check_job, check_scan, check_stage};
pub(crate) use self::settings::check_settings;

/// The roots of the process that a plan came to. Without them, nothing is taken.
pub(crate) fn roots(context: &TaskContext) -> Result<Arc<Roots>> {
    let own = context.session_config().get_extension::<Roots>();
    own.ok_or_else(|| refused("this process takes no plans"))
}

fn refused(what: &str) -> DataFusionError {
    Carried::Refused.about(what)
}
