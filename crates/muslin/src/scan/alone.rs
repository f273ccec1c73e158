//! How many rows one, two or three columns single out, whichever they are.
//!
//! ```text
//! one      counts of values
//! two      the classes of a column refined by another; columns with many values come first
//! three    classes of two columns without the rows that are alone already, refined by a third
//! ```
//!
//! Every count is of all rows. Where the budget does not reach for all sets of columns, fewer sets are looked
//! at, and what is said of all of them is a least number. A sample of rows would say nothing: who is alone
//! among a thousand need not be alone among a million.

use muslin_engine::{Engine, MemoryEngine, Partition, Run};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, MissingRule};
use serde::Serialize;

use super::THRESHOLDS;
use super::budget::{Budget, PartCoverage, choose, unless_over};
use super::report::{Threshold, share, thresholds};
use super::scene::Scene;
use crate::Result;

/// Rows that few columns single out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SingledOutReport {
    /// Whether every set of columns was looked at.
    #[serde(flatten)]
    pub part: PartCoverage,
    /// The columns that sets were made of: those that somebody may know.
    pub columns: Vec<String>,
    /// By the number of columns.
    pub sizes: Vec<SingledOutSize>,
    /// What two columns do, for those that were looked at.
    pub pairs: Vec<PairReport>,
}

/// Rows that some set of so many columns singles out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SingledOutSize {
    /// Columns of a set, at most.
    pub size: usize,
    /// Sets of just so many columns that were looked at.
    pub sets: u64,
    /// Sets of just so many columns that there are.
    pub of_sets: u64,
    /// Rows that one of the sets, or a smaller one, singles out.
    pub rows: u64,
    /// Whether there may be more such rows, as not all sets were looked at.
    pub at_least: bool,
    /// Their share of all rows.
    pub share: f64,
    /// The set of so many columns that singles out the most.
    pub worst: Option<WorstSet>,
}

/// A set of columns and the rows it gives away.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorstSet {
    /// The columns.
    pub columns: Vec<String>,
    /// Rows it singles out.
    pub rows_alone: u64,
    /// Their share of all rows.
    pub share: f64,
    /// Rows in classes of less than some k.
    pub below: Vec<Threshold>,
}

/// What two columns do together.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairReport {
    /// The two columns, in the input's order.
    pub columns: Vec<String>,
    /// Rows that they single out.
    pub rows_alone: u64,
    /// Their share of all rows.
    pub share: f64,
    /// Classes, of all rows; none where missing matches anything.
    pub distinct_ratio: Option<f64>,
    /// Row pairs told apart, of all pairs.
    pub separation_ratio: f64,
}

/// The largest sets.
const LARGEST: usize = 3;

/// Counts the rows that few columns single out: up to two by one budget, three by another.
pub(super) fn look(
    scene: &Scene<'_>,
    mut of_two: Budget,
    mut of_three: Budget,
) -> Result<SingledOutReport> {
    let mut search = Search::new(scene);
    search.columns_alone(&mut of_two)?;
    if scene.missing == MissingRule::Wildcard {
        search.wild(&mut of_two)?;
    } else {
        search.classes(&mut of_two, &mut of_three)?;
    }
    search.report(&of_three)
}

/// Columns whose pairs are all asked about elsewhere, at most.
const MOST_ASKED: usize = 12;

