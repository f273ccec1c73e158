//! One row against brute force and against the search for all rows.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use muslin_assess::{ExplainRow, MinimalUniques, RowExplanation, Score};
use muslin_engine::{Coverage, Run, Seed, Stop};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule, RowId};
use muslin_testkit::generate::{large_table, ugly_tables};
use muslin_testkit::oracle;
use proptest::prelude::*;

fn columns(set: &ColumnSet) -> Vec<usize> {
    set.iter().map(ColumnId::index).collect()
}

fn row_id(row: usize) -> RowId {
    RowId::new(u32::try_from(row).unwrap())
}

/// The numbers of a set's columns, for all minimal uniques.
fn listed(found: &RowExplanation) -> Vec<Vec<usize>> {
    found.uniques().iter().map(columns).collect()
}

/// Columns in which two rows do not match.
fn differing(table: &EncodedTable, a: usize, b: usize, missing: MissingRule) -> Vec<usize> {
    let differ = |&c: &usize| {
        let column = &table.columns()[c];
        let (x, y) = (column.codes().slot(a), column.codes().slot(b));
        let absent = x == column.missing_slot() || y == column.missing_slot();
        match missing {
            MissingRule::Category => x != y,
            MissingRule::Distinct => x != y || absent,
            MissingRule::Wildcard => x != y && !absent,
        }
    };
    (0..table.columns().len()).filter(differ).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(512)))]

    #[test]
    fn minimal_uniques_are_those_of_brute_force(
        table in ugly_tables(),
        max_size in prop::option::of(1usize..=4),
        missing in prop::sample::select(MissingRule::ALL.to_vec()),
    ) {
        let all = oracle::minimal_uniques(&table, 1, max_size, missing);
        for row in 0..table.rows() {
            let own = all.iter().filter(|unique| unique.rows == [u32::try_from(row).unwrap()]);
            let expected: Vec<Vec<usize>> = own.map(|unique| unique.columns.clone()).collect();
            let explain = ExplainRow::new().missing(missing).max_size(max_size);
            let found = explain.run(&table, row_id(row), &Run::new()).unwrap();
            prop_assert_eq!(listed(&found), expected, "row {}", row);
            prop_assert_eq!(found.coverage(), Coverage::Complete);
        }
    }

    #[test]
    fn rows_are_as_near_as_they_are_alike(
        table in ugly_tables(),
        missing in prop::sample::select(MissingRule::ALL.to_vec()),
    ) {
        let all = table.all_columns();
        let classes = oracle::matches(&table, &all, missing);
        // Of each column: who matches by it, who matches without it, and what is left then.
        let by_column: Vec<_> = all
            .iter()
            .map(|column| {
                let one = std::iter::once(column).collect();
                let without = all.difference(&one);
                let left = oracle::minimal_uniques(&table.project(&without), 1, None, missing);
                let matches = |by: &ColumnSet| oracle::matches(&table, by, missing);
                (matches(&one), matches(&without), left)
            })
            .collect();
        for row in 0..table.rows() {
            let explain = ExplainRow::new().missing(missing).nearest(4);
            let found = explain.run(&table, row_id(row), &Run::new()).unwrap();
            prop_assert_eq!(found.class_size(), classes[row]);
            let others = (0..table.rows()).filter(|&other| other != row);
            let mut near: Vec<(usize, usize, Vec<usize>)> = others
                .map(|other| differing(&table, row, other, missing))
                .zip((0..table.rows()).filter(|&other| other != row))
                .map(|(differ, other)| (differ.len(), other, differ))
                .collect();
            for (far, &count) in found.differing().iter().enumerate() {
                let expected = near.iter().filter(|other| other.0 == far).count() as u64;
                prop_assert_eq!(count, expected);
            }
            near.sort();
            near.truncate(4);
            let expected: Vec<_> = near.into_iter().map(|(_, other, differ)| (other, differ)).collect();
            let nearest = found.nearest().iter();
            let nearest: Vec<_> =
                nearest.map(|near| (near.row.index(), columns(&near.differing))).collect();
            prop_assert_eq!(nearest, expected);
            for (of, (alike, without, left)) in found.columns().iter().zip(&by_column) {
                prop_assert_eq!(of.matching, alike[row]);
                prop_assert_eq!(of.class_without, without[row]);
                let left = left.iter().filter(|unique| unique.rows[0] as usize == row).count();
                prop_assert_eq!(found.total() - of.uniques, left as u64);
            }
        }
    }

    #[test]
    fn scores_are_those_of_the_search_for_all_rows(
        table in ugly_tables(),
        max_size in prop::option::of(1usize..=4),
        missing in prop::sample::select(MissingRule::ALL.to_vec()),
        score in prop::sample::select(Score::ALL.to_vec()),
    ) {
        let search = MinimalUniques::new().missing(missing).max_size(max_size).score(score);
        let all = search.run(&table, &Run::new()).unwrap();
        for row in 0..table.rows() {
            let explain = ExplainRow::new().missing(missing).max_size(max_size).score(score);
            let found = explain.run(&table, row_id(row), &Run::new()).unwrap();
            let of_row = all.row(row);
            prop_assert_eq!((found.suda(), found.total()), (Some(of_row.suda), of_row.uniques));
            let smallest = found.by_size().next().map_or(0, |(size, _)| size);
            prop_assert_eq!(smallest, usize::from(of_row.smallest));
        }
    }

    #[test]
    fn a_limit_keeps_the_smallest(table in ugly_tables(), limit in 0usize..6) {
        for row in 0..table.rows() {
            let all = ExplainRow::new().run(&table, row_id(row), &Run::new()).unwrap();
            let cut = ExplainRow::new().limit(limit).run(&table, row_id(row), &Run::new()).unwrap();
            if all.uniques().len() <= limit {
                prop_assert_eq!(&cut, &all);
                continue;
            }
            prop_assert_eq!(cut.coverage(), Coverage::Stopped { by: Stop::ResultLimit });
            prop_assert_eq!((cut.uniques().len(), cut.suda()), (limit, None));
            let sizes = |of: &RowExplanation| -> Vec<usize> {
                of.uniques().iter().take(limit).map(ColumnSet::len).collect()
            };
            prop_assert_eq!(sizes(&cut), sizes(&all));
            prop_assert!(cut.uniques().iter().all(|set| all.uniques().contains(set)));
            let complete = |of: &RowExplanation| -> Vec<ColumnSet> {
                let small = |set: &&ColumnSet| set.len() <= cut.complete_to();
                of.uniques().iter().filter(small).cloned().collect()
            };
            prop_assert_eq!(complete(&cut), complete(&all));
        }
    }
}

