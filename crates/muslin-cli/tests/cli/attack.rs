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

/// The report of an attack, and its exit code.
fn told(folder: &Path, args: &[&str]) -> (Value, i32) {
    let output = muslin(folder, &[&["attack"], args, &["--json"]].concat());
    let report =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", seen(&output)));
    (report, output.status.code().unwrap())
}

fn of<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["attacks"].as_array().unwrap();
    all.iter().find(|own| own["name"] == name).unwrap_or_else(|| panic!("{name}: {report}"))
}

fn reason<'a>(report: &'a Value, name: &str) -> &'a str {
    let all = report["skipped"].as_array().unwrap();
    let own = all.iter().find(|own| own["name"] == name).unwrap_or_else(|| panic!("{report}"));
    own["reason"].as_str().unwrap()
}

#[test]
fn people_are_looked_up_by_numbers_as_numbers() {
    let release = b"income,sex,dis\n[5000-15000],F,hiv\n[5000-15000],M,flu\n[20000-90000],F,flu\n[20000-90000],M,cold\n";
    let files: [(&str, &[u8]); 4] = [
        ("r.csv", release),
        ("ann.csv", b"income,sex\n12000,F\n"),
        ("cid.csv", b"income,sex\n3000,F\n"),
        ("more.csv", b"income,sex,dis\n[1-12000],F,hiv\n[1-12000],F,cold\n[12001-99999],F,flu\n"),
    ];
    let folder = folder_with(&files);
    let linked = |people: &str| {
        let args = [
            "r.csv",
            "--aux",
            people,
            "--on",
            "income,sex",
            "--qi",
            "income,sex",
            "--sensitive",
            "dis",
            "--only",
            "linkage",
        ];
        let (report, exit) = told(folder.path(), &args);
        (of(&report, "linkage")["certain"].as_u64().unwrap(), exit)
    };
    assert_eq!((linked("ann.csv"), linked("cid.csv")), ((1, 1), (0, 0)));
    let args = [
        "r.csv",
        "--previous",
        "more.csv",
        "--aux",
        "ann.csv",
        "--qi",
        "income,sex",
        "--sensitive",
        "dis",
        "--only",
        "composition",
    ];
    let (report, exit) = told(folder.path(), &args);
    assert_eq!((of(&report, "composition")["certain"].as_u64(), exit), (Some(1), 1));
}

#[test]
fn sets_match_people_though_the_file_lacks_some_of_their_values() {
    let files: [(&str, &[u8]); 6] = [
        ("r.csv", b"town,age,dis\n\"{Aa, Bb}\",20,flu\nCc,20,flu\nCc,30,cold\n"),
        ("counts.csv", b"town,age,dis\n\"Aa:1,Bb:1\",20,flu\nCc,20,flu\nCc,30,cold\n"),
        ("ages.csv", b"town,age,dis\nAa,\"{20, 21}\",flu\nAa,\"{30, 31}\",cold\n"),
        ("ann.csv", b"town,age\nAa,20\n"),
        ("one.csv", b"town,dis\n\"{Aa, Bb}\",flu\n\"{Aa, Bb}\",cold\n"),
        ("two.csv", b"town,dis\n\"{Aa, Cc}\",flu\n\"{Aa, Cc}\",gout\n"),
    ];
    let folder = folder_with(&files);
    for release in ["r.csv", "counts.csv", "ages.csv"] {
        let args = [
            release, "--aux", "ann.csv", "--on", "town,age", "--qi", "town,age", "--only",
            "linkage",
        ];
        let (report, exit) = told(folder.path(), &args);
        assert_eq!((of(&report, "linkage")["certain"].as_u64(), exit), (Some(1), 1), "{release}");
    }
    let args = [
        "one.csv",
        "--previous",
        "two.csv",
        "--aux",
        "ann.csv",
        "--on",
        "town",
        "--qi",
        "town",
        "--sensitive",
        "dis",
        "--only",
        "composition",
    ];
    let (report, _) = told(folder.path(), &args);
    assert_eq!(of(&report, "composition")["certain"], 1, "the flu is possible in both alone");
}

