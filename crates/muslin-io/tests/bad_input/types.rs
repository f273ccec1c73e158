//! Types of Parquet and Arrow: those that load, nested ones, dictionaries.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::types::{Int8Type, Int32Type, UInt16Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Decimal256Array,
    DictionaryArray, FixedSizeBinaryArray, Float16Array, Float64Array, Int8Array, Int32Array,
    Int64Array, IntervalMonthDayNanoArray, LargeStringArray, NullArray, StringArray,
    StringViewArray, StructArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_buffer::i256;
use arrow_schema::{DataType, Field};
use half::f16;
use muslin_io::Problem;

use crate::case::{CANARY, Case, Cells, case, col, holes};
use crate::tables::{arrow_file_of, parquet_of};

pub(crate) fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (name, array, expected) in numbers().into_iter().chain(others()) {
        all.push(
            both(name, "Parquet", parquet_of(vec![("a", Arc::clone(&array))])).loads([expected()]),
        );
        all.push(both(name, "Arrow", arrow_file_of(vec![("a", array)])).loads([expected()]));
    }
    for (name, array) in nested() {
        let fails = |case: Case| {
            case.fails(Problem::UnsupportedType("of nested values".into())).column("a")
        };
        all.push(fails(both(name, "Parquet", parquet_of(vec![("a", Arc::clone(&array))]))));
        all.push(fails(both(name, "Arrow", arrow_file_of(vec![("a", array)]))));
    }
    all.extend(arrow_only());
    all
}

fn both(name: &str, format: &str, bytes: Vec<u8>) -> Case {
    case(format!("{name} in {format}"), bytes)
}

