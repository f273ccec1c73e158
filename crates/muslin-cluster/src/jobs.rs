//! What a scheduler is told and asked about queries that are under way.

use std::time::Duration;

use ballista_core::serde::protobuf::job_status::Status;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{CancelJobParams, GetJobStatusParams};
use ballista_core::utils::create_grpc_client_endpoint;
use muslin_engine::Result;
use muslin_engine_datafusion::Carried;
use tonic::Code;
use tonic::transport::Channel;

use crate::token::{Token, shown};

/// How often an executor asks whether somebody waits for what it does.
const ASK: Duration = Duration::from_secs(2);
/// How long a scheduler may take to say whom it lets in.
const PATIENCE: Duration = Duration::from_secs(5);

/// A scheduler, and what is shown to it.
#[derive(Clone, Debug)]
pub(crate) struct Scheduler {
    /// Host and port.
    pub(crate) at: String,
    pub(crate) token: Option<Token>,
}

impl Scheduler {
    async fn client(&self) -> Option<SchedulerGrpcClient<Channel>> {
        let endpoint = create_grpc_client_endpoint(format!("http://{}", self.at), None).ok()?;
        let endpoint = shown(self.token.as_ref())(endpoint).ok()?;
        Some(SchedulerGrpcClient::new(endpoint.connect().await.ok()?))
    }

    /// An error where the scheduler does not let in who shows this token. One that does not answer is found out later.
    pub(crate) async fn check_let_in(&self) -> Result<()> {
        let asked = async {
            let asked = GetJobStatusParams { job_id: "none".into() };
            self.client().await?.get_job_status(asked).await.err()
        };
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Some(status)) if status.code() == Code::Unauthenticated => {
                Err(Carried::NoToken.said())
            }
            _ => Ok(()),
        }
    }

    /// Says that nobody waits for a query any more. Whether it is heard is not told.
    pub(crate) async fn cancel(&self, job: String) {
        let told =
            async { self.client().await?.cancel_job(CancelJobParams { job_id: job }).await.ok() };
        told.await;
    }

    /// Ends once nobody waits for a task's query: a scheduler that executors ask for work tells none of them to stop.
    pub(crate) async fn unwanted(&self, task: &str) {
        let Some(job) = job_of(task) else { return std::future::pending().await };
        loop {
            tokio::time::sleep(ASK).await;
            if self.is_over(job).await == Some(true) {
                return;
            }
        }
    }

    /// Whether a query is over; nothing where the scheduler does not say.
    async fn is_over(&self, job: &str) -> Option<bool> {
        let asked = GetJobStatusParams { job_id: job.to_owned() };
        let status = self.client().await?.get_job_status(asked).await.ok()?.into_inner().status;
        let status = status.and_then(|own| own.status);
        Some(!matches!(status, Some(Status::Queued(_) | Status::Running(_))))
    }
}

/// The query in the name of a task, such as `TID job/1.0/2.0`: query, stage and part, and nothing else.
pub(crate) fn job_of(task: &str) -> Option<&str> {
    let mut parts = task.strip_prefix("TID ")?.split('/');
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(job), Some(stage), Some(part), None) if is_number(stage) && is_number(part) => {
            Some(job)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_named_after_their_query() {
        assert_eq!(job_of("TID Ab3/1.0/12.0"), Some("Ab3"));
        for other in ["12", "TID a/../1.0/2.0", "TID a/1.0", "TID ../a", "TID a/b/2.0"] {
            assert_eq!(job_of(other), None, "{other}");
        }
    }
}
