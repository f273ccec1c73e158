//! Attacks through the facade: which run, what they gain, and what defends.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use muslin::{
    AttackJob, AttackReport, AttackResult, BucketizeJob, CellCost, DemoData, Destination, Failure,
    HierarchySource, Input, Policy, ProtectJob, ReleaseOutput, Role, RowOrder, Run, Seed,
    SuppressJob, SuppressNotion, WriteOptions,
};
use tempfile::TempDir;

const QUASI: [&str; 4] = ["age", "sex", "marital_status", "education"];

fn hospital() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hospital.csv");
    let demo = DemoData::new(1_000, Seed::new(3));
    demo.write(&Destination::named(&path), &WriteOptions::default(), &Run::new()).unwrap();
    (folder, path)
}

fn to(path: &Path, order: RowOrder) -> ReleaseOutput {
    ReleaseOutput { order, ..ReleaseOutput::new(Destination::named(path)) }
}

fn found<'a>(report: &'a AttackReport, name: &str) -> &'a AttackResult {
    report.attacks.iter().find(|own| own.name == name).unwrap()
}

fn reason<'a>(report: &'a AttackReport, name: &str) -> &'a str {
    let own = report.skipped.iter().find(|own| own.name == name).unwrap();
    own.hint.as_ref().unwrap_or(&own.reason)
}

/// A run that draws the same each time, from a seed nobody guesses.
fn seeded() -> Run {
    Run::new().seed(Seed::new(0x9e37_79b9_7f4a_7c15))
}

/// A release of a file by suppression, in an order.
fn suppressed(path: &Path, change: impl Fn(&mut SuppressJob), order: RowOrder) -> PathBuf {
    let release = path.with_file_name("release.csv");
    let mut job = SuppressJob::new(Input::named(path), 3);
    job.roles = QUASI.map(|name| (name.to_owned(), Role::QuasiIdentifier)).into();
    job.roles.insert("name".into(), Role::Identifier);
    change(&mut job);
    job.output = Some(to(&release, order));
    job.run(&seeded()).unwrap();
    release
}

fn attack(release: &Path, original: &Path) -> AttackJob {
    let mut job = AttackJob::new(Input::named(release));
    job.original = Some(Input::named(original));
    job.quasi_identifiers = Some(QUASI.map(str::to_owned).into());
    job.k = Some(3);
    job.id = Some("patient_id".into());
    job
}

