//! What is written reads back as the same table, in every format, on any number of threads.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use muslin_engine::Run;
use muslin_io::{
    ColumnType, CsvOptions, CsvStyle, Destination, Input, ReadOptions, Release, RowOrder,
    WriteFormat, WriteOptions, encode_batches, read, write, write_together,
};
use muslin_table::{Changes, EncodedTable, Form, RowId};
use muslin_testkit::data;
use proptest::prelude::*;

/// Cells as text: the value, or nothing where there is none.
fn cells(table: &EncodedTable) -> Vec<(String, Vec<Option<String>>)> {
    let column = |column: &muslin_table::Column| {
        let values = column.dictionary().values();
        let cell = |row| {
            let at = column.code(RowId::new(row)).value()?;
            Some(match values.data_type() {
                DataType::Utf8 => {
                    values.as_any().downcast_ref::<StringArray>().unwrap().value(at).to_owned()
                }
                DataType::Int64 => {
                    values.as_any().downcast_ref::<Int64Array>().unwrap().value(at).to_string()
                }
                DataType::Float64 => {
                    let value = values.as_any().downcast_ref::<Float64Array>().unwrap().value(at);
                    format!("{value:?}")
                }
                other => panic!("{other}"),
            })
        };
        let rows = u32::try_from(table.rows()).unwrap();
        (column.name().to_owned(), (0..rows).map(cell).collect())
    };
    table.columns().iter().map(column).collect()
}

fn encode(columns: Vec<(&str, ArrayRef)>) -> EncodedTable {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let batch =
        RecordBatch::try_new(Arc::clone(&schema), columns.into_iter().map(|c| c.1).collect())
            .unwrap();
    encode_batches("test", &schema, [batch], &ReadOptions::default(), &Run::new()).unwrap()
}

fn write_and_read(
    table: &EncodedTable,
    folder: &Path,
    format: WriteFormat,
    style: &CsvStyle,
    options: &ReadOptions,
) -> EncodedTable {
    let path = folder.join("table");
    let release = Release::new(table, &Changes::none(table), RowOrder::AsRead).unwrap();
    let write_options = WriteOptions { format: Some(format), csv: style.clone(), inputs: vec![] };
    write(&release, &Destination::named(&path), &write_options, &Run::new()).unwrap();
    read(&Input::named(&path), options, &Run::new()).unwrap().table
}

