//! The policies in `examples/`, as the README runs them: from a policy to a release, judged and
//! attacked.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{folder_with, muslin};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// Takes a table through the README's commands; what the judge and the attacks say.
fn through(folder: &Path, table: &str, policy: &str) -> (Value, Value) {
    let policy = example(policy);
    let policy = policy.to_str().unwrap();
    let told = |args: &[&str], codes: &[i32]| -> Value {
        let output = muslin(folder, args);
        let problem = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(codes.contains(&output.status.code().unwrap()), "{args:?}: {problem}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let plan = told(
        &[
            "protect",
            "--allow-findings",
            table,
            "-p",
            policy,
            "-o",
            "release",
            "--dry-run",
            "--json",
        ],
        &[0],
    );
    assert!(!folder.join("release").exists(), "{plan}");
    let made = told(
        &["protect", "--allow-findings", table, "-p", policy, "-o", "release", "--json"],
        &[0],
    );
    assert_eq!(made["verification"]["met"], true);
    let judged = told(
        &["verify", "--allow-findings", "release", "--original", table, "-p", policy, "--json"],
        &[0],
    );
    let attacked =
        told(&["attack", "release", "--original", table, "-p", policy, "--json"], &[0, 1]);
    (judged, attacked)
}

fn attack<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["attacks"].as_array().unwrap();
    all.iter().find(|own| own["name"] == name).unwrap()
}

#[test]
fn the_example_table_is_protected_judged_and_attacked() {
    let folder = folder_with(&[]);
    let args = ["demo-data", "hospital", "--rows", "10000", "-o", "hospital.csv"];
    assert!(muslin(folder.path(), &args).status.success());
    let (judged, attacked) = through(folder.path(), "hospital.csv", "hospital.toml");
    assert_eq!(judged["met"], true, "{judged}");
    assert_eq!(judged["checks"][0]["claim"], "5-anonymity");
    assert_eq!(attack(&attacked, "homogeneity")["certain"], 0);
    assert_eq!(attack(&attacked, "seed")["guessed"], 0);
}

#[test]
fn adult_is_protected_judged_and_attacked() {
    let Some(data) = muslin_testkit::data::real("adult_full.csv.gz") else { return };
    let folder = folder_with(&[]);
    let (judged, attacked) = through(folder.path(), data.to_str().unwrap(), "adult.toml");
    assert_eq!(judged["met"], true, "{judged}");
    assert_eq!(judged["rows"], 48_842);
    assert_eq!(attack(&attacked, "seed")["guessed"], 0);
}
