//! `muslin verify`.

use std::path::Path;

use serde_json::Value;

use super::{folder_with, muslin, seen};

fn verify(folder: &Path, args: &[&str]) -> String {
    seen(&muslin(folder, &[&["verify"], args].concat()))
}

const ORIGINAL: &[u8] = b"age,sex,zip,illness\n22,M,47906,dyspepsia\n22,F,47906,flu\n33,F,47905,flu
52,F,47905,bronchitis\n54,M,47302,flu\n60,M,47302,dyspepsia\n60,M,47304,dyspepsia\n64,F,47304,gastritis\n";

const GENERALIZED: &[u8] = b"age,sex,zip,illness\n[22-52],*,4790*,dyspepsia\n[22-52],*,4790*,flu
[54-64],*,4730*,flu\n[54-64],*,4730*,dyspepsia\n[22-52],*,4790*,flu\n[22-52],*,4790*,bronchitis
[54-64],*,4730*,gastritis\n[54-64],*,4730*,dyspepsia\n";

#[test]
fn a_release_of_another_tool_is_judged() {
    let folder = folder_with(&[("o.csv", ORIGINAL), ("r.csv", GENERALIZED)]);
    let quasi = ["r.csv", "--qi", "age,sex,zip", "-k", "4", "--token", "*"];
    let met = [&quasi[..], &["--diversity", "illness=2", "--original", "o.csv"]].concat();
    insta::assert_snapshot!("met", verify(folder.path(), &met));
    let bold = [&quasi[..], &["--diversity", "illness=3", "--closeness", "illness=0.1"]].concat();
    insta::assert_snapshot!("not_met", verify(folder.path(), &bold));
}

