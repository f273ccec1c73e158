//! The oracles of minimal uniques against what papers print and against each other.

use std::collections::BTreeMap;

use muslin_engine::Seed;
use muslin_table::{EncodedTable, MissingRule};
use muslin_testkit::oracle::{Unique, minimal_uniques, suda2};
use muslin_testkit::{generate, published};
use proptest::prelude::*;

type Oracle = fn(&EncodedTable, u64, Option<usize>, MissingRule) -> Vec<Unique>;

const ORACLES: [Oracle; 2] = [minimal_uniques, suda2];

/// Number of uniques of each size.
fn sizes(uniques: &[Unique]) -> BTreeMap<usize, usize> {
    let mut sizes = BTreeMap::new();
    uniques.iter().for_each(|unique| *sizes.entry(unique.columns.len()).or_default() += 1);
    sizes
}

/// Two columns of cells.
fn two(a: &[Option<i64>], b: &[Option<i64>]) -> EncodedTable {
    EncodedTable::of_columns([("a".to_owned(), a.to_vec()), ("b".to_owned(), b.to_vec())])
}

fn unique(rows: &[u32], columns: &[usize], support: u64) -> Unique {
    Unique { rows: rows.to_vec(), columns: columns.to_vec(), support }
}

#[test]
fn manning_and_haglin_find_26() {
    let table = published::manning_haglin_table_1();
    let expected = published::manning_haglin_table_5();
    assert_eq!(sizes(&expected), BTreeMap::from([(2, 24), (3, 1), (4, 1)]));
    for oracle in ORACLES {
        assert_eq!(oracle(&table, 1, None, MissingRule::Category), expected);
        assert_eq!(oracle(&table, 2, None, MissingRule::Category).len(), 14);
    }
}

#[test]
fn manning_and_haglin_print_the_values_of_their_rows() {
    let table = published::manning_haglin_table_1();
    let smallest = [1, 3, 1, 1, 2];
    let value = |row: u32, c: usize| smallest[c] + table.columns()[c].codes().slot(row as usize);
    let printed = published::MANNING_HAGLIN_TABLE_5.into_iter();
    let printed = printed.flat_map(|(row, sets)| sets.iter().map(move |items| (row - 1, *items)));
    for ((row, items), unique) in printed.zip(published::manning_haglin_table_5()) {
        let name = |&c: &usize| format!("{}{}", table.columns()[c].name(), value(row, c));
        let names: Vec<_> = unique.columns.iter().map(name).collect();
        assert_eq!((vec![row], items), (unique.rows, &*names.join(" ")));
    }
}

#[test]
fn the_kimas_groups_are_those_of_its_table() {
    let table = published::kimas_table_1();
    for oracle in ORACLES {
        let found = oracle(&table, 1, None, MissingRule::Category);
        for (columns, rows) in published::KIMAS_GROUPS {
            let columns: Vec<_> = columns.iter().map(|c| table.find(c).unwrap().index()).collect();
            let group = found.iter().filter(|unique| unique.columns == columns);
            assert_eq!(group.flat_map(|unique| unique.rows.clone()).collect::<Vec<_>>(), rows);
        }
        let mut groups = [0; 12];
        found.iter().for_each(|unique| groups[unique.rows[0] as usize] += 1);
        assert_eq!(groups, published::KIMAS_GROUPS_PER_ROW);
        assert_eq!(sizes(&found), BTreeMap::from([(1, 1), (2, 13), (3, 6)]));
    }
}

#[test]
fn the_ihsn_table_has_nine_and_they_give_its_scores() {
    let table = published::ihsn_table();
    for oracle in ORACLES {
        let found = oracle(&table, 1, None, MissingRule::Category);
        assert_eq!(found.len(), 9);
        let mut scores = [0u32; 10];
        for unique in &found {
            let free = u32::try_from(table.columns().len() - unique.columns.len()).unwrap();
            scores[unique.rows[0] as usize] += (1..=free).product::<u32>();
        }
        let printed = published::IHSN_SUDA.map(|score| score.to_string());
        assert_eq!(scores.map(|score| score.to_string()), printed);
    }
}

