//! Ratios and greedy sets against brute force, and bounds from samples against many samples.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use muslin_assess::{
    Beta, Error, Greedy, GreedyFound, Measure, RatioEstimate, SetRatios, Target, Weights,
};
use muslin_engine::{Cancel, Coverage, Engine, MemoryEngine, Run, Seed, Stop};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, EncodedTable, MissingRule, Ratio};
use muslin_testkit::generate::{large_table, small_tables, ugly_tables};
use muslin_testkit::{oracle, published};
use proptest::prelude::*;

fn set(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().map(ColumnId::new).collect()
}

fn target(measure: Measure, beta: &str) -> Target {
    Target::new(measure, beta.parse().unwrap())
}

/// Greedy as the paper has it: every column is looked at, every time.
fn plain_greedy(
    table: &EncodedTable,
    target: Target,
    weights: &Weights,
    missing: MissingRule,
    max_size: usize,
) -> (Vec<ColumnId>, bool) {
    let measure = if target.is_key() { Measure::Separation } else { target.measure() };
    let value = |sizes: &ClassSizes| match measure {
        Measure::Separation => sizes.pairs() - sizes.unseparated_pairs(),
        Measure::Distinct => sizes.classes().unwrap().into(),
    };
    let (mut taken, mut by) = (Vec::new(), ColumnSet::new());
    loop {
        let now = oracle::class_sizes(table, &by, missing);
        let reached = Target::new(measure, target.beta()).is_reached(&now);
        if reached || taken.len() >= max_size {
            return (taken, reached);
        }
        let mut best: Option<(u128, u128, ColumnId)> = None;
        for column in table.all_columns().difference(&by).iter() {
            let with = oracle::class_sizes(table, &by.union(&set(&[column.index()])), missing);
            let gain = value(&with) - value(&now);
            let weight = u128::from(weights.of(column).millionths());
            let beats = |&(g, w, _): &(u128, u128, ColumnId)| match (weight, w) {
                (0, 0) => gain > g,
                _ => gain * w > g * weight,
            };
            if gain > 0 && best.as_ref().is_none_or(beats) {
                best = Some((gain, weight, column));
            }
        }
        let Some((_, _, column)) = best else { return (taken, false) };
        by.insert(column);
        taken.push(column);
    }
}

fn targets() -> impl Strategy<Value = Target> {
    let beta = prop::sample::select(vec!["0", "0.3", "0.5", "0.8", "0.9", "0.95", "1"]);
    (prop::sample::select(Measure::ALL.to_vec()), beta).prop_map(|(m, beta)| target(m, beta))
}

fn weights() -> impl Strategy<Value = Weights> {
    let weight = prop::sample::select(vec!["0", "0.5", "1", "1", "2", "3.7"]);
    prop_oneof![
        Just(Weights::new()),
        prop::collection::vec(weight, 7).prop_map(|all| {
            let mut weights = Weights::new();
            for (column, weight) in all.into_iter().enumerate() {
                weights.set(ColumnId::new(column), weight.parse().unwrap());
            }
            weights
        }),
    ]
}

