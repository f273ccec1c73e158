//! Guessable seeds: an order that a small seed made is undone by trying seeds.

use muslin_engine::{Run, Seed};
use muslin_table::{ColumnId, ColumnSet};
use rayon::prelude::*;

use crate::attack::{Attack, Certain, UNSCORED, first_rows, grouped, share};
use crate::error::fault;
use crate::fits::{Fits, fits};
use crate::interval::wilson;
use crate::released::Seen;
use crate::{Released, Result, covers};

const NAME: &str = "seed";
const DEFENCE: &str = "draw orders by the operating system's randomness, and publish no seed";
/// Seeds between two looks at the clock.
const CHUNK: u64 = 256;

/// Tries seeds until the order of a release is reproduced.
///
/// # Guarantee
/// A seed makes one or several orders. An order survives when every row of the release may be the original's
/// row that it puts there, on all columns looked at. Rows that all survivors put at one place are relinked,
/// and that is what `guessed` counts. Where it is known which rows they are, links are scored; success is the
/// share of rows that are relinked, and right where that is known. Where no order survives there is no guess,
/// and no success. The baseline is the mean of 1 / (rows of the original that fit): what values alone give.
///
/// # Cost
/// Seeds times what an order costs; a wrong seed is given up at the first row that does not fit.
///
/// # Example
/// ```
/// use std::collections::BTreeMap;
/// use muslin_attack::{Released, Rows, SeedGuess};
/// use muslin_engine::{Run, Seed};
/// use muslin_table::EncodedTable;
/// // A poor way to make an order: rows are turned by the seed.
/// let turned = |seed: Seed, rows: usize| -> Vec<Vec<u32>> {
///     let mut order: Vec<u32> = (0u32..).take(rows).collect();
///     order.rotate_left(usize::try_from(seed.number()).unwrap_or(0) % rows);
///     vec![order]
/// };
/// let original = EncodedTable::of(&[[1], [2], [3], [4]]);
/// let release = EncodedTable::of(&[[3], [4], [1], [2]]);
/// let (none, run) = (BTreeMap::new(), Run::new());
/// let released = Released::with_original(&release, &original, &none, &Rows::Unknown, &run)?;
/// let found = SeedGuess::new(release.all_columns(), 4).run(&released, turned, &run)?;
/// assert_eq!((found.guessed(), found.success()), (4, Some(1.0)));
/// # Ok::<(), muslin_attack::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SeedGuess {
    columns: ColumnSet,
    seeds: u64,
    work_limit: u64,
}

impl SeedGuess {
    /// Tries the seeds below `seeds` on these columns of the release: those that moved together.
    pub fn new(columns: ColumnSet, seeds: u64) -> Self {
        Self { columns, seeds, work_limit: 500_000_000 }
    }

    /// Leaves the baseline out where it takes more steps: five hundred million unless told.
    #[must_use]
    pub fn work_limit(mut self, steps: u64) -> Self {
        self.work_limit = steps;
        self
    }

