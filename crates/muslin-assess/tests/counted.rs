//! All minimal sets by counts alone are those that the rows give.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};

use muslin_assess::{CountedSets, Measure, MinimalSets, Target};
use muslin_engine::{
    ColumnCounts, Coverage, Engine, Error, MemoryEngine, Result, Run, Seed, Shape, Stop,
};
use muslin_table::{ClassDiversity, ClassSizes, ColumnId, ColumnSet, EncodedTable, MissingRule};
use muslin_testkit::generate::{key_tables, small_tables};
use proptest::prelude::*;

fn same(table: &EncodedTable, sample: u64, most: Option<usize>) {
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

/// A table whose time is up after so many questions about classes.
struct Impatient<'a> {
    table: MemoryEngine<'a>,
    left: AtomicUsize,
}

impl Engine for Impatient<'_> {
    fn shape(&self) -> Result<Shape> {
        self.table.shape()
    }

    fn column_counts(&self) -> Result<Vec<ColumnCounts>> {
        self.table.column_counts()
    }

    fn class_sizes(&self, by: &ColumnSet, missing: MissingRule) -> Result<ClassSizes> {
        let less = |left: usize| left.checked_sub(1);
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => self.table.class_sizes(by, missing),
            Err(_) => Err(Error::Stopped(Stop::TimeLimit)),
        }
    }

    fn class_diversity(&self, by: &ColumnSet, sensitive: ColumnId) -> Result<ClassDiversity> {
        self.table.class_diversity(by, sensitive)
    }

    fn minimal_uniques_of(&self, set: &ColumnSet, k: u32, missing: MissingRule) -> Result<u64> {
        self.table.minimal_uniques_of(set, k, missing)
    }

    fn sample(&self, rows: u64, seed: Seed) -> Result<EncodedTable> {
        self.table.sample(rows, seed)
    }

    fn collect(&self, columns: &ColumnSet) -> Result<EncodedTable> {
        self.table.collect(columns)
    }
}

/// What a search that was stopped says is complete is so, and what it found is right.
fn right_when_stopped(table: &EncodedTable, sample: u64) {
    let run = Run::new();
    let target = Target::new(Measure::Distinct, "0.8".parse().unwrap());
    for target in [Target::key(), target] {
        let search = CountedSets::new(target).sample(sample);
        let all = search.run(&MemoryEngine::new(table, &run), &run).unwrap();
        for questions in 0..40 {
            let (table, left) = (MemoryEngine::new(table, &run), AtomicUsize::new(questions));
            let found = search.run(&Impatient { table, left }, &run).unwrap();
            assert!(found.sets().iter().all(|set| all.sets().contains(set)), "{questions}");
            let is_promised =
                |set: &ColumnSet| found.complete_to().is_some_and(|to| set.len() <= to);
            let promised = all.sets().iter().filter(|(set, _)| is_promised(set));
            for set in promised {
                assert!(found.sets().contains(set), "{set:?} lacks after {questions} questions");
            }
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
    fn a_search_that_is_stopped_says_how_far_it_got(table in key_tables(), sample in 0u64..12) {
        right_when_stopped(&table, sample);
    }

    #[test]
    fn counts_find_the_sets_of_tables_with_keys(table in key_tables(), sample in 0u64..12) {
        same(&table, sample, None);
    }
}
