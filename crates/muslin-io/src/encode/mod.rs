//! Values to codes. A column is encoded as it streams by: every value gets a number at its first
//! appearance; at the end the distinct values are sorted and the numbers become codes in value
//! order.
//!
//! # Cost
//! One look-up per cell. Memory is the codes in the width that the numbers need so far, and each
//! distinct value once, with its place in the look-up table.

mod alike;
mod bytes;
mod infer;
mod kernel;
mod keys;
mod numbers;
mod sorted;
mod tags;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Decimal128Type, Decimal256Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Decimal128Array, Decimal256Array, FixedSizeBinaryArray,
};
use arrow_buffer::{ArrowNativeType, i256};
use arrow_schema::DataType;
use muslin_table::{Codes, Column, DayFormat, Dictionary, Form};
use rayon::prelude::*;

pub use alike::retyped;
pub(crate) use bytes::BytesEncoder;
pub(crate) use infer::{Parser, Spelling};

use self::keys::KeyEncoder;
use self::numbers::Numbers;
use self::sorted::SortedBytes;
use crate::types::{OrderKey, natives, primitive_array, with_keyed_type};
use crate::{ColumnType, Problem, ReadOptions, type_name};

/// Why a column could not be finished: the problem and the first row that shows it.
#[derive(Debug)]
pub(crate) struct ColumnProblem {
    pub(crate) row: Option<u64>,
    pub(crate) problem: Problem,
}

impl From<Problem> for ColumnProblem {
    fn from(problem: Problem) -> Self {
        Self { row: None, problem }
    }
}

/// How the texts of a column become values.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    /// The type asked for; none to find it out.
    pub(crate) column_type: Option<ColumnType>,
    /// How days are written, where that is known.
    pub(crate) format: Option<&'a DayFormat>,
    /// How numbers are written.
    pub(crate) spelling: Spelling,
    /// Spellings of missing.
    pub(crate) nulls: &'a [String],
}

/// Encodes the arrays of one column.
pub(crate) struct ArrayEncoder {
    data_type: DataType,
    values: Values,
    /// The dictionary of the last array, with the number of each value met so far.
    last: Option<(ArrayRef, Vec<u32>)>,
}

enum Values {
    Keys(KeyEncoder),
    Bytes(BytesEncoder),
}

impl ArrayEncoder {
    /// An encoder for arrays of a type, or nothing where its values have no order or are nested.
    pub(crate) fn new(data_type: &DataType, nulls: &[String]) -> Option<Self> {
        let data_type = match data_type {
            DataType::Dictionary(_, values) => values.as_ref(),
            plain => plain,
        };
        let data_type = match data_type {
            DataType::LargeUtf8 | DataType::Utf8View | DataType::Utf8 | DataType::Null => {
                DataType::Utf8
            }
            DataType::LargeBinary | DataType::BinaryView | DataType::Binary => DataType::Binary,
            plain => plain.clone(),
        };
        let values = match &data_type {
            DataType::Utf8
            | DataType::Binary
            | DataType::FixedSizeBinary(_)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..) => {
                Values::Bytes(BytesEncoder::new(if is_spelled(&data_type) { nulls } else { &[] }))
            }
            keyed if crate::types::has_keys(keyed) => Values::Keys(KeyEncoder::new()),
            _ => return None,
        };
        Some(Self { data_type, values, last: None })
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> usize {
        match &self.values {
            Values::Keys(keys) => keys.memory(),
            Values::Bytes(bytes) => bytes.memory(),
        }
    }

    /// Number of distinct values so far.
    pub(crate) fn distinct(&self) -> usize {
        match &self.values {
            Values::Keys(keys) => keys.distinct(),
            Values::Bytes(bytes) => bytes.distinct(),
        }
    }

    /// Gives back memory that only further arrays would need.
    pub(crate) fn close(&mut self) {
        self.last = None;
        match &mut self.values {
            Values::Keys(keys) => keys.close(),
            Values::Bytes(bytes) => bytes.close(),
        }
    }

