//! Scheduler and executors, as they run on the machines of a cluster.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::BallistaError;
use ballista_core::extension::SessionConfigExt;
use ballista_core::serde::protobuf::ExecutorHeartbeat;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_core::utils::{
    GrpcServerConfig, create_grpc_server_incoming, default_session_builder,
};
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::{BallistaCluster, ClusterState};
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::create_scheduler;
use datafusion::common::DataFusionError;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use muslin_engine::{Error, Fault, Result, Run};
use muslin_engine_datafusion::{Carried, Roots, Stores, embedded_runtime, keep_names};
use tonic::service::InterceptorLayer;
use tonic::transport::Server;

use crate::accept::{AcceptedQuery, HandedOut, check_settings};
use crate::codec::{LogicalCodec, PhysicalCodec};
use crate::flight;
use crate::folder::WorkFolder;
use crate::jobs::Scheduler;
use crate::token::{Guard, Token, check_open, is_here, is_loopback, shown};
use crate::work::Home;

/// Seconds between signs of life of an executor.
const SIGN_OF_LIFE: u64 = 2;
/// Seconds without one after which an executor is taken for dead, and others do its work.
const DEAD_AFTER: u64 = 10;
/// Largest message: plans and their answers are small, parts of a search are not.
const MESSAGE: u32 = 256 << 20;

/// What a scheduler is.
#[derive(Clone, Debug)]
pub struct SchedulerSettings {
    /// The address to listen at.
    pub bind: SocketAddr,
    /// What may be read.
    pub roots: Roots,
    /// What others have to show.
    pub token: Option<Token>,
}

/// What an executor is.
#[derive(Clone, Debug)]
pub struct ExecutorSettings {
    /// Where the scheduler is: host and port.
    pub scheduler: (String, u16),
    /// The address to listen at.
    pub bind: IpAddr,
    /// The name that others know this machine by; the address where nothing is said.
    pub host: Option<String>,
    /// The port to listen at.
    pub port: u16,
    /// Folder in which the executor makes its own, for what is on its way to others.
    pub work_dir: PathBuf,
    /// What may be read.
    pub roots: Roots,
    /// What others have to show, and what is shown to them.
    pub token: Option<Token>,
}

/// How muslin's queries are planned and run.
pub(crate) fn config() -> SessionConfig {
    keep_names(SessionConfig::new_with_ballista())
        .with_ballista_logical_extension_codec(Arc::new(LogicalCodec::default()))
        .with_ballista_physical_extension_codec(Arc::new(PhysicalCodec::default()))
}

/// Stores are known by their addresses and read below the roots alone, and what memory does not hold goes to a folder.
fn environment(
    roots: &Arc<Roots>,
    work_dir: Option<&Path>,
) -> Result<Arc<RuntimeEnv>, DataFusionError> {
    let stores = Arc::new(Stores::confined(roots));
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
    roots: &Arc<Roots>,
    executors: &OnceLock<Arc<dyn ClusterState>>,
) -> Result<SessionState, DataFusionError> {
    check_settings(&config)?;
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
    Ok(SessionStateBuilder::new_from_existing(usual)
        .with_runtime_env(environment(roots, None)?)
        .build())
}

/// Runs a scheduler until it is told to end.
pub fn scheduler(settings: &SchedulerSettings, run: &Run) -> Result<()> {
    let SchedulerSettings { bind, roots, token } = settings;
    check_open(token.as_ref(), &format!("the address {bind}"), is_loopback(&bind.ip()))?;
    let roots = Arc::new(roots.clone());
    let executors: Arc<OnceLock<Arc<dyn ClusterState>>> = Arc::default();
    let (known, own) = (Arc::clone(&executors), Arc::clone(&roots));
    let config = Arc::new(SchedulerConfig {
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
        override_config_producer: Some(Arc::new(move || config().with_extension(Arc::clone(&own)))),
        override_session_builder: Some(Arc::new(move |config| session(config, &roots, &known))),
        ..SchedulerConfig::default()
    });
    let runtime = embedded_runtime(run)?;
    let guard = Guard::new(token.as_ref());
    let serving = async {
        let cluster = BallistaCluster::new_from_config(&config).await?;
        let _ = executors.set(cluster.cluster_state());
        config.validate()?;
        let answers = create_scheduler::<AcceptedQuery, HandedOut>(cluster, config).await?;
        let message = usize::try_from(MESSAGE).unwrap_or(usize::MAX);
        let service = SchedulerGrpcServer::new(answers)
            .max_decoding_message_size(message)
            .max_encoding_message_size(message);
        // Nothing but this service is at the port: no pages about its state, and no way through to executors.
        let incoming = create_grpc_server_incoming(*bind, &GrpcServerConfig::default())?;
        Server::builder()
            .layer(InterceptorLayer::new(guard))
            .add_service(service)
            .serve_with_incoming(incoming)
            .await
            .map_err(BallistaError::TonicError)
    };
    let place = format!("the scheduler at {bind}");
    served(&place, until_ended(&runtime, run, serving))
}

