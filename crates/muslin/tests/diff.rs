//! What releases lose, through the facade: releases of every kind, read back from their files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use muslin::{
    BucketMethod, BucketizeJob, ColumnChoice, DemoData, Destination, DiffJob, DiffReport, Failure,
    GeneralizeJob, GeneralizeReport, Hierarchies, HierarchyRule, HierarchySource, Input, Labels,
    MaskJob, Measure, Recoding, ReleaseOutput, Role, RowOrder, Run, Seed, SuppressJob, Target,
    Workload, WriteOptions,
};
use tempfile::TempDir;

const QUASI: [&str; 4] = ["age", "sex", "marital_status", "education"];

fn hospital(rows: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hospital.csv");
    let demo = DemoData::new(rows, Seed::new(3));
    demo.write(&Destination::named(&path), &WriteOptions::default(), &Run::new()).unwrap();
    (folder, path)
}

fn files(original: &str, release: &str) -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["o.csv", "r.csv"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], original).unwrap();
    std::fs::write(&paths[1], release).unwrap();
    let [original, release] = paths;
    (folder, original, release)
}

fn to(path: &Path) -> ReleaseOutput {
    ReleaseOutput { order: RowOrder::Shuffled, ..ReleaseOutput::new(Destination::named(path)) }
}

fn target(beta: &str) -> Target {
    Target::new(Measure::Distinct, beta.parse().unwrap())
}

fn diff(original: &Path, release: &Path) -> DiffJob {
    let mut job = DiffJob::new(Input::named(original), Input::named(release));
    job.read.null = vec![String::new()];
    job.workload = Workload { queries: 50, ..Workload::default() };
    job
}

fn with_roles(mut job: DiffJob) -> DiffJob {
    job.roles = QUASI.map(|name| (name.to_owned(), Role::QuasiIdentifier)).into();
    job
}