/// The same of a table that is not in memory. How many rows a set singles out is counted; which they are is not
/// told, so that those of several sets together are at least those of the worst one.
pub(super) fn look_elsewhere(
    scene: &Scene<'_>,
    engine: &dyn Engine,
    run: &Run,
) -> Result<SingledOutReport> {
    let known = &scene.known;
    let mut report = SingledOutReport {
        part: PartCoverage::of(scene.rows(), scene.rows(), run).stopped(),
        columns: scene.names(&known.iter().copied().collect()),
        sizes: Vec::new(),
        pairs: Vec::new(),
    };
    let singles: Vec<ColumnSet> = known.iter().map(|&id| [id].into_iter().collect()).collect();
    let pairs: Vec<ColumnSet> = known
        .iter()
        .enumerate()
        .flat_map(|(at, &a)| known[at + 1..].iter().map(move |&b| [a, b].into_iter().collect()))
        .collect();
    let asked: &[Vec<ColumnSet>] = &[singles, pairs];
    let mut least = 0;
    for (size, sets) in (1..).zip(asked) {
        if sets.is_empty() || known.len() > MOST_ASKED && size > 1 {
            continue;
        }
        let counted = engine.class_sizes_of_sets(sets, scene.missing)?;
        let worst = sets
            .iter()
            .zip(&counted)
            .max_by_key(|(set, sizes)| (sizes.rows_below(2), std::cmp::Reverse((*set).clone())));
        least = least.max(worst.map_or(0, |(_, sizes)| sizes.rows_below(2)));
        report.sizes.push(SingledOutSize {
            size,
            sets: sets.len() as u64,
            of_sets: choose(known.len() as u64, size as u64),
            rows: least,
            at_least: true,
            share: share(least, scene.rows()),
            worst: worst.map(|(set, sizes)| WorstSet {
                columns: scene.names(set),
                rows_alone: sizes.rows_below(2),
                share: share(sizes.rows_below(2), scene.rows()),
                below: thresholds(sizes, &THRESHOLDS),
            }),
        });
        if size == 2 {
            let pair = |(set, sizes): (&ColumnSet, &ClassSizes)| PairReport {
                columns: scene.names(set),
                rows_alone: sizes.rows_below(2),
                share: share(sizes.rows_below(2), scene.rows()),
                distinct_ratio: sizes.distinct_ratio().map(muslin_table::Ratio::as_f64),
                separation_ratio: sizes.separation_ratio().as_f64(),
            };
            report.pairs = sets.iter().zip(&counted).map(pair).collect();
        }
    }
    Ok(report)
}

/// A set and the rows it singles out.
type Counted = (ColumnSet, u64);

struct Search<'a> {
    scene: &'a Scene<'a>,
    /// Columns by falling number of values.
    order: Vec<ColumnId>,
    /// Rows that are singled out, by the largest size of the set.
    marked: [Marks; LARGEST],
    worst: [Option<Counted>; LARGEST],
    sets: [u64; LARGEST],
    pairs: Vec<(Counted, PairReport)>,
    /// Sets of three that were looked at, where these are not all.
    triples: std::collections::BTreeSet<ColumnSet>,
    is_over: bool,
}

impl<'a> Search<'a> {
    fn new(scene: &'a Scene<'a>) -> Self {
        let mut order = scene.known.clone();
        let values = |id: &ColumnId| scene.table.column(*id).dictionary().len();
        order.sort_by_key(|id| (std::cmp::Reverse(values(id)), *id));
        let marks = || Marks::new(scene.table.rows());
        Self {
            scene,
            order,
            marked: [marks(), marks(), marks()],
            worst: [None, None, None],
            sets: [0; LARGEST],
            pairs: Vec::new(),
            triples: std::collections::BTreeSet::new(),
            is_over: false,
        }
    }

    fn count(&mut self, set: ColumnSet, alone: u64) {
        let at = set.len() - 1;
        self.sets[at] += 1;
        let better = match &self.worst[at] {
            None => true,
            Some((worst, most)) => alone > *most || (alone == *most && set < *worst),
        };
        if better {
            self.worst[at] = Some((set, alone));
        }
    }

    fn count_pair(&mut self, set: &ColumnSet, sizes: &ClassSizes) {
        let alone = sizes.rows_below(2);
        self.count(set.clone(), alone);
        let report = PairReport {
            columns: self.scene.names(set),
            rows_alone: alone,
            share: share(alone, self.scene.rows()),
            distinct_ratio: sizes.distinct_ratio().map(muslin_table::Ratio::as_f64),
            separation_ratio: sizes.separation_ratio().as_f64(),
        };
        self.pairs.push(((set.clone(), alone), report));
    }

