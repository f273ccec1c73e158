use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array};

use crate::{Codes, Column, ColumnId, ColumnSet, Dictionary, Error, Result};

/// A table in memory: dictionary-encoded columns of equal length.
///
/// # Invariants
/// Names differ, lengths are equal and row ids fit 32 bits.
///
/// # Memory
/// Rows times one, two or four bytes per column, by its number of distinct values (254,
/// 65,534 or more), plus each distinct value once. Cloning a table clones codes; the
/// dictionaries are shared.
#[derive(Clone, Debug)]
pub struct EncodedTable {
    rows: u32,
    columns: Vec<Column>,
}

impl EncodedTable {
    /// A table of `columns`. A table without columns has `rows` rows.
    pub fn new(rows: usize, columns: Vec<Column>) -> Result<Self> {
        let mut seen = HashMap::new();
        for (index, column) in columns.iter().enumerate() {
            if let Some(&first) = seen.get(column.name()) {
                let (name, second) = (column.name().to_owned(), ColumnId::new(index));
                return Err(Error::DuplicateName { name, first, second });
            }
            seen.insert(column.name(), ColumnId::new(index));
            if column.rows() != rows {
                let (name, found) = (column.name().to_owned(), column.rows());
                return Err(Error::UnequalLengths { name, expected: rows, found });
            }
        }
        let rows = u32::try_from(rows).map_err(|_| Error::TooManyRows)?;
        Ok(Self { rows, columns })
    }

    /// A table of whole numbers, with columns named `c0`, `c1`, ...: for examples and tests.
    ///
    /// ```
    /// use muslin_table::{ColumnId, EncodedTable};
    /// let table = EncodedTable::of(&[[7, 5], [-1, 5], [7, 5]]);
    /// assert_eq!(table.rows(), 3);
    /// // Codes are in value order: -1 comes before 7.
    /// assert_eq!(table.column(ColumnId::new(0)).codes().slots().collect::<Vec<_>>(), [1, 0, 1]);
    /// ```
    pub fn of<const WIDTH: usize>(rows: &[[i64; WIDTH]]) -> Self {
        let column = |c: usize| rows.iter().map(|row| Some(row[c])).collect::<Vec<_>>();
        Self::of_columns((0..WIDTH).map(|c| (format!("c{c}"), column(c))))
    }

    /// A table of named columns of whole numbers and missing cells: for examples and tests.
    ///
    /// # Panics
    /// When lengths differ or a name comes twice.
    pub fn of_columns(columns: impl IntoIterator<Item = (String, Vec<Option<i64>>)>) -> Self {
        let columns: Vec<_> = columns
            .into_iter()
            .map(|(name, cells)| {
                let mut values: Vec<i64> = cells.iter().copied().flatten().collect();
                values.sort_unstable();
                values.dedup();
                values.shrink_to_fit();
                let slot = |cell: &Option<i64>| {
                    let index = match cell {
                        Some(value) => values.partition_point(|v| v < value),
                        None => values.len(),
                    };
                    u32::try_from(index).expect("an example is small")
                };
                let codes = Codes::pack(values.len(), cells.iter().map(slot));
                let array: ArrayRef = Arc::new(Int64Array::from(values));
                Column::new(name, Dictionary::new(array), codes).expect("slots are in range")
            })
            .collect();
        let rows = columns.first().map_or(0, Column::rows);
        Self::new(rows, columns).expect("an example has columns of one length")
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// One column.
    ///
    /// # Panics
    /// When the table has no such column.
    pub fn column(&self, id: ColumnId) -> &Column {
        &self.columns[id.index()]
    }

    /// Every column.
    pub fn all_columns(&self) -> ColumnSet {
        ColumnSet::first(self.columns.len())
    }

    /// The column of that name, or an error that names the nearest.
    pub fn find(&self, name: &str) -> Result<ColumnId> {
        find_name(self.columns.iter().map(Column::name), name)
    }

    /// The table of these columns only.
    #[must_use]
    pub fn project(&self, columns: &ColumnSet) -> Self {
        let columns = columns.iter().map(|id| self.column(id).clone()).collect();
        Self { rows: self.rows, columns }
    }

    /// Bytes that codes and dictionaries take.
    pub fn memory(&self) -> usize {
        self.columns.iter().map(Column::memory).sum()
    }

    /// The columns, for a reader that goes on to change roles.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }
}

/// Position of `name` among `names`.
fn find_name<'a>(names: impl Iterator<Item = &'a str> + Clone, name: &str) -> Result<ColumnId> {
    if let Some(index) = names.clone().position(|n| n == name) {
        return Ok(ColumnId::new(index));
    }
    let nearest = names
        .map(|candidate| (edits(candidate, name), candidate))
        .min()
        .filter(|&(edits, _)| edits <= 1 + name.chars().count() / 3)
        .map(|(_, candidate)| candidate.to_owned());
    Err(Error::UnknownColumn { name: name.to_owned(), nearest })
}

