//! Whether releases are true: against brute force, on the tables of paper 002, with faults.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use muslin_engine::{Cancel, Run, Seed, take_rows};
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable};
use muslin_testkit::generate::{Labelled, labelled, large_table, small_slicings};
use muslin_testkit::published::{
    LAVANYA_BUCKETS, LAVANYA_SLICES_C, LAVANYA_SLICES_E, LAVANYA_SLICES_F, LAVANYA_TABLE_A,
    LAVANYA_TABLE_B, LAVANYA_TABLE_C, LAVANYA_TABLE_D, LAVANYA_TABLE_E, LAVANYA_TABLE_F,
    LavanyaRows, lavanya_table,
};
use muslin_verify::loss::{Buckets, Cover, Reading};
use muslin_verify::{Error, Truth, Untrue};
use proptest::prelude::*;

fn read(original: &EncodedTable, release: &EncodedTable, buckets: Option<&Buckets>) -> Reading {
    Reading::of(original, release, &BTreeMap::new(), buckets).unwrap()
}

fn judged(original: &EncodedTable, release: &EncodedTable, buckets: Option<&Buckets>) -> Untrue {
    let truth = Truth::new(original.all_columns());
    truth.run(original, release, &read(original, release, buckets), &Run::new()).unwrap()
}

/// Whether a cell may stand for a slot, from the definition.
fn covers(cover: &Cover, slot: u32, missing: u32) -> bool {
    match cover {
        Cover::Exact(value) => *value == slot,
        Cover::Range { first, last } => slot >= *first && slot <= *last,
        Cover::Set(values) => values.contains(&slot),
        Cover::Any => true,
        Cover::Missing => slot == missing,
        other => panic!("no such cell: {other:?}"),
    }
}

/// For each published row, the original rows that it may stand for on some columns.
fn fitting(table: &Labelled, reading: &Reading, columns: &[usize]) -> Vec<Vec<usize>> {
    let fits = |row: usize, own: usize| {
        columns.iter().all(|&at| {
            let (id, column) = (ColumnId::new(at), &table.original.columns()[at]);
            let slot = table.release.columns()[at].codes().slot(row);
            covers(reading.cover(id, slot), column.codes().slot(own), column.missing_slot())
        })
    };
    (0..table.release.rows())
        .map(|row| (0..table.original.rows()).filter(|&own| fits(row, own)).collect())
        .collect()
}

/// The fewest rows that are left, by trying every assignment.
fn fewest_left(fitting: &[Vec<usize>], taken: &mut Vec<usize>) -> u64 {
    let Some((first, rest)) = fitting.split_first() else { return 0 };
    let mut fewest = 1 + fewest_left(rest, taken);
    for &own in first {
        if fewest > 0 && !taken.contains(&own) {
            taken.push(own);
            fewest = fewest.min(fewest_left(rest, taken));
            taken.pop();
        }
    }
    fewest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(5_000)))]

    #[test]
    fn rows_are_untrue_as_brute_force_says(table in labelled(6)) {
        let reading = read(&table.original, &table.release, None);
        let run = Run::new();
        let truth = Truth::new(table.original.all_columns());
        let found = truth.run(&table.original, &table.release, &reading, &run).unwrap();
        let columns: Vec<usize> = (0..table.original.columns().len()).collect();
        let fit = fitting(&table, &reading, &columns);
        let expected = fewest_left(&fit, &mut Vec::new());
        prop_assert_eq!(found.count(), expected);
        prop_assert_eq!(found.rows().len() as u64, expected);
        prop_assert!(found.is_exact() && found.is_true() == (expected == 0));
        // Without these rows it is true.
        let kept: Vec<Vec<usize>> = (0u32..).zip(&fit)
            .filter(|(row, _)| !found.rows().contains(row)).map(|(_, fit)| fit.clone()).collect();
        prop_assert_eq!(fewest_left(&kept, &mut Vec::new()), 0);
        if expected > 0 {
            let alone = columns.iter().filter_map(|&at| {
                let left = fewest_left(&fitting(&table, &reading, &[at]), &mut Vec::new());
                // Suppressed cells are nobody's only where there are too many rows.
                let extra = table.release.rows().saturating_sub(table.original.rows()) as u64;
                (left > extra).then_some((ColumnId::new(at), left))
            });
            let named = found.columns();
            for (id, cells) in alone {
                prop_assert!(named.iter().any(|&(own, own_cells)| own == id && own_cells >= 1
                    && own_cells <= cells), "{named:?} {id:?} {cells}");
            }
        }
        // With no work allowed only what is untrue for certain is said to be.
        let quick = truth.work_limit(0).run(&table.original, &table.release, &reading, &run).unwrap();
        prop_assert!(quick.count() <= expected);
        prop_assert!(!quick.is_exact() || fit.is_empty() || reading_is_silent(&table, &reading));
    }

    #[test]
    fn slices_in_any_order_are_true_and_a_wrong_cell_never_makes_true_more(
        slicing in small_slicings(false), seed in any::<u64>(),
    ) {
        let (release, buckets) = sliced(&slicing, seed);
        let found = judged(&slicing.table, &release, Some(&buckets));
        prop_assert!(found.is_true(), "{found:?}");
    }
}

