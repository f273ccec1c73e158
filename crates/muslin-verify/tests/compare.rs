//! The six notions from two tables whose rows are in different orders.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use muslin_engine::{Run, Seed, take_rows};
use muslin_table::{Cell, Changes, Codes, Column, ColumnId, ColumnSet, EncodedTable, RowId};
use muslin_testkit::generate::large_table;
use muslin_testkit::oracle;
use muslin_verify::loss::{Cover, Reading};
use muslin_verify::{Error, Notions, Outsider};
use proptest::prelude::*;

/// A table, what is suppressed of it, and an order of its rows.
#[derive(Clone, Debug)]
struct Case {
    table: EncodedTable,
    suppressed: Vec<Vec<bool>>,
    masked: Option<usize>,
    order: Vec<u32>,
}

fn cases() -> impl Strategy<Value = Case> {
    (1usize..5, 0usize..=7, 1i64..4).prop_flat_map(|(columns, rows, values)| {
        let value = prop::option::weighted(0.9, 0..values);
        let share = prop_oneof![Just(0.1), Just(0.4), Just(0.8)];
        let hidden = share.prop_flat_map(move |share| {
            prop::collection::vec(prop::collection::vec(prop::bool::weighted(share), rows), columns)
        });
        let order = Just((0..u32::try_from(rows).unwrap()).collect::<Vec<_>>()).prop_shuffle();
        let cells = prop::collection::vec(prop::collection::vec(value, rows), columns);
        (cells, hidden, prop::option::weighted(0.2, 0..columns), order).prop_map(
            |(cells, suppressed, masked, order)| {
                let named = cells.into_iter().enumerate();
                let table =
                    EncodedTable::of_columns(named.map(|(c, cells)| (format!("c{c}"), cells)));
                // A release has a column at least.
                let masked = masked.filter(|_| suppressed.len() > 1);
                Case { table, suppressed, masked, order }
            },
        )
    })
}

impl Case {
    fn changes(&self) -> Changes {
        let mut changes = Changes::none(&self.table);
        for (column, hidden) in self.suppressed.iter().enumerate() {
            for (row, _) in (0u32..).zip(hidden).filter(|(_, is_hidden)| **is_hidden) {
                let cell = Cell { row: RowId::new(row), column: ColumnId::new(column) };
                changes.suppress(cell).unwrap();
            }
        }
        self.masked.iter().for_each(|&column| changes.mask(ColumnId::new(column)));
        changes
    }

    /// The release, its columns turned round, its rows in the order, the first of them only.
    fn release(&self, rows: usize) -> EncodedTable {
        let mut columns = Vec::new();
        for (at, column) in self.table.columns().iter().enumerate().rev() {
            if self.masked == Some(at) {
                continue;
            }
            let slot = |(slot, &is_hidden): (u32, &bool)| {
                if is_hidden { column.suppressed_slot() } else { slot }
            };
            let slots: Vec<u32> =
                column.codes().slots().zip(&self.suppressed[at]).map(slot).collect();
            let codes = Codes::pack(column.dictionary().len(), slots.into_iter());
            columns.push(Column::new(column.name(), column.dictionary().clone(), codes).unwrap());
        }
        let all = EncodedTable::new(self.table.rows(), columns).unwrap();
        take_rows(&all, &self.order[..rows]).unwrap()
    }
}

fn read(original: &EncodedTable, release: &EncodedTable) -> Reading {
    Reading::of(original, release, &BTreeMap::new(), None).unwrap()
}

fn compared(original: &EncodedTable, release: &EncodedTable) -> Notions {
    let outsider = Outsider::new(original.all_columns());
    outsider.compare(original, release, &read(original, release), &Run::new()).unwrap()
}

fn sorted(mut counts: Vec<u32>) -> Vec<u32> {
    counts.sort_unstable();
    counts
}

/// Whether published row `row` may be original row `own`.
fn fits(tables: (&EncodedTable, &EncodedTable), reading: &Reading, row: usize, own: usize) -> bool {
    tables.0.columns().iter().enumerate().all(|(at, column)| {
        let id = ColumnId::new(at);
        let Some(published) = reading.published(id) else { return true };
        let slot = column.codes().slot(own);
        match reading.cover(id, tables.1.column(published).codes().slot(row)) {
            Cover::Any => true,
            Cover::Missing => slot == column.missing_slot(),
            Cover::Exact(value) => *value == slot,
            _ => panic!("nothing is generalized"),
        }
    })
}

