//! Optima: published tables, and brute force on small ones.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use muslin_assess::{Weight, Weights};
use muslin_engine::{Coverage, Run, Seed, Stop};
use muslin_protect::{
    Ambiguated, Ambiguity, AmbiguityMethod, Dependency, DependencyGoal, Error, Notion, Suppress,
};
use muslin_table::{Cell, Changes, ColumnId, ColumnSet, EncodedTable, RowId};
use muslin_testkit::generate::large_table;
use muslin_testkit::oracle::{self, CellList};
use muslin_testkit::published;
use proptest::prelude::*;

const MILLION: u64 = 1_000_000;

fn papers() -> [EncodedTable; 3] {
    [published::vinterbo_table_3(), published::vinterbo_table_4(), published::vinterbo_table_5()]
}

fn set(columns: impl IntoIterator<Item = usize>) -> ColumnSet {
    columns.into_iter().map(ColumnId::new).collect()
}

fn cells(found: &Ambiguated) -> CellList {
    found.suppressed().iter().map(|cell| (cell.row.index(), cell.column.index())).collect()
}

fn ambiguity(k: u32) -> Ambiguity {
    Ambiguity::new(k).method(AmbiguityMethod::Exact)
}

fn row_wise(table: &EncodedTable, to: usize) -> Dependency {
    let from = (0..table.columns().len()).filter(|&column| column != to);
    let goal = DependencyGoal::RowWise(AmbiguityMethod::Exact);
    Dependency::new(set(from), set([to])).goal(goal)
}

#[test]
fn ambiguity_of_the_three_tables() {
    for (table, optima) in papers().iter().zip([[2, 4, 4], [4, 6, 8], [3, 7, 9]]) {
        for (k, optimum) in (2..).zip(optima) {
            let found = ambiguity(k).run(table, &Run::new()).unwrap();
            assert_eq!(found.cells(), optimum);
            assert!(found.is_optimal() && found.coverage() == Coverage::Complete);
            let least = *oracle::alphas(table, &cells(&found)).iter().min().unwrap();
            assert!(least >= k as usize);
        }
    }
}

#[test]
fn notions_of_the_three_tables() {
    let notions = [Notion::OneToK, Notion::KToOne, Notion::BothK, Notion::KAnonymity];
    for (table, optima) in papers().iter().zip([[3, 4, 4, 4], [6, 7, 8, 10], [4, 6, 6, 6]]) {
        for (notion, optimum) in notions.into_iter().zip(optima) {
            let suppress = Suppress::new(2).notion(notion).exact(true);
            let found = suppress.run(table, &Run::new()).unwrap();
            assert_eq!(found.cells(), optimum, "{notion:?}");
            assert!(found.is_optimal() && found.coverage() == Coverage::Complete);
        }
    }
}

#[test]
fn dependencies_of_the_three_tables() {
    let optima: [&[usize]; 3] = [&[2, 2, 2], &[4, 4, 4, 4, 2], &[4, 6, 5, 3]];
    for (table, optima) in papers().iter().zip(optima) {
        for (to, &optimum) in optima.iter().enumerate() {
            let found = row_wise(table, to).run(table, &Run::new()).unwrap();
            assert_eq!(found.cells(), optimum);
            assert!(found.is_optimal());
        }
    }
}

/// Tables of so many cells at most.
fn tables(most: usize) -> impl Strategy<Value = EncodedTable> {
    (2usize..=7, 1usize..=4, 1i64..=4)
        .prop_filter("too many cells", move |&(rows, columns, _)| rows * columns <= most)
        .prop_flat_map(|(rows, columns, values)| {
            let cell = prop::option::weighted(0.9, 0..values);
            prop::collection::vec(prop::collection::vec(cell, rows), columns)
        })
        .prop_map(|columns| {
            let named = columns.into_iter().enumerate();
            EncodedTable::of_columns(named.map(|(c, cells)| (format!("c{c}"), cells)))
        })
}

/// What cells of each column cost in whole units; none where they must stay.
fn costs() -> impl Strategy<Value = Vec<Option<u64>>> {
    let cost = prop_oneof![5 => Just(Some(1u64)), 4 => (0u64..4).prop_map(Some), 1 => Just(None)];
    prop::collection::vec(cost, 4)
}

