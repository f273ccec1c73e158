//! p(t, s) of releases in buckets: against brute force, and on the tables of paper 002.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use muslin_engine::{Run, Seed, take_rows};
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable, Ratio};
use muslin_testkit::generate::{Labelled, SmallSlicing, labelled, large_table, small_slicings};
use muslin_testkit::oracle::{BucketWeight, Slicing};
use muslin_testkit::published::{
    LAVANYA_BUCKETS, LAVANYA_SLICES_C, LAVANYA_SLICES_E, LAVANYA_SLICES_F, LAVANYA_TABLE_A,
    LAVANYA_TABLE_C, LAVANYA_TABLE_E, LAVANYA_TABLE_F, LavanyaRows, lavanya_table,
};
use muslin_verify::loss::{Buckets, Cover, Reading};
use muslin_verify::{Error, Matching, MatchingFacts};
use proptest::prelude::*;

fn read(original: &EncodedTable, release: &EncodedTable, buckets: Option<&Buckets>) -> Reading {
    Reading::of(original, release, &BTreeMap::new(), buckets).unwrap()
}

fn slices(slices: &[&[&str]]) -> Buckets {
    let names = |slice: &&[&str]| slice.iter().map(|&name| name.into()).collect();
    Buckets { column: "bucket".into(), slices: slices.iter().map(names).collect() }
}

fn with_buckets(table: EncodedTable, buckets: &[u32]) -> EncodedTable {
    let rows = table.rows();
    let count = buckets.iter().max().map_or(0, |&last| last + 1);
    let mut columns = table.into_columns();
    columns.push(Column::of_numbers("bucket", count, buckets.iter().copied()).unwrap());
    EncodedTable::new(rows, columns).unwrap()
}

/// The facts of a table whose slices stay as they are, in another order of rows.
fn facts(slicing: &SmallSlicing) -> MatchingFacts {
    let name = |id: ColumnId| slicing.table.column(id).name().to_owned();
    let cut = slicing.slices.iter().map(|slice| slice.iter().map(name).collect()).collect();
    let buckets = Buckets { column: "bucket".into(), slices: cut };
    let release = with_buckets(slicing.table.clone(), &slicing.buckets);
    let backwards: Vec<u32> = (0..u32::try_from(release.rows()).unwrap()).rev().collect();
    let release = take_rows(&release, &backwards).unwrap();
    let reading = read(&slicing.table, &release, Some(&buckets));
    Matching::new(slicing.sensitive).run(&slicing.table, &release, &reading, &Run::new()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2_000)))]

    #[test]
    fn chances_are_those_of_every_combination(slicing in small_slicings(false)) {
        let found = facts(&slicing);
        let SmallSlicing { table, slices, buckets, sensitive } = &slicing;
        let known = Slicing { table, slices, buckets };
        prop_assert!(found.is_exact());
        prop_assert_eq!(found.unmatched(), (0, Vec::new()));
        for (weight, max, exceeding) in [
            (BucketWeight::Equal, found.max_p(), [2, 3].map(|l| found.exceeding(l))),
            (BucketWeight::Rows, found.max_p_by_size(), [2, 3].map(|l| found.exceeding_by_size(l))),
        ] {
            let of_row = |row: u32| {
                let tuple = known.tuple(row as usize);
                let chances = known.chances_by_enumeration(&tuple, *sensitive, weight);
                chances.into_values().max().unwrap()
            };
            let rows: Vec<Ratio> = (0..u32::try_from(table.rows()).unwrap()).map(of_row).collect();
            prop_assert_eq!(max, rows.iter().copied().max().unwrap());
            for (l, (count, listed)) in [2, 3].into_iter().zip(exceeding) {
                let above = (0u32..).zip(&rows).filter(|(_, p)| **p > Ratio::new(1, l));
                let above: Vec<u32> = above.map(|(row, _)| row).collect();
                prop_assert_eq!((count, listed), (above.len() as u64, above));
            }
        }
    }

    #[test]
    fn generalized_cells_may_be_all_that_they_take_in(table in labelled(7), cut in 0usize..3) {
        let columns = table.original.columns().len();
        let names = |range: std::ops::Range<usize>| range.map(|at| format!("c{at}")).collect();
        let at = cut.min(columns);
        let parts = vec![names(0..at), names(at..columns)];
        let buckets = Buckets { column: "bucket".into(), slices: parts };
        let reading = read(&table.original, &table.release, Some(&buckets));
        let sensitive = ColumnId::new(columns - 1);
        let matching = Matching::new(sensitive);
        let (original, release) = (&table.original, &table.release);
        let found = matching.run(original, release, &reading, &Run::new()).unwrap();
        let brute = |is_by_size: bool| -> Vec<Option<[u128; 2]>> {
            (0..original.rows()).map(|row| chance(&table, &reading, row, is_by_size)).collect()
        };
        for (is_by_size, max) in [(false, found.max_p()), (true, found.max_p_by_size())] {
            let rows = brute(is_by_size);
            let ratios = rows.iter().flatten().map(|&[part, whole]| Ratio::new(part, whole));
            prop_assert_eq!(max, ratios.max().unwrap_or(Ratio::new(0, 1)));
            let none = (0u32..).zip(&rows).filter(|(_, p)| p.is_none()).map(|(row, _)| row);
            prop_assert_eq!(found.unmatched().1, none.collect::<Vec<_>>());
        }
        // Without work nothing is known, and the worst is said.
        let quick = matching.work_limit(0).run(original, release, &reading, &Run::new()).unwrap();
        prop_assert!(quick.max_p() >= found.max_p());
    }
}

