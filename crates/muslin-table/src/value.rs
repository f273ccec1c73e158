//! Values of a dictionary as text, spelled as a text file has them, and as numbers.

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalYearMonthType, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

use crate::date;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// A value that has a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Whole(i128),
    /// Any other number.
    Real(f64),
    /// A day, counted from 1970-01-01; that of a point in time.
    Day(i64),
}

impl Number {
    /// The nearest floating-point number; of a day, its count.
    #[expect(clippy::cast_precision_loss, reason = "the nearest is asked for")]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Real(value) => value,
            Self::Day(days) => days as f64,
        }
    }
}

/// A value as text.
pub(crate) fn spell(values: &ArrayRef, at: usize) -> String {
    match values.data_type() {
        DataType::Utf8 => values.as_string::<i32>().value(at).to_owned(),
        DataType::LargeUtf8 => values.as_string::<i64>().value(at).to_owned(),
        DataType::Boolean => values.as_boolean().value(at).to_string(),
        DataType::Binary => hex(values.as_binary::<i32>().value(at)),
        DataType::FixedSizeBinary(_) => hex(values.as_fixed_size_binary().value(at)),
        DataType::Float64 => spell_number(native::<Float64Type>(values, at)),
        DataType::Float32 => {
            // The shortest digits of the narrow type, not those of its widened value.
            let value = native::<Float32Type>(values, at);
            if value.is_finite() { value.to_string() } else { spell_number(value.into()) }
        }
        DataType::Decimal32(_, scale) => {
            scaled(&native::<Decimal32Type>(values, at).to_string(), *scale)
        }
        DataType::Decimal64(_, scale) => {
            scaled(&native::<Decimal64Type>(values, at).to_string(), *scale)
        }
        DataType::Decimal128(_, scale) => {
            scaled(&native::<Decimal128Type>(values, at).to_string(), *scale)
        }
        DataType::Decimal256(_, scale) => {
            scaled(&native::<Decimal256Type>(values, at).to_string(), *scale)
        }
        DataType::Timestamp(unit, zone) => {
            let per_day = 86_400 * per_second(*unit);
            let ticks = ticks(values, at).unwrap_or_default();
            let (days, rest) = (ticks.div_euclid(per_day), ticks.rem_euclid(per_day));
            let zone = if zone.is_some() { "Z" } else { "" };
            format!("{}T{}{zone}", date(days), clock(rest, *unit))
        }
        DataType::Time32(unit) | DataType::Time64(unit) => {
            clock(ticks(values, at).unwrap_or_default(), *unit)
        }
        _ => match number(values, at) {
            Some(Number::Whole(value)) => value.to_string(),
            Some(Number::Real(value)) => spell_number(value),
            Some(Number::Day(days)) => date(days),
            // Months, counted; there is no other interval.
            None => values
                .as_primitive_opt::<IntervalYearMonthType>()
                .map_or_else(|| format!("value {at}"), |months| months.value(at).to_string()),
        },
    }
}

/// A value as a number, where it is one.
pub(crate) fn number(values: &ArrayRef, at: usize) -> Option<Number> {
    let whole = |value: i64| Number::Whole(value.into());
    Some(match values.data_type() {
        DataType::Int8 => whole(native::<Int8Type>(values, at).into()),
        DataType::Int16 => whole(native::<Int16Type>(values, at).into()),
        DataType::Int32 => whole(native::<Int32Type>(values, at).into()),
        DataType::Int64 => whole(native::<Int64Type>(values, at)),
        DataType::UInt8 => whole(native::<UInt8Type>(values, at).into()),
        DataType::UInt16 => whole(native::<UInt16Type>(values, at).into()),
        DataType::UInt32 => whole(native::<UInt32Type>(values, at).into()),
        DataType::UInt64 => Number::Whole(native::<UInt64Type>(values, at).into()),
        DataType::Duration(_) => whole(ticks(values, at)?),
        DataType::Float64 => Number::Real(native::<Float64Type>(values, at)),
        DataType::Float32 => Number::Real(native::<Float32Type>(values, at).into()),
        DataType::Float16 => Number::Real(native::<Float16Type>(values, at).to_f64()),
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => Number::Real(spell(values, at).parse().ok()?),
        DataType::Date32 => Number::Day(native::<Date32Type>(values, at).into()),
        DataType::Date64 => Number::Day(native::<Date64Type>(values, at).div_euclid(DAY)),
        DataType::Timestamp(unit, _) => {
            Number::Day(ticks(values, at)?.div_euclid(86_400 * per_second(*unit)))
        }
        _ => return None,
    })
}