/// People with a survey weight of each region. Some regions are published as sets.
fn weighted() -> (String, String) {
    let (mut release, mut original) =
        ("region,weight,n\n".to_owned(), "region,weight,n\n".to_owned());
    for row in 0..200 {
        let region = ["north", "south", "west"][row % 3];
        let weight = 10 + row % 6;
        original += &format!("{region},{weight},{row}\n");
        let published = match row % 9 {
            0 => "\"{north, south, west}\"",
            1 => "*",
            _ => region,
        };
        release += &format!("{published},{weight},{row}\n");
    }
    (release, original)
}

#[test]
fn a_published_weight_reveals_generalized_cells_without_the_original() {
    let (release, original) = weighted();
    let folder = folder_with(&[("r.csv", release.as_bytes()), ("o.csv", original.as_bytes())]);
    let hidden = (0..200).filter(|row| row % 9 < 2).count();
    let (alone, exit) = told(folder.path(), &["r.csv"]);
    assert_eq!((exit, alone["met"].as_bool()), (1, Some(false)));
    let (judged, _) = told(folder.path(), &["r.csv", "--original", "o.csv"]);
    for name in ["dependencies", "within-groups"] {
        let (alone, judged) = (of(&alone, name), of(&judged, name));
        assert_eq!((&alone["targets"], &alone["guessed"]), (&hidden.into(), &hidden.into()));
        assert_eq!((&alone["right"], &alone["certain"]), (&Value::Null, &hidden.into()));
        assert_eq!((&judged["right"], &judged["certain_right"]), (&hidden.into(), &hidden.into()));
        let column = &judged["columns"][0];
        assert_eq!((&column["name"], &column["by"][0][0]), (&"region".into(), &"weight".into()));
        assert!(column["baseline"].as_f64().unwrap() < 0.6, "{column}");
        assert!(column["low"].as_f64() > column["baseline"].as_f64(), "{column}");
    }
    insta::assert_snapshot!("weights", attack(folder.path(), &["r.csv", "--original", "o.csv"]));
}

#[test]
fn a_seed_undoes_slices() {
    let folder = with_demo("400", "h.csv");
    let columns = "age,sex,marital_status,education,diagnosis_group,blood_group";
    let slices = "age,sex|marital_status,education|diagnosis_group,blood_group";
    let made =
        ["slice", "h.csv", "--columns", columns, "--sensitive", "diagnosis_group", "-l", "2"];
    let orders = ["--slices", slices, "--row-order", "seeded", "--seed", "77", "-o", "r.csv"];
    let made = muslin(folder.path(), &[&made[..], &orders].concat());
    assert!(made.status.success(), "{}", seen(&made));
    let undone = |seeds: &str| {
        let args = ["r.csv", "--original", "h.csv", "--sensitive", "diagnosis_group"];
        let args = [&args[..], &["--slices", slices, "--only", "seed", "--seeds", seeds]].concat();
        let (report, exit) = told(folder.path(), &args);
        (of(&report, "seed")["guessed"].as_u64().unwrap(), exit, of(&report, "seed").clone())
    };
    let (guessed, exit, _) = undone("100");
    assert_eq!((guessed, exit), (400, 1));
    let (guessed, exit, own) = undone("70");
    assert_eq!(
        (guessed, exit, &own["success"], &own["advantage"]),
        (0, 0, &Value::Null, &Value::Null)
    );
    assert!(own["note"].as_str().unwrap().contains("no seed below 70 reproduces the row order"));
}

