//! Generalizing through the facade: hierarchies from files, rules and values, and real tables.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use muslin::{
    Cut, Destination, Distance, Failure, GeneralizeJob, GeneralizeReport, Hierarchies,
    HierarchyRule, HierarchySource, Input, Labels, Policy, ReadOptions, Recoding, ReleaseOutput,
    RowOrder, Run, Spread, SpreadSetting,
};

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    file
}

/// The lines that a job publishes, in order of reading.
fn published(mut job: GeneralizeJob, folder: &Path) -> (GeneralizeReport, Vec<String>) {
    let file = folder.join("release.csv");
    let mut output = ReleaseOutput::new(Destination::Path(file.clone()));
    output.order = RowOrder::AsRead;
    job.output = Some(output);
    let report = job.run(&Run::new()).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    (report, text.lines().map(str::to_owned).collect())
}

const PEOPLE: &str = "age,sex,zip,disease\n22,M,47906,dyspepsia\n22,F,47906,flu\n33,F,47905,flu\n\
    52,F,47905,bronchitis\n54,M,47302,flu\n60,M,47302,dyspepsia\n60,M,47304,dyspepsia\n\
    64,F,47304,gastritis\n";

fn people(folder: &Path, k: u32) -> GeneralizeJob {
    let mut job = GeneralizeJob::new(Input::named(written(folder, "people.csv", PEOPLE)), k);
    job.roles.insert("disease".into(), muslin::Role::Sensitive);
    job
}

#[test]
fn table_b_of_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = people(folder.path(), 4);
    job.tight = true;
    job.hierarchies.set("sex", HierarchySource::Rule(HierarchyRule::Prefixes(vec![])));
    job.hierarchies.set("zip", HierarchySource::Rule(HierarchyRule::Prefixes(vec![4])));
    let (report, lines) = published(job, folder.path());
    assert_eq!(lines[1], "[22-52],*,4790*,dyspepsia");
    assert_eq!(lines[8], "[54-64],*,4730*,gastritis");
    assert_eq!((report.classes, report.smallest), (2, Some(4)));
    assert_eq!(report.claims[0].to_string().split(':').next(), Some("4-anonymity"));
}

#[test]
fn table_d_of_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = people(folder.path(), 4);
    job.labels = Some(Labels::Multisets);
    let (_, lines) = published(job, folder.path());
    assert_eq!(lines[1], "\"22:2,33:1,52:1\",\"F:3,M:1\",\"47905:2,47906:2\",dyspepsia");
    assert_eq!(lines[5], "\"54:1,60:2,64:1\",\"F:1,M:3\",\"47302:2,47304:2\",flu");
}

#[test]
fn bounds_lie_on_a_grid_unless_asked() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = people(folder.path(), 4);
    job.grids.insert("age".into(), 10.0);
    let (_, lines) = published(job, folder.path());
    assert!(lines[1].starts_with("[20-59],") && lines[8].starts_with("[50-69],"), "{lines:?}");
}

#[test]
fn rules_of_a_policy_make_levels() {
    let folder = tempfile::tempdir().unwrap();
    let policy = Policy::parse(
        "muslin.toml",
        "schema = 1\n[columns.age]\nhierarchy.breaks = [[40, 60], [60]]\n[columns.zip]\nhierarchy.prefixes = [3]\n",
    )
    .unwrap();
    let mut job = people(folder.path(), 2);
    job.hierarchies = policy.hierarchies();
    job.recoding = Recoding::FullDomain;
    let (report, lines) = published(job, folder.path());
    let level = |name: &str| {
        report.columns.iter().find(|column| column.name == name).unwrap().level.unwrap()
    };
    assert_eq!(report.optimal, Some(true));
    assert!(level("age") + level("zip") + level("sex") > 0);
    assert_eq!(lines.len(), 9);

    let dates = "day,x\n2020-01-05,1\n2020-01-25,1\n2020-02-01,1\n2021-07-01,1\n";
    let file = written(folder.path(), "dates.csv", dates);
    let mut job = GeneralizeJob::new(Input::named(file), 2);
    job.recoding = Recoding::Local;
    job.roles.insert("day".into(), muslin::Role::QuasiIdentifier);
    let (_, lines) = published(job, folder.path());
    assert_eq!(lines[1], "2020-01,1");
}

