//! `muslin report`, `muslin scan --html` and `muslin init`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::{folder_with, muslin, seen};

/// What few rows have, and nobody else may read.
const CANARIES: [&str; 5] =
    ["Canaryville", "Zaphodine Quux", "1931-04-02", "XK-77-R", "canaryword"];

const POLICY: &[u8] = br#"schema = 1
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
[columns.town]
role = "quasi-identifier"
[columns.born]
role = "quasi-identifier"
[columns.code]
role = "other"
[columns.illness]
role = "sensitive"
[release]
k = 5
accept = ["downcoding"]
[protect]
methods = ["generalize"]
"#;

/// Two hundred people, one of whom has what nobody else has.
fn people() -> String {
    let mut text = String::from("name,age,town,born,code,illness\n");
    for row in 0..200 {
        if row == 77 {
            let [town, name, born, code, illness] = CANARIES;
            let _ = writeln!(text, "{name},41,{town},{born},{code},{illness}");
            continue;
        }
        let town = ["Aton", "Beton", "Ceton"][row % 3];
        let illness = ["flu", "gout"][row % 2];
        let (age, year) = (20 + row % 60, 1945 + row % 60);
        let _ =
            writeln!(text, "Person {row},{age},{town},{year}-0{}-11,AA-1,{illness}", 1 + row % 9);
    }
    text
}

fn folder() -> tempfile::TempDir {
    folder_with(&[("people.csv", people().as_bytes()), ("muslin.toml", POLICY)])
}

fn text(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap()
}

