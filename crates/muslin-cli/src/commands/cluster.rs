//! `muslin cluster`.

use muslin::{ExecutorJob, SchedulerJob, ScratchFolder};
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
            let folder = work_folder(own)?;
            let job = ExecutorJob {
                scheduler: own.scheduler.clone(),
                bind: own.bind,
                host: own.host.clone(),
                work_dir: folder.path().to_owned(),
            };
            let (host, port) = &own.scheduler;
            talk(&format!("this executor works for {host}:{port}; Ctrl-C ends it"));
            job.run(&run)?;
        }
    }
    Ok(Exit::Fine)
}

/// A folder of our own, within the one that is named or among the temporary files of the system. Executors
/// remove every folder that they find where they work, and what is on its way has cells in it.
fn work_folder(args: &Executor) -> Result<ScratchFolder, Finished> {
    let made = match &args.work_dir {
        Some(path) => std::fs::create_dir_all(path).and_then(|()| ScratchFolder::within(path)),
        None => ScratchFolder::new(),
    };
    made.map_err(|_| {
        Finished::Usage(
            "the folder for what is on its way cannot be made\n  hint: name another one with `--work-dir`",
        )
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use muslin_command::args::{Args, Command, Node};

    use super::*;

    #[test]
    fn an_executor_works_in_a_folder_of_its_own() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("mine")).unwrap();
        let named = place.path().to_str().unwrap();
        let words = ["muslin", "cluster", "executor", "--work-dir", named];
        let Command::Cluster(cluster) = Args::parse_from(words).command else { panic!() };
        let Node::Executor(executor) = &cluster.node else { panic!() };
        let left = place.path().join(".muslin-0123456789abcdef-1-0.tmp.d");
        std::fs::create_dir(&left).unwrap();
        let folder = work_folder(executor).ok().unwrap();
        assert_eq!(folder.path().parent(), Some(place.path()));
        assert!(!left.exists(), "what a killed executor left is gone");
        drop(folder);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
