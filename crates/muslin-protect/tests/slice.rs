//! Slicing: the paper's tables, brute force on small tables, known figures on a real one.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use muslin_engine::{Coverage, MemoryEngine, Run, Seed, Stop, take_rows};
use muslin_io::{Input, ReadOptions, Release, RowOrder};
use muslin_protect::{
    Associations, BucketMethod, BucketOrder, Bucketize, Combinations, Error, MatchingBuckets,
    Protector, Slice, SliceCheck, SliceCut, Sliced, Slices, Weighting,
};
use muslin_table::{Changes, Column, ColumnId, ColumnSet, EncodedTable, Ratio, RowId};
use muslin_testkit::data;
use muslin_testkit::generate::large_table;
use proptest::prelude::*;

fn set(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().map(ColumnId::new).collect()
}

fn row_id(row: usize) -> RowId {
    RowId::new(u32::try_from(row).unwrap())
}

/// Paper 002, table (a): age, sex (1 F, 2 M), zipcode, disease (1 bronchitis, 2 dyspepsia, 3 flu,
/// 4 gastritis).
fn paper() -> EncodedTable {
    EncodedTable::of(&[
        [22, 2, 47906, 2],
        [22, 1, 47906, 3],
        [33, 1, 47905, 3],
        [52, 1, 47905, 1],
        [54, 2, 47302, 3],
        [60, 2, 47302, 2],
        [60, 2, 47304, 2],
        [64, 1, 47304, 4],
    ])
}

const PAPER_SLICES: [&[usize]; 2] = [&[0, 1], &[2, 3]];
const DISEASE: usize = 3;

fn slices(of: &[&[usize]]) -> Vec<ColumnSet> {
    of.iter().map(|columns| set(columns)).collect()
}

fn sliced(l: u32, of: &[&[usize]]) -> Slice {
    Slice::new(l, ColumnId::new(DISEASE), Slices::Given(slices(of)))
}

/// What is published at a row and a column, by slots of the original.
fn published(table: &EncodedTable, changes: &Changes, row: usize, column: ColumnId) -> u32 {
    let source = changes.sources(column).map_or(row, |sources| sources[row].index());
    table.column(column).codes().slot(source)
}

/// For each bucket, the values of some columns that are published in it, in order.
fn shown(
    table: &EncodedTable,
    changes: &Changes,
    bucket_of: &[u32],
    columns: &ColumnSet,
) -> BTreeMap<u32, Vec<Vec<u32>>> {
    let mut shown: BTreeMap<u32, Vec<Vec<u32>>> = BTreeMap::new();
    for (row, &bucket) in bucket_of.iter().enumerate() {
        let values = columns.iter().map(|id| published(table, changes, row, id)).collect();
        shown.entry(bucket).or_default().push(values);
    }
    shown.values_mut().for_each(|rows| rows.sort());
    shown
}

fn assert_slices_kept(
    table: &EncodedTable,
    changes: &Changes,
    bucket_of: &[u32],
    of: &[ColumnSet],
) {
    let none = Changes::none(table);
    for columns in of {
        assert_eq!(
            shown(table, changes, bucket_of, columns),
            shown(table, &none, bucket_of, columns)
        );
    }
}

#[test]
fn the_papers_table_is_sliced_as_in_the_paper() {
    let table = paper();
    let found = sliced(2, &PAPER_SLICES).one_attempt(true).run(&table, &Run::new()).unwrap();
    assert_eq!(found.bucket_of(), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!((found.max_p(), found.effective_l(), found.feasible_l()), (Ratio::new(1, 2), 2, 2));
    assert_eq!((found.smallest(), found.largest(), found.coverage()), (4, 4, Coverage::Complete));
    assert_slices_kept(&table, found.changes(), found.bucket_of(), found.slices());
    // All columns tried: four buckets of two.
    let all = sliced(2, &PAPER_SLICES).run(&table, &Run::new()).unwrap();
    assert_eq!(all.sizes(), [2; 4]);
    let refused = sliced(3, &PAPER_SLICES).run(&table, &Run::new()).unwrap_err();
    assert!(matches!(&refused, Error::Unreachable(text) if text.contains("l of 2 at most")));
}

#[test]
fn the_papers_probabilities_are_exact() {
    let table = paper();
    let buckets = [0, 0, 0, 0, 1, 1, 1, 1];
    let measure = |of: &[&[usize]]| {
        let run = Run::new();
        MatchingBuckets::new(&table, &slices(of), ColumnId::new(DISEASE), &buckets, &run).unwrap()
    };
    let half = Ratio::new(1, 2);
    let sliced = measure(&PAPER_SLICES);
    for weighting in [Weighting::Equal, Weighting::BySize] {
        for (rows, values) in
            [([0, 1], [1, 2]), ([2, 3], [0, 2]), ([4, 5], [1, 2]), ([6, 7], [1, 3])]
        {
            for row in rows {
                assert_eq!(
                    sliced.p_of(row_id(row), weighting),
                    values.map(|value| (value, half)),
                    "row {row}"
                );
            }
        }
    }
    assert_eq!(sliced.histogram(), [(1, 8)]);
    let bucketized = measure(&[&[0, 1, 2], &[3]]);
    let quarter = Ratio::new(1, 4);
    assert_eq!(
        bucketized.p_of(row_id(0), Weighting::Equal),
        [(0, quarter), (1, quarter), (2, half)]
    );
    // (f), (c) and (e): consistent combinations and fakes.
    for (of, consistent, fakes) in [
        (&PAPER_SLICES[..], 28, 20),
        (&[&[0, 1, 2], &[3]], 24, 16),
        (&[&[0], &[1], &[2], &[3]], 72, 64),
    ] {
        let measured = measure(of);
        let membership = measured.membership();
        assert_eq!(membership.real(), 8);
        assert_eq!(membership.consistent(), Combinations::Exactly(consistent));
        assert_eq!(membership.fakes(), Combinations::Exactly(fakes));
        // Everything matches one bucket, so the number of matches tells nothing.
        assert_eq!(membership.matching_auc(), Some(0.5));
        assert!(membership.multiplicity_auc().unwrap() > 0.5);
    }
}

/// Slices, and a table as it is printed.
type Printed = (&'static [&'static [usize]], [[i64; 4]; 8]);