#[test]
fn membership_of_buckets_does_not_apply() {
    let folder = with_demo("400", "h.csv");
    let columns = "age,sex,education,blood_group";
    let made = [
        "bucketize",
        "h.csv",
        "--columns",
        columns,
        "--sensitive",
        "blood_group",
        "-l",
        "2",
        "-o",
        "r.csv",
    ];
    let made = muslin(folder.path(), &made);
    assert!(made.status.success(), "{}", seen(&made));
    let args = ["r.csv", "--original", "h.csv", "--sensitive", "blood_group"];
    let (report, _) = told(folder.path(), &args);
    assert!(reason(&report, "membership").contains("published row by row"), "{report}");
}

#[test]
fn an_attack_that_could_try_nothing_is_an_error_of_usage() {
    let folder = folder_with(&[("my release.csv", b"age,illness\n30,flu\n40,gout\n")]);
    let (report, exit) = told(folder.path(), &["my release.csv"]);
    assert_eq!(
        (exit, &report["met"], report["attacks"].as_array().unwrap().len()),
        (2, &false.into(), 0)
    );
    insta::assert_snapshot!("nothing", attack(folder.path(), &["my release.csv"]));
}

#[test]
fn every_sensitive_column_is_aimed_at() {
    let rows: String = (0..30).map(|row| format!("{},{},x\n", row / 10, row % 2)).collect();
    let release = format!("age,illness,job\n{rows}");
    let folder = folder_with(&[("r.csv", release.as_bytes()), ("o.csv", release.as_bytes())]);
    let roles = ["--role", "illness=sensitive", "--role", "job=sensitive", "--qi", "age"];
    for original in [&[][..], &["--original", "o.csv"]] {
        let args = [&["r.csv", "--only", "homogeneity,skewness"], &roles[..], original].concat();
        let (report, _) = told(folder.path(), &args);
        let all = report["attacks"].as_array().unwrap().iter();
        let aims: Vec<&str> = all.map(|own| own["sensitive"].as_str().unwrap()).collect();
        assert_eq!(aims, ["illness", "job", "illness", "job"]);
        assert_eq!(report["sensitive"], serde_json::json!(["illness", "job"]));
        assert_eq!(report["warnings"].as_array().unwrap().len(), 0, "{report}");
    }
}

#[test]
fn five_guesses_are_told_as_five_and_chance_is_no_success() {
    // In one class of five, four have a value that every second row has.
    let row = |at: usize| match at {
        0..4 => "a,1\n".to_owned(),
        4 => "a,2\n".to_owned(),
        at => format!("{},{}\n", ["b", "c", "d", "e"][at % 4], 1 + at / 4 % 2),
    };
    let release = format!("class,value\n{}", (0..165).map(row).collect::<String>());
    let folder = folder_with(&[("r.csv", release.as_bytes())]);
    let args = ["r.csv", "--qi", "class", "--sensitive", "value", "--only", "skewness"];
    let (report, exit) = told(folder.path(), &args);
    let own = of(&report, "skewness");
    assert_eq!(
        (&own["right"], &own["guessed"], &own["targets"]),
        (&4.into(), &5.into(), &165.into())
    );
    assert!(
        own["advantage"].as_f64().unwrap() > 0.25 && own["low"].as_f64() < own["baseline"].as_f64()
    );
    assert_eq!((exit, &own["finding"]), (0, &false.into()));
    insta::assert_snapshot!("chance", attack(folder.path(), &args));
}

#[test]
fn slices_that_overlap_leave_out_what_cannot_be_attacked() {
    let release = b"age,sex,zip,dis,bucket\n1,F,5,flu,0\n1,M,6,gout,0\n2,F,7,flu,1\n2,M,7,cold,1\n";
    let folder = folder_with(&[("r.csv", release)]);
    let args = ["r.csv", "--sensitive", "dis", "--slices", "age,sex|sex,zip|dis"];
    let (report, exit) = told(folder.path(), &args);
    assert_eq!(exit, 0);
    assert_eq!(of(&report, "homogeneity")["certain"], 0);
    assert!(!reason(&report, "membership").is_empty());
}
