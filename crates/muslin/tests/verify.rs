//! Certificates of suppressions, judged from the original and the release.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use muslin::{
    CellCost, DemoData, Destination, Failure, Input, Memory, ReleaseOutput, ReportText, Role,
    RowOrder, Run, Seed, SuppressJob, SuppressReport, VerifyCheck, VerifyJob, VerifyReport,
    WriteOptions,
};
use tempfile::TempDir;

const QUASI: [&str; 4] = ["age", "sex", "marital_status", "education"];
const K: u32 = 3;

/// A release with blanks, its certificate, and the report of both.
struct Made {
    folder: TempDir,
    report: SuppressReport,
}

impl Made {
    fn new(change: impl Fn(&mut SuppressJob)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        demo(&path("original.csv"), 3);
        let mut job = SuppressJob::new(Input::named(path("original.csv")), K);
        job.roles = QUASI.map(|name| (name.to_owned(), Role::QuasiIdentifier)).into();
        job.roles.insert("patient_id".into(), Role::Identifier);
        job.output = Some(ReleaseOutput {
            order: RowOrder::Seeded(Seed::new(8)),
            ..ReleaseOutput::new(Destination::named(path("release.csv")))
        });
        job.certificate = Some(ReleaseOutput::new(Destination::named(path("proof.csv"))));
        change(&mut job);
        let report = job.run(&Run::new()).unwrap();
        assert!(report.bound_checked && report.lower_bound > 0.0);
        std::fs::write(path("report.json"), serde_json::to_string(&report).unwrap()).unwrap();
        Self { folder, report }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Judges by the report.
    fn job(&self) -> VerifyJob {
        let mut job = VerifyJob::new(Input::named(self.path("release.csv")));
        job.original = Some(Input::named(self.path("original.csv")));
        job.certificate = Some(Input::named(self.path("proof.csv")));
        job.claims_report = Some(ReportText::File(self.path("report.json")));
        job
    }

    /// Judges by `-k` and columns alone.
    fn plain(&self) -> VerifyJob {
        VerifyJob {
            claims_report: None,
            k: Some(K),
            quasi_identifiers: Some(QUASI.map(str::to_owned).to_vec()),
            ..self.job()
        }
    }

    /// Changes the multipliers, in the order of the rows.
    fn tamper(&self, change: impl Fn(&mut Vec<String>)) {
        let file = self.path("proof.csv");
        let text = std::fs::read_to_string(&file).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        change(&mut lines);
        std::fs::write(&file, lines.join("\n") + "\n").unwrap();
    }
}

fn demo(path: &Path, seed: u64) {
    let demo = DemoData::new(600, Seed::new(seed));
    demo.write(&Destination::named(path), &WriteOptions::default(), &Run::new()).unwrap();
}

fn run(job: &VerifyJob) -> VerifyReport {
    job.run(&Run::new()).unwrap()
}

/// The verdict on the certificate.
fn verdict(report: &VerifyReport) -> &VerifyCheck {
    report.checks.iter().find(|check| check.claim == "least blanks for 3-anonymity").unwrap()
}

#[test]
fn a_certificate_says_how_near_the_blanks_are_to_the_fewest() {
    let made = Made::new(|_| ());
    for job in [made.job(), made.plain()] {
        let report = run(&job);
        assert!(report.met, "{:?}", report.checks);
        let bound = report.bound.unwrap();
        assert!((bound.lower_bound - made.report.lower_bound).abs() < 1e-9);
        assert_eq!(bound.suppressed_cells, made.report.suppressed_cells);
        assert_eq!(Some(bound.gap), Some(made.report.gap));
        let claimed = job.claims_report.is_some().then_some(made.report.lower_bound);
        assert_eq!(bound.claimed_bound, claimed);
        let reason = &verdict(&report).reason;
        let least = format!("at least {} cells must go", made.report.lower_bound);
        assert!(reason.starts_with(&least), "{reason}");
    }
}

#[test]
fn costs_are_those_of_the_report_or_as_said() {
    let weights = [
        ("age".to_owned(), CellCost::Weight("2.5".parse().unwrap())),
        ("sex".to_owned(), CellCost::Never),
    ];
    let made = Made::new(|job| job.weights = weights.clone().into());
    let told = VerifyJob { weights: weights.clone().into(), ..made.plain() };
    for job in [made.job(), told] {
        let report = run(&job);
        assert!(report.met, "{:?}", report.checks);
        let bound = report.bound.unwrap();
        assert!((bound.lower_bound - made.report.lower_bound).abs() < 1e-9);
        assert!((bound.cost - made.report.cost).abs() < 1e-9);
        assert!(verdict(&report).reason.starts_with("what must go costs at least"));
    }
    // Nothing about blanks of a column that must stay.
    let kept = ("age".to_owned(), CellCost::Never);
    let report = run(&VerifyJob { weights: [kept].into(), ..made.plain() });
    let check = verdict(&report);
    assert!(!check.met && !check.decided && report.bound.is_none(), "{}", check.reason);
    let other = [("blood_group".to_owned(), CellCost::Never)];
    let error = VerifyJob { weights: other.into(), ..made.plain() }.run(&Run::new()).unwrap_err();
    assert_eq!(error.failure(), Failure::Usage);
}

#[test]
fn a_changed_certificate_proves_less_than_is_said() {
    let made = Made::new(|_| ());
    made.tamper(|lines| {
        for line in &mut lines[1..40] {
            let (row, multiplier) = line.split_once(',').unwrap();
            *line = format!("{row},{}", multiplier.parse::<u64>().unwrap() * 10 + 1);
        }
    });
    let report = run(&made.job());
    assert!(!report.met && !verdict(&report).met);
    let reason = &verdict(&report).reason;
    assert!(reason.contains("by the certificate, and the report says"), "{reason}");
    // Whatever the numbers are, what they prove is true.
    let alone = run(&made.plain()).bound.unwrap();
    assert!(alone.lower_bound < made.report.lower_bound);
}

#[test]
fn a_certificate_is_of_one_table() {
    let made = Made::new(|_| ());
    let other = Made::new(|job| {
        let Input::Path(path) = &job.input else { return };
        demo(path, 4);
    });
    let swapped = VerifyJob { certificate: other.job().certificate, ..made.job() };
    let report = run(&swapped);
    assert!(!report.met && !verdict(&report).met, "{}", verdict(&report).reason);

    let refused = |job: &VerifyJob| {
        let error = job.run(&Run::new()).unwrap_err();
        assert_eq!(error.failure(), Failure::Usage);
        error.to_string()
    };
    let whole = std::fs::read(made.path("proof.csv")).unwrap();
    made.tamper(|lines| _ = lines.pop());
    assert!(refused(&made.job()).contains("599 multipliers for 600 rows"));
    std::fs::write(made.path("proof.csv"), &whole).unwrap();
    made.tamper(|lines| _ = lines.remove(7));
    assert!(refused(&made.job()).contains("one after the other"));
    std::fs::write(made.path("proof.csv"), &whole).unwrap();
    made.tamper(|lines| lines[3] = "2,-5".into());
    assert!(refused(&made.job()).contains("whole numbers"));
    assert!(refused(&VerifyJob { original: None, ..made.job() }).contains("--original"));
    let nothing = VerifyJob { k: None, ..made.plain() };
    assert!(refused(&nothing).contains("`-k`"));
}

#[test]
fn other_releases_are_not_what_the_bound_is_about() {
    let made = Made::new(|_| ());
    // Without any blank: fewer than must go.
    let text = std::fs::read_to_string(made.path("original.csv")).unwrap();
    let mut rows: Vec<&str> = text.lines().skip(1).collect();
    rows.sort_unstable();
    let shown = [text.lines().next().unwrap()].into_iter().chain(rows.iter().copied());
    let shown: Vec<&str> = shown.collect();
    std::fs::write(made.path("release.csv"), shown.join("\n")).unwrap();
    let report = run(&made.plain());
    let check = verdict(&report);
    assert!(!check.met && check.decided, "{}", check.reason);
    assert!(check.reason.ends_with("less than any release with that k"), "{}", check.reason);
    // Fewer rows need fewer blanks.
    std::fs::write(made.path("release.csv"), shown[..500].join("\n")).unwrap();
    let report = run(&made.plain());
    assert!(!verdict(&report).met && !verdict(&report).decided && report.bound.is_none());
}

#[test]
fn withheld_cells_are_true_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("original.csv");
    demo(&original, 5);
    let memory = Memory::new();
    let mut places = vec![Destination::Memory(memory.clone())];
    places.extend(
        ["r.csv", "r.parquet", "r.arrow"].map(|name| Destination::named(folder.path().join(name))),
    );
    for to in places {
        let mut job = SuppressJob::new(Input::named(&original), K);
        job.read.null = vec![String::new()];
        job.roles = QUASI.map(|name| (name.to_owned(), Role::QuasiIdentifier)).into();
        job.output = Some(ReleaseOutput::new(to.clone()));
        let report = job.run(&Run::new()).unwrap();
        assert!(report.suppressed_cells > 0);
        let release = match &to {
            Destination::Path(path) => Input::named(path),
            _ => Input::Memory(memory.batches().unwrap()),
        };
        let mut judge = VerifyJob::new(release);
        judge.original = Some(Input::named(&original));
        judge.original_read = Some(job.read.clone());
        judge.read.null = vec![String::new()];
        judge.claims = report.claims.clone();
        let verdict = judge.run(&Run::new()).unwrap();
        assert!(verdict.met, "{to:?}: {:?}", verdict.checks);

        // People of another table are still nobody's.
        let other = folder.path().join("other.csv");
        demo(&other, 6);
        judge.original = Some(Input::named(&other));
        let verdict = judge.run(&Run::new()).unwrap();
        let truth = verdict.checks.iter().find(|own| own.claim == "truthful").unwrap();
        assert!(!truth.met, "{to:?}");
    }
}
