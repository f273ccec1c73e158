//! The machines of a cluster: a scheduler and executors.

use std::net::SocketAddr;
use std::path::PathBuf;

use muslin_engine::Run;

use crate::Result;

/// Runs the scheduler of a cluster, until the run is cancelled.
///
/// # Guarantee
/// An executor that gives no sign of life for ten seconds is taken for dead, and others do its work. Queries that write,
/// define something or read outside the roots are refused. Without a token, only an address of this machine is served.
#[derive(Clone, Debug)]
pub struct SchedulerJob {
    /// The address to listen at.
    pub bind: SocketAddr,
    /// Folders and prefixes of object stores below which tables may be read: at least one.
    pub roots: Vec<String>,
    /// File with the secret that executors and asking programs must present.
    pub token_file: Option<PathBuf>,
}

/// Runs an executor of a cluster, until the run is cancelled. Threads and memory are the run's.
///
/// # Guarantee
/// It writes only into a folder of its own, which no other user of the machine can read and which is removed when it
/// ends, or when the next executor starts in the same work folder. It reads only below its roots.
#[derive(Clone, Debug)]
pub struct ExecutorJob {
    /// Where the scheduler is: host and port.
    pub scheduler: (String, u16),
    /// The address to listen at.
    pub bind: SocketAddr,
    /// The name by which other machines know this one; the address where nothing is said.
    pub host: Option<String>,
    /// The folder in which it makes its own for data in transit; the system's temporary folder where nothing is said.
    pub work_dir: Option<PathBuf>,
    /// Folders and prefixes of object stores below which tables may be read: at least one.
    pub roots: Vec<String>,
    /// File with the secret that others must present, and that is presented to them.
    pub token_file: Option<PathBuf>,
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
    use muslin_cluster::Token;
    use muslin_engine_datafusion::Roots;

    use super::{ExecutorJob, Result, Run, SchedulerJob};

    pub(super) fn scheduler(job: &SchedulerJob, run: &Run) -> Result<()> {
        let settings = muslin_cluster::SchedulerSettings {
            bind: job.bind,
            roots: Roots::new(&job.roots)?,
            token: job.token_file.as_deref().map(Token::read).transpose()?,
        };
        Ok(muslin_cluster::scheduler(&settings, run)?)
    }

    pub(super) fn executor(job: &ExecutorJob, run: &Run) -> Result<()> {
        let settings = muslin_cluster::ExecutorSettings {
            scheduler: job.scheduler.clone(),
            bind: job.bind.ip(),
            host: job.host.clone(),
            port: job.bind.port(),
            work_dir: job.work_dir.clone().unwrap_or_else(std::env::temp_dir),
            roots: Roots::new(&job.roots)?,
            token: job.token_file.as_deref().map(Token::read).transpose()?,
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
