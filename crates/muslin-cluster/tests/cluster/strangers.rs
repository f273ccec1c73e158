//! Strangers with plain gRPC and Flight clients: without the token, with another one, and with the right one but with
//! plans that muslin does not send.

use std::fs;
use std::future::Future;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::{Action, Empty, Ticket};
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::execute_query_result::Result as Answer;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    CancelJobParams, CleanJobDataParams, CreateUpdateSessionParams, ExecuteQueryParams,
    ExecutorStoppedParams, FetchPartition, GetJobMetricsParams, GetJobStatusParams,
    HeartBeatParams, KeyValuePair, PollWorkParams, RegisterExecutorParams, RemoveSessionParams,
    UpdateTaskStatusParams, action, job_status,
};
use ballista_core::serde::{
    BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec, protobuf,
};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, col};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_proto::logical_plan::AsLogicalPlan;
use datafusion_proto::physical_plan::AsExecutionPlan;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use muslin_cluster::{Token, connect};
use muslin_engine::{Engine, Error, Run};
use muslin_engine_datafusion::DataFusionEngine;
use muslin_io::ReadOptions;
use prost::Message;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use super::{Cluster, Start, free_port, in_files, node, people};

pub(super) const TOKEN: &str = "correct-horse-battery-staple-0123456789";
const OTHER: &str = "wrong-horse-battery-staple-0123456789xx";

/// Runs what a stranger does, and not for ever.
pub(super) fn within<T>(what: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(90), what).await.expect("it takes too long")
    })
}

pub(super) fn token_file(folder: &Path, token: &str) -> PathBuf {
    let path = folder.join("token");
    fs::write(&path, token).unwrap();
    #[cfg(unix)]
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    path
}

async fn channel(port: u16, agent: Option<&str>) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{port}")).unwrap();
    let endpoint = match agent {
        Some(agent) => endpoint.user_agent(agent.to_owned()).unwrap(),
        None => endpoint,
    };
    endpoint.connect().await.unwrap()
}

fn port(cluster: &Cluster) -> u16 {
    cluster.address.to_string().rsplit(':').next().unwrap().parse().unwrap()
}

/// What a fetch of a part of an answer says.
fn fetch(job: &str, stage: u32, part: u32) -> Vec<u8> {
    let fetch = FetchPartition {
        job_id: job.to_owned(),
        stage_id: stage,
        partition_id: part,
        ..Default::default()
    };
    let action = protobuf::Action {
        action_type: Some(action::ActionType::FetchPartition(fetch)),
        settings: Vec::new(),
    };
    action.encode_to_vec()
}

fn request<T>(message: T) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    request.metadata_mut().insert("ballista-version", "55.0.0".parse().unwrap());
    request
}

/// What every question of a scheduler and of an executor is answered with.
async fn answers_to(cluster: &Cluster, agent: Option<&str>) -> Vec<Option<Status>> {
    let mut asked = SchedulerGrpcClient::new(channel(port(cluster), agent).await);
    let mut said = vec![
        asked.poll_work(PollWorkParams::default()).await.err(),
        asked.register_executor(RegisterExecutorParams::default()).await.err(),
        asked.heart_beat_from_executor(HeartBeatParams::default()).await.err(),
        asked.update_task_status(UpdateTaskStatusParams::default()).await.err(),
        asked.create_update_session(CreateUpdateSessionParams::default()).await.err(),
        asked.remove_session(RemoveSessionParams::default()).await.err(),
        asked.execute_query(request(ExecuteQueryParams::default())).await.err(),
        asked.execute_query_push(request(ExecuteQueryParams::default())).await.err(),
        asked.get_job_status(GetJobStatusParams::default()).await.err(),
        asked.get_job_metrics(GetJobMetricsParams::default()).await.err(),
        asked.executor_stopped(ExecutorStoppedParams::default()).await.err(),
        asked.cancel_job(CancelJobParams::default()).await.err(),
        asked.clean_job_data(CleanJobDataParams::default()).await.err(),
    ];
    let mut asked = FlightServiceClient::new(channel(cluster.ports[0], agent).await);
    let ticket = Ticket { ticket: fetch("Job", 1, 0).into() };
    let action = Action { r#type: "IO_BLOCK_TRANSPORT".into(), body: fetch("Job", 1, 0).into() };
    said.push(asked.do_get(ticket).await.err());
    said.push(asked.do_action(action).await.err());
    said.push(asked.list_actions(Empty::default()).await.err());
    said
}

#[test]
fn nobody_is_let_in_without_the_token() {
    let folder = tempfile::tempdir().unwrap();
    let token = token_file(folder.path(), TOKEN);
    let cluster =
        Cluster::start_with(&Start { executors: 1, token: Some(&token), ..Start::default() });
    let short = format!("muslin/{}", &TOKEN[1..]);
    let other = format!("muslin/{OTHER}");
    for agent in [None, Some(""), Some(TOKEN), Some("muslin/"), Some(short.as_str()), Some(&other)]
    {
        let said = within(answers_to(&cluster, agent));
        assert_eq!(said.len(), 16);
        for status in said {
            let status = status.expect("somebody without the token is answered");
            assert_eq!(status.code(), Code::Unauthenticated, "{status:?}");
            assert!(status.message().contains("the cluster requires a token"), "{status:?}");
        }
    }
    // Nothing else is at the scheduler's port, such as pages about its state.
    for page in ["/healthz", "/readyz", "/api/state", "/api/jobs"] {
        let mut stream = TcpStream::connect(("127.0.0.1", port(&cluster))).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        write!(stream, "GET {page} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").unwrap();
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text);
        assert!(!text.contains(" 200 ") && !text.contains("executor"), "{text}");
    }
}

