//! Slicing and bucketization: how many buckets, how large, and how long it takes; on adult where it is
//! there, and on a generated table of a million rows and nine columns.
//!
//! `cargo bench -p muslin-protect --bench slice -- [part of a case's name]`

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]
#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::time::Instant;

use muslin_engine::{Run, Seed, take_rows};
use muslin_io::{Input, ReadOptions};
use muslin_protect::{
    BucketMethod, BucketOrder, Bucketize, MatchingBuckets, Slice, Slices, Weighting,
};
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable};
use muslin_testkit::data::real;
use muslin_testkit::generate::large_table;

/// Distinct values of each column; the last is the sensitive one.
const VALUES: [u64; 9] = [74, 7, 16, 7, 5, 2, 41, 100, 14];

/// Adult as the slicing papers use it: complete rows, occupation being sensitive.
fn adult() -> Option<EncodedTable> {
    let options = ReadOptions { null: vec!["?".into()], ..ReadOptions::default() };
    let input = Input::named(real("adult_full.csv.gz")?);
    let table = muslin_io::read(&input, &options, &Run::new()).unwrap().table;
    let is_whole = |row: &u32| {
        let is_missing =
            |column: &Column| column.codes().slot(*row as usize) == column.missing_slot();
        !table.columns().iter().any(is_missing)
    };
    let rows: Vec<u32> = (0..u32::try_from(table.rows()).unwrap()).filter(is_whole).collect();
    let names = ["age", "workclass", "education", "marital-status", "race", "sex", "occupation"];
    let columns: ColumnSet = names.iter().map(|name| table.find(name).unwrap()).collect();
    Some(take_rows(&table, &rows).unwrap().project(&columns))
}

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{:<34} {:>8} {:>8} {:>8} {:>8}", "case", "buckets", "largest", "1 thread", "all");
    let measure = |name: &str, work: &dyn Fn(&Run) -> (usize, u32)| {
        if !name.contains(&wanted) {
            return;
        }
        let timed = |threads: usize| {
            let run = Run::new().threads(threads).unwrap();
            let started = Instant::now();
            (work(&run), started.elapsed().as_secs_f64())
        };
        let (found, one) = timed(1);
        let (same, all) = timed(threads);
        assert_eq!(found, same);
        println!("{name:<34} {:>8} {:>8} {one:>7.2}s {all:>7.2}s", found.0, found.1);
    };
    let tables = [
        ("adult", adult()),
        ("generated", Some(large_table(1_000_000, &VALUES, true, Seed::new(1)))),
    ];
    for (name, table) in tables {
        let Some(table) = table else { continue };
        let last = ColumnId::new(table.columns().len() - 1);
        let sensitive = table.find("occupation").unwrap_or(last);
        let order = || BucketOrder::random(Seed::new(1));
        let l = 3;
        for (kind, count, with_sensitive) in [("2", 2, 1), ("3", 3, 1), ("2_with_1", 2, 2)] {
            for one_attempt in [false, true] {
                let attempt = if one_attempt { "_one_attempt" } else { "" };
                measure(&format!("{name}_slices_{kind}{attempt}"), &|run| {
                    let slices = Slices::Found { count, with_sensitive };
                    let slice = Slice::new(l, sensitive, slices).one_attempt(one_attempt);
                    match slice.order(order()).run(&table, run) {
                        Ok(found) => (found.buckets(), found.largest()),
                        // Not with these slices.
                        Err(_) => (0, 0),
                    }
                });
            }
        }
        for method in [BucketMethod::Anatomy, BucketMethod::Mondrian] {
            measure(&format!("{name}_bucketize_{method:?}"), &|run| {
                let bucketize = Bucketize::new(l, sensitive).method(method).order(order());
                let found = bucketize.run(&table, run).unwrap();
                (found.buckets(), found.largest())
            });
        }
        let rows = table.rows() as u64;
        for size in [10, 100, 1_000] {
            let seed = Seed::new(4);
            let buckets: Vec<u32> =
                (0..rows).map(|row| u32::try_from(seed.below(row, rows / size)).unwrap()).collect();
            let halves = Slices::Found { count: 3, with_sensitive: 1 };
            let halves = Slice::new(2, sensitive, halves).run(&table, &Run::new()).unwrap();
            measure(&format!("{name}_measures_random_{size}"), &|run| {
                let found = MatchingBuckets::new(&table, halves.slices(), sensitive, &buckets, run)
                    .unwrap();
                println!(
                    "  p {:.3} {:.3}, fakes {:.0}, auc {:.3} {:.3}",
                    found.max_p(Weighting::Equal).as_f64(),
                    found.max_p(Weighting::BySize).as_f64(),
                    found.membership().fakes().number().unwrap_or(f64::INFINITY),
                    found.membership().matching_auc().unwrap_or(0.5),
                    found.membership().multiplicity_auc().unwrap_or(0.5),
                );
                (buckets.len() / usize::try_from(size).unwrap(), 0)
            });
        }
    }
}
