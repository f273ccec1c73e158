//! All minimal keys and quasi-identifiers of generated tables, and of real ones where they are
//! there: the search alone, on one thread and on all, best of some repeats.
//!
//! `cargo bench -p muslin-assess --bench keys -- [part of a case's name]`

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]
#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::time::Instant;

use muslin_assess::{Measure, MinimalSets, Target};
use muslin_engine::{Partition, Run, Seed, take_rows};
use muslin_io::{ColumnChoice, Input, ReadOptions};
use muslin_table::{EncodedTable, MissingRule};
use muslin_testkit::data::real;
use muslin_testkit::generate::{keyed_table, wide_table_with_many_keys};

const REPEATS: usize = 5;

struct Case {
    name: &'static str,
    target: Target,
    table: Box<dyn Fn() -> Option<EncodedTable>>,
}

fn case(
    name: &'static str,
    target: Target,
    table: impl Fn() -> Option<EncodedTable> + 'static,
) -> Case {
    Case { name, target, table: Box::new(table) }
}

fn file(name: &'static str, without: Option<&'static str>) -> impl Fn() -> Option<EncodedTable> {
    move || {
        let path = real(name)?;
        let mut options = ReadOptions::default();
        if let Some(column) = without {
            options.columns = ColumnChoice::Except(vec![column.to_owned()]);
        }
        Some(muslin_io::read(&Input::named(path), &options, &Run::new()).unwrap().table)
    }
}

/// The adult of the literature on keys: without `fnlwgt`, every row once.
fn adult() -> Option<EncodedTable> {
    let table = file("adult.csv", Some("fnlwgt"))()?;
    let classes = table
        .columns()
        .iter()
        .fold(Partition::whole(table.rows()), |all, c| all.refine(c, MissingRule::Category));
    Some(take_rows(&table, &classes.first_rows()).unwrap())
}

fn cases() -> Vec<Case> {
    let separation = |beta: &str| Target::new(Measure::Separation, beta.parse().unwrap());
    let distinct = |beta: &str| Target::new(Measure::Distinct, beta.parse().unwrap());
    vec![
        case("keyed_2000000x20", Target::key(), || Some(keyed_table(2_000_000, Seed::new(1)))),
        case("wide_40x30", Target::key(), || Some(wide_table_with_many_keys(40, 30, Seed::new(1)))),
        case("adult_14", Target::key(), adult),
        case("adult_14_0.999_separation", separation("0.999"), adult),
        case("adult_14_0.9_distinct", distinct("0.9"), adult),
        case("flights", Target::key(), file("flights.csv.gz", None)),
        case("flights_0.999_separation", separation("0.999"), file("flights.csv.gz", None)),
        case("covtype_54", Target::key(), file("covtype.csv.gz", Some("Cover_Type"))),
    ]
}

/// Seconds of the best of some searches, and the number of results.
fn measure(table: &EncodedTable, target: Target, threads: usize) -> (f64, usize) {
    let run = Run::new().threads(threads).unwrap();
    let mut best = (f64::INFINITY, 0);
    for _ in 0..REPEATS {
        let started = Instant::now();
        let found = MinimalSets::new(target).run(table, &run).unwrap();
        best = (best.0.min(started.elapsed().as_secs_f64()), found.sets().len());
    }
    best
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "{:<28}{:>9}{:>8}{:>10}{:>10}{:>7}",
        "case", "rows", "sets", "1 thread", threads, "ratio"
    );
    for case in cases() {
        if !(asked.is_empty() || asked.iter().any(|part| case.name.contains(part.as_str()))) {
            continue;
        }
        let Some(table) = (case.table)() else {
            println!("{:<28} its file is absent", case.name);
            continue;
        };
        let (one, sets) = measure(&table, case.target, 1);
        let (all, _) = measure(&table, case.target, threads);
        println!(
            "{:<28}{:>9}{sets:>8}{one:>9.3}s{all:>9.3}s{:>7.2}",
            case.name,
            table.rows(),
            one / all
        );
    }
}
