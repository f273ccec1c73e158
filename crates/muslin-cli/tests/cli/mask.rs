//! `muslin mask`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::{PEOPLE, command, folder_with, muslin, seen, with_demo};

/// Motwani and Xu, Table 1.
const TABLE_1: &[u8] = b"age,sex,state\n20,f,CA\n30,f,CA\n40,f,TX\n20,m,NY\n40,m,CA\n";

fn mask(folder: &Path, args: &[&str]) -> String {
    seen(&muslin(folder, &[&["mask"], args].concat()))
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let output = muslin(folder, &[&["mask", "--json"], args].concat());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_report_says_what_can_be_published() {
    let folder = folder_with(&[("t.csv", TABLE_1)]);
    let args = ["t.csv", "--measure", "distinct", "--beta", "0.8"];
    insta::assert_snapshot!(mask(folder.path(), &args));
}

#[test]
fn the_report_is_json() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let args = ["people.csv", "--measure", "separation", "--beta", "0.8", "--json", "--exact"];
    let more = ["--role", "id=identifier", "--null", "", "--keep", "sex", "--weight", "age=0.5"];
    insta::assert_snapshot!(mask(folder.path(), &[&args[..], &more].concat()));
}

#[test]
fn roles_keep_and_drop_are_shown() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let roles = ["--role", "id=identifier", "--role", "age=quasi-identifier"];
    let more = ["--role", "sex=quasi-identifier", "--role", "postcode=quasi-identifier"];
    let asked = ["--keep", "sex", "--drop", "postcode", "--measure", "distinct", "--beta", "0.9"];
    let args = [&["people.csv"], &roles[..], &more, &asked, &["-o", "r.csv"]].concat();
    let output = command(folder.path(), &[&["mask"], &args[..]].concat())
        .env("COLUMNS", "80")
        .output()
        .unwrap();
    insta::assert_snapshot!(seen(&output));
    let release = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    assert!(release.starts_with("age,sex,income\n"), "{release}");
    assert_eq!(release.lines().count(), 7);
}

#[test]
fn reports_fit_the_terminal_and_promise_nothing() {
    let folder = with_demo("300", "h.csv");
    for columns in ["40", "80", "140"] {
        for flags in [
            &["--measure", "distinct", "--beta", "0.2"][..],
            &["--measure", "separation", "--beta", "0.9", "--sample", "2000", "--keep", "sex"],
            &["--measure", "separation", "--beta", "0.7", "--missing", "wildcard", "--exact"],
            &["--measure", "distinct", "--beta", "0.001"],
        ] {
            let roles = ["--role", "patient_id=identifier", "--null", ""];
            let args = [&["mask", "h.csv"], &roles[..], flags].concat();
            let output = command(folder.path(), &args).env("COLUMNS", columns).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= columns.parse().unwrap(), "{longest} of {columns}\n{text}");
            let lower = text.to_lowercase();
            assert!(!lower.contains("safe") && !lower.contains("anonym"), "{text}");
        }
    }
}

#[test]
fn a_release_can_go_to_standard_output() {
    let folder = folder_with(&[("t.csv", TABLE_1)]);
    let flags = ["--measure", "distinct", "--beta", "0.8", "-o", "-", "--row-order"];
    let read = [&["t.csv"], &flags[..], &["as-read"]].concat();
    insta::assert_snapshot!(mask(folder.path(), &read));
    let release = |order: &str, seed: &str| {
        let args = [&["mask", "t.csv"], &flags[..], &[order, "--seed", seed]].concat();
        let text = String::from_utf8(muslin(folder.path(), &args).stdout).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["f,CA", "f,CA", "f,TX", "m,CA", "m,NY", "sex,state"]);
        text
    };
    assert_eq!(release("seeded", "7"), release("seeded", "7"));
    let orders: Vec<String> = (0..20).map(|_| release("shuffled", "7")).collect();
    assert!(orders.iter().any(|order| *order != orders[0]), "twenty equal shuffles");
}

#[test]
fn reports_and_seeded_releases_do_not_depend_on_threads() {
    let folder = with_demo("2000", "h.csv");
    let all = ["1", "2", "4"].map(|threads| {
        let of = |flags: &[&str]| {
            let args = ["mask", "h.csv", "--exclude", "patient_id,name", "--threads", threads];
            muslin(folder.path(), &[&args[..], flags].concat()).stdout
        };
        let distinct = ["--measure", "distinct", "--beta", "0.1"];
        let separation = ["--measure", "separation", "--beta", "0.9", "--sample", "3000"];
        [
            of(&[&distinct[..], &["--json", "--exact"]].concat()),
            of(&[&separation[..], &["--json"]].concat()),
            of(&[&distinct[..], &["-o", "-", "--row-order", "seeded"]].concat()),
        ]
    });
    assert!(all[0].iter().all(|text| text.len() > 100));
    assert!(all[0] == all[1] && all[1] == all[2]);
}

