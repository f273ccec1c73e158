//! `muslin bucketize`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::{folder_with, muslin, seen};

fn bucketize(folder: &Path, args: &[&str]) -> String {
    seen(&muslin(folder, &[&["bucketize"], args].concat()))
}

/// Lavanya and Srinivas, table (a).
pub(super) const TABLE_A: &[u8] = b"Age,Sex,Zipcode,Disease
22,M,47906,dyspepsia\n22,F,47906,flu\n33,F,47905,flu\n52,F,47905,bronchitis
54,M,47302,flu\n60,M,47302,dyspepsia\n60,M,47304,dyspepsia\n64,F,47304,gastritis\n";

#[test]
fn the_report_says_what_a_bucket_hides() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let args = ["t.csv", "--sensitive", "Disease", "-l", "2", "-o", "r.csv"];
    insta::assert_snapshot!(bucketize(folder.path(), &args));
    let release = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    assert!(release.starts_with("Age,Sex,Zipcode,Disease,bucket\n"), "{release}");
}

#[test]
fn two_tables_are_written_and_fit_a_narrow_terminal() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let tables = ["-o", "rows.csv", "--sensitive-table", "values.csv", "--order", "sorted"];
    let args = ["bucketize", "t.csv", "--sensitive", "Disease", "-l", "2", "--method", "mondrian"];
    let mut command = super::command(folder.path(), &[&args[..], &tables].concat());
    let output = command.env("COLUMNS", "60").output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    insta::assert_snapshot!(seen(&output));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    insta::assert_snapshot!(
        "two_tables",
        format!("{}---\n{}", read("rows.csv"), read("values.csv"))
    );
}

#[test]
fn the_report_is_json() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let args = ["t.csv", "--sensitive", "Disease", "-l", "2", "--json", "--qi", "Age,Sex"];
    insta::assert_snapshot!(bucketize(folder.path(), &args));
}

#[test]
fn fields_that_others_rely_on_are_numbers() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let args = ["bucketize", "t.csv", "--sensitive", "Disease", "-l", "2", "--json"];
    let report: Value = serde_json::from_slice(&muslin(folder.path(), &args).stdout).unwrap();
    assert!(report["effective_l"].is_u64() && report["loss"]["rce"].is_number());
    assert_eq!(report["claims"][0]["bucket"], "bucket");
}

#[test]
fn an_l_out_of_reach_ends_with_4_and_says_which_is_not() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let args = ["bucketize", "t.csv", "--sensitive", "Disease", "-l", "3", "-o", "r.csv"];
    let output = muslin(folder.path(), &args);
    assert_eq!(output.status.code(), Some(4));
    assert!(!folder.path().join("r.csv").exists());
    insta::assert_snapshot!(seen(&output));
}

#[test]
fn what_goes_wrong_has_a_way_out() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let base = ["t.csv", "--sensitive", "Disease", "-l"];
    let cases: [&[&str]; 5] = [
        &["1"],
        &["2", "--bucket-name", "Age"],
        &["2", "--role", "Disease=identifier"],
        &["2", "-o", "r.csv", "--sensitive-table", "r.csv"],
        &["2", "--missing", "wildcard"],
    ];
    let mut text = String::new();
    for case in cases {
        writeln!(text, "{case:?}\n{}", bucketize(folder.path(), &[&base[..], case].concat()))
            .unwrap();
    }
    insta::assert_snapshot!(text);
    let unknown = bucketize(folder.path(), &["t.csv", "--sensitive", "Disese", "-l", "2"]);
    assert!(unknown.starts_with("exit 2") && unknown.contains("Disease"), "{unknown}");
}
