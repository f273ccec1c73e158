//! What a task does on an executor.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use datafusion::common::{DataFusionError, Result};
use muslin_assess::{MinimalUniques, PreparedUniques, Score, UniquesPart};
use muslin_engine::{Cancel, Engine, Error, Run, Stop, fold_bits};
use muslin_engine_datafusion::{Carried, DataFusionEngine, Place, Roots, of_io};
use muslin_io::ReadOptions;
use muslin_table::{EncodedTable, MissingRule};
use serde::{Deserialize, Serialize};

use crate::jobs::Scheduler;

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

/// The executor that a task is done by.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    /// Bytes that it may use, if somebody said so.
    pub(crate) memory: Option<u64>,
    /// Who hands it work.
    pub(crate) scheduler: Scheduler,
    /// What it may read.
    pub(crate) roots: Arc<Roots>,
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

    /// How an executor does a part: it does as many at a time as it has cores.
    fn run(&self, memory: Option<u64>, cancel: &Cancel) -> Result<Run, Error> {
        let limit = self.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Ok(Run::new().threads(1)?.memory(memory).time_limit(limit).cancel(cancel.clone()))
    }

    /// Whether the table is below the roots. What a query names beside it is seen when it is read.
    pub(crate) fn check(&self, roots: &Roots) -> Result<()> {
        if roots.admit_location(&self.location) { Ok(()) } else { Err(Carried::Outside.into()) }
    }

    /// Does one part, unless somebody ends it.
    pub(crate) fn part(&self, part: u32, home: &Home, cancel: &Cancel) -> Result<Vec<u8>> {
        let done = || -> muslin_assess::Result<Option<UniquesPart>> {
            let run = self.run(home.memory, cancel)?;
            let Some(prepared) = self.prepared(&run, &home.roots)? else { return Ok(None) };
            prepared.part(part, self.parts(), &run).map(Some)
        };
        let Some(found) = done().map_err(|error| failed(&error))? else {
            return Err(Carried::Changed.into());
        };
        serde_json::to_vec(&found).map_err(|error| DataFusionError::External(Box::new(error)))
    }

    /// The table, ranked; nothing where it is another.
    fn prepared(
        &self,
        run: &Run,
        roots: &Arc<Roots>,
    ) -> muslin_assess::Result<Option<Arc<PreparedUniques>>> {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((work, prepared)) = &*kept
            && work == self
        {
            return Ok(Some(Arc::clone(prepared)));
        }
        // Room for one table, not two.
        *kept = None;
        let engine = DataFusionEngine::open(
            Place::confined(run, roots)?,
            &self.location,
            self.sql.as_deref(),
            &self.read,
            run,
        )
        .map_err(of_io)?;
        let table = engine.collect(&engine.head().all_columns())?;
        if fingerprint(&table) != self.fingerprint {
            return Ok(None);
        }
        let prepared = Arc::new(self.search().prepare(&table, run)?);
        *kept = Some((self.clone(), Arc::clone(&prepared)));
        Ok(Some(prepared))
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

/// What of an error travels.
fn failed(error: &muslin_assess::Error) -> DataFusionError {
    match error {
        muslin_assess::Error::Engine(Error::Stopped(Stop::MemoryLimit { .. })) => {
            Carried::NoRoom.into()
        }
        _ => Carried::Unread.into(),
    }
}
