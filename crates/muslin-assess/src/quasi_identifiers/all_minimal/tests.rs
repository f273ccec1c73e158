use muslin_engine::{Coverage, Run, Seed, Stop};
use muslin_table::{ColumnSet, EncodedTable, MissingRule};
use muslin_testkit::generate::{key_tables, ugly_tables, wide_table_with_many_keys};
use muslin_testkit::oracle;
use proptest::prelude::*;

use super::*;
use crate::quasi_identifiers::Beta;

/// Targets of every kind: keys, round ratios, and exactly the ratio of a set of the table.
fn targets() -> impl Strategy<Value = (Measure, Option<String>, u32)> {
    let measure = prop_oneof![Just(Measure::Distinct), Just(Measure::Separation)];
    let beta = prop_oneof![
        2 => Just(Some("1".to_owned())),
        4 => (0u32..=100).prop_map(|percent| Some(format!("{}.{:02}", percent / 100, percent % 100))),
        3 => Just(None),
    ];
    (measure, beta, any::<u32>())
}

/// The target; without a beta, the ratio that some set of the table has, where decimals can say it.
fn target_of(
    table: &EncodedTable,
    rule: MissingRule,
    asked: &(Measure, Option<String>, u32),
) -> Target {
    let (measure, beta, bits) = asked;
    if let Some(beta) = beta {
        return Target::new(*measure, beta.parse().expect("a share"));
    }
    let set: ColumnSet =
        table.all_columns().iter().filter(|id| bits >> id.index() & 1 == 1).collect();
    let ratio = measure.ratio(&oracle::class_sizes(table, &set, rule)).expect("classes");
    let decimals = 10u128.pow(6);
    // Rounded down: the set itself reaches it, sets a hair below may not.
    let part = ratio.part() * decimals / ratio.whole();
    let text = format!("{}.{:06}", part / decimals, part % decimals);
    Target::new(*measure, text.parse().expect("a share"))
}

fn columns(found: &MinimalSetsFound) -> Vec<ColumnSet> {
    found.sets().iter().map(|set| set.columns.clone()).collect()
}

/// The usual tuning, and ones that take every path on small tables.
fn tunings() -> impl Strategy<Value = Tuning> {
    let many_nodes = prop_oneof![Just(0usize), Just(5), Just(200_000)];
    let most_pairs = prop_oneof![Just(None), (0u64..9).prop_map(Some), Just(Some(40))];
    let sees_edges_after = prop_oneof![Just(1usize), Just(3), Just(usize::MAX)];
    let all = (many_nodes, most_pairs, any::<bool>(), sees_edges_after);
    all.prop_map(|(many_nodes, most_pairs, first_children_first, sees_edges_after)| Tuning {
        many_nodes,
        most_pairs,
        schedule: Schedule { first_children_first, sees_edges_after },
    })
}

fn rules() -> impl Strategy<Value = MissingRule> {
    prop_oneof![
        3 => Just(MissingRule::Category),
        3 => Just(MissingRule::Distinct),
        1 => Just(MissingRule::Wildcard),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(1_500)))]

    #[test]
    fn every_minimal_set_is_found_and_nothing_else(
        table in prop_oneof![ugly_tables(), key_tables()],
        rule in rules(), asked in targets(), tuning in tunings(),
        threads in prop_oneof![Just(1usize), Just(3)],
    ) {
        let asked = if rule == MissingRule::Wildcard { (Measure::Separation, asked.1, asked.2) } else { asked };
        let target = target_of(&table, rule, &asked);
        let expected = oracle::minimal_sets(&table, |sizes| target.is_reached(sizes), rule);
        let run = Run::new().threads(threads).expect("threads");
        let search = MinimalSets { tuning, ..MinimalSets::new(target).missing(rule) };
        let mut listed = Vec::new();
        let found = search
            .list(&table, &mut |sets| { listed.extend_from_slice(sets); Ok(()) }, &run)
            .expect("no limit");
        prop_assert_eq!(columns(&found), expected.clone());
        prop_assert_eq!(&listed, found.sets());
        prop_assert_eq!(found.coverage(), Coverage::Complete);
        prop_assert_eq!(found.is_reachable(), !expected.is_empty());
        prop_assert!(!found.larger_may_exist());
        for set in found.sets() {
            let sizes = oracle::class_sizes(&table, &set.columns, rule);
            prop_assert_eq!(u128::from(set.unseparated), sizes.unseparated_pairs());
            prop_assert_eq!(set.classes, sizes.classes());
            prop_assert_eq!(set.alone, sizes.rows_below(2));
            prop_assert_eq!(set.separation_ratio(), sizes.separation_ratio());
        }
    }

    #[test]
    fn limits_cut_the_list_and_say_so(
        table in key_tables(), asked in targets(), most in 0usize..6, limit in 0usize..8,
        tuning in tunings(),
    ) {
        let rule = MissingRule::Category;
        let target = target_of(&table, rule, &asked);
        let all = oracle::minimal_sets(&table, |sizes| target.is_reached(sizes), rule);
        let small: Vec<ColumnSet> = all.iter().filter(|set| set.len() <= most).cloned().collect();
        let search = MinimalSets { tuning, ..MinimalSets::new(target).max_size(Some(most)) };
        let found = search.run(&table, &Run::new()).expect("no limit of the run");
        prop_assert_eq!(columns(&found), small.clone());
        prop_assert_eq!(found.coverage(), Coverage::Complete);
        // Larger ones are denied only where there are none.
        prop_assert!(found.larger_may_exist() || small.len() == all.len());
        let found = search.limit(Some(limit)).run(&table, &Run::new()).expect("no limit of the run");
        prop_assert_eq!(columns(&found), small[..limit.min(small.len())].to_vec());
        let cut = Coverage::Stopped { by: Stop::ResultLimit };
        let expected = if small.len() > limit { cut } else { Coverage::Complete };
        prop_assert_eq!(found.coverage(), expected);
    }
}

