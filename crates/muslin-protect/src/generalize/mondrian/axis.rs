use muslin_table::{ANY, Column, ColumnId, EncodedTable, Hierarchy};

use super::Form;
use crate::{Error, Result};

/// What a cell that says nothing costs, in the whole numbers that cuts are compared in. All numbers
/// up to 16 divide it, so that columns of few values tie where they should.
pub(super) const UNIT: u32 = 23 * 720_720;

/// A column as Mondrian cuts it: values at positions from 0 on, then missing, then suppressed.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) id: ColumnId,
    /// Number of values; the position of missing.
    pub(super) values: u32,
    positions: Option<Vec<u32>>,
    /// The slot at each position, where that is another.
    slots: Option<Vec<u32>>,
    pub(super) tree: Option<Tree>,
    /// Whether a cell is missing or suppressed.
    pub(super) has_gaps: bool,
}

/// The groups of a hierarchy by position.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    levels: Vec<TreeLevel>,
    values: u32,
}

#[derive(Clone, Debug)]
struct TreeLevel {
    groups: Vec<u32>,
    /// Values that each group's label stands for.
    covered: Vec<u32>,
}

impl Axis {
    pub(super) fn of(table: &EncodedTable, id: ColumnId, form: &Form) -> Result<Self> {
        let column = table.column(id);
        let values = column.missing_slot();
        let hierarchy = match form {
            Form::Tree(tree) | Form::TreeSet(tree) | Form::TreeRange(tree) => Some(tree),
            Form::Range { .. } | Form::Set { .. } | Form::Multiset { .. } => None,
        };
        if hierarchy.is_some_and(|hierarchy| hierarchy.values() != column.dictionary().len()) {
            let name = muslin_table::printable(column.name());
            return Err(Error::Setting(format!(
                "the hierarchy of column `{name}` is one of other values\n  hint: make it from the values of the same table"
            )));
        }
        let positions: Option<Vec<u32>> = hierarchy.map(|hierarchy| {
            let known = (0..=values).map(|slot| hierarchy.position(slot));
            known.chain([values + 1]).collect()
        });
        let slots = positions.as_ref().map(|positions| {
            let mut slots = vec![0; positions.len()];
            (0u32..).zip(positions).for_each(|(slot, &at)| slots[at as usize] = slot);
            slots
        });
        let tree = match form {
            Form::Tree(hierarchy) => Some(Tree::of(hierarchy)),
            _ => None,
        };
        let has_gaps = column.missing() + column.suppressed() > 0;
        Ok(Self { id, values, positions, slots, tree, has_gaps })
    }

    /// The slot at a position.
    pub(super) fn slot(&self, position: u32) -> u32 {
        self.slots.as_ref().map_or(position, |slots| slots[position as usize])
    }

    /// Steps from the first value to the last; what a cell that says nothing costs. Never 0, so
    /// that losing the only value to the missing ones costs something.
    pub(super) fn steps(&self) -> u32 {
        self.values.saturating_sub(1).max(1)
    }

    /// The positions of all rows.
    pub(super) fn each_position<'a>(
        &'a self,
        column: &'a Column,
    ) -> Box<dyn Iterator<Item = u32> + 'a> {
        match &self.positions {
            None => column.codes().slots(),
            Some(positions) => {
                Box::new(column.codes().slots().map(|slot| positions[slot as usize]))
            }
        }
    }
}

impl Tree {
    fn of(hierarchy: &Hierarchy) -> Self {
        let values = u32::try_from(hierarchy.values()).expect("as many as a dictionary has");
        let levels = hierarchy.levels().iter().map(|level| {
            let mut groups = vec![0; level.groups().len()];
            for (slot, &group) in (0u32..).zip(level.groups()) {
                groups[hierarchy.position(slot) as usize] = group;
            }
            let covered = (0u32..).zip(level.covered()).map(|(group, &covered)| {
                // A label that says nothing stands for every value.
                if level.label(group) == Some(ANY) { values } else { covered }
            });
            TreeLevel { groups, covered: covered.collect() }
        });
        Self { levels: levels.collect(), values }
    }

    /// Level and group of the lowest group that has all values from `lo` to `hi`.
    pub(super) fn group(&self, lo: u32, hi: u32) -> Option<(usize, u32)> {
        let group = |level: &TreeLevel| (level.groups[lo as usize], level.groups[hi as usize]);
        self.levels
            .iter()
            .map(group)
            .enumerate()
            .find(|(_, (a, b))| a == b)
            .map(|(at, (a, _))| (at, a))
    }

    /// Values covered by that group, less one; all where there is none.
    pub(super) fn steps(&self, lo: u32, hi: u32) -> u32 {
        let covered = self
            .group(lo, hi)
            .map_or(self.values, |(level, group)| self.levels[level].covered[group as usize]);
        covered - 1
    }
}
