//! Settings that come with a query.

use std::collections::HashMap;

use ballista_core::config::{BALLISTA_CLIENT_PULL, BALLISTA_JOB_NAME};
use datafusion::common::Result;
use datafusion::prelude::SessionConfig;

use super::refused;
use crate::serve::config;

/// Settings that differ between questions, or between machines, and that lead nowhere: how work is shared out, what
/// a query is called, and whether a session has made its catalog yet.
const MAY_DIFFER: [&str; 7] = [
    BALLISTA_CLIENT_PULL,
    BALLISTA_JOB_NAME,
    "ballista.planner.adaptive.enabled",
    "datafusion.catalog.create_default_catalog_and_schema",
    "datafusion.execution.planning_concurrency",
    "datafusion.execution.target_partitions",
    "datafusion.optimizer.enable_round_robin_repartition",
];

/// Refuses what is set otherwise than muslin sets it: some settings name places to read from, or switch on faults.
pub(crate) fn check_settings(asked: &SessionConfig) -> Result<()> {
    let own: HashMap<String, Option<String>> =
        config().options().entries().into_iter().map(|entry| (entry.key, entry.value)).collect();
    for entry in asked.options().entries() {
        let is_own = own.get(&entry.key).is_some_and(|value| *value == entry.value);
        if !is_own && !MAY_DIFFER.contains(&entry.key.as_str()) {
            return Err(refused(&format!("the setting {}", entry.key)));
        }
    }
    Ok(())
}
