//! Slicing through the facade: the published table, releases read back, what is refused.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use muslin::{
    DemoData, Destination, Failure, Input, ReleaseOutput, Role, RowOrder, Run, Seed, SliceCheck,
    SliceJob, SliceSetting, WriteOptions,
};
use muslin_testkit::published::{LAVANYA_SLICES_E, LAVANYA_SLICES_F, LAVANYA_TABLE_A};
use tempfile::TempDir;

fn table_a() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let lines = LAVANYA_TABLE_A.iter().map(|row| row.join(",") + "\n");
    let header = "Age,Sex,Zipcode,Disease\n".to_owned();
    std::fs::write(&path, std::iter::once(header).chain(lines).collect::<String>()).unwrap();
    (folder, path)
}

fn given(slices: &[&[&str]]) -> SliceSetting {
    let names = |slice: &&[&str]| slice.iter().map(|&name| name.into()).collect();
    SliceSetting::Given(slices.iter().map(names).collect())
}

fn job(path: &Path) -> SliceJob {
    let mut job = SliceJob::new(Input::named(path), 2);
    job.sensitive = Some("Disease".into());
    job.slices = given(&LAVANYA_SLICES_F);
    job
}

fn to(path: &Path, order: RowOrder) -> ReleaseOutput {
    ReleaseOutput { order, ..ReleaseOutput::new(Destination::named(path)) }
}

/// A file's rows by column name.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let names: Vec<String> = lines.next().unwrap().collect();
    lines.map(|line| names.iter().cloned().zip(line).collect()).collect()
}

/// The combinations of some columns, sorted, by bucket.
fn combinations(
    rows: &[BTreeMap<String, String>],
    columns: &[String],
) -> BTreeMap<String, Vec<Vec<String>>> {
    let mut of: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for row in rows {
        let values = columns.iter().map(|name| row[name].clone()).collect();
        of.entry(row["bucket"].clone()).or_default().push(values);
    }
    of.values_mut().for_each(|values| values.sort());
    of
}

#[test]
fn the_published_table_is_cut_as_in_the_paper() {
    let (folder, path) = table_a();
    let release = folder.path().join("r.csv");
    for (slices, order) in [
        (&LAVANYA_SLICES_F[..], RowOrder::Shuffled),
        (&LAVANYA_SLICES_E[..], RowOrder::Shuffled),
        (&LAVANYA_SLICES_F[..], RowOrder::Sorted),
        (&LAVANYA_SLICES_F[..], RowOrder::AsRead),
        (&LAVANYA_SLICES_F[..], RowOrder::Seeded(Seed::new(3))),
    ] {
        let mut job = job(&path);
        (job.slices, job.output) = (given(slices), Some(to(&release, order)));
        job.one_attempt = true;
        let report = job.run(&Run::new()).unwrap();
        // The paper's two buckets.
        let bucket = |age: &str| if age.parse::<u32>().unwrap() < 54 { "0" } else { "1" };
        let mut original = rows(&path);
        for row in &mut original {
            row.insert("bucket".into(), bucket(&row["Age"]).into());
        }
        let published = rows(&release);
        for slice in &report.slices {
            assert_eq!(combinations(&published, slice), combinations(&original, slice));
        }
        assert_eq!((report.buckets, report.smallest, report.largest), (2, Some(4), Some(4)));
        assert_eq!((report.effective_l, report.feasible_l), (Some(2), Some(2)));
        assert_eq!((report.max_p, report.max_p_bayes), (0.5, Some(0.5)));
        let claim = &report.claims[0];
        assert_eq!((claim.claim.as_str(), claim.l), ("l-diverse-slicing", Some(2)));
        assert_eq!(claim.slices.as_ref(), Some(&report.slices));
        assert_eq!(claim.columns, ["Age", "Sex", "Zipcode"]);
        let matching = report.matching.unwrap();
        assert_eq!(matching.iter().map(|of| of.rows).sum::<u64>(), 8);
        let membership = report.membership.unwrap();
        assert_eq!(membership.real, 8);
        assert!(membership.fakes.unwrap() > 0.0 && membership.matching_auc.unwrap() >= 0.5);
        assert_eq!(
            report.warnings.is_empty(),
            matches!(order, RowOrder::Shuffled | RowOrder::Sorted)
        );
    }
}

