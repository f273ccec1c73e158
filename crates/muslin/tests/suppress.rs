//! Suppression through the facade: what is withheld, what is written, and what is refused.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use muslin::SuppressMethod::{A, B, C, D, Shortest};
use muslin::SuppressNotion::{Ambiguity, BothK, KAnonymity, KToOne, OneToK};
use muslin::{
    BrokenDependency, CellCost, CertificateCheck, DemoData, Destination, Failure, Input,
    ReadOptions, ReleaseOutput, Role, RowOrder, Run, Seed, SuppressJob, WriteOptions,
};
use tempfile::TempDir;

const QUASI: [&str; 4] = ["age", "sex", "marital_status", "education"];

/// A folder with a file of this content.
fn file(content: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

fn hospital() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hospital.tsv");
    let demo = DemoData::new(1_500, Seed::new(3));
    demo.write(&Destination::named(&path), &WriteOptions::default(), &Run::new()).unwrap();
    (folder, path)
}

fn job(path: &Path, k: u32) -> SuppressJob {
    let mut job = SuppressJob::new(Input::named(path), k);
    job.roles = QUASI.map(|name| (name.to_owned(), Role::QuasiIdentifier)).into();
    job.roles.insert("name".into(), Role::Identifier);
    job
}

fn to(path: &Path) -> ReleaseOutput {
    ReleaseOutput { order: RowOrder::AsRead, ..ReleaseOutput::new(Destination::named(path)) }
}

