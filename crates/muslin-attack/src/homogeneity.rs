//! Homogeneity and skewness: what somebody's class tells about them, without knowing which row they
//! are; after the papers on l-diversity and t-closeness.

use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet};

use crate::attack::{Attack, first_rows, share};
use crate::error::fault;
use crate::groups::Groups;
use crate::{Released, Result};

/// Finds classes that have one sensitive value only.
///
/// # Guarantee
/// Everybody's value is guessed to be the most frequent one of their class. Success is the share of
/// rows that have it, which the release itself tells; the baseline is the share of the most frequent
/// value of the whole column. Certain are the rows of classes with one value. Rows whose sensitive cell
/// is suppressed are no targets, and make their class uncertain.
///
/// # Cost
/// Rows times columns.
///
/// # Example
/// ```
/// use muslin_attack::{Homogeneity, Released};
/// use muslin_engine::Run;
/// use muslin_table::{ColumnId, ColumnSet, EncodedTable};
/// let release = EncodedTable::of(&[[1, 5], [1, 5], [2, 5], [2, 6]]);
/// let attack = Homogeneity::new(ColumnSet::first(1), ColumnId::new(1));
/// let found = attack.run(&Released::new(&release), &Run::new())?;
/// assert_eq!((found.certain(), found.right()), (2, Some(3)));
/// # Ok::<(), muslin_attack::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Homogeneity {
    known: ColumnSet,
    sensitive: ColumnId,
}

/// Finds classes in which a sensitive value is much likelier than in the whole table.
///
/// # Guarantee
/// Success is the largest share of a value in the class where that share rises most over the value's
/// share of the table, which is the baseline: so the advantage is the largest rise there is. `guessed`
/// counts the rows of all classes with that rise.
///
/// # Cost
/// Rows times columns.
///
/// # Example
/// ```
/// use muslin_attack::{Released, Skewness};
/// use muslin_engine::Run;
/// use muslin_table::{ColumnId, ColumnSet, EncodedTable};
/// let release = EncodedTable::of(&[[1, 5], [1, 6], [2, 5], [2, 5], [3, 5], [3, 5]]);
/// let attack = Skewness::new(ColumnSet::first(1), ColumnId::new(1));
/// let found = attack.run(&Released::new(&release), &Run::new())?;
/// // The value 6 is in one row of six, and in one of two of the first class.
/// assert_eq!((found.success(), found.guessed()), (Some(0.5), 2));
/// # Ok::<(), muslin_attack::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Skewness {
    known: ColumnSet,
    sensitive: ColumnId,
}

/// The classes of a release and what they have of the sensitive column.
struct Classes {
    groups: Groups,
    numbers: Vec<u32>,
    /// The number of suppressed cells.
    blank: u32,
}

/// What a class has of the sensitive column.
struct Class {
    /// Values in order, and how many rows have them.
    values: Vec<(u32, u64)>,
    /// Rows that have a value in sight.
    shown: u64,
    /// Whether all have.
    is_all: bool,
}

impl Classes {
    fn new(
        released: &Released<'_>,
        known: &ColumnSet,
        sensitive: ColumnId,
        run: &Run,
    ) -> Result<Self> {
        released.check(&known.union(&[sensitive].into_iter().collect()))?;
        if known.contains(sensitive) {
            return fault(
                "the sensitive column cannot be known",
                "leave it out of the quasi-identifiers",
            );
        }
        let strips: Vec<Vec<u32>> = known.iter().map(|id| released.numbers(id)).collect();
        let groups = Groups::of(&strips, released.table().rows(), run)?;
        let (numbers, blank) = (released.numbers(sensitive), released.blank(sensitive));
        Ok(Self { groups, numbers, blank })
    }

    /// What each class has.
    fn each(&self) -> Vec<Class> {
        let of_class = |rows: &[u32]| {
            let own = rows.iter().map(|&row| self.numbers[row as usize]);
            let mut own: Vec<u32> = own.filter(|&number| number != self.blank).collect();
            own.sort_unstable();
            let values = own.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64));
            let (shown, is_all) = (own.len() as u64, own.len() == rows.len());
            Class { values: values.collect(), shown, is_all }
        };
        self.groups.members().iter().map(of_class).collect()
    }

    /// How many rows of the table have each value in sight.
    fn table(&self) -> Vec<u64> {
        let end = self.numbers.iter().max().map_or(0, |&largest| largest as usize + 1);
        let mut counts = vec![0u64; end];
        let shown = self.numbers.iter().filter(|&&number| number != self.blank);
        shown.for_each(|&number| counts[number as usize] += 1);
        counts
    }
}

