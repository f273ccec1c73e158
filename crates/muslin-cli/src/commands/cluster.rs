//! `muslin cluster`.

use muslin::{ExecutorJob, SchedulerJob};
use muslin_command::args::{Access, Cluster, Common, Node};

use super::{Outcome, start, talk};
use crate::exit::Exit;

/// Serves until it is interrupted.
pub(crate) fn run(args: &Cluster, common: &Common) -> Outcome {
    let run = start(common)?;
    match &args.node {
        Node::Scheduler(own) => {
            let Access { roots, token_file } = &own.access;
            let job = SchedulerJob {
                bind: own.bind,
                roots: roots.clone(),
                token_file: token_file.clone(),
            };
            talk(&format!("the scheduler is ballista://{}; Ctrl-C ends it", own.bind));
            job.run(&run)?;
        }
        Node::Executor(own) => {
            let Access { roots, token_file } = &own.access;
            let job = ExecutorJob {
                scheduler: own.scheduler.clone(),
                bind: own.bind,
                host: own.host.clone(),
                work_dir: own.work_dir.clone(),
                roots: roots.clone(),
                token_file: token_file.clone(),
            };
            let (host, port) = &own.scheduler;
            talk(&format!("this executor works for {host}:{port}; Ctrl-C ends it"));
            job.run(&run)?;
        }
    }
    Ok(Exit::Fine)
}
