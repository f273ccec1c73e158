//! The facts about classes against brute force, on published tables and at their boundaries.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use muslin_engine::{Cancel, Run, Seed, take_rows};
use muslin_table::{
    ClassSizes, Codes, Column, ColumnId, ColumnSet, EncodedTable, MissingRule, Ratio,
};
use muslin_testkit::generate::{large_table, small_hierarchies, ugly_tables};
use muslin_testkit::oracle::{Demand, Diversity, all_classes_meet, classes, is_diverse};
use muslin_testkit::published::{self, lavanya_table};
use muslin_verify::{ClassFacts, ClassJudge, Condition, Error};
use proptest::prelude::*;

const MILLION: u64 = 1_000_000;

fn millionths(count: u64) -> Ratio {
    Ratio::new(count.into(), MILLION.into())
}

/// Conditions on a sensitive column, each with the oracle's.
fn conditions() -> Vec<(Condition, Diversity)> {
    let mut all = Vec::new();
    for l in 1..=5 {
        all.push((Condition::Distinct { l }, Diversity::Distinct(l)));
        all.push((Condition::Probabilistic { l }, Diversity::Probabilistic(l)));
        all.push((Condition::Entropy { l }, Diversity::Entropy(l)));
        for c_millionths in [1, MILLION / 2, MILLION, 3 * MILLION / 2, 2 * MILLION, 9 * MILLION] {
            let c = millionths(c_millionths);
            all.push((Condition::Recursive { c_millionths, l }, Diversity::Recursive { c, l }));
        }
    }
    for t_millionths in [0, 100_000, 125_000, 200_000, 250_000, 333_333, 333_334, 500_000, MILLION]
    {
        let t = millionths(t_millionths);
        let close = |ordered| Condition::Close { t_millionths, ordered };
        all.push((close(false), Diversity::CloseEqual(t)));
        all.push((close(true), Diversity::CloseOrdered(t)));
    }
    all
}

/// A hair below.
fn below(ratio: Ratio) -> Ratio {
    Ratio::new(ratio.part() * 1_000_000_007 - 1, ratio.whole() * 1_000_000_007)
}

/// A table, quasi-identifiers, a sensitive column, the rows that a release of it keeps, and whether
/// the sensitive cell of each row of the table is suppressed there.
#[derive(Clone, Debug)]
struct Question {
    original: EncodedTable,
    by: ColumnSet,
    sensitive: ColumnId,
    kept: Vec<u32>,
    hidden: Vec<bool>,
}

impl Question {
    /// The slot of the original that a row of it has in the release.
    fn published(&self, row: u32) -> u32 {
        let column = self.original.column(self.sensitive);
        let is_hidden = self.hidden[row as usize];
        if is_hidden { column.suppressed_slot() } else { column.codes().slot(row as usize) }
    }

    /// The rows that are kept, with dictionaries of their own.
    fn release(&self) -> EncodedTable {
        let mut columns = self.original.columns().to_vec();
        let column = &mut columns[self.sensitive.index()];
        let slots: Vec<u32> = (0u32..).take(column.rows()).map(|r| self.published(r)).collect();
        let codes = Codes::pack(column.dictionary().len(), slots.into_iter());
        *column = Column::new(column.name(), column.dictionary().clone(), codes).unwrap();
        take_rows(&EncodedTable::new(self.original.rows(), columns).unwrap(), &self.kept).unwrap()
    }
}

fn questions() -> impl Strategy<Value = Question> {
    let plain = small_hierarchies()
        .prop_map(|made| (made.table, made.columns.len().min(2), made.sensitive));
    let ugly = ugly_tables()
        .prop_filter("a sensitive column", |table| !table.columns().is_empty())
        .prop_map(|table| {
            let last = table.columns().len() - 1;
            (table, last.min(2), ColumnId::new(last))
        });
    prop_oneof![3 => plain, 1 => ugly].prop_flat_map(|(original, most, sensitive)| {
        let share = prop_oneof![Just(1.0), Just(0.8), Just(0.3)];
        let hidden = prop_oneof![3 => Just(0.0), 1 => Just(0.2)];
        let rows = original.rows();
        let flags = (share, hidden).prop_flat_map(move |(share, hidden)| {
            let flag = |share| prop::collection::vec(prop::bool::weighted(share), rows);
            (flag(share), flag(hidden))
        });
        (Just(original), 0..=most, flags).prop_map(move |(original, columns, (kept, hidden))| {
            let kept = (0u32..).zip(kept).filter_map(|(row, kept)| kept.then_some(row)).collect();
            Question { original, by: ColumnSet::first(columns), sensitive, kept, hidden }
        })
    })
}

