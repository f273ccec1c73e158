//! Changes applied: rows removed, columns replaced, rearranged and added.

use muslin_io::{Release, RowOrder};
use muslin_table::{Cell, Changes, Column, ColumnId, ColumnSet, EncodedTable, RowId};

fn texts(release: &Release, column: usize) -> Vec<String> {
    let column = release.table().column(ColumnId::new(column));
    let text = |slot: u32| match column.code_of_slot(slot).value() {
        Some(at) => column.dictionary().text(at),
        None if slot == column.missing_slot() => "missing".into(),
        None => "suppressed".into(),
    };
    column.codes().slots().map(text).collect()
}

fn id(index: u32) -> RowId {
    RowId::new(index)
}

#[test]
fn a_removed_row_leaves_no_value_behind() {
    let table = EncodedTable::of(&[[1, 5], [987, 6], [3, 5]]);
    let mut changes = Changes::none(&table);
    changes.remove(id(1)).unwrap();
    let release = Release::new(&table, &changes, RowOrder::AsRead).unwrap();
    assert_eq!(texts(&release, 0), ["1", "3"]);
    assert_eq!(release.table().column(ColumnId::new(0)).dictionary().texts(), ["1", "3"]);
    assert_eq!(release.table().column(ColumnId::new(1)).dictionary().texts(), ["5"]);
}

#[test]
fn replaced_cells_change_places_and_are_withheld_after_that() {
    let table = EncodedTable::of(&[[1, 5], [2, 6], [3, 7]]);
    let mut changes = Changes::none(&table);
    let labels = Column::of_labels("another", &["low", "high"], [0, 0, 1].into_iter()).unwrap();
    changes.replace(ColumnId::new(0), labels).unwrap();
    changes.rearrange(&ColumnSet::first(2), vec![id(2), id(0), id(1)]).unwrap();
    changes.suppress(Cell { row: id(0), column: ColumnId::new(1) }).unwrap();
    changes.add(Column::of_numbers("bucket", 2, [0, 1, 1].into_iter()).unwrap()).unwrap();
    let release = Release::new(&table, &changes, RowOrder::AsRead).unwrap();
    assert_eq!(texts(&release, 0), ["high", "low", "low"]);
    assert_eq!(texts(&release, 1), ["suppressed", "5", "6"]);
    assert_eq!(texts(&release, 2), ["0", "1", "1"]);
    let names: Vec<&str> = release.table().columns().iter().map(Column::name).collect();
    assert_eq!(names, ["c0", "c1", "bucket"]);
}

#[test]
fn sorted_rows_are_in_the_order_of_added_columns_then_of_values() {
    let rows = [[3, 1], [1, 2], [2, 9], [1, 1]];
    let table = EncodedTable::of(&rows);
    let mut changes = Changes::none(&table);
    let sorted = |changes: &Changes| {
        let release = Release::new(&table, changes, RowOrder::Sorted).unwrap();
        let (a, b) = (texts(&release, 0), texts(&release, 1));
        a.into_iter().zip(b).map(|(a, b)| format!("{a}{b}")).collect::<Vec<_>>()
    };
    assert_eq!(sorted(&changes), ["11", "12", "29", "31"]);
    changes.add(Column::of_numbers("bucket", 2, [0, 1, 0, 1].into_iter()).unwrap()).unwrap();
    assert_eq!(sorted(&changes), ["29", "31", "11", "12"]);
}

#[test]
fn a_column_of_another_length_is_refused() {
    let table = EncodedTable::of(&[[1], [2]]);
    let mut changes = Changes::none(&table);
    let short = Column::of_numbers("bucket", 1, [0].into_iter()).unwrap();
    assert!(changes.add(short.clone()).is_err());
    assert!(changes.replace(ColumnId::new(0), short).is_err());
}
