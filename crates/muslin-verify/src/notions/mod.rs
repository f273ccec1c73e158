//! What a suppression of cells protects: six notions, counted for each row.
//!
//! The table has row i, the release has row i with some cells suppressed. An original row *fits*
//! a published one when it has the values of all its visible cells. Notions, from weak to strong,
//! after Gionis, Mazza and Tassa, k-Anonymization revisited, ICDE 2008 (N2 to N5):
//!
//! ```text
//! N1  published rows that agree with published row i wherever both are visible
//! N2  published rows that original row i fits                                    (1,k)
//! N3  original rows that fit published row i                                     (k,1)
//! N4  the smaller of N2 and N3                                                   (k,k)
//! N5  those of N2 to which row i can be linked while every row is linked once    global (1,k)
//! N6  published rows equal to published row i; suppressed equals suppressed      k-anonymity
//! ```
//!
//! For each row N6 <= N5 <= N2, N6 <= N4 and none is above N1, which stops nobody who knows the
//! values of the person looked for.
//!
//! # Method
//! Work is done per class of equal original rows and per class of equal published rows. The
//! published classes of one pattern (which cells are visible) differ in what is visible, so an
//! original class fits at most one of them: each original class is looked up once per pattern, and
//! what is found are the *links* that N2, N3 and N5 are counted from.

mod components;
mod found;
mod links;
mod sides;
mod wildcard;

use muslin_engine::Run;
use muslin_table::{Changes, ColumnId, ColumnSet, EncodedTable, printable};

pub use self::found::{Counts, Notions};

use self::links::Links;
use self::sides::Sides;
use crate::loss::{Cover, Reading};
use crate::{Error, Result};

/// Somebody who has the release and may know every original value of some columns.
///
/// # Guarantee
/// The counts are those of the six notions. A missing cell is a value of its own. A cell that is
/// suppressed in the table itself stays so in the release. A masked column is not looked at.
/// Changes that do more than mask columns and suppress cells are an error.
/// N1 and N5 are left out where they take more work than allowed; nothing else is.
///
/// # Cost
/// Distinct rows times distinct patterns of suppressed cells. N5 keeps 4 bytes per link. N1 takes
/// distinct published rows times patterns. With two tables N5 takes 16 bytes more per link, and some
/// times as many steps as there are links.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_table::{Cell, Changes, ColumnId, EncodedTable, RowId};
/// use muslin_verify::Outsider;
/// // Published: (_, 1, 2) and (3, 1, _). They look alike, yet each person fits one row only.
/// let table = EncodedTable::of(&[[1, 1, 2], [3, 1, 1]]);
/// let mut changes = Changes::none(&table);
/// changes.suppress(Cell { row: RowId::new(0), column: ColumnId::new(0) })?;
/// changes.suppress(Cell { row: RowId::new(1), column: ColumnId::new(2) })?;
/// let seen = Outsider::new(table.all_columns()).run(&table, &changes, &Run::new())?;
/// assert_eq!(seen.n1().unwrap().per_row(), [2, 2]);
/// assert_eq!(seen.n2().per_row(), [1, 1]);
/// assert_eq!(seen.matched_once(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outsider {
    columns: ColumnSet,
    work_limit: u64,
}

impl Outsider {
    /// Knows `columns`: the quasi-identifiers.
    pub fn new(columns: ColumnSet) -> Self {
        Self { columns, work_limit: 100_000_000 }
    }

    /// Leaves N1 out above this many comparisons, and N5 above this many links: a hundred million
    /// unless told.
    #[must_use]
    pub fn work_limit(mut self, steps: u64) -> Self {
        self.work_limit = steps;
        self
    }

    /// Counts for `table` and its release by `changes`.
    pub fn run(&self, table: &EncodedTable, changes: &Changes, run: &Run) -> Result<Notions> {
        self.check(table)?;
        if !changes.is_for(table) {
            return Err(Error::Setting(
                "the changes are those of a table of other rows or columns\n  hint: give the table they were decided for".into(),
            ));
        }
        if !only_withholds(table, changes) {
            return Err(Error::Setting(
                "the changes do more than withhold columns and cells\n  hint: judge the classes of the release instead".into(),
            ));
        }
        let columns: Vec<ColumnId> = self.columns.difference(changes.masked()).iter().collect();
        run.install(|| {
            let sides = Sides::of_changes(table, &columns, changes, run)?;
            let links = Links::find(&sides, self.work_limit, run)?;
            let n5 = links.in_some_matching(&sides, run)?;
            let mut notions = self.notions(&sides, &links, n5.as_deref(), run)?;
            notions.n4 = notions.n2.smaller(&notions.n3);
            Ok(notions)
        })
    }

