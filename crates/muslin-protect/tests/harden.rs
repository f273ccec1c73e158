//! Blanks that give nothing away to those who know how blanks are chosen.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use muslin_engine::Run;
use muslin_protect::{Notion, Suppress};
use muslin_table::{Changes, ColumnId, ColumnSet, EncodedTable, RowId};
use muslin_testkit::generate::small_tables;
use proptest::prelude::*;

/// What is published of each row.
fn forms(table: &EncodedTable, changes: &Changes) -> Vec<Vec<Option<u32>>> {
    let cell = |row: usize, id: ColumnId| {
        let is_blank = changes.suppressed(id).contains(&RowId::new(u32::try_from(row).unwrap()));
        (!is_blank).then(|| table.column(id).codes().slot(row))
    };
    let row = |row: usize| table.all_columns().iter().map(|id| cell(row, id)).collect();
    (0..table.rows()).map(row).collect()
}

/// Values that each blank may have, for somebody who knows that a row which equals k - 1 others, once
/// it shows a value, would have shown it.
fn candidates(table: &EncodedTable, forms: &[Vec<Option<u32>>], k: usize) -> Vec<(usize, usize)> {
    let mut sizes: BTreeMap<&[Option<u32>], usize> = BTreeMap::new();
    forms.iter().for_each(|form| *sizes.entry(form).or_default() += 1);
    let mut found = Vec::new();
    for form in forms {
        for at in (0..form.len()).filter(|&at| form[at].is_none()) {
            let all: BTreeSet<u32> = table.column(ColumnId::new(at)).codes().slots().collect();
            let is_open = |value: &&u32| {
                let mut shown = form.clone();
                shown[at] = Some(**value);
                sizes.get(&shown[..]).is_none_or(|&rows| rows + 1 < k)
            };
            found.push((all.iter().filter(is_open).count(), all.len()));
        }
    }
    found
}

fn is_anonymous(forms: &[Vec<Option<u32>>], k: usize) -> bool {
    forms.iter().all(|form| forms.iter().filter(|other| *other == form).count() >= k)
}

/// The columns `from` that tell `to` in what is published, as a plain count: the values of `to` that go
/// with each value of `from`.
fn told(forms: &[Vec<Option<u32>>], from: usize, to: usize) -> Option<BTreeMap<u32, usize>> {
    let mut groups: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
    for form in forms {
        if let (Some(from), Some(to)) = (form[from], form[to]) {
            *groups.entry(from).or_default().entry(to).or_default() += 1;
        }
    }
    let shown = groups.iter().map(|(&from, own)| (from, own.values().sum())).collect();
    groups.retain(|_, own| own.values().sum::<usize>() > 1);
    let all: usize = groups.values().flat_map(BTreeMap::values).sum();
    let own: usize = groups.values().filter_map(|own| own.values().max()).sum();
    let mut totals: BTreeMap<u32, usize> = BTreeMap::new();
    groups.values().flatten().for_each(|(&to, rows)| *totals.entry(to).or_default() += rows);
    let most = totals.into_values().max().unwrap_or(0);
    (own * 20 >= all * 19 && all > most && 2 * (own - most) >= all - most).then_some(shown)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(1_000)))]

    #[test]
    fn every_blank_leaves_two_values(table in small_tables(), k in 2u32..4) {
        prop_assume!(table.rows() >= k as usize);
        let plain = Suppress::new(k).run(&table, &Run::new()).unwrap();
        let found = Suppress::new(k).robust(true).run(&table, &Run::new()).unwrap();
        let forms = forms(&table, found.changes());
        prop_assert!(is_anonymous(&forms, k as usize));
        for (left, all) in candidates(&table, &forms, k as usize) {
            prop_assert!(left >= 2 || all < 2);
        }
        prop_assert_eq!(found.cells() as u64, plain.cells() as u64 + found.decoys());
        prop_assert_eq!(found.lower_bound(), plain.lower_bound());
    }

    #[test]
    fn what_tells_a_blank_is_blank(table in small_tables(), k in 2u32..4, robust: bool) {
        prop_assume!(table.rows() >= k as usize);
        let suppress = Suppress::new(k).closed(true).robust(robust);
        let found = suppress.run(&table, &Run::new()).unwrap();
        let forms = forms(&table, found.changes());
        prop_assert!(is_anonymous(&forms, k as usize));
        let slots = |at: usize| table.column(ColumnId::new(at)).codes().slots();
        for from in 0..table.columns().len() {
            for to in (0..table.columns().len()).filter(|&to| to != from) {
                let pairs: BTreeSet<(u32, u32)> = slots(from).zip(slots(to)).collect();
                let values: BTreeSet<u32> = slots(from).collect();
                if pairs.len() == values.len() {
                    let is_hidden = |form: &Vec<Option<u32>>| form[to].is_some() || form[from].is_none();
                    prop_assert!(forms.iter().all(is_hidden));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(1_000)))]

    #[test]
    fn no_column_in_sight_tells_a_blank(
        cells in prop::collection::vec(prop::collection::vec(0i64..3, 4), 4..16),
        copied in prop::bool::ANY,
        classes in 2usize..4,
        robust: bool,
    ) {
        // The last column often is a copy of the first, but for a cell.
        let column = |at: usize| -> Vec<Option<i64>> {
            cells.iter().enumerate().map(|(row, own)| {
                Some(if at == 3 && copied && row > 0 { own[0] } else { own[at] })
            }).collect()
        };
        let table = EncodedTable::of_columns((0..4).map(|at| (format!("c{at}"), column(at))));
        let first = ColumnSet::first(classes);
        let suppress = Suppress::new(2).columns(Some(first.clone()));
        let plain = suppress.run(&table, &Run::new()).unwrap();
        let suppress = suppress.closed(true).robust(robust).tellers(table.all_columns());
        let found = suppress.run(&table, &Run::new()).unwrap();
        let own = |form: &Vec<Option<u32>>| form[..classes].to_vec();
        let forms = forms(&table, found.changes());
        prop_assert!(is_anonymous(&forms.iter().map(own).collect::<Vec<_>>(), 2));
        for (from, to) in (0..16).map(|at| (at / 4, at % 4)).filter(|(from, to)| from != to) {
            let Some(shown) = told(&forms, from, to) else { continue };
            let is_told = |form: &&Vec<Option<u32>>| {
                form[to].is_none() && form[from].is_some_and(|own| shown.contains_key(&own))
            };
            prop_assert_eq!(forms.iter().filter(is_told).count(), 0);
        }
        prop_assert_eq!(found.cells() as u64, plain.cells() as u64 + found.decoys());
        prop_assert!(found.open_tellers().is_empty());
    }
}

