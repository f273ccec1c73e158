//! From a policy to a release that was judged.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use muslin::{
    AttackJob, DemoData, Destination, DiffJob, DiffReport, Failure, Input, Manifest, Policy,
    ProtectJob, ProtectReport, Role, Run, Seed, VerifyJob, WriteOptions,
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

/// Time for every candidate of a plan, however busy the machine is.
const PLENTY: Duration = Duration::from_secs(3_600);

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
        assert!(report.verification.met);
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

    let rare = bench
        .run("[release]\npreset = 'hdx-3pct'\npopulation = 'table'\naccept = ['downcoding']\n");
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
    let (failure, text) = refused("[release]\npreset = 'hdx-3pct'\naccept = ['downcoding']\n");
    assert!(failure == Failure::Usage && text.contains("release.population"), "{text}");
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

/// People whose quasi-identifiers have missing cells, and a policy that suppresses cells.
fn gaps(folder: &Path, format: &str, suppressed: f64) -> ProtectJob {
    let input = folder.join("gaps.csv");
    let row = |at: u64| {
        let pick = |seed: u64, values: &[&str]| {
            let drawn = Seed::new(seed).below(at, values.len() as u64);
            values[usize::try_from(drawn).unwrap()].to_owned()
        };
        let age = pick(1, &["20", "30", "40", "50", ""]);
        let town = pick(2, &["Aa", "Bb", "Cc", "unknown"]);
        let sex = pick(3, &["F", "M", ""]);
        let illness = pick(4, &["flu", "cold", "gout"]);
        format!("{age},{town},{sex},{illness}\n")
    };
    let text = "age,town,sex,illness\n".to_owned() + &(0..60).map(row).collect::<String>();
    std::fs::write(&input, text).unwrap();
    let policy = format!(
        "schema = 1\n[input]\nnull = ['', 'unknown']\n[columns]\nage.role = 'quasi-identifier'\ntown.role = 'quasi-identifier'\nsex.role = 'quasi-identifier'\nillness.role = 'sensitive'\n[release]\nk = 3\nformat = '{format}'\naccept = ['disambiguation']\n[protect]\nmethods = ['suppress']\n[limits]\nsuppressed = {suppressed}\n"
    );
    let policy = Policy::parse("muslin.toml", &policy).unwrap();
    let read = policy.to_read_options();
    let roles = policy.roles();
    let name = folder.join(format!("{format}-{suppressed}"));
    let mut job = ProtectJob::new(Input::named(&input), policy, name);
    (job.read, job.roles, job.seed) = (read, roles, Some(Seed::new(5)));
    job
}

#[test]
fn a_release_loses_the_same_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let made = |format: &str| {
        let job = gaps(folder.path(), format, 0.9);
        let report = job.run(&Run::new()).unwrap();
        let mut diff = DiffJob::new(job.input.clone(), Input::named(&job.output));
        diff.roles.clone_from(&job.roles);
        // The manifest says how the original spells missing.
        let lost = diff.run(&Run::new()).unwrap();
        let mut attack = AttackJob::new(Input::named(&job.output));
        attack.original = Some(job.input.clone());
        attack.roles.clone_from(&job.roles);
        let attacked = attack.run(&Run::new()).unwrap();
        let found = attacked.attacks.into_iter().find(|own| own.name == "disambiguation").unwrap();
        (report, lost, (found.targets, found.certain, found.note), job.output)
    };
    let (report, lost, attacked, output) = made("csv");
    let cells: u64 = report.steps.iter().map(|step| step.suppressed_cells).sum();
    assert!(cells > 0);
    assert_eq!(lost.suppression.suppressed_cells, cells);
    assert!(!output.join("suppressed.csv").exists());
    let figures = |lost: &DiffReport| {
        let columns = lost.columns.iter().map(|own| (own.suppressed_share, own.ncp));
        let figures = [
            lost.loss.gcp,
            lost.loss.entropy_bits,
            lost.association.ratio.unwrap(),
            lost.kl.nats.unwrap(),
            lost.queries.median.unwrap(),
            lost.classes.discernibility,
        ];
        (lost.suppression.suppressed_cells, figures, columns.collect::<Vec<_>>())
    };
    for format in ["parquet", "arrow"] {
        let (of_types, typed, found, output) = made(format);
        assert_eq!(of_types.loss, report.loss, "{format}");
        assert_eq!(figures(&typed), figures(&lost), "{format}");
        assert_eq!(found, attacked, "{format}");
        let manifest: Manifest =
            serde_json::from_slice(&std::fs::read(output.join("manifest.json")).unwrap()).unwrap();
        let beside = manifest.suppressed.unwrap();
        assert!(output.join(&beside).exists() && manifest.files.iter().any(|f| f.name == beside));
        // What is beside the data is judged with it.
        let mut verify = VerifyJob::new(Input::named(&output));
        verify.original = Some(Input::named(folder.path().join("gaps.csv")));
        verify.read.csv.header = Some(true);
        let seen = verify.run(&Run::new()).unwrap();
        assert!(seen.met, "{format}: {:?}", seen.checks);
    }
    // So limits are those of every format, too.
    let share = report.loss.suppressed_share;
    for format in ["csv", "parquet", "arrow"] {
        let error = gaps(folder.path(), format, share - 0.001).run(&Run::new()).unwrap_err();
        assert!(error.to_string().contains("limits.suppressed"), "{format}: {error}");
    }
}

