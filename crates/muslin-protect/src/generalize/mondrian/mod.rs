//! Mondrian: classes that are boxes, cut out of each other.
//!
//! After `LeFevre`, `DeWitt` and Ramakrishnan (2006). All rows are one partition; a partition is
//! cut in two at a value of a column as long as both sides meet the target. What is left are the
//! classes. Their cells are published as the range, the set or the group of the class's values. The
//! paper cuts at a median; here the default is the cut that loses least.
//!
//! A column's values have positions: those of their order, or of the order of a hierarchy's tree.
//! Missing has the position after the last value, a cell that was suppressed before the one after
//! that. Where a class has a missing cell and another that is not, nobody learns which: all are
//! suppressed.
//!
//! Sides of a cut are priced before they are cut further: rows times the sum over columns of what a
//! cell costs. That is 1 where it is suppressed and otherwise (b - a) / (values - 1), where a and b
//! are the first and the last position of the side; for a tree, (values of the lowest group - 1) /
//! (values - 1). Sets too are priced by their range, and grids do not count. Prices are compared in
//! whole numbers: that of a step is rounded down to a 16,576,560th, which is exact for columns of
//! up to 17 values.

mod axis;
mod best;
mod cutter;
mod diversity;
mod found;
mod lanes;
mod median;
mod publish;

use muslin_engine::{Coverage, Engine, Run, Stop};
use muslin_table::{Changes, ColumnId, ColumnSet, EncodedTable, Hierarchy};
use rayon::prelude::*;

pub use self::found::Partitioned;

use self::axis::Axis;
use self::cutter::{Class, Cutter};
use self::diversity::Sensitive;
use self::lanes::{Bounds, Lane, Row};
use self::publish::{Members, publish};
use super::labels::Grid;
use crate::class_target::Judge;
use crate::{ClassTarget, Error, Protection, Protector, Result};

/// How a class's values of a column are published. A class with one value publishes that.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Form {
    /// From the smallest to the largest: `[22-52]`.
    Range {
        /// Where bounds may lie. Without one they are values of the class.
        grid: Option<Grid>,
    },
    /// All of them: `{22, 33, 52}`.
    Set {
        /// A class with more values than this is suppressed. Without it, every set is published.
        most: Option<u32>,
    },
    /// All of them with the rows that have each: `22:2,33:1,52:1`; a single value too.
    Multiset {
        /// As for sets.
        most: Option<u32>,
    },
    /// The lowest group of a hierarchy that has them all.
    Tree(Hierarchy),
    /// As a set, or as the label of a group where the class has all of its values; cut in the order
    /// of the hierarchy, so that values that are near each other there stay together.
    TreeSet(Hierarchy),
    /// From the first to the last in the order of a hierarchy: `[low to high]`.
    TreeRange(Hierarchy),
}

/// Where a partition is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// Where the two sides lose least, of all columns and values. Of equals, in the first column;
    /// then the more even one; then at the lower value.
    #[default]
    Best,
    /// At the lower median of the column with the widest range, as a share of the column's
    /// positions; of equals, the first. Where a side would not meet the target, the next column is
    /// tried.
    Median,
}

/// Cuts a table into classes that meet a target, and publishes ranges, sets or groups of their
/// values.
///
/// # Guarantee
/// Every class meets the target, whatever the coverage. When not relaxed, no row lies within the
/// bounds of another class in every column. When the coverage is complete, no class can be cut at a
/// value (with [`Cut::Median`]: at the median of a column) so that both sides meet the target. The
/// other columns stay as they are, and so does a column of which no class has two values. The
/// result does not depend on the number of threads.
///
/// # Cost
/// Each cut reads its rows a few times, so about rows times columns times the logarithm of classes.
/// Memory: 40 bytes a row for up to 16 columns of up to 254 values each, more for more. Columns
/// with far more values than a partition has rows, or more than 4,096, are sorted for every cut.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_protect::{ClassTarget, Form, Mondrian};
/// use muslin_table::{ColumnId, EncodedTable};
/// let table = EncodedTable::of(&[[22, 1], [25, 1], [47, 1], [51, 2]]);
/// let range = |at| (ColumnId::new(at), Form::Range { grid: None });
/// let mondrian = Mondrian::new(ClassTarget::new(2), vec![range(0), range(1)]);
/// let found = mondrian.run(&table, &Run::new())?;
/// assert_eq!(found.class_of(), [0, 0, 1, 1]);
/// # Ok::<(), muslin_protect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mondrian {
    target: ClassTarget,
    columns: Vec<(ColumnId, Form)>,
    cut: Cut,
    relaxed: bool,
}

