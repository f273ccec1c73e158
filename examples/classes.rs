//! Encodes a small table in memory and asks the engine about its classes.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use muslin::{EncodedTable, Engine, MemoryEngine, MissingRule, Run};

fn main() -> Result<(), muslin::Error> {
    // Age and postcode of five people; two of them cannot be told apart.
    let table = EncodedTable::of(&[[34, 123], [34, 123], [51, 124], [28, 125], [51, 123]]);
    let run = Run::new();
    let engine = MemoryEngine::new(&table, &run);
    let sizes = engine.class_sizes(&table.all_columns(), MissingRule::Category)?;
    println!("{:?} of all pairs are told apart", sizes.separation_ratio());
    println!("{} rows are alone", sizes.rows_below(2));
    Ok(())
}
