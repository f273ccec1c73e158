//! Writes a table of any number of rows as CSV to standard output, row by row, in no memory to speak of.
//!
//! `cargo run --release -p muslin-testkit --example stream -- ROWS [SEED] | muslin keys - ...`

use std::io::{self, BufWriter, Write};

use muslin_engine::Seed;

/// Name and number of values of each column; small values are more frequent in the skewed ones.
const COLUMNS: [(&str, u64, bool); 8] = [
    ("birth_day", 30_000, false),
    ("postcode", 20_000, true),
    ("sex", 2, false),
    ("country", 200, true),
    ("education", 9, true),
    ("occupation", 400, true),
    ("income", 5_000, true),
    ("household", 7, true),
];

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let mut next = |otherwise| match arguments.next() {
        None => Ok(otherwise),
        Some(number) => number.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error)),
    };
    let (rows, seed) = (next(1_000_000)?, Seed::new(next(1)?));
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    writeln!(out, "{}", COLUMNS.map(|(name, ..)| name).join(","))?;
    let mut line = Vec::with_capacity(128);
    for row in 0..rows {
        line.clear();
        for (column, (_, values, skewed)) in (0u64..).zip(COLUMNS) {
            let seed = Seed::new(seed.number().wrapping_add(column << 32));
            let value = seed.below(row, values);
            let value = if skewed { value * value / values } else { value };
            push_number(&mut line, value);
            line.push(if column + 1 == COLUMNS.len() as u64 { b'\n' } else { b',' });
        }
        out.write_all(&line)?;
    }
    out.flush()
}

/// Appends a number in decimal.
fn push_number(line: &mut Vec<u8>, mut number: u64) {
    let start = line.len();
    loop {
        line.push(b'0' + u8::try_from(number % 10).expect("a digit"));
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line[start..].reverse();
}
