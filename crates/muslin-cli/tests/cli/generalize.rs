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
