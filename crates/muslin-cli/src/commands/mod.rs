//! One file per verb: build the job, run it, render.

pub(crate) mod attack;
pub(crate) mod bucketize;
pub(crate) mod cluster;
pub(crate) mod completions;
pub(crate) mod demo_data;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod generalize;
pub(crate) mod init;
mod input;
pub(crate) mod keys;
pub(crate) mod mask;
pub(crate) mod plan;
pub(crate) mod protect;
pub(crate) mod report;
pub(crate) mod scan;
pub(crate) mod slice;
pub(crate) mod suppress;
pub(crate) mod uniques;
pub(crate) mod verify;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use muslin::{Cancel, Destination, ReleaseOutput, Run};
use muslin_command::Wrong;
use muslin_command::args::{Common, InputArgs, command_for_shell};
use serde::Serialize;

use crate::exit::Exit;
use crate::progress::Bar;
use crate::style::Style;

/// Why a command ended without doing all.
pub(crate) enum Finished {
    /// The job failed.
    Failed(muslin::Error),
    /// Flags do not go together.
    Usage(&'static str),
    /// The report could not be printed.
    Printing(io::Error),
}

impl From<muslin::Error> for Finished {
    fn from(error: muslin::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Wrong> for Finished {
    fn from(wrong: Wrong) -> Self {
        match wrong {
            Wrong::Usage(text) => Self::Usage(text),
            Wrong::Job(error) => Self::Failed(error),
        }
    }
}

/// How a command ends.
pub(crate) type Outcome = Result<Exit, Finished>;

/// The run that the common flags describe; Ctrl-C cancels it.
pub(crate) fn start(common: &Common) -> Result<Run, Finished> {
    let cancel = Cancel::default();
    let asked = cancel.clone();
    // Without a handler Ctrl-C still ends the program, only less gently.
    let _ = ctrlc::set_handler(move || {
        if asked.is_cancelled() {
            end_at_once(Exit::Interrupted);
        }
        asked.cancel();
        // Whoever waits for input that does not come is not waited for.
        end_after(Duration::from_millis(800), Exit::Interrupted);
    });
    if let Some(limit) = common.time_limit {
        // Long enough for whoever notices the limit by himself to leave what he has.
        end_after(limit.saturating_add(Duration::from_secs(3)), Exit::Limit);
    }
    Ok(common.to_run()?.cancel(cancel).progress(Arc::new(Bar::new(common.quiet))))
}

/// Ends the program after a while, if it has not ended by itself.
fn end_after(wait: Duration, exit: Exit) {
    std::thread::spawn(move || {
        std::thread::sleep(wait);
        if exit == Exit::Limit {
            talk("error: stopped by the time limit\n  hint: pass a larger `--time-limit`");
        }
        end_at_once(exit);
    });
}

/// Ends the program without waiting for its threads; their temporary files go with it.
fn end_at_once(exit: Exit) -> ! {
    muslin::remove_temporary_files();
    std::process::exit(exit as i32)
}

/// The command that decides columns: as it stands, nothing of them is published.
pub(crate) fn decide<N: AsRef<str>>(input: &str, policy: &str, columns: &[N]) -> String {
    let mut args: Vec<String> = ["muslin", "init", input, "-o", policy].map(str::to_owned).into();
    for name in columns {
        args.extend(["--decide".to_owned(), format!("{}=identifier", name.as_ref())]);
    }
    command_for_shell(&args)
}

/// This command with a flag that may let it go on, where an error names one.
pub(crate) fn again(error: &muslin::Error) -> Option<String> {
    let [flag, value] = error.flag()?;
    let given = std::env::args_os().skip(1).map(|word| word.into_string().ok());
    let given: Vec<String> = given.collect::<Option<_>>()?;
    // A value that was passed stays as it is.
    if given.iter().any(|word| word.starts_with(flag)) {
        return None;
    }
    let all = ["muslin".to_owned()].into_iter().chain(given);
    Some(command_for_shell(&all.chain([flag.into(), value.into()]).collect::<Vec<_>>()))
}

/// What goes on after a refusal, where a command does.
pub(crate) fn next(error: &muslin::Error, input: &InputArgs) -> Option<String> {
    let muslin::Error::Undecided { columns } = error else { return None };
    let names: Vec<&String> = columns.iter().map(|column| &column.name).collect();
    let policy = input.policy.as_ref()?.display().to_string();
    Some(decide(&input.file.display().to_string(), &policy, &names))
}

/// Says something on standard error; where nobody can hear it, nothing is lost.
pub(crate) fn talk(text: &str) {
    use io::Write;
    let _ = writeln!(io::stderr(), "{text}");
}

/// Prints to standard output.
pub(crate) fn print(text: &str) -> Result<(), Finished> {
    use io::Write;
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Finished::Printing)
}

/// The command to go on with, to be copied as it stands; nothing where there is none.
fn next_line(words: Option<Vec<String>>, style: &Style) -> String {
    words.map_or_else(String::new, |words| {
        format!("\n{}", style.with_copied("next:", &command_for_shell(&words), 0))
    })
}

/// A report as JSON.
pub(crate) fn to_json(report: &impl Serialize) -> Result<String, Finished> {
    let json = serde_json::to_string_pretty(report);
    json.map(|json| json + "\n").map_err(|error| Finished::Printing(error.into()))
}

/// Whether a release goes to standard output, where nothing else goes then.
fn is_to_stdout(output: Option<&ReleaseOutput>, common: &Common) -> Result<bool, Finished> {
    let to_stdout = output.is_some_and(|output| output.destination == Destination::Stdout);
    if common.json && to_stdout {
        return Err(Finished::Usage(
            "the release and the report cannot both go to standard output\n  hint: name a file for the release with `-o`",
        ));
    }
    Ok(to_stdout)
}

/// Prints the report of a release, or talks where the release itself is printed.
fn show(text: &str, to_stdout: bool) -> Result<(), Finished> {
    if to_stdout {
        talk(text.trim_end());
        return Ok(());
    }
    print(text)
}
