//! Tables in files are asked about without being read into memory, with the answers of memory.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    Float32Array, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    UInt8Array,
};
use muslin_engine::{Engine, Error, Fault, Run, Seed};
use muslin_engine_datafusion::{DataFusionEngine, Place};
use muslin_io::{ColumnChoice, CsvOptions, Input, ReadOptions, encode_batches};
use muslin_table::{ColumnSet, EncodedTable, MissingRule};
use muslin_testkit::engines::{assert_same_answers, assert_same_table};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

/// A number that looks drawn at random, and is always the same.
fn drawn(row: usize, column: u64) -> u64 {
    Seed::new(column).draw(row as u64)
}

/// Rows of every kind of value, with missing cells, both zeros and NaN.
fn people(rows: usize) -> RecordBatch {
    let some = |row: usize, column: u64| !drawn(row, column).is_multiple_of(11);
    let small =
        |row: usize, column: u64, values: u64| i64::try_from(drawn(row, column) % values).unwrap();
    let floats = [0.0, -0.0, f64::NAN, -f64::NAN, 1.5, -2.5, f64::INFINITY];
    let texts = ["", "NA", "O'Neil", "say \"x\"", "ä", "a,b", "0"];
    let all = || 0..rows;
    let text = |row: usize, column| texts[usize::try_from(small(row, column, 7)).unwrap()];
    let float = |row: usize, column| floats[usize::try_from(small(row, column, 7)).unwrap()];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "the values are small"
    )]
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from_iter_values(all().map(|row| row as i64)))),
        (
            "Age \"now\"",
            Arc::new(all().map(|r| some(r, 1).then(|| small(r, 1, 9))).collect::<Int64Array>()),
        ),
        ("name", Arc::new(all().map(|r| some(r, 2).then(|| text(r, 2))).collect::<StringArray>())),
        (
            "weight",
            Arc::new(all().map(|r| some(r, 3).then(|| float(r, 3))).collect::<Float64Array>()),
        ),
        ("narrow", Arc::new(all().map(|r| Some(float(r, 4) as f32)).collect::<Float32Array>())),
        (
            "flag",
            Arc::new(
                all().map(|r| some(r, 5).then(|| small(r, 5, 2) == 1)).collect::<BooleanArray>(),
            ),
        ),
        (
            "born",
            Arc::new(
                all().map(|r| some(r, 6).then(|| small(r, 6, 20) as i32)).collect::<Date32Array>(),
            ),
        ),
        (
            "seen",
            Arc::new(
                all()
                    .map(|r| some(r, 7).then(|| small(r, 7, 5)))
                    .collect::<TimestampMicrosecondArray>(),
            ),
        ),
        (
            "kind",
            Arc::new(
                all()
                    .map(|r| some(r, 8).then(|| text(r, 8)))
                    .collect::<DictionaryArray<Int32Type>>(),
            ),
        ),
        ("few", Arc::new(all().map(|r| Some(text(r, 9))).collect::<DictionaryArray<Int8Type>>())),
        (
            "bytes",
            Arc::new(
                all().map(|r| some(r, 10).then(|| text(r, 10).as_bytes())).collect::<BinaryArray>(),
            ),
        ),
        (
            "tiny",
            Arc::new(
                all().map(|r| some(r, 11).then(|| small(r, 11, 3) as u8)).collect::<UInt8Array>(),
            ),
        ),
        (
            "paid",
            Arc::new(
                all()
                    .map(|r| some(r, 12).then(|| i128::from(small(r, 12, 6)) * 100))
                    .collect::<Decimal128Array>()
                    .with_precision_and_scale(9, 2)
                    .unwrap(),
            ),
        ),
        ("empty", Arc::new(all().map(|_| None::<i64>).collect::<Int64Array>())),
    ];
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap()
}

fn write(batch: &RecordBatch, path: &Path) {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(97))
        .set_data_page_row_count_limit(20)
        .build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn write_arrow(batch: &RecordBatch, path: &Path) {
    use muslin_engine_datafusion::datafusion::arrow::ipc::writer::FileWriter;
    let file = std::fs::File::create(path).unwrap();
    let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

fn in_memory(batch: &RecordBatch, read: &ReadOptions) -> EncodedTable {
    encode_batches("people", &batch.schema(), [batch.clone()], read, &Run::new()).unwrap()
}

fn open<'a>(
    location: &Path,
    sql: Option<&str>,
    read: &ReadOptions,
    run: &'a Run,
) -> muslin_io::Result<DataFusionEngine<'a>> {
    let place = Place::here(run)?;
    DataFusionEngine::open(place, location.to_str().unwrap(), sql, read, run)
}

