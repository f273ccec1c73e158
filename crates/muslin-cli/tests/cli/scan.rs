//! `muslin scan`: what it says first and last.

use super::{PEOPLE, command, folder_with, muslin, seen, with_demo};

#[test]
fn a_scan_ends_with_the_next_command() {
    let folder = folder_with(&[("my people.csv", PEOPLE)]);
    let output =
        muslin(folder.path(), &["scan", "my people.csv", "--null", "", "--delimiter", ","]);
    let text = String::from_utf8(output.stdout).unwrap();
    let last = "next: muslin init 'my people.csv' --preset ihsn-5 --null '' --delimiter ,";
    assert_eq!(text.lines().last(), Some(last), "{text}");
}

#[test]
fn a_budget_is_said_to_be_used_up() {
    let folder = with_demo("500", "h.csv");
    let args = ["scan", "h.csv", "--null", "", "--budget", "0s"];
    let output = command(folder.path(), &args).env("COLUMNS", "80").output().unwrap();
    insta::assert_snapshot!(seen(&output));
}

#[test]
fn a_scan_says_what_matters_first() {
    let folder = with_demo("500", "h.csv");
    let args = ["scan", "h.csv", "--null", "", "--qi", "age,sex,town,postcode", "-k", "3"];
    let output = command(folder.path(), &args).env("COLUMNS", "60").output().unwrap();
    insta::assert_snapshot!(seen(&output));
}