/// The lines of a file of plain fields.
fn lines(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn a_release_holds_what_the_report_says() {
    let (folder, path) = hospital();
    let release = folder.path().join("release.tsv");
    let mut job = job(&path, 4);
    job.read.null = vec![String::new()];
    job.diversity = Some(("blood_group".into(), 2));
    job.output = Some(to(&release));
    let report = job.run(&Run::new()).unwrap();
    let (before, after) = (lines(&path), lines(&release));
    assert_eq!(before.len(), after.len());
    let place = |table: &[Vec<String>], name: &str| table[0].iter().position(|n| n == name);
    assert_eq!(place(&after, "name"), None);
    // Every published cell is the original or `*`; what is no quasi-identifier is as it was.
    let mut blanks = 0;
    for name in &after[0] {
        let (old, new) = (place(&before, name).unwrap(), place(&after, name).unwrap());
        for (original, published) in before.iter().zip(&after).skip(1) {
            if published[new] != original[old] {
                assert!(published[new] == "*" && QUASI.contains(&name.as_str()));
                blanks += 1;
            }
        }
    }
    assert_eq!(blanks, report.suppressed_cells);
    // Classes of four, in which no blood group is that of more than half.
    let quasi: Vec<usize> = QUASI.map(|name| place(&after, name).unwrap()).to_vec();
    let group = place(&after, "blood_group").unwrap();
    let mut classes: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
    for row in &after[1..] {
        let key = quasi.iter().map(|&c| row[c].as_str()).collect();
        classes.entry(key).or_default().push(&row[group]);
    }
    for groups in classes.values() {
        let most = groups.iter().map(|g| groups.iter().filter(|h| *h == g).count()).max().unwrap();
        assert!(groups.len() >= 4 && most * 2 <= groups.len());
    }
    assert_eq!(
        report.notions.n6,
        Some(u32::try_from(classes.values().map(Vec::len).min().unwrap()).unwrap())
    );
    assert!(report.notions_before.n6.unwrap() < 4 && report.matched_once == 0);
    assert!(report.lower_bound <= report.cost && report.written.is_some());
}

#[test]
fn a_certificate_proves_the_bound_from_the_table_alone() {
    let (folder, path) = hospital();
    let proof = folder.path().join("proof.csv");
    let mut job = job(&path, 3);
    job.weights = [
        ("age".to_owned(), CellCost::Weight("2.5".parse().unwrap())),
        ("sex".to_owned(), CellCost::Never),
    ]
    .into();
    job.certificate = Some(to(&proof));
    let report = job.run(&Run::new()).unwrap();
    assert!(report.bound_checked && report.lower_bound > 0.0);
    assert_eq!(report.columns.iter().find(|c| c.name == "sex").unwrap().suppressed, 0);
    let one = CellCost::Weight("1".parse().unwrap());
    let cost = |name: &str| job.weights.get(name).copied().unwrap_or(one);
    let check = CertificateCheck {
        original: Input::named(&path),
        read: ReadOptions::default(),
        certificate: Input::named(&proof),
        columns: QUASI.map(|name| (name.to_owned(), cost(name))).to_vec(),
        k: 3,
    };
    assert!((check.bound(&Run::new()).unwrap() - report.lower_bound).abs() < 1e-9);
    // Multipliers for other costs prove something else, and never an error of ours.
    let cheaper =
        CertificateCheck { columns: QUASI.map(|name| (name.to_owned(), one)).to_vec(), ..check };
    assert!(cheaper.bound(&Run::new()).unwrap() < report.lower_bound);
}

#[test]
fn costs_of_a_policy_are_those_of_flags_for_columns_that_lose_cells() {
    let (_folder, path) = hospital();
    let mut by_flags = job(&path, 3);
    let mut by_policy = by_flags.clone();
    let dear = CellCost::Weight("4".parse().unwrap());
    let cheap = CellCost::Weight("0.5".parse().unwrap());
    by_flags.weights.extend([("age".into(), cheap), ("sex".into(), dear)]);
    by_policy.costs.extend([("age".into(), cheap), ("sex".into(), CellCost::Never)]);
    // What loses no cells anyway is passed over, and a flag wins.
    by_policy.costs.insert("diagnosis_group".into(), dear);
    by_policy.weights.insert("sex".into(), dear);
    let [flags, policy] = [by_flags, by_policy].map(|job| job.run(&Run::new()).unwrap());
    assert_eq!(policy.columns, flags.columns);
    assert_eq!(policy.cost.to_bits(), flags.cost.to_bits());
}

#[test]
fn a_ledger_says_what_each_blank_breaks() {
    let (folder, path) = file("age,town\n30,A\n30,B\n40,C\n40,D\n");
    let ledger = folder.path().join("ledger.csv");
    let mut job = SuppressJob::new(Input::named(&path), 2);
    job.ledger = Some(to(&ledger));
    let report = job.run(&Run::new()).unwrap();
    assert_eq!((report.suppressed_cells, report.optimal), (4, true));
    let text = std::fs::read_to_string(&ledger).unwrap();
    // A town is one row's.
    assert_eq!(
        text,
        "row,column,breaks,rows_holding_it\n0,town,town,1\n1,town,town,1\n2,town,town,1\n3,town,town,1\n"
    );
}

#[test]
fn a_ledger_names_minimal_sets_whatever_the_method() {
    let mut state = 7u64;
    let mut draw = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 3
    };
    let mut lines = 0;
    for _ in 0..40 {
        let rows: Vec<[u64; 3]> = (0..8).map(|_| [draw(), draw(), draw()]).collect();
        let lines_of: Vec<String> = rows.iter().map(|[a, b, c]| format!("{a},{b},{c}")).collect();
        let (folder, path) = file(&format!("c0,c1,c2\n{}\n", lines_of.join("\n")));
        let ledger = folder.path().join("ledger.csv");
        let mut job = SuppressJob::new(Input::named(&path), 3);
        (job.notion, job.method, job.ledger) = (Ambiguity, Some(C), Some(to(&ledger)));
        job.run(&Run::new()).unwrap();
        // How many rows have the row's values in these columns.
        let holders = |row: usize, set: &[usize]| {
            rows.iter().filter(|other| set.iter().all(|&at| other[at] == rows[row][at])).count()
        };
        for line in std::fs::read_to_string(&ledger).unwrap().lines().skip(1) {
            let line = line.replace('"', "");
            let [row, column, breaks, held] = line.split(',').collect::<Vec<_>>()[..] else {
                panic!("four fields")
            };
            let number = |name: &str| name.trim_start_matches('c').parse::<usize>().unwrap();
            let set: Vec<usize> =
                breaks.split('|').filter(|name| !name.is_empty()).map(number).collect();
            if set.is_empty() {
                continue;
            }
            lines += 1;
            let row: usize = row.parse().unwrap();
            assert!(set.contains(&number(column)), "{line}");
            assert_eq!(holders(row, &set).to_string(), held, "{line}");
            assert!(holders(row, &set) < 3, "{line}");
            for leave in &set {
                let less: Vec<usize> = set.iter().copied().filter(|at| at != leave).collect();
                assert!(holders(row, &less) >= 3, "{line}: fewer columns are enough");
            }
        }
    }
    assert!(lines > 40, "{lines} lines were looked at");
}

