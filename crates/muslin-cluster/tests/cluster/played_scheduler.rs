//! Somebody who has taken the place of the scheduler hands out tasks, and an executor does those alone that read below
//! its roots and write to its own folder.

use std::collections::VecDeque;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ballista_core::execution_plans::{ShuffleReaderExec, ShuffleWriterExec};
use ballista_core::serde::BallistaPhysicalExtensionCodec;
use ballista_core::serde::protobuf::scheduler_grpc_server::{SchedulerGrpc, SchedulerGrpcServer};
use ballista_core::serde::protobuf::task_status::Status as Ended;
use ballista_core::serde::protobuf::{
    CancelJobParams, CancelJobResult, CleanJobDataParams, CleanJobDataResult,
    CreateUpdateSessionParams, CreateUpdateSessionResult, ExecuteQueryParams, ExecuteQueryResult,
    ExecutorStoppedParams, ExecutorStoppedResult, GetJobMetricsParams, GetJobMetricsResult,
    GetJobStatusParams, GetJobStatusResult, HeartBeatParams, HeartBeatResult, KeyValuePair,
    PollWorkParams, PollWorkResult, RegisterExecutorParams, RegisterExecutorResult,
    RemoveSessionParams, RemoveSessionResult, TaskDefinition, TaskStatus, UpdateTaskStatusParams,
    UpdateTaskStatusResult,
};
use ballista_core::serde::scheduler::{
    ExecutorMetadata, ExecutorOperatingSystemSpecification, ExecutorSpecification, PartitionId,
    PartitionLocation, PartitionStats,
};
use datafusion::physical_plan::{ExecutionPlan, Partitioning};
use datafusion::prelude::SessionContext;
use datafusion_proto::physical_plan::AsExecutionPlan;
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::Stream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

use super::strangers::{files, planned, session, within};
use super::{free_port, node};

/// Hands out tasks, and keeps how they ended.
#[derive(Clone, Default)]
struct Played {
    tasks: Arc<Mutex<VecDeque<TaskDefinition>>>,
    ended: Arc<Mutex<Vec<TaskStatus>>>,
}

fn nothing<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("this is no scheduler"))
}

#[tonic::async_trait]
impl SchedulerGrpc for Played {
    type ExecuteQueryPushStream =
        Pin<Box<dyn Stream<Item = Result<GetJobStatusResult, Status>> + Send>>;

    async fn poll_work(
        &self,
        request: Request<PollWorkParams>,
    ) -> Result<Response<PollWorkResult>, Status> {
        self.ended.lock().unwrap().extend(request.into_inner().task_status);
        let tasks = self.tasks.lock().unwrap().pop_front().into_iter().collect();
        Ok(Response::new(PollWorkResult { tasks, jobs_to_clean: Vec::new() }))
    }

    async fn register_executor(
        &self,
        _: Request<RegisterExecutorParams>,
    ) -> Result<Response<RegisterExecutorResult>, Status> {
        nothing()
    }

    async fn heart_beat_from_executor(
        &self,
        _: Request<HeartBeatParams>,
    ) -> Result<Response<HeartBeatResult>, Status> {
        nothing()
    }

    async fn update_task_status(
        &self,
        _: Request<UpdateTaskStatusParams>,
    ) -> Result<Response<UpdateTaskStatusResult>, Status> {
        nothing()
    }

    async fn create_update_session(
        &self,
        _: Request<CreateUpdateSessionParams>,
    ) -> Result<Response<CreateUpdateSessionResult>, Status> {
        nothing()
    }

    async fn remove_session(
        &self,
        _: Request<RemoveSessionParams>,
    ) -> Result<Response<RemoveSessionResult>, Status> {
        nothing()
    }

    async fn execute_query_push(
        &self,
        _: Request<ExecuteQueryParams>,
    ) -> Result<Response<Self::ExecuteQueryPushStream>, Status> {
        nothing()
    }

