//! `muslin suppress`.

use std::path::Path;

use serde_json::Value;

use super::{PEOPLE, folder_with, muslin, seen};

fn suppress(folder: &Path, args: &[&str]) -> String {
    seen(&muslin(folder, &[&["suppress"], args].concat()))
}

/// Vinterbo and Ohno-Machado, Table 5, with a test's outcome.
const TABLE_5: &[u8] = b"year,gender,ethnicity,zip,outcome
1964,M,Caucasian,02116,n\n1964,F,Caucasian,02138,n\n1970,M,Black,02144,y\n1968,F,Asian,02166,n
1969,F,Black,02156,y\n1970,M,Black,02144,n\n1964,F,Caucasian,02138,y\n1969,F,Asian,02116,n
1968,F,Asian,02166,y\n1964,M,Caucasian,02166,n\n";

#[test]
fn the_report_says_what_is_withheld_and_what_that_protects() {
    let folder = folder_with(&[("t.csv", TABLE_5)]);
    let args = ["t.csv", "-k", "2", "--qi", "year,gender,ethnicity,zip", "-o", "r.csv"];
    insta::assert_snapshot!(suppress(folder.path(), &args));
    assert!(folder.path().join("r.csv").exists());
}

#[test]
fn the_report_is_json() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let args = ["people.csv", "-k", "2", "--json", "--role", "id=identifier", "--null", ""];
    let more = ["--weight", "age=0.5", "--weight", "sex=never"];
    insta::assert_snapshot!(suppress(folder.path(), &[&args[..], &more].concat()));
}

#[test]
fn the_papers_methods_are_weak_and_say_so() {
    let folder = folder_with(&[("t.csv", TABLE_5)]);
    let args = ["t.csv", "-k", "2", "--qi", "year,gender,ethnicity,zip", "--notion", "ambiguity"];
    insta::assert_snapshot!(suppress(folder.path(), &[&args[..], &["--method", "b"]].concat()));
}

#[test]
fn fields_that_others_rely_on_are_numbers() {
    let folder = folder_with(&[("t.csv", TABLE_5)]);
    let output = muslin(folder.path(), &["suppress", "t.csv", "-k", "2", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["suppressed_cells"].is_u64() && report["lower_bound"].is_number());
    for notion in ["n1", "n2", "n3", "n4", "n5", "n6"] {
        assert!(report["notions"][notion].as_u64().unwrap() >= 2, "{notion}");
    }
}

#[test]
fn what_cannot_be_reached_ends_with_4_and_writes_nothing() {
    let folder = folder_with(&[("t.csv", TABLE_5)]);
    let output = muslin(folder.path(), &["suppress", "t.csv", "-k", "11", "-o", "r.csv"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(!folder.path().join("r.csv").exists());
    insta::assert_snapshot!(seen(&output));
    let output = muslin(folder.path(), &["suppress", "t.csv", "-k", "2", "--weight", "zip=never"]);
    assert_eq!(output.status.code(), Some(4));
}
