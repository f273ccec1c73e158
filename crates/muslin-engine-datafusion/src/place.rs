use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arrow_array::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::common::DataFusionError;
use datafusion::execution::memory_pool::{FairSpillPool, MemoryPool, UnboundedMemoryPool};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::parquet::errors::ParquetError;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use futures::FutureExt;
use muslin_engine::{Error, Fault, Result, Run};
use muslin_io::ScratchFolder;
use tokio::runtime::Runtime;

use crate::error::{Saying, said};
use crate::fingerprint::fingerprint;
use crate::roots::Roots;
use crate::stores::Stores;

/// How often a run is asked whether it should end.
const LOOK: Duration = Duration::from_millis(25);

/// How long to wait before a query is asked again: executors that have just begun are found meanwhile.
const PAUSE: Duration = Duration::from_secs(1);

/// Who answers queries about a table.
pub struct Place {
    runtime: Arc<Runtime>,
    /// Answers questions whose answers have no order, in parallel.
    pub(crate) counting: SessionContext,
    /// Reads rows in their order, in this process.
    pub(crate) reading: SessionContext,
    /// Sets of columns that are asked about together: one at a time has all of the memory, and a query that
    /// travels is better large.
    pub(crate) sets_at_once: usize,
    /// How often a query is asked before its failure is told. A query changes nothing, so it may be asked
    /// again; where there is one process only, it would fail again.
    tries: u32,
    /// Tells others that nobody waits for their answer any more.
    let_go: Option<LetGo>,
    /// Where queries put what memory does not hold: cells, so it goes with the last of them.
    _scratch: ScratchFolder,
}

/// Lets go of a query that is under way elsewhere.
pub type LetGo = Box<dyn Fn(&dyn ExecutionPlan) + Send + Sync>;

impl Place {
    /// This process, on the threads and within the memory of `run`; what memory does not hold goes to
    /// temporary files.
    pub fn here(run: &Run) -> Result<Self> {
        Self::with_stores(run, Stores::default())
    }

    /// The same for a process that answers others: it reads what is below its roots, and nothing else.
    pub fn confined(run: &Run, roots: &Arc<Roots>) -> Result<Self> {
        Self::with_stores(run, Stores::confined(roots))
    }

    fn with_stores(run: &Run, stores: Stores) -> Result<Self> {
        let runtime = Arc::new(embedded_runtime(run)?);
        let scratch = scratch()?;
        let environment = environment(run, Some(scratch.path()), stores)?;
        let counting = SessionContext::new_with_config_rt(
            config(run.thread_count(), run),
            Arc::clone(&environment),
        );
        let reading = SessionContext::new_with_config_rt(config(1, run), environment);
        counting.register_udf(fingerprint());
        Ok(Self {
            runtime,
            counting,
            reading,
            sets_at_once: 1,
            tries: 1,
            let_go: None,
            _scratch: scratch,
        })
    }

    /// Somewhere else: `counting` answers there, rows are read from here. Queries that nobody waits for any more are
    /// let go.
    pub fn elsewhere(
        runtime: Arc<Runtime>,
        counting: SessionContext,
        let_go: LetGo,
        run: &Run,
    ) -> Result<Self> {
        let scratch = scratch()?;
        let reading = SessionContext::new_with_config_rt(
            config(1, run),
            environment(run, Some(scratch.path()), Stores::default())?,
        );
        counting.register_udf(fingerprint());
        Ok(Self {
            runtime,
            counting,
            reading,
            sets_at_once: 8,
            tries: 3,
            let_go: Some(let_go),
            _scratch: scratch,
        })
    }

    /// Waits for an answer about the table at `name`, until the run is to end.
    pub fn wait<T>(
        &self,
        name: &str,
        run: &Run,
        answer: impl Future<Output = Result<T, DataFusionError>>,
    ) -> Result<T> {
        wait(&self.runtime, name, run, Saying::Here, answer, &|| ())
    }

