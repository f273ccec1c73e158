//! The verdict on a release: what is published beside the quasi-identifiers, and warnings of steps.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::PathBuf;

use muslin::{
    Audience, DocumentFormat, Input, Policy, ProtectJob, ReportJob, Run, Verdict,
    VerdictFindingKind, VerifyJob, VerifyReport,
};
use tempfile::TempDir;

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Verifies a release of pairs of equal ages.
    fn verified(&self, text: &str, set: impl Fn(&mut VerifyJob)) -> VerifyReport {
        let mut job = VerifyJob::new(Input::named(self.file("release.csv", text)));
        job.k = Some(2);
        job.quasi_identifiers = Some(vec!["age".into()]);
        set(&mut job);
        job.run(&Run::new()).unwrap()
    }
}

/// Forty rows in classes of two by age; `beside` gives the other columns of a row.
fn release(header: &str, beside: impl Fn(usize) -> String) -> String {
    let mut text = format!("age,{header}\n");
    for row in 0..40 {
        writeln!(text, "{},{}", 20 + row / 2, beside(row)).unwrap();
    }
    text
}

fn kinds(report: &VerifyReport) -> Vec<VerdictFindingKind> {
    report.findings.iter().map(|own| own.kind).collect()
}

#[test]
fn a_column_that_numbers_people_is_a_finding_although_every_check_passes() {
    let bench = Bench::new();
    let text = release("income", |row| format!("{}", 1_000 + row * 37));
    let report = bench.verified(&text, |_| {});
    assert_eq!((report.met, report.verdict), (true, Verdict::Findings));
    assert_eq!(
        kinds(&report),
        [VerdictFindingKind::UniqueColumn, VerdictFindingKind::UniqueTogether]
    );
    assert_eq!(
        (report.findings[0].columns.as_slice(), report.findings[0].rows),
        (&["income".to_owned()][..], 40)
    );
    assert_eq!((report.exposure.unique, report.exposure.unique_on_quasi_identifiers), (40, 0));
    // Who accepts it says so, and nothing of a cell is told.
    let accepted = bench.verified(&text, |job| job.max_unique = 1.0);
    assert_eq!((accepted.verdict, accepted.findings.len()), (Verdict::Passed, 0));
    assert!(!report.findings.iter().any(|own| own.text.contains("1037")));
}

#[test]
fn columns_that_make_rows_unique_only_together_are_a_finding() {
    let bench = Bench::new();
    // Each value of either column is common, and each row has a pair of its own within its class.
    let text = release("shift,ward", |row| format!("{},{}", row % 2, row / 20));
    let report = bench.verified(&text, |_| {});
    assert_eq!(kinds(&report), [VerdictFindingKind::UniqueTogether]);
    assert_eq!(report.findings[0].rows, 40);
    assert_eq!(report.exposure.unique_beside, Some(40));
    assert_eq!(report.exposure.pairs[0].columns, ["age", "shift"]);
}

#[test]
fn sensitive_columns_count_by_themselves_only() {
    let bench = Bench::new();
    // An attacker does not know the diagnosis, and it is not one person's alone.
    let text = release("diagnosis", |row| format!("{}", row % 2));
    let report = bench.verified(&text, |job| job.sensitive = Some("diagnosis".into()));
    assert_eq!((report.verdict, report.exposure.unique), (Verdict::Passed, 40));
    // A bill to the cent is.
    let text = release("charge", |row| format!("{}.5", 100 + row));
    let report = bench.verified(&text, |job| job.sensitive = Some("charge".into()));
    assert_eq!(kinds(&report)[0], VerdictFindingKind::UniqueColumn);
}

#[test]
fn an_attack_that_succeeds_is_a_finding_and_one_that_was_not_tried_too() {
    let bench = Bench::new();
    // All of a class have the same diagnosis.
    let text = release("diagnosis", |row| format!("{}", row / 2 % 2));
    let report = bench.verified(&text, |job| job.sensitive = Some("diagnosis".into()));
    assert_eq!((report.met, report.verdict), (true, Verdict::Findings));
    assert_eq!(kinds(&report), [VerdictFindingKind::Attack; 2]);
    assert!(report.findings[0].text.contains("homogeneity of `diagnosis`"));
    let accepted = bench.verified(&text, |job| {
        job.sensitive = Some("diagnosis".into());
        job.accept = vec!["homogeneity".into(), "skewness".into()];
    });
    assert_eq!(accepted.verdict, Verdict::Passed, "{:?}", accepted.findings);
    // What was accepted is said.
    assert_eq!(accepted.accepted.len(), 2);
    assert!(report.accepted.is_empty());
    let untried = bench.verified(&text, |job| job.attacks = false);
    assert_eq!(kinds(&untried), [VerdictFindingKind::Unchecked]);
}

#[test]
fn a_failed_check_is_failed_whatever_else_was_found() {
    let bench = Bench::new();
    let text = release("income", |row| format!("{}", 1_000 + row * 37));
    let report = bench.verified(&text, |job| job.k = Some(3));
    assert_eq!((report.met, report.verdict), (false, Verdict::Failed));
    assert_eq!(report.findings.len(), 2);
}

