//! The oracles of keys and masks against what the paper prints and against what must hold of them,
//! and what the made-up tables for keys are like.

use std::collections::{BTreeMap, BTreeSet};

use muslin_engine::Seed;
use muslin_table::{ClassSizes, ColumnId, ColumnSet, EncodedTable, MissingRule, Ratio};
use muslin_testkit::oracle::{
    cheapest_set, class_sizes, greedy_key_order, heaviest_set, is_key, minimal_sets,
};
use muslin_testkit::{generate, published};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

const CATEGORY: MissingRule = MissingRule::Category;

fn set(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().map(ColumnId::new).collect()
}

/// Sets of column names as column sets, in their order.
fn named(table: &EncodedTable, sets: &[&[&str]]) -> Vec<ColumnSet> {
    let id = |name: &&str| table.find(name).expect("the table has the column");
    let mut sets: Vec<_> = sets.iter().map(|names| names.iter().map(id).collect()).collect();
    sets.sort();
    sets
}

fn distinct_above(part: u128, whole: u128) -> impl Fn(&ClassSizes) -> bool {
    move |sizes| sizes.distinct_ratio().is_none_or(|ratio| ratio > Ratio::new(part, whole))
}

fn separation_above(part: u128, whole: u128) -> impl Fn(&ClassSizes) -> bool {
    move |sizes| sizes.separation_ratio() > Ratio::new(part, whole)
}

/// Two columns of cells.
fn two(a: &[Option<i64>], b: &[Option<i64>]) -> EncodedTable {
    EncodedTable::of_columns([("a".to_owned(), a.to_vec()), ("b".to_owned(), b.to_vec())])
}

#[test]
fn motwani_and_xu_print_these_ratios() {
    let table = published::motwani_xu_table_1();
    for (names, distinct, separation) in published::MOTWANI_XU_RATIOS {
        let sizes = class_sizes(&table, &named(&table, &[names])[0], CATEGORY);
        assert_eq!(sizes.distinct_ratio(), Some(Ratio::new(distinct[0], distinct[1])));
        assert_eq!(sizes.separation_ratio(), Ratio::new(separation[0], separation[1]));
    }
    for (name, pairs) in published::MOTWANI_XU_PAIRS {
        let sizes = class_sizes(&table, &named(&table, &[&[name]])[0], CATEGORY);
        assert_eq!(sizes.pairs() - sizes.unseparated_pairs(), pairs);
    }
}

#[test]
fn motwani_and_xu_find_two_minimal_keys() {
    let table = published::motwani_xu_table_1();
    let keys = named(&table, &published::MOTWANI_XU_MINIMAL_KEYS);
    assert_eq!(minimal_sets(&table, is_key, CATEGORY), keys);
    let size = published::MOTWANI_XU_MINIMUM_KEY;
    assert_eq!(cheapest_set(&table, is_key, &[1; 3], CATEGORY), Some((size as u64, keys)));
    // Age tells eight pairs apart; of the two left, sex and state tell both.
    let order = greedy_key_order(&table, is_key, CATEGORY);
    assert_eq!(order, [ColumnId::new(0), ColumnId::new(1)]);
}

#[test]
fn motwani_and_xu_publish_these_masks() {
    let table = published::motwani_xu_table_1();
    let none = ColumnSet::new();
    let masks = |exceeds: &dyn Fn(&ClassSizes) -> bool| {
        heaviest_set(&table, exceeds, &[1; 3], &none, &none, CATEGORY)
    };
    let distinct = named(&table, &published::MOTWANI_XU_DISTINCT_MASKS);
    assert_eq!(masks(&distinct_above(4, 5)), Some((2, distinct)));
    let separation = named(&table, &published::MOTWANI_XU_SEPARATION_MASKS);
    assert_eq!(masks(&separation_above(4, 5)), Some((1, separation)));
}

#[test]
fn a_table_of_at_most_one_row_has_the_empty_key() {
    for missing in MissingRule::ALL {
        for table in [EncodedTable::of::<2>(&[]), EncodedTable::of(&[[1, 2]])] {
            assert_eq!(minimal_sets(&table, is_key, missing), [ColumnSet::new()]);
            assert_eq!(greedy_key_order(&table, is_key, missing), []);
        }
    }
}

#[test]
fn equal_rows_leave_no_key() {
    let table = EncodedTable::of(&[[1, 1, 7], [1, 2, 7], [1, 2, 7]]);
    assert_eq!(minimal_sets(&table, is_key, CATEGORY), []);
    assert_eq!(cheapest_set(&table, is_key, &[1; 3], CATEGORY), None);
    assert_eq!(greedy_key_order(&table, is_key, CATEGORY), [ColumnId::new(1)]);
    let two_of_three = |sizes: &ClassSizes| sizes.separation_ratio() >= Ratio::new(2, 3);
    assert_eq!(minimal_sets(&table, two_of_three, CATEGORY), [set(&[1])]);
}

#[test]
fn what_a_missing_cell_tells_apart_depends_on_the_rule() {
    let table = two(&[Some(1), None, None], &[Some(1), Some(1), Some(2)]);
    let keys = |missing| minimal_sets(&table, is_key, missing);
    assert_eq!(keys(MissingRule::Category), [set(&[0, 1])]);
    assert_eq!(keys(MissingRule::Distinct), [set(&[0])]);
    assert_eq!(keys(MissingRule::Wildcard), []);
}

