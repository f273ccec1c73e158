//! Tables larger than memory: time and peak memory of commands that may use a part of what the table takes.

use std::fs;

use crate::failure::{Failure, Result};
use crate::process::Call;
use crate::program::{Profile, Program};
use crate::workspace::Workspace;

/// What the commands may use.
const MEMORY: &str = "1GB";

/// Commands that need no rows, or draw some.
const COMMANDS: [&[&str]; 4] = [
    &["keys"],
    &["scan", "--budget", "2m"],
    &["verify", "-k", "2", "--qi", "born,sex,ward"],
    &["uniques", "--max-size", "2", "--columns", "born,postcode,sex,ward"],
];

/// Writes the table where it is not there yet, and runs every command on it. `args` are those of the generator:
/// rows and files.
pub(super) fn run(workspace: &Workspace, args: &[String]) -> Result<()> {
    let program = Program::build_with(workspace, Profile::Release, &["cluster"])?;
    let folder = workspace.target(format!("scale-{}", args.join("-")));
    if !folder.exists() {
        // A part of it is not taken for all of it.
        let begun = folder.with_extension("begun");
        let package = ["-p", "muslin-io", "--example", "large_table", "--"];
        Call::cargo(["run", "--release"]).args(package).args([&begun]).args(args).run()?;
        fs::rename(&begun, &folder).map_err(|error| {
            let message = format!("cannot name the folder `{}`: {error}", folder.display());
            Failure::new(message, "check its permissions")
        })?;
    }
    for command in COMMANDS {
        let (name, rest) = command.split_at(1);
        let call = program.call().args(name).args([&folder]).args(rest);
        // A release that is not one of two is a finding, with an exit code of its own.
        call.args(["--engine", "datafusion", "--memory", MEMORY, "--stats"]).run_for_findings()?;
    }
    Ok(())
}
