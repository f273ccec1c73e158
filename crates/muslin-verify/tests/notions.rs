//! The six notions against brute force, and the relations between them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use muslin_engine::{Cancel, Run, Seed};
use muslin_table::{Cell, Changes, ColumnId, ColumnSet, EncodedTable, RowId};
use muslin_testkit::generate::{large_table, ugly_tables};
use muslin_testkit::{oracle, published};
use muslin_verify::{Error, Notions, Outsider};
use proptest::prelude::*;
use proptest::sample::Index;

fn cell(row: usize, column: usize) -> Cell {
    Cell { row: RowId::new(u32::try_from(row).unwrap()), column: ColumnId::new(column) }
}

fn changes(table: &EncodedTable, cells: &[(usize, usize)]) -> Changes {
    let mut changes = Changes::none(table);
    cells.iter().for_each(|&(row, column)| changes.suppress(cell(row, column)).unwrap());
    changes
}

fn seen(table: &EncodedTable, changes: &Changes) -> Notions {
    Outsider::new(table.all_columns()).run(table, changes, &Run::new()).unwrap()
}

/// The counts of each row, as the oracle lists them.
fn rows(notions: &Notions) -> Vec<[u32; 6]> {
    let [n1, n5] = [notions.n1(), notions.n5()].map(Option::unwrap);
    let all = [n1, notions.n2(), notions.n3(), notions.n4(), n5, notions.n6()];
    (0..n1.per_row().len()).map(|row| all.map(|counts| counts.per_row()[row])).collect()
}

/// The first rows of an ugly table, or a table of few values, where more is alike.
fn tables() -> impl Strategy<Value = EncodedTable> {
    let ugly = ugly_tables().prop_map(|table| {
        let rows: Vec<u32> = (0..u32::try_from(table.rows().min(8)).unwrap()).collect();
        muslin_engine::take_rows(&table, &rows).unwrap()
    });
    let plain = (1usize..5, 1usize..=8, 2i64..4).prop_flat_map(|(columns, rows, values)| {
        let value = prop::option::weighted(0.9, 0..values);
        prop::collection::vec(prop::collection::vec(value, rows), columns).prop_map(|columns| {
            let named = columns.into_iter().enumerate();
            EncodedTable::of_columns(named.map(|(c, cells)| (format!("c{c}"), cells)))
        })
    });
    prop_oneof![1 => ugly, 2 => plain]
}

