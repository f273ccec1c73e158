//! Dependencies: columns that tell each other refill blanks.
//!
//! # Method
//! On the rows where one or two columns X and a column Y are visible, rows are grouped by X. The
//! dependency's *share* is that of the rows which have their group's most frequent value of Y, over
//! the groups of two rows and more: a group of one proves nothing. Dependencies above a share refill
//! the blanks of Y, the best first.

use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet};
use rayon::prelude::*;

use crate::attack::{Guesses, share};
use crate::error::fault;
use crate::groups::Groups;
use crate::released::most;
use crate::{Attack, Released, Result};

const DEFENCE: &str =
    "suppress the cells that determine a blank together with it, or leave such columns out";

/// Refills suppressed cells by dependencies between columns that the visible cells show.
///
/// # Guarantee
/// Each blank is guessed by the dependency with the largest share among those that know its X (of
/// several: the one with fewest columns, then the first columns). A guess is certain when the share is
/// one.
///
/// # Cost
/// Rows times columns times pairs of columns; pairs are left out, and it is said, where that is more
/// than the work limit.
///
/// # Example
/// ```
/// use muslin_attack::{Dependencies, Released};
/// use muslin_engine::Run;
/// use muslin_table::{Column, EncodedTable};
/// // The years of schooling tell the degree.
/// let years = EncodedTable::of(&[[9], [9], [13], [13], [13]]).into_columns().remove(0);
/// let degree = Column::of_labels("degree", &["HS", "BA", "*"], [0, 0, 1, 1, 2].into_iter())?;
/// let release = EncodedTable::new(5, vec![years, degree])?;
/// let found = Dependencies::new(release.all_columns()).run(&Released::new(&release), &Run::new())?;
/// assert_eq!((found.targets(), found.certain()), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dependencies {
    columns: ColumnSet,
    least_share: f64,
    work_limit: u64,
}

/// X tells Y.
struct Dependency {
    share: f64,
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

    /// Leaves pairs of columns out above this many cells to look at: two thousand million unless told.
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
            let columns: Vec<ColumnId> = self.columns.iter().collect();
            let view = View::new(released, &columns);
            let is_open = |&y: &usize| (0..view.rows).any(|row| view.is_blank(y, row));
            let open: Vec<usize> = (0..columns.len()).filter(is_open).collect();
            let width = columns.len() as u64;
            let pairs = width * width.saturating_sub(1) / 2;
            let steps = pairs.saturating_mul(open.len() as u64).saturating_mul(view.rows as u64);
            let with_pairs = steps <= self.work_limit;
            let mut guesses = Guesses::new(released);
            let mut used = 0;
            for y in open {
                let mut found = self.dependencies(&view, y, with_pairs, run)?;
                found.sort_by(|a, b| {
                    let size = |dependency: &Dependency| dependency.from.len();
                    b.share.total_cmp(&a.share).then(size(a).cmp(&size(b))).then(a.from.cmp(&b.from))
                });
                used += found.len();
                Self::refill(&view, y, &found, &mut guesses, run)?;
            }
            let knows = format!(
                "the release, and that one or two columns tell another where {} % of the visible rows say so",
                self.least_share * 100.0
            );
            let attack = guesses.finish("dependencies", knows, DEFENCE);
            let attack = attack.noted(format!("{used} dependencies were found"));
            Ok(if with_pairs { attack } else { attack.noted("pairs of columns were left out: too much work") })
        })
    }

    /// What tells a column, in any order.
    fn dependencies(
        &self,
        view: &View,
        y: usize,
        with_pairs: bool,
        run: &Run,
    ) -> Result<Vec<Dependency>> {
        let others: Vec<usize> = (0..view.strips.len()).filter(|&x| x != y).collect();
        let mut sets: Vec<Vec<usize>> = others.iter().map(|&x| vec![x]).collect();
        if with_pairs {
            let pair = |(at, &a): (usize, &usize)| {
                others[at + 1..].iter().map(move |&b| vec![a, b]).collect::<Vec<_>>()
            };
            sets.extend(others.iter().enumerate().flat_map(pair));
        }
        let judge = |from: Vec<usize>| -> Result<Option<Dependency>> {
            let told = Told::new(view, &from, y, run)?;
            Ok(told
                .share()
                .filter(|&share| share >= self.least_share)
                .map(|share| Dependency { share, from }))
        };
        let found: Result<Vec<Option<Dependency>>> = sets.into_par_iter().map(judge).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// Refills a column's blanks, the best dependency first.
    fn refill(
        view: &View,
        y: usize,
        dependencies: &[Dependency],
        guesses: &mut Guesses<'_>,
        run: &Run,
    ) -> Result<()> {
        let mut open: Vec<usize> = (0..view.rows).filter(|&row| view.is_blank(y, row)).collect();
        open.iter().for_each(|_| guesses.target(view.columns[y]));
        for dependency in dependencies {
            if open.is_empty() {
                break;
            }
            let told = Told::new(view, &dependency.from, y, run)?;
            let is_exact = dependency.share >= 1.0;
            open.retain(|&row| match told.value(row) {
                Some(value) => {
                    let row = u32::try_from(row).expect("row ids are 32 bits wide");
                    guesses.guess(row, view.columns[y], value, is_exact);
                    false
                }
                None => true,
            });
        }
        Ok(())
    }
}