#[test]
fn an_l_that_is_too_much_is_out_of_reach_and_nothing_is_written() {
    let (folder, path) = table_a();
    let release = folder.path().join("r.csv");
    let mut job = job(&path);
    (job.l, job.output) = (3, Some(to(&release, RowOrder::Shuffled)));
    let error = job.run(&Run::new()).unwrap_err();
    assert_eq!(error.failure(), Failure::Unreachable);
    assert!(error.to_string().contains("an l of 2 at most"), "{error}");
    assert!(!release.exists());
    let job = SliceJob { l: 2, ..job };
    let level = |name: &str, level: usize| BTreeMap::from([(name.to_owned(), level)]);
    let identifier = BTreeMap::from([("Age".to_owned(), Role::Identifier)]);
    for (wrong, text) in [
        (SliceJob { l: 1, ..job.clone() }, "below 2"),
        (SliceJob { slices: given(&[&["Age"], &["Disease"]]), ..job.clone() }, "in no slice"),
        (SliceJob { levels: level("Age", 40), ..job.clone() }, "ends with level"),
        (SliceJob { levels: level("Age", 1), roles: identifier, ..job.clone() }, "never published"),
        (SliceJob { levels: level("Height", 1), ..job.clone() }, "Height"),
    ] {
        let error = wrong.run(&Run::new()).unwrap_err();
        assert_eq!(error.failure(), Failure::Usage);
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn sorted_releases_are_the_same_and_drawn_ones_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let line = |row: usize| format!("{},{},v{}\n", row * 7_919 % 500, row % 7, row % 9);
    let text = std::iter::once("a,b,s\n".to_owned()).chain((0..500).map(line));
    std::fs::write(&path, text.collect::<String>()).unwrap();
    let bytes = |order: RowOrder, threads: usize| {
        let release = folder.path().join("r.csv");
        let mut job = SliceJob::new(Input::named(&path), 3);
        job.sensitive = Some("s".into());
        (job.slices, job.output) = (given(&[&["a"], &["b"], &["s"]]), Some(to(&release, order)));
        job.run(&Run::new().threads(threads).unwrap()).unwrap();
        std::fs::read(&release).unwrap()
    };
    let seeded = RowOrder::Seeded(Seed::new(8));
    assert_eq!(bytes(RowOrder::Sorted, 1), bytes(RowOrder::Sorted, 3));
    assert_eq!(bytes(seeded, 1), bytes(seeded, 3));
    for order in [RowOrder::Shuffled, RowOrder::AsRead] {
        assert_ne!(bytes(order, 2), bytes(order, 2), "{order:?}");
    }
}

fn hospital(rows: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hospital.parquet");
    let demo = DemoData::new(rows, Seed::new(3));
    demo.write(&Destination::named(&path), &WriteOptions::default(), &Run::new()).unwrap();
    (folder, path)
}

fn hospital_job(path: &Path) -> SliceJob {
    let mut job = SliceJob::new(Input::named(path), 2);
    job.sensitive = Some("blood_group".into());
    let columns = ["age", "sex", "marital_status", "education", "blood_group"];
    job.read.columns = muslin::ColumnChoice::Only(columns.map(str::to_owned).to_vec());
    job
}

#[test]
fn slices_are_found_and_their_association_is_shown() {
    let (_folder, path) = hospital(2_000);
    let report = hospital_job(&path).run(&Run::new()).unwrap();
    assert_eq!(report.slices_by, "found");
    let mut all: Vec<String> = report.slices.iter().flatten().cloned().collect();
    all.sort();
    assert_eq!(all, ["age", "blood_group", "education", "marital_status", "sex"]);
    let own = report.slices.iter().find(|slice| slice.contains(&report.sensitive)).unwrap();
    // An age beside a blood group is nearly one person's.
    assert_eq!((report.slices.len(), own.len()), (3, 1));
    assert!(report.warnings[0].contains("alone in its slice"), "{:?}", report.warnings);
    let found = report.associations.unwrap();
    assert_eq!((found.columns.len(), found.matrix.len()), (5, 5));
    assert_eq!(found.binned, ["age"]);
    assert!(report.effective_l >= Some(2) && report.loss.rce > 0.0);
    let mut job = hospital_job(&path);
    job.slices = SliceSetting::Found { count: Some(4), with_sensitive: Some(1) };
    job.membership = Some(false);
    let report = job.run(&Run::new()).unwrap();
    assert_eq!((report.slices.len(), report.membership, report.max_p_bayes), (4, None, None));
}

#[test]
fn a_column_is_published_at_its_level_and_only_there() {
    let (folder, path) = hospital(1_000);
    let release = folder.path().join("r.csv");
    let mut job = hospital_job(&path);
    job.slices =
        given(&[&["age", "sex"], &["sex", "education"], &["marital_status"], &["blood_group"]]);
    job.levels = BTreeMap::from([("age".to_owned(), 1)]);
    job.output = Some(to(&release, RowOrder::Shuffled));
    let report = job.run(&Run::new()).unwrap();
    let of = &report.generalized[0];
    assert_eq!((of.name.as_str(), of.level), ("age", 1));
    assert!(of.distinct_after < of.distinct_before && of.level <= of.levels);
    let mut ages: Vec<String> = rows(&release).iter().map(|row| row["age"].clone()).collect();
    assert!(ages.iter().all(|age| age.parse::<u32>().is_err()));
    ages.sort();
    ages.dedup();
    let labels = ages.iter().filter(|age| !age.is_empty() && *age != "*").count();
    assert_eq!(labels as u64, of.distinct_after);
    // Slices that overlap: links within both are kept.
    assert_eq!(report.slices[1], ["sex", "education"]);
}

#[test]
fn buckets_that_overlap_say_under_which_weights_they_hold() {
    let (_folder, path) = hospital(400);
    for check in [SliceCheck::Buckets, SliceCheck::Matches] {
        let mut job = hospital_job(&path);
        job.slices = given(&[&["age", "sex"], &["marital_status", "education"], &["blood_group"]]);
        (job.relaxed, job.check) = (true, check);
        let report = job.run(&Run::new()).unwrap();
        let is_weak = report.claims[0].text.contains("not by their sizes");
        assert_eq!(is_weak, check == SliceCheck::Matches);
        assert!(report.max_p <= 0.5 && report.max_p_bayes.is_some());
        assert!(is_weak || report.effective_l >= Some(2));
    }
}

#[test]
fn odd_tables_have_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.csv");
    for (content, buckets) in [("a,s\n", 0), ("s\nx\ny\n", 1), ("a,s\n1,\n1,x\n,\n,y\n", 2)] {
        std::fs::write(&path, content).unwrap();
        let mut job = SliceJob::new(Input::named(&path), 2);
        job.sensitive = Some("s".into());
        job.read.null = vec![String::new()];
        let all: &[&[&str]] = if content.starts_with('a') { &[&["a"], &["s"]] } else { &[&["s"]] };
        job.slices = given(all);
        job.output = Some(to(&folder.path().join("r.csv"), RowOrder::Shuffled));
        assert_eq!(job.run(&Run::new()).unwrap().buckets, buckets, "{content:?}");
    }
}