    /// Encodes one more array of the type given to [`ArrayEncoder::new`].
    pub(crate) fn push(&mut self, array: &ArrayRef) {
        match array.data_type() {
            DataType::Dictionary(key, _) => match key.as_ref() {
                DataType::Int8 => self.push_dictionary::<Int8Type>(array),
                DataType::Int16 => self.push_dictionary::<Int16Type>(array),
                DataType::Int32 => self.push_dictionary::<Int32Type>(array),
                DataType::Int64 => self.push_dictionary::<Int64Type>(array),
                DataType::UInt8 => self.push_dictionary::<UInt8Type>(array),
                DataType::UInt16 => self.push_dictionary::<UInt16Type>(array),
                DataType::UInt32 => self.push_dictionary::<UInt32Type>(array),
                _ => self.push_dictionary::<UInt64Type>(array),
            },
            _ => {
                let rows = array.len();
                let mut numbers = Vec::with_capacity(rows);
                self.values.number(array, |row| (row < rows).then_some(row), &mut numbers);
                self.values.cells().push(&numbers);
            }
        }
    }

    /// Values are numbered when a row first uses them, so that an entry of the array's own
    /// dictionary that no row uses leaves no trace.
    fn push_dictionary<K: ArrowDictionaryKeyType>(&mut self, array: &ArrayRef) {
        let array = array.as_dictionary::<K>();
        let (keys, values) = (array.keys(), array.values());
        let mut known = match self.last.take() {
            Some((last, known)) if last.to_data().ptr_eq(&values.to_data()) => known,
            _ => vec![UNKNOWN; values.len()],
        };
        let key_values = keys.values();
        let mut fresh = Vec::new();
        for (row, key) in key_values.iter().enumerate() {
            if keys.is_valid(row) && known[key.as_usize()] == UNKNOWN {
                known[key.as_usize()] = PENDING;
                fresh.push(key.as_usize());
            }
        }
        let mut numbers = Vec::with_capacity(fresh.len());
        self.values.number(values, |index| fresh.get(index).copied(), &mut numbers);
        for (value, number) in fresh.into_iter().zip(numbers) {
            known[value] = number;
        }
        let numbers: Vec<u32> = key_values
            .iter()
            .enumerate()
            .map(
                |(row, key)| {
                    if keys.is_valid(row) { known[key.as_usize()] } else { Numbers::MISSING }
                },
            )
            .collect();
        self.values.cells().push(&numbers);
        self.last = Some((Arc::clone(values), known));
    }

    /// Sorts the values and makes the column.
    pub(crate) fn finish(self, name: &str, wanted: &Wanted<'_>) -> Result<Column, ColumnProblem> {
        if self.data_type == DataType::Utf8 {
            let Values::Bytes(bytes) = self.values else {
                unreachable!("text is encoded as bytes")
            };
            // The file says that it is text; only delimited text leaves that open.
            let column_type = wanted.column_type.or(Some(ColumnType::Text));
            return bytes.finish_text(name, &Wanted { column_type, ..wanted.clone() });
        }
        // Whatever the type, values can be taken as the codes of categories.
        let is_category = wanted.column_type == Some(ColumnType::Category);
        if let Some(wanted) = wanted.column_type.filter(|_| !is_category) {
            let found = type_name(&self.data_type).to_owned();
            if found != wanted.name() {
                return Err(Problem::TypedAlready { found, wanted }.into());
            }
        }
        let (dictionary, codes) = match self.values {
            Values::Keys(keys) => {
                let (keys, codes) = keys.finish(&null_keys(&self.data_type, wanted));
                (array_of_keys(&self.data_type, &keys), codes)
            }
            Values::Bytes(bytes) => {
                let (sorted, codes) = bytes.finish_sorted();
                (array_of_bytes(&self.data_type, &sorted), codes)
            }
        };
        let form = if is_category { Form::Category } else { Form::Plain };
        make_column(name, Dictionary::new(dictionary).with_form(form), codes)
    }
}

/// Finishes columns: those with many values one after the other, since each sorts on every thread
/// and holds its values twice meanwhile; the others beside them.
pub(crate) fn finish_all<E: Send>(
    encoders: Vec<E>,
    distinct: impl Fn(&E) -> usize,
    finish: impl Fn(usize, E) -> crate::Result<Column> + Sync,
) -> crate::Result<Vec<Column>> {
    const MANY: usize = 1 << 18;
    let (many, few): (Vec<_>, Vec<_>) =
        encoders.into_iter().enumerate().partition(|(_, encoder)| distinct(encoder) > MANY);
    let one = |(index, encoder)| (index, finish(index, encoder));
    let (many, few) = rayon::join(
        || many.into_iter().map(one).collect::<Vec<_>>(),
        || few.into_par_iter().with_max_len(1).map(one).collect::<Vec<_>>(),
    );
    let mut columns: Vec<_> = many.into_iter().chain(few).collect();
    columns.sort_by_key(|(index, _)| *index);
    // In order: the error is the first column's, whichever thread is faster.
    columns.into_iter().map(|(_, column)| column).collect()
}