/// The release as numbers.
struct View {
    columns: Vec<ColumnId>,
    strips: Vec<Vec<u32>>,
    blanks: Vec<u32>,
    /// Values of each column; other numbers are no values.
    domains: Vec<usize>,
    rows: usize,
}

impl View {
    fn new(released: &Released<'_>, columns: &[ColumnId]) -> Self {
        Self {
            columns: columns.to_vec(),
            strips: columns.iter().map(|&id| released.numbers(id)).collect(),
            blanks: columns.iter().map(|&id| released.blank(id)).collect(),
            domains: columns.iter().map(|&id| released.domain(id)).collect(),
            rows: released.table().rows(),
        }
    }

    fn is_blank(&self, column: usize, row: usize) -> bool {
        self.strips[column][row] == self.blanks[column]
    }
}

/// What X tells about Y.
struct Told {
    /// The group of each row; nothing where X is not in sight.
    group_of: Vec<Option<u32>>,
    /// The most frequent value of each group, the rows that have it, and all rows.
    best: Vec<Option<(u32, u64, u64)>>,
}

impl Told {
    fn new(view: &View, from: &[usize], y: usize, run: &Run) -> Result<Self> {
        let strips: Vec<&[u32]> = from.iter().map(|&x| &view.strips[x][..]).collect();
        let groups = Groups::of(&strips, view.rows, run)?;
        let is_known = |row: usize| from.iter().all(|&x| !view.is_blank(x, row));
        let group_of: Vec<Option<u32>> =
            groups.of.iter().enumerate().map(|(row, &g)| is_known(row).then_some(g)).collect();
        let members = groups.members();
        let mut counts: Vec<u32> = Vec::new();
        let best = members.iter().map(|rows| {
            let shown = |&row: &u32| {
                let value = view.strips[y][row as usize];
                ((value as usize) < view.domains[y] && group_of[row as usize].is_some())
                    .then_some(value)
            };
            counts.clear();
            counts.extend(rows.iter().filter_map(shown));
            counts.sort_unstable();
            let runs = counts.chunk_by(|a, b| a == b);
            let value = most(runs.map(|same| (same.len() as u64, same[0])))?;
            let own = counts.iter().filter(|&&other| other == value).count() as u64;
            Some((value, own, counts.len() as u64))
        });
        let best = best.collect();
        Ok(Self { group_of, best })
    }

    fn share(&self) -> Option<f64> {
        let large = self.best.iter().flatten().filter(|best| best.2 >= 2);
        let (own, all) = large.fold((0, 0), |sum, best| (sum.0 + best.1, sum.1 + best.2));
        share(own, all)
    }

    fn value(&self, row: usize) -> Option<u32> {
        self.best[self.group_of[row]? as usize].map(|best| best.0)
    }
}
