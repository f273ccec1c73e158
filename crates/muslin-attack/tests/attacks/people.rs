//! Attacks on people: linkage, composition, seeds, classes.

use std::collections::BTreeMap;

use crate::common::{anatomy, bucketized, orders, set, shuffled};
use muslin_attack::{
    Composition, Error, Homogeneity, Linkage, Part, Released, Rows, SeedGuess, Skewness,
};
use muslin_engine::{Run, Seed, take_rows};
use muslin_table::{Column, ColumnId, EncodedTable};
use muslin_testkit::published::{LAVANYA_TABLE_A, LAVANYA_TABLE_B, lavanya_table};
use proptest::prelude::*;

/// A label of a release: a value, anything, or a range.
#[derive(Clone, Copy, Debug)]
enum Label {
    Value(i64),
    Any,
    Range(i64, i64),
}

impl Label {
    fn text(self) -> String {
        match self {
            Self::Value(value) => value.to_string(),
            Self::Any => "*".into(),
            Self::Range(a, b) => format!("[{a}-{b}]"),
        }
    }

    fn fits(self, value: i64) -> bool {
        match self {
            Self::Value(own) => own == value,
            Self::Any => true,
            Self::Range(a, b) => (a..=b).contains(&value),
        }
    }
}

fn labels() -> impl Strategy<Value = Label> {
    prop_oneof![
        3 => (0i64..6).prop_map(Label::Value),
        1 => Just(Label::Any),
        2 => (0i64..6, 1i64..4).prop_map(|(a, more)| Label::Range(a, a + more)),
    ]
}

fn labelled(rows: &[Vec<Label>]) -> EncodedTable {
    let column = |c: usize| {
        let labels: Vec<String> = rows.iter().map(|row| row[c].text()).collect();
        let positions = 0u32..u32::try_from(rows.len()).unwrap();
        Column::of_labels(format!("c{c}"), &labels, positions).unwrap()
    };
    EncodedTable::new(rows.len(), (0..3).map(column).collect()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(500)))]

    #[test]
    fn links_are_those_of_brute_force(
        people in prop::collection::vec(prop::collection::vec(0i64..5, 3), 1..12),
        rows in prop::collection::vec(prop::collection::vec(labels(), 3), 1..12),
    ) {
        let cells = |c: usize| people.iter().map(|row| Some(row[c])).collect::<Vec<_>>();
        let voters = EncodedTable::of_columns((0..3).map(|c| (format!("c{c}"), cells(c))));
        let release = labelled(&rows);
        let fits = |person: &Vec<i64>, row: &Vec<Label>| {
            person.iter().zip(row).all(|(&value, label)| label.fits(value))
        };
        let matches: Vec<usize> =
            people.iter().map(|person| rows.iter().filter(|row| fits(person, row)).count()).collect();
        let linked = matches.iter().filter(|&&count| count == 1).count() as u64;
        let none = matches.iter().filter(|&&count| count == 0).count();
        let found = Linkage::new(&["c0", "c1", "c2"])
            .run(&Released::new(&release), &voters, &BTreeMap::new(), &Run::new())
            .unwrap();
        prop_assert_eq!((found.targets(), found.certain()), (people.len() as u64, linked));
        prop_assert_eq!(found.note().unwrap().split(' ').next().unwrap(), none.to_string());
        let chance = matches.iter().filter(|&&count| count > 0).map(|&count| 1.0 / f64::from(u32::try_from(count).unwrap()));
        let expected = chance.sum::<f64>() / f64::from(u32::try_from(people.len()).unwrap());
        prop_assert!((found.success().unwrap() - expected).abs() < 1e-12);
        let baseline = 1.0 / f64::from(u32::try_from(rows.len()).unwrap());
        prop_assert!((found.baseline().unwrap() - baseline).abs() < 1e-12);
    }
}