#[test]
fn weaker_notions_cost_less() {
    let (_folder, path) = hospital();
    let cost = |notion| {
        let mut job = job(&path, 3);
        job.notion = notion;
        let report = job.run(&Run::new()).unwrap();
        assert!(report.lower_bound <= report.cost, "{notion:?}");
        report.cost
    };
    let [weak, one, rows, both, equal] = [Ambiguity, OneToK, KToOne, BothK, KAnonymity].map(cost);
    assert!(weak <= one && one <= both && rows <= both && both <= equal);
}

#[test]
fn the_papers_methods_are_those_of_its_tables() {
    let (_folder, path) = file("a,b,c\n1,1,2\n3,1,1\n3,2,2\n1,1,2\n");
    let cells = |method| {
        let mut job = SuppressJob::new(Input::named(&path), 2);
        (job.notion, job.method) = (Ambiguity, method);
        job.run(&Run::new()).unwrap().suppressed_cells
    };
    let found = [A, B, C, D, Shortest].map(|method| cells(Some(method)));
    assert_eq!(found, [3, 2, 3, 4, 3]);
    assert_eq!(cells(None), 2);
}

#[test]
fn dependencies_are_broken() {
    let (_folder, path) = file("age,town,ill\n30,A,y\n40,A,n\n30,B,y\n40,B,n\n");
    let mut job = SuppressJob::new(Input::named(&path), 2);
    job.notion = Ambiguity;
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let dependency = |one| BrokenDependency {
        from: names(&["age", "town"]),
        to: names(&["ill"]),
        one_counterexample: one,
    };
    job.dependency = Some(dependency(true));
    assert_eq!(job.run(&Run::new()).unwrap().suppressed_cells, 1);
    job.dependency = Some(dependency(false));
    assert!(job.run(&Run::new()).unwrap().suppressed_cells >= 2);
}

#[test]
fn what_cannot_be_reached_writes_nothing() {
    let (folder, path) = file("age,town\n30,A\n30,B\n40,C\n");
    let release = folder.path().join("release.csv");
    let refused = |change: &dyn Fn(&mut SuppressJob)| {
        let mut job = SuppressJob::new(Input::named(&path), 2);
        job.output = Some(to(&release));
        change(&mut job);
        let error = job.run(&Run::new()).unwrap_err();
        assert!(!release.exists());
        error.failure()
    };
    assert_eq!(refused(&|job| job.k = 4), Failure::Unreachable);
    let never = |job: &mut SuppressJob| {
        job.weights = [("town".to_owned(), CellCost::Never)].into();
    };
    assert_eq!(refused(&never), Failure::Unreachable);
    let budget = |job: &mut SuppressJob| job.budgets = [("town".to_owned(), 1)].into();
    assert_eq!(refused(&budget), Failure::Unreachable);
    let diverse = |job: &mut SuppressJob| job.diversity = Some(("age".into(), 3));
    assert_eq!(refused(&diverse), Failure::Unreachable);
    assert_eq!(refused(&|job| job.method = Some(C)), Failure::Usage);
    assert_eq!(refused(&|job| job.k = 1), Failure::Usage);
}
