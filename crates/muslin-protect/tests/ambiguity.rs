//! Ambiguity by cell suppression: the tables of Vinterbo and Ohno-Machado, and brute force.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use muslin_assess::{MinimalUniques, Weight, Weights};
use muslin_engine::{Cancel, Coverage, MemoryEngine, Run, Stop, take_rows};
use muslin_protect::{
    Ambiguated, Ambiguity, AmbiguityMethod, Dependency, DependencyGoal, Discernibility, Error,
    Protector, Redundant, Ties,
};
use muslin_table::{Codes, Column, ColumnId, ColumnSet, EncodedTable};
use muslin_testkit::generate::{large_table, ugly_tables};
use muslin_testkit::oracle::{self, CellList};
use muslin_testkit::published;
use proptest::prelude::*;

/// Those of the paper; `tests/exact.rs` is about the exact one.
const METHODS: [AmbiguityMethod; 5] = [
    AmbiguityMethod::Rows,
    AmbiguityMethod::Occurrences,
    AmbiguityMethod::InTurn,
    AmbiguityMethod::AtOnce,
    AmbiguityMethod::Shortest,
];

fn tables() -> [EncodedTable; 3] {
    [published::vinterbo_table_3(), published::vinterbo_table_4(), published::vinterbo_table_5()]
}

fn cells(found: &Ambiguated) -> CellList {
    let cells: CellList =
        found.suppressed().iter().map(|cell| (cell.row.index(), cell.column.index())).collect();
    assert_eq!(found.cells(), cells.len());
    assert_eq!(found.changes().suppressed_cells(), cells.len());
    cells
}

/// As in the paper: redundant cells stay suppressed.
fn paper(table: &EncodedTable, method: AmbiguityMethod) -> CellList {
    let ambiguity = Ambiguity::new(2).method(method).redundant(Redundant::Keep);
    cells(&ambiguity.run(table, &Run::new()).unwrap())
}

fn all_cells(table: &EncodedTable, columns: &[usize]) -> CellList {
    (0..table.rows()).flat_map(|row| columns.iter().map(move |&column| (row, column))).collect()
}

fn all_columns(table: &EncodedTable) -> Vec<usize> {
    (0..table.columns().len()).collect()
}

fn set(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().map(ColumnId::new).collect()
}

/// Whole weights, one for each column.
fn weights_of(costs: &[u64]) -> Weights {
    let mut weights = Weights::new();
    for (column, &cost) in costs.iter().enumerate() {
        weights.set(ColumnId::new(column), Weight::of_millionths(cost * 1_000_000));
    }
    weights
}

fn whole(weight: Weight) -> u64 {
    assert_eq!(weight.millionths() % 1_000_000, 0);
    weight.millionths() / 1_000_000
}

fn is_ambiguous(table: &EncodedTable, suppressed: &[(usize, usize)], k: usize) -> bool {
    oracle::alphas(table, suppressed).into_iter().all(|rows| rows >= k)
}

/// Whether no cell can be shown again. Choices that do are closed upwards, so single cells tell.
fn is_minimal(chosen: &[(usize, usize)], does: impl Fn(&[(usize, usize)]) -> bool) -> bool {
    let without = |gone: &(usize, usize)| -> CellList {
        chosen.iter().copied().filter(|cell| cell != gone).collect()
    };
    does(chosen) && chosen.iter().all(|cell| !does(&without(cell)))
}

#[test]
fn the_matrix_of_example_1_is_that_of_the_paper() {
    let table = published::vinterbo_table_3();
    let rows = Discernibility::new(&table, &table.all_columns()).unwrap();
    let expected = [
        [&[][..], &[0, 2], &[0, 1], &[]],
        [&[0, 2], &[], &[1, 2], &[0, 2]],
        [&[0, 1], &[1, 2], &[], &[0, 1]],
        [&[], &[0, 2], &[0, 1], &[]],
    ];
    for (a, of) in expected.into_iter().enumerate() {
        for (b, columns) in of.into_iter().enumerate() {
            assert_eq!(rows.difference(a, b), set(columns));
        }
    }
    assert_eq!(rows.alphas(&Run::new()).unwrap(), [2, 1, 1, 2]);
    assert!(!format!("{rows:?}").contains("slots"));
}

