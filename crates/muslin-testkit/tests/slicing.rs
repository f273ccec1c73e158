//! The oracles of slicing and bucketization against the tables of Lavanya and Srinivas and against
//! each other.

use std::collections::BTreeMap;

use muslin_table::{ColumnId, ColumnSet, EncodedTable, Ratio};
use muslin_testkit::oracle::{BucketWeight, Slicing, Tuple, membership_auc, reconstruction_error};
use muslin_testkit::{generate, published};
use proptest::prelude::*;

const WEIGHTS: [BucketWeight; 2] = [BucketWeight::Equal, BucketWeight::Rows];

// Slots of the diseases, which are in the order of their names.
const BRONCHITIS: u32 = 0;
const DYSPEPSIA: u32 = 1;
const FLU: u32 = 2;
const GASTRITIS: u32 = 3;

fn disease() -> ColumnId {
    ColumnId::new(3)
}

/// The table that the paper slices, and its slices.
fn paper(slices: &[&[&str]]) -> (EncodedTable, Vec<ColumnSet>) {
    let table = published::lavanya_table(&published::LAVANYA_TABLE_A);
    let slices = published::lavanya_slices(&table, slices);
    (table, slices)
}

fn slicing<'a>(table: &'a EncodedTable, slices: &'a [ColumnSet]) -> Slicing<'a> {
    Slicing { table, slices, buckets: &published::LAVANYA_BUCKETS }
}

fn set(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().map(ColumnId::new).collect()
}

/// One in so many for each value.
fn chances<const N: usize>(of: [(u32, u128); N]) -> BTreeMap<u32, Ratio> {
    of.into_iter().map(|(value, one_in)| (value, Ratio::new(1, one_in))).collect()
}

/// p(t, s) of a row, which both ways and both weights of buckets must agree on.
fn of_row(slicing: Slicing<'_>, row: usize) -> BTreeMap<u32, Ratio> {
    let tuple = slicing.tuple(row);
    let [first, second] = WEIGHTS.map(|weight| {
        let found = slicing.chances(&tuple, disease(), weight);
        assert_eq!(found, slicing.chances_by_enumeration(&tuple, disease(), weight));
        found
    });
    assert_eq!(first, second);
    first
}

#[test]
fn the_sliced_table_tells_each_disease_with_a_chance_of_one_half() {
    let (table, slices) = paper(&published::LAVANYA_SLICES_F);
    let slicing = slicing(&table, &slices);
    let expected = [
        [DYSPEPSIA, FLU],
        [DYSPEPSIA, FLU],
        [FLU, BRONCHITIS],
        [FLU, BRONCHITIS],
        [FLU, DYSPEPSIA],
        [FLU, DYSPEPSIA],
        [DYSPEPSIA, GASTRITIS],
        [DYSPEPSIA, GASTRITIS],
    ];
    for (row, values) in expected.into_iter().enumerate() {
        assert_eq!(of_row(slicing, row), chances(values.map(|value| (value, 2))));
    }
}

#[test]
fn the_bucketized_table_tells_halves_and_quarters() {
    let (table, slices) = paper(&published::LAVANYA_SLICES_C);
    for row in 0..8 {
        let expected = if row < 4 {
            [(FLU, 2), (DYSPEPSIA, 4), (BRONCHITIS, 4)]
        } else {
            [(DYSPEPSIA, 2), (FLU, 4), (GASTRITIS, 4)]
        };
        assert_eq!(of_row(slicing(&table, &slices), row), chances(expected));
    }
}

#[test]
fn the_papers_slicings_are_2_diverse_and_not_3_diverse() {
    let cuts: [&[&[&str]]; 3] =
        [&published::LAVANYA_SLICES_C, &published::LAVANYA_SLICES_E, &published::LAVANYA_SLICES_F];
    for cut in cuts {
        let (table, slices) = paper(cut);
        let slicing = slicing(&table, &slices);
        assert_eq!(slicing.greatest_chance(disease(), BucketWeight::Equal), Ratio::new(1, 2));
        assert!(slicing.is_l_diverse(disease(), 2));
        assert!(!slicing.is_l_diverse(disease(), 3));
        // Without buckets, three of eight have the flu, but one of two with a given zip code.
        let whole = Slicing { buckets: &[0; 8], ..slicing };
        let greatest = whole.greatest_chance(disease(), BucketWeight::Equal);
        let with_zip = slices.iter().any(|s| s.contains(disease()) && s.len() > 1);
        let expected = if with_zip { Ratio::new(1, 2) } else { Ratio::new(3, 8) };
        assert_eq!(greatest, expected);
    }
}

