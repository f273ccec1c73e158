//! The search by agree sets: first what rows share, then, row by row, what singles them out.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use muslin_engine::{Coverage, Error, Run, Stop};
use rayon::prelude::*;

use super::agree::{AgreeSets, ColumnsFrom, Shared, Tuning};
use super::listing::{Listed, Lister, RowList};
use super::partial::{Others, PartialTransversals};
use super::ranked::Ranked;
use super::tally::{RowTally, SmallSets, Totals};
use super::transversals::Transversals;
use crate::Result;
use crate::mask::Mask;

/// Bytes of agree sets that are held at once, where no budget says less.
const HELD: u64 = 3 << 29;
/// Minimal uniques that are listed between two calls of the sink, about.
const LISTED_AT_ONCE: usize = 1 << 17;
/// Most minimal uniques of one row that are listed, where no budget says less.
const LISTED_OF_ROW: u64 = 1 << 26;

/// Rows that a thread takes at once.
const PIECE: usize = 64;

/// What to look for.
pub(super) struct Search<'a> {
    pub(super) ranked: &'a Ranked,
    pub(super) k: u32,
    /// Largest size looked for.
    pub(super) most: usize,
    /// Ranks from here on are one leaf.
    pub(super) cut: usize,
    pub(super) tuning: Tuning,
    pub(super) run: &'a Run,
}

/// What one thread needs to go through rows.
struct Worker<'a, const W: usize> {
    whole: Transversals<W>,
    partial: PartialTransversals<W>,
    sets: Vec<Mask<W>>,
    shared: Vec<Shared<W>>,
    tally: RowTally<'a, W>,
}

impl<'a> Search<'a> {
    /// Finds everything and counts it in `totals`; `lister` gets it row by row, in order.
    pub(super) fn find<const W: usize>(
        &self,
        totals: &Totals<'_>,
        small: &mut SmallSets,
        mut lister: Option<&mut Lister<'_, W>>,
    ) -> Result<Coverage> {
        let rows = u32::try_from(self.ranked.distinct()).expect("row ids are 32 bits wide");
        self.find_among(0..rows, totals, small, lister.take())
    }

    /// Finds everything that some distinct rows hold, and no other row before them.
    pub(super) fn find_among<const W: usize>(
        &self,
        rows: Range<u32>,
        totals: &Totals<'_>,
        small: &mut SmallSets,
        mut lister: Option<&mut Lister<'_, W>>,
    ) -> Result<Coverage> {
        let held = self.run.memory_budget().map_or(HELD, |budget| (budget / 2).min(HELD));
        // Rows go through in parts whose agree sets fit; mostly that is one part.
        let (mut from, mut step) =
            (rows.start, u32::try_from(rows.len()).unwrap_or(u32::MAX).max(1));
        while from < rows.end {
            let to = rows.end.min(from.saturating_add(step));
            let agree = AgreeSets::new(self.ranked, self.k, self.tuning, self.cut, from..to);
            let found = match agree.find::<W>(held, self.run) {
                Ok(Some(found)) => found,
                Ok(None) => {
                    step = (to - from).div_ceil(2);
                    continue;
                }
                Err(error) => return stopped(error),
            };
            let sets = ByRow::new(from..to, found, self.k > 1);
            self.run.reporter().stage("singling out", Some(u64::from(to - from)));
            match &mut lister {
                None => self.count(&sets, totals, small),
                Some(lister) => {
                    if let Err(error) = self.list(&sets, totals, small, lister) {
                        return stopped(error);
                    }
                }
            }
            if let Err(error) = self.run.check() {
                return stopped(error.into());
            }
            from = to;
        }
        Ok(Coverage::Complete)
    }

