//! The job that finds keys: the published table, duplicates, each question, and what is written.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::time::Duration;

use muslin::{
    AllReport, AllSets, ColumnChoice, Coverage, DemoData, Destination, Failure, GivenSetReport,
    Input, KeysAnswer, KeysJob, KeysOutput, KeysQuestion, KeysReport, Measure, MinimumMethod,
    MinimumReport, MissingRule, OverviewReport, RatiosKind, ReadOptions, Role, Run, SampledSet,
    Seed, SetsMethod, Stop, Target, WriteOptions,
};
use muslin_testkit::published;
use tempfile::TempDir;

/// Motwani and Xu, Table 1.
const TABLE_1: &str = "age,sex,state\n20,F,CA\n30,F,CA\n40,F,TX\n20,M,NY\n40,M,CA\n";
/// The second row equals the first, the last two are equal.
const EQUAL_ROWS: &str = "a,b\nx,1\nx,1\ny,1\nx,2\nz,2\nz,2\n";

fn job(folder: &Path, text: &str) -> KeysJob {
    let file = folder.join("in.csv");
    std::fs::write(&file, text).unwrap();
    KeysJob::new(Input::named(&file))
}

fn demo(folder: &Path, rows: u64) -> KeysJob {
    let file = folder.join("h.csv");
    let to = Destination::named(&file);
    DemoData::new(rows, Seed::new(1)).write(&to, &WriteOptions::default(), &Run::new()).unwrap();
    let mut job = KeysJob::new(Input::named(&file));
    let identifiers = ["patient_id", "name", "charge"];
    job.read.columns = ColumnChoice::Except(identifiers.map(String::from).to_vec());
    job
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn target(measure: Measure, beta: &str) -> Target {
    Target::new(measure, beta.parse().unwrap())
}

fn overview(report: &KeysReport) -> &OverviewReport {
    let KeysAnswer::Overview(overview) = &report.answer else { panic!("{report:?}") };
    overview
}

fn all(report: &KeysReport) -> &AllReport {
    let KeysAnswer::All(all) = &report.answer else { panic!("{report:?}") };
    all
}

fn minimum(report: &KeysReport) -> &MinimumReport {
    let KeysAnswer::Minimum(minimum) = &report.answer else { panic!("{report:?}") };
    minimum
}

fn given(report: &KeysReport) -> &GivenSetReport {
    let KeysAnswer::Set(set) = &report.answer else { panic!("{report:?}") };
    set
}

#[test]
fn the_published_table_has_the_published_keys_and_ratios() {
    let folder = folder();
    let mut job = job(folder.path(), TABLE_1);
    let run = Run::new();

    let report = job.run(&run).unwrap();
    let seen = overview(&report);
    assert!(seen.whole.reachable && seen.set.as_ref().is_some_and(|set| set.len() == 2));
    assert_eq!((seen.curve[0].column.as_str(), seen.curve[0].separation_ratio), ("age", 0.8));

    for method in SetsMethod::ALL {
        job.question = KeysQuestion::All(AllSets { method, ..AllSets::new(Target::key()) });
        let report = job.run(&run).unwrap();
        assert_eq!(report.coverage, Coverage::Complete);
        assert_eq!(all(&report).sets, published::MOTWANI_XU_MINIMAL_KEYS, "{method:?}");
        assert!(all(&report).sure && all(&report).set_facts.iter().all(|set| set.rows_alone == 5));
    }

    for exact in [false, true] {
        job.question = KeysQuestion::Minimum { target: Target::key(), exact };
        let report = job.run(&run).unwrap();
        let found = minimum(&report);
        assert_eq!(found.set.as_ref().unwrap().len(), published::MOTWANI_XU_MINIMUM_KEY);
        assert_eq!((found.ratios.distinct_ratio, found.weight), (Some(1.0), Some(2.0)));
        assert_eq!(found.optimal, exact.then_some(true));
    }

    for (columns, distinct, separation) in published::MOTWANI_XU_RATIOS {
        let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
        job.question = KeysQuestion::Set { columns: columns.clone(), sample: None };
        let report = job.run(&run).unwrap();
        let ratio = |[part, whole]: [u128; 2]| Some(muslin::Ratio::new(part, whole).as_f64());
        assert_eq!(given(&report).set, columns);
        assert_eq!(given(&report).ratios.distinct_ratio, ratio(distinct));
        assert_eq!(given(&report).ratios.separation_ratio, ratio(separation));
    }
}

#[test]
fn equal_rows_are_counted_and_can_be_left_out() {
    let folder = folder();
    let mut job = job(folder.path(), EQUAL_ROWS);
    let run = Run::new();
    let report = job.run(&run).unwrap();
    let seen = overview(&report);
    assert_eq!((seen.whole.reachable, &seen.set), (false, &None));
    assert_eq!((seen.whole.duplicate_rows, seen.whole.rows_alike), (Some(2), Some(4)));

    job.question = KeysQuestion::All(AllSets::new(Target::key()));
    let report = job.run(&run).unwrap();
    assert_eq!(report.coverage, Coverage::Complete);
    assert!(all(&report).sets.is_empty() && !all(&report).whole.reachable);
    assert!(!report.is_unreachable(), "all of none is a complete answer");

    for exact in [false, true] {
        job.question = KeysQuestion::Minimum { target: target(Measure::Distinct, "0.9"), exact };
        let report = job.run(&run).unwrap();
        assert!(report.is_unreachable() && minimum(&report).set.is_none());
        let ceiling = minimum(&report).whole.ceiling.as_ref().unwrap();
        assert_eq!(ceiling.distinct_ratio, Some(4.0 / 6.0));
        assert_eq!(minimum(&report).nearest.as_ref().unwrap().len(), 2);
    }

    job.distinct_rows = true;
    let report = job.run(&run).unwrap();
    assert_eq!((report.rows, report.duplicates_dropped), (4, Some(2)));
    assert_eq!(minimum(&report).set, Some(vec!["a".into(), "b".into()]));
}

#[test]
fn costs_change_what_is_cheapest() {
    let folder = folder();
    let mut job = job(folder.path(), TABLE_1);
    for exact in [false, true] {
        job.question = KeysQuestion::Minimum { target: Target::key(), exact };
        job.costs = [("sex".into(), "5".parse().unwrap())].into();
        let report = job.run(&Run::new()).unwrap();
        assert_eq!(minimum(&report).set, Some(vec!["age".into(), "state".into()]));
        assert_eq!(minimum(&report).weight, Some(2.0));
    }
    job.costs = [("sexx".into(), "5".parse().unwrap())].into();
    assert_eq!(job.run(&Run::new()).unwrap_err().failure(), Failure::Usage);
}

#[test]
fn every_method_finds_the_same_sets() {
    let folder = folder();
    let mut job = demo(folder.path(), 3_000);
    let columns = ["age", "sex", "town", "education", "occupation", "insurance", "blood_group"];
    job.read.columns = ColumnChoice::Only(columns.map(String::from).to_vec());
    for target in [target(Measure::Distinct, "0.5"), target(Measure::Separation, "0.9995")] {
        let mut of = |method| {
            job.question = KeysQuestion::All(AllSets { method, ..AllSets::new(target) });
            let report = job.run(&Run::new()).unwrap();
            (all(&report).sets.clone(), all(&report).set_facts.clone())
        };
        let expected = of(SetsMethod::HittingSets);
        assert!(expected.0.len() > 2);
        for method in SetsMethod::ALL {
            assert_eq!(of(method), expected, "{method:?}");
        }
    }
}

#[test]
fn a_limit_lists_the_smallest_sets_and_says_so() {
    let folder = folder();
    let mut job = demo(folder.path(), 2_000);
    job.distinct_rows = true;
    for method in [SetsMethod::HittingSets, SetsMethod::Levelwise] {
        let target = target(Measure::Distinct, "0.95");
        let asked = AllSets { max_size: Some(3), method, ..AllSets::new(target) };
        job.question = KeysQuestion::All(asked.clone());
        let whole = job.run(&Run::new()).unwrap();
        assert_eq!(whole.coverage, Coverage::Complete);
        assert!(all(&whole).larger_may_exist && all(&whole).complete_to_size == Some(3));
        job.question = KeysQuestion::All(AllSets { limit: Some(7), ..asked });
        let cut = job.run(&Run::new()).unwrap();
        assert_eq!(cut.coverage, Coverage::Stopped { by: Stop::ResultLimit }, "{method:?}");
        assert_eq!(all(&cut).sets, all(&whole).sets[..7], "{method:?}");
        assert_eq!(all(&cut).total, 7);
        let last = all(&cut).sets[6].len();
        assert_eq!(all(&cut).complete_to_size, Some(last - 1));
    }
}

#[test]
fn the_list_of_sets_reads_back() {
    let folder = folder();
    let mut job = demo(folder.path(), 1_000);
    job.distinct_rows = true;
    for method in [SetsMethod::HittingSets, SetsMethod::Levelwise] {
        let asked = AllSets { max_size: Some(4), method, ..AllSets::new(Target::key()) };
        job.question = KeysQuestion::All(asked);
        for name in ["sets.csv", "sets.parquet", "sets.arrow", "sets.tsv"] {
            let path = folder.path().join(name);
            job.output = Some(KeysOutput::new(Destination::named(&path)));
            let report = job.run(&Run::new()).unwrap();
            assert_eq!(report.written, Some(path.display().to_string()));
            let input = Input::named(&path);
            let table = muslin::read(&input, &ReadOptions::default(), &Run::new()).unwrap().table;
            let names: Vec<&str> = table.columns().iter().map(muslin::Column::name).collect();
            let expected = ["size", "columns", "distinct_ratio", "separation_ratio", "rows_alone"];
            assert_eq!(names, expected);
            assert_eq!(table.rows(), all(&report).sets.len(), "{name}");
        }
        let path = folder.path().join("sets.csv");
        let first = std::fs::read_to_string(&path).unwrap();
        let report = job.run(&Run::new()).unwrap();
        let set = all(&report).sets[0].join("|");
        assert_eq!(
            first.lines().nth(1).unwrap(),
            format!("{},\"{set}\",1,1,{}", all(&report).sets[0].len(), report.rows)
        );
    }
    job.output = Some(KeysOutput::new(Destination::named(folder.path().join("h.csv"))));
    assert_eq!(job.run(&Run::new()).unwrap_err().failure(), Failure::Output);
}

#[test]
fn a_sampled_set_is_verified_where_the_file_can_be_read_again() {
    let folder = folder();
    let mut job = demo(folder.path(), 30_000);
    let mut asked = SampledSet::new(Measure::Separation, 0.01, 0.01);
    job.question = KeysQuestion::Sampled(asked.clone());
    let report = job.run(&Run::new()).unwrap();
    let found = minimum(&report);
    let sample = found.sample.as_ref().unwrap();
    assert_eq!((report.rows, sample.rows_passed), (30_000, 30_000));
    assert!(sample.rows_held < 10_000, "{}", sample.rows_held);
    let coverage = Coverage::Sampled { rows: sample.rows_held, seed: Seed::default() };
    assert_eq!(report.coverage, coverage);
    assert_eq!(
        (found.method, found.ratios.ratios),
        (MinimumMethod::Sampled, Some(RatiosKind::Exact))
    );
    assert_eq!(sample.promise_kept, Some(true));

    job.question = KeysQuestion::Set { columns: found.set.clone().unwrap(), sample: None };
    let exact = job.run(&Run::new()).unwrap();
    assert_eq!(given(&exact).ratios, found.ratios);

    asked.verify = false;
    job.question = KeysQuestion::Sampled(asked.clone());
    let estimated = job.run(&Run::new()).unwrap();
    let of = &minimum(&estimated).ratios;
    assert_eq!((of.ratios, of.distinct_ratio), (Some(RatiosKind::Estimated), None));
    assert_eq!(minimum(&estimated).set, found.set);
    let (bounds, exact) = (of.separation_bounds.unwrap(), found.ratios.separation_ratio.unwrap());
    assert!(bounds.low <= exact && exact <= bounds.high, "{bounds:?} {exact}");

    asked.beta = Some("0.99".parse().unwrap());
    asked.epsilon = 0.1;
    job.question = KeysQuestion::Sampled(asked);
    let report = job.run(&Run::new()).unwrap();
    assert_eq!(minimum(&report).target.target, "0.99-separation");
    assert!(minimum(&report).whole.reachable);
}

#[test]
fn a_sample_that_is_the_table_leaves_nothing_to_chance() {
    let folder = folder();
    let mut job = job(folder.path(), TABLE_1);
    for (beta, size) in [(None, 2), (Some("0.8".parse().unwrap()), 1)] {
        let asked = SampledSet::new(Measure::Separation, 0.01, 0.01);
        job.question = KeysQuestion::Sampled(SampledSet { beta, ..asked });
        let report = job.run(&Run::new()).unwrap();
        assert_eq!(report.coverage, Coverage::Complete);
        let found = minimum(&report);
        assert_eq!(found.set.as_ref().unwrap().len(), size);
        assert_eq!(found.ratios.ratios, Some(RatiosKind::Exact));
    }
}

#[test]
fn rows_that_are_equal_in_the_sample_are_in_the_way() {
    let folder = folder();
    let rows: Vec<String> = (0..4_000).map(|row| format!("{},{}", row % 40, row % 7)).collect();
    let mut job = job(folder.path(), &format!("a,b\n{}\n", rows.join("\n")));
    job.question = KeysQuestion::Sampled(SampledSet::new(Measure::Distinct, 0.05, 0.01));
    let report = job.run(&Run::new()).unwrap();
    assert!(report.is_unreachable());
    let found = minimum(&report);
    assert!(found.set.is_none() && found.nearest.is_some() && found.whole.ceiling.is_some());
}

#[test]
fn a_given_set_is_estimated_from_a_sample() {
    let folder = folder();
    let mut job = demo(folder.path(), 20_000);
    let columns = vec!["age".to_owned(), "town".to_owned()];
    job.question = KeysQuestion::Set { columns: columns.clone(), sample: Some(2_000) };
    let estimated = job.run(&Run::new()).unwrap();
    let seed = Seed::default();
    assert_eq!(estimated.coverage, Coverage::Sampled { rows: 2_000, seed });
    job.question = KeysQuestion::Set { columns, sample: None };
    let exact = job.run(&Run::new()).unwrap();
    let (exact, of) = (&given(&exact).ratios, &given(&estimated).ratios);
    for (bounds, ratio) in [
        (of.separation_bounds.unwrap(), exact.separation_ratio.unwrap()),
        (of.distinct_bounds.unwrap(), exact.distinct_ratio.unwrap()),
    ] {
        assert!(bounds.low <= ratio && ratio <= bounds.high, "{bounds:?} {ratio}");
    }
    assert_eq!((of.distinct_ratio, of.confidence), (None, Some(0.95)));
}

#[test]
fn reports_do_not_depend_on_threads() {
    let folder = folder();
    let mut job = demo(folder.path(), 5_000);
    let key = Target::key();
    let questions = [
        KeysQuestion::Overview,
        KeysQuestion::All(AllSets::new(target(Measure::Distinct, "0.9"))),
        KeysQuestion::Minimum { target: target(Measure::Separation, "0.99999"), exact: false },
        KeysQuestion::Minimum { target: key, exact: true },
        KeysQuestion::Sampled(SampledSet::new(Measure::Separation, 0.01, 0.05)),
        KeysQuestion::Set { columns: vec!["age".into(), "sex".into()], sample: None },
    ];
    for question in questions {
        job.question = question.clone();
        let [one, four] =
            [1, 4].map(|threads| job.run(&Run::new().threads(threads).unwrap()).unwrap());
        assert_eq!(one, four, "{question:?}");
    }
}

#[test]
fn roles_choose_columns_and_missing_cells_match_by_the_rule() {
    let folder = folder();
    let mut job = job(folder.path(), "id,a,b\n1,x,\n2,x,\n3,y,1\n");
    job.read.null = vec![String::new()];
    job.roles = [("id".into(), Role::Identifier)].into();
    for (rule, reachable, duplicates) in [
        (MissingRule::Category, false, Some(1)),
        (MissingRule::Distinct, true, Some(0)),
        (MissingRule::Wildcard, false, None),
    ] {
        job.missing = rule;
        let report = job.run(&Run::new()).unwrap();
        assert_eq!((report.columns, &report.left_out[..]), (2, &["id".to_owned()][..]));
        let whole = &overview(&report).whole;
        assert_eq!((whole.reachable, whole.duplicate_rows), (reachable, duplicates), "{rule}");
    }
    for exact in [false, true] {
        job.question = KeysQuestion::Minimum { target: target(Measure::Distinct, "0.5"), exact };
        assert_eq!(job.run(&Run::new()).unwrap_err().failure(), Failure::Usage);
    }
}

#[test]
fn odd_tables_have_answers() {
    let folder = folder();
    for (text, key) in [("a,b\n", Some(0)), ("a,b\n1,2\n", Some(0)), ("a\n1\n1\n", None)] {
        let mut job = job(folder.path(), text);
        job.read.csv.header = Some(true);
        let report = job.run(&Run::new()).unwrap();
        assert_eq!(overview(&report).set.as_ref().map(Vec::len), key, "{text}");
        job.question = KeysQuestion::All(AllSets::new(Target::key()));
        let report = job.run(&Run::new()).unwrap();
        assert_eq!(all(&report).sets.first().map(Vec::len), key, "{text}");
        for exact in [false, true] {
            job.question = KeysQuestion::Minimum { target: Target::key(), exact };
            let report = job.run(&Run::new()).unwrap();
            assert_eq!(minimum(&report).set.as_ref().map(Vec::len), key, "{text}");
        }
        job.question = KeysQuestion::Sampled(SampledSet::new(Measure::Separation, 0.1, 0.1));
        let report = job.run(&Run::new()).unwrap();
        assert_eq!(minimum(&report).set.as_ref().map(Vec::len), key, "{text}");
    }
}

#[test]
fn settings_that_do_not_go_together_are_usage_errors() {
    let folder = folder();
    let mut wrong = Vec::new();
    let sampled = SampledSet::new(Measure::Separation, 0.1, 0.1);
    let mut push = |change: &dyn Fn(&mut KeysJob)| {
        let mut job = job(folder.path(), TABLE_1);
        change(&mut job);
        wrong.push(job);
    };
    push(&|job| job.output = Some(KeysOutput::new(Destination::Stdout)));
    push(&|job| {
        job.distinct_rows = true;
        job.question = KeysQuestion::Sampled(sampled.clone());
    });
    push(&|job| {
        let asked = SampledSet { epsilon: 0.0, ..sampled.clone() };
        job.question = KeysQuestion::Sampled(asked);
    });
    push(&|job| {
        let beta = Some("0.5".parse().unwrap());
        let asked = SampledSet { measure: Measure::Distinct, beta, ..sampled.clone() };
        job.question = KeysQuestion::Sampled(asked);
    });
    push(&|job| job.question = KeysQuestion::Set { columns: vec!["agee".into()], sample: None });
    push(&|job| job.question = KeysQuestion::Set { columns: vec!["age".into()], sample: Some(1) });
    for job in wrong {
        let error = job.run(&Run::new()).unwrap_err();
        assert_eq!(error.failure(), Failure::Usage, "{error}");
    }
}

#[test]
fn a_job_without_time_stops() {
    let folder = folder();
    let job = demo(folder.path(), 100);
    let run = Run::new().time_limit(Some(Duration::ZERO));
    assert_eq!(job.run(&run).unwrap_err().failure(), Failure::Limit);
}
