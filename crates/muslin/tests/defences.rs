//! What each defence takes from the attack that it is for: the same job without it and with it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use muslin::{
    AttackJob, AttackResult, DemoData, Destination, Distance, GeneralizeJob, Input, ReleaseOutput,
    Role, RowOrder, Run, Seed, Spread, SpreadSetting, SuppressJob, SuppressNotion, WriteOptions,
};
use tempfile::TempDir;

fn hospital(rows: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hospital.csv");
    let demo = DemoData::new(rows, Seed::new(3));
    demo.write(&Destination::named(&path), &WriteOptions::default(), &Run::new()).unwrap();
    (folder, path)
}

fn to(path: &Path, order: RowOrder) -> ReleaseOutput {
    ReleaseOutput { order, ..ReleaseOutput::new(Destination::named(path)) }
}

/// What one attack does to a release.
fn attacked(job: &AttackJob, name: &str) -> AttackResult {
    let job = AttackJob { only: Some(vec![name.to_owned()]), ..job.clone() };
    let report = job.run(&Run::new()).unwrap();
    report.attacks.into_iter().next().unwrap_or_else(|| panic!("{:?}", report.skipped))
}

/// Releases of a file by suppression with k, and how they are attacked.
struct Bench<'a> {
    path: &'a Path,
    quasi: &'a [&'a str],
    id: &'a str,
    k: u32,
}

impl Bench<'_> {
    fn job(&self) -> SuppressJob {
        let mut job = SuppressJob::new(Input::named(self.path), self.k);
        let quasi = self.quasi.iter().map(|&name| (name.to_owned(), Role::QuasiIdentifier));
        job.roles = quasi.collect();
        job
    }

    fn attack(&self, job: SuppressJob) -> AttackJob {
        self.attack_in(job, RowOrder::AsRead)
    }

    /// Nothing where there is no such release.
    fn try_attack(&self, job: SuppressJob) -> Option<AttackJob> {
        job.run(&Run::new()).ok().map(|_| self.attack(job))
    }

    fn attack_in(&self, mut job: SuppressJob, order: RowOrder) -> AttackJob {
        let release = self.path.with_file_name("release.csv");
        job.output = Some(to(&release, order));
        let run = Run::new().seed(Seed::new(0x9e37_79b9_7f4a_7c15));
        job.run(&run).unwrap();
        let mut attack = AttackJob::new(Input::named(&release));
        attack.original = Some(Input::named(self.path));
        attack.quasi_identifiers = Some(self.quasi.iter().map(|&name| name.to_owned()).collect());
        attack.id = Some(self.id.to_owned());
        (attack.k, attack.notion) = (Some(self.k), Some(job.notion));
        attack
    }
}

/// Tables of a dozen rows and three columns of two values or three, drawn by a seed.
fn small_table(seed: u64) -> String {
    let draw = |row: u64, of: u64, below: u64| Seed::new(seed).part(of).below(row, below);
    let rows = 6 + Seed::new(seed).part(9).below(0, 9);
    let row = |row: u64| {
        let [a, b, c] = [draw(row, 0, 2), draw(row, 1, 2), draw(row, 2, 3)];
        format!("p{row},a{a},b{b},c{c},s{}\n", draw(row, 3, 3))
    };
    "id,a,b,c,s\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn robust_classes_leave_no_single_candidate_in_small_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    let bench = Bench { path: &path, quasi: &["a", "b", "c"], id: "id", k: 2 };
    // Tables with a blank that has one candidate, such blanks, and those guessed rightly.
    let certain = |notion: SuppressNotion, is_diverse: bool, robust: bool| {
        let (mut tables, mut cells, mut right) = (0, 0, 0);
        for seed in 0..250 {
            std::fs::write(&path, small_table(seed)).unwrap();
            let mut job = bench.job();
            (job.notion, job.robust) = (notion, robust);
            job.diversity = is_diverse.then(|| ("s".to_owned(), 2));
            let Some(attack) = bench.try_attack(job) else { continue };
            let attack = AttackJob { only: Some(vec!["disambiguation".into()]), ..attack };
            for own in attack.run(&Run::new()).unwrap().attacks {
                tables += u64::from(own.certain > 0);
                (cells, right) = (cells + own.certain, right + own.right.unwrap());
            }
        }
        (tables, cells, right)
    };
    let weak = certain(SuppressNotion::Ambiguity, false, false);
    assert!(weak.0 > 30 && weak.2 == weak.1, "{weak:?}");
    // Classes that must be diverse may be larger than k, so that one could leave them.
    let diverse = certain(SuppressNotion::KAnonymity, true, false);
    assert!(diverse.0 > 0 && diverse.2 > 0, "{diverse:?}");
    for is_diverse in [false, true] {
        assert_eq!(certain(SuppressNotion::KAnonymity, is_diverse, true), (0, 0, 0));
    }
}

