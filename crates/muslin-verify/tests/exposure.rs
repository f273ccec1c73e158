//! Rows that published columns make unique, against a comparison of every row with every other.

use muslin_engine::{Run, Seed};
use muslin_table::{ColumnId, ColumnSet, EncodedTable};
use muslin_testkit::generate::{large_table, ugly_tables};
use muslin_verify::Exposure;
use proptest::prelude::*;

/// Rows whose cells in `columns` no other row has.
fn unique(table: &EncodedTable, columns: &[ColumnId]) -> u64 {
    let same = |a: usize, b: usize| {
        columns.iter().all(|&id| {
            let codes = table.column(id).codes();
            codes.slot(a) == codes.slot(b)
        })
    };
    let is_unique = |&row: &usize| (0..table.rows()).all(|other| other == row || !same(row, other));
    (0..table.rows()).filter(is_unique).count() as u64
}

proptest! {
    #[test]
    fn counts_are_those_of_brute_force(table in ugly_tables()) {
        let columns: Vec<ColumnId> = table.all_columns().iter().take(8).collect();
        let facts = Exposure::new(columns.iter().copied().collect())
            .run(&table, &Run::new())
            .unwrap();
        prop_assert_eq!(facts.rows(), table.rows() as u64);
        prop_assert_eq!(facts.unique(), unique(&table, &columns));
        prop_assert_eq!(facts.singles().len(), columns.len());
        for &(id, count) in facts.singles() {
            prop_assert_eq!(count, unique(&table, &[id]));
        }
        prop_assert_eq!(facts.pairs().len(), columns.len() * columns.len().saturating_sub(1) / 2);
        for &(ids, count) in facts.pairs() {
            prop_assert_eq!(count, unique(&table, &ids));
        }
        prop_assert!(facts.singles().is_sorted_by_key(|&(_, count)| std::cmp::Reverse(count)));
        prop_assert!(facts.pairs().is_sorted_by_key(|&(_, count)| std::cmp::Reverse(count)));
    }
}

#[test]
fn pairs_of_many_values_are_counted_as_those_of_few() {
    // The product of their distinct values is far beyond the rows.
    let rows = 3_000i64;
    let cell = |row: i64, step: i64| Some((row * step) % 2_500);
    let columns = [7, 11]
        .map(|step| (format!("c{step}"), (0..rows).map(|row| cell(row, step)).collect::<Vec<_>>()));
    let table = EncodedTable::of_columns(columns);
    let facts = Exposure::new(table.all_columns()).run(&table, &Run::new()).unwrap();
    let ids = [ColumnId::new(0), ColumnId::new(1)];
    assert_eq!(facts.pairs(), [(ids, unique(&table, &ids))]);
    // 500 rows at the end repeat the first 500.
    assert_eq!(facts.unique(), 2_000);
}

#[test]
fn fewer_pairs_are_counted_where_all_are_too_much_work_and_it_is_said() {
    let table = large_table(1_000, &[3, 40, 900, 7, 7, 200], true, Seed::new(1));
    let width = table.columns().len();
    let all = Exposure::new(table.all_columns());
    assert_eq!(all.run(&table, &Run::new()).unwrap().paired_columns(), width);
    let few = all.clone().pair_work(3_000).run(&table, &Run::new()).unwrap();
    assert_eq!((few.paired_columns(), few.pairs().len()), (3, 3));
    let none = all.pair_work(999).run(&table, &Run::new()).unwrap();
    assert_eq!((none.paired_columns(), none.pairs().len()), (0, 0));
    assert_eq!(none.singles().len(), width);
}

#[test]
fn counts_do_not_depend_on_threads() {
    let table = large_table(5_000, &[3, 40, 9_000, 7, 7, 200], false, Seed::new(2));
    let exposure = Exposure::new(table.all_columns());
    let one = exposure.run(&table, &Run::new().threads(1).unwrap()).unwrap();
    assert_eq!(one, exposure.run(&table, &Run::new().threads(4).unwrap()).unwrap());
}

#[test]
fn a_column_that_is_not_there_is_refused() {
    let table = EncodedTable::of(&[[1], [2]]);
    let error = Exposure::new(ColumnSet::first(2)).run(&table, &Run::new()).unwrap_err();
    assert!(error.to_string().contains("beyond the release's 1 columns"), "{error}");
}
