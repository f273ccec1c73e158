//! Masks against brute force, and the relations that must hold for each.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::Duration;

use muslin_assess::{Measure, Target, Weight, Weights};
use muslin_engine::{Cancel, Coverage, MemoryEngine, Run, Seed};
use muslin_protect::{Error, Mask, MaskFound, MaskMethod, Protector};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, EncodedTable, MissingRule};
use muslin_testkit::generate::{large_table, ugly_tables};
use muslin_testkit::oracle;
use proptest::prelude::*;

fn target(measure: Measure, beta: &str) -> Target {
    Target::new(measure, beta.parse().unwrap())
}

fn subsets(columns: usize) -> impl Iterator<Item = ColumnSet> {
    (0..1u32 << columns).map(move |mask| set_of(mask, columns))
}

fn set_of(mask: u32, columns: usize) -> ColumnSet {
    (0..columns).filter(|c| mask >> c & 1 == 1).map(ColumnId::new).collect()
}

fn betas() -> impl Strategy<Value = String> {
    let fixed = ["0", "0.1", "0.2", "0.25", "0.5", "0.6", "0.75", "0.8", "0.9", "0.99", "1"];
    prop_oneof![
        prop::sample::select(fixed.to_vec()).prop_map(str::to_owned),
        (0u32..1_000).prop_map(|beta| format!("0.{beta:03}"))
    ]
}

fn weights() -> impl Strategy<Value = Weights> {
    let weight = prop_oneof![Just(1_000_000u64), Just(0), 1u64..4, 0u64..9_000_000];
    let several = prop::collection::vec(weight, 7).prop_map(|of| {
        let mut weights = Weights::new();
        for (column, weight) in of.into_iter().enumerate() {
            weights.set(ColumnId::new(column), Weight::of_millionths(weight));
        }
        weights
    });
    prop_oneof![1 => Just(Weights::new()), 2 => several]
}

/// A question with all its settings; the masks say which columns to keep and to drop.
fn questions()
-> impl Strategy<Value = (EncodedTable, Mask, Target, Weights, (u32, u32), MissingRule)> {
    let columns = prop_oneof![3 => Just((0, 0)), 1 => (any::<u32>(), any::<u32>(), any::<u32>())
        .prop_map(|(a, b, c)| (a & b & c, !a & b & c))];
    // Many rows of few kinds are answered another way.
    let table =
        (ugly_tables(), prop_oneof![2 => Just(1usize), 1 => Just(5)]).prop_map(|(table, times)| {
            let rows = u32::try_from(table.rows()).unwrap();
            let rows: Vec<u32> = (0..times).flat_map(|_| 0..rows).collect();
            if times == 1 { table } else { muslin_engine::take_rows(&table, &rows).unwrap() }
        });
    let measure = prop::sample::select(Measure::ALL.to_vec());
    let missing = prop::sample::select(MissingRule::ALL.to_vec());
    (table, measure, betas(), weights(), columns, missing)
        .prop_filter("no distinct ratio", |(_, measure, _, _, _, missing)| {
            *measure == Measure::Separation || *missing != MissingRule::Wildcard
        })
        .prop_map(|(table, measure, beta, weights, (keep, drop), missing)| {
            let target = target(measure, &beta);
            let width = table.columns().len();
            let mask = Mask::new(target)
                .weights(weights.clone())
                .keep(set_of(keep, width))
                .drop(set_of(drop, width))
                .missing(missing);
            (table, mask, target, weights, (keep, drop), missing)
        })
}