#[test]
fn the_papers_permuted_tables_are_possible_outcomes() {
    // (c), (e) and (f) as printed: age, sex, zipcode, disease, by value.
    let printed: [Printed; 3] = [
        (
            &[&[0, 1, 2], &[3]],
            [
                [22, 2, 47906, 3],
                [22, 1, 47906, 2],
                [33, 1, 47905, 1],
                [52, 1, 47905, 3],
                [54, 2, 47302, 4],
                [60, 2, 47302, 3],
                [60, 2, 47304, 2],
                [64, 1, 47304, 2],
            ],
        ),
        (
            &[&[0], &[1], &[2], &[3]],
            [
                [22, 1, 47906, 3],
                [22, 2, 47905, 3],
                [33, 1, 47906, 2],
                [52, 1, 47905, 1],
                [54, 2, 47302, 2],
                [60, 1, 47304, 4],
                [60, 2, 47302, 2],
                [64, 2, 47304, 3],
            ],
        ),
        (
            &PAPER_SLICES,
            [
                [22, 2, 47905, 3],
                [22, 1, 47906, 2],
                [33, 1, 47905, 1],
                [52, 1, 47906, 3],
                [54, 2, 47304, 4],
                [60, 2, 47302, 3],
                [60, 2, 47302, 2],
                [64, 1, 47304, 2],
            ],
        ),
    ];
    let table = paper();
    for (of, cells) in printed {
        let other = EncodedTable::of(&cells);
        let buckets = vec![0, 0, 0, 0, 1, 1, 1, 1];
        let order = BucketOrder::random(Seed::new(5));
        let slice = sliced(2, of).buckets(Some(buckets)).order(order);
        let found = slice.run(&table, &Run::new()).unwrap();
        for columns in slices(of) {
            assert_eq!(
                shown(&table, found.changes(), found.bucket_of(), &columns),
                shown(&other, &Changes::none(&other), found.bucket_of(), &columns),
            );
        }
    }
}

#[test]
fn what_is_published_has_the_buckets() {
    let table = paper();
    let found = sliced(2, &PAPER_SLICES).one_attempt(true).run(&table, &Run::new()).unwrap();
    let release = Release::new(&table, found.changes(), RowOrder::Sorted).unwrap();
    let published = release.table();
    assert_eq!(published.columns().last().unwrap().name(), "bucket");
    let of =
        |column: usize| published.column(ColumnId::new(column)).codes().slots().collect::<Vec<_>>();
    assert_eq!(of(4), [0, 0, 0, 0, 1, 1, 1, 1]);
    let named = EncodedTable::of_columns([
        ("bucket".to_owned(), vec![Some(1), Some(2)]),
        ("s".to_owned(), vec![Some(1), Some(2)]),
    ]);
    let slice = |name: &str| {
        Slice::new(2, ColumnId::new(1), Slices::Given(slices(&[&[0], &[1]])))
            .bucket_name(name)
            .run(&named, &Run::new())
    };
    assert!(slice("bucket").unwrap_err().to_string().contains("hint: give the column of buckets"));
    assert_eq!(slice("b").unwrap().changes().added()[0].name(), "b");
}

/// Products of so many shares are too small for a number; then nothing is told to be safer than it is.
#[test]
fn two_hundred_slices_are_checked() {
    // Forty people, each three times, in buckets of forty; the sensitive value is in 0..4.
    let (seed, run) = (Seed::new(5), Run::new());
    let cell = |column: u64, row: u64| {
        if column == 200 { seed.below(row, 4) } else { seed.part(column).below(row % 40, 40) }
    };
    let columns = (0..201).map(|column| {
        let cells = (0..120).map(|row| i64::try_from(cell(column, row)).ok()).collect();
        (format!("c{column}"), cells)
    });
    let table = EncodedTable::of_columns(columns);
    let of: Vec<ColumnSet> = (0..201).map(|column| set(&[column])).collect();
    let sensitive = ColumnId::new(200);
    let buckets: Vec<u32> = (0..120).map(|row| row / 40).collect();
    let measured = MatchingBuckets::new(&table, &of, sensitive, &buckets, &run).unwrap();
    assert_eq!(measured.histogram().iter().map(|own| own.1).sum::<u64>(), 120);
    assert!(!measured.is_exact(Weighting::Equal));
    // An average of the shares in three buckets.
    let share = |bucket: usize, value: u64| {
        let same = (bucket * 40..(bucket + 1) * 40).filter(|&row| cell(200, row as u64) == value);
        Ratio::new(same.count() as u128, 40)
    };
    let shares = |bucket: usize| (0..4).map(move |value| share(bucket, value));
    let largest = (0..3).flat_map(shares).max().unwrap();
    assert_eq!(measured.max_p(Weighting::Equal), largest);
}

/// All combinations of six columns are in each of ten buckets.
#[test]
fn combinations_that_are_too_many_are_estimated() {
    let table = large_table(20_000, &[10; 6], false, Seed::new(1));
    let of: Vec<ColumnSet> = (0..6).map(|column| set(&[column])).collect();
    let buckets: Vec<u32> = (0..20_000).map(|row| row % 10).collect();
    let run = Run::new();
    let measured = MatchingBuckets::new(&table, &of, ColumnId::new(5), &buckets, &run).unwrap();
    let Combinations::About { number, draws } = measured.membership().consistent() else {
        panic!("there are ten million");
    };
    assert!(number.is_some_and(|number| (number - 1e6).abs() < 1e-3), "{number:?}");
    assert!(draws > 1_000);
    assert_eq!(measured.membership().matching_auc(), Some(0.5));
}

