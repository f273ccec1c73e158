//! The sample that is drawn while an input goes by is the one that an engine draws from the whole
//! table, in every format, on any number of threads.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    Float64Array, Int64Array, NullArray, RecordBatch, StringArray, StringViewArray, UInt32Array,
};
use arrow_schema::{DataType, Field, Schema};
use arrow_select::take::take;
use muslin_engine::{Engine, MemoryEngine, Run, Seed, Stop};
use muslin_io::{
    ColumnChoice, ColumnType, CsvOptions, Destination, Error, Input, Place, Problem, ReadOptions,
    Release, RowOrder, SampledTable, WriteFormat, WriteOptions, encode_batches, read, sample,
    write,
};
use muslin_table::{Changes, EncodedTable, RowId};
use proptest::prelude::*;

/// How many rows to draw from so many.
type Wanted = dyn Fn(u64, usize) -> u64 + Sync;

/// Names and cells, whatever their codes.
#[derive(Debug, PartialEq)]
struct Cells(Vec<(String, Option<ArrayRef>)>);

fn cells(table: &EncodedTable) -> Cells {
    let rows = u32::try_from(table.rows()).unwrap();
    let column = |column: &muslin_table::Column| {
        let code = |row| column.code(RowId::new(row)).value();
        let code = |row| code(row).map(|at| u32::try_from(at).unwrap());
        let codes: UInt32Array = (0..rows).map(code).collect();
        // A type is found out from values; a column without any has none to compare.
        let cells = (rows > 0).then(|| take(column.dictionary().values(), &codes, None).unwrap());
        (column.name().to_owned(), cells)
    };
    Cells(table.columns().iter().map(column).collect())
}

fn run(threads: usize) -> Run {
    Run::new().threads(threads).unwrap().seed(Seed::new(11))
}

/// Holds samples of several sizes against those of the whole table.
fn check(path: &Path, options: &ReadOptions) {
    let input = Input::named(path);
    let whole = read(&input, options, &run(2)).unwrap();
    let rows = whole.table.rows() as u64;
    let run_of_engine = run(2);
    let engine = MemoryEngine::new(&whole.table, &run_of_engine);
    let fixed = [0, 1, 10, rows.saturating_sub(1), rows, rows + 5];
    let fixed = fixed.map(|k| Box::new(move |_: u64, _: usize| k) as Box<Wanted>);
    let growing: [Box<Wanted>; 3] = [
        Box::new(|rows, columns| rows.isqrt() * columns as u64),
        Box::new(|rows, _| rows / 5),
        Box::new(|rows, _| rows),
    ];
    for wanted in fixed.iter().chain(&growing) {
        let wanted_rows = wanted(rows, whole.table.columns().len());
        let expected = engine.sample(wanted_rows, Seed::new(11)).unwrap();
        for threads in [1, 4] {
            let drawn = sample(&input, options, wanted, &run(threads)).unwrap();
            assert_eq!(drawn.rows, rows);
            assert_eq!(drawn.source, whole.source);
            assert_eq!(drawn.table.rows() as u64, wanted_rows.min(rows));
            assert_eq!(cells(&drawn.table), cells(&expected), "{wanted_rows} of {rows}");
        }
    }
}

fn file(folder: &tempfile::TempDir, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join("input.dat");
    std::fs::write(&path, bytes).unwrap();
    path
}

fn typed(types: &[(&str, ColumnType)]) -> ReadOptions {
    ReadOptions {
        csv: CsvOptions {
            delimiter: Some(','),
            quote: Some(Some('"')),
            header: Some(true),
            ..CsvOptions::default()
        },
        types: types.iter().map(|&(name, kind)| (name.to_owned(), kind)).collect(),
        null: vec!["NA".into()],
        ..ReadOptions::default()
    }
}