/// The paper's greedy, one column after the other: of the columns that are still allowed the one
/// that gains least for its weight; nothing gained comes first, the smallest column of several.
fn greedy_by_hand(
    target: Target,
    weights: &Weights,
    keep: &ColumnSet,
    open: &ColumnSet,
    sizes: impl Fn(&ColumnSet) -> ClassSizes,
) -> Vec<ColumnId> {
    let part = |set: &ColumnSet| target.measure().ratio(&sizes(set)).unwrap().part();
    let (mut publish, mut steps) = (keep.clone(), Vec::new());
    loop {
        let before = part(&publish);
        let left = open.difference(&publish);
        let fits = left.iter().map(|column| {
            let with = publish.union(&[column].into_iter().collect());
            (!target.is_exceeded(&sizes(&with))).then(|| (part(&with) - before, column))
        });
        let best = fits.flatten().min_by(|&(a, x), &(b, y)| {
            let weight = |column| u128::from(weights.of(column).millionths());
            let price = (a * weight(y)).cmp(&(b * weight(x)));
            let are_worthless = weight(x) == 0 && weight(y) == 0;
            let by_gain = if are_worthless { a.cmp(&b) } else { Ordering::Equal };
            a.min(1).cmp(&b.min(1)).then(price).then(by_gain).then(x.cmp(&y))
        });
        let Some((_, column)) = best else { return steps };
        publish.insert(column);
        steps.push(column);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(4_000)))]

    #[test]
    fn masks_are_allowed_and_as_good_as_promised(
        (table, mask, target, weights, (keep, drop), missing) in questions(),
    ) {
        let run = Run::new();
        let engine = MemoryEngine::new(&table, &run);
        let width = table.columns().len();
        let (keep, drop) = (set_of(keep, width), set_of(drop, width));
        let all: BTreeMap<ColumnSet, ClassSizes> = subsets(width)
            .map(|set| (set.clone(), oracle::class_sizes(&table, &set, missing)))
            .collect();
        let sizes = |set: &ColumnSet| all[set].clone();
        let is_allowed = |set: &ColumnSet| {
            keep.is_subset(set) && set.is_disjoint(&drop) && !target.is_exceeded(&sizes(set))
        };
        let best = subsets(width).filter(|set| is_allowed(set)).map(|set| weights.sum(&set)).max();
        for method in [MaskMethod::Greedy, MaskMethod::Exact] {
            let found = mask.clone().method(method).run(&engine, &run);
            if best.is_none() && !keep.is_empty() {
                prop_assert!(matches!(found, Err(Error::Unreachable(_))));
                continue;
            }
            let found = found.unwrap();
            let publish = found.publish();
            prop_assert_eq!(found.coverage(), Coverage::Complete);
            prop_assert_eq!(found.sizes(), &sizes(publish));
            prop_assert_eq!(Some(found.ratio()), target.measure().ratio(&sizes(publish)));
            prop_assert_eq!(found.weight(), weights.sum(publish));
            prop_assert_eq!(&table.all_columns().difference(publish), found.masked());
            let Some(best) = best else {
                prop_assert!(!found.is_reached() && publish.is_empty());
                continue;
            };
            prop_assert!(is_allowed(publish));
            prop_assert!(found.upper_bound() >= best && best >= found.weight());
            // No column can be added.
            for column in found.masked().difference(&drop).iter() {
                let more = publish.union(&[column].into_iter().collect());
                prop_assert!(!is_allowed(&more), "{:?} can be added", column);
            }
            if method == MaskMethod::Exact {
                prop_assert_eq!(found.weight(), best);
                prop_assert!(found.is_optimal());
            } else {
                let steps: ColumnSet = found.steps().iter().map(|step| step.column).collect();
                prop_assert_eq!(steps.union(&keep), publish.clone());
                let open = table.all_columns().difference(&keep.union(&drop));
                let order: Vec<ColumnId> = found.steps().iter().map(|step| step.column).collect();
                prop_assert_eq!(order, greedy_by_hand(target, &weights, &keep, &open, sizes));
                prop_assert!(found.steps().is_sorted_by_key(|step| step.ratio));
                let last = found.steps().last().map(|step| step.ratio);
                prop_assert!(last.is_none_or(|last| last == found.ratio()));
            }
        }
    }

    #[test]
    fn sampled_masks_are_allowed_whatever_the_sample(
        (table, mask, target, _, (keep, drop), missing) in questions(),
        draws in 40u64..400,
        seed in any::<u64>(),
    ) {
        let run = Run::new().seed(Seed::new(seed));
        let delta = "0.5".parse().unwrap();
        let mask = mask.method(MaskMethod::Sampled { draws, delta });
        let width = table.columns().len();
        let found = match mask.run(&MemoryEngine::new(&table, &run), &run) {
            Err(Error::Setting(text)) => {
                prop_assert!(text.contains("draw"), "{text}");
                return Ok(());
            }
            Err(Error::Unreachable(_)) => return Ok(()),
            found => found.unwrap(),
        };
        let sizes = oracle::class_sizes(&table, found.publish(), missing);
        prop_assert_eq!(found.sizes(), &sizes);
        prop_assert!(!found.is_reached() || !target.is_exceeded(&sizes));
        prop_assert!(set_of(keep, width).is_subset(found.publish()));
        prop_assert!(set_of(drop, width).is_disjoint(found.publish()));
    }
}

fn wide_table() -> EncodedTable {
    let values = [2, 2, 2, 3, 3, 4, 5, 6, 8, 12, 20, 40];
    large_table(500, &values, true, Seed::new(11))
}

fn columns(found: &MaskFound) -> Vec<usize> {
    found.publish().iter().map(ColumnId::index).collect()
}

