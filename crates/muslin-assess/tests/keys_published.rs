//! What Motwani and Xu report about real tables (their Table 4), found again.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test says what it did not check")]

use muslin_assess::{
    Bound, Greedy, Levelwise, Measure, SampledKey, SampledKeyFound, SetRatios, Target,
};
use muslin_engine::{MemoryEngine, Partition, Run, Seed, take_rows};
use muslin_io::{ColumnChoice, Input, ReadOptions};
use muslin_table::{EncodedTable, MissingRule, Ratio};
use muslin_testkit::data;

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