/// Rows of quoted line ends, doubled quotes, missing cells and blank lines.
fn ugly_text(rows: usize, line_end: &str) -> String {
    let mut text = format!("id,word,amount,note{line_end}");
    for row in 0..rows {
        let word = ["plain", "\"x,\ny\"", "\"say \"\"so\"\"\"", "NA", "", "5\" pipe"][row % 6];
        let note = "n".repeat(row % 41);
        write!(text, "{row},{word},{}.5,{note}{line_end}", row % 977).unwrap();
        if row % 5_000 == 77 {
            text += line_end;
        }
    }
    text
}

const UGLY: &[(&str, ColumnType)] = &[
    ("id", ColumnType::Integer),
    ("word", ColumnType::Text),
    ("amount", ColumnType::Number),
    ("note", ColumnType::Text),
];

#[test]
fn samples_of_several_blocks_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    for line_end in ["\n", "\r\n"] {
        let text = ugly_text(260_000, line_end);
        assert!(text.len() > 9 << 20);
        check(&file(&folder, text.as_bytes()), &typed(UGLY));
    }
}

#[test]
fn samples_of_compressed_text_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let text = ugly_text(50_000, "\n");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    check(&file(&folder, &gzip.finish().unwrap()), &typed(UGLY));
    check(&file(&folder, &zstd::encode_all(text.as_bytes(), 1).unwrap()), &typed(UGLY));
}

#[test]
fn options_have_the_meaning_that_they_have_for_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for row in 0..5_000 {
        writeln!(text, " {row} ; x{} ;{},5;skip", row % 7, row % 91).unwrap();
    }
    let path = file(&folder, text.as_bytes());
    let csv = CsvOptions { header: Some(false), trim: true, ..CsvOptions::default() };
    let all = ReadOptions { csv, null: vec!["x3".into()], ..ReadOptions::default() };
    check(&path, &all);
    let only = ColumnChoice::Only(vec!["column_3".into(), "column_1".into()]);
    check(&path, &ReadOptions { columns: only, ..all.clone() });
    let except = ColumnChoice::Except(vec!["column_4".into()]);
    check(&path, &ReadOptions { columns: except, ..all.clone() });
    let drawn = sample(&Input::named(&path), &all, &|_, _| 3, &run(1)).unwrap();
    assert!(drawn.source.dialect.unwrap().decimal_comma);
    assert_eq!(drawn.source.columns.len(), 4);
    let unknown = ReadOptions { columns: ColumnChoice::Only(vec!["nobody".into()]), ..all };
    sample(&Input::named(&path), &unknown, &|_, _| 3, &run(1)).unwrap_err();
}

#[test]
fn a_text_of_no_rows_has_an_empty_sample() {
    let folder = tempfile::tempdir().unwrap();
    check(&file(&folder, b"a,b\n"), &typed(&[]));
    check(&file(&folder, b"a,b\n1,2"), &typed(&[]));
}

/// What is wrong with a text, when a few of its rows are drawn.
fn fault(text: &[u8], options: &ReadOptions, rows: u64) -> (Place, Problem) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, text);
    match sample(&Input::named(path), options, &|_, _| rows, &run(2)) {
        Err(Error::Input { place, problem }) => (place, problem),
        other => panic!("{:?}", other.map(|drawn| drawn.rows)),
    }
}

#[test]
fn a_ragged_row_far_behind_is_an_error() {
    let mut text = ugly_text(260_000, "\n");
    let lines = u64::try_from(text.lines().count()).unwrap();
    text += "1,2,3\n";
    let (place, problem) = fault(text.as_bytes(), &typed(UGLY), 1);
    assert_eq!(problem, Problem::Ragged { expected: 4, found: 3 });
    assert_eq!(place.line, Some(lines + 1));
    let mut text = ugly_text(260_000, "\n");
    text += "1,\"2,3,4\n";
    assert_eq!(fault(text.as_bytes(), &typed(UGLY), 1).1, Problem::OpenQuote);
}

