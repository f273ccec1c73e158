//! The machines of a cluster: a scheduler and executors.

use std::net::SocketAddr;
use std::path::PathBuf;

use muslin_engine::Run;

use crate::Result;

/// Runs the scheduler of a cluster, until the run is cancelled.
///
/// # Guarantee
/// An executor that gives no sign of life for ten seconds is taken for dead, and others do its work.
#[derive(Clone, Debug)]
pub struct SchedulerJob {
    /// The address to listen at.
    pub bind: SocketAddr,
}

/// Runs an executor of a cluster, until the run is cancelled. Threads and memory are the run's.
#[derive(Clone, Debug)]
pub struct ExecutorJob {
    /// Where the scheduler is: host and port.
    pub scheduler: (String, u16),
    /// The address to listen at; the next port is used too.
    pub bind: SocketAddr,
    /// The name by which other machines know this one; the address where nothing is said.
    pub host: Option<String>,
    /// A folder for what is on its way between executors.
    pub work_dir: PathBuf,
}

impl SchedulerJob {
    /// Serves.
    pub fn run(&self, run: &Run) -> Result<()> {
        serving::scheduler(self, run)
    }
}

impl ExecutorJob {
    /// Serves.
    pub fn run(&self, run: &Run) -> Result<()> {
        serving::executor(self, run)
    }
}

#[cfg(feature = "cluster")]
mod serving {
    use super::{ExecutorJob, Result, Run, SchedulerJob};

    pub(super) fn scheduler(job: &SchedulerJob, run: &Run) -> Result<()> {
        Ok(muslin_cluster::scheduler(job.bind, run)?)
    }

    pub(super) fn executor(job: &ExecutorJob, run: &Run) -> Result<()> {
        let settings = muslin_cluster::ExecutorSettings {
            scheduler: job.scheduler.clone(),
            bind: job.bind.ip().to_string(),
            host: job.host.clone(),
            port: job.bind.port(),
            work_dir: job.work_dir.clone(),
        };
        Ok(muslin_cluster::executor(&settings, run)?)
    }
}

#[cfg(not(feature = "cluster"))]
mod serving {
    use super::{ExecutorJob, Result, Run, SchedulerJob};
    use crate::Error;
    use crate::elsewhere::wrong;

    fn no_cluster() -> Error {
        wrong(
            "this build of muslin knows no cluster",
            "build it with `cargo install --path crates/muslin-cli --features cluster`",
        )
    }

    pub(super) fn scheduler(_: &SchedulerJob, _: &Run) -> Result<()> {
        Err(no_cluster())
    }

    pub(super) fn executor(_: &ExecutorJob, _: &Run) -> Result<()> {
        Err(no_cluster())
    }
}
