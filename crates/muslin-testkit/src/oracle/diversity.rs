//! What a class of rows must meet, each from its definition.

use std::collections::{BTreeMap, BTreeSet};

use muslin_table::{ColumnId, ColumnSet, EncodedTable, Ratio};

use super::fraction::Fraction;

/// How the sensitive values of a class are spread. Missing is a value, and the last in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diversity {
    /// At least so many different values.
    Distinct(u32),
    /// No value's share is above one in so many.
    Probabilistic(u32),
    /// The entropy is at least the logarithm of the number; a billionth is forgiven.
    Entropy(u32),
    /// With r the counts of the values, falling: `r_1 < c (r_l + ... + r_m)`.
    Recursive {
        /// The factor.
        c: Ratio,
        /// From which on, counted from one.
        l: u32,
    },
    /// An earth mover's distance to the whole table of at most so much; all values are one apart.
    CloseEqual(Ratio),
    /// The same, where values are as far apart as their places in order; first and last are one
    /// apart. Places are those of the values that the table has.
    CloseOrdered(Ratio),
}

/// What every class must meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The least rows.
    pub k: usize,
    /// Sensitive columns and how they must be spread.
    pub diversities: Vec<(ColumnId, Diversity)>,
}

impl Demand {
    /// Whether the class of these rows does. Closeness is to all rows of the table.
    pub fn is_met(&self, table: &EncodedTable, class: &[u32]) -> bool {
        let spread = |&(id, diversity): &(ColumnId, Diversity)| {
            let codes = table.column(id).codes();
            let own: Vec<u32> = class.iter().map(|&row| codes.slot(row as usize)).collect();
            is_diverse(diversity, &own, &codes.slots().collect::<Vec<_>>())
        };
        class.len() >= self.k && self.diversities.iter().all(spread)
    }
}

/// The classes of the rows on `by`, by sorting their values: in value order, each with rising rows.
/// Missing and suppressed are values.
pub fn classes(table: &EncodedTable, by: &ColumnSet) -> Vec<Vec<u32>> {
    classes_by(table.rows(), |row| by.iter().map(|id| table.column(id).codes().slot(row)).collect())
}

/// Rows with equal keys, in the order of the keys.
pub(super) fn classes_by(rows: usize, key: impl Fn(usize) -> Vec<u32>) -> Vec<Vec<u32>> {
    let mut keyed: Vec<(Vec<u32>, u32)> =
        (0u32..).take(rows).map(|r| (key(r as usize), r)).collect();
    keyed.sort();
    let alike = keyed.chunk_by(|a, b| a.0 == b.0);
    alike.map(|class| class.iter().map(|(_, row)| *row).collect()).collect()
}

/// Whether every class on `by` has at least `k` rows.
pub fn is_k_anonymous(table: &EncodedTable, by: &ColumnSet, k: usize) -> bool {
    classes(table, by).iter().all(|class| class.len() >= k)
}

/// Whether every class on `by` meets the demand.
pub fn all_classes_meet(table: &EncodedTable, by: &ColumnSet, demand: &Demand) -> bool {
    classes(table, by).iter().all(|class| demand.is_met(table, class))
}

/// Whether the sensitive values of a class, in a table that has the `whole`, are spread so. Neither
/// is empty.
pub fn is_diverse(diversity: Diversity, class: &[u32], whole: &[u32]) -> bool {
    let count = |value: u32| class.iter().filter(|&&own| own == value).count();
    let values: BTreeSet<u32> = class.iter().copied().collect();
    match diversity {
        Diversity::Distinct(l) => values.len() >= l as usize,
        Diversity::Probabilistic(l) => {
            let share = |&value: &u32| Fraction::new(count(value), class.len()).ratio();
            values.iter().all(|value| share(value) <= Ratio::new(1, u128::from(l)))
        }
        Diversity::Entropy(l) => {
            let share = |&value: &u32| Fraction::new(count(value), class.len()).ratio().as_f64();
            let entropy: f64 = values.iter().map(|v| -share(v) * share(v).ln()).sum();
            entropy >= f64::from(l).ln() - 1e-9
        }
        Diversity::Recursive { c, l } => {
            let mut counts: Vec<usize> = values.iter().map(|&value| count(value)).collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let tail: usize = counts.iter().skip(l as usize - 1).sum();
            (counts[0] as u128) * c.whole() < c.part() * tail as u128
        }
        Diversity::CloseEqual(t) => earth_movers_distance(class, whole, |_, _| 1, 1) <= t,
        Diversity::CloseOrdered(t) => {
            let steps = whole.iter().collect::<BTreeSet<_>>().len() - 1;
            earth_movers_distance(class, whole, usize::abs_diff, steps.max(1)) <= t
        }
    }
}

/// The work of making the shares of `whole` from those of `class`, by doing it: in order, what is
/// too much of a value goes to the first that have too little.
///
/// Values are `distance` of their places apart, in units of one in `steps`. The order makes no
/// difference where all are equally far, and is the cheapest where the distance is that of places.
fn earth_movers_distance(
    class: &[u32],
    whole: &[u32],
    distance: impl Fn(usize, usize) -> usize,
    steps: usize,
) -> Ratio {
    let mut counts: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
    whole.iter().for_each(|&value| counts.entry(value).or_default()[1] += 1);
    class.iter().for_each(|&value| counts.entry(value).or_default()[0] += 1);
    // In units of one row of a class in one row of the table.
    let has = |[own, _]: &[usize; 2]| own * whole.len();
    let needs = |[_, all]: &[usize; 2]| all * class.len();
    let mut lacks: Vec<usize> = counts.values().map(|c| needs(c).saturating_sub(has(c))).collect();
    let mut work = 0;
    for (from, count) in counts.values().enumerate() {
        let mut surplus = has(count).saturating_sub(needs(count));
        for (to, lack) in lacks.iter_mut().enumerate() {
            let moved = surplus.min(*lack);
            work += moved * distance(from, to);
            surplus -= moved;
            *lack -= moved;
        }
    }
    Ratio::new(work as u128, (class.len() * whole.len() * steps) as u128)
}
