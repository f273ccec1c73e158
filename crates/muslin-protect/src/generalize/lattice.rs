//! Every way to take columns to levels of their hierarchies, and what each loses.

use muslin_table::{ANY, ColumnId, EncodedTable, Hierarchy};

use super::units::Units;
use crate::{Error, Result};

/// Quasi-identifiers at most.
pub(super) const MOST_COLUMNS: usize = 32;

/// The loss of a cell of which nothing is left. Losses are whole numbers of such parts, so that sums
/// do not depend on their order.
pub(super) const WHOLE: u64 = 1 << 30;

/// The level of each column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Node([u8; MOST_COLUMNS]);

impl Node {
    pub(super) const BOTTOM: Self = Self([0; MOST_COLUMNS]);

    pub(super) fn level(self, axis: usize) -> usize {
        usize::from(self.0[axis])
    }

    pub(super) fn with(mut self, axis: usize, level: usize) -> Self {
        self.0[axis] = u8::try_from(level).expect("checked when the lattice was made");
        self
    }

    /// Whether no column is taken further than in `other`.
    pub(super) fn is_below(self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a <= b)
    }
}

/// The columns and their levels.
#[derive(Clone, Debug)]
pub(super) struct Lattice {
    pub(super) axes: Vec<Axis>,
}

/// One column.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) id: ColumnId,
    pub(super) steps: Vec<Step>,
    /// What a cell loses of which nothing is left, in steps from value to value.
    pub(super) domain: u32,
    /// Rows of the table.
    pub(super) rows: u64,
}

/// One level of a column.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The group of each position.
    pub(super) groups: Vec<u32>,
    /// Number of groups.
    pub(super) len: u32,
    /// What a cell loses, by position.
    pub(super) losses: Vec<u64>,
    /// The same in steps, which are not rounded.
    pub(super) lost: Vec<u32>,
    /// What all cells of the table lose.
    pub(super) total: u128,
    /// The most that a cell loses.
    pub(super) most: u64,
}

impl Lattice {
    /// The lattice of these columns.
    pub(super) fn new(table: &EncodedTable, columns: &[(ColumnId, Hierarchy)]) -> Result<Self> {
        let wrong = |text: String| Err(Error::Setting(text));
        if columns.len() > MOST_COLUMNS {
            return wrong(format!(
                "levels are chosen for at most {MOST_COLUMNS} columns together\n  hint: name the quasi-identifiers with `--columns`"
            ));
        }
        for (id, hierarchy) in columns {
            let column = table.column(*id);
            let name = muslin_table::printable(column.name());
            if hierarchy.values() != column.dictionary().len() {
                return Err(Error::Internal(format!(
                    "the hierarchy of `{name}` is another column's"
                )));
            }
            if hierarchy.levels().len() > usize::from(u8::MAX) {
                return wrong(format!(
                    "the hierarchy of column `{name}` has more than 254 levels\n  hint: leave some out"
                ));
            }
            if column.suppressed() > 0 {
                return wrong(format!(
                    "column `{name}` has suppressed cells already\n  hint: generalize first, suppress after"
                ));
            }
        }
        let axis = |(id, hierarchy): &(ColumnId, Hierarchy)| Axis::new(table, *id, hierarchy);
        Ok(Self { axes: columns.iter().map(axis).collect() })
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.axes.len()
    }

    /// Number of nodes, as far as it can be counted.
    pub(super) fn nodes(&self) -> u64 {
        self.axes.iter().fold(1u64, |nodes, axis| nodes.saturating_mul(axis.steps.len() as u64))
    }

    /// The node where every column is at its last level.
    pub(super) fn top(&self) -> Node {
        let axes = self.axes.iter().enumerate();
        axes.fold(Node::BOTTOM, |node, (at, axis)| node.with(at, axis.steps.len() - 1))
    }

    /// The nodes one step above, such that every node is the successor of exactly one.
    pub(super) fn successors(&self, node: Node) -> impl Iterator<Item = Node> {
        let last = (0..self.width()).rev().find(|&axis| node.level(axis) > 0).unwrap_or(0);
        (last..self.width()).filter_map(move |axis| {
            let level = node.level(axis) + 1;
            (level < self.axes[axis].steps.len()).then(|| node.with(axis, level))
        })
    }

    pub(super) fn step(&self, axis: usize, node: Node) -> &Step {
        &self.axes[axis].steps[node.level(axis)]
    }

    /// What the table loses at a node if no row is removed: less than at any node above.
    pub(super) fn total(&self, node: Node) -> u128 {
        (0..self.width()).map(|axis| self.step(axis, node).total).sum()
    }

    /// What a row of these values loses at a node.
    pub(super) fn loss(&self, node: Node, units: &Units, unit: u32) -> u64 {
        let cell = |axis: usize| self.step(axis, node).losses[units.position(axis, unit) as usize];
        (0..self.width()).map(cell).sum()
    }

    /// A loss of a table of so many rows, as a share of the most.
    #[expect(clippy::cast_precision_loss, reason = "a figure to read")]
    pub(super) fn share(&self, loss: u128, rows: usize) -> f64 {
        let most = u128::from(self.all()) * rows as u128;
        if most == 0 { 0.0 } else { loss as f64 / most as f64 }
    }

    /// What a removed row loses.
    pub(super) fn all(&self) -> u64 {
        WHOLE * self.width() as u64
    }
}

impl Axis {
    fn new(table: &EncodedTable, id: ColumnId, hierarchy: &Hierarchy) -> Self {
        let column = table.column(id);
        let values = hierarchy.values();
        let mut rows = vec![0u64; column.slots()];
        column.codes().slots().for_each(|slot| rows[slot as usize] += 1);
        let domain = u32::try_from(values.saturating_sub(1)).expect("32 bits").max(1);
        let steps = hierarchy.levels().iter().map(|level| {
            let (mut groups, mut losses) = (vec![0; values + 1], vec![0; values + 1]);
            let (mut lost, mut total) = (vec![0; values + 1], 0);
            for (slot, &group) in (0u32..).zip(level.groups()) {
                let position = hierarchy.position(slot) as usize;
                // A group without values is that of missing alone; missing in the group that says nothing
                // loses what the values there lose. The only value of a column is lost where nothing is left.
                let own = match level.covered().get(group as usize) {
                    Some(&covered) if covered > 1 => covered - 1,
                    Some(_) if values == 1 && level.label(group) == Some(ANY) => domain,
                    _ => 0,
                };
                let (parts, all) = (u64::from(own) * WHOLE, u64::from(domain));
                let loss = (parts + all / 2) / all;
                groups[position] = group;
                losses[position] = loss;
                lost[position] = own;
                total += u128::from(loss) * u128::from(rows[slot as usize]);
            }
            let most = losses.iter().copied().max().unwrap_or(0);
            let len = groups.iter().max().map_or(0, |&last| last + 1);
            Step { groups, len, losses, lost, total, most }
        });
        Self { id, steps: steps.collect(), domain, rows: table.rows() as u64 }
    }
}
