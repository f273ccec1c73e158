//! One suite for every engine and for 1, 2 and 4 threads: answers equal brute force and each other.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use muslin_engine::{Engine, MemoryEngine, Run, Seed};
use muslin_table::{ColumnId, ColumnSet, DiversityCount, EncodedTable, MissingRule, RowId};
use muslin_testkit::{generate, oracle, published};
use proptest::prelude::*;

fn subsets(columns: usize) -> impl Iterator<Item = ColumnSet> {
    (0..1usize << columns)
        .map(move |bits| (0..columns).filter(|c| bits >> c & 1 == 1).map(ColumnId::new).collect())
}

fn cells(table: &EncodedTable) -> Vec<Vec<u32>> {
    table.columns().iter().map(|c| c.codes().slots().collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn class_sizes_are_those_of_brute_force(table in generate::small_tables()) {
        let run = Run::new();
        for by in subsets(table.columns().len()) {
            for missing in MissingRule::ALL {
                let found = MemoryEngine::new(&table, &run).class_sizes(&by, missing).unwrap();
                prop_assert_eq!(found, oracle::class_sizes(&table, &by, missing));
            }
        }
    }

    #[test]
    fn diversity_counts_the_values_of_each_class(table in generate::small_tables()) {
        prop_assume!(table.columns().len() > 1);
        let run = Run::new();
        let (sensitive, by) = (ColumnId::new(0), table.all_columns());
        let by = by.difference(&[sensitive].into_iter().collect());
        let mut classes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for row in 0..table.rows() {
            let key = by.iter().map(|c| table.column(c).codes().slot(row)).collect();
            classes.entry(key).or_default().push(table.column(sensitive).codes().slot(row));
        }
        let mut expected: Vec<_> = classes.into_values().map(|values| {
            let distinct: BTreeSet<_> = values.iter().collect();
            let most = distinct.iter().map(|d| values.iter().filter(|v| v == d).count()).max();
            (values.len() as u64, distinct.len() as u64, most.unwrap() as u64)
        }).collect();
        expected.sort_unstable();
        let found = MemoryEngine::new(&table, &run).class_diversity(&by, sensitive).unwrap();
        let found: Vec<_> = found.counts().iter().flat_map(|c: &DiversityCount| {
            vec![(c.rows, c.distinct, c.most_frequent); usize::try_from(c.classes).unwrap()]
        }).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn one_more_column_never_lowers_a_ratio(table in generate::small_tables()) {
        let run = Run::new();
        let engine = MemoryEngine::new(&table, &run);
        for missing in [MissingRule::Category, MissingRule::Distinct] {
            let sizes = |width| engine.class_sizes(&ColumnSet::first(width), missing).unwrap();
            for width in 0..table.columns().len() {
                let (fewer, more) = (sizes(width), sizes(width + 1));
                prop_assert!(fewer.separation_ratio() <= more.separation_ratio());
                prop_assert!(fewer.distinct_ratio() <= more.distinct_ratio());
            }
        }
    }

    #[test]
    fn a_sample_holds_the_rows_with_the_smallest_draws(
        table in generate::small_tables(), rows in 0u64..16, number in 0u64..1_000,
    ) {
        let (run, seed) = (Run::new(), Seed::new(number));
        let sample = MemoryEngine::new(&table, &run).sample(rows, seed).unwrap();
        let mut drawn: Vec<(u64, u32)> =
            (0..u32::try_from(table.rows()).unwrap()).map(|r| (seed.draw(r.into()), r)).collect();
        drawn.sort_unstable();
        let mut chosen: Vec<u32> =
            drawn.iter().map(|d| d.1).take(usize::try_from(rows).unwrap()).collect();
        chosen.sort_unstable();
        prop_assert_eq!(sample.rows(), chosen.len());
        for (column, original) in sample.columns().iter().zip(table.columns()) {
            for (row, &from) in (0u32..).zip(&chosen) {
                // Values are compared through the dictionaries, which the sample shrinks.
                let value = |c: &muslin_table::Column, row| {
                    c.code(row).value().map(|v| c.dictionary().values().slice(v, 1))
                };
                let sampled = value(column, RowId::new(row));
                prop_assert_eq!(sampled, value(original, RowId::new(from)));
            }
        }
    }
}

#[test]
fn published_table_has_the_published_ratios() {
    // Motwani and Xu, Section 1 on Table 1: age has distinct ratio 0.6 and separation ratio 0.8.
    let (table, run) = (published::motwani_xu_table_1(), Run::new());
    let age = [table.find("age").unwrap()].into_iter().collect();
    let sizes = MemoryEngine::new(&table, &run).class_sizes(&age, MissingRule::Category).unwrap();
    assert_eq!(sizes.distinct_ratio().map(|r| (r.part(), r.whole())), Some((3, 5)));
    assert_eq!((sizes.separation_ratio().part(), sizes.separation_ratio().whole()), (8, 10));
}

#[test]
fn answers_do_not_depend_on_threads() {
    let table = generate::large_table(120_000, &[3, 50, 7, 40_000], true, Seed::new(5));
    let by = table.all_columns();
    let answers: Vec<_> = [1, 2, 4]
        .map(|threads| {
            let run = Run::new().threads(threads).unwrap();
            let engine = MemoryEngine::new(&table, &run);
            let sizes = MissingRule::ALL.map(|missing| engine.class_sizes(&by, missing).unwrap());
            let diversity = engine.class_diversity(&ColumnSet::first(3), ColumnId::new(3)).unwrap();
            let sample = engine.sample(5_000, Seed::new(9)).unwrap();
            (sizes, diversity, cells(&sample), engine.shape().unwrap())
        })
        .into();
    assert!(answers[0] == answers[1] && answers[1] == answers[2]);
    assert_eq!(answers[0].2[0].len(), 5_000);
}

#[test]
fn doubling_every_row_leaves_nobody_alone() {
    let rows = [[1, 2], [1, 3], [2, 2]];
    let doubled: Vec<[i64; 2]> = rows.iter().chain(&rows).copied().collect();
    let (table, run) = (EncodedTable::of(&doubled), Run::new());
    let sizes = MemoryEngine::new(&table, &run)
        .class_sizes(&table.all_columns(), MissingRule::Category)
        .unwrap();
    assert_eq!((sizes.smallest(), sizes.rows_below(2)), (Some(2), 0));
}

#[test]
fn collecting_more_than_the_budget_is_an_error() {
    let table = generate::large_table(10_000, &[300], false, Seed::new(1));
    let run = Run::new().memory(Some(1_000));
    let collected = MemoryEngine::new(&table, &run).collect(&table.all_columns());
    assert!(matches!(collected, Err(muslin_engine::Error::Stopped(_))));
}

#[test]
fn a_cancelled_question_is_not_answered() {
    let table = generate::large_table(100, &[3], false, Seed::new(1));
    let cancel = muslin_engine::Cancel::default();
    cancel.cancel();
    let run = Run::new().cancel(cancel);
    let answer =
        MemoryEngine::new(&table, &run).class_sizes(&table.all_columns(), MissingRule::Category);
    assert!(answer.is_err());
}

/// Every column with `by`, asked one by one.
fn one_by_one(
    table: &EncodedTable,
    by: &ColumnSet,
    missing: MissingRule,
) -> Vec<muslin_table::ClassSizes> {
    let run = Run::new();
    let with = |column: ColumnId| {
        let set = by.iter().chain([column]).collect();
        MemoryEngine::new(table, &run).class_sizes(&set, missing).unwrap()
    };
    table.all_columns().iter().map(with).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2_000)))]

    #[test]
    fn neighbours_asked_together_get_the_same_answers(
        table in generate::ugly_tables(), order in Just((0usize..7).collect::<Vec<_>>()).prop_shuffle()
    ) {
        let more: Vec<ColumnId> = table.all_columns().iter().collect();
        for threads in [1, 4] {
            let run = Run::new().threads(threads).unwrap();
            // One engine for all questions, so that it makes use of what it remembers: growing
            // sets, then other rules, then sets it has to start anew for.
            let engine = MemoryEngine::new(&table, &run);
            for missing in MissingRule::ALL {
                let mut by = ColumnSet::new();
                for &column in order.iter().filter(|&&column| column < more.len()) {
                    let found = engine.class_sizes_of_each(&by, &more, missing).unwrap();
                    prop_assert_eq!(found, one_by_one(&table, &by, missing));
                    by.insert(ColumnId::new(column));
                }
            }
            for by in subsets(more.len().min(4)) {
                let found = engine.class_sizes_of_each(&by, &more, MissingRule::Distinct).unwrap();
                prop_assert_eq!(found, one_by_one(&table, &by, MissingRule::Distinct));
            }
        }
    }
}