#[test]
fn one_file_of_every_kind_of_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pe*ple [1].parquet");
    let batch = people(700);
    write(&batch, &path);
    let read = ReadOptions::default();
    let run = Run::new();
    let engine = open(&path, None, &read, &run).unwrap();
    let table = muslin_io::read(&Input::named(&path), &read, &run).unwrap().table;
    assert_same_table(&table, &in_memory(&batch, &read));
    assert_same_answers(&engine, &table);
}

#[test]
fn listed_spellings_are_missing_here_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.parquet");
    let batch = people(300);
    write(&batch, &path);
    let null = ["NA", "", "0", "1.5", "NaN", "1970-01-03", "true", "-9"].map(str::to_owned).into();
    let columns = ColumnChoice::Except(vec!["id".into()]);
    let read = ReadOptions { null, columns, ..ReadOptions::default() };
    let run = Run::new();
    let engine = open(&path, None, &read, &run).unwrap();
    assert_same_answers(&engine, &in_memory(&batch, &read));
}

#[test]
fn spellings_of_missing_are_read_as_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.parquet");
    let large = 9_007_199_254_740_992_i64;
    let columns: [(&str, ArrayRef); 5] = [
        ("whole", Arc::new(Int64Array::from(vec![large, large + 1, 7, 0, -1, 2]))),
        ("float", Arc::new(Float64Array::from(vec![0.0, -0.0, f64::NAN, 1.5, 15.0, 7.0]))),
        ("flag", Arc::new(BooleanArray::from(vec![true, false, true, false, true, true]))),
        ("born", Arc::new(Date32Array::from(vec![-719_528, 0, 1, 2, 3, 4]))),
        ("tiny", Arc::new(UInt8Array::from(vec![0, 1, 255, 7, 19, 2]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    write(&batch, &path);
    let many: Vec<String> = (7..25).map(|number| number.to_string()).collect();
    let many: Vec<&str> =
        ["-0", "nan"].into_iter().chain(many.iter().map(String::as_str)).collect();
    let above = ["9007199254740993", "99999999999999999999"];
    for (null, decimal_comma) in [
        (&["TRUE"][..], None),
        (&["true", "False"], None),
        (&above, None),
        (&many, None),
        (&["1,5"], Some(true)),
        (&["1.5"], Some(true)),
        (&["0000-01-01", "1970-01-02", "1970-02-30"], None),
        (&["-1", "255", "256", "1e0"], None),
    ] {
        let csv = CsvOptions { decimal_comma, ..CsvOptions::default() };
        let null = null.iter().map(|&text| text.to_owned()).collect();
        let read = ReadOptions { null, csv, ..ReadOptions::default() };
        let run = Run::new();
        let engine = open(&path, None, &read, &run).unwrap();
        assert_same_answers(&engine, &in_memory(&batch, &read));
    }
}

#[test]
fn files_of_a_folder_are_one_table_in_the_order_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let batch = people(500);
    for (file, start, rows) in [("b", 120, 200), ("a", 0, 120), ("c", 320, 180)] {
        write(&batch.slice(start, rows), &folder.path().join(format!("{file}.parquet")));
    }
    std::fs::write(folder.path().join("_SUCCESS"), "").unwrap();
    let read = ReadOptions::default();
    let run = Run::new().threads(3).unwrap();
    let table = in_memory(&batch, &read);
    assert_same_answers(&open(folder.path(), None, &read, &run).unwrap(), &table);
    let glob = folder.path().join("*.parquet");
    assert_same_answers(&open(&glob, None, &read, &run).unwrap(), &table);
}

#[test]
fn folders_that_name_values_are_columns() {
    let folder = tempfile::tempdir().unwrap();
    let batch = people(60);
    for (year, start) in [("2023", 0), ("2024", 30)] {
        let inner = folder.path().join(format!("year={year}"));
        std::fs::create_dir(&inner).unwrap();
        write(&batch.slice(start, 30), &inner.join("part.parquet"));
    }
    let run = Run::new();
    let read = ReadOptions::default();
    let engine = open(folder.path(), None, &read, &run).unwrap();
    let year = engine.head().find("year").unwrap();
    let sizes = engine.class_sizes(&[year].into_iter().collect(), MissingRule::Category).unwrap();
    assert_eq!(sizes.classes(), Some(2));
    let sample = engine.sample(10, Seed::new(3)).unwrap();
    assert_eq!(sample.rows(), 10);
    let whole = engine.collect(&engine.head().all_columns()).unwrap();
    assert_same_answers(&engine, &whole);
}

#[test]
fn a_query_is_a_table_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.parquet");
    let batch = people(400);
    write(&batch, &path);
    let read = ReadOptions::default();
    let run = Run::new();
    let sql = "select name, weight, \"Age \"\"now\"\"\" + 1 as age from input where id >= 100";
    let engine = open(&path, Some(sql), &read, &run).unwrap();
    let whole = engine.collect(&engine.head().all_columns()).unwrap();
    assert_eq!((whole.rows(), whole.columns().len()), (300, 3));
    assert_same_answers(&engine, &whole);
    // Answers about queries bring fingerprints of their rows, of every kind of value.
    let all = open(&path, Some("select * from input"), &read, &run).unwrap();
    assert_same_answers(&all, &in_memory(&batch, &read));
}

#[test]
fn a_query_that_draws_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.parquet");
    write(&people(300), &path);
    let run = Run::new();
    for sql in [
        "select id, random() as drawn from input",
        "select id from input where random() < 0.5",
        "select id from input where id in (select cast(random() as int) from input)",
    ] {
        let Err(muslin_io::Error::Engine(Error::Elsewhere { fault, reason, .. })) =
            open(&path, Some(sql), &ReadOptions::default(), &run)
        else {
            panic!("{sql}");
        };
        assert_eq!(fault, Fault::Question);
        assert!(reason.contains("other values each time"), "{reason}");
    }
}

