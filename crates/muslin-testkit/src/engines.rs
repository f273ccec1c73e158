//! One suite for every engine: its answers are those of the table in memory.

use muslin_engine::{Engine, MemoryEngine, Run, Seed};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule};

/// Asks an engine everything that can be asked, and compares with the same rows in memory.
///
/// # Panics
/// Where an answer differs.
pub fn assert_same_answers(engine: &dyn Engine, table: &EncodedTable) {
    let run = Run::new();
    let memory = MemoryEngine::new(table, &run);
    assert_eq!(engine.shape(), memory.shape());
    assert_eq!(engine.column_counts(), memory.column_counts());
    let columns: Vec<ColumnId> = table.all_columns().iter().collect();
    for missing in MissingRule::ALL {
        for by in sets(table) {
            let (found, expected) =
                (engine.class_sizes(&by, missing), memory.class_sizes(&by, missing));
            assert_eq!(found, expected, "classes of {by:?}, missing is {missing}");
        }
        let together = sets(table);
        let found = engine.class_sizes_of_sets(&together, missing);
        assert_eq!(found, memory.class_sizes_of_sets(&together, missing), "several sets at once");
        for by in [ColumnSet::new(), ColumnSet::first(1.min(columns.len()))] {
            let found = engine.class_sizes_of_each(&by, &columns, missing);
            let expected = memory.class_sizes_of_each(&by, &columns, missing);
            assert_eq!(found, expected, "classes of {by:?} and each, missing is {missing}");
        }
    }
    for &sensitive in &columns {
        for by in [ColumnSet::new(), ColumnSet::first(columns.len().min(2)), table.all_columns()] {
            let found = engine.class_diversity(&by, sensitive);
            let expected = memory.class_diversity(&by, sensitive);
            assert_eq!(found, expected, "diversity of {sensitive:?} by {by:?}");
        }
    }
    for missing in [MissingRule::Category, MissingRule::Distinct] {
        let mut sets = sets(table);
        sets.push(ColumnSet::first(columns.len().min(3)));
        for (set, k) in sets.iter().filter(|set| !set.is_empty()).zip([1, 2, 3].into_iter().cycle())
        {
            let found = engine.minimal_uniques_of(set, k, missing);
            let expected = memory.minimal_uniques_of(set, k, missing);
            assert_eq!(found, expected, "minimal uniques of {set:?}, missing is {missing}");
        }
    }
    let rows = table.rows() as u64;
    for wanted in [0, 1, rows / 3, rows.saturating_sub(1), rows, rows + 1] {
        for seed in [0, 7].map(Seed::new) {
            let (found, expected) = (engine.sample(wanted, seed), memory.sample(wanted, seed));
            assert_same_table(&found.expect("a sample"), &expected.expect("a sample"));
        }
    }
    for set in [table.all_columns(), ColumnSet::first(columns.len() / 2)] {
        let (found, expected) = (engine.collect(&set), memory.collect(&set));
        assert_same_table(&found.expect("columns"), &expected.expect("columns"));
    }
}

/// The empty set, single columns, neighbours, and all columns.
fn sets(table: &EncodedTable) -> Vec<ColumnSet> {
    let ids: Vec<ColumnId> = table.all_columns().iter().collect();
    let mut sets = vec![ColumnSet::new(), table.all_columns()];
    sets.extend(ids.iter().map(|&id| [id].into_iter().collect::<ColumnSet>()));
    sets.extend(ids.windows(2).map(|pair| pair.iter().copied().collect::<ColumnSet>()));
    sets
}

/// Compares names, types, values and cells of two tables. Values that no row has do not matter.
///
/// # Panics
/// Where they differ.
pub fn assert_same_table(found: &EncodedTable, expected: &EncodedTable) {
    assert_eq!(found.rows(), expected.rows());
    let names = |table: &EncodedTable| {
        table.columns().iter().map(|own| own.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(found), names(expected));
    for (found, expected) in found.columns().iter().zip(expected.columns()) {
        let name = expected.name();
        assert_eq!(found.data_type(), expected.data_type(), "type of `{name}`");
        for row in 0..expected.rows() {
            let cell = |column: &muslin_table::Column| {
                let slot = column.codes().slot(row) as usize;
                let values = column.dictionary();
                (slot < values.len())
                    .then(|| values.values().slice(slot, 1).to_data())
                    .ok_or(slot - values.len().min(slot))
            };
            assert_eq!(cell(found), cell(expected), "`{name}`, row {row}");
        }
    }
}
