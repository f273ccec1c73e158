//! `muslin protect`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{command, folder_with, muslin, seen};

const POLICY: &[u8] = br#"schema = 1
[input]
null = [""]
only = ["patient_id", "age", "sex", "marital_status", "education", "diagnosis_group"]
[columns.patient_id]
role = "identifier"
[columns.diagnosis_group]
role = "sensitive"
diversity = "2"
[release]
preset = "ihsn-5"
undeclared = "quasi-identifier"
accept = ["downcoding"]
[[release.combination]]
columns = ["age", "sex"]
k = 10
[limits]
gcp = 0.5
"#;

fn folder(rows: &str) -> tempfile::TempDir {
    let folder = folder_with(&[("muslin.toml", POLICY)]);
    let made =
        muslin(folder.path(), &["demo-data", "hospital", "--rows", rows, "-o", "people.csv"]);
    assert!(made.status.success());
    folder
}

/// What a rehearsal says, and that nothing is left of it.
#[test]
fn a_rehearsal_says_what_would_be_done_and_leaves_nothing() {
    let folder = folder("5000");
    let args = [&ARGS[..], &["--dry-run"]].concat();
    let output = muslin(folder.path(), &args);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    for said in [
        "The release would take about ",
        "Never published: patient_id.",
        "Sensitive: diagnosis_group.",
        "Preset ihsn-5",
        "Methods: generalize.",
        "Will be judged: 10-anonymity",
        "     4,000",
        "     5,000",
        "Nothing was written.",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!folder.path().join("release").exists());
    assert_eq!(leftovers(folder.path()), Vec::<String>::new());

    // All rows were rehearsed: the release loses what the rehearsal lost.
    let json = muslin(folder.path(), &[&args[..], &["--json"]].concat());
    let expected: Value = serde_json::from_slice(&json.stdout).unwrap();
    let made: Value =
        serde_json::from_slice(&muslin(folder.path(), &[&ARGS[..], &["--json"]].concat()).stdout)
            .unwrap();
    assert_eq!(expected["rehearsals"][1]["rows"], 5_000);
    assert_eq!(expected["rehearsals"][1]["gcp"], made["loss"]["gcp"]);
    assert_eq!(expected["claims"], made["claims"]);
    assert_eq!(expected["quasi_identifiers"], made["quasi_identifiers"]);
    assert!(expected["estimated_seconds"].as_f64().unwrap() > 0.0);
}

/// A rehearsal whose drawn rows lose more than is allowed says so, and a wrong policy is an error.
#[test]
fn a_rehearsal_warns_of_limits_and_refuses_what_is_wrong() {
    let folder = folder("300");
    let strict = String::from_utf8(POLICY.to_vec()).unwrap().replace("gcp = 0.5", "gcp = 0.001");
    std::fs::write(folder.path().join("muslin.toml"), strict).unwrap();
    let args = [&ARGS[..], &["--dry-run"]].concat();
    let output = muslin(folder.path(), &args);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("`limits.gcp`"), "{text}");
    std::fs::write(folder.path().join("muslin.toml"), "schema = 1\n[protect]\nmethods = []\n")
        .unwrap();
    assert_eq!(muslin(folder.path(), &args).status.code(), Some(2));
}

/// What cannot be done with all rows is an error of the rehearsal too.
#[test]
fn a_rehearsal_of_all_rows_fails_as_the_release_would() {
    let policy = b"schema = 1\n[columns.id]\nrole = \"identifier\"\n[release]\nk = 2\naccept = [\"downcoding\"]\n";
    let folder = folder_with(&[("people.csv", b"id\n1\n2\n3\n"), ("muslin.toml", policy)]);
    for more in [&[][..], &["--dry-run"]] {
        let output = muslin(folder.path(), &[&ARGS[..], more].concat());
        assert_eq!(output.status.code(), Some(4), "{}", seen(&output));
        assert!(seen(&output).contains("nothing is left to publish"));
    }
    let policy = "schema = 1\n[release]\nk = 9\nundeclared = \"quasi-identifier\"\naccept = [\"downcoding\"]\n";
    std::fs::write(folder.path().join("muslin.toml"), policy).unwrap();
    let output = muslin(folder.path(), &[&ARGS[..], &["--dry-run"]].concat());
    assert_eq!(output.status.code(), Some(4), "{}", seen(&output));
}

