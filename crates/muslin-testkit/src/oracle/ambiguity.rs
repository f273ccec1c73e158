//! Suppression by brute force: every pair of rows, every choice of cells.
//!
//! What is suppressed is a list of cells, row and column from zero. A suppressed cell matches
//! anything, whether it is listed or suppressed in the table.

use muslin_table::EncodedTable;

/// Cells as row and column.
pub type CellList = Vec<(usize, usize)>;

/// Whether suppressing cells does what is asked.
pub type Does<'a> = &'a dyn Fn(&[(usize, usize)]) -> bool;

/// The columns in which two rows can be told apart.
pub fn differing_columns(
    table: &EncodedTable,
    suppressed: &[(usize, usize)],
    a: usize,
    b: usize,
) -> Vec<usize> {
    let differs = |&at: &usize| {
        let column = &table.columns()[at];
        let gone = |row| {
            suppressed.contains(&(row, at)) || column.codes().slot(row) == column.suppressed_slot()
        };
        !gone(a) && !gone(b) && column.codes().slot(a) != column.codes().slot(b)
    };
    (0..table.columns().len()).filter(differs).collect()
}

/// For each row, the rows that it cannot be told apart from, itself included.
pub fn alphas(table: &EncodedTable, suppressed: &[(usize, usize)]) -> Vec<usize> {
    let alike = |a, b| differing_columns(table, suppressed, a, b).is_empty();
    (0..table.rows()).map(|a| (0..table.rows()).filter(|&b| alike(a, b)).count()).collect()
}

/// The rows that match none on the columns of `from` that differs in a column of `to`. Of the
/// cells only those of `from` count.
pub fn rows_that_determine(
    table: &EncodedTable,
    suppressed: &[(usize, usize)],
    from: &[usize],
    to: &[usize],
) -> Vec<usize> {
    let slot = |row: usize, at: usize| table.columns()[at].codes().slot(row);
    let counters = |a, b| {
        let told = differing_columns(table, suppressed, a, b);
        !told.iter().any(|at| from.contains(at)) && to.iter().any(|&at| slot(a, at) != slot(b, at))
    };
    let determines = |&a: &usize| !(0..table.rows()).any(|b| counters(a, b));
    (0..table.rows()).filter(determines).collect()
}

/// The fewest of `cells` that do, and every choice of so many, in order. Choices are tried by
/// size, so that a few of many cells are within reach.
pub fn fewest_cells(cells: &[(usize, usize)], does: Does<'_>) -> Vec<CellList> {
    fn extend(
        chosen: &mut CellList,
        cells: &[(usize, usize)],
        more: usize,
        does: Does<'_>,
        found: &mut Vec<CellList>,
    ) {
        if more == 0 {
            if does(chosen) {
                found.push(chosen.clone());
            }
            return;
        }
        for at in 0..cells.len().saturating_sub(more - 1) {
            chosen.push(cells[at]);
            extend(chosen, &cells[at + 1..], more - 1, does, found);
            chosen.pop();
        }
    }
    let mut found = Vec::new();
    for size in 0..=cells.len() {
        extend(&mut Vec::new(), cells, size, does, &mut found);
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// The least cost of a choice of `cells` that does, over all choices; nothing where none does.
/// A cell of column `c` costs `costs[c]`.
pub fn cheapest_cells(cells: &[(usize, usize)], costs: &[u64], does: Does<'_>) -> Option<u64> {
    let choice = |bits: u32| -> CellList {
        let cells = cells.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
        cells.map(|(_, &cell)| cell).collect()
    };
    let cost = |chosen: &CellList| chosen.iter().map(|&(_, column)| costs[column]).sum::<u64>();
    let choices = (0..1 << cells.len()).map(choice);
    choices.filter(|chosen| does(chosen)).map(|chosen| cost(&chosen)).min()
}
