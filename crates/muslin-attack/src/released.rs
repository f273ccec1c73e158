//! A release as an attacker sees it, and the original that judges guesses.

use std::collections::BTreeMap;
use std::fmt;

use muslin_engine::Run;
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable, Hierarchy};
use muslin_verify::loss::{Cover, OwnLabels, Reading};

use crate::covers::{self, Covers};
use crate::error::fault;
use crate::fits::Fits;
use crate::groups::Groups;
use crate::{Error, Result};

/// Steps that the search for the original's rows may take.
const WORK: u64 = 500_000_000;
/// No row of the original.
const NONE: u32 = u32::MAX;

/// Which row of the original each row of a release is. Only the judge knows, not the attacker.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Rows {
    /// The same row: the release has the original's order.
    InOrder,
    /// The row at this position, for each row of the release.
    Given(Vec<u32>),
    /// The row with the same value in this column, which both tables have.
    ById(String),
    /// Nobody knows: guesses at cells are not scored.
    Unknown,
    /// The only row of the original whose values fit on these columns of the release, or one of several
    /// that are alike in all columns of the release. Others stay unknown.
    Fitting(ColumnSet),
}

/// What a published cell says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen<'a> {
    /// A value, as its number in the column's domain.
    Shown(u32),
    /// Nothing: it is suppressed.
    Blank,
    /// That the input had no value.
    Missing,
    /// That it is one of several values.
    Wide(&'a Cover),
}

/// What a slot of a column says.
#[derive(Clone, PartialEq, Eq)]
enum Label {
    Shown(u32),
    Blank,
    Missing,
    Wide(Cover),
}

/// A release as an attacker sees it.
///
/// A value has a number in its column's *domain*: the original's values where the original is there,
/// the release's own labels otherwise. A cell is blank when it is suppressed or has the label `*`; a
/// missing cell is blank where that is asked for, or where the original has no missing cell there.
/// Without the original, the labels of a column are read against the values that the release shows exactly.
///
/// ```
/// use muslin_attack::Released;
/// use muslin_table::{Column, EncodedTable};
/// let ages = Column::of_labels("age", &["30", "*"], [0, 1, 0].into_iter())?;
/// let table = EncodedTable::new(3, vec![ages])?;
/// assert_eq!(Released::new(&table).blanks(), 1);
/// # Ok::<(), muslin_table::Error>(())
/// ```
#[derive(Clone)]
pub struct Released<'a> {
    table: &'a EncodedTable,
    columns: Vec<Labels>,
    truth: Option<Truth<'a>>,
}

#[derive(Clone)]
struct Labels {
    of_slots: Vec<Label>,
    /// Values of the domain.
    domain: usize,
    /// Whether these have distances: numbers, days, points in time.
    has_distances: bool,
}

#[derive(Clone)]
struct Truth<'a> {
    original: &'a EncodedTable,
    /// The original's column of each column of the release.
    columns: Vec<Option<ColumnId>>,
    /// The original's row, or one that is alike.
    rows: Vec<u32>,
    /// Whether there are no others that are alike.
    is_only: Option<Vec<bool>>,
}

impl<'a> Released<'a> {
    /// A release alone.
    pub fn new(table: &'a EncodedTable) -> Self {
        let columns = table.columns().iter().map(|column| Labels::own(column, false)).collect();
        Self { table, columns, truth: None }
    }

    /// A release alone, in which missing cells of these columns are suppressed ones.
    pub fn with_blank_missing(table: &'a EncodedTable, columns: &ColumnSet) -> Self {
        let each = table.columns().iter().enumerate();
        let labels = |(at, column): (usize, &Column)| {
            Labels::own(column, columns.contains(ColumnId::new(at)))
        };
        Self { table, columns: each.map(labels).collect(), truth: None }
    }

    /// A release and the original that it was made of.
    pub fn with_original(
        table: &'a EncodedTable,
        original: &'a EncodedTable,
        hierarchies: &BTreeMap<String, Hierarchy>,
        rows: &Rows,
        run: &Run,
    ) -> Result<Self> {
        let reading = Reading::of(original, table, hierarchies, None)?;
        Self::with_reading(table, original, &reading, rows, run)
    }

