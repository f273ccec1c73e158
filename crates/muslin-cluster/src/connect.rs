use std::fmt;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use ballista_core::config::BALLISTA_CLIENT_PULL;
use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_proto::protobuf::LogicalPlanNode;
use muslin_engine::{Error, Fault, Result, Run};
use muslin_engine_datafusion::{
    LetGo, Place, Saying, Stores, embedded_runtime, environment, keep_names, said,
};
use tokio::runtime::Runtime;

use crate::codec::{LogicalCodec, PhysicalCodec};
use crate::jobs::Scheduler;
use crate::token::{Token, check_open, is_here, shown};

/// Where a cluster's scheduler listens, if nothing else is said.
const PORT: u16 = 50050;
/// How long a scheduler may take to accept a connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long somebody who ends waits for a scheduler to hear of it.
const PARTING: Duration = Duration::from_millis(500);

/// The address of a cluster's scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
}

impl Address {
    /// An address such as `ballista://host:50050`.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("ballista://")?.trim_end_matches('/');
        let url = url::Url::parse(&format!("http://{rest}")).ok()?;
        let host = url.host_str()?.to_owned();
        (url.path() == "/").then(|| Self { host, port: url.port().unwrap_or(PORT) })
    }

    pub(crate) fn host_and_port(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ballista://{}:{}", self.host, self.port)
    }
}

/// Connects with a cluster, which may ask for a token: questions are answered there, rows are read from here.
pub fn connect(address: &Address, token: Option<&Token>, run: &Run) -> Result<Place> {
    check_open(token, &address.to_string(), is_here(&address.host, address.port))?;
    let unreachable = || Error::Elsewhere {
        fault: Fault::Table,
        reason: format!("no scheduler answers at {address}"),
        hint: "start one with `muslin cluster scheduler`, or check the address".into(),
    };
    let mut found = address.host_and_port().to_socket_addrs().map_err(|_| unreachable())?;
    if !found.any(|at| TcpStream::connect_timeout(&at, PATIENCE).is_ok()) {
        return Err(unreachable());
    }
    let runtime = Arc::new(embedded_runtime(run)?);
    let scheduler = Scheduler { at: address.host_and_port(), token: token.cloned() };
    runtime.block_on(scheduler.check_let_in())?;
    let environment = environment(run, None, Stores::default())?;
    let state = runtime.block_on(async {
        let config = keep_names(SessionConfig::new_with_ballista())
            .with_ballista_logical_extension_codec(Arc::new(LogicalCodec::default()))
            .with_ballista_physical_extension_codec(Arc::new(PhysicalCodec::default()))
            // Plans that change while they run do not survive the loss of an executor as well.
            .with_ballista_adaptive_query_planner(false)
            // Who asks how far a query is knows its name at once, and can let it go.
            .set_bool(BALLISTA_CLIENT_PULL, true)
            .with_ballista_job_name("muslin")
            .with_ballista_override_create_grpc_client_endpoint(shown(token));
        SessionStateBuilder::new()
            .with_default_features()
            .with_config(config)
            .with_runtime_env(environment)
            .build()
            .upgrade_for_ballista(format!("http://{}", address.host_and_port()))
    });
    let state = state.map_err(|error| said(&error, &address.to_string(), Saying::Elsewhere))?;
    let let_go = let_go(Arc::clone(&runtime), scheduler);
    Place::elsewhere(runtime, SessionContext::new_with_state(state), let_go, run)
}

/// Tells the scheduler that nobody waits for a query any more, so that executors are free for others. Whether it
/// hears of it makes no difference to who leaves.
fn let_go(runtime: Arc<Runtime>, scheduler: Scheduler) -> LetGo {
    Box::new(move |plan| {
        let query = plan.downcast_ref::<DistributedQueryExec<LogicalPlanNode>>();
        let Some(job) = query.and_then(DistributedQueryExec::job_id) else { return };
        let told = scheduler.cancel(job.into());
        let _ = runtime.block_on(async { tokio::time::timeout(PARTING, told).await });
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_schedulers() {
        let parsed = |text| Address::parse(text).map(|address| address.to_string());
        assert_eq!(parsed("ballista://one:7"), Some("ballista://one:7".into()));
        assert_eq!(parsed("ballista://[::1]:7/"), Some("ballista://[::1]:7".into()));
        assert_eq!(parsed("ballista://one"), Some("ballista://one:50050".into()));
        for wrong in
            ["one:7", "spark://one:7", "ballista://", "ballista://one/x", "ballista://one:x"]
        {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
