//! Row order: what neighbours in the file give away.

use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet};

use crate::attack::Guesses;
use crate::fits::fits;
use crate::released::Seen;
use crate::{Attack, Released, Result};

const DEFENCE: &str =
    "shuffle the rows by the operating system's randomness, or sort them by their published values";

/// Other orders that chance is told by.
const SHUFFLES: u64 = 8;

/// Guesses suppressed and generalized cells from the nearest visible cells above and below.
///
/// # Guarantee
/// A cell is guessed when the nearest visible cells of its column above and below agree: that value.
/// Numbers and days are guessed too when there is at most one value between the two: that one, or the
/// upper cell's. A guess is always one that the published label allows, and so is what it is compared
/// with: the column's most frequent value, or of a generalized cell the most frequent that the label
/// allows; or the same guesses with the rows in other orders, where these are right more often.
///
/// # Cost
/// Rows times columns.
///
/// # Example
/// ```
/// use muslin_attack::{Released, RowOrder};
/// use muslin_engine::Run;
/// use muslin_table::{Column, EncodedTable};
/// let region = Column::of_labels("region", &["north", "south", "*"], [0, 2, 0, 1].into_iter())?;
/// let release = EncodedTable::new(4, vec![region])?;
/// let found = RowOrder::new(release.all_columns()).run(&Released::new(&release), &Run::new())?;
/// assert_eq!((found.targets(), found.guessed(), found.success()), (1, 1, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RowOrder {
    columns: ColumnSet,
}

impl RowOrder {
    /// Attacks cells of these columns of the release.
    pub fn new(columns: ColumnSet) -> Self {
        Self { columns }
    }

    /// Attacks a release.
    pub fn run(&self, released: &Released<'_>, run: &Run) -> Result<Attack> {
        released.check(&self.columns)?;
        let rows = u32::try_from(released.table().rows()).expect("row ids are 32 bits wide");
        let mut attack = self.guess(released, &[(0..rows).collect()], run)?;
        if attack.success.is_some() {
            // Cells that are hidden are not like all others: what the same guesses get by chance is seen
            // where the order says nothing.
            let seed = run.seed_of_run();
            let shuffled = |nth: u64| -> Vec<u32> {
                let seed = seed.part(nth);
                let mut order: Vec<u32> = (0..rows).collect();
                order.sort_by_cached_key(|&row| seed.draw(u64::from(row)));
                order
            };
            let orders: Vec<Vec<u32>> = (0..SHUFFLES).map(shuffled).collect();
            let chance = self.guess(released, &orders, run)?;
            let by_chance = chance.success;
            attack.baseline =
                attack.baseline.zip(by_chance).map(|(a, b)| a.max(b)).or(attack.baseline);
            for (own, chance) in attack.columns.iter_mut().zip(&chance.columns) {
                own.at_least(chance.success());
            }
        }
        Ok(attack)
    }

    /// Guesses with the rows in each of some orders.
    fn guess(&self, released: &Released<'_>, orders: &[Vec<u32>], run: &Run) -> Result<Attack> {
        let mut guesses = Guesses::new(released);
        for order in orders {
            for id in self.columns.iter() {
                run.check()?;
                column(released, id, order, &mut guesses);
            }
        }
        let knows = "the release, and that rows next to each other in the file resemble each other"
            .to_owned();
        Ok(guesses.finish("row-order", knows, DEFENCE))
    }
}

fn column(released: &Released<'_>, id: ColumnId, order: &[u32], guesses: &mut Guesses<'_>) {
    let column = released.table().column(id);
    let missing = released.blank(id);
    let is_number = released.has_distances(id);
    let slots: Vec<u32> = column.codes().slots().collect();
    let mut above: Option<u32> = None;
    let mut open: Vec<u32> = Vec::new();
    for &row in order {
        match released.seen(id, slots[row as usize]) {
            Seen::Shown(below) => {
                let guess = above.and_then(|above| between(above, below, is_number));
                for &cell in &open {
                    let allowed = |value: u32| match released.seen(id, slots[cell as usize]) {
                        Seen::Wide(cover) => fits(cover, value, missing),
                        _ => true,
                    };
                    if let Some(value) = guess.filter(|&value| allowed(value)) {
                        guesses.guess(cell, id, value, false);
                    }
                }
                open.clear();
                above = Some(below);
            }
            Seen::Blank | Seen::Wide(_) => {
                guesses.target(id);
                open.push(row);
            }
            Seen::Missing => {}
        }
    }
}

/// The value of a cell between two others.
fn between(above: u32, below: u32, is_number: bool) -> Option<u32> {
    match above.abs_diff(below) {
        0 => Some(above),
        1 if is_number => Some(above),
        2 if is_number => Some(above.min(below) + 1),
        _ => None,
    }
}