/// Who has two releases of the same people may combine them.
#[test]
fn other_releases_of_the_same_input_are_told() {
    let folder = folder("300");
    let warned = |to: &str, more: &[&str]| {
        let args = [&ARGS[..6], &[to], more].concat();
        let output = muslin(folder.path(), &args);
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().contains("other releases of this input")
    };
    assert!(!warned("first", &[]));
    assert!(!warned("first", &[]), "one that is replaced");
    assert!(warned("second", &[]));
    std::fs::remove_dir_all(folder.path().join("first")).unwrap();
    std::fs::remove_dir_all(folder.path().join("second")).unwrap();
    assert!(!warned("third", &["--reproducible", "--seed", "7"]));
    assert!(!warned("fourth", &["--reproducible", "--seed", "7"]), "the same release");
    assert!(warned("fifth", &["--reproducible", "--seed", "8"]), "another draw");
}

const ARGS: [&str; 7] =
    ["protect", "--allow-findings", "people.csv", "-p", "muslin.toml", "-o", "release"];

/// Everything beside the release and what it was made from.
fn leftovers(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    names
        .filter(|name| !["muslin.toml", "people.csv", "release"].contains(&name.as_str()))
        .collect()
}

#[test]
fn a_policy_makes_a_release_that_is_judged() {
    let folder = folder("1000");
    let args = [&ARGS[..], &["--reproducible", "--seed", "5"]].concat();
    insta::assert_snapshot!("made", seen(&muslin(folder.path(), &args)));
    let summary = std::fs::read_to_string(folder.path().join("release/summary.md")).unwrap();
    insta::assert_snapshot!("summary", summary);
    let judged = muslin(
        folder.path(),
        &[
            "verify",
            "--allow-findings",
            "release",
            "-p",
            "muslin.toml",
            "--original",
            "people.csv",
            "--json",
        ],
    );
    let report: Value = serde_json::from_slice(&judged.stdout).unwrap();
    assert_eq!(report["met"], true);
    // Somebody changes a cell.
    let data = folder.path().join("release/data.csv");
    let text = std::fs::read_to_string(&data).unwrap().replacen("female", "male", 1);
    std::fs::write(&data, text).unwrap();
    let judged = muslin(folder.path(), &["verify", "--allow-findings", "release"]);
    let text = String::from_utf8(judged.stdout).unwrap();
    assert_eq!(judged.status.code(), Some(1));
    assert!(text.contains("data.csv is not the file that was written"), "{text}");
}