/// A value of the array's own dictionary that has no number yet.
const UNKNOWN: u32 = u32::MAX;
/// One that gets its number in this round.
const PENDING: u32 = u32::MAX - 1;

pub(crate) fn make_column(
    name: &str,
    dictionary: Dictionary,
    codes: Codes,
) -> Result<Column, ColumnProblem> {
    Column::new(name, dictionary, codes).map_err(|_| {
        // The only way to fail is by too many distinct values: slots come from the dictionary.
        Problem::UnsupportedType("of more than 4 billion distinct values".into()).into()
    })
}

impl Values {
    fn cells(&mut self) -> &mut Numbers {
        match self {
            Self::Keys(keys) => keys.cells(),
            Self::Bytes(bytes) => bytes.cells(),
        }
    }

    /// Numbers the values of `array` at the positions that `position` lists.
    fn number(
        &mut self,
        array: &ArrayRef,
        position: impl Fn(usize) -> Option<usize>,
        numbers: &mut Vec<u32>,
    ) {
        let positions = (0..).map_while(position);
        match self {
            Self::Keys(keys) => {
                let mut number = |key: Option<u64>| {
                    numbers.push(key.map_or(Numbers::MISSING, |key| keys.number(key)));
                };
                let valid = |at: usize| array.is_valid(at);
                if let Some(flags) = array.as_boolean_opt() {
                    positions.for_each(|at| number(valid(at).then(|| u64::from(flags.value(at)))));
                } else {
                    with_keyed_type!(array.data_type(), T => {
                        let values = natives::<T>(array.as_ref());
                        if array.null_count() == 0 {
                            positions.for_each(|at| number(Some(values[at].key())));
                        } else {
                            positions.for_each(|at| number(valid(at).then(|| values[at].key())));
                        }
                    }, _ => unreachable!("the type was checked when the encoder was made"));
                }
            }
            Self::Bytes(bytes) => {
                let valid = |at: usize| array.is_valid(at);
                macro_rules! each {
                    ($array:expr, $bytes:expr) => {{
                        let values = $array;
                        let cells =
                            positions.map(|at| valid(at).then(|| values.value(at)).map($bytes));
                        number_cells(bytes, cells, numbers);
                    }};
                }
                match array.data_type() {
                    DataType::Null => positions.for_each(|_| numbers.push(Numbers::MISSING)),
                    DataType::Utf8 => each!(array.as_string::<i32>(), str::as_bytes),
                    DataType::LargeUtf8 => each!(array.as_string::<i64>(), str::as_bytes),
                    DataType::Utf8View => each!(array.as_string_view(), str::as_bytes),
                    DataType::Binary => each!(array.as_binary::<i32>(), |b| b),
                    DataType::LargeBinary => each!(array.as_binary::<i64>(), |b| b),
                    DataType::BinaryView => each!(array.as_binary_view(), |b| b),
                    DataType::FixedSizeBinary(_) => each!(array.as_fixed_size_binary(), |b| b),
                    DataType::Decimal128(..) => {
                        each!(array.as_primitive::<Decimal128Type>(), decimal_key);
                    }
                    _ => each!(array.as_primitive::<Decimal256Type>(), wide_decimal_key),
                }
            }
        }
    }
}

/// Numbers cells; those of a column with many values together.
fn number_cells<V: AsRef<[u8]>>(
    bytes: &mut BytesEncoder,
    cells: impl Iterator<Item = Option<V>>,
    numbers: &mut Vec<u32>,
) {
    if !bytes.has_many() {
        let number =
            |cell: Option<V>| cell.map_or(Numbers::MISSING, |cell| bytes.number(cell.as_ref()));
        numbers.extend(cells.map(number));
        return;
    }
    let cells: Vec<Option<V>> = cells.collect();
    let values: Vec<&[u8]> = cells.iter().flatten().map(AsRef::as_ref).collect();
    let mut numbered = Vec::with_capacity(values.len());
    bytes.number_all(&values, &mut numbered);
    let mut numbered = numbered.into_iter();
    let number =
        |cell: &Option<V>| cell.as_ref().and_then(|_| numbered.next()).unwrap_or(Numbers::MISSING);
    numbers.extend(cells.iter().map(number));
}

