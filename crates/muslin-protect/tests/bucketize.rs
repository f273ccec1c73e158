//! Bucketization: what Anatomy promises, brute force on small tables, known figures on a real one.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::time::Duration;

use muslin_engine::{Cancel, Coverage, Run, Seed, Stop, take_rows};
use muslin_io::{Input, ReadOptions};
use muslin_protect::{BucketMethod, BucketOrder, Bucketize, Bucketized, Error};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, Ratio};
use muslin_testkit::data;
use muslin_testkit::generate::large_table;
use proptest::prelude::*;

const METHODS: [BucketMethod; 2] = [BucketMethod::Anatomy, BucketMethod::Mondrian];

/// Sensitive values by bucket, before and after.
fn values(
    table: &EncodedTable,
    sensitive: ColumnId,
    found: &Bucketized,
) -> [BTreeMap<u32, Vec<u32>>; 2] {
    let codes = table.column(sensitive).codes();
    let sources = found.changes().sources(sensitive).unwrap();
    let mut by_bucket = [BTreeMap::new(), BTreeMap::new()];
    for (row, &bucket) in found.bucket_of().iter().enumerate() {
        for (of, source) in by_bucket.iter_mut().zip([row, sources[row].index()]) {
            of.entry(bucket).or_insert_with(Vec::new).push(codes.slot(source));
        }
    }
    by_bucket.iter_mut().flat_map(BTreeMap::values_mut).for_each(|own| own.sort_unstable());
    by_bucket
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(3_000)))]

    #[test]
    fn buckets_are_diverse(
        cells in prop::collection::vec((0i64..5, prop::option::weighted(0.9, 0i64..7)), 0..40),
        l in 2u32..5,
        seed in any::<u64>(),
    ) {
        let table = EncodedTable::of_columns([
            ("a".to_owned(), cells.iter().map(|row| Some(row.0)).collect()),
            ("s".to_owned(), cells.iter().map(|row| row.1).collect()),
        ]);
        let sensitive = ColumnId::new(1);
        let rows = table.rows();
        let mut of_value: BTreeMap<Option<i64>, usize> = BTreeMap::new();
        cells.iter().for_each(|row| *of_value.entry(row.1).or_default() += 1);
        let is_eligible = of_value.values().all(|&count| count * l as usize <= rows);
        for method in METHODS {
            let order = BucketOrder::random(Seed::new(seed));
            let bucketize = Bucketize::new(l, sensitive).method(method).order(order);
            let found = match bucketize.run(&table, &Run::new()) {
                Ok(found) => found,
                Err(Error::Unreachable(text)) => {
                    prop_assert!(!is_eligible);
                    let most = of_value.values().max().unwrap();
                    let feasible = format!("an l of {} at most", rows / most);
                    prop_assert!(text.contains(&feasible), "{}", text);
                    continue;
                }
                Err(error) => panic!("{error}"),
            };
            prop_assert!(is_eligible);
            let [before, after] = values(&table, sensitive, &found);
            prop_assert_eq!(&before, &after);
            let (mut error, mut table_of) = (0.0, Vec::new());
            for (&bucket, own) in &before {
                let size = own.len();
                let number = |count: usize| f64::from(u32::try_from(count).unwrap());
                let same: Vec<(u32, usize)> =
                    own.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
                prop_assert!(same.iter().all(|one| one.1 * l as usize <= size));
                if method == BucketMethod::Anatomy {
                    prop_assert!(same.len() == size && size >= l as usize && size < 2 * l as usize);
                }
                let share = |count: usize| number(count) / number(size);
                for &(value, count) in &same {
                    let others = same.iter().filter(|other| other.0 != value);
                    let of_row: f64 = (1.0 - share(count)).powi(2)
                        + others.map(|other| share(other.1).powi(2)).sum::<f64>();
                    error += of_row * number(count);
                    table_of.push((bucket, value, count));
                }
            }
            if method == BucketMethod::Anatomy {
                prop_assert_eq!(found.buckets(), rows / l as usize);
            }
            let listed: Vec<(u32, u32, usize)> = found
                .sensitive_table()
                .iter()
                .map(|own| (own.bucket, own.slot, own.count as usize))
                .collect();
            prop_assert_eq!(listed, table_of);
            prop_assert!((found.rce() - error).abs() < 1e-9);
            prop_assert!((found.rce_exact().unwrap().as_f64() - error).abs() < 1e-9);
            prop_assert!(found.rce_exact().unwrap() >= found.rce_bound() || rows == 0);
            if method == BucketMethod::Anatomy && rows.is_multiple_of(l as usize) && rows > 0 {
                prop_assert_eq!(found.rce_exact().unwrap(), found.rce_bound());
            }
        }
    }
}

#[test]
fn wrong_settings_say_what_to_do() {
    let table = EncodedTable::of(&[[1, 1], [2, 1], [3, 2]]);
    let text = |bucketize: Bucketize| bucketize.run(&table, &Run::new()).unwrap_err().to_string();
    assert!(text(Bucketize::new(1, ColumnId::new(1))).contains("below 2"));
    assert!(text(Bucketize::new(2, ColumnId::new(5))).contains("beyond"));
    assert!(text(Bucketize::new(2, ColumnId::new(1))).contains("an l of 1 at most"));
    let masked: ColumnSet = [ColumnId::new(1)].into_iter().collect();
    assert!(text(Bucketize::new(2, ColumnId::new(1)).masked(masked)).contains("withheld"));
    assert!(text(Bucketize::new(2, ColumnId::new(1)).bucket_name("c0")).contains("another name"));
}