#[test]
fn neighbours_of_a_large_table_get_the_same_answers() {
    // Columns of two values, one of them rare, of many values, and with missing cells.
    let seed = Seed::new(11);
    let cell = |column: u64, row: u64| -> Option<i64> {
        let draw = |bound| i64::try_from(seed.part(column).below(row, bound)).ok();
        match column {
            0 => draw(700),
            1 => Some(i64::from(draw(100) == Some(0))),
            2 => draw(20).filter(|&value| value > 0).map(|_| 0),
            3 => draw(20).filter(|&value| value == 0),
            4 => Some(i64::from(draw(2) == Some(0))),
            5 => draw(50_000),
            6 => draw(90).filter(|&value| value > 30),
            _ => Some(i64::from(draw(4_000) == Some(0))),
        }
    };
    let rows = 90_000;
    let column = |c: u64| (format!("c{c}"), (0..rows).map(|row| cell(c, row)).collect());
    let table = EncodedTable::of_columns((0..8).map(column));
    let more: Vec<ColumnId> = table.all_columns().iter().collect();
    for missing in [MissingRule::Category, MissingRule::Distinct] {
        for sets in [&[0, 1, 5][..], &[4, 7, 0], &[2, 3, 1], &[5, 0, 6]] {
            let expected: Vec<_> = (0..=sets.len())
                .map(|size| {
                    let by = sets[..size].iter().copied().map(ColumnId::new).collect();
                    one_by_one(&table, &by, missing)
                })
                .collect();
            for threads in [1, 4] {
                let run = Run::new().threads(threads).unwrap();
                let engine = MemoryEngine::new(&table, &run);
                for (size, expected) in expected.iter().enumerate() {
                    let by = sets[..size].iter().copied().map(ColumnId::new).collect();
                    let found = engine.class_sizes_of_each(&by, &more, missing).unwrap();
                    assert!(found == *expected, "{threads} threads, {missing}, {by:?}");
                }
            }
        }
    }
}
