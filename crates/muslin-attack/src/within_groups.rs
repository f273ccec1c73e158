//! Within groups: rows that share an exact value of another column reveal each other.
//!
//! # Method
//! The members of a household have the same household income, the respondents of a stratum the same survey weight. Rows
//! that share such a value are a group. Where one of them is generalized or suppressed in a column Y and another shows Y
//! exactly, the attacker takes the value that the others show. How far a column X can be relied on is seen in the release
//! itself: of the rows that show Y, how many have the value that the others of their group show most often.

use muslin_engine::Run;
use muslin_table::ColumnSet;
use rayon::prelude::*;

use crate::attack::Guesses;
use crate::interval::at_least;
use crate::strips::{Sharing, Strips};
use crate::{Attack, Released, Result};

const DEFENCE: &str = "leave out or generalize the columns by which rows form groups, or protect all rows of a group alike";

/// Infers suppressed and generalized cells from other rows that share an exact value of another published column.
///
/// # Guarantee
/// Only the release is looked at; the original judges. A column is used where, on the rows that show the attacked column,
/// the other rows of their group are right so often that, for sure (the lower end of a 95 % interval), at least half of
/// the errors of guessing the most frequent value are gone. Each cell is guessed by the most reliable of these columns in
/// whose group another row shows a value that the cell's label allows: the most frequent one. A guess is certain when the
/// column misleads nowhere in the release.
///
/// # Cost
/// Rows times columns times columns.
///
/// # Example
/// ```
/// use muslin_attack::{Released, WithinGroups};
/// use muslin_engine::Run;
/// use muslin_table::{Column, EncodedTable};
/// // Thirty households of two, with their incomes; one person of the first two hides the region.
/// let incomes: Vec<[i64; 1]> = (0..60).map(|row| [1_000 + row / 2]).collect();
/// let incomes = EncodedTable::of(&incomes).into_columns().remove(0);
/// let region = |row: u32| match row { 0 => 2, 2 => 3, row => row / 2 % 2 };
/// let labels = ["north", "south", "*", "{north, south}"];
/// let regions: Vec<u32> = (0..60).map(region).collect();
/// let regions = Column::of_labels("region", &labels, regions.into_iter())?;
/// let release = EncodedTable::new(60, vec![incomes, regions])?;
/// let found = WithinGroups::new(release.all_columns()).run(&Released::new(&release), &Run::new())?;
/// assert_eq!((found.targets(), found.guessed(), found.certain()), (2, 2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct WithinGroups {
    columns: ColumnSet,
}

/// A column by which rows form groups.
struct By {
    /// The share of right values is at least this.
    sure: f64,
    is_exact: bool,
    from: usize,
}

impl WithinGroups {
    /// Looks at these columns of the release.
    pub fn new(columns: ColumnSet) -> Self {
        Self { columns }
    }

    /// Attacks a release.
    pub fn run(&self, released: &Released<'_>, run: &Run) -> Result<Attack> {
        released.check(&self.columns)?;
        run.install(|| {
            let strips = Strips::new(released, &self.columns);
            let open: Vec<usize> = (0..strips.width()).filter(|&y| strips.is_open(y)).collect();
            let modes: Vec<f64> = open.iter().map(|&y| strips.mode(y)).collect();
            let judge = |from: usize| -> Result<Vec<Option<By>>> {
                let sharing = Sharing::exact(&strips, from, run)?;
                let each = open.iter().zip(&modes).map(|(&y, &mode)| {
                    let (right, all) = sharing.agreement_with_others(&strips, y);
                    let sure = at_least(right, all);
                    let is_used = from != y && sure > mode && sure >= f64::midpoint(1.0, mode);
                    is_used.then_some(By { sure, is_exact: right == all, from })
                });
                Ok(each.collect())
            };
            let width = if open.is_empty() { 0 } else { strips.width() };
            let found: Result<Vec<Vec<Option<By>>>> = (0..width).into_par_iter().map(judge).collect();
            let mut of_column: Vec<Vec<By>> = open.iter().map(|_| Vec::new()).collect();
            for of_one in found? {
                of_column.iter_mut().zip(of_one).for_each(|(own, more)| own.extend(more));
            }
            let mut guesses = Guesses::new(released);
            for (&y, found) in open.iter().zip(&mut of_column) {
                found.sort_by(|a, b| b.sure.total_cmp(&a.sure).then(a.from.cmp(&b.from)));
                infer(&strips, y, found, &mut guesses, run)?;
            }
            let knows = "the release alone: rows that share a value of another published column, such as a survey weight or a household's income, are alike in other columns too";
            let mut attack = guesses.finish("within-groups", knows.into(), DEFENCE);
            attack.is_statistical = true;
            Ok(attack)
        })
    }
}

/// Guesses the cells of a column, by the most reliable groups first.
fn infer(
    strips: &Strips<'_>,
    y: usize,
    by: &[By],
    guesses: &mut Guesses<'_>,
    run: &Run,
) -> Result<()> {
    let mut open = strips.open(y);
    let column = strips.column(y);
    open.iter().for_each(|_| guesses.target(column));
    for own in by {
        if open.is_empty() {
            break;
        }
        let sharing = Sharing::exact(strips, own.from, run)?;
        let before = open.len();
        open = sharing.guess(strips, y, &open, own.is_exact, guesses);
        if open.len() < before {
            guesses.made_by(column, std::iter::once(strips.column(own.from)));
        }
    }
    Ok(())
}