#[test]
fn a_folder_says_how_its_original_spells_missing() {
    let folder = tempfile::tempdir().unwrap();
    let job = gaps(folder.path(), "csv", 0.9);
    job.run(&Run::new()).unwrap();
    let mut verify = VerifyJob::new(Input::named(&job.output));
    verify.original = Some(job.input.clone());
    verify.read.csv.header = Some(true);
    let seen = verify.run(&Run::new()).unwrap();
    assert!(seen.met, "{:?}", seen.checks);
}

#[test]
fn no_column_is_released_undecided() {
    let bench = Bench::new(300);
    let end = "[release]\nk = 3\naccept = ['downcoding']\n";
    let job = |from: &str, to: &str, more: &str| {
        let mut job = bench.job(end, "release");
        let text = job.policy_text.clone().unwrap().replace(from, to) + more;
        job.policy = Policy::parse("muslin.toml", &text).unwrap();
        job.roles = job.policy.roles();
        job
    };
    // One that the policy calls undecided, and one that it does not name at all.
    let said = job(
        "[columns.sex]\nrole = \"quasi-identifier\"",
        "[columns.sex]\nrole = \"undecided\"",
        "",
    );
    let silent = job("[columns.sex]\nrole = \"quasi-identifier\"", "", "");
    for refused in [said, silent] {
        for error in [
            refused.run(&Run::new()).unwrap_err(),
            refused.rehearse(&Run::new()).unwrap_err(),
            refused.plan(&[3], PLENTY, &Run::new()).unwrap_err(),
        ] {
            assert_eq!(error.failure(), Failure::Usage);
            let text = error.to_string();
            assert!(text.contains("`sex`") && text.contains("[columns.sex]"), "{text}");
            assert!(!text.contains("`age`"), "{text}");
        }
        assert!(!bench.folder.path().join("release").exists());
    }
    // What the policy says of all columns that it does not name is said.
    let other = job("[columns.sex]\nrole = \"quasi-identifier\"", "", "undeclared = 'other'\n");
    let report = other.run(&Run::new()).unwrap();
    assert!(report.columns.contains(&"sex".to_owned()));
    assert!(!report.quasi_identifiers.contains(&"sex".to_owned()));
    assert!(
        report.choices.iter().any(|own| own.contains("column sex is not named")),
        "{:?}",
        report.choices
    );
}

#[test]
fn weights_and_numbers_of_persons_are_published_on_request_alone() {
    let bench = Bench::new(300);
    for role in ["weight", "unit", "household"] {
        for (publish, is_there) in
            [("", false), ("publish = false\n", false), ("publish = true\n", true)]
        {
            let mut job = bench.job("[release]\nk = 3\naccept = ['downcoding']\n", "release");
            let text = job.policy_text.clone().unwrap().replace(
                "[columns.education]\nrole = \"quasi-identifier\"",
                &format!("[columns.education]\nrole = \"{role}\"\n{publish}"),
            );
            job.policy = Policy::parse("muslin.toml", &text).unwrap();
            job.roles = job.policy.roles();
            let report = job.run(&Run::new()).unwrap();
            assert_eq!(
                report.columns.contains(&"education".to_owned()),
                is_there,
                "{role} {publish}"
            );
            assert!(!report.quasi_identifiers.contains(&"education".to_owned()));
            let said = report
                .choices
                .iter()
                .any(|own| own.contains("`education` is") && own.contains("publish = true"));
            assert_eq!(said, !is_there, "{:?}", report.choices);
            let data = std::fs::read_to_string(job.output.join("data.csv")).unwrap();
            assert_eq!(data.lines().next().unwrap().contains("education"), is_there);
        }
    }
}

