//! Files that say more than their cells are told from those that do not.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::{Field, Schema};
use muslin_engine::Run;
use muslin_io::{
    Batches, Destination, Input, ReadOptions, Release, ResidueKind, RowOrder, WriteFormat,
    WriteOptions, encode_batches, find_residue, write,
};
use muslin_table::{Cell, Changes, ColumnId, RowId};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::WriterProperties;

fn batch(columns: Vec<(&str, ArrayRef)>, notes: &[(&str, &str)]) -> RecordBatch {
    let field = |(name, array): &(&str, ArrayRef)| {
        Field::new(*name, array.data_type().clone(), array.is_nullable())
    };
    let notes: HashMap<String, String> =
        notes.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let schema = Schema::new_with_metadata(columns.iter().map(field).collect::<Vec<_>>(), notes);
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|c| c.1).collect()).unwrap()
}

fn kinds(path: &Path) -> Vec<(ResidueKind, Option<String>, u64)> {
    let found = find_residue(&Input::named(path), &Run::new()).unwrap();
    found.iter().map(|own| (own.kind(), own.column().map(str::to_owned), own.count())).collect()
}

fn ipc(batch: &RecordBatch, path: &Path) {
    let file = std::fs::File::create(path).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

fn parquet(batch: &RecordBatch, properties: WriterProperties, path: &Path) {
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn releases_say_nothing_but_their_cells() {
    let folder = tempfile::tempdir().unwrap();
    let texts: StringArray = (0..500)
        .map(|row| (row % 11 > 0).then(|| format!("a rather long text {}", row % 40)))
        .collect();
    let numbers: Int64Array = (0..500).map(|row| (row % 7 > 0).then_some(row % 30)).collect();
    let halves: arrow_array::Float64Array =
        (0..500).map(|row| Some(f64::from(row % 9) - 4.0)).collect();
    let columns: Vec<(&str, ArrayRef)> =
        vec![("text", Arc::new(texts)), ("number", Arc::new(numbers)), ("half", Arc::new(halves))];
    let batch = batch(columns, &[("author", "somebody")]);
    let table =
        encode_batches("t", &batch.schema(), [batch.clone()], &ReadOptions::default(), &Run::new())
            .unwrap();
    let mut changes = Changes::none(&table);
    for row in 0..60 {
        for column in 0..3 {
            let cell = Cell { row: RowId::new(row * 3), column: ColumnId::new(column) };
            changes.suppress(cell).unwrap();
        }
    }
    let release = Release::new(&table, &changes, RowOrder::Shuffled).unwrap();
    for format in WriteFormat::ALL {
        let path = folder.path().join(format!("release.{}", format.name()));
        write(&release, &Destination::named(&path), &WriteOptions::default(), &Run::new()).unwrap();
        assert_eq!(kinds(&path), [], "{format:?}");
    }
}

#[test]
fn arrow_files_keep_what_was_taken_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edited.arrow");
    let nulls = NullBuffer::from(vec![true, false, true]);
    let words = StringArray::from(vec!["a", "b", "secret", "other"]);
    let dictionary =
        DictionaryArray::<Int32Type>::new(Int32Array::from(vec![0, 1, 0]), Arc::new(words));
    let numbers = Int64Array::new(ScalarBuffer::from(vec![1i64, 77, 3]), Some(nulls.clone()));
    let flags =
        BooleanArray::new(BooleanBuffer::from(vec![true, true, false]), Some(nulls.clone()));
    let texts = StringArray::from(vec!["x", "secret", "z"]);
    let (offsets, values, _) = texts.into_parts();
    let texts = StringArray::new(offsets, values, Some(nulls));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("dictionary", Arc::new(dictionary)),
        ("number", Arc::new(numbers)),
        ("flag", Arc::new(flags)),
        ("text", Arc::new(texts)),
    ];
    ipc(&batch(columns, &[("source", "secret.csv")]), &path);
    let of = |name: &str| Some(name.to_owned());
    assert_eq!(
        kinds(&path),
        [
            (ResidueKind::Dictionary, of("dictionary"), 2),
            (ResidueKind::UnderNull, of("flag"), 1),
            (ResidueKind::UnderNull, of("number"), 1),
            (ResidueKind::UnderNull, of("text"), 6),
            (ResidueKind::Metadata, None, 1),
        ]
    );
}

