//! What can be said about a column's values.

use arrow_schema::{DataType, IntervalUnit};

/// What can be said about the order and the distance of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Numbers: a bound of a range is a number.
    Number,
    /// Days and times: distances are known, bounds are written as the values are.
    Time,
    /// All others: only the order is known.
    Text,
}

/// The kind of a type's values.
pub(super) fn kind(data_type: &DataType) -> Kind {
    match data_type {
        DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..)
        | DataType::Time32(_)
        | DataType::Time64(_) => Kind::Time,
        DataType::Duration(_) | DataType::Interval(IntervalUnit::YearMonth) => Kind::Number,
        other if other.is_numeric() => Kind::Number,
        _ => Kind::Text,
    }
}
