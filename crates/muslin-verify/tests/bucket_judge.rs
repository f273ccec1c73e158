//! Buckets of a release: a brute-force count, and releases that are wrong in one cell.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use muslin_engine::{Run, Seed, take_rows};
use muslin_table::{Column, ColumnId, EncodedTable, Ratio};
use muslin_testkit::published::{
    LAVANYA_BUCKETS, LAVANYA_SLICES_C, LAVANYA_SLICES_E, LAVANYA_SLICES_F, LAVANYA_TABLE_A,
    LAVANYA_TABLE_C, LAVANYA_TABLE_E, LAVANYA_TABLE_F, LavanyaRows, lavanya_table,
};
use muslin_verify::{BucketFacts, BucketJudge};
use proptest::prelude::*;

fn names(slices: &[&[&str]]) -> Vec<Vec<String>> {
    slices.iter().map(|slice| slice.iter().map(|&name| name.into()).collect()).collect()
}

fn with_buckets(table: EncodedTable, buckets: &[u32]) -> EncodedTable {
    let count = buckets.iter().max().map_or(0, |&most| most + 1);
    let rows = table.rows();
    let mut columns = table.into_columns();
    columns.push(Column::of_numbers("bucket", count, buckets.iter().copied()).unwrap());
    EncodedTable::new(rows, columns).unwrap()
}

fn judged(release: &LavanyaRows, slices: &[&[&str]]) -> BucketFacts {
    let release = with_buckets(lavanya_table(release), &LAVANYA_BUCKETS);
    // In another order, and with dictionaries of what is published.
    let release = take_rows(&release, &[7, 2, 0, 5, 1, 3, 4, 6]).unwrap();
    let judge = BucketJudge::new("bucket", names(slices)).sensitive("Disease");
    judge.run(&lavanya_table(&LAVANYA_TABLE_A), &LAVANYA_BUCKETS, &release, &Run::new()).unwrap()
}

#[test]
fn the_published_tables_are_what_the_paper_says() {
    for (release, slices) in [
        (&LAVANYA_TABLE_C, &LAVANYA_SLICES_C[..]),
        (&LAVANYA_TABLE_E, &LAVANYA_SLICES_E[..]),
        (&LAVANYA_TABLE_F, &LAVANYA_SLICES_F[..]),
    ] {
        let facts = judged(release, slices);
        assert!(facts.is_kept() && facts.is_diverse(2) && !facts.is_diverse(3));
        assert_eq!((facts.rows(), facts.buckets()), (8, 2));
        assert_eq!((facts.smallest(), facts.largest()), (Some(4), Some(4)));
        assert_eq!(facts.max_p(), Ratio::new(1, 2));
    }
    // Each bucket has one disease twice and two once: 4 - (4 + 1 + 1) / 4.
    assert!((judged(&LAVANYA_TABLE_C, &LAVANYA_SLICES_C).rce() - 5.0).abs() < 1e-12);
    // Table (f) cuts what table (c) keeps together, and the other way round.
    assert!(!judged(&LAVANYA_TABLE_F, &LAVANYA_SLICES_C).is_kept());
    assert!(!judged(&LAVANYA_TABLE_C, &LAVANYA_SLICES_F).is_kept());
}

#[test]
fn one_wrong_cell_is_found() {
    let mut wrong = LAVANYA_TABLE_F;
    wrong[3][3] = "dyspepsia";
    assert_eq!(judged(&wrong, &LAVANYA_SLICES_F).differing(), 1);
    // A value that the original does not have.
    wrong[3][3] = "gout";
    assert!(!judged(&wrong, &LAVANYA_SLICES_F).is_kept());
    // The same values in another bucket.
    let mut wrong = LAVANYA_TABLE_F;
    wrong.swap(3, 4);
    assert!(!judged(&wrong, &LAVANYA_SLICES_F).is_kept());
}

#[test]
fn rows_that_are_lost_are_found() {
    let original = lavanya_table(&LAVANYA_TABLE_A);
    let release = with_buckets(lavanya_table(&LAVANYA_TABLE_F), &LAVANYA_BUCKETS);
    let release = take_rows(&release, &[0, 1, 2, 3, 4, 5, 6]).unwrap();
    let judge = BucketJudge::new("bucket", names(&LAVANYA_SLICES_F));
    let facts = judge.run(&original, &LAVANYA_BUCKETS, &release, &Run::new()).unwrap();
    assert!(!facts.is_kept() && facts.max_p() == Ratio::new(0, 1));
}