/// Columns at most.
const MOST_COLUMNS: usize = 128;

impl Mondrian {
    /// Classes on `columns` that meet `target`, each column published in its form.
    pub fn new(target: ClassTarget, columns: Vec<(ColumnId, Form)>) -> Self {
        Self { target, columns, cut: Cut::default(), relaxed: false }
    }

    /// Where to cut.
    #[must_use]
    pub fn cut(mut self, cut: Cut) -> Self {
        self.cut = cut;
        self
    }

    /// Whether rows at the median may go to either side, so that both have as many: the first of
    /// them go left, as many as it takes. Then classes may overlap.
    #[must_use]
    pub fn relaxed(mut self, relaxed: bool) -> Self {
        self.relaxed = relaxed;
        self
    }

    /// Cuts `table`.
    pub fn run(&self, table: &EncodedTable, run: &Run) -> Result<Partitioned> {
        self.check(table)?;
        let judge = self.target.judge(table)?;
        let axis = |(id, form): &(ColumnId, Form)| Axis::of(table, *id, form);
        let axes: Vec<Axis> = self.columns.iter().map(axis).collect::<Result<_>>()?;
        let codes = |id: &ColumnId| table.column(*id).codes().slots().collect();
        let slots: Vec<Vec<u32>> = judge.sensitive().iter().map(codes).collect();
        let sensitive = Sensitive { judge: &judge, slots: &slots };
        let ids: Vec<u32> = (0u32..).take(table.rows()).collect();
        if table.rows() > 0 && !sensitive.is_met(&ids) {
            return Err(unreachable(&judge, table));
        }
        let most = axes.iter().map(|axis| axis.values + 1).max().unwrap_or(0);
        let work = Work { mondrian: self, table, run, axes: &axes, sensitive };
        run.install(|| match (most, axes.len()) {
            (0..=0xFF, 0..=16) => work.run::<u8, 16>(ids),
            (0..=0xFF, _) => work.run::<u8, MOST_COLUMNS>(ids),
            (0..=0xFFFF, 0..=16) => work.run::<u16, 16>(ids),
            (_, 0..=16) => work.run::<u32, 16>(ids),
            _ => work.run::<u32, MOST_COLUMNS>(ids),
        })
    }

    fn check(&self, table: &EncodedTable) -> Result<()> {
        let wrong = |text: &str| Err(Error::Setting(text.into()));
        let sensitive = self.target.spreads().iter().map(|(id, _)| *id);
        let own = self.columns.iter().map(|(id, _)| *id);
        if own.clone().chain(sensitive.clone()).any(|id| id.index() >= table.columns().len()) {
            return wrong(
                "a column is named that the table does not have\n  hint: look it up by name",
            );
        }
        if self.columns.len() > MOST_COLUMNS {
            return wrong(
                "classes are cut on at most 128 columns together\n  hint: name the quasi-identifiers with `--columns`",
            );
        }
        let set: ColumnSet = own.clone().collect();
        let named = |id: ColumnId| muslin_table::printable(table.column(id).name()).to_string();
        if set.len() < self.columns.len() {
            return wrong("a column is to be published in two forms\n  hint: name it once");
        }
        if let Some(id) = sensitive.into_iter().find(|&id| set.contains(id)) {
            return Err(Error::Setting(format!(
                "column `{}` is both generalized and sensitive\n  hint: leave it out of one of them",
                named(id)
            )));
        }
        if self.relaxed && self.cut != Cut::Median {
            return wrong(
                "only cuts at a median can be relaxed\n  hint: ask for the median, or leave relaxed out",
            );
        }
        Ok(())
    }
}