fn taken(found: &GreedyFound) -> Vec<ColumnId> {
    found.steps().iter().map(|step| step.column).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2_000)))]

    #[test]
    fn ratios_are_those_of_brute_force(table in small_tables()) {
        let run = Run::new();
        let engine = MemoryEngine::new(&table, &run);
        for bits in 0..1usize << table.columns().len() {
            let by: ColumnSet =
                table.all_columns().iter().filter(|c| bits >> c.index() & 1 == 1).collect();
            for missing in MissingRule::ALL {
                let found = SetRatios::of(&engine, &by, missing).unwrap();
                let matches = oracle::matches(&table, &by, missing);
                let alone = matches.iter().filter(|&&rows| rows == 1).count() as u64;
                prop_assert_eq!((found.rows(), found.rows_alone()), (table.rows() as u64, alone));
                prop_assert_eq!(found.smallest_class(), matches.iter().copied().min());
                prop_assert_eq!(found.largest_class(), matches.iter().copied().max());
                let together: u64 = matches.iter().map(|rows| rows - 1).sum();
                prop_assert_eq!(found.unseparated_pairs(), u128::from(together / 2));
                prop_assert_eq!(found.classes().is_none(), missing == MissingRule::Wildcard);
                prop_assert_eq!(found.set(), &by);
            }
        }
    }

    #[test]
    fn steps_are_those_of_the_plain_algorithm(
        table in ugly_tables(),
        (target, weights) in (targets(), weights()),
        missing in prop::sample::select(MissingRule::ALL.to_vec()),
        max_size in prop_oneof![2 => Just(None), 1 => (0usize..5).prop_map(Some)],
    ) {
        let greedy = Greedy::new(target).weights(weights.clone()).missing(missing);
        let greedy = max_size.map_or(greedy.clone(), |most| greedy.max_size(most));
        let run = Run::new();
        let found = greedy.run(&MemoryEngine::new(&table, &run), &run);
        if missing == MissingRule::Wildcard && target.measure() == Measure::Distinct && !target.is_key() {
            prop_assert!(matches!(found, Err(Error::Setting(_))));
            return Ok(());
        }
        let found = found.unwrap();
        let most = max_size.unwrap_or(usize::MAX);
        let (steps, reached) = plain_greedy(&table, target, &weights, missing, most);
        prop_assert_eq!(taken(&found), steps.clone());
        prop_assert_eq!(found.reached(), reached);
        prop_assert_eq!(found.coverage(), Coverage::Complete);
        prop_assert_eq!(found.set(), &steps.iter().copied().collect::<ColumnSet>());
        for (size, step) in (1..).zip(found.steps()) {
            let by = steps[..size].iter().copied().collect();
            let sizes = oracle::class_sizes(&table, &by, missing);
            prop_assert_eq!(&step.ratios, &SetRatios::from_sizes(by, &sizes));
        }
    }

    #[test]
    fn a_pruned_set_reaches_the_target_and_no_column_can_be_left_out(
        table in ugly_tables(), target in targets(), weights in weights(),
    ) {
        let run = Run::new();
        let engine = MemoryEngine::new(&table, &run);
        let greedy = Greedy::new(target).weights(weights);
        let (plain, pruned) =
            (greedy.run(&engine, &run).unwrap(), greedy.clone().prune().run(&engine, &run).unwrap());
        prop_assert_eq!(plain.steps(), pruned.steps());
        let left: ColumnSet = pruned.dropped().iter().copied().collect();
        prop_assert_eq!(plain.set().difference(&left), pruned.set().clone());
        let missing = MissingRule::Category;
        let reaches = |set: &ColumnSet| target.is_reached(&oracle::class_sizes(&table, set, missing));
        if plain.reached() {
            prop_assert!(reaches(pruned.set()));
            for column in pruned.set().iter() {
                prop_assert!(!reaches(&pruned.set().difference(&set(&[column.index()]))));
            }
        } else {
            prop_assert!(pruned.dropped().is_empty());
        }
    }

    #[test]
    fn a_curve_ends_where_nothing_is_left_to_add(table in ugly_tables(), target in targets()) {
        let run = Run::new();
        let curve = Greedy::new(target).curve(&MemoryEngine::new(&table, &run), &run).unwrap();
        let all = oracle::class_sizes(&table, &table.all_columns(), MissingRule::Category);
        prop_assert_eq!(curve.ratios().unseparated_pairs(), all.unseparated_pairs());
        prop_assert_eq!(curve.ratios().classes(), all.classes());
        prop_assert_eq!(curve.reached(), target.is_reached(&all));
        let mut last = curve.start().clone();
        for step in curve.steps() {
            prop_assert!(step.ratios.distinct() > last.distinct());
            last = step.ratios.clone();
        }
    }
}