#[test]
fn rules_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (column, rule, part) in [
        ("age", HierarchyRule::Widths(vec![5.0, 7.0]), "multiples"),
        ("age", HierarchyRule::Widths(vec![0.0]), "multiples"),
        ("age", HierarchyRule::Breaks(vec![vec![10.0], vec![20.0]]), "level before"),
        ("age", HierarchyRule::Breaks(vec![vec![20.0, 10.0]]), "rise"),
        ("age", HierarchyRule::Parts(vec![muslin::DatePart::Year]), "dates"),
        ("sex", HierarchyRule::Widths(vec![5.0]), "numbers"),
        ("zip", HierarchyRule::Prefixes(vec![2, 3]), "shorter"),
    ] {
        let mut job = people(folder.path(), 2);
        job.recoding = Recoding::Local;
        job.hierarchies.set(column, HierarchySource::Rule(rule));
        let error = job.run(&Run::new()).unwrap_err();
        assert_eq!(error.failure(), Failure::Input);
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.to_string().contains(column), "{error}");
    }
}

#[test]
fn a_file_that_misses_values_is_refused_before_work() {
    let folder = tempfile::tempdir().unwrap();
    let run = |text: &str| {
        let file = written(folder.path(), "hierarchy_sex.csv", text);
        let mut job = people(folder.path(), 2);
        job.recoding = Recoding::Local;
        job.hierarchies.set("sex", HierarchySource::File(file));
        job.run(&Run::new())
    };
    assert!(run("M;*\nF;*\n").is_ok());
    let error = run("F;*\nX;*\n").unwrap_err();
    assert_eq!(error.failure(), Failure::Input);
    let text = error.to_string();
    assert!(text.contains("lacks 1 of the column's 2 values, which 4 rows have"), "{text}");
    assert!(text.contains("`sex`") && !text.contains("`M`"), "{text}");
    assert!(run("M;*\nM;*\nF;*\n").unwrap_err().to_string().contains("earlier line"));
    assert!(run("M;a;*\nF;a;b\n").unwrap_err().to_string().contains("no tree"));
    assert!(run("M\nF\n").unwrap_err().to_string().contains("single field"));
}

#[test]
fn settings_of_other_ways_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = people(folder.path(), 2);
    job.suppression_limit = Some(0.1);
    assert_eq!(job.run(&Run::new()).unwrap_err().failure(), Failure::Usage);
    let mut job = people(folder.path(), 2);
    job.recoding = Recoding::FullDomain;
    job.tight = true;
    assert_eq!(job.run(&Run::new()).unwrap_err().failure(), Failure::Usage);
    let job = people(folder.path(), 9);
    assert_eq!(job.run(&Run::new()).unwrap_err().failure(), Failure::Unreachable);
}

/// Rows of a column `x` and of a sensitive column; none of `x` is made of the other.
fn one_column(folder: &Path, name: &str, values: &[&str]) -> GeneralizeJob {
    let lines = values.iter().enumerate().map(|(at, value)| format!("{value},{}\n", at % 3));
    let text = format!("{name},s\n{}", lines.collect::<String>());
    let mut job = GeneralizeJob::new(Input::named(written(folder, "one.csv", &text)), 4);
    job.roles.insert("s".into(), muslin::Role::Sensitive);
    job.roles.insert(name.into(), muslin::Role::QuasiIdentifier);
    job
}

/// The labels of the first column, and the warnings about it.
fn labels(job: GeneralizeJob, folder: &Path) -> (Vec<String>, Vec<String>) {
    let name = job.roles.keys().find(|name| *name != "s").unwrap().clone();
    let (report, lines) = published(job, folder);
    let label = |line: &String| line.rsplit_once(',').unwrap().0.trim_matches('"').to_owned();
    let is_about = |warning: &String| warning.contains(&format!("`{name}`"));
    let warnings = report.warnings.into_iter().filter(is_about).collect();
    (lines[1..].iter().map(label).collect(), warnings)
}

