//! How several values are written as one.
//!
//! ```text
//! cell      = value | range | set | multiset | group
//! range     = "[" bound "-" bound close | "[" bound " to " bound close
//! close     = "]" | ")"                      ")": the upper bound itself is outside
//! set       = "{" value ", " value ... "}"   in value order
//! multiset  = value ":" rows "," value ":" rows ...
//! group     = the label that a hierarchy gives it
//! ```
//!
//! Values are written as a text file has them. Bounds stand around ` to ` instead of `-` where one
//! of them is no number or has a `-`, as truth values, times, dates and negative numbers do, and in
//! columns of text. A value is put in
//! `"`, and its own `"` are doubled, where it is empty, begins or ends with a space, or has a
//! character that could be taken for the label's: `,` `{` `}` `"` in a set, these and `:` in a
//! multiset, `[` `]` `(` `)` `"` or ` to ` as a bound in a column of text; by itself, where it
//! begins with `[`, `{` or `"`.
//!
//! Without a grid, a range has the smallest and the largest value of a class as its bounds, each of
//! which may be one person's. With a [`Grid`], bounds are the next multiples of a step outward.
//! Ranges of whole numbers and of dates have both bounds in them, on a grid too: `[20-24]`. Those
//! of other numbers on a grid end before the upper bound: `[0.5-1)`. Times of day are cut off: a
//! range of timestamps on a grid names its first and its last day.

mod grid;

use arrow_schema::DataType;
use muslin_table::{Column, Form};

pub use self::grid::Grid;

use self::grid::Snapped;
use crate::Result;

/// Writes values of a column.
pub(crate) struct Labels<'a> {
    column: &'a Column,
    is_text: bool,
    snapped: Option<Snapped>,
}

impl<'a> Labels<'a> {
    /// Labels of a column, ranges on a grid if there is one.
    pub(crate) fn new(column: &'a Column, grid: Option<&Grid>) -> Result<Self> {
        let snapped = grid.map(|grid| grid.snap(column)).transpose()?;
        let is_text = matches!(column.data_type(), DataType::Utf8 | DataType::LargeUtf8);
        Ok(Self { column, is_text, snapped })
    }

    fn spelled(&self, slot: u32) -> String {
        self.column.dictionary().text(slot as usize)
    }

    /// A value by itself, among labels of groups.
    pub(crate) fn plain(&self, slot: u32) -> String {
        self.spelled(slot)
    }

    /// A value by itself, among ranges and sets.
    pub(crate) fn value(&self, slot: u32) -> String {
        let text = self.spelled(slot);
        if text.starts_with(['[', '{', '"']) { quoted(&text) } else { text }
    }

    /// Values that the range of these two has in it: the first and the last.
    pub(crate) fn covered(&self, lo: u32, hi: u32) -> (u32, u32) {
        self.snapped.as_ref().map_or((lo, hi), |snapped| snapped.covered(lo, hi))
    }

    /// The range from a value to a larger one.
    pub(crate) fn range(&self, lo: u32, hi: u32) -> String {
        let (lower, upper, close) = match &self.snapped {
            None => (self.bound(lo), self.bound(hi), ']'),
            Some(snapped) => {
                let (upper, close) = snapped.upper(hi).unwrap_or_else(|| (self.bound(hi), ']'));
                (snapped.lower(lo).unwrap_or_else(|| self.bound(lo)), upper, close)
            }
        };
        // Around a dash stand numbers only, and no second dash: all else could be read otherwise.
        let is_day = matches!(self.column.dictionary().form(), Form::Days(_));
        let is_number =
            |text: &str| !text.contains('-') && text.parse::<f64>().is_ok_and(f64::is_finite);
        let is_plain = !self.is_text && !is_day && is_number(&lower) && is_number(&upper);
        format!("[{lower}{}{upper}{close}", if is_plain { "-" } else { " to " })
    }

    fn bound(&self, slot: u32) -> String {
        let text = self.spelled(slot);
        if self.is_text && (needs_quotes(&text, "[]()\"") || text.contains(" to ")) {
            quoted(&text)
        } else {
            text
        }
    }

    /// The set of some values.
    pub(crate) fn set(&self, slots: &[u32]) -> String {
        let texts: Vec<String> = slots.iter().map(|&slot| self.member(slot, ",{}\"")).collect();
        format!("{{{}}}", texts.join(", "))
    }

    /// Values and how many rows have each.
    pub(crate) fn multiset(&self, counts: &[(u32, u32)]) -> String {
        let text = |&(slot, rows): &(u32, u32)| format!("{}:{rows}", self.member(slot, ",:{}\""));
        counts.iter().map(text).collect::<Vec<_>>().join(",")
    }

    fn member(&self, slot: u32, special: &str) -> String {
        let text = self.spelled(slot);
        if needs_quotes(&text, special) { quoted(&text) } else { text }
    }
}

