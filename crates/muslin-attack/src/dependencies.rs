//! Dependencies: columns that determine others reveal suppressed and generalized cells.
//!
//! # Method
//! On the rows where one or two columns X are published and a column Y is shown exactly, rows are grouped by X. The
//! dependency's *share* is that of the rows which have their group's most frequent value of Y, over the groups of two
//! rows and more: a group of one proves nothing. Dependencies above a share guess the other cells of Y, the best first:
//! the most frequent value of the group that the cell's label allows.

use muslin_engine::Run;
use muslin_table::ColumnSet;
use rayon::prelude::*;

use crate::attack::{Guesses, share};
use crate::error::fault;
use crate::interval::at_least;
use crate::strips::{Sharing, Strips};
use crate::{Attack, Released, Result};

const DEFENCE: &str =
    "leave out or generalize the columns that determine others, or suppress their cells too";

/// Infers suppressed and generalized cells by dependencies between columns that the release itself shows.
///
/// # Guarantee
/// Only the release is looked at; the original judges. Each cell that is suppressed or generalized is guessed by the best
/// dependency that knows its X. The best one has the largest share that is sure, the lower end of its 95 % interval (of
/// several: the one with fewest columns, then the first columns). Dependencies that are not surely better than the
/// column's most frequent value are not used. A guess is a value that the cell's label allows. It is certain when the
/// share is one and so many rows show it that at most half of the errors of the most frequent value can be left.
///
/// # Cost
/// Rows times columns times pairs of columns; pairs are left out, and it is said, where that is more than the work limit.
///
/// # Example
/// ```
/// use muslin_attack::{Dependencies, Released};
/// use muslin_engine::Run;
/// use muslin_table::{Column, EncodedTable};
/// // Every survey weight is that of one region.
/// let weights: Vec<[i64; 1]> = (0..40).map(|row| [row % 4]).collect();
/// let weights = EncodedTable::of(&weights).into_columns().remove(0);
/// let region = |row: u32| if row < 4 { 2 + row % 2 } else { row % 4 / 2 };
/// let labels = ["north", "south", "*", "{north, south}"];
/// let regions: Vec<u32> = (0..40).map(region).collect();
/// let regions = Column::of_labels("region", &labels, regions.into_iter())?;
/// let release = EncodedTable::new(40, vec![weights, regions])?;
/// let found = Dependencies::new(release.all_columns()).run(&Released::new(&release), &Run::new())?;
/// assert_eq!((found.targets(), found.guessed(), found.certain()), (4, 4, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dependencies {
    columns: ColumnSet,
    least_share: f64,
    work_limit: u64,
}

/// X determines Y, mostly.
struct Dependency {
    /// What the share is at least.
    sure: f64,
    /// Whether the release shows no exception.
    is_exact: bool,
    from: Vec<usize>,
}

impl Dependencies {
    /// Looks at these columns of the release.
    pub fn new(columns: ColumnSet) -> Self {
        Self { columns, least_share: 0.95, work_limit: 2_000_000_000 }
    }

    /// Uses dependencies of at least this share: 0.95 unless told.
    #[must_use]
    pub fn least_share(mut self, share: f64) -> Self {
        self.least_share = share;
        self
    }

    /// Leaves pairs of columns out above this many cells to look at: two billion unless told.
    #[must_use]
    pub fn work_limit(mut self, cells: u64) -> Self {
        self.work_limit = cells;
        self
    }