#[test]
fn links_are_scored_where_it_is_known_who_is_who() {
    let original = EncodedTable::of(&[[1, 20, 5], [2, 30, 5], [3, 40, 6], [4, 40, 7]]);
    let order = [2u32, 0, 3, 1];
    let release = take_rows(&original.project(&set(&[1, 2])), &order).unwrap();
    let run = Run::new();
    let rows = Rows::Given(order.to_vec());
    let released =
        Released::with_original(&release, &original, &BTreeMap::new(), &rows, &run).unwrap();
    // The second voter has another's age by mistake; the fourth is not in the release.
    let voters = EncodedTable::of(&[[1, 20], [2, 20], [3, 40], [9, 99]]);
    let attack = Linkage::new(&["c1"]).id(Some("c0".into()));
    let found = attack.run(&released, &voters, &BTreeMap::new(), &run).unwrap();
    assert_eq!((found.certain(), found.scored(), found.right()), (2, 2, Some(1)));
    assert_eq!(found.rows(), [1]);
    assert!((found.success().unwrap() - 2.5 / 4.0).abs() < 1e-12);
}

#[test]
fn generalized_rows_link_nobody() {
    let (people, release) = (lavanya_table(&LAVANYA_TABLE_A), lavanya_table(&LAVANYA_TABLE_B));
    let on = ["Age", "Sex", "Zipcode"];
    let link = |release: &EncodedTable| {
        Linkage::new(&on)
            .run(&Released::new(release), &people, &BTreeMap::new(), &Run::new())
            .unwrap()
    };
    assert_eq!((link(&release).certain(), link(&release).success()), (0, Some(0.25)));
    assert_eq!(link(&people).certain(), 8);
}

fn random(rows: u64, values: [u64; 3], seed: Seed) -> EncodedTable {
    let cell =
        |row: u64, c: usize| i64::try_from(seed.part(c as u64).below(row, values[c])).unwrap();
    let rows: Vec<[i64; 3]> = (0..rows).map(|row| [0, 1, 2].map(|c| cell(row, c))).collect();
    EncodedTable::of(&rows)
}

#[test]
fn two_releases_disclose_what_each_alone_does_not() {
    let people = random(3_000, [1_000, 1_000, 12], Seed::new(2));
    let release = |seed| bucketized(&people, 2, &anatomy(&people, 2, 3, Seed::new(seed)));
    let (one, other) = (release(1), release(2));
    let attack = Composition::new(&["c0", "c1"], "c2");
    let both = |one, other| {
        let parts = [Part::new(one).buckets("bucket"), Part::new(other).buckets("bucket")];
        attack.run(&people, parts, &Run::new()).unwrap()
    };
    let found = both(&one, &other);
    assert_eq!(found.baseline(), Some(0.0));
    assert_eq!(found.right(), Some(found.certain()));
    assert!(found.success().unwrap() > 0.05, "{found:?}");
    // The same release twice says what it says once.
    assert_eq!(both(&one, &one).certain(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(200)))]

    #[test]
    fn compositions_are_those_of_brute_force(
        people in prop::collection::vec((0i64..3, 0i64..4), 2..14),
        first in prop::collection::vec(0u32..4, 14),
        second in prop::collection::vec(0u32..4, 14),
    ) {
        let rows: Vec<[i64; 2]> = people.iter().map(|&(a, s)| [a, s]).collect();
        let table = EncodedTable::of(&rows);
        let part = |of: &[u32]| bucketized(&table, 1, &of[..rows.len()]);
        let (one, other) = (part(&first), part(&second));
        let possible = |of: &[u32], key: i64| {
            let mut values: Vec<i64> = (0..rows.len())
                .filter(|&r| (0..rows.len()).any(|j| of[j] == of[r] && rows[j][0] == key))
                .map(|r| rows[r][1])
                .collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let certain = rows
            .iter()
            .filter(|row| {
                let (a, b) = (possible(&first, row[0]), possible(&second, row[0]));
                a.iter().filter(|value| b.contains(value)).count() == 1
            })
            .count() as u64;
        let parts = [Part::new(&one).buckets("bucket"), Part::new(&other).buckets("bucket")];
        let found = Composition::new(&["c0"], "c1").run(&table, parts, &Run::new()).unwrap();
        prop_assert_eq!((found.certain(), found.right()), (certain, Some(certain)));
    }
}

