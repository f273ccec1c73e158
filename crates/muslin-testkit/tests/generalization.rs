//! The oracles of generalization against the tables of Lavanya and Srinivas and against what must
//! hold of them, and what the made-up hierarchies are like.

use std::collections::{BTreeMap, BTreeSet};

use muslin_table::{ColumnId, ColumnSet, EncodedTable, Hierarchy, Ratio};
use muslin_testkit::oracle::{
    Demand, Diversity, Leveled, all_classes_meet, best_full_domain, classes, full_domain, gcp,
    is_diverse, is_k_anonymous, nodes,
};
use muslin_testkit::{generate, published};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn disease() -> ColumnId {
    ColumnId::new(3)
}

fn k(k: usize) -> Demand {
    Demand { k, diversities: Vec::new() }
}

fn paths(text: &[&str]) -> Vec<Vec<String>> {
    text.iter().map(|line| line.split(';').map(str::to_owned).collect()).collect()
}

/// Age to decades, sex to nothing, zip codes by four digits: then nothing.
fn paper_columns() -> Vec<Leveled> {
    let ages = ["20-29;*", "30-39;*", "50-59;*", "50-59;*", "60-69;*", "60-69;*"];
    let zips = ["4730*;*", "4730*;*", "4790*;*", "4790*;*"];
    let all: [&[&str]; 3] = [&ages, &["*", "*"], &zips];
    let column =
        |(c, text): (usize, &&[&str])| Leveled::of_paths(ColumnId::new(c), &paths(text), &[]);
    all.iter().enumerate().map(column).collect()
}

