//! Attacks on suppressed cells: what neighbours, dependencies and minimality give away.

use std::collections::BTreeMap;

use crate::common::{blanked, set};
use muslin_attack::{
    Attack, Dependencies, Disambiguation, Equals, Error, Released, RowOrder, Rows,
};
use muslin_engine::{Run, Seed};
use muslin_table::{Column, EncodedTable};
use muslin_testkit::published::{VINTERBO_B, vinterbo_table_3, vinterbo_table_4, vinterbo_table_5};
use proptest::prelude::*;

fn disambiguated(
    original: &EncodedTable,
    cells: &[(usize, usize)],
    k: u32,
    equals: Equals,
    codebook: bool,
) -> Attack {
    let release = blanked(original, cells);
    let run = Run::new();
    let released =
        Released::with_original(&release, original, &BTreeMap::new(), &Rows::InOrder, &run)
            .unwrap();
    let attack = Disambiguation::new(original.all_columns(), k).equals(equals).codebook(codebook);
    attack.run(&released, &run).unwrap()
}

#[test]
fn the_blanks_of_two_published_tables_are_recovered_and_those_of_the_third_are_not() {
    // Completions that leave every blank needed: 1 of 4, 1 of 16, and 32 of 75 = 4 x 2 x 4.
    let tables = [vinterbo_table_3(), vinterbo_table_4(), vinterbo_table_5()];
    for (table, (cells, (certain, left))) in
        tables.iter().zip(VINTERBO_B.into_iter().zip([(2, "50.0 %"), (4, "50.0 %"), (0, "76.9 %")]))
    {
        let found = disambiguated(table, cells, 2, Equals::Wildcard, true);
        assert_eq!(found.targets(), cells.len() as u64);
        assert_eq!((found.certain(), found.right()), (certain, Some(certain)));
        // The third table has 5 + 3 + 5 candidates, of which 4 + 2 + 4 are left.
        assert!(found.note().unwrap().contains(left), "{:?}", found.note());
    }
}

#[test]
fn groups_of_equal_rows_give_nothing_away() {
    // Two rows of each sex in a class of four: whoever is blank may be either.
    let table = EncodedTable::of(&[[1, 1], [1, 2], [2, 1], [2, 1], [2, 2], [2, 2]]);
    let found = disambiguated(&table, &[(0, 1), (1, 1)], 2, Equals::Classes, false);
    assert_eq!((found.targets(), found.certain()), (2, 0));
    // Three men are visible and one more row is blank without need to be if it were a man.
    let table = EncodedTable::of(&[[1, 1], [1, 1], [1, 1], [1, 2]]);
    let found = disambiguated(&table, &[(3, 1)], 2, Equals::Classes, true);
    assert_eq!((found.certain(), found.right(), found.success()), (1, Some(1), Some(1.0)));
    assert_eq!(found.rows(), [3]);
}

#[test]
fn what_is_in_sight_nowhere_is_no_candidate_without_a_codebook() {
    let table = EncodedTable::of(&[[1, 1], [1, 1], [1, 1], [1, 2]]);
    let found = disambiguated(&table, &[(3, 1)], 2, Equals::Wildcard, false);
    assert_eq!((found.guessed(), found.certain()), (0, 0));
    assert!(found.note().unwrap().contains("shows nowhere"));
}

/// The rows that agree with each row wherever both show something, or that are alike.
fn equals_of(rows: &[Vec<Option<i64>>], equals: Equals) -> Vec<usize> {
    let alike = |a: &[Option<i64>], b: &[Option<i64>]| {
        let cell = |(a, b): (&Option<i64>, &Option<i64>)| {
            a == b || (equals == Equals::Wildcard && (a.is_none() || b.is_none()))
        };
        a.iter().zip(b).all(cell)
    };
    rows.iter().map(|a| rows.iter().filter(|b| alike(a, b)).count()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(500)))]

    #[test]
    fn candidates_are_those_of_brute_force(
        rows in prop::collection::vec(prop::collection::vec((0i64..3, prop::bool::weighted(0.25)), 3), 1..9),
        k in 2u32..4,
        wildcard in any::<bool>(),
    ) {
        let equals = if wildcard { Equals::Wildcard } else { Equals::Classes };
        let cells = |c: usize| rows.iter().map(|row| Some(row[c].0)).collect::<Vec<_>>();
        let table = EncodedTable::of_columns((0..3).map(|c| (format!("c{c}"), cells(c))));
        let blanks: Vec<(usize, usize)> = (0..rows.len())
            .flat_map(|r| (0..3).map(move |c| (r, c)))
            .filter(|&(r, c)| rows[r][c].1)
            .collect();
        let shown: Vec<Vec<Option<i64>>> = rows
            .iter()
            .map(|row| row.iter().map(|cell| (!cell.1).then_some(cell.0)).collect())
            .collect();
        let before = equals_of(&shown, equals);
        let (mut certain, mut right) = (0, 0);
        for &(r, c) in &blanks {
            let mut domain: Vec<i64> = rows.iter().map(|row| row[c].0).collect();
            domain.sort_unstable();
            domain.dedup();
            domain.retain(|&value| {
                let mut with = shown.clone();
                with[r][c] = Some(value);
                let after = equals_of(&with, equals);
                let keeps = |j: usize| after[j] >= before[j] || after[j] >= k as usize;
                after[r] < k as usize || !(0..rows.len()).filter(|&j| j != r).all(keeps)
            });
            certain += u64::from(domain.len() == 1);
            right += u64::from(domain == [rows[r][c].0]);
        }
        let found = disambiguated(&table, &blanks, k, equals, true);
        prop_assert_eq!(found.targets(), blanks.len() as u64);
        prop_assert_eq!((found.certain(), found.right()), (certain, Some(right)));
    }
}

