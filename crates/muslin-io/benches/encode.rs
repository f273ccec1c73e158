//! Reading text to codes. Ids say rows, columns and threads; the data is made outside the timer.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::fmt::Write as _;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use muslin_engine::{Run, Seed};
use muslin_io::{
    Destination, Input, ReadOptions, Release, RowOrder, WriteFormat, WriteOptions, read, write,
};
use muslin_table::Changes;

const ROWS: u64 = 200_000;

/// Ten columns: few values, many values, unique values, short and long texts, quotes in one.
fn text(seed: Seed, quoted: bool) -> String {
    let mut text = String::from("id,name,city,age,sex,code,amount,date,flag,note\n");
    let quote = if quoted { "\"" } else { "" };
    for row in 0..ROWS {
        let draw = |column: u64, bound: u64| seed.part(column).below(row, bound);
        let (name, city) = (draw(1, 50_000), draw(2, 300));
        writeln!(
            text,
            "{row},person {name},{quote}town number {city}{quote},{},{},{:05},{}.{:02},20{:02}-0{}-1{},{},{quote}long note of some kind {}{quote}",
            draw(3, 100), ["f", "m"][usize::try_from(draw(4, 2)).unwrap()], draw(5, 3_000),
            draw(6, 5_000), draw(7, 100), draw(8, 30), 1 + draw(9, 9), draw(10, 10),
            draw(11, 2) == 0, draw(12, 1_000),
        )
        .unwrap();
    }
    text
}

fn encode(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let seed = Seed::new(1);
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let plain = file("plain", &text(seed, false));
    let quoted = file("quoted", &text(seed, true));
    let table = read(&Input::named(&plain), &ReadOptions::default(), &Run::new()).unwrap().table;
    let release = Release::new(&table, &Changes::none(&table), RowOrder::AsRead).unwrap();
    let parquet = folder.path().join("parquet");
    let options = WriteOptions { format: Some(WriteFormat::Parquet), ..WriteOptions::default() };
    write(&release, &Destination::named(&parquet), &options, &Run::new()).unwrap();

    let mut group = criterion.benchmark_group("encode");
    group.sample_size(10);
    for (name, path) in [("csv", &plain), ("csv_quoted", &quoted), ("parquet", &parquet)] {
        group.throughput(Throughput::Bytes(size(path)));
        for threads in [1, 2] {
            let run = Run::new().threads(threads).unwrap();
            group.bench_function(format!("{name}/{ROWS}x10/{threads}t"), |bencher| {
                bencher.iter(|| read(&Input::named(path), &ReadOptions::default(), &run).unwrap());
            });
        }
    }
    group.finish();
}

/// One pass over text for some rows, beside the same for one row: cutting it into fields alone.
fn sample(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain");
    std::fs::write(&path, text(Seed::new(1), false)).unwrap();
    let mut group = criterion.benchmark_group("sample");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(size(&path)));
    for rows in [1, 2_000, 20_000] {
        for threads in [1, 2] {
            let run = Run::new().threads(threads).unwrap();
            group.bench_function(format!("csv/{rows}_of_{ROWS}/{threads}t"), |bencher| {
                let wanted = |_: u64, _: usize| rows;
                bencher.iter(|| {
                    muslin_io::sample(&Input::named(&path), &ReadOptions::default(), &wanted, &run)
                        .unwrap()
                });
            });
        }
    }
    group.finish();
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

criterion_group!(benches, encode, sample);
criterion_main!(benches);
