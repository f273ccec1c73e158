//! The commands we run on this repository, here and in CI.
//!
//! `cargo xtask check` is the gate. The other commands are its parts, and what shows or
//! measures the program. Every command starts at the root of the workspace, wherever it is
//! called from.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool for developers talks on its terminal"
)]

mod args;
mod bench;
mod check;
mod demo;
mod deps;
mod failure;
mod generate;
mod process;
mod program;
mod python;
mod test;
mod workspace;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use args::Command;
use failure::{Failure, Result};
use workspace::Workspace;

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            failure.exit_code()
        }
    }
}

/// Reads the command line and runs the command it names.
fn start() -> Result<()> {
    let args = env::args_os()
        .skip(1)
        .map(OsString::into_string)
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(|_| Failure::usage("an argument is not UTF-8"))?;
    let command = args::parse(&args)?;
    if let Command::Help = command {
        print!("{}", args::USAGE);
        return Ok(());
    }
    let workspace = Workspace::enter()?;
    match command {
        Command::Help => Ok(()),
        Command::Check(scope) => check::run(&workspace, scope),
        Command::Test(args) => test::run(&workspace, &args),
        Command::Bench(settings) => bench::run(&workspace, &settings),
        Command::Demo => demo::run(&workspace),
        Command::Gen(mode) => generate::run(mode),
        Command::Deps => deps::run(),
        Command::Python => python::run(),
    }
}