#[test]
fn rows_of_a_union_have_one_order() {
    let folder = tempfile::tempdir().unwrap();
    let batch = people(3_000);
    let mut all = Vec::new();
    for file in 0..6 {
        let path = folder.path().join(format!("{file}.parquet"));
        write(&batch.slice(file * 500, 500), &path);
        all.push(format!("select id, name from '{}'", path.display()));
    }
    let run = Run::new().threads(4).unwrap();
    let union = all.join(" union all ");
    for sql in [union.clone(), format!("select * from ({union}) where id % 7 > 0")] {
        let first = folder.path().join("0.parquet");
        let engine = open(&first, Some(&sql), &ReadOptions::default(), &run).unwrap();
        let whole = engine.collect(&engine.head().all_columns()).unwrap();
        let ids = whole.column(whole.find("id").unwrap()).codes().slots().collect::<Vec<_>>();
        assert!(ids.is_sorted(), "rows are in the order of the files");
        assert_same_answers(&engine, &whole);
    }
}

#[test]
fn files_of_a_folder_are_all_read_or_none() {
    let run = Run::new();
    let read = ReadOptions::default();
    let batch = people(70);
    let opened = |files: &[&str], glob: &str| {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("d[1]");
        for file in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            write(&batch, &path);
        }
        open(&folder.join(glob), None, &read, &run).map(|engine| engine.shape().unwrap().rows)
    };
    assert_eq!(opened(&["a.parquet", "b.parquet"], "").unwrap(), 140);
    assert_eq!(opened(&["a.parquet", "inner/b.parquet"], "").unwrap(), 140);
    assert_eq!(opened(&["inner/b.parquet"], "").unwrap(), 70);
    for files in
        [&["a.parquet", "_b.parquet"][..], &["a.parquet", ".b.parquet"], &["a.parquet", "b.pq"]]
    {
        let error = opened(files, "").unwrap_err().to_string();
        assert!(error.contains("not all of its files"), "{files:?}: {error}");
    }
}

#[test]
fn two_columns_of_one_name_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let schema = arrow_schema::Schema::new(vec![
        arrow_schema::Field::new("a", arrow_schema::DataType::Int64, true),
        arrow_schema::Field::new("a", arrow_schema::DataType::Int64, true),
    ]);
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let twice = RecordBatch::try_new(Arc::new(schema), vec![Arc::clone(&column), column]).unwrap();
    let (parquet, arrow) = (folder.path().join("t.parquet"), folder.path().join("t.arrow"));
    write(&twice, &parquet);
    write_arrow(&twice, &arrow);
    for path in [parquet, arrow] {
        let error = open(&path, None, &ReadOptions::default(), &Run::new()).err().unwrap();
        assert!(error.to_string().contains("columns 1 and 2 have the same name"), "{error}");
    }
}

#[test]
fn an_arrow_file_is_read_here_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.arrow");
    let batch = people(200);
    let table = in_memory(&batch, &ReadOptions::default());
    write_arrow(&batch, &path);
    let run = Run::new();
    let engine = open(&path, None, &ReadOptions::default(), &run).unwrap();
    assert_same_answers(&engine, &table);
}

