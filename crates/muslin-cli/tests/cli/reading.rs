//! How originals and releases are read and written.

use std::path::Path;

use serde_json::Value;

use super::{folder_with, muslin, seen};

/// The exit code, and what was printed.
fn end(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = muslin(folder, args);
    (output.status.code(), seen(&output))
}

fn text(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

const CODES: &[u8] =
    b"icd9,big,zero,n\n250.10,1E5,-0,1\n250.10,1E5,-0,1\n250.20,100,0,2\n250.20,100,0,2\n";

#[test]
fn every_command_publishes_numbers_in_the_spelling_in_which_they_were_read() {
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    for args in [
        &["suppress", "codes.csv", "-k", "2"][..],
        &["generalize", "codes.csv", "-k", "2"],
        &["mask", "codes.csv", "--measure", "distinct", "--beta", "1"],
    ] {
        let folder = folder_with(&[("codes.csv", CODES)]);
        let (code, said) = end(folder.path(), &[args, &["-o", "release.csv"]].concat());
        assert_eq!(code, Some(0), "{said}");
        let release = text(folder.path(), "release.csv");
        assert_eq!(sorted(&release), sorted(std::str::from_utf8(CODES).unwrap()), "{args:?}");
    }
}

#[test]
fn two_spellings_of_a_number_are_two_values() {
    let folder = folder_with(&[("z.csv", b"a,b\n0.0,1\n-0.0,1\n1.5,2\n")]);
    let output = muslin(folder.path(), &["scan", "z.csv", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["columns"][0]["distinct"], 3);
    assert_eq!(report["columns"][0]["type"], "text");
}

#[test]
fn a_type_that_is_asked_for_may_respell_values_and_says_so() {
    let folder = folder_with(&[("p.csv", b"a,b\n1.50,1\n1.5,1\n")]);
    let said = end(folder.path(), &["scan", "p.csv"]).1;
    assert!(said.contains("`--type a=number`"), "{said}");
    let said = end(folder.path(), &["scan", "p.csv", "--type", "a=number"]).1;
    assert!(said.contains("published in another spelling"), "{said}");
}

/// As a small office has it: Latin-1, semicolons, decimal commas, days before months.
fn survey() -> Vec<u8> {
    let mut text = String::from("Geburtsdatum;Größe;Ort;Befund\n");
    for row in 0..40 {
        let town = ["Köln", "Fürth"][row % 2];
        let finding = ["ja", "nein", "k.A."][row % 3];
        text += &format!(
            "{:02}.{:02}.19{};1,{};{town};{finding}\n",
            1 + row / 2 % 28,
            1 + row / 4 % 12,
            50 + row / 8,
            50 + row % 4 * 10
        );
    }
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

const SURVEY: &[u8] = b"schema = 1
[input]
encoding = \"latin-1\"
[columns.Geburtsdatum]
role = \"quasi-identifier\"
[columns.Ort]
role = \"quasi-identifier\"
[columns.\"Gr\xc3\xb6\xc3\x9fe\"]
role = \"other\"
[columns.Befund]
role = \"other\"
[release]
k = 4
accept = [\"downcoding\"]
[protect]
methods = [\"generalize\"]
";

#[test]
fn a_latin_1_office_goes_from_its_file_to_a_judged_release_in_its_own_dialect() {
    let folder = folder_with(&[("umfrage.csv", &survey()), ("muslin.toml", SURVEY)]);
    let at = folder.path();
    let (code, said) = end(
        at,
        &["protect", "--allow-findings", "umfrage.csv", "-p", "muslin.toml", "-o", "release"],
    );
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("`;` between fields, decimal commas, latin-1"), "{said}");
    let bytes = std::fs::read(at.join("release/data.csv")).unwrap();
    let data: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    assert!(data.starts_with("Geburtsdatum;Größe;Ort;Befund\n"), "{data}");
    assert!(data.contains(";1,50;") && data.contains("Köln"), "{data}");
    // Days are generalized as days, in the format of the file.
    let label = data.lines().nth(1).unwrap().split(';').next().unwrap().to_owned();
    let is_range = label.starts_with('[') && label.contains(" to ") && label.contains(".19");
    assert!(is_range || label.len() == 10, "{label}");
    let manifest: Value = serde_json::from_str(&text(at, "release/manifest.json")).unwrap();
    assert_eq!(manifest["dialect"]["delimiter"], ";");
    assert_eq!(manifest["dialect"]["encoding"], "latin-1");
    assert_eq!(manifest["dialect"]["decimal_comma"], true);

    let original = ["--original", "umfrage.csv", "-p", "muslin.toml"];
    let (code, said) =
        end(at, &[&["verify", "--allow-findings", "release"][..], &original].concat());
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = end(
        at,
        &[&["verify", "--allow-findings", "release/data.csv", "-k", "4"][..], &original].concat(),
    );
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = end(at, &[&["attack", "release"][..], &original].concat());
    assert!(code.is_some_and(|code| code < 2), "{said}");
    let (code, said) = end(at, &["diff", "umfrage.csv", "release", "-p", "muslin.toml"]);
    assert_eq!(code, Some(0), "{said}");
    let report =
        ["report", "umfrage.csv", "--release", "release", "-p", "muslin.toml", "-o", "r.md"];
    let (code, said) = end(at, &report);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn a_policy_asks_for_another_dialect_of_the_release() {
    let asked = "[release]\nencoding = \"utf-8\"\ndelimiter = \"|\"\ndecimal_comma = false\nk = 4";
    let policy = std::str::from_utf8(SURVEY).unwrap().replace("[release]\nk = 4", asked);
    let folder = folder_with(&[("umfrage.csv", &survey()), ("muslin.toml", policy.as_bytes())]);
    let at = folder.path();
    let (code, said) = end(
        at,
        &["protect", "--allow-findings", "umfrage.csv", "-p", "muslin.toml", "-o", "release"],
    );
    assert_eq!(code, Some(0), "{said}");
    let data = text(at, "release/data.csv");
    assert!(
        data.starts_with("Geburtsdatum|Größe|Ort|Befund\n") && data.contains("|1.50|"),
        "{data}"
    );
    let args =
        ["verify", "--allow-findings", "release", "--original", "umfrage.csv", "-p", "muslin.toml"];
    let (code, said) = end(at, &args);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn flags_and_policies_say_how_the_original_is_read() {
    // Names that look like numbers: no header is found out.
    let people = b"zip,7\n1,5\n1,5\n2,6\n2,6\n";
    let policy = b"schema = 1\n[input]\nheader = true\n[release]\nk = 2\naccept = [\"downcoding\"]\n[columns.zip]\nrole = \"quasi-identifier\"\n[columns.7]\nrole = \"other\"\n";
    let folder = folder_with(&[("people.csv", people), ("p.toml", policy)]);
    let at = folder.path();
    let (code, said) =
        end(at, &["protect", "--allow-findings", "people.csv", "-p", "p.toml", "-o", "rel"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) =
        end(at, &["verify", "--allow-findings", "rel", "-p", "p.toml", "--original", "people.csv"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = end(
        at,
        &["verify", "--allow-findings", "rel", "--header", "yes", "--original", "people.csv"],
    );
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn columns_may_be_named_that_one_of_both_tables_has() {
    let folder = folder_with(&[
        ("o.csv", b"age,sex,dis\n1,f,x\n1,f,y\n2,m,x\n2,m,y\n"),
        ("r.csv", b"age,sex,dis,bucket\n1,f,x,0\n1,f,y,0\n2,m,x,1\n2,m,y,1\n"),
    ]);
    let args = [
        "verify",
        "--allow-findings",
        "r.csv",
        "--original",
        "o.csv",
        "-k",
        "2",
        "--qi",
        "age,sex",
    ];
    let columns = ["--columns", "age,sex,bucket"];
    let (code, said) = end(folder.path(), &[&args[..], &columns].concat());
    assert!(code.is_some_and(|code| code < 2), "{said}");
    let columns = ["--columns", "age,sex,nothing"];
    let (code, said) = end(folder.path(), &[&args[..], &columns].concat());
    assert!(code != Some(0) && said.contains("there is no column `nothing`"), "{said}");
}

#[test]
fn a_release_that_is_not_utf_8_has_a_flag_of_its_own() {
    let folder = folder_with(&[
        ("o.csv", "a,b\nä,1\nä,1\n".as_bytes()),
        ("r.csv", b"a,b\n\xe4,1\n\xe4,1\n"),
    ]);
    let at = folder.path();
    let (code, said) =
        end(at, &["verify", "--allow-findings", "r.csv", "--original", "o.csv", "-k", "2"]);
    assert!(code == Some(3) && said.contains("`--release-encoding windows-1252`"), "{said}");
    let flag = ["--release-encoding", "latin-1"];
    let (code, said) = end(
        at,
        &[&["verify", "--allow-findings", "r.csv", "--original", "o.csv", "-k", "2"][..], &flag]
            .concat(),
    );
    assert_eq!(code, Some(0), "{said}");
    // Alone, the release is what plain flags describe.
    let (code, said) =
        end(at, &["verify", "--allow-findings", "r.csv", "-k", "2", "--encoding", "latin-1"]);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn labels_with_other_delimiters_do_not_mislead_whoever_reads_the_release() {
    let release = b"sex,a.b,\"k|l\",income,weight\n*,,,2.25,\"{\"\"a:2,b:1\"\", k, k|l, l}\"\n*,,,2.5,\"{k, k|l}\"\n";
    let folder = folder_with(&[("g.csv", release)]);
    let output = muslin(folder.path(), &["scan", "g.csv", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["columns"].as_array().unwrap().len(), 5);
}

#[test]
fn dates_that_allow_two_readings_need_a_format() {
    let folder = folder_with(&[("b.csv", b"birth,n\n02/03/1999,1\n04/05/2000,2\n")]);
    let at = folder.path();
    let said = end(at, &["scan", "b.csv"]).1;
    assert!(said.contains("--date-format birth=%m/%d/%Y"), "{said}");
    let (code, said) = end(at, &["scan", "b.csv", "--type", "birth=date"]);
    assert_eq!(code, Some(3));
    assert!(
        said.contains("b.csv, line 2, column `birth`: `--type birth=date` expects YYYY-MM-DD"),
        "{said}"
    );
    let output = muslin(at, &["scan", "b.csv", "--date-format", "birth=%m/%d/%Y", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["columns"][0]["type"], "date");
    let (code, said) = end(at, &["scan", "b.csv", "--date-format", "birth=%d.%m"]);
    assert!(code == Some(2) && said.contains("%d, %m and %Y"), "{said}");
}

#[test]
fn codes_are_suggested_and_are_no_numbers() {
    let mut people = String::from("relat,age,hours\n");
    for row in 0..200 {
        people += &format!("{},{},{}\n", 1 + row % 8, 20 + row % 9, 30 + row % 10);
    }
    let folder = folder_with(&[("people.csv", people.as_bytes())]);
    let said = end(folder.path(), &["scan", "people.csv", "--budget", "0s"]).1;
    assert!(said.contains("codes? relat:") && said.contains("relat=category"), "{said}");
    assert!(!said.contains("age=category") && !said.contains("hours=category"));
    let read = ["--type", "relat=category", "--qi", "relat"];
    let args = ["suppress", "people.csv", "-k", "2", "-o", "r.csv"];
    let (code, said) = end(folder.path(), &[&args[..], &read].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(text(folder.path(), "r.csv").contains("\n8,"), "codes stay what they are");
}
