//! Other programs on the same data, by a Python script in an environment of its own.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::process::Call;
use crate::program::{Profile, Program, create_folder};
use crate::workspace::Workspace;

const REQUIREMENTS: &str = "benches/peers/requirements.txt";

/// What to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Reading a table.
    Read,
    /// Finding minimal uniques.
    Uniques,
    /// Finding minimal keys.
    Keys,
}

impl Subject {
    fn script(self) -> &'static str {
        match self {
            Self::Read => "benches/peers/read.py",
            Self::Uniques => "benches/peers/uniques.py",
            Self::Keys => "benches/peers/keys.py",
        }
    }

    /// Builds the program that makes data up for the script, where it needs one.
    fn generator(self, workspace: &Workspace) -> Result<Option<PathBuf>> {
        if self != Self::Keys {
            return Ok(None);
        }
        let name = "keyed_table";
        Call::cargo(["build", "--release", "-p", "muslin-testkit", "--example", name]).run()?;
        let file = format!("release/examples/{name}{EXE_SUFFIX}");
        Ok(Some(workspace.target(file)))
    }
}

/// Prepares the environment, builds the program and runs the script; `args` go to the script.
pub(super) fn run(workspace: &Workspace, subject: Subject, args: &[String]) -> Result<()> {
    let script = subject.script();
    for file in [REQUIREMENTS, script] {
        if !Path::new(file).is_file() {
            let message = format!("`{file}`: no such file");
            return Err(Failure::new(message, "check out the whole repository"));
        }
    }
    ensure_python()?;
    let venv = workspace.target("peers-venv");
    let python = venv.join("bin/python");
    // A folder left by a creation that failed has no working pip and is made again.
    if !Call::new(&python).args(["-m", "pip", "--version"]).works() {
        Call::new("python3").args(["-m", "venv", "--clear"]).args([&venv]).run()?;
    }
    Call::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS])
        .hint("pip needs a package index; set PIP_INDEX_URL when the usual one is out of reach")
        .run()?;
    let program = Program::build(workspace, Profile::Release)?;
    let work = workspace.target("bench-data");
    create_folder(&work)?;
    let mut call = Call::new(&python)
        .args([script, "--muslin"])
        .args([program.path()])
        .args(["--work"])
        .args([work]);
    if let Some(generator) = subject.generator(workspace)? {
        call = call.args(["--generator"]).args([generator]);
    }
    call.args(args).run()
}

/// Fails without a `python3` that can make environments; root on Debian gets it installed.
fn ensure_python() -> Result<()> {
    if has_venv() {
        return Ok(());
    }
    if is_root() && Call::new("apt-get").args(["--version"]).works() {
        println!("python3 or its module venv is missing: installing python3-venv");
        Call::new("apt-get").args(["install", "--yes", "python3", "python3-venv"]).run()?;
        if has_venv() {
            return Ok(());
        }
    }
    let missing = if Call::new("python3").args(["--version"]).works() {
        "python3 cannot make virtual environments"
    } else {
        "python3 is not installed"
    };
    let hint = "on Debian and Ubuntu, run `apt-get install python3-venv`";
    Err(Failure::new(missing, hint))
}

/// Debian keeps `ensurepip` in a package of its own, and `venv` fails without it.
fn has_venv() -> bool {
    Call::new("python3").args(["-c", "import ensurepip, venv"]).works()
}

fn is_root() -> bool {
    Call::new("id").args(["-u"]).captured().is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}
