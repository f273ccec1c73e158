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
}