fn judged(release: &EncodedTable, judge: &ClassJudge) -> ClassFacts {
    judge.run(release, &Run::new()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(3_000)))]

    #[test]
    fn a_release_meets_what_brute_force_says_against_itself(asked in questions()) {
        let Question { original: table, by, sensitive, .. } = asked;
        let facts = judged(&table, &ClassJudge::new(by.clone()).sensitive(sensitive, None));
        for k in 0..6 {
            let demand = Demand { k: k as usize, diversities: Vec::new() };
            let expected = all_classes_meet(&table, &by, &demand);
            prop_assert_eq!(facts.is_met(Condition::AtLeast { k }, 0), expected);
        }
        for (condition, diversity) in conditions() {
            let demand = Demand { k: 0, diversities: vec![(sensitive, diversity)] };
            let expected = all_classes_meet(&table, &by, &demand);
            prop_assert_eq!(facts.is_met(condition, 0), expected, "{:?}", condition);
        }
    }

    #[test]
    fn a_release_meets_what_brute_force_says_against_its_original(asked in questions()) {
        let (release, sensitive) = (asked.release(), asked.sensitive);
        let judge = ClassJudge::new(asked.by.clone())
            .sensitive(sensitive, Some(asked.original.column(sensitive)));
        let facts = judged(&release, &judge);
        // The oracle sees original codes on both sides.
        let whole: Vec<u32> = asked.original.column(sensitive).codes().slots().collect();
        let original = |row: u32| asked.published(asked.kept[row as usize]);
        let all: Vec<Vec<u32>> = classes(&release, &asked.by)
            .into_iter()
            .map(|class| class.into_iter().map(original).collect())
            .collect();
        let met = |diversity| all.iter().all(|class| is_diverse(diversity, class, &whole));
        for (condition, diversity) in conditions() {
            prop_assert_eq!(facts.is_met(condition, 0), met(diversity), "{:?}", condition);
        }
        // Rows that are listed against a condition are a class that does not meet it.
        for (condition, diversity) in conditions() {
            let rows = facts.violating_rows(condition, 0, usize::MAX);
            prop_assert_eq!(rows.is_empty(), facts.is_met(condition, 0), "{:?}", condition);
            if let Some(first) = rows.first() {
                let listed = classes(&release, &asked.by).into_iter().find(|class| class.contains(first));
                prop_assert_eq!(Some(&rows), listed.as_ref());
                let class: Vec<u32> = rows.iter().map(|&row| original(row)).collect();
                prop_assert!(!is_diverse(diversity, &class, &whole), "{:?}", condition);
                prop_assert_eq!(&facts.violating_rows(condition, 0, 1), &rows[..1]);
            }
        }
        // Each distance is met exactly, and by nothing less.
        let spread = &facts.spreads()[0];
        prop_assert_eq!(spread.farthest_equal().is_none(), all.is_empty());
        for (far, diversity) in [
            (spread.farthest_equal(), Diversity::CloseEqual as fn(Ratio) -> Diversity),
            (spread.farthest_ordered(), Diversity::CloseOrdered),
        ] {
            let Some(far) = far else { continue };
            prop_assert!(met(diversity(far)));
            prop_assert!(far.part() == 0 || !met(diversity(below(far))));
        }
    }

    #[test]
    fn facts_are_those_of_brute_force(asked in questions()) {
        let (release, sensitive) = (asked.release(), asked.sensitive);
        let facts = judged(&release, &ClassJudge::new(asked.by.clone()).sensitive(sensitive, None));
        let all = classes(&release, &asked.by);
        let mut histogram: BTreeMap<u32, u32> = BTreeMap::new();
        for class in &all {
            *histogram.entry(u32::try_from(class.len()).unwrap()).or_default() += 1;
        }
        prop_assert_eq!((facts.rows(), facts.classes()), (release.rows(), all.len()));
        prop_assert_eq!(facts.smallest(), histogram.keys().next().copied());
        prop_assert_eq!(facts.histogram(), &histogram);
        prop_assert_eq!(facts.average().is_some(), release.rows() > 0);
        let sizes = all.iter().map(|class| class.len() as u64);
        let sizes = ClassSizes::from_sizes(sizes, MissingRule::Category);
        prop_assert_eq!(facts.separation_ratio(), sizes.separation_ratio());
        prop_assert_eq!(Some(facts.distinct_ratio()), sizes.distinct_ratio());
        for k in 0..5 {
            let small = all.iter().filter(|class| class.len() < k as usize).flatten().copied();
            let mut small: Vec<u32> = small.collect();
            small.sort_unstable();
            prop_assert_eq!(facts.small_rows(k, 3), &small[..small.len().min(3)]);
            prop_assert_eq!(facts.small_rows(k, usize::MAX), small);
        }

        let codes = release.column(sensitive).codes();
        let counts = |class: &Vec<u32>| {
            let mut counts: BTreeMap<u32, u128> = BTreeMap::new();
            class.iter().for_each(|&row| *counts.entry(codes.slot(row as usize)).or_default() += 1);
            counts
        };
        let fewest = all.iter().map(|class| counts(class).len()).min();
        let share = |class: &Vec<u32>| {
            Ratio::new(counts(class).into_values().max().unwrap(), class.len() as u128)
        };
        let spread = &facts.spreads()[0];
        prop_assert_eq!(spread.column(), sensitive);
        prop_assert_eq!(spread.fewest_distinct().map(|found| found as usize), fewest);
        prop_assert_eq!(spread.largest_share(), all.iter().map(share).max());
        let entropy = |class: &Vec<u32>| -> f64 {
            let shares = counts(class).into_values();
            shares.map(|n| Ratio::new(n, class.len() as u128).as_f64()).map(|p| -p * p.ln()).sum()
        };
        let least = all.iter().map(entropy).min_by(f64::total_cmp);
        prop_assert_eq!(spread.least_entropy().is_some(), least.is_some());
        let near = spread.least_entropy().zip(least).is_none_or(|(a, b)| (a - b).abs() < 1e-12);
        prop_assert!(near);
    }
}

