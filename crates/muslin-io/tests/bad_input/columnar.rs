//! Parquet and Arrow files: without rows or columns, in several parts, with old moments.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use muslin_io::{ColumnType, Problem};
use muslin_table::DayFormat;
use parquet::basic::Compression;
use parquet::data_type::{Int96, Int96Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::case::{CANARY, Case, case, col, holes};
use crate::tables::{arrow_file, arrow_file_of, arrow_stream, batch, parquet, parquet_of};

pub(crate) fn cases() -> Vec<Case> {
    let mut all = without_rows();
    all.extend(several());
    all.extend(moments());
    all
}

fn without_rows() -> Vec<Case> {
    let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Utf8, true)]));
    let bare = Arc::new(Schema::empty());
    let none = || [col("a", "text", &[])];
    vec![
        case("no row groups", parquet(&schema, &[], Compression::UNCOMPRESSED)).loads(none()),
        case("no batches in a file", arrow_file(&schema, &[], None)).loads(none()),
        case("no batches in a stream", arrow_stream(&schema, &[])).loads(none()),
        case("no columns in Parquet", parquet(&bare, &[], Compression::UNCOMPRESSED)).loads([]),
        case("no columns in Arrow", arrow_file(&bare, &[], None)).loads([]),
    ]
}

fn several() -> Vec<Case> {
    let part = |cells: Vec<Option<&str>>| -> RecordBatch {
        let numbers: Vec<i64> = (0..).take(cells.len()).collect();
        batch(vec![
            ("a", Arc::new(StringArray::from(cells))),
            ("b", Arc::new(Int64Array::from(numbers))),
        ])
    };
    let parts = [part(vec![Some("x"), None]), part(vec![]), part(vec![Some("y")])];
    let schema = parts[0].schema();
    let table = || {
        [holes("a", "text", &[Some("x"), None, Some("y")]), col("b", "integer", &["0", "1", "0"])]
    };
    let words = || Arc::new(StringArray::from(vec![CANARY])) as ArrayRef;
    let twice = || vec![("a", words()), ("b", words()), ("a", words())];
    let same = |case: Case| case.fails(Problem::SameName { first: 1, second: 3 });
    let asked = |case: Case| {
        case.reading(|o| {
            o.types.insert("a".into(), ColumnType::Date);
        })
    };
    let pressed = [
        Compression::SNAPPY,
        Compression::LZ4_RAW,
        Compression::GZIP(parquet::basic::GzipLevel::default()),
    ];
    let mut all: Vec<Case> = pressed
        .into_iter()
        .map(|by| {
            case(format!("Parquet pressed by {by}"), parquet(&schema, &parts, by)).loads(table())
        })
        .collect();
    all.extend([
        case("several row groups, one empty", parquet(&schema, &parts, Compression::UNCOMPRESSED))
            .loads(table()),
        case("several batches of a file, one empty", arrow_file(&schema, &parts, None))
            .loads(table()),
        case("several batches of a stream, one empty", arrow_stream(&schema, &parts))
            .loads(table()),
        same(case("a name twice in Parquet", parquet_of(twice()))),
        same(case("a name twice in Arrow", arrow_file_of(twice()))),
        asked(case("words in Parquet asked to be days", parquet_of(vec![("a", words())])))
            .fails(Problem::NotADay { column: "a".into(), expected: DayFormat::iso(), found: None })
            .row(0)
            .column("a"),
        asked(case(
            "integers in Arrow asked to be days",
            arrow_file_of(vec![("a", Arc::new(Int64Array::from(vec![1])))]),
        ))
        .fails(Problem::TypedAlready { found: "integer".into(), wanted: ColumnType::Date })
        .column("a"),
        case(
            "-99 in Parquet that is missing",
            parquet_of(vec![("a", Arc::new(Int64Array::from(vec![1, -99])))]),
        )
        .reading(|o| o.null = vec!["-99".into()])
        .loads([holes("a", "integer", &[Some("1"), None])]),
    ]);
    all
}

/// Moments as old writers store them: a Julian day and the nanoseconds of the day.
fn moments() -> Vec<Case> {
    let file = |julian_day: u32| {
        let schema = parse_message_type("message m { required int96 a; }").expect("a message");
        let mut bytes = Vec::new();
        let properties = Arc::default();
        let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), properties)
            .expect("memory can be written to");
        let mut group = writer.next_row_group().expect("memory can be written to");
        let mut column = group.next_column().expect("a column").expect("the first column");
        let mut moment = Int96::new();
        moment.set_data(1_000_000_000, 0, julian_day);
        column
            .typed::<Int96Type>()
            .write_batch(&[moment], None, None)
            .expect("memory can be written to");
        column.close().expect("memory can be written to");
        group.close().expect("memory can be written to");
        writer.close().expect("memory can be written to");
        bytes
    };
    vec![
        case("a moment of 96 bits", file(2_440_588 + 365)).loads([col(
            "a",
            "timestamp",
            &["1971-01-01 00:00:01"],
        )]),
        // Nanoseconds of 64 bits end in the year 2262; writers put such days for `never`.
        case("a moment of 96 bits in the year 9999", file(2_440_588 + 2_932_896)).loads([col(
            "a",
            "timestamp",
            &["9999-12-31 00:00:01"],
        )]),
        case("a moment of 96 bits in the year 1", file(2_440_588 - 719_162)).loads([col(
            "a",
            "timestamp",
            &["0001-01-01 00:00:01"],
        )]),
    ]
}
