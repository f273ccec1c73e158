//! Writes the large table for benches of keys as CSV: `keyed_table [ROWS [SEED]]`.

use std::io::{BufWriter, Error, Result, Write};

use muslin_engine::Seed;
use muslin_table::Column;
use muslin_testkit::generate::keyed_table;

fn main() -> Result<()> {
    let mut numbers = std::env::args().skip(1).map(|arg| arg.parse().map_err(Error::other));
    let (rows, seed) = (numbers.next().unwrap_or(Ok(10))?, numbers.next().unwrap_or(Ok(1))?);
    let table = keyed_table(rows, Seed::new(seed));
    let names: Vec<_> = table.columns().iter().map(Column::name).collect();
    let mut out = BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", names.join(","))?;
    for row in 0..table.rows() {
        for (c, column) in table.columns().iter().enumerate() {
            // Codes stand for the values: which rows agree is all that matters to keys.
            let comma = if c == 0 { "" } else { "," };
            write!(out, "{comma}{}", column.codes().slot(row))?;
        }
        writeln!(out)?;
    }
    out.flush()
}