#[test]
fn a_sampled_value_of_another_type_is_an_error_with_its_row_in_the_input() {
    let mut text = String::from("a\n");
    (0..1_000).for_each(|row| writeln!(text, "{row}").unwrap());
    text += "word\n";
    let options = typed(&[("a", ColumnType::Integer)]);
    // All rows but one, and that is not the last.
    let (place, problem) = fault(text.as_bytes(), &options, 1_000);
    assert_eq!(problem, Problem::NotOfType(ColumnType::Integer));
    assert_eq!((place.row, place.column.as_deref()), (Some(1_000), Some("a")));
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, text.as_bytes());
    sample(&Input::named(path), &options, &|_, _| 1, &run(1)).unwrap();
}

#[test]
fn a_sampled_value_that_is_no_text_is_an_error_with_its_row_in_the_input() {
    for (bytes, expected) in [(b"\xFF\xFE", Problem::NotEncoded("UTF-8")), (b"x\0", Problem::Nul)] {
        let mut text = b"a,b\n".to_vec();
        (0..1_000).for_each(|row| writeln!(text, "{row},x").unwrap());
        text.extend_from_slice(b"1,");
        text.extend_from_slice(bytes);
        text.push(b'\n');
        let (place, problem) = fault(&text, &typed(&[]), 1_000);
        assert_eq!(problem, expected);
        assert_eq!((place.row, place.column.as_deref()), (Some(1_000), Some("b")));
    }
}

#[test]
fn a_memory_budget_holds_for_the_candidates_and_not_for_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, ugly_text(260_000, "\n").as_bytes());
    let draw = |wanted: u64| {
        let run = run(2).memory(Some(1_000_000));
        sample(&Input::named(&path), &typed(UGLY), &|_, _| wanted, &run)
    };
    assert_eq!(draw(100).unwrap().table.rows(), 100);
    let stopped = draw(200_000);
    assert!(matches!(stopped, Err(Error::Stopped(Stop::MemoryLimit { .. }))));
}

/// A batch of every kind of column, with missing cells.
fn batch(first: i64, rows: i64) -> RecordBatch {
    let rows: Vec<i64> = (first..first + rows).collect();
    let some = |row: i64| (row % 11 != 3).then_some(row);
    let text = |row: i64| some(row).map(|row| format!("a word of some length, {}", row % 1_000));
    let texts: Vec<Option<String>> = rows.iter().map(|&row| text(row)).collect();
    let of = |row: &i64| some(*row);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from(rows.clone()))),
        (
            "number",
            Arc::new(
                rows.iter()
                    .map(|r| of(r).map(|r| f64::from(i32::try_from(r).unwrap()) / 2.0))
                    .collect::<Float64Array>(),
            ),
        ),
        ("text", Arc::new(texts.iter().cloned().collect::<StringArray>())),
        ("view", Arc::new(texts.iter().cloned().collect::<StringViewArray>())),
        (
            "words",
            Arc::new(texts.iter().map(Option::as_deref).collect::<DictionaryArray<Int32Type>>()),
        ),
        (
            "flag",
            Arc::new(rows.iter().map(|r| of(r).map(|r| r % 2 == 0)).collect::<BooleanArray>()),
        ),
        (
            "day",
            Arc::new(
                rows.iter()
                    .map(|r| of(r).map(|r| i32::try_from(r % 9_000).unwrap()))
                    .collect::<Date32Array>(),
            ),
        ),
        (
            "bytes",
            Arc::new(
                texts.iter().map(|t| t.as_ref().map(String::as_bytes)).collect::<BinaryArray>(),
            ),
        ),
        (
            "money",
            Arc::new(
                rows.iter()
                    .map(|r| of(r).map(i128::from))
                    .collect::<Decimal128Array>()
                    .with_precision_and_scale(20, 2)
                    .unwrap(),
            ),
        ),
        ("nothing", Arc::new(NullArray::new(rows.len()))),
    ];
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|c| c.1).collect()).unwrap()
}

