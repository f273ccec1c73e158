//! The search against brute force, plain SUDA2 and the relations that must hold for any exact one.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use muslin_assess::{Method, MinimalUniques, UniquesFound};
use muslin_engine::{Coverage, Run, Seed, take_rows};
use muslin_table::{ColumnId, EncodedTable, MissingRule};
use muslin_testkit::generate::{large_table, survey, ugly_tables};
use muslin_testkit::oracle::{self, Unique};
use proptest::prelude::*;

const METHODS: [Method; 2] = [Method::AgreeSets, Method::ColumnSets];

/// A search's list in the oracles' form, and its counts.
fn listed(search: &MinimalUniques, table: &EncodedTable, run: &Run) -> (Vec<Unique>, UniquesFound) {
    let mut all = Vec::new();
    let mut sink = |batch: &muslin_assess::UniqueBatch| {
        all.extend(batch.iter().map(|unique| Unique {
            rows: unique.rows().to_vec(),
            columns: unique.columns().map(ColumnId::index).collect(),
            support: unique.support(),
        }));
        Ok(())
    };
    let found = search.list(table, &mut sink, run).unwrap();
    assert_eq!(found.coverage(), Coverage::Complete);
    (all, found)
}

/// What the counts must be, from the list.
#[expect(clippy::cast_precision_loss, reason = "few columns")]
fn check_counts(all: &[Unique], found: &UniquesFound, rows: usize) {
    assert_eq!(found.total(), all.len() as u64);
    for (size, count) in found.by_size() {
        assert_eq!(all.iter().filter(|unique| unique.columns.len() == size).count() as u64, count);
    }
    for row in 0..rows {
        let id = u32::try_from(row).unwrap();
        let own: Vec<&Unique> = all.iter().filter(|unique| unique.rows.contains(&id)).collect();
        let smallest = own.iter().map(|unique| unique.columns.len()).min().unwrap_or(0);
        let counted = found.row(row);
        assert_eq!((counted.uniques, usize::from(counted.smallest)), (own.len() as u64, smallest));
        assert_eq!(counted.suda > 0.0, !own.is_empty());
    }
    let score = |unique: &Unique| -> f64 {
        let (columns, size) = (found.columns().len(), unique.columns.len());
        (size..=found.max_size().min(columns - 1)).map(|i| (columns - i) as f64).product()
    };
    for row in 0..rows {
        let id = u32::try_from(row).unwrap();
        let own = || all.iter().filter(|unique| unique.rows.contains(&id));
        let all: f64 = own().map(score).sum();
        assert!((found.row(row).suda - all).abs() <= 1e-9 * all);
        for (column, part) in found.contributions(row).into_iter().flatten().enumerate() {
            let with = own().filter(|unique| unique.columns.contains(&column));
            let expected = if all > 0.0 { with.map(score).sum::<f64>() / all } else { 0.0 };
            assert!((part - expected).abs() < 1e-9, "row {row}, column {column}");
        }
    }
    for share in found.columns() {
        let holders = |unique: &Unique| unique.rows.len() as u64;
        let with = all.iter().filter(|unique| unique.columns.contains(&share.column.index()));
        assert_eq!(with.map(holders).sum::<u64>(), share.uniques);
    }
    for (set, count) in found.column_sets() {
        let columns: Vec<usize> = set.iter().map(ColumnId::index).collect();
        assert_eq!(all.iter().filter(|unique| unique.columns == columns).count() as u64, *count);
    }
}

fn any_search() -> impl Strategy<Value = (u32, Option<usize>, MissingRule)> {
    let rule = prop::sample::select(MissingRule::ALL.to_vec());
    (1u32..=4, prop::option::of(1usize..=4), rule)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(10_000)))]

    #[test]
    fn every_search_lists_what_brute_force_lists(
        table in ugly_tables(),
        (k, max_size, missing) in any_search(),
    ) {
        let expected = oracle::minimal_uniques(&table, u64::from(k), max_size, missing);
        prop_assert_eq!(&oracle::suda2(&table, u64::from(k), max_size, missing), &expected);
        for method in METHODS {
            let search = MinimalUniques::new().k(k).max_size(max_size).missing(missing);
            let search = search.method(Some(method)).contributions(true);
            let (all, found) = listed(&search, &table, &Run::new());
            prop_assert_eq!(&all, &expected, "{:?}", method);
            check_counts(&all, &found, table.rows());
        }
    }
}

