//! The program as its users see it: what it prints, and how it ends.

#![expect(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "tables of tests are written as they read"
)]
#![expect(clippy::print_stdout, reason = "a test says what it leaves out, and what it pasted")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "cli/attack.rs"]
mod attack;
#[path = "cli/bucketize.rs"]
mod bucketize;
#[path = "cli/canaries.rs"]
mod canaries;
#[cfg(unix)]
#[path = "cli/chain.rs"]
mod chain;
#[path = "cli/diff.rs"]
mod diff;
#[cfg(feature = "cluster")]
#[path = "cli/engines.rs"]
mod engines;
#[path = "cli/examples.rs"]
mod examples;
#[path = "cli/explain.rs"]
mod explain;
#[path = "cli/generalize.rs"]
mod generalize;
#[path = "cli/keys.rs"]
mod keys;
#[path = "cli/mask.rs"]
mod mask;
#[path = "cli/pages.rs"]
mod pages;
#[path = "cli/places.rs"]
mod places;
#[path = "cli/protect.rs"]
mod protect;
#[path = "cli/reading.rs"]
mod reading;
#[path = "cli/report.rs"]
mod report;
#[path = "cli/scan.rs"]
mod scan;
#[path = "cli/slice.rs"]
mod slice;
#[path = "cli/suppress.rs"]
mod suppress;
#[cfg(unix)]
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/uniques.rs"]
mod uniques;
#[path = "cli/verify.rs"]
mod verify;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

fn muslin(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muslin"));
    command.current_dir(folder).args(args).env_remove("COLUMNS").env("NO_COLOR", "1");
    command
}

/// Exit code, standard output and standard error in one text.
fn seen(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let code = output.status.code().unwrap();
    format!("exit {code}\n--- stdout\n{}--- stderr\n{}", text(&output.stdout), text(&output.stderr))
}

fn folder_with(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

const PEOPLE: &[u8] = b"id,age,sex,postcode,income\n\
    a1,34,f,00123,1200.50\n\
    a2,34,f,00123,1900\n\
    a3,51,m,00124,\n\
    a4,34,m,00123,2100\n\
    a5,51,m,00124,2100\n\
    a6,28,f,00125,900\n";

fn with_demo(rows: &str, name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let made = muslin(
        folder.path(),
        &["demo-data", "hospital", "--rows", rows, "--seed", "1", "-o", name],
    );
    assert!(made.status.success(), "{}", seen(&made));
    folder
}

#[test]
fn scan_says_what_is_in_a_file() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    insta::assert_snapshot!(seen(&muslin(folder.path(), &["scan", "people.csv"])));
}

#[test]
fn scan_takes_roles_types_and_nulls_from_flags() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let scan = |name_and_type: &str| {
        let flags =
            ["--null", "", "--qi", "age,sex", "--role", "id=other", "--missing", "distinct"];
        let args = [&["scan", "people.csv", "--type", name_and_type], &flags[..]].concat();
        seen(&muslin(folder.path(), &args))
    };
    // Whoever asks for a postcode as a number gets it without its zeros.
    insta::assert_snapshot!("flags", scan("postcode=integer"));
    insta::assert_snapshot!("flags_wrong_type", scan("sex=integer"));
}

#[test]
fn scan_takes_roles_and_options_from_a_policy() {
    let policy =
        b"schema = 1\nmissing = \"wildcard\"\n[input]\nnull = [\"\"]\nexclude = [\"id\"]\n\
        [columns.age]\nrole = \"quasi-identifier\"\n[columns.sex]\nrole = \"other\"\n\
        [columns.postcode]\nrole = \"other\"\n";
    let folder = folder_with(&[("people.csv", PEOPLE), ("muslin.toml", policy)]);
    insta::assert_snapshot!(seen(&muslin(
        folder.path(),
        &["scan", "people.csv", "-p", "muslin.toml"]
    )));
}

#[test]
fn scan_reports_as_json() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let output = muslin(folder.path(), &["scan", "people.csv", "--json", "--null", ""]);
    insta::assert_snapshot!(seen(&output));
}

