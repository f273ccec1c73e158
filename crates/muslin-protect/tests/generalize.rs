//! Levels of hierarchies, against brute force over all of them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use muslin_engine::{Coverage, Run, Seed, Stop};
use muslin_io::{Release, RowOrder};
use muslin_protect::{ClassTarget, Distance, FullDomain, Generalized, LocalRecoding, Spread};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, Hierarchy, Ratio};
use muslin_testkit::generate::{WithHierarchies, small_hierarchies};
use muslin_testkit::oracle::{self, Demand, Diversity};
use proptest::prelude::*;

fn hierarchies(made: &WithHierarchies) -> Vec<(ColumnId, Hierarchy)> {
    let one = |column: &muslin_testkit::generate::WithHierarchy| {
        let name = made.table.column(column.id).name();
        (column.id, Hierarchy::new(name, &column.paths, &column.others).unwrap())
    };
    made.columns.iter().map(one).collect()
}

/// A target and the same for the oracle.
fn target(made: &WithHierarchies, spread: usize) -> (ClassTarget, Demand) {
    let s = made.sensitive;
    let weight = |text: &str| text.parse().unwrap();
    let spreads = [
        None,
        Some((Spread::Distinct { l: 2 }, Diversity::Distinct(2))),
        Some((Spread::Distinct { l: 3 }, Diversity::Distinct(3))),
        Some((Spread::Probabilistic { l: 2 }, Diversity::Probabilistic(2))),
        Some((Spread::Entropy { l: 2 }, Diversity::Entropy(2))),
        Some((
            Spread::Recursive { c: weight("1.5"), l: 2 },
            Diversity::Recursive { c: Ratio::new(3, 2), l: 2 },
        )),
        Some((
            Spread::Close { t: weight("0.3"), distance: Distance::Equal },
            Diversity::CloseEqual(Ratio::new(3, 10)),
        )),
        Some((
            Spread::Close { t: weight("0.2"), distance: Distance::Ordered },
            Diversity::CloseOrdered(Ratio::new(1, 5)),
        )),
    ];
    let k = if spread == 0 { made.k.max(2) } else { made.k };
    let (mut target, mut demand) =
        (ClassTarget::new(k), Demand { k: k as usize, diversities: Vec::new() });
    if let Some((own, others)) = spreads[spread] {
        target = target.spread(s, own);
        demand.diversities.push((s, others));
    }
    (target, demand)
}

/// The release in the order of the rows that are left, and those rows.
fn release(table: &EncodedTable, found: &Generalized) -> (EncodedTable, Vec<u32>) {
    let release = Release::new(table, found.changes(), RowOrder::AsRead).unwrap();
    let removed = found.changes().removed();
    let is_left = |row: &u32| removed.iter().all(|removed| removed.index() != *row as usize);
    let left = (0u32..).take(table.rows()).filter(is_left).collect();
    (release.table().clone(), left)
}

/// Every class of what is published meets the demand, in the terms of the original.
fn check_classes(made: &WithHierarchies, demand: &Demand, found: &Generalized) {
    let (published, left) = release(&made.table, found);
    let by: ColumnSet = made.columns.iter().map(|column| column.id).collect();
    for class in oracle::classes(&published, &by) {
        let rows: Vec<u32> = class.iter().map(|&row| left[row as usize]).collect();
        assert!(demand.is_met(&made.table, &rows), "a class of {} rows", rows.len());
    }
    // What is not generalized stays.
    let (before, after) = (made.table.column(made.sensitive), published.column(made.sensitive));
    assert_eq!(after.codes().len(), left.len());
    assert_eq!(before.data_type(), after.data_type());
}

#[expect(clippy::cast_precision_loss, reason = "a few rows")]
fn share(limit: usize, rows: usize) -> f64 {
    if rows == 0 { 1.0 } else { limit as f64 / rows as f64 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(3_000)))]

    #[test]
    fn full_domain_finds_the_least_loss(made in small_hierarchies(), spread in 0usize..8) {
        let (target, demand) = target(&made, spread);
        let best = oracle::best_full_domain(&made.table, &made.leveled(), &demand, made.limit);
        let found = FullDomain::new(target, hierarchies(&made))
            .removable(share(made.limit, made.table.rows()))
            .run(&made.table, &Run::new());
        let Some(first) = best.first() else {
            prop_assert!(matches!(found, Err(muslin_protect::Error::Unreachable(_))));
            return Ok(());
        };
        let found = found.unwrap();
        prop_assert!((found.loss() - first.loss.as_f64()).abs() < 1e-8 || made.table.rows() == 0);
        prop_assert!((found.lower_bound().unwrap() - found.loss()).abs() < 1e-8);
        let node: Vec<usize> = found.levels().unwrap().iter().map(|&(_, level)| level).collect();
        // Of nodes that lose the same, to 2^-30 of a cell, any will do.
        let own = oracle::full_domain(&made.table, &made.leveled(), &demand, node);
        prop_assert!((own.loss.as_f64() - first.loss.as_f64()).abs() < 1e-8 || made.table.rows() == 0);
        prop_assert!((own.loss.as_f64() - found.loss()).abs() < 1e-14 || made.table.rows() == 0);
        let removed: Vec<u32> = own.suppressed;
        prop_assert_eq!(
            found.changes().removed().iter().map(|row| row.index()).collect::<Vec<_>>(),
            removed.iter().map(|&row| row as usize).collect::<Vec<_>>()
        );
        check_classes(&made, &demand, &found);
    }

    #[test]
    fn local_classes_meet_the_target(made in small_hierarchies(), spread in 0usize..8) {
        let (target, demand) = target(&made, spread);
        let local = LocalRecoding::new(target, hierarchies(&made));
        let found = local.run(&made.table, &Run::new()).unwrap();
        check_classes(&made, &demand, &found);
        let removed = found.changes().removed().len();
        if removed > 0 {
            // Fewer can be withheld wherever all rows together meet the demand.
            let less = share(removed - 1, made.table.rows());
            let fewer = local.clone().removable(less).run(&made.table, &Run::new());
            let all: Vec<u32> = (0u32..).take(made.table.rows()).collect();
            prop_assert_eq!(fewer.is_ok(), demand.is_met(&made.table, &all));
            if let Ok(fewer) = fewer {
                check_classes(&made, &demand, &fewer);
                prop_assert!(fewer.changes().removed().len() < removed);
            }
        }
        let (one, four) = (Run::new().threads(1).unwrap(), Run::new().threads(4).unwrap());
        prop_assert_eq!(local.run(&made.table, &one).unwrap(), local.run(&made.table, &four).unwrap());
    }
}