/// One bucket, in each column one value in two rows of three and 10 others: so many slices that the
/// combinations, and their shares, are beyond floating point.
#[test]
fn attacks_are_judged_however_many_slices_there_are() {
    let run = Run::new();
    let seed = Seed::new(3);
    let cell = |column: u64, row: u64| {
        let often = seed.part(column).below(row, 3) > 0;
        if often { 0 } else { 1 + i64::try_from(seed.part(column).below(row + 500, 10)).unwrap() }
    };
    let mut aucs = Vec::new();
    for width in [4, 40, 400u64] {
        let columns = (0..width).map(|column| {
            (format!("c{column}"), (0..60).map(|row| Some(cell(column, row))).collect())
        });
        let table = EncodedTable::of_columns(columns);
        let of: Vec<ColumnSet> = table.all_columns().iter().map(|id| set(&[id.index()])).collect();
        let found = MatchingBuckets::new(&table, &of, ColumnId::new(0), &[0; 60], &run).unwrap();
        let membership = found.membership();
        assert_eq!(membership.matching_auc(), Some(0.5));
        let number = membership.consistent().number();
        // About 11 to the power of the width.
        assert_eq!(number.is_some(), width < 300, "{number:?}");
        assert_eq!(membership.fakes().number().is_some(), width < 300);
        assert!(number.is_none_or(|number| number > 1_000.0 && number.is_finite()));
        aucs.push(membership.multiplicity_auc().unwrap());
    }
    // Fakes rarely have the frequent value: the more columns, the more that tells.
    assert!(aucs[0] > 0.8 && aucs[1] > 0.999 && aucs[2] > 0.999, "{aucs:?}");
}

/// Two buckets of which one has many more combinations, both beyond floating point: draws come from
/// that one, and all its values come.
#[test]
fn draws_from_many_slices_are_spread() {
    let run = Run::new();
    // Rows 0 to 3 are alike but for two columns; the other 40 differ everywhere.
    let cell = |column: i64, row: i64| if row < 4 && column > 1 { row % 2 } else { row };
    let columns = (0..320)
        .map(|column| (format!("c{column}"), (0..44).map(|row| Some(cell(column, row))).collect()));
    let table = EncodedTable::of_columns(columns);
    let of: Vec<ColumnSet> = (0..320).map(|column| set(&[column])).collect();
    let buckets: Vec<u32> = (0..44).map(|row| u32::from(row >= 4)).collect();
    let found = MatchingBuckets::new(&table, &of, ColumnId::new(0), &buckets, &run).unwrap();
    // Of the real rows, 4 are in the bucket where combinations are likelier than any fake that is
    // drawn, and 40 are as likely as those.
    let auc = found.membership().multiplicity_auc().unwrap();
    assert!((auc - (4.0 + 20.0) / 44.0).abs() < 1e-9, "{auc}");
}

#[test]
fn wrong_settings_say_what_to_do() {
    let table = paper();
    let text = |slice: Slice| match slice.run(&table, &Run::new()) {
        Err(Error::Setting(text)) => text,
        other => panic!("{other:?}"),
    };
    assert!(text(sliced(1, &PAPER_SLICES)).contains("below 2"));
    assert!(text(sliced(2, &[&[0, 1], &[2]])).contains("in no slice"));
    assert!(text(sliced(2, &[&[0], &[1, 3]])).contains("`c2` is in no slice"));
    assert!(text(sliced(2, &[&[0, 1], &[2, 3], &[1, 3]])).contains("in more than one slice"));
    assert!(text(sliced(2, &[&[0, 1], &[1, 2], &[2, 0], &[3]])).contains("in a circle"));
    assert!(text(sliced(2, &[&[0, 1, 2, 3, 9]])).contains("does not have"));
    assert!(text(sliced(2, &[&[0, 1, 2], &[], &[3]])).contains("no column"));
    assert!(text(sliced(2, &PAPER_SLICES).masked(set(&[1]))).contains("withheld"));
    assert!(text(sliced(2, &PAPER_SLICES).masked(set(&[3]))).contains("withheld"));
    assert!(text(sliced(2, &PAPER_SLICES).buckets(Some(vec![1]))).contains("one for each row"));
    let found = |count, with_sensitive| {
        Slice::new(2, ColumnId::new(DISEASE), Slices::Found { count, with_sensitive })
    };
    for (count, with_sensitive) in [(0, 1), (1, 1), (5, 1), (2, 0), (2, 5), (2, 4)] {
        assert!(text(found(count, with_sensitive)).contains("hint: pass a number from"));
    }
    assert!(text(Slice::new(2, ColumnId::new(9), Slices::Given(vec![]))).contains("beyond"));
}