#[test]
fn every_subscript_of_tables_3_to_5_and_every_count_of_table_6() {
    for (at, table) in tables().iter().enumerate() {
        let a = paper(table, AmbiguityMethod::Rows);
        assert_eq!(a, all_cells(table, &all_columns(table))[..table.columns().len()]);
        let b = paper(table, AmbiguityMethod::Occurrences);
        assert_eq!(b, published::VINTERBO_B[at]);
        let c = paper(table, AmbiguityMethod::InTurn);
        assert_eq!(c, published::VINTERBO_C[at]);
        assert_eq!([a.len(), b.len(), c.len()], published::VINTERBO_TABLE_6[at]);
        let d = paper(table, AmbiguityMethod::AtOnce);
        assert_eq!(d.len(), [4, 7, 6][at]);
        assert_eq!(paper(table, AmbiguityMethod::Shortest).len(), [3, 6, 3][at]);
    }
    let d = paper(&published::vinterbo_table_5(), AmbiguityMethod::AtOnce);
    assert_eq!(d, published::VINTERBO_ASTERISKS);
}

#[test]
fn ties_explain_the_counts_of_heuristic_c() {
    let largest = tables().map(|table| {
        let ambiguity = Ambiguity::new(2)
            .method(AmbiguityMethod::InTurn)
            .ties(Some(Ties::Largest))
            .redundant(Redundant::Keep);
        ambiguity.run(&table, &Run::new()).unwrap().cells()
    });
    assert_eq!(largest, [2, 4, 3]);
}

#[test]
fn showing_redundant_cells_repairs_heuristic_c() {
    let shown = tables().map(|table| {
        let ambiguity = Ambiguity::new(2).method(AmbiguityMethod::InTurn);
        ambiguity.run(&table, &Run::new()).unwrap().cells()
    });
    assert_eq!(shown, [2, 4, 3]);
}

#[test]
fn the_optima_of_the_three_tables() {
    for (at, table) in tables().iter().enumerate() {
        let does = |chosen: &[(usize, usize)]| is_ambiguous(table, chosen, 2);
        let best = oracle::fewest_cells(&all_cells(table, &all_columns(table)), &does);
        assert_eq!((best[0].len(), best.len()), [(2, 4), (4, 24), (3, 8)][at]);
        let found = Ambiguity::new(2).run(table, &Run::new()).unwrap();
        assert_eq!(found.cells(), best[0].len());
        assert!(best.contains(&cells(&found)));
        for k in 2..=4u32 {
            let optimum = [[2, 4, 4], [4, 6, 8], [3, 7, 9]][at][k as usize - 2];
            for method in METHODS {
                let found = Ambiguity::new(k).method(method).run(table, &Run::new()).unwrap();
                assert!(is_ambiguous(table, &cells(&found), k as usize));
                assert!(whole(found.lower_bound()) <= optimum && optimum <= whole(found.cost()));
                let rows = u64::from(k - 1) * table.columns().len() as u64;
                assert!(optimum <= rows && whole(found.upper_bound()) == rows);
            }
        }
    }
}

#[test]
fn the_greatest_distance_to_a_nearest_row_bounds_the_cost() {
    let bounds = tables()
        .map(|table| whole(Ambiguity::new(2).run(&table, &Run::new()).unwrap().lower_bound()));
    assert_eq!(bounds, [2, 2, 2]);
    // The paper's bound, the least difference of two rows, is 1 here, but nothing is needed.
    let found = Ambiguity::new(2).run(&EncodedTable::of(&[[1], [1], [2], [2]]), &Run::new());
    let found = found.unwrap();
    assert_eq!(
        (found.cells(), found.lower_bound(), found.upper_bound()),
        (0, Weight::ZERO, Weight::ZERO)
    );
    assert!(found.is_optimal());
}

