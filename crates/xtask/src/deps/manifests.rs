//! What every manifest of ours takes from the root manifest.

use std::fs;

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// Settings that each crate inherits; `lints` has a table of its own.
const INHERITED: &[&str] = &["version", "edition", "rust-version", "license", "lints"];

/// Settings that one of our crates sets by itself, or not at all.
pub(super) fn findings(workspace: &Workspace) -> Result<Vec<Failure>> {
    let mut findings = Vec::new();
    for package in workspace.members() {
        let path = &package.manifest_path;
        let manifest = fs::read_to_string(path).map_err(|error| {
            let message = format!("cannot read `{}`: {error}", path.display());
            Failure::new(message, "check its permissions")
        })?;
        for setting in not_inherited(&manifest) {
            let message = format!("crate `{}`: does not inherit `{setting}`", package.name);
            let hint = match setting {
                "lints" => "write `[lints]` and below it `workspace = true`".to_owned(),
                _ => format!("write `{setting}.workspace = true` in `[package]`"),
            };
            findings.push(Failure::new(message, hint));
        }
    }
    Ok(findings)
}

/// The settings of [`INHERITED`] that the text does not take from the workspace.
fn not_inherited(manifest: &str) -> Vec<&'static str> {
    let mut table = "";
    let mut inherited = Vec::new();
    for line in manifest.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.starts_with('[') {
            table = line;
        }
        let line: String = line.split_whitespace().collect();
        if table == "[package]" {
            inherited.extend(line.strip_suffix(".workspace=true").map(str::to_owned));
        } else if table == "[lints]" && line == "workspace=true" {
            inherited.push("lints".to_owned());
        }
    }
    let is_missing = |setting: &&str| !inherited.iter().any(|found| found == setting);
    INHERITED.iter().copied().filter(is_missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_manifest_inherits_everything() {
        assert!(not_inherited(include_str!("../../Cargo.toml")).is_empty());
    }

    #[test]
    fn what_is_set_elsewhere_or_by_hand_is_not_inherited() {
        let manifest = "\
[package]
version = \"0.1.0\"
edition.workspace = true  # as everywhere
# license.workspace = true

[dependencies]
rust-version.workspace = true

[lints.rust]
workspace = true
";
        assert_eq!(not_inherited(manifest), ["version", "rust-version", "license", "lints"]);
    }
}