/// A table whose one key has all columns: column c alone separates row c + 1 from row 0.
fn table_with_one_wide_key(width: usize) -> EncodedTable {
    let cell = |row: usize, column: usize| Some(i64::from(row == column + 1));
    let cells = (0..width)
        .map(|column| (format!("c{column}"), (0..=width).map(|row| cell(row, column)).collect()));
    EncodedTable::of_columns(cells)
}

#[test]
fn wide_tables_have_their_keys() {
    for width in [63usize, 64, 65, 128, 130, 257] {
        let table = table_with_one_wide_key(width);
        let found = MinimalSets::new(Target::key()).run(&table, &Run::new()).expect("no limit");
        assert_eq!(columns(&found), [table.all_columns()]);
    }
}

/// One thread takes nodes in an order that nothing else changes; several leave it to the machine. Before
/// edges that cannot be hit were seen at once, one thread alone never came to an end here.
#[test]
fn a_wide_key_is_found_soon_in_whatever_order_threads_take_nodes() {
    let table = table_with_one_wide_key(257);
    let run = Run::new().time_limit(Some(std::time::Duration::from_secs(60)));
    for (first_children_first, sees_edges_after, threads) in [
        (false, 1, 1),
        (false, 7, 1),
        (false, usize::MAX, 1),
        (true, 1, 1),
        (true, usize::MAX, 1),
        (false, 64, 3),
        (true, 64, 3),
    ] {
        let schedule = Schedule { first_children_first, sees_edges_after };
        let tuning = Tuning { schedule, ..Tuning::default() };
        let search = MinimalSets { tuning, ..MinimalSets::new(Target::key()) };
        let run = run.clone().threads(threads).expect("threads");
        let found = search.run(&table, &run).expect("a limit is no error");
        assert_eq!(found.coverage(), Coverage::Complete, "{schedule:?}");
        assert_eq!(columns(&found), [table.all_columns()]);
        assert!(found.judged() < 50, "{schedule:?}: {} sets judged", found.judged());
    }
}

#[test]
fn a_search_without_time_says_so() {
    let table = wide_table_with_many_keys(20, 30, Seed::new(1));
    let run = Run::new().time_limit(Some(std::time::Duration::ZERO));
    let found = MinimalSets::new(Target::key()).run(&table, &run).expect("a limit is no error");
    assert_eq!(found.coverage(), Coverage::Stopped { by: Stop::TimeLimit });
    assert_eq!(found.complete_to(), None);
}

#[test]
fn a_share_of_no_rows_is_reached_by_no_column() {
    let table = EncodedTable::of_columns([("a".to_owned(), vec![]), ("b".to_owned(), vec![])]);
    let half: Beta = "0.5".parse().expect("a share");
    for target in [Target::key(), Target::new(Measure::Distinct, half)] {
        let found = MinimalSets::new(target).run(&table, &Run::new()).expect("no limit");
        assert_eq!(columns(&found), [ColumnSet::new()]);
    }
}
