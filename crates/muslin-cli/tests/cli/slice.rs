//! `muslin slice`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::bucketize::TABLE_A;
use super::{folder_with, muslin, seen};

fn slice(folder: &Path, args: &[&str]) -> String {
    seen(&muslin(folder, &[&["slice"], args].concat()))
}

const SLICES: &str = "Age,Sex|Zipcode,Disease";
const BASE: [&str; 5] = ["t.csv", "--sensitive", "Disease", "-l", "2"];

#[test]
fn the_report_shows_slices_and_what_they_hide() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let args = ["--slices", SLICES, "-o", "r.csv"];
    insta::assert_snapshot!(slice(folder.path(), &[&BASE[..], &args].concat()));
    let release = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    assert!(release.starts_with("Age,Sex,Zipcode,Disease,bucket\n"), "{release}");
}

#[test]
fn a_sorted_release_is_the_same_every_time() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let args = ["slice", "t.csv", "--sensitive", "Disease", "-l", "2", "--slices", SLICES];
    let more = ["--order", "sorted", "-o", "-", "--bucket-name", "group", "--level", "Age=1"];
    let mut command = super::command(folder.path(), &[&args[..], &more].concat());
    let output = command.env("COLUMNS", "60").output().unwrap();
    let talk = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(talk.lines().all(|line| line.chars().count() <= 60), "{talk}");
    insta::assert_snapshot!(seen(&output));
}

#[test]
fn the_report_is_json() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let args = ["--json", "--count", "2", "--role", "Age=identifier", "--with-sensitive", "1"];
    insta::assert_snapshot!(slice(folder.path(), &[&BASE[..], &args].concat()));
}

#[test]
fn fields_that_others_rely_on_are_numbers() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let args =
        ["slice", "t.csv", "--sensitive", "Disease", "-l", "2", "--slices", SLICES, "--json"];
    let report: Value = serde_json::from_slice(&muslin(folder.path(), &args).stdout).unwrap();
    assert!(report["effective_l"].is_u64() && report["membership"]["matching_auc"].is_number());
    assert_eq!(report["claims"][0]["slices"][1][1], "Disease");
}

#[test]
fn an_l_out_of_reach_ends_with_4_and_says_which_is_not() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let args = ["slice", "t.csv", "--sensitive", "Disease", "-l", "3", "-o", "r.csv", "--slices"];
    let output = muslin(folder.path(), &[&args[..], &[SLICES]].concat());
    assert_eq!(output.status.code(), Some(4));
    assert!(!folder.path().join("r.csv").exists());
    insta::assert_snapshot!(seen(&output));
}

#[test]
fn what_goes_wrong_has_a_way_out() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let cases: [&[&str]; 7] = [
        &["--slices", "Age,Sex|Disease"],
        &["--slices", "Age|Sex,Zipcode"],
        &["--slices", "Age,Sex|Zipcode,Sex|Zipcode,Age|Disease"],
        &["--slices", SLICES, "--level", "Age=9"],
        &["--slices", SLICES, "--count", "2"],
        &["--count", "9"],
        &["--missing", "distinct"],
    ];
    let mut text = String::new();
    for case in cases {
        writeln!(text, "{case:?}\n{}", slice(folder.path(), &[&BASE[..], case].concat())).unwrap();
    }
    insta::assert_snapshot!(text);
}