#[test]
fn a_teller_that_makes_no_classes_loses_cells_where_it_tells() {
    // Degree by years of schooling; the third column is about something else.
    let mut rows: Vec<[i64; 4]> = (0..40).map(|row| [row % 2, row % 4, row % 4 + 10, 7]).collect();
    rows.extend([[5, 0, 10, 7], [5, 1, 11, 8]]);
    let table = EncodedTable::of(&rows);
    let classes: ColumnSet = ColumnSet::first(2);
    let [years, other] = [2, 3].map(ColumnId::new);
    let suppress = Suppress::new(2).columns(Some(classes));
    let plain = suppress.run(&table, &Run::new()).unwrap();
    assert_eq!((plain.cells(), plain.cells_of(ColumnId::new(1))), (2, 2));
    let suppress = suppress.closed(true);
    assert_eq!(suppress.run(&table, &Run::new()).unwrap().cells(), 2);
    let suppress = suppress.tellers([years, other].into_iter().collect());
    let found = suppress.run(&table, &Run::new()).unwrap();
    assert_eq!((found.cells(), found.decoys(), found.cells_of(years)), (4, 2, 2));
    assert_eq!((found.cells_of(other), found.open_tellers().len()), (0, 0));
    // One that must stay is named instead.
    let found = suppress.never([years].into_iter().collect()).run(&table, &Run::new()).unwrap();
    assert_eq!((found.cells(), found.open_tellers()), (2, &[(years, ColumnId::new(1))][..]));
}

#[test]
fn of_two_values_neither_is_ruled_out() {
    // Rows 0 and 1 are alike; 2 and 3 differ in sex, so that it is blank there. Nobody else is a man
    // of 30, and a woman of 30 would have joined the first two.
    let table = EncodedTable::of(&[[30, 1], [30, 1], [30, 1], [30, 2], [40, 2], [40, 2]]);
    let plain = Suppress::new(2).run(&table, &Run::new()).unwrap();
    let blank = candidates(&table, &forms(&table, plain.changes()), 2);
    assert_eq!(blank, [(1, 2), (1, 2)]);
    let found = Suppress::new(2).robust(true).run(&table, &Run::new()).unwrap();
    assert_eq!((found.cells(), found.decoys()), (4, 2));
    assert!(!found.is_optimal());
}

#[test]
fn a_column_that_stays_is_never_blanked_with_another() {
    // Each tells the other.
    let table = EncodedTable::of(&[[1, 10], [2, 20], [3, 30], [3, 30]]);
    let never: ColumnSet = [ColumnId::new(1)].into_iter().collect();
    let closed = Suppress::new(2).closed(true).run(&table, &Run::new()).unwrap();
    assert_eq!(closed.cells(), 4);
    let suppress = Suppress::new(2).closed(true).never(never);
    assert!(suppress.run(&table, &Run::new()).is_err());
    let odd = Suppress::new(2).robust(true).notion(Notion::BothK).run(&table, &Run::new());
    assert!(odd.unwrap_err().to_string().contains("classes of equal rows"));
    // More blanks make no row easier to find, so other notions may be closed.
    let weak = Suppress::new(2).closed(true).notion(Notion::BothK).run(&table, &Run::new());
    assert!(weak.unwrap().cells() >= 4);
}