impl Protector for Mondrian {
    fn protect(&self, table: &dyn Engine, run: &Run) -> Result<Protection> {
        let all = ColumnSet::first(table.shape()?.columns);
        let table = table.collect(&all)?;
        Ok(self.run(&table, run)?.into())
    }
}

fn unreachable(judge: &Judge, table: &EncodedTable) -> Error {
    let (rows, k) = (table.rows(), judge.k());
    Error::Unreachable(if rows < k as usize {
        format!(
            "the table has {rows} rows, fewer than the {k} of a class\n  hint: pass a smaller `-k`"
        )
    } else {
        "all rows together are less diverse than each class must be\n  hint: ask for a lower diversity, or a larger distance".into()
    })
}

/// What a run works on.
struct Work<'a> {
    mondrian: &'a Mondrian,
    table: &'a EncodedTable,
    run: &'a Run,
    axes: &'a [Axis],
    sensitive: Sensitive<'a>,
}

impl Work<'_> {
    fn run<T: Lane, const N: usize>(&self, mut ids: Vec<u32>) -> Result<Partitioned> {
        let count = self.table.rows();
        self.run.check_memory((count * 2 * (size_of::<Row<T, N>>() + size_of::<u32>())) as u64)?;
        let mut rows = vec![[T::LEAST; N]; count];
        for (lane, axis) in self.axes.iter().enumerate() {
            let positions = axis.each_position(self.table.column(axis.id));
            rows.iter_mut().zip(positions).for_each(|(row, at)| row[lane] = T::at(at));
        }
        let how = (self.mondrian.cut, self.mondrian.relaxed);
        let (mut classes, stopped) = if count == 0 {
            (Vec::new(), None)
        } else {
            let cutter = Cutter::<T, N>::new(self.axes, self.sensitive, how, self.run);
            cutter.classes(&mut rows, &mut ids)
        };
        // Rows of a class are in order, so its first is the first.
        classes.par_sort_unstable_by_key(|class| ids[class.start as usize]);
        self.finish(&rows, &ids, &classes, stopped)
    }

    fn finish<T: Lane, const N: usize>(
        &self,
        rows: &[Row<T, N>],
        ids: &[u32],
        classes: &[Class],
        stopped: Option<Stop>,
    ) -> Result<Partitioned> {
        let own = |class: &Class| class.start as usize..(class.start + class.rows) as usize;
        let bounds: Vec<Bounds<T, N>> =
            classes.par_iter().map(|class| Bounds::of(&rows[own(class)])).collect();
        let mut class_of = vec![0u32; ids.len()];
        for (number, class) in (0u32..).zip(classes) {
            ids[own(class)].iter().for_each(|&id| class_of[id as usize] = number);
        }
        let sizes: Vec<u32> = classes.iter().map(|class| class.rows).collect();
        let columns = self.mondrian.columns.par_iter().zip(self.axes).enumerate();
        let published = columns.map(|(lane, ((id, form), axis))| {
            let members = Members::of(form, lane, rows, classes, &bounds);
            let column = self.table.column(*id);
            Ok((*id, publish(column, axis, form, &members, &sizes, &class_of)?))
        });
        let mut changes = Changes::none(self.table);
        let mut losses = Vec::with_capacity(self.axes.len());
        for (id, published) in published.collect::<Result<Vec<_>>>()? {
            losses.push((id, if ids.is_empty() { 0.0 } else { published.loss }));
            if let Some(column) = published.column {
                changes.replace(id, column).map_err(muslin_engine::Error::from)?;
            }
        }
        let coverage = stopped.map_or(Coverage::Complete, |by| Coverage::Stopped { by });
        Ok(Partitioned { class_of, sizes, losses, changes, coverage })
    }
}
