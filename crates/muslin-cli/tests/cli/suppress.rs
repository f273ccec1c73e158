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

#[test]
fn a_value_that_looks_like_a_suppressed_cell_is_refused() {
    let folder = folder_with(&[("a.csv", b"c,s\n*,x\n*,x\n1,y\n2,y\n")]);
    let stars = |args: &[&str]| muslin(folder.path(), args);
    for command in ["suppress", "generalize"] {
        let output = stars(&[command, "a.csv", "-k", "2", "--role", "s=sensitive", "-o", "r.csv"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert!(said.contains("`*` of c ") || said.contains("`*` of `c` "), "{said}");
        assert!(said.contains("`--null '*'`"), "{said}");
        assert!(!folder.path().join("r.csv").exists());
        let args = [command, "a.csv", "-k", "2", "--role", "s=sensitive", "--null", "*", "-o"];
        let output = stars(&[&args[..], &["r.csv"]].concat());
        assert_eq!(output.status.code(), Some(0), "{command}");
        std::fs::remove_file(folder.path().join("r.csv")).unwrap();
        // A column that is not published is nobody's business.
        let args = [command, "a.csv", "-k", "2", "--role", "c=identifier", "--qi", "s", "-o"];
        assert_eq!(stars(&[&args[..], &["r.csv"]].concat()).status.code(), Some(0), "{command}");
        std::fs::remove_file(folder.path().join("r.csv")).unwrap();
    }
    let args = ["bucketize", "a.csv", "-l", "2", "--sensitive", "s", "-o", "r.csv"];
    let output = stars(&args);
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains("looks like a suppressed cell"), "{said}");
}
