//! The `muslin` program, built here and called as a user would call it.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::process::Call;
use crate::workspace::Workspace;

/// How the program is built. Both profiles share one folder, `target/release`.
#[derive(Clone, Copy)]
pub(crate) enum Profile {
    /// What users get.
    Release,
    /// The same code with line numbers.
    Bench,
}

/// A program that has been built.
pub(crate) struct Program {
    path: PathBuf,
}

impl Program {
    /// Builds the program.
    pub(crate) fn build(workspace: &Workspace, profile: Profile) -> Result<Self> {
        Self::build_with(workspace, profile, &[])
    }

    /// Builds the program with features.
    pub(crate) fn build_with(
        workspace: &Workspace,
        profile: Profile,
        features: &[&str],
    ) -> Result<Self> {
        let profile: &[&str] = match profile {
            Profile::Release => &["--release"],
            Profile::Bench => &["--profile", "bench"],
        };
        let features = features.iter().flat_map(|&name| ["--features", name]);
        Call::cargo(["build"]).args(profile).args(["-p", "muslin-cli"]).args(features).run()?;
        Ok(Self { path: workspace.target("release").join(format!("muslin{EXE_SUFFIX}")) })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Calls it.
    pub(crate) fn call(&self) -> Call {
        Call::new(&self.path)
    }

    /// Writes the example table `hospital` to `file`; the ending of its name is the format.
    pub(crate) fn write_hospital(&self, rows: u32, file: &Path) -> Result<()> {
        if let Some(folder) = file.parent() {
            create_folder(folder)?;
        }
        self.call()
            .args(["demo-data", "hospital", "--rows", &rows.to_string(), "--seed", "1", "-o"])
            .args([file])
            .run()
    }
}

/// Makes `folder` and the ones above it.
pub(crate) fn create_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| {
        let message = format!("cannot create the folder `{}`: {error}", folder.display());
        Failure::new(message, "check its permissions and the space left on the disk")
    })
}
