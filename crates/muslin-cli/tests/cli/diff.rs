//! `muslin diff`.

use std::path::Path;

use serde_json::Value;

use super::{command, folder_with, muslin, seen};

fn diff(folder: &Path, args: &[&str]) -> String {
    seen(&muslin(folder, &[&["diff"], args].concat()))
}

const ORIGINAL: &[u8] = b"age,sex,zip,illness\n22,M,47906,dyspepsia\n22,F,47906,flu\n33,F,47905,flu
52,F,47905,bronchitis\n54,M,47302,flu\n60,M,47302,dyspepsia\n60,M,47304,dyspepsia\n64,F,47304,gastritis\n";

const GENERALIZED: &[u8] = b"age,sex,zip,illness\n[22-52],*,4790*,dyspepsia\n[22-52],*,4790*,flu
[22-52],*,4790*,flu\n[22-52],*,4790*,bronchitis\n[54-64],*,4730*,flu\n[54-64],*,4730*,dyspepsia
[54-64],*,4730*,dyspepsia\n";

const SLICED: &[u8] = b"age,sex,zip,illness,bucket\n22,F,47906,dyspepsia,1\n22,M,47905,flu,1
33,F,47906,flu,1\n52,F,47905,bronchitis,1\n54,M,47304,gastritis,2\n60,M,47302,flu,2
60,M,47302,dyspepsia,2\n64,F,47304,dyspepsia,2\n";

#[test]
fn the_report_names_each_measure() {
    let folder = folder_with(&[("o.csv", ORIGINAL), ("r.csv", GENERALIZED)]);
    let args = ["o.csv", "r.csv", "--sensitive", "illness", "-k", "3"];
    insta::assert_snapshot!("generalized", diff(folder.path(), &args));
    // On a terminal of the usual width nothing is wider.
    for width in ["80", "60"] {
        let args = [&["diff"], &args[..]].concat();
        let output = command(folder.path(), &args).env("COLUMNS", width).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let width: usize = width.parse().unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
    }
}

#[test]
fn slices_are_given_or_guessed() {
    let folder = folder_with(&[("o.csv", ORIGINAL), ("r.csv", SLICED)]);
    let args = ["o.csv", "r.csv", "--sensitive", "illness", "--slices", "age,sex|zip,illness"];
    insta::assert_snapshot!("sliced", diff(folder.path(), &args));
    let guessed = diff(folder.path(), &args[..4]);
    assert!(guessed.contains("numbers buckets"), "{guessed}");
    let overlapping = ["o.csv", "r.csv", "--slices", "age,sex|sex,illness"];
    insta::assert_snapshot!("overlapping", diff(folder.path(), &overlapping));
}

#[test]
fn the_report_is_json() {
    let folder = folder_with(&[("o.csv", ORIGINAL), ("r.csv", GENERALIZED)]);
    let args = ["o.csv", "r.csv", "--qi", "age,zip", "--sensitive", "illness", "--json"];
    insta::assert_snapshot!("json", diff(folder.path(), &args));
    let output = muslin(folder.path(), &[&["diff"], &args[..], &["--show-values"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["marginals"][1]["bins"][0]["label"], "F");
}

#[test]
fn plots_are_written_into_a_folder() {
    let folder = folder_with(&[("o.csv", ORIGINAL), ("r.csv", GENERALIZED)]);
    let output = muslin(folder.path(), &["diff", "o.csv", "r.csv", "--plots", "plots"]);
    assert!(output.status.success(), "{}", seen(&output));
    let mut names: Vec<String> = std::fs::read_dir(folder.path().join("plots"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let marginals = ["001-age", "002-sex", "003-zip", "004-illness"];
    let marginals = marginals.map(|name| format!("marginal-{name}.svg"));
    assert_eq!(names[..2], ["association.svg", "loss.svg"]);
    assert_eq!(names[2..], marginals);
    let plot =
        |name: &str| std::fs::read_to_string(folder.path().join("plots").join(name)).unwrap();
    let association = plot("association.svg");
    assert!(association.contains(">stronger<") && association.contains("square root"));
    assert!(!association.contains("class=\"line\""));
    let (before, after) = association.split_once("\"><title>age and sex, before: ").unwrap();
    let number = |text: &str| text.parse::<f64>().unwrap();
    let shade = number(before.rsplit_once('"').unwrap().1);
    let strength = number(after.split_once('<').unwrap().0);
    assert!(strength < 0.9 && (shade - strength.sqrt()).abs() < 1e-2, "{shade} for {strength}");
    assert!(plot("marginal-002-sex.svg").contains(">20 %<"));
    let nowhere = muslin(folder.path(), &["diff", "o.csv", "r.csv", "--plots", "no/such/folder"]);
    assert_eq!(nowhere.status.code(), Some(6), "{}", seen(&nowhere));
}

#[test]
fn labels_that_say_nothing_are_refused() {
    let release = b"age,sex\nyoung,M\nyoung,F\n";
    let folder = folder_with(&[("o.csv", ORIGINAL), ("r.csv", release)]);
    insta::assert_snapshot!("unknown_labels", diff(folder.path(), &["o.csv", "r.csv"]));
}

#[test]
fn several_releases_and_folders_stand_in_one_table() {
    let policy = b"schema = 1\n[columns]\nage.role = 'quasi-identifier'\nsex.role = 'quasi-identifier'\nzip.role = 'quasi-identifier'\nillness.role = 'sensitive'\n[release]\nk = 2\norder = 'sorted'\naccept = ['disambiguation']\n[protect]\nmethods = ['suppress']\n";
    let folder = folder_with(&[("o.csv", ORIGINAL), ("r.csv", GENERALIZED), ("p.toml", policy)]);
    let made = muslin(
        folder.path(),
        &["protect", "--allow-findings", "o.csv", "-p", "p.toml", "-o", "release"],
    );
    assert!(made.status.success(), "{}", seen(&made));
    let args = ["o.csv", "r.csv", "release", "--sensitive", "illness"];
    insta::assert_snapshot!("several", diff(folder.path(), &args));
    for width in ["80", "60"] {
        let args = [&["diff"], &args[..]].concat();
        let output = command(folder.path(), &args).env("COLUMNS", width).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let width: usize = width.parse().unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
    }
    let output = muslin(folder.path(), &[&["diff"], &args[..], &["--json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let files = report["releases"].as_array().unwrap().iter().map(|own| &own["release"]["file"]);
    let files: Vec<&str> = files.map(|file| file.as_str().unwrap()).collect();
    assert_eq!(files, ["r.csv", "release/data.csv"]);
    let plots = [&["diff"], &args[..], &["--plots", "plots"]].concat();
    let refused = seen(&muslin(folder.path(), &plots));
    assert!(refused.starts_with("exit 2") && refused.contains("name one release"), "{refused}");
}