type Loading = (&'static str, ArrayRef, Box<dyn Fn() -> Cells>);

/// A column and what it loads as.
fn one(
    name: &'static str,
    array: impl Array + 'static,
    kind: &'static str,
    cells: Vec<Option<&'static str>>,
) -> Loading {
    (name, Arc::new(array), Box::new(move || holes("a", kind, &cells)))
}

fn numbers() -> Vec<Loading> {
    let decimals = Decimal128Array::from(vec![Some(-12345), None, Some(5)])
        .with_precision_and_scale(9, 2)
        .expect("a precision that there is");
    let wide = Decimal256Array::from(vec![Some(i256::from_i128(-7)), None])
        .with_precision_and_scale(60, 1)
        .expect("a precision that there is");
    vec![
        one(
            "integers with nulls",
            Int64Array::from(vec![Some(3), None, Some(-1)]),
            "integer",
            vec![Some("3"), None, Some("-1")],
        ),
        one(
            "narrow integers",
            Int8Array::from(vec![-128, 127]),
            "integer",
            vec![Some("-128"), Some("127")],
        ),
        one(
            "the largest integer",
            UInt64Array::from(vec![u64::MAX, 0]),
            "integer",
            vec![Some("18446744073709551615"), Some("0")],
        ),
        one(
            "NaN and both zeros",
            Float64Array::from(vec![f64::NAN, -0.0, 0.0]),
            "number",
            vec![Some("NaN"), Some("0"), Some("0")],
        ),
        one(
            "half floats",
            Float16Array::from(vec![f16::from_f32(0.5)]),
            "number",
            vec![Some("0.5")],
        ),
        one("decimals", decimals, "number", vec![Some("-123.45"), None, Some("0.05")]),
        one("wide decimals", wide, "number", vec![Some("-0.7"), None]),
    ]
}

fn others() -> Vec<Loading> {
    let fixed = FixedSizeBinaryArray::try_from_iter([[1u8, 2], [0, 255]].into_iter())
        .expect("values of one width");
    let keys: DictionaryArray<Int32Type> =
        vec![Some("y"), None, Some("x"), Some("y")].into_iter().collect();
    vec![
        one(
            "truth values with nulls",
            BooleanArray::from(vec![Some(true), None]),
            "boolean",
            vec![Some("true"), None],
        ),
        one(
            "days from 1969",
            Date32Array::from(vec![-1, 0]),
            "date",
            vec![Some("1969-12-31"), Some("1970-01-01")],
        ),
        one(
            "moments",
            TimestampMicrosecondArray::from(vec![1_000_001]),
            "timestamp",
            vec![Some("1970-01-01 00:00:01.000001")],
        ),
        one(
            "words",
            StringArray::from(vec![Some("x"), None, Some("")]),
            "text",
            vec![Some("x"), None, Some("")],
        ),
        one(
            "large words",
            LargeStringArray::from(vec!["x", "y"]),
            "text",
            vec![Some("x"), Some("y")],
        ),
        one(
            "views of words",
            StringViewArray::from(vec!["x", "a word of more than twelve bytes"]),
            "text",
            vec![Some("x"), Some("a word of more than twelve bytes")],
        ),
        one("words with a NUL", StringArray::from(vec!["x\0y"]), "text", vec![Some("x\0y")]),
        one(
            "postcodes",
            StringArray::from(vec!["00123", "12345"]),
            "text",
            vec![Some("00123"), Some("12345")],
        ),
        one(
            "bytes",
            BinaryArray::from(vec![&[0u8, 255][..], &[]]),
            "binary",
            vec![Some("[0, 255]"), Some("[]")],
        ),
        one("bytes of one width", fixed, "binary", vec![Some("[1, 2]"), Some("[0, 255]")]),
        one("a dictionary", keys, "text", vec![Some("y"), None, Some("x"), Some("y")]),
        one("nothing but nulls", StringArray::from(vec![None::<&str>; 3]), "text", vec![None; 3]),
        one("a column of type null", NullArray::new(2), "text", vec![None; 2]),
        one("one row", Int64Array::from(vec![7]), "integer", vec![Some("7")]),
        one("no rows", Int64Array::from(Vec::<i64>::new()), "integer", vec![]),
    ]
}

fn nested() -> Vec<(&'static str, ArrayRef)> {
    let mut lists = ListBuilder::new(Int64Builder::new());
    lists.append_value([Some(1), None]);
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    maps.keys().append_value(CANARY);
    maps.values().append_value(1);
    maps.append(true).expect("a key for each value");
    let field = Arc::new(Field::new("inner", DataType::Utf8, true));
    let inner: ArrayRef = Arc::new(StringArray::from(vec![CANARY]));
    vec![
        ("a list", Arc::new(lists.finish())),
        ("a map", Arc::new(maps.finish())),
        ("a struct", Arc::new(StructArray::from(vec![(field, inner)]))),
    ]
}

fn arrow_only() -> Vec<Case> {
    let values = Arc::new(StringArray::from(vec![Some("y"), None, Some(CANARY), Some("y")]));
    let keys = Int8Array::from(vec![Some(0), Some(1), None, Some(3)]);
    let odd = DictionaryArray::<Int8Type>::try_new(keys, values).expect("keys in range");
    let numbers = Arc::new(Int32Array::from(vec![5, 6]));
    let keys = arrow_array::UInt16Array::from(vec![1, 1, 0]);
    let of_numbers = DictionaryArray::<UInt16Type>::try_new(keys, numbers).expect("keys in range");
    let spans =
        IntervalMonthDayNanoArray::from(vec![arrow_buffer::IntervalMonthDayNano::new(1, 2, 3)]);
    let kind = DataType::Interval(arrow_schema::IntervalUnit::MonthDayNano).to_string();
    vec![
        case(
            "a dictionary with a null, a value twice and one that no row has",
            arrow_file_of(vec![("a", Arc::new(odd))]),
        )
        .loads([holes("a", "text", &[Some("y"), None, None, Some("y")])]),
        case("a dictionary of numbers", arrow_file_of(vec![("a", Arc::new(of_numbers))]))
            .loads([col("a", "integer", &["6", "6", "5"])]),
        case("spans of time", arrow_file_of(vec![("a", Arc::new(spans))]))
            .fails(Problem::UnsupportedType(kind))
            .column("a"),
    ]
}
