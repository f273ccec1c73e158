//! What the classes of a release are like, counted again from the published table.
//!
//! A protector promises that every class on some columns has enough rows, and that the sensitive
//! values in it are spread in some way. Here rows are grouped by this crate's own way, and for each
//! sensitive column the worst class of every kind is kept. That is enough to decide any
//! [`Condition`] later, exactly, without the rows.
//!
//! # Method
//! Sensitive cells are sorted class by class, which counts the values that a class has and no
//! others. The distances to the original take time by these values too: between two of them the
//! class's cumulated share stands still while the original's rises, so they cross once, and sums
//! that are kept ready give what lies between.

mod facts;
mod shares;
mod worst;

use muslin_engine::Run;
use muslin_table::{Column, ColumnId, ColumnSet, EncodedTable};
use rayon::prelude::*;

pub use self::facts::{ClassFacts, Condition, SpreadFacts};

pub(crate) use self::shares::find_all;
use self::shares::{Places, Shares};
use self::worst::Worst;
use crate::classes::Classes;
use crate::keys::{Keys, agree, hash};
use crate::{Error, Result};

/// Counts the classes of a release on some columns, and how sensitive columns are spread in them.
///
/// # Guarantee
/// The facts are those of the rows of the release that agree on all columns. A missing cell is a
/// value of its own, so is a suppressed one; in order both come after all values, missing first.
///
/// # Cost
/// Rows times columns to group; to count a sensitive column, the sorting of its cells.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_table::{ColumnId, ColumnSet, EncodedTable};
/// use muslin_verify::{ClassJudge, Condition};
/// // Two classes; in the second, both rows have one sensitive value.
/// let release = EncodedTable::of(&[[1, 5], [1, 6], [1, 7], [2, 5], [2, 5]]);
/// let judge = ClassJudge::new(ColumnSet::first(1)).sensitive(ColumnId::new(1), None);
/// let facts = judge.run(&release, &Run::new())?;
/// assert_eq!(facts.smallest(), Some(2));
/// assert_eq!(facts.spreads()[0].fewest_distinct(), Some(1));
/// assert!(facts.is_met(Condition::AtLeast { k: 2 }, 0));
/// assert!(!facts.is_met(Condition::Distinct { l: 2 }, 0));
/// # Ok::<(), muslin_verify::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClassJudge {
    columns: ColumnSet,
    sensitive: Vec<(ColumnId, Option<Shares>)>,
}

impl ClassJudge {
    /// Puts rows that agree on `columns` in one class.
    pub fn new(columns: ColumnSet) -> Self {
        Self { columns, sensitive: Vec::new() }
    }

    /// Looks at one more sensitive column of the release. Closeness is measured against `original`,
    /// the column that it was made from, or against the release's own where there is none.
    ///
    /// The two columns may have different dictionaries; a value is found by what it is.
    #[must_use]
    pub fn sensitive(mut self, column: ColumnId, original: Option<&Column>) -> Self {
        self.sensitive.push((column, original.map(Shares::of)));
        self
    }

    /// Counts the classes of `release`.
    pub fn run(&self, release: &EncodedTable, run: &Run) -> Result<ClassFacts> {
        let sensitive: ColumnSet = self.sensitive.iter().map(|&(id, _)| id).collect();
        if !self.columns.union(&sensitive).is_subset(&release.all_columns()) {
            return Err(Error::Setting(format!(
                "a column to look at is beyond the release's {} columns\n  hint: name columns of the release",
                release.columns().len()
            )));
        }
        let columns: Vec<ColumnId> = self.columns.iter().collect();
        run.install(|| {
            let classes = classes(release, &columns, run)?;
            let sizes = classes.sizes();
            let spread = |(id, original): &(ColumnId, Option<Shares>)| {
                let column = release.column(*id);
                let own = Shares::of(column);
                let places = Places::new(column, &own, original.as_ref().unwrap_or(&own))?;
                let cells = by_class(column, &classes, &sizes, &places);
                let worst = Worst::of_classes(cells, &sizes, &places, run)?;
                Ok(SpreadFacts::new(*id, worst, &places))
            };
            let spreads: Result<Vec<SpreadFacts>> = self.sensitive.par_iter().map(spread).collect();
            Ok(ClassFacts::new(classes, sizes, spreads?))
        })
    }
}

fn classes(release: &EncodedTable, columns: &[ColumnId], run: &Run) -> Result<Classes> {
    let keys = Keys::pack(release, columns);
    let all = keys.all();
    Classes::new(
        release.rows(),
        |row| hash(keys.row(row), &all),
        |a, b| agree(keys.row(a), keys.row(b), &all),
        run,
    )
}

/// The places of a column's cells, class after class.
fn by_class(column: &Column, classes: &Classes, sizes: &[u32], places: &Places) -> Vec<u32> {
    let mut next = Vec::with_capacity(sizes.len());
    let mut end = 0;
    for &size in sizes {
        next.push(end);
        end += size as usize;
    }
    let mut cells = vec![0; end];
    for (slot, &class) in column.codes().slots().zip(&classes.of) {
        let at = &mut next[class as usize];
        cells[*at] = places.of_slot(slot);
        *at += 1;
    }
    cells
}
