//! A value that was taken out is in no byte of the file, in any format, and what stays is right.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, Date32Array, Decimal128Array, DictionaryArray, FixedSizeBinaryArray,
    Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{Field, Schema};
use muslin_engine::{Run, Seed};
use muslin_io::{
    Destination, Input, ReadOptions, Release, RowOrder, WriteFormat, WriteOptions, encode_batches,
    read, write,
};
use muslin_table::{Cell, Changes, ColumnId, EncodedTable, RowId};
use parquet::file::reader::{FileReader, SerializedFileReader};

/// The value that must vanish, as each type stores it.
const TEXT: &str = "canary-QZX7-canary";
const NUMBER: i64 = 0x5A51_5837_4341_4E41;
const BYTES: &[u8; 16] = b"canary-QZX7-byte";
const ROWS: usize = 300;
const CANARY_ROW: usize = 137;

/// One column of every kind; each has the canary in one row and dull values elsewhere.
fn batch() -> RecordBatch {
    let at = |row: usize| row == CANARY_ROW;
    let rows = 0..ROWS;
    let text = |row: usize| if at(row) { TEXT.to_owned() } else { format!("dull {}", row % 7) };
    let number = |row: usize| if at(row) { NUMBER } else { i64::try_from(row % 9).unwrap() };
    let texts: StringArray = rows.clone().map(|row| Some(text(row))).collect();
    let words: Vec<String> = rows.clone().map(text).collect();
    let dictionary: DictionaryArray<Int32Type> = words.iter().map(String::as_str).collect();
    let bytes = |row: usize| if at(row) { &BYTES[..] } else { &b"dull-dull-dull-d"[..] };
    let fixed = FixedSizeBinaryArray::try_from_iter(rows.clone().map(bytes)).unwrap();
    let numbers: Vec<i64> = rows.clone().map(number).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("text", Arc::new(texts)),
        ("dictionary", Arc::new(dictionary)),
        ("integer", Arc::new(Int64Array::from(numbers.clone()))),
        (
            "number",
            Arc::new(
                numbers
                    .iter()
                    .map(|&n| Some(f64::from_bits(n.cast_unsigned())))
                    .collect::<Float64Array>(),
            ),
        ),
        (
            "day",
            Arc::new(
                rows.clone()
                    .map(|row| Some(if at(row) { 0x4341_4E41 } else { 5 }))
                    .collect::<Date32Array>(),
            ),
        ),
        ("time", Arc::new(TimestampMicrosecondArray::from(numbers.clone()))),
        (
            "decimal",
            Arc::new(numbers.iter().map(|&n| Some(i128::from(n))).collect::<Decimal128Array>()),
        ),
        ("binary", Arc::new(rows.clone().map(|row| Some(bytes(row))).collect::<BinaryArray>())),
        ("fixed", Arc::new(fixed)),
    ];
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|c| c.1).collect())
        .unwrap()
}

fn table() -> EncodedTable {
    let batch = batch();
    encode_batches("test", &batch.schema(), [batch.clone()], &ReadOptions::default(), &Run::new())
        .unwrap()
}

/// Every spelling of the canary that a file could hold.
fn traces(file: &Path) -> Vec<&'static str> {
    let mut content = std::fs::read(file).unwrap();
    if content.starts_with(b"PAR1") {
        content.extend(parquet_pages(file));
    }
    let holds = |needle: &[u8]| content.windows(needle.len()).any(|window| window == needle);
    let day = 0x4341_4E41i32.to_le_bytes();
    let mut found = Vec::new();
    for (name, needle) in [
        ("text", TEXT.as_bytes()),
        ("part of the text", b"QZX7"),
        ("integer bytes", &NUMBER.to_le_bytes()),
        ("integer digits", NUMBER.to_string().as_bytes()),
        ("big-endian bytes", &NUMBER.to_be_bytes()),
        ("day bytes", &day),
        ("hex of the bytes", b"63616e6172792d515a58"),
    ] {
        if holds(needle) {
            found.push(name);
        }
    }
    found
}

/// The pages of a Parquet file, dictionaries and data, without their compression.
fn parquet_pages(file: &Path) -> Vec<u8> {
    let reader = SerializedFileReader::new(std::fs::File::open(file).unwrap()).unwrap();
    let mut pages = Vec::new();
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).unwrap();
        for column in 0..group.num_columns() {
            for page in group.get_column_page_reader(column).unwrap() {
                pages.extend_from_slice(page.unwrap().buffer());
            }
        }
    }
    pages
}