#[test]
fn degenerate_tables_have_an_answer() {
    let run = Run::new();
    let none = EncodedTable::of_columns([("a".into(), vec![]), ("s".into(), vec![])]);
    let slice = || Slice::new(2, ColumnId::new(1), Slices::Given(slices(&[&[0], &[1]])));
    let found = slice().run(&none, &run).unwrap();
    assert_eq!((found.buckets(), found.smallest(), found.largest()), (0, 0, 0));
    assert!(slice().buckets(Some(vec![])).run(&none, &run).is_ok());
    let one = EncodedTable::of(&[[1, 1]]);
    assert!(matches!(slice().run(&one, &run), Err(Error::Unreachable(_))));
    assert!(matches!(slice().buckets(Some(vec![7])).run(&one, &run), Err(Error::Unreachable(_))));
    let measured = |table: &EncodedTable, buckets: &[u32]| {
        MatchingBuckets::new(table, &slices(&[&[0], &[1]]), ColumnId::new(1), buckets, &run)
            .unwrap()
    };
    assert_eq!(measured(&none, &[]).max_p(Weighting::Equal), Ratio::new(0, 1));
    assert_eq!(measured(&one, &[3]).max_p(Weighting::BySize), Ratio::new(1, 1));
    assert_eq!(measured(&one, &[3]).membership().matching_auc(), None);
    // Only the sensitive column.
    let alone = EncodedTable::of(&[[1], [2], [1], [2]]);
    let slice = Slice::new(2, ColumnId::new(0), Slices::Given(slices(&[&[0]])));
    assert_eq!(slice.run(&alone, &run).unwrap().sizes(), [4]);
    // Missing values are values.
    let missing = EncodedTable::of_columns([
        ("a".into(), vec![None, None, Some(1), Some(1)]),
        ("s".into(), vec![None, Some(1), None, Some(1)]),
    ]);
    let slice = Slice::new(2, ColumnId::new(1), Slices::Given(slices(&[&[0], &[1]])));
    assert_eq!(slice.run(&missing, &run).unwrap().sizes(), [2, 2]);
}

/// A fraction in lowest terms.
type Fraction = (i128, i128);

fn fraction(part: i128, whole: i128) -> Fraction {
    let (mut a, mut b) = (part, whole);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (part / a.max(1), whole / a.max(1))
}

/// p(t,s) of a row by definition: of all combinations of a row of each slice of a bucket that agree
/// on shared columns and on what is known of t, the share with the sensitive value s; over buckets,
/// weighted by how often the known values are combined.
fn naive_p(
    table: &EncodedTable,
    of: &[ColumnSet],
    sensitive: ColumnId,
    bucket_of: &[u32],
    row: usize,
    by_size: bool,
) -> BTreeMap<u32, Fraction> {
    let slot = |row: usize, id: ColumnId| table.column(id).codes().slot(row);
    let agree = |a: usize, b: usize, columns: &ColumnSet| {
        columns.iter().filter(|&id| id != sensitive).all(|id| slot(a, id) == slot(b, id))
    };
    let own = of.iter().find(|slice| slice.contains(sensitive)).unwrap();
    let buckets: BTreeSet<u32> = bucket_of.iter().copied().collect();
    let mut weights = Vec::new();
    for bucket in buckets {
        let rows: Vec<usize> = (0..table.rows()).filter(|&r| bucket_of[r] == bucket).collect();
        let like = |columns: &ColumnSet| rows.iter().filter(|&&r| agree(r, row, columns)).count();
        let size = rows.len() as i128;
        // The product over slices of the share given what was shared with the slices before.
        let (mut part, mut whole) = (1i128, 1i128);
        let mut met = ColumnSet::new();
        for slice in of {
            let shared = slice.intersection(&met);
            part *= like(slice) as i128;
            whole *= (like(&shared) as i128).max(1);
            met = met.union(slice);
        }
        if by_size {
            part *= size;
        }
        if part > 0 {
            let alike: Vec<usize> = rows.iter().copied().filter(|&r| agree(r, row, own)).collect();
            weights.push((fraction(part, whole), alike));
        }
    }
    let add = |a: Fraction, b: Fraction| fraction(a.0 * b.1 + b.0 * a.1, a.1 * b.1);
    let all = weights.iter().fold((0, 1), |sum, (weight, _)| add(sum, *weight));
    let mut p: BTreeMap<u32, Fraction> = BTreeMap::new();
    for (weight, alike) in &weights {
        for &other in alike {
            let share = fraction(weight.0 * all.1, weight.1 * all.0 * alike.len() as i128);
            let sum = p.entry(slot(other, sensitive)).or_insert((0, 1));
            *sum = add(*sum, share);
        }
    }
    p
}

/// The same for slices that do not overlap, by listing every combination of rows.
fn listed_p(
    table: &EncodedTable,
    of: &[ColumnSet],
    sensitive: ColumnId,
    bucket_of: &[u32],
    row: usize,
) -> BTreeMap<u32, Fraction> {
    let slot = |row: usize, id: ColumnId| table.column(id).codes().slot(row);
    let buckets: BTreeSet<u32> = bucket_of.iter().copied().collect();
    let (mut hits, mut all): (BTreeMap<u32, Fraction>, Fraction) = (BTreeMap::new(), (0, 1));
    let add = |a: Fraction, b: Fraction| fraction(a.0 * b.1 + b.0 * a.1, a.1 * b.1);
    for bucket in buckets {
        let rows: Vec<usize> = (0..table.rows()).filter(|&r| bucket_of[r] == bucket).collect();
        let combinations = rows.len().pow(u32::try_from(of.len()).unwrap());
        for at in 0..combinations {
            let (mut rest, mut fits, mut value) = (at, true, 0);
            for slice in of {
                let other = rows[rest % rows.len()];
                rest /= rows.len();
                for id in slice.iter() {
                    if id == sensitive {
                        value = slot(other, id);
                    } else {
                        fits &= slot(other, id) == slot(row, id);
                    }
                }
            }
            if fits {
                let one = (1, combinations as i128);
                all = add(all, one);
                let sum = hits.entry(value).or_insert((0, 1));
                *sum = add(*sum, one);
            }
        }
    }
    hits.into_iter().map(|(s, p)| (s, fraction(p.0 * all.1, p.1 * all.0))).collect()
}

fn as_ratio(p: Fraction) -> Ratio {
    Ratio::new(p.0.unsigned_abs(), p.1.unsigned_abs())
}

#[derive(Clone, Debug)]
struct Case {
    table: EncodedTable,
    slices: Vec<ColumnSet>,
    sensitive: ColumnId,
    buckets: Vec<u32>,
    overlaps: bool,
}

