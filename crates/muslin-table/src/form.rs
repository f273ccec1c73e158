use crate::DayFormat;

/// What is known about a column's values besides their type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Nothing: values are what their type says.
    #[default]
    Plain,
    /// Codes of categories: values have no distance, although they may look like numbers.
    Category,
    /// Days that are written in a pattern of their own.
    Days(DayFormat),
    /// Values that a type was asked for and that may be published in another spelling than they were
    /// read. Where no texts are kept, two spellings are one value.
    Respelled,
    /// Text whose values are all numbers, but two of them are the same number in two spellings.
    MixedNumbers,
    /// Text whose values are all days, but nothing says whether the day or the month comes first.
    MixedDays,
}
