//! Minimal uniques of generated tables, and of real ones where they are there: once on one thread
//! and once on all, best of some repeats, with results per second.
//!
//! `cargo bench -p muslin-assess -- [part of a case's name]`; `-- rows` shows how time grows with
//! rows, `-- billions` the widest table. Both are left out unless they are named.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]
#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]
#![expect(clippy::cast_precision_loss, reason = "rates are rough")]

use std::time::Instant;

use muslin_assess::{Method, MinimalUniques};
use muslin_engine::{Run, Seed};
use muslin_io::{ColumnChoice, Input, ReadOptions};
use muslin_table::EncodedTable;
use muslin_testkit::data::real;
use muslin_testkit::generate::{large_table, survey};

struct Case {
    name: String,
    max_size: Option<usize>,
    /// Left out unless the name is asked for.
    long: bool,
    table: Box<dyn Fn() -> Option<EncodedTable>>,
}

fn case(
    name: &str,
    max_size: Option<usize>,
    table: impl Fn() -> Option<EncodedTable> + 'static,
) -> Case {
    Case { name: name.to_owned(), max_size, long: false, table: Box::new(table) }
}

fn file(name: &'static str, without: &'static [&'static str]) -> impl Fn() -> Option<EncodedTable> {
    move || {
        let path = real(name)?;
        let mut options = ReadOptions::default();
        if !without.is_empty() {
            options.columns = ColumnChoice::Except(without.iter().map(|&n| n.to_owned()).collect());
        }
        Some(muslin_io::read(&Input::named(path), &options, &Run::new()).unwrap().table)
    }
}

fn cases() -> Vec<Case> {
    let seed = Seed::new(1);
    let mut cases = vec![
        case("survey_20000x40", Some(5), move || Some(survey(20_000, 40, seed))),
        case("survey_5000x25", None, move || Some(survey(5_000, 25, seed))),
        case("skewed_30000x12", None, move || {
            let values = [90, 9, 16, 7, 15, 6, 5, 2, 40, 30, 60, 42];
            Some(large_table(30_000, &values, true, seed))
        }),
        case("letters_20000x17", None, move || {
            let mut values = vec![16; 16];
            values.push(26);
            Some(large_table(20_000, &values, true, seed))
        }),
        case("tall_1000000x6", Some(4), move || {
            Some(large_table(1_000_000, &[90, 2, 50, 300, 12, 7], true, seed))
        }),
        case("mushroom", None, file("mushroom.csv", &[])),
        case("adult_14", None, file("adult.csv", &["income"])),
        case("adult_15", None, file("adult.csv", &[])),
        case("nursery", None, file("nursery.csv", &[])),
        case("eusilc", None, file("eusilc.csv", &[])),
        case("flights", None, file("flights.csv.gz", &[])),
        case("covtype", Some(3), file("covtype.csv.gz", &[])),
    ];
    for rows in [8_000, 16_000, 32_000, 64_000, 128_000, 256_000] {
        for (columns, max_size) in [(8, None), (16, None), (32, Some(5))] {
            let name = format!("rows_{rows}x{columns}");
            let table = move || Some(survey(rows, columns, seed));
            cases.push(Case { long: true, ..case(&name, max_size, table) });
        }
    }
    for rows in [8_000, 16_000, 32_000, 64_000, 128_000] {
        let table = move || {
            let values = [90, 9, 16, 7, 15, 6, 5, 2, 40, 30, 60, 42];
            Some(large_table(rows, &values, true, seed))
        };
        let name = format!("rows_{rows}x12_unequal");
        cases.push(Case { long: true, ..case(&name, None, table) });
    }
    let billions = move || Some(survey(137_823, 84, seed));
    cases.push(Case { long: true, ..case("billions_137823x84", Some(6), billions) });
    cases
}

/// Seconds of the best of up to three searches, the number of results and the way it went.
fn measure(table: &EncodedTable, max_size: Option<usize>, threads: usize) -> (f64, u64, Method) {
    let run = Run::new().threads(threads).unwrap();
    let search = MinimalUniques::new().max_size(max_size);
    let mut best = f64::INFINITY;
    loop {
        let started = Instant::now();
        let found = search.run(table, &run).unwrap();
        let seconds = started.elapsed().as_secs_f64();
        let again = best.is_infinite() && seconds < 3.0;
        best = best.min(seconds);
        if !again {
            return (best, found.total(), found.method());
        }
    }
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "{:<22}{:>9}{:>6}{:>13}{:>10}{:>10}{:>7}{:>12}  way",
        "case",
        "rows",
        "size",
        "uniques",
        "1 thread",
        format!("{threads}"),
        "ratio",
        "per second"
    );
    for case in cases() {
        let named = asked.iter().any(|part| case.name.contains(part.as_str()));
        if !(named || asked.is_empty() && !case.long) {
            continue;
        }
        let Some(table) = (case.table)() else {
            println!("{:<22} its file is absent", case.name);
            continue;
        };
        let (one, total, method) = measure(&table, case.max_size, 1);
        let (all, ..) = measure(&table, case.max_size, threads);
        let size = case.max_size.map_or("any".into(), |size| size.to_string());
        println!(
            "{:<22}{:>9}{:>6}{total:>13}{one:>9.3}s{all:>9.3}s{:>7.2}{:>11.1}M  {method:?}",
            case.name,
            table.rows(),
            size,
            one / all,
            total as f64 / one / 1e6,
        );
    }
}
