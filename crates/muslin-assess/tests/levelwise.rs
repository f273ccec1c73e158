//! All minimal quasi-identifiers, size by size, and explanations, against brute force.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use muslin_assess::{Error, Explain, Levelwise, Measure, Pruning, Target};
use muslin_engine::{Coverage, MemoryEngine, Run, Seed, Stop};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule, Ratio};
use muslin_testkit::generate::{large_table, small_tables, ugly_tables};
use muslin_testkit::{oracle, published};
use proptest::prelude::*;

fn set(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().map(ColumnId::new).collect()
}

fn subsets(of: &ColumnSet) -> Vec<ColumnSet> {
    let columns: Vec<ColumnId> = of.iter().collect();
    let subset = |bits: usize| {
        (0..columns.len()).filter(|c| bits >> c & 1 == 1).map(|c| columns[c]).collect()
    };
    (0..1usize << columns.len()).map(subset).collect()
}

/// The sets that reach the target while no proper subset does.
fn minimal(table: &EncodedTable, target: Target, missing: MissingRule) -> Vec<ColumnSet> {
    let target = if target.is_key() { Target::key() } else { target };
    let reaches = |set: &ColumnSet| target.is_reached(&oracle::class_sizes(table, set, missing));
    let mut all: Vec<_> = subsets(&table.all_columns()).into_iter().filter(reaches).collect();
    all.sort();
    let smallest =
        |set: &&ColumnSet| !all.iter().any(|other| other != *set && other.is_subset(set));
    all.iter().filter(smallest).cloned().collect()
}

fn targets() -> impl Strategy<Value = Target> {
    let beta = prop::sample::select(vec!["0", "0.3", "0.5", "0.8", "0.9", "0.95", "1"]);
    (prop::sample::select(Measure::ALL.to_vec()), beta)
        .prop_map(|(measure, beta)| Target::new(measure, beta.parse().unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2_000)))]

    #[test]
    fn sets_are_those_of_brute_force(
        table in ugly_tables(),
        target in targets(),
        missing in prop::sample::select(MissingRule::ALL.to_vec()),
        max_size in prop_oneof![2 => Just(None), 1 => (0usize..5).prop_map(Some)],
        limit in prop_oneof![2 => Just(None), 1 => (0usize..5).prop_map(Some)],
    ) {
        let run = Run::new();
        let mut search = Levelwise::new(target).missing(missing);
        search = max_size.map_or(search.clone(), |most| search.max_size(most));
        search = limit.map_or(search.clone(), |most| search.limit(most));
        let found = search.run(&MemoryEngine::new(&table, &run), &run);
        if missing == MissingRule::Wildcard && target.measure() == Measure::Distinct && !target.is_key() {
            prop_assert!(matches!(found, Err(Error::Setting(_))));
            return Ok(());
        }
        let found = found.unwrap();
        let mut expected = minimal(&table, target, missing);
        expected.retain(|set| set.len() <= max_size.unwrap_or(usize::MAX));
        prop_assert_eq!(found.limited(), limit.is_some_and(|most| expected.len() > most));
        expected.truncate(limit.unwrap_or(usize::MAX));
        prop_assert_eq!(found.sets(), &expected[..]);
        prop_assert_eq!(found.coverage(), Coverage::Complete);
        prop_assert!(found.sure());
    }

    #[test]
    fn explanations_are_those_of_brute_force(
        table in small_tables(),
        measure in prop::sample::select(Measure::ALL.to_vec()),
        missing in prop::sample::select(MissingRule::ALL.to_vec()),
        bits in 0usize..64,
    ) {
        let run = Run::new();
        let whole: ColumnSet =
            table.all_columns().iter().filter(|c| bits >> c.index() & 1 == 1).collect();
        let explain = Explain::new(measure).missing(missing);
        let found = explain.run(&MemoryEngine::new(&table, &run), &whole, &run);
        if missing == MissingRule::Wildcard && measure == Measure::Distinct {
            prop_assert!(matches!(found, Err(Error::Setting(_))));
            return Ok(());
        }
        let found = found.unwrap();
        let ratio = |set: &ColumnSet| {
            measure.ratio(&oracle::class_sizes(&table, set, missing)).unwrap()
        };
        for share in found.shares() {
            // Smallest first, then highest ratio, then first columns.
            let mut reaching: Vec<_> =
                subsets(&whole).into_iter().filter(|s| ratio(s) >= share.share.ratio()).collect();
            reaching.sort_by(|a, b| {
                a.len().cmp(&b.len()).then(ratio(b).cmp(&ratio(a))).then(a.cmp(b))
            });
            prop_assert!(share.exact);
            let subset = share.subset.as_ref().map(|subset| subset.set().clone());
            prop_assert_eq!(subset, reaching.first().cloned());
        }
        let alone = oracle::matches(&table, &whole, missing).into_iter().filter(|&m| m == 1);
        prop_assert_eq!(found.ratios().rows_alone(), alone.count() as u64);
    }
}

