//! From a policy to a release that was judged.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use muslin::{
    DemoData, Destination, Failure, Input, Manifest, Policy, ProtectJob, ProtectReport, Run, Seed,
    VerifyJob, WriteOptions,
};
use tempfile::TempDir;

const COLUMNS: &str = r#"
schema = 1
[input]
null = [""]
only = ["patient_id", "age", "sex", "marital_status", "education", "diagnosis_group"]
[columns.patient_id]
role = "identifier"
[columns.age]
role = "quasi-identifier"
hierarchy.widths = [5, 10, 20]
[columns.sex]
role = "quasi-identifier"
[columns.marital_status]
role = "quasi-identifier"
[columns.education]
role = "quasi-identifier"
[columns.diagnosis_group]
role = "sensitive"
#DIVERSITY
"#;

struct Bench {
    folder: TempDir,
    input: PathBuf,
}

impl Bench {
    fn new(rows: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("people.csv");
        let demo = DemoData::new(rows, Seed::new(21));
        demo.write(&Destination::named(&input), &WriteOptions::default(), &Run::new()).unwrap();
        Self { folder, input }
    }

    fn job(&self, policy: &str, name: &str) -> ProtectJob {
        let (policy, diversity) = policy.split_once("#DIVERSITY").unwrap_or((policy, ""));
        let text = format!("{}{policy}", COLUMNS.replace("#DIVERSITY", diversity));
        let policy = Policy::parse("muslin.toml", &text).unwrap();
        let mut job =
            ProtectJob::new(Input::named(&self.input), policy, self.folder.path().join(name));
        job.policy_text = Some(text);
        job
    }

    fn run(&self, policy: &str) -> ProtectReport {
        let job = self.job(policy, "release");
        let report = job.run(&Run::new()).unwrap();
        // The folder is judged as whoever gets it would, and as its owner would.
        let mut verify = VerifyJob::new(Input::named(&job.output));
        verify.read.csv.header = Some(true);
        let seen = verify.run(&Run::new()).unwrap();
        assert!(seen.met, "{:?}", seen.checks);
        assert!(report.verdict.met);
        report
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let plain = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let named = |entry: std::fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
    };
    plain.map(named).collect()
}

fn names(report: &ProtectReport) -> Vec<String> {
    report.claims.iter().map(muslin::Claim::name).collect()
}

#[test]
fn every_method_makes_what_its_policy_asks_for() {
    let bench = Bench::new(600);
    let generalized = bench
        .run("[release]\nk = 4\naccept = ['downcoding']\n[protect]\nmethods = ['generalize']\n");
    assert_eq!(names(&generalized), ["4-anonymity"]);
    assert!(!generalized.columns.contains(&"patient_id".to_owned()));

    let levels = "[release]\npreset = 'ihsn-3'\naccept = ['disambiguation']\n[protect]\nmethods = ['generalize', 'suppress']\ngeneralize.levels = { age = 3 }\n";
    let recoded = bench.run(levels);
    assert_eq!(names(&recoded), ["3-anonymity"]);
    assert!(recoded.steps[1].suppressed_cells > 0);
    assert!(recoded.preset.unwrap().contains("World Bank"));

    let combined = bench.run("[release]\nk = 2\naccept = ['disambiguation']\n[[release.combination]]\ncolumns = ['age', 'sex']\nk = 6\n[[release.combination]]\ncolumns = ['sex', 'education']\nk = 9\n[protect]\nmethods = ['suppress']\n");
    assert_eq!(names(&combined), ["2-anonymity", "6-anonymity", "9-anonymity"]);
    let ledger = bench.folder.path().join("release/internal/ledger.csv");
    let lines = std::fs::read_to_string(ledger).unwrap().lines().count() as u64;
    let cells: u64 = combined.steps.iter().map(|step| step.suppressed_cells).sum();
    assert_eq!(lines, 1 + 1 + cells);

    let masked =
        bench.run("[protect]\nmethods = ['mask']\nmask.beta = 0.1\n[utility]\nkeep = ['sex']\n");
    assert_eq!(names(&masked), ["distinct-ratio"]);
    assert!(masked.columns.contains(&"sex".to_owned()));

    for method in ["bucketize", "slice"] {
        let policy = format!(
            "[release]\naccept = ['definetti']\n[protect]\nmethods = ['{method}']\n{method}.l = 3\n"
        );
        let report = bench.run(&policy);
        assert_eq!(report.claims.len(), 1);
        assert!(report.columns.contains(&"bucket".to_owned()));
    }

    let diverse = bench.run("[release]\nk = 3\naccept = ['disambiguation']\n[protect]\nmethods = ['suppress']\n#DIVERSITYdiversity = '2'\n");
    assert_eq!(names(&diverse), ["3-anonymity", "probabilistic 2-diversity of `diagnosis_group`"]);

    let rare = bench.run("[release]\npreset = 'hdx-3pct'\naccept = ['downcoding']\n");
    assert_eq!(names(&rare), ["distinct-ratio"]);
}