#[test]
fn the_upper_bound_is_of_the_rows_with_least_left_to_suppress() {
    // Two suppressed cells in the last row: of four columns, two are left there.
    let columns = (0..4).map(|c| {
        let cells = (0..4i64).map(|row| Some(row + i64::from(c))).collect();
        (format!("c{c}"), cells)
    });
    let columns = EncodedTable::of_columns(columns).into_columns().into_iter().enumerate();
    let columns = columns.map(|(at, column)| {
        let values = column.dictionary().len();
        let gone = |row: usize| row == 3 && at < 2;
        let slots = column.codes().slots().enumerate();
        let slots =
            slots.map(|(row, slot)| if gone(row) { column.suppressed_slot() } else { slot });
        let codes = Codes::pack(values, slots.collect::<Vec<_>>().into_iter());
        Column::new(column.name(), column.dictionary().clone(), codes).unwrap()
    });
    let table = EncodedTable::new(4, columns.collect()).unwrap();
    for (k, bound) in [(2, 2), (3, 6), (4, 10)] {
        let found = Ambiguity::new(k).run(&table, &Run::new()).unwrap();
        assert_eq!(whole(found.upper_bound()), bound);
    }
}

#[test]
fn dependencies_of_the_three_tables() {
    let optima: [&[u64]; 3] = [&[2, 2, 2], &[4, 4, 4, 4, 2], &[4, 6, 5, 3]];
    for (table, optima) in tables().iter().zip(optima) {
        for (to, &optimum) in optima.iter().enumerate() {
            let from: Vec<usize> = all_columns(table).into_iter().filter(|&c| c != to).collect();
            let does = |chosen: &[(usize, usize)]| {
                oracle::rows_that_determine(table, chosen, &from, &[to]).is_empty()
            };
            let dependency = Dependency::new(set(&from), set(&[to]));
            for method in METHODS {
                let row_wise = dependency.clone().goal(DependencyGoal::RowWise(method));
                let found = row_wise.run(table, &Run::new()).unwrap();
                assert!(is_minimal(&cells(&found), does));
                assert!(whole(found.lower_bound()) <= optimum && optimum <= whole(found.cost()));
            }
            let best = oracle::fewest_cells(&all_cells(table, &from), &does);
            assert_eq!(best[0].len() as u64, optimum);
        }
    }
    let table = published::vinterbo_table_3();
    for to in 0..3 {
        let from: Vec<usize> = (0..3).filter(|&c| c != to).collect();
        let dependency = Dependency::new(set(&from), set(&[to]));
        let one = dependency.goal(DependencyGoal::OneCounterexample);
        let found = one.run(&table, &Run::new()).unwrap();
        assert_eq!((found.cells(), found.is_optimal()), (1, true));
    }
}