/// Runs an executor until it is told to end.
pub fn executor(settings: &ExecutorSettings, run: &Run) -> Result<()> {
    let ExecutorSettings { scheduler: (host, own_port), bind, port, token, .. } = settings;
    let place = format!("the executor at {}", SocketAddr::new(*bind, *port));
    check_open(token.as_ref(), &place, is_loopback(bind))?;
    check_open(token.as_ref(), &format!("the scheduler at {host}"), is_here(host, *own_port))?;
    // Goes last, when nothing runs any more that could write to it.
    let folder = WorkFolder::inside(&settings.work_dir).map_err(|error| Error::Elsewhere {
        fault: Fault::Question,
        reason: format!(
            "no folder can be made in {}: {}",
            settings.work_dir.display(),
            error.kind()
        ),
        hint: "name another one with `--work-dir`".into(),
    })?;
    let runtime = embedded_runtime(run)?;
    let scheduler = Scheduler { at: format!("{host}:{own_port}"), token: token.clone() };
    runtime.block_on(scheduler.check_let_in())?;
    let process = process(settings, scheduler, folder.path(), run);
    served(&place, until_ended(&runtime, run, start_executor_process(Arc::new(process))))
}

fn process(
    settings: &ExecutorSettings,
    scheduler: Scheduler,
    folder: &Path,
    run: &Run,
) -> ExecutorProcessConfig {
    let ExecutorSettings {
        scheduler: (scheduler_host, scheduler_port),
        bind,
        host,
        port,
        roots,
        token,
        ..
    } = settings;
    let own_host = match bind {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    let roots = Arc::new(roots.clone());
    let home = Home { memory: run.memory_budget(), scheduler, roots: Arc::clone(&roots) };
    let (home, own, shown) = (Arc::new(home), Arc::clone(&roots), shown(token.as_ref()));
    let (work_dir, endpoint) = (folder.to_owned(), Arc::clone(&shown));
    ExecutorProcessConfig {
        external_host: Some(host.clone().unwrap_or_else(|| own_host.clone())),
        bind_host: own_host,
        port: *port,
        grpc_port: port.saturating_add(1),
        scheduler_host: scheduler_host.clone(),
        scheduler_port: *scheduler_port,
        scheduler_connect_timeout_seconds: 30,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        vcores: run.thread_count(),
        work_dir: Some(folder.to_string_lossy().into_owned()),
        job_data_ttl_seconds: 3600,
        job_data_clean_up_interval_seconds: 600,
        grpc_max_decoding_message_size: MESSAGE,
        grpc_max_encoding_message_size: MESSAGE,
        executor_heartbeat_interval_seconds: SIGN_OF_LIFE,
        memory_pool_size: run.memory_budget(),
        override_logical_codec: Some(Arc::new(LogicalCodec::default())),
        override_physical_codec: Some(Arc::new(PhysicalCodec::default())),
        override_config_producer: Some(Arc::new(move || {
            config()
                .with_extension(Arc::clone(&home))
                .with_extension(Arc::clone(&own))
                .with_ballista_override_create_grpc_client_endpoint(Arc::clone(&endpoint))
        })),
        override_runtime_producer: Some(Arc::new(move |_| environment(&roots, Some(&work_dir)))),
        override_create_grpc_client_endpoint: Some(shown),
        override_arrow_flight_service: Some(flight::server(
            Guard::new(token.as_ref()),
            usize::try_from(MESSAGE).unwrap_or(usize::MAX),
        )),
        ..ExecutorProcessConfig::default()
    }
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
