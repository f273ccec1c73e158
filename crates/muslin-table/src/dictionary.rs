use std::fmt;

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use crate::Number;
use crate::value::{number, spell};

/// The distinct values of a column, in value order: numbers by value, text by bytes.
///
/// # Invariants
/// No value is null and each is larger than the one before it. Zero has one code whatever its
/// sign; so has NaN, which comes after every other number.
#[derive(Clone)]
pub struct Dictionary {
    values: ArrayRef,
}

impl Dictionary {
    /// Wraps values that are distinct, in order and not null.
    pub fn new(values: ArrayRef) -> Self {
        Self { values }
    }

    /// Number of distinct values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the column has no value at all.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values, at the positions their codes say.
    pub fn values(&self) -> &ArrayRef {
        &self.values
    }

    /// A value as a text file spells it. It is a cell's value: it belongs in releases only.
    pub fn text(&self, at: usize) -> String {
        spell(&self.values, at)
    }

    /// A value as a number, where it is one.
    pub fn number(&self, at: usize) -> Option<Number> {
        number(&self.values, at)
    }

    /// The type of the values.
    pub fn data_type(&self) -> &DataType {
        self.values.data_type()
    }

    /// Bytes that the values take.
    pub fn memory(&self) -> usize {
        self.values.get_array_memory_size()
    }
}

// Value by value; values are never null.
impl PartialEq for Dictionary {
    fn eq(&self, other: &Self) -> bool {
        *self.values == *other.values
    }
}

impl Eq for Dictionary {}

// Values stay in the table.
impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values of type {}", self.len(), self.data_type())
    }
}