/// Everything but the order of rows and columns: sets of columns with their supports, as a bag.
fn shape(all: &[Unique], name: impl Fn(usize) -> usize) -> Vec<(Vec<usize>, u64)> {
    let mut shape: Vec<_> = all
        .iter()
        .map(|unique| {
            let mut columns: Vec<usize> = unique.columns.iter().map(|&c| name(c)).collect();
            columns.sort_unstable();
            (columns, unique.support)
        })
        .collect();
    shape.sort();
    shape
}

/// Tables that are too large for brute force, of several shapes.
fn middling_tables() -> Vec<(&'static str, EncodedTable)> {
    vec![
        ("even", large_table(700, &[3, 5, 9, 4, 12, 2, 7], false, Seed::new(1))),
        ("skewed", large_table(900, &[40, 20, 30, 6, 50, 9, 3, 12], true, Seed::new(2))),
        ("survey", survey(600, 20, Seed::new(3))),
        ("wide", survey(60, 70, Seed::new(4))),
        ("tall", large_table(5_000, &[3, 2, 4, 3], true, Seed::new(5))),
    ]
}

#[test]
fn plain_suda2_agrees_on_larger_tables() {
    for (name, table) in middling_tables() {
        for (k, missing) in [(1, MissingRule::Category), (3, MissingRule::Wildcard)] {
            let max_size = Some(if name == "wide" { 2 } else { 4 });
            let expected = oracle::suda2(&table, k, max_size, missing);
            for method in METHODS {
                let k = u32::try_from(k).unwrap();
                let search = MinimalUniques::new().k(k).max_size(max_size).missing(missing);
                let (all, found) = listed(&search.method(Some(method)), &table, &Run::new());
                assert!(all == expected, "{name}, k {k}, {method:?}: {} found", all.len());
                check_counts(&all, &found, if name == "even" { table.rows() } else { 0 });
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    for (name, table) in middling_tables() {
        let max_size = match name {
            "wide" => Some(3),
            "survey" => Some(4),
            _ => None,
        };
        for (k, method) in [(1, METHODS[0]), (1, METHODS[1]), (2, METHODS[0])] {
            let search = MinimalUniques::new().k(k).max_size(max_size).method(Some(method));
            let of = |threads: usize| {
                let run = Run::new().threads(threads).unwrap();
                let (all, found) = listed(&search, &table, &run);
                let counted = search.run(&table, &run).unwrap();
                assert_eq!(format!("{found:?}"), format!("{counted:?}"), "{name}");
                (all, format!("{found:?}"))
            };
            let one = of(1);
            for threads in [2, 4] {
                assert!(of(threads) == one, "{name}, k {k}, {method:?}, {threads} threads");
            }
        }
    }
}

#[test]
fn shuffling_rows_and_columns_changes_labels_only() {
    for (name, table) in middling_tables() {
        let search = MinimalUniques::new().max_size(Some(3));
        let (all, _) = listed(&search, &table, &Run::new());
        let seed = Seed::new(9);
        let mut rows: Vec<u32> = (0..u32::try_from(table.rows()).unwrap()).collect();
        rows.sort_by_key(|&row| seed.draw(u64::from(row)));
        let mut columns: Vec<usize> = (0..table.columns().len()).collect();
        columns.sort_by_key(|&column| seed.draw(column as u64));
        let moved = take_rows(&table, &rows).unwrap();
        let moved = columns.iter().map(|&c| moved.columns()[c].clone()).collect();
        let moved = EncodedTable::new(table.rows(), moved).unwrap();
        let (other, _) = listed(&search, &moved, &Run::new());
        assert!(shape(&all, |c| c) == shape(&other, |c| columns[c]), "{name}");
    }
}

#[test]
fn rows_written_twice_leave_no_unique() {
    for (name, table) in middling_tables() {
        let rows = u32::try_from(table.rows()).unwrap();
        let twice: Vec<u32> = (0..rows).chain(0..rows).collect();
        let twice = take_rows(&table, &twice).unwrap();
        let found = MinimalUniques::new().max_size(Some(3)).run(&twice, &Run::new()).unwrap();
        assert_eq!((found.total(), found.rows_with_uniques()), (0, 0), "{name}");
        // What at most two of these rows hold is what one row held.
        let once = MinimalUniques::new().max_size(Some(3)).run(&table, &Run::new()).unwrap();
        let pairs = MinimalUniques::new().k(2).max_size(Some(3)).run(&twice, &Run::new()).unwrap();
        assert_eq!(pairs.total(), once.total(), "{name}");
    }
}

#[test]
fn masking_a_column_keeps_the_uniques_without_it() {
    for (name, table) in middling_tables() {
        let search = MinimalUniques::new().max_size(Some(3));
        let (all, _) = listed(&search, &table, &Run::new());
        let mut kept = table.all_columns();
        kept.remove(ColumnId::new(1));
        let (rest, _) = listed(&search, &table.project(&kept), &Run::new());
        let without: Vec<Unique> =
            all.into_iter().filter(|unique| !unique.columns.contains(&1)).collect();
        assert!(shape(&rest, |c| c + usize::from(c > 0)) == shape(&without, |c| c), "{name}");
    }
}

#[test]
fn a_constant_column_adds_nothing() {
    let table = large_table(300, &[4, 5, 6, 7], true, Seed::new(3));
    let mut columns = table.clone().into_columns();
    let constant = EncodedTable::of_columns([("constant".into(), vec![Some(1); 300])]);
    columns.extend(constant.into_columns());
    let with = EncodedTable::new(300, columns).unwrap();
    let (all, _) = listed(&MinimalUniques::new(), &table, &Run::new());
    let (other, _) = listed(&MinimalUniques::new(), &with, &Run::new());
    assert!(all == other);
}

#[test]
fn tables_of_any_width_are_taken() {
    // Row 0 differs from the others in the last column only; all else is the same everywhere.
    for columns in [1usize, 63, 64, 65, 128, 129, 256, 257, 1_000, 1_024] {
        let table = EncodedTable::of_columns((0..columns).map(|c| {
            let odd = i64::from(c + 1 == columns);
            (format!("c{c}"), vec![Some(odd), Some(0), Some(0), Some(2), Some(2)])
        }));
        let (all, found) = listed(&MinimalUniques::new().max_size(Some(2)), &table, &Run::new());
        assert_eq!(all, [Unique { rows: vec![0], columns: vec![columns - 1], support: 1 }]);
        assert_eq!(found.rows_with_uniques(), 1);
    }
    let wide = EncodedTable::of_columns((0..1_025).map(|c| (format!("c{c}"), vec![Some(1)])));
    assert!(MinimalUniques::new().run(&wide, &Run::new()).is_err());
}

#[test]
fn a_time_limit_says_so() {
    let run = Run::new().time_limit(Some(std::time::Duration::ZERO));
    let table = survey(600, 20, Seed::new(3));
    match MinimalUniques::new().run(&table, &run) {
        Ok(found) => assert!(matches!(found.coverage(), Coverage::Stopped { .. })),
        Err(error) => assert!(error.to_string().contains("time limit"), "{error}"),
    }
}

#[test]
fn an_estimate_from_all_rows_is_the_answer() {
    for (name, table) in middling_tables() {
        for (k, method) in [(1, METHODS[0]), (2, METHODS[0]), (1, METHODS[1])] {
            let search = MinimalUniques::new().k(k).max_size(Some(3)).method(Some(method));
            let found = search.run(&table, &Run::new()).unwrap();
            let guess = search.estimate(&table, usize::MAX, &Run::new()).unwrap();
            let total = i64::try_from(found.total()).unwrap();
            #[expect(clippy::cast_possible_truncation, reason = "a whole number")]
            let guessed =
                [guess.total.low, guess.total.likely, guess.total.high].map(|x| x.round() as i64);
            assert_eq!(guessed, [total; 3], "{name}, k {k}");
            assert_eq!(guess.method, method);
            assert!(guess.seconds.low <= guess.seconds.likely && guess.memory.likely > 0.0);
        }
    }
}

#[test]
fn an_estimate_from_some_rows_is_near() {
    let table = survey(2_000, 20, Seed::new(3));
    let search = MinimalUniques::new().max_size(Some(4));
    let total = search.run(&table, &Run::new()).unwrap().total();
    let mut within = 0;
    for seed in 0..20 {
        let run = Run::new().seed(Seed::new(seed));
        let guess = search.estimate(&table, 200, &run).unwrap();
        assert_eq!(guess.sampled_rows, 200);
        #[expect(clippy::cast_precision_loss, reason = "far below")]
        let total = total as f64;
        within += u32::from((guess.total.low..=guess.total.high).contains(&total));
    }
    assert!(within >= 15, "{within} of 20 intervals hold the answer");
}

#[test]
fn many_rows_may_share_a_unique() {
    // Rows in halves and quarters: with k in the hundreds, most rows share what is looked for.
    let rows = 1_200i64;
    let table = EncodedTable::of_columns((0..70).map(|c| {
        let cell = |row: i64| match c {
            0 => row,
            1 => row % 2,
            2 => row / 2 % 2,
            _ => 1,
        };
        (format!("c{c}"), (0..rows).map(|row| Some(cell(row))).collect())
    }));
    for method in METHODS {
        let search = MinimalUniques::new().k(500).method(Some(method));
        let (all, found) = listed(&search, &table, &Run::new());
        // Each value of the first column, and each of the four quarters.
        assert_eq!((all.len(), found.rows_with_uniques()), (1_204, 1_200), "{method:?}");
        assert!(all.iter().all(|unique| [1, 300].contains(&unique.support)));
    }
}

#[test]
fn wide_column_sets_are_counted() {
    // Sets of many columns among many: their number has more digits than 64 bits.
    let cells = |c: usize, row: i64| if c < 13 { (row >> c) & 1 } else { 1 };
    let table = EncodedTable::of_columns((0..64).map(|c| {
        (format!("c{c}"), (0..200).map(|row| Some(cells(c, row * 37 % 8_192))).collect())
    }));
    let search = MinimalUniques::new();
    let by_sets = search.clone().method(Some(METHODS[1])).run(&table, &Run::new()).unwrap();
    let by_agreement = search.method(Some(METHODS[0])).run(&table, &Run::new()).unwrap();
    assert_eq!(by_sets.total(), by_agreement.total());
    assert!(by_sets.by_size().any(|(size, _)| size > 5));
}

#[test]
fn a_row_with_more_uniques_than_fit_stops_the_list() {
    // Row 0 differs from three others in 100 columns each: a million minimal uniques.
    let cell = |c: i64, row: i64| i64::from(row > 0 && row - 1 == c / 100) + 10 * (row / 4);
    let table = EncodedTable::of_columns(
        (0..300i64).map(|c| (format!("c{c}"), (0..8).map(|row| Some(cell(c, row))).collect())),
    );
    let search = MinimalUniques::new().method(Some(METHODS[0]));
    let found = search.run(&table, &Run::new()).unwrap();
    assert_eq!(found.coverage(), Coverage::Complete);
    assert!(found.row(0).uniques >= 1_000_000, "{}", found.row(0).uniques);
    let run = Run::new().memory(Some(20_000_000));
    let mut lines = 0;
    let mut sink = |batch: &muslin_assess::UniqueBatch| {
        lines += batch.len();
        Ok(())
    };
    let stopped = search.list(&table, &mut sink, &run).unwrap();
    assert!(matches!(stopped.coverage(), Coverage::Stopped { .. }), "{lines} lines");
}

#[test]
fn a_cancelled_search_is_an_error() {
    let cancel = muslin_engine::Cancel::default();
    cancel.cancel();
    let run = Run::new().cancel(cancel);
    let error = MinimalUniques::new().run(&survey(600, 20, Seed::new(3)), &run).unwrap_err();
    assert!(error.to_string().contains("interrupted"), "{error}");
}

#[test]
fn settings_out_of_range_are_refused() {
    let table = EncodedTable::of(&[[1], [2]]);
    assert!(MinimalUniques::new().k(0).run(&table, &Run::new()).is_err());
    assert!(MinimalUniques::new().max_size(Some(0)).run(&table, &Run::new()).is_err());
}
