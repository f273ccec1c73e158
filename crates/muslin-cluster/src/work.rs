//! What a task does on an executor.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use datafusion::common::{DataFusionError, Result};
use muslin_assess::{MinimalUniques, PreparedUniques, Score, UniquesPart};
use muslin_engine::{Engine, Run, fold_bits};
use muslin_engine_datafusion::{DataFusionEngine, Place};
use muslin_io::ReadOptions;
use muslin_table::{EncodedTable, MissingRule};
use serde::{Deserialize, Serialize};

/// A search for minimal uniques in the table at a location, in parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Work {
    pub(crate) location: String,
    pub(crate) sql: Option<String>,
    /// Columns to look at and spellings of missing.
    pub(crate) read: ReadOptions,
    pub(crate) k: u32,
    pub(crate) max_size: Option<usize>,
    pub(crate) missing: MissingRule,
    pub(crate) score: Score,
    pub(crate) contributions: bool,
    pub(crate) parts: u32,
    /// What the asking program read: who reads anything else has no part in it.
    pub(crate) fingerprint: u64,
    /// How long a part may take.
    pub(crate) seconds: Option<f64>,
}

/// The table that the last tasks were about, encoded and ranked. Tasks of one search come together; whoever
/// comes first makes it, the others wait for it.
static KEPT: Mutex<Option<(Work, Arc<PreparedUniques>)>> = Mutex::new(None);

impl Work {
    pub(crate) fn parts(&self) -> u32 {
        self.parts.max(1)
    }

    pub(crate) fn search(&self) -> MinimalUniques {
        MinimalUniques::new()
            .k(self.k)
            .max_size(self.max_size)
            .missing(self.missing)
            .score(self.score)
            .contributions(self.contributions)
    }

    fn run(&self) -> Result<Run> {
        let limit = self.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        // An executor does as many tasks at a time as it has cores.
        Ok(Run::new().threads(1).map_err(failed)?.time_limit(limit))
    }

    /// Does one part.
    pub(crate) fn part(&self, part: u32) -> Result<Vec<u8>> {
        let run = self.run()?;
        let prepared = self.prepared(&run)?;
        let found: UniquesPart = prepared.part(part, self.parts(), &run).map_err(failed)?;
        serde_json::to_vec(&found).map_err(failed)
    }

    fn prepared(&self, run: &Run) -> Result<Arc<PreparedUniques>> {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((work, prepared)) = &*kept
            && work == self
        {
            return Ok(Arc::clone(prepared));
        }
        // Room for one table, not two.
        *kept = None;
        let place = Place::here(run).map_err(failed)?;
        let engine =
            DataFusionEngine::open(place, &self.location, self.sql.as_deref(), &self.read, run)
                .map_err(failed)?;
        let table = engine.collect(&engine.head().all_columns()).map_err(failed)?;
        if fingerprint(&table) != self.fingerprint {
            let changed = "the table changed while it was asked about";
            return Err(DataFusionError::Execution(format!("muslin: {changed}")));
        }
        let prepared = Arc::new(self.search().prepare(&table, run).map_err(failed)?);
        *kept = Some((self.clone(), Arc::clone(&prepared)));
        Ok(prepared)
    }
}

/// A number that two tables of other cells hardly share.
pub(crate) fn fingerprint(table: &EncodedTable) -> u64 {
    let mix = |sum: u64, next: u64| fold_bits(sum.rotate_left(5) ^ next);
    let start = mix(0, table.rows() as u64);
    table.columns().iter().fold(start, |sum, column| {
        let sum = column
            .dictionary()
            .texts()
            .iter()
            .flat_map(|text| text.bytes())
            .fold(sum, |sum, byte| mix(sum, u64::from(byte)));
        column.codes().slots().fold(sum, |sum, slot| mix(sum, u64::from(slot)))
    })
}

/// Our own errors quote no cell, so they may travel.
fn failed(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::Execution(format!("muslin: {error}"))
}
