//! Masks through the facade: what is published, what is written, and what is refused.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use muslin::{
    Beta, CellCost, Changes, ColumnChoice, Coverage, CsvStyle, DemoData, Destination, Failure,
    Input, MaskJob, MaskMethod, MaskReason, MaskReport, Measure, MissingRule, ReadOptions, Release,
    ReleaseOutput, Role, RowId, RowOrder, Run, Seed, Target, WriteFormat, WriteOptions,
};
use muslin_testkit::{data, published};
use tempfile::TempDir;

fn target(measure: Measure, beta: &str) -> Target {
    Target::new(measure, beta.parse().unwrap())
}

/// A folder with a file of this name and content.
fn file(name: &str, content: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

/// Motwani and Xu's Table 1 as a file.
fn table_1() -> (TempDir, PathBuf) {
    let (folder, path) = file("t.csv", "");
    let table = published::motwani_xu_table_1();
    let release = Release::new(&table, &Changes::none(&table), RowOrder::AsRead).unwrap();
    let to = Destination::named(&path);
    muslin::write(&release, &to, &WriteOptions::default(), &Run::new()).unwrap();
    (folder, path)
}

fn job(path: &Path, measure: Measure, beta: &str) -> MaskJob {
    MaskJob::new(Input::named(path), target(measure, beta))
}

fn run(job: &MaskJob) -> MaskReport {
    job.run(&Run::new()).unwrap()
}

fn refused(job: &MaskJob) -> (Failure, String) {
    let error = job.run(&Run::new()).unwrap_err();
    (error.failure(), error.to_string())
}

fn roles<const COUNT: usize>(
    roles: [(&str, Role); COUNT],
) -> std::collections::BTreeMap<String, Role> {
    roles.map(|(name, role)| (name.to_owned(), role)).into()
}

fn names<const COUNT: usize>(names: [&str; COUNT]) -> Vec<String> {
    names.map(String::from).to_vec()
}

#[test]
fn table_1_is_masked_as_published() {
    let (_folder, path) = table_1();
    for method in [MaskMethod::Greedy, MaskMethod::Exact] {
        let mut distinct = job(&path, Measure::Distinct, "0.8");
        distinct.method = method;
        let report = run(&distinct);
        assert_eq!(report.publish, ["sex", "state"]);
        assert_eq!((report.ratio, report.separation_ratio), (0.8, 0.9));
        assert_eq!((report.rows_alone, report.smallest_class), (3, Some(1)));
        let steps: Vec<_> = report.steps.iter().map(|s| (s.column.as_str(), s.ratio)).collect();
        assert_eq!(steps, [("sex", Some(0.4)), ("state", Some(0.8))]);
        assert_eq!(report.masked_columns[0].reason, MaskReason::WouldExceed);
        assert_eq!(report.masked_columns[0].ratio_alone, Some(0.6));
        assert_eq!(report.masked_columns[0].ratio_together, Some(1.0));
        assert!(report.optimal || method == MaskMethod::Greedy);

        let mut separation = job(&path, Measure::Separation, "0.8");
        separation.method = method;
        let report = run(&separation);
        assert_eq!(report.publish.len(), 1);
        assert_eq!((report.coverage, report.reached), (Coverage::Complete, true));
    }
}

#[test]
fn the_adult_table_is_masked_as_measured() {
    let Some(path) = data::real("adult.csv") else {
        return;
    };
    let mut job = job(&path, Measure::Distinct, "0.5");
    // The paper's table: without `fnlwgt`, each different row once.
    job.read.columns = ColumnChoice::Except(names(["fnlwgt"]));
    job.distinct_rows = true;
    let report = run(&job);
    assert_eq!((report.rows, report.columns), (29_096, 14));
    assert_eq!(report.publish.len(), 12, "{:?}", report.publish);
    assert_eq!(format!("{:.4}", report.ratio), "0.4141");
    let mut separation = MaskJob { target: target(Measure::Separation, "0.8"), ..job };
    assert_eq!(run(&separation).publish.len(), 5);
    separation.method = MaskMethod::Sampled { draws: 50_000, delta: "0.01".parse().unwrap() };
    let report = run(&separation);
    assert_eq!((report.publish.len(), report.method.as_str()), (5, "sampled"));
    let sample = report.sample.unwrap();
    assert_eq!((sample.draws, sample.of.as_str(), sample.repaired), (50_000, "pairs", false));
    assert!(sample.beta_prime < 0.8 && report.ratio <= 0.8);
    assert!(matches!(report.coverage, Coverage::Sampled { .. }));
}

#[test]
fn columns_are_kept_dropped_and_weighed() {
    let (_folder, path) = table_1();
    let mut job = job(&path, Measure::Distinct, "0.8");
    job.keep = names(["age"]);
    let report = run(&job);
    assert_eq!(report.publish, ["age"]);
    assert!(report.steps[0].kept);
    job.keep = Vec::new();
    job.drop = names(["sex"]);
    let report = run(&job);
    assert_eq!((report.publish.len(), report.masked.len()), (1, 2));
    assert_eq!(report.masked_columns.iter().filter(|c| c.reason == MaskReason::Dropped).count(), 1);
    job.drop = Vec::new();
    job.method = MaskMethod::Exact;
    job.weights = [("age".to_owned(), "2.5".parse().unwrap())].into();
    let report = run(&job);
    assert_eq!(report.publish, ["age"]);
    assert_eq!((report.weight, report.upper_bound, report.gap), (2.5, 2.5, 0.0));
    assert!(report.optimal);
}

#[test]
fn roles_say_what_is_measured_and_what_is_never_published() {
    let (folder, path) = table_1();
    let text = std::fs::read_to_string(&path).unwrap();
    let wide: Vec<String> = ["id,income", "a,10", "b,20", "c,30", "d,40", "e,50"]
        .iter()
        .zip(text.lines())
        .map(|(more, line)| format!("{more},{line}\n"))
        .collect();
    std::fs::write(&path, wide.concat()).unwrap();
    let mut job = job(&path, Measure::Distinct, "0.8");
    job.roles = roles([
        ("id", Role::Identifier),
        ("sex", Role::QuasiIdentifier),
        ("state", Role::QuasiIdentifier),
        ("income", Role::Sensitive),
    ]);
    let out = folder.path().join("out.csv");
    job.output = Some(ReleaseOutput::new(Destination::named(&out)));
    let report = run(&job);
    assert_eq!(report.publish, ["sex", "state"]);
    assert_eq!((report.columns, &report.masked), (2, &Vec::new()));
    assert_eq!(report.unmeasured, ["income", "age"]);
    assert_eq!(report.identifiers_dropped, ["id"]);
    assert!(report.warnings.iter().any(|w| w.contains("not part of the ratio: income, age")));
    let written = std::fs::read_to_string(&out).unwrap();
    assert!(written.starts_with("income,age,sex,state\n"), "{written}");

    // Without quasi-identifiers all but identifiers are measured.
    job.roles = roles([("id", Role::Identifier), ("income", Role::Sensitive)]);
    let report = run(&job);
    assert_eq!((report.columns, report.unmeasured.len()), (4, 0));
    assert_eq!(report.masked, ["income", "age"]);

    for (name, part) in [("id", "is an identifier"), ("agee", "did you mean `age`")] {
        job.keep = names([name]);
        let (failure, text) = refused(&job);
        assert_eq!(failure, Failure::Usage);
        assert!(text.contains(part) && text.contains("hint: "), "{text}");
    }
}

/// The cells of some columns, row by row, sorted.
fn rows(path: &Path, columns: &[String]) -> Vec<Vec<Option<String>>> {
    let options = ReadOptions {
        columns: ColumnChoice::Only(columns.to_vec()),
        null: vec![String::new()],
        ..ReadOptions::default()
    };
    let table = muslin::read(&Input::named(path), &options, &Run::new()).unwrap().table;
    let style = CsvStyle::default();
    let cell = |column: &muslin::Column, row: u32| {
        let at = column.code(RowId::new(row)).value()?;
        Some(style.spell(column.dictionary(), at))
    };
    let row = |row: usize| {
        let row = u32::try_from(row).unwrap();
        table.columns().iter().map(|column| cell(column, row)).collect()
    };
    let mut rows: Vec<Vec<_>> = (0..table.rows()).map(row).collect();
    rows.sort();
    rows
}

#[test]
fn a_release_holds_all_rows_and_just_what_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("h.csv");
    let demo = DemoData::new(600, Seed::new(1));
    let to = Destination::named(&path);
    demo.write(&to, &WriteOptions::default(), &Run::new()).unwrap();
    let mut job = job(&path, Measure::Distinct, "0.2");
    job.read.null = vec![String::new()];
    job.roles = roles([("patient_id", Role::Identifier), ("name", Role::Identifier)]);
    for name in ["age", "sex", "town", "education", "insurance"] {
        job.roles.insert(name.into(), Role::QuasiIdentifier);
    }
    for (file, order) in [
        ("r.csv", RowOrder::Shuffled),
        ("r.parquet", RowOrder::Seeded(Seed::new(3))),
        ("r.arrow", RowOrder::AsRead),
    ] {
        let out = folder.path().join(file);
        job.output = Some(ReleaseOutput { order, ..ReleaseOutput::new(Destination::named(&out)) });
        let report = run(&job);
        assert_eq!(report.written.as_deref(), out.to_str());
        assert!(!report.masked.is_empty() && !report.unmeasured.is_empty());
        let read = muslin::read(&Input::named(&out), &ReadOptions::default(), &Run::new()).unwrap();
        let mut published = [report.publish.clone(), report.unmeasured.clone()].concat();
        published.sort();
        let mut written: Vec<String> =
            read.table.columns().iter().map(|column| column.name().to_owned()).collect();
        written.sort();
        assert_eq!(written, published, "{file}");
        assert_eq!(rows(&out, &published), rows(&path, &published), "{file}");
        let told = |part: &str| report.warnings.iter().any(|warning| warning.contains(part));
        assert_eq!(told("reproducible"), matches!(order, RowOrder::Seeded(_)));
        assert_eq!(told("neighbours"), order == RowOrder::AsRead);
    }
}