impl Class {
    /// Rows that have the most frequent value.
    fn most(&self) -> u64 {
        self.values.iter().map(|value| value.1).max().unwrap_or(0)
    }

    /// Whether everybody is known to have one value.
    fn is_certain(&self) -> bool {
        self.values.len() == 1 && self.is_all
    }
}

impl Homogeneity {
    /// Classes on the columns `known`, and what they tell about `sensitive`; columns of the release.
    pub fn new(known: ColumnSet, sensitive: ColumnId) -> Self {
        Self { known, sensitive }
    }

    /// Attacks a release.
    pub fn run(&self, released: &Released<'_>, run: &Run) -> Result<Attack> {
        let classes = Classes::new(released, &self.known, self.sensitive, run)?;
        let each = classes.each();
        let right: u64 = each.iter().map(Class::most).sum();
        let certain: u64 = each.iter().filter(|class| class.is_certain()).map(Class::most).sum();
        let table = classes.table();
        let prior = table.iter().copied().max().unwrap_or(0);
        let rows = table.iter().sum();
        let is_certain = |&row: &u32| each[classes.groups.of[row as usize] as usize].is_certain();
        Ok(Attack {
            name: "homogeneity",
            knows: "somebody's quasi-identifiers, and that they are in the release".into(),
            targets: rows,
            guessed: rows,
            scored: rows,
            right: Some(right),
            success: share(right, rows),
            baseline: share(prior, rows),
            certain,
            defence: "ask for l-diversity: at least two values, none too frequent, in every class",
            rows: first_rows((0u32..).take(classes.numbers.len()).filter(is_certain)),
            columns: Vec::new(),
            note: None,
        })
    }
}

impl Skewness {
    /// Classes on the columns `known`, and what they tell about `sensitive`; columns of the release.
    pub fn new(known: ColumnSet, sensitive: ColumnId) -> Self {
        Self { known, sensitive }
    }

    /// Attacks a release.
    pub fn run(&self, released: &Released<'_>, run: &Run) -> Result<Attack> {
        let classes = Classes::new(released, &self.known, self.sensitive, run)?;
        let each = classes.each();
        let table = classes.table();
        let rows: u64 = table.iter().sum();
        // A rise is count / size - all / rows; two rises are compared as whole numbers.
        let rise = |size: u64, (value, count): (u32, u64)| {
            let (size, whole) = (i128::from(size), i128::from(rows));
            let all = i128::from(table[value as usize]);
            (i128::from(count) * whole - all * size, size)
        };
        let larger = |a: (i128, i128), b: (i128, i128)| (a.0 * b.1).cmp(&(b.0 * a.1));
        let mut worst: Option<((i128, i128), u32, u64)> = None;
        let mut rises = Vec::with_capacity(each.len());
        for class in &each {
            let own = class.values.iter();
            let own = own.map(|&value| (rise(class.shown, value), value.0, value.1));
            let own = own.reduce(|a, b| if larger(b.0, a.0).is_gt() { b } else { a });
            rises.push(own.map(|own| own.0));
            let is_worse = own.is_some_and(|own| {
                worst.is_none_or(|worst: ((i128, i128), u32, u64)| larger(own.0, worst.0).is_gt())
            });
            if is_worse {
                worst = own;
            }
        }
        let is_worst = |&row: &u32| {
            let own = rises[classes.groups.of[row as usize] as usize];
            own.zip(worst).is_some_and(|(own, worst)| larger(own, worst.0).is_eq())
        };
        let concerned: Vec<u32> = (0u32..).take(classes.numbers.len()).filter(is_worst).collect();
        let success =
            worst.and_then(|((_, size), _, count)| share(count, u64::try_from(size).unwrap_or(0)));
        let baseline = worst.and_then(|(_, value, _)| share(table[value as usize], rows));
        let largest = each.iter().filter_map(|class| share(class.most(), class.shown));
        let largest = largest.fold(0.0, f64::max);
        let attack = Attack {
            name: "skewness",
            knows: "somebody's quasi-identifiers, that they are in the release, and how frequent values are in all of it".into(),
            targets: rows,
            guessed: concerned.len() as u64,
            scored: concerned.len() as u64,
            right: None,
            success,
            baseline,
            certain: 0,
            defence: "ask for t-closeness: classes whose shares are near the table's",
            rows: first_rows(concerned),
            columns: Vec::new(),
            note: None,
        };
        Ok(attack.noted(format!("the largest share of a value in a class is {largest:.3}")))
    }
}
