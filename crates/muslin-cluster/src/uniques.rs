//! A search for minimal uniques, handed out to executors and put together.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use datafusion::catalog::TableProvider;
use muslin_assess::{MinimalUniques, Score, UniquesFound, UniquesPart};
use muslin_engine::{Error, Fault, Run};
use muslin_engine_datafusion::DataFusionEngine;
use muslin_io::{ColumnChoice, ReadOptions};
use muslin_table::{EncodedTable, MissingRule};

use crate::tasks::Tasks;
use crate::work::{Work, fingerprint};

/// Parts of a search. More than there are cores, so that the last one is short.
const PARTS: u32 = 64;
/// Distinct rows below which a part is not worth its way.
const LEAST: u64 = 512;

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct UniquesSettings {
    /// Most rows that hold a minimal unique.
    pub k: u32,
    /// Largest size to look for; any when none.
    pub max_size: Option<usize>,
    /// What a missing cell matches.
    pub missing: MissingRule,
    /// How rows are scored.
    pub score: Score,
    /// Whether to tell what each column adds to each row's score.
    pub contributions: bool,
}

/// Searches `table`, which the engine's table is in memory, on the executors of its cluster.
pub fn uniques(
    engine: &DataFusionEngine<'_>,
    table: &EncodedTable,
    settings: UniquesSettings,
    run: &Run,
) -> muslin_assess::Result<UniquesFound> {
    let parts = (table.rows() as u64).div_ceil(LEAST).clamp(1, PARTS.into());
    let UniquesSettings { k, max_size, missing, score, contributions } = settings;
    let names = table.columns().iter().map(|column| column.name().to_owned()).collect();
    let work = Work {
        location: engine.location().to_owned(),
        sql: engine.sql().map(str::to_owned),
        read: ReadOptions { columns: ColumnChoice::Only(names), ..engine.read_options().clone() },
        k,
        max_size,
        missing,
        score,
        contributions,
        parts: u32::try_from(parts).unwrap_or(PARTS),
        fingerprint: fingerprint(table),
        seconds: run.time_left().map(|left| left.as_secs_f64()),
    };
    let search: MinimalUniques = work.search();
    let of = work.parts();
    run.reporter().stage("searching on the cluster", None);
    let tasks = Arc::new(Tasks { work }) as Arc<dyn TableProvider>;
    let found = engine.place().read(engine.location(), run, &tasks, |answers| {
        let mut parts = understood(answers)?;
        parts.sort_unstable_by_key(|part| part.part);
        let is_whole = parts.iter().map(|part| (part.part, part.of)).eq((0..of).map(|at| (at, of)));
        // A cluster that lost an executor is asked again.
        if is_whole { Ok(parts) } else { Err(engine.not_whole()) }
    })?;
    let prepared = search.prepare(table, run)?;
    let joined = prepared.join(table, found);
    run.reporter().finish();
    joined
}

/// The parts in the executors' answers.
fn understood(answers: &[RecordBatch]) -> Result<Vec<UniquesPart>, Error> {
    let part = |answer: &[u8]| {
        serde_json::from_slice(answer).map_err(|_| Error::Elsewhere {
            fault: Fault::Internal,
            reason: "an executor's answer is not one to this question".into(),
            hint: "check that scheduler and executors are of this version of muslin".into(),
        })
    };
    let answers = answers.iter().flat_map(|batch| batch.column(0).as_binary::<i32>().iter());
    answers.flatten().map(part).collect()
}