/// The costs as weights in millionths, each `scale`, and the columns that must stay.
fn weights_of(costs: &[Option<u64>], scale: u64) -> (Weights, ColumnSet) {
    let mut weights = Weights::new();
    for (column, cost) in costs.iter().enumerate() {
        weights.set(ColumnId::new(column), Weight::of_millionths(cost.unwrap_or(1) * scale));
    }
    let stay = costs.iter().enumerate().filter(|(_, cost)| cost.is_none());
    (weights, set(stay.map(|(column, _)| column)))
}

fn all_cells(table: &EncodedTable, columns: &[usize]) -> CellList {
    (0..table.rows()).flat_map(|row| columns.iter().map(move |&column| (row, column))).collect()
}

fn changes_of(table: &EncodedTable, cells: &[(usize, usize)]) -> Changes {
    let mut changes = Changes::none(table);
    for &(row, column) in cells {
        let row = RowId::new(u32::try_from(row).unwrap());
        changes.suppress(Cell { row, column: ColumnId::new(column) }).unwrap();
    }
    changes
}

/// The least count of a row or person, by (1,k) or by (k,k).
fn compatible(table: &EncodedTable, changes: &Changes, notion: Notion) -> u32 {
    let counts = oracle::notions(table, &table.all_columns(), changes);
    let at = if notion == Notion::OneToK { 1 } else { 3 };
    counts.iter().map(|row| row[at]).min().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(1_000)))]

    #[test]
    fn classes_cost_the_least(table in tables(28), k in 2u32..=4, costs in costs()) {
        let columns: Vec<ColumnId> = table.all_columns().iter().collect();
        let costs = &costs[..columns.len()];
        let least = oracle::least_suppression_cost(&table, &columns, k as usize, costs);
        let (weights, never) = weights_of(costs, MILLION);
        let suppress = Suppress::new(k).exact(true).weights(weights).never(never);
        match suppress.run(&table, &Run::new()) {
            Ok(found) => {
                let least = Weight::of_millionths(least.unwrap() * MILLION);
                prop_assert_eq!((found.cost(), found.lower_bound()), (least, least));
                let counts = oracle::notions(&table, &table.all_columns(), found.changes());
                prop_assert!(counts.iter().all(|row| row[5] >= k));
                prop_assert_eq!(found.coverage(), Coverage::Complete);
            }
            Err(error) => {
                prop_assert!(matches!(error, Error::Unreachable(_)));
                prop_assert_eq!(least, None);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(300)))]

    #[test]
    fn ambiguity_costs_the_least(
        table in tables(14), k in 2u32..=4, costs in prop::collection::vec(0u64..4, 4),
        scale in prop::sample::select(vec![MILLION, 1, 333_333]),
    ) {
        prop_assume!(table.rows() >= k as usize);
        let columns: Vec<usize> = (0..table.columns().len()).collect();
        let does = |chosen: &[(usize, usize)]| {
            oracle::alphas(&table, chosen).iter().all(|&rows| rows >= k as usize)
        };
        let least = oracle::cheapest_cells(&all_cells(&table, &columns), &costs, &does).unwrap();
        let costs: Vec<_> = costs.into_iter().map(Some).collect();
        let (weights, _) = weights_of(&costs, scale);
        let found = ambiguity(k).weights(weights).run(&table, &Run::new()).unwrap();
        prop_assert!(does(&cells(&found)));
        let least = Weight::of_millionths(least * scale);
        prop_assert_eq!((found.cost(), found.lower_bound()), (least, least));
    }

    #[test]
    fn against_a_dependency_costs_the_least(
        table in tables(18), costs in prop::collection::vec(0u64..4, 4),
    ) {
        let to = table.columns().len() - 1;
        let from: Vec<usize> = (0..to).collect();
        let does = |chosen: &[(usize, usize)]| {
            oracle::rows_that_determine(&table, chosen, &from, &[to]).is_empty()
        };
        let least = oracle::cheapest_cells(&all_cells(&table, &from), &costs, &does);
        let costs: Vec<_> = costs.into_iter().map(Some).collect();
        let (weights, _) = weights_of(&costs, MILLION);
        let Some(least) = least else {
            prop_assert!(row_wise(&table, to).run(&table, &Run::new()).is_err());
            return Ok(());
        };
        let found = row_wise(&table, to).weights(weights).run(&table, &Run::new()).unwrap();
        prop_assert!(does(&cells(&found)));
        let least = Weight::of_millionths(least * MILLION);
        prop_assert_eq!((found.cost(), found.lower_bound()), (least, least));
    }

    #[test]
    fn what_fits_each_other_costs_the_least(
        table in tables(12), k in 2u32..=3, costs in costs(),
        notion in prop::sample::select(vec![Notion::OneToK, Notion::BothK]),
    ) {
        let costs = &costs[..table.columns().len()];
        let free: Vec<usize> = (0..costs.len()).filter(|&column| costs[column].is_some()).collect();
        let does = |chosen: &[(usize, usize)]| {
            compatible(&table, &changes_of(&table, chosen), notion) >= k
        };
        let units: Vec<u64> = costs.iter().map(|cost| cost.unwrap_or(0)).collect();
        let least = oracle::cheapest_cells(&all_cells(&table, &free), &units, &does);
        let (weights, never) = weights_of(costs, MILLION);
        let suppress = Suppress::new(k).notion(notion).exact(true).weights(weights).never(never);
        match suppress.run(&table, &Run::new()) {
            Ok(found) => {
                let least = Weight::of_millionths(least.unwrap() * MILLION);
                prop_assert_eq!((found.cost(), found.lower_bound()), (least, least));
                prop_assert!(compatible(&table, found.changes(), notion) >= k);
            }
            Err(error) => {
                prop_assert!(matches!(error, Error::Unreachable(_)));
                prop_assert_eq!(least, None);
            }
        }
    }
}

