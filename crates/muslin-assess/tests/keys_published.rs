//! What Motwani and Xu report about real tables (their Table 4), found again.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test says what it did not check")]

use std::collections::BTreeMap;

use muslin_assess::{
    Bound, ExactMinimum, Greedy, Levelwise, Measure, MinimalSets, Pruning, SampledKey,
    SampledKeyFound, SetRatios, Target,
};
use muslin_engine::{Coverage, MemoryEngine, Partition, Run, Seed, take_rows};
use muslin_io::{ColumnChoice, Input, ReadOptions};
use muslin_table::{EncodedTable, MissingRule, Ratio};
use muslin_testkit::{data, published};

/// A real table without one column, or nothing where it is absent.
fn real(name: &str, without: &str) -> Option<EncodedTable> {
    let Some(path) = data::real(name) else {
        println!("{name} is absent: not checked");
        return None;
    };
    let options = ReadOptions {
        columns: ColumnChoice::Except(vec![without.to_owned()]),
        ..ReadOptions::default()
    };
    Some(muslin_io::read(&Input::named(path), &options, &Run::new()).unwrap().table)
}

/// The paper's adult: without `fnlwgt`, every row once.
fn adult() -> Option<EncodedTable> {
    let table = real("adult.csv", "fnlwgt")?;
    let classes = table
        .columns()
        .iter()
        .fold(Partition::whole(table.rows()), |all, c| all.refine(c, MissingRule::Category));
    let distinct = take_rows(&table, &classes.first_rows()).unwrap();
    assert_eq!((distinct.rows(), distinct.columns().len()), (29_096, 14));
    Some(distinct)
}

fn sampled(key: &SampledKey, table: &EncodedTable, seed: u64) -> (SampledKeyFound, SetRatios) {
    let run = Run::new().seed(Seed::new(seed));
    let engine = MemoryEngine::new(table, &run);
    let found = key.run(&engine, &run).unwrap();
    let ratios = SetRatios::of(&engine, found.set(), MissingRule::Category).unwrap();
    (found, ratios)
}

/// Number of minimal sets of each size.
fn minimal(table: &EncodedTable, target: Target, missing: MissingRule) -> BTreeMap<usize, usize> {
    let found = MinimalSets::new(target).missing(missing).run(table, &Run::new()).unwrap();
    assert_eq!(found.coverage(), Coverage::Complete);
    let mut by_size = BTreeMap::new();
    found.sets().iter().for_each(|set| *by_size.entry(set.columns.len()).or_default() += 1);
    by_size
}

fn of(measure: Measure, beta: &str) -> Target {
    Target::new(measure, beta.parse().unwrap())
}

#[test]
fn the_worked_table_has_its_keys_and_ratios() {
    let table = published::motwani_xu_table_1();
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let set = |names: &[&str]| names.iter().map(|name| table.find(name).unwrap()).collect();
    for (names, [classes, rows], [apart, pairs]) in published::MOTWANI_XU_RATIOS {
        let ratios = SetRatios::of(&engine, &set(names), MissingRule::Category).unwrap();
        assert_eq!(ratios.distinct(), Some(Ratio::new(classes, rows)));
        assert_eq!(ratios.separation(), Ratio::new(apart, pairs));
    }
    for (name, apart) in published::MOTWANI_XU_PAIRS {
        let ratios = SetRatios::of(&engine, &set(&[name]), MissingRule::Category).unwrap();
        assert_eq!(ratios.separation(), Ratio::new(apart, 10));
    }
    let keys = MinimalSets::new(Target::key()).run(&table, &run).unwrap();
    let keys: Vec<_> = keys.sets().iter().map(|found| found.columns.clone()).collect();
    assert_eq!(keys, published::MOTWANI_XU_MINIMAL_KEYS.map(set));
    let minimum = ExactMinimum::new(Target::key()).run(&engine, &run).unwrap();
    assert_eq!(minimum.set().unwrap().len(), published::MOTWANI_XU_MINIMUM_KEY);
    assert!(minimum.is_optimal());
}

#[test]
fn adult_has_as_many_minimal_sets_as_counted_before() {
    let Some(table) = adult() else { return };
    let rule = MissingRule::Category;
    assert_eq!(minimal(&table, Target::key(), rule), [(13, 2)].into());
    let distinct = minimal(&table, of(Measure::Distinct, "0.9"), rule);
    assert_eq!(distinct, [(8, 16), (9, 48), (10, 36), (11, 2)].into());
    let separation = minimal(&table, of(Measure::Separation, "0.999"), rule);
    let by_size = [(3, 6), (4, 25), (5, 64), (6, 68), (7, 23), (8, 19), (9, 40), (10, 17)];
    assert_eq!(separation, by_size.into());
    // What a tool finds that rounds its error to a multiple of 2^-15: 32 of them, not 32.768.
    let rounded = minimal(&table, of(Measure::Separation, "0.9990234375"), rule);
    assert_eq!(rounded.values().sum::<usize>(), 299);
}

