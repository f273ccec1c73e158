//! Judging a release and checking a certificate. Ids say rows, columns, patterns, threads.

use std::collections::{BTreeMap, BTreeSet};

use criterion::{Criterion, criterion_group, criterion_main};
use muslin_engine::{Run, Seed};
use muslin_table::{Cell, Changes, Codes, Column, ColumnId, ColumnSet, EncodedTable, RowId};
use muslin_testkit::generate::large_table;
use muslin_verify::loss::{Buckets, Reading};
use muslin_verify::{Certificate, ClassJudge, Matching, Outsider, Truth};

const VALUES: [u64; 8] = [2, 70, 5, 7, 16, 41, 8, 14];

/// A release in which a third of the rows have one of so many patterns of suppressed cells.
fn release(table: &EncodedTable, patterns: u64) -> Changes {
    let seed = Seed::new(3);
    // Patterns of few columns first.
    let mut sets: Vec<u64> = (1..256).collect();
    sets.sort_by_key(|set| (set.count_ones(), *set));
    let mut cells = BTreeSet::new();
    for row in 0..u32::try_from(table.rows()).expect("few rows") {
        if seed.part(1).below(row.into(), 3) == 0 {
            let place = seed.part(2).below(row.into(), patterns);
            let set = sets[usize::try_from(place).expect("few patterns")];
            let columns = (0..8).filter(|c| set >> c & 1 == 1);
            cells.extend(columns.map(|c| (c, row)));
        }
    }
    let mut changes = Changes::none(table);
    for (column, row) in cells {
        let cell = Cell { row: RowId::new(row), column: ColumnId::new(column) };
        changes.suppress(cell).expect("a cell of the table");
    }
    changes
}

fn notions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("notions");
    group.sample_size(10);
    for (rows, patterns) in [(30_000, 99), (1_000_000, 59)] {
        let table = large_table(rows, &VALUES, true, Seed::new(1));
        let changes = release(&table, patterns);
        let columns = table.all_columns();
        for (threads, limit) in [(1, 0), (2, 0), (2, 1_000_000_000)] {
            let run = Run::new().threads(threads).expect("few threads");
            let outsider = Outsider::new(columns.clone()).work_limit(limit);
            let what = if limit == 0 { "without_n1_n5" } else { "all" };
            let id = format!("{rows}x8/{}_patterns/{what}/{threads}t", patterns + 1);
            group.bench_function(id, |bencher| {
                bencher.iter(|| outsider.run(&table, &changes, &run));
            });
        }
    }
    group.finish();
}

/// What `changes` publish, the last row first.
fn published(table: &EncodedTable, changes: &Changes) -> EncodedTable {
    let column = |(at, column): (usize, &Column)| {
        let mut slots: Vec<u32> = column.codes().slots().collect();
        let hidden = changes.suppressed(ColumnId::new(at)).iter();
        hidden.for_each(|row| slots[row.index()] = column.suppressed_slot());
        slots.reverse();
        let codes = Codes::pack(column.dictionary().len(), slots.into_iter());
        Column::new(column.name(), column.dictionary().clone(), codes).expect("codes fit")
    };
    let columns = table.columns().iter().enumerate().map(column).collect();
    EncodedTable::new(table.rows(), columns).expect("names differ")
}

/// Each value of a column becomes a range of so many.
fn ranges(column: &Column, width: usize) -> Column {
    let texts = column.dictionary().texts();
    let last = texts.len().saturating_sub(1);
    let label = |from: usize| {
        let to = (from + width - 1).min(last);
        format!("[{}-{}]", texts[from], texts[to])
    };
    let labels: Vec<String> = (0..texts.len()).step_by(width).map(label).collect();
    let width = u32::try_from(width).expect("few values");
    let slots: Vec<u32> = column.codes().slots().map(|slot| slot / width).collect();
    Column::of_labels(column.name(), &labels, slots.into_iter()).expect("a label each")
}

