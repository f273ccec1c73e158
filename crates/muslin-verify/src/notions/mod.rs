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
use muslin_table::{Changes, ColumnId, ColumnSet, EncodedTable};

pub use self::found::{Counts, Notions};

use self::links::Links;
use self::sides::Sides;
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
/// distinct published rows times patterns.
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
        if !self.columns.is_subset(&table.all_columns()) {
            return Err(Error::Setting(format!(
                "a column to look at is beyond the table's {} columns\n  hint: name columns of the table",
                table.columns().len()
            )));
        }
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
            let sides = Sides::new(table, &columns, changes, run)?;
            let links = Links::find(&sides, self.work_limit, run)?;
            let n5 = links.in_some_matching(&sides, run)?;
            let n1 = wildcard::count(&sides, self.work_limit, run)?;
            let by_original = |counts: &[u32]| Counts::of_classes(counts, &sides.originals.of);
            let by_published = |counts: &[u32]| Counts::of_classes(counts, &sides.published.of);
            let (n2, n3) = (by_original(&links.of_original), by_published(&links.of_published));
            Ok(Notions {
                n1: n1.as_deref().map(by_published),
                n4: n2.smaller(&n3),
                n2,
                n3,
                n5: n5.as_deref().map(by_original),
                n6: by_published(&sides.published.rows),
                sacrificial_rows: sides.sacrificial_rows,
            })
        })
    }
}

/// Whether every cell is published as it is, where it is, or not at all, and every row is there.
fn only_withholds(table: &EncodedTable, changes: &Changes) -> bool {
    let stays = |id| changes.replaced(id).is_none() && changes.sources(id).is_none();
    changes.removed().is_empty()
        && changes.added().is_empty()
        && table.all_columns().iter().all(stays)
}