#[test]
fn lavanya_and_srinivas_tables_b_and_d_are_4_anonymous_and_2_diverse() {
    let original = lavanya_table(&published::LAVANYA_TABLE_A);
    let disease = original.find("Disease").unwrap();
    for rows in [&published::LAVANYA_TABLE_B, &published::LAVANYA_TABLE_D] {
        let release = lavanya_table(rows);
        let judge =
            ClassJudge::new(ColumnSet::first(3)).sensitive(disease, Some(original.column(disease)));
        let facts = judged(&release, &judge);
        assert_eq!((facts.rows(), facts.classes(), facts.smallest()), (8, 2, Some(4)));
        assert_eq!((facts.histogram(), facts.average()), (&BTreeMap::from([(4, 2)]), Some(4.0)));
        // Both classes have three diseases, one of them twice.
        let spread = &facts.spreads()[0];
        assert_eq!(spread.fewest_distinct(), Some(3));
        assert_eq!(spread.largest_share(), Some(Ratio::new(1, 2)));
        // A half, a quarter and a quarter: one and a half bits.
        let values = spread.least_entropy_values().unwrap();
        assert!((values - 2f64.powf(1.5)).abs() < 1e-12, "{values}");
        // In order of names the original has 1, 3, 3, 1 of 8 and the first class 1, 1, 2, 0 of 4:
        // an eighth goes one place, twice.
        assert_eq!(spread.farthest_equal(), Some(Ratio::new(1, 4)));
        assert_eq!(spread.farthest_ordered(), Some(Ratio::new(2, 8 * 3)));

        let met = |condition| facts.is_met(condition, 0);
        assert!(met(Condition::AtLeast { k: 4 }) && !met(Condition::AtLeast { k: 5 }));
        assert!(met(Condition::Distinct { l: 3 }) && !met(Condition::Distinct { l: 4 }));
        assert!(met(Condition::Probabilistic { l: 2 }) && !met(Condition::Probabilistic { l: 3 }));
        assert!(met(Condition::Entropy { l: 2 }) && !met(Condition::Entropy { l: 3 }));
        // 2 < c (1 + 1), and 2 < c 1.
        for (l, c_millionths) in [(2, MILLION), (3, 2 * MILLION)] {
            assert!(!met(Condition::Recursive { c_millionths, l }));
            assert!(met(Condition::Recursive { c_millionths: c_millionths + 1, l }));
        }
        assert!(!met(Condition::Recursive { c_millionths: u64::MAX, l: 4 }));
        for (ordered, least) in [(false, 250_000), (true, 83_334)] {
            assert!(met(Condition::Close { t_millionths: least, ordered }));
            assert!(!met(Condition::Close { t_millionths: least - 1, ordered }));
        }
    }
    // In the table itself everybody is alone.
    let facts = judged(&original, &ClassJudge::new(ColumnSet::first(3)).sensitive(disease, None));
    assert_eq!((facts.classes(), facts.smallest()), (8, Some(1)));
    assert_eq!(facts.spreads()[0].largest_share(), Some(Ratio::new(1, 1)));
}

