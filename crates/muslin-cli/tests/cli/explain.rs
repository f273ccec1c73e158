//! `muslin explain`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::{PEOPLE, command, folder_with, muslin, seen, with_demo};

/// Columns of the example data that somebody may know.
const KNOWN: [&str; 4] = ["--null", "", "--qi", "age,sex,town,education,occupation"];

fn run(folder: &Path, args: &[&str]) -> Output {
    muslin(folder, &[&["explain"], args].concat())
}

fn report(folder: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let output = run(folder, &[&["--json"], args].concat());
    let report = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), report)
}

#[test]
fn a_row_is_explained() {
    let folder = with_demo("2000", "h.csv");
    let args = [&["h.csv", "--row", "7"][..], &KNOWN].concat();
    insta::assert_snapshot!("row", seen(&run(folder.path(), &args)));
    // The riskiest row of the search has the score that it has there.
    let search = ["uniques", "h.csv", "--json", "--null", "", "--columns", KNOWN[3]];
    let found: Value = serde_json::from_slice(&muslin(folder.path(), &search).stdout).unwrap();
    let top = &found["top_rows"][0];
    let number = top["row"].to_string();
    let args = [&["h.csv", "--row", &number][..], &KNOWN].concat();
    let (code, row) = report(folder.path(), &args);
    assert_eq!((code, &row["suda"], &row["total"]), (Some(0), &top["suda"], &top["uniques"]));
}

#[test]
fn rows_that_others_equal_and_rows_with_missing_cells_are_explained() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let args = ["people.csv", "--row", "1", "--qi", "age,sex,postcode"];
    insta::assert_snapshot!("row_with_equals", seen(&run(folder.path(), &args)));
    let args = ["people.csv", "--row", "2", "--null", "", "--exclude", "id"];
    let of = |rule| run(folder.path(), &[&args[..], &["--missing", rule]].concat());
    insta::assert_snapshot!("row_distinct", seen(&of("distinct")));
    insta::assert_snapshot!("row_wildcard", seen(&of("wildcard")));
    let args = ["people.csv", "--row", "5", "--json", "--exclude", "id", "--show-values"];
    insta::assert_snapshot!("row_json", seen(&run(folder.path(), &args)));
}

#[test]
fn a_set_of_columns_is_explained() {
    let folder = with_demo("2000", "h.csv");
    let args = ["h.csv", "--null", "", "--columns", "age,sex,town,education"];
    insta::assert_snapshot!("columns", seen(&run(folder.path(), &args)));
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let args = ["people.csv", "--columns", "age,postcode,income,id"];
    insta::assert_snapshot!("columns_key", seen(&run(folder.path(), &args)));
    let args = ["people.csv", "--columns", "postcode", "--json"];
    insta::assert_snapshot!("columns_json", seen(&run(folder.path(), &args)));
}

#[test]
fn explanations_fit_the_terminal() {
    let folder = with_demo("2000", "h.csv");
    let row = [&["explain", "h.csv", "--row", "7"][..], &KNOWN].concat();
    let set = ["explain", "h.csv", "--null", "", "--columns", "age,sex,town,education"];
    for columns in ["60", "80"] {
        for args in [&row[..], &set, &[&row[..], &["--show-values"]].concat()] {
            let output = command(folder.path(), args).env("COLUMNS", columns).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let width: usize = columns.parse().unwrap();
            let long = text.lines().find(|line| line.chars().count() > width);
            assert_eq!(long, None, "{columns} columns");
            if columns == "60" && !args.contains(&"--show-values") {
                let name =
                    format!("narrow_{}", if args.contains(&"--row") { "row" } else { "set" });
                insta::assert_snapshot!(name, text);
            }
        }
    }
}

#[test]
fn wrong_questions_are_told_with_a_way_out() {
    let folder = folder_with(&[("people.csv", PEOPLE), ("none.csv", b"a,b\n")]);
    let mut text = String::new();
    for args in [
        &["people.csv"][..],
        &["people.csv", "--row", "1", "--columns", "age"],
        &["people.csv", "--row", "6"],
        &["people.csv", "--row", "x"],
        &["none.csv", "--row", "0", "--header", "yes"],
        &["people.csv", "--columns", "age,postcod"],
        &["people.csv", "--row", "1", "--qi", "postcod"],
        &["people.csv", "--columns", "age", "--qi", "sex"],
        &["people.csv", "--columns", "age", "--show-values"],
        &["people.csv", "--row", "1", "--max-size", "0"],
    ] {
        let output = run(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        writeln!(text, "$ muslin explain {}\n{}", args.join(" "), seen(&output)).unwrap();
    }
    insta::assert_snapshot!("errors", text);
}

#[test]
fn a_limit_is_told() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let args = ["people.csv", "--row", "5", "--limit", "2"];
    insta::assert_snapshot!("row_limited", seen(&run(folder.path(), &args)));
    let (code, row) = report(folder.path(), &args);
    assert_eq!((code, &row["coverage"]), (Some(5), &json!("stopped")));
    assert_eq!((&row["suda"], &row["total"]), (&Value::Null, &json!(2)));
}

#[test]
fn no_value_is_told_unless_it_is_asked_for() {
    let text = "a,b,c\nCANARYONE,CANARYTWO,1\nCANARYONE,CANARYTHREE,2\nx,CANARYTWO,2\nx,y,1\n";
    let folder = folder_with(&[("in.csv", text.as_bytes())]);
    for question in [&["--row", "0"][..], &["--row", "3"], &["--columns", "a,b"], &["--row", "9"]] {
        for form in [&[][..], &["--json"]] {
            let output = seen(&run(folder.path(), &[&["in.csv"], question, form].concat()));
            assert!(!output.contains("CANARY"), "{output}");
        }
    }
    // Missing is said, where values are.
    let args = ["in.csv", "--row", "3", "--show-values", "--null", "y"];
    let shown = seen(&run(folder.path(), &args));
    assert!(shown.contains("b (missing)"), "{shown}");
    // Those of the row, and of no other.
    for form in [&[][..], &["--json"]] {
        let args = [&["in.csv", "--row", "0", "--show-values"][..], form].concat();
        let shown = seen(&run(folder.path(), &args));
        assert!(shown.contains("CANARYONE") && shown.contains("CANARYTWO"), "{shown}");
        assert!(!shown.contains("CANARYTHREE"), "{shown}");
    }
}
