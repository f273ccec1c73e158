//! Bucketization through the facade: the published table, two tables that join back, what is refused.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use muslin::{
    BucketMethod, BucketizeJob, Destination, Failure, Input, ReleaseOutput, Role, RowOrder, Run,
    Seed,
};
use muslin_testkit::published::LAVANYA_TABLE_A;
use tempfile::TempDir;

const METHODS: [BucketMethod; 2] = [BucketMethod::Anatomy, BucketMethod::Mondrian];

/// A folder with table (a) of Lavanya and Srinivas and names.
fn table_a() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let mut text = String::from("name,Age,Sex,Zipcode,Disease\n");
    for (at, row) in LAVANYA_TABLE_A.iter().enumerate() {
        writeln!(text, "p{at},{}", row.join(",")).unwrap();
    }
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

/// A table whose rows are sorted by the sensitive column.
fn sorted_by_value(rows: usize) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.csv");
    let line = |row: usize| format!("{},{},v{}\n", row * 7_919 % rows, row % 3, row * 10 / rows);
    let text = std::iter::once("a,b,s\n".to_owned()).chain((0..rows).map(line));
    std::fs::write(&path, text.collect::<String>()).unwrap();
    (folder, path)
}

fn job(path: &Path, method: BucketMethod) -> BucketizeJob {
    let mut job = BucketizeJob::new(Input::named(path), 2);
    job.sensitive = Some("Disease".into());
    job.roles = [("name".to_owned(), Role::Identifier)].into();
    job.method = method;
    job
}

fn to(path: &Path, order: RowOrder) -> ReleaseOutput {
    ReleaseOutput { order, ..ReleaseOutput::new(Destination::named(path)) }
}

