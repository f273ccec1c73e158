//! Hierarchies from files, as ARX writes them.

use std::path::Path;

use hashbrown::HashMap;
use muslin_engine::Run;
use muslin_io::{ColumnType, Input, ReadOptions};
use muslin_table::{ANY, Column, EncodedTable, Hierarchy, Number, RowId, printable};

use crate::{Error, Result};

/// Reads a file without header: on each line a value and its labels from level 1 on.
pub(super) fn read(file: &Path, column: &Column, run: &Run) -> Result<Hierarchy> {
    let wrong = |reason: String, hint: &str| Error::Hierarchy {
        place: format!("{} (for column `{}`)", file.display(), printable(column.name())),
        reason,
        hint: hint.into(),
    };
    let table = read_texts(file, run)?;
    if table.columns().len() < 2 {
        return Err(wrong(
            "has a single field on each line".into(),
            "write a value and its labels, level by level, with `;` between them",
        ));
    }
    // The last level may be left out: nothing is left there in any case.
    let last = table.columns().len() - 1;
    let has_top = (0..table.rows()).all(|row| text(&table, row, last).as_deref() == Some(ANY));
    let mut known = Known::of(column);
    let mut paths: Vec<Option<(usize, Vec<String>)>> = vec![None; column.dictionary().len()];
    let (mut others, mut twice) = (Vec::new(), 0u64);
    for row in 0..table.rows() {
        let Some(value) = text(&table, row, 0) else { continue };
        let path = (1..table.columns().len()).map(|at| text(&table, row, at).unwrap_or_default());
        let mut path: Vec<String> = path.collect();
        if !has_top {
            path.push(ANY.to_owned());
        }
        match known.find(&value) {
            None => others.push(path),
            Some(slot) if paths[slot].is_none() => paths[slot] = Some((row, path)),
            Some(_) => twice += 1,
        }
    }
    if twice > 0 {
        return Err(wrong(
            format!("{twice} lines are about a value that an earlier line is about"),
            "keep one line for each value",
        ));
    }
    let lacking = paths.iter().filter(|path| path.is_none()).count();
    if lacking > 0 {
        let slots = column.codes().slots();
        let is_lacking = |slot: &u32| matches!(paths.get(*slot as usize), Some(None));
        let rows = slots.filter(is_lacking).count();
        return Err(wrong(
            format!(
                "lacks {lacking} of the column's {} values, which {rows} rows have",
                paths.len()
            ),
            "add a line for each value that the column has",
        ));
    }
    // The order of the lines is the order of the values.
    let (lines, paths): (Vec<usize>, Vec<Vec<String>>) = paths.into_iter().flatten().unzip();
    Ok(Hierarchy::in_order(column.name(), &paths, &others, |value| lines[value])?)
}

/// Every field as text.
fn read_texts(file: &Path, run: &Run) -> Result<EncodedTable> {
    let input = Input::named(file);
    let mut options = ReadOptions::default();
    options.csv.header = Some(false);
    let first = muslin_io::read(&input, &options, run)?.table;
    let texts = first.columns().iter().map(|column| (column.name().to_owned(), ColumnType::Text));
    options.types = texts.collect();
    Ok(muslin_io::read(&input, &options, run)?.table)
}

fn text(table: &EncodedTable, row: usize, column: usize) -> Option<String> {
    let column = &table.columns()[column];
    let row = RowId::new(u32::try_from(row).expect("row ids are 32 bits wide"));
    column.code(row).value().map(|at| column.dictionary().text(at))
}

/// The values of a column, by how they may be spelled.
struct Known {
    texts: HashMap<String, usize, foldhash::fast::FixedState>,
    numbers: HashMap<u64, usize, foldhash::fast::FixedState>,
}

impl Known {
    fn of(column: &Column) -> Self {
        let values = column.dictionary();
        let number = |at: usize| match values.number(at)? {
            Number::Day(_) => None,
            number => Some((number.as_f64().to_bits(), at)),
        };
        Self {
            texts: (0..values.len()).map(|at| (values.text(at), at)).collect(),
            numbers: (0..values.len()).filter_map(number).collect(),
        }
    }

    /// The value of a spelling: the same text, or the same number.
    fn find(&mut self, text: &str) -> Option<usize> {
        self.texts.get(text).copied().or_else(|| {
            let number: f64 = text.trim().parse().ok()?;
            self.numbers.get(&number.to_bits()).copied()
        })
    }
}