    async fn execute_query(
        &self,
        _: Request<ExecuteQueryParams>,
    ) -> Result<Response<ExecuteQueryResult>, Status> {
        nothing()
    }

    async fn get_job_status(
        &self,
        _: Request<GetJobStatusParams>,
    ) -> Result<Response<GetJobStatusResult>, Status> {
        nothing()
    }

    async fn get_job_metrics(
        &self,
        _: Request<GetJobMetricsParams>,
    ) -> Result<Response<GetJobMetricsResult>, Status> {
        nothing()
    }

    async fn executor_stopped(
        &self,
        _: Request<ExecutorStoppedParams>,
    ) -> Result<Response<ExecutorStoppedResult>, Status> {
        nothing()
    }

    async fn cancel_job(
        &self,
        _: Request<CancelJobParams>,
    ) -> Result<Response<CancelJobResult>, Status> {
        nothing()
    }

    async fn clean_job_data(
        &self,
        _: Request<CleanJobDataParams>,
    ) -> Result<Response<CleanJobDataResult>, Status> {
        nothing()
    }
}

type Plan = Arc<dyn ExecutionPlan>;

async fn operators(session: &SessionContext, sql: &str) -> Plan {
    let plan = planned(session, sql).await;
    session.state().create_physical_plan(&plan).await.unwrap()
}

/// What writes an answer to the folder of a query.
fn writer(job: &str, plan: Plan) -> Plan {
    Arc::new(ShuffleWriterExec::try_new(job.into(), 1, plan, String::new()).unwrap())
}

/// Reads a part of an answer of a query, which is said to be at nobody's.
fn reader(job: &str) -> Plan {
    let schema = Arc::new(arrow_schema::Schema::empty());
    let place = PartitionLocation {
        map_partition_id: 0,
        partition_id: PartitionId { job_id: job.into(), stage_id: 1, partition_id: 0 },
        executor_meta: ExecutorMetadata {
            id: "nobody".into(),
            host: "127.0.0.1".into(),
            port: 1,
            grpc_port: 1,
            specification: ExecutorSpecification::default(),
            os_info: ExecutorOperatingSystemSpecification::default(),
        },
        partition_stats: PartitionStats::default(),
        file_id: None,
        is_sort_shuffle: false,
    };
    let parts = Partitioning::UnknownPartitioning(1);
    Arc::new(ShuffleReaderExec::try_new(1, vec![vec![place]], schema, parts).unwrap())
}

fn task(job: &str, plan: Plan, settings: &[(&str, &str)]) -> TaskDefinition {
    let codec = BallistaPhysicalExtensionCodec::default();
    let mut bytes = Vec::new();
    PhysicalPlanNode::try_from_physical_plan(plan, &codec).unwrap().try_encode(&mut bytes).unwrap();
    let pair = |(key, value): &(&str, &str)| KeyValuePair {
        key: (*key).into(),
        value: Some((*value).into()),
    };
    TaskDefinition {
        job_id: job.into(),
        stage_id: 1,
        plan: bytes,
        session_id: "stranger".into(),
        props: settings.iter().map(pair).collect(),
        global_output_partition_ids: vec![0],
        vcores_consumed: 1,
        ..TaskDefinition::default()
    }
}