#[test]
fn rows_whose_cells_changed_places_are_not_counted_together() {
    let bench = Bench::new();
    let text = release("dis,bucket", |row| format!("{},{}", row % 2, row / 2));
    let report = bench.verified(&text, |job| {
        job.bucket = Some("bucket".into());
        job.sensitive = Some("dis".into());
    });
    assert_eq!(report.exposure.unique_beside, None);
    assert!(report.exposure.columns.iter().all(|own| own.columns != ["bucket"]));
}

const POLICY: &str = r#"
schema = 1
[columns.age]
role = "quasi-identifier"
[columns.town]
role = "quasi-identifier"
[columns.region]
role = "other"
weight = "never"
[release]
k = 3
accept = ["disambiguation"]
max_unique = 1
[protect]
methods = ["suppress"]
suppress.closed = true
"#;

/// A region and a code say the same; some towns are rare.
fn people() -> String {
    let mut text = String::from("age,town,region\n");
    for row in 0..120 {
        let town = if row % 17 == 0 { 20 + row } else { row % 4 };
        writeln!(text, "{},t{town},r{town}", 30 + row % 3).unwrap();
    }
    text
}

#[test]
fn what_a_step_warns_about_stands_in_every_text_once() {
    let bench = Bench::new();
    let input = bench.file("people.csv", &people());
    let output = bench.folder.path().join("release");
    let policy = Policy::parse("muslin.toml", POLICY).unwrap();
    let report = ProtectJob::new(Input::named(&input), policy, &output).run(&Run::new()).unwrap();
    let of_step: Vec<String> = report.steps[0].report["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own.as_str().unwrap().to_owned())
        .filter(|own| own.contains("region"))
        .collect();
    assert!(!of_step.is_empty(), "the step warns of the column that tells what it suppressed");
    let read = |name: &str| std::fs::read_to_string(output.join(name)).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&read("manifest.json")).unwrap();
    for warning in of_step {
        let told = report.warnings.iter().filter(|own| own.contains("`region`")).count();
        assert_eq!(told, 1, "{warning}: {:?}", report.warnings);
        assert_eq!(read("summary.md").matches("`region`").count(), 1);
        let of_manifest = manifest["warnings"].as_array().unwrap().iter();
        assert_eq!(of_manifest.filter(|own| own.as_str().unwrap().contains("`region`")).count(), 1);
    }
    // Nothing for the public confirms a guess of the whole input.
    assert!(report.input_sha256.is_some() && manifest.get("input_sha256").is_none());
}

#[test]
fn a_summary_tells_no_small_count_of_removed_rows() {
    let bench = Bench::new();
    let mut text = String::from("town,dis\n");
    for row in 0..300 {
        let town = if row < 2 { format!("far{row}") } else { format!("t{}", row % 3) };
        writeln!(text, "{town},x").unwrap();
    }
    let input = bench.file("people.csv", &text);
    let output = bench.folder.path().join("release");
    let policy = "schema = 1\n[columns.town]\nrole = 'quasi-identifier'\n[columns.dis]\nrole = 'other'\n[release]\nk = 5\naccept = ['downcoding']\n[protect]\nmethods = ['generalize']\ngeneralize.recoding = 'full-domain'\ngeneralize.suppression_limit = 0.02\n";
    let policy = Policy::parse("muslin.toml", policy).unwrap();
    let report = ProtectJob::new(Input::named(&input), policy, &output).run(&Run::new()).unwrap();
    assert_eq!(report.rows_before - report.rows_after, 2);
    let summary = std::fs::read_to_string(output.join("summary.md")).unwrap();
    assert!(summary.contains("removed rows: fewer than 5"), "{summary}");
}

#[test]
fn the_external_report_tells_no_count_of_original_rows() {
    let bench = Bench::new();
    let mut text = String::from("age,town\n");
    for row in 0..500 {
        // Two people of 498 others have a town of their own.
        let town = if row < 2 { 90 + row } else { row % 3 };
        writeln!(text, "{},t{town}", 30 + row % 2).unwrap();
    }
    let input = bench.file("a_study_of_people.csv", &text);
    let output = bench.folder.path().join("release");
    let policy = "schema = 1\n[columns.age]\nrole = 'quasi-identifier'\n[columns.town]\nrole = 'quasi-identifier'\n[release]\nk = 5\n[protect]\nmethods = ['generalize']\ngeneralize.recoding = 'full-domain'\ngeneralize.suppression_limit = 0.01\n";
    let policy = Policy::parse("muslin.toml", policy).unwrap();
    let made = ProtectJob::new(Input::named(&input), policy.clone(), &output);
    let made = made.run(&Run::new()).unwrap();
    assert_eq!((made.rows_before, made.rows_after), (500, 498));
    let mut job = ReportJob::new(Input::named(&input));
    job.release = Some(Input::named(&output));
    job.roles = policy.roles();
    job.policy = Some(policy);
    job.audience = Audience::External;
    let document = job.run(&Run::new()).unwrap();
    for format in [DocumentFormat::Html, DocumentFormat::Markdown, DocumentFormat::Json] {
        let page = format.spell(&document).unwrap();
        // The style sheet and the drawings have numbers of their own.
        if format != DocumentFormat::Html {
            assert!(!page.contains("500"), "{page}");
        }
        assert!(!page.contains("500 rows") && !page.contains(">500<"));
        assert!(!page.contains("a_study_of_people"));
        assert!(page.contains("498"));
    }
}