/// Classes of the first column; the second is sensitive.
fn by_first(rows: &[[i64; 2]]) -> ClassFacts {
    let judge = ClassJudge::new(ColumnSet::first(1)).sensitive(ColumnId::new(1), None);
    judged(&EncodedTable::of(rows), &judge)
}

#[test]
fn an_entropy_of_exactly_so_many_values_is_met() {
    for values in 1..200 {
        let rows: Vec<[i64; 2]> = (0..3 * i64::from(values)).map(|row| [0, row / 3]).collect();
        let facts = by_first(&rows);
        assert!(facts.is_met(Condition::Entropy { l: values }, 0), "{values}");
        assert!(!facts.is_met(Condition::Entropy { l: values + 1 }, 0), "{values}");
    }
}

#[test]
fn each_condition_is_met_only_where_every_class_meets_it() {
    // The first class has few values, the second a frequent one.
    let facts = by_first(&[[1, 1], [1, 2], [2, 1], [2, 1], [2, 1], [2, 2], [2, 3]]);
    let spread = &facts.spreads()[0];
    assert_eq!(spread.fewest_distinct(), Some(2));
    assert_eq!(spread.largest_share(), Some(Ratio::new(3, 5)));
    // 3 < c (1 + 1) decides; with l = 3 the first class has too few values.
    let recursive = |c_millionths, l| facts.is_met(Condition::Recursive { c_millionths, l }, 0);
    assert!(!recursive(1_500_000, 2) && recursive(1_500_001, 2) && !recursive(u64::MAX, 3));
}

#[test]
fn conditions_that_ask_for_nothing_are_met() {
    let facts = by_first(&[[1, 1], [1, 1], [2, 1]]);
    for l in [0, 1] {
        let of_l = [
            Condition::AtLeast { k: l },
            Condition::Distinct { l },
            Condition::Probabilistic { l },
            Condition::Entropy { l },
            Condition::Recursive { c_millionths: MILLION + 1, l },
            Condition::Close { t_millionths: 0, ordered: l == 0 },
        ];
        assert!(of_l.into_iter().all(|condition| facts.is_met(condition, 0)), "{l}");
    }
    let [equal, ordered] = [false, true]
        .map(|ordered| facts.is_met(Condition::Close { t_millionths: u64::MAX, ordered }, 0));
    assert!(equal && ordered);
}

#[test]
fn a_column_that_nobody_looked_at_meets_nothing() {
    let facts = by_first(&[[1, 1], [1, 2]]);
    assert!(facts.is_met(Condition::Distinct { l: 1 }, 0));
    assert!(!facts.is_met(Condition::Distinct { l: 1 }, 1));
    assert!(facts.is_met(Condition::AtLeast { k: 2 }, 1));
}

#[test]
fn a_release_without_rows_meets_everything() {
    let none = EncodedTable::of::<2>(&[]);
    let full = EncodedTable::of(&[[1, 2], [1, 3]]);
    let sensitive = ColumnId::new(1);
    for original in [None, Some(none.column(sensitive)), Some(full.column(sensitive))] {
        let judge = ClassJudge::new(ColumnSet::first(1)).sensitive(sensitive, original);
        let facts = judged(&none, &judge);
        assert_eq!((facts.rows(), facts.classes(), facts.smallest()), (0, 0, None));
        assert_eq!((facts.average(), facts.spreads()[0].largest_share()), (None, None));
        assert!(facts.is_met(Condition::AtLeast { k: 9 }, 0));
        assert!(conditions().into_iter().all(|(condition, _)| facts.is_met(condition, 0)));
    }
}