/// What must be refused, each with what is said of it; and at last what must not.
async fn tasks(folder: &Path) -> Vec<(TaskDefinition, Option<&'static str>)> {
    let text = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (inside, outside, victim) =
        (text("inside/table.csv"), text("outside/table.csv"), text("outside/victim.txt"));
    let session = session();
    let sink =
        |format: &str, to: &str| format!("copy (select 'pwned' as a) to '{to}' stored as {format}");
    let csv = operators(&session, &sink("csv", &victim)).await;
    let parquet = operators(&session, &sink("parquet", &text("inside/new.parquet"))).await;
    let json = operators(&session, &sink("json", &text("inside/new.json"))).await;
    let fine = operators(&session, &format!("select a from '{inside}'")).await;
    let elsewhere = operators(&session, &format!("select a from '{outside}'")).await;
    let link = operators(&session, &format!("select a from '{}'", text("inside/link.csv"))).await;
    let (refused, read) = (Some("muslin-refused"), Some("muslin-outside"));
    let of_writer =
        |name: &'static str, plan: &Plan| task(name, writer(name, Arc::clone(plan)), &[]);
    vec![
        (of_writer("csv", &csv), refused),
        (of_writer("parquet", &parquet), refused),
        (of_writer("json", &json), refused),
        // Without what writes an answer, nothing is done at all.
        (task("sink", Arc::clone(&csv), &[]), Some("is not a ShuffleWriterExec")),
        (task("plain", Arc::clone(&fine), &[]), Some("is not a ShuffleWriterExec")),
        (of_writer("twice", &writer("/nowhere", Arc::clone(&fine))), refused),
        (of_writer("elsewhere", &elsewhere), read),
        (of_writer("link", &link), read),
        // Names of queries that lead elsewhere.
        (of_writer("../../outside", &fine), refused),
        (of_writer("a/../../../outside", &fine), refused),
        (of_writer("", &fine), refused),
        (task("absolute", writer("absolute", reader(&text("outside"))), &[]), refused),
        (task("above", writer("above", reader("../../outside")), &[]), refused),
        (
            task(
                "settings",
                writer("settings", Arc::clone(&fine)),
                &[("datafusion.catalog.location", "/etc")],
            ),
            refused,
        ),
        (of_writer("fine", &fine), None),
    ]
}

#[test]
fn an_executor_does_not_do_whatever_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for name in ["inside", "outside/1/0", "work"] {
        fs::create_dir_all(path.join(name)).unwrap();
    }
    for name in ["inside/table.csv", "outside/table.csv"] {
        fs::write(path.join(name), "a,b\n1,2\n3,4\n").unwrap();
    }
    for name in ["outside/victim.txt", "outside/1/0/data.arrow"] {
        fs::write(path.join(name), "important").unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("../outside/table.csv", path.join("inside/link.csv")).unwrap();
    let before = files(path);
    let (port, own) = (free_port(), free_port());
    let played = Played::default();
    let ended = within(async {
        let tasks = tasks(path).await;
        let address: SocketAddr = ([127, 0, 0, 1], port).into();
        let server = Server::builder().add_service(SchedulerGrpcServer::new(played.clone()));
        tokio::spawn(server.serve(address));
        played.tasks.lock().unwrap().extend(tasks.iter().map(|(task, _)| task.clone()));
        let text = |name: &str| path.join(name).to_str().unwrap().to_owned();
        let (of, at, work, root) =
            (port.to_string(), own.to_string(), text("work"), text("inside"));
        while tokio::net::TcpStream::connect(address).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut executor = node(&["executor", &of, &at, &work, &root, "-"]);
        let all = async {
            while played.ended.lock().unwrap().len() < tasks.len() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(60), all).await;
        executor.kill().unwrap();
        executor.wait().unwrap();
        let ended = played.ended.lock().unwrap().clone();
        assert!(in_time.is_ok(), "not all tasks ended: {ended:?}");
        tasks
            .into_iter()
            .map(|(task, expected)| {
                let own = ended.iter().find(|own| own.job_id == task.job_id).unwrap().clone();
                (task.job_id, own.status, expected)
            })
            .collect::<Vec<_>>()
    });
    for (job, status, expected) in ended {
        match (status, expected) {
            (Some(Ended::Failed(failed)), Some(word)) => {
                assert!(failed.error.contains(word), "{job}: {}", failed.error);
            }
            (Some(Ended::Successful(_)), None) => {}
            (status, _) => panic!("{job}: {status:?}"),
        }
    }
    let left: Vec<_> =
        files(path).into_iter().filter(|(own, _)| !own.starts_with(path.join("work"))).collect();
    assert_eq!(left, before);
}
