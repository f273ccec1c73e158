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

#[test]
fn many_slices_have_no_false_figures() {
    // 300 columns of 12 values each, and one bucket: 12 to the power of 300 combinations and more.
    let names: Vec<String> = (0..300).map(|column| format!("c{column}")).collect();
    let mut file = format!("{},s\n", names.join(","));
    for row in 0..60u64 {
        for column in 0..300 {
            let drawn = (row * 7_919 + column * 104_729 + row * column * 31) % 97;
            let value = if drawn < 60 { 0 } else { drawn % 12 };
            write!(file, "{value},").unwrap();
        }
        writeln!(file, "{}", row % 2).unwrap();
    }
    let folder = folder_with(&[("wide.csv", file.as_bytes())]);
    let slices = format!("{}|s", names.join("|"));
    let args = ["slice", "wide.csv", "--sensitive", "s", "-l", "2", "--one-attempt", "--slices"];
    let args = [&args[..], &[&slices]].concat();
    let text = seen(&muslin(folder.path(), &args));
    assert!(text.contains("more than 1e308") && !text.contains("inf\n"), "{text}");
    let output = muslin(folder.path(), &[&args[..], &["--json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let membership = &report["membership"];
    assert!(membership["fakes"].is_null() && membership["draws"].is_u64(), "{membership}");
    assert!(membership["multiplicity_auc"].as_f64().unwrap() > 0.9, "{membership}");
}

#[test]
fn the_sensitive_column_may_have_its_role() {
    let policy = b"schema = 1\n[columns.Disease]\nrole = \"sensitive\"\n";
    let folder = folder_with(&[("t.csv", TABLE_A), ("p.toml", policy)]);
    for command in ["slice", "bucketize"] {
        let of =
            |args: &[&str]| seen(&muslin(folder.path(), &[&[command, "t.csv"], args].concat()));
        let by_role = of(&["-p", "p.toml", "-l", "2"]);
        assert_eq!(by_role, of(&["-l", "2", "--sensitive", "Disease"]), "{command}");
        assert!(by_role.contains("2-diverse in `Disease`"), "{by_role}");
        let none = of(&["-l", "2"]);
        assert!(none.starts_with("exit 2") && none.contains("--sensitive NAME"), "{none}");
        let several = of(&["-p", "p.toml", "-l", "2", "--role", "Age=sensitive"]);
        assert!(several.starts_with("exit 2") && several.contains("(Age, Disease)"), "{several}");
        let not_read = of(&["-l", "2", "--sensitive", "Disease", "--columns", "Age,Sex"]);
        assert!(not_read.starts_with("exit 2") && not_read.contains("was not read"), "{not_read}");
    }
}

#[test]
fn names_with_commas_and_bars_are_quoted() {
    let table = b"\"a,b\",c|d,\"say \"\"so\"\"\",it's\n1,1,1,x\n1,2,1,y\n2,1,2,x\n2,2,2,y\n";
    let folder = folder_with(&[("t.csv", table)]);
    let given = "\"a,b\",say \"so\"|\"c|d\"|it's";
    let args = ["t.csv", "--sensitive", "it's", "-l", "2", "-o", "r.csv", "--slices", given];
    let text = slice(folder.path(), &args);
    assert!(text.contains("4 columns") && text.contains("3 slices"), "{text}");
    // What is printed for `diff`, as a shell reads it.
    let line = text.lines().find(|line| line.contains("muslin diff")).unwrap();
    let (_, printed) = line.split_once("--slices '").unwrap();
    assert_eq!(printed, format!("{}'", given.replace('\'', "'\\''")));
    let args = ["diff", "t.csv", "r.csv", "--slices", given, "--qi", "\"a,b\",c|d"];
    let output = muslin(folder.path(), &args);
    assert!(output.status.success(), "{}", seen(&output));
    let few = ["scan", "t.csv", "--columns", "\"a,b\", c|d"];
    assert!(seen(&muslin(folder.path(), &few)).contains("2 columns"));
    let few = ["scan", "t.csv", "--exclude", "\"a,b\"", "--exclude", "it's"];
    assert!(seen(&muslin(folder.path(), &few)).contains("2 columns"));
    let wrong = seen(&muslin(folder.path(), &["scan", "t.csv", "--columns", "it's,,c|d"]));
    assert!(wrong.starts_with("exit 2") && wrong.contains("double quotes"), "{wrong}");
}

#[test]
fn slices_that_add_nothing_are_told() {
    let folder = folder_with(&[("t.csv", TABLE_A)]);
    let slices = "Age,Sex|Zipcode,Disease|Sex|Age,Sex";
    let text = slice(folder.path(), &[&BASE[..], &["--slices", slices]].concat());
    assert!(text.contains("slice 3 lies within slice 1"), "{text}");
    assert!(text.contains("slice 4 repeats slice 1"), "{text}");
    assert!(!text.contains("slice 1 repeats"), "{text}");
}

#[test]
fn one_of_a_thing_is_no_plural() {
    let folder = folder_with(&[("t.csv", b"a,s\n1,x\n1,y\n" as &[u8]), ("one.csv", b"a\n1\n")]);
    let args = ["t.csv", "--sensitive", "s", "-l", "2", "--slices", "a|s"];
    let text = slice(folder.path(), &args);
    assert!(text.contains("2 slices in 1 bucket of 2 rows"), "{text}");
    let text = seen(&muslin(folder.path(), &["bucketize", "t.csv", "--sensitive", "s", "-l", "2"]));
    assert!(text.contains("\n1 bucket of 2 rows"), "{text}");
    let text = seen(&muslin(folder.path(), &["scan", "one.csv"]));
    assert!(text.contains("one.csv: 1 row, 1 column (csv)"), "{text}");
}