/// A value's place on a line, where it has one.
#[expect(clippy::cast_precision_loss, reason = "a rounded number is asked for")]
pub(crate) fn distance(values: &ArrayRef, at: usize) -> Option<f64> {
    ticks(values, at).map(|ticks| ticks as f64).or_else(|| number(values, at).map(Number::as_f64))
}

fn native<T: ArrowPrimitiveType>(values: &ArrayRef, at: usize) -> T::Native {
    values.as_primitive::<T>().value(at)
}

/// The ticks of a time.
fn ticks(values: &ArrayRef, at: usize) -> Option<i64> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    Some(match values.data_type() {
        DataType::Timestamp(Second, _) => native::<TimestampSecondType>(values, at),
        DataType::Timestamp(Millisecond, _) => native::<TimestampMillisecondType>(values, at),
        DataType::Timestamp(Microsecond, _) => native::<TimestampMicrosecondType>(values, at),
        DataType::Timestamp(Nanosecond, _) => native::<TimestampNanosecondType>(values, at),
        DataType::Time32(Second) => native::<Time32SecondType>(values, at).into(),
        DataType::Time32(_) => native::<Time32MillisecondType>(values, at).into(),
        DataType::Time64(Microsecond) => native::<Time64MicrosecondType>(values, at),
        DataType::Time64(_) => native::<Time64NanosecondType>(values, at),
        DataType::Duration(Second) => native::<DurationSecondType>(values, at),
        DataType::Duration(Millisecond) => native::<DurationMillisecondType>(values, at),
        DataType::Duration(Microsecond) => native::<DurationMicrosecondType>(values, at),
        DataType::Duration(Nanosecond) => native::<DurationNanosecondType>(values, at),
        _ => return None,
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The shortest digits that read back as the number; an exponent only where zeros would be many.
pub fn spell_number(value: f64) -> String {
    let size = value.abs();
    if value.is_nan() {
        "NaN".into()
    } else if size != 0.0 && size.is_finite() && !(1e-5..1e16).contains(&size) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// Puts the decimal point `scale` digits from the right.
fn scaled(digits: &str, scale: i8) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    match usize::try_from(scale) {
        Ok(0) => format!("{sign}{digits}"),
        Ok(scale) => {
            let padded = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = padded.split_at(padded.len() - scale);
            format!("{sign}{whole}.{fraction}")
        }
        Err(_) if digits == "0" => "0".into(),
        Err(_) => format!("{sign}{digits}{}", "0".repeat(usize::from(scale.unsigned_abs()))),
    }
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn clock(ticks: i64, unit: TimeUnit) -> String {
    let sign = if ticks < 0 { "-" } else { "" };
    let ticks = ticks.saturating_abs();
    let (seconds, rest) = (ticks / per_second(unit), ticks % per_second(unit));
    let digits = per_second(unit).to_string().len() - 1;
    let fraction = if rest == 0 { String::new() } else { format!(".{rest:0digits$}") };
    format!("{sign}{:02}:{:02}:{:02}{fraction}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_plain() {
        for (value, text) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (1e15, "1000000000000000"),
            (1e300, "1e300"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-7, "1e-7"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(spell_number(value), text);
        }
    }

    #[test]
    fn decimals_keep_their_scale() {
        assert_eq!(scaled("-5", 2), "-0.05");
        assert_eq!(scaled("1234", 2), "12.34");
        assert_eq!(scaled("12", 0), "12");
        assert_eq!(scaled("12", -3), "12000");
    }

    #[test]
    fn clocks_show_fractions_only_where_there_are_some() {
        assert_eq!(clock(3_661_000, TimeUnit::Millisecond), "01:01:01");
        assert_eq!(clock(3_661_007, TimeUnit::Millisecond), "01:01:01.007");
    }
}
