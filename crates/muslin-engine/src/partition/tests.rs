use std::collections::HashMap;

use muslin_table::{ColumnId, EncodedTable};
use proptest::prelude::*;

use super::*;

/// Classes by comparing whole rows, in first-row order.
fn brute_force(table: &EncodedTable, missing: MissingRule) -> Partition {
    let mut numbers = HashMap::new();
    let (mut class_of, mut sizes) = (Vec::new(), Vec::<u32>::new());
    for row in 0..table.rows() {
        let cells: Vec<u32> = table.columns().iter().map(|c| c.codes().slot(row)).collect();
        let alone = missing == MissingRule::Distinct
            && table.columns().iter().zip(&cells).any(|(c, &s)| s == c.missing_slot());
        let key = (cells, alone.then_some(row));
        let class = *numbers.entry(key).or_insert_with(|| {
            sizes.push(0);
            sizes.len() - 1
        });
        sizes[class] += 1;
        class_of.push(u32::try_from(class).unwrap());
    }
    Partition { class_of, sizes }
}

fn refine_all(table: &EncodedTable, missing: MissingRule, hash: Option<Hash>) -> Partition {
    table.columns().iter().fold(Partition::whole(table.rows()), |classes, column| match hash {
        Some(hash) => classes.refine_hashed(column, missing, hash),
        None => classes.refine(column, missing),
    })
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Many rows, so that chunks and both ways of refining are used; values from a seeded draw.
fn large(rows: u64, values: &[u64]) -> EncodedTable {
    let seed = crate::Seed::new(7);
    EncodedTable::of_columns(values.iter().zip(0u64..).map(|(&values, c)| {
        let cell = |row| {
            let value = seed.part(c).below(row, values);
            (value > 0).then(|| i64::try_from(value).unwrap())
        };
        (format!("c{c}"), (0..rows).map(cell).collect())
    }))
}

proptest! {
    #[test]
    fn classes_are_those_of_whole_rows(
        rows in prop::collection::vec(prop::array::uniform3(prop::option::weighted(0.8, 0i64..4)), 0..40),
    ) {
        let column = |c: usize| (format!("c{c}"), rows.iter().map(|r| r[c]).collect());
        let table = EncodedTable::of_columns((0..3).map(column));
        for missing in [MissingRule::Category, MissingRule::Distinct] {
            let expected = brute_force(&table, missing);
            prop_assert_eq!(&refine_all(&table, missing, None), &expected);
        }
    }
}

#[test]
fn large_tables_refine_alike_on_any_number_of_threads() {
    // 2 values refine by table, 60,000 by hash, then 3 more by hash among many that are alone.
    let table = large(150_000, &[2, 5, 60_000, 3]);
    for missing in [MissingRule::Category, MissingRule::Distinct] {
        let expected = brute_force(&table, missing);
        for threads in [1, 2, 4] {
            let found = on_threads(threads, || refine_all(&table, missing, None));
            assert!(found == expected, "{threads} threads, {missing}");
        }
    }
}

#[test]
fn a_hash_that_always_collides_changes_nothing() {
    let table = large(5_000, &[40, 40, 40]);
    let expected = brute_force(&table, MissingRule::Category);
    for hash in [(|_| 0) as Hash, |_| u64::MAX, |pair| pair] {
        let found = on_threads(2, || refine_all(&table, MissingRule::Category, Some(hash)));
        assert!(found == expected);
    }
}

#[test]
fn first_rows_are_the_first_of_each_class() {
    let table = EncodedTable::of(&[[4, 1], [5, 1], [4, 1], [5, 2]]);
    let classes = refine_all(&table, MissingRule::Category, None);
    assert_eq!(classes.first_rows(), [0, 1, 3]);
}

#[test]
fn no_rows_make_no_class() {
    let table = EncodedTable::of_columns([("a".to_owned(), vec![])]);
    let classes = Partition::whole(0).refine(table.column(ColumnId::new(0)), MissingRule::Category);
    assert_eq!((classes.class_of().len(), classes.sizes().len()), (0, 0));
}