    /// Waits until a query is read and planned.
    pub(crate) fn plan<T>(
        &self,
        name: &str,
        run: &Run,
        planned: impl Future<Output = Result<T, DataFusionError>>,
    ) -> Result<T> {
        wait(&self.runtime, name, run, Saying::Planning, planned, &|| ())
    }

    /// Shares work out by the size of a table: elsewhere, each part is a task that travels.
    pub(crate) fn scale_to(&self, bytes: u64) {
        /// Bytes of files that are worth a task.
        const TASK: u64 = 32 << 20;
        if self.is_elsewhere() {
            let parts = usize::try_from((bytes / TASK).clamp(2, 256)).unwrap_or(2);
            let state = self.counting.state_ref();
            state.write().config_mut().options_mut().execution.target_partitions = parts;
        }
    }

    /// In how many parts work is shared out.
    pub(crate) fn parts(&self) -> usize {
        self.counting.state_ref().read().config().target_partitions()
    }

    /// All rows of a table, wherever queries are answered, as `understood`.
    pub fn read<T>(
        &self,
        name: &str,
        run: &Run,
        table: &Arc<dyn TableProvider>,
        understood: impl Fn(&[RecordBatch]) -> Result<T>,
    ) -> Result<T> {
        self.try_again(|| {
            let asked = async { self.counting.read_table(Arc::clone(table)) };
            understood(&self.answer(name, run, asked, &|_| ())?)
        })
    }

    /// The answer to a query, as `understood`. That checks whether it adds up: a cluster that loses an executor
    /// has been seen to count rows twice, or not at all.
    pub(crate) fn ask<T>(
        &self,
        name: &str,
        run: &Run,
        sql: &str,
        understood: impl Fn(&[RecordBatch]) -> Result<T>,
    ) -> Result<T> {
        self.ask_watched(name, run, sql, &|_| (), understood)
    }

    /// The same, told meanwhile how many rows have been read, where that is known.
    pub(crate) fn ask_watched<T>(
        &self,
        name: &str,
        run: &Run,
        sql: &str,
        watch: &dyn Fn(u64),
        understood: impl Fn(&[RecordBatch]) -> Result<T>,
    ) -> Result<T> {
        self.try_again(|| {
            understood(&self.answer(name, run, async { self.counting.sql(sql).await }, watch)?)
        })
    }

    /// What a query gives.
    fn answer(
        &self,
        name: &str,
        run: &Run,
        asked: impl Future<Output = Result<DataFrame, DataFusionError>>,
        watch: &dyn Fn(u64),
    ) -> Result<Vec<RecordBatch>> {
        let under_way: OnceLock<Arc<dyn ExecutionPlan>> = OnceLock::new();
        let answer = async {
            let frame = asked.await?;
            let context = Arc::new(frame.task_ctx());
            let plan = frame.create_physical_plan().await?;
            collect(Arc::clone(under_way.get_or_init(|| plan)), context).await
        };
        let saying = if self.is_elsewhere() { Saying::Elsewhere } else { Saying::Here };
        let answer = wait(&self.runtime, name, run, saying, answer, &|| {
            if let Some(plan) = under_way.get() {
                watch(rows_read(plan.as_ref()));
            }
        });
        if let (Err(Error::Stopped(_)), Some(plan), Some(let_go)) =
            (&answer, under_way.get(), &self.let_go)
        {
            let_go(plan.as_ref());
        }
        answer
    }

    /// Whether questions are answered by others.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.tries > 1
    }

    fn try_again<T>(&self, mut asked: impl FnMut() -> Result<T>) -> Result<T> {
        for _ in 1..self.tries {
            match asked() {
                Err(Error::Elsewhere { fault: Fault::Table, .. }) => std::thread::sleep(PAUSE),
                answered => return answered,
            }
        }
        asked()
    }

    pub(crate) fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }
}