/// One bucket, and as many rows left over as it has: each is placed without a look at all others.
#[test]
fn many_rows_that_are_left_over_are_placed() {
    let rows = 600_001;
    let cells = (0..rows).map(Some).collect();
    let table = EncodedTable::of_columns([("s".to_owned(), cells)]);
    let found = Bucketize::new(300_001, ColumnId::new(0)).run(&table, &Run::new()).unwrap();
    assert_eq!((found.buckets(), found.largest()), (1, 600_001));
}

#[test]
fn a_run_that_must_stop_leaves_rows_together() {
    let table = large_table(50_000, &[30, 90, 5, 8], false, Seed::new(2));
    for method in METHODS {
        let bucketize = Bucketize::new(2, ColumnId::new(3)).method(method);
        let late = bucketize.run(&table, &Run::new().time_limit(Some(Duration::ZERO))).unwrap();
        assert_eq!(late.coverage(), Coverage::Stopped { by: Stop::TimeLimit }, "{method:?}");
        assert_eq!(late.buckets(), 1);
        assert!(late.max_p() <= Ratio::new(1, 2));
        let cancel = Cancel::default();
        cancel.cancel();
        let ended = bucketize.run(&table, &Run::new().cancel(cancel)).unwrap();
        assert_eq!(ended.coverage(), Coverage::Stopped { by: Stop::Interrupted });
    }
}

#[test]
fn sorted_values_do_not_tell_in_which_order_rows_were_read() {
    // Read by rising sensitive value: sorted values beside rows as they stood would be the table.
    let rows: Vec<[i64; 2]> = (0..60).map(|row| [row * 37 % 60, row / 10]).collect();
    let mut mixed = rows.clone();
    mixed.sort_unstable();
    for method in METHODS {
        let bucketize = Bucketize::new(3, ColumnId::new(1)).method(method);
        let found = bucketize.run(&EncodedTable::of(&rows), &Run::new()).unwrap();
        let source = |row: usize, at| found.changes().sources(ColumnId::new(at)).unwrap()[row];
        let is_told =
            |&row: &usize| rows[source(row, 0).index()][1] == rows[source(row, 1).index()][1];
        // By chance, one in three.
        assert!((0..60).filter(is_told).count() < 40, "{method:?}");
        // Buckets of the same rows are published alike, in whatever order these were read.
        if method == BucketMethod::Mondrian {
            let again = bucketize.run(&EncodedTable::of(&mixed), &Run::new()).unwrap();
            let pairs = |rows: &[[i64; 2]], found: &Bucketized| {
                let source = |row, at| found.changes().sources(ColumnId::new(at)).unwrap()[row];
                let pair = |row: usize| [0, 1].map(|at| rows[source(row, at).index()][at]);
                let mut pairs: Vec<[i64; 2]> = (0..60).map(pair).collect();
                pairs.sort_unstable();
                pairs
            };
            assert_eq!(pairs(&rows, &found), pairs(&mixed, &again));
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let table = large_table(50_000, &[30, 90, 5, 8], true, Seed::new(2));
    for method in METHODS {
        let bucketize = Bucketize::new(2, ColumnId::new(3))
            .method(method)
            .order(BucketOrder::random(Seed::new(9)));
        let [one, four] = [1, 4]
            .map(|threads| bucketize.run(&table, &Run::new().threads(threads).unwrap()).unwrap());
        assert_eq!(one.changes(), four.changes());
        assert_eq!(one.coverage(), Coverage::Complete);
    }
}

#[test]
fn adult_reaches_the_bound() {
    let Some(path) = data::real("adult_full.csv.gz") else { return };
    let run = Run::new();
    let options = ReadOptions { null: vec!["?".into()], ..ReadOptions::default() };
    let table = muslin_io::read(&Input::named(path), &options, &run).unwrap().table;
    let is_whole = |row: &u32| {
        !table.columns().iter().any(|c| c.codes().slot(*row as usize) == c.missing_slot())
    };
    let rows: Vec<u32> = (0..u32::try_from(table.rows()).unwrap()).filter(is_whole).collect();
    let names = ["age", "workclass", "education", "marital-status", "race", "sex", "occupation"];
    let columns: ColumnSet = names.iter().map(|name| table.find(name).unwrap()).collect();
    let table = take_rows(&table, &rows).unwrap().project(&columns);
    let occupation = table.find("occupation").unwrap();
    for (l, rce, bound) in
        [(3, 30_148, Ratio::new(30_148, 1)), (5, 36_178, Ratio::new(361_776, 10))]
    {
        let found = Bucketize::new(l, occupation).run(&table, &run).unwrap();
        assert_eq!(found.rce_exact(), Some(Ratio::new(rce, 1)));
        assert_eq!(found.rce_bound(), bound);
        assert_eq!(found.buckets(), 45_222 / l as usize);
    }
    let alike = Bucketize::new(3, occupation).method(BucketMethod::Mondrian);
    let alike = alike.run(&table, &run).unwrap();
    assert_eq!((alike.buckets(), alike.largest()), (1_251, 889));
    assert!(alike.max_p() <= Ratio::new(1, 3));
}
