//! `muslin generalize`.

use std::path::Path;

use serde_json::Value;

use super::{folder_with, muslin, seen};

fn generalize(folder: &Path, args: &[&str]) -> String {
    seen(&muslin(folder, &[&["generalize"], args].concat()))
}

/// Paper 002, table (a).
const TABLE_A: &[u8] = b"age,sex,zipcode,disease\n22,M,47906,dyspepsia\n22,F,47906,flu
33,F,47905,flu\n52,F,47905,bronchitis\n54,M,47302,flu\n60,M,47302,dyspepsia
60,M,47304,dyspepsia\n64,F,47304,gastritis\n";

const POLICY: &[u8] = b"schema = 1\n[columns.age]\nrole = 'quasi-identifier'
hierarchy.widths = [10, 20, 40]\n[columns.zipcode]\nrole = 'quasi-identifier'
hierarchy.prefixes = [4, 3]\n[columns.sex]\nrole = 'quasi-identifier'
[columns.disease]\nrole = 'sensitive'\n";

#[test]
fn the_report_says_what_holds_and_what_is_lost() {
    let folder = folder_with(&[("a.csv", TABLE_A)]);
    let args = ["a.csv", "-k", "4", "--role", "disease=sensitive", "-o", "r.csv"];
    insta::assert_snapshot!(generalize(folder.path(), &args));
    let text = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    assert_eq!(text.lines().count(), 9);
}

#[test]
fn levels_come_from_the_policy() {
    let folder = folder_with(&[("a.csv", TABLE_A), ("muslin.toml", POLICY)]);
    let args = ["a.csv", "-p", "muslin.toml", "-k", "2", "--recoding", "full-domain"];
    insta::assert_snapshot!(generalize(folder.path(), &args));
    let more = ["--diversity", "disease=2", "--closeness", "disease=0.5", "--json"];
    let args = [&args[..], &more].concat();
    insta::assert_snapshot!(generalize(folder.path(), &args));
}

#[test]
fn sorted_releases_are_the_same_every_time() {
    let folder = folder_with(&[("a.csv", TABLE_A)]);
    let write = |name: &str| {
        let args = ["generalize", "a.csv", "-k", "2", "--row-order", "sorted", "-o", name];
        assert_eq!(muslin(folder.path(), &args).status.code(), Some(0));
        std::fs::read(folder.path().join(name)).unwrap()
    };
    assert_eq!(write("1.csv"), write("2.csv"));
}

#[test]
fn fields_that_others_rely_on_are_there() {
    let folder = folder_with(&[("a.csv", TABLE_A)]);
    for recoding in ["mondrian", "local", "full-domain"] {
        let args = ["generalize", "a.csv", "-k", "2", "--json", "--recoding", recoding];
        let output = muslin(folder.path(), &args);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(report["classes"].is_u64(), "{recoding}");
        assert!(report["smallest"].as_u64().unwrap() >= 2, "{recoding}");
        assert!(report["loss"]["gcp"].is_number(), "{recoding}");
        assert_eq!(report["claims"][0]["claim"], "k-anonymity", "{recoding}");
    }
}

#[test]
fn what_goes_wrong_says_where_why_and_what_to_do() {
    let folder = folder_with(&[("a.csv", TABLE_A), ("sex.csv", b"M;*\nX;*\n")]);
    let codes: Vec<Option<i32>> = [
        &["-k", "9"][..],
        &["-k", "2", "--recoding", "local", "--hierarchy", "sex=sex.csv"],
        &["-k", "2", "--hierarchy", "color=sex.csv"],
        &["-k", "2", "--recoding", "local", "--bounds", "tight"],
        &["-k", "1"],
        &["-k", "2", "--diversity", "disease=1"],
    ]
    .into_iter()
    .enumerate()
    .map(|(at, args)| {
        let output =
            muslin(folder.path(), &[&["generalize", "a.csv", "-o", "r.csv"], args].concat());
        insta::assert_snapshot!(format!("wrong_{at}"), seen(&output));
        output.status.code()
    })
    .collect();
    assert_eq!(codes, [4, 3, 2, 2, 2, 2].map(Some));
    assert!(!folder.path().join("r.csv").exists());
}

/// Two towns of one country, and rows whose town is missing.
const TOWNS: &[u8] = b"town,dis\nAa,x\nBb,y\n,x\nAa,y\n,y\n";
const COUNTRIES: &[u8] = b"Aa;Europe;*\nBb;Europe;*\n";

#[test]
fn a_missing_cell_never_gets_a_label_that_says_something() {
    let folder = folder_with(&[("a.csv", TOWNS), ("t.csv", COUNTRIES)]);
    let common = ["--null", "", "--role", "dis=sensitive", "--hierarchy", "town=t.csv"];
    for recoding in ["full-domain", "local"] {
        let args = ["generalize", "a.csv", "-k", "2", "--recoding", recoding, "-o", "r.csv"];
        let output = muslin(folder.path(), &[&args[..], &common, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{recoding}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
        let mut towns: Vec<&str> =
            text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        towns.sort_unstable();
        // Missing cells are a class of their own: three of five cells say nothing but Europe.
        assert_eq!(towns, ["", "", "Europe", "Europe", "Europe"], "{recoding}");
        assert_eq!(report["loss"]["gcp"], 0.6, "{recoding}");
        let args = [
            &["verify", "--allow-findings", "r.csv", "--original", "a.csv", "--json"],
            &common[..],
        ]
        .concat();
        let output = muslin(folder.path(), &args);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        let truthful = checks.iter().find(|check| check["claim"] == "truthful").unwrap();
        assert_eq!(truthful["met"], true, "{recoding}: {truthful}");
    }
}

#[test]
fn truth_values_as_ranges_are_read_back() {
    let folder = folder_with(&[("a.csv", b"m,s\ntrue,x\nfalse,y\ntrue,y\nfalse,x\n")]);
    let args = ["a.csv", "-k", "4", "--labels", "ranges", "--role", "s=sensitive", "-o", "r.csv"];
    generalize(folder.path(), &args);
    let text = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    assert!(text.contains("[false to true]"), "{text}");
    for args in [
        &["verify", "--allow-findings", "r.csv", "--original", "a.csv", "--sensitive", "s"][..],
        &["diff", "a.csv", "r.csv", "--sensitive", "s"],
    ] {
        assert_eq!(muslin(folder.path(), args).status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn local_recoding_that_may_withhold_nothing_publishes_what_it_can() {
    let table = b"a,s\n1,x\n1,y\n1,x\n1,y\n2,x\n2,y\n2,x\n2,y\n3,z\n3,z\n";
    let folder = folder_with(&[("a.csv", table), ("h.csv", b"1;*\n2;*\n3;*\n")]);
    let args = ["generalize", "a.csv", "-k", "2", "--recoding", "local", "--json", "--hierarchy"];
    let more = ["a=h.csv", "--suppression-limit", "0", "--diversity", "s=distinct:2"];
    let output = muslin(folder.path(), &[&args[..], &more].concat());
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["removed_rows"], &report["classes"]), (&0.into(), &2.into()));
}
