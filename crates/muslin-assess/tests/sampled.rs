//! Keys from samples: how often they fail, on tables built to make them fail.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use muslin_assess::{Bound, Error, Measure, SampledKey, SetRatios, Weights};
use muslin_engine::{Coverage, Engine, MemoryEngine, Run, Seed};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule, Ratio};
use muslin_testkit::generate::{large_table, ugly_tables};
use muslin_testkit::{oracle, published};
use proptest::prelude::*;

/// A table whose first column makes classes of these sizes and whose second numbers the rows. The
/// second costs so much that the first is tried before it.
fn tempting(sizes: &[u64]) -> (EncodedTable, Weights) {
    let first = (0i64..).zip(sizes).flat_map(|(value, &size)| {
        std::iter::repeat_n(Some(value), usize::try_from(size).unwrap())
    });
    let first: Vec<_> = first.collect();
    let second = (0i64..).take(first.len()).map(Some).collect();
    let table = EncodedTable::of_columns([("bad".into(), first), ("key".into(), second)]);
    let mut weights = Weights::new();
    weights.set(ColumnId::new(1), "1000000".parse().unwrap());
    (table, weights)
}

/// Of 1,000 seeds, those whose set is reached in the sample and falls short in the table.
fn failures(key: &SampledKey, measure: Measure, table: &EncodedTable, least: f64) -> u32 {
    let mut failed = 0;
    for seed in 0..1_000 {
        let run = Run::new().seed(Seed::new(seed));
        let engine = MemoryEngine::new(table, &run);
        let found = key.run(&engine, &run).unwrap();
        assert!(found.reached());
        assert!(found.rows_held() < table.rows() as u64);
        let truth = SetRatios::of(&engine, found.set(), MissingRule::Category).unwrap();
        let ratio = match measure {
            Measure::Distinct => truth.distinct().unwrap(),
            Measure::Separation => truth.separation(),
        };
        failed += u32::from(ratio.as_f64() < least);
    }
    failed
}

/// One class that leaves a little more than `share` of all pairs together.
fn heavy(rows: u64, share: f64) -> Vec<u64> {
    let size = (2..rows)
        .find(|&s| Ratio::new((s * (s - 1)).into(), (rows * (rows - 1)).into()).as_f64() > share);
    let size = size.unwrap();
    std::iter::once(size).chain((size..rows).map(|_| 1)).collect()
}

#[test]
fn keys_of_pairs_and_rows_fail_no_more_often_than_promised() {
    let (epsilon, delta) = (0.05, 0.2);
    let equal = vec![110u64; 19];
    let mixed: Vec<u64> = vec![400, 160, 160].into_iter().chain([1; 1_300]).collect();
    for sizes in [heavy(2_000, epsilon), equal, mixed] {
        let (table, weights) = tempting(&sizes);
        let bad = oracle_separation(&sizes);
        assert!(bad < 1.0 - epsilon, "{bad}");
        let key = SampledKey::new(Measure::Separation, epsilon, delta).unwrap().weights(weights);
        let fails = |key: &SampledKey| failures(key, Measure::Separation, &table, 1.0 - epsilon);
        let pairs = fails(&key.clone().bound(Bound::Pairs));
        let rows = fails(&key.clone().bound(Bound::Rows));
        let both = fails(&key);
        assert!(pairs <= 200 && rows <= 200 && both <= 200, "{pairs} {rows} {both}");
        // The table does tempt: a bound that nothing ever breaks would say little.
        assert!(pairs > 0, "no failure of pairs");
        if sizes.len() > 1_500 {
            assert!(rows > 0, "no failure of rows");
        }
    }
}

fn oracle_separation(sizes: &[u64]) -> f64 {
    let all: u64 = sizes.iter().sum();
    let together: u64 = sizes.iter().map(|s| s * (s - 1)).sum();
    1.0 - Ratio::new(together.into(), (all * (all - 1)).into()).as_f64()
}

#[test]
fn distinct_keys_fail_no_more_often_than_promised() {
    let (epsilon, delta) = (0.49, 0.2);
    let (table, weights) = tempting(&vec![2; 500]);
    let key = SampledKey::new(Measure::Distinct, epsilon, delta).unwrap().weights(weights);
    let failed = failures(&key, Measure::Distinct, &table, 1.0 - epsilon);
    assert!(failed > 0 && failed <= 200, "{failed}");
}

#[test]
fn sets_for_a_share_fail_no_more_often_than_promised() {
    // The first column separates a little less than (1 - epsilon) beta of all pairs.
    let (table, weights) = tempting(&heavy(20_000, 0.605));
    let key = SampledKey::new(Measure::Separation, 0.2, 0.2).unwrap().weights(weights);
    let key = key.beta("0.5".parse().unwrap());
    let run = Run::new();
    assert_eq!(key.rows_needed(1 << 40, 2, &run).unwrap(), 2 * 2_397);
    assert!(failures(&key, Measure::Separation, &table, 0.4) <= 200);
    // A column that reaches beta is enough, nearly always.
    let (table, weights) = tempting(&heavy(20_000, 0.45));
    let key = SampledKey::new(Measure::Separation, 0.2, 0.2).unwrap().weights(weights);
    let key = key.beta("0.5".parse().unwrap());
    let small = (0..100).filter(|&seed| {
        let run = Run::new().seed(Seed::new(seed));
        key.run(&MemoryEngine::new(&table, &run), &run).unwrap().set() == &ColumnSet::first(1)
    });
    assert!(small.count() >= 80);
}

