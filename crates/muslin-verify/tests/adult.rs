//! A real table: the adult file that ARX ships, eight columns, every cell of weight one.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test says what it did not check")]

use std::collections::{BTreeMap, HashMap};

use muslin_engine::Run;
use muslin_table::{Cell, Changes, ColumnId, EncodedTable, RowId};
use muslin_testkit::data;
use muslin_verify::{Certificate, Outsider};

const COLUMNS: usize = 8;

/// `k`, and the least cells to suppress so that `k` people fit each published row: computed once,
/// by another program.
const FEWEST_CELLS: [(u32, u64); 4] = [(2, 16_199), (3, 22_245), (5, 28_546), (10, 36_147)];

fn adult() -> Option<EncodedTable> {
    let Some(path) = data::real("arx/adult/adult.csv") else {
        println!("adult.csv is absent: not checked");
        return None;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |c: usize| {
        let mut numbers: BTreeMap<&str, i64> = rows.iter().map(|row| (row[c], 0)).collect();
        numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        (names[c].to_owned(), rows.iter().map(|row| Some(numbers[row[c]])).collect::<Vec<_>>())
    };
    let table = EncodedTable::of_columns((0..COLUMNS).map(column));
    assert_eq!(table.rows(), 30_162);
    Some(table)
}

/// For each row the fewest columns to suppress, as bits, so that `k` people fit what is left.
fn fewest(table: &EncodedTable, k: u32) -> Vec<u32> {
    let slots: Vec<Vec<u32>> =
        table.columns().iter().map(|c| c.codes().slots().collect()).collect();
    let mut sets: Vec<u32> = (0..1 << COLUMNS).collect();
    sets.sort_by_key(|set| set.count_ones());
    let mut chosen = vec![None; table.rows()];
    for set in sets {
        let kept: Vec<usize> = (0..COLUMNS).filter(|c| set >> c & 1 == 0).collect();
        let values = |row: usize| kept.iter().map(|&c| slots[c][row]).collect::<Vec<_>>();
        let mut people: HashMap<Vec<u32>, u32> = HashMap::new();
        (0..table.rows()).for_each(|row| *people.entry(values(row)).or_default() += 1);
        for row in 0..table.rows() {
            if chosen[row].is_none() && people[&values(row)] >= k {
                chosen[row] = Some(set);
            }
        }
    }
    chosen.into_iter().map(Option::unwrap).collect()
}

#[test]
fn what_a_row_costs_alone_is_a_certificate_and_a_release_of_n3() {
    let Some(table) = adult() else { return };
    for (k, cells) in FEWEST_CELLS {
        let sets = fewest(&table, k);
        // No multiplier is above what a class of k rows costs, so nothing is taken off their sum.
        let certificate = Certificate {
            columns: table.all_columns().iter().collect(),
            k,
            weights: vec![Some(1); COLUMNS],
            scale: 1_000,
            multipliers: sets.iter().map(|set| u64::from(set.count_ones()) * 1_000).collect(),
        };
        assert_eq!(certificate.bound(&table, &Run::new()).unwrap(), cells);

        let mut changes = Changes::none(&table);
        for (row, set) in (0..).map(RowId::new).zip(&sets) {
            for column in (0..COLUMNS).filter(|c| set >> c & 1 == 1).map(ColumnId::new) {
                changes.suppress(Cell { row, column }).unwrap();
            }
        }
        let seen = Outsider::new(table.all_columns()).run(&table, &changes, &Run::new()).unwrap();
        assert!(seen.n3().smallest() >= Some(k));
        let (n1, n5) = (seen.n1().unwrap(), seen.n5().unwrap());
        assert!(n1.smallest() >= Some(k) && n5.rows_below(k) >= seen.n2().rows_below(k));
        assert!(seen.n6().rows_below(k) >= n5.rows_below(k));
    }
}