/// Small tables in slices, some of which share columns as a tree, with any buckets.
fn cases() -> impl Strategy<Value = Case> {
    (1usize..5, 1usize..=9, 1i64..4, 1u32..4, any::<bool>()).prop_flat_map(
        |(columns, rows, values, buckets, overlaps)| {
            let value = prop::option::weighted(0.95, 0..values);
            let cells = prop::collection::vec(prop::collection::vec(value, rows), columns);
            let slice_of = prop::collection::vec(0usize..3, columns);
            let shares = prop::collection::vec(any::<(bool, prop::sample::Index)>(), 3);
            (cells, slice_of, prop::collection::vec(0..buckets, rows), shares, 0..columns).prop_map(
                move |(cells, slice_of, buckets, shares, sensitive)| {
                    let named = cells.into_iter().enumerate();
                    let table =
                        EncodedTable::of_columns(named.map(|(c, cells)| (format!("c{c}"), cells)));
                    let sensitive = ColumnId::new(sensitive);
                    let mut of: Vec<ColumnSet> = (0..3)
                        .map(|slice| {
                            let own = slice_of.iter().enumerate().filter(|(_, s)| **s == slice);
                            own.map(|(c, _)| ColumnId::new(c)).collect::<ColumnSet>()
                        })
                        .filter(|slice| !slice.is_empty())
                        .collect();
                    // A later slice takes in a column of an earlier one.
                    for at in 1..of.len() {
                        let (share, which) = shares[at];
                        let parent: Vec<ColumnId> = of[which.index(at)].iter().collect();
                        let column = parent[which.index(parent.len())];
                        if overlaps && share && column != sensitive {
                            of[at].insert(column);
                        }
                    }
                    Case { table, slices: of, sensitive, buckets, overlaps }
                },
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(3_000)))]

    #[test]
    fn probabilities_are_those_by_definition(case in cases()) {
        let Case { table, slices, sensitive, buckets, overlaps } = case;
        let run = Run::new();
        let measured = MatchingBuckets::new(&table, &slices, sensitive, &buckets, &run).unwrap();
        prop_assert!(measured.is_exact(Weighting::Equal) && measured.is_exact(Weighting::BySize));
        let mut most = Ratio::new(0, 1);
        for row in 0..table.rows() {
            for (weighting, by_size) in [(Weighting::Equal, false), (Weighting::BySize, true)] {
                let naive = naive_p(&table, &slices, sensitive, &buckets, row, by_size);
                let expected: Vec<(u32, Ratio)> =
                    naive.iter().map(|(&slot, &p)| (slot, as_ratio(p))).collect();
                prop_assert_eq!(measured.p_of(row_id(row), weighting), expected.clone());
                let largest = expected.iter().map(|p| p.1).max().unwrap();
                prop_assert_eq!(measured.max_p_of(row_id(row), weighting), largest);
                if !by_size {
                    most = most.max(largest);
                    if !overlaps {
                        prop_assert_eq!(naive, listed_p(&table, &slices, sensitive, &buckets, row));
                    }
                }
            }
        }
        prop_assert_eq!(measured.max_p(Weighting::Equal), most);
        // Given buckets pass up to this l, and not beyond.
        let slice = |l| {
            Slice::new(l, sensitive, Slices::Given(slices.clone()))
                .buckets(Some(buckets.clone()))
                .order(BucketOrder::random(Seed::new(3)))
                .run(&table, &run)
        };
        let l = u32::try_from(most.whole() / most.part()).unwrap();
        if l >= 2 {
            let found = slice(l).unwrap();
            prop_assert_eq!((found.max_p(), found.effective_l()), (most, l));
            assert_slices_kept(&table, found.changes(), found.bucket_of(), &slices);
        }
        prop_assert!(matches!(slice(l.max(1) + 1), Err(Error::Unreachable(_))));
    }

    #[test]
    fn buckets_that_are_found_are_diverse_and_matched_once(case in cases(), l in 2u32..4) {
        let Case { table, slices, sensitive, .. } = case;
        let run = Run::new();
        for (cut, check, one_attempt) in [
            (SliceCut::Strict, SliceCheck::Buckets, false),
            (SliceCut::Strict, SliceCheck::Matches, true),
            (SliceCut::Relaxed, SliceCheck::Buckets, false),
            (SliceCut::Relaxed, SliceCheck::Matches, false),
        ] {
            let slice = Slice::new(l, sensitive, Slices::Given(slices.clone()))
                .cut(cut)
                .check(check)
                .one_attempt(one_attempt)
                .order(BucketOrder::random(Seed::new(1)));
            let whole = vec![0; table.rows()];
            let unsplit = MatchingBuckets::new(&table, &slices, sensitive, &whole, &run).unwrap();
            let found = match slice.run(&table, &run) {
                Ok(found) => found,
                Err(Error::Unreachable(_)) => {
                    prop_assert!(unsplit.max_p(Weighting::Equal) > Ratio::new(1, l.into()));
                    continue;
                }
                Err(error) => panic!("{error}"),
            };
            prop_assert!(unsplit.max_p(Weighting::Equal) <= Ratio::new(1, l.into()));
            assert_slices_kept(&table, found.changes(), found.bucket_of(), &slices);
            let measured =
                MatchingBuckets::new(&table, &slices, sensitive, found.bucket_of(), &run).unwrap();
            for row in 0..table.rows() {
                let naive = naive_p(&table, &slices, sensitive, found.bucket_of(), row, false);
                prop_assert!(naive.values().all(|&p| as_ratio(p) <= Ratio::new(1, l.into())));
            }
            if (cut, check) != (SliceCut::Relaxed, SliceCheck::Matches) {
                prop_assert!(measured.max_p(Weighting::BySize) <= Ratio::new(1, l.into()));
            }
            if cut == SliceCut::Strict {
                // Boxes: the local check is the general one.
                prop_assert_eq!(measured.histogram(), [(1, table.rows() as u64)]);
                prop_assert_eq!(measured.max_p(Weighting::Equal), found.max_p());
            }
        }
    }

    #[test]
    fn combinations_are_counted_as_listed(case in cases()) {
        let Case { table, slices, sensitive, buckets, .. } = case;
        let run = Run::new();
        let measured = MatchingBuckets::new(&table, &slices, sensitive, &buckets, &run).unwrap();
        let columns: Vec<ColumnId> = table.all_columns().iter().collect();
        let row = |row: usize| -> Vec<u32> {
            columns.iter().map(|&id| table.column(id).codes().slot(row)).collect()
        };
        let real: BTreeSet<Vec<u32>> = (0..table.rows()).map(row).collect();
        let mut matches: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for bucket in buckets.iter().copied().collect::<BTreeSet<u32>>() {
            let rows: Vec<Vec<u32>> =
                (0..table.rows()).filter(|&r| buckets[r] == bucket).map(row).collect();
            let mut open: BTreeSet<Vec<Option<u32>>> = [vec![None; columns.len()]].into();
            for slice in &slices {
                let mut next = BTreeSet::new();
                for (begun, other) in open.iter().flat_map(|b| rows.iter().map(move |o| (b, o))) {
                    let mut begun = begun.clone();
                    let fits = slice.iter().all(|id| {
                        *begun[id.index()].get_or_insert(other[id.index()]) == other[id.index()]
                    });
                    if fits {
                        next.insert(begun);
                    }
                }
                open = next;
            }
            for whole in open {
                *matches.entry(whole.into_iter().map(Option::unwrap).collect()).or_default() += 1;
            }
        }
        let membership = measured.membership();
        prop_assert_eq!(membership.consistent(), Combinations::Exactly(matches.len() as u64));
        let fakes: Vec<u32> =
            matches.iter().filter(|(own, _)| !real.contains(*own)).map(|(_, &m)| m).collect();
        prop_assert_eq!(membership.fakes(), Combinations::Exactly(fakes.len() as u64));
        let wins: f64 = real
            .iter()
            .flat_map(|own| fakes.iter().map(|fake| (matches[own], *fake)))
            .map(|(own, fake)| match own.cmp(&fake) {
                Ordering::Greater => 1.0,
                Ordering::Equal => 0.5,
                Ordering::Less => 0.0,
            })
            .sum();
        match membership.matching_auc() {
            None => prop_assert!(fakes.is_empty()),
            Some(auc) => {
                let pairs = u32::try_from(real.len() * fakes.len()).unwrap();
                prop_assert!((auc - wins / f64::from(pairs)).abs() < 1e-9);
            }
        }
        let mut histogram: BTreeMap<u32, u64> = BTreeMap::new();
        (0..table.rows()).for_each(|at| *histogram.entry(matches[&row(at)]).or_default() += 1);
        prop_assert_eq!(measured.histogram(), histogram.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn every_order_of_a_bucket_is_equally_likely() {
    let table = EncodedTable::of(&[[1, 1], [2, 2], [3, 3]]);
    let mut orders: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let seeds = 6_000;
    for seed in 0..seeds {
        let slice = Slice::new(3, ColumnId::new(1), Slices::Given(slices(&[&[0], &[1]])))
            .order(BucketOrder::random(Seed::new(seed)));
        let found = slice.run(&table, &Run::new()).unwrap();
        let at = |column: usize, row: usize| {
            published(&table, found.changes(), row, ColumnId::new(column))
        };
        // Which sensitive value stands beside each value.
        let mut beside: Vec<(u32, u32)> = (0..3).map(|row| (at(0, row), at(1, row))).collect();
        beside.sort_unstable();
        *orders.entry(beside.into_iter().map(|pair| pair.1).collect()).or_default() += 1;
    }
    assert_eq!(orders.len(), 6);
    let expected = f64::from(u32::try_from(seeds).unwrap()) / 6.0;
    let chi: f64 = orders.values().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    // Five degrees of freedom: above 20.5 once in a thousand times.
    assert!(chi < 20.5, "{chi}: {orders:?}");
}

#[test]
fn sorted_order_shows_multisets_only() {
    // The same rows in another order publish the same bytes.
    let table = large_table(500, &[9, 5, 4, 6], true, Seed::new(8));
    let turned = take_rows(&table, &(0..500).rev().collect::<Vec<u32>>()).unwrap();
    let [one, other] = [&table, &turned].map(|table| {
        let slice = Slice::new(2, ColumnId::new(3), Slices::Given(slices(&[&[0, 1], &[2], &[3]])));
        let found = slice.run(table, &Run::new()).unwrap();
        Release::new(table, found.changes(), RowOrder::Sorted).unwrap()
    });
    assert_eq!(one.table().columns(), other.table().columns());
}

#[test]
fn one_slice_is_the_table_itself() {
    let table = EncodedTable::of(&[[1, 1], [1, 2], [2, 1], [2, 2], [2, 3]]);
    let slice = Slice::new(2, ColumnId::new(1), Slices::Given(slices(&[&[0, 1]])));
    let found = slice.order(BucketOrder::random(Seed::new(1))).run(&table, &Run::new()).unwrap();
    assert_slices_kept(&table, found.changes(), found.bucket_of(), &[set(&[0, 1])]);
}

#[test]
fn two_slices_are_bucketization() {
    let table = large_table(2_000, &[7, 40, 3, 6], true, Seed::new(2));
    let sensitive = ColumnId::new(3);
    for order in [BucketOrder::Sorted, BucketOrder::random(Seed::new(6))] {
        let slices = Slices::Found { count: 2, with_sensitive: 1 };
        let slice = Slice::new(2, sensitive, slices).order(order.clone());
        let found = slice.run(&table, &Run::new()).unwrap();
        assert_eq!(found.slices(), [set(&[0, 1, 2]), set(&[3])]);
        let same = Bucketize::new(2, sensitive).method(BucketMethod::Mondrian).order(order);
        let same = same.run(&table, &Run::new()).unwrap();
        assert_eq!(found.bucket_of(), same.bucket_of());
        for columns in [set(&[0, 1, 2]), set(&[3])] {
            assert_eq!(
                shown(&table, found.changes(), found.bucket_of(), &columns),
                shown(&table, same.changes(), same.bucket_of(), &columns),
            );
        }
    }
}

#[test]
fn associations_are_those_by_definition() {
    // Equal columns, unrelated ones, and a constant.
    let rows: Vec<[i64; 4]> = (0..400).map(|at| [at % 4, at % 4, at / 4 % 2, 0]).collect();
    let table = EncodedTable::of(&rows);
    let found = Associations::new(&table, &table.all_columns(), &Run::new()).unwrap();
    let strength = |a, b| found.strength(ColumnId::new(a), ColumnId::new(b)).unwrap();
    assert!((strength(0, 1) - 1.0).abs() < 1e-12 && strength(0, 2).abs() < 1e-12);
    assert!(strength(0, 3).abs() < 1e-12 && (strength(2, 2) - 1.0).abs() < 1e-12);
    assert_eq!(found.matrix().map(<[f64]>::len).collect::<Vec<_>>(), [4; 4]);
    let slices = found.slices(ColumnId::new(2), 3, 1).unwrap();
    assert_eq!(slices, [set(&[0, 1]), set(&[3]), set(&[2])]);
}

#[test]
fn columns_of_many_values_are_binned_or_refused() {
    let run = Run::new();
    let text = |labels: u32| {
        let labels: Vec<String> = (0..labels).map(|label| format!("secret{label}")).collect();
        let count = u32::try_from(labels.len()).unwrap();
        Column::of_labels("name", &labels, (0..400u32).map(|row| row % count)).unwrap()
    };
    let numbers = EncodedTable::of_columns([
        ("number".to_owned(), (0..400).map(Some).collect()),
        ("s".to_owned(), (0..400).map(|row| Some(row % 2)).collect()),
    ]);
    let found = Associations::new(&numbers, &numbers.all_columns(), &run).unwrap();
    assert_eq!(*found.binned(), set(&[0]));
    assert!(found.strength(ColumnId::new(0), ColumnId::new(1)).unwrap() < 1e-9);
    // Twenty rows for each value are enough, fewer are not.
    let with = |labels: u32| {
        let mut columns = numbers.clone().into_columns();
        columns.push(text(labels));
        let table = EncodedTable::new(400, columns).unwrap();
        Associations::new(&table, &table.all_columns(), &run).map(|_| ())
    };
    assert!(with(20).is_ok());
    let refused = with(21).unwrap_err().to_string();
    assert!(refused.contains("`name` has 21 values in 400 rows") && refused.contains("--slices"));
    assert!(!refused.contains("secret"));
}

#[test]
fn the_number_of_threads_does_not_matter_and_limits_are_kept() {
    let table = large_table(60_000, &[30, 90, 5, 8, 6], true, Seed::new(2));
    let slices = Slices::Found { count: 3, with_sensitive: 1 };
    let slice = Slice::new(2, ColumnId::new(4), slices).order(BucketOrder::random(Seed::new(1)));
    let [one, four]: [Sliced; 2] =
        [1, 4].map(|threads| slice.run(&table, &Run::new().threads(threads).unwrap()).unwrap());
    assert_eq!(one.changes(), four.changes());
    let engine_run = Run::new();
    let protection = slice.protect(&MemoryEngine::new(&table, &engine_run), &Run::new()).unwrap();
    assert_eq!(protection.changes(), one.changes());
    for millis in [0, 1, 5, 20] {
        let run = Run::new().time_limit(Some(Duration::from_millis(millis)));
        match slice.run(&table, &run) {
            Ok(found) => {
                let is_stopped = found.coverage() == Coverage::Stopped { by: Stop::TimeLimit };
                assert!(is_stopped || found.coverage() == Coverage::Complete);
                assert!(found.max_p() <= Ratio::new(1, 2));
            }
            Err(Error::Engine(muslin_engine::Error::Stopped(Stop::TimeLimit))) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

/// A check that looks at every row and every bucket would take hours.
#[test]
fn many_rows_in_buckets_of_any_kind_are_checked_quickly() {
    let rows = 200_000;
    let table = large_table(rows, &[74, 7, 16, 7, 5, 2, 14], true, Seed::new(1));
    let of = slices(&[&[0], &[1], &[2], &[3], &[4], &[5], &[6]]);
    let seed = Seed::new(4);
    let buckets: Vec<u32> =
        (0..rows).map(|row| u32::try_from(seed.below(row, rows / 100)).unwrap()).collect();
    let run = Run::new().time_limit(Some(Duration::from_secs(100)));
    let slice = Slice::new(2, ColumnId::new(6), Slices::Given(of)).buckets(Some(buckets));
    match slice.run(&table, &run) {
        Ok(found) => assert_eq!(found.coverage(), Coverage::Complete),
        Err(Error::Unreachable(_)) => {}
        Err(other) => panic!("{other}"),
    }
}

/// UCI adult, train and test, rows without a missing cell.
fn adult(names: &[&str]) -> Option<EncodedTable> {
    let input = Input::named(data::real("adult_full.csv.gz")?);
    let run = Run::new();
    let options = ReadOptions { null: vec!["?".into()], ..ReadOptions::default() };
    let table = muslin_io::read(&input, &options, &run).unwrap().table;
    let is_whole = |row: &u32| {
        let missing = |column: &Column| column.codes().slot(*row as usize) == column.missing_slot();
        !table.columns().iter().any(missing)
    };
    let rows: Vec<u32> = (0..u32::try_from(table.rows()).unwrap()).filter(is_whole).collect();
    let whole = take_rows(&table, &rows).unwrap();
    if names.is_empty() {
        return Some(whole);
    }
    let columns: ColumnSet = names.iter().map(|name| whole.find(name).unwrap()).collect();
    Some(whole.project(&columns))
}

const OCC_7: [&str; 7] =
    ["age", "workclass", "education", "marital-status", "race", "sex", "occupation"];

#[test]
fn adult_has_its_known_associations() {
    let Some(table) = adult(&[]) else { return };
    assert_eq!(table.rows(), 45_222);
    let found = Associations::new(&table, &table.all_columns(), &Run::new()).unwrap();
    let occupation = table.find("occupation").unwrap();
    for (name, known) in [
        ("sex", 0.1899),
        ("income", 0.1197),
        ("workclass", 0.0471),
        ("education", 0.0387),
        ("fnlwgt", 0.0006),
    ] {
        let strength = found.strength(occupation, table.find(name).unwrap()).unwrap();
        assert!((strength - known).abs() < 6e-5, "{name}: {strength}");
    }
    let binned: Vec<&str> = found.binned().iter().map(|id| table.column(id).name()).collect();
    assert_eq!(binned, ["age", "fnlwgt", "capital-gain", "capital-loss", "hours-per-week"]);
}

#[test]
fn adult_is_sliced_to_its_known_figures() {
    let Some(table) = adult(&OCC_7) else { return };
    let run = Run::new();
    let occupation = table.find("occupation").unwrap();
    let with = |names: &[&str]| -> Slices {
        let own: ColumnSet =
            names.iter().map(|name| table.find(name).unwrap()).chain([occupation]).collect();
        Slices::Given(vec![table.all_columns().difference(&own), own])
    };
    for (names, feasible) in [(&["sex"][..], 3), (&[], 7), (&["education"], 1)] {
        match Slice::new(9, occupation, with(names)).run(&table, &run) {
            Err(Error::Unreachable(text)) => {
                assert!(text.contains(&format!("an l of {feasible} at most")), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }
    let found = Slices::Found { count: 2, with_sensitive: 2 };
    let all = Slice::new(3, occupation, found.clone()).run(&table, &run).unwrap();
    let sex: ColumnSet = ["sex", "occupation"].iter().map(|n| table.find(n).unwrap()).collect();
    assert_eq!(all.slices()[1], sex);
    assert_eq!((all.buckets(), all.largest()), (1_203, 1_047));
    let one = Slice::new(3, occupation, found).one_attempt(true).run(&table, &run).unwrap();
    assert_eq!((one.buckets(), one.largest()), (225, 5_667));
    assert!(all.max_p() <= Ratio::new(1, 3));
    let measured =
        MatchingBuckets::new(&table, all.slices(), occupation, all.bucket_of(), &run).unwrap();
    assert_eq!(measured.histogram(), [(1, 45_222)]);
    assert_eq!(measured.max_p(Weighting::Equal), all.max_p());
    // Everybody matches one bucket, and yet it is told who is there.
    let membership = measured.membership();
    assert_eq!((membership.real(), membership.matching_auc()), (23_325, Some(0.5)));
    assert!(membership.multiplicity_auc().unwrap() > 0.8);
}

#[test]
fn adult_is_cut_in_halves_too() {
    let Some(table) = adult(&OCC_7) else { return };
    let run = Run::new();
    let occupation = table.find("occupation").unwrap();
    let slices = Slices::Found { count: 2, with_sensitive: 2 };
    for (check, buckets) in [(SliceCheck::Buckets, 2_833), (SliceCheck::Matches, 8_872)] {
        let slice = Slice::new(3, occupation, slices.clone()).cut(SliceCut::Relaxed).check(check);
        let found = slice.run(&table, &run).unwrap();
        assert_eq!(found.buckets(), buckets);
        let of = found.bucket_of();
        let measured = MatchingBuckets::new(&table, found.slices(), occupation, of, &run).unwrap();
        let [equal, by_size] = [Weighting::Equal, Weighting::BySize].map(|w| measured.max_p(w));
        assert!(equal <= Ratio::new(1, 3));
        assert!(by_size <= Ratio::new(1, 3) || check == SliceCheck::Matches);
    }
}

/// Buckets drawn at random: figures of the same kind, of other draws.
#[test]
fn adult_in_random_buckets_has_about_the_known_fakes() {
    let Some(table) = adult(&OCC_7) else { return };
    let run = Run::new();
    let occupation = table.find("occupation").unwrap();
    let associations = Associations::new(&table, &table.all_columns(), &run).unwrap();
    let slices = associations.slices(occupation, 2, 2).unwrap();
    let mut rows: Vec<usize> = (0..table.rows()).collect();
    rows.sort_by_key(|&row| Seed::new(11).draw(row as u64));
    for (size, known) in [(10, 89_975.0), (100, 194_793.0), (1_000, 234_853.0)] {
        let mut buckets = vec![0; table.rows()];
        for (at, &row) in rows.iter().enumerate() {
            buckets[row] = u32::try_from(at / size).unwrap();
        }
        let measured = MatchingBuckets::new(&table, &slices, occupation, &buckets, &run).unwrap();
        let membership = measured.membership();
        let fakes = membership.fakes().number().unwrap();
        assert!((fakes / known - 1.0).abs() < 0.01, "buckets of {size}: {fakes} fakes");
        assert!((0.7..0.76).contains(&membership.matching_auc().unwrap()));
    }
}