#[test]
fn small_tables_get_the_optimum_without_being_asked() {
    for seed in 0..4 {
        let table = large_table(40, &[3, 8, 5, 4], true, Seed::new(seed));
        let exact = Suppress::new(3).exact(true).run(&table, &Run::new()).unwrap();
        let plain = Suppress::new(3).run(&table, &Run::new()).unwrap();
        assert!(exact.is_optimal());
        assert_eq!((plain.cost(), plain.lower_bound()), (exact.cost(), exact.cost()));
        let one = Suppress::new(3).run(&table, &Run::new().threads(1).unwrap()).unwrap();
        assert_eq!(one.changes(), plain.changes());
    }
}

#[test]
fn rows_that_come_several_times_are_split_where_that_is_cheaper() {
    // Three alike, and two that each need one of them.
    let table = EncodedTable::of(&[[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 2], [2, 1, 1]]);
    let found = Suppress::new(2).exact(true).run(&table, &Run::new()).unwrap();
    let columns: Vec<ColumnId> = table.all_columns().iter().collect();
    let least = oracle::least_suppression_cost(&table, &columns, 2, &[Some(1); 3]);
    assert_eq!(Some(found.cells() as u64), least);
    assert!(found.is_optimal());
}

#[test]
fn a_limit_leaves_a_protection_and_a_gap() {
    let table = large_table(60, &[4, 5, 3, 6, 4, 5], false, Seed::new(3));
    let limit = || Run::new().time_limit(Some(Duration::from_millis(300)));
    let begin = Instant::now();
    let found = ambiguity(3).run(&table, &limit()).unwrap();
    assert_eq!(found.coverage(), Coverage::Stopped { by: Stop::TimeLimit });
    assert!(found.lower_bound() < found.cost() && found.lower_bound() > Weight::ZERO);
    assert!(oracle::alphas(&table, &cells(&found)).iter().all(|&rows| rows >= 3));
    let suppress = Suppress::new(3).notion(Notion::BothK).exact(true);
    let found = suppress.run(&table, &limit()).unwrap();
    assert_eq!(found.coverage(), Coverage::Stopped { by: Stop::TimeLimit });
    assert!(found.lower_bound() < found.cost() && found.lower_bound() > Weight::ZERO);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn what_exact_cannot_do_is_refused() {
    let run = Run::new();
    let table = published::vinterbo_table_3();
    let refused = |suppress: Suppress| {
        let error = suppress.exact(true).run(&table, &run).unwrap_err();
        assert!(matches!(error, Error::Setting(_)) && error.to_string().contains("hint"));
    };
    refused(Suppress::new(2).budgets(vec![(ColumnId::new(0), 1)]));
    refused(Suppress::new(2).diversity(Some((ColumnId::new(0), 2))).columns(Some(set([1, 2]))));
    let large = large_table(3_000, &[50, 50, 50], false, Seed::new(1));
    let error = ambiguity(2).run(&large, &run).unwrap_err();
    assert!(error.to_string().contains("exact is for small tables"));
    let error = Suppress::new(2).notion(Notion::OneToK).exact(true).run(&large, &run).unwrap_err();
    assert!(error.to_string().contains("exact is for small tables"));
}