#[test]
fn the_papers_slicings_allow_so_many_combinations() {
    let cuts: [(&[&[&str]], usize, usize); 3] = [
        (&published::LAVANYA_SLICES_F, 28, 20),
        (&published::LAVANYA_SLICES_C, 24, 16),
        (&published::LAVANYA_SLICES_E, 72, 64),
    ];
    for (cut, combinations, fakes) in cuts {
        let (table, slices) = paper(cut);
        let slicing = slicing(&table, &slices);
        assert_eq!(slicing.combinations().len(), combinations);
        assert_eq!(slicing.fakes().len(), fakes);
        assert_eq!(slicing.real().len(), 8);
        // The buckets are boxes, so that each combination is of one.
        let all = table.all_columns();
        for tuple in slicing.combinations() {
            assert_eq!(slicing.matching_buckets(&tuple, &all), 1);
        }
    }
}

#[test]
fn a_published_table_allows_the_same_as_the_one_that_it_is_made_from() {
    let releases: [(&[&[&str]], _); 3] = [
        (&published::LAVANYA_SLICES_C, published::LAVANYA_TABLE_C),
        (&published::LAVANYA_SLICES_E, published::LAVANYA_TABLE_E),
        (&published::LAVANYA_SLICES_F, published::LAVANYA_TABLE_F),
    ];
    for (cut, rows) in releases {
        let (table, slices) = paper(cut);
        let release = published::lavanya_table(&rows);
        assert_eq!(
            slicing(&release, &slices).combination_shares(),
            slicing(&table, &slices).combination_shares()
        );
    }
}

#[test]
fn one_slice_is_the_table_itself() {
    let (table, _) = paper(&[]);
    let slices = [table.all_columns()];
    let slicing = slicing(&table, &slices);
    assert_eq!(slicing.combinations(), slicing.real());
    assert_eq!(slicing.greatest_chance(disease(), BucketWeight::Equal), Ratio::new(1, 1));
}

#[test]
fn scores_of_real_and_fake_are_compared_pair_by_pair() {
    let (table, slices) = paper(&published::LAVANYA_SLICES_F);
    let slicing = slicing(&table, &slices);
    let (real, fakes) = (slicing.real(), slicing.fakes());
    let all = table.all_columns();
    let matching = |tuple: &Tuple| slicing.matching_buckets(tuple, &all);
    let [real_counts, fake_counts] =
        [&real, &fakes].map(|tuples| tuples.iter().map(matching).collect::<Vec<_>>());
    assert_eq!(membership_auc(&real_counts, &fake_counts), Some(Ratio::new(1, 2)));
    // Two real ones and two fakes have the age and sex that two rows have: a half instead of a
    // quarter of a row is expected.
    let expected = |tuple: &Tuple| slicing.expected_rows(tuple);
    let [real_rows, fake_rows] =
        [&real, &fakes].map(|tuples| tuples.iter().map(expected).collect::<Vec<_>>());
    let halves = |rows: &[Ratio]| rows.iter().filter(|&&rows| rows == Ratio::new(1, 2)).count();
    assert_eq!([halves(&real_rows), halves(&fake_rows)], [2, 2]);
    assert_eq!(membership_auc(&real_rows, &fake_rows), Some(Ratio::new(92, 160)));
    assert_eq!(membership_auc(&[2, 3], &[1, 1]), Some(Ratio::new(1, 1)));
    assert_eq!(membership_auc::<u32>(&[], &[1]), None);
}

#[test]
fn buckets_count_equally_or_by_their_rows() {
    // The first row matches the bucket of one row and that of three, where a third has its value.
    let table = EncodedTable::of(&[[1, 7], [1, 8], [2, 8], [2, 8]]);
    let slices = [set(&[0]), set(&[1])];
    let slicing = Slicing { table: &table, slices: &slices, buckets: &[0, 1, 1, 1] };
    let [equal, rows] =
        WEIGHTS.map(|weight| slicing.chances(&slicing.tuple(0), ColumnId::new(1), weight));
    // 1 and 1/3 are three to one; by rows, 1 and 3/3 are one to one.
    assert_eq!(equal, BTreeMap::from([(0, Ratio::new(3, 4)), (1, Ratio::new(1, 4))]));
    assert_eq!(rows, BTreeMap::from([(0, Ratio::new(1, 2)), (1, Ratio::new(1, 2))]));
    assert_eq!(slicing.matching_buckets(&slicing.tuple(0), &set(&[0])), 2);
    assert_eq!(slicing.matching_buckets(&slicing.tuple(0), &set(&[0, 1])), 1);
    let nobody = Tuple::from([(ColumnId::new(0), 5), (ColumnId::new(1), 0)]);
    assert_eq!(slicing.chances(&nobody, ColumnId::new(1), BucketWeight::Equal), BTreeMap::new());
}

