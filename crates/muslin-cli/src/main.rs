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
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};

use clap::Parser;
use muslin::{Cause, Spelling};
use muslin_command::Places;
use muslin_command::args::{Args, Command};

use crate::commands::{Finished, Outcome, talk};
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
    ignore_file_size_limit();
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

/// A file that reaches the limit on the size of files is an error to its writer, and not the end of the
/// program with its temporary files left.
fn ignore_file_size_limit() {
    #[cfg(unix)]
    {
        // A signal with a handler does not end the program; the write that was refused reports the reason.
        let heard = Arc::new(AtomicBool::new(false));
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, heard);
    }
}

fn run(args: &Args) -> Exit {
    let finished = match args.check_places(&Places::files()) {
        Ok(()) => perform(args),
        Err(wrong) => Err(wrong.into()),
    };
    end(args, finished)
}

fn perform(args: &Args) -> Outcome {
    match &args.command {
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
    }
}

/// Says why a command did not end as it should, if so.
fn end(args: &Args, finished: Outcome) -> Exit {
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
            let cause = Cause::from(error);
            talk(&format!(
                "error: standard output: cannot be written: {cause}
  hint: check where it goes"
            ));
            Exit::Output
        }
    }
}