#[test]
fn candidates_are_shown_before_one_is_chosen() {
    let folder = folder("800");
    let args = ["plan", "people.csv", "-p", "muslin.toml", "-k", "3,8"];
    insta::assert_snapshot!("plan", seen(&muslin(folder.path(), &args)));
    let drawn = ["demo-data", "hospital", "--rows", "12000", "-o", "people.csv"];
    assert!(muslin(folder.path(), &drawn).status.success());
    let output = muslin(folder.path(), &[&args[..5], &["5", "--json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["coverage"]["coverage"], "sampled");
    assert_eq!(report["tried_rows"], 10_000);
    let candidates = report["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 5);
    assert!(candidates.iter().all(|own| own["highest_risk"].as_f64().unwrap() <= 0.2));
}

#[test]
fn what_goes_wrong_has_a_way_out() {
    let folder = folder("200");
    let path = folder.path();
    let with = |from: &str, to: &str| {
        let policy = String::from_utf8(POLICY.to_vec()).unwrap().replace(from, to);
        std::fs::write(path.join("muslin.toml"), policy).unwrap();
        seen(&muslin(path, &ARGS))
    };
    let all = [
        with("accept = [\"downcoding\"]", ""),
        with("gcp = 0.5", "gcp = 0.01"),
        with("preset = \"ihsn-5\"", "preset = \"ihsn5\""),
        with("[limits]", "[limit]"),
        with("columns = [\"age\", \"sex\"]", "columns = [\"age\", \"gender\"]"),
    ];
    insta::assert_snapshot!("wrong", all.join("\n"));
    assert_eq!(leftovers(path), Vec::<String>::new());
    assert!(!path.join("release").exists());
    std::fs::write(path.join("muslin.toml"), POLICY).unwrap();
    let nowhere = muslin(
        path,
        &["protect", "--allow-findings", "people.csv", "-p", "muslin.toml", "-o", "/proc/release"],
    );
    assert_eq!(nowhere.status.code(), Some(6));
}

#[test]
fn a_killed_program_leaves_a_whole_release_or_none() {
    let folder = folder("2000");
    let path = folder.path();
    assert!(muslin(path, &ARGS).status.success());
    let started = std::time::Instant::now();
    assert!(muslin(path, &ARGS).status.success());
    let whole = started.elapsed();
    for round in 0..100u32 {
        if round % 10 == 9 {
            let _ = std::fs::remove_dir_all(path.join("release"));
        }
        let mut child =
            command(path, &ARGS).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Moments that are spread over the time that it takes.
        std::thread::sleep(whole.mul_f64(f64::from(round * 37 % 100) / 90.0));
        child.kill().unwrap();
        child.wait().unwrap();
        if path.join("release").exists() {
            let judged = muslin(path, &["verify", "--allow-findings", "release", "--json"]);
            let report: Value = serde_json::from_slice(&judged.stdout).unwrap();
            assert_eq!(report["met"], true, "round {round}");
        }
    }
    // The next one removes what the killed ones left.
    assert!(muslin(path, &ARGS).status.success());
    assert_eq!(leftovers(path), Vec::<String>::new());
    assert!(muslin(path, &["verify", "--allow-findings", "release"]).status.success());
}

#[test]
fn of_two_at_once_one_wins() {
    let folder = folder("500");
    let path = folder.path();
    for _ in 0..5 {
        let mut both: Vec<_> = (0..2)
            .map(|_| {
                let mut command = command(path, &ARGS);
                command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
            })
            .collect();
        assert!(both.iter_mut().all(|child| child.wait().unwrap().success()));
        assert!(muslin(path, &["verify", "--allow-findings", "release"]).status.success());
        assert_eq!(leftovers(path), Vec::<String>::new());
    }
}

#[test]
fn a_full_disk_leaves_the_old_release() {
    let folder = folder("20000");
    let disk = folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(&disk)
        .stderr(Stdio::null())
        .status();
    if !mount.is_ok_and(|status| status.success()) {
        return; // Not everybody may mount.
    }
    let small = muslin(folder.path(), &["demo-data", "hospital", "--rows", "60", "-o", "few.csv"]);
    assert!(small.status.success());
    let first =
        ["protect", "--allow-findings", "few.csv", "-p", "muslin.toml", "-o", "disk/release"];
    let first = muslin(folder.path(), &first);
    let text = String::from_utf8_lossy(&first.stderr).into_owned();
    let full = muslin(
        folder.path(),
        &["protect", "--allow-findings", "people.csv", "-p", "muslin.toml", "-o", "disk/release"],
    );
    let left: Vec<_> = std::fs::read_dir(&disk).unwrap().map(|e| e.unwrap().file_name()).collect();
    let judged = muslin(folder.path(), &["verify", "--allow-findings", "disk/release"]);
    std::thread::sleep(Duration::from_millis(50));
    let unmounted = Command::new("umount").arg(&disk).status().unwrap();
    assert!(unmounted.success());
    assert!(first.status.success(), "{text}");
    assert_eq!(full.status.code(), Some(6));
    let said = seen(&full);
    let plain = "disk/release/data.csv: cannot be written: no space is left on the disk";
    assert!(said.contains(plain) && !said.contains(".muslin-"), "{said}");
    assert_eq!(left, ["release"]);
    assert!(judged.status.success());
}