#[test]
fn published_table_has_the_published_ratios_and_key() {
    // Motwani and Xu, section 1.1 on Table 1.
    let (table, run) = (published::motwani_xu_table_1(), Run::new());
    let engine = MemoryEngine::new(&table, &run);
    let ratios = |names: &[&str]| {
        let by = names.iter().map(|name| table.find(name).unwrap()).collect();
        let found = SetRatios::of(&engine, &by, MissingRule::Category).unwrap();
        (found.distinct().unwrap(), found.separation())
    };
    assert_eq!(ratios(&["age"]), (Ratio::new(3, 5), Ratio::new(8, 10)));
    assert_eq!(ratios(&["sex"]).1, Ratio::new(6, 10));
    assert_eq!(ratios(&["state"]).1, Ratio::new(7, 10));
    assert_eq!(ratios(&["sex", "state"]), (Ratio::new(4, 5), Ratio::new(9, 10)));
    for key in [["age", "sex"], ["age", "state"]] {
        assert_eq!(ratios(&key), (Ratio::new(1, 1), Ratio::new(1, 1)));
    }
    let found = Greedy::new(Target::key()).run(&engine, &run).unwrap();
    assert_eq!((found.set().len(), found.reached()), (2, true));
}

#[test]
fn columns_that_cost_nothing_come_first_and_dear_ones_last() {
    let table = EncodedTable::of(&[[1, 1, 1], [2, 2, 1], [3, 3, 2], [4, 4, 2]]);
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let mut weights = Weights::new();
    weights.set(ColumnId::new(2), "0".parse().unwrap());
    weights.set(ColumnId::new(0), "1.5".parse().unwrap());
    let greedy = Greedy::new(Target::key()).weights(weights);
    let found = greedy.run(&engine, &run).unwrap();
    assert_eq!(taken(&found), [ColumnId::new(2), ColumnId::new(1)]);
    // The free column turns out not to be needed, but what is dear goes first.
    assert_eq!(greedy.prune().run(&engine, &run).unwrap().set(), &set(&[1]));
}

#[test]
fn steps_do_not_depend_on_threads() {
    let table = large_table(20_000, &[2, 2, 3, 50, 7, 900, 2], true, Seed::new(3));
    let found = [1, 4].map(|threads| {
        let run = Run::new().threads(threads).unwrap();
        Greedy::new(Target::key()).run(&MemoryEngine::new(&table, &run), &run).unwrap()
    });
    assert_eq!(found[0], found[1]);
    assert!(found[0].steps().len() >= 5);
}

#[test]
fn a_stopped_run_says_so() {
    let (table, cancel) = (published::motwani_xu_table_1(), Cancel::default());
    cancel.cancel();
    let run = Run::new().cancel(cancel);
    let found = Greedy::new(Target::key()).run(&MemoryEngine::new(&table, &run), &run).unwrap();
    assert_eq!(found.coverage(), Coverage::Stopped { by: Stop::Interrupted });
    assert!(!found.reached() && found.steps().is_empty());
}

/// Tables of one column whose classes have these sizes.
fn classes(sizes: &[usize]) -> EncodedTable {
    let cells = sizes.iter().zip(0i64..).flat_map(|(&size, v)| std::iter::repeat_n(Some(v), size));
    EncodedTable::of_columns([("c0".to_owned(), cells.collect())])
}

