//! What holds for the results of all attacks.

use std::collections::BTreeMap;

use muslin_attack::{
    Attack, Composition, DeFinetti, Dependencies, Disambiguation, Equals, Homogeneity, Linkage,
    Membership, Part, Released, RowOrder, Rows, SeedGuess, Skewness, WithinGroups,
};
use muslin_engine::{Run, Seed};
use muslin_table::{Column, ColumnId, EncodedTable};

use crate::common::{anatomy, blanked, bucketized, orders, set};

/// Four columns of texts that nothing else has.
fn canaries(rows: u64) -> EncodedTable {
    let seed = Seed::new(11);
    let column = |c: u64| {
        let labels: Vec<String> = (0..9).map(|v| format!("canary{c}{v}")).collect();
        let position = |row: u64| {
            let first = seed.part(0).below(row, 9);
            let own = if c == 1 { first / 2 } else { seed.part(c).below(row, 9) };
            u32::try_from(if c == 0 { first } else { own }).unwrap()
        };
        let positions: Vec<u32> = (0..rows).map(position).collect();
        Column::of_labels(format!("name{c}"), &labels, positions.into_iter()).unwrap()
    };
    EncodedTable::new(usize::try_from(rows).unwrap(), (0..4).map(column).collect()).unwrap()
}

fn all(run: &Run) -> Vec<Attack> {
    let original = canaries(600);
    let cells: Vec<(usize, usize)> = (0..600).step_by(7).map(|row| (row, row % 3)).collect();
    let release = blanked(&original, &cells);
    let none = BTreeMap::new();
    let with = |release, rows: &Rows| -> Released<'_> {
        Released::with_original(release, &original, &none, rows, run).unwrap()
    };
    let released = with(&release, &Rows::InOrder);
    let buckets = |seed| bucketized(&original, 3, &anatomy(&original, 3, 3, Seed::new(seed)));
    let (one, other) = (buckets(1), buckets(2));
    let in_buckets = with(&one, &Rows::Fitting(set(&[0, 1, 2])));
    let four = set(&[0, 1, 2, 3]);
    let bucket = ColumnId::new(4);
    let slices = vec![set(&[0, 1]), set(&[2, 3])];
    let parts = [Part::new(&one).buckets("bucket"), Part::new(&other).buckets("bucket")];
    let sensitive = ColumnId::new(3);
    [
        Disambiguation::new(four.clone(), 2).run(&released, run),
        Disambiguation::new(four.clone(), 2).equals(Equals::Wildcard).run(&released, run),
        RowOrder::new(four.clone()).run(&released, run),
        Dependencies::new(four.clone()).run(&released, run),
        WithinGroups::new(four.clone()).run(&released, run),
        DeFinetti::new(bucket, sensitive, set(&[0, 1, 2])).run(&in_buckets, run),
        Composition::new(&["name0", "name1", "name2"], "name3").run(&original, parts, run),
        Membership::new(bucket, slices.clone()).run(&in_buckets, run),
        Membership::new(bucket, slices).limits(10, 2_000).run(&in_buckets, run),
        SeedGuess::new(four, 300).run(&released, orders, run),
        Linkage::new(&["name0", "name2"]).run(&released, &original, &none, run),
        Homogeneity::new(set(&[0, 1]), sensitive).run(&released, run),
        Skewness::new(set(&[0, 1]), sensitive).run(&released, run),
    ]
    .map(Result::unwrap)
    .to_vec()
}

#[test]
fn results_are_the_same_on_any_number_of_threads_and_hold_no_value() {
    let [one, four] = [1, 4].map(|threads| all(&Run::new().threads(threads).unwrap()));
    assert_eq!(one, four);
    for found in &one {
        assert!(!format!("{found:?}").contains("canary"), "{}", found.name());
        assert!(found.guessed() <= found.targets(), "{found:?}");
        assert!(found.scored() <= found.guessed(), "{found:?}");
        assert!(found.right().is_none_or(|right| right <= found.scored()), "{found:?}");
        assert!(found.certain() <= found.guessed(), "{found:?}");
        assert!(found.certain_scored() <= found.certain(), "{found:?}");
        assert!(found.certain_right().is_none_or(|own| own <= found.certain_scored()), "{found:?}");
        let is_within =
            |(low, high): (f64, f64)| found.success().is_some_and(|own| low <= own && own <= high);
        assert!(found.interval().is_none_or(is_within), "{found:?}");
        assert!(found.success().is_none_or(|share| (0.0..=1.0).contains(&share)), "{found:?}");
        assert!(!found.knows().is_empty() && !found.defence().is_empty());
        assert!(found.rows().len() <= 10 && found.rows().is_sorted());
    }
    let mut names: Vec<&str> = one.iter().map(Attack::name).collect();
    names.dedup();
    let expected = [
        "disambiguation",
        "row-order",
        "dependencies",
        "within-groups",
        "definetti",
        "composition",
        "membership",
        "seed",
        "linkage",
        "homogeneity",
        "skewness",
    ];
    assert_eq!(names, expected);
}

#[test]
fn errors_and_releases_hold_no_value() {
    let original = canaries(60);
    let labels = ["canary-unknown"; 60];
    let odd = Column::of_labels("name0", &labels, 0u32..60).unwrap();
    let release = EncodedTable::new(60, vec![odd]).unwrap();
    let run = Run::new();
    let made = Released::with_original(&release, &original, &BTreeMap::new(), &Rows::InOrder, &run);
    let text = made.unwrap_err().to_string();
    assert!(!text.contains("canary") && text.contains("\n  hint: "), "{text}");
    assert!(!format!("{:?}", Released::new(&original)).contains("canary"));
    let beyond = RowOrder::new(set(&[9])).run(&Released::new(&original), &run);
    assert!(beyond.unwrap_err().to_string().contains("\n  hint: "));
    for rows in [Rows::Given(vec![0]), Rows::ById("name9".into())] {
        let made = Released::with_original(&original, &original, &BTreeMap::new(), &rows, &run);
        assert!(made.is_err());
    }
}

#[test]
fn rows_are_found_by_an_id_and_by_what_fits() {
    let original = EncodedTable::of(&[[1, 5, 7], [2, 6, 7], [3, 5, 8]]);
    let order = [2u32, 0, 1];
    let release = muslin_engine::take_rows(&original, &order).unwrap();
    let release = blanked(&release, &[(0, 1), (1, 1), (2, 1)]);
    let run = Run::new();
    let right = |rows: &Rows| {
        let released =
            Released::with_original(&release, &original, &BTreeMap::new(), rows, &run).unwrap();
        let found = Dependencies::new(set(&[0, 1, 2])).run(&released, &run).unwrap();
        assert_eq!((found.targets(), found.guessed()), (3, 0));
        SeedGuess::new(set(&[0, 2]), 200).run(&released, orders, &run).unwrap().right()
    };
    // A seed below 200 makes this order of three rows, and all that do agree.
    assert_eq!(right(&Rows::ById("c0".into())), Some(3));
    assert_eq!(right(&Rows::Fitting(set(&[0]))), Some(3));
    assert_eq!(right(&Rows::Given(order.to_vec())), Some(3));
    assert_eq!(right(&Rows::Unknown), None);
}