    /// Attacks a release.
    pub fn run(&self, released: &Released<'_>, run: &Run) -> Result<Attack> {
        released.check(&self.columns)?;
        if !(self.least_share > 0.0 && self.least_share <= 1.0) {
            return fault("the least share is above 0 and at most 1", "0.95 is a good start");
        }
        run.install(|| {
            let strips = Strips::new(released, &self.columns);
            let open: Vec<usize> = (0..strips.width()).filter(|&y| strips.is_open(y)).collect();
            let width = strips.width() as u64;
            let pairs = width * width.saturating_sub(1) / 2;
            let steps = pairs.saturating_mul(open.len() as u64).saturating_mul(strips.rows() as u64);
            let with_pairs = steps <= self.work_limit;
            let mut found = self.dependencies(&strips, &open, with_pairs, run)?;
            let mut guesses = Guesses::new(released);
            let mut used = 0;
            for (&y, found) in open.iter().zip(&mut found) {
                found.sort_by(|a, b| {
                    let size = |dependency: &Dependency| dependency.from.len();
                    b.sure.total_cmp(&a.sure).then(size(a).cmp(&size(b))).then(a.from.cmp(&b.from))
                });
                used += found.len();
                infer(&strips, y, found, &mut guesses, run)?;
            }
            let knows = format!(
                "the release alone: one or two columns determine another in at least {} % of the rows that show it",
                self.least_share * 100.0
            );
            let mut attack = guesses.finish("dependencies", knows, DEFENCE);
            attack.is_statistical = true;
            let attack = attack.noted(match used {
                1 => "1 dependency was found".into(),
                used => format!("{used} dependencies were found"),
            });
            Ok(if with_pairs {
                attack
            } else {
                attack.noted("pairs of columns were left out: too much work")
            })
        })
    }

    /// What determines each of the columns `open`, in any order.
    fn dependencies(
        &self,
        strips: &Strips<'_>,
        open: &[usize],
        with_pairs: bool,
        run: &Run,
    ) -> Result<Vec<Vec<Dependency>>> {
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let all: Vec<usize> = (0..strips.width()).collect();
        let mut sets: Vec<Vec<usize>> = all.iter().map(|&x| vec![x]).collect();
        if with_pairs {
            let pair =
                |&a: &usize| all[a + 1..].iter().map(move |&b| vec![a, b]).collect::<Vec<_>>();
            sets.extend(all.iter().flat_map(pair));
        }
        let modes: Vec<f64> = open.iter().map(|&y| strips.mode(y)).collect();
        let judge = |from: &Vec<usize>| -> Result<Vec<Option<Dependency>>> {
            let sharing = Sharing::published(strips, from, run)?;
            let each = open.iter().zip(&modes).map(|(&y, &mode)| {
                let (own, all) = sharing.agreement(strips, y);
                let is_much = share(own, all).is_some_and(|share| share >= self.least_share);
                let sure = at_least(own, all);
                let is_used = is_much && sure > mode && !from.contains(&y);
                let is_exact = own == all && sure >= f64::midpoint(1.0, mode);
                is_used.then(|| Dependency { sure, is_exact, from: from.clone() })
            });
            Ok(each.collect())
        };
        let found: Result<Vec<Vec<Option<Dependency>>>> = sets.par_iter().map(judge).collect();
        let mut of_column: Vec<Vec<Dependency>> = open.iter().map(|_| Vec::new()).collect();
        for of_set in found? {
            for (own, more) in of_column.iter_mut().zip(of_set) {
                own.extend(more);
            }
        }
        Ok(of_column)
    }
}

/// Guesses the cells of a column, by the best dependency first.
fn infer(
    strips: &Strips<'_>,
    y: usize,
    dependencies: &[Dependency],
    guesses: &mut Guesses<'_>,
    run: &Run,
) -> Result<()> {
    let mut open = strips.open(y);
    let column = strips.column(y);
    open.iter().for_each(|_| guesses.target(column));
    for dependency in dependencies {
        if open.is_empty() {
            break;
        }
        let sharing = Sharing::published(strips, &dependency.from, run)?;
        let before = open.len();
        open = sharing.guess(strips, y, &open, dependency.is_exact, guesses);
        if open.len() < before {
            guesses.made_by(column, dependency.from.iter().map(|&x| strips.column(x)));
        }
    }
    Ok(())
}