#[test]
fn a_small_seed_is_found_and_every_row_relinked() {
    let original = random(300, [50, 50, 4], Seed::new(8));
    let run = Run::new();
    let guess = |order: Vec<u32>, seeds: u64| {
        let release = take_rows(&original, &order).unwrap();
        let rows = Rows::Given(order);
        let released =
            Released::with_original(&release, &original, &BTreeMap::new(), &rows, &run).unwrap();
        SeedGuess::new(set(&[0, 1, 2]), seeds).run(&released, orders, &run).unwrap()
    };
    let found = guess(shuffled(Seed::new(4_321), 300), 5_000);
    assert_eq!((found.right(), found.success()), (Some(300), Some(1.0)));
    assert!(found.note().unwrap().contains("1 of 5,000 seeds reproduces the row order"));
    let found = guess(shuffled(Seed::new(4_321), 300), 4_000);
    assert_eq!((found.guessed(), found.success(), found.advantage()), (0, None, None));
    assert!(found.note().unwrap().contains("no seed below 4,000 reproduces the row order"));
    assert!(found.baseline().unwrap() > 0.9);
}

#[test]
fn seeds_need_the_original_and_as_many_rows() {
    let original = random(30, [5, 5, 4], Seed::new(8));
    let (released, run) = (Released::new(&original), Run::new());
    let attack = SeedGuess::new(set(&[0]), 10);
    let found = attack.run(&released, orders, &run).unwrap();
    assert!(found.success().is_none() && found.note().unwrap().contains("not scored"));
    let less = take_rows(&original, &[0, 1]).unwrap();
    let released =
        Released::with_original(&less, &original, &BTreeMap::new(), &Rows::Unknown, &run).unwrap();
    assert!(matches!(attack.run(&released, orders, &run), Err(Error::Setting(_))));
}

#[test]
fn classes_of_one_value_are_certain() {
    let release = EncodedTable::of(&[[1, 5], [2, 6], [1, 5], [2, 5], [3, 6], [3, 6], [3, 6]]);
    let (released, run) = (Released::new(&release), Run::new());
    let found = Homogeneity::new(set(&[0]), ColumnId::new(1)).run(&released, &run).unwrap();
    assert_eq!((found.targets(), found.certain(), found.right()), (7, 5, Some(6)));
    assert_eq!(found.baseline(), Some(4.0 / 7.0));
    assert_eq!(found.rows(), [0, 2, 4, 5, 6]);
    // All of one class: nothing beyond what everybody knows.
    let found = Homogeneity::new(set(&[]), ColumnId::new(1)).run(&released, &run).unwrap();
    assert_eq!((found.certain(), found.advantage()), (0, Some(0.0)));
    let found = Skewness::new(set(&[]), ColumnId::new(1)).run(&released, &run).unwrap();
    assert_eq!(found.advantage(), Some(0.0));
    // 5 is in three rows of seven and in all of the first class.
    let found = Skewness::new(set(&[0]), ColumnId::new(1)).run(&released, &run).unwrap();
    assert_eq!((found.success(), found.baseline()), (Some(1.0), Some(3.0 / 7.0)));
    assert_eq!(found.rows(), [0, 2]);
}

#[test]
fn a_suppressed_sensitive_cell_is_no_value() {
    let table = EncodedTable::of(&[[1, 5], [1, 5], [2, 6], [2, 5]]);
    let release = crate::common::blanked(&table, &[(1, 1), (3, 1)]);
    let (released, run) = (Released::new(&release), Run::new());
    let found = Homogeneity::new(set(&[0]), ColumnId::new(1)).run(&released, &run).unwrap();
    assert_eq!((found.targets(), found.certain(), found.right()), (2, 0, Some(2)));
    let found = Skewness::new(set(&[0]), ColumnId::new(1)).run(&released, &run).unwrap();
    assert_eq!((found.success(), found.baseline()), (Some(1.0), Some(0.5)));
}