    fn worker<const W: usize>(&self, sizes: usize, lists: bool) -> Worker<'a, W> {
        Worker {
            whole: Transversals::default(),
            partial: PartialTransversals::default(),
            sets: Vec::new(),
            shared: Vec::new(),
            tally: RowTally::new(self.ranked, sizes, lists),
        }
    }

    fn count<const W: usize>(&self, sets: &ByRow<W>, totals: &Totals<'_>, small: &mut SmallSets) {
        let stop = Stopper { run: self.run, seen: AtomicBool::new(false) };
        let workers = Pool::default();
        let rows: Vec<u32> = sets.rows.clone().collect();
        // Rows differ in work by orders of magnitude: small pieces are stolen by whoever is idle.
        rows.par_chunks(PIECE).for_each(|rows| {
            let mut worker = workers.take(|| self.worker::<W>(totals.sizes(), false));
            for &row in rows {
                if !stop.is_seen() {
                    self.row(row, sets, &mut worker, totals, &stop);
                }
            }
            workers.put(worker);
            stop.look();
            self.run.reporter().advance(rows.len() as u64);
        });
        workers.all().iter().for_each(|worker| small.merge(&worker.tally.small_sets));
    }

    fn list<const W: usize>(
        &self,
        sets: &ByRow<W>,
        totals: &Totals<'_>,
        small: &mut SmallSets,
        lister: &mut Lister<'_, W>,
    ) -> Result<()> {
        let stop = Stopper { run: self.run, seen: AtomicBool::new(false) };
        let workers = Pool::default();
        let each = size_of::<Listed<W>>() as u64;
        let budget = self.run.memory_budget().unwrap_or(LISTED_OF_ROW * each);
        let most_listed = usize::try_from(budget / each).unwrap_or(usize::MAX);
        let mut from = sets.rows.start;
        let mut step = 256;
        while from < sets.rows.end && !stop.look() {
            let to = sets.rows.end.min(from.saturating_add(step));
            let rows: Vec<u32> = (from..to).collect();
            let lists: Vec<Vec<RowList<W>>> = rows
                .par_chunks(PIECE)
                .map(|rows| {
                    let mut worker = workers.take(|| self.worker::<W>(totals.sizes(), true));
                    worker.tally.most_listed = most_listed;
                    let list = |row: &u32| {
                        if !stop.is_seen() {
                            self.row(*row, sets, &mut worker, totals, &stop);
                            stop.look();
                        }
                        worker.tally.take_list(*row)
                    };
                    let lists = rows.iter().map(list).collect();
                    workers.put(worker);
                    lists
                })
                .collect();
            let listed: usize = lists.iter().flatten().map(|row| row.listed.len()).sum();
            lists.iter().flatten().try_for_each(|row| lister.row(row))?;
            if lists.iter().flatten().any(|row| row.is_cut) {
                let needed = budget.saturating_mul(2);
                return Err(Error::Stopped(Stop::MemoryLimit { needed, budget }).into());
            }
            self.run.reporter().advance(u64::from(to - from));
            from = to;
            // As many rows as make a good batch, judged by those that were listed last.
            let more = (LISTED_AT_ONCE / listed.max(1)).clamp(1, 16);
            let fewer = (listed / LISTED_AT_ONCE).max(1);
            step =
                u32::try_from((step as usize * more / fewer).clamp(1, 1 << 20)).expect("clamped");
        }
        workers.all().iter().for_each(|worker| small.merge(&worker.tally.small_sets));
        Ok(())
    }

    /// What is counted at one row, apart from items that are minimal uniques by themselves.
    pub(super) fn count_row<const W: usize>(
        &self,
        row: u32,
        shared: &[Shared<W>],
        sizes: usize,
    ) -> u64 {
        let stop = Stopper { run: self.run, seen: AtomicBool::new(false) };
        let mut worker = self.worker::<W>(sizes, false);
        self.fill(row, shared.iter().copied(), &mut worker, &stop);
        worker.tally.own_total()
    }

    /// Goes through one row.
    fn row<const W: usize>(
        &self,
        row: u32,
        sets: &ByRow<W>,
        worker: &mut Worker<'_, W>,
        totals: &Totals<'_>,
        stop: &Stopper<'_>,
    ) {
        if self.ranked.weight[row as usize] <= self.k {
            self.fill(row, sets.of(row), worker, stop);
            let slack = self.k - self.ranked.weight[row as usize];
            let graph = if slack == 0 { &worker.whole.graph } else { &worker.partial.graph };
            worker.tally.finish(graph, totals);
        } else {
            worker.tally.begin(row);
        }
    }

    /// Lists what a row of at most `k` equals holds into the worker's tally.
    fn fill<const W: usize>(
        &self,
        row: u32,
        of_row: impl Iterator<Item = Shared<W>>,
        worker: &mut Worker<'_, W>,
        stop: &Stopper<'_>,
    ) {
        let Worker { whole, partial, sets: masks, shared, tally } = worker;
        tally.begin(row);
        whole.graph.clear();
        partial.graph.clear();
        let weight = self.ranked.weight[row as usize];
        if weight > self.k {
            return;
        }
        tally.held[1] = self.ranked.singles::<W>(row).len() as u64;
        let universe: Mask<W> =
            self.tuning.isa.run(ColumnsFrom { cells: self.ranked.cells(row), lowest: 1 });
        if universe.is_empty() {
            return;
        }
        let slack = self.k - weight;
        let look = || stop.look();
        if slack == 0 {
            masks.clear();
            masks.extend(of_row.map(|set| set.columns));
            whole.list(universe, masks, self.most, self.tuning.isa, &look, tally);
        } else {
            shared.clear();
            shared.extend(of_row);
            let rows = Others { ranked: self.ranked, slack };
            partial.list(rows, universe, shared, self.most, &look, tally);
        }
    }
}