#[test]
fn a_stopped_run_suppresses_enough() {
    let table = large_table(500, &[9, 9, 9, 9], false, muslin_engine::Seed::new(1));
    let cancel = Cancel::default();
    cancel.cancel();
    let cancelled = Run::new().cancel(cancel);
    for method in METHODS {
        let found = Ambiguity::new(3).method(method).run(&table, &cancelled).unwrap();
        assert_eq!(found.coverage(), Coverage::Stopped { by: Stop::Interrupted });
        assert!(is_ambiguous(&table, &cells(&found), 3));
        assert_eq!(found.cells(), 8);
        assert_eq!(found.lower_bound(), Weight::ZERO);
    }
    let late = Run::new().time_limit(Some(Duration::ZERO));
    for goal in
        [DependencyGoal::RowWise(AmbiguityMethod::InTurn), DependencyGoal::OneCounterexample]
    {
        let dependency = Dependency::new(set(&[0, 1, 2]), set(&[3])).goal(goal);
        let found = dependency.run(&table, &late).unwrap();
        assert_eq!(found.coverage(), Coverage::Stopped { by: Stop::TimeLimit });
        let left = oracle::rows_that_determine(&table, &cells(&found), &[0, 1, 2], &[3]);
        match goal {
            DependencyGoal::OneCounterexample => assert!(left.len() < 500),
            _ => assert!(left.is_empty()),
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let table = published::vinterbo_table_3();
    let refused = |result: muslin_protect::Result<Ambiguated>| result.unwrap_err();
    let run = Run::new();
    assert!(matches!(refused(Ambiguity::new(1).run(&table, &run)), Error::Setting(_)));
    assert!(matches!(refused(Ambiguity::new(5).run(&table, &run)), Error::Unreachable(_)));
    let beyond = Ambiguity::new(2).columns(Some(set(&[3]))).run(&table, &run);
    assert!(matches!(refused(beyond), Error::Setting(_)));
    let both = Dependency::new(set(&[0, 1]), set(&[1])).run(&table, &run);
    assert!(matches!(refused(both), Error::Setting(_)));
    let constant = EncodedTable::of(&[[1, 5], [2, 5]]);
    let constant = Dependency::new(set(&[0]), set(&[1])).run(&constant, &run);
    assert!(matches!(refused(constant), Error::Unreachable(_)));
    // No rows and no columns need nothing.
    let none = EncodedTable::of::<2>(&[]);
    assert_eq!(Ambiguity::new(9).run(&none, &run).unwrap().cells(), 0);
    assert_eq!(Dependency::new(set(&[0]), set(&[1])).run(&none, &run).unwrap().cells(), 0);
    let nothing = Ambiguity::new(3).columns(Some(ColumnSet::new())).run(&table, &run).unwrap();
    assert_eq!((nothing.cells(), nothing.coverage()), (0, Coverage::Complete));
}

#[test]
fn a_table_of_more_columns_than_a_word_has_bits() {
    // 150 columns; a row differs from the one before in 25.
    let columns = (0..150).map(|c| {
        let cells = (0..6i64).map(|row| Some(i64::from(row * 25 > c))).collect();
        (format!("c{c}"), cells)
    });
    let table = EncodedTable::of_columns(columns);
    for method in METHODS {
        let found = Ambiguity::new(2).method(method).run(&table, &Run::new()).unwrap();
        assert!(is_minimal(&cells(&found), |chosen| is_ambiguous(&table, chosen, 2)));
        assert_eq!(whole(found.lower_bound()), 25);
    }
}

#[test]
fn the_same_cells_on_one_and_four_threads_and_by_the_trait() {
    let table = large_table(600, &[6, 5, 4, 7, 3], true, muslin_engine::Seed::new(7));
    for method in METHODS {
        let ambiguity = Ambiguity::new(3).method(method);
        let on = |threads| ambiguity.run(&table, &Run::new().threads(threads).unwrap()).unwrap();
        let (one, four) = (on(1), on(4));
        assert_eq!(one, four);
        assert!(is_ambiguous(&table, &cells(&one), 3));
        let run = Run::new();
        let protection = ambiguity.protect(&MemoryEngine::new(&table, &run), &run).unwrap();
        assert_eq!(protection.changes(), one.changes());
    }
}

/// Four to nine rows of two to five columns of two to four values, as in the notes.
fn small_tables(most: usize) -> impl Strategy<Value = EncodedTable> {
    (4usize..=9, 2usize..=5, 2i64..=4)
        .prop_filter("too many cells", move |&(rows, columns, _)| rows * columns <= most)
        .prop_flat_map(|(rows, columns, values)| {
            let cell = prop::option::weighted(0.95, 0..values);
            let column = prop::collection::vec(cell, rows);
            prop::collection::vec(column, columns)
        })
        .prop_map(|columns| {
            let named = columns.into_iter().enumerate();
            EncodedTable::of_columns(named.map(|(c, cells)| (format!("c{c}"), cells)))
        })
}

fn costs() -> impl Strategy<Value = Vec<u64>> {
    prop_oneof![Just(vec![1; 5]), prop::collection::vec(0u64..5, 5)]
}

fn ties() -> impl Strategy<Value = Option<Ties>> {
    prop::sample::select(vec![None, Some(Ties::Smallest), Some(Ties::Largest)])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(400)))]

    #[test]
    fn every_method_ambiguates_and_what_is_left_is_needed(
        table in small_tables(45),
        k in 2u32..=4,
        costs in costs(),
        ties in ties(),
    ) {
        let does = |chosen: &[(usize, usize)]| is_ambiguous(&table, chosen, k as usize);
        for method in METHODS {
            let ambiguity = Ambiguity::new(k).method(method).ties(ties).weights(weights_of(&costs));
            let kept = ambiguity.clone().redundant(Redundant::Keep).run(&table, &Run::new()).unwrap();
            prop_assert!(does(&cells(&kept)));
            let shown = ambiguity.run(&table, &Run::new()).unwrap();
            prop_assert!(is_minimal(&cells(&shown), does));
            prop_assert!(cells(&shown).iter().all(|cell| cells(&kept).contains(cell)));
            let cost: u64 = cells(&shown).iter().map(|&(_, column)| costs[column]).sum();
            prop_assert_eq!(whole(shown.cost()), cost);
            prop_assert!(shown.lower_bound() <= shown.cost());
            prop_assert!(shown.lower_bound() <= shown.upper_bound());
            prop_assert_eq!(shown.coverage(), Coverage::Complete);
        }
    }

    #[test]
    fn rows_that_need_nothing_of_the_columns_are_left_alone(table in ugly_tables(), k in 2u32..=3) {
        // The table holds suppressed and missing cells, and every row k times.
        let rows = u32::try_from(table.rows()).unwrap();
        let rows: Vec<u32> = (0..k).flat_map(|_| 0..rows).collect();
        let table = take_rows(&table, &rows).unwrap();
        for method in METHODS {
            let found = Ambiguity::new(k).method(method).run(&table, &Run::new()).unwrap();
            prop_assert_eq!(found.cells(), 0);
            prop_assert!(found.is_optimal());
        }
    }

    #[test]
    fn cells_that_are_suppressed_already_match_anything(table in ugly_tables(), k in 2u32..=4) {
        prop_assume!(table.rows() >= k as usize);
        let rows = Discernibility::new(&table, &table.all_columns()).unwrap();
        let alphas: Vec<u64> =
            oracle::alphas(&table, &[]).into_iter().map(|rows| rows as u64).collect();
        prop_assert_eq!(rows.alphas(&Run::new()).unwrap(), alphas);
        let does = |chosen: &[(usize, usize)]| is_ambiguous(&table, chosen, k as usize);
        for method in METHODS {
            let found = Ambiguity::new(k).method(method).run(&table, &Run::new()).unwrap();
            let chosen = cells(&found);
            prop_assert!(is_minimal(&chosen, does));
            let is_new = |&(row, column): &(usize, usize)| {
                let column = &table.columns()[column];
                column.codes().slot(row) != column.suppressed_slot()
            };
            prop_assert!(chosen.iter().all(is_new));
        }
    }

    #[test]
    fn only_the_columns_asked_for_count(table in small_tables(45), mask in 1usize..31) {
        let width = table.columns().len();
        let columns: Vec<usize> = (0..width).filter(|c| mask >> c & 1 == 1).collect();
        let columns = set(&columns);
        let narrow = table.project(&columns);
        let place = |column: usize| columns.iter().position(|c| c.index() == column).unwrap();
        for method in METHODS {
            let ambiguity = Ambiguity::new(2).method(method);
            let wide = ambiguity.clone().columns(Some(columns.clone())).run(&table, &Run::new());
            let narrow = ambiguity.run(&narrow, &Run::new()).unwrap();
            let wide: CellList =
                cells(&wide.unwrap()).into_iter().map(|(row, c)| (row, place(c))).collect();
            prop_assert_eq!(wide, cells(&narrow));
        }
    }

    #[test]
    fn a_row_is_as_far_from_the_nearest_as_its_uniques_take_cells_to_hit(table in small_tables(45)) {
        let mut uniques: Vec<(Vec<u32>, Vec<usize>)> = Vec::new();
        let mut sink = |batch: &muslin_assess::UniqueBatch| {
            uniques.extend(batch.iter().map(|unique| {
                (unique.rows().to_vec(), unique.columns().map(ColumnId::index).collect())
            }));
            Ok(())
        };
        let _ = MinimalUniques::new().list(&table, &mut sink, &Run::new()).unwrap();
        let rows = Discernibility::new(&table, &table.all_columns()).unwrap();
        let alphas = rows.alphas(&Run::new()).unwrap();
        let mut farthest = 0;
        for row in (0..table.rows()).filter(|&row| alphas[row] == 1) {
            let id = u32::try_from(row).unwrap();
            let own: Vec<&Vec<usize>> = uniques
                .iter()
                .filter(|(rows, _)| rows.contains(&id))
                .map(|(_, columns)| columns)
                .collect();
            let hits = |of: u32| own.iter().all(|columns| columns.iter().any(|c| of >> c & 1 == 1));
            let fewest = (0..32u32).filter(|&of| hits(of)).map(u32::count_ones).min().unwrap();
            let others = (0..table.rows()).filter(|&other| other != row);
            let nearest = others.map(|other| rows.difference(row, other).len()).min().unwrap();
            prop_assert_eq!(fewest as usize, nearest);
            farthest = farthest.max(nearest);
        }
        let found = Ambiguity::new(2).run(&table, &Run::new()).unwrap();
        prop_assert_eq!(whole(found.lower_bound()), farthest as u64);
    }

    #[test]
    fn dependencies_get_their_counterexamples(
        table in small_tables(45),
        to in 0usize..5,
        costs in costs(),
    ) {
        let to = to % table.columns().len();
        let from: Vec<usize> = all_columns(&table).into_iter().filter(|&c| c != to).collect();
        let slots: Vec<u32> = table.columns()[to].codes().slots().collect();
        prop_assume!(slots.iter().any(|&slot| slot != slots[0]));
        let determine = |chosen: &[(usize, usize)]| {
            oracle::rows_that_determine(&table, chosen, &from, &[to])
        };
        let dependency = Dependency::new(set(&from), set(&[to])).weights(weights_of(&costs));
        for method in METHODS {
            let row_wise = dependency.clone().goal(DependencyGoal::RowWise(method));
            let found = row_wise.run(&table, &Run::new()).unwrap();
            prop_assert!(is_minimal(&cells(&found), |chosen| determine(chosen).is_empty()));
            prop_assert!(found.lower_bound() <= found.cost());
        }
        let one = dependency.goal(DependencyGoal::OneCounterexample);
        let found = one.run(&table, &Run::new()).unwrap();
        prop_assert!(determine(&cells(&found)).len() < table.rows());
        let pairs = (0..table.rows()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let cost = |(a, b)| -> u64 {
            let told = oracle::differing_columns(&table, &[], a, b);
            told.iter().filter(|&&at| at != to).map(|&at| costs[at]).sum()
        };
        let least = pairs.filter(|&(a, b)| slots[a] != slots[b]).map(cost).min();
        prop_assert_eq!(Some(whole(found.cost())), least);
        prop_assert_eq!(found.lower_bound(), found.cost());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases((ProptestConfig::default().cases / 8).max(40)))]

    #[test]
    fn no_choice_costs_less_than_the_lower_bound(
        table in small_tables(16),
        k in 2u32..=4,
        costs in costs(),
    ) {
        let everything = all_cells(&table, &all_columns(&table));
        let does = |chosen: &[(usize, usize)]| is_ambiguous(&table, chosen, k as usize);
        let optimum = oracle::cheapest_cells(&everything, &costs, &does).unwrap();
        for method in METHODS {
            let ambiguity = Ambiguity::new(k).method(method).weights(weights_of(&costs));
            let found = ambiguity.run(&table, &Run::new()).unwrap();
            prop_assert!(whole(found.lower_bound()) <= optimum);
            prop_assert!(optimum <= whole(found.cost()));
            prop_assert!(optimum <= whole(found.upper_bound()));
        }
        let (from, to) = ((1..table.columns().len()).collect::<Vec<_>>(), 0);
        let does = |chosen: &[(usize, usize)]| {
            oracle::rows_that_determine(&table, chosen, &from, &[to]).is_empty()
        };
        let optimum = oracle::cheapest_cells(&all_cells(&table, &from), &costs, &does);
        let dependency = Dependency::new(set(&from), set(&[to])).weights(weights_of(&costs));
        match (optimum, dependency.run(&table, &Run::new())) {
            (None, result) => prop_assert!(matches!(result, Err(Error::Unreachable(_)))),
            (Some(optimum), found) => {
                let found = found.unwrap();
                prop_assert!(whole(found.lower_bound()) <= optimum);
                prop_assert!(optimum <= whole(found.cost()));
                prop_assert!(optimum <= whole(found.upper_bound()));
            }
        }
    }
}
