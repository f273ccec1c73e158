//! Mondrian's classes: what they lose, how many they are and how long it takes; on adult where it
//! is there, and on a generated table of a million rows and nine columns.
//!
//! `cargo bench -p muslin-protect --bench mondrian -- [part of a case's name]`

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]
#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Int64Array};
use muslin_engine::{Run, Seed};
use muslin_io::{Input, ReadOptions};
use muslin_protect::{ClassTarget, Cut, Form, Grid, Mondrian, Partitioned, Spread};
use muslin_table::{Codes, Column, ColumnId, Dictionary, EncodedTable, Hierarchy};
use muslin_testkit::data::real;
use muslin_testkit::generate::large_table;

/// Distinct values of each column, as adult's quasi-identifiers have them.
const VALUES: [u64; 9] = [2, 72, 5, 7, 16, 41, 7, 14, 2];

fn adult() -> Option<EncodedTable> {
    let input = Input::named(real("arx/adult/adult.csv")?);
    Some(muslin_io::read(&input, &ReadOptions::default(), &Run::new()).unwrap().table)
}

/// The lines of the hierarchy that lies beside the table, and the line of each value.
fn lines(column: &Column) -> (Vec<Vec<String>>, Vec<usize>) {
    let path = real(&format!("arx/adult/hierarchy_{}.csv", column.name())).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<Vec<String>> =
        text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect();
    let values = column.dictionary();
    let style = muslin_io::CsvStyle::default();
    let line = |at: usize| {
        let value = style.spell(values, at);
        lines.iter().position(|line| line[0] == value).unwrap()
    };
    let places = (0..values.len()).map(line).collect();
    (lines, places)
}

fn hierarchy(column: &Column) -> Hierarchy {
    let (lines, places) = lines(column);
    let paths: Vec<Vec<String>> = places.iter().map(|&at| lines[at][1..].to_vec()).collect();
    Hierarchy::new(column.name(), &paths, &[]).unwrap()
}

/// As [`in_tree_order`], but values of a group in the order of the file, and values count that no
/// row has: all of the file's.
fn with_all_values(table: &EncodedTable) -> EncodedTable {
    let column = |column: &Column| {
        let (lines, places) = lines(column);
        let paths: Vec<Vec<String>> = lines.iter().map(|line| line[1..].to_vec()).collect();
        let tree = Hierarchy::new(column.name(), &paths, &[]).unwrap();
        let line = |slot: u32| u32::try_from(places[slot as usize]).unwrap();
        let slots = column.codes().slots().map(|slot| tree.position(line(slot)));
        let codes = Codes::pack(lines.len(), slots);
        let values: Vec<i64> = (0..).take(lines.len()).collect();
        let values: ArrayRef = Arc::new(Int64Array::from(values));
        Column::new(column.name(), Dictionary::new(values), codes).unwrap()
    };
    EncodedTable::new(table.rows(), table.columns().iter().map(column).collect()).unwrap()
}

/// The same, without values that no row has.
fn in_file_order(table: &EncodedTable) -> EncodedTable {
    EncodedTable::of_columns(with_all_values(table).columns().iter().map(|column| {
        let cells = column.codes().slots().map(|slot| Some(i64::from(slot)));
        (column.name().to_owned(), cells.collect())
    }))
}

/// Every column as whole numbers in the order of its tree; values of a group in their own order.
fn in_tree_order(table: &EncodedTable) -> EncodedTable {
    EncodedTable::of_columns(table.columns().iter().map(|column| {
        let tree = hierarchy(column);
        let cells = column.codes().slots().map(|slot| Some(i64::from(tree.position(slot))));
        (column.name().to_owned(), cells.collect())
    }))
}

fn columns(table: &EncodedTable, form: impl Fn(&Column) -> Form) -> Vec<(ColumnId, Form)> {
    let ids = (0..table.columns().len()).map(ColumnId::new);
    ids.map(|id| (id, form(table.column(id)))).collect()
}

fn tight(_: &Column) -> Form {
    Form::Range { grid: None }
}

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    println!("{:<30} {:>8} {:>8} {:>9} {:>9}", "case", "loss", "classes", "1 thread", "2 threads");
    let measure = |name: &str, table: &EncodedTable, mondrian: Mondrian| {
        if !name.contains(&wanted) {
            return;
        }
        let repeats = if table.rows() < 100_000 { 9 } else { 3 };
        let timed = |threads: usize| -> (Partitioned, Duration) {
            let run = Run::new().threads(threads).unwrap();
            let once = || {
                let started = Instant::now();
                (mondrian.run(table, &run).unwrap(), started.elapsed())
            };
            (0..repeats).map(|_| once()).min_by_key(|(_, time)| *time).unwrap()
        };
        let (found, one) = timed(1);
        let (same, two) = timed(2);
        assert_eq!(found.changes(), same.changes());
        println!(
            "{name:<30} {:>8.5} {:>8} {:>7.1}ms {:>7.1}ms",
            found.loss(),
            found.classes(),
            one.as_secs_f64() * 1e3,
            two.as_secs_f64() * 1e3
        );
    };
    let k5 = || ClassTarget::new(5);
    if let Some(table) = adult() {
        let ordered = in_tree_order(&table);
        let filled = with_all_values(&table);
        let filed = in_file_order(&table);
        for (name, cut) in [("best", Cut::Best), ("median", Cut::Median)] {
            let run = |case: &str, table: &EncodedTable, forms| {
                measure(
                    &format!("adult_{name}_{case}"),
                    table,
                    Mondrian::new(k5(), forms).cut(cut),
                );
            };
            run("range", &table, columns(&table, tight));
            run("range_tree_order", &ordered, columns(&ordered, tight));
            run("range_file_order", &filed, columns(&filed, tight));
            run("range_all_values", &filled, columns(&filled, tight));
            run("range_grid", &table, columns(&table, |c| Form::Range { grid: Grid::of(c) }));
            run("set", &table, columns(&table, |_| Form::Set { most: None }));
            run("multiset", &table, columns(&table, |_| Form::Multiset { most: None }));
            run("tree", &table, columns(&table, |c| Form::Tree(hierarchy(c))));
            run("tree_set", &table, columns(&table, |c| Form::TreeSet(hierarchy(c))));
            let occupation = table.find("occupation").unwrap();
            let mut eight = columns(&table, tight);
            eight.retain(|(id, _)| *id != occupation);
            let target = k5().spread(occupation, Spread::Distinct { l: 3 });
            let name = format!("adult_{name}_range_distinct3");
            measure(&name, &table, Mondrian::new(target, eight).cut(cut));
        }
        let relaxed = Mondrian::new(k5(), columns(&table, tight)).cut(Cut::Median).relaxed(true);
        measure("adult_relaxed_range", &table, relaxed);
    }
    if "generated_1000000_best_median_range".contains(&wanted) || wanted.starts_with("generated") {
        let table = large_table(1_000_000, &VALUES, true, Seed::new(1));
        for (name, cut) in [("best", Cut::Best), ("median", Cut::Median)] {
            let mondrian = Mondrian::new(k5(), columns(&table, tight)).cut(cut);
            measure(&format!("generated_1000000_{name}_range"), &table, mondrian);
        }
    }
}