/// Text with everything that delimited text makes difficult.
fn texts(rows: usize) -> impl Strategy<Value = Vec<Option<String>>> {
    let text = prop_oneof![
        "[a-z]{0,12}",
        "[,;\t|\"'\n\r ]{0,6}",
        "[0-9]{1,25}",
        Just(String::new()),
        Just("*".to_owned()),
        Just("NA".to_owned()),
        Just("\u{feff}x\u{200b}".to_owned()),
        "\\PC{0,20}",
    ];
    prop::collection::vec(prop::option::weighted(0.85, text), rows)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_format_reads_back_what_was_written(
        (words, numbers, decimals) in (1usize..12).prop_flat_map(|rows| (
            texts(rows),
            prop::collection::vec(prop::option::weighted(0.9, any::<i64>()), rows),
            prop::collection::vec(prop::option::weighted(0.9, any::<f64>()), rows),
        )),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let table = encode(vec![
            ("words", Arc::new(words.into_iter().collect::<StringArray>()) as ArrayRef),
            ("numbers", Arc::new(Int64Array::from(numbers))),
            ("decimals", Arc::new(Float64Array::from(decimals))),
        ]);
        let expected = cells(&table);
        for format in WriteFormat::ALL {
            // Missing has a spelling that is no value here, so that nothing else is missing.
            let style = CsvStyle { missing: "~missing~".into(), ..CsvStyle::default() };
            let options = ReadOptions {
                null: vec!["~missing~".into()],
                types: [("words", ColumnType::Text), ("numbers", ColumnType::Integer), ("decimals", ColumnType::Number)]
                    .map(|(name, column_type)| (name.to_owned(), column_type))
                    .into(),
                csv: CsvOptions {
                    delimiter: Some(if format == WriteFormat::Tsv { '\t' } else { ',' }),
                    quote: Some(Some('"')),
                    header: Some(true),
                    ..CsvOptions::default()
                },
                ..ReadOptions::default()
            };
            let options = match format {
                WriteFormat::Csv | WriteFormat::Tsv => options,
                _ => ReadOptions::default(),
            };
            let back = write_and_read(&table, folder.path(), format, &style, &options);
            prop_assert_eq!(cells(&back), expected.clone(), "{:?}", format);
        }
    }

    #[test]
    fn delimited_text_reads_as_it_is_spelled(
        records in prop::collection::vec(prop::collection::vec(
            prop_oneof!["[a-z ]{0,9}", "[,\"\n;]{0,4}", "[0-9]{1,3}"], 3), 1..30),
        crlf in any::<bool>(),
    ) {
        let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
        let plain = |field: &String| if field.contains([',', '"', '\n']) { quoted(field) } else { field.clone() };
        let end = if crlf { "\r\n" } else { "\n" };
        let line = |fields: Vec<String>| fields.join(",") + end;
        let mut text = line(vec!["a".into(), "b".into(), "c".into()]);
        for (index, record) in records.iter().enumerate() {
            text += &line(record.iter().map(|f| if index % 3 == 0 { quoted(f) } else { plain(f) }).collect());
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text.csv");
        std::fs::write(&path, &text).unwrap();
        let options = ReadOptions {
            csv: CsvOptions { delimiter: Some(','), quote: Some(Some('"')), header: Some(true), ..CsvOptions::default() },
            types: ["a", "b", "c"].map(|name| (name.to_owned(), ColumnType::Text)).into(),
            ..ReadOptions::default()
        };
        let table = read(&Input::named(&path), &options, &Run::new()).unwrap().table;
        let expected: Vec<Vec<Option<String>>> =
            (0..3).map(|c| records.iter().map(|r| Some(r[c].clone())).collect()).collect();
        prop_assert_eq!(cells(&table).into_iter().map(|c| c.1).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn columns_with_many_values_read_alike_from_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let words: StringArray =
        (0..150_000).map(|row| Some(format!("person number {}", row % 140_000))).collect();
    let table = encode(vec![("words", Arc::new(words) as ArrayRef)]);
    let expected = cells(&table);
    for format in WriteFormat::ALL {
        let back = write_and_read(
            &table,
            folder.path(),
            format,
            &CsvStyle::default(),
            &ReadOptions::default(),
        );
        assert!(cells(&back) == expected, "{format:?}");
    }
}

#[test]
fn a_type_that_the_file_states_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let codes = StringArray::from(vec!["250.0", "250.00", "780.6"]);
    let table = encode(vec![("codes", Arc::new(codes) as ArrayRef)]);
    for format in [WriteFormat::Parquet, WriteFormat::Arrow, WriteFormat::Csv] {
        let back = write_and_read(
            &table,
            folder.path(),
            format,
            &CsvStyle::default(),
            &ReadOptions::default(),
        );
        assert_eq!(cells(&back), cells(&table), "{format:?}");
    }
}

#[test]
fn listed_spellings_are_missing_in_columns_of_every_type() {
    let folder = tempfile::tempdir().unwrap();
    let table = encode(vec![
        ("words", Arc::new(StringArray::from(vec!["NA", "x", "y"])) as ArrayRef),
        ("numbers", Arc::new(Int64Array::from(vec![1, -99, 3]))),
        ("decimals", Arc::new(Float64Array::from(vec![1.5, -99.0, f64::NAN]))),
    ]);
    let options = ReadOptions {
        null: ["NA", "-99", "NaN"].map(String::from).into(),
        ..ReadOptions::default()
    };
    for format in WriteFormat::ALL {
        let back = write_and_read(&table, folder.path(), format, &CsvStyle::default(), &options);
        let missing: Vec<u64> = back.columns().iter().map(muslin_table::Column::missing).collect();
        assert_eq!(missing, [1, 1, 2], "{format:?}");
    }
}

#[test]
fn trimming_leaves_the_inside_of_a_field_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spaces.csv");
    std::fs::write(&path, "a,b\nx, \"a \"b\" c\" \ny,\" kept \"\n").unwrap();
    let mut options = ReadOptions::default();
    options.csv.trim = true;
    let table = read(&Input::named(&path), &options, &Run::new()).unwrap().table;
    let words = |words: [&str; 2]| words.map(|word| Some(word.to_owned())).to_vec();
    assert_eq!(cells(&table)[1].1, words(["\"a \"b\" c\"", " kept "]));
}

#[test]
fn a_column_without_values_cannot_claim_more_rows_than_there_are_ids() {
    let rows = usize::try_from(u64::from(u32::MAX) + 1).unwrap();
    let schema = Arc::new(Schema::new(vec![Field::new("nothing", DataType::Null, true)]));
    let nothing: ArrayRef = Arc::new(arrow_array::NullArray::new(rows));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![nothing]).unwrap();
    let encoded = encode_batches("test", &schema, [batch], &ReadOptions::default(), &Run::new());
    assert!(matches!(encoded, Err(muslin_io::Error::Table(muslin_table::Error::TooManyRows))));
}

