//! All minimal sets by counts alone are those that the rows give.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use muslin_assess::{CountedSets, Measure, MinimalSets, Target};
use muslin_engine::{Coverage, MemoryEngine, Run};
use muslin_table::{ColumnSet, MissingRule};
use muslin_testkit::generate::{key_tables, small_tables};
use proptest::prelude::*;

fn same(table: &muslin_table::EncodedTable, sample: u64, most: Option<usize>) {
    let run = Run::new();
    let engine = MemoryEngine::new(table, &run);
    let ratio = |measure, beta: &str| Target::new(measure, beta.parse().unwrap());
    for missing in [MissingRule::Category, MissingRule::Distinct] {
        for target in
            [Target::key(), ratio(Measure::Distinct, "0.8"), ratio(Measure::Separation, "0.9")]
        {
            let rows = MinimalSets::new(target).missing(missing).max_size(most);
            let expected: Vec<ColumnSet> = rows
                .run(table, &run)
                .unwrap()
                .sets()
                .iter()
                .map(|set| set.columns.clone())
                .collect();
            let counts = CountedSets::new(target).missing(missing).max_size(most).sample(sample);
            let found = counts.run(&engine, &run).unwrap();
            assert_eq!(found.coverage(), Coverage::Complete);
            let sets: Vec<ColumnSet> = found.sets().iter().map(|(set, _)| set.clone()).collect();
            assert_eq!(sets, expected, "{target:?}, {missing}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(150)))]

    #[test]
    fn counts_find_the_sets_of_small_tables(table in small_tables(), sample in 0u64..12, most in 0usize..4) {
        same(&table, sample, (most > 0).then_some(most));
    }

    #[test]
    fn counts_find_the_sets_of_tables_with_keys(table in key_tables(), sample in 0u64..12) {
        same(&table, sample, None);
    }
}
