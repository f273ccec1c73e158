//! `cargo xtask python`: the wheel, built and installed in an environment of its own, and its tests.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::process::Call;
use crate::program::create_folder;

/// Where environments and wheels are.
const FOLDER: &str = "target/py";
/// Tests of the package, and what they need.
const TESTS: &str = "crates/muslin-py/tests";
/// Comparisons with others. They ask for older versions of what the tests need, so they are elsewhere.
const PEERS: &str = "crates/muslin-py/peers";

/// Whether there is a Python to build for.
pub(crate) fn is_there() -> bool {
    python("-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))").works()
}

/// Builds the wheel, installs it, and runs its tests and the examples in its texts.
pub(crate) fn run() -> Result<()> {
    prepared()?.run()
}

/// The environment of the tests, with all that they need.
pub(crate) fn prepared() -> Result<Environment> {
    create_folder(Path::new(FOLDER))?;
    let own = Environment::new(Path::new(FOLDER).join("venv"))?;
    own.pip(&["install", "-r", &format!("{TESTS}/requirements.txt")]).run()?;
    Ok(own)
}

/// Compares results with others, as far as they can be installed.
fn compare(wheel: &Path) -> Result<()> {
    let peers = Environment::new(Path::new(FOLDER).join("peers"))?;
    peers.pip(&["install", "pytest>=8", "pyarrow>=17", "pandas>=2"]).run()?;
    for peer in lines(&format!("{PEERS}/requirements.txt"))? {
        if !peers.pip(&["install", &peer]).works() {
            println!("{peer} cannot be installed: what is compared with it is left out");
        }
    }
    peers.install(wheel)?;
    peers.test(&[PEERS])
}

/// A Python with packages of its own.
pub(crate) struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// The environment in a folder, made if it is not there.
    fn new(folder: PathBuf) -> Result<Self> {
        if !folder.join("bin/python").exists() {
            python("-m", "venv").args([&folder]).run()?;
        }
        let own = Self { folder };
        own.pip(&["install", "--upgrade", "pip"]).run()?;
        Ok(own)
    }

    /// Builds the wheel, installs it, and runs its tests, the examples in its texts and the comparisons.
    pub(crate) fn run(&self) -> Result<()> {
        let wheel = self.build(&Path::new(FOLDER).join("wheels"))?;
        self.install(&wheel)?;
        self.test(&["--doctest-modules", "--pyargs", "muslin"])?;
        self.test(&[TESTS])?;
        compare(&wheel)
    }

    fn python(&self) -> Call {
        Call::new(self.folder.join("bin/python"))
    }

    fn pip(&self, args: &[&str]) -> Call {
        self.python().args(["-m", "pip", "--quiet"]).args(args)
    }

    fn install(&self, wheel: &Path) -> Result<()> {
        let wheel = wheel.to_string_lossy();
        self.pip(&["install", "--force-reinstall", "--no-deps", &wheel]).run()
    }

    fn test(&self, args: &[&str]) -> Result<()> {
        self.python().args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).args(args).run()
    }

    /// The wheel, with the code of a test build: it is built quickly and checks more.
    fn build(&self, folder: &Path) -> Result<PathBuf> {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|error| unusable(folder, &error))?;
        }
        let maturin = Call::new(self.folder.join("bin/maturin"));
        maturin.args(["build", "--quiet", "--profile", "dev", "--out"]).args([folder]).run()?;
        let found = fs::read_dir(folder).map_err(|error| unusable(folder, &error))?;
        let found = found.flatten().map(|entry| entry.path()).next();
        found.ok_or_else(|| Failure::new("no wheel was built", "the output above says why"))
    }
}

fn python(flag: &str, what: &str) -> Call {
    Call::new("python3").args([flag, what])
}

/// The lines of a file that say something.
fn lines(file: &str) -> Result<Vec<String>> {
    let text = fs::read_to_string(file).map_err(|error| unusable(Path::new(file), &error))?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

fn unusable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{}: {error}", path.display()), "check the path and your permissions")
}