#[test]
fn wide_and_long_tables_score_as_in_the_search_for_all_rows() {
    // Columns beyond one, two and four words, and rows beyond a block.
    for (rows, width, max_size) in
        [(9_000, 7, None), (300, 70, Some(3)), (200, 150, Some(2)), (60, 300, Some(2))]
    {
        let table = large_table(rows, &vec![4; width], true, Seed::new(3));
        let search = MinimalUniques::new().max_size(max_size);
        let all = search.run(&table, &Run::new()).unwrap();
        for row in [0, 17, table.rows() - 1] {
            let explain = ExplainRow::new().max_size(max_size).limit(usize::MAX);
            let found = explain.run(&table, row_id(row), &Run::new()).unwrap();
            assert_eq!(found.suda(), Some(all.row(row).suda), "{width} columns, row {row}");
            assert_eq!(found.total(), all.row(row).uniques);
        }
    }
}

#[test]
fn too_many_minimal_uniques_end_at_the_limit() {
    // Each other row differs from the first in two neighbouring columns of a ring, so that minimal
    // uniques are minimal covers of the ring by vertices: two of half its columns, millions of more.
    let width = 48;
    let cells = |column: usize| {
        let differs = |row: usize| row == column || row == (column + 1) % width;
        let others = (0..width).map(|row| Some(i64::from(differs(row))));
        std::iter::once(Some(0)).chain(others).collect()
    };
    let columns = (0..width).map(|column| (format!("c{column}"), cells(column)));
    let table = EncodedTable::of_columns(columns);
    let explain = ExplainRow::new().limit(50);
    let found = explain.run(&table, RowId::new(0), &Run::new()).unwrap();
    assert_eq!(found.coverage(), Coverage::Stopped { by: Stop::ResultLimit });
    assert_eq!((found.total(), found.suda()), (50, None));
    assert_eq!(found.by_size().next(), Some((width / 2, 2)));
    assert_eq!(found.complete_to(), width / 2);
}

#[test]
fn a_row_that_is_not_there_is_said_so() {
    let table = EncodedTable::of(&[[1], [2]]);
    let error = ExplainRow::new().run(&table, RowId::new(2), &Run::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no row 2: the table has 2 rows\n  hint: rows are counted from 0; pass one from 0 to 1"
    );
    let run = Run::new().time_limit(Some(Duration::ZERO));
    assert!(ExplainRow::new().run(&table, RowId::new(0), &run).is_err());
}