#[test]
fn compressed_text_is_the_same_text() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..50_000)
        .fold("id,city\n".into(), |text, row| text + &format!("{row},town {}\n", row % 17));
    let plain = folder.path().join("plain");
    std::fs::write(&plain, &text).unwrap();
    let gzip = folder.path().join("gzip");
    let mut encoder = flate2::write::GzEncoder::new(
        std::fs::File::create(&gzip).unwrap(),
        flate2::Compression::fast(),
    );
    // Two members, as `cat a.gz b.gz` makes them.
    let (first, second) = text.split_at(text.len() / 3);
    encoder.write_all(first.as_bytes()).unwrap();
    let mut encoder =
        flate2::write::GzEncoder::new(encoder.finish().unwrap(), flate2::Compression::fast());
    encoder.write_all(second.as_bytes()).unwrap();
    encoder.finish().unwrap();
    let zstd = folder.path().join("zstd");
    std::fs::write(&zstd, zstd::encode_all(text.as_bytes(), 1).unwrap()).unwrap();
    let [one, two, three] = [plain, gzip, zstd].map(|path| {
        cells(&read(&Input::named(path), &ReadOptions::default(), &Run::new()).unwrap().table)
    });
    assert_eq!(one[0].1.len(), 50_000);
    assert!(one == two && two == three);
}