/// A folder with a file of this content.
fn small(content: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

fn policy(text: &str) -> Policy {
    let mut policy = Policy::parse("muslin.toml", &format!("schema = 1\n{text}")).unwrap();
    policy.release.undeclared = Some(Role::QuasiIdentifier);
    policy
}

#[test]
fn a_plan_judges_what_protect_judges() {
    let (folder, path) = small("age,ill\n20,flu\n20,flu\n30,cold\n30,flu\n");
    let columns = "[columns.age]\nrole = 'quasi-identifier'\n[columns.ill]\nrole = 'sensitive'\n";
    for spread in ["diversity = 'distinct:2'", "closeness = '0.1'", "diversity = '2'"] {
        let own = policy(&format!("{columns}{spread}\n"));
        let job = ProtectJob::new(Input::named(&path), own, folder.path().join("release"));
        let plan = job.plan(&[2], PLENTY, &Run::new()).unwrap();
        for candidate in &plan.candidates {
            // What a candidate stands for is what `protect` then makes, or refuses.
            let own = policy(&format!("{}\n{columns}{spread}\n", candidate.toml));
            let job = ProtectJob::new(Input::named(&path), own, folder.path().join("release"));
            let label = format!("{spread}: {}\n{}", candidate.method, candidate.toml);
            match (job.run(&Run::new()), &candidate.failed) {
                (Ok(report), None) => {
                    assert!((report.loss.gcp - candidate.loss).abs() < 1e-9, "{label}");
                }
                (Err(error), Some(_)) => {
                    assert_eq!(error.failure(), Failure::Unreachable, "{label}");
                }
                (made, said) => panic!("{label}: {said:?}, {:?}", made.map(|own| own.loss)),
            }
        }
        let suppressed = plan.candidates.last().unwrap();
        if spread == "diversity = 'distinct:2'" {
            let why = suppressed.failed.as_deref().unwrap();
            assert!(why.contains("distinct 2-diversity of `ill`"), "{why}");
            assert!(!suppressed.best);
        }
    }
}

#[test]
fn candidates_are_what_their_lines_make() {
    let bench = Bench::new(400);
    let job = bench.job("[release]\nk = 3\norder = 'sorted'\n[[release.combination]]\ncolumns = ['age', 'sex']\nk = 6\n#DIVERSITYdiversity = '2'\n", "release");
    let plan = job.plan(&[3, 8], PLENTY, &Run::new()).unwrap();
    assert_eq!(plan.candidates.len(), 10);
    for candidate in &plan.candidates {
        let lines = format!("{}\n#DIVERSITYdiversity = '2'\n", candidate.toml);
        let made = bench.job(&lines, "release").run(&Run::new());
        let label = format!("{}, k = {}:\n{}", candidate.method, candidate.k, candidate.toml);
        assert!(candidate.toml.contains("columns = [\"age\", \"sex\"]"), "{label}");
        match (made, &candidate.failed) {
            (Ok(report), None) => {
                let own = &report.steps.last().unwrap().report["loss"]["gcp"];
                let loss = own.as_f64().unwrap_or(report.loss.gcp);
                assert!((loss - candidate.loss).abs() < 1e-9, "{label}");
                let smallest = report.claims[0].k.unwrap();
                assert!(candidate.highest_risk <= 1.0 / f64::from(smallest) + 1e-12, "{label}");
            }
            (Err(error), Some(_)) => assert_eq!(error.failure(), Failure::Unreachable, "{label}"),
            (made, said) => panic!("{label}: {said:?}, {:?}", made.map(|own| own.loss)),
        }
    }
}

#[test]
fn masking_spares_what_costs_more_and_never_what_must_stay() {
    // Each pair of columns has four classes of eight rows, all three have eight.
    let rows: Vec<String> =
        (0..8).map(|n| format!("{},{},{}", n & 1, n >> 1 & 1, n >> 2)).collect();
    let (folder, path) = small(&format!("a,b,c\n{}\n", rows.join("\n")));
    let masked = |columns: &str| {
        let text = format!("{columns}\n[protect]\nmethods = ['mask']\nmask.beta = 0.5\n");
        let job =
            ProtectJob::new(Input::named(&path), policy(&text), folder.path().join("release"));
        job.run(&Run::new()).unwrap().steps[0].masked.clone()
    };
    for name in ["a", "b", "c"] {
        let others: Vec<&str> = ["a", "b", "c"].into_iter().filter(|own| *own != name).collect();
        let [one, other] = others[..] else { panic!("two others") };
        let dear = format!("[columns.{one}]\nweight = 3\n[columns.{other}]\nweight = 3\n");
        assert_eq!(masked(&dear), [name]);
        let never =
            format!("[columns.{one}]\nweight = 'never'\n[columns.{other}]\nweight = 'never'");
        assert_eq!(masked(&never), [name]);
    }
}

#[test]
fn slices_that_share_a_column_are_protected_and_verified() {
    let rows =
        ["30,f,1,flu", "31,m,1,gout", "40,f,2,flu", "41,m,2,gout", "50,f,1,cold", "51,m,2,flu"];
    let (folder, path) = small(&format!("age,sex,zip,ill\n{}\n", rows.join("\n")));
    let columns = "[columns.ill]\nrole = 'sensitive'\n";
    let text = "[release]\naccept = ['definetti']\n[protect]\nmethods = ['slice']\nslice.l = 2\nslice.slices = [['age', 'sex'], ['sex', 'zip'], ['ill']]\n";
    let with = |more: &str| {
        let own = policy(&format!("{text}{more}{columns}"));
        ProtectJob::new(Input::named(&path), own, folder.path().join("release"))
    };
    let report = with("").run(&Run::new()).unwrap();
    let checks: Vec<&str> =
        report.verification.checks.iter().map(|check| check.claim.as_str()).collect();
    assert!(checks.contains(&"truthful") && checks[0].contains("2-diverse slicing"), "{checks:?}");
    assert!(report.verification.met && report.loss.counts_off.is_none());
    assert!(report.warnings.iter().any(|own| own.contains("slices share columns")));
    let summary = std::fs::read_to_string(folder.path().join("release/summary.md")).unwrap();
    assert!(summary.contains("counting queries: not measured"), "{summary}");
    // Its owner verifies the folder, and a lie in it is seen.
    let data = folder.path().join("release/data.csv");
    let verify = || {
        let mut job = VerifyJob::new(Input::named(&data));
        job.original = Some(Input::named(&path));
        job.claims.clone_from(&report.claims);
        job.read.csv.header = Some(true);
        job.run(&Run::new()).unwrap()
    };
    assert!(verify().met);
    let lie = std::fs::read_to_string(&data).unwrap().replacen("30,f", "30,m", 1);
    std::fs::write(&data, lie).unwrap();
    let seen = verify();
    let truthful = seen.checks.iter().find(|check| check.claim == "truthful").unwrap();
    assert!(!truthful.met);
    // A limit that cannot be checked is not kept.
    std::fs::remove_dir_all(folder.path().join("release")).unwrap();
    let error = with("[limits]\ncounts_off = 1.0\n").run(&Run::new()).unwrap_err();
    assert!(error.to_string().contains("limits.counts_off"), "{error}");
}

#[test]
fn nothing_in_the_folder_names_where_it_was_made() {
    let bench = Bench::new(200);
    let mut job = bench.job("[release]\nk = 3\naccept = ['downcoding']\n", "release");
    job.seed = Some(Seed::new(1));
    job.run(&Run::new()).unwrap();
    let internal = job.output.join("internal");
    for (name, bytes) in files(&job.output).into_iter().chain(files(&internal)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains(".muslin-"), "{name} names the temporary folder");
    }
    let lost: serde_json::Value = serde_json::from_slice(&files(&internal)["diff.json"]).unwrap();
    assert_eq!(lost["release"]["file"], "data.csv");
}

#[test]
fn buckets_promise_no_more_than_they_have() {
    let (folder, path) = small("age,ill\n20,flu\n21,gout\n30,cold\n30,flu\n");
    let run = |spread: &str, method: &str| {
        let text = format!(
            "[release]\naccept = ['definetti']\n[protect]\nmethods = ['{method}']\n{method}.l = 2\n[columns.ill]\nrole = 'sensitive'\n{spread}\n"
        );
        ProtectJob::new(Input::named(&path), policy(&text), folder.path().join("release"))
            .run(&Run::new())
    };
    for method in ["bucketize", "slice"] {
        for spread in ["diversity = 'distinct:2'", "closeness = '0.5'"] {
            let error = run(spread, method).unwrap_err();
            let key = spread.split(' ').next().unwrap();
            assert!(error.to_string().contains(&format!("`columns.ill.{key}`")), "{error}");
        }
        // Of two diversities the larger holds.
        let error = run("diversity = '3'", method).unwrap_err();
        assert_eq!(error.failure(), Failure::Unreachable, "{error}");
    }
}