#[test]
fn what_is_masked_is_nowhere_in_the_written_bytes() {
    let mut text = String::from("CANARYID,sex,CANARYCOLUMN\n");
    for row in 0..40 {
        writeln!(text, "CANARYNAME{row},{},CANARYVALUE{row}", ["f", "m"][row % 2]).unwrap();
    }
    let (folder, path) = file("in.csv", &text);
    for format in WriteFormat::ALL {
        let out = folder.path().join(format!("out.{}", format.name()));
        let mut job = job(&path, Measure::Distinct, "0.5");
        job.roles = roles([("CANARYID", Role::Identifier)]);
        job.output = Some(ReleaseOutput::new(Destination::named(&out)));
        let report = run(&job);
        assert_eq!((report.publish, report.masked), (names(["sex"]), names(["CANARYCOLUMN"])));
        let bytes = std::fs::read(&out).unwrap();
        let found = bytes.windows(6).any(|window| window == b"CANARY");
        assert!(!found && bytes.windows(3).any(|window| window == b"sex"), "{format:?}");
    }
}

#[test]
fn a_table_without_rows_has_nothing_to_measure() {
    let (_folder, path) = file("t.csv", "age,sex\n");
    let report = run(&job(&path, Measure::Distinct, "0.5"));
    let error = report.unreached().unwrap();
    assert_eq!((report.rows, error.failure()), (0, Failure::Unreachable));
    assert!(error.to_string().contains("no rows"), "{error}");
}