#[test]
fn bounds_from_samples_hold_as_often_as_they_promise() {
    let mut shapes: Vec<(Vec<usize>, u64)> = vec![
        (vec![1; 400], 60),
        (vec![2; 200], 150),
        (vec![20; 20], 50),
        (vec![200, 200], 80),
        (vec![300].into_iter().chain(vec![1; 100]).collect(), 30),
        (vec![40].into_iter().chain(vec![1; 360]).collect(), 200),
        (vec![50, 100, 150], 2),
        (vec![5, 5, 5], 14),
    ];
    shapes.push(((1..40).collect(), 100));
    let run = Run::new();
    for (sizes, sampled) in shapes {
        let table = classes(&sizes);
        let (all_rows, by) = (table.rows() as u64, table.all_columns());
        let engine = MemoryEngine::new(&table, &run);
        let truth = SetRatios::of(&engine, &by, MissingRule::Category).unwrap();
        let (separation, distinct) =
            (truth.separation().as_f64(), truth.distinct().unwrap().as_f64());
        for confidence in [0.5, 0.8, 0.95] {
            let (mut missed, mut missed_distinct, mut sum) = (0u32, 0u32, 0.0);
            let seeds = 1_000;
            for seed in 0..seeds {
                let sample = engine.sample(sampled, Seed::new(seed)).unwrap();
                let rule = MissingRule::Category;
                let found = RatioEstimate::of(&sample, all_rows, &by, rule, confidence).unwrap();
                let (near, far) = (found.separation(), found.distinct().unwrap());
                missed += u32::from(!(near.low - 1e-12..=near.high + 1e-12).contains(&separation));
                missed_distinct +=
                    u32::from(!(far.low - 1e-12..=far.high + 1e-12).contains(&distinct));
                sum += found.likely_separation().unwrap();
            }
            let allowed = 1_000.0 * (1.0 - confidence);
            assert!(f64::from(missed) <= allowed, "{sizes:?} {confidence} {missed}");
            assert!(f64::from(missed_distinct) <= allowed, "{sizes:?} {confidence}");
            // The guess is unbiased: five standard errors of a share, at the very most.
            assert!((sum / 1_000.0 - separation).abs() < 5.0 * 0.5 / 1_000f64.sqrt());
        }
    }
}

#[test]
fn a_sample_of_all_rows_tells_the_ratio_itself() {
    let table = published::motwani_xu_table_1();
    let by = set(&[1]);
    let found = RatioEstimate::of(&table, 5, &by, MissingRule::Category, 0.9).unwrap();
    assert_eq!((found.separation().low, found.separation().high), (0.6, 0.6));
    assert_eq!(found.distinct().map(|d| (d.low, d.high)), Some((0.4, 0.4)));
    let wild = RatioEstimate::of(&table, 50, &by, MissingRule::Wildcard, 0.9).unwrap();
    assert_eq!(wild.distinct(), None);
    assert!(RatioEstimate::of(&table, 5, &by, MissingRule::Category, 1.0).is_err());
    let one = classes(&[1]);
    let told = RatioEstimate::of(&one, 9, &one.all_columns(), MissingRule::Category, 0.9).unwrap();
    assert_eq!(told.likely_separation(), None);
    assert_eq!((told.separation().low, told.separation().high), (0.0, 1.0));
}

#[test]
fn a_larger_sample_tells_more() {
    let table = large_table(100_000, &[300], false, Seed::new(8));
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let width = |rows| {
        let sample = engine.sample(rows, Seed::new(1)).unwrap();
        let by = table.all_columns();
        let found = RatioEstimate::of(&sample, 100_000, &by, MissingRule::Category, 0.95).unwrap();
        found.separation().high - found.separation().low
    };
    assert!(width(10_000) < 0.01 && width(10_000) < width(1_000) && width(1_000) < width(100));
}

#[test]
fn a_target_of_nought_is_reached_by_no_column() {
    let (table, run) = (published::motwani_xu_table_1(), Run::new());
    let engine = MemoryEngine::new(&table, &run);
    let nought: Beta = "0".parse().unwrap();
    let found = Greedy::new(Target::new(Measure::Separation, nought)).run(&engine, &run).unwrap();
    assert!(found.reached() && found.set().is_empty());
    let among = Greedy::new(Target::key()).among(set(&[1, 2])).run(&engine, &run).unwrap();
    assert!(!among.reached() && among.set() == &set(&[1, 2]));
}