#[test]
fn no_file_of_several_appears_before_all_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let table = EncodedTable::of(&[[1], [2]]);
    let release = Release::new(&table, &Changes::none(&table), RowOrder::AsRead).unwrap();
    let options = WriteOptions::default();
    let [one, two, odd] = ["one.csv", "two.parquet", "absent/odd.csv"]
        .map(|name| Destination::named(folder.path().join(name)));
    let write = |other: &Destination| {
        write_together(&[(&release, &one, &options), (&release, other, &options)], &Run::new())
    };
    assert!(matches!(write(&odd), Err(muslin_io::Error::Output { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let again = Destination::named(folder.path().join("../").join(folder.path()).join("one.csv"));
    let twice = write(&again).unwrap_err();
    assert!(twice.to_string().contains("is the place of two outputs"), "{twice}");
    write(&two).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn real_tables_read_alike_on_any_number_of_threads() {
    for (name, rows, columns) in [
        ("adult.csv", 32_561, 15),
        ("flights.csv.gz", 336_776, 19),
        ("arx/adult/adult.csv", 30_162, 9),
        ("eusilc.csv", 14_827, 28),
    ] {
        let Some(path) = data::real(name) else { return };
        let [one, two, four] = [1, 2, 4].map(|threads| {
            let run = Run::new().threads(threads).unwrap();
            cells(&read(&Input::named(&path), &ReadOptions::default(), &run).unwrap().table)
        });
        assert_eq!((one[0].1.len(), one.len()), (rows, columns), "{name}");
        assert!(one == two && two == four, "{name}");
    }
}

#[test]
fn numbers_and_days_are_published_in_the_spelling_in_which_they_were_read() {
    use DataType::{Date32, Float64, Utf8};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits.csv");
    let lines = [
        "icd9;price;big;zero;tiny;birth;plain",
        "250.10;1.50;1E5;-0;1e-05;31.12.1999;1",
        "250.20;20.00;2E5;0;0.5;1.2.2000;2.5",
        "401.90;3.25;100;1;3.0;02.03.2001;-4",
    ];
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let table = read(&Input::named(&path), &ReadOptions::default(), &Run::new()).unwrap().table;
    let types: Vec<&DataType> =
        table.columns().iter().map(muslin_table::Column::data_type).collect();
    assert_eq!(types, [&Float64, &Float64, &Float64, &Utf8, &Float64, &Date32, &Float64]);

    let release = Release::new(&table, &Changes::none(&table), RowOrder::AsRead).unwrap();
    let written = |format, csv| {
        let to = folder.path().join("release");
        let options = WriteOptions { format: Some(format), csv, inputs: vec![] };
        write(&release, &Destination::named(&to), &options, &Run::new()).unwrap();
        to
    };
    let semicolons = CsvStyle { delimiter: ';', ..CsvStyle::default() };
    let text = std::fs::read_to_string(written(WriteFormat::Csv, semicolons)).unwrap();
    assert_eq!(text, lines.join("\n") + "\n");
    let commas = CsvStyle { delimiter: ';', decimal_comma: true, ..CsvStyle::default() };
    let text = std::fs::read_to_string(written(WriteFormat::Csv, commas)).unwrap();
    assert!(text.contains("250,10;1,50;1E5;-0;1e-05;31.12.1999;1\n"), "{text}");

    // Formats with types hold no texts beside numbers: decimals are decimals there, codes texts.
    for format in [WriteFormat::Parquet, WriteFormat::Arrow] {
        let to = written(format, CsvStyle::default());
        let back = read(&Input::named(&to), &ReadOptions::default(), &Run::new()).unwrap().table;
        for (name, texts) in [
            ("icd9", ["250.10", "250.20", "401.90"]),
            ("price", ["1.50", "3.25", "20.00"]),
            ("big", ["100", "1E5", "2E5"]),
            ("zero", ["-0", "0", "1"]),
        ] {
            let column = back.column(back.find(name).unwrap());
            assert_eq!(column.dictionary().texts(), texts, "{name}");
        }
        let price = back.column(back.find("price").unwrap());
        assert_eq!(price.data_type(), &DataType::Decimal128(18, 2));
        let plain = back.column(back.find("plain").unwrap());
        assert_eq!(plain.data_type(), &DataType::Float64);
    }
}

#[test]
fn what_is_read_with_decimal_commas_is_written_with_them_or_with_points() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prices.csv");
    std::fs::write(&path, "price;kg\n1,50;1\n20,00;2,5\n").unwrap();
    let table = read(&Input::named(&path), &ReadOptions::default(), &Run::new()).unwrap().table;
    let price = table.column(table.find("price").unwrap());
    assert_eq!(price.dictionary().texts(), ["1.50", "20.00"]);
    let release = Release::new(&table, &Changes::none(&table), RowOrder::AsRead).unwrap();
    for (decimal_comma, text) in
        [(true, "price;kg\n1,50;1\n20,00;2,5\n"), (false, "price;kg\n1.50;1\n20.00;2.5\n")]
    {
        let csv = CsvStyle { delimiter: ';', decimal_comma, ..CsvStyle::default() };
        let options = WriteOptions { csv, ..WriteOptions::default() };
        let to = folder.path().join("release.csv");
        write(&release, &Destination::named(&to), &options, &Run::new()).unwrap();
        assert_eq!(std::fs::read_to_string(&to).unwrap(), text);
    }
}

#[test]
fn a_type_that_is_asked_for_keeps_texts_unless_two_of_them_are_one_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("codes.csv");
    std::fs::write(&path, "a;b;c\n007;1.5;3\n8;1.50;10\n").unwrap();
    let types =
        [("a", ColumnType::Integer), ("b", ColumnType::Number), ("c", ColumnType::Category)];
    let options = ReadOptions {
        types: types.map(|(name, column_type)| (name.to_owned(), column_type)).into(),
        ..ReadOptions::default()
    };
    let table = read(&Input::named(&path), &options, &Run::new()).unwrap().table;
    let [a, b, c] = table.columns() else { panic!() };
    assert_eq!(a.dictionary().texts(), ["007", "8"]);
    assert_eq!(a.dictionary().numbers(), Some(vec![7.0, 8.0]));
    assert_eq!(
        (b.dictionary().texts(), b.dictionary().form()),
        (vec!["1.5".into()], &Form::Respelled)
    );
    assert_eq!((c.data_type(), c.dictionary().numbers()), (&DataType::Int64, None));
    assert_eq!(c.dictionary().texts(), ["3", "10"]);
}

#[test]
fn days_are_read_in_the_pattern_that_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("births.csv");
    std::fs::write(&path, "birth;n\n02/03/1999;1\n03/04/2000;2\n").unwrap();
    let read = |options: &ReadOptions| read(&Input::named(&path), options, &Run::new());
    let plain = read(&ReadOptions::default()).unwrap().table;
    assert_eq!(plain.columns()[0].dictionary().form(), &Form::MixedDays);
    let mut options = ReadOptions::default();
    options.formats.insert("birth".into(), "%m/%d/%Y".parse().unwrap());
    let table = read(&options).unwrap().table;
    let values = table.columns()[0].dictionary();
    assert_eq!(
        (values.texts(), values.numbers().unwrap()[0]),
        (vec!["02/03/1999".into(), "03/04/2000".into()], 10_625.0)
    );
    options.formats.clear();
    options.types.insert("birth".into(), ColumnType::Date);
    let error = read(&options).unwrap_err().to_string();
    assert!(error.contains("birth") && error.contains("--date-format birth=%d/%m/%Y"), "{error}");
}

#[test]
fn dates_that_are_asked_for_are_found_in_their_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("births.csv");
    // A day in two spellings is text by itself.
    std::fs::write(&path, "birth;n\n1.2.1999;1\n01.02.1999;2\n31.12.2000;3\n").unwrap();
    let mut options = ReadOptions::default();
    options.types.insert("birth".into(), ColumnType::Date);
    let table = read(&Input::named(&path), &options, &Run::new()).unwrap().table;
    assert_eq!(table.columns()[0].dictionary().texts(), ["01.02.1999", "31.12.2000"]);
}