/// Workers that are not at work.
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T> Pool<T> {
    pub(super) fn take(&self, new: impl FnOnce() -> T) -> T {
        let idle = self.0.lock().expect("nobody panics while holding it").pop();
        idle.unwrap_or_else(new)
    }

    pub(super) fn put(&self, worker: T) {
        self.0.lock().expect("nobody panics while holding it").push(worker);
    }

    fn all(self) -> Vec<T> {
        self.0.into_inner().expect("nobody panics while holding it")
    }
}

/// Looks at the clock and remembers what it saw.
struct Stopper<'a> {
    run: &'a Run,
    seen: AtomicBool,
}

impl Stopper<'_> {
    fn look(&self) -> bool {
        if self.run.stop().is_some() {
            self.seen.store(true, Ordering::Relaxed);
        }
        self.is_seen()
    }

    fn is_seen(&self) -> bool {
        self.seen.load(Ordering::Relaxed)
    }
}

/// A limit ends the search with what it has; everything else is an error.
pub(super) fn stopped(error: crate::Error) -> Result<Coverage> {
    match error {
        crate::Error::Engine(Error::Stopped(stop)) if stop != Stop::Interrupted => {
            Ok(Coverage::Stopped { by: stop })
        }
        error => Err(error),
    }
}

/// What rows share, by row, in as many parts as threads found it.
struct ByRow<const W: usize> {
    rows: Range<u32>,
    parts: Vec<Sorted<W>>,
}

struct Sorted<const W: usize> {
    starts: Vec<u32>,
    columns: Vec<Mask<W>>,
    /// With whom; empty where nobody asks.
    others: Vec<u32>,
}

impl<const W: usize> ByRow<W> {
    fn new(rows: Range<u32>, found: Vec<Vec<Shared<W>>>, with_others: bool) -> Self {
        let parts = found.into_par_iter().map(|found| Sorted::new(&rows, &found, with_others));
        Self { parts: parts.collect(), rows }
    }

    fn of(&self, row: u32) -> impl Iterator<Item = Shared<W>> + '_ {
        let at = (row - self.rows.start) as usize;
        self.parts.iter().flat_map(move |part| {
            let places = part.starts[at] as usize..part.starts[at + 1] as usize;
            places.map(move |place| Shared {
                row,
                other: part.others.get(place).copied().unwrap_or(row),
                columns: part.columns[place],
            })
        })
    }
}

impl<const W: usize> Sorted<W> {
    fn new(rows: &Range<u32>, found: &[Shared<W>], with_others: bool) -> Self {
        let mut starts = vec![0u32; rows.len() + 1];
        found.iter().for_each(|set| starts[(set.row - rows.start) as usize + 1] += 1);
        for at in 0..rows.len() {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut columns = vec![Mask::EMPTY; found.len()];
        let mut others = vec![0; if with_others { found.len() } else { 0 }];
        for set in found {
            let at = &mut next[(set.row - rows.start) as usize];
            columns[*at as usize] = set.columns;
            if with_others {
                others[*at as usize] = set.other;
            }
            *at += 1;
        }
        Self { starts, columns, others }
    }
}
