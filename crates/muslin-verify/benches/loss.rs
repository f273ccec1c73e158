//! What an analyst loses. Ids say rows, columns, the kind of release, threads.

use std::collections::BTreeMap;

use criterion::{Criterion, criterion_group, criterion_main};
use muslin_engine::{Run, Seed};
use muslin_table::{Codes, Column, ColumnId, EncodedTable};
use muslin_testkit::generate::large_table;
use muslin_verify::loss::{Buckets, Loss, Reading};

const VALUES: [u64; 9] = [2, 70, 5, 7, 16, 41, 8, 14, 2];

/// Ranges of eight neighbouring values, in every column.
fn ranges(table: &EncodedTable) -> EncodedTable {
    let columns = table.columns().iter().map(|column| {
        let values = u32::try_from(column.dictionary().len()).expect("few values");
        let label = |at: u32| format!("[{}-{}]", at * 8, at * 8 + 7);
        let labels: Vec<String> = (0..values.div_ceil(8)).map(label).collect();
        let slots: Vec<u32> = column.codes().slots().map(|slot| slot / 8).collect();
        Column::of_labels(column.name(), &labels, slots.into_iter()).expect("labels of all")
    });
    EncodedTable::new(table.rows(), columns.collect()).expect("columns of one length")
}

/// A third of the cells of some columns suppressed.
fn suppressed(table: &EncodedTable) -> EncodedTable {
    let columns = (0u64..).zip(table.columns()).map(|(c, column)| {
        let seed = Seed::new(5).part(c);
        let slots: Vec<u32> = (0u64..)
            .zip(column.codes().slots())
            .map(
                |(row, slot)| {
                    if seed.below(row, 9) < 3 && c < 4 { column.suppressed_slot() } else { slot }
                },
            )
            .collect();
        let codes = Codes::pack(column.dictionary().len(), slots.into_iter());
        Column::new(column.name(), column.dictionary().clone(), codes).expect("slots in range")
    });
    EncodedTable::new(table.rows(), columns.collect()).expect("columns of one length")
}

/// Buckets of some 25 rows.
fn sliced(table: &EncodedTable) -> (EncodedTable, Buckets) {
    let rows = table.rows() as u64;
    let bucket = |row| i64::try_from(Seed::new(4).below(row, rows / 25)).ok();
    let bucket = [("bucket".to_owned(), (0..rows).map(bucket).collect())];
    let bucket = EncodedTable::of_columns(bucket).into_columns();
    let columns = table.columns().iter().cloned().chain(bucket).collect();
    let release = EncodedTable::new(table.rows(), columns).expect("columns of one length");
    let names = |columns: [usize; 4]| columns.map(|c| format!("c{c}")).to_vec();
    let slices = vec![names([0, 1, 2, 3]), names([4, 5, 6, 7])];
    (release, Buckets { column: "bucket".to_owned(), slices })
}

fn losses(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("loss");
    group.sample_size(10);
    for rows in [30_000, 1_000_000] {
        let original = large_table(rows, &VALUES, true, Seed::new(1));
        let (slices, buckets) = sliced(&original);
        let releases = [
            ("identity", original.clone(), None),
            ("ranges", ranges(&original), None),
            ("suppressed", suppressed(&original), None),
            ("slices", slices, Some(buckets)),
        ];
        for (kind, release, buckets) in &releases {
            let read = || {
                let buckets = buckets.as_ref();
                Reading::of(&original, release, &BTreeMap::new(), buckets).expect("a release")
            };
            let loss = Loss::new(original.all_columns()).sensitive(Some(ColumnId::new(7)));
            for threads in [1, 2] {
                let run = Run::new().threads(threads).expect("few threads");
                group.bench_function(format!("{rows}x9/{kind}/{threads}t"), |bencher| {
                    bencher.iter(|| loss.run(&original, release, &read(), &run));
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, losses);
criterion_main!(benches);