    /// A release, the original that it was made of, and how the cells of one relate to the other.
    pub fn with_reading(
        table: &'a EncodedTable,
        original: &'a EncodedTable,
        reading: &Reading,
        rows: &Rows,
        run: &Run,
    ) -> Result<Self> {
        let mut of: Vec<Option<ColumnId>> = vec![None; table.columns().len()];
        for id in original.all_columns().iter() {
            if let Some(published) = reading.published(id) {
                of[published.index()] = Some(id);
            }
        }
        let each = table.columns().iter().zip(&of);
        let labels = |(column, id): (&Column, &Option<ColumnId>)| match id {
            Some(id) => Labels::read(column, original.column(*id), *id, reading),
            None => Labels::own(column, false),
        };
        let columns = each.map(labels).collect();
        let (rows, is_only) = aligned(table, original, reading, rows, run)?;
        Ok(Self { table, columns, truth: Some(Truth { original, columns: of, rows, is_only }) })
    }

    /// The published table.
    pub fn table(&self) -> &'a EncodedTable {
        self.table
    }

    /// Whether the original is there.
    pub fn has_original(&self) -> bool {
        self.truth.is_some()
    }

    /// Suppressed cells.
    pub fn blanks(&self) -> u64 {
        let of_column = |id: ColumnId| {
            let blank =
                |&slot: &u32| self.columns[id.index()].of_slots[slot as usize] == Label::Blank;
            self.table.column(id).codes().slots().filter(blank).count() as u64
        };
        self.table.all_columns().iter().map(of_column).sum()
    }

    pub(crate) fn original(&self) -> Option<&'a EncodedTable> {
        self.truth.as_ref().map(|truth| truth.original)
    }

    /// The original's column of a column.
    pub(crate) fn original_column(&self, column: ColumnId) -> Option<ColumnId> {
        self.truth.as_ref()?.columns[column.index()]
    }

    /// The original's row of a row; nothing where several are alike.
    pub(crate) fn original_row(&self, row: u32) -> Option<u32> {
        let is_only = self.truth.as_ref()?.is_only.as_ref();
        self.alike_row(row).filter(|_| is_only.is_none_or(|only| only[row as usize]))
    }

    /// The original's row of a row, or one that is alike.
    fn alike_row(&self, row: u32) -> Option<u32> {
        let found = self.truth.as_ref()?.rows[row as usize];
        (found != NONE).then_some(found)
    }

    /// Whether distances between values of a column mean something.
    pub(crate) fn has_distances(&self, column: ColumnId) -> bool {
        self.columns[column.index()].has_distances
    }

    /// Values of a column's domain.
    pub(crate) fn domain(&self, column: ColumnId) -> usize {
        self.columns[column.index()].domain
    }

    /// What a slot of a column says.
    pub(crate) fn seen(&self, column: ColumnId, slot: u32) -> Seen<'_> {
        match &self.columns[column.index()].of_slots[slot as usize] {
            Label::Shown(value) => Seen::Shown(*value),
            Label::Blank => Seen::Blank,
            Label::Missing => Seen::Missing,
            Label::Wide(cover) => Seen::Wide(cover),
        }
    }

    /// What a slot of a column says, as values of the original.
    pub(crate) fn cover(&self, column: ColumnId, slot: u32) -> Cover {
        match self.seen(column, slot) {
            Seen::Shown(value) => Cover::Exact(value),
            Seen::Blank => Cover::Any,
            Seen::Missing => Cover::Missing,
            Seen::Wide(cover) => cover.clone(),
        }
    }

    /// What the cells of a column say, as numbers: a value's is that of the domain, then come blank,
    /// missing, and one for each wide label.
    pub(crate) fn numbers(&self, column: ColumnId) -> Vec<u32> {
        let Labels { of_slots, domain, .. } = &self.columns[column.index()];
        let beyond = |more: usize| u32::try_from(domain + more).unwrap_or(NONE);
        let number = |(slot, label): (usize, &Label)| match label {
            Label::Shown(value) => *value,
            Label::Blank => beyond(0),
            Label::Missing => beyond(1),
            Label::Wide(_) => beyond(2 + slot),
        };
        let of: Vec<u32> = of_slots.iter().enumerate().map(number).collect();
        self.table.column(column).codes().slots().map(|slot| of[slot as usize]).collect()
    }

    /// The number of a blank cell in [`Self::numbers`].
    pub(crate) fn blank(&self, column: ColumnId) -> u32 {
        u32::try_from(self.domain(column)).unwrap_or(NONE)
    }

    /// What the original has at a cell, as a number of [`Self::numbers`].
    pub(crate) fn actual(&self, row: u32, column: ColumnId) -> Option<u32> {
        let own = self.original()?.column(self.original_column(column)?);
        let slot = own.codes().slot(self.alike_row(row)? as usize);
        // The original's slot of missing cells is where blank ones are here.
        Some(if slot == own.missing_slot() { slot + 1 } else { slot })
    }

    /// How often each value of the domain is shown.
    pub(crate) fn shown(&self, column: ColumnId) -> Vec<u64> {
        let mut counts = vec![0u64; self.domain(column)];
        for slot in self.table.column(column).codes().slots() {
            if let Seen::Shown(value) = self.seen(column, slot) {
                counts[value as usize] += 1;
            }
        }
        counts
    }

    /// How often the original has each value of the domain; nothing where it has no such column.
    pub(crate) fn original_counts(&self, column: ColumnId) -> Vec<u64> {
        let mut counts = vec![0u64; self.domain(column)];
        let own = self.original_column(column).zip(self.original());
        for slot in own.iter().flat_map(|(id, table)| table.column(*id).codes().slots()) {
            // Slots beyond are no values.
            if let Some(count) = counts.get_mut(slot as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// The value that is shown most often, the smallest of several.
    pub(crate) fn most_frequent(&self, column: ColumnId) -> Option<u32> {
        most(self.shown(column).into_iter().zip(0u32..))
    }

    /// An error unless the release has these columns.
    pub(crate) fn check(&self, columns: &ColumnSet) -> Result<()> {
        if columns.is_subset(&self.table.all_columns()) {
            return Ok(());
        }
        fault("a column to look at is beyond the release's", "name columns of the release")
    }
}

/// The value with the largest count above zero, the smallest of several.
pub(crate) fn most(counts: impl Iterator<Item = (u64, u32)>) -> Option<u32> {
    let best = counts.filter(|&(count, _)| count > 0);
    best.max_by_key(|&(count, value)| (count, std::cmp::Reverse(value))).map(|(_, value)| value)
}

impl Labels {
    fn own(column: &Column, missing_is_blank: bool) -> Self {
        let dictionary = column.dictionary();
        // A column of labels that cannot be read is one of values.
        let read = OwnLabels::of(column).ok().flatten();
        let mut labels: Vec<Label> = (0u32..).take(dictionary.len()).map(Label::Shown).collect();
        for (at, label) in labels.iter_mut().enumerate() {
            *label = match read.as_ref().map(|own| (own.is_label(at), own.covers()[at].clone())) {
                _ if dictionary.text(at) == "*" => Label::Blank,
                None => continue,
                Some((false, Some(Cover::Exact(value)))) => Label::Shown(value),
                Some((_, Some(cover))) => Label::Wide(cover),
                // Nothing that the release shows exactly is meant.
                Some((_, None)) => Label::Wide(Cover::Set([].into())),
            };
        }
        labels.push(if missing_is_blank { Label::Blank } else { Label::Missing });
        labels.push(Label::Blank);
        let domain = read.as_ref().map_or(dictionary.len(), OwnLabels::values);
        let has_distances =
            read.map_or_else(|| dictionary.numbers().is_some(), |own| own.is_number());
        Self { of_slots: labels, domain, has_distances }
    }

    fn read(column: &Column, original: &Column, id: ColumnId, reading: &Reading) -> Self {
        let label = |slot: u32| match reading.cover(id, slot) {
            Cover::Exact(value) => Label::Shown(*value),
            Cover::Any => Label::Blank,
            Cover::Missing => Label::Missing,
            wide => Label::Wide(wide.clone()),
        };
        let labels = (0u32..).take(column.slots()).map(label).collect();
        let dictionary = original.dictionary();
        Self {
            of_slots: labels,
            domain: dictionary.len(),
            has_distances: dictionary.numbers().is_some(),
        }
    }
}

/// The original's row of each row of the release, and whether it is the only one.
fn aligned(
    table: &EncodedTable,
    original: &EncodedTable,
    reading: &Reading,
    rows: &Rows,
    run: &Run,
) -> Result<(Vec<u32>, Option<Vec<bool>>)> {
    match rows {
        Rows::InOrder if table.rows() == original.rows() => {
            Ok(((0u32..).take(table.rows()).collect(), None))
        }
        Rows::InOrder => fault(
            "release and original have different numbers of rows, so they are not in one order",
            "say by which column their rows are told apart",
        ),
        Rows::Given(given) => {
            let in_range = given.iter().all(|&row| (row as usize) < original.rows());
            if given.len() != table.rows() || !in_range {
                return fault(
                    "the rows of the original that are given do not fit the tables",
                    "give one row of the original for each row of the release",
                );
            }
            Ok((given.clone(), None))
        }
        Rows::Unknown => Ok((vec![NONE; table.rows()], None)),
        Rows::ById(name) => Ok((by_id(table, original, name)?, None)),
        Rows::Fitting(columns) => {
            let on: Vec<(ColumnId, ColumnId)> = original
                .all_columns()
                .iter()
                .filter_map(|id| Some((id, reading.published(id)?)))
                .filter(|&(_, own)| columns.contains(own))
                .collect();
            let covers: Vec<Covers> = on
                .iter()
                .map(|&(id, own)| covers::read(reading, id, table.column(own).slots()))
                .collect();
            let fits = Fits::new("rows", (original, table), &on, &covers, WORK, run)?;
            let (_, kinds) = fits.people_of_classes();
            // People of a kind may differ in the columns that were not looked at.
            let all = original.all_columns();
            let published = all.iter().filter(|&id| reading.published(id).is_some());
            let strips: Vec<Vec<u32>> =
                published.map(|id| original.column(id).codes().slots().collect()).collect();
            let alike = Groups::of(&strips, original.rows(), run)?;
            let mut is_one = vec![true; fits.kinds.len()];
            for (row, &kind) in fits.kinds.of.iter().enumerate() {
                let first = fits.kinds.first[kind as usize] as usize;
                is_one[kind as usize] &= alike.of[row] == alike.of[first];
            }
            let row = |&class: &u32| {
                let kind = kinds[class as usize].filter(|&kind| is_one[kind as usize]);
                kind.map_or(NONE, |kind| fits.kinds.first[kind as usize])
            };
            let is_only = |&class: &u32| {
                kinds[class as usize].is_some_and(|kind| fits.kinds.sizes[kind as usize] == 1)
            };
            let classes = &fits.classes.of;
            let is_only = classes.iter().map(is_only).collect();
            Ok((classes.iter().map(row).collect(), Some(is_only)))
        }
    }
}

/// The row with the same value of a column; nothing where several have it.
fn by_id(table: &EncodedTable, original: &EncodedTable, name: &str) -> Result<Vec<u32>> {
    let (own, theirs) = (table.column(table.find(name)?), original.column(original.find(name)?));
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    let mut row_of = vec![NONE; theirs.dictionary().len()];
    let mut count = vec![0u32; theirs.dictionary().len()];
    for (slot, row) in theirs.codes().slots().zip(0u32..) {
        if let Some(of) = row_of.get_mut(slot as usize) {
            *of = row;
            count[slot as usize] += 1;
        }
    }
    for (at, (&row, &count)) in row_of.iter().zip(&count).enumerate() {
        if count == 1 {
            found.insert(theirs.dictionary().text(at), row);
        }
    }
    let values = own.dictionary().len();
    let mut of: Vec<u32> = (0..values)
        .map(|at| found.get(&own.dictionary().text(at)).copied().unwrap_or(NONE))
        .collect();
    of.extend([NONE, NONE]);
    let rows: Vec<u32> = own.codes().slots().map(|slot| of[slot as usize]).collect();
    if rows.iter().all(|&row| row == NONE) && !rows.is_empty() {
        return Err(Error::Setting(format!(
            "no value of column `{}` is in one row of the original and in the release\n  hint: name a column that numbers rows in both",
            muslin_table::printable(name)
        )));
    }
    Ok(rows)
}

// Labels are values.
impl fmt::Debug for Released<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Released")
            .field("rows", &self.table.rows())
            .field("columns", &self.columns.len())
            .field("has_original", &self.has_original())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_takes_the_smallest_of_several() {
        assert_eq!(most([(2, 7), (3, 9), (3, 8), (0, 1)].into_iter()), Some(8));
        assert_eq!(most([(0, 1)].into_iter()), None);
    }
}