#[test]
fn weights_and_wishes_decide_what_is_best() {
    // Columns 0 and 1 are a key, so is column 2 alone; column 3 is constant.
    let table = EncodedTable::of(&[[1, 1, 1, 0], [1, 2, 2, 0], [2, 1, 3, 0], [2, 2, 4, 0]]);
    let cheapest = |weights: [u64; 4]| cheapest_set(&table, is_key, &weights, CATEGORY);
    assert_eq!(cheapest([1, 1, 1, 1]), Some((1, vec![set(&[2])])));
    assert_eq!(cheapest([2, 3, 9, 1]), Some((5, vec![set(&[0, 1])])));
    assert_eq!(cheapest([1, 1, 2, 1]), Some((2, vec![set(&[2]), set(&[0, 1])])));
    assert_eq!(cheapest([1, 1, 1, 0]), Some((1, vec![set(&[2]), set(&[2, 3])])));
    let heaviest = |weights: [u64; 4], keep: &[usize], drop: &[usize]| {
        heaviest_set(&table, is_key, &weights, &set(keep), &set(drop), CATEGORY)
    };
    assert_eq!(heaviest([1; 4], &[], &[]), Some((2, vec![set(&[0, 3]), set(&[1, 3])])));
    assert_eq!(heaviest([1; 4], &[1], &[]), Some((2, vec![set(&[1, 3])])));
    assert_eq!(heaviest([1; 4], &[], &[3]), Some((1, vec![set(&[0]), set(&[1])])));
    assert_eq!(heaviest([1; 4], &[2], &[]), None);
}

#[test]
fn small_tables_have_keys_of_many_sizes() {
    let mut runner = TestRunner::deterministic();
    let (mut sizes, mut many, mut none) = (BTreeMap::new(), 0, 0);
    for _ in 0..200 {
        let table = generate::key_tables().new_tree(&mut runner).unwrap().current();
        let keys = minimal_sets(&table, is_key, CATEGORY);
        let of_table: BTreeSet<_> = keys.iter().map(ColumnSet::len).collect();
        of_table.into_iter().for_each(|size| *sizes.entry(size).or_insert(0) += 1);
        many += u32::from(keys.len() >= 5);
        none += u32::from(keys.is_empty());
    }
    assert!((0..=6).all(|size| sizes.contains_key(&size)), "{sizes:?}");
    assert!(many >= 30 && (50..=100).contains(&none), "{many} have many, {none} have none");
}

#[test]
fn the_register_has_no_equal_rows_and_no_column_that_is_a_key() {
    let table = generate::keyed_table(1_000, Seed::new(1));
    assert_eq!(table.columns().len(), 20);
    assert!(is_key(&class_sizes(&table, &table.all_columns(), CATEGORY)));
    for column in table.all_columns().iter() {
        assert!(!is_key(&class_sizes(&table, &[column].into_iter().collect(), CATEGORY)));
    }
}

#[test]
fn made_up_tables_are_decided_by_their_seeds() {
    let cells = |table: EncodedTable| -> Vec<Vec<u32>> {
        table.columns().iter().map(|column| column.codes().slots().collect()).collect()
    };
    let register = |rows, seed| cells(generate::keyed_table(rows, Seed::new(seed)));
    assert_eq!(register(100, 1), register(100, 1));
    assert_ne!(register(100, 1), register(100, 2));
    let wide = |seed| cells(generate::wide_table_with_many_keys(40, 30, Seed::new(seed)));
    assert_eq!((wide(1).len(), wide(1)[0].len()), (30, 40));
    assert_eq!(wide(1), wide(1));
    assert_ne!(wide(1), wide(2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(60)))]

    #[test]
    fn what_must_hold_of_keys_and_masks_does(table in generate::key_tables()) {
        let (all, none, ones) = (table.all_columns(), ColumnSet::new(), vec![1; 8]);
        for missing in MissingRule::ALL {
            let keys = minimal_sets(&table, is_key, missing);
            // A mask has no key in it, and with any further column it has one.
            let mask = heaviest_set(&table, is_key, &ones, &none, &none, missing);
            for mask in mask.iter().flat_map(|(_, masks)| masks) {
                prop_assert!(keys.iter().all(|key| !key.is_subset(mask)));
                for column in all.difference(mask).iter() {
                    let more = mask.union(&[column].into_iter().collect());
                    prop_assert!(keys.iter().any(|key| key.is_subset(&more)));
                }
            }
            // A minimum key is a minimal key of the fewest columns, and greedy finds no fewer.
            let cheapest = cheapest_set(&table, is_key, &ones, missing);
            let fewest = keys.first().map(ColumnSet::len);
            let smallest = keys.iter().filter(|key| Some(key.len()) == fewest).cloned().collect();
            prop_assert_eq!(cheapest, fewest.map(|fewest| (fewest as u64, smallest)));
            let greedy = greedy_key_order(&table, is_key, missing);
            prop_assert!(fewest.is_none_or(|fewest| fewest <= greedy.len()));
            let greedy: ColumnSet = greedy.into_iter().collect();
            prop_assert_eq!(keys.iter().any(|key| key.is_subset(&greedy)), !keys.is_empty());
        }
    }
}
