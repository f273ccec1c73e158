//! The job that finds minimal uniques: published counts, limits, and what is written.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use muslin::{
    ColumnChoice, Coverage, DemoData, Destination, Failure, GroupBy, Input, Method, Progress, Run,
    Seed, Stop, UniquesJob, UniquesOutput, UniquesTable, WriteOptions,
};
use muslin_testkit::data;

fn demo(folder: &Path, rows: u64) -> UniquesJob {
    let file = folder.join("h.parquet");
    let to = Destination::named(&file);
    DemoData::new(rows, Seed::new(1)).write(&to, &WriteOptions::default(), &Run::new()).unwrap();
    let mut job = UniquesJob::new(Input::named(&file));
    let columns = ["age", "sex", "town", "education", "occupation", "insurance", "blood_group"];
    job.read.columns = ColumnChoice::Only(columns.map(String::from).to_vec());
    job
}

/// Takes its time once the search knows the items.
struct Slow;

impl Progress for Slow {
    fn stage(&self, name: &'static str, _: Option<u64>) {
        if !["reading", "ranking items"].contains(&name) {
            std::thread::sleep(Duration::from_millis(2_200));
        }
    }
    fn advance(&self, _: u64) {}
    fn finish(&self) {}
}

#[test]
fn mushrooms_have_as_many_minimal_uniques_as_published() {
    let Some(path) = data::real("mushroom.csv") else {
        return;
    };
    for (k, total) in [(1, 11_507), (2, 31_739), (5, 51_536)] {
        let mut job = UniquesJob::new(Input::named(&path));
        job.k = k;
        let report = job.run(&Run::new()).unwrap();
        assert_eq!((report.coverage, report.total), (Coverage::Complete, total), "k = {k}");
        assert_eq!(report.by_size.values().sum::<u64>(), total);
        if k == 1 {
            let sizes = [5, 58, 375, 963, 1_155, 1_538, 4_947, 2_407, 59];
            assert_eq!(report.by_size, (2..=10).zip(sizes).collect());
        }
    }
}

#[test]
fn a_stopped_search_says_so_and_writes_only_what_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = demo(folder.path(), 200);
    job.method = Some(Method::AgreeSets);
    for (table, written) in [
        (UniquesTable::List, true),
        (UniquesTable::Scores, false),
        (UniquesTable::Groups(GroupBy::Columns), false),
    ] {
        let path = folder.path().join("out.csv");
        job.output = Some(UniquesOutput::new(table, Destination::named(&path)));
        let run = Run::new().progress(Arc::new(Slow)).time_limit(Some(Duration::from_secs(2)));
        let report = job.run(&run).unwrap();
        assert_eq!(report.coverage, Coverage::Stopped { by: Stop::TimeLimit }, "{table:?}");
        assert_eq!((path.exists(), report.written.is_some()), (written, written), "{table:?}");
        let told = report.warnings.iter().any(|warning| warning.contains("was not written"));
        assert_eq!(told, !written, "{:?}", report.warnings);
        let _ = std::fs::remove_file(path);
    }
}

#[test]
fn groups_keep_to_the_memory_budget() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = demo(folder.path(), 2_000);
    let run = Run::new().memory(Some(400_000));
    job.method = Some(Method::AgreeSets);
    assert_eq!(job.run(&run).unwrap().coverage, Coverage::Complete);
    let path = folder.path().join("groups.csv");
    let table = UniquesTable::Groups(GroupBy::Items);
    job.output = Some(UniquesOutput::new(table, Destination::named(&path)));
    let error = job.run(&run).unwrap_err();
    assert_eq!(error.failure(), Failure::Limit, "{error}");
    assert!(!path.exists());
    assert!(job.run(&Run::new()).is_ok() && path.exists());
}

#[test]
fn both_methods_report_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = demo(folder.path(), 1_000);
    let mut report = |method| {
        job.method = Some(method);
        let report = job.run(&Run::new()).unwrap();
        assert_eq!(report.method, method);
        (report.total, report.by_size, report.top_rows, report.sets)
    };
    assert_eq!(report(Method::AgreeSets), report(Method::ColumnSets));
}

#[test]
fn a_column_that_names_rows_is_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = demo(folder.path(), 200);
    job.read.columns = ColumnChoice::Only(vec!["patient_id".into(), "sex".into()]);
    let report = job.run(&Run::new()).unwrap();
    assert!(
        report.warnings.iter().any(|warning| warning.contains("`--exclude patient_id`")),
        "{:?}",
        report.warnings
    );
}

#[test]
fn columns_that_stand_for_each_other_contribute_evenly() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("in.csv");
    // The first two columns always change together; sdcMicro gives one of them nothing.
    std::fs::write(&file, "a,b,c,d\n1,1,1,1\n1,1,1,2\n2,2,1,1\n1,1,2,1\n").unwrap();
    let out = folder.path().join("out.csv");
    let mut job = UniquesJob::new(Input::named(&file));
    let table = UniquesTable::Contributions;
    job.output = Some(UniquesOutput::new(table, Destination::named(&out)));
    job.run(&Run::new()).unwrap();
    let written = std::fs::read_to_string(&out).unwrap();
    let of_row_0: Vec<&str> = written.lines().skip(1).take(4).collect();
    assert_eq!(of_row_0, ["0,a,0.5", "0,b,0.5", "0,c,1", "0,d,1"], "{written}");
}