#[test]
fn threads_change_nothing() {
    let table = large_table(70_000, &[2, 3, 5, 9, 30, 300], true, Seed::new(2));
    for measure in Measure::ALL {
        for method in [
            MaskMethod::Greedy,
            MaskMethod::Exact,
            MaskMethod::Sampled { draws: 3_000, delta: "0.01".parse().unwrap() },
        ] {
            let found = [1, 4].map(|threads| {
                let run = Run::new().threads(threads).unwrap();
                let mask = Mask::new(target(measure, "0.3")).method(method);
                mask.run(&MemoryEngine::new(&table, &run), &run).unwrap()
            });
            assert_eq!(columns(&found[0]), columns(&found[1]));
            assert_eq!(found[0].steps(), found[1].steps());
        }
    }
}

#[test]
fn the_sample_fails_no_more_often_than_promised() {
    let table = wide_table();
    let run = Run::new();
    for (measure, beta, draws) in
        [(Measure::Separation, "0.9", 400), (Measure::Distinct, "0.5", 300)]
    {
        let method = MaskMethod::Sampled { draws, delta: "0.1".parse().unwrap() };
        let mask = Mask::new(target(measure, beta)).method(method);
        let repaired = (0..1_000).filter(|&seed| {
            let run = run.clone().seed(Seed::new(seed));
            let found = mask.run(&MemoryEngine::new(&table, &run), &run).unwrap();
            assert!(!target(measure, beta).is_exceeded(found.sizes()));
            let sample = found.sample().unwrap();
            assert_eq!(sample.draws, draws);
            assert!(sample.beta.ratio() < target(measure, beta).beta().ratio());
            sample.is_repaired
        });
        assert!(repaired.count() <= 100);
    }
}

#[test]
fn a_set_that_is_not_allowed_is_repaired() {
    // Without any confidence three pairs are believed, although the column tells more than half
    // of all pairs apart.
    let table = wide_table();
    let method = MaskMethod::Sampled { draws: 3, delta: "1".parse().unwrap() };
    let drop: ColumnSet = (0..12).filter(|&c| c != 4).map(ColumnId::new).collect();
    let target = target(Measure::Separation, "0.5");
    let mask = Mask::new(target).method(method).drop(drop);
    let found: Vec<MaskFound> = (0..300)
        .map(|seed| {
            let run = Run::new().seed(Seed::new(seed));
            mask.run(&MemoryEngine::new(&table, &run), &run).unwrap()
        })
        .collect();
    assert!(found.iter().all(|found| !target.is_exceeded(found.sizes())));
    let mut repaired = found.iter().filter(|found| found.sample().unwrap().is_repaired);
    let one = repaired.next().expect("some sample is wrong");
    assert!(one.publish().len() < one.steps().len());
}

#[test]
fn a_stopped_run_leaves_an_allowed_set_and_a_bound() {
    let table = wide_table();
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let target = target(Measure::Separation, "0.95");
    let full = Mask::new(target).method(MaskMethod::Exact).run(&engine, &run).unwrap();
    let cancel = Cancel::default();
    cancel.cancel();
    for hurried in [Run::new().time_limit(Some(Duration::ZERO)), Run::new().cancel(cancel)] {
        // The engine still answers what it was asked first.
        let mask = Mask::new(target).method(MaskMethod::Exact);
        let found = mask.run(&engine, &hurried).unwrap();
        assert!(matches!(found.coverage(), Coverage::Stopped { .. }));
        assert!(!target.is_exceeded(found.sizes()));
        assert!(found.upper_bound() >= full.weight() && full.weight() >= found.weight());
        // Without any answer there is nothing to return.
        assert!(matches!(
            mask.run(&MemoryEngine::new(&table, &hurried), &hurried),
            Err(Error::Engine(muslin_engine::Error::Stopped(_)))
        ));
    }
}

#[test]
fn a_protection_masks_what_is_not_published() {
    let table = wide_table();
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let mask = Mask::new(target(Measure::Distinct, "0.2"));
    let found = mask.run(&engine, &run).unwrap();
    let protection = mask.protect(&engine, &run).unwrap();
    assert_eq!(protection.changes().masked(), found.masked());
    assert_eq!(protection.coverage(), Coverage::Complete);
    assert!(found.is_reached() && !found.masked().is_empty());
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let table = wide_table();
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let mask = |measure| Mask::new(target(measure, "0.5"));
    let refused = |mask: Mask| matches!(mask.run(&engine, &run), Err(Error::Setting(_)));
    assert!(refused(mask(Measure::Distinct).missing(MissingRule::Wildcard)));
    assert!(refused(mask(Measure::Distinct).keep(ColumnSet::first(2)).drop(ColumnSet::first(1))));
    assert!(refused(mask(Measure::Separation).drop(ColumnSet::first(13))));
    let few = MaskMethod::Sampled { draws: 5, delta: "0.01".parse().unwrap() };
    assert!(refused(mask(Measure::Separation).method(few)));
    let keep = mask(Measure::Separation).keep(table.all_columns());
    assert!(matches!(keep.run(&engine, &run), Err(Error::Unreachable(_))));
}