/// Levenshtein distance, ignoring case.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut line: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = line[0];
        line[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let swap = diagonal + usize::from(x != y);
            diagonal = line[j + 1];
            line[j + 1] = swap.min(diagonal + 1).min(line[j] + 1);
        }
    }
    line[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, RowId};

    #[test]
    fn missing_is_a_code_of_its_own() {
        let table = EncodedTable::of_columns([("a".into(), vec![Some(3), None, Some(1)])]);
        let column = table.column(ColumnId::new(0));
        assert_eq!(column.code(RowId::new(1)), Code::MISSING);
        assert_eq!(column.code(RowId::new(0)).value(), Some(1));
        assert_eq!((column.missing(), column.suppressed()), (1, 0));
    }

    #[test]
    fn widths_change_where_the_reserved_slots_no_longer_fit() {
        for (values, width) in [(254, 1), (255, 2), (65_534, 2), (65_535, 4)] {
            let cells = (0..values).map(Some).collect::<Vec<_>>();
            let table = EncodedTable::of_columns([("a".into(), cells)]);
            let column = table.column(ColumnId::new(0));
            assert_eq!(column.codes().memory() / column.rows(), width, "{values} values");
            assert_eq!(column.codes().slot(column.rows() - 1), u32::try_from(values).unwrap() - 1);
        }
    }

    #[test]
    fn a_name_that_comes_twice_is_refused() {
        let column = |name: &str| {
            EncodedTable::of_columns([(name.to_owned(), vec![Some(1)])]).into_columns().remove(0)
        };
        let made = EncodedTable::new(1, vec![column("a"), column("b"), column("a")]);
        assert_eq!(
            made.unwrap_err().to_string().lines().next(),
            Some("columns 1 and 3 are both named `a`")
        );
    }

    #[test]
    fn columns_of_unequal_length_are_refused() {
        let column = |name: &str, rows: usize| {
            EncodedTable::of_columns([(name.to_owned(), vec![Some(1); rows])])
                .into_columns()
                .remove(0)
        };
        let made = EncodedTable::new(2, vec![column("a", 2), column("b", 3)]);
        assert!(matches!(made, Err(Error::UnequalLengths { expected: 2, found: 3, .. })));
    }

    #[test]
    fn a_code_outside_the_dictionary_is_refused() {
        let array: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        let made = Column::new("a", Dictionary::new(array), Codes::U8(vec![0, 4]));
        assert!(matches!(made, Err(Error::Internal(_))));
    }

    #[test]
    fn an_unknown_name_suggests_the_nearest() {
        let table = EncodedTable::of_columns([
            ("age".into(), vec![Some(1)]),
            ("postcode".into(), vec![Some(1)]),
        ]);
        let nearest = |name: &str| match table.find(name) {
            Err(Error::UnknownColumn { nearest, .. }) => nearest,
            found => panic!("{found:?}"),
        };
        assert_eq!(nearest("Postcod").as_deref(), Some("postcode"));
        assert_eq!(nearest("diagnosis"), None);
    }

    #[test]
    fn debug_shows_no_value() {
        let table = EncodedTable::of_columns([("a".into(), vec![Some(987_654_321)])]);
        assert!(!format!("{table:?}").contains("987654321"));
    }
}
