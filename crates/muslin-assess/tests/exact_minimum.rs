//! The cheapest quasi-identifier against brute force, and on the papers' tables.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test says what it did not check")]

use std::time::Duration;

use muslin_assess::{ExactMinimum, Measure, Target, Weight, Weights};
use muslin_engine::{Coverage, Engine, MemoryEngine, Partition, Run, Seed, take_rows};
use muslin_io::{ColumnChoice, Input, ReadOptions};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule, Ratio};
use muslin_testkit::generate::ugly_tables;
use muslin_testkit::{data, oracle, published};
use proptest::prelude::*;

fn target(measure: Measure, beta: &str) -> Target {
    Target::new(measure, beta.parse().unwrap())
}

fn subsets(columns: usize) -> impl Iterator<Item = ColumnSet> {
    (0..1u32 << columns)
        .map(move |mask| (0..columns).filter(|c| mask >> c & 1 == 1).map(ColumnId::new).collect())
}

fn betas() -> impl Strategy<Value = String> {
    let fixed = ["0", "0.1", "0.2", "0.25", "0.5", "0.6", "0.75", "0.8", "0.9", "0.99", "1"];
    prop_oneof![
        prop::sample::select(fixed.to_vec()).prop_map(str::to_owned),
        (0u32..1_000).prop_map(|beta| format!("0.{beta:03}"))
    ]
}

fn weights() -> impl Strategy<Value = Weights> {
    let weight = prop_oneof![Just(1_000_000u64), Just(0), 1u64..4, 0u64..9_000_000];
    let several = prop::collection::vec(weight, 7).prop_map(|of| {
        let mut weights = Weights::new();
        for (column, weight) in of.into_iter().enumerate() {
            weights.set(ColumnId::new(column), Weight::of_millionths(weight));
        }
        weights
    });
    prop_oneof![1 => Just(Weights::new()), 2 => several]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(3_000)))]

    #[test]
    fn the_cheapest_set_weighs_what_brute_force_finds(
        table in ugly_tables(),
        measure in prop::sample::select(Measure::ALL.to_vec()),
        beta in betas(),
        weights in weights(),
        missing in prop::sample::select(MissingRule::ALL.to_vec()),
    ) {
        let run = Run::new();
        let target = target(measure, &beta);
        let exact = ExactMinimum::new(target).weights(weights.clone()).missing(missing);
        let found = exact.run(&MemoryEngine::new(&table, &run), &run);
        if measure == Measure::Distinct && missing == MissingRule::Wildcard {
            prop_assert!(found.is_err());
            return Ok(());
        }
        let found = found.unwrap();
        let sizes = |set: &ColumnSet| oracle::class_sizes(&table, set, missing);
        let reached = subsets(table.columns().len()).filter(|set| target.is_reached(&sizes(set)));
        let least = reached.map(|set| weights.sum(&set)).min();
        prop_assert_eq!(found.coverage(), Coverage::Complete);
        prop_assert_eq!(found.weight(), least);
        prop_assert_eq!(found.is_optimal(), least.is_some());
        let counted = found.set().cloned().unwrap_or(table.all_columns());
        prop_assert_eq!(found.sizes(), &sizes(&counted));
        if let (Some(set), Some(least)) = (found.set(), least) {
            prop_assert!(target.is_reached(found.sizes()));
            prop_assert_eq!(weights.sum(set), least);
            prop_assert_eq!(found.lower_bound(), least);
        }
    }
}

#[test]
fn table_1_of_motwani_and_xu_has_a_key_of_two_columns() {
    let table = published::motwani_xu_table_1();
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let found = ExactMinimum::new(Target::key()).run(&engine, &run).unwrap();
    assert_eq!(found.set().unwrap().len(), 2);
    let age = ExactMinimum::new(target(Measure::Separation, "0.8")).run(&engine, &run).unwrap();
    assert_eq!(age.set(), Some(&ColumnSet::first(1)));
    assert_eq!(age.sizes().separation_ratio(), Ratio::new(8, 10));
}

#[test]
fn the_empty_set_is_a_key_of_no_row_and_of_one() {
    for rows in [vec![], vec![[1, 2]]] {
        let run = Run::new();
        let table = EncodedTable::of::<2>(&rows);
        let found =
            ExactMinimum::new(Target::key()).run(&MemoryEngine::new(&table, &run), &run).unwrap();
        assert_eq!(found.set(), Some(&ColumnSet::new()));
        assert!(found.is_optimal());
    }
}

#[test]
fn a_run_without_time_leaves_bounds_or_says_so() {
    let table = muslin_testkit::generate::large_table(300, &[3; 12], true, Seed::default());
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let hurried = Run::new().time_limit(Some(Duration::ZERO));
    let target = target(Measure::Separation, "0.99");
    let stopped = ExactMinimum::new(target).run(&engine, &hurried).unwrap();
    let full = ExactMinimum::new(target).run(&engine, &run).unwrap();
    assert!(matches!(stopped.coverage(), Coverage::Stopped { .. }));
    assert!(target.is_reached(stopped.sizes()));
    assert!(stopped.weight() >= full.weight() && stopped.lower_bound() <= full.lower_bound());
}

/// The paper's adult: without `fnlwgt`, each different row once.
fn adult() -> Option<EncodedTable> {
    let Some(path) = data::real("adult.csv") else {
        println!("adult.csv is absent: not checked");
        return None;
    };
    let columns = ColumnChoice::Except(vec!["fnlwgt".to_owned()]);
    let options = ReadOptions { columns, ..ReadOptions::default() };
    let table = muslin_io::read(&Input::named(path), &options, &Run::new()).unwrap().table;
    let rows = table.columns().iter().fold(Partition::whole(table.rows()), |rows, column| {
        rows.refine(column, MissingRule::Category)
    });
    let table = take_rows(&table, &rows.first_rows()).unwrap();
    assert_eq!((table.rows(), table.columns().len()), (29_096, 14));
    Some(table)
}

#[test]
fn adult_has_the_minimum_key_of_the_paper_and_smaller_quasi_identifiers() {
    let Some(table) = adult() else { return };
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let size =
        |target: Target| {
            let found = ExactMinimum::new(target).run(&engine, &run).unwrap();
            assert!(found.is_optimal());
            assert!(target.is_reached(
                &engine.class_sizes(found.set().unwrap(), MissingRule::Category).unwrap()
            ));
            println!("{target}: {} evaluations", found.evaluations());
            found.set().unwrap().len()
        };
    assert_eq!(size(Target::key()), 13);
    assert_eq!(size(target(Measure::Distinct, "0.9")), 8);
    assert_eq!(size(target(Measure::Separation, "0.999")), 3);
}