#[test]
fn scan_of_the_example_data_fits_the_terminal() {
    let folder = with_demo("1000", "hospital.csv");
    for (columns, missing) in [("40", "category"), ("70", "wildcard"), ("140", "distinct")] {
        let args = ["scan", "hospital.csv", "--null", "", "--missing", missing];
        let output = command(folder.path(), &args).env("COLUMNS", columns).output().unwrap();
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let width: usize = columns.parse().unwrap();
        // A command to copy is never broken.
        let lines = text.lines().filter(|line| !line.starts_with("muslin init"));
        let longest = lines.map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width, "{longest} of {width}\n{text}");
        if columns == "70" {
            insta::assert_snapshot!(seen(&output));
        }
    }
}

#[test]
fn a_policy_may_know_columns_that_are_not_read() {
    let policy = b"schema = 1\n[columns.income]\nrole = \"sensitive\"\n";
    let wrong = b"schema = 1\n[columns.incme]\nrole = \"sensitive\"\n";
    let folder = folder_with(&[("p.csv", PEOPLE), ("p.toml", policy), ("wrong.toml", wrong)]);
    let read = muslin(folder.path(), &["scan", "p.csv", "-p", "p.toml", "--columns", "age,sex"]);
    assert!(read.status.success(), "{}", seen(&read));
    let refused = muslin(folder.path(), &["scan", "p.csv", "-p", "wrong.toml", "--columns", "age"]);
    assert_eq!(refused.status.code(), Some(2), "{}", seen(&refused));
}

#[test]
fn names_cannot_move_the_cursor() {
    let folder = folder_with(&[("n.csv", b"a\x1b[31m,b\n1,2\n2,3\n")]);
    let report = seen(&muslin(folder.path(), &["scan", "n.csv"]));
    assert!(!report.contains('\x1b') && report.contains("a\\u{1b}[31m"), "{report}");
}