#[test]
fn published_table_has_the_published_keys() {
    let (table, run) = (published::motwani_xu_table_1(), Run::new());
    let engine = MemoryEngine::new(&table, &run);
    let found = Levelwise::new(Target::key()).run(&engine, &run).unwrap();
    assert_eq!(found.sets(), [set(&[0, 1]), set(&[0, 2])]);
    // Empty set, three single columns, three pairs.
    assert_eq!((found.checked(), found.checked_in_sub_tables()), (7, 0));
    let one = EncodedTable::of(&[[1, 2]]);
    let found = Levelwise::new(Target::key()).run(&MemoryEngine::new(&one, &run), &run).unwrap();
    assert_eq!(found.sets(), [ColumnSet::new()]);
}

#[test]
fn smaller_tables_rule_out_sets_and_change_nothing() {
    let mut saved = 0;
    for seed in 0..8 {
        let table = large_table(4_000, &[60, 9, 7, 30, 4, 11, 2], seed % 2 == 0, Seed::new(seed));
        for (target, missing) in [
            (Target::key(), MissingRule::Category),
            (Target::key(), MissingRule::Wildcard),
            (Target::new(Measure::Separation, "0.99".parse().unwrap()), MissingRule::Category),
            (Target::new(Measure::Separation, "0.9".parse().unwrap()), MissingRule::Wildcard),
            (Target::new(Measure::Distinct, "0.8".parse().unwrap()), MissingRule::Distinct),
            (Target::new(Measure::Distinct, "0.3".parse().unwrap()), MissingRule::Category),
        ] {
            let run = Run::new().seed(Seed::new(seed + 100));
            let engine = MemoryEngine::new(&table, &run);
            let search = Levelwise::new(target).missing(missing).delta(1e-6);
            let plain = search.clone().pruning(Pruning::None).run(&engine, &run).unwrap();
            assert!(plain.sure() && plain.checked_in_sub_tables() == 0);
            for pruning in [Pruning::Once, Pruning::Iterative] {
                let pruned = search.clone().pruning(pruning).run(&engine, &run).unwrap();
                assert_eq!(plain.sets(), pruned.sets(), "{target} {missing} {pruning:?}");
                assert!(pruned.checked() <= plain.checked());
                assert_eq!(pruned.sure(), target.is_key() || pruned.checked_in_sub_tables() == 0);
                saved += usize::from(pruned.checked() < plain.checked());
            }
        }
    }
    assert!(saved >= 32, "{saved}");
}

#[test]
fn a_stopped_search_says_so() {
    let table = large_table(1_000, &[5, 5, 5], false, Seed::new(1));
    let run = Run::new().time_limit(Some(Duration::ZERO));
    for pruning in [Pruning::None, Pruning::Once] {
        let search = Levelwise::new(Target::key()).pruning(pruning);
        let found = search.run(&MemoryEngine::new(&table, &run), &run).unwrap();
        assert_eq!(found.coverage(), Coverage::Stopped { by: Stop::TimeLimit });
        assert!(found.sets().is_empty());
    }
    let wrong = Levelwise::new(Target::key()).delta(0.0);
    assert!(wrong.run(&MemoryEngine::new(&table, &Run::new()), &Run::new()).is_err());
}

#[test]
fn wide_sets_are_explained_greedily() {
    let table = large_table(2_000, &[3; 14], false, Seed::new(2));
    let run = Run::new();
    let explain = Explain::new(Measure::Separation);
    let found = explain.run(&MemoryEngine::new(&table, &run), &table.all_columns(), &run).unwrap();
    for share in found.shares() {
        let subset = share.subset.as_ref().unwrap();
        assert!(!share.exact && subset.separation() >= share.share.ratio());
        assert!(subset.set().len() <= 5);
    }
    assert!(found.ratios().separation() > Ratio::new(99, 100));
}
