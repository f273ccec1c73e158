//! `muslin attack`.

use std::path::Path;

use serde_json::Value;

use super::{command, folder_with, muslin, seen, with_demo};

fn attack(folder: &Path, args: &[&str]) -> String {
    seen(&muslin(folder, &[&["attack"], args].concat()))
}

const RELEASE: &[u8] =
    b"age,town,illness\n30,A,flu\n30,A,flu\n50,B,gout\n50,B,flu\n*,A,gout\n*,A,flu\n";
const PEOPLE: &[u8] = b"name,age,town\nAnn,30,A\nBob,50,B\nEve,64,A\n";
const OTHER: &[u8] =
    b"age,town,illness\n30,*,flu\n30,*,flu\n50,*,gout\n50,*,gout\n64,A,gout\n64,A,flu\n";

#[test]
fn a_release_is_attacked_alone_and_with_other_files() {
    let folder = folder_with(&[("r.csv", RELEASE), ("p.csv", PEOPLE), ("o.csv", OTHER)]);
    let alone = ["r.csv", "--qi", "age,town", "--sensitive", "illness", "-k", "2"];
    insta::assert_snapshot!("alone", attack(folder.path(), &alone));
    let more = [&alone[..], &["--aux", "p.csv", "--previous", "o.csv"]].concat();
    insta::assert_snapshot!("with_people", attack(folder.path(), &more));
    let fine = ["r.csv", "--qi", "age,town", "--only", "row-order,dependencies"];
    insta::assert_snapshot!("fine", attack(folder.path(), &fine));
}

#[test]
fn the_original_judges_and_the_text_fits() {
    let folder = with_demo("400", "h.csv");
    let quasi = "age,sex,marital_status,education";
    let roles = ["--role", "patient_id=identifier", "--role", "name=identifier"];
    let made = [&["suppress", "h.csv", "-k", "3", "--qi", quasi][..], &roles].concat();
    let orders = ["--row-order", "seeded", "--seed", "9", "-o", "r.csv"];
    let made = muslin(folder.path(), &[&made[..], &orders].concat());
    assert!(made.status.success(), "{}", seen(&made));
    let args = ["attack", "r.csv", "--original", "h.csv", "--qi", quasi, "-k", "3"];
    let more = ["--sensitive", "diagnosis", "--seeds", "20"];
    let args = [&args[..], &more].concat();
    for columns in ["60", "80"] {
        let output = command(folder.path(), &args).env("COLUMNS", columns).output().unwrap();
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let width: usize = columns.parse().unwrap();
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width, "{longest} of {width}\n{text}");
        insta::assert_snapshot!(format!("columns_{columns}"), seen(&output));
    }
}

#[test]
fn the_report_is_json() {
    let folder = folder_with(&[("r.csv", RELEASE)]);
    let args = ["attack", "r.csv", "--qi", "age,town", "-k", "2", "--json", "--max-advantage", "1"];
    let output = muslin(folder.path(), &args);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["command"], "attack");
    let met = report["met"].as_bool().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(!met)));
    insta::assert_snapshot!(seen(&output));
}

#[test]
fn what_goes_wrong_has_a_way_out() {
    let folder = folder_with(&[("r.csv", RELEASE), ("o.csv", b"age,town,illness\n7,A,flu\n")]);
    let wrong = [
        &["r.csv", "--only", "magic"][..],
        &["r.csv", "-k", "1"],
        &["r.csv", "--max-advantage", "2"],
        &["r.csv", "--sensitive", "ilness"],
        &["r.csv", "--qi", "age,height"],
        &["r.csv", "--original", "o.csv"],
        &["r.csv", "--missing", "wildcard"],
        &["-", "--aux", "-"],
        &["."],
    ];
    let shown = |args: &&[&str]| {
        format!("$ muslin attack {}\n{}\n", args.join(" "), attack(folder.path(), args))
    };
    let all: String = wrong.iter().map(shown).collect();
    insta::assert_snapshot!("wrong", all);
}