#[test]
fn what_is_wrong_is_told_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.parquet");
    write(&people(10), &path);
    let text = folder.path().join("people.csv");
    std::fs::write(&text, "a,b\n1,2\n").unwrap();
    let damaged = folder.path().join("damaged.parquet");
    std::fs::write(&damaged, "PAR1 and then nothing of the kind PAR1").unwrap();
    let run = Run::new();
    let read = ReadOptions::default();
    let cases = [
        (folder.path().join("absent.parquet"), None, Fault::Table),
        (folder.path().join("absent/*.parquet"), None, Fault::Table),
        (text, None, Fault::Question),
        (damaged, None, Fault::Table),
        (path.clone(), Some("drop table input"), Fault::Question),
        (path.clone(), Some("copy input to 'x.parquet'"), Fault::Question),
        (path.clone(), Some("select nothing from input"), Fault::Question),
        (path.clone(), Some("selec"), Fault::Question),
        (path.clone(), Some("select 1; select 2"), Fault::Question),
    ];
    for (location, sql, expected) in cases {
        match open(&location, sql, &read, &run).err() {
            Some(muslin_io::Error::Engine(Error::Elsewhere { fault, reason, hint })) => {
                assert_eq!(fault, expected, "{location:?} {sql:?}: {reason}");
                assert!(!hint.is_empty());
            }
            other => panic!("{location:?} {sql:?}: {other:?}"),
        }
    }
}

#[test]
fn a_file_that_vanishes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.parquet");
    write(&people(50), &path);
    let run = Run::new();
    let engine = open(&path, None, &ReadOptions::default(), &run).unwrap();
    std::fs::remove_file(&path).unwrap();
    for error in [
        engine.class_sizes(&ColumnSet::first(2), MissingRule::Category).err(),
        engine.sample(5, Seed::new(1)).err(),
        engine.collect(&ColumnSet::first(1)).err(),
    ] {
        assert!(matches!(error, Some(Error::Elsewhere { fault: Fault::Table, .. })), "{error:?}");
    }
}

#[test]
fn a_file_that_was_replaced_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("people.parquet"), folder.path().join("other"));
    write(&people(50), &path);
    let run = Run::new();
    let engine = open(&path, None, &ReadOptions::default(), &run).unwrap();
    let by = ColumnSet::first(2);
    engine.class_sizes(&by, MissingRule::Category).unwrap();
    // As many rows and bytes, of another time.
    std::fs::copy(&path, &other).unwrap();
    let written = std::fs::metadata(&path).unwrap().modified().unwrap();
    let later = std::fs::File::options().write(true).open(&other).unwrap();
    later.set_modified(written + std::time::Duration::from_secs(1)).unwrap();
    std::fs::rename(&other, &path).unwrap();
    for error in [
        engine.class_sizes(&ColumnSet::first(3), MissingRule::Category).err(),
        engine.sample(5, Seed::new(1)).err(),
        engine.collect(&by).err(),
    ] {
        let Some(Error::Elsewhere { fault: Fault::Table, reason, .. }) = error else {
            panic!("{error:?}");
        };
        assert_eq!(reason, "the table changed while it was asked about");
    }
}

#[test]
fn files_are_found_by_any_path_and_none_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("all")).unwrap();
    write(&people(50), &folder.path().join("all/1.parquet"));
    let run = Run::new();
    let around = folder.path().join("all/../all/1.parquet");
    let engine = open(&around, None, &ReadOptions::default(), &run).unwrap();
    assert_eq!(engine.shape().unwrap().rows, 50);
    std::fs::write(folder.path().join("all/2.parquet"), "").unwrap();
    std::fs::create_dir(folder.path().join("none")).unwrap();
    for (name, told) in [("all", "one of its files is empty"), ("none", "no file with data")] {
        let error = open(&folder.path().join(name), None, &ReadOptions::default(), &run).err();
        assert!(error.is_some_and(|error| error.to_string().contains(told)), "{name}");
    }
}

#[test]
fn a_run_that_ends_ends_the_query() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.parquet");
    write(&people(50), &path);
    let cancel = muslin_engine::Cancel::default();
    let run = Run::new().cancel(cancel.clone());
    let engine = open(&path, None, &ReadOptions::default(), &run).unwrap();
    cancel.cancel();
    let stopped = engine.class_sizes(&ColumnSet::first(2), MissingRule::Category);
    assert_eq!(stopped, Err(Error::Stopped(muslin_engine::Stop::Interrupted)));
    assert!(engine.sample(5, Seed::new(1)).is_err());
}

#[test]
fn little_memory_is_enough_for_many_classes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.parquet");
    let rows = 400_000;
    let column = |seed| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(
            (0..rows).map(|row| format!("{:020}", drawn(row, seed))),
        ))
    };
    let batch = RecordBatch::try_from_iter([("a", column(1)), ("b", column(2))]).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let run = Run::new().memory(Some(48 << 20)).threads(2).unwrap();
    let engine = open(&path, None, &ReadOptions::default(), &run).unwrap();
    let sizes = engine.class_sizes(&ColumnSet::first(2), MissingRule::Category).unwrap();
    assert_eq!(sizes.classes(), Some(rows as u64));
}