fn two_tables(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("two_tables");
    group.sample_size(10);
    let run = Run::new().threads(2).expect("few threads");
    for rows in [30_000, 300_000] {
        let table = large_table(rows, &VALUES, true, Seed::new(1));
        let release = published(&table, &release(&table, 59));
        let reading = Reading::of(&table, &release, &BTreeMap::new(), None).expect("same values");
        let outsider = Outsider::new(table.all_columns());
        group.bench_function(format!("compare/{rows}x8/60_patterns/2t"), |bencher| {
            bencher.iter(|| outsider.compare(&table, &release, &reading, &run));
        });
        let truth = Truth::new(table.all_columns());
        group.bench_function(format!("truth/{rows}x8/60_patterns/2t"), |bencher| {
            bencher.iter(|| truth.run(&table, &release, &reading, &run));
        });

        let mut columns = table.columns().to_vec();
        [1, 4, 5].iter().for_each(|&at| columns[at] = ranges(&columns[at], 5));
        let release = EncodedTable::new(table.rows(), columns).expect("names differ");
        let reading = Reading::of(&table, &release, &BTreeMap::new(), None).expect("ranges");
        group.bench_function(format!("truth/{rows}x8/ranges/2t"), |bencher| {
            bencher.iter(|| truth.run(&table, &release, &reading, &run));
        });

        // Buckets of about ten rows that follow each other in the order of two columns.
        let mut order: Vec<u32> = (0u32..).take(table.rows()).collect();
        let slot = |row: u32, at: usize| table.columns()[at].codes().slot(row as usize);
        order.sort_by_key(|&row| (slot(row, 1), slot(row, 5), row));
        let mut numbers = vec![0; table.rows()];
        (0u32..).zip(&order).for_each(|(at, &row)| numbers[row as usize] = at / 10);
        let last = u32::try_from(table.rows() / 10 + 1).expect("few rows");
        let mut columns = table.columns().to_vec();
        columns.push(Column::of_numbers("b", last, numbers.into_iter()).expect("a number each"));
        let release = EncodedTable::new(table.rows(), columns).expect("names differ");
        let names = |names: &[usize]| names.iter().map(|at| format!("c{at}")).collect();
        let slices = vec![names(&[0, 1, 2]), names(&[3, 5]), names(&[4, 6, 7])];
        let buckets = Buckets { column: "b".into(), slices };
        let none = BTreeMap::new();
        let reading = Reading::of(&table, &release, &none, Some(&buckets)).expect("same values");
        group.bench_function(format!("truth/{rows}x8/buckets/2t"), |bencher| {
            bencher.iter(|| truth.run(&table, &release, &reading, &run));
        });
        let matching = Matching::new(ColumnId::new(7));
        group.bench_function(format!("matching/{rows}x8/buckets/2t"), |bencher| {
            bencher.iter(|| matching.run(&table, &release, &reading, &run));
        });
    }
    group.finish();
}

fn certificate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("certificate");
    group.sample_size(10);
    let table = large_table(30_000, &VALUES, true, Seed::new(1));
    // Every one of the 256 column sets is lighter than some multiplier.
    let multipliers = (0..30_000).map(|row| Seed::new(2).below(row, 8_100)).collect();
    let proof = Certificate {
        columns: table.all_columns().iter().collect(),
        k: 5,
        weights: vec![Some(1); 8],
        scale: 1_000,
        multipliers,
    };
    for threads in [1, 2] {
        let run = Run::new().threads(threads).expect("few threads");
        group.bench_function(format!("30000x8/256_patterns/{threads}t"), |bencher| {
            bencher.iter(|| proof.bound(&table, &run));
        });
    }
    group.finish();
}

fn class_judge(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("class_judge");
    group.sample_size(10);
    // Nine columns each, the last ones sensitive: of few and of many values.
    let coarse = [2, 7, 3, 4, 3, 4, 2, 15, 50_000];
    let fine = [2, 70, 5, 7, 16, 41, 8, 15, 50_000];
    for (what, values) in [("coarse", coarse), ("fine", fine)] {
        let release = large_table(1_000_000, &values, true, Seed::new(1));
        let [few, many] = [7, 8].map(ColumnId::new);
        let judge = ClassJudge::new(ColumnSet::first(7))
            .sensitive(few, Some(release.column(few)))
            .sensitive(many, Some(release.column(many)));
        for threads in [1, 2] {
            let run = Run::new().threads(threads).expect("few threads");
            group.bench_function(format!("1000000x9/{what}/{threads}t"), |bencher| {
                bencher.iter(|| judge.run(&release, &run));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, notions, two_tables, certificate, class_judge);
criterion_main!(benches);