#[test]
fn losses_are_not_rounded() {
    // Two of six cells are one of two of four values.
    let table = EncodedTable::of(&[[1], [2], [3], [3], [4], [4]]);
    let path = |label: &str| vec![label.to_owned(), "*".to_owned()];
    let paths = ["1-2", "1-2", "3-4", "3-4"].map(path);
    let id = ColumnId::new(0);
    let tree = Hierarchy::new("c0", &paths, &[]).unwrap();
    let local = LocalRecoding::new(ClassTarget::new(2), vec![(id, tree.clone())]);
    assert!((local.run(&table, &Run::new()).unwrap().loss() - 2.0 / 18.0).abs() < f64::EPSILON);
    let full = FullDomain::new(ClassTarget::new(2), vec![(id, tree)]).run(&table, &Run::new());
    let full = full.unwrap();
    assert_eq!((full.loss(), full.lower_bound()), (6.0 / 18.0, Some(6.0 / 18.0)));
}

#[test]
fn rows_that_fit_no_class_are_published_with_others_that_say_nothing() {
    // The last two rows are alike and have one sensitive value.
    let four = |value| [[value, 1], [value, 2], [value, 1], [value, 2]];
    let rows = [&four(1)[..], &four(2), &[[3, 3], [3, 3]]].concat();
    let table = EncodedTable::of(&rows);
    let id = ColumnId::new(0);
    let tree = Hierarchy::flat(table.column(id));
    let target = ClassTarget::new(2).spread(ColumnId::new(1), Spread::Probabilistic { l: 2 });
    let local = LocalRecoding::new(target, vec![(id, tree)]);
    let free = local.run(&table, &Run::new()).unwrap();
    assert_eq!((free.changes().removed().len(), free.classes()), (2, 2));
    let none = local.clone().removable(0.0).run(&table, &Run::new()).unwrap();
    // One other class is enough.
    assert_eq!((none.changes().removed().len(), none.classes()), (0, 2));
    assert_eq!((none.smallest(), none.loss()), (Some(4), 6.0 / 10.0));
}

#[test]
fn a_lattice_too_large_to_search_has_a_good_node_and_its_gap() {
    const ROWS: usize = 400;
    // Levels of 24 columns make 16,777,216 nodes.
    let cell = |row: usize, column: usize| {
        let seed = Seed::new(row as u64).part(column as u64);
        i64::try_from(seed.below(0, 3).min(seed.below(1, 3))).unwrap()
    };
    let columns: Vec<(String, Vec<Option<i64>>)> = (0..24)
        .map(|column| {
            (format!("c{column}"), (0..ROWS).map(|row| Some(cell(row, column))).collect())
        })
        .collect();
    let table = EncodedTable::of_columns(columns);
    let trees: Vec<(ColumnId, Hierarchy)> =
        table.all_columns().iter().map(|id| (id, Hierarchy::flat(table.column(id)))).collect();
    let run = Run::new().time_limit(Some(Duration::from_millis(300)));
    let found = FullDomain::new(ClassTarget::new(3), trees).run(&table, &run).unwrap();
    assert_eq!(found.coverage(), Coverage::Stopped { by: Stop::TimeLimit });
    assert_eq!(found.nodes(), 1 << 24);
    // Better than nothing at all, and no better than what is proven.
    let bound = found.lower_bound().unwrap();
    assert!(found.loss() < 1.0 && bound > 0.0 && bound < found.loss(), "{bound} {}", found.loss());
    let (release, _) = release(&table, &found);
    let codes = |row: usize| -> Vec<u32> {
        release.columns().iter().map(|column| column.codes().slot(row)).collect()
    };
    let alike = |row: usize| (0..ROWS).filter(|&other| codes(row) == codes(other)).count();
    assert!((0..ROWS).all(|row| alike(row) >= 3));
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let table = EncodedTable::of(&[[1, 1], [2, 1]]);
    let columns = vec![(ColumnId::new(0), Hierarchy::flat(table.column(ColumnId::new(0))))];
    let run = |k, share| {
        FullDomain::new(ClassTarget::new(k), columns.clone())
            .removable(share)
            .run(&table, &Run::new())
    };
    for (k, share, text) in [
        (1, 0.0, "-k"),
        (2, 1.5, "from 0 to 1"),
        (2, f64::NAN, "from 0 to 1"),
        (3, 0.0, "smaller `-k`"),
    ] {
        let error = run(k, share).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
}
