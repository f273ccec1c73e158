//! Certificates of lower bounds against the least cost, by brute force.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use muslin_engine::{Cancel, Run, Seed};
use muslin_table::{Codes, Column, ColumnId, EncodedTable};
use muslin_testkit::generate::large_table;
use muslin_testkit::{oracle, published};
use muslin_verify::{Certificate, Error};
use proptest::prelude::*;

fn ids(columns: impl IntoIterator<Item = usize>) -> Vec<ColumnId> {
    columns.into_iter().map(ColumnId::new).collect()
}

fn bound(certificate: &Certificate, table: &EncodedTable) -> u64 {
    certificate.bound(table, &Run::new()).unwrap()
}

/// The bound straight from its definition: every column set, every class, every subset of it.
fn bound_by_definition(certificate: &Certificate, table: &EncodedTable) -> u64 {
    let Certificate { columns, k, weights, scale, multipliers } = certificate;
    let a = |row: usize| i128::from(multipliers[row]);
    let mut bound: i128 = (0..table.rows()).map(a).sum();
    for kept in 0..1u32 << columns.len() {
        let is_kept = |c: &usize| kept >> c & 1 == 1;
        let others = (0..columns.len()).filter(|c| !is_kept(c));
        let Some(weight) = others.map(|c| weights[c]).sum::<Option<u64>>() else { continue };
        let cost = i128::from(*scale) * i128::from(weight);
        let values = |row: usize| -> Vec<u32> {
            let kept = (0..columns.len()).filter(is_kept);
            kept.map(|c| table.column(columns[c]).codes().slot(row)).collect()
        };
        for first in 0..table.rows() {
            let class: Vec<usize> =
                (0..table.rows()).filter(|&row| values(row) == values(first)).collect();
            if class[0] != first {
                continue;
            }
            let slot = |c: usize, row: usize| table.column(columns[c]).codes().slot(row);
            let agrees = |c: usize| class.iter().all(|&row| slot(c, row) == slot(c, first));
            if (0..columns.len()).any(|c| !is_kept(&c) && agrees(c)) {
                continue;
            }
            let subsets = (0..1u32 << class.len()).filter(|set| set.count_ones() >= *k);
            let sum = |set: u32| -> i128 {
                let chosen = class.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
                chosen.map(|(_, &row)| cost - a(row)).sum()
            };
            bound += subsets.map(sum).min().unwrap_or(0).min(0);
        }
    }
    let bound = u128::try_from(bound.max(0)).unwrap();
    let mut bound = u64::try_from(bound.div_ceil(u128::from(*scale))).unwrap();
    // The cost is a sum of weights: no other number is one.
    let steps: Vec<u64> = weights.iter().flatten().copied().filter(|&w| w > 0).collect();
    if let Some(&most) = steps.iter().max() {
        let step = (1..=most).rev().find(|step| steps.iter().all(|w| w % step == 0)).unwrap();
        bound = bound.div_ceil(step) * step;
    }
    bound
}

