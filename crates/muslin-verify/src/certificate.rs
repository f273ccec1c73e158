//! Proof that no suppression of cells costs less.
//!
//! # The problem
//! Each row keeps the cells of some columns R; the others, C without R, are suppressed at their
//! weights' sum w(C \ R). Rows that keep the same columns and agree on them form a class of the
//! release, and each class must have at least k rows (own-value k-anonymity). The sum over all
//! rows is the cost; the least cost is wanted, and hard to find.
//!
//! # Why any multipliers give a bound
//! Let s be the scale and a\_i >= 0 the multiplier of row i. For a column set R and values v, let
//! G(R, v) be all rows of the table that hold v on R. A suppression that is allowed puts each row
//! into exactly one class; the class of (R, v) is a set S within G(R, v) of at least k rows. So s
//! times its cost is
//!
//! ```text
//! sum over classes of sum over i in S of s w(C \ R)
//!     = sum of all a_i + sum over classes of sum over i in S of (s w(C \ R) - a_i).
//! ```
//!
//! A class whose rows also agree on a suppressed column may as well show it: that costs no more, and
//! classes only become larger. Then all rows of G(R, v) agree on no suppressed column, since S does
//! not: call such (R, v) *closed*. Different classes have different (R, v). So the last sum is at
//! least the sum, over all closed (R, v) with at least k rows, of the smaller of 0 and the least
//! value that any S of at least k rows of G(R, v) has. That is the bound L(a), whatever a is; the cost is a whole number, so it is at
//! least L(a) / s, rounded up. (It is the Lagrangian relaxation of "each row is in one class".)
//!
//! # Method
//! The least S has the k rows of G(R, v) with the largest multipliers and every further row whose
//! multiplier is above c = s w(C \ R). Without a row above c its value is not below 0. So only
//! column sets with c below the largest multiplier are looked at; and there, with rows in falling
//! order of multipliers, a class begins at a row above c, takes every such row, and then the next
//! ones up to k. All of it is in whole numbers.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet, EncodedTable, printable};
use rayon::prelude::*;

use crate::classes::Classes;
use crate::keys::{Keys, agree, hash, mix};
use crate::{Error, Result};

/// Multipliers that prove a lower bound on what it costs to suppress cells of a table until each
/// class of equal rows has at least `k` rows.
///
/// # Guarantee
/// No such suppression costs less than [`Certificate::bound`], whatever the multipliers are; good
/// ones give a large bound, bad ones a small one. A suppression takes out cells of `columns`; after
/// it, a missing cell equals missing ones only and a suppressed cell equals suppressed ones only.
///
/// # Cost
/// Rows times the column sets whose scaled weight is below the largest multiplier.
///
/// # Example
/// ```
/// use muslin_engine::Run;
/// use muslin_table::{ColumnId, EncodedTable};
/// use muslin_verify::Certificate;
/// // Rows 0 and 1 differ in one column, so do rows 2 and 3: a cell of each row must go.
/// let table = EncodedTable::of(&[[1, 5], [1, 6], [2, 7], [2, 8]]);
/// let certificate = Certificate {
///     columns: vec![ColumnId::new(0), ColumnId::new(1)],
///     k: 2,
///     weights: vec![Some(1), Some(1)],
///     scale: 10,
///     multipliers: vec![10; 4],
/// };
/// assert_eq!(certificate.bound(&table, &Run::new())?, 4);
/// # Ok::<(), muslin_verify::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The columns whose cells may be suppressed and on which rows must agree.
    pub columns: Vec<ColumnId>,
    /// Rows that each class must have.
    pub k: u32,
    /// What it costs to suppress a cell of each column; nothing where that is never done.
    pub weights: Vec<Option<u64>>,
    /// Multipliers are counted in parts of this size: `scale` makes one unit of cost.
    pub scale: u32,
    /// A multiplier for each row of the table.
    pub multipliers: Vec<u64>,
}

/// Rows that agree on every column and have one multiplier.
struct Kind {
    row: u32,
    multiplier: u64,
    rows: u32,
}

/// A column set to look at: what is kept, as a mask, and the scaled weight of the others.
struct Pattern {
    kept: Vec<u64>,
    cost: u64,
}

/// Rows that agree on the columns that a pattern keeps: one of them, how many are taken so far, and
/// what these add to the bound.
struct Class {
    row: u32,
    rows: u64,
    sum: i128,
}