fn sorted_with_blanks() -> (EncodedTable, EncodedTable) {
    let rows: Vec<[i64; 2]> = (0..400).map(|row| [row / 20, (row * 7) % 20]).collect();
    let original = EncodedTable::of(&rows);
    let cells: Vec<(usize, usize)> = (0..400).step_by(9).flat_map(|r| [(r, 0), (r, 1)]).collect();
    (blanked(&original, &cells), original)
}

#[test]
fn neighbours_in_a_sorted_file_refill_blanks_and_those_of_a_shuffled_one_do_not() {
    let (release, original) = sorted_with_blanks();
    let run = Run::new();
    let order = |rows: &Rows, release: &EncodedTable, column: usize| {
        let released =
            Released::with_original(release, &original, &BTreeMap::new(), rows, &run).unwrap();
        RowOrder::new(set(&[column])).run(&released, &run).unwrap()
    };
    let found = order(&Rows::InOrder, &release, 0);
    assert_eq!(found.targets(), 45);
    assert!(found.success().unwrap() > 0.95 && found.guessed() >= 44, "{found:?}");
    assert!(found.advantage().unwrap() > 0.8);
    let other = order(&Rows::InOrder, &release, 1);
    assert_eq!(other.right(), Some(0));
    let shuffled = crate::common::shuffled(Seed::new(5), 400);
    let release = muslin_engine::take_rows(&release, &shuffled).unwrap();
    let found = order(&Rows::Given(shuffled), &release, 0);
    assert!(found.guessed() < 25, "{found:?}");
    assert!(found.success().unwrap_or(0.0) < 0.3, "{found:?}");
}

#[test]
fn a_guess_by_neighbours_is_one_that_the_label_allows() {
    let labels = ["20", "30", "[20-30]", "[40-50]"];
    let ages = Column::of_labels("c0", &labels, [0, 2, 0, 3, 0, 1].into_iter()).unwrap();
    let release = EncodedTable::new(6, vec![ages]).unwrap();
    let original = EncodedTable::of(&[[20], [20], [20], [50], [20], [30]]);
    let run = Run::new();
    let released =
        Released::with_original(&release, &original, &BTreeMap::new(), &Rows::InOrder, &run);
    // 40 is no value of the original: the range stands for 50 alone, so that cell is in sight.
    let found = RowOrder::new(set(&[0])).run(&released.unwrap(), &run).unwrap();
    assert_eq!((found.targets(), found.guessed(), found.right()), (1, 1, Some(1)));
}

/// Ages in rising order, the lower ones more frequent, and a release that has half of them as ranges of
/// ten years.
fn sorted_with_ranges(rows: u64, seed: Seed) -> (EncodedTable, EncodedTable) {
    let draw = |part: u64, row: u64, below: u64| seed.part(part).below(row, below);
    let mut ages: Vec<u64> =
        (0..rows).map(|row| 20 + draw(0, row, 40).min(draw(1, row, 40))).collect();
    ages.sort_unstable();
    let mut labels: Vec<String> = (20..60).map(|age| age.to_string()).collect();
    labels.extend((2..6).map(|ten| format!("[{ten}0-{ten}9]")));
    let label = |(&age, row): (&u64, u64)| match draw(2, row, 2) {
        0 => age - 20,
        _ => 40 + age / 10 - 2,
    };
    let places: Vec<u32> =
        ages.iter().zip(0..).map(label).map(|at| u32::try_from(at).unwrap()).collect();
    let release = Column::of_labels("age", &labels, places.into_iter()).unwrap();
    let ages = ages.iter().map(|&age| i64::try_from(age).ok()).collect();
    let original = EncodedTable::of_columns([("age".to_owned(), ages)]);
    (EncodedTable::new(original.rows(), vec![release]).unwrap(), original)
}

