//! Certificates of suppressions, judged from the original and the release.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use muslin::{
    CellCost, DemoData, Destination, Failure, Input, MaskJob, Measure, Memory, Policy,
    ReleaseOutput, ReportText, Role, RowOrder, Run, Seed, SpreadSetting, SuppressJob,
    SuppressReport, Target, VerifyCheck, VerifyJob, VerifyReport, WriteOptions,
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

fn texts<const COUNT: usize>(files: [(&str, &str); COUNT]) -> (TempDir, [PathBuf; COUNT]) {
    let folder = tempfile::tempdir().unwrap();
    let paths = files.map(|(name, text)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    });
    (folder, paths)
}

fn plain(release: &Path) -> VerifyJob {
    let mut job = VerifyJob::new(Input::named(release));
    job.read.csv.header = Some(true);
    job
}

fn spread(text: &str) -> Vec<SpreadSetting> {
    vec![SpreadSetting::diversity("dis", text).unwrap()]
}

#[test]
fn a_column_that_is_not_published_shows_nothing() {
    let (_folder, [release]) = texts([("r.csv", "c0,dis\n1,a\n1,b\n2,a\n2,b\n")]);
    let judge = |columns: &str, k: u32| {
        let text = format!(
            "schema = 1\n[release]\n[[release.combination]]\ncolumns = [{columns}]\nk = {k}\n"
        );
        let mut job = plain(&release);
        job.claims = Policy::parse("muslin.toml", &text).unwrap().claims();
        run(&job).checks.remove(0)
    };
    let met = judge("'c1', 'c0'", 2);
    assert!(met.met && met.decided, "{}", met.reason);
    assert_eq!(met.columns, ["c0"]);
    assert_eq!(met.reason, "the smallest class has 2 rows; not published: c1");
    let not_met = judge("'c1', 'c0'", 3);
    assert!(!not_met.met && not_met.decided, "{}", not_met.reason);
    assert!(judge("'c1', 'c2'", 3).met);
}

#[test]
fn sensitive_values_are_counted_in_buckets_where_there_are_buckets() {
    let text = "age,sex,dis,bucket\n20,F,flu,1\n30,M,gout,1\n40,F,flu,2\n50,M,cold,2\n";
    let (_folder, [release]) = texts([("r.csv", text)]);
    let mut job = plain(&release);
    (job.sensitive, job.bucket) = (Some("dis".into()), Some("bucket".into()));
    job.spreads = spread("2");
    let report = run(&job);
    assert!(report.met, "{:?}", report.checks);
    assert_eq!(report.checks[0].reason, "the largest share of a value is 0.5000");
    assert_eq!(report.checks[0].columns, ["bucket"]);
    // Nobody knows the number of a bucket.
    assert_eq!(report.quasi_identifiers, ["age", "sex"]);
    job.spreads = spread("3");
    let report = run(&job);
    assert!(!report.met && report.checks[0].decided);
    // Without buckets, each row is a class of its own.
    job.bucket = None;
    job.spreads = spread("2");
    assert_eq!(run(&job).checks[0].reason, "the largest share of a value is 1.0000");
    job.bucket = Some("none".into());
    assert_eq!(job.run(&Run::new()).unwrap_err().failure(), Failure::Usage);
}

#[test]
fn shares_are_not_compared_with_an_original_that_lacks_a_value() {
    let original = "age,dis\n20,flu\n20,gout\n30,flu\n30,gout\n";
    let lie = "age,dis\n20,flu\n20,cold\n30,flu\n30,gout\n";
    let (_folder, [original, release]) = texts([("o.csv", original), ("r.csv", lie)]);
    let mut job = plain(&release);
    job.original = Some(Input::named(&original));
    job.spreads =
        vec![SpreadSetting::closeness("dis", "ordered:0.6").unwrap(), spread("2").remove(0)];
    let report = run(&job);
    assert_eq!(report.original_rows, Some(4));
    let close = &report.checks[0];
    assert!(!close.met && !close.decided);
    assert_eq!(
        close.reason,
        "shares cannot be compared with the original's: dis has values that the original lacks"
    );
    // What is about the release alone is judged all the same.
    assert!(report.checks[1].met, "{}", report.checks[1].reason);
    assert!(report.checks.iter().any(|check| check.claim == "truthful" && !check.met));
    // A lie in another column leaves the shares as they are.
    std::fs::write(&release, "age,dis\n20,flu\n20,gout\n31,flu\n31,gout\n").unwrap();
    let report = run(&job);
    assert!(report.checks[0].met, "{}", report.checks[0].reason);
    assert_eq!(report.checks[0].reason, "the farthest class is at a distance of 0.0000");
}