    /// Tries seeds. `orders` gives, for a seed and a number of rows, the rows of the original at the
    /// places of the release: one order, or several where it is not known which of them the columns
    /// have. Without the original nothing is tried.
    pub fn run(
        &self,
        released: &Released<'_>,
        orders: impl Fn(Seed, usize) -> Vec<Vec<u32>> + Sync,
        run: &Run,
    ) -> Result<Attack> {
        released.check(&self.columns)?;
        let rows = released.table().rows();
        let knows = format!(
            "the values of the original, the program, and that the seed is below {}",
            grouped(self.seeds)
        );
        let blank = Attack { targets: rows as u64, ..Attack::new(NAME, knows, DEFENCE) };
        let Some(original) = released.original() else {
            return Ok(blank.noted(UNSCORED));
        };
        if original.rows() != rows {
            return fault(
                "release and original have different numbers of rows, so no order makes one of the other",
                "give the original without the rows that were removed",
            );
        }
        let columns: Vec<(ColumnId, ColumnId)> = self
            .columns
            .iter()
            .filter_map(|id| Some((id, released.original_column(id)?)))
            .collect();
        if columns.is_empty() {
            return fault(
                "the release has no column of the original to compare",
                "name one at least",
            );
        }
        run.install(|| {
            let tables: Vec<Compared<'_>> =
                columns.iter().map(|&(own, theirs)| Compared::new(released, own, theirs)).collect();
            let fits = |(place, &row): (usize, &u32)| {
                (row as usize) < rows && tables.iter().all(|own| own.fits(place, row as usize))
            };
            let survives =
                |order: &Vec<u32>| order.len() == rows && order.iter().enumerate().all(fits);
            let of_seed = |seed: u64| orders(Seed::new(seed), rows).into_iter().filter(survives);
            let mut survivors: Vec<u64> = Vec::new();
            let mut from = 0;
            while from < self.seeds {
                run.check()?;
                let to = from.saturating_add(CHUNK).min(self.seeds);
                let found =
                    (from..to).into_par_iter().filter(|&seed| of_seed(seed).next().is_some());
                survivors.extend(found.collect::<Vec<u64>>());
                from = to;
            }
            let mut found = Attack { baseline: self.baseline(released, &columns, run)?, ..blank };
            let mut left = survivors.iter().flat_map(|&seed| of_seed(seed));
            if let Some(first) = left.next() {
                let mut agree = vec![true; rows];
                for other in left {
                    run.check()?;
                    let both = first.iter().zip(&other).map(|(a, b)| a == b);
                    agree.iter_mut().zip(both).for_each(|(agree, same)| *agree &= same);
                }
                let relinked = (0u32..).zip(&first).zip(&agree).filter(|(_, agree)| **agree);
                let relinked: Vec<(u32, u32)> =
                    relinked.map(|((place, &row), _)| (place, row)).collect();
                let known = relinked.iter().filter_map(|&(place, row)| {
                    released.original_row(place).map(|actual| actual == row)
                });
                let known: Vec<bool> = known.collect();
                let right = known.iter().filter(|is_right| **is_right).count() as u64;
                let (all, scored) = (relinked.len() as u64, known.len() as u64);
                (found.guessed, found.scored) = (all, scored);
                found.certain = Certain { all, scored, right };
                found.right = (scored > 0).then_some(right);
                found.rows = first_rows(relinked.iter().map(|own| own.0));
                found.success = share(right + all - scored, found.targets);
                #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
                let linked = (right + all - scored) as f64;
                found.interval = wilson(linked, found.targets, 1);
            }
            let (tried, reproduce) = (grouped(self.seeds), "the row order");
            Ok(found.noted(match survivors.len() {
                0 => format!("no seed below {tried} reproduces {reproduce}"),
                1 => format!("1 of {tried} seeds reproduces {reproduce}"),
                left => format!("{left} of {tried} seeds reproduce {reproduce}"),
            }))
        })
    }

    fn baseline(
        &self,
        released: &Released<'_>,
        columns: &[(ColumnId, ColumnId)],
        run: &Run,
    ) -> Result<Option<f64>> {
        let Some(original) = released.original() else { return Ok(None) };
        let table = released.table();
        let covers: Vec<covers::Covers> = columns
            .iter()
            .map(|&(own, _)| {
                let slots = (0u32..).take(table.column(own).slots());
                slots.map(|slot| Some(released.cover(own, slot))).collect()
            })
            .collect();
        let on: Vec<(ColumnId, ColumnId)> =
            columns.iter().map(|&(own, theirs)| (theirs, own)).collect();
        let fits = match Fits::new(NAME, (original, table), &on, &covers, self.work_limit, run) {
            Err(crate::Error::TooMuchWork { .. }) => return Ok(None),
            fits => fits?,
        };
        let (people, _) = fits.people_of_classes();
        #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
        let chance = |(&size, &people): (&u32, &u64)| match people {
            0 => 0.0,
            _ => f64::from(size) / people as f64,
        };
        let sum: f64 = fits.classes.sizes.iter().zip(&people).map(chance).sum();
        let rows = f64::from(u32::try_from(table.rows()).unwrap_or(u32::MAX));
        Ok((rows > 0.0).then(|| sum / rows))
    }
}

/// A column of the release and the original's.
struct Compared<'a> {
    /// What the cells of the release say.
    seen: Vec<Seen<'a>>,
    slots: Vec<u32>,
    original: Vec<u32>,
    missing: u32,
}

impl<'a> Compared<'a> {
    fn new(released: &'a Released<'_>, own: ColumnId, theirs: ColumnId) -> Self {
        let column = released.table().column(own);
        let original = released.original().map(|original| original.column(theirs));
        Self {
            seen: (0u32..).take(column.slots()).map(|slot| released.seen(own, slot)).collect(),
            slots: column.codes().slots().collect(),
            original: original.map_or_else(Vec::new, |column| column.codes().slots().collect()),
            missing: released.blank(own),
        }
    }

    /// Whether a row of the original may be at a place of the release.
    fn fits(&self, place: usize, row: usize) -> bool {
        let value = self.original[row];
        match self.seen[self.slots[place] as usize] {
            Seen::Shown(own) => own == value,
            Seen::Blank => true,
            Seen::Missing => value == self.missing,
            Seen::Wide(cover) => fits(cover, value, self.missing),
        }
    }
}