/// The largest p(t, s) of an original row by the definition, the last column being the sensitive
/// one; buckets are 0, 1 and 2.
fn chance(table: &Labelled, reading: &Reading, own: usize, is_by_size: bool) -> Option<[u128; 2]> {
    let (original, release) = (&table.original, &table.release);
    let last = original.columns().len() - 1;
    let cover = |row: usize, at: usize| {
        reading.cover(ColumnId::new(at), release.columns()[at].codes().slot(row))
    };
    let covers = |row: usize, at: usize| {
        let column = &original.columns()[at];
        let slot = column.codes().slot(own);
        match cover(row, at) {
            Cover::Exact(value) => *value == slot,
            Cover::Range { first, last } => slot >= *first && slot <= *last,
            Cover::Set(values) => values.contains(&slot),
            Cover::Missing => slot == column.missing_slot(),
            _ => true,
        }
    };
    let parts = reading.slices().unwrap();
    let bucket = release.find("bucket").unwrap();
    let sizes: Vec<u128> =
        (0..3).map(|number| rows_of(release, bucket, number).len() as u128).collect();
    // All fractions are of the product of the buckets' sizes to the number of slices and one.
    let powers = u32::try_from(parts.len()).unwrap();
    let unit = |number: usize| -> u128 {
        let others = (0..3).filter(|&other| other != number && sizes[other] > 0);
        others.map(|other| sizes[other].pow(powers)).product()
    };
    let mut all = 0;
    let mut values: Vec<(Cover, u128)> = Vec::new();
    for (number, &size) in sizes.iter().enumerate() {
        let rows = rows_of(release, bucket, u32::try_from(number).unwrap());
        let fits = |part: &[ColumnId], row: usize| {
            part.iter().filter(|id| id.index() != last).all(|id| covers(row, id.index()))
        };
        let others = parts.iter().filter(|part| !part.contains(&ColumnId::new(last)));
        let alike = others.map(|part| rows.iter().filter(|&&row| fits(part, row)).count() as u128);
        let weight = alike.product::<u128>() * unit(number) * if is_by_size { size } else { 1 };
        let own = parts.iter().find(|part| part.contains(&ColumnId::new(last))).unwrap();
        for &row in rows.iter().filter(|&&row| fits(own, row)) {
            all += weight;
            let value = cover(row, last);
            let is_same = |of: &&mut (Cover, u128)| of.0 == *value;
            match values.iter_mut().find(is_same) {
                Some(of) => of.1 += weight,
                None => values.push((value.clone(), weight)),
            }
        }
    }
    let most = values.into_iter().map(|of| of.1).max()?;
    (all > 0).then_some([most, all])
}

fn rows_of(release: &EncodedTable, bucket: ColumnId, number: u32) -> Vec<usize> {
    let codes = release.column(bucket).codes();
    (0..release.rows()).filter(|&row| codes.slot(row) == number).collect()
}

fn lavanya(release: &LavanyaRows, cut: &[&[&str]]) -> MatchingFacts {
    let original = lavanya_table(&LAVANYA_TABLE_A);
    let release = with_buckets(lavanya_table(release), &LAVANYA_BUCKETS);
    let release = take_rows(&release, &[7, 2, 0, 5, 1, 3, 4, 6]).unwrap();
    let reading = read(&original, &release, Some(&slices(cut)));
    Matching::new(ColumnId::new(3)).run(&original, &release, &reading, &Run::new()).unwrap()
}

#[test]
fn the_published_tables_are_2_diverse_and_not_3_diverse() {
    for (release, cut) in [
        (&LAVANYA_TABLE_C, &LAVANYA_SLICES_C[..]),
        (&LAVANYA_TABLE_E, &LAVANYA_SLICES_E[..]),
        (&LAVANYA_TABLE_F, &LAVANYA_SLICES_F[..]),
    ] {
        let found = lavanya(release, cut);
        assert_eq!((found.max_p(), found.max_p_by_size()), (Ratio::new(1, 2), Ratio::new(1, 2)));
        assert_eq!(found.exceeding(2), (0, Vec::new()));
        assert_eq!(found.exceeding(3), (8, (0..8).collect()));
        assert!(found.is_exact() && found.unmatched().0 == 0);
    }
    // Nothing is cut: whoever knows the rest knows the disease, but of two people who are alike.
    let found = lavanya(&LAVANYA_TABLE_A, &[&["Age", "Sex", "Zipcode", "Disease"]]);
    assert_eq!(found.max_p(), Ratio::new(1, 1));
    // The person of row 0 was told from row 1 by sex alone, and is nowhere in table (f) cut as (c).
    let found = lavanya(&LAVANYA_TABLE_F, &LAVANYA_SLICES_C);
    assert!(found.unmatched().0 > 0);
}