#[test]
fn neighbours_in_a_shuffled_file_tell_no_more_than_the_ranges_do() {
    let run = Run::new();
    let gained = |rows: &Rows, release: &EncodedTable, original: &EncodedTable| {
        let released = Released::with_original(release, original, &BTreeMap::new(), rows, &run);
        RowOrder::new(set(&[0])).run(&released.unwrap(), &run).unwrap()
    };
    let (mut sum, seeds) = (0.0, 8u32);
    for seed in 0..seeds {
        let (release, original) = sorted_with_ranges(10_000, Seed::new(seed.into()));
        let sorted = gained(&Rows::InOrder, &release, &original);
        assert!(sorted.guessed() > 4_500 && sorted.advantage().unwrap() > 0.5, "{sorted:?}");
        let order = crate::common::shuffled(Seed::new(100 + u64::from(seed)), 10_000);
        let release = muslin_engine::take_rows(&release, &order).unwrap();
        let shuffled = gained(&Rows::Given(order), &release, &original);
        assert!(shuffled.guessed() > 200, "{shuffled:?}");
        // The ranges alone say more than the whole column does: one in ten and more.
        assert!(shuffled.baseline().unwrap() > 0.1, "{shuffled:?}");
        sum += shuffled.advantage().unwrap();
    }
    assert!((sum / f64::from(seeds)).abs() < 0.05, "{sum}");
}

#[test]
fn a_column_that_tells_another_refills_it_and_others_do_not() {
    let seed = Seed::new(1);
    let number = |row: u64, of: u64| i64::try_from(seed.part(of).below(row, 12)).unwrap();
    let rows: Vec<[i64; 4]> = (0..600)
        .map(|row| {
            let (a, b) = (number(row, 0), number(row, 1));
            // The second is told by the first, the fourth by the first and the third together.
            [a, a / 2, b, (a + b) % 7]
        })
        .collect();
    let original = EncodedTable::of(&rows);
    let cells: Vec<(usize, usize)> = (0..600).step_by(10).flat_map(|r| [(r, 1), (r, 3)]).collect();
    let release = blanked(&original, &cells);
    let run = Run::new();
    let released =
        Released::with_original(&release, &original, &BTreeMap::new(), &Rows::InOrder, &run)
            .unwrap();
    let found = Dependencies::new(set(&[0, 1, 2, 3])).run(&released, &run).unwrap();
    // A few pairs of values are in sight nowhere else.
    assert_eq!((found.targets(), found.right()), (120, Some(found.guessed())));
    assert!(found.guessed() > 110 && found.certain() == found.guessed(), "{found:?}");
    assert!(found.baseline().unwrap() < 0.4);
    // Without pairs only the second is refilled; without the first nothing is.
    let single = Dependencies::new(set(&[0, 1, 2, 3])).work_limit(0).run(&released, &run).unwrap();
    assert_eq!((single.guessed(), single.right()), (60, Some(60)));
    assert!(single.note().unwrap().contains("left out"));
    let none = Dependencies::new(set(&[1, 2])).run(&released, &run).unwrap();
    assert_eq!(none.guessed(), 0);
}

#[test]
fn without_the_original_nothing_is_scored() {
    let (release, _) = sorted_with_blanks();
    let (released, run) = (Released::new(&release), Run::new());
    let all = set(&[0, 1]);
    for found in [
        RowOrder::new(all.clone()).run(&released, &run).unwrap(),
        Dependencies::new(all.clone()).run(&released, &run).unwrap(),
        Disambiguation::new(all.clone(), 2).run(&released, &run).unwrap(),
    ] {
        assert_eq!(found.targets(), 90);
        assert_eq!((found.right(), found.success(), found.baseline()), (None, None, None));
        assert!(found.note().unwrap().contains("not scored"));
    }
    let codebook = Disambiguation::new(all, 2).codebook(true).run(&released, &run);
    assert!(matches!(codebook, Err(Error::Setting(text)) if text.contains("\n  hint: ")));
}

#[test]
fn stars_suppressed_and_told_missing_cells_are_blank() {
    let texts = Column::of_labels("a", &["x", "*"], [0, 1, 2, 3].into_iter()).unwrap();
    let table = EncodedTable::new(4, vec![texts]).unwrap();
    assert_eq!(Released::new(&table).blanks(), 2);
    assert_eq!(Released::with_blank_missing(&table, &set(&[0])).blanks(), 3);
}

#[test]
fn tables_without_rows_are_attacked_to_no_effect() {
    let table = EncodedTable::of::<2>(&[]);
    let (released, run) = (Released::new(&table), Run::new());
    for found in [
        RowOrder::new(set(&[0, 1])).run(&released, &run).unwrap(),
        Dependencies::new(set(&[0, 1])).run(&released, &run).unwrap(),
        Disambiguation::new(set(&[0, 1]), 2).run(&released, &run).unwrap(),
    ] {
        assert_eq!((found.targets(), found.guessed(), found.advantage()), (0, 0, None));
    }
}