#[test]
fn closed_blanks_are_not_told_by_columns_that_make_no_classes() {
    let (_folder, path) = hospital(1_000);
    // Twenty postcodes are one town, and nobody calls them quasi-identifiers.
    let quasi = ["town", "sex", "marital_status"];
    let bench = Bench { path: &path, quasi: &quasi, id: "patient_id", k: 3 };
    let with = |closed: bool| {
        let mut job = bench.job();
        job.roles.insert("name".into(), Role::Identifier);
        job.closed = closed;
        attacked(&bench.attack(job), "dependencies")
    };
    let (before, after) = (with(false), with(true));
    assert!(before.certain > 50 && before.success == Some(1.0), "{before:?}");
    assert_eq!((after.certain, after.right), (0, Some(0)), "{after:?}");
    // The towns are as many as before, and no more postcodes than that were withheld.
    let targets = |own: &AttackResult, name: &str| {
        own.columns.iter().find(|own| own.name == name).map_or(0, |own| own.targets)
    };
    assert_eq!(targets(&after, "town"), targets(&before, "town"));
    assert_eq!((targets(&before, "postcode"), targets(&after, "postcode")), (0, before.certain));
    assert!(after.targets <= before.targets + before.certain + 5, "{after:?}");
}

#[test]
fn diverse_classes_give_nobody_away() {
    let (_folder, path) = hospital(1_000);
    let quasi = ["age", "sex", "marital_status", "education"];
    let bench = Bench { path: &path, quasi: &quasi, id: "patient_id", k: 2 };
    let with = |l: Option<u32>| {
        let mut job = bench.job();
        job.diversity = l.map(|l| ("diagnosis_group".to_owned(), l));
        job.roles.insert("diagnosis_group".into(), Role::Sensitive);
        let mut attack = bench.attack(job);
        attack.sensitive = Some("diagnosis_group".into());
        attacked(&attack, "homogeneity")
    };
    let (before, after) = (with(None), with(Some(2)));
    assert!(before.certain > 0 && after.certain == 0, "{before:?} {after:?}");
    assert!(after.success < before.success && after.advantage < before.advantage);
}

#[test]
fn close_classes_say_little_that_the_table_does_not() {
    let (folder, path) = hospital(1_000);
    let with = |t: Option<&str>| {
        let mut job = GeneralizeJob::new(Input::named(&path), 3);
        let quasi = ["age", "sex", "marital_status", "education"];
        job.roles = quasi.map(|name| (name.to_owned(), Role::QuasiIdentifier)).into();
        let (column, distance) = ("diagnosis_group".to_owned(), Distance::Equal);
        job.roles.insert(column.clone(), Role::Sensitive);
        let spread = |t: &str| Spread::Close { t: t.parse().unwrap(), distance };
        let setting = |t| SpreadSetting { column: column.clone(), spread: spread(t) };
        job.spreads = t.map(setting).into_iter().collect();
        let release = folder.path().join("release.csv");
        job.output = Some(to(&release, RowOrder::Shuffled));
        job.run(&Run::new().seed(Seed::new(5))).unwrap();
        let mut attack = AttackJob::new(Input::named(&release));
        attack.quasi_identifiers = Some(quasi.map(str::to_owned).into());
        attack.sensitive = Some(column.clone());
        attacked(&attack, "skewness")
    };
    let (before, after) = (with(None), with(Some("0.2")));
    assert!(after.success < before.success && after.advantage < before.advantage);
    assert!(after.advantage.unwrap() < before.advantage.unwrap() / 2.0);
}

/// People in the order of their towns. A few have rare jobs.
fn towns() -> String {
    let row = |at: usize| {
        let job = if at % 15 == 7 { format!("rare{}", at / 15 % 3) } else { "common".into() };
        format!("p{at},t{},{job}\n", at / 15)
    };
    "id,town,job\n".to_owned() + &(0..300).map(row).collect::<String>()
}

#[test]
fn shuffled_rows_have_no_neighbours_and_large_seeds_are_not_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    std::fs::write(&path, towns()).unwrap();
    let bench = Bench { path: &path, quasi: &["town", "job"], id: "id", k: 3 };
    let with = |order: RowOrder, name: &str| {
        let mut job = bench.job();
        job.weights =
            [("town".to_owned(), muslin::CellCost::Weight("0.1".parse().unwrap()))].into();
        attacked(&bench.attack_in(job, order), name)
    };
    // Shuffled by a seed that nobody guesses: the test draws the same each time.
    let unknown = RowOrder::Seeded(Seed::new(0x9e37_79b9_7f4a_7c15));
    let (before, after) = (with(RowOrder::AsRead, "row-order"), with(unknown, "row-order"));
    assert_eq!((before.right, before.success), (Some(20), Some(1.0)));
    assert!(after.right < Some(5) && before.finding && !after.finding, "{after:?}");
    let seeded = |seed: u64| with(RowOrder::Seeded(Seed::new(seed)), "seed");
    let (small, large) = (seeded(77), seeded(0x9e37_79b9_7f4a_7c15));
    assert_eq!((small.success, small.certain), (Some(1.0), 300));
    assert_eq!((large.guessed, large.certain), (0, 0));
}