/// The lines of a file of plain fields, without the header.
fn lines(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Sorted values by bucket.
fn by_bucket(pairs: impl Iterator<Item = (String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    pairs.for_each(|(bucket, value)| of.entry(bucket).or_default().push(value));
    of.values_mut().for_each(|values| values.sort());
    of
}

/// The diseases that the rows of each bucket really have: rows are told apart by all but the disease.
fn real(rows: &[Vec<String>]) -> BTreeMap<String, Vec<String>> {
    let disease = |row: &[String]| {
        let is_same = |own: &&[&str; 4]| own[..3].iter().zip(row).all(|(a, b)| a == b);
        LAVANYA_TABLE_A.iter().find(is_same).unwrap()[3].to_owned()
    };
    by_bucket(rows.iter().map(|row| (row.last().unwrap().clone(), disease(row))))
}

fn is_diverse(of: &BTreeMap<String, Vec<String>>, l: usize) -> bool {
    of.values().all(|values| {
        let most = values.chunk_by(|a, b| a == b).map(<[String]>::len).max().unwrap();
        most * l <= values.len()
    })
}

#[test]
fn the_published_table_is_as_diverse_as_in_the_paper() {
    let (folder, path) = table_a();
    let release = folder.path().join("r.csv");
    for (method, order) in [
        (BucketMethod::Mondrian, RowOrder::Shuffled),
        (BucketMethod::Anatomy, RowOrder::Shuffled),
        (BucketMethod::Mondrian, RowOrder::AsRead),
        (BucketMethod::Anatomy, RowOrder::Seeded(Seed::new(4))),
        (BucketMethod::Anatomy, RowOrder::Sorted),
    ] {
        let mut job = job(&path, method);
        job.output = Some(to(&release, order));
        let report = job.run(&Run::new()).unwrap();
        let rows = lines(&release);
        assert_eq!((rows.len(), rows[0].len()), (8, 5));
        let published = by_bucket(rows.iter().map(|row| (row[4].clone(), row[3].clone())));
        assert_eq!(published, real(&rows));
        assert!(is_diverse(&published, 2));
        assert_eq!(report.buckets, published.len() as u64);
        assert_eq!((report.l, report.effective_l, report.feasible_l), (2, Some(2), Some(2)));
        assert_eq!(report.quasi_identifiers, ["Age", "Sex", "Zipcode"]);
        assert_eq!(report.identifiers_dropped, ["name"]);
        let claim = &report.claims[0];
        assert_eq!((claim.claim.as_str(), claim.l), ("probabilistic-l-diversity", Some(2)));
        assert_eq!(claim.bucket.as_deref(), Some("bucket"));
        assert_eq!(claim.slices.as_ref().unwrap()[1], ["Disease"]);
        // Four buckets of two are as diverse as the paper's two of four, and tell more about the rest.
        assert_eq!((report.buckets, report.smallest, report.largest), (4, Some(2), Some(2)));
        assert!((report.loss.rce - report.loss.rce_bound).abs() < 1e-12);
        if order == RowOrder::AsRead {
            let ages: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
            assert_eq!(ages, LAVANYA_TABLE_A.map(|row| row[0]));
        }
        assert_eq!(
            report.warnings.is_empty(),
            order == RowOrder::Shuffled,
            "{:?}",
            report.warnings
        );
    }
}

#[test]
fn two_tables_join_back() {
    let (folder, path) = table_a();
    let [rows, values] = ["rows.csv", "values.csv"].map(|name| folder.path().join(name));
    for method in METHODS {
        let mut job = job(&path, method);
        job.bucket_name = "rows".into();
        job.output = Some(to(&rows, RowOrder::Shuffled));
        job.sensitive_output = Some(to(&values, RowOrder::Shuffled));
        let report = job.run(&Run::new()).unwrap();
        assert!(report.written.is_some() && report.sensitive_written.is_some());
        let text = std::fs::read_to_string(&values).unwrap();
        assert!(text.starts_with("rows,Disease,row_count\n"), "{text}");
        assert!(std::fs::read_to_string(&rows).unwrap().starts_with("Age,Sex,Zipcode,rows\n"));
        let listed = lines(&values).into_iter().flat_map(|line| {
            let count: usize = line[2].parse().unwrap();
            std::iter::repeat_n((line[0].clone(), line[1].clone()), count)
        });
        let listed = by_bucket(listed);
        assert_eq!(listed, real(&lines(&rows)));
        assert!(is_diverse(&listed, 2));
    }
}

#[test]
fn an_l_that_is_too_much_is_out_of_reach_and_nothing_is_written() {
    let (folder, path) = table_a();
    let release = folder.path().join("r.csv");
    let mut job = job(&path, BucketMethod::Anatomy);
    (job.l, job.output) = (3, Some(to(&release, RowOrder::Shuffled)));
    let error = job.run(&Run::new()).unwrap_err();
    assert_eq!(error.failure(), Failure::Unreachable);
    assert!(error.to_string().contains("an l of 2 at most"), "{error}");
    assert!(!release.exists());
    for (wrong, text) in [
        (BucketizeJob { l: 1, ..job.clone() }, "below 2"),
        (
            BucketizeJob {
                l: 2,
                output: None,
                sensitive_output: job.output.clone(),
                ..job.clone()
            },
            "-o",
        ),
        (BucketizeJob { l: 2, sensitive: Some("name".into()), ..job.clone() }, "withheld"),
        (BucketizeJob { l: 2, bucket_name: "Age".into(), ..job.clone() }, "another name"),
    ] {
        let error = wrong.run(&Run::new()).unwrap_err();
        assert_eq!(error.failure(), Failure::Usage);
        assert!(error.to_string().contains(text), "{error}");
    }
    let one_place = BucketizeJob { l: 2, sensitive_output: job.output.clone(), ..job.clone() };
    let error = one_place.run(&Run::new()).unwrap_err();
    assert_eq!(error.failure(), Failure::Output, "{error}");
}

#[test]
fn sorted_releases_are_the_same_and_drawn_ones_are_not() {
    let (folder, path) = sorted_by_value(600);
    let bytes = |method: BucketMethod, order: RowOrder, threads: usize| {
        let release = folder.path().join("r.csv");
        let mut job = BucketizeJob::new(Input::named(&path), 5);
        job.sensitive = Some("s".into());
        (job.method, job.output) = (method, Some(to(&release, order)));
        job.run(&Run::new().threads(threads).unwrap()).unwrap();
        std::fs::read(&release).unwrap()
    };
    let seeded = RowOrder::Seeded(Seed::new(8));
    for method in METHODS {
        assert_eq!(bytes(method, RowOrder::Sorted, 1), bytes(method, RowOrder::Sorted, 3));
        assert_eq!(bytes(method, seeded, 1), bytes(method, seeded, 3));
        for order in [RowOrder::Shuffled, RowOrder::AsRead] {
            assert_ne!(bytes(method, order, 2), bytes(method, order, 2), "{method:?} {order:?}");
        }
    }
}

#[test]
fn no_order_tells_who_has_which_value() {
    let (folder, path) = sorted_by_value(600);
    let release = folder.path().join("r.csv");
    let real: BTreeMap<String, String> =
        lines(&path).into_iter().map(|row| (row[0].clone(), row[2].clone())).collect();
    for method in METHODS {
        for order in [RowOrder::Sorted, RowOrder::AsRead, RowOrder::Shuffled] {
            let mut job = BucketizeJob::new(Input::named(&path), 5);
            job.sensitive = Some("s".into());
            (job.method, job.output) = (method, Some(to(&release, order)));
            job.run(&Run::new()).unwrap();
            // By chance one in five or fewer.
            let told = lines(&release).iter().filter(|row| real[&row[0]] == row[2]).count();
            assert!(told < 200, "{told} {method:?} {order:?}");
        }
    }
}

#[test]
fn other_sensitive_columns_are_warned_about() {
    let (_folder, path) = table_a();
    let mut job = job(&path, BucketMethod::Anatomy);
    job.roles.insert("Zipcode".into(), Role::Sensitive);
    let report = job.run(&Run::new()).unwrap();
    assert!(report.warnings[0].contains("Zipcode"), "{:?}", report.warnings);
    assert_eq!(report.quasi_identifiers, ["Age", "Sex"]);
    assert_eq!(report.unmeasured, ["Zipcode"]);
}

#[test]
fn odd_tables_have_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.csv");
    for (content, buckets) in [("a,s\n", 0), ("s\nx\ny\n", 1), ("a,s\n1,\n1,x\n,\n2,y\n", 2)] {
        std::fs::write(&path, content).unwrap();
        let mut job = BucketizeJob::new(Input::named(&path), 2);
        job.sensitive = Some("s".into());
        job.read.null = vec![String::new()];
        job.output = Some(to(&folder.path().join("r.csv"), RowOrder::Shuffled));
        job.sensitive_output = Some(to(&folder.path().join("v.csv"), RowOrder::Shuffled));
        // A table of nothing but the sensitive column has a release of buckets.
        assert_eq!(job.run(&Run::new()).unwrap().buckets, buckets, "{content:?}");
    }
}
