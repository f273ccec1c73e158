//! Writes the large table for benches of engines: `large_table [FOLDER [ROWS [FILES]]]`; without a folder, a small one that
//! is not kept.
//!
//! Two columns of random bytes that are all different, a date, a postcode, sex, ward, income, visits, weight and
//! country, in as many Parquet files of the same size, compressed with zstd.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, Date32Array, Float64Array, Int32Array, RecordBatch, StringArray,
};
use muslin_engine::Seed;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u64| args.get(at).map_or(Ok(usual), |arg| arg.parse());
    match args.first() {
        Some(folder) => write_all(Path::new(folder), number(1, 40_000_000)?, number(2, 16)?.max(1)),
        None => write_all(tempfile::tempdir()?.path(), 1_000, 3),
    }
}

fn write_all(folder: &Path, rows: u64, files: u64) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for file in 0..files {
        let of = |file: u64| rows * file / files;
        write(&folder.join(format!("part-{file:03}.parquet")), of(file), of(file + 1))?;
    }
    Ok(())
}

/// Writes rows `from..to`, some at a time.
fn write(path: &Path, from: u64, to: u64) -> Result<()> {
    const AT_ONCE: u64 = 1 << 16;
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let properties = WriterProperties::builder().set_compression(zstd).build();
    let schema = rows(0, 0)?.schema();
    let mut writer = ArrowWriter::try_new(File::create(path)?, schema, Some(properties))?;
    let mut next = from;
    while next < to {
        let end = to.min(next + AT_ONCE);
        writer.write(&rows(next, end)?)?;
        next = end;
    }
    writer.close()?;
    Ok(())
}

/// A number below `values` that column and row decide.
fn drawn(column: u64, row: u64, values: u32) -> i32 {
    let below = Seed::new(column).draw(row) % u64::from(values);
    i32::try_from(below).unwrap_or(i32::MAX)
}

fn bytes(column: u64, row: u64, words: u64) -> Vec<u8> {
    (0..words).flat_map(|word| Seed::new(100 * column + word).draw(row).to_le_bytes()).collect()
}

fn rows(from: u64, to: u64) -> Result<RecordBatch> {
    let random = |column: u64, words: u64| -> ArrayRef {
        Arc::new(BinaryArray::from_iter_values((from..to).map(|row| bytes(column, row, words))))
    };
    let whole = |column: u64, values: u32| -> ArrayRef {
        Arc::new((from..to).map(|row| Some(drawn(column, row, values))).collect::<Int32Array>())
    };
    let text = |column: u64, values: u32, form: fn(i32) -> String| -> ArrayRef {
        let cell = |row| form(drawn(column, row, values));
        Arc::new(StringArray::from_iter_values((from..to).map(cell)))
    };
    let born = (from..to).map(|row| Some(drawn(3, row, 30_000) - 10_000)).collect::<Date32Array>();
    let weight = |row| Some(f64::from(400 + drawn(9, row, 800)) / 10.0);
    let columns: [(&str, ArrayRef); 10] = [
        ("token", random(1, 4)),
        ("digest", random(2, 6)),
        ("born", Arc::new(born)),
        ("postcode", text(4, 20_000, |code| format!("{code:05}"))),
        ("sex", text(5, 2, |code| if code == 0 { "f".into() } else { "m".into() })),
        ("ward", whole(6, 60)),
        ("income", whole(7, 100_000)),
        ("visits", whole(8, 30)),
        ("weight", Arc::new((from..to).map(weight).collect::<Float64Array>())),
        ("country", text(10, 120, |code| format!("C{code:03}"))),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}