/// The first column of a table, with suppressed cells in these rows.
fn suppressed(table: &EncodedTable, rows: &[usize]) -> Column {
    let column = table.column(ColumnId::new(0));
    let withheld = column.suppressed_slot();
    let slots = column.codes().slots().enumerate();
    let slots: Vec<u32> =
        slots.map(|(row, slot)| if rows.contains(&row) { withheld } else { slot }).collect();
    let codes = Codes::pack(column.dictionary().len(), slots.into_iter());
    Column::new("c0", column.dictionary().clone(), codes).unwrap()
}

#[test]
fn missing_and_suppressed_are_two_values() {
    let cells = vec![Some(1), None, Some(2), None, Some(3), Some(1)];
    let table = EncodedTable::of_columns([("c0".into(), cells)]);
    let release = EncodedTable::new(6, vec![suppressed(&table, &[2, 4])]).unwrap();
    let column = ColumnId::new(0);
    let grouped = judged(&release, &ClassJudge::new(release.all_columns()));
    assert_eq!((grouped.classes(), grouped.smallest()), (3, Some(2)));
    let judge = ClassJudge::new(ColumnSet::new()).sensitive(column, Some(table.column(column)));
    let facts = judged(&release, &judge);
    let spread = &facts.spreads()[0];
    assert_eq!((facts.classes(), spread.fewest_distinct()), (1, Some(3)));
    // The original has 1, 1, 2, 3 and missing twice. Two rows go to suppressed, which comes after
    // missing: from the second of four places to the fifth, and from the third.
    assert_eq!(spread.farthest_equal(), Some(Ratio::new(2, 6)));
    assert_eq!(spread.farthest_ordered(), Some(Ratio::new(3 + 2, 6 * 3)));
}

#[test]
fn an_original_that_does_not_fit_is_an_error() {
    let release = EncodedTable::of(&[[1, 987_654], [1, 3]]);
    let sensitive = ColumnId::new(1);
    let other = |table: EncodedTable| table.into_columns().remove(0);
    let originals = [
        Column::of_labels("text", &["3", "987654"], [0, 1].into_iter()).unwrap(),
        other(EncodedTable::of(&[[3], [4]])),
        other(EncodedTable::of(&[[987_654], [1]])),
        other(EncodedTable::of::<1>(&[])),
    ];
    for original in originals {
        let judge = ClassJudge::new(ColumnSet::first(1)).sensitive(sensitive, Some(&original));
        let found = judge.run(&release, &Run::new());
        let Err(Error::Setting(text)) = found else { panic!("{found:?}") };
        assert!(text.contains("`c1`") && text.contains("\n  hint: "), "{text}");
        assert!(!text.contains("987"), "{text}");
        assert!(!format!("{judge:?}").contains("987"));
    }
    // Missing cells only have no rows to be compared with either.
    let absent = EncodedTable::of_columns([("a".into(), vec![None])]);
    let none = EncodedTable::of::<1>(&[]);
    let judge = ClassJudge::new(ColumnSet::new())
        .sensitive(ColumnId::new(0), Some(none.column(ColumnId::new(0))));
    assert!(matches!(judge.run(&absent, &Run::new()), Err(Error::Setting(_))));
}

#[test]
fn a_column_beyond_the_release_is_an_error() {
    let release = EncodedTable::of(&[[1, 2], [1, 3]]);
    let beyond = [
        ClassJudge::new(ColumnSet::first(3)),
        ClassJudge::new(ColumnSet::first(1)).sensitive(ColumnId::new(2), None),
    ];
    for judge in beyond {
        assert!(matches!(judge.run(&release, &Run::new()), Err(Error::Setting(_))));
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let release = large_table(20_000, &[3, 40, 6, 5, 90, 4_000], true, Seed::new(1));
    let mut judge = ClassJudge::new(ColumnSet::first(3));
    for column in 3..6 {
        judge = judge.sensitive(ColumnId::new(column), None);
    }
    let [one, four] =
        [1, 4].map(|threads| judge.run(&release, &Run::new().threads(threads).unwrap()).unwrap());
    assert_eq!(one, four);
    assert!(one.classes() > 100);
}

#[test]
fn a_cancelled_run_ends() {
    let release = EncodedTable::of(&[[1, 2], [1, 3]]);
    let cancel = Cancel::default();
    cancel.cancel();
    let found = ClassJudge::new(release.all_columns()).run(&release, &Run::new().cancel(cancel));
    assert!(matches!(found, Err(Error::Engine(_))));
}
