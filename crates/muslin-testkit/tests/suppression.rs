//! The oracles of suppression against what is known of the table of Vinterbo and Ohno-Machado.

use muslin_table::{Cell, Changes, ColumnId, RowId};
use muslin_testkit::oracle::{least_suppression_cost, notions};
use muslin_testkit::published;

#[test]
fn the_fewest_cells_of_each_notion_are_known() {
    let table = published::vinterbo_table_3();
    // Every release of the twelve cells.
    let mut fewest = [usize::MAX; 6];
    for set in 0..1u32 << 12 {
        let mut changes = Changes::none(&table);
        for place in (0..12).filter(|place| set >> place & 1 == 1) {
            let (row, column) = (RowId::new(place / 3), ColumnId::new((place % 3) as usize));
            changes.suppress(Cell { row, column }).expect("a cell of the table");
        }
        let counts = notions(&table, &table.all_columns(), &changes);
        for (notion, fewest) in fewest.iter_mut().enumerate() {
            if counts.iter().all(|row| row[notion] >= 2) {
                *fewest = changes.suppressed_cells().min(*fewest);
            }
        }
    }
    // Computed before, by another program; N5 was not.
    let [n1, n2, n3, n4, n5, n6] = fewest;
    assert_eq!([n1, n2, n3, n4, n6], [2, 3, 4, 4, 4]);
    assert!(n2 <= n5 && n5 <= n6);
    let columns: Vec<ColumnId> = table.all_columns().iter().collect();
    assert_eq!(least_suppression_cost(&table, &columns, 2, &[Some(1); 3]), Some(4));
}

#[test]
fn too_few_rows_or_a_column_that_stays_cannot_be_done() {
    let table = published::vinterbo_table_3();
    let columns: Vec<ColumnId> = table.all_columns().iter().collect();
    assert_eq!(least_suppression_cost(&table, &columns, 5, &[Some(1); 3]), None);
    // Row 2 is alone in its value of column b.
    assert_eq!(least_suppression_cost(&table, &columns, 2, &[Some(1), None, Some(1)]), None);
    // With four in a class, all cells go.
    assert_eq!(least_suppression_cost(&table, &columns, 4, &[Some(1), Some(2), Some(0)]), Some(12));
}