#[test]
fn slices_that_share_a_column_agree_on_it() {
    // Columns 0 and 2 are linked through column 1 only.
    let table = EncodedTable::of(&[[1, 1, 1], [2, 1, 2], [3, 2, 3], [3, 2, 4]]);
    let slices = [set(&[0, 1]), set(&[1, 2])];
    let slicing = Slicing { table: &table, slices: &slices, buckets: &[0; 4] };
    assert!(slicing.is_in_order());
    assert_eq!(slicing.combinations().len(), 6);
    assert_eq!(slicing.fakes().len(), 2);
    // 1/4 of each slice over the 2/4 of the shared value.
    let shares = &slicing.combination_shares()[0];
    assert_eq!(shares[&slicing.tuple(0)], Ratio::new(1, 8));
    assert_eq!(shares[&slicing.tuple(2)], Ratio::new(1, 4));
    let found = slicing.chances(&slicing.tuple(0), ColumnId::new(2), BucketWeight::Equal);
    assert_eq!(found, BTreeMap::from([(0, Ratio::new(1, 2)), (1, Ratio::new(1, 2))]));
    // A ring of three slices is in no order.
    let ring = [set(&[0, 1]), set(&[1, 2]), set(&[0, 2])];
    assert!(!Slicing { slices: &ring, ..slicing }.is_in_order());
}

#[test]
fn the_reconstruction_error_is_least_where_no_value_repeats_in_a_bucket() {
    let (table, _) = paper(&[]);
    let error = |buckets: &[u32]| reconstruction_error(&table, disease(), buckets);
    // In each bucket, two rows of 14/16 and two of 6/16.
    assert_eq!(error(&published::LAVANYA_BUCKETS), Ratio::new(5, 1));
    // Two values in each bucket of two: n (1 - 1/l).
    assert_eq!(error(&[0, 0, 1, 1, 2, 2, 3, 3]), Ratio::new(4, 1));
    // By itself, each row is known.
    assert_eq!(error(&[0, 1, 2, 3, 4, 5, 6, 7]), Ratio::new(0, 1));
}

/// What holds of every slicing.
fn check(case: &generate::SmallSlicing) -> Result<(), TestCaseError> {
    let generate::SmallSlicing { table, slices, buckets, sensitive } = case;
    let slicing = Slicing { table, slices, buckets };
    prop_assert!(slicing.is_in_order());
    let known: ColumnSet = slicing.columns().iter().filter(|id| id != sensitive).collect();
    let fakes = slicing.fakes();
    for tuple in slicing.combinations() {
        let mut matching = None;
        for weight in WEIGHTS {
            let found = slicing.chances(&tuple, *sensitive, weight);
            let listed = slicing.chances_by_enumeration(&tuple, *sensitive, weight);
            prop_assert_eq!(&found, &listed);
            let sum: f64 = found.values().map(|chance| chance.as_f64()).sum();
            prop_assert!((sum - 1.0).abs() < 1e-12);
            prop_assert_eq!(matching.get_or_insert(found.len()), &found.len());
        }
        prop_assert!(slicing.matching_buckets(&tuple, &table.all_columns()) >= 1);
        prop_assert!(
            slicing.matching_buckets(&tuple, &known)
                >= slicing.matching_buckets(&tuple, &table.all_columns())
        );
        prop_assert!(slicing.expected_rows(&tuple) > Ratio::new(0, 1));
        prop_assert_eq!(fakes.contains(&tuple), !slicing.real().contains(&tuple));
    }
    prop_assert!(slicing.real().is_subset(&slicing.combinations()));
    let rows: f64 =
        slicing.combinations().iter().map(|tuple| slicing.expected_rows(tuple).as_f64()).sum();
    let all = f64::from(u32::try_from(table.rows()).expect("a small table"));
    prop_assert!((rows - all).abs() < 1e-9);
    marginals(slicing)
}

/// The shares of combinations add up to the rows' shares of each slice.
fn marginals(slicing: Slicing<'_>) -> Result<(), TestCaseError> {
    let mut numbers: Vec<u32> = slicing.buckets.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    for (number, shares) in numbers.into_iter().zip(slicing.combination_shares()) {
        let rows = slicing.buckets.iter().enumerate().filter(|(_, bucket)| **bucket == number);
        let rows: Vec<Tuple> = rows.map(|(row, _)| slicing.tuple(row)).collect();
        let one = 1.0 / f64::from(u32::try_from(rows.len()).expect("a small table"));
        for slice in slicing.slices {
            let part = |tuple: &Tuple| slice.iter().map(|id| tuple[&id]).collect::<Vec<u32>>();
            let mut surplus: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
            for (tuple, share) in &shares {
                *surplus.entry(part(tuple)).or_default() += share.as_f64();
            }
            rows.iter().for_each(|row| *surplus.entry(part(row)).or_default() -= one);
            prop_assert!(surplus.values().all(|surplus| surplus.abs() < 1e-9));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(300)))]

    #[test]
    fn definition_and_enumeration_agree(case in generate::small_slicings(false)) {
        let shared = case.slices.iter().map(ColumnSet::len).sum::<usize>();
        prop_assert_eq!(shared, case.table.columns().len());
        check(&case)?;
    }

    #[test]
    fn definition_and_enumeration_agree_where_slices_overlap(
        case in generate::small_slicings(true)
    ) {
        check(&case)?;
    }
}
