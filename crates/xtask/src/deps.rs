//! `cargo xtask deps`: what may depend on what, and on whose terms.
//!
//! Every finding is listed before the command fails.

mod closure;
mod licences;
mod manifests;
mod spdx;

use std::collections::{BTreeMap, BTreeSet};

use crate::failure::{Failure, Result};
use crate::workspace::{DependencyKind, Workspace};

/// Each of our crates and those of ours that it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("muslin-table", &[]),
    ("muslin-engine", &["muslin-table"]),
    ("muslin-io", &["muslin-table", "muslin-engine"]),
    ("muslin-engine-datafusion", &["muslin-table", "muslin-engine", "muslin-io"]),
    ("muslin-assess", &["muslin-table", "muslin-engine"]),
    // Executors run a finder of ours.
    (
        "muslin-cluster",
        &[
            "muslin-table",
            "muslin-engine",
            "muslin-io",
            "muslin-engine-datafusion",
            "muslin-assess",
        ],
    ),
    ("muslin-protect", &["muslin-table", "muslin-engine", "muslin-assess"]),
    // Never assess, never protect: it judges a release as an outsider would.
    ("muslin-verify", &["muslin-table", "muslin-engine"]),
    // Never protect: it knows of a release what its reader knows.
    ("muslin-attack", &["muslin-table", "muslin-engine", "muslin-verify"]),
    // Documents alone: what jobs found is turned into them by the facade.
    ("muslin-report", &["muslin-table"]),
    (
        "muslin",
        &[
            "muslin-table",
            "muslin-engine",
            "muslin-io",
            "muslin-engine-datafusion",
            "muslin-cluster",
            "muslin-assess",
            "muslin-protect",
            "muslin-verify",
            "muslin-attack",
            "muslin-report",
        ],
    ),
    // Words for those who speak to it.
    ("muslin-command", &["muslin"]),
    ("muslin-cli", &["muslin", "muslin-command"]),
    ("muslin-py", &["muslin", "muslin-command"]),
    ("muslin-web", &["muslin"]),
    ("muslin-testkit", &["muslin-table", "muslin-engine", "muslin-io"]),
    ("xtask", &[]),
];

/// What tests, examples and benchmarks may use on top of that.
const DEV_ARROWS: &[&str] =
    &["muslin-testkit", "muslin-table", "muslin-engine", "muslin-io", "muslin"];

/// Runs all checks.
pub(crate) fn run() -> Result<()> {
    let workspace = Workspace::resolved()?;
    let mut findings = arrow_findings(&workspace);
    findings.extend(licences::findings(&workspace));
    findings.extend(version_findings(&workspace));
    findings.extend(manifests::findings(&workspace)?);
    findings.extend(closure::findings()?);
    if findings.is_empty() {
        let (ours, all) = (workspace.members().count(), workspace.packages.len());
        println!("arrows, licences, bans and manifests are in order: {ours} crates, {all} in all");
        return Ok(());
    }
    for finding in &findings {
        eprintln!("{finding}");
    }
    let message = format!("findings about dependencies: {}", findings.len());
    Err(Failure::new(message, "each is listed above with its own way out"))
}

/// Dependencies between our crates that are not in the table, and crates that are not.
fn arrow_findings(workspace: &Workspace) -> Vec<Failure> {
    let ours: BTreeSet<&str> = workspace.members().map(|package| package.name.as_str()).collect();
    let mut findings = Vec::new();
    for package in workspace.members() {
        let from = package.name.as_str();
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == from) else {
            let message = format!("crate `{from}`: not in the table of arrows");
            let hint = "add it to the arrows in crates/xtask/src/deps.rs";
            findings.push(Failure::new(message, hint));
            continue;
        };
        for dependency in &package.dependencies {
            let to = dependency.name.as_str();
            let is_dev = dependency.kind == Some(DependencyKind::Dev);
            let fine = allowed.contains(&to) || (is_dev && DEV_ARROWS.contains(&to));
            if ours.contains(to) && !fine {
                let dev = if is_dev { "dev-" } else { "" };
                let message =
                    format!("crate `{from}`: {dev}dependency on `{to}` is no arrow of ours");
                let hint = "move the code to the stage that may use it; the arrows are in \
                            crates/xtask/src/deps.rs";
                findings.push(Failure::new(message, hint));
            }
        }
    }
    findings
}