#[test]
fn a_set_of_more_texts_than_allowed_is_suppressed_and_the_report_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let towns = ["a", "b", "c", "d", "e", "f", "g"];
    let job = one_column(folder.path(), "town", &towns);
    let (found, warnings) = labels(job.clone(), folder.path());
    assert_eq!(found, ["*"; 7]);
    assert!(warnings[0].contains("7 of 7 cells are suppressed"), "{warnings:?}");
    assert!(warnings[0].contains("`--hierarchy town=FILE.csv`"), "{warnings:?}");
    for form in [None, Some(Labels::Sets)] {
        let job = GeneralizeJob { max_set: Some(7), labels: form, ..job.clone() };
        assert_eq!(
            labels(job, folder.path()),
            (vec!["{a, b, c, d, e, f, g}".into(); 7], Vec::new())
        );
    }
    let five = one_column(folder.path(), "town", &["a", "b", "c", "d", "e"]);
    assert_eq!(labels(five.clone(), folder.path()).0, ["{a, b, c, d, e}"; 5]);
    let (found, _) = labels(GeneralizeJob { max_set: Some(4), ..five.clone() }, folder.path());
    assert_eq!(found, ["*"; 5]);
    let none = GeneralizeJob { max_set: Some(0), ..five };
    assert_eq!(none.run(&Run::new()).unwrap_err().failure(), Failure::Usage);
}

#[test]
fn texts_that_look_like_dates_or_names_are_never_published_as_sets() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing shows whether the day or the month comes first.
    let days = ["01/02/1980", "02/02/1980", "03/03/1981", "04/04/1982"];
    for form in [None, Some(Labels::Sets), Some(Labels::Ranges), Some(Labels::Multisets)] {
        let job = one_column(folder.path(), "seen", &days);
        let (found, warnings) = labels(GeneralizeJob { labels: form, ..job }, folder.path());
        assert_eq!(found, ["*"; 4], "{form:?}");
        assert!(warnings[0].contains("dates that were read as text"), "{warnings:?}");
        assert!(warnings[0].contains("--date-format"), "{warnings:?}");
    }
    let mut job = one_column(folder.path(), "Vorname", &["Ann", "Bo", "Cy", "Di"]);
    job.roles.insert("Vorname".into(), muslin::Role::QuasiIdentifier);
    let (found, warnings) = labels(job, folder.path());
    assert_eq!(found, ["*"; 4]);
    assert!(warnings[0].contains("names of people"), "{warnings:?}");
}

#[test]
fn dates_are_ranges_of_dates_in_whatever_form_texts_are_published() {
    let folder = tempfile::tempdir().unwrap();
    let days = ["1980-02-01", "1980-02-20", "1980-03-03", "1980-04-04"];
    for form in [None, Some(Labels::Sets), Some(Labels::Ranges)] {
        let job = one_column(folder.path(), "seen", &days);
        let (found, warnings) = labels(GeneralizeJob { labels: form, ..job }, folder.path());
        assert_eq!(found, ["[1980-01-28 to 1980-04-06]"; 4], "{form:?}");
        assert_eq!(warnings.len(), 0, "{warnings:?}");
    }
}

#[test]
fn codes_have_no_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let zips = ["47302", "47304", "47905", "47906"];
    let (found, _) = labels(one_column(folder.path(), "zip", &zips), folder.path());
    assert_eq!(found, ["{47302, 47304, 47905, 47906}"; 4]);
    let many: Vec<String> =
        (0..12).map(|at| (47_100 + at % 6 + at / 6 * 1_000).to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut job = one_column(folder.path(), "zip", &many);
    job.recoding = Recoding::FullDomain;
    let (found, _) = labels(job, folder.path());
    assert_eq!(
        (&found[..6], &found[6..]),
        (&["4710*"; 6].map(String::from)[..], &["4810*"; 6].map(String::from)[..])
    );
    let ages = ["31", "34", "52", "58"];
    let (found, _) = labels(one_column(folder.path(), "age", &ages), folder.path());
    assert_eq!(found, ["[30-59]"; 4]);
}

/// A real table of ARX with its hierarchies.
fn real(name: &str, file: &str) -> Option<GeneralizeJob> {
    let file = muslin_testkit::data::real(&format!("arx/{name}/{file}"))?;
    let mut job = GeneralizeJob::new(Input::named(&file), 5);
    job.read = ReadOptions::default();
    job.hierarchy_folder = file.parent().map(Path::to_owned);
    job.hierarchies = Hierarchies::new();
    Some(job)
}

fn occupation(spread: Spread) -> Vec<SpreadSetting> {
    vec![SpreadSetting { column: "occupation".into(), spread }]
}