#[test]
fn wrong_settings_say_what_to_do() {
    let original = lavanya_table(&LAVANYA_TABLE_A);
    let release = with_buckets(lavanya_table(&LAVANYA_TABLE_F), &LAVANYA_BUCKETS);
    let text = |judge: BucketJudge, buckets: &[u32]| {
        judge.run(&original, buckets, &release, &Run::new()).unwrap_err().to_string()
    };
    let slices = || names(&LAVANYA_SLICES_F);
    let judge = BucketJudge::new("bucket", slices());
    assert!(text(judge.clone(), &[0]).contains("one for each row"));
    assert!(text(BucketJudge::new("Sex", slices()), &LAVANYA_BUCKETS).contains("numbers"));
    assert!(text(BucketJudge::new("b", slices()), &LAVANYA_BUCKETS).contains("`b`"));
    let alone = BucketJudge::new("bucket", names(&[&["Age"]])).sensitive("Disease");
    assert!(text(alone, &LAVANYA_BUCKETS).contains("in no slice"));
}

/// Combinations of a slice by bucket.
fn combinations(
    table: &EncodedTable,
    slice: &[usize],
    bucket_of: &[u32],
) -> BTreeMap<(u32, Vec<u32>), u64> {
    let mut counts = BTreeMap::new();
    for (row, &bucket) in bucket_of.iter().enumerate() {
        let slot = |&at: &usize| table.column(ColumnId::new(at)).codes().slot(row);
        *counts.entry((bucket, slice.iter().map(slot).collect())).or_insert(0) += 1;
    }
    counts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(500)))]

    /// Columns are shuffled, within buckets or not; the facts are those of a count in maps.
    #[test]
    fn facts_are_those_of_a_count(
        cells in prop::collection::vec((0u32..3, prop::array::uniform3(prop::option::weighted(0.9, 0i64..3))), 0..24),
        moved in any::<u64>(),
        apart in any::<bool>(),
    ) {
        let rows = cells.len();
        let column = |at: usize| cells.iter().map(|row| row.1[at]).collect::<Vec<_>>();
        let original = EncodedTable::of_columns(
            (0..3).map(|at| (format!("c{at}"), column(at))),
        );
        let bucket_of: Vec<u32> = cells.iter().map(|row| row.0).collect();
        // The last column changes places: within buckets, or anywhere.
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by_key(|&row| (if apart { 0 } else { bucket_of[row] }, Seed::new(moved).draw(row as u64)));
        let mut places: Vec<usize> = (0..rows).collect();
        places.sort_by_key(|&row| if apart { 0 } else { bucket_of[row] });
        let mut last = vec![None; rows];
        places.iter().zip(&order).for_each(|(&place, &row)| last[place] = cells[row].1[2]);
        let changed = EncodedTable::of_columns([
            ("c0".to_owned(), column(0)), ("c1".to_owned(), column(1)), ("c2".to_owned(), last),
        ]);
        let release = with_buckets(changed.clone(), &bucket_of);
        for slices in [vec![vec![0], vec![1, 2]], vec![vec![0, 1], vec![2]], vec![vec![0, 1], vec![1, 2]]] {
            let text = slices.iter().map(|slice| slice.iter().map(|at| format!("c{at}")).collect());
            let judge = BucketJudge::new("bucket", text.collect()).sensitive("c2");
            let facts = judge.run(&original, &bucket_of, &release, &Run::new()).unwrap();
            let is_kept = slices.iter().all(|slice| {
                combinations(&original, slice, &bucket_of) == combinations(&changed, slice, &bucket_of)
            });
            prop_assert_eq!(facts.is_kept(), is_kept);
            let own = slices.iter().find(|slice| slice.contains(&2)).unwrap();
            let known: Vec<usize> = own.iter().copied().filter(|&at| at != 2).collect();
            let of_known = combinations(&changed, &known, &bucket_of);
            let shares = combinations(&changed, own, &bucket_of).into_iter().map(|((bucket, mut slots), count)| {
                slots.pop();
                Ratio::new(count.into(), of_known[&(bucket, slots)].into())
            });
            prop_assert_eq!(facts.max_p(), shares.max().unwrap_or(Ratio::new(0, 1)));
        }
    }
}