#[test]
fn a_scan_is_written_as_a_page_of_its_own() {
    let folder = folder();
    let output = muslin(folder.path(), &["scan", "people.csv", "--html", "scan.html"]);
    assert!(output.status.success(), "{}", seen(&output));
    let page = text(folder.path(), "scan.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("Content-Security-Policy"));
    // Nothing runs and nothing is fetched; the name of SVG's markup is no address to go to.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for what in ["<script", "http:", "https:", "@import", "url(", "<iframe", " onload="] {
        assert!(!page.contains(what), "{what}");
    }
    assert!(page.matches("<svg").count() >= 5 && page.contains("<title id="));
    assert!(page.contains("muslin init people.csv"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.path().join("scan.html")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn what_is_for_everybody_holds_nothing_rare() {
    let folder = folder();
    let made = muslin(
        folder.path(),
        &["protect", "--allow-findings", "people.csv", "-p", "muslin.toml", "-o", "release"],
    );
    assert!(made.status.success(), "{}", seen(&made));
    let report = |audience: &str, file: &str| {
        let args =
            ["report", "people.csv", "-p", "muslin.toml", "--release", "release", "-o", file];
        let output = muslin(folder.path(), &[&args[..], &["--audience", audience]].concat());
        assert!(output.status.success(), "{}", seen(&output));
        text(folder.path(), file)
    };
    for file in ["r.html", "r.md", "r.json"] {
        let page = report("external", file);
        for canary in CANARIES {
            assert!(!page.contains(canary), "{canary} in {file}");
        }
        // What is not rare is there, and what is told is told.
        assert!(page.contains("Aton") && page.contains("5-anonymity"), "{file}");
        assert!(
            !page.contains("Do not hand it on") && !page.contains("Columns and roles"),
            "{file}"
        );
    }
    let Value::Object(document) = serde_json::from_str(&text(folder.path(), "r.json")).unwrap()
    else {
        panic!("an object")
    };
    assert_eq!(document["audience"], "external");
    let mut counts = Vec::new();
    numbers(&Value::Object(document), &mut counts);
    assert!(counts.iter().all(|count| !(1..5).contains(count)), "{counts:?}");

    // A copy that claims nothing is judged all the same, and what few have is not told.
    std::fs::write(folder.path().join("copy.csv"), people()).unwrap();
    let args = ["report", "people.csv", "-p", "muslin.toml", "--release", "copy.csv", "-o", "c.md"];
    let output = muslin(folder.path(), &[&args[..], &["--audience", "external"]].concat());
    assert!(output.status.success(), "{}", seen(&output));
    let page = text(folder.path(), "c.md");
    assert!(page.contains("**Failed: ") && page.contains("more than 20.0 %"), "{page}");
    for canary in CANARIES {
        assert!(!page.contains(canary), "{canary}");
    }

    let page = report("internal", "i.html");
    assert!(page.contains("Do not hand it on") && page.contains("Columns and roles"));
}

#[test]
fn every_kind_of_release_has_a_page_for_everybody() {
    let folder = folder();
    let policy = String::from_utf8(POLICY.to_vec()).unwrap();
    let suppress = policy.replace("generalize", "suppress").replace("downcoding", "disambiguation");
    let bucketize = policy.replace("generalize", "bucketize").replace("downcoding", "definetti")
        + "[protect.bucketize]\nl = 2\n";
    let slice = policy.replace("generalize", "slice").replace("downcoding", "definetti")
        + "[protect.slice]\nl = 2\nslices = [[\"age\", \"town\", \"born\"], [\"illness\"]]\n";
    let parquet = policy.replace("k = 5", "k = 5\nformat = \"parquet\"");
    for (name, policy) in [
        ("suppress", suppress),
        ("bucketize", bucketize),
        (
            "slice",
            slice.replace(
                "[columns.code]\nrole = \"other\"",
                "[columns.code]\nrole = \"identifier\"",
            ),
        ),
        ("parquet", parquet),
    ] {
        let file = format!("{name}.toml");
        std::fs::write(folder.path().join(&file), policy).unwrap();
        let made = muslin(
            folder.path(),
            &["protect", "--allow-findings", "people.csv", "-p", &file, "-o", name],
        );
        assert!(made.status.success(), "{name}: {}", seen(&made));
        for page in ["r.html", "r.md", "r.json"] {
            let args = ["report", "people.csv", "-p", &file, "--release", name, "-o", page];
            let output = muslin(folder.path(), &[&args[..], &["--audience", "external"]].concat());
            assert!(output.status.success(), "{name}: {}", seen(&output));
            let text = text(folder.path(), page);
            for canary in CANARIES {
                assert!(!text.contains(canary), "{canary} in {page} of {name}");
            }
            assert!(!text.contains("`--") && text.contains("Attacks that were tried"), "{name}");
            if page == "r.json" {
                let mut counts = Vec::new();
                numbers(&serde_json::from_str(&text).unwrap(), &mut counts);
                assert!(counts.iter().all(|count| !(1..5).contains(count)), "{name}: {counts:?}");
            }
        }
    }
    // A Parquet file is a table like another.
    let data = ["demo-data", "hospital", "--rows", "300", "-o", "hospital.parquet"];
    assert!(muslin(folder.path(), &data).status.success());
    let output = muslin(folder.path(), &["report", "hospital.parquet", "-o", "hospital.html"]);
    assert!(output.status.success(), "{}", seen(&output));
    assert!(text(folder.path(), "hospital.html").contains("hospital.parquet"));
}

/// Every count in a document.
fn numbers(value: &Value, counts: &mut Vec<u64>) {
    match value {
        Value::Object(fields) => {
            for (name, own) in fields {
                let is_count = matches!(name.as_str(), "count" | "part" | "row");
                counts.extend(own.as_u64().filter(|_| is_count));
                numbers(own, counts);
            }
        }
        Value::Array(all) => all.iter().for_each(|own| numbers(own, counts)),
        _ => {}
    }
}

#[test]
fn what_goes_wrong_with_reports_has_a_way_out() {
    let folder = folder();
    let run = |args: &[&str]| seen(&muslin(folder.path(), args));
    let nameless = run(&["report", "people.csv", "-o", "report.txt"]);
    let nowhere = run(&["report", "people.csv", "-o", "no/such/report.html"]);
    let missing = run(&["report", "people.csv", "--release", "nothing.csv", "-o", "r.html"]);
    let alone = run(&["report", "people.csv", "--audience", "external", "-o", "r.html"]);
    insta::assert_snapshot!("wrong", [nameless, nowhere, missing, alone].join("\n"));
}

#[test]
fn a_first_policy_is_written_and_works() {
    let folder = folder_with(&[("people.csv", people().as_bytes())]);
    let first = muslin(folder.path(), &["init", "people.csv", "--preset", "ihsn-3"]);
    insta::assert_snapshot!("init", seen(&first));
    insta::assert_snapshot!("policy", text(folder.path(), "muslin.toml"));
    // What somebody may have changed stays.
    let again = muslin(folder.path(), &["init", "people.csv"]);
    assert_eq!(again.status.code(), Some(2), "{}", seen(&again));
    assert!(text(folder.path(), "muslin.toml").contains("ihsn-3"));
    let args = ["init", "people.csv", "-o", "-", "--null", "-9", "--type", "age=text"];
    let printed = String::from_utf8(muslin(folder.path(), &args).stdout).unwrap();
    assert!(
        printed.contains("null = [\"-9\"]") && printed.contains("type = \"text\""),
        "{printed}"
    );
    let made = muslin(
        folder.path(),
        &["protect", "--allow-findings", "people.csv", "-p", "muslin.toml", "-o", "release"],
    );
    assert!(made.status.success(), "{}", seen(&made));
}

/// A survey with an income, a weight and a household, two of which nobody has decided.
fn survey() -> String {
    let mut text = String::from("hid,age,town,amount,db090,remarks\n");
    for row in 0..300 {
        let (age, town) = (20 + row % 60, ["Aton", "Beton", "Ceton"][row % 3]);
        let amount = row * 7 % 299;
        let _ = writeln!(
            text,
            "{},{age},{town},{amount}.25,{}.5,a note of more than five words {row}",
            row / 3,
            row % 9 + 1
        );
    }
    text
}

#[test]
fn a_protector_by_itself_publishes_neither_weights_nor_what_nobody_decided() {
    let policy = "schema = 1\n[release]\nk = 3\n[columns.hid]\nrole = 'household'\n[columns.age]\nrole = 'quasi-identifier'\n[columns.town]\nrole = 'quasi-identifier'\n[columns.amount]\nrole = 'AMOUNT'\n[columns.db090]\nrole = 'weight'\n#publish = true\n[columns.remarks]\nrole = 'identifier'\n";
    let decided = policy.replace("AMOUNT", "sensitive");
    let folder = folder_with(&[
        ("people.csv", survey().as_bytes()),
        ("open.toml", policy.replace("AMOUNT", "undecided").as_bytes()),
        ("p.toml", decided.as_bytes()),
        ("w.toml", decided.replace("#publish", "publish").as_bytes()),
    ]);
    let path = folder.path();
    for command in [
        &["generalize"][..],
        &["suppress"],
        &["mask", "--measure", "distinct", "--beta", "0.9"],
        &["slice", "-l", "2", "--sensitive", "amount"],
    ] {
        let run = |policy: &str| {
            let args = [command, &["people.csv", "-p", policy, "-o", "r.csv"]].concat();
            let made = muslin(path, &args);
            (made.status.code(), seen(&made))
        };
        let (code, said) = run("open.toml");
        assert!(code == Some(2) && said.contains("`amount`"), "{command:?} {said}");
        assert!(!path.join("r.csv").exists());
        let (code, said) = run("p.toml");
        assert_eq!(code, Some(0), "{command:?} {said}");
        assert!(said.contains("survey weights are not published (db090)"), "{said}");
        assert!(!text(path, "r.csv").lines().next().unwrap().contains("db090"), "{command:?}");
        let (code, said) = run("w.toml");
        assert_eq!(code, Some(0), "{command:?} {said}");
        assert!(text(path, "r.csv").lines().next().unwrap().contains("db090"), "{command:?}");
        std::fs::remove_file(path.join("r.csv")).unwrap();
    }
}

#[test]
fn undecided_columns_are_refused_until_somebody_decides() {
    let folder = folder_with(&[("my survey.csv", survey().as_bytes())]);
    let path = folder.path();
    let first = muslin(path, &["init", "my survey.csv"]);
    insta::assert_snapshot!("undecided_init", seen(&first));
    let policy = text(path, "muslin.toml");
    assert_eq!(policy.matches("role = \"undecided\"").count(), 2, "{policy}");
    let protect =
        ["protect", "--allow-findings", "my survey.csv", "-p", "muslin.toml", "-o", "release"];
    let refused = muslin(path, &protect);
    insta::assert_snapshot!("undecided", seen(&refused));
    for other in [
        muslin(path, &[&protect[..], &["--dry-run"]].concat()),
        muslin(path, &["plan", "my survey.csv", "-p", "muslin.toml", "-k", "3"]),
    ] {
        assert_eq!(other.status.code(), Some(2), "{}", seen(&other));
        assert_eq!(other.stderr, refused.stderr);
    }
    // A remark of the person who looked at it stays.
    std::fs::write(path.join("muslin.toml"), format!("{policy}# checked by hand\n")).unwrap();
    let decide = ["init", "my survey.csv", "-o", "muslin.toml", "--decide", "amount=sensitive"];
    let some = muslin(path, &decide);
    let said = String::from_utf8(some.stdout).unwrap();
    assert!(some.status.success() && said.contains("--decide remarks=identifier"), "{said}");
    let all = muslin(path, &["init", "my survey.csv", "--decide", "remarks=identifier"]);
    assert!(all.status.success(), "{}", seen(&all));
    let decided = text(path, "muslin.toml");
    let expected = format!("{policy}# checked by hand\n")
        .replacen("\"undecided\"", "\"sensitive\"", 1)
        .replacen("\"undecided\"", "\"identifier\"", 1);
    assert_eq!(decided, expected);
    let made = muslin(path, &protect);
    assert!(made.status.success(), "{}", seen(&made));
    let header = text(path, "release/data.csv").lines().next().unwrap().to_owned();
    assert_eq!(header, "age,town,amount");
    // Flags that the policy holds already are not taken beside it, and names must be there.
    for more in [&["--decide", "amount=other", "--null", ""][..], &["--decide", "amuont=other"]] {
        let wrong = muslin(path, &[&["init", "my survey.csv"][..], more].concat());
        assert_eq!(wrong.status.code(), Some(2), "{}", seen(&wrong));
        assert_eq!(text(path, "muslin.toml"), decided);
    }
    let anew = muslin(path, &["init", "my survey.csv", "--force"]);
    assert!(anew.status.success(), "{}", seen(&anew));
    assert_eq!(text(path, "muslin.toml"), policy);
}
