//! A release as numbers, and the groups of rows that share values.

use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet};

use crate::attack::{Guesses, share};
use crate::fits::fits;
use crate::groups::{Groups, Lists};
use crate::released::Seen;
use crate::{Released, Result};

/// The columns of a release that are looked at, as numbers.
pub(crate) struct Strips<'a> {
    released: &'a Released<'a>,
    columns: Vec<ColumnId>,
    cells: Vec<Vec<u32>>,
}

impl<'a> Strips<'a> {
    pub(crate) fn new(released: &'a Released<'a>, columns: &ColumnSet) -> Self {
        let columns: Vec<ColumnId> = columns.iter().collect();
        let cells = columns.iter().map(|&id| released.numbers(id)).collect();
        Self { released, columns, cells }
    }

    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn rows(&self) -> usize {
        self.released.table().rows()
    }

    pub(crate) fn column(&self, at: usize) -> ColumnId {
        self.columns[at]
    }

    /// Whether a column has cells that are suppressed or generalized.
    pub(crate) fn is_open(&self, at: usize) -> bool {
        (0..self.rows()).any(|row| self.is_target(at, row))
    }

    /// The rows whose cell is suppressed or generalized.
    pub(crate) fn open(&self, at: usize) -> Vec<u32> {
        let rows = (0u32..).take(self.rows());
        rows.filter(|&row| self.is_target(at, row as usize)).collect()
    }

    /// The share of the most frequent value among the cells that show one; 0 where none does.
    pub(crate) fn mode(&self, at: usize) -> f64 {
        let counts = self.released.shown(self.columns[at]);
        let most = counts.iter().copied().max().unwrap_or(0);
        share(most, counts.iter().sum()).unwrap_or(0.0)
    }

    /// The value that a cell shows exactly.
    fn shown(&self, at: usize, row: u32) -> Option<u32> {
        let number = self.cells[at][row as usize];
        ((number as usize) < self.released.domain(self.columns[at])).then_some(number)
    }

    /// Suppressed, or beyond values and missing cells.
    fn is_target(&self, at: usize, row: usize) -> bool {
        let (number, blank) = (self.cells[at][row], self.released.blank(self.columns[at]));
        number >= blank && number != blank + 1
    }

    /// Whether a cell may stand for a value, by its label.
    fn allows(&self, at: usize, row: u32, value: u32) -> bool {
        let id = self.columns[at];
        let slot = self.released.table().column(id).codes().slot(row as usize);
        match self.released.seen(id, slot) {
            Seen::Wide(cover) => fits(cover, value, self.released.blank(id)),
            Seen::Blank => true,
            Seen::Shown(own) => own == value,
            Seen::Missing => false,
        }
    }
}

/// Rows that share their values of some columns.
pub(crate) struct Sharing {
    groups: Groups,
    members: Lists,
    /// Whether the values of a group are known.
    is_known: Vec<bool>,
}

/// Values and how many rows have them, in rising order.
type Counts = Vec<(u32, u64)>;

impl Sharing {
    /// Rows that agree on what is published in some columns, labels and missing cells included.
    pub(crate) fn published(strips: &Strips<'_>, from: &[usize], run: &Run) -> Result<Self> {
        let is_known = |row: u32| {
            let blank = |x: usize| strips.released.blank(strips.columns[x]);
            from.iter().all(|&x| strips.cells[x][row as usize] != blank(x))
        };
        Self::of(strips, from, &is_known, run)
    }

    /// Rows that share an exact value of a column.
    pub(crate) fn exact(strips: &Strips<'_>, from: usize, run: &Run) -> Result<Self> {
        let is_known = |row: u32| strips.shown(from, row).is_some();
        Self::of(strips, &[from], &is_known, run)
    }

    fn of(
        strips: &Strips<'_>,
        from: &[usize],
        is_known: &dyn Fn(u32) -> bool,
        run: &Run,
    ) -> Result<Self> {
        let own: Vec<&[u32]> = from.iter().map(|&x| &strips.cells[x][..]).collect();
        let groups = Groups::of(&own, strips.rows(), run)?;
        // Rows of a group have the same cells.
        let is_known = groups.first.iter().map(|&row| is_known(row)).collect();
        let members = groups.members();
        Ok(Self { groups, members, is_known })
    }

    /// The groups whose values are known.
    fn known(&self) -> impl Iterator<Item = &[u32]> {
        self.members.iter().zip(&self.is_known).filter(|(_, is_known)| **is_known).map(|own| own.0)
    }

    /// Of the groups in which two rows and more show `y`: the rows that have their group's most frequent value, and all.
    pub(crate) fn agreement(&self, strips: &Strips<'_>, y: usize) -> (u64, u64) {
        let mut buffer = Vec::new();
        let mut sum = (0, 0);
        for rows in self.known() {
            let counts = counts(strips, y, rows, &mut buffer);
            let all: u64 = counts.iter().map(|own| own.1).sum();
            if all >= 2 {
                sum.0 += counts.iter().map(|own| own.1).max().unwrap_or(0);
                sum.1 += all;
            }
        }
        sum
    }

    /// Of the rows that show `y` in a group where another row shows it too: those whose value is the most frequent one of
    /// the others, and all.
    pub(crate) fn agreement_with_others(&self, strips: &Strips<'_>, y: usize) -> (u64, u64) {
        let mut buffer = Vec::new();
        let mut sum = (0, 0);
        for rows in self.known() {
            let counts = counts(strips, y, rows, &mut buffer);
            let all: u64 = counts.iter().map(|own| own.1).sum();
            if all < 2 {
                continue;
            }
            sum.1 += all;
            // Rows of other values than the most frequent one see that one, or a third.
            let Some(&(value, most)) = top(counts.iter()) else { continue };
            let second = top(counts.iter().filter(|own| own.0 != value));
            let is_right = second.is_none_or(|&(other, count)| {
                most - 1 > count || (most - 1 == count && value < other)
            });
            sum.0 += if is_right { most } else { 0 };
        }
        sum
    }

    /// Guesses cells of `y` by the most frequent value of their group that their label allows. Gives back the rows for
    /// which there is none.
    pub(crate) fn guess(
        &self,
        strips: &Strips<'_>,
        y: usize,
        open: &[u32],
        is_certain: bool,
        guesses: &mut Guesses<'_>,
    ) -> Vec<u32> {
        let mut of_group: Vec<Option<Counts>> = vec![None; self.groups.len()];
        let mut buffer = Vec::new();
        let mut left = Vec::new();
        for &row in open {
            let group = self.groups.of[row as usize] as usize;
            if !self.is_known[group] {
                left.push(row);
                continue;
            }
            let own = of_group[group]
                .get_or_insert_with(|| counts(strips, y, self.members.of(group), &mut buffer));
            match top(own.iter().filter(|own| strips.allows(y, row, own.0))) {
                Some(&(value, _)) => guesses.guess(row, strips.column(y), value, is_certain),
                None => left.push(row),
            }
        }
        left
    }
}

/// The most frequent value, the smallest of several.
fn top<'a>(counts: impl Iterator<Item = &'a (u32, u64)>) -> Option<&'a (u32, u64)> {
    counts.max_by_key(|&&(value, count)| (count, std::cmp::Reverse(value)))
}

/// How many of some rows show each value of a column.
fn counts(strips: &Strips<'_>, y: usize, rows: &[u32], buffer: &mut Vec<u32>) -> Counts {
    buffer.clear();
    buffer.extend(rows.iter().filter_map(|&row| strips.shown(y, row)));
    buffer.sort_unstable();
    buffer.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
}
