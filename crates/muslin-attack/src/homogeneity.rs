//! Homogeneity and skewness: what the class of a person says about the person, whichever row is theirs; after the papers
//! on l-diversity (Machanavajjhala et al. 2007) and t-closeness (Li et al. 2007).

use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet};

use crate::attack::{Attack, Certain, first_rows, share};
use crate::error::fault;
use crate::groups::Groups;
use crate::interval::wilson;
use crate::{Released, Result};

/// Finds classes that have one sensitive value only.
///
/// # Guarantee
/// The guess for every person is the most frequent value of the person's class. Success is the share of
/// rows that have it, which the release itself shows; the baseline is the share of the most frequent
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
/// Success is the share of a value in the class where that share rises most over the value's share of the
/// table, which is the baseline: so the advantage is the largest rise there is. `guessed` counts the rows of
/// all classes with that rise, `right` those that have the value. As the worst of all classes is looked at,
/// the interval is wide enough for every one of them.
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

const KNOWS: &str = "the quasi-identifiers of a person who is in the release";

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
        #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
        let interval = wilson(right as f64, rows, 1);
        let name = "homogeneity";
        Ok(Attack {
            targets: rows,
            guessed: rows,
            scored: rows,
            right: Some(right),
            success: share(right, rows),
            baseline: share(prior, rows),
            interval,
            // The release itself shows that they are right.
            certain: Certain { all: certain, scored: certain, right: certain },
            rows: first_rows((0u32..).take(classes.numbers.len()).filter(is_certain)),
            ..Attack::new(
                name,
                KNOWS,
                "require l-diversity: in every class at least two sensitive values, none too frequent",
            )
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
        // The largest rise of each class: the rise, its value, and rows that have the value.
        let largest_rise = |class: &Class| {
            let own = class.values.iter();
            let own = own.map(|&value| (rise(class.shown, value), value.0, value.1));
            own.reduce(|a, b| if larger(b.0, a.0).is_gt() { b } else { a })
        };
        let rises: Vec<_> = each.iter().map(largest_rise).collect();
        let known = rises.iter().flatten().copied();
        let worst = known.reduce(|a, b| if larger(b.0, a.0).is_gt() { b } else { a });
        let is_worst = |class: usize| {
            let own = rises[class].map(|own| own.0);
            own.zip(worst).is_some_and(|(own, worst)| larger(own, worst.0).is_eq())
        };
        let of_row = |&row: &u32| is_worst(classes.groups.of[row as usize] as usize);
        let concerned: Vec<u32> = (0u32..).take(classes.numbers.len()).filter(of_row).collect();
        let (mut guessed, mut right, mut prior) = (0, 0, 0.0);
        for (at, class) in each.iter().enumerate().filter(|&(at, _)| is_worst(at)) {
            let Some((_, value, count)) = rises[at] else { continue };
            guessed += class.shown;
            right += count;
            #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
            let expected = class.shown as f64 * share(table[value as usize], rows).unwrap_or(0.0);
            prior += expected;
        }
        let largest = each.iter().filter_map(|class| share(class.most(), class.shown));
        let largest = largest.fold(0.0, f64::max);
        #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
        let (baseline, interval) = (
            (guessed > 0).then(|| prior / guessed as f64),
            wilson(right as f64, guessed, each.len() as u64),
        );
        let attack = Attack {
            targets: rows,
            guessed,
            scored: guessed,
            right: (guessed > 0).then_some(right),
            success: share(right, guessed),
            baseline,
            interval,
            rows: first_rows(concerned),
            ..Attack::new(
                "skewness",
                format!("{KNOWS}, and how frequent sensitive values are in the whole release"),
                "require t-closeness: classes whose shares are near those of the whole table",
            )
        };
        let attack = attack.noted(format!("the worst of {} classes was chosen", each.len()));
        Ok(attack.noted(format!("the largest share of a value in a class is {largest:.3}")))
    }
}
