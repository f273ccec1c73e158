//! Attacks on buckets and slices.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{anatomy, bucketized, set};
use muslin_attack::{Attack, DeFinetti, Error, Membership, Released, Rows};
use muslin_engine::{Run, Seed};
use muslin_table::{Column, ColumnId, EncodedTable};
use muslin_testkit::published::{
    LAVANYA_BUCKETS, LAVANYA_SLICES_C, LAVANYA_SLICES_F, LAVANYA_TABLE_A, LAVANYA_TABLE_C,
    LAVANYA_TABLE_F, LavanyaRows, lavanya_slices, lavanya_table,
};
use proptest::prelude::*;

/// Rows whose sensitive value, the last, is told by the first column as often as `share` says.
fn told(rows: u64, share: f64, seed: Seed) -> EncodedTable {
    let draw = |row: u64, of: u64, below: u64| seed.part(of).below(row, below);
    let row = |row: u64| {
        let first = draw(row, 0, 6);
        let value = if seed.part(9).unit(row) < share { first } else { draw(row, 2, 6) };
        [first, draw(row, 1, 4), value].map(|number| i64::try_from(number).unwrap())
    };
    EncodedTable::of(&(0..rows).map(row).collect::<Vec<_>>())
}

fn definetti(original: &EncodedTable, l: usize, run: &Run) -> Attack {
    let release = bucketized(original, 2, &anatomy(original, 2, l, Seed::new(3)));
    let released =
        Released::with_original(&release, original, &BTreeMap::new(), &Rows::InOrder, run).unwrap();
    let bucket = release.find("bucket").unwrap();
    DeFinetti::new(bucket, ColumnId::new(2), set(&[0, 1])).run(&released, run).unwrap()
}

#[test]
fn a_value_that_others_tell_is_learned_from_buckets() {
    for l in [2, 3, 4] {
        let found = definetti(&told(3_000, 1.0, Seed::new(7)), l, &Run::new());
        assert!(
            (found.baseline().unwrap() - 1.0 / f64::from(u32::try_from(l).unwrap())).abs() < 0.02
        );
        assert!(found.success().unwrap() > 0.99, "{l}: {found:?}");
    }
}

#[test]
fn a_value_that_nothing_tells_is_not_learned() {
    for l in [2, 3, 4] {
        let found = definetti(&told(6_000, 0.0, Seed::new(7)), l, &Run::new());
        assert!(found.advantage().unwrap().abs() < 0.05, "{l}: {found:?}");
    }
}

#[test]
fn the_attack_is_the_same_on_any_number_of_threads() {
    let table = told(2_000, 0.6, Seed::new(1));
    let [one, four] =
        [1, 4].map(|threads| definetti(&table, 3, &Run::new().threads(threads).unwrap()));
    assert_eq!(one, four);
    assert!(one.advantage().unwrap() > 0.1);
}

#[test]
fn a_bucket_of_one_value_is_certain() {
    let release = EncodedTable::of(&[[0, 1, 5], [0, 2, 5], [1, 1, 5], [1, 2, 6]]);
    let attack = DeFinetti::new(ColumnId::new(0), ColumnId::new(2), set(&[1]));
    let found = attack.run(&Released::new(&release), &Run::new()).unwrap();
    assert_eq!((found.certain(), found.rows()), (2, &[0, 1][..]));
    assert_eq!((found.success(), found.baseline()), (None, Some(0.75)));
    let tired = attack.clone().work_limit(3).run(&Released::new(&release), &Run::new());
    assert!(matches!(tired, Err(Error::TooMuchWork { .. })));
    let wrong = DeFinetti::new(ColumnId::new(0), ColumnId::new(2), set(&[1, 2]));
    assert!(wrong.run(&Released::new(&release), &Run::new()).is_err());
}

fn with_buckets(table: &EncodedTable, buckets: &[u32]) -> EncodedTable {
    let mut columns = table.columns().to_vec();
    let count = buckets.iter().max().map_or(0, |&last| last + 1);
    columns.push(Column::of_numbers("bucket", count, buckets.iter().copied()).unwrap());
    EncodedTable::new(table.rows(), columns).unwrap()
}

fn member(of: &LavanyaRows, slices: &[&[&str]]) -> Attack {
    let original = lavanya_table(&LAVANYA_TABLE_A);
    let release = with_buckets(&lavanya_table(of), &LAVANYA_BUCKETS);
    let run = Run::new();
    let released =
        Released::with_original(&release, &original, &BTreeMap::new(), &Rows::Unknown, &run)
            .unwrap();
    let slices = lavanya_slices(&release, slices);
    Membership::new(release.find("bucket").unwrap(), slices).run(&released, &run).unwrap()
}

