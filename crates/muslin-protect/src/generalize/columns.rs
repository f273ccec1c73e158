//! What is published when rows are taken to levels.

use muslin_engine::Error as EngineError;
use muslin_table::{ANY, Changes, Column, ColumnId, EncodedTable, Hierarchy, RowId, printable};
use rayon::prelude::*;

use super::lattice::{Lattice, Node};
use crate::{Error, Result};

/// A table with rows at levels.
pub(super) struct Published {
    pub(super) changes: Changes,
    /// The mean loss of all cells.
    pub(super) loss: f64,
    /// The mean loss of each column's cells.
    pub(super) losses: Vec<(ColumnId, f64)>,
}

/// Publishes each row at its node's levels; a row without a node is removed.
pub(super) fn publish(
    table: &EncodedTable,
    lattice: &Lattice,
    columns: &[(ColumnId, Hierarchy)],
    node_of: impl Fn(usize) -> Option<Node> + Sync,
) -> Result<Published> {
    let made: Result<Vec<(Option<Column>, u64)>> = columns
        .par_iter()
        .enumerate()
        .map(|(axis, (id, hierarchy))| {
            let level_of = |row: usize| node_of(row).map(|node| node.level(axis));
            recoded(table.column(*id), hierarchy, lattice, axis, level_of)
        })
        .collect();
    let mut changes = Changes::none(table);
    let mut losses = Vec::with_capacity(columns.len());
    for (((id, _), axis), (column, lost)) in columns.iter().zip(&lattice.axes).zip(made?) {
        if let Some(column) = column {
            changes.replace(*id, column).map_err(EngineError::from)?;
        }
        losses.push((*id, share(lost, table.rows() as u64 * u64::from(axis.domain))));
    }
    for row in (0u32..).take(table.rows()).filter(|&row| node_of(row as usize).is_none()) {
        changes.remove(RowId::new(row)).map_err(EngineError::from)?;
    }
    let loss = mean(losses.iter().map(|&(_, loss)| loss));
    Ok(Published { changes, loss, losses })
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[expect(clippy::cast_precision_loss, reason = "a few columns")]
fn mean(losses: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = losses.len();
    if count == 0 { 0.0 } else { losses.sum::<f64>() / count as f64 }
}

/// A column with all its cells at one level of its hierarchy; 0 is the column itself. A group that
/// says nothing is published as suppressed cells.
///
/// ```
/// use muslin_protect::at_level;
/// use muslin_table::{ColumnId, EncodedTable, Hierarchy};
/// let table = EncodedTable::of(&[[21], [25], [34]]);
/// let ages = table.column(ColumnId::new(0));
/// let decades = ["20-29", "20-29", "30-39"].map(|decade| vec![decade.to_owned()]);
/// let decades = Hierarchy::new("age", &decades, &[])?;
/// let published = at_level(ages, &decades, 1)?;
/// assert_eq!(published.codes().slots().collect::<Vec<_>>(), [0, 0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn at_level(column: &Column, hierarchy: &Hierarchy, level: usize) -> Result<Column> {
    let name = printable(column.name());
    if hierarchy.values() != column.dictionary().len() {
        return Err(Error::Setting(format!(
            "the hierarchy of column `{name}` is that of other values\n  hint: give the one of this column"
        )));
    }
    let Some(groups) = hierarchy.levels().get(level) else {
        return Err(Error::Setting(format!(
            "the hierarchy of column `{name}` ends with level {}, before {level}\n  hint: name one of its levels; 0 are the values",
            hierarchy.levels().len() - 1
        )));
    };
    if level == 0 {
        return Ok(column.clone());
    }
    let labels: Vec<&str> = (0u32..).map_while(|group| groups.label(group)).collect();
    let missing = u32::try_from(labels.len()).expect("no more labels than values");
    let position = |slot: u32| match groups.groups().get(slot as usize) {
        // Suppressed before.
        None => missing + 1,
        Some(&group) => match groups.label(group) {
            None => missing,
            Some(ANY) => missing + 1,
            Some(_) => group,
        },
    };
    let slots = column.codes().slots().map(position);
    let made = Column::of_labels(column.name(), &labels, slots).map_err(EngineError::from)?;
    Ok(made.with_role(column.role()))
}

/// The column as it is published, unless all of it stays, and what its cells lose in steps.
fn recoded(
    column: &Column,
    hierarchy: &Hierarchy,
    lattice: &Lattice,
    axis: usize,
    level_of: impl Fn(usize) -> Option<usize>,
) -> Result<(Option<Column>, u64)> {
    let slots = column.codes();
    let steps = &lattice.axes[axis].steps;
    let mut used = vec![false; steps.len()];
    let mut lost = 0u64;
    for row in 0..column.rows() {
        lost += u64::from(match level_of(row) {
            Some(level) => {
                used[level] = true;
                steps[level].lost[hierarchy.position(slots.slot(row)) as usize]
            }
            None => lattice.axes[axis].domain,
        });
    }
    if used.iter().skip(1).all(|&used| !used) {
        return Ok((None, lost));
    }
    // Labels of all levels in one list; the values themselves first, where some stay.
    let values = column.dictionary();
    let own = if used[0] { values.len() } else { 0 };
    let mut labels: Vec<String> = (0..own).map(|at| values.text(at)).collect();
    let mut starts = vec![0u32; steps.len()];
    for (level, groups) in hierarchy.levels().iter().enumerate().skip(1).filter(|(at, _)| used[*at])
    {
        starts[level] = u32::try_from(labels.len()).expect("no more labels than values");
        labels.extend((0u32..).map_while(|group| groups.label(group)).map(str::to_owned));
    }
    let missing = u32::try_from(labels.len()).expect("no more labels than values");
    let suppressed = missing + 1;
    let position = |row: usize| {
        let slot = slots.slot(row);
        let Some(level) = level_of(row) else { return suppressed };
        if level == 0 {
            return if slot == column.missing_slot() { missing } else { slot };
        }
        let groups = &hierarchy.levels()[level];
        let group = groups.groups()[slot as usize];
        match groups.label(group) {
            None => missing,
            Some(ANY) => suppressed,
            Some(_) => starts[level] + group,
        }
    };
    let made = Column::of_labels(column.name(), &labels, (0..column.rows()).map(position));
    Ok((Some(made.map_err(EngineError::from)?), lost))
}
