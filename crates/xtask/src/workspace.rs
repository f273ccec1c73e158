//! What cargo says about the workspace.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::{Failure, Result};
use crate::process::Call;

/// The part of `cargo metadata` we read.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    /// Our crates; all crates below them too, after [`Workspace::resolved`].
    pub(crate) packages: Vec<Package>,
    #[serde(rename = "workspace_members")]
    member_ids: Vec<String>,
    #[serde(rename = "workspace_root")]
    root: PathBuf,
    target_directory: PathBuf,
}

/// One crate.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    id: String,
    /// SPDX expression.
    pub(crate) license: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    targets: Vec<Target>,
    features: BTreeMap<String, Vec<String>>,
}

/// One dependency as the manifest declares it, whether a feature turns it on or not.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for a normal dependency.
    pub(crate) kind: Option<DependencyKind>,
}

/// What a dependency is for, when it is not for the crate itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DependencyKind {
    /// Tests, examples and benchmarks.
    Dev,
    /// The build script.
    Build,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    #[serde(default, rename = "required-features")]
    required_features: Vec<String>,
}

impl Workspace {
    /// Our crates only; makes the root of the workspace the current folder.
    pub(crate) fn enter() -> Result<Self> {
        let workspace = Self::load(&["--no-deps"])?;
        env::set_current_dir(&workspace.root).map_err(|error| {
            let root = workspace.root.display();
            Failure::new(format!("cannot enter `{root}`: {error}"), "check its permissions")
        })?;
        Ok(workspace)
    }

    /// Our crates and every crate below them, with all features and for all targets.
    pub(crate) fn resolved() -> Result<Self> {
        Self::load(&["--all-features", "--locked"])
    }

    fn load(args: &[&str]) -> Result<Self> {
        let output = Call::cargo(["metadata", "--format-version", "1"])
            .args(args)
            .hint("when Cargo.lock is missing or old, run `cargo update --workspace`")
            .captured()?;
        serde_json::from_slice(&output.stdout).map_err(|error| {
            let message = format!("cannot read the answer of `cargo metadata`: {error}");
            Failure::new(message, "check that `cargo` is at least the `rust-version` of Cargo.toml")
        })
    }

    /// Our crates.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.member_ids.contains(&package.id))
    }

    /// A place in the target folder, relative to the root where that is possible.
    pub(crate) fn target(&self, rest: impl AsRef<Path>) -> PathBuf {
        let target = &self.target_directory;
        target.strip_prefix(&self.root).unwrap_or(target).join(rest)
    }
}

impl Package {
    /// Examples that run with default features.
    pub(crate) fn examples(&self) -> impl Iterator<Item = &str> {
        let runnable = |target: &&Target| {
            target.required_features.is_empty() && target.kind.iter().any(|kind| kind == "example")
        };
        self.targets.iter().filter(runnable).map(|target| target.name.as_str())
    }

    /// Features other than `default`.
    pub(crate) fn features(&self) -> impl Iterator<Item = &str> {
        self.features.keys().map(String::as_str).filter(|feature| *feature != "default")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_that_need_a_feature_are_left_out() {
        let package: Package = serde_json::from_value(serde_json::json!({
            "name": "muslin", "version": "0.1.0", "id": "muslin", "license": null,
            "manifest_path": "Cargo.toml", "dependencies": [],
            "features": { "default": ["csv"], "csv": [], "schema": [] },
            "targets": [
                { "name": "muslin", "kind": ["lib"] },
                { "name": "read", "kind": ["example"] },
                { "name": "generate", "kind": ["example"], "required-features": ["schema"] },
            ],
        }))
        .unwrap();
        assert_eq!(package.examples().collect::<Vec<_>>(), ["read"]);
        assert_eq!(package.features().collect::<Vec<_>>(), ["csv", "schema"]);
    }
}