    /// Counts for two tables: `release` was made of `original` by suppressing cells and removing
    /// rows and columns, and its rows are in any order, so that nobody knows which is whose.
    ///
    /// `reading` has what cells of the release stand for. Columns that the release lacks are not
    /// looked at. A cell that is a range, a set or a list of counts is an error: then the classes of
    /// the release are to be judged. N1, N3 and N6 are by row of the release, N2 and N5 by row of the
    /// original, where a row that was removed may have 0; N4 is of no row in particular.
    ///
    /// N5 is also left out where one assignment takes more steps than the work limit to find.
    pub fn compare(
        &self,
        original: &EncodedTable,
        release: &EncodedTable,
        reading: &Reading,
        run: &Run,
    ) -> Result<Notions> {
        self.check(original)?;
        reading.check(original, release)?;
        let mut columns = Vec::new();
        for id in self.columns.iter() {
            let Some(published) = reading.published(id) else { continue };
            columns.push((id, published, slots(original, release, reading, id, published)?));
        }
        run.install(|| {
            let sides = Sides::of_tables(original, release, &columns, run)?;
            let links = Links::find(&sides, self.work_limit, run)?;
            let n5 = links.in_some_flow(&sides, self.work_limit, run)?;
            self.notions(&sides, &links, n5.as_deref(), run)
        })
    }

    /// The counts of two sides; N4 as where nobody knows which row is whose.
    fn notions(
        &self,
        sides: &Sides,
        links: &Links,
        n5: Option<&[u32]>,
        run: &Run,
    ) -> Result<Notions> {
        let n1 = wildcard::count(sides, self.work_limit, run)?;
        let by_original = |counts: &[u32]| Counts::of_classes(counts, &sides.originals.of);
        let by_published = |counts: &[u32]| Counts::of_classes(counts, &sides.published.of);
        let (n2, n3) = (by_original(&links.of_original), by_published(&links.of_published));
        Ok(Notions {
            n1: n1.as_deref().map(by_published),
            n4: n2.smaller_in_order(&n3),
            n2,
            n3,
            n5: n5.map(by_original),
            n6: by_published(&sides.published.rows),
            sacrificial_rows: sides.sacrificial_rows,
        })
    }

    fn check(&self, table: &EncodedTable) -> Result<()> {
        if self.columns.is_subset(&table.all_columns()) {
            return Ok(());
        }
        Err(Error::Setting(format!(
            "a column to look at is beyond the table's {} columns\n  hint: name columns of the table",
            table.columns().len()
        )))
    }
}

/// What each slot of a published column is to the original's; nothing for a suppressed cell.
fn slots(
    original: &EncodedTable,
    release: &EncodedTable,
    reading: &Reading,
    id: ColumnId,
    published: ColumnId,
) -> Result<Vec<Option<u32>>> {
    let column = release.column(published);
    let slots = u32::try_from(column.slots()).expect("slots are 32 bits wide");
    let slot = |slot: u32| match reading.cover(id, slot) {
        Cover::Exact(code) => Ok(Some(*code)),
        Cover::Missing => Ok(Some(original.column(id).missing_slot())),
        Cover::Any => Ok(None),
        Cover::Range { .. } | Cover::Set(_) | Cover::Multiset(_) => Err(Error::Setting(format!(
            "column `{}` of the release has ranges, sets or counts in place of values\n  hint: judge the classes of the release instead",
            printable(column.name())
        ))),
    };
    (0..slots).map(slot).collect()
}

/// Whether every cell is published as it is, where it is, or not at all, and every row is there.
fn only_withholds(table: &EncodedTable, changes: &Changes) -> bool {
    let stays = |id| changes.replaced(id).is_none() && changes.sources(id).is_none();
    changes.removed().is_empty()
        && changes.added().is_empty()
        && table.all_columns().iter().all(stays)
}
