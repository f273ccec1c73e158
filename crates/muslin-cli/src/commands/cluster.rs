//! `muslin cluster`.

use std::io;

use muslin::{ExecutorJob, SchedulerJob};
use muslin_command::args::{Cluster, Common, Executor, Node};

use super::{Finished, Outcome, start, talk};
use crate::exit::Exit;

/// Serves until it is interrupted.
pub(crate) fn run(args: &Cluster, common: &Common) -> Outcome {
    let run = start(common)?;
    match &args.node {
        Node::Scheduler(own) => {
            let job = SchedulerJob { bind: own.bind };
            talk(&format!("the scheduler is ballista://{}; Ctrl-C ends it", own.bind));
            job.run(&run)?;
        }
        Node::Executor(own) => {
            let folder = WorkFolder::of(own)?;
            let job = ExecutorJob {
                scheduler: own.scheduler.clone(),
                bind: own.bind,
                host: own.host.clone(),
                work_dir: folder.path.clone(),
            };
            let (host, port) = &own.scheduler;
            talk(&format!("this executor works for {host}:{port}; Ctrl-C ends it"));
            job.run(&run)?;
        }
    }
    Ok(Exit::Fine)
}

/// A folder that is removed in the end, where it is our own.
struct WorkFolder {
    path: std::path::PathBuf,
    is_ours: bool,
}

impl WorkFolder {
    fn of(args: &Executor) -> Result<Self, Finished> {
        let unwritable = |_: io::Error| {
            Finished::Usage(
                "the folder for what is on its way cannot be made\n  hint: name another one with `--work-dir`",
            )
        };
        if let Some(path) = &args.work_dir {
            std::fs::create_dir_all(path).map_err(unwritable)?;
            return Ok(Self { path: path.clone(), is_ours: false });
        }
        let name = format!("muslin-executor-{}-{}", std::process::id(), args.bind.port());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).map_err(unwritable)?;
        Ok(Self { path, is_ours: true })
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        if self.is_ours {
            // What is left of it is in a folder for such things.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