/// What is this in the list of classes that count is one that does not.
const NOT_COUNTED: usize = usize::MAX;

impl Certificate {
    /// Column sets that the checker looks at, at most.
    pub const MAX_PATTERNS: usize = 1 << 20;

    /// The bound that the multipliers prove, in units of cost; 0 where they prove nothing.
    pub fn bound(&self, table: &EncodedTable, run: &Run) -> Result<u64> {
        self.check(table)?;
        let keys = Keys::pack(table, &self.columns);
        let kinds = self.kinds(&keys, run)?;
        let patterns = self.patterns(&keys, kinds.first().map_or(0, |kind| kind.multiplier))?;
        let gains: Result<Vec<i128>> = run.install(|| {
            let gain = |pattern: &Pattern| self.gain(&keys, &kinds, pattern, run);
            patterns.par_iter().map(gain).collect()
        });
        let multipliers: i128 = self.multipliers.iter().map(|&a| i128::from(a)).sum();
        let scaled = (multipliers + gains?.iter().sum::<i128>()).max(0).unsigned_abs();
        // A smaller bound is a bound, so one beyond 64 bits may be cut.
        let bound = u64::try_from(scaled.div_ceil(u128::from(self.scale))).unwrap_or(u64::MAX);
        // The cost is a sum of weights, so it is a multiple of what divides all of them.
        Ok(match self.weights.iter().flatten().copied().fold(0, gcd) {
            0 => bound,
            step => bound.div_ceil(step).checked_mul(step).unwrap_or(bound),
        })
    }

    fn check(&self, table: &EncodedTable) -> Result<()> {
        let fault = |text: String| Err(Error::Setting(text));
        if self.k == 0 || self.scale == 0 {
            return fault("`k` and the scale of a certificate are at least 1".into());
        }
        let columns: ColumnSet = self.columns.iter().copied().collect();
        if columns.len() != self.columns.len() || !columns.is_subset(&table.all_columns()) {
            return fault("a certificate names columns of the table, each once".into());
        }
        if self.weights.len() != self.columns.len() {
            let (weights, columns) = (self.weights.len(), self.columns.len());
            return fault(format!("the certificate has {weights} weights for {columns} columns"));
        }
        if self.multipliers.len() != table.rows() {
            let (found, rows) = (self.multipliers.len(), table.rows());
            return fault(format!(
                "the certificate has {found} multipliers for {rows} rows\n  hint: give the table that it was made for, as it was"
            ));
        }
        // There, a cell that is kept would equal one that is suppressed.
        let mut columns = columns.iter().map(|id| table.column(id));
        if let Some(column) = columns.find(|column| column.suppressed() > 0) {
            return fault(format!(
                "column `{}` has suppressed cells before anything is decided\n  hint: give the original table",
                printable(column.name())
            ));
        }
        Ok(())
    }

