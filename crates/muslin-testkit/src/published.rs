//! Worked tables of the papers, cited by number.

use muslin_table::EncodedTable;

/// Motwani and Xu, Table 1: age, sex (1 female, 2 male), state (1 CA, 2 TX, 3 NY).
pub fn motwani_xu_table_1() -> EncodedTable {
    let column = |name: &str, cells: [i64; 5]| (name.to_owned(), cells.map(Some).to_vec());
    EncodedTable::of_columns([
        column("age", [20, 30, 40, 20, 40]),
        column("sex", [1, 1, 1, 2, 2]),
        column("state", [1, 1, 2, 3, 1]),
    ])
}