fn write_to(
    folder: &Path,
    table: &EncodedTable,
    changes: &Changes,
    format: WriteFormat,
) -> std::path::PathBuf {
    let path = folder.join(format!("release.{}", format.name()));
    let release = Release::new(table, changes, RowOrder::Shuffled).unwrap();
    let options = WriteOptions { format: Some(format), ..WriteOptions::default() };
    write(&release, &Destination::named(&path), &options, &Run::new()).unwrap();
    path
}

#[test]
fn the_canary_is_seen_while_it_is_in_the_table() {
    let (folder, table) = (tempfile::tempdir().unwrap(), table());
    for format in WriteFormat::ALL {
        let file = write_to(folder.path(), &table, &Changes::none(&table), format);
        let found = traces(&file);
        assert!(found.contains(&"text"), "{format:?}: the test would not notice a leak: {found:?}");
        let number = if matches!(format, WriteFormat::Csv | WriteFormat::Tsv) {
            "integer digits"
        } else {
            "integer bytes"
        };
        assert!(found.contains(&number), "{format:?}: {found:?}");
    }
}

#[test]
fn suppressed_values_are_in_no_byte_of_the_file() {
    let (folder, table) = (tempfile::tempdir().unwrap(), table());
    let mut changes = Changes::none(&table);
    for column in table.all_columns().iter() {
        changes
            .suppress(Cell { row: RowId::new(u32::try_from(CANARY_ROW).unwrap()), column })
            .unwrap();
    }
    for format in WriteFormat::ALL {
        let file = write_to(folder.path(), &table, &changes, format);
        assert_eq!(traces(&file), Vec::<&str>::new(), "{format:?}");
        let back = read(&Input::named(&file), &ReadOptions::default(), &Run::new()).unwrap().table;
        assert_eq!(back.rows(), ROWS);
    }
}

#[test]
fn masked_columns_are_in_no_byte_of_the_file() {
    let (folder, table) = (tempfile::tempdir().unwrap(), table());
    let mut changes = Changes::none(&table);
    let all: Vec<ColumnId> = table.all_columns().iter().collect();
    // Leaves one column that has no canary.
    all.iter().for_each(|&column| changes.mask(column));
    for format in WriteFormat::ALL {
        let file = write_to(folder.path(), &table, &changes, format);
        assert_eq!(traces(&file), Vec::<&str>::new(), "{format:?}");
        let content = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        assert!(!content.contains("dictionary"), "{format:?}: a masked column's name is there");
    }
}

#[test]
fn files_say_nothing_about_the_machine_and_equal_content_is_equal_bytes() {
    let table = table();
    let release =
        Release::new(&table, &Changes::none(&table), RowOrder::Seeded(Seed::new(4))).unwrap();
    for format in WriteFormat::ALL {
        let written = [1, 2, 4].map(|threads| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("secret-folder-name.out");
            let options = WriteOptions { format: Some(format), ..WriteOptions::default() };
            let run = Run::new().threads(threads).unwrap();
            write(&release, &Destination::named(&path), &options, &run).unwrap();
            std::fs::read(path).unwrap()
        });
        assert!(written[0] == written[1] && written[1] == written[2], "{format:?}");
        let text = String::from_utf8_lossy(&written[0]).into_owned();
        assert!(!text.contains("secret-folder") && !text.contains("pandas"), "{format:?}");
    }
}

#[test]
fn shuffled_rows_are_the_same_rows_in_another_order() {
    let table = table();
    let order = |order| {
        let release = Release::new(&table, &Changes::none(&table), order).unwrap();
        let columns = release.table().columns().iter();
        let columns: Vec<Vec<u32>> =
            columns.map(|column| column.codes().slots().collect()).collect();
        (0..ROWS).map(|row| columns.iter().map(|c| c[row]).collect()).collect::<Vec<Vec<u32>>>()
    };
    let sorted = |mut rows: Vec<Vec<u32>>| {
        rows.sort();
        rows
    };
    let as_read = order(RowOrder::AsRead);
    let shuffled = order(RowOrder::Shuffled);
    assert_ne!(as_read, shuffled);
    assert_ne!(shuffled, order(RowOrder::Shuffled), "two shuffles differ");
    assert_eq!(order(RowOrder::Seeded(Seed::new(1))), order(RowOrder::Seeded(Seed::new(1))));
    assert_eq!(sorted(as_read), sorted(shuffled));
}