#[test]
fn parquet_files_keep_what_was_taken_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edited.parquet");
    let texts: StringArray =
        (0..9).map(|row| Some(if row < 8 { "aaaa" } else { "zzzz" })).collect();
    let plain = || WriterProperties::builder().set_compression(Compression::UNCOMPRESSED);
    let one = batch(vec![("text", Arc::new(texts))], &[]);
    parquet(&one, plain().build(), &path);
    assert_eq!(kinds(&path), []);

    // Eight times the first value and once the second: now nine times the first.
    let mut bytes = std::fs::read(&path).unwrap();
    let runs = [8 << 1, 0, 1 << 1, 1];
    let at = bytes.windows(4).position(|window| window == runs).unwrap();
    bytes[at + 3] = 0;
    std::fs::write(&path, bytes).unwrap();
    let of = |name: &str| Some(name.to_owned());
    assert_eq!(
        kinds(&path),
        [(ResidueKind::Dictionary, of("text"), 1), (ResidueKind::Statistics, of("text"), 1)]
    );

    let note = KeyValue::new("pandas".to_owned(), "{}".to_owned());
    let sorted = SortingColumn { column_idx: 0, descending: false, nulls_first: false };
    let properties = plain()
        .set_key_value_metadata(Some(vec![note]))
        .set_sorting_columns(Some(vec![sorted]))
        .set_bloom_filter_enabled(true)
        .build();
    parquet(&one, properties, &path);
    assert_eq!(
        kinds(&path),
        [
            (ResidueKind::Metadata, None, 1),
            (ResidueKind::Order, None, 1),
            (ResidueKind::Filter, of("text"), 1),
        ]
    );
}

#[test]
fn damaged_files_are_errors_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let texts: StringArray = (0..200).map(|row| Some(format!("value {}", row % 50))).collect();
    parquet(&batch(vec![("t", Arc::new(texts))], &[]), WriterProperties::default(), &path);
    let whole = std::fs::read(&path).unwrap();
    for at in (4..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        std::fs::write(&path, &bytes).unwrap();
        let _ = find_residue(&Input::named(&path), &Run::new());
        std::fs::write(&path, &whole[..at]).unwrap();
        assert!(find_residue(&Input::named(&path), &Run::new()).is_err());
    }
}

#[test]
fn what_says_nothing_under_a_null_is_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.arrow");
    let column = |value: f64| -> ArrayRef {
        let values = ScalarBuffer::from(vec![1.0, value, 3.0]);
        let nulls = NullBuffer::new(BooleanBuffer::from(vec![true, false, true]));
        Arc::new(Float64Array::new(values, Some(nulls)))
    };
    for (value, is_found) in [(f64::NAN, false), (0.0, false), (77.5, true)] {
        let batch = batch(vec![("a", column(value))], &[]);
        ipc(&batch, &path);
        assert_eq!(kinds(&path).is_empty(), !is_found, "{value}");
        // In memory it is whatever the reader left there.
        let batches = Batches::new("table", batch.schema(), vec![batch]);
        let found = find_residue(&Input::Memory(batches), &Run::new()).unwrap();
        assert!(found.is_empty(), "{value} in memory");
    }
    // A part of a table shares the buffers of the whole.
    let texts: StringArray =
        ["a long text of its own", "another one", "a third"].map(Some).into_iter().collect();
    let batch = batch(vec![("a", Arc::new(texts))], &[]).slice(1, 1);
    let batches = Batches::new("table", batch.schema(), vec![batch]);
    assert!(find_residue(&Input::Memory(batches), &Run::new()).unwrap().is_empty());
}
