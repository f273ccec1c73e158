//! `cargo xtask test`: tests, doc tests and examples.

use crate::failure::Result;
use crate::process::Call;
use crate::workspace::Workspace;

/// Runs all three; `args` go to the runner of the tests.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<()> {
    runner().args(args).run()?;
    Call::cargo(["test", "--workspace", "--all-features", "--doc"]).run()?;
    for package in workspace.members() {
        for example in package.examples() {
            run_example(&package.name, example)?;
        }
    }
    Ok(())
}

/// nextest where it is installed, else cargo's own runner: the same tests.
fn runner() -> Call {
    if Call::cargo(["nextest", "--version"]).works() {
        return Call::cargo(["nextest", "run", "--workspace", "--all-features"]);
    }
    println!("cargo-nextest is not installed: `cargo test` runs the tests");
    Call::cargo(["test", "--workspace", "--all-features", "--lib", "--bins", "--tests"])
}

/// An example passes when it ends well; what it prints is shown only when it fails.
fn run_example(package: &str, example: &str) -> Result<()> {
    let call = Call::cargo(["run", "--quiet", "-p", package, "--example", example]);
    println!("$ {call}");
    call.captured().map(|_| ())
}