fn needs_quotes(text: &str, special: &str) -> bool {
    text.is_empty()
        || text.starts_with(' ')
        || text.ends_with(' ')
        || text.contains(|c| special.contains(c))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, StringArray,
        Time32SecondArray,
    };
    use muslin_table::{Codes, Dictionary};

    use super::*;

    fn column(values: ArrayRef) -> Column {
        let slots = 0..u32::try_from(values.len()).expect("few");
        let codes = Codes::pack(values.len(), slots);
        Column::new("c", Dictionary::new(values), codes).expect("slots are in range")
    }

    fn text(values: &[&str]) -> Column {
        column(Arc::new(StringArray::from(values.to_vec())))
    }

    fn range(column: &Column, grid: Option<&Grid>) -> String {
        let last = column.missing_slot() - 1;
        Labels::new(column, grid).expect("a grid that fits").range(0, last)
    }

    #[test]
    fn ranges_are_unambiguous() {
        let whole =
            |values: &[i64]| range(&column(Arc::new(Int64Array::from(values.to_vec()))), None);
        assert_eq!(whole(&[22, 52]), "[22-52]");
        assert_eq!(whole(&[-5, 3]), "[-5 to 3]");
        let real = column(Arc::new(Float64Array::from(vec![0.5, 1e-7])));
        assert_eq!(range(&real, None), "[0.5 to 1e-7]");
        let days = column(Arc::new(Date32Array::from(vec![18_262, 18_352])));
        assert_eq!(range(&days, None), "[2020-01-01 to 2020-03-31]");
        assert_eq!(range(&text(&["a", "b]"]), None), "[a to \"b]\"]");
        let flags = column(Arc::new(BooleanArray::from(vec![false, true])));
        assert_eq!(range(&flags, None), "[false to true]");
        let clock = column(Arc::new(Time32SecondArray::from(vec![36_000, 40_000])));
        assert_eq!(range(&clock, None), "[10:00:00 to 11:06:40]");
        assert_eq!(range(&text(&["", "x to y"]), None), "[\"\" to \"x to y\"]");
    }

    #[test]
    fn sets_and_multisets_quote_what_could_mislead() {
        let column = text(&["a", "b, c", "d:e", "f\"", "{g"]);
        let labels = Labels::new(&column, None).expect("no grid");
        assert_eq!(labels.set(&[0, 1, 2, 3, 4]), "{a, \"b, c\", d:e, \"f\"\"\", \"{g\"}");
        assert_eq!(labels.multiset(&[(0, 2), (1, 1), (2, 3)]), "a:2,\"b, c\":1,\"d:e\":3");
        assert_eq!((labels.value(0), labels.value(4)), ("a".into(), "\"{g\"".into()));
    }

    #[test]
    fn a_grid_moves_bounds_outward() {
        let ages = column(Arc::new(Int64Array::from((17..=90).collect::<Vec<i64>>())));
        // A twentieth of 73 is more than 2.
        let grid = Grid::of(&ages).expect("numbers");
        assert_eq!(Some(grid), Grid::step(5.0).ok());
        let labels = Labels::new(&ages, Some(&grid)).expect("fits");
        // From 22 to 52: 20, 21, ..., 54 are in the range.
        assert_eq!(labels.range(5, 35), "[20-54]");
        assert_eq!(labels.covered(5, 35), (3, 37));
        assert_eq!(labels.range(0, 73), "[15-94]");
        let below: Vec<i64> = vec![-7, -5, 0, 3];
        let below = column(Arc::new(Int64Array::from(below)));
        assert_eq!(range(&below, Grid::step(5.0).ok().as_ref()), "[-10 to 4]");
    }

    #[test]
    fn other_numbers_end_before_the_upper_bound() {
        let real = column(Arc::new(Float64Array::from(vec![0.1, 0.3, 0.7])));
        let grid = Grid::step(0.1).expect("a step");
        let labels = Labels::new(&real, Some(&grid)).expect("fits");
        assert_eq!(labels.range(0, 1), "[0.1-0.4)");
        assert_eq!(labels.range(1, 2), "[0.3-0.8)");
        assert_eq!(Grid::of(&real), Grid::step(0.05).ok());
        let odd = column(Arc::new(Float64Array::from(vec![f64::NEG_INFINITY, 3.0, f64::NAN])));
        assert_eq!(range(&odd, Some(&grid)), "[-inf to NaN]");
        let labels = Labels::new(&odd, Some(&grid)).expect("fits");
        assert_eq!((labels.range(1, 2), labels.covered(1, 2)), ("[3 to NaN]".into(), (1, 2)));
    }

    #[test]
    fn dates_snap_to_the_calendar() {
        // 2020-01-15, 2020-02-29, 2021-06-30.
        let days = column(Arc::new(Date32Array::from(vec![18_276, 18_321, 18_808])));
        let grid = Grid::of(&days).expect("dates");
        let labels = Labels::new(&days, Some(&grid)).expect("fits");
        assert_eq!(labels.range(0, 1), "[2020-01-01 to 2020-02-29]");
        assert_eq!(labels.range(1, 2), "[2020-02-01 to 2021-06-30]");
        let long = column(Arc::new(Date32Array::from(vec![-1, 18_321, 18_808])));
        assert_eq!(range(&long, Grid::of(&long).as_ref()), "[1969-01-01 to 2021-12-31]");
        let week = Grid::step(7.0).expect("a step");
        // From a Monday to a Sunday.
        let labels = Labels::new(&days, Some(&week)).expect("fits");
        assert_eq!(labels.range(0, 1), "[2020-01-13 to 2020-03-01]");
    }

    #[test]
    fn a_grid_of_nothing_is_refused() {
        for step in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-30, 1e300] {
            assert!(Grid::step(step).is_err(), "{step}");
        }
        let names = text(&["a", "b"]);
        assert_eq!(Grid::of(&names), None);
        assert!(Labels::new(&names, Some(&Grid::step(1.0).expect("a step"))).is_err());
        let far = column(Arc::new(Float64Array::from(vec![0.0, 1e300])));
        assert!(Labels::new(&far, Some(&Grid::step(1.0).expect("a step"))).is_err());
    }
}