    /// The kinds of rows, in falling order of multipliers.
    fn kinds(&self, keys: &Keys, run: &Run) -> Result<Vec<Kind>> {
        let all = keys.all();
        let multiplier = |row: usize| self.multipliers[row];
        let classes = Classes::new(
            self.multipliers.len(),
            |row| mix(hash(keys.row(row), &all), multiplier(row)),
            |a, b| multiplier(a) == multiplier(b) && agree(keys.row(a), keys.row(b), &all),
            run,
        )?;
        let sizes = classes.sizes();
        let kind = |(&row, &rows)| Kind { row, multiplier: multiplier(row as usize), rows };
        let mut kinds: Vec<Kind> = classes.first.iter().zip(&sizes).map(kind).collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(kind.multiplier));
        Ok(kinds)
    }

    /// The column sets whose scaled cost is below the largest multiplier.
    fn patterns(&self, keys: &Keys, largest: u64) -> Result<Vec<Pattern>> {
        // Lightest first: where one is too heavy, so are those after it.
        let scaled = |weight: u64| u64::try_from(u128::from(weight) * u128::from(self.scale));
        let weights = self.weights.iter().enumerate();
        let mut open: Vec<(u64, usize)> = weights
            .filter_map(|(column, weight)| Some((scaled((*weight)?).ok()?, column)))
            .filter(|&(cost, _)| cost < largest)
            .collect();
        open.sort_unstable();

        let mut patterns = Vec::new();
        if largest > 0 {
            patterns.push((0, Pattern { kept: keys.all(), cost: 0 }));
        }
        // Each set is extended by later columns, so each comes once.
        let mut done = 0;
        while let Some((from, pattern)) = patterns.get(done) {
            let (from, kept, cost) = (*from, pattern.kept.clone(), pattern.cost);
            for (place, &(weight, column)) in open.iter().enumerate().skip(from) {
                let Some(cost) = cost.checked_add(weight).filter(|&cost| cost < largest) else {
                    break;
                };
                let mut kept = kept.clone();
                keys.hide(&mut kept, column);
                patterns.push((place + 1, Pattern { kept, cost }));
            }
            if patterns.len() > Self::MAX_PATTERNS {
                return Err(Error::TooManyPatterns { limit: Self::MAX_PATTERNS });
            }
            done += 1;
        }
        Ok(patterns.into_iter().map(|(_, pattern)| pattern).collect())
    }

    /// The sum, over the classes of a pattern, of the least that rows of the class add; never
    /// above 0.
    fn gain(&self, keys: &Keys, kinds: &[Kind], pattern: &Pattern, run: &Run) -> Result<i128> {
        run.check()?;
        let k = u64::from(self.k);
        let (kept, cost) = (&pattern.kept[..], pattern.cost);
        let words = |row: u32| keys.row(row as usize);
        let mut classes: Vec<Class> = Vec::new();
        let mut table: HashTable<u32> = HashTable::new();
        let above = kinds.partition_point(|kind| kind.multiplier > cost);
        for kind in &kinds[..above] {
            let own = words(kind.row);
            let entry = table.entry(
                hash(own, kept),
                |&class| agree(words(classes[class as usize].row), own, kept),
                |&class| hash(words(classes[class as usize].row), kept),
            );
            let class = match entry {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    let class = u32::try_from(classes.len()).expect("no more classes than rows");
                    entry.insert(class);
                    classes.push(Class { row: kind.row, rows: 0, sum: 0 });
                    class
                }
            };
            let class = &mut classes[class as usize];
            class.rows += u64::from(kind.rows);
            class.sum -= i128::from(kind.rows) * i128::from(kind.multiplier - cost);
        }
        let mut short = classes.iter().filter(|class| class.rows < k).count();
        for (place, kind) in kinds[above..].iter().enumerate() {
            if short == 0 {
                break;
            }
            if place % 65_536 == 0 {
                run.check()?;
            }
            let own = words(kind.row);
            let same = |&class: &u32| agree(words(classes[class as usize].row), own, kept);
            let Some(&class) = table.find(hash(own, kept), same) else { continue };
            let class = &mut classes[class as usize];
            let taken = u64::from(kind.rows).min(k.saturating_sub(class.rows));
            class.rows += taken;
            class.sum += i128::from(taken) * i128::from(cost - kind.multiplier);
            short -= usize::from(taken > 0 && class.rows >= k);
        }
        // Of those that count, the bits in which some row differs from the class's first.
        let mut counted = 0;
        let places: Vec<usize> = classes
            .iter()
            .map(|class| {
                let is_counted = class.rows >= k && class.sum < 0;
                counted += usize::from(is_counted);
                if is_counted { counted - 1 } else { NOT_COUNTED }
            })
            .collect();
        if counted == 0 {
            return Ok(0);
        }
        let mut differing = vec![0u64; counted * keys.width()];
        for (place, kind) in kinds.iter().enumerate() {
            if place % 65_536 == 0 {
                run.check()?;
            }
            let own = words(kind.row);
            let same = |&class: &u32| agree(words(classes[class as usize].row), own, kept);
            let Some(&class) = table.find(hash(own, kept), same) else { continue };
            if places[class as usize] != NOT_COUNTED {
                let first = words(classes[class as usize].row);
                let bits = &mut differing[places[class as usize] * keys.width()..];
                bits.iter_mut().zip(own).zip(first).for_each(|((bits, a), b)| *bits |= a ^ b);
            }
        }
        let is_closed = |place: usize| {
            let differing = &differing[place * keys.width()..][..keys.width()];
            keys.hidden(kept).all(|mask| differing.iter().zip(mask).any(|(a, b)| a & b != 0))
        };
        let closed = classes.iter().zip(places).filter(|&(_, place)| place != NOT_COUNTED);
        Ok(closed.filter(|&(_, place)| is_closed(place)).map(|(class, _)| class.sum).sum())
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