/// A table, the columns looked at, and a release of it.
fn releases() -> impl Strategy<Value = (EncodedTable, ColumnSet, Changes)> {
    let share = prop_oneof![1 => Just(0.1), 2 => Just(0.35), 1 => Just(0.8)];
    let masked = prop::option::weighted(0.1, any::<Index>());
    // Some releases suppress the same columns in most rows.
    let likeness = prop_oneof![Just(0.0), Just(0.7)];
    (tables(), share, masked, any::<u8>(), likeness).prop_flat_map(
        |(table, share, masked, columns, likeness)| {
            let (height, width) = (table.rows(), table.columns().len());
            let row = || prop::collection::vec(prop::bool::weighted(share), width);
            let own = prop::collection::vec((row(), prop::bool::weighted(likeness)), height);
            (Just(table), row(), own).prop_map(move |(table, shared, own)| {
                let mut changes = Changes::none(&table);
                for (row, (own, like)) in own.iter().enumerate() {
                    let chosen = if *like { &shared } else { own };
                    let columns = (0..width).filter(|&column| chosen[column]);
                    columns.for_each(|column| changes.suppress(cell(row, column)).unwrap());
                }
                if let Some(index) = masked.filter(|_| width > 0) {
                    changes.mask(ColumnId::new(index.index(width)));
                }
                // Every column is looked at more often than not.
                let by = (0..width).filter(|c| columns < 160 || columns >> (c % 5) & 1 == 1);
                let by = by.map(ColumnId::new).collect();
                (table, by, changes)
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn counts_are_those_of_brute_force((table, by, changes) in releases()) {
        let found = Outsider::new(by.clone()).run(&table, &changes, &Run::new()).unwrap();
        let expected = oracle::notions(&table, &by, &changes);
        prop_assert_eq!(rows(&found), &expected[..]);
        let once = expected.iter().filter(|[_, n2, ..]| *n2 == 1).count();
        prop_assert_eq!(found.matched_once(), once);
        for (place, counts) in [(1, found.n2()), (2, found.n3()), (3, found.n4()), (5, found.n6())] {
            let smallest = expected.iter().map(|row| row[place]).min();
            prop_assert_eq!(counts.smallest(), smallest);
            let below = expected.iter().filter(|row| row[place] < 3).count();
            prop_assert_eq!(counts.rows_below(3), below);
        }
    }

    #[test]
    fn stronger_notions_count_fewer((table, by, changes) in releases()) {
        let found = Outsider::new(by).run(&table, &changes, &Run::new()).unwrap();
        for [n1, n2, n3, n4, n5, n6] in rows(&found) {
            prop_assert!(1 <= n6 && n6 <= n5 && n5 <= n2 && n6 <= n4);
            prop_assert!(n4 == n2.min(n3) && n2 <= n1 && n3 <= n1);
        }
    }

    #[test]
    fn one_more_suppressed_cell_never_lowers_n1_n2_or_n3(
        (table, by, changes) in releases(), row in any::<Index>(), column in any::<Index>(),
    ) {
        prop_assume!(table.rows() > 0 && !table.columns().is_empty());
        let mut more = changes.clone();
        more.suppress(cell(row.index(table.rows()), column.index(table.columns().len()))).unwrap();
        let outsider = Outsider::new(by);
        let [before, after] = [&changes, &more]
            .map(|changes| rows(&outsider.run(&table, changes, &Run::new()).unwrap()));
        for (before, after) in before.iter().zip(&after) {
            prop_assert!((0..3).all(|notion| before[notion] <= after[notion]));
        }
    }

    #[test]
    fn the_order_of_rows_does_not_matter((table, by, changes) in releases()) {
        let backwards: Vec<u32> = (0..u32::try_from(table.rows()).unwrap()).rev().collect();
        let turned = muslin_engine::take_rows(&table, &backwards).unwrap();
        let mut turned_changes = Changes::none(&turned);
        changes.masked().iter().for_each(|column| turned_changes.mask(column));
        for column in 0..table.columns().len() {
            for row in changes.suppressed(ColumnId::new(column)) {
                turned_changes.suppress(cell(table.rows() - 1 - row.index(), column)).unwrap();
            }
        }
        let outsider = Outsider::new(by);
        let expected = rows(&outsider.run(&table, &changes, &Run::new()).unwrap());
        let mut found = rows(&outsider.run(&turned, &turned_changes, &Run::new()).unwrap());
        found.reverse();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn vinterbo_and_ohno_machado_example_1_hides_nobody() {
    // Published: (_, 1, 2), (3, 1, _), (3, 2, 2), (1, 1, 2). Rows 0 and 1 look alike, yet row 1
    // fits its own published row only, and row 0 fits rows 0 and 3, which were equal before.
    let table = published::vinterbo_table_3();
    let found = seen(&table, &changes(&table, &[(0, 0), (1, 2)]));
    let expected = [[3, 2, 2, 2, 2, 1], [2, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 1]];
    assert_eq!(rows(&found), expected);
    assert_eq!((found.matched_once(), found.sacrificial_rows()), (2, 0));
}

#[test]
fn a_row_without_values_hides_nobody_who_is_known() {
    // Vinterbo and Ohno-Machado, heuristic A: row 0 is suppressed. Every row looks like it, but
    // only one row can be it.
    let table = EncodedTable::of(&[[1, 1], [2, 2], [3, 3]]);
    let found = seen(&table, &changes(&table, &[(0, 0), (0, 1)]));
    assert_eq!(rows(&found), [[3, 1, 3, 1, 1, 1], [2, 2, 1, 1, 1, 1], [2, 2, 1, 1, 1, 1]]);
    assert_eq!(found.sacrificial_rows(), 1);
}

#[test]
fn a_ring_of_links_protects_unequal_rows() {
    let table = EncodedTable::of(&[[1, 1], [1, 2], [2, 2], [2, 1]]);
    let found = seen(&table, &changes(&table, &[(0, 0), (1, 1), (2, 0), (3, 1)]));
    // Published: (_, 1), (1, _), (_, 2), (2, _). Each row fits its own and the next one, so all
    // rows can move on by one.
    assert_eq!(rows(&found), [[3, 2, 2, 2, 2, 1]; 4]);
}

#[test]
fn rows_with_more_than_half_of_their_cells_suppressed_are_counted() {
    let table = EncodedTable::of(&[[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]);
    let mut changes = changes(&table, &[(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]);
    assert_eq!(seen(&table, &changes).sacrificial_rows(), 1);
    // Of three columns, two are more than half.
    changes.mask(ColumnId::new(3));
    assert_eq!(seen(&table, &changes).sacrificial_rows(), 2);
}

#[test]
fn a_table_without_rows_has_no_smallest_count() {
    let table = EncodedTable::of::<2>(&[]);
    let found = seen(&table, &Changes::none(&table));
    assert_eq!((found.n6().smallest(), found.n2().rows_below(5)), (None, 0));
    let table = EncodedTable::new(3, Vec::new()).unwrap();
    assert_eq!(rows(&seen(&table, &Changes::none(&table))), [[3; 6]; 3]);
}

/// A table of some size and a release of many patterns.
fn large() -> (EncodedTable, Changes) {
    let table = large_table(5_000, &[3, 40, 6, 5, 9], true, Seed::new(1));
    let mut changes = Changes::none(&table);
    let seed = Seed::new(2);
    for column in 0..5u32 {
        for row in (0..5_000).filter(|&row| seed.part(column.into()).below(row, 6) == 0) {
            let (row, column) = (usize::try_from(row).unwrap(), column as usize);
            changes.suppress(cell(row, column)).unwrap();
        }
    }
    (table, changes)
}

/// Rows that a row reaches, itself among them.
fn reached(from: usize, rows: usize, leads: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let (mut reached, mut open) = (vec![false; rows], vec![from]);
    reached[from] = true;
    while let Some(row) = open.pop() {
        for next in (0..rows).filter(|&next| leads(row, next)) {
            if !std::mem::replace(&mut reached[next], true) {
                open.push(next);
            }
        }
    }
    reached
}

#[test]
fn counts_of_a_larger_table_are_those_of_its_pairs_of_rows() {
    let (table, changes) = large();
    let found = rows(&seen(&table, &changes));
    let count = table.rows();
    let columns = table.columns();
    let original = |row| columns.iter().map(|c| c.codes().slot(row)).collect::<Vec<_>>();
    let original: Vec<Vec<u32>> = (0..count).map(original).collect();
    // A suppressed cell has no value.
    let mut release: Vec<Vec<Option<u32>>> =
        original.iter().map(|row| row.iter().copied().map(Some).collect()).collect();
    for column in table.all_columns().iter() {
        let withheld = changes.suppressed(column).iter();
        withheld.for_each(|row| release[row.index()][column.index()] = None);
    }
    let mut fits = vec![false; count * count];
    for i in 0..count {
        let mut expected = [0; 6];
        for j in 0..count {
            let cells = || release[i].iter().zip(&release[j]);
            let fit = |i: usize, j: usize| {
                original[i].iter().zip(&release[j]).all(|(a, b)| b.is_none_or(|b| b == *a))
            };
            let alike = cells().all(|(a, b)| a.is_none() || b.is_none() || a == b);
            fits[i * count + j] = fit(i, j);
            let holds = [alike, fit(i, j), fit(j, i), false, false, release[i] == release[j]];
            expected.iter_mut().zip(holds).for_each(|(sum, holds)| *sum += u32::from(holds));
        }
        expected[3] = expected[1].min(expected[2]);
        let [n1, n2, n3, n4, _, n6] = found[i];
        assert_eq!([n1, n2, n3, n4, 0, n6], expected);
    }
    for i in (0..count).step_by(499) {
        let to = reached(i, count, |a, b| fits[a * count + b]);
        let from = reached(i, count, |a, b| fits[b * count + a]);
        let n5 = (0..count).filter(|&j| fits[i * count + j] && to[j] && from[j]).count();
        assert_eq!(found[i][4] as usize, n5);
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let (table, changes) = large();
    let outsider = Outsider::new(table.all_columns());
    let [one, two, four] = [1, 2, 4].map(|threads| {
        let run = Run::new().threads(threads).unwrap();
        outsider.run(&table, &changes, &run).unwrap()
    });
    assert!(one.n1().is_some() && one.n5().is_some());
    assert!(one == two && one == four);
}

#[test]
fn what_is_too_much_work_is_left_out_and_nothing_else() {
    let (table, changes) = large();
    let outsider = Outsider::new(table.all_columns());
    let all = outsider.run(&table, &changes, &Run::new()).unwrap();
    let some = outsider.clone().work_limit(1_000).run(&table, &changes, &Run::new()).unwrap();
    assert!(some.n1().is_none() && some.n5().is_none());
    assert_eq!((some.n2(), some.n3(), some.n4()), (all.n2(), all.n3(), all.n4()));
    assert_eq!((some.n6(), some.sacrificial_rows()), (all.n6(), all.sacrificial_rows()));
}

#[test]
fn a_column_or_changes_of_another_table_are_an_error() {
    let table = EncodedTable::of(&[[1, 2], [1, 3]]);
    let none = Changes::none(&table);
    let beyond = Outsider::new(ColumnSet::first(3)).run(&table, &none, &Run::new());
    assert!(matches!(beyond, Err(Error::Setting(_))));
    for other in [Changes::none_of(3, 2), Changes::none_of(2, 1)] {
        let found = Outsider::new(table.all_columns()).run(&table, &other, &Run::new());
        assert!(matches!(found, Err(Error::Setting(_))));
    }
}

#[test]
fn changes_that_do_more_than_withhold_cells_are_an_error() {
    let table = EncodedTable::of(&[[1, 2], [1, 3]]);
    let another = || EncodedTable::of(&[[7], [7]]).into_columns().remove(0);
    let swapped = || [1, 0].map(RowId::new).to_vec();
    let none = || Changes::none(&table);
    let [mut removed, mut replaced, mut rearranged, mut added] = [none(), none(), none(), none()];
    removed.remove(RowId::new(0)).unwrap();
    replaced.replace(ColumnId::new(1), another()).unwrap();
    rearranged.rearrange(&ColumnSet::first(1), swapped()).unwrap();
    added.add(another()).unwrap();
    for more in [removed, replaced, rearranged, added] {
        // Whichever columns are looked at: the release is another one than it knows.
        for columns in [ColumnSet::new(), table.all_columns()] {
            let found = Outsider::new(columns).run(&table, &more, &Run::new());
            let Err(Error::Setting(text)) = found else { panic!("{more:?}") };
            assert!(text.contains("\n  hint: "), "{text}");
        }
    }
    assert!(Outsider::new(table.all_columns()).run(&table, &none(), &Run::new()).is_ok());
}

#[test]
fn a_cancelled_run_ends() {
    let (table, changes) = large();
    let cancel = Cancel::default();
    cancel.cancel();
    let found =
        Outsider::new(table.all_columns()).run(&table, &changes, &Run::new().cancel(cancel));
    assert!(matches!(found, Err(Error::Engine(_))));
}