/// Arrow and Parquet crates of more than one version: their types do not fit together.
fn version_findings(workspace: &Workspace) -> Vec<Failure> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in &workspace.packages {
        let name = package.name.as_str();
        if name == "arrow" || name.starts_with("arrow-") || name.starts_with("parquet") {
            versions.entry(name).or_default().insert(&package.version);
        }
    }
    let several = versions.iter().filter(|(_, versions)| versions.len() > 1);
    let finding = |(name, versions): (&&str, &BTreeSet<&str>)| {
        let versions = versions.iter().copied().collect::<Vec<_>>().join(", ");
        let message = format!("crate `{name}`: more than one version: {versions}");
        Failure::new(message, "`cargo tree --workspace --duplicates` says who brings them")
    };
    several.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A workspace of crates with their versions and dependencies; all are members.
    fn workspace(crates: &[(&str, &str, Value)]) -> Workspace {
        let id = |name: &str, version: &str| format!("{name}@{version}");
        let packages: Vec<Value> = crates
            .iter()
            .map(|(name, version, dependencies)| {
                json!({
                    "name": name, "version": version, "id": id(name, version), "license": "MIT",
                    "manifest_path": "Cargo.toml", "targets": [], "features": {},
                    "dependencies": dependencies,
                })
            })
            .collect();
        let members: Vec<String> =
            crates.iter().map(|(name, version, _)| id(name, version)).collect();
        serde_json::from_value(json!({
            "packages": packages, "workspace_members": members,
            "workspace_root": "/w", "target_directory": "/w/target",
        }))
        .unwrap()
    }

    fn arrow(from: &str, to: &str, kind: Option<&str>) -> usize {
        let dependencies = json!([{ "name": to, "kind": kind }, { "name": "serde", "kind": null }]);
        let crates = [(from, "0.1.0", dependencies), (to, "0.1.0", json!([]))];
        arrow_findings(&workspace(&crates)).len()
    }

    #[test]
    fn a_wrong_arrow_is_reported_and_a_right_one_is_not() {
        assert_eq!(arrow("muslin-protect", "muslin-assess", None), 0);
        assert_eq!(arrow("muslin-assess", "muslin-protect", None), 1);
        assert_eq!(arrow("muslin-verify", "muslin-assess", None), 1);
        assert_eq!(arrow("muslin-cli", "muslin-io", None), 1);
        assert_eq!(arrow("muslin-cli", "muslin-io", Some("build")), 1);
    }

    #[test]
    fn tests_may_use_the_testkit_but_not_every_crate() {
        assert_eq!(arrow("muslin-table", "muslin-testkit", Some("dev")), 0);
        assert_eq!(arrow("muslin-table", "muslin-testkit", None), 1);
        assert_eq!(arrow("muslin-verify", "muslin-protect", Some("dev")), 1);
    }

    #[test]
    fn a_crate_outside_the_table_is_reported() {
        let findings = arrow_findings(&workspace(&[("muslin-util", "0.1.0", json!([]))]));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].to_string().contains("crates/xtask/src/deps.rs"));
    }

    #[test]
    fn every_arrow_points_at_an_earlier_crate_of_the_table() {
        for (place, (_, allowed)) in ARROWS.iter().enumerate() {
            let earlier = |to: &&str| ARROWS[..place].iter().any(|(name, _)| name == to);
            assert!(allowed.iter().all(earlier), "{:?}", ARROWS[place]);
        }
    }

    #[test]
    fn two_versions_of_an_arrow_crate_are_reported() {
        let crates = [
            ("arrow-array", "60.0.0", json!([])),
            ("arrow-array", "59.0.0", json!([])),
            ("hashbrown", "0.16.0", json!([])),
            ("hashbrown", "0.17.0", json!([])),
        ];
        let findings = version_findings(&workspace(&crates));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].to_string().contains("`arrow-array`: more than one version: 59"));
    }
}