#[test]
fn costs_of_a_policy_are_those_of_flags_for_columns_that_are_measured() {
    let (_folder, path) = table_1();
    let cost = |weight: &str| CellCost::Weight(weight.parse().unwrap());
    let mut by_flags = job(&path, Measure::Distinct, "0.8");
    by_flags.roles = roles([("sex", Role::QuasiIdentifier), ("state", Role::QuasiIdentifier)]);
    let mut by_policy = by_flags.clone();
    by_flags.weights.insert("sex".into(), "3".parse().unwrap());
    by_policy.costs.insert("sex".into(), cost("3"));
    // What is not measured is passed over, and a flag wins.
    by_policy.costs.insert("age".into(), cost("9"));
    by_policy.costs.insert("state".into(), cost("9"));
    by_policy.weights.insert("state".into(), "1".parse().unwrap());
    assert_eq!(run(&by_policy).publish, run(&by_flags).publish);
    assert_eq!(run(&by_policy).weight.to_bits(), run(&by_flags).weight.to_bits());
    by_policy.costs.insert("sex".into(), CellCost::Never);
    by_policy.drop = names(["sex"]);
    assert_eq!(run(&by_policy).masked, ["sex"]);
}

#[test]
fn what_cannot_be_reached_is_said_and_not_written() {
    let (folder, path) = table_1();
    let out = folder.path().join("out.csv");
    let mut job = job(&path, Measure::Distinct, "0.3");
    job.output = Some(ReleaseOutput::new(Destination::named(&out)));
    let report = run(&job);
    assert!(!report.reached && report.publish.is_empty() && report.written.is_none());
    let error = report.unreached().unwrap();
    assert_eq!(error.failure(), Failure::Unreachable);
    assert!(error.to_string().contains("even `sex`") && error.to_string().contains("0.4"));

    job.target = target(Measure::Distinct, "0.8");
    job.keep = names(["age", "state"]);
    let (failure, text) = refused(&job);
    assert_eq!(failure, Failure::Unreachable);
    assert!(text.contains("(age, state)") && text.contains("ratio of 1,"), "{text}");
    assert!(!out.exists());

    job.keep = Vec::new();
    job.drop = names(["age", "sex", "state"]);
    assert!(run(&job).unreached().unwrap().to_string().contains("dropped"));
    job.roles = roles(["age", "sex", "state"].map(|name| (name, Role::Identifier)));
    job.drop = Vec::new();
    assert!(run(&job).unreached().unwrap().to_string().contains("identifiers"));
    for (content, why) in [("a,b\n1,2\n", "even without a column"), ("a,b\n", "has no rows")] {
        std::fs::write(&path, content).unwrap();
        let mut job = self::job(&path, Measure::Separation, "0.9");
        job.read.csv.header = Some(true);
        let error = run(&job).unreached().unwrap();
        assert!(error.to_string().contains(why), "{error}");
    }
    assert!(!out.exists());
}