fn questions() -> impl Strategy<Value = (EncodedTable, Certificate)> {
    let weight =
        || prop_oneof![4 => Just(Some(1u64)), 3 => (0u64..5).prop_map(Some), 1 => Just(None)];
    let scale = prop_oneof![Just(1u32), Just(7), Just(1_000)];
    // Multipliers near the costs are the interesting ones.
    let most = prop_oneof![Just(1u64), Just(2), Just(3), Just(6), Just(40)];
    (1usize..5, 0usize..=7, 1i64..4, 2u32..=4, scale, most).prop_flat_map(
        move |(columns, rows, values, k, scale, most)| {
            let value = prop::option::weighted(0.9, 0..values);
            let cells = prop::collection::vec(prop::collection::vec(value, rows), columns);
            let multiplier = prop_oneof![
                3 => 0..=u64::from(scale) * most,
                2 => (0..=most).prop_map(move |units| units * u64::from(scale)),
            ];
            let multipliers = prop::collection::vec(multiplier, rows);
            let weights = prop::collection::vec(weight(), columns);
            let order = Just((0..columns).collect::<Vec<_>>()).prop_shuffle();
            (cells, multipliers, weights, order).prop_map(
                move |(cells, multipliers, weights, order)| {
                    let named = cells.into_iter().enumerate();
                    let named = named.map(|(c, cells)| (format!("c{c}"), cells));
                    let table = EncodedTable::of_columns(named);
                    let columns = ids(order);
                    (table, Certificate { columns, k, weights, scale, multipliers })
                },
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn the_bound_is_that_of_its_definition((table, certificate) in questions()) {
        prop_assert_eq!(bound(&certificate, &table), bound_by_definition(&certificate, &table));
    }

    #[test]
    fn no_suppression_costs_less_than_the_bound((table, certificate) in questions()) {
        let Certificate { columns, k, weights, .. } = &certificate;
        let k = usize::try_from(*k).unwrap();
        let least = oracle::least_suppression_cost(&table, columns, k, weights);
        prop_assert!(least.is_none_or(|least| bound(&certificate, &table) <= least));
    }
}

/// A certificate for all columns of a table, each of weight one.
fn certificate(table: &EncodedTable, k: u32, scale: u32, multipliers: Vec<u64>) -> Certificate {
    let width = table.columns().len();
    Certificate { columns: ids(0..width), k, weights: vec![Some(1); width], scale, multipliers }
}

#[test]
fn vinterbo_and_ohno_machado_table_1_costs_four_cells() {
    // Rows 0 and 3 are equal; rows 1 and 2 differ from every other row in two columns.
    let table = published::vinterbo_table_3();
    let columns = ids(0..3);
    assert_eq!(oracle::least_suppression_cost(&table, &columns, 2, &[Some(1); 3]), Some(4));
    let proof = certificate(&table, 2, 10, vec![0, 20, 20, 0]);
    assert_eq!(bound(&proof, &table), 4);
}

#[test]
fn a_bound_worked_by_hand() {
    // Rows 15, 15, 16, 27 with k = 2 and multipliers 1, 3, 8, 12 in fifths, 24 in all.
    let table = EncodedTable::of(&[[1, 5], [1, 5], [1, 6], [2, 7]]);
    let hand = certificate(&table, 2, 5, vec![1, 3, 8, 12]);
    // Both columns kept, cost 0: rows 0 and 1 give -1 - 3 = -4; the others are alone.
    // The first kept, cost 5: rows 0, 1, 2 have +4, +2, -3. The least of two rows is -1.
    // The second kept, cost 5: rows 0, 1 have +4, +2, which is not below 0.
    // None kept, cost 10: +9, +7, +2, -2. The least of two rows is 0.
    // So 24 - 4 - 1 = 19 fifths, which is 4 when rounded up; the least cost is 4: rows 0 and 1 as
    // they are, rows 2 and 3 without values.
    assert_eq!(bound(&hand, &table), 4);
    assert_eq!(oracle::least_suppression_cost(&table, &hand.columns, 2, &hand.weights), Some(4));
    // With thirty more it is 54 - 4 - 1 = 49 less what row 3 takes away: -32 and +2 of row 2.
    let larger = Certificate { multipliers: vec![1, 3, 8, 42], ..hand };
    assert_eq!(bound(&larger, &table), 4);
}

#[test]
fn a_column_that_is_never_suppressed_keeps_rows_apart() {
    let table = EncodedTable::of(&[[1, 5], [1, 6], [2, 5], [2, 6]]);
    let mut proof = certificate(&table, 2, 1, vec![7; 4]);
    proof.weights = vec![None, Some(7)];
    assert_eq!(bound(&proof, &table), 28);
    proof.weights = vec![Some(1), Some(7)];
    assert_eq!(bound(&proof, &table), 4);
}

#[test]
fn only_light_column_sets_of_a_wide_table_are_looked_at() {
    let table = large_table(200, &[3; 40], false, Seed::new(1));
    // Sets of at most two of forty columns are lighter than three.
    assert_eq!(bound(&certificate(&table, 2, 10, vec![30; 200]), &table), 600);
    let heavy = certificate(&table, 2, 10, vec![200; 200]).bound(&table, &Run::new());
    assert_eq!(heavy, Err(Error::TooManyPatterns { limit: Certificate::MAX_PATTERNS }));
}

#[test]
fn large_figures_do_not_overflow() {
    let table = EncodedTable::of(&[[1, 5], [2, 6]]);
    let mut huge = certificate(&table, 2, u32::MAX, vec![u64::MAX; 2]);
    huge.weights = vec![Some(u64::MAX), Some(u64::MAX)];
    // Twice 2^64 - 1, in units of 2^32 - 1, is more than nothing: so it is a cell at least.
    assert_eq!(bound(&huge, &table), u64::MAX);
    huge.scale = 1;
    assert_eq!(bound(&huge, &table), u64::MAX);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let table = large_table(5_000, &[3, 40, 6, 5, 9], true, Seed::new(1));
    let multipliers = (0..5_000).map(|row| Seed::new(2).below(row, 5_000)).collect();
    let proof = certificate(&table, 5, 1_000, multipliers);
    let [one, four] =
        [1, 4].map(|threads| proof.bound(&table, &Run::new().threads(threads).unwrap()).unwrap());
    assert_eq!(one, four);
}

#[test]
fn a_certificate_that_does_not_fit_the_table_is_an_error() {
    let table = EncodedTable::of(&[[1, 5], [2, 6]]);
    let fine = certificate(&table, 2, 10, vec![0; 2]);
    let wrong = [
        Certificate { k: 0, ..fine.clone() },
        Certificate { scale: 0, ..fine.clone() },
        Certificate { columns: ids([0, 0]), ..fine.clone() },
        Certificate { columns: ids([0, 2]), ..fine.clone() },
        Certificate { weights: vec![Some(1)], ..fine.clone() },
        Certificate { multipliers: vec![0; 3], ..fine.clone() },
    ];
    for wrong in wrong {
        assert!(matches!(wrong.bound(&table, &Run::new()), Err(Error::Setting(_))));
    }
    let column = table.column(ColumnId::new(0));
    let codes = Codes::pack(2, [0, column.suppressed_slot()].into_iter());
    let suppressed = Column::new("a", column.dictionary().clone(), codes).unwrap();
    let table = EncodedTable::new(2, vec![suppressed, table.columns()[1].clone()]).unwrap();
    assert!(matches!(fine.bound(&table, &Run::new()), Err(Error::Setting(_))));
}

#[test]
fn a_cancelled_run_ends() {
    let table = EncodedTable::of(&[[1, 5], [2, 6]]);
    let cancel = Cancel::default();
    cancel.cancel();
    let found = certificate(&table, 2, 1, vec![9; 2]).bound(&table, &Run::new().cancel(cancel));
    assert!(matches!(found, Err(Error::Engine(_))));
}