/// A table on which the heaviest set is not found in seconds.
fn hard_table() -> Vec<u8> {
    let mut state = 1u64;
    let mut draw = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let columns = 60;
    let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
    let mut text = names.join(",") + "\n";
    for _ in 0..400 {
        let cells: Vec<&str> =
            (0..columns).map(|c| if draw() % 100 < 3 + c / 2 { "1" } else { "0" }).collect();
        text += &(cells.join(",") + "\n");
    }
    text.into_bytes()
}

#[test]
fn what_a_limit_leaves_is_allowed_and_written() {
    let folder = folder_with(&[("hard.csv", &hard_table())]);
    let args = ["hard.csv", "--measure", "distinct", "--beta", "0.3", "--exact"];
    let more = ["--time-limit", "2s", "-o", "r.csv"];
    let output = muslin(folder.path(), &[&["mask", "--json"], &args[..], &more].concat());
    assert_eq!(output.status.code(), Some(5), "{}", seen(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["coverage"], &report["optimal"]), (&"stopped".into(), &false.into()));
    assert!(report["ratio"].as_f64().unwrap() <= 0.3 && report["gap"].as_f64().unwrap() > 0.0);
    assert_eq!(report["written"], "r.csv");
    let release = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    let publish = report["publish"].as_array().unwrap();
    assert_eq!(release.lines().next().unwrap().split(',').count(), publish.len());
    assert_eq!(release.lines().count(), 401);
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(talk.contains("stopped by the time limit"), "{talk}");
}

#[test]
fn a_target_out_of_reach_has_an_exit_code() {
    let folder = folder_with(&[("t.csv", TABLE_1)]);
    let mut all = String::new();
    for flags in [
        &["--beta", "0.3", "-o", "r.csv"][..],
        &["--beta", "0.8", "--keep", "age,state", "-o", "r.csv"],
        &["--beta", "0.1"],
        &["--beta", "0.8", "--drop", "age,sex,state"],
    ] {
        let args = [&["t.csv", "--measure", "distinct"], flags].concat();
        writeln!(all, "$ muslin mask {}\n{}", args.join(" "), mask(folder.path(), &args)).unwrap();
    }
    insta::assert_snapshot!(all);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let report = json(folder.path(), &["t.csv", "--measure", "distinct", "--beta", "0.3"]);
    assert_eq!((&report["reached"], &report["publish"]), (&false.into(), &Value::Array(vec![])));
}

#[test]
fn what_goes_wrong_has_a_way_out() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let mut all = String::new();
    for flags in [
        &["--measure", "distinct"][..],
        &["--beta", "0.5"],
        &["--measure", "distinct", "--beta", "1.5"],
        &["--measure", "classes", "--beta", "0.5"],
        &["--measure", "distinct", "--beta", "0.5", "--keep", "agee"],
        &["--measure", "distinct", "--beta", "0.5", "--drop", "id", "--role", "id=identifier"],
        &[
            "--measure",
            "distinct",
            "--beta",
            "0.5",
            "--keep",
            "id",
            "--role",
            "age=quasi-identifier",
        ],
        &["--measure", "distinct", "--beta", "0.5", "--keep", "sex", "--drop", "sex"],
        &["--measure", "distinct", "--beta", "0.5", "--weight", "age"],
        &["--measure", "distinct", "--beta", "0.5", "--weight", "age=-1"],
        &["--measure", "distinct", "--beta", "0.5", "--missing", "wildcard"],
        &["--measure", "distinct", "--beta", "0.5", "--exact", "--sample", "10"],
        &["--measure", "distinct", "--beta", "0.5", "--delta", "0.1"],
        &["--measure", "separation", "--beta", "0.5", "--sample", "10"],
        &["--measure", "separation", "--beta", "0.5", "--sample", "1000", "--delta", "0"],
        &["--measure", "distinct", "--beta", "0.5", "--row-order", "as-read"],
        &["--measure", "distinct", "--beta", "0.5", "-o", "-", "--json"],
        &["--measure", "distinct", "--beta", "0.5", "-o", "people.csv"],
        &["--measure", "distinct", "--beta", "0.5", "-o", "r.xyz"],
        &["--measure", "distinct", "--beta", "0.5", "-o", "nowhere/r.csv"],
        &["--measure", "distinct", "--beta", "0.5", "--time-limit", "0s", "-o", "r.csv"],
    ] {
        let seen = mask(folder.path(), &[&["people.csv"], flags].concat());
        writeln!(all, "$ muslin mask people.csv {}\n{seen}", flags.join(" ")).unwrap();
    }
    insta::assert_snapshot!(all);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(std::fs::read(folder.path().join("people.csv")).unwrap(), PEOPLE);
}
