//! Scheduler and executors, as they run on the machines of a cluster.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::BallistaError;
use ballista_core::extension::SessionConfigExt;
use ballista_core::serde::protobuf::ExecutorHeartbeat;
use ballista_core::utils::default_session_builder;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::{BallistaCluster, ClusterState};
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use datafusion::common::DataFusionError;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use muslin_engine::{Error, Fault, Result, Run};
use muslin_engine_datafusion::{Carried, Stores, embedded_runtime, keep_names};

use crate::codec::{LogicalCodec, PhysicalCodec};
use crate::work::Home;

/// Seconds between signs of life of an executor.
const SIGN_OF_LIFE: u64 = 2;
/// Seconds without one after which an executor is taken for dead, and others do its work.
const DEAD_AFTER: u64 = 10;
/// Largest message: plans and their answers are small, parts of a search are not.
const MESSAGE: u32 = 256 << 20;

/// What an executor is.
#[derive(Clone, Debug)]
pub struct ExecutorSettings {
    /// Where the scheduler is: host and port.
    pub scheduler: (String, u16),
    /// The address to listen at.
    pub bind: String,
    /// The name that others know this machine by; the address where nothing is said.
    pub host: Option<String>,
    /// The port to listen at; the next one is used too.
    pub port: u16,
    /// Folder for what is on its way to other executors.
    pub work_dir: PathBuf,
}

fn config() -> SessionConfig {
    keep_names(SessionConfig::new_with_ballista())
        .with_ballista_logical_extension_codec(Arc::new(LogicalCodec::default()))
        .with_ballista_physical_extension_codec(Arc::new(PhysicalCodec::default()))
}

/// Stores are known by their addresses, and what memory does not hold goes to a folder.
fn environment(work_dir: Option<&Path>) -> Result<Arc<RuntimeEnv>, DataFusionError> {
    let stores = Arc::new(Stores::default());
    let environment = RuntimeEnvBuilder::new().with_object_store_registry(stores);
    let environment = match work_dir {
        Some(folder) => environment.with_temp_file_path(folder),
        None => environment,
    };
    environment.build_arc()
}

/// A session in which the scheduler plans. Who asks while there is no executor would wait for ever, and is told.
fn session(
    config: SessionConfig,
    executors: &OnceLock<Arc<dyn ClusterState>>,
) -> Result<SessionState, DataFusionError> {
    #[expect(
        clippy::disallowed_methods,
        reason = "signs of life have times; no answer depends on them"
    )]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let is_alive = |sign: &ExecutorHeartbeat| now.saturating_sub(sign.timestamp) <= DEAD_AFTER;
    if executors.get().is_some_and(|own| !own.executor_heartbeats().values().any(is_alive)) {
        return Err(Carried::NoExecutor.into());
    }
    let usual = default_session_builder(config)?;
    Ok(SessionStateBuilder::new_from_existing(usual).with_runtime_env(environment(None)?).build())
}

/// Runs a scheduler until it is told to end.
pub fn scheduler(bind: SocketAddr, run: &Run) -> Result<()> {
    let executors: Arc<OnceLock<Arc<dyn ClusterState>>> = Arc::default();
    let known = Arc::clone(&executors);
    let settings = SchedulerConfig {
        bind_host: bind.ip().to_string(),
        bind_port: bind.port(),
        external_host: bind.ip().to_string(),
        // Executors ask for work. A scheduler that pushes it loses count of their free cores when one dies
        // (ADR 14), and then waits for ever.
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        executor_timeout_seconds: DEAD_AFTER,
        expire_dead_executor_interval_seconds: 2,
        no_executors_grace_period_seconds: 2 * DEAD_AFTER,
        grpc_server_max_decoding_message_size: MESSAGE,
        grpc_server_max_encoding_message_size: MESSAGE,
        override_logical_codec: Some(Arc::new(LogicalCodec::default())),
        override_physical_codec: Some(Arc::new(PhysicalCodec::default())),
        override_config_producer: Some(Arc::new(config)),
        override_session_builder: Some(Arc::new(move |config| session(config, &known))),
        ..SchedulerConfig::default()
    };
    let runtime = embedded_runtime(run)?;
    let serving = async {
        let cluster = BallistaCluster::new_from_config(&settings).await?;
        let _ = executors.set(cluster.cluster_state());
        start_server(cluster, bind, Arc::new(settings)).await
    };
    let place = format!("the scheduler at {bind}");
    served(&place, until_ended(&runtime, run, serving))
}

/// Runs an executor until it is told to end.
pub fn executor(settings: &ExecutorSettings, run: &Run) -> Result<()> {
    let ExecutorSettings { scheduler, bind, host, port, work_dir } = settings;
    let folder = work_dir.clone();
    let scheduler_at = format!("{}:{}", scheduler.0, scheduler.1);
    let home = Arc::new(Home { memory: run.memory_budget(), scheduler: scheduler_at });
    let process = ExecutorProcessConfig {
        bind_host: bind.clone(),
        external_host: Some(host.clone().unwrap_or_else(|| bind.clone())),
        port: *port,
        grpc_port: port.saturating_add(1),
        scheduler_host: scheduler.0.clone(),
        scheduler_port: scheduler.1,
        scheduler_connect_timeout_seconds: 30,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        vcores: run.thread_count(),
        work_dir: Some(work_dir.to_string_lossy().into_owned()),
        job_data_ttl_seconds: 3600,
        job_data_clean_up_interval_seconds: 600,
        grpc_max_decoding_message_size: MESSAGE,
        grpc_max_encoding_message_size: MESSAGE,
        executor_heartbeat_interval_seconds: SIGN_OF_LIFE,
        memory_pool_size: run.memory_budget(),
        override_logical_codec: Some(Arc::new(LogicalCodec::default())),
        override_physical_codec: Some(Arc::new(PhysicalCodec::default())),
        override_config_producer: Some(Arc::new(move || {
            config().with_extension(Arc::clone(&home))
        })),
        override_runtime_producer: Some(Arc::new(move |_| environment(Some(&folder)))),
        ..ExecutorProcessConfig::default()
    };
    let runtime = embedded_runtime(run)?;
    let place = format!("the executor at {bind}:{port}");
    served(&place, until_ended(&runtime, run, start_executor_process(Arc::new(process))))
}

/// Serves until the run is to end; nothing then.
fn until_ended(
    runtime: &tokio::runtime::Runtime,
    run: &Run,
    serving: impl Future<Output = Result<(), BallistaError>>,
) -> Option<Result<(), BallistaError>> {
    const LOOK: std::time::Duration = std::time::Duration::from_millis(100);
    runtime.block_on(async {
        tokio::pin!(serving);
        loop {
            tokio::select! {
                done = &mut serving => return Some(done),
                () = tokio::time::sleep(LOOK) => if run.stop().is_some() {
                    return None;
                }
            }
        }
    })
}

fn served(place: &str, done: Option<Result<(), BallistaError>>) -> Result<()> {
    match done {
        None | Some(Ok(())) => Ok(()),
        Some(Err(error)) => Err(Error::Elsewhere {
            fault: Fault::Table,
            reason: format!("{place} cannot serve: {error}"),
            hint: "check that the port is free and that the scheduler can be reached".into(),
        }),
    }
}