/// The same for more rows: each in turn takes what it can trade for.
fn left_by_trading(fitting: &[Vec<usize>], rows: usize) -> u64 {
    fn place(row: usize, fit: &[Vec<usize>], seen: &mut [bool], of: &mut [Option<usize>]) -> bool {
        fit[row].iter().any(|&own| {
            if std::mem::replace(&mut seen[own], true) {
                return false;
            }
            let is_free = of[own].is_none_or(|other| place(other, fit, seen, of));
            if is_free {
                of[own] = Some(row);
            }
            is_free
        })
    }
    let mut of = vec![None; rows];
    let is_left = |row: &usize| !place(*row, fitting, &mut vec![false; rows], &mut of);
    (0..fitting.len()).filter(is_left).count() as u64
}

/// Whether original rows can be put into the buckets, as many as each has rows, so that each bucket
/// shows in each part what its rows have there: by trying all ways.
fn is_true_in_buckets(table: &Labelled, reading: &Reading, parts: &[Vec<usize>]) -> bool {
    let fit: Vec<Vec<Vec<usize>>> =
        parts.iter().map(|part| fitting(table, reading, part)).collect();
    let numbers = table.release.column(table.release.find("bucket").unwrap()).codes();
    let published = |bucket: u32| -> Vec<usize> {
        (0..table.release.rows()).filter(|&row| numbers.slot(row) == bucket).collect()
    };
    let buckets = [0, 1, 2].map(published);
    // The bucket of each original row; the fourth has those that were removed.
    let rows = table.original.rows();
    let ways = 4usize.pow(u32::try_from(rows).unwrap());
    (0..ways).any(|way| {
        let of = |row: usize| way / 4usize.pow(u32::try_from(row).unwrap()) % 4;
        buckets.iter().enumerate().all(|(bucket, published)| {
            let own: Vec<usize> = (0..rows).filter(|&row| of(row) == bucket).collect();
            own.len() == published.len()
                && fit.iter().all(|fit| {
                    let within = |&row: &usize| -> Vec<usize> {
                        fit[row].iter().copied().filter(|other| own.contains(other)).collect()
                    };
                    let fit: Vec<Vec<usize>> = published.iter().map(within).collect();
                    fewest_left(&fit, &mut Vec::new()) == 0
                })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(1_500)))]

    #[test]
    fn more_rows_are_untrue_as_brute_force_says(table in labelled(60)) {
        let reading = read(&table.original, &table.release, None);
        let columns: Vec<usize> = (0..table.original.columns().len()).collect();
        let fit = fitting(&table, &reading, &columns);
        let found = judged(&table.original, &table.release, None);
        prop_assert_eq!(found.count(), left_by_trading(&fit, table.original.rows()));
        let nobody = (0u32..).zip(&fit).filter(|(_, fit)| fit.is_empty());
        prop_assert!(nobody.map(|(row, _)| row).all(|row| found.rows().contains(&row)));
        prop_assert!(found.is_exact());
    }

    #[test]
    fn what_is_untrue_in_buckets_is_so_for_certain(table in labelled(5), cut in 0usize..3) {
        let columns = table.original.columns().len();
        let parts = [(0..cut.min(columns)).collect(), (cut.min(columns)..columns).collect()];
        let parts: Vec<Vec<usize>> = parts.into_iter().filter(|part: &Vec<_>| !part.is_empty()).collect();
        let names = |part: &Vec<usize>| part.iter().map(|at| format!("c{at}")).collect();
        let buckets =
            Buckets { column: "bucket".into(), slices: parts.iter().map(names).collect() };
        let found = judged(&table.original, &table.release, Some(&buckets));
        let reading = read(&table.original, &table.release, Some(&buckets));
        let expected = is_true_in_buckets(&table, &reading, &parts);
        prop_assert!(!expected || found.is_true(), "{found:?}");
        prop_assert!(found.is_exact() || !found.is_true(), "{found:?}");
        prop_assert_eq!(found.is_true(), expected, "{:?}", found);
    }
}

/// Whether no published row says anything: then no work is needed.
fn reading_is_silent(table: &Labelled, reading: &Reading) -> bool {
    (0..table.original.columns().len()).all(|at| {
        let mut slots = table.release.columns()[at].codes().slots();
        slots.all(|slot| *reading.cover(ColumnId::new(at), slot) == Cover::Any)
    })
}

/// A release in which the rows of each slice stand in an order of their own in each bucket.
fn sliced(slicing: &muslin_testkit::generate::SmallSlicing, seed: u64) -> (EncodedTable, Buckets) {
    let rows = slicing.table.rows();
    let name = |id: ColumnId| slicing.table.column(id).name().to_owned();
    let mut order: Vec<u32> = (0..u32::try_from(rows).unwrap()).collect();
    order.sort_by_key(|&row| slicing.buckets[row as usize]);
    let mut columns: BTreeMap<usize, Column> = BTreeMap::new();
    for (part, slice) in (0u64..).zip(&slicing.slices) {
        let mut own = order.clone();
        let draw = Seed::new(seed).part(part);
        own.sort_by_key(|&row| (slicing.buckets[row as usize], draw.below(row.into(), 1_000), row));
        let taken = take_rows(&slicing.table, &own).unwrap();
        slice.iter().for_each(|id| {
            columns.insert(id.index(), taken.column(id).clone());
        });
    }
    let mut columns: Vec<Column> = columns.into_values().collect();
    let numbers = order.iter().map(|&row| slicing.buckets[row as usize]).collect::<Vec<_>>();
    columns.push(Column::of_numbers("bucket", 4, numbers.into_iter()).unwrap());
    let slices = slicing.slices.iter().map(|slice| slice.iter().map(name).collect()).collect();
    (EncodedTable::new(rows, columns).unwrap(), Buckets { column: "bucket".into(), slices })
}

fn with_buckets(table: EncodedTable, buckets: &[u32]) -> EncodedTable {
    let rows = table.rows();
    let mut columns = table.into_columns();
    columns.push(Column::of_numbers("bucket", 9, buckets.iter().copied()).unwrap());
    EncodedTable::new(rows, columns).unwrap()
}

fn slices(slices: &[&[&str]]) -> Buckets {
    let names = |slice: &&[&str]| slice.iter().map(|&name| name.into()).collect();
    Buckets { column: "bucket".into(), slices: slices.iter().map(names).collect() }
}

fn lavanya(release: &LavanyaRows, cut: Option<&[&[&str]]>, order: &[u32]) -> Untrue {
    let release = with_buckets(lavanya_table(release), &LAVANYA_BUCKETS);
    let release = take_rows(&release, order).unwrap();
    judged(&lavanya_table(&LAVANYA_TABLE_A), &release, cut.map(slices).as_ref())
}

const ORDER: [u32; 8] = [7, 2, 0, 5, 1, 3, 4, 6];

#[test]
fn the_published_tables_are_true() {
    for (release, cut, is_exact) in [
        (&LAVANYA_TABLE_A, None, true),
        (&LAVANYA_TABLE_B, None, true),
        (&LAVANYA_TABLE_D, None, true),
        (&LAVANYA_TABLE_C, Some(&LAVANYA_SLICES_C[..]), true),
        (&LAVANYA_TABLE_E, Some(&LAVANYA_SLICES_E[..]), true),
        (&LAVANYA_TABLE_F, Some(&LAVANYA_SLICES_F[..]), true),
    ] {
        let found = lavanya(release, cut, &ORDER);
        assert!(found.is_true(), "{found:?}");
        assert_eq!(found.is_exact(), is_exact);
        // A row may be removed, but not there twice.
        let fewer = lavanya(release, cut, &ORDER[..7]);
        assert_eq!(fewer.is_true(), *release != LAVANYA_TABLE_D, "{fewer:?}");
        let twice: Vec<u32> = ORDER.iter().copied().chain([0]).collect();
        assert!(!lavanya(release, cut, &twice).is_true());
    }
    // Sliced tables are not true as tables of rows.
    for release in [&LAVANYA_TABLE_C, &LAVANYA_TABLE_E, &LAVANYA_TABLE_F] {
        let found = lavanya(release, None, &ORDER);
        assert!(found.count() > 0 && found.columns().is_empty() && found.is_exact());
    }
    // Table (f) cuts what table (c) keeps together.
    assert!(!lavanya(&LAVANYA_TABLE_F, Some(&LAVANYA_SLICES_C), &ORDER).is_true());
}

#[test]
fn counts_have_to_fit_their_rows_and_the_original() {
    let mut wrong = LAVANYA_TABLE_D;
    wrong[..4].iter_mut().for_each(|row| row[0] = "22:1,33:2,52:1");
    let found = lavanya(&wrong, None, &ORDER);
    assert_eq!(found.columns(), [(ColumnId::new(0), 1)]);
    wrong[..4].iter_mut().for_each(|row| row[0] = "22:2,33:1");
    assert!(lavanya(&wrong, None, &ORDER).count() > 0);
    // In buckets the lists of one slice do not belong to those of another.
    let original = EncodedTable::of(&[[1, 5], [2, 6], [3, 7], [4, 8]]);
    let list = |name: &str, labels: &[&str], rows: [u32; 4]| {
        Column::of_labels(name, labels, rows.into_iter()).unwrap()
    };
    let first = list("c0", &["1:1,2:1", "3:1,4:1"], [0, 0, 1, 1]);
    let second = list("c1", &["5:1,6:1", "7:1,8:1"], [0, 1, 0, 1]);
    let release = EncodedTable::new(4, vec![first, second]).unwrap();
    assert!(!judged(&original, &release, None).is_true());
    let release = with_buckets(release, &[0; 4]);
    assert!(judged(&original, &release, Some(&slices(&[&["c0"], &["c1"]]))).is_true());
    // A group that is there twice is one of twice the rows.
    let rows: Vec<[i64; 1]> = [1, 2, 1, 2].map(|value| [value]).to_vec();
    let original = EncodedTable::of(&rows);
    let release = Column::of_labels("c0", &["1:1,2:1"], [0, 0, 0, 0].into_iter()).unwrap();
    let release = EncodedTable::new(4, vec![release]).unwrap();
    assert!(judged(&original, &release, None).is_true());
}

#[test]
fn buckets_that_match_nobody_are_found() {
    // Each slice by itself has the tuples of the original, but rows are not where they could be.
    let original = EncodedTable::of(&[[1, 1], [2, 2], [3, 3], [4, 4]]);
    let cut = slices(&[&["c0"], &["c1"]]);
    let judge = |rows: &[[i64; 2]], buckets: &[u32]| {
        judged(&original, &with_buckets(EncodedTable::of(rows), buckets), Some(&cut))
    };
    let good = judge(&[[1, 2], [2, 1], [3, 4], [4, 3]], &[0, 0, 1, 1]);
    assert!(good.is_true() && good.is_exact());
    let moved = judge(&[[1, 3], [2, 1], [3, 4], [4, 2]], &[0, 0, 1, 1]);
    assert!(moved.count() > 0 && moved.columns().is_empty());
    // With the sizes of buckets as they are, a bucket may not have a row too many either.
    let larger = judge(&[[1, 2], [2, 1], [3, 4], [4, 3]], &[0, 0, 0, 1]);
    assert!(!larger.is_true());
}

#[test]
fn a_missing_cell_is_covered_by_missing_or_suppressed_alone() {
    let original = EncodedTable::of_columns([("a".into(), vec![None, Some(1), Some(2)])]);
    let judge = |labels: &[&str], slots: &[u32]| {
        let column = Column::of_labels("a", labels, slots.iter().copied()).unwrap();
        judged(&original, &EncodedTable::new(slots.len(), vec![column]).unwrap(), None)
    };
    assert!(judge(&["1", "2"], &[0, 1, 2]).is_true());
    assert!(judge(&["1", "2"], &[0, 1, 3]).is_true());
    assert_eq!(judge(&["1", "[1-2]"], &[0, 1, 1]).rows(), [2]);
    // Where nothing is marked as suppressed, one more missing cell is one that is suppressed.
    assert!(judge(&["1", "2"], &[0, 2, 2]).is_true());
    assert_eq!(judge(&["1", "2"], &[2, 2, 3]).columns(), [(ColumnId::new(0), 1)]);
}

/// The paper's Table (d): multisets, of which one assignment has to fit all columns.
#[test]
fn lists_of_counts_are_judged_together() {
    let original = EncodedTable::of(&[[1, 0], [1, 0], [1, 0], [2, 1], [2, 1], [2, 1]]);
    let judge = |second: [&str; 2]| {
        let rows = [0, 0, 0, 1, 1, 1];
        let first = Column::of_labels("c0", &["1:2,2:1", "1:1,2:2"], rows.into_iter()).unwrap();
        let second = Column::of_labels("c1", &second, rows.into_iter()).unwrap();
        judged(&original, &EncodedTable::new(6, vec![first, second]).unwrap(), None)
    };
    let right = judge(["0:2,1:1", "0:1,1:2"]);
    assert!(right.is_true() && right.is_exact());
    // Every column by itself is right, but whoever is 1 is 0.
    let wrong = judge(["0:1,1:2", "0:2,1:1"]);
    assert!(!wrong.is_true() && wrong.is_exact());
    assert_eq!((wrong.count(), wrong.columns()), (6, Vec::new()));

    // A row that was removed leaves room.
    let rows = [0, 0, 0, 1, 1];
    let first = Column::of_labels("c0", &["1:2,2:1", "1:1,2:1"], rows.into_iter()).unwrap();
    let second = Column::of_labels("c1", &["0:2,1:1", "0:1,1:1"], rows.into_iter()).unwrap();
    let release = EncodedTable::new(5, vec![first, second]).unwrap();
    let found = judged(&original, &release, None);
    assert!(found.is_true() && found.is_exact());
}

/// Rows of an original, and the group that each is in by its first and by its second column.
fn groups_and_lists() -> impl Strategy<Value = (Vec<[i64; 2]>, Vec<usize>, Vec<usize>)> {
    (6usize..9).prop_flat_map(|rows| {
        let row = (0i64..3, 0i64..3).prop_map(|(a, b)| [a, b]);
        let of = Just((0..rows).map(|row| row % 2).collect::<Vec<_>>());
        (prop::collection::vec(row, rows), of.clone().prop_shuffle(), of.prop_shuffle())
    })
}

proptest! {
    #[test]
    fn lists_are_true_together_where_some_assignment_has_them((rows, a, b) in groups_and_lists()) {
        let original = EncodedTable::of(&rows);
        let list = |group: usize, column: usize| {
            let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
            let of = [&a, &b][column];
            let own = rows.iter().zip(of).filter(|(_, of)| **of == group);
            own.for_each(|(row, _)| *counts.entry(row[column]).or_default() += 1);
            counts
        };
        let label = |group: usize, column: usize| {
            let counts = list(group, column).into_iter();
            counts.map(|(value, count)| format!("{value}:{count}")).collect::<Vec<_>>().join(",")
        };
        let of_rows: Vec<u32> = a.iter().map(|&of| u32::try_from(of).unwrap()).collect();
        let column = |at: usize| {
            let labels = [label(0, at), label(1, at)];
            Column::of_labels(format!("c{at}"), &labels, of_rows.iter().copied()).unwrap()
        };
        let release = EncodedTable::new(rows.len(), vec![column(0), column(1)]).unwrap();
        // Groups of the same lists are one group.
        let lists = |group: usize| [list(group, 0), list(group, 1)];
        prop_assume!(lists(0) != lists(1));
        // Lists of one value are values, and bind no group together.
        prop_assume!((0..2).all(|group| (0..2).all(|at| list(group, at).len() != 1)));
        let is_right = |assigned: usize| {
            (0..2).all(|group| {
                (0..2).all(|column| {
                    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
                    for (at, row) in rows.iter().enumerate() {
                        if (assigned >> at & 1) == group {
                            *counts.entry(row[column]).or_default() += 1;
                        }
                    }
                    counts == list(group, column)
                })
            })
        };
        let is_true = (0..1usize << rows.len()).any(is_right);
        let found = judged(&original, &release, None);
        prop_assert_eq!(found.is_true(), is_true);
        prop_assert!(found.is_exact() || !is_true);
    }
}

/// A table of some size and a release in ranges, suppressed and shuffled.
fn large() -> (EncodedTable, EncodedTable) {
    let original = large_table(4_000, &[50, 7, 300, 4], true, Seed::new(3));
    let draw = Seed::new(4);
    let mut columns = Vec::new();
    for (at, column) in (0u64..).zip(original.columns()) {
        let texts = column.dictionary().texts();
        let values = texts.len();
        let mut labels = texts.clone();
        let last = |from: usize| (from + 9).min(values - 1);
        labels.extend(
            (0..values).step_by(10).map(|from| format!("[{}-{}]", texts[from], texts[last(from)])),
        );
        let slot = |(row, slot): (u64, u32)| match (draw.part(at).below(row, 6), slot as usize) {
            (0, _) => labels.len() + 1,
            (_, slot) if slot == column.missing_slot() as usize => labels.len(),
            (1 | 2, slot) => values + slot / 10,
            (_, slot) => slot,
        };
        let slots: Vec<u32> = (0u64..)
            .zip(column.codes().slots())
            .map(|of| u32::try_from(slot(of)).unwrap())
            .collect();
        columns.push(Column::of_labels(column.name(), &labels, slots.into_iter()).unwrap());
    }
    let release = EncodedTable::new(4_000, columns).unwrap();
    let mut order: Vec<u32> = (0..4_000).collect();
    order.sort_by_key(|&row| draw.part(9).below(row.into(), 1 << 40));
    (original, take_rows(&release, &order).unwrap())
}

#[test]
fn threads_and_limits_change_nothing_but_what_they_say() {
    let (original, release) = large();
    let reading = read(&original, &release, None);
    let truth = Truth::new(original.all_columns());
    let on = |truth: &Truth, release: &EncodedTable, reading: &Reading, threads: usize| {
        truth.run(&original, release, reading, &Run::new().threads(threads).unwrap()).unwrap()
    };
    let one = on(&truth, &release, &reading, 1);
    assert!(one.is_true() && one.is_exact(), "{one:?}");
    assert_eq!(one, on(&truth, &release, &reading, 4));
    // Twenty rows are there again in place of others.
    let mut rows: Vec<u32> = (0..4_000).collect();
    rows[..20].iter_mut().for_each(|row| *row += 2_000);
    let wrong = take_rows(&release, &rows).unwrap();
    let reading = read(&original, &wrong, None);
    let found = on(&truth, &wrong, &reading, 1);
    assert!(found.count() > 0 && found.is_exact());
    for limit in [1, 1_000, 100_000, 1_000_000_000] {
        let truth = truth.clone().work_limit(limit);
        let [one, four] = [1, 4].map(|threads| on(&truth, &wrong, &reading, threads));
        assert_eq!(one, four, "{limit}");
        assert!(one.count() <= found.count());
    }
}

#[test]
fn wrong_settings_say_what_to_do() {
    let table = EncodedTable::of(&[[1, 2], [3, 4]]);
    let reading = read(&table, &table, None);
    let beyond: ColumnSet = [ColumnId::new(7)].into_iter().collect();
    let error = Truth::new(beyond).run(&table, &table, &reading, &Run::new()).unwrap_err();
    assert!(matches!(&error, Error::Setting(text) if text.contains("hint: name columns")));
    let other = EncodedTable::of(&[[1, 2]]);
    let truth = Truth::new(table.all_columns());
    let error = truth.run(&table, &other, &reading, &Run::new()).unwrap_err();
    assert!(error.to_string().contains("other tables"));
    let cancel = Cancel::default();
    cancel.cancel();
    assert!(truth.run(&table, &table, &reading, &Run::new().cancel(cancel)).is_err());
    // No rows, no columns.
    let empty = EncodedTable::of::<2>(&[]);
    assert!(judged(&empty, &empty, None).is_true());
    assert!(
        Truth::new(ColumnSet::new()).run(&table, &table, &reading, &Run::new()).unwrap().is_true()
    );
}
