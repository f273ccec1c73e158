//! Columns of a release in the types of their original.

use std::sync::Arc;

use arrow_array::StringArray;
use arrow_schema::DataType;
use muslin_table::{Codes, Column, DayFormat, Dictionary, Form};

use super::array_of_keys;
use super::infer::{Parser, Spelling};
use super::keys::rank;
use crate::ColumnType;

/// A column in the type of another, which it was made from; nothing where it has that type already,
/// or where a value is none of it. Values keep their spelling.
///
/// A text file says nothing about types, and fewer values may suggest another type than all of them
/// did: whole numbers that are left of decimals, days of which each could be a month.
pub fn retyped(column: &Column, like: &Column) -> Option<Column> {
    let (own, other) = (column.dictionary(), like.dictionary());
    if own.data_type() == other.data_type() && own.form() == other.form() {
        return None;
    }
    let is_text =
        |values: &Dictionary| matches!(values.data_type(), DataType::Utf8 | DataType::LargeUtf8);
    let texts = own.texts();
    if is_text(other) {
        let slots = column.codes().slots().collect::<Vec<_>>().into_iter();
        let made = (!is_text(own)).then(|| Column::of_labels(column.name(), &texts, slots))?;
        return Some(made.ok()?.with_role(column.role()));
    }
    let column_type = match other.data_type() {
        DataType::Int64 => ColumnType::Integer,
        DataType::Float64 => ColumnType::Number,
        DataType::Date32 => ColumnType::Date,
        _ => return None,
    };
    let format = match other.form() {
        Form::Days(format) => format.clone(),
        _ => DayFormat::iso(),
    };
    let parser = Parser::asked(column_type, Spelling::default(), Some(&format))?;
    let keys: Vec<u64> =
        texts.iter().map(|text| parser.key(text.as_bytes())).collect::<Option<_>>()?;
    let ranked = rank(keys.into_iter().map(Some));
    if ranked.keys.len() < texts.len() {
        return None;
    }
    let form = match other.form() {
        Form::Category => Form::Category,
        _ => parser.form(),
    };
    let values = array_of_keys(other.data_type(), &ranked.keys);
    let mut dictionary = Dictionary::new(values).with_form(form);
    if !texts.iter().all(|text| parser.is_plain(text.as_bytes())) {
        let order = ranked.order();
        let kept = order.iter().map(|&number| &texts[number as usize - 1]);
        dictionary = dictionary.with_texts(Arc::new(StringArray::from_iter_values(kept)));
    }
    let slots = column.codes().slots().map(|slot| {
        // Slots of missing and suppressed cells are the same: there are as many values.
        ranked.slots.get(slot as usize + 1).copied().unwrap_or(slot)
    });
    let codes = Codes::pack(texts.len(), slots.collect::<Vec<_>>().into_iter());
    Some(Column::new(column.name(), dictionary, codes).ok()?.with_role(column.role()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(texts: &[&str]) -> Column {
        let slots: Vec<u32> = (0..).take(texts.len() + 2).collect();
        Column::of_labels("a", texts, slots.into_iter()).unwrap()
    }

    fn typed(values: impl arrow_array::Array + 'static, form: Form) -> Column {
        let count = values.len();
        let slots: Vec<u32> = (0..).take(count).collect();
        let dictionary = Dictionary::new(Arc::new(values)).with_form(form);
        Column::new("a", dictionary, Codes::pack(count, slots.into_iter())).unwrap()
    }

    #[test]
    fn what_is_left_of_a_column_gets_its_type_back() {
        let number = typed(arrow_array::Float64Array::from(vec![1.5, 2.0]), Form::Plain);
        let made = retyped(&labels(&["10", "2"]), &number).unwrap();
        assert_eq!(made.dictionary().texts(), ["2", "10"]);
        // Two labels, then a missing and a suppressed cell.
        assert_eq!(made.codes().slots().collect::<Vec<_>>(), [1, 0, 2, 3]);
        assert!(retyped(&labels(&["[2-10]", "3"]), &number).is_none());
        assert!(
            retyped(&labels(&["1.0", "1"]), &number).is_none(),
            "two spellings stay two values"
        );

        let form = Form::Days("%m/%d/%Y".parse().unwrap());
        let days = typed(arrow_array::Date32Array::from(vec![0]), form.clone());
        let made = retyped(&labels(&["02/01/1970", "03/01/1970"]), &days).unwrap();
        assert_eq!(
            (made.dictionary().form(), made.dictionary().texts()[0].as_str()),
            (&form, "02/01/1970")
        );
        assert_eq!(made.dictionary().numbers(), Some(vec![31.0, 59.0]));

        let codes = typed(arrow_array::Int64Array::from(vec![1]), Form::Plain);
        let made = retyped(&codes, &labels(&["x"])).unwrap();
        assert_eq!(
            (made.data_type(), made.dictionary().texts()),
            (&DataType::Utf8, vec!["1".into()])
        );
    }
}