/// Every pair of an original and a published row that are linked in some assignment of all published
/// rows, by trying all.
fn linked(fits: &[Vec<bool>], row: usize, taken: &mut Vec<usize>, pairs: &mut [Vec<bool>]) -> bool {
    if row == fits.len() {
        return true;
    }
    let mut is_any = false;
    for own in 0..fits[row].len() {
        if fits[row][own] && !taken.contains(&own) {
            taken.push(own);
            if linked(fits, row + 1, taken, pairs) {
                pairs[row][own] = true;
                is_any = true;
            }
            taken.pop();
        }
    }
    is_any
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(4_000)))]

    #[test]
    fn counts_are_those_of_the_changes_whatever_the_order(case in cases()) {
        let (changes, release) = (case.changes(), case.release(case.order.len()));
        let all = case.table.all_columns();
        let expected = oracle::notions(&case.table, &all, &changes);
        let run = Outsider::new(all).run(&case.table, &changes, &Run::new()).unwrap();
        let found = compared(&case.table, &release);
        let of = |notion: usize| expected.iter().map(|row| row[notion]).collect::<Vec<_>>();
        let in_order = |notion: usize| {
            case.order.iter().map(|&row| expected[row as usize][notion]).collect::<Vec<_>>()
        };
        prop_assert_eq!(found.n1().unwrap().per_row(), in_order(0));
        prop_assert_eq!(found.n2().per_row(), of(1));
        prop_assert_eq!(found.n3().per_row(), in_order(2));
        prop_assert_eq!(found.n5().unwrap().per_row(), of(4));
        prop_assert_eq!(found.n6().per_row(), in_order(5));
        prop_assert_eq!(found.matched_once(), run.matched_once());
        prop_assert_eq!(found.sacrificial_rows(), run.sacrificial_rows());
        // N4 has as few below as can be, whoever is whose.
        let n4 = found.n4();
        prop_assert!(!n4.is_by_row() && found.n2().is_by_row() && n4.below(9, 9).is_empty());
        prop_assert_eq!(sorted(n4.per_row().to_vec()), n4.per_row());
        prop_assert_eq!(n4.smallest(), run.n4().smallest());
        for k in 1..6 {
            let most = found.n2().rows_below(k).max(found.n3().rows_below(k));
            prop_assert_eq!(n4.rows_below(k), most);
            prop_assert!(n4.rows_below(k) <= run.n4().rows_below(k));
            let below = (0u32..).zip(of(1)).filter(|&(_, count)| count < k).map(|(row, _)| row);
            prop_assert_eq!(found.n2().below(k, 3), below.take(3).collect::<Vec<_>>());
        }
    }

    #[test]
    fn rows_may_be_removed_or_untrue(case in cases(), rows in 0usize..6, untrue in any::<bool>()) {
        let mut case = case;
        if untrue {
            // Somebody else's row, in part, takes the place of another.
            let last = case.order.len().saturating_sub(1);
            case.order.iter_mut().take(last / 2).for_each(|row| *row /= 2);
        }
        let rows = rows.min(case.order.len());
        let release = case.release(rows);
        let found = compared(&case.table, &release);
        let reading = read(&case.table, &release);
        let own = case.table.rows();
        let tables = (&case.table, &release);
        let fit: Vec<Vec<bool>> = (0..rows)
            .map(|row| (0..own).map(|own| fits(tables, &reading, row, own)).collect())
            .collect();
        let mut pairs = vec![vec![false; own]; rows];
        linked(&fit, 0, &mut Vec::new(), &mut pairs);
        let by_original = |pairs: &[Vec<bool>]| -> Vec<u32> {
            let count = |own: usize| pairs.iter().filter(|row| row[own]).count();
            (0..own).map(|own| u32::try_from(count(own)).unwrap()).collect()
        };
        prop_assert_eq!(found.n2().per_row(), by_original(&fit));
        prop_assert_eq!(found.n5().unwrap().per_row(), by_original(&pairs));
        let by_published: Vec<u32> = fit.iter()
            .map(|row| u32::try_from(row.iter().filter(|&&fits| fits).count()).unwrap()).collect();
        prop_assert_eq!(found.n3().per_row(), by_published);
        let once = by_original(&fit).iter().filter(|&&count| count == 1).count();
        prop_assert_eq!(found.matched_once(), once);
    }
}

#[test]
fn ranges_are_for_other_judges() {
    let original = EncodedTable::of(&[[20, 1], [30, 2], [50, 1]]);
    let ages = Column::of_labels("c0", &["[20-30]", "50"], [0, 0, 1].into_iter()).unwrap();
    let rest = EncodedTable::of(&[[1], [2], [1]]).into_columns();
    let rest = Column::new("c1", rest[0].dictionary().clone(), rest[0].codes().clone()).unwrap();
    let release = EncodedTable::new(3, vec![ages, rest]).unwrap();
    let reading = read(&original, &release);
    let compare = |columns: ColumnSet| {
        Outsider::new(columns).compare(&original, &release, &reading, &Run::new())
    };
    let error = compare(original.all_columns()).unwrap_err();
    assert!(matches!(&error, Error::Setting(text) if text.contains("hint: judge the classes")));
    let second: ColumnSet = [ColumnId::new(1)].into_iter().collect();
    assert_eq!(compare(second).unwrap().n6().per_row(), [2, 1, 2]);
    let beyond: ColumnSet = [ColumnId::new(9)].into_iter().collect();
    assert!(compare(beyond).unwrap_err().to_string().contains("beyond"));
    let swapped =
        Outsider::new(ColumnSet::first(1)).compare(&original, &original, &reading, &Run::new());
    assert!(swapped.unwrap_err().to_string().contains("other tables"));
}

#[test]
fn threads_and_orders_change_nothing() {
    let table = large_table(5_000, &[3, 40, 6, 5, 9], true, Seed::new(1));
    let draw = Seed::new(2);
    let hidden = |column: u64| -> Vec<bool> {
        (0..5_000).map(|row| draw.part(column).below(row, 6) == 0).collect()
    };
    let mut order: Vec<u32> = (0..5_000).collect();
    order.sort_by_key(|&row| draw.part(9).below(row.into(), 1 << 40));
    let suppressed = (0..5).map(hidden).collect();
    let case = Case { table, suppressed, masked: None, order };
    let release = case.release(5_000);
    let reading = read(&case.table, &release);
    let outsider = Outsider::new(case.table.all_columns());
    let [one, four] = [1, 4].map(|threads| {
        let run = Run::new().threads(threads).unwrap();
        outsider.compare(&case.table, &release, &reading, &run).unwrap()
    });
    assert_eq!(one, four);
    let known = outsider.run(&case.table, &case.changes(), &Run::new()).unwrap();
    assert_eq!((one.n2(), one.n5()), (known.n2(), known.n5()));
    let less = outsider.work_limit(100).compare(&case.table, &release, &reading, &Run::new());
    let less = less.unwrap();
    assert!(less.n5().is_none() && less.n1().is_none() && less.n2() == one.n2());
}