/// Big-endian bytes with the sign bit turned: their order is that of the numbers.
fn decimal_key(value: i128) -> [u8; 16] {
    (value.cast_unsigned() ^ (1 << 127)).to_be_bytes()
}

fn wide_decimal_key(value: i256) -> [u8; 32] {
    let mut key = value.to_be_bytes();
    key[0] ^= 0x80;
    key
}

/// A value that is missing because its spelling is listed as such.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MissingValue {
    /// Of a column of whole numbers.
    Whole(i128),
    /// Of a column of numbers.
    Number(f64),
    /// Of a column of dates: days since 1970.
    Day(i32),
    /// Of a column of truth values.
    Truth(bool),
}

/// The values of a type that listed spellings stand for; texts and bytes are compared with the spellings themselves.
pub fn missing_values(data_type: &DataType, options: &ReadOptions) -> Vec<MissingValue> {
    let spelling = Spelling { decimal_comma: options.csv.decimal_comma.unwrap_or(false) };
    let wanted = Wanted { column_type: None, format: None, spelling, nulls: &options.null };
    let value = |key: u64| match data_type {
        DataType::Boolean => MissingValue::Truth(key != 0),
        DataType::Date32 => MissingValue::Day(OrderKey::of_key(key)),
        unsigned if unsigned.is_unsigned_integer() => MissingValue::Whole(key.into()),
        signed if signed.is_integer() => MissingValue::Whole(i64::of_key(key).into()),
        _ => MissingValue::Number(OrderKey::of_key(key)),
    };
    null_keys(data_type, &wanted).into_iter().map(value).collect()
}

/// Keys of the null spellings that are values of a type.
fn null_keys(data_type: &DataType, wanted: &Wanted<'_>) -> Vec<u64> {
    let lenient = |column_type| Parser::asked(column_type, wanted.spelling, wanted.format);
    let parser = match data_type {
        unsigned if unsigned.is_unsigned_integer() => {
            let spelled = wanted.nulls.iter();
            return spelled.filter_map(|null| null.parse::<u64>().ok()).collect();
        }
        signed if signed.is_integer() => lenient(ColumnType::Integer),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => lenient(ColumnType::Number),
        DataType::Date32 => lenient(ColumnType::Date),
        DataType::Boolean => lenient(ColumnType::Boolean),
        _ => None,
    };
    let spelled = wanted.nulls.iter();
    parser.map_or(Vec::new(), |own| spelled.filter_map(|null| own.key(null.as_bytes())).collect())
}

/// Whether spellings of missing can be compared with a type's bytes.
fn is_spelled(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::Binary)
}

pub(crate) fn array_of_keys(data_type: &DataType, keys: &[u64]) -> ArrayRef {
    if *data_type == DataType::Boolean {
        return Arc::new(
            keys.iter().map(|&key| Some(key != 0)).collect::<arrow_array::BooleanArray>(),
        );
    }
    with_keyed_type!(data_type, T => {
        primitive_array::<T>(data_type, keys.iter().map(|&key| Some(OrderKey::of_key(key))))
    }, _ => unreachable!("the type was checked when the encoder was made"))
}

fn array_of_bytes(data_type: &DataType, sorted: &SortedBytes) -> ArrayRef {
    match data_type {
        DataType::Binary => Arc::new(sorted.iter().map(Some).collect::<BinaryArray>()),
        DataType::FixedSizeBinary(width) => {
            let values = sorted.iter().map(Some);
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, *width)
                    .expect("every value has the width of the type"),
            )
        }
        DataType::Decimal128(precision, scale) => {
            let values = sorted.iter().map(|key| {
                let key: [u8; 16] = key.try_into().expect("a key of 16 bytes");
                (u128::from_be_bytes(key) ^ (1 << 127)).cast_signed()
            });
            let array: Decimal128Array = values.map(Some).collect();
            Arc::new(
                array.with_precision_and_scale(*precision, *scale).expect("the input's own type"),
            )
        }
        DataType::Decimal256(precision, scale) => {
            let values = sorted.iter().map(|key| {
                let mut key: [u8; 32] = key.try_into().expect("a key of 32 bytes");
                key[0] ^= 0x80;
                i256::from_be_bytes(key)
            });
            let array: Decimal256Array = values.map(Some).collect();
            Arc::new(
                array.with_precision_and_scale(*precision, *scale).expect("the input's own type"),
            )
        }
        _ => unreachable!("the type was checked when the encoder was made"),
    }
}