#[test]
fn each_item_of_a_single_row_is_unique() {
    let table = EncodedTable::of(&[[7, 7, 7]]);
    let expected = [unique(&[0], &[0], 1), unique(&[0], &[1], 1), unique(&[0], &[2], 1)];
    for (oracle, missing) in ORACLES.into_iter().zip(MissingRule::ALL) {
        assert_eq!(oracle(&table, 1, None, missing), expected);
        assert_eq!(oracle(&table, 0, None, missing), []);
        assert_eq!(oracle(&table, 1, Some(0), missing), []);
    }
}

#[test]
fn an_itemset_that_two_rows_hold_is_listed_once() {
    let table = EncodedTable::of(&[[1, 1], [1, 2], [1, 2], [1, 1], [1, 1], [2, 2], [2, 2]]);
    for oracle in ORACLES {
        let found = oracle(&table, 2, None, MissingRule::Category);
        assert_eq!(found, [unique(&[1, 2], &[0, 1], 2), unique(&[5, 6], &[0], 2)]);
    }
}

#[test]
fn what_a_missing_cell_is_depends_on_the_rule() {
    let table = two(&[Some(1), Some(1), None], &[Some(5), Some(6), Some(6)]);
    for oracle in ORACLES {
        let found = |missing| oracle(&table, 1, None, missing);
        let (first, pair) = (unique(&[0], &[1], 1), unique(&[1], &[0, 1], 1));
        let category = [first.clone(), pair.clone(), unique(&[2], &[0], 1)];
        assert_eq!(found(MissingRule::Category), category);
        assert_eq!(found(MissingRule::Distinct), [first.clone(), pair]);
        // The last row also matches the pair of the second.
        assert_eq!(found(MissingRule::Wildcard), [first]);
    }
}

#[test]
fn an_itemset_that_rows_match_but_none_holds_does_not_exist() {
    // Both rows match a = 1 and b = 5, and no row has both.
    let table = two(&[Some(1), None], &[None, Some(5)]);
    for oracle in ORACLES {
        let found = |k| oracle(&table, k, None, MissingRule::Wildcard);
        assert_eq!(found(1), []);
        assert_eq!(found(2), [unique(&[0], &[0], 2), unique(&[1], &[1], 2)]);
    }
}

#[test]
fn a_survey_is_decided_by_its_seed() {
    let cells = |rows, columns, seed| -> Vec<Vec<u32>> {
        let table = generate::survey(rows, columns, Seed::new(seed));
        table.columns().iter().map(|c| c.codes().slots().collect()).collect()
    };
    let (once, again, other) = (cells(500, 30, 1), cells(500, 30, 1), cells(500, 30, 2));
    assert_eq!((once.len(), once[0].len()), (30, 500));
    assert_eq!(once, again);
    assert_ne!(once, other);
    assert_eq!(once[..20], cells(500, 20, 1), "fewer columns cut the table");
    assert_eq!(cells(50, 600, 1).len(), 600);
    assert_eq!(cells(0, 3, 1), [[0u32; 0]; 3]);
    assert_eq!(generate::survey(10, 0, Seed::new(1)).columns().len(), 0);
}

#[test]
fn a_survey_has_an_age_and_columns_of_few_values() {
    let table = generate::survey(20_000, 84, Seed::new(1));
    let values: Vec<_> = table.columns().iter().map(|c| c.dictionary().len()).collect();
    assert!(values[0] > 70 && values[0] <= 80, "{values:?}");
    assert!(values[1..].iter().all(|&values| (2..=21).contains(&values)), "{values:?}");
}

proptest! {
    // At least 2,000 cases, and as many as `PROPTEST_CASES` asks for.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2_000)))]

    #[test]
    fn suda2_is_brute_force(
        table in generate::ugly_tables(),
        k in 1u64..=4,
        max_size in prop::option::of(1usize..=4),
    ) {
        for missing in MissingRule::ALL {
            let expected = minimal_uniques(&table, k, max_size, missing);
            prop_assert_eq!(suda2(&table, k, max_size, missing), expected);
        }
    }
}
