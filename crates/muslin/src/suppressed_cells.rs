//! Which cells of a release are suppressed, as a table beside it: in a file with types a suppressed cell
//! is null, as a missing one is.

use std::sync::Arc;

use arrow_array::BooleanArray;
use muslin_engine::Run;
use muslin_io::{Input, ReadOptions};
use muslin_table::{Codes, Column, Dictionary, EncodedTable, printable};
use muslin_verify::Error as VerifyError;

use crate::{Error, Result};

/// The suppressed cells of a table: for each column that has some, a column of that name that is true
/// where the cell is suppressed. Rows are the table's. Nothing where no cell is suppressed.
pub(crate) fn suppressed_cells(table: &EncodedTable) -> Result<Option<EncodedTable>> {
    let column = |column: &Column| {
        let blank = column.suppressed_slot();
        let slots = column.codes().slots().map(|slot| u32::from(slot == blank));
        let values = Dictionary::new(Arc::new(BooleanArray::from(vec![false, true])));
        let codes = Codes::pack(2, slots.collect::<Vec<_>>().into_iter());
        Column::new(column.name(), values, codes)
    };
    let columns = table.columns().iter().filter(|own| own.suppressed() > 0);
    let columns = columns.map(column).collect::<Result<Vec<_>, _>>()?;
    Ok((!columns.is_empty()).then(|| EncodedTable::new(table.rows(), columns)).transpose()?)
}

/// A release in which the cells that a table of [`suppressed_cells`] lists are suppressed.
pub(crate) fn with_suppressed(
    release: EncodedTable,
    marks: Option<&Input>,
    run: &Run,
) -> Result<EncodedTable> {
    let Some(marks) = marks else { return Ok(release) };
    let marks = muslin_io::read(marks, &ReadOptions::default(), run)?.table;
    if marks.rows() != release.rows() {
        return Err(wrong(&format!(
            "the table of suppressed cells has {} rows, and the release has {}",
            marks.rows(),
            release.rows()
        )));
    }
    let rows = release.rows();
    let column = |column: Column| {
        let Ok(id) = marks.find(column.name()) else { return Ok(column) };
        let mark = marks.column(id);
        let is_true: Vec<bool> = (0..mark.slots())
            .map(|slot| slot < mark.dictionary().len() && mark.dictionary().text(slot) == "true")
            .collect();
        let (missing, blank) = (column.missing_slot(), column.suppressed_slot());
        let cells = column.codes().slots().zip(mark.codes().slots());
        let slot = |(row, (slot, mark)): (usize, (u32, u32))| {
            if !is_true[mark as usize] {
                return Ok(slot);
            }
            if slot != missing && slot != blank {
                return Err(wrong(&format!(
                    "the table of suppressed cells lists row {row} of column `{}`, which has a value",
                    printable(column.name())
                )));
            }
            Ok(blank)
        };
        let slots = cells.enumerate().map(slot).collect::<Result<Vec<_>>>()?;
        let codes = Codes::pack(column.dictionary().len(), slots.into_iter());
        let made = Column::new(column.name(), column.dictionary().clone(), codes)?;
        Ok(made.with_role(column.role()))
    };
    let columns = release.into_columns().into_iter().map(column).collect::<Result<Vec<_>>>()?;
    Ok(EncodedTable::new(rows, columns)?)
}

fn wrong(text: &str) -> Error {
    Error::Verify(VerifyError::Setting(format!(
        "{text}\n  hint: give the files of one release, as `muslin protect` wrote them"
    )))
}

#[cfg(test)]
mod tests {
    use muslin_io::{Destination, Memory, Release, RowOrder, WriteOptions};
    use muslin_table::{Cell, Changes, ColumnId, RowId};

    use super::*;

    fn written(table: &EncodedTable) -> Input {
        let release = Release::new(table, &Changes::none(table), RowOrder::AsRead).unwrap();
        let memory = Memory::new();
        let to = Destination::Memory(memory.clone());
        muslin_io::write(&release, &to, &WriteOptions::default(), &Run::new()).unwrap();
        Input::Memory(memory.take().unwrap())
    }

    #[test]
    fn suppressed_cells_come_back_as_such_and_missing_ones_stay() {
        let cells = vec![Some(1), None, Some(2), None];
        let table = EncodedTable::of_columns([("a".into(), cells.clone()), ("b".into(), cells)]);
        let mut changes = Changes::none(&table);
        for row in [0, 1] {
            let cell = Cell { row: RowId::new(row), column: ColumnId::new(0) };
            changes.suppress(cell).unwrap();
        }
        let release = Release::new(&table, &changes, RowOrder::AsRead).unwrap().into_table();
        let marks = suppressed_cells(&release).unwrap().unwrap();
        assert_eq!(marks.columns().iter().map(Column::name).collect::<Vec<_>>(), ["a"]);
        let read = |input: &Input| {
            muslin_io::read(input, &ReadOptions::default(), &Run::new()).unwrap().table
        };
        let (plain, marks) = (read(&written(&release)), written(&marks));
        assert_eq!((plain.columns()[0].missing(), plain.columns()[0].suppressed()), (3, 0));
        let marked = with_suppressed(plain.clone(), Some(&marks), &Run::new()).unwrap();
        assert_eq!((marked.columns()[0].missing(), marked.columns()[0].suppressed()), (1, 2));
        assert_eq!(marked.columns()[1], plain.columns()[1]);
        assert!(suppressed_cells(&table).unwrap().is_none());

        // The table of another release.
        let error = with_suppressed(table, Some(&marks), &Run::new()).unwrap_err().to_string();
        assert!(error.contains("lists row 0 of column `a`, which has a value"), "{error}");
        let shorter = EncodedTable::of(&[[1]]);
        let error = with_suppressed(shorter, Some(&marks), &Run::new()).unwrap_err().to_string();
        assert!(error.contains("has 4 rows, and the release has 1"), "{error}");
    }
}
