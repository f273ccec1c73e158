//! The muslin program: data to standard output, talk to standard error.

mod commands;
mod exit;
mod layout;
mod progress;
mod stats;
mod style;

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Parser;
use muslin::Spelling;
use muslin_command::args::{Args, Command};

use crate::commands::{Finished, talk};
use crate::exit::Exit;

/// Memory that is not used any more goes back to the system, whichever thread used it.
#[cfg(all(feature = "datafusion", not(target_env = "msvc")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Where the last panic happened; its message may hold a value and is not kept.
static PANICKED_AT: Mutex<Option<String>> = Mutex::new(None);

fn main() -> ExitCode {
    panic::set_hook(Box::new(|info| {
        if let (Ok(mut at), Some(location)) = (PANICKED_AT.lock(), info.location()) {
            *at = Some(format!("{}:{}", location.file(), location.line()));
        }
    }));
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are answers; the rest is a usage error.
            let printed = error.print();
            return match (error.use_stderr(), printed) {
                (true, _) => Exit::Usage,
                (false, Ok(())) => Exit::Fine,
                (false, Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Fine,
                (false, Err(_)) => Exit::Output,
            }
            .into();
        }
    };
    let done = panic::catch_unwind(AssertUnwindSafe(|| run(&args)));
    done.unwrap_or_else(|_| {
        let at = PANICKED_AT.lock().ok().and_then(|at| at.clone()).unwrap_or_default();
        talk(&format!(
            "error: muslin made a mistake at {at}
  hint: please report this line; no output was written"
        ));
        Exit::Internal
    })
    .into()
}

fn run(args: &Args) -> Exit {
    let finished = match &args.command {
        Command::Scan(scan) => commands::scan::run(scan, &args.common),
        Command::Init(init) => commands::init::run(init, &args.common),
        Command::Uniques(uniques) => commands::uniques::run(uniques, &args.common),
        Command::Keys(keys) => commands::keys::run(keys, &args.common),
        Command::Explain(explain) => commands::explain::run(explain, &args.common),
        Command::Mask(mask) => commands::mask::run(mask, &args.common),
        Command::Suppress(suppress) => commands::suppress::run(suppress, &args.common),
        Command::Generalize(generalize) => commands::generalize::run(generalize, &args.common),
        Command::Diff(diff) => commands::diff::run(diff, &args.common),
        Command::Plan(plan) => commands::plan::run(plan, &args.common),
        Command::Protect(protect) => commands::protect::run(protect, &args.common),
        Command::Verify(verify) => commands::verify::run(verify, &args.common),
        Command::Attack(attack) => commands::attack::run(attack, &args.common),
        Command::Bucketize(bucketize) => commands::bucketize::run(bucketize, &args.common),
        Command::Slice(slice) => commands::slice::run(slice, &args.common),
        Command::Report(report) => commands::report::run(report, &args.common),
        Command::Cluster(cluster) => commands::cluster::run(cluster, &args.common),
        Command::DemoData(demo) => commands::demo_data::run(demo, &args.common),
        Command::Completions { shell } => commands::completions::run(*shell),
    };
    match finished {
        Ok(exit) => exit,
        Err(Finished::Failed(error)) if error.is_closed_pipe() => Exit::Fine,
        Err(Finished::Failed(error)) => {
            // What is said in a policy is mended there.
            let spelling = match args.command {
                Command::Protect(_) | Command::Plan(_) => Spelling::Policy,
                _ => Spelling::Flags,
            };
            talk(&format!("error: {}", spelling.of(&error.to_string())));
            let input = match &args.command {
                Command::Protect(protect) => Some(&protect.input),
                Command::Plan(plan) => Some(&plan.input),
                _ => None,
            };
            let next = input.and_then(|input| commands::next(&error, input));
            if let Some(next) = next.or_else(|| commands::again(&error)) {
                talk(&format!("next: {next}"));
            }
            Exit::from(error.failure())
        }
        Err(Finished::Usage(text)) => {
            talk(&format!("error: {text}"));
            Exit::Usage
        }
        Err(Finished::Printing(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Fine,
        Err(Finished::Printing(error)) => {
            let kind = error.kind();
            talk(&format!(
                "error: standard output: cannot be written: {kind}
  hint: check where it goes"
            ));
            Exit::Output
        }
    }
}