/// A folder with an original, and its path.
fn original(content: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("original.csv");
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

fn quasi(job: &mut SuppressJob, names: &[&str]) {
    job.roles = names.iter().map(|&name| (name.to_owned(), Role::QuasiIdentifier)).collect();
}

#[test]
fn robust_classes_leave_no_single_candidate() {
    // A fourth woman of the first town would have needed no blank.
    let people = "id,town,sex\na,1,F\nb,1,F\nc,2,M\nd,1,M\ne,2,M\nf,2,M\n";
    let (folder, path) = original(people);
    let naive = folder.path().join("naive.csv");
    std::fs::write(&naive, people.replace("1,M", "1,*")).unwrap();
    let attack = |release: &Path, notion: Option<SuppressNotion>| {
        let mut job = AttackJob::new(Input::named(release));
        job.original = Some(Input::named(&path));
        (job.k, job.notion) = (Some(2), notion);
        (job.id, job.quasi_identifiers) =
            (Some("id".into()), Some(vec!["town".into(), "sex".into()]));
        job.only = Some(vec!["disambiguation".into()]);
        job.run(&Run::new()).unwrap()
    };
    let report = attack(&naive, Some(SuppressNotion::Ambiguity));
    let before = found(&report, "disambiguation");
    assert_eq!((before.targets, before.certain, before.right), (1, 1, Some(1)));
    assert!(before.finding && !report.met);
    let robust = |job: &mut SuppressJob| {
        quasi(job, &["town", "sex"]);
        (job.k, job.robust) = (2, true);
    };
    let release = suppressed(&path, robust, RowOrder::AsRead);
    let report = attack(&release, None);
    let after = found(&report, "disambiguation");
    assert!(after.targets > before.targets && report.met, "{after:?}");
    assert_eq!((after.certain, after.guessed), (0, 0));
}

#[test]
fn minimal_classes_of_real_looking_data_are_certain_of_nothing() {
    let (_folder, path) = hospital();
    for robust in [false, true] {
        let release = suppressed(&path, |job| job.robust = robust, RowOrder::AsRead);
        let report = attack(&release, &path).run(&Run::new()).unwrap();
        let own = found(&report, "disambiguation");
        assert!(own.targets > 500, "{own:?}");
        assert_eq!((own.certain, own.guessed), (0, 0));
    }
}

/// People in the order of their towns, which tell the regions. A few have rare jobs.
fn towns() -> String {
    let row = |at: usize| {
        let town = at / 15;
        let job = if at % 15 == 7 { format!("rare{}", town % 3) } else { "common".into() };
        format!("p{at},t{town},r{},{job}\n", town / 5)
    };
    "patient_id,town,region,job\n".to_owned() + &(0..300).map(row).collect::<String>()
}

#[test]
fn closed_blanks_are_not_refilled() {
    let (folder, path) = original(&towns());
    let columns = ["town", "region", "job"];
    let dependencies = |release: &Path| {
        let mut job = attack(release, &path);
        job.quasi_identifiers = Some(columns.map(str::to_owned).into());
        job.run(&Run::new()).unwrap()
    };
    // Somebody withholds the regions of rare people, and leaves their towns.
    let naive = folder.path().join("naive.csv");
    let blank = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
        [id, town, _, job] if job.starts_with("rare") => format!("{id},{town},*,{job}\n"),
        _ => format!("{line}\n"),
    };
    std::fs::write(&naive, towns().lines().map(blank).collect::<String>()).unwrap();
    let report = dependencies(&naive);
    let before = found(&report, "dependencies");
    assert_eq!((before.targets, before.certain, before.success), (20, 20, Some(1.0)));
    let closed = |job: &mut SuppressJob| {
        quasi(job, &columns);
        job.closed = true;
    };
    let release = suppressed(&path, closed, RowOrder::AsRead);
    let report = dependencies(&release);
    let after = found(&report, "dependencies");
    assert!(after.targets >= 20, "{after:?}");
    assert!(after.success.unwrap_or(0.0) < 0.5, "{after:?}");
}

#[test]
fn other_orders_hide_neighbours_and_small_seeds_undo_them() {
    let (_folder, path) = original(&towns());
    let report = |order: RowOrder| {
        let change = |job: &mut SuppressJob| {
            quasi(job, &["town", "job"]);
            job.weights.insert("town".into(), CellCost::Weight("0.1".parse().unwrap()));
        };
        let release = suppressed(&path, change, order);
        let mut job = attack(&release, &path);
        job.quasi_identifiers = Some(vec!["town".into(), "job".into()]);
        job.run(&Run::new()).unwrap()
    };
    let right = |report: &AttackReport| found(report, "row-order").right.unwrap();
    let (as_read, sorted) = (report(RowOrder::AsRead), report(RowOrder::Sorted));
    let shuffled = report(RowOrder::Shuffled);
    let seeded = report(RowOrder::Seeded(Seed::new(77)));
    assert_eq!(right(&as_read), 20, "each has the town of those above and below");
    assert!(found(&as_read, "row-order").finding);
    assert!(right(&shuffled) < 10 && right(&seeded) < 10 && right(&sorted) <= right(&as_read));
    // The seed is one of a thousand.
    assert_eq!((found(&seeded, "seed").success, found(&seeded, "seed").certain), (Some(1.0), 300));
    assert_eq!((found(&shuffled, "seed").certain, found(&as_read, "seed").certain), (0, 0));
}