#[test]
fn the_papers_search_with_samples_finds_the_same_on_adult() {
    let Some(table) = adult() else { return };
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    for target in [Target::key(), of(Measure::Distinct, "0.9"), of(Measure::Separation, "0.999")] {
        let all = MinimalSets::new(target).run(&table, &run).unwrap();
        let all: Vec<_> = all.sets().iter().map(|found| found.columns.clone()).collect();
        let search = Levelwise::new(target).pruning(Pruning::Iterative);
        assert_eq!(search.run(&engine, &run).unwrap().sets(), all);
    }
}

#[test]
fn covtype_and_flights_have_as_many_minimal_keys_as_others_find() {
    let rule = MissingRule::Category;
    if let Some(table) = real("covtype.csv.gz", "Cover_Type") {
        assert_eq!(minimal(&table, Target::key(), rule), [(5, 20), (6, 22)].into());
    }
    let Some(path) = data::real("flights.csv.gz") else {
        println!("flights.csv.gz is absent: not checked");
        return;
    };
    let nulls = ["", "NA"].map(str::to_owned).to_vec();
    let options = ReadOptions { null: nulls, ..ReadOptions::default() };
    let table = muslin_io::read(&Input::named(path), &options, &Run::new()).unwrap().table;
    // Missing equals missing, and missing equals nothing.
    assert_eq!(minimal(&table, Target::key(), rule).values().sum::<usize>(), 203);
    let distinct = minimal(&table, Target::key(), MissingRule::Distinct);
    assert_eq!(distinct.values().sum::<usize>(), 330);
}

#[test]
fn adult_has_keys_of_thirteen_columns() {
    let Some(table) = adult() else { return };
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let found = Greedy::new(Target::key()).run(&engine, &run).unwrap();
    assert_eq!((found.set().len(), found.reached()), (13, true));
    // All columns but education, or but its number: they say the same.
    let minimal = Levelwise::new(Target::new(Measure::Separation, "0.999".parse().unwrap()));
    let minimal = minimal.max_size(4).run(&engine, &run).unwrap();
    let sizes = [3, 4].map(|size| minimal.sets().iter().filter(|s| s.len() == size).count());
    assert_eq!(sizes, [6, 25]);
}

#[test]
fn adult_samples_give_the_sizes_of_table_4() {
    let Some(table) = adult() else { return };
    for seed in 0..5 {
        let key = SampledKey::new(Measure::Distinct, 0.1, 0.01).unwrap();
        let (found, ratios) = sampled(&key, &table, seed);
        assert_eq!(found.rows_held(), 2_739);
        assert!((12..=13).contains(&found.set().len()), "{:?}", found.set());
        assert!(ratios.distinct().unwrap() >= Ratio::new(9, 10));

        let key = SampledKey::new(Measure::Separation, 0.001, 0.01).unwrap();
        let (found, ratios) = sampled(&key.clone().bound(Bound::Pairs), &table, seed);
        assert_eq!(found.pairs_used(), Some(14_303));
        assert!((4..=7).contains(&found.set().len()), "{:?}", found.set());
        assert!(ratios.separation() >= Ratio::new(999, 1_000));
        let (found, ratios) = sampled(&key.clone().bound(Bound::Rows), &table, seed);
        assert!((5..=10).contains(&found.set().len()), "{:?}", found.set());
        assert!(ratios.separation() >= Ratio::new(999, 1_000));
        let (found, ratios) = sampled(&key, &table, seed);
        assert!((4..=7).contains(&found.set().len()), "{:?}", found.set());
        assert!(ratios.separation() >= Ratio::new(999, 1_000));
    }
}

#[test]
fn covtype_has_a_key_of_five_columns() {
    let Some(table) = real("covtype.csv.gz", "Cover_Type") else { return };
    assert_eq!((table.rows(), table.columns().len()), (581_012, 54));
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let found = Greedy::new(Target::key()).run(&engine, &run).unwrap();
    assert_eq!((found.set().len(), found.reached()), (5, true));
    for seed in 0..2 {
        let key = SampledKey::new(Measure::Distinct, 0.1, 0.01).unwrap();
        let (found, ratios) = sampled(&key, &table, seed);
        assert_eq!((found.rows_held(), found.set().len()), (20_968, 3));
        assert!(ratios.distinct().unwrap() >= Ratio::new(999, 1_000));
        let key = SampledKey::new(Measure::Separation, 0.001, 0.01).unwrap();
        let (found, ratios) = sampled(&key.bound(Bound::Pairs), &table, seed);
        assert_eq!((found.pairs_used(), found.set().len()), (Some(42_015), 2));
        assert!(ratios.separation() >= Ratio::new(99_999, 100_000));
    }
}
