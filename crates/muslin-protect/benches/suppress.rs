//! Cells withheld to k-anonymity: how many, how far from the proven bound, and how long it takes; on
//! adult where it is there, and on generated tables of eight columns that grow.
//!
//! `cargo bench -p muslin-protect --bench suppress -- [part of a case's name]`

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]
#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::time::Instant;

use muslin_engine::{Run, Seed};
use muslin_io::{ColumnChoice, Input, ReadOptions};
use muslin_protect::Suppress;
use muslin_table::EncodedTable;
use muslin_testkit::data::real;
use muslin_testkit::generate::large_table;

/// Distinct values of each column, as adult's quasi-identifiers have them.
const VALUES: [u64; 8] = [2, 72, 5, 7, 16, 41, 7, 14];

fn adult() -> Option<EncodedTable> {
    let columns = ColumnChoice::Except(vec!["salary-class".into()]);
    let options = ReadOptions { columns, ..ReadOptions::default() };
    let input = Input::named(real("arx/adult/adult.csv")?);
    Some(muslin_io::read(&input, &options, &Run::new()).unwrap().table)
}

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "{:<22} {:>9} {:>9} {:>7} {:>8} {:>8}",
        "case", "cells", "bound", "gap", "1 thread", "all"
    );
    let measure = |name: &str, table: &EncodedTable, k: u32, gap: f64| {
        if !name.contains(&wanted) {
            return;
        }
        let timed = |threads: usize| {
            let run = Run::new().threads(threads).unwrap();
            let started = Instant::now();
            let found = Suppress::new(k).gap(gap).run(table, &run).unwrap();
            (found, started.elapsed())
        };
        let (found, one) = timed(1);
        let (same, all) = timed(threads);
        assert_eq!(found.changes(), same.changes());
        let (cost, bound) = (found.cost().as_f64(), found.lower_bound().as_f64());
        println!(
            "{name:<22} {cost:>9} {bound:>9} {:>6.1}% {:>7.2}s {:>7.2}s",
            (cost / bound - 1.0) * 100.0,
            one.as_secs_f64(),
            all.as_secs_f64()
        );
    };
    if let Some(table) = adult() {
        for k in [2, 3, 5, 10] {
            measure(&format!("adult_k{k}"), &table, k, 0.02);
        }
    }
    for rows in [10_000, 30_000, 100_000, 300_000, 1_000_000] {
        let name = format!("generated_{rows}_k5");
        if name.contains(&wanted) {
            measure(&name, &large_table(rows, &VALUES, true, Seed::new(1)), 5, 0.09);
        }
    }
}
