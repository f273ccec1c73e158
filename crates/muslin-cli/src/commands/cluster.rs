//! `muslin cluster`.

use std::io;
use std::path::{Path, PathBuf};

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
    path: PathBuf,
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
        private_folder(&path).map_err(unwritable)?;
        Ok(Self { path, is_ours: true })
    }
}

/// What is on its way has cells in it: nobody else on this machine is to read it.
fn private_folder(path: &Path) -> io::Result<()> {
    let mut folder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(path)
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        if self.is_ours {
            // What is left of it is in a folder for such things.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