fn quasi_and(name: &str) -> ColumnChoice {
    ColumnChoice::Only(QUASI.into_iter().chain([name]).map(str::to_owned).collect())
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

fn generalize(path: &Path, release: &Path, k: u32) -> GeneralizeJob {
    let mut job = GeneralizeJob::new(Input::named(path), k);
    job.read.null = vec![String::new()];
    job.roles = QUASI.map(|name| (name.to_owned(), Role::QuasiIdentifier)).into();
    job.roles.extend(["patient_id", "name"].map(|name| (name.to_owned(), Role::Identifier)));
    job.output = Some(to(release));
    job
}

/// The figures of a release that was generalized are those that the job reported.
fn agrees(made: &GeneralizeReport, found: &DiffReport, what: &str) {
    let (told, measured) = (&made.loss, &found.loss);
    assert!(close(told.gcp, measured.gcp_by_values), "{what}: {told:?} {measured:?}");
    for column in &made.columns {
        let own = found.columns.iter().find(|own| own.name == column.name).unwrap();
        assert!(close(column.gcp, own.gcp_by_values), "{what}: {}", column.name);
    }
    assert_eq!(made.removed_rows, found.suppression.rows_removed, "{what}");
    assert_eq!(made.classes, found.classes.classes, "{what}");
    assert!(close(told.discernibility, found.classes.discernibility), "{what}");
    assert!(close(told.average_class, found.classes.aecs), "{what}");
}

#[test]
fn the_original_loses_nothing() {
    let (folder, path) = hospital(600);
    // The same rows in another order and format.
    let copy = folder.path().join("copy.parquet");
    let mut job = MaskJob::new(Input::named(&path), target("1"));
    job.read.null = vec![String::new()];
    job.output = Some(to(&copy));
    assert!(job.run(&Run::new()).unwrap().masked.is_empty());
    let found = with_roles(diff(&path, &copy)).run(&Run::new()).unwrap();
    assert_eq!(
        (found.loss.gcp, found.loss.gcp_by_values, found.loss.entropy_bits),
        (0.0, 0.0, 0.0)
    );
    assert_eq!(found.loss.arx_loss, Some(0.0));
    assert_eq!((found.rows_before, found.rows_after), (600, 600));
    assert_eq!(found.suppression.suppressed_cells, 0);
    assert!(found.kl.nats.unwrap().abs() < 1e-9 && found.kl.unreached == Some(0.0));
    assert!(close(found.association.ratio.unwrap(), 1.0));
    assert_eq!(found.queries.mean, Some(0.0));
    for column in &found.columns {
        assert_eq!((column.ncp, column.total_variation), (0.0, Some(0.0)), "{}", column.name);
    }
}

#[test]
fn mondrian_loses_what_it_says() {
    let (folder, path) = hospital(700);
    let release = folder.path().join("release.csv");
    for labels in [None, Some(Labels::Ranges), Some(Labels::Sets), Some(Labels::Multisets)] {
        for tight in [true, false] {
            let mut job = generalize(&path, &release, 5);
            (job.labels, job.tight) = (labels, tight);
            let made = job.run(&Run::new()).unwrap();
            let found = with_roles(diff(&path, &release)).run(&Run::new()).unwrap();
            agrees(&made, &found, &format!("{labels:?} {tight}"));
            assert!(found.loss.gcp > 0.0 && found.loss.arx_loss.is_none());
            assert_eq!(found.suppression.columns_withheld, ["patient_id", "name"]);
            assert!(found.kl.nats.is_some(), "{labels:?}: every row is among what its cells cover");
        }
    }
}

#[test]
fn missing_cells_of_a_typed_file_are_empty_in_a_text_file() {
    let folder = tempfile::tempdir().unwrap();
    let [path, release] = ["o.parquet", "r.csv"].map(|name| folder.path().join(name));
    let demo = DemoData::new(500, Seed::new(3));
    demo.write(&Destination::named(&path), &WriteOptions::default(), &Run::new()).unwrap();
    let made = generalize(&path, &release, 5).run(&Run::new()).unwrap();
    let mut job = with_roles(diff(&path, &release));
    job.read.null.clear();
    agrees(&made, &job.run(&Run::new()).unwrap(), "parquet to text");
}

#[test]
fn hierarchies_lose_what_they_say_with_and_without_removed_rows() {
    let (folder, path) = hospital(700);
    let release = folder.path().join("release.csv");
    let mut removed = 0;
    for recoding in [Recoding::Local, Recoding::FullDomain] {
        for limit in [Some(0.0), Some(0.1)] {
            let mut job = generalize(&path, &release, 5);
            (job.recoding, job.suppression_limit) = (recoding, limit);
            let made = job.run(&Run::new()).unwrap();
            let found = with_roles(diff(&path, &release)).run(&Run::new()).unwrap();
            agrees(&made, &found, &format!("{recoding:?} {limit:?}"));
            removed += made.removed_rows;
        }
    }
    assert!(removed > 0);
}

#[test]
fn labels_between_breaks_are_read_with_their_rule_and_without() {
    let (folder, path) = hospital(700);
    let release = folder.path().join("release.csv");
    let rule = HierarchyRule::Breaks(vec![vec![18.0, 40.0, 65.0], vec![40.0]]);
    for recoding in Recoding::ALL {
        let mut job = generalize(&path, &release, 5);
        job.recoding = recoding;
        job.hierarchies.set("age", HierarchySource::Rule(rule.clone()));
        let made = job.run(&Run::new()).unwrap();
        let mut diff = with_roles(diff(&path, &release));
        let without = diff.run(&Run::new()).unwrap();
        agrees(&made, &without, &format!("{recoding:?} without"));
        diff.hierarchies = job.hierarchies.clone();
        let with = diff.run(&Run::new()).unwrap();
        agrees(&made, &with, &format!("{recoding:?} with"));
        assert_eq!(without.loss.gcp_by_values.to_bits(), with.loss.gcp_by_values.to_bits());
        let age = with.columns.iter().find(|column| column.name == "age").unwrap();
        // Every age of the rule is one that somebody has.
        assert!(close(age.loss_by_leaves.unwrap(), age.gcp_by_values));
    }
}

#[test]
fn labels_of_a_given_hierarchy_have_leaves() {
    let (folder, path, release) = files(
        "town,age\nA,20\nB,30\nC,40\nD,50\n",
        "town,age\nnorth,20\nnorth,30\nsouth,40\n*,50\n",
    );
    let tree = folder.path().join("town.csv");
    // Two more towns of the south, where nobody lives.
    let lines = ["A;north;*", "B;north;*", "C;south;*", "D;south;*", "E;south;*", "F;south;*"];
    std::fs::write(&tree, lines.join("\n") + "\n").unwrap();
    let mut job = diff(&path, &release);
    let refused = job.run(&Run::new()).unwrap_err();
    assert_eq!(refused.failure(), Failure::Usage);
    assert!(refused.to_string().contains("--hierarchy town=FILE"), "{refused}");
    assert!(!refused.to_string().contains("north"));
    let mut hierarchies = Hierarchies::new();
    hierarchies.set("town", HierarchySource::File(tree));
    job.hierarchies = hierarchies;
    let by_name = job.run(&Run::new()).unwrap();
    // Two of four towns twice, two of four, all: by leaves one of five, one, three, all.
    let town = &by_name.columns[0];
    assert!(close(town.gcp_by_values, (1.0 + 1.0 + 1.0 + 3.0) / 12.0));
    assert!(close(town.loss_by_leaves.unwrap(), (1.0 + 1.0 + 3.0 + 5.0) / 20.0));
    assert!(close(by_name.loss.arx_loss.unwrap(), town.loss_by_leaves.unwrap() / 2.0));
    job.hierarchies = Hierarchies::new();
    job.hierarchy_folder = Some(folder.path().to_owned());
    assert_eq!(job.run(&Run::new()).unwrap().loss, by_name.loss);
}

#[test]
fn dates_and_codes_are_read_by_the_hierarchy_of_their_values() {
    let (_folder, path, release) = files(
        "day,zip\n2020-01-05,47906\n2020-01-17,47905\n2020-06-01,47302\n2021-06-01,47304\n",
        "day,zip\n2020-01,4790*\n2020-01,4790*\n2020,4730*\n2021,4730*\n",
    );
    let found = diff(&path, &release).run(&Run::new()).unwrap();
    let [day, zip] = &found.columns[..] else { panic!("two columns") };
    assert!(close(day.gcp_by_values, (1.0 + 1.0 + 2.0 + 0.0) / 12.0));
    assert!(close(zip.gcp_by_values, 1.0 / 3.0));
    // Months, years and beginnings are understood by themselves.
    let warned = found.warnings.iter().filter(|text| text.contains("that muslin makes"));
    assert_eq!(warned.count(), 0, "{:?}", found.warnings);
}

#[test]
fn suppressed_cells_and_masked_columns_are_counted() {
    let (folder, path) = hospital(700);
    let release = folder.path().join("release.csv");
    let mut job = SuppressJob::new(Input::named(&path), 4);
    job.read.null = vec![String::new()];
    job.roles = QUASI.map(|name| (name.to_owned(), Role::QuasiIdentifier)).into();
    job.output = Some(to(&release));
    let made = job.run(&Run::new()).unwrap();
    let found = with_roles(diff(&path, &release)).run(&Run::new()).unwrap();
    assert_eq!(made.suppressed_cells, found.suppression.suppressed_cells);
    for column in &made.columns {
        let own = found.columns.iter().find(|own| own.name == column.name).unwrap();
        assert!(close(own.suppressed_share, column.share), "{}", column.name);
        assert!(close(own.gcp_by_values, own.suppressed_share) && own.generalized_share == 0.0);
    }
    // Withheld cells have no leaves but all.
    assert!(close(found.loss.arx_loss.unwrap(), found.loss.gcp_by_values));

    let mut job = MaskJob::new(Input::named(&path), target("0.9"));
    job.read.null = vec![String::new()];
    job.output = Some(to(&release));
    let made = job.run(&Run::new()).unwrap();
    let found = diff(&path, &release).run(&Run::new()).unwrap();
    let mut masked = made.masked.clone();
    masked.sort_by_key(|name| found.columns.iter().position(|own| own.name == *name));
    assert!(!masked.is_empty());
    assert_eq!(found.suppression.columns_withheld, masked);
    let share = |count: usize| f64::from(u32::try_from(count).unwrap());
    let lost = share(masked.len()) / share(found.columns.len());
    assert!(close(found.loss.gcp_by_values, lost));
}

#[test]
fn what_is_text_stays_text_and_buckets_are_noticed() {
    // What is left of the codes looks like numbers, of which `01` and `1` would be one.
    let (_folder, path, release) = files(
        "code,illness\n01,a\n1,b\nx,a\n1.50,b\n",
        "code,illness,bucket\n1,a,1\n*,b,1\n1.50,a,2\n01,b,2\n",
    );
    let mut job = diff(&path, &release);
    job.release_read = None;
    let ignored = job.run(&Run::new()).unwrap();
    assert_eq!((ignored.slices.as_ref(), ignored.rce), (None, None));
    assert!(ignored.warnings.iter().any(|text| text.contains("pass `--slices`")));
    assert!(close(ignored.columns[0].gcp_by_values, 0.25));
    job.sensitive = Some("illness".into());
    let found = job.run(&Run::new()).unwrap();
    let slices = [vec!["code".to_owned()], vec!["illness".to_owned()]];
    assert_eq!(found.slices.as_deref(), Some(&slices[..]));
    // Two rows of two illnesses in each bucket: 2 - 2/2 each.
    assert!(close(found.rce.unwrap(), 2.0));
    job.slices = Some(vec![vec!["code".into()], vec!["code".into(), "illness".into()]]);
    let refused = job.run(&Run::new()).unwrap_err();
    assert!(refused.to_string().contains("`code` is in several slices"), "{refused}");
}

#[test]
fn plots_and_reports_hide_values_until_asked() {
    let (folder, path, release) = files(
        "town,age\nZurich,20\nZurich,30\nBern,40\nBern,50\n",
        "town,age\n*,[20-30]\n*,[20-30]\nBern,40\nBern,50\n",
    );
    let mut job = diff(&path, &release);
    job.plots = Some(folder.path().join("plots"));
    for show_values in [false, true] {
        job.show_values = show_values;
        let report = job.run(&Run::new()).unwrap();
        assert_eq!(report.written.len(), 4);
        let mut all = serde_json::to_string(&report).unwrap();
        for file in &report.written {
            let plot = std::fs::read_to_string(file).unwrap();
            assert!(plot.starts_with("<svg ") && plot.ends_with("</svg>\n"), "{file}");
            assert_eq!(plot.matches("<text").count(), plot.matches("</text>").count());
            all += &plot;
        }
        assert_eq!(all.contains("Zurich"), show_values);
        assert!(all.contains("town"));
    }
    // A plot goes over no input.
    let input = folder.path().join("plots/loss.svg");
    std::fs::copy(&path, &input).unwrap();
    job.original = Input::named(&input);
    assert_eq!(job.run(&Run::new()).unwrap_err().failure(), Failure::Output);
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let (_folder, path, release) = files("a,b\n1,2\n3,4\n", "c\n1\n");
    let failure = |change: &dyn Fn(&mut DiffJob)| {
        let mut job = diff(&path, &path);
        change(&mut job);
        job.run(&Run::new()).unwrap_err().failure()
    };
    assert_eq!(failure(&|job| job.release = Input::named(&release)), Failure::Usage);
    assert_eq!(failure(&|job| job.sensitive = Some("none".into())), Failure::Usage);
    assert_eq!(failure(&|job| job.k = Some(0)), Failure::Usage);
    assert_eq!(failure(&|job| job.workload.selectivity = 2.0), Failure::Usage);
    assert_eq!(failure(&|job| job.bucket = Some("a".into())), Failure::Usage);
    assert_eq!(
        failure(&|job| (job.original, job.release) = (Input::Stdin, Input::Stdin)),
        Failure::Usage
    );
}

#[test]
fn a_release_of_two_tables_loses_what_one_of_one_table_does() {
    let (folder, path) = hospital(600);
    let [one, rows, values] = ["one.csv", "rows.csv", "values.csv"].map(|f| folder.path().join(f));
    let bucketize = |release: &Path, values: Option<&Path>| {
        let mut job = BucketizeJob::new(Input::named(&path), 3);
        job.sensitive = Some("diagnosis_group".into());
        job.method = BucketMethod::Mondrian;
        job.read.columns = quasi_and("diagnosis_group");
        job.output = Some(to(release));
        job.sensitive_output = values.map(to);
        job.run(&Run::new()).unwrap()
    };
    bucketize(&one, None);
    bucketize(&rows, Some(&values));
    let measure = |release: &Path, values: Option<&Path>| {
        let mut job = with_roles(diff(&path, release));
        job.read.columns = quasi_and("diagnosis_group");
        job.sensitive = Some("diagnosis_group".into());
        job.sensitive_table = values.map(Input::named);
        job.run(&Run::new())
    };
    let (whole, parts) = (measure(&one, None).unwrap(), measure(&rows, Some(&values)).unwrap());
    assert!(close(whole.rce.unwrap(), parts.rce.unwrap()));
    assert!(close(whole.kl.nats.unwrap(), parts.kl.nats.unwrap()));
    assert_eq!(whole.queries.definition, parts.queries.definition);
    assert!(close(whole.queries.mean.unwrap(), parts.queries.mean.unwrap()));
    // By itself, the table of rows says nothing about the sensitive column, and that is told.
    let alone = measure(&rows, None).unwrap();
    assert!(!alone.queries.definition.contains("sensitive"), "{}", alone.queries.definition);
    assert!(alone.warnings.iter().any(|text| text.contains("`--sensitive-table`")));
    // Tables of two releases.
    let text = std::fs::read_to_string(&values).unwrap();
    let (kept, _) = text.trim_end().rsplit_once('\n').unwrap();
    std::fs::write(&values, kept).unwrap();
    let error = measure(&rows, Some(&values)).unwrap_err().to_string();
    assert!(error.contains("another number of rows"), "{error}");
}

#[test]
fn columns_that_did_not_stay_together_are_told() {
    let original = "a,b,s\n1,1,x\n2,2,y\n3,3,x\n4,4,y\n";
    let release = "bucket,a,b,s\n0,1,2,x\n0,2,1,y\n1,3,3,y\n1,4,4,x\n";
    let (_folder, original, release) = files(original, release);
    let warnings = |slices: &[&[&str]]| {
        let mut job = diff(&original, &release);
        job.sensitive = Some("s".into());
        let names = |slice: &&[&str]| slice.iter().map(|&name| name.to_owned()).collect();
        job.slices = Some(slices.iter().map(names).collect());
        job.run(&Run::new()).unwrap().warnings
    };
    let is_told =
        |warnings: Vec<String>| warnings.iter().any(|text| text.contains("stay together"));
    assert!(is_told(warnings(&[&["a", "b"], &["s"]])));
    assert!(!is_told(warnings(&[&["a"], &["b"], &["s"]])));
}

#[test]
fn missing_cells_of_a_release_are_read_however_the_original_spells_them() {
    let original = "a,b\n1,?\n1,x\n2,x\n2,?\n";
    let (_folder, original, release) = files(original, "a,b\n1,\n1,x\n2,x\n2,\n");
    let mut job = diff(&original, &release);
    job.read.null = vec!["?".into()];
    let found = job.run(&Run::new()).unwrap();
    assert_eq!((found.loss.gcp, found.suppression.suppressed_cells), (0.0, 0));
}

#[test]
fn missing_cells_stay_missing_in_a_text_that_lacks_a_row() {
    let row = |at: u32| {
        let job = [["clerk", "nurse"][at as usize / 2 % 2], ""][at as usize % 2];
        format!("{},{},{job},{}\n", 20 + at % 40, ["F", "M"][at as usize / 4 % 2], at % 7)
    };
    let text = |rows: u32| "age,sex,job,dis\n".to_owned() + &(0..rows).map(row).collect::<String>();
    let (_folder, original, release) = files(&text(1_000), &text(999));
    let mut job = diff(&original, &release);
    job.sensitive = Some("dis".into());
    job.workload = Workload { queries: 300, ..Workload::default() };
    let report = job.run(&Run::new()).unwrap();
    let column = report.columns.iter().find(|own| own.name == "job").unwrap();
    // One of 500 missing jobs is gone: 500/1000 against 499/999.
    let shift = 500.0 / 1_000.0 - 499.0 / 999.0;
    assert!(close(column.total_variation.unwrap(), shift), "{:?}", column.total_variation);
    assert_eq!((column.suppressed_share, report.suppression.suppressed_cells), (0.0, 0));
    assert!((0.98..1.02).contains(&report.association.ratio.unwrap()), "{:?}", report.association);
    assert!(report.queries.median.unwrap() < 0.03, "{:?}", report.queries);
}

#[test]
fn several_releases_are_measured_as_each_alone() {
    let (folder, path) = hospital(400);
    let releases = [2, 5, 9].map(|k| {
        let release = folder.path().join(format!("r{k}.csv"));
        generalize(&path, &release, k).run(&Run::new()).unwrap();
        release
    });
    let job = with_roles(diff(&path, &releases[0]));
    let inputs = releases.clone().map(Input::named);
    let together = job.run_each(&inputs, &Run::new()).unwrap();
    assert_eq!((together.rows_before, together.releases.len()), (400, 3));
    for (release, found) in releases.iter().zip(&together.releases) {
        assert_eq!(found, &with_roles(diff(&path, release)).run(&Run::new()).unwrap());
    }
    let gcp = together.releases.iter().map(|own| own.loss.gcp).collect::<Vec<_>>();
    assert!(gcp.is_sorted() && gcp[0] < gcp[2], "{gcp:?}");
    let changed = together.releases[2].most_changed().unwrap();
    let largest = |own: &muslin::DiffColumnReport| own.changed_share <= changed.changed_share;
    let report = &together.releases[2];
    let mut quasi = report.columns.iter().filter(|own| QUASI.contains(&own.name.as_str()));
    assert!(quasi.all(largest) && changed.changed_share > 0.0);
    assert!(job.run_each(&[], &Run::new()).unwrap_err().to_string().contains("no release"));
}

#[test]
fn columns_have_the_role_that_they_were_given() {
    let text = "pid,age,w\n1,20,3\n2,30,4\n";
    let (_folder, original, release) = files(text, "age,w\n20,3\n30,4\n");
    let mut job = diff(&original, &release);
    job.roles = [
        ("pid".to_owned(), Role::Identifier),
        ("age".to_owned(), Role::QuasiIdentifier),
        ("w".to_owned(), Role::Weight),
    ]
    .into();
    let report = job.run(&Run::new()).unwrap();
    let roles: Vec<&str> = report.columns.iter().map(|own| own.role.as_str()).collect();
    assert_eq!(roles, ["identifier", "quasi-identifier", "weight"]);
    let changed: Vec<f64> = report.columns.iter().map(|own| own.changed_share).collect();
    assert_eq!(changed, [1.0, 0.0, 0.0]);
}