#[test]
fn a_release_without_rows_meets_what_is_asked_of_classes() {
    let original = "age,dis\n20,1\n30,2\n";
    let (_folder, [original, release]) = texts([("o.csv", original), ("r.csv", "age,dis\n")]);
    let mut job = plain(&release);
    job.original = Some(Input::named(&original));
    job.k = Some(2);
    job.spreads = spread("2");
    job.spreads.push(SpreadSetting::closeness("dis", "0.2").unwrap());
    let report = run(&job);
    assert!(report.met, "{:?}", report.checks);
    assert!(report.checks[..3].iter().all(|check| check.reason == "there are no rows"));
}

#[test]
fn a_ratio_is_judged_by_every_digit_of_its_claim() {
    let (folder, [path]) = texts([("p.csv", "a,b\n1,1\n1,2\n2,1\n1,1\n")]);
    // Five of six pairs are separated.
    for (beta, publishes) in [
        ("0.8333333333333334", 2),
        ("0.83333333333333334", 2),
        ("0.833333333333333334", 2),
        ("0.833333333333333333", 1),
        ("0.8333333333333333", 1),
    ] {
        let target = Target::new(Measure::Separation, beta.parse().unwrap());
        let mut mask = MaskJob::new(Input::named(&path), target);
        let release = folder.path().join("r.csv");
        mask.output = Some(ReleaseOutput::new(Destination::named(&release)));
        let made = mask.run(&Run::new()).unwrap();
        assert_eq!(made.publish.len(), publishes, "{beta}");
        let text = serde_json::to_string(&made).unwrap();
        let mut job = plain(&release);
        job.claims_report = Some(ReportText::Text(text.clone()));
        let report = run(&job);
        assert!(report.met, "{beta}: {:?}", report.checks);
        // Both columns, whatever was allowed: 5/6 is above the smaller thresholds by less than 1e-16.
        let both = folder.path().join("both.csv");
        std::fs::write(&both, std::fs::read_to_string(&path).unwrap()).unwrap();
        let columns = format!("\"columns\":[\"{}\"]", made.publish.join("\",\""));
        assert!(text.contains(&columns), "{text}");
        let bold = text.replace(&columns, "\"columns\":[\"a\",\"b\"]");
        let mut job = plain(&both);
        job.claims_report = Some(ReportText::Text(bold));
        let found = run(&job).checks.remove(0);
        assert_eq!(found.met, publishes == 2, "{beta}: {}", found.reason);
    }
}

#[test]
fn a_number_that_was_read_as_text_is_named_as_the_cause() {
    let original = "age,dis\n20,flu\n-,gout\n25,flu\n30,flu\n";
    let release = "age,dis\n[20-30],flu\n,gout\n[20-30],flu\n[20-30],flu\n";
    let (_folder, [original, release]) = texts([("o.csv", original), ("r.csv", release)]);
    let mut job = plain(&release);
    job.original = Some(Input::named(&original));
    let report = run(&job);
    let check = report.checks.iter().find(|check| check.claim == "truthful").unwrap();
    assert!(!check.met && check.reason.contains("pass `--null`"), "{}", check.reason);
    job.read.null = vec!["-".into()];
    let report = run(&job);
    let check = report.checks.iter().find(|check| check.claim == "truthful").unwrap();
    assert!(check.met, "{}", check.reason);
}

#[test]
fn rows_that_lie_where_they_were_by_chance_are_no_finding() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, values: &[String]| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("v\n{}\n", values.join("\n"))).unwrap();
        path
    };
    let order = |original: &[String], release: &[String]| {
        let mut job = VerifyJob::new(Input::named(write("r.csv", release)));
        job.original = Some(Input::named(write("o.csv", original)));
        job.read.csv.header = Some(true);
        let report = job.run(&Run::new()).unwrap();
        report.checks.into_iter().find(|own| own.claim == "hygiene: order").unwrap().met
    };
    // Twelve of each of two values: of all orders, one in fifty has as many in place.
    let blocks = |sizes: &[usize]| -> Vec<String> {
        let both = ["a", "b"].into_iter().cycle();
        both.zip(sizes).flat_map(|(value, &rows)| vec![value.to_owned(); rows]).collect()
    };
    assert!(order(&blocks(&[12, 12]), &blocks(&[10, 2, 2, 10])));
    // Rows that differ are not in their order by chance.
    let distinct: Vec<String> = (0..24).map(|row| format!("v{}", row * 7 % 24)).collect();
    assert!(!order(&distinct, &distinct));
    let mut turned = distinct.clone();
    turned.reverse();
    assert!(order(&distinct, &turned));
}