#[test]
fn the_fakes_of_the_paper_are_counted() {
    let found = member(&LAVANYA_TABLE_F, &LAVANYA_SLICES_F);
    assert!(found.note().unwrap().starts_with("20 fake"), "{found:?}");
    let found = member(&LAVANYA_TABLE_C, &LAVANYA_SLICES_C);
    assert!(found.note().unwrap().starts_with("16 fake"), "{found:?}");
    assert_eq!((found.targets(), found.baseline()), (8, Some(0.5)));
}

/// How often one of the first numbers is above one of the others.
fn auc(real: &[f64], fakes: &[f64]) -> f64 {
    let win = |a: f64, b: f64| if (a - b).abs() < 1e-9 { 0.5 } else { f64::from(u8::from(a > b)) };
    let wins: f64 = real.iter().map(|&a| fakes.iter().map(|&b| win(a, b)).sum::<f64>()).sum();
    let pairs = u32::try_from(real.len() * fakes.len()).unwrap();
    wins / f64::from(pairs)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(200)))]

    #[test]
    fn areas_are_those_of_brute_force(
        rows in prop::collection::vec((0i64..3, 0i64..3, 0i64..3, 0u32..4), 1..14),
    ) {
        let cells: Vec<[i64; 3]> = rows.iter().map(|row| [row.0, row.1, row.2]).collect();
        let original = EncodedTable::of(&cells);
        // Each slice keeps its rows: which of them a row has says nothing, so no order is needed.
        let release = with_buckets(&original, &rows.iter().map(|row| row.3).collect::<Vec<_>>());
        let part = |row: &[i64; 3]| ([row[0], row[1]], row[2]);
        let expected = |one: [i64; 2], other: i64| -> f64 {
            (0..4u32).map(|bucket| {
                let own: Vec<_> = (0..rows.len()).filter(|&r| rows[r].3 == bucket).collect();
                let count = |f: &dyn Fn(usize) -> bool| f64::from(u32::try_from(own.iter().filter(|&&r| f(r)).count()).unwrap());
                let size = f64::from(u32::try_from(own.len()).unwrap());
                if own.is_empty() { 0.0 } else {
                    count(&|r| part(&cells[r]).0 == one) * count(&|r| part(&cells[r]).1 == other) / size
                }
            }).sum()
        };
        let real: BTreeSet<([i64; 2], i64)> = cells.iter().map(part).collect();
        let mut fakes = BTreeSet::new();
        for (a, x) in cells.iter().zip(&rows) {
            for (b, _) in cells.iter().zip(&rows).filter(|(_, y)| x.3 == y.3) {
                fakes.insert((part(a).0, part(b).1));
            }
        }
        let fakes: Vec<f64> = fakes.difference(&real).map(|own| expected(own.0, own.1)).collect();
        let scores: Vec<f64> = real.iter().map(|own| expected(own.0, own.1)).collect();
        let run = Run::new();
        let released = Released::with_original(&release, &original, &BTreeMap::new(), &Rows::Unknown, &run).unwrap();
        let attack = Membership::new(ColumnId::new(3), vec![set(&[0, 1]), set(&[2])]);
        let found = attack.run(&released, &run).unwrap().success().unwrap();
        let brute = if fakes.is_empty() { 1.0 } else { auc(&scores, &fakes) };
        prop_assert!((found - brute).abs() < 1e-9, "{} {}", found, brute);
        // Draws come near.
        if !fakes.is_empty() {
            let drawn = attack.limits(0, 20_000).run(&released, &run).unwrap().success().unwrap();
            prop_assert!((drawn - brute).abs() < 0.05, "{} {}", drawn, brute);
        }
    }
}

#[test]
fn without_the_original_membership_is_not_scored() {
    let release = with_buckets(&told(20, 1.0, Seed::new(1)), &[0; 20]);
    let attack = Membership::new(ColumnId::new(3), vec![set(&[0, 1]), set(&[2])]);
    let found = attack.run(&Released::new(&release), &Run::new()).unwrap();
    assert!(found.success().is_none() && found.note().unwrap().contains("not scored"));
    let overlapping = Membership::new(ColumnId::new(3), vec![set(&[0, 1]), set(&[1, 2])]);
    assert!(matches!(
        overlapping.run(&Released::new(&release), &Run::new()),
        Err(Error::Setting(_))
    ));
}