    /// What single columns do is known; who is alone by them takes a pass where anybody is.
    fn columns_alone(&mut self, budget: &mut Budget) -> Result<()> {
        for id in self.order.clone() {
            let alone = self.scene.columns[id.index()].rows_alone;
            self.count([id].into_iter().collect(), alone);
            if alone > 0 && self.scene.missing != MissingRule::Wildcard {
                budget.take(self.scene.rows());
                let column = self.scene.table.column(id);
                let mut counts = vec![0u32; column.slots()];
                column.codes().slots().for_each(|slot| counts[slot as usize] += 1);
                let absent = column.missing_slot();
                let distinct = self.scene.missing == MissingRule::Distinct;
                let is_alone =
                    |slot: u32| counts[slot as usize] == 1 || (distinct && slot == absent);
                let rows = (0usize..).zip(column.codes().slots());
                rows.filter(|(_, slot)| is_alone(*slot))
                    .for_each(|(row, _)| self.marked[0].mark(row));
            }
            self.is_over |= budget.is_over(self.scene.run)?;
        }
        Ok(())
    }

    /// Sets of two and three, where rows fall into classes.
    fn classes(&mut self, of_two: &mut Budget, of_three: &mut Budget) -> Result<()> {
        let (rows, columns) = (self.scene.rows(), self.order.len() as u64);
        let of_pairs = rows.saturating_mul(columns + choose(columns, 2));
        let of_triples = rows.saturating_mul(choose(columns, 3));
        let all = of_pairs <= of_two.steps() && of_triples <= of_three.steps();
        'pairs: for second in 1..self.order.len() {
            if self.is_over || !of_two.take(rows) {
                break;
            }
            let of_second = self.of_column(of_two.run(), second);
            for first in 0..second {
                if self.is_over || !of_two.take(rows) {
                    break 'pairs;
                }
                let both = self.refine(of_two.run(), &of_second, None, first);
                let set = self.set(&[first, second]);
                let sizes = both.sizes().iter().map(|&size| u64::from(size));
                self.count_pair(&set, &ClassSizes::from_sizes(sizes, self.scene.missing));
                self.marked[1].mark_alone(&both, None);
                if all {
                    let (open, of_open) = both.open();
                    for third in 0..first {
                        self.triple(of_three.run(), &[first, second], (&open, &of_open), third);
                    }
                }
                let budget = if all { &*of_three } else { &*of_two };
                self.is_over |= budget.is_over(self.scene.run)?;
            }
        }
        if all { Ok(()) } else { self.best_triples(of_three) }
    }

    /// Third columns for the pairs that single out the most.
    fn best_triples(&mut self, budget: &mut Budget) -> Result<()> {
        let mut best: Vec<Counted> =
            self.pairs.iter().map(|(counted, _)| counted.clone()).collect();
        best.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let cost = self.scene.rows() * (1 + self.order.len() as u64);
        self.is_over = budget.is_over(self.scene.run)?;
        for (set, _) in best {
            if self.is_over || !budget.take(cost) {
                break;
            }
            let pair: Vec<usize> =
                (0..self.order.len()).filter(|&at| set.contains(self.order[at])).collect();
            let &[first, second] = &pair[..] else { continue };
            let of_second = self.of_column(budget.run(), second);
            let (open, of_open) = self.refine(budget.run(), &of_second, None, first).open();
            for third in (0..self.order.len()).filter(|at| !pair.contains(at)) {
                if self.triples.insert(self.set(&[first, second, third])) {
                    self.triple(budget.run(), &pair, (&open, &of_open), third);
                }
                self.is_over |= budget.is_over(self.scene.run)?;
            }
        }
        Ok(())
    }

    /// A pair's classes of several rows, refined by a third column.
    fn triple(&mut self, run: &Run, pair: &[usize], open: (&[u32], &Partition), third: usize) {
        let (rows, of_open) = open;
        let three = self.refine(run, of_open, Some(rows), third);
        let single = three.sizes().iter().filter(|&&size| size == 1).count();
        let alone = (self.scene.table.rows() - rows.len() + single) as u64;
        self.count(self.set(&[pair[0], pair[1], third]), alone);
        self.marked[2].mark_alone(&three, Some(rows));
    }

    /// Sets of two and of the best two and another, where a missing cell matches anything: rows match and do not fall
    /// into classes, which costs more, and who is alone is not known.
    fn wild(&mut self, budget: &mut Budget) -> Result<()> {
        const COST: u64 = 10;
        let run = budget.run().clone();
        let engine = MemoryEngine::new(self.scene.table, &run);
        for second in 1..self.order.len() {
            for first in 0..second {
                if self.is_over || !budget.take(COST * self.scene.rows()) {
                    return Ok(());
                }
                let set = self.set(&[first, second]);
                let sizes = engine.class_sizes(&set, self.scene.missing).map_err(Into::into);
                match unless_over(sizes, self.scene.run)? {
                    Some(sizes) => self.count_pair(&set, &sizes),
                    None => self.is_over = true,
                }
            }
        }
        let Some((best, _)) = self.worst[1].clone() else { return Ok(()) };
        for id in self.order.clone().into_iter().filter(|id| !best.contains(*id)) {
            if self.is_over || !budget.take(COST * self.scene.rows()) {
                return Ok(());
            }
            let set = best.union(&[id].into_iter().collect());
            let sizes = engine.class_sizes(&set, self.scene.missing).map_err(Into::into);
            match unless_over(sizes, self.scene.run)? {
                Some(sizes) => self.count(set, sizes.rows_below(2)),
                None => self.is_over = true,
            }
        }
        Ok(())
    }

    fn set(&self, at: &[usize]) -> ColumnSet {
        at.iter().map(|&at| self.order[at]).collect()
    }

    fn of_column(&self, run: &Run, at: usize) -> Partition {
        self.refine(run, &Partition::whole(self.scene.table.rows()), None, at)
    }

    fn refine(&self, run: &Run, classes: &Partition, rows: Option<&[u32]>, at: usize) -> Partition {
        let column = self.scene.table.column(self.order[at]);
        run.install(|| match rows {
            None => classes.refine(column, self.scene.missing),
            Some(rows) => classes.refine_at(rows, column, self.scene.missing),
        })
    }

    fn report(mut self, budget: &Budget) -> Result<SingledOutReport> {
        let rows = self.scene.rows();
        let columns = self.order.len();
        let engine = MemoryEngine::new(self.scene.table, self.scene.run);
        let mut sizes = Vec::new();
        let mut before = 0;
        let mut is_complete = true;
        for at in 0..LARGEST.min(columns) {
            // Whom few columns single out, more columns do as well.
            if at > 0 {
                let [fewer, more] = &mut self.marked[at - 1..=at] else {
                    unreachable!("two sizes")
                };
                more.add(fewer);
            }
            let worst = self.worst[at].take();
            let most = worst.as_ref().map_or(0, |(_, alone)| *alone);
            before = self.marked[at].count().max(most).max(before);
            let of_sets = choose(columns as u64, at as u64 + 1);
            // Where missing matches anything only the worst set is known, not whom the others single out.
            let is_wild = self.scene.missing == MissingRule::Wildcard && columns > 1;
            is_complete &= self.sets[at] == of_sets && !is_wild;
            let worst = worst.map(|(set, alone)| -> Result<WorstSet> {
                let found = engine.class_sizes(&set, self.scene.missing)?;
                Ok(WorstSet {
                    columns: self.scene.names(&set),
                    rows_alone: alone,
                    share: share(alone, rows),
                    below: thresholds(&found, &THRESHOLDS),
                })
            });
            sizes.push(SingledOutSize {
                size: at + 1,
                sets: self.sets[at],
                of_sets,
                rows: before,
                at_least: !is_complete,
                share: share(before, rows),
                worst: worst.transpose()?,
            });
        }
        self.pairs.sort_by(|a, b| a.0.0.cmp(&b.0.0));
        let part = PartCoverage::of(self.scene.rows(), self.scene.rows(), budget.run());
        let names: ColumnSet = self.order.iter().copied().collect();
        Ok(SingledOutReport {
            part: if is_complete { part } else { part.stopped() },
            columns: self.scene.names(&names),
            sizes,
            pairs: self.pairs.into_iter().map(|(_, report)| report).collect(),
        })
    }
}

/// A bit per row.
struct Marks(Vec<u64>);

impl Marks {
    fn new(rows: usize) -> Self {
        Self(vec![0; rows.div_ceil(64)])
    }

    fn mark(&mut self, row: usize) {
        self.0[row / 64] |= 1 << (row % 64);
    }

    fn mark_alone(&mut self, classes: &Partition, rows: Option<&[u32]>) {
        for (at, &class) in classes.class_of().iter().enumerate() {
            if classes.sizes()[class as usize] == 1 {
                self.mark(rows.map_or(at, |rows| rows[at] as usize));
            }
        }
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}
