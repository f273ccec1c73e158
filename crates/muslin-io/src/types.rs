//! Types of values, and the one-to-one map of ordered values to 64-bit keys.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;
use half::f16;
use serde::{Deserialize, Serialize};

/// A type that the values of a text column can be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// As it is written.
    Text,
    /// A whole number of up to 64 bits.
    Integer,
    /// A decimal number.
    Number,
    /// A day, as year-month-day.
    Date,
    /// `true` or `false`.
    Boolean,
    /// The code of a category: a whole number stays what it is, but has no distance to others.
    Category,
}

impl ColumnType {
    /// Every type, in the order in which help texts list them.
    pub const ALL: [Self; 6] =
        [Self::Text, Self::Integer, Self::Number, Self::Date, Self::Boolean, Self::Category];

    /// The type's name, as flags and policy files spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Date => "date",
            Self::Boolean => "boolean",
            Self::Category => "category",
        }
    }

    /// The name after its article.
    pub fn with_article(self) -> String {
        let article = if self == Self::Integer { "an" } else { "a" };
        format!("{article} {}", self.name())
    }
}

/// An Arrow type in one word for people.
pub fn type_name(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Boolean => "boolean",
        DataType::Utf8 | DataType::LargeUtf8 => "text",
        DataType::Date32 | DataType::Date64 => "date",
        DataType::Timestamp(..) => "timestamp",
        DataType::Time32(_) | DataType::Time64(_) => "time",
        DataType::Duration(_) | DataType::Interval(_) => "duration",
        DataType::Binary | DataType::FixedSizeBinary(_) => "binary",
        DataType::Null => "empty",
        other if other.is_integer() => "integer",
        other if other.is_numeric() => "number",
        _ => "other",
    }
}

/// A value with a 64-bit key: keys are equal where values are, and in the same order.
///
/// Negative zero has the key of zero; every NaN has one key, above all others.
pub(crate) trait OrderKey: Copy {
    fn key(self) -> u64;
    fn of_key(key: u64) -> Self;
}

const SIGN: u64 = 1 << 63;

macro_rules! signed_keys {
    ($($native:ty),*) => {$(
        impl OrderKey for $native {
            fn key(self) -> u64 {
                i64::from(self).cast_unsigned() ^ SIGN
            }
            #[expect(clippy::allow_attributes, reason = "the widest type truncates nothing")]
            #[allow(clippy::cast_possible_truncation, reason = "a key came from this width")]
            fn of_key(key: u64) -> Self {
                (key ^ SIGN).cast_signed() as $native
            }
        }
    )*};
}
signed_keys!(i8, i16, i32, i64);

macro_rules! unsigned_keys {
    ($($native:ty),*) => {$(
        impl OrderKey for $native {
            fn key(self) -> u64 {
                u64::from(self)
            }
            #[expect(clippy::allow_attributes, reason = "the widest type truncates nothing")]
            #[allow(clippy::cast_possible_truncation, reason = "a key came from this width")]
            fn of_key(key: u64) -> Self {
                key as $native
            }
        }
    )*};
}
unsigned_keys!(u8, u16, u32, u64);

impl OrderKey for f64 {
    fn key(self) -> u64 {
        let canonical = match self {
            x if x.is_nan() => Self::NAN.abs(),
            x => x + 0.0, // turns -0.0 into 0.0
        };
        let bits = canonical.to_bits();
        if bits & SIGN == 0 { bits | SIGN } else { !bits }
    }

    fn of_key(key: u64) -> Self {
        Self::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
    }
}

impl OrderKey for f32 {
    fn key(self) -> u64 {
        f64::from(self).key()
    }
    #[expect(clippy::cast_possible_truncation, reason = "a key came from this width")]
    fn of_key(key: u64) -> Self {
        f64::of_key(key) as Self
    }
}

impl OrderKey for f16 {
    fn key(self) -> u64 {
        self.to_f64().key()
    }
    fn of_key(key: u64) -> Self {
        Self::from_f64(f64::of_key(key))
    }
}