/// How many rows the leaves of a plan have given so far.
fn rows_read(plan: &dyn ExecutionPlan) -> u64 {
    let children = plan.children();
    if children.is_empty() {
        let rows = plan.metrics().and_then(|metrics| metrics.output_rows());
        return rows.unwrap_or(0) as u64;
    }
    children.into_iter().map(|child| rows_read(child.as_ref())).sum()
}

/// Waits for an answer, until the run is to end; `watch` is called meanwhile.
fn wait<T>(
    runtime: &Runtime,
    name: &str,
    run: &Run,
    saying: Saying,
    answer: impl Future<Output = Result<T, DataFusionError>>,
    watch: &dyn Fn(),
) -> Result<T> {
    // Decoders check what they read; should one panic on bytes that it did not expect, that is damage.
    let panicked =
        |_| Err(DataFusionError::ParquetError(Box::new(ParquetError::General("panicked".into()))));
    let answer = AssertUnwindSafe(answer).catch_unwind().map(|done| done.unwrap_or_else(panicked));
    runtime.block_on(async {
        tokio::pin!(answer);
        loop {
            tokio::select! {
                done = &mut answer => return done.map_err(|error| said(&error, name, saying)),
                () = tokio::time::sleep(LOOK) => {
                    run.check()?;
                    watch();
                }
            }
        }
    })
}

/// Threads for queries.
pub fn embedded_runtime(run: &Run) -> Result<Runtime> {
    let threads = run.thread_count().max(1);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder
        .worker_threads(threads)
        .thread_name("muslin-query")
        .enable_all()
        .build()
        .map_err(|_| Error::Threads { threads })
}

fn config(partitions: usize, run: &Run) -> SessionConfig {
    let partitions = partitions.max(1);
    let mut config = keep_names(SessionConfig::new());
    if let Some(memory) = run.memory_budget() {
        // What sorting keeps back for putting parts together: little of little.
        let kept = &mut config.options_mut().execution.sort_spill_reservation_bytes;
        let share = memory / (32 * partitions as u64);
        *kept = usize::try_from(share).map_or(*kept, |share| share.min(*kept));
    }
    config
        .with_target_partitions(partitions)
        // A row's number is its place: what is read is read in its order.
        .with_repartition_file_scans(partitions > 1)
        .with_collect_statistics(true)
}

/// Columns keep the names and types that they have in their files.
pub fn keep_names(mut config: SessionConfig) -> SessionConfig {
    let options = config.options_mut();
    options.sql_parser.enable_ident_normalization = false;
    options.execution.parquet.schema_force_view_types = false;
    options.execution.parquet.skip_metadata = true;
    // A folder is all that is in it.
    options.execution.listing_table_ignore_subdirectory = false;
    config
}

/// Memory for queries, and stores for tables. Queries are not the only ones to use memory: buffers of files are
/// not counted.
pub fn environment(run: &Run, scratch: Option<&Path>, stores: Stores) -> Result<Arc<RuntimeEnv>> {
    let pool: Arc<dyn MemoryPool> = match run.memory_budget() {
        None => Arc::new(UnboundedMemoryPool::default()),
        Some(budget) => {
            let most = usize::try_from(budget / 2).unwrap_or(usize::MAX);
            Arc::new(FairSpillPool::new(most))
        }
    };
    let environment = RuntimeEnvBuilder::new()
        .with_memory_pool(pool)
        .with_object_store_registry(Arc::new(stores));
    let environment = match scratch {
        Some(folder) => environment.with_temp_file_path(folder),
        None => environment,
    };
    environment.build_arc().map_err(|_| no_scratch())
}

fn scratch() -> Result<ScratchFolder> {
    ScratchFolder::new().map_err(|_| no_scratch())
}

fn no_scratch() -> Error {
    Error::Elsewhere {
        fault: Fault::Limit,
        reason: "there is no folder for temporary files".into(),
        hint: "set TMPDIR to a folder that can be written".into(),
    }
}