#[test]
fn asking_programs_and_executors_show_the_token() {
    let folder = tempfile::tempdir().unwrap();
    let token = token_file(folder.path(), TOKEN);
    let mut cluster =
        Cluster::start_with(&Start { executors: 2, token: Some(&token), ..Start::default() });
    let run = Run::new();
    let told = |token: Option<&Token>| match connect(&cluster.address, token, &run) {
        Err(error @ Error::Elsewhere { .. }) => error.to_string(),
        _ => panic!("somebody without the token is let in"),
    };
    fs::create_dir(folder.path().join("other")).unwrap();
    let other = Token::read(&token_file(&folder.path().join("other"), OTHER)).unwrap();
    for told in [told(None), told(Some(&other))] {
        assert!(told.contains("the cluster requires a token"), "{told}");
    }
    let table = in_files(&people(2_000), 3);
    let token = Token::read(&token).unwrap();
    let place = connect(&cluster.address, Some(&token), &run).unwrap();
    let (path, read) = (table.path().to_str().unwrap(), ReadOptions::default());
    let engine = DataFusionEngine::open(place, path, None, &read, &run).unwrap();
    let table = engine.collect(&engine.head().all_columns()).unwrap();
    muslin_testkit::engines::assert_same_answers(&engine, &table);
    // An executor that is not let in ends.
    let (of, own) = (port(&cluster).to_string(), free_port().to_string());
    let work = cluster.folder.path().join("third");
    let args = ["executor", &of, &own, work.to_str().unwrap(), "/", "-"];
    cluster.nodes.push(node(&args));
    let executor = cluster.nodes.last_mut().unwrap();
    let start = Instant::now();
    let ended = loop {
        if let Some(ended) = executor.try_wait().unwrap() {
            break ended;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "an executor without the token goes on");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(ended.code(), Some(1));
}

/// A folder that may be read, with a table; one that may not, with a table, a file that somebody needs, and parts of
/// answers where Ballista would look for them; and a cluster.
struct Scene {
    folder: tempfile::TempDir,
    cluster: Cluster,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for name in ["inside", "outside", "outside/1/0"] {
            fs::create_dir_all(path.join(name)).unwrap();
        }
        for name in ["inside/table.csv", "outside/table.csv"] {
            fs::write(path.join(name), "a,b\n1,2\n3,4\n").unwrap();
        }
        fs::write(path.join("outside/victim.txt"), "important").unwrap();
        fs::write(path.join("outside/1/0/data.arrow"), "important").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../outside/table.csv", path.join("inside/link.csv")).unwrap();
        let token = token_file(path, TOKEN);
        let inside = path.join("inside");
        let start = Start { executors: 1, root: Some(&inside), token: Some(&token), memory: None };
        let cluster = Cluster::start_with(&start);
        Self { folder, cluster }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// All files but the cluster's own, with what is in them.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        files(self.folder.path())
    }
}

