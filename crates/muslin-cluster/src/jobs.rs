//! What a scheduler is told and asked about queries that are under way.

use std::time::Duration;

use ballista_core::serde::protobuf::job_status::Status;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{CancelJobParams, GetJobStatusParams};
use ballista_core::utils::create_grpc_client_endpoint;

/// How often an executor asks whether somebody waits for what it does.
const ASK: Duration = Duration::from_secs(2);

/// Tells a scheduler that nobody waits for a query any more. Whether it hears of it is not told.
pub(crate) async fn cancel(scheduler: &str, job: String) {
    let told = async {
        let endpoint = create_grpc_client_endpoint(format!("http://{scheduler}"), None).ok()?;
        let mut client = SchedulerGrpcClient::new(endpoint.connect().await.ok()?);
        client.cancel_job(CancelJobParams { job_id: job }).await.ok()
    };
    told.await;
}

/// Ends once nobody waits for a task's query: a scheduler that executors ask for work tells none of them to stop.
pub(crate) async fn unwanted(scheduler: &str, task: &str) {
    let Some(job) = job_of(task) else { return std::future::pending().await };
    loop {
        tokio::time::sleep(ASK).await;
        if is_over(scheduler, job).await == Some(true) {
            return;
        }
    }
}

/// Whether a query is over; nothing where the scheduler does not say.
async fn is_over(scheduler: &str, job: &str) -> Option<bool> {
    let endpoint = create_grpc_client_endpoint(format!("http://{scheduler}"), None).ok()?;
    let mut client = SchedulerGrpcClient::new(endpoint.connect().await.ok()?);
    let asked = GetJobStatusParams { job_id: job.to_owned() };
    let status = client.get_job_status(asked).await.ok()?.into_inner().status;
    let status = status.and_then(|own| own.status);
    Some(!matches!(status, Some(Status::Queued(_) | Status::Running(_))))
}

/// The query in the name of a task, such as `TID job/1.0/2.0`.
fn job_of(task: &str) -> Option<&str> {
    task.strip_prefix("TID ")?.split('/').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_named_after_their_query() {
        assert_eq!(job_of("TID Ab3/1.0/12.0"), Some("Ab3"));
        assert_eq!(job_of("12"), None);
    }
}