#[test]
fn buckets_are_attacked_and_people_looked_up() {
    let (folder, path) = hospital();
    let release = folder.path().join("buckets.csv");
    let mut job = BucketizeJob::new(Input::named(&path), 2);
    job.sensitive = Some("blood_group".into());
    job.roles.insert("name".into(), Role::Identifier);
    job.roles.insert("patient_id".into(), Role::Identifier);
    job.output = Some(to(&release, RowOrder::Shuffled));
    job.run(&seeded()).unwrap();
    let mut attack = AttackJob::new(Input::named(&release));
    attack.sensitive = Some("blood_group".into());
    attack.quasi_identifiers = Some(QUASI.map(str::to_owned).into());
    let alone = attack.run(&Run::new()).unwrap();
    assert!(reason(&alone, "seed").contains("--original"), "{alone:?}");
    assert_eq!(found(&alone, "homogeneity").certain, 0, "two values in each bucket");
    attack.original = Some(Input::named(&path));
    attack.aux = Some(Input::named(&path));
    attack.previous = Some(Input::named(&release));
    attack.id = Some("patient_id".into());
    let report = attack.run(&Run::new()).unwrap();
    assert!(found(&report, "definetti").scored > 900, "{:?}", found(&report, "definetti"));
    // A person whose values are known is in sight.
    assert!(reason(&report, "membership").contains("row by row"), "{report:?}");
    let linked = found(&report, "linkage");
    assert!(linked.certain > 0 && linked.right == Some(linked.scored), "{linked:?}");
    // The same release twice tells no more than once.
    let twice = found(&report, "composition");
    assert_eq!(twice.success, twice.baseline, "{twice:?}");
    assert_eq!(found(&report, "seed").guessed, 0);
    assert_eq!(report.worst.as_deref().map(|name| found(&report, name).finding), Some(true));
}

#[test]
fn a_release_of_two_tables_is_attacked_as_one() {
    let (folder, path) = hospital();
    let [release, values] = ["rows.csv", "values.csv"].map(|name| folder.path().join(name));
    let mut job = BucketizeJob::new(Input::named(&path), 2);
    job.sensitive = Some("blood_group".into());
    job.roles = ["name", "patient_id"].map(|name| (name.to_owned(), Role::Identifier)).into();
    job.output = Some(to(&release, RowOrder::Shuffled));
    job.sensitive_output = Some(to(&values, RowOrder::Sorted));
    job.run(&seeded()).unwrap();
    let mut attack = AttackJob::new(Input::named(&release));
    attack.quasi_identifiers = Some(QUASI.map(str::to_owned).into());
    attack.sensitive_table = Some(Input::named(&values));
    let error = attack.run(&Run::new()).unwrap_err();
    assert!(error.to_string().contains("--sensitive NAME"), "{error}");
    attack.sensitive = Some("blood_group".into());
    for original in [None, Some(Input::named(&path))] {
        attack.original = original;
        let report = attack.run(&Run::new()).unwrap();
        let own = found(&report, "homogeneity");
        // No value is that of more than every second row of a bucket.
        assert_eq!((own.targets, own.certain), (1_000, 0));
        assert!(own.success.unwrap() <= 0.5, "{own:?}");
        let guessed = found(&report, "definetti");
        assert_eq!(guessed.success.is_some(), attack.original.is_some());
    }
    // Without the second table there is nothing to learn.
    attack.sensitive_table = None;
    assert!(attack.run(&Run::new()).is_err());
}

