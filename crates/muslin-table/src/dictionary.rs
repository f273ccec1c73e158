use std::fmt;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use crate::value::{distance, number, spell};
use crate::{Form, Number};

/// The distinct values of a column, in value order: numbers by value, text by bytes.
///
/// # Invariants
/// No value is null and each is larger than the one before it. Zero has one code whatever its
/// sign; so has NaN, which comes after every other number. Where texts are kept, there is one for
/// each value.
#[derive(Clone)]
pub struct Dictionary {
    values: ArrayRef,
    form: Form,
    /// How the values were read, where that is not how their type spells them.
    texts: Option<ArrayRef>,
}

impl Dictionary {
    /// Wraps values that are distinct, in order and not null.
    pub fn new(values: ArrayRef) -> Self {
        Self { values, form: Form::Plain, texts: None }
    }

    /// The same values, of which more is known.
    #[must_use]
    pub fn with_form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    /// The same values with the texts that they were read from, a point as the decimal mark: every
    /// writer of text spells them so.
    #[must_use]
    pub fn with_texts(mut self, texts: ArrayRef) -> Self {
        debug_assert_eq!(texts.len(), self.values.len());
        self.texts = Some(texts);
        self
    }

    /// What is known about the values besides their type.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Whether texts are kept that differ from what the type spells.
    pub fn keeps_texts(&self) -> bool {
        self.texts.is_some()
    }

    /// Whether values are codes of categories, without distances.
    pub fn is_category(&self) -> bool {
        self.form == Form::Category
    }

    /// A dictionary of some of the values, which `select` picks from an array.
    pub fn select<E>(&self, select: impl Fn(&ArrayRef) -> Result<ArrayRef, E>) -> Result<Self, E> {
        Ok(Self {
            values: select(&self.values)?,
            form: self.form.clone(),
            texts: self.texts.as_ref().map(&select).transpose()?,
        })
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
        match (&self.texts, &self.form) {
            (Some(texts), _) if *texts.data_type() == DataType::LargeUtf8 => {
                texts.as_string::<i64>().value(at).to_owned()
            }
            (Some(texts), _) => texts.as_string::<i32>().value(at).to_owned(),
            (None, Form::Days(format)) => match number(&self.values, at) {
                Some(Number::Day(day)) => format.spell(day),
                _ => spell(&self.values, at),
            },
            (None, _) => spell(&self.values, at),
        }
    }

    /// Every value as a text file spells it, in order.
    pub fn texts(&self) -> Vec<String> {
        (0..self.len()).map(|at| self.text(at)).collect()
    }

    /// A value as a number, where it is one; the code of a category is none.
    pub fn number(&self, at: usize) -> Option<Number> {
        if self.is_category() { None } else { number(&self.values, at) }
    }

    /// The type of the values.
    pub fn data_type(&self) -> &DataType {
        self.values.data_type()
    }

    /// The values as floating-point numbers, where distances between them mean something: numbers,
    /// days, and points in time by their ticks. Large ones are rounded. Categories have none.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        if self.is_category() {
            return None;
        }
        (0..self.len()).map(|at| distance(&self.values, at)).collect()
    }

    /// Bytes that the values take.
    pub fn memory(&self) -> usize {
        let texts = self.texts.as_ref().map_or(0, Array::get_array_memory_size);
        self.values.get_array_memory_size() + texts
    }
}

// Value by value; values are never null.
impl PartialEq for Dictionary {
    fn eq(&self, other: &Self) -> bool {
        *self.values == *other.values
            && self.form == other.form
            && match (&self.texts, &other.texts) {
                (None, None) => true,
                // Kept or not: what counts is how values are spelled.
                _ => (0..self.len()).all(|at| self.text(at) == other.text(at)),
            }
    }
}

impl Eq for Dictionary {}

// Values stay in the table.
impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values of type {}", self.len(), self.data_type())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        Date32Array, Decimal128Array, Float32Array, Float64Array, StringArray,
        TimestampMillisecondArray, UInt8Array,
    };

    use super::*;

    #[test]
    fn numbers_and_days_are_numbers() {
        let numbers = |values: ArrayRef| Dictionary::new(values).numbers();
        assert_eq!(numbers(Arc::new(UInt8Array::from(vec![3, 255]))), Some(vec![3.0, 255.0]));
        assert_eq!(numbers(Arc::new(Float32Array::from(vec![0.5]))), Some(vec![0.5]));
        assert_eq!(numbers(Arc::new(Date32Array::from(vec![-1, 9]))), Some(vec![-1.0, 9.0]));
        assert_eq!(numbers(Arc::new(StringArray::from(vec!["3"]))), None);
    }

    #[test]
    fn every_kind_of_number_is_text_and_number() {
        let cents = Decimal128Array::from(vec![-5]).with_data_type(DataType::Decimal128(9, 2));
        let cases: [(ArrayRef, &str, f64); 4] = [
            (Arc::new(Float64Array::from(vec![-2.5])), "-2.5", -2.5),
            (Arc::new(Date32Array::from(vec![31])), "1970-02-01", 31.0),
            (Arc::new(cents), "-0.05", -0.05),
            (
                Arc::new(TimestampMillisecondArray::from(vec![86_400_001])),
                "1970-01-02T00:00:00.001",
                86_400_001.0,
            ),
        ];
        for (values, text, number) in cases {
            let values = Dictionary::new(values);
            assert_eq!((values.texts(), values.numbers()), (vec![text.into()], Some(vec![number])));
        }
    }
}