#[test]
fn weightings_differ_where_buckets_do() {
    // The person may be in a bucket of one row or in one of three.
    let original = EncodedTable::of(&[[1, 5], [1, 6], [2, 7], [3, 8]]);
    let release = with_buckets(original.clone(), &[0, 1, 1, 1]);
    let reading = read(&original, &release, Some(&slices(&[&["c0"], &["c1"]])));
    let found = Matching::new(ColumnId::new(1)).run(&original, &release, &reading, &Run::new());
    let found = found.unwrap();
    // f is 1 in the first bucket and 1/3 in the second; by size 1 and 1.
    assert_eq!((found.max_p(), found.max_p_by_size()), (Ratio::new(3, 4), Ratio::new(1, 2)));
    assert_eq!((found.exceeding(2).0, found.exceeding_by_size(2).0), (2, 0));
}

#[test]
fn many_buckets_of_many_sizes_are_exact_and_threads_change_nothing() {
    let original = large_table(3_000, &[6, 3, 2, 4, 9], false, Seed::new(5));
    let draw = Seed::new(6);
    // Few buckets are large and many small, so that there are many sizes and many matches.
    let number = |row: u64| draw.below(row, 1 + draw.part(1).below(row, 60));
    let numbers: Vec<u32> = (0..3_000).map(|row| u32::try_from(number(row)).unwrap()).collect();
    let release = with_buckets(original.clone(), &numbers);
    let cut = slices(&[&["c0", "c4"], &["c1"], &["c2"], &["c3"]]);
    let reading = read(&original, &release, Some(&cut));
    let matching = Matching::new(ColumnId::new(4));
    let on = |matching: &Matching, threads: usize| {
        let run = Run::new().threads(threads).unwrap();
        matching.run(&original, &release, &reading, &run).unwrap()
    };
    let found = on(&matching, 1);
    assert_eq!(found, on(&matching, 4));
    assert_eq!(found.unmatched().0, 0);
    let quick = matching.clone().work_limit(20_000);
    let some = on(&quick, 1);
    assert_eq!(some, on(&quick, 4));
    assert!(!some.is_exact() && some.exceeding(2).0 == 3_000);
    // The first row by the definition, in floating point.
    let parts = [vec![0], vec![1], vec![2], vec![3]];
    let slot = |row: usize, at: usize| original.columns()[at].codes().slot(row);
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    for bucket in 0..60u32 {
        let rows: Vec<usize> = (0..3_000).filter(|&row| numbers[row] == bucket).collect();
        let alike =
            |part: &Vec<usize>, row: usize| part.iter().all(|&at| slot(row, at) == slot(0, at));
        let count = |part: &Vec<usize>| rows.iter().filter(|&&row| alike(part, row)).count();
        let share = |part: &Vec<usize>| {
            f64::from(u32::try_from(count(part)).unwrap())
                / f64::from(u32::try_from(rows.len().max(1)).unwrap())
        };
        let f: f64 = parts.iter().map(share).product();
        let beside: Vec<usize> =
            rows.iter().copied().filter(|&row| alike(&parts[0], row)).collect();
        for &row in &beside {
            *sums.entry(slot(row, 4)).or_default() +=
                f / f64::from(u32::try_from(beside.len()).unwrap());
        }
    }
    let most = sums.values().fold(0.0, |a: f64, &b| a.max(b)) / sums.values().sum::<f64>();
    let l = (1.0 / most).floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let l = l as u32;
    assert!(!found.exceeding(l).1.contains(&0) && found.exceeding(l + 1).1.contains(&0));
}

#[test]
fn wrong_settings_say_what_to_do() {
    let original = EncodedTable::of(&[[1, 2], [3, 4]]);
    let release = with_buckets(original.clone(), &[0, 0]);
    let text = |sensitive: usize, release: &EncodedTable, buckets: Option<&Buckets>| {
        let reading = read(&original, release, buckets);
        let matching = Matching::new(ColumnId::new(sensitive));
        let error = matching.run(&original, release, &reading, &Run::new()).unwrap_err();
        assert!(matches!(error, Error::Setting(_)) && error.to_string().contains("\n  hint: "));
        error.to_string()
    };
    let cut = slices(&[&["c0"]]);
    assert!(text(1, &release, None).contains("no buckets"));
    assert!(text(9, &release, Some(&cut)).contains("beyond"));
    let less: ColumnSet = [0, 2].map(ColumnId::new).into_iter().collect();
    assert!(text(1, &release.project(&less), Some(&cut)).contains("lacks"));
}