#[test]
fn people_are_looked_up_in_labels_of_a_hierarchy() {
    let (folder, people) = original("id,job\na,nurse\nb,doctor\nc,baker\nd,miller\n");
    let release = folder.path().join("release.csv");
    std::fs::write(&release, "job,pay\nhealth,1\nhealth,2\nbaker,3\ntrade,4\n").unwrap();
    let tree = folder.path().join("jobs.csv");
    let lines = "nurse,health,*\ndoctor,health,*\nbaker,trade,*\nmiller,trade,*\n";
    std::fs::write(&tree, lines).unwrap();
    let mut job = AttackJob::new(Input::named(&release));
    (job.aux, job.on) = (Some(Input::named(&people)), vec!["job".into()]);
    job.only = Some(vec!["linkage".into()]);
    let by = |job: &AttackJob| {
        let report = job.run(&Run::new()).unwrap();
        let own = found(&report, "linkage");
        (own.certain, own.success)
    };
    // Labels that say nothing: only a baker is found.
    let plain = by(&job);
    job.hierarchies.set("job", HierarchySource::File(tree));
    // The miller fits the row of a trade alone, the others fit two rows each.
    let known = by(&job);
    assert_eq!((plain, known), ((1, Some(0.25)), (1, Some(0.625))));
}

#[test]
fn the_folder_of_a_protected_release_says_how_it_was_made() {
    let (folder, path) = hospital();
    let policy = r#"
schema = 1
[input]
null = [""]
only = ["patient_id", "age", "sex", "marital_status", "education", "diagnosis_group"]
[columns]
patient_id.role = "identifier"
age.role = "quasi-identifier"
sex.role = "quasi-identifier"
marital_status.role = "quasi-identifier"
education.role = "quasi-identifier"
diagnosis_group.role = "sensitive"
[release]
k = 4
accept = ["disambiguation"]
[protect]
methods = ["suppress"]
"#;
    let output = folder.path().join("release");
    let policy = Policy::parse("muslin.toml", policy).unwrap();
    ProtectJob::new(Input::named(&path), policy, output.clone()).run(&seeded()).unwrap();
    // Neither k nor columns are named.
    let report = AttackJob::new(Input::named(&output)).run(&Run::new()).unwrap();
    assert_eq!(report.quasi_identifiers, QUASI);
    let own = found(&report, "disambiguation");
    assert!(own.knows.contains("4 rows") && own.targets > 0, "{own:?}");
    assert_eq!((own.certain, report.rows), (0, 1_000));
    // What the job says wins.
    let mut job = AttackJob::new(Input::named(&output));
    (job.k, job.sensitive) = (Some(2), Some("diagnosis_group".into()));
    let report = job.run(&Run::new()).unwrap();
    assert!(found(&report, "disambiguation").knows.contains("2 rows"));
    assert_eq!(found(&report, "homogeneity").targets, 1_000);
}

#[test]
fn what_is_not_there_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.csv");
    std::fs::write(&file, "age,town\n30,A\n30,A\n*,B\n*,B\n").unwrap();
    let job = AttackJob::new(Input::named(&file));
    let report = job.run(&Run::new()).unwrap();
    let mut names: Vec<&str> = report.attacks.iter().map(|own| own.name.as_str()).collect();
    names.extend(report.skipped.iter().map(|own| own.name.as_str()));
    names.sort_unstable();
    let mut all = AttackJob::NAMES;
    all.sort_unstable();
    assert_eq!(names, all);
    let passes = [
        ("disambiguation", "-k"),
        ("homogeneity", "--sensitive"),
        ("definetti", "--bucket"),
        ("linkage", "--aux"),
        ("composition", "--previous"),
        ("seed", "--original"),
    ];
    for (name, flag) in passes {
        assert!(reason(&report, name).contains(flag), "{name}");
    }
    let mut only = job.clone();
    only.only = Some(vec!["row-order".into()]);
    let report = only.run(&Run::new()).unwrap();
    assert_eq!((report.attacks.len(), report.skipped.len()), (1, 0));
    assert!(report.met);
    only.only = Some(vec!["magic".into()]);
    assert_eq!(only.run(&Run::new()).unwrap_err().failure(), Failure::Usage);
    only = job;
    only.max_advantage = f64::NAN;
    assert_eq!(only.run(&Run::new()).unwrap_err().failure(), Failure::Usage);
}