#[test]
fn a_time_limit_holds_while_waiting_for_input() {
    let folder = folder_with(&[]);
    let mut child = command(folder.path(), &["scan", "-", "--time-limit", "100ms"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Kept open: what it waits for does not come.
    let input = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(5));
    drop(input);
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_changes_no_exit_code_but_that_of_the_report() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut talk = command(folder.path(), &["scan", "nowhere.csv"]);
    assert_eq!(talk.stderr(full()).status().unwrap().code(), Some(3));
    let mut stats = command(folder.path(), &["scan", "people.csv", "--stats"]);
    assert_eq!(stats.stdout(Stdio::null()).stderr(full()).status().unwrap().code(), Some(0));
    let mut report = command(folder.path(), &["scan", "people.csv"]);
    assert_eq!(report.stdout(full()).stderr(Stdio::null()).status().unwrap().code(), Some(6));
    let mut version = command(folder.path(), &["--version"]);
    assert_eq!(version.stdout(full()).status().unwrap().code(), Some(6));
    let mut data =
        command(folder.path(), &["demo-data", "hospital", "-o", "/dev/full", "--format", "csv"]);
    assert_eq!(data.stderr(Stdio::null()).status().unwrap().code(), Some(6));
}

#[test]
fn the_decimal_comma_can_be_refused() {
    let folder = folder_with(&[("c.csv", b"a;b\nx;1,2\ny;1,25\nz;3\n")]);
    let kind = |args: &[&str]| {
        let output = muslin(folder.path(), &[&["scan", "c.csv", "--json"], args].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report["columns"][1]["type"].clone()
    };
    assert_eq!(kind(&[]), "number");
    assert_eq!(kind(&["--decimal-comma=no"]), "text");
    assert_eq!(kind(&["--decimal-comma"]), "number");
}

#[test]
fn every_format_and_compression_gives_the_same_report() {
    let folder = with_demo("3000", "h.csv");
    for name in ["h.tsv", "h.parquet", "h.arrow"] {
        let args = ["demo-data", "hospital", "--rows", "3000", "--seed", "1", "-o", name];
        assert!(muslin(folder.path(), &args).status.success());
    }
    let report = |args: &[&str]| -> serde_json::Value {
        let output = muslin(folder.path(), &[&["scan", "--json"], args].concat());
        assert!(output.status.success(), "{}", seen(&output));
        let mut report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report.as_object_mut().unwrap().remove("input");
        report.as_object_mut().unwrap().remove("next");
        report
    };
    let csv = report(&["h.csv", "--null", ""]);
    assert_eq!(csv["rows"], 3000);
    assert_eq!(csv, report(&["h.tsv", "--null", ""]));
    assert_eq!(csv, report(&["h.parquet"]));
    assert_eq!(csv, report(&["h.arrow"]));
}

#[test]
fn reports_and_files_do_not_depend_on_threads() {
    let folder = with_demo("70000", "h.csv");
    for name in ["h.csv", "h.parquet", "h.arrow"] {
        let made = ["1", "2", "4"].map(|threads| {
            let other = format!("{threads}-{name}");
            let args = [
                "demo-data",
                "hospital",
                "--rows",
                "70000",
                "--seed",
                "1",
                "--threads",
                threads,
                "-o",
                &other,
            ];
            assert!(muslin(folder.path(), &args).status.success());
            std::fs::read(folder.path().join(other)).unwrap()
        });
        assert!(made[0] == made[1] && made[1] == made[2], "{name}");
    }
    for missing in ["category", "distinct", "wildcard"] {
        let [one, two, four] = ["1", "2", "4"].map(|threads| {
            let args = [
                "scan",
                "h.csv",
                "--json",
                "--null",
                "",
                "--missing",
                missing,
                "--threads",
                threads,
                "--qi",
                "age,sex,town,education,occupation,height_cm",
            ];
            muslin(folder.path(), &args).stdout
        });
        assert!(!one.is_empty() && one == two && two == four, "{missing}");
    }
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let folder = with_demo("500", "h.parquet");
    let parquet = std::fs::read(folder.path().join("h.parquet")).unwrap();
    for content in [PEOPLE, &parquet] {
        let mut child = command(folder.path(), &["scan", "-", "--json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(content).unwrap();
        let output = child.wait_with_output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["input"]["file"], "standard input");
        assert!(report["rows"].as_u64().unwrap() > 0);
    }
}

#[test]
fn failures_name_the_place_and_a_way_out() {
    let folder = folder_with(&[
        ("people.csv", PEOPLE),
        ("ragged.csv", b"a,b\n1,2\n3\n"),
        ("quote.csv", b"a,b\n1,\"2\n3,4\n"),
        ("latin.csv", b"name,age\nJos\xe9,3\n"),
        ("twice.csv", b"a,b,a\n1,2,3\n"),
        ("empty.csv", b""),
        ("book.xlsx", b"PK\x03\x04rest"),
        ("cut.parquet", b"PAR1 and then nothing"),
        ("policy.toml", b"schema = 1\n[columns.age]\nrol = 'other'\n"),
    ]);
    let mut all = String::new();
    for args in [
        &["scan", "ragged.csv"][..],
        &["scan", "quote.csv"],
        &["scan", "latin.csv"],
        &["scan", "twice.csv"],
        &["scan", "empty.csv"],
        &["scan", "book.xlsx"],
        &["scan", "cut.parquet"],
        &["scan", "nowhere.csv"],
        &["scan", "."],
        &["scan", "people.csv", "--columns", "age,sexx"],
        &["scan", "people.csv", "--role", "agee=sensitive"],
        &["scan", "people.csv", "-p", "policy.toml"],
        &["scan", "people.csv", "--missing", "never"],
        &["scan", "people.csv", "--memory", "10B"],
        &["scan", "people.csv", "--time-limit", "0s"],
        &["demo-data", "hospital", "-o", "nowhere/h.csv"],
        &["demo-data", "hospital", "-o", "h.xyz"],
        &["demo-data", "hospital", "-o", "."],
    ] {
        let seen = seen(&muslin(folder.path(), args));
        writeln!(all, "$ muslin {}\n{seen}", args.join(" ")).unwrap();
    }
    insta::assert_snapshot!(all);
    assert!(!all.contains("Jos"), "a value is in a message");
}

#[test]
fn help_is_short_and_complete() {
    let folder = folder_with(&[]);
    insta::assert_snapshot!("help", seen(&muslin(folder.path(), &["--help"])));
    insta::assert_snapshot!("help_scan", seen(&muslin(folder.path(), &["scan", "--help"])));
    insta::assert_snapshot!("help_init", seen(&muslin(folder.path(), &["init", "--help"])));
    insta::assert_snapshot!("help_report", seen(&muslin(folder.path(), &["report", "--help"])));
    insta::assert_snapshot!("help_uniques", seen(&muslin(folder.path(), &["uniques", "--help"])));
    insta::assert_snapshot!("help_keys", seen(&muslin(folder.path(), &["keys", "--help"])));
    insta::assert_snapshot!("help_mask", seen(&muslin(folder.path(), &["mask", "--help"])));
    insta::assert_snapshot!("help_suppress", seen(&muslin(folder.path(), &["suppress", "--help"])));
    let newer = ["verify", "attack", "protect", "plan", "explain", "cluster"];
    for command in ["generalize", "bucketize", "slice", "diff"].into_iter().chain(newer) {
        let help = seen(&muslin(folder.path(), &[command, "--help"]));
        insta::assert_snapshot!(format!("help_{command}"), help);
    }
    insta::assert_snapshot!(
        "help_demo_data",
        seen(&muslin(folder.path(), &["demo-data", "--help"]))
    );
}

#[test]
fn version_and_completions_are_printed() {
    let folder = folder_with(&[]);
    let version = muslin(folder.path(), &["--version"]);
    assert_eq!(version.stdout, format!("muslin {}\n", env!("CARGO_PKG_VERSION")).into_bytes());
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = muslin(folder.path(), &["completions", shell]);
        assert!(script.status.success());
        assert!(String::from_utf8(script.stdout).unwrap().contains("demo-data"), "{shell}");
    }
}

#[test]
fn stats_tell_time_and_memory() {
    let folder = folder_with(&[("people.csv", PEOPLE)]);
    let output = muslin(folder.path(), &["scan", "people.csv", "--stats", "--json"]);
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(talk.starts_with("6 rows in ") && talk.contains("peak memory"), "{talk}");
    serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
}

#[test]
fn the_input_is_not_written_over_and_modes_are_private() {
    let folder = with_demo("50", "h.csv");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.path().join("h.csv")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = with_demo("20000", "h.csv");
    let mut child = command(folder.path(), &["demo-data", "hospital", "--rows", "200000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(seen(&output), "exit 0\n--- stdout\n--- stderr\n");
}

/// What one command takes for quasi-identifiers, all that look at columns do.
#[test]
fn quasi_identifiers_are_given_in_one_way() {
    let folder = with_demo("400", "people.csv");
    let report = |args: &[&str]| -> serde_json::Value {
        let output = muslin(folder.path(), &[args, &["--json"]].concat());
        assert!(output.status.success(), "{}", seen(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let named = ["--qi", "age,sex"];
    let only = ["--columns", "age,sex"];
    let of = |command: &[&str], flags: &[&str]| report(&[command, flags].concat());
    let uniques = |flags: &[&str]| of(&["uniques", "people.csv"], flags)["total"].clone();
    assert_eq!(uniques(&named), uniques(&only));
    let keys = ["keys", "people.csv", "--all", "--measure", "distinct", "--beta", "0.1"];
    assert_eq!(of(&keys, &named)["sets"], of(&keys, &only)["sets"]);
    let masked = of(&["mask", "people.csv", "--measure", "distinct", "--beta", "0.1"], &named);
    // The others are not measured, and published as they are.
    assert_eq!(masked["publish"], serde_json::json!(["sex"]));
    let plan = of(&["plan", "people.csv", "-k", "3"], &named);
    assert_eq!(plan["quasi_identifiers"], serde_json::json!(["age", "sex"]));
}
