//! Refining a partition, and class sizes of a column set. Ids say rows, values per column, skew.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use muslin_engine::{Engine, MemoryEngine, Partition, Run, Seed};
use muslin_table::{ColumnId, MissingRule};
use muslin_testkit::generate::large_table;

const ROWS: u64 = 1_000_000;

fn refine(criterion: &mut Criterion) {
    let table = large_table(ROWS, &[10, 100, 50_000], true, Seed::new(1));
    let mut group = criterion.benchmark_group("refine");
    group.throughput(Throughput::Elements(ROWS)).sample_size(10);
    for threads in [1, 2] {
        let run = Run::new().threads(threads).expect("few threads");
        let mut coarse = Partition::whole(table.rows());
        for (index, values) in [10, 100, 50_000].into_iter().enumerate() {
            let column = table.column(ColumnId::new(index));
            let id = format!("{ROWS}x{values}/from_{}/{threads}t", coarse.sizes().len());
            group.bench_function(id, |bencher| {
                bencher.iter(|| run.install(|| coarse.refine(column, MissingRule::Category)));
            });
            coarse = coarse.refine(column, MissingRule::Category);
        }
    }
    group.finish();
}

fn classes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("class_sizes");
    group.throughput(Throughput::Elements(ROWS)).sample_size(10);
    for skewed in [false, true] {
        let table = large_table(ROWS, &[2, 100, 20, 60, 8], skewed, Seed::new(2));
        for threads in [1, 2] {
            let run = Run::new().threads(threads).expect("few threads");
            let engine = MemoryEngine::new(&table, &run);
            let skew = if skewed { "skewed" } else { "even" };
            group.bench_function(format!("{ROWS}x5/{skew}/{threads}t"), |bencher| {
                bencher.iter(|| engine.class_sizes(&table.all_columns(), MissingRule::Category));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, refine, classes);
criterion_main!(benches);