#[test]
fn the_generalized_tables_have_two_classes_of_four() {
    let by = ColumnSet::first(3);
    let original = published::lavanya_table(&published::LAVANYA_TABLE_A);
    assert_eq!(classes(&original, &by).len(), 8);
    assert!(is_k_anonymous(&original, &by, 1) && !is_k_anonymous(&original, &by, 2));
    for rows in [published::LAVANYA_TABLE_B, published::LAVANYA_TABLE_D] {
        let table = published::lavanya_table(&rows);
        assert_eq!(classes(&table, &by), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert!(is_k_anonymous(&table, &by, 4) && !is_k_anonymous(&table, &by, 5));
        let diverse = |diversity| {
            let demand = Demand { k: 4, diversities: vec![(disease(), diversity)] };
            all_classes_meet(&table, &by, &demand)
        };
        // One half, one quarter and one quarter in each class.
        assert!(diverse(Diversity::Distinct(3)) && !diverse(Diversity::Distinct(4)));
        assert!(diverse(Diversity::Probabilistic(2)) && !diverse(Diversity::Probabilistic(3)));
        assert!(diverse(Diversity::Entropy(2)) && !diverse(Diversity::Entropy(3)));
        let recursive = |c, l| diverse(Diversity::Recursive { c: Ratio::new(c, 2), l });
        assert!(recursive(3, 2) && !recursive(2, 2), "2 < 3/2 (1 + 1) and not 2 < 1 + 1");
        assert!(recursive(5, 3) && !recursive(4, 3), "2 < 5/2 and not 2 < 2");
        assert!(!recursive(99, 4));
        // 2, 2, 4, 0 eighths and 0, 4, 2, 2 eighths, of 1, 3, 3, 1 in the whole table.
        assert!(diverse(Diversity::CloseEqual(Ratio::new(2, 8))));
        assert!(!diverse(Diversity::CloseEqual(Ratio::new(1, 8))));
    }
}

#[test]
fn the_boundaries_of_diversity_are_met() {
    let alike = |diversity| is_diverse(diversity, &[0, 0, 1, 1, 2, 2], &[0, 1, 2]);
    assert!(alike(Diversity::Distinct(3)) && !alike(Diversity::Distinct(4)));
    assert!(alike(Diversity::Probabilistic(3)) && !alike(Diversity::Probabilistic(4)));
    assert!(alike(Diversity::Entropy(3)) && !alike(Diversity::Entropy(4)));
    assert!(alike(Diversity::CloseEqual(Ratio::new(0, 1))));
    assert!(alike(Diversity::CloseOrdered(Ratio::new(0, 1))));
}

#[test]
fn distances_are_those_of_the_paper_on_t_closeness() {
    // Li, Li and Venkatasubramanian: salaries of 3k to 11k, classes {3k, 4k, 5k} and
    // {6k, 8k, 11k}, ordered distances 0.375 and 0.167.
    let whole: Vec<u32> = (3..=11).collect();
    for (class, part, of) in [([3, 4, 5], 3, 8), ([6, 8, 11], 1, 6)] {
        let close = |t| is_diverse(Diversity::CloseOrdered(t), &class, &whole);
        assert!(close(Ratio::new(part, of)));
        assert!(!close(Ratio::new(part * 1_000 - 1, of * 1_000)));
        // Six of nine values are not there.
        let close = |t| is_diverse(Diversity::CloseEqual(t), &class, &whole);
        assert!(close(Ratio::new(2, 3)) && !close(Ratio::new(1_999, 3_000)));
    }
    // Places are those of values that the table has.
    let close = |t| is_diverse(Diversity::CloseOrdered(t), &[5], &[5, 90]);
    assert!(close(Ratio::new(1, 2)) && !close(Ratio::new(499, 1_000)));
    assert!(is_diverse(Diversity::CloseOrdered(Ratio::new(0, 1)), &[5], &[5, 5]));
}

#[test]
fn the_best_node_of_the_papers_table_is_known() {
    let table = published::lavanya_table(&published::LAVANYA_TABLE_A);
    let columns = paper_columns();
    assert_eq!(nodes(&columns).len(), 3 * 2 * 3);
    let best = |k: usize, limit| best_full_domain(&table, &columns, &self::k(k), limit);
    // Nothing is asked.
    let [free] = &best(1, 0)[..] else { panic!("one node is best") };
    assert_eq!((&free.node[..], free.loss), (&[0, 0, 0][..], Ratio::new(0, 1)));
    // There are four of each sex, or two of each zip code.
    let found = |k, limit| -> Vec<(Vec<usize>, Vec<u32>, Ratio)> {
        let best = best(k, limit).into_iter();
        best.map(|found| (found.node, found.suppressed, found.loss)).collect()
    };
    let (by_sex, by_zip) = (vec![2, 0, 2], vec![2, 1, 0]);
    let two_thirds = |node| (node, vec![], Ratio::new(2, 3));
    assert_eq!(found(4, 0), [two_thirds(by_sex.clone())]);
    assert_eq!(found(2, 0), [two_thirds(by_sex), two_thirds(by_zip)]);
    // Without the first man and the last woman, sexes and four digits: 6 (1 + 0 + 1/3) + 2 of 3.
    assert_eq!(found(2, 2), [(vec![2, 0, 1], vec![0, 7], Ratio::new(7, 12))]);
    // Three of four men have the same, so that the classes are the paper's: 1 + 1 + 1/3 of 3.
    let diversities = vec![(disease(), Diversity::Probabilistic(2))];
    let diverse = best_full_domain(&table, &columns, &Demand { k: 4, diversities }, 0);
    assert_eq!(diverse.len(), 1);
    assert_eq!((&diverse[0].node[..], diverse[0].loss), (&[2, 1, 1][..], Ratio::new(7, 9)));
    // No class has nine rows.
    assert_eq!(best(9, 7), []);
    assert!(best(9, 8).iter().all(|node| node.loss == Ratio::new(1, 1)));
    assert_eq!(best(9, 8).len(), 18);
}

#[test]
fn a_suppressed_row_loses_everything() {
    let table = EncodedTable::of(&[[1, 1], [1, 1], [2, 1]]);
    let flat = |(c, text): (usize, &[&str])| Leveled::of_paths(ColumnId::new(c), &paths(text), &[]);
    let all: [&[&str]; 2] = [&["*", "*"], &["*"]];
    let columns: Vec<Leveled> = all.into_iter().enumerate().map(flat).collect();
    // The last row is alone; a column of one value loses nothing, but where its row goes or its
    // label says nothing.
    let bottom = full_domain(&table, &columns, &k(2), vec![0, 0]);
    assert_eq!((&bottom.suppressed[..], bottom.loss), (&[2][..], Ratio::new(2, 6)));
    let top = full_domain(&table, &columns, &k(2), vec![1, 1]);
    assert_eq!((&top.suppressed[..], top.loss), (&[][..], Ratio::new(6, 6)));
    assert_eq!(best_full_domain(&table, &columns, &k(2), 1)[0].node, [0, 0]);
    assert_eq!(best_full_domain(&table, &columns, &k(2), 0)[0].node, [1, 0]);
    // Each row may have levels of its own.
    let rows = [Some(vec![0, 0]), Some(vec![1, 1]), None];
    assert_eq!(gcp(&table, &columns, &rows), Ratio::new(4, 6));
    assert_eq!(gcp(&EncodedTable::of::<2>(&[]), &columns, &[]), Ratio::new(0, 1));
}

#[test]
fn missing_joins_the_values_where_nothing_is_said_of_them() {
    let made = Leveled::of_paths(ColumnId::new(0), &paths(&["a;*", "b;*", "a;*"]), &[]);
    let groups: Vec<_> = made.levels.iter().map(|level| &level.groups[..]).collect();
    assert_eq!(groups, [[0, 1, 2, 3], [0, 1, 0, 3], [0, 0, 0, 0]]);
    let loss: Vec<_> = made.levels.iter().map(|level| &level.loss[..]).collect();
    assert_eq!(
        loss,
        [[[0, 2], [0, 2], [0, 2], [0, 2]], [[1, 2], [0, 2], [1, 2], [0, 2]], [[2, 2]; 4]]
    );
    // At the level of values missing is apart, even from the only one.
    let one = Leveled::of_paths(ColumnId::new(0), &paths(&["*"]), &paths(&["*"]));
    assert_eq!([&one.levels[0].groups[..], &one.levels[1].groups], [[0, 1], [0, 0]]);
    // A label that all values have says something all the same.
    let europe = Leveled::of_paths(ColumnId::new(0), &paths(&["Europe;*", "Europe;*"]), &[]);
    assert_eq!(europe.levels[1].groups, [0, 0, 2]);
    assert_eq!(europe.levels[1].loss, [[1, 1], [1, 1], [0, 1]]);
    assert_eq!(europe.levels[2].groups, [0, 0, 0]);
}

#[test]
fn made_up_hierarchies_are_of_many_kinds() {
    let mut runner = TestRunner::deterministic();
    let (mut depths, mut feasible, mut suppressing, mut between) = (BTreeMap::new(), 0, 0, 0);
    for _ in 0..200 {
        let case = generate::small_hierarchies().new_tree(&mut runner).unwrap().current();
        assert!(case.table.rows() <= 40 && (1..5).contains(&case.k));
        assert!(case.limit <= case.table.rows());
        let columns = case.leveled();
        columns.iter().for_each(|c| *depths.entry(c.levels.len()).or_insert(0) += 1);
        let best = best_full_domain(&case.table, &columns, &k(case.k as usize), case.limit);
        let Some(first) = best.first() else { continue };
        feasible += 1;
        suppressing += u32::from(!first.suppressed.is_empty());
        between += u32::from(first.loss > Ratio::new(0, 1) && first.loss < Ratio::new(1, 1));
    }
    assert_eq!(depths.keys().copied().collect::<Vec<_>>(), [2, 3, 4, 5]);
    assert!(
        feasible >= 150 && suppressing >= 30 && between >= 80,
        "{feasible} feasible, {suppressing} suppress rows, {between} between nothing and all"
    );
}

/// Whether two lists of groups put the same slots together.
fn same_groups(a: &[u32], b: &[u32]) -> bool {
    let pairs = (0..a.len()).flat_map(|i| (0..a.len()).map(move |j| (i, j)));
    a.len() == b.len() && pairs.into_iter().all(|(i, j)| (a[i] == a[j]) == (b[i] == b[j]))
}

fn diversities() -> impl Strategy<Value = Diversity> {
    let share = (0u128..=10).prop_map(|tenths| Ratio::new(tenths, 10));
    prop_oneof![
        (1u32..4).prop_map(Diversity::Distinct),
        (1u32..4).prop_map(Diversity::Probabilistic),
        (1u32..4).prop_map(Diversity::Entropy),
        (1u128..6, 1u32..4)
            .prop_map(|(halves, l)| Diversity::Recursive { c: Ratio::new(halves, 2), l }),
        share.clone().prop_map(Diversity::CloseEqual),
        share.prop_map(Diversity::CloseOrdered),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(100)))]

    #[test]
    fn levels_are_those_of_the_hierarchy(case in generate::small_hierarchies()) {
        for (column, leveled) in case.columns.iter().zip(case.leveled()) {
            let name = case.table.column(column.id).name();
            let made = Hierarchy::new(name, &column.paths, &column.others).unwrap();
            prop_assert_eq!(made.values(), case.table.column(column.id).dictionary().len());
            prop_assert_eq!(made.levels().len(), leveled.levels.len());
            for (level, own) in made.levels().iter().zip(&leveled.levels) {
                prop_assert!(same_groups(level.groups(), &own.groups));
                for (value, loss) in own.loss.iter().enumerate().take(made.values()) {
                    let covered = level.covered()[level.groups()[value] as usize];
                    let is_lost = made.values() == 1 && level.label(level.groups()[value]) == Some("*");
                    prop_assert_eq!(loss[0] + 1, u64::from(covered) + u64::from(is_lost));
                }
            }
        }
    }

    #[test]
    fn what_must_hold_of_the_best_node_does(
        case in generate::small_hierarchies(),
        diversity in prop::option::of(diversities()),
    ) {
        let columns = case.leveled();
        let diversities: Vec<_> =
            diversity.into_iter().map(|spread| (case.sensitive, spread)).collect();
        let demand = Demand { k: case.k as usize, diversities };
        let best = best_full_domain(&case.table, &columns, &demand, case.limit);
        for node in &best {
            prop_assert!(node.suppressed.len() <= case.limit);
            prop_assert!(node.loss >= Ratio::new(0, 1) && node.loss <= Ratio::new(1, 1));
        }
        // More suppression allowed never makes it worse; without a limit each node is allowed.
        let free = best_full_domain(&case.table, &columns, &demand, case.table.rows());
        prop_assert!(!free.is_empty());
        prop_assert!(best.is_empty() || free[0].loss <= best[0].loss);
        // A class that meets more, meets less.
        let less = best_full_domain(&case.table, &columns, &k(demand.k), case.limit);
        prop_assert!(best.is_empty() || less[0].loss <= best[0].loss);
        // The whole table is as close to itself as can be, and it is the only class of the top.
        let top = columns.iter().map(|column| column.levels.len() - 1).collect();
        let top = full_domain(&case.table, &columns, &demand, top);
        prop_assert!([0, case.table.rows()].contains(&top.suppressed.len()));
    }

    #[test]
    fn distances_are_those_of_the_closed_forms(
        class in prop::collection::vec(0u32..5, 1..10),
        rest in prop::collection::vec(0u32..5, 0..10),
    ) {
        let whole = [&class[..], &rest].concat();
        let values: BTreeSet<u32> = whole.iter().copied().collect();
        let count = |list: &[u32], value| list.iter().filter(|&&own| own == value).count();
        let surplus = |&value: &u32| {
            let (own, all) = (count(&class, value) * whole.len(), count(&whole, value) * class.len());
            i128::try_from(own).unwrap() - i128::try_from(all).unwrap()
        };
        let unit = (class.len() * whole.len()) as u128;
        let apart: u128 = values.iter().map(|value| surplus(value).unsigned_abs()).sum();
        let (mut carried, mut steps) = (0, 0);
        for value in &values {
            carried += surplus(value);
            steps += carried.unsigned_abs();
        }
        let places = values.len().max(2) as u128 - 1;
        for (make, work, of) in [
            (Diversity::CloseEqual as fn(Ratio) -> Diversity, apart, 2 * unit),
            (Diversity::CloseOrdered, steps, places * unit),
        ] {
            prop_assert!(is_diverse(make(Ratio::new(work, of)), &class, &whole));
            let less = Ratio::new((1_000 * work).saturating_sub(1), 1_000 * of);
            prop_assert_eq!(is_diverse(make(less), &class, &whole), work == 0);
        }
    }

    #[test]
    fn diversities_imply_each_other(
        class in prop::collection::vec(0u32..4, 1..10),
        rest in prop::collection::vec(0u32..4, 0..10),
        l in 1u32..5,
    ) {
        let whole = [&class[..], &rest].concat();
        let holds = |diversity| is_diverse(diversity, &class, &whole);
        prop_assert!(!holds(Diversity::Probabilistic(l)) || holds(Diversity::Entropy(l)));
        prop_assert!(!holds(Diversity::Entropy(l)) || holds(Diversity::Distinct(l)));
        // No value is further than one, so that an ordered distance is never the greater.
        for tenths in 0..=10 {
            let t = Ratio::new(tenths, 10);
            prop_assert!(!holds(Diversity::CloseEqual(t)) || holds(Diversity::CloseOrdered(t)));
        }
        prop_assert!(holds(Diversity::CloseEqual(Ratio::new(1, 1))));
        prop_assert!(is_diverse(Diversity::CloseOrdered(Ratio::new(0, 1)), &whole, &whole));
    }
}