/// Losses and removed rows at limits of 0, 2 and 100 %, to the digits that are known.
fn check_limits(job: &GeneralizeJob, expected: [(f64, u64); 3]) {
    for (limit, (gcp, removed)) in [0.0, 0.02, 1.0].into_iter().zip(expected) {
        let mut job = job.clone();
        job.recoding = Recoding::FullDomain;
        job.suppression_limit = Some(limit);
        let report = job.run(&Run::new()).unwrap();
        assert!((report.loss.gcp - gcp).abs() < 5e-5, "{limit}: {}", report.loss.gcp);
        assert_eq!((report.removed_rows, report.optimal), (removed, Some(true)), "{limit}");
    }
}

#[test]
fn adult_has_the_optimum_that_arx_finds() {
    let Some(job) = real("adult", "adult.csv") else { return };
    check_limits(&job, [(0.6355, 0), (0.3693, 506), (0.2387, 2_553)]);
    let mut diverse = job.clone();
    diverse.spreads = occupation(Spread::Distinct { l: 3 });
    check_limits(&diverse, [(0.6250, 0), (0.2909, 522), (0.1806, 2_335)]);
    let mut close = job;
    let t = "0.2".parse().unwrap();
    close.spreads = occupation(Spread::Close { t, distance: Distance::Equal });
    check_limits(&close, [(0.9291, 0), (0.8397, 235), (0.6468, 8_156)]);
}

#[test]
fn cup_and_fars_have_the_optimum_of_brute_force() {
    // By a program that makes the classes of every node, one after the other.
    if let Some(job) = real("fars", "fars_subset.csv") {
        check_limits(&job, [(0.680_393, 0), (0.373_517, 197), (0.255_829, 918)]);
    }
    if let Some(job) = real("cup", "cup.csv") {
        check_limits(&job, [(0.815_624, 0), (0.388_221, 1_260), (0.340_717, 4_429)]);
    }
}

#[test]
fn adult_by_local_recoding_loses_less_than_elsewhere() {
    let Some(mut job) = real("adult", "adult.csv") else { return };
    job.recoding = Recoding::Local;
    let report = job.run(&Run::new()).unwrap();
    assert!(report.loss.gcp <= 0.0566, "{}", report.loss.gcp);
    assert_eq!(report.removed_rows, 0);

    job.spreads = occupation(Spread::Distinct { l: 3 });
    let report = job.run(&Run::new()).unwrap();
    assert!(report.loss.gcp <= 0.0346, "{}", report.loss.gcp);
    assert_eq!(report.removed_rows, 0);

    let t = "0.2".parse().unwrap();
    job.spreads = occupation(Spread::Close { t, distance: Distance::Equal });
    let report = job.run(&Run::new()).unwrap();
    assert!(report.loss.gcp <= 0.447, "{}", report.loss.gcp);
    assert!(report.removed_rows <= 1_090, "{}", report.removed_rows);
}

#[test]
fn adult_by_mondrian_loses_less_than_elsewhere() {
    let Some(mut job) = real("adult", "adult.csv") else { return };
    job.hierarchy_folder = None;
    let loss = |job: &GeneralizeJob| {
        let report = job.run(&Run::new()).unwrap();
        assert_eq!(report.removed_rows, 0);
        report.loss.gcp
    };
    // Numbers as ranges, on a grid, others as sets of any size; then with bounds of the class.
    job.max_set = Some(u32::MAX);
    let on_grid = loss(&job);
    job.tight = true;
    let tight = loss(&job);
    job.labels = Some(Labels::Ranges);
    let ranges = loss(&job);
    job.cut = Cut::Median;
    let median = loss(&job);
    assert!(on_grid <= 0.0374 && tight < on_grid, "{on_grid} {tight}");
    assert!(ranges < 0.0412 && median < 0.072, "{ranges} {median}");
}

#[test]
fn an_empty_release_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "p.csv", "age,sex\n1,F\n2,M\n3,F\n");
    let release = folder.path().join("r.csv");
    let mut job = GeneralizeJob::new(Input::named(&file), 4);
    job.recoding = Recoding::FullDomain;
    job.suppression_limit = Some(1.0);
    job.output = Some(ReleaseOutput::new(Destination::named(&release)));
    let error = job.run(&Run::new()).unwrap_err();
    assert_eq!(error.failure(), Failure::Unreachable);
    assert!(error.to_string().contains("every one of the 3 rows would be removed"), "{error}");
    assert!(!release.exists());
}