#[test]
fn the_claims_of_a_report_are_checked() {
    let folder = folder_with(&[("o.csv", ORIGINAL)]);
    let made = muslin(
        folder.path(),
        &[
            "generalize",
            "o.csv",
            "-k",
            "2",
            "--qi",
            "age,zip",
            "--diversity",
            "illness=2",
            "-o",
            "r.csv",
            "--json",
        ],
    );
    std::fs::write(folder.path().join("report.json"), &made.stdout).unwrap();
    let args =
        ["r.csv", "--claims", "report.json", "--original", "o.csv", "--json", "--allow-findings"];
    let output = muslin(folder.path(), &[&["verify"], &args[..]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((report["met"].as_bool(), output.status.code()), (Some(true), Some(0)));
    let checks: Vec<&str> =
        report["checks"].as_array().unwrap().iter().map(|c| c["claim"].as_str().unwrap()).collect();
    assert_eq!(
        checks,
        [
            "2-anonymity",
            "probabilistic 2-diversity of `illness`",
            "rows",
            "columns",
            "truthful",
            "hygiene: bytes",
            "hygiene: index"
        ]
    );

    // A row that is nobody's, and one that is lost.
    let text = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    let (kept, last) = text.trim_end().rsplit_once('\n').unwrap();
    std::fs::write(folder.path().join("r.csv"), kept).unwrap();
    let lost = verify(folder.path(), &args[..5]);
    assert!(
        lost.starts_with("exit 1\n") && lost.contains("7 rows, and 8 were published"),
        "{lost}"
    );
    // Rows are shuffled, so the last may have any of them.
    let false_row = ["flu", "dyspepsia", "gastritis", "bronchitis"]
        .iter()
        .fold(last.to_owned(), |row, illness| row.replace(illness, "gout"));
    std::fs::write(folder.path().join("r.csv"), format!("{kept}\n{false_row}\n")).unwrap();
    let untrue = verify(folder.path(), &args[..5]);
    assert!(
        untrue.contains("exit 1\n") && untrue.contains("1 cell of column `illness`"),
        "{untrue}"
    );
    assert!(!untrue.contains("gout"), "{untrue}");
}

#[test]
fn a_certificate_is_checked() {
    let folder = folder_with(&[("o.csv", ORIGINAL)]);
    let quasi = ["--qi", "age,sex,zip", "-k", "2"];
    let files = ["-o", "r.csv", "--order", "sorted", "--certificate", "proof.csv", "--json"];
    let made = muslin(folder.path(), &[&["suppress", "o.csv"], &quasi[..], &files].concat());
    std::fs::write(folder.path().join("report.json"), &made.stdout).unwrap();
    let original = ["r.csv", "--original", "o.csv", "--certificate", "proof.csv"];
    let alone = [&original[..], &quasi].concat();
    insta::assert_snapshot!("certificate", verify(folder.path(), &alone));
    let claimed = [&original[..], &["--claims", "report.json", "--json"]].concat();
    insta::assert_snapshot!("certificate_json", verify(folder.path(), &claimed));

    let proof = std::fs::read_to_string(folder.path().join("proof.csv")).unwrap();
    let larger = |line: &str| match line.split_once(',') {
        Some((row, multiplier)) if row != "row" => {
            format!("{row},{}\n", multiplier.parse::<u64>().unwrap() * 10)
        }
        _ => format!("{line}\n"),
    };
    let larger: String = proof.lines().map(larger).collect();
    std::fs::write(folder.path().join("proof.csv"), larger).unwrap();
    let changed = [&original[..], &["--claims", "report.json"]].concat();
    insta::assert_snapshot!("certificate_changed", verify(folder.path(), &changed));
    let wrong = [
        &["r.csv", "-k", "2", "--certificate", "proof.csv"][..],
        &["r.csv", "--original", "o.csv", "--certificate", "proof.csv"],
        &["r.csv", "--original", "o.csv", "--certificate", "o.csv", "-k", "2"],
        &[&alone[..], &["--weight", "illness=2"]].concat(),
    ];
    let all: String = wrong.iter().map(|args| verify(folder.path(), args) + "\n").collect();
    insta::assert_snapshot!("certificate_wrong", all);
}

#[test]
fn what_goes_wrong_has_a_way_out() {
    let folder = folder_with(&[("r.csv", GENERALIZED), ("odd.json", b"{\"claims\": 3}")]);
    let wrong = [
        &["r.csv"][..],
        &["r.csv", "--claims", "odd.json"],
        &["r.csv", "--claims", "absent.json"],
        &["r.csv", "-k", "2", "--qi", "age,height"],
        &[".", "-k", "2"],
    ];
    let shown = |args: &&[&str]| {
        format!("$ muslin verify {}\n{}\n", args.join(" "), verify(folder.path(), args))
    };
    let all: String = wrong.iter().map(shown).collect();
    insta::assert_snapshot!("wrong", all);
}

/// Two ways to write labels, and a form that nothing knows.
#[test]
fn labels_of_other_tools_are_read_or_said_not_to_be_understood() {
    let original =
        b"age,birth,s\n41,1980-05-01,x\n47,1980-05-20,y\n72,1990-01-05,x\n85,1990-11-11,y\n";
    let other = b"age,birth,s\n40-49,1980-05,x\n40-49,1980-05,y\n70+,1990,x\n70+,1990,y\n";
    let odd = b"age,birth,s\n40 bis unter 50,1980-05,x\n40 bis unter 50,1980-05,y\n70+,1990,x\n70+,1990,y\n";
    let lie = b"age,birth,s\n50-59,1980-05,x\n40-49,1980-05,y\n70+,1990,x\n70+,1990,y\n";
    let folder =
        folder_with(&[("o.csv", original), ("r.csv", other), ("odd.csv", odd), ("lie.csv", lie)]);
    let truthful = |release: &str, more: &[&str]| {
        let args = [
            "verify",
            "--allow-findings",
            release,
            "--original",
            "o.csv",
            "--sensitive",
            "s",
            "--json",
        ];
        let output = muslin(folder.path(), &[&args[..], more].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|check| check["claim"] == "truthful").unwrap().clone()
    };
    let found = truthful("r.csv", &[]);
    assert_eq!((&found["met"], &found["decided"]), (&true.into(), &true.into()), "{found}");
    let found = truthful("odd.csv", &[]);
    assert_eq!((&found["met"], &found["decided"]), (&false.into(), &false.into()), "{found}");
    let reason = found["reason"].as_str().unwrap();
    assert!(reason.contains("2 cells of column `age` that are not understood"), "{reason}");
    assert!(reason.contains("--label-format"), "{reason}");
    let form = ["--label-format", "age={low} bis unter {below}"];
    let found = truthful("odd.csv", &form);
    assert_eq!((&found["met"], &found["decided"]), (&true.into(), &true.into()), "{found}");
    let found = truthful("lie.csv", &[]);
    assert_eq!((&found["met"], &found["decided"]), (&false.into(), &true.into()), "{found}");
    // What is lost is the same however labels are written.
    let lost = |release: &str, more: &[&str]| {
        let args = ["diff", "o.csv", release, "--sensitive", "s", "--json"];
        let output = muslin(folder.path(), &[&args[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["loss"].clone()
    };
    assert_eq!(lost("r.csv", &[]), lost("odd.csv", &form));
    let args = ["diff", "o.csv", "odd.csv", "--sensitive", "s"];
    let output = muslin(folder.path(), &args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("not understood") && said.contains("--label-format 'age="), "{said}");
    let wrong = [
        "verify",
        "--allow-findings",
        "odd.csv",
        "--original",
        "o.csv",
        "--label-format",
        "age={low}{high}",
    ];
    assert_eq!(muslin(folder.path(), &wrong).status.code(), Some(2));
}

#[test]
fn a_combination_of_a_column_that_no_table_has_is_an_error() {
    let table = b"c0,c2,s\na,x,1\na,y,2\nb,x,1\nb,y,2\n";
    let policy = "schema = 1\n[columns.c0]\nrole = 'quasi-identifier'\n[columns.c2]\nrole = 'other'\n[columns.s]\nrole = 'sensitive'\n[release]\nk = 2\n[[release.combination]]\ncolumns = ['c0', 'c2']\nk = 2\n";
    let wrong = policy.replace("['c0', 'c2']", "['c0', 'c_2']");
    let folder = folder_with(&[
        ("t.csv", table),
        ("right.toml", policy.as_bytes()),
        ("wrong.toml", wrong.as_bytes()),
    ]);
    let verified = |policy: &str| {
        let args = ["verify", "t.csv", "-p", policy, "--no-attacks", "--original", "t.csv"];
        let output = muslin(folder.path(), &args);
        (output.status.code(), seen(&output))
    };
    let (code, said) = verified("right.toml");
    assert!(code == Some(1) && said.contains("Failed"), "{said}");
    let (code, said) = verified("wrong.toml");
    assert!(code == Some(2) && said.contains("there is no column `c_2`"), "{said}");
}