#[test]
fn the_same_seed_makes_the_same_bytes_on_any_number_of_threads() {
    let bench = Bench::new(500);
    for (method, setting) in [
        ("generalize", "k = 4\naccept = ['downcoding']\n[protect]\nmethods = ['generalize']"),
        (
            "bucketize",
            "accept = ['definetti']\nformat = 'parquet'\n[protect]\nmethods = ['bucketize']\nbucketize.l = 3",
        ),
        ("slice", "accept = ['definetti']\n[protect]\nmethods = ['slice']\nslice.l = 2"),
    ] {
        let policy = format!("[release]\n{setting}\n");
        let make = |name: &str, threads: usize, seed: Option<u64>| {
            let mut job = bench.job(&policy, name);
            job.seed = seed.map(Seed::new);
            job.run(&Run::new().threads(threads).unwrap()).unwrap();
            files(&job.output)
        };
        let seeded = [1, 2, 4].map(|threads| make("seeded", threads, Some(7)));
        assert!(seeded[0] == seeded[1] && seeded[1] == seeded[2], "{method}");
        let drawn = [1, 1].map(|threads| make("drawn", threads, None));
        let data = if method == "bucketize" { "data.parquet" } else { "data.csv" };
        assert_ne!(drawn[0][data], drawn[1][data], "{method}");
        let manifest: Manifest = serde_json::from_slice(&seeded[0]["manifest.json"]).unwrap();
        assert!(manifest.reproducible && manifest.policy_sha256.is_some());
    }
}

#[test]
fn what_cannot_be_made_leaves_nothing_behind() {
    let bench = Bench::new(300);
    let refused = |policy: &str| {
        let error = bench.job(policy, "release").run(&Run::new()).unwrap_err();
        assert!(!bench.folder.path().join("release").exists());
        assert_eq!(std::fs::read_dir(bench.folder.path()).unwrap().count(), 1);
        (error.failure(), error.to_string())
    };
    let (failure, text) = refused("[release]\nk = 5\n");
    assert!(
        failure == Failure::Usage && text.contains("release.accept = [\"downcoding\"]"),
        "{text}"
    );
    let (failure, text) =
        refused("[release]\nk = 5\naccept = ['downcoding']\n[limits]\ngcp = 0.001\n");
    assert!(failure == Failure::Unreachable && text.contains("limits.gcp"), "{text}");
    let (failure, text) = refused("[release]\nk = 50\n[protect]\nmethods = ['mask']\n");
    assert!(failure == Failure::Unreachable && text.contains("50-anonymity"), "{text}");
    let (failure, text) = refused(
        "[release]\naccept = ['definetti', 'downcoding']\nk = 3\n[protect]\nmethods = ['slice', 'generalize']\n",
    );
    assert!(failure == Failure::Usage && text.contains("at the end"), "{text}");
    let (failure, _) = refused("[release]\naccept = ['downcoding']\n");
    assert_eq!(failure, Failure::Usage);
    let (failure, text) = refused(
        "[release]\nk = 3\naccept = ['downcoding']\n[[release.combination]]\ncolumns = ['agee']\nk = 5\n",
    );
    assert!(failure == Failure::Usage && text.contains("agee"), "{text}");
}

#[test]
fn only_releases_are_replaced() {
    let bench = Bench::new(200);
    let policy = "[release]\nk = 3\naccept = ['downcoding']\n";
    let job = bench.job(policy, "release");
    std::fs::create_dir(&job.output).unwrap();
    std::fs::write(job.output.join("thesis.txt"), "mine").unwrap();
    let error = job.run(&Run::new()).unwrap_err();
    assert_eq!(error.failure(), Failure::Output);
    assert_eq!(std::fs::read_to_string(job.output.join("thesis.txt")).unwrap(), "mine");
    std::fs::remove_file(job.output.join("thesis.txt")).unwrap();
    job.run(&Run::new()).unwrap();
    job.run(&Run::new()).unwrap();
    assert_eq!(std::fs::read_dir(bench.folder.path()).unwrap().count(), 2);
}