pub(super) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(files(&path));
        } else {
            let content = fs::read(&path).unwrap_or_default();
            found.push((path, content));
        }
    }
    found.sort();
    found
}

pub(super) fn session() -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(2);
    SessionContext::new_with_config(config).enable_url_table()
}

pub(super) async fn planned(session: &SessionContext, sql: &str) -> LogicalPlan {
    session.state().create_logical_plan(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

fn encoded(plan: &LogicalPlan) -> Query {
    let codec = BallistaLogicalExtensionCodec::default();
    let node = LogicalPlanNode::try_from_logical_plan(plan, &codec).unwrap();
    let mut bytes = Vec::new();
    node.try_encode(&mut bytes).unwrap();
    Query::LogicalPlan(bytes)
}

/// Asks for what a plan gives, in both ways; and how that ends.
async fn ask(
    asked: &mut SchedulerGrpcClient<Channel>,
    query: Query,
    settings: &[(&str, &str)],
) -> Result<(), String> {
    let pair = |(key, value): &(&str, &str)| KeyValuePair {
        key: (*key).into(),
        value: Some((*value).into()),
    };
    let params = ExecuteQueryParams {
        session_id: "stranger".into(),
        operation_id: "1".into(),
        settings: settings.iter().map(pair).collect(),
        query: Some(query),
    };
    let pushed = asked.execute_query_push(request(params.clone())).await.err();
    let answer = asked.execute_query(request(params)).await;
    let job = match answer.map_err(|status| status.message().to_owned())?.into_inner().result {
        Some(Answer::Success(success)) => success.job_id,
        Some(Answer::Failure(failure)) => {
            let pushed = pushed.expect("it is taken in the other way");
            assert!(pushed.message().contains("muslin-"), "{pushed:?}");
            return Err(format!("{failure:?}"));
        }
        None => panic!("nothing is said"),
    };
    loop {
        let asked_for = GetJobStatusParams { job_id: job.clone() };
        let status = asked.get_job_status(asked_for).await.unwrap().into_inner().status;
        match status.and_then(|own| own.status) {
            Some(job_status::Status::Failed(failed)) => return Err(failed.error),
            Some(job_status::Status::Successful(_)) => return Ok(()),
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

fn assert_refused(what: &str, said: Result<(), String>, word: &str, about: &str) {
    let said = said.expect_err(what);
    assert!(said.contains(word) && said.contains(about), "{what}: {said}");
}

#[test]
fn with_the_token_nothing_is_written_and_nothing_defined() {
    let scene = Scene::new();
    let before = scene.files();
    within(async {
        let agent = format!("muslin/{TOKEN}");
        let channel = channel(port(&scene.cluster), Some(&agent)).await;
        let asked = &mut SchedulerGrpcClient::new(channel);
        let session = session();
        let inside = scene.path("inside/table.csv");
        let victim = scene.path("outside/victim.txt");
        let new = scene.path("inside/new.csv");
        let table = format!(
            "create external table t (a bigint, b bigint) stored as csv location '{inside}'"
        );
        session.sql(&table).await.unwrap().collect().await.unwrap();
        for (sql, about) in [
            (format!("copy (select 'pwned' as a) to '{victim}' stored as csv"), "COPY"),
            (format!("copy (select 'pwned' as a) to '{new}' stored as parquet"), "COPY"),
            (format!("copy (select * from '{inside}') to '{new}' stored as json"), "COPY"),
            ("insert into t values (5, 6)".into(), "INSERT"),
            ("insert overwrite t values (5, 6)".into(), "INSERT"),
            (table.replace(" t ", " u "), "CREATE"),
            ("create view v as select 1".into(), "CREATE"),
            ("create schema s".into(), "CREATE"),
            ("create database d".into(), "CREATE"),
            ("drop view v".into(), "DROP"),
            ("explain select 1".into(), "EXPLAIN"),
            ("explain analyze select 1".into(), "EXPLAIN"),
            (
                "with recursive r as (select 1 as n union all select n + 1 from r where n < 3) select * from r".into(),
                "RECURSIVE",
            ),
        ] {
            let plan = planned(&session, &sql).await;
            let said = ask(asked, encoded(&plan), &[]).await;
            assert_refused(&sql, said, "muslin-refused", about);
        }
        // What writes below what reads.
        let copy =
            planned(&session, &format!("copy (select 'pwned' as a) to '{victim}' stored as csv"))
                .await;
        let hidden = LogicalPlanBuilder::from(copy.clone()).project([col("count")]).unwrap();
        let twice = LogicalPlanBuilder::from(hidden.clone().build().unwrap())
            .union(hidden.clone().build().unwrap());
        for plan in [hidden.build().unwrap(), twice.unwrap().build().unwrap()] {
            let said = ask(asked, encoded(&plan), &[]).await;
            assert_refused("hidden", said, "muslin-refused", "COPY");
        }
        // Plans of operators, with and without a sink.
        for plan in [copy, planned(&session, "select 1 as a").await] {
            let plan = session.state().create_physical_plan(&plan).await.unwrap();
            let codec = BallistaPhysicalExtensionCodec::default();
            let node = PhysicalPlanNode::try_from_physical_plan(plan, &codec).unwrap();
            let mut bytes = Vec::new();
            node.try_encode(&mut bytes).unwrap();
            let said = ask(asked, Query::PhysicalPlan(bytes), &[]).await;
            assert_refused("operators", said, "muslin-refused", "operators instead of a query");
        }
        // Settings that name places, or switch on faults.
        let fine = planned(&session, &format!("select count(*) from '{inside}'")).await;
        for setting in [
            ("datafusion.catalog.location", "/etc"),
            ("ballista.testing.chaos_execution.enabled", "true"),
            ("ballista.client.use_tls", "true"),
        ] {
            let said = ask(asked, encoded(&fine), &[setting]).await;
            assert_refused(setting.0, said, "muslin-refused", setting.0);
        }
        let parts = [("datafusion.execution.target_partitions", "3"), ("ballista.job.name", "x")];
        assert_eq!(ask(asked, encoded(&fine), &parts).await, Ok(()));
    });
    assert_eq!(scene.files(), before);
}

#[test]
fn with_the_token_nothing_is_read_outside_the_roots() {
    let scene = Scene::new();
    let before = scene.files();
    within(async {
        let agent = format!("muslin/{TOKEN}");
        let asked =
            &mut SchedulerGrpcClient::new(channel(port(&scene.cluster), Some(&agent)).await);
        let session = session();
        let (inside, outside) = (scene.path("inside/table.csv"), scene.path("outside/table.csv"));
        for sql in [
            format!("select * from '{outside}'"),
            format!("select * from '{}'", scene.path("inside/../outside/table.csv")),
            format!("select * from '{}'", scene.path("inside/link.csv")),
            format!("select * from '{inside}' join '{outside}' using (a)"),
            format!("select a, (select max(b) from '{outside}') from '{inside}'"),
            format!("select a from '{inside}' union all select a from '{outside}'"),
            "select * from '/etc/passwd'".into(),
        ] {
            // A file without a known ending is a table by a definition alone.
            let plan = if sql.contains("passwd") {
                let table = "create external table p (a text) stored as csv location '/etc/passwd' options ('format.has_header' 'false')";
                session.sql(table).await.unwrap().collect().await.unwrap();
                planned(&session, "select * from p").await
            } else {
                planned(&session, &sql).await
            };
            let said = ask(asked, encoded(&plan), &[]).await;
            assert_refused(&sql, said, "muslin-outside", "not below a root");
        }
        let fine = planned(&session, &format!("select * from '{inside}' where b > 2")).await;
        assert_eq!(ask(asked, encoded(&fine), &[]).await, Ok(()));
        // Parts of answers of other folders.
        let mut asked =
            FlightServiceClient::new(channel(scene.cluster.ports[0], Some(&agent)).await);
        for job in [
            scene.path("outside"),
            "../../outside".into(),
            "..".into(),
            String::new(),
            "a/b".into(),
        ] {
            let ticket = Ticket { ticket: fetch(&job, 1, 0).into() };
            let action =
                Action { r#type: "IO_BLOCK_TRANSPORT".into(), body: fetch(&job, 1, 0).into() };
            for status in [asked.do_get(ticket).await.err(), asked.do_action(action).await.err()] {
                let status = status.expect("a file of somebody else is given away");
                assert_eq!(status.code(), Code::PermissionDenied, "{status:?}");
                assert!(status.message().contains("muslin-refused"), "{status:?}");
            }
        }
    });
    assert_eq!(scene.files(), before);
}