/// Batches of many sizes, one of them without rows.
fn batches() -> Vec<RecordBatch> {
    let mut first = 0;
    let sizes = (0..300).map(|size| size * 37 % 101).chain([40_000, 0, 5]);
    let next = |rows| {
        let batch = batch(first, rows);
        first += rows;
        batch
    };
    sizes.map(next).collect()
}

#[test]
fn samples_of_arrow_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let batches = batches();
    let schema = batches[0].schema();
    let mut stream = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &schema).unwrap();
    batches.iter().for_each(|batch| stream.write(batch).unwrap());
    let stream = stream.into_inner().unwrap();
    check(&file(&folder, &stream), &ReadOptions::default());
    check(&file(&folder, &zstd::encode_all(&*stream, 1).unwrap()), &ReadOptions::default());
    let options = arrow_ipc::writer::IpcWriteOptions::default();
    let options = options.with_dictionary_handling(arrow_ipc::writer::DictionaryHandling::Resend);
    let without = |batch: &RecordBatch| batch.project(&[0, 2, 3, 9]).unwrap();
    let schema = without(&batches[0]).schema();
    let mut file_writer =
        arrow_ipc::writer::FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
    batches.iter().for_each(|batch| file_writer.write(&without(batch)).unwrap());
    let only = ColumnChoice::Except(vec!["text".into()]);
    let options = ReadOptions { columns: only, null: vec!["17".into()], ..ReadOptions::default() };
    let path = file(&folder, &file_writer.into_inner().unwrap());
    check(&path, &options);
    let names = options_of_type(&path, "view", ColumnType::Integer);
    assert_eq!(names, Problem::NotOfType(ColumnType::Integer));
}

/// The problem with asking for a type of a text column, whose row must be one of the input.
fn options_of_type(path: &Path, column: &str, kind: ColumnType) -> Problem {
    let options =
        ReadOptions { types: [(column.to_owned(), kind)].into(), ..ReadOptions::default() };
    let whole = read(&Input::named(path), &ReadOptions::default(), &run(1)).unwrap().table;
    let run = run(1);
    let drawn = MemoryEngine::new(&whole, &run).sample(1, Seed::new(11)).unwrap();
    let Error::Input { place, problem } =
        sample(&Input::named(path), &options, &|_, _| 1, &run).unwrap_err()
    else {
        panic!("another error")
    };
    // The first column numbers the rows.
    let first = drawn.columns()[0].dictionary().values();
    let first = first.as_any().downcast_ref::<Int64Array>().unwrap().value(0);
    assert_eq!(place.row, u64::try_from(first).ok());
    problem
}

fn parquet(batches: &[RecordBatch], group: usize, dictionary: bool) -> Vec<u8> {
    use parquet::file::properties::WriterProperties;
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group))
        .set_data_page_row_count_limit(1_000)
        .set_dictionary_enabled(dictionary)
        .build();
    let schema = batches[0].schema();
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(Vec::new(), schema, Some(properties)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

#[test]
fn samples_of_parquet_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let batches = batches();
    for dictionary in [true, false] {
        let bytes = parquet(&batches, 9_000, dictionary);
        check(&file(&folder, &bytes), &ReadOptions::default());
        check(&file(&folder, &zstd::encode_all(&*bytes, 1).unwrap()), &ReadOptions::default());
    }
    let path = file(&folder, &parquet(&batches, 1 << 20, true));
    let only = ColumnChoice::Only(vec!["words".into(), "id".into()]);
    check(&path, &ReadOptions { columns: only, ..ReadOptions::default() });
    let problem = options_of_type(&path, "text", ColumnType::Date);
    assert!(matches!(problem, Problem::NotADay { .. }), "{problem:?}");
}