/// Runs `$body` with `$T` as the Arrow type of a data type whose values have 64-bit keys.
macro_rules! with_keyed_type {
    ($data_type:expr, $T:ident => $body:expr, _ => $other:expr) => {{
        use arrow_array::types as arrow;
        use arrow_schema::{DataType, IntervalUnit, TimeUnit};
        with_keyed_type!(@match $data_type, $T, $body, $other;
            DataType::Int8 => arrow::Int8Type, DataType::Int16 => arrow::Int16Type,
            DataType::Int32 => arrow::Int32Type, DataType::Int64 => arrow::Int64Type,
            DataType::UInt8 => arrow::UInt8Type, DataType::UInt16 => arrow::UInt16Type,
            DataType::UInt32 => arrow::UInt32Type, DataType::UInt64 => arrow::UInt64Type,
            DataType::Float16 => arrow::Float16Type, DataType::Float32 => arrow::Float32Type,
            DataType::Float64 => arrow::Float64Type,
            DataType::Date32 => arrow::Date32Type, DataType::Date64 => arrow::Date64Type,
            DataType::Time32(TimeUnit::Second) => arrow::Time32SecondType,
            DataType::Time32(TimeUnit::Millisecond) => arrow::Time32MillisecondType,
            DataType::Time64(TimeUnit::Microsecond) => arrow::Time64MicrosecondType,
            DataType::Time64(TimeUnit::Nanosecond) => arrow::Time64NanosecondType,
            DataType::Timestamp(TimeUnit::Second, _) => arrow::TimestampSecondType,
            DataType::Timestamp(TimeUnit::Millisecond, _) => arrow::TimestampMillisecondType,
            DataType::Timestamp(TimeUnit::Microsecond, _) => arrow::TimestampMicrosecondType,
            DataType::Timestamp(TimeUnit::Nanosecond, _) => arrow::TimestampNanosecondType,
            DataType::Duration(TimeUnit::Second) => arrow::DurationSecondType,
            DataType::Duration(TimeUnit::Millisecond) => arrow::DurationMillisecondType,
            DataType::Duration(TimeUnit::Microsecond) => arrow::DurationMicrosecondType,
            DataType::Duration(TimeUnit::Nanosecond) => arrow::DurationNanosecondType,
            DataType::Interval(IntervalUnit::YearMonth) => arrow::IntervalYearMonthType,
            DataType::Decimal32(..) => arrow::Decimal32Type, DataType::Decimal64(..) => arrow::Decimal64Type)
    }};
    (@match $data_type:expr, $T:ident, $body:expr, $other:expr;
        $($pattern:pat => $arrow:ty),*) => {
        match $data_type {
            $($pattern => { type $T = $arrow; $body })*
            _ => $other,
        }
    };
}
pub(crate) use with_keyed_type;

/// Whether values of a type have 64-bit keys.
pub(crate) fn has_keys(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Boolean) || with_keyed_type!(data_type, _T => true, _ => false)
}

/// The array of a primitive type that holds what `cell` says, with zeros under its nulls.
pub(crate) fn primitive_array<T>(
    data_type: &DataType,
    cells: impl Iterator<Item = Option<T::Native>>,
) -> ArrayRef
where
    T: ArrowPrimitiveType,
{
    let array: PrimitiveArray<T> = cells.collect();
    Arc::new(array.with_data_type(data_type.clone()))
}

/// The native values of an array, whose type is known.
pub(crate) fn natives<T: ArrowPrimitiveType>(array: &dyn Array) -> &[T::Native] {
    array.as_any().downcast_ref::<PrimitiveArray<T>>().expect("the array's own type").values()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keys_of_numbers_keep_order_and_value(a in any::<f64>(), b in any::<f64>()) {
            prop_assume!(!a.is_nan() && !b.is_nan());
            prop_assert_eq!(a.partial_cmp(&b), Some(a.key().cmp(&b.key())));
            prop_assert_eq!(f64::of_key(a.key()).to_bits(), (a + 0.0).to_bits());
        }

        #[test]
        fn keys_of_integers_keep_order_and_value(a in any::<i64>(), b in any::<i64>()) {
            prop_assert_eq!(a.cmp(&b), a.key().cmp(&b.key()));
            prop_assert_eq!(i64::of_key(a.key()), a);
        }
    }

    #[test]
    fn zero_has_one_key_and_nan_the_largest() {
        assert_eq!((-0.0f64).key(), 0.0f64.key());
        assert_eq!((-f64::NAN).key(), f64::NAN.key());
        assert!(f64::NAN.key() > f64::INFINITY.key());
        assert!(f64::of_key(f64::NAN.key()).is_nan());
        assert_eq!(f16::of_key(f16::from_f64(0.1).key()), f16::from_f64(0.1));
        assert_eq!(i8::of_key((-128i8).key()), -128);
        assert_eq!(u16::of_key(u16::MAX.key()), u16::MAX);
    }
}