#[test]
fn wrong_questions_are_refused() {
    let (_folder, path) = table_1();
    let mut wildcard = job(&path, Measure::Distinct, "0.8");
    wildcard.missing = MissingRule::Wildcard;
    let mut both = job(&path, Measure::Distinct, "0.8");
    both.keep = names(["age"]);
    both.drop = names(["age"]);
    let mut few = job(&path, Measure::Distinct, "0.8");
    few.method = MaskMethod::Sampled { draws: 2, delta: "0.01".parse::<Beta>().unwrap() };
    let mut input = job(&path, Measure::Distinct, "0.8");
    input.output = Some(ReleaseOutput::new(Destination::named(&path)));
    for (job, failure) in [
        (wildcard, Failure::Usage),
        (both, Failure::Usage),
        (few, Failure::Usage),
        (input, Failure::Output),
    ] {
        assert_eq!(refused(&job).0, failure);
    }
    let hurried = Run::new().time_limit(Some(Duration::ZERO));
    let error = job(&path, Measure::Distinct, "0.8").run(&hurried).unwrap_err();
    assert_eq!(error.failure(), Failure::Limit);
}

#[test]
fn equal_rows_can_be_left_out_of_the_release_too() {
    let (folder, path) = file("d.csv", "id,a,b\n1,x,p\n1,x,p\n2,x,p\n3,y,p\n");
    let out = folder.path().join("out.csv");
    let mut job = job(&path, Measure::Distinct, "0.7");
    job.roles = roles([("id", Role::Identifier)]);
    job.distinct_rows = true;
    job.output = Some(ReleaseOutput::new(Destination::named(&out)));
    let report = run(&job);
    // Two people who are alike are two people.
    assert_eq!((report.rows, report.duplicates_dropped), (3, Some(1)));
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 4);
    assert_eq!(format!("{:.4}", report.ratio), "0.6667");
}

#[test]
fn a_sample_of_all_rows_is_greedy() {
    let (_folder, path) = table_1();
    let mut job = job(&path, Measure::Distinct, "0.8");
    job.method = MaskMethod::Sampled { draws: 5, delta: "0.01".parse().unwrap() };
    let report = run(&job);
    assert_eq!((report.method.as_str(), report.sample), ("greedy", None));
    assert_eq!((report.publish.len(), report.coverage), (2, Coverage::Complete));
}