#[test]
fn a_parquet_file_that_is_cut_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = parquet(&[batch(0, 100)], 1 << 20, true);
    let length = bytes.len();
    bytes.truncate(length / 2);
    bytes.extend_from_slice(b"\0\0\0\0PAR1");
    let path = file(&folder, &bytes);
    let ended = sample(&Input::named(path), &ReadOptions::default(), &|_, _| 5, &run(1));
    assert!(matches!(ended, Err(Error::Input { problem: Problem::Damaged(_), .. })));
}

fn drawn(path: &Path, options: &ReadOptions, wanted: &Wanted, threads: usize) -> SampledTable {
    sample(&Input::named(path), options, wanted, &run(threads)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn samples_of_every_format_are_those_of_the_whole(
        (words, numbers) in (0usize..900).prop_flat_map(|rows| (
            prop::collection::vec(prop::option::weighted(0.85, prop_oneof![
                "[a-z]{0,12}", "[,;\t|\"'\n\r ]{0,6}", Just("*".to_owned()), "\\PC{0,20}",
            ]), rows),
            prop::collection::vec(prop::option::weighted(0.9, any::<i64>()), rows),
        )),
        seed in any::<u64>(),
        wanted in prop_oneof![0u64..40, 0u64..1_000],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(words.into_iter().collect::<StringArray>()),
            Arc::new(Int64Array::from(numbers)),
        ];
        let schema = Arc::new(Schema::new(vec![
            Field::new("words", DataType::Utf8, true),
            Field::new("numbers", DataType::Int64, true),
        ]));
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
        let run = Run::new().seed(Seed::new(seed));
        let table = encode_batches("test", &schema, [batch], &ReadOptions::default(), &run).unwrap();
        let expected = MemoryEngine::new(&table, &run).sample(wanted, Seed::new(seed)).unwrap();
        let release = Release::new(&table, &Changes::none(&table), RowOrder::AsRead).unwrap();
        let mut options = typed(&[("words", ColumnType::Text), ("numbers", ColumnType::Integer)]);
        options.null = vec!["~missing~".into()];
        for format in WriteFormat::ALL {
            let path = folder.path().join("table");
            let mut write_options = WriteOptions { format: Some(format), ..WriteOptions::default() };
            write_options.csv.missing = "~missing~".into();
            write(&release, &Destination::named(&path), &write_options, &run).unwrap();
            options.csv.delimiter = Some(if format == WriteFormat::Tsv { '\t' } else { ',' });
            let found = sample(&Input::named(&path), &options, &|_, _| wanted, &run).unwrap();
            prop_assert_eq!(found.rows, table.rows() as u64);
            prop_assert_eq!(cells(&found.table), cells(&expected));
        }
    }

    #[test]
    fn a_text_of_any_shape_ends_as_it_does_when_it_is_read(
        parts in prop::collection::vec(prop_oneof![
            4 => Just("a".to_owned()), 4 => Just(",".to_owned()), 3 => Just("\n".to_owned()),
            2 => Just("\"".to_owned()), 1 => Just("\"x,\"\"y\n\"".to_owned()),
            1 => Just("\r\n".to_owned()), 1 => "[a-z]{0,70}",
        ], 1..60),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder, parts.concat().as_bytes());
        let options = ReadOptions::default();
        let whole = read(&Input::named(&path), &options, &run(1));
        let all = sample(&Input::named(&path), &options, &|rows, _| rows, &run(1));
        match (whole, all) {
            (Ok(whole), Ok(all)) => {
                prop_assert_eq!(cells(&whole.table), cells(&all.table));
                prop_assert_eq!(&whole.source, &all.source);
                let few = drawn(&path, &options, &|_, _| 2, 4);
                prop_assert_eq!(few.rows, all.rows);
            }
            (Err(whole), Err(all)) => prop_assert_eq!(whole.to_string(), all.to_string()),
            (whole, all) => prop_assert!(false, "{:?} {:?}", whole.is_ok(), all.is_ok()),
        }
    }
}