#[test]
fn a_key_of_a_sample_is_told_with_what_it_took() {
    let table = large_table(50_000, &[400, 300, 2, 500], false, Seed::new(3));
    let run = Run::new().seed(Seed::new(7));
    let engine = MemoryEngine::new(&table, &run);
    let key = SampledKey::new(Measure::Separation, 0.01, 0.05).unwrap();
    let found = key.run(&engine, &run).unwrap();
    assert!(found.reached() && found.set().len() <= 3);
    assert_eq!(found.coverage(), Coverage::Sampled { rows: found.rows_held(), seed: Seed::new(7) });
    assert_eq!(found.rows_held(), found.pairs_used().unwrap() * 2);
    let text = found.describe();
    assert!(
        text.contains("of 50000 rows (seed 7)") && text.contains("at least 1 - 0.01"),
        "{text}"
    );
    // The same seed, the same answer, on any number of threads and for a sample drawn elsewhere.
    let four = Run::new().seed(Seed::new(7)).threads(4).unwrap();
    assert_eq!(key.run(&MemoryEngine::new(&table, &four), &four).unwrap(), found);
    let needed = key.rows_needed(50_000, 4, &run).unwrap();
    let sample = engine.sample(needed, Seed::new(7)).unwrap();
    assert_eq!(key.solve(&sample, 50_000, &run).unwrap(), found);
    // A sample that is too small is refused.
    let small = engine.sample(needed - 1, Seed::new(7)).unwrap();
    assert!(matches!(key.solve(&small, 50_000, &run), Err(Error::Setting(_))));
}

#[test]
fn little_memory_leaves_rows_only() {
    let key = SampledKey::new(Measure::Separation, 0.001, 0.01).unwrap();
    let plenty = key.rows_needed(1 << 40, 14, &Run::new()).unwrap();
    let little = key.rows_needed(1 << 40, 14, &Run::new().memory(Some(1_000_000))).unwrap();
    assert!(plenty > 28_000 && little < 600, "{plenty} {little}");
    let mut last = 0;
    for rows in (0..60_000).step_by(37) {
        let needed = key.rows_needed(rows, 14, &Run::new()).unwrap();
        assert!(needed >= last && needed <= rows);
        last = needed;
    }
}

#[test]
fn rules_and_settings_that_do_not_go_together_are_refused() {
    let run = Run::new();
    let refused = |key: SampledKey| matches!(key.rows_needed(9, 2, &run), Err(Error::Setting(_)));
    let key = |measure| SampledKey::new(measure, 0.1, 0.1).unwrap();
    assert!(refused(key(Measure::Distinct).missing(MissingRule::Wildcard)));
    assert!(refused(key(Measure::Distinct).bound(Bound::Pairs)));
    assert!(refused(key(Measure::Separation).missing(MissingRule::Wildcard).bound(Bound::Rows)));
    assert!(refused(key(Measure::Separation).beta("0.5".parse().unwrap()).bound(Bound::Rows)));
    assert!(!refused(key(Measure::Separation).missing(MissingRule::Wildcard)));
    for wrong in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(SampledKey::new(Measure::Separation, wrong, 0.1).is_err());
        assert!(SampledKey::new(Measure::Separation, 0.1, wrong).is_err());
    }
}

#[test]
fn the_published_table_is_its_own_sample() {
    let (table, run) = (published::motwani_xu_table_1(), Run::new());
    let engine = MemoryEngine::new(&table, &run);
    for measure in Measure::ALL {
        let key = SampledKey::new(measure, 0.01, 0.01).unwrap();
        let found = key.run(&engine, &run).unwrap();
        assert_eq!((found.set().len(), found.reached()), (2, true));
        assert_eq!(found.coverage(), Coverage::Complete);
        assert!(found.describe().contains("a key of the table"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2_000)))]

    #[test]
    fn small_tables_are_searched_whole(
        table in ugly_tables(),
        seed in 0u64..1_000,
        missing in prop::sample::select(MissingRule::ALL.to_vec()),
        bound in prop::sample::select(vec![None, Some(Bound::Pairs), Some(Bound::Rows)]),
        measure in prop::sample::select(Measure::ALL.to_vec()),
    ) {
        let run = Run::new().seed(Seed::new(seed));
        let mut key = SampledKey::new(measure, 0.05, 1e-9).unwrap().missing(missing);
        if let Some(bound) = bound {
            key = key.bound(bound);
        }
        let Ok(found) = key.run(&MemoryEngine::new(&table, &run), &run) else {
            let wildcard = missing == MissingRule::Wildcard;
            let distinct = measure == Measure::Distinct;
            prop_assert!(
                wildcard && (distinct || bound == Some(Bound::Rows))
                    || distinct && bound == Some(Bound::Pairs)
            );
            return Ok(());
        };
        prop_assert_eq!(found.rows_held(), table.rows() as u64);
        let with = oracle::class_sizes(&table, found.set(), missing);
        let all = oracle::class_sizes(&table, &table.all_columns(), missing);
        if found.bound() == Bound::Rows {
            // An exact key, or as much as all columns tell apart.
            prop_assert_eq!(found.coverage(), Coverage::Complete);
            prop_assert_eq!(with.unseparated_pairs(), all.unseparated_pairs());
            prop_assert_eq!(found.reached(), all.unseparated_pairs() == 0);
        } else if !found.reached() {
            prop_assert!(all.unseparated_pairs() > 0);
        } else {
            // Delta is so small that no seed meets it.
            let rows = table.rows() as u64;
            prop_assert!(rows < 2 || with.separation_ratio() >= Ratio::new(95, 100));
        }
    }
}
