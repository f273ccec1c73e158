//! Which columns a row shares with the others: its maximal agree sets.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use muslin_engine::{Run, fold_bits};
use rayon::prelude::*;

use super::classes::{Classes, Classify};
use super::kernel::{Isa, Lanes, Task};
use super::leaf::Leaf;
use super::ranked::Ranked;
use super::scan::Scan;
use crate::Result;
use crate::mask::Mask;

/// Columns that a row shares with another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared<const W: usize> {
    /// The distinct row.
    pub(super) row: u32,
    /// The distinct row that it shares them with.
    pub(super) other: u32,
    pub(super) columns: Mask<W>,
}

/// What a row shares with another, while its leaf is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept<const W: usize> {
    pub(super) other: u32,
    /// Shared columns whose items have the leaf's ranks.
    pub(super) columns: Mask<W>,
    /// Whether an item of lower rank is shared too: then another leaf reports the pair.
    pub(super) earlier: bool,
}

/// The search for agree sets.
pub(super) struct AgreeSets<'a> {
    ranked: &'a Ranked,
    /// At most so many rows hold a k-unique.
    k: u32,
    tuning: Tuning,
    isa: Isa,
    cut: usize,
    /// The distinct rows whose agree sets are asked for.
    rows: Range<u32>,
    /// By row, the lowest known cell from which on it shares all its items with more than k
    /// rows: nothing that it shares in leaves above is maximal.
    settled: Vec<AtomicU32>,
}

/// What changes the way, never the answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    pub(super) isa: Isa,
    /// Leaves of so many pairs are compared one by one.
    pub(super) direct_pairs: usize,
    /// Leaves of so few targets are compared one by one.
    pub(super) direct_targets: usize,
    /// Spreads the sum of a row's cells.
    pub(super) hash: fn(u64) -> u64,
    /// Ranks from here on are one leaf; planned when not given.
    pub(super) cut: Option<usize>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { isa: Isa::best(), direct_pairs: 2048, direct_targets: 4, hash: fold_bits, cut: None }
    }
}

/// Pairs of a leaf from which on its targets are shared out among threads.
const SHARED_PAIRS: usize = 1 << 24;

/// Above this k, bitmaps would count more levels than a look at each pair costs.
const MOST_LEVELS: u32 = 64;

/// Reused memory of one thread.
struct Scratch<const W: usize> {
    leaf: Leaf,
    scan: Scan<W>,
    targets: Vec<u32>,
    partners: Vec<u32>,
    classes: Classes,
    found: Vec<Shared<W>>,
}

impl<'a> AgreeSets<'a> {
    /// For the given distinct rows; ranks from `cut` on are one leaf.
    pub(super) fn new(
        ranked: &'a Ranked,
        k: u32,
        tuning: Tuning,
        cut: usize,
        rows: Range<u32>,
    ) -> Self {
        let settled = rows.clone().map(|_| AtomicU32::new(u32::MAX)).collect();
        Self { ranked, k, tuning, isa: tuning.isa, cut, rows, settled }
    }

    fn scratch<const W: usize>(&self) -> Scratch<W> {
        Scratch {
            leaf: Leaf::new(self.ranked),
            scan: Scan::default(),
            targets: Vec::new(),
            partners: Vec::new(),
            classes: Classes::default(),
            found: Vec::new(),
        }
    }

    /// What each row of at most `k` equals shares with others: all maximal agree sets, each with
    /// as many others as it takes to count to `k`, and some that are not maximal. Nothing when
    /// that takes more than `held` bytes for several rows.
    pub(super) fn find<const W: usize>(
        &self,
        held: u64,
        run: &Run,
    ) -> Result<Option<Vec<Vec<Shared<W>>>>> {
        let cut = self.cut;
        let cells: usize = (0..cut).map(|rank| self.ranked.holders(rank).len()).sum();
        run.reporter().stage("comparing rows", Some(cells as u64));
        let next = AtomicUsize::new(0);
        let bytes = AtomicU64::new(0);
        let fits = |found: &[Shared<W>], before: usize| {
            let new = size_of_val(&found[before..]) as u64;
            bytes.fetch_add(new, Ordering::Relaxed) + new <= held || self.rows.len() == 1
        };
        let parts: Result<Vec<Option<Vec<Shared<W>>>>> = (0..rayon::current_num_threads())
            .into_par_iter()
            .with_max_len(1)
            .map(|_| {
                let mut scratch = self.scratch::<W>();
                loop {
                    // Leaves in rising rank: rows that are settled early are no targets later.
                    let rank = next.fetch_add(1, Ordering::Relaxed);
                    if rank >= cut {
                        return Ok(Some(scratch.found));
                    }
                    run.check()?;
                    let before = scratch.found.len();
                    self.leaf_of_rank(rank, &mut scratch, run);
                    if !fits(&scratch.found, before) {
                        return Ok(None);
                    }
                    run.reporter().advance(self.ranked.holders(rank).len() as u64);
                }
            })
            .collect();
        let mut parts = parts?;
        if cut < self.ranked.ranks() {
            run.check()?;
            let rows = u32::try_from(self.ranked.distinct()).expect("row ids are 32 bits wide");
            let rows: Vec<u32> = (0..rows).collect();
            let mut scratch = self.scratch::<W>();
            self.search(cell_of(cut), &rows, &rows, &mut scratch, run);
            let fits = fits(&scratch.found, 0);
            parts.push(fits.then_some(scratch.found));
        }
        run.check()?;
        Ok(parts.into_iter().collect())
    }

    /// The maximal agree sets of one row, by looking at every other row.
    pub(super) fn of_row<const W: usize>(&self, row: u32, run: &Run) -> Vec<Shared<W>> {
        let rows: Vec<u32> = (0u32..).take(self.ranked.distinct()).collect();
        let mut scratch = self.scratch::<W>();
        if self.is_open(row, 1) {
            self.search_directly(1, &[row], &rows, &mut scratch, run);
        }
        scratch.found
    }

    fn leaf_of_rank<const W: usize>(&self, rank: usize, scratch: &mut Scratch<W>, run: &Run) {
        let holders = self.ranked.holders(rank);
        let wild = self.ranked.wild_rows(rank);
        if wild.is_empty() {
            return self.search(cell_of(rank), holders, holders, scratch, run);
        }
        let mut partners = std::mem::take(&mut scratch.partners);
        partners.clear();
        partners.extend_from_slice(holders);
        partners.extend_from_slice(wild);
        self.search(cell_of(rank), holders, &partners, scratch, run);
        scratch.partners = partners;
    }

    /// Whether a row is asked for and may still have maximal agree sets in a leaf.
    fn is_open(&self, row: u32, lowest: u32) -> bool {
        self.rows.contains(&row)
            && self.ranked.weight[row as usize] <= self.k
            && lowest < self.settled[(row - self.rows.start) as usize].load(Ordering::Relaxed)
    }

    fn settle(&self, row: u32, lowest: u32) {
        self.settled[(row - self.rows.start) as usize].fetch_min(lowest, Ordering::Relaxed);
    }

    /// Compares rows with partners, themselves among them, on the items whose cells are at least
    /// `lowest`.
    fn search<const W: usize>(
        &self,
        lowest: u32,
        rows: &[u32],
        partners: &[u32],
        scratch: &mut Scratch<W>,
        run: &Run,
    ) {
        let mut targets = std::mem::take(&mut scratch.targets);
        targets.clear();
        targets.extend(rows.iter().copied().filter(|&row| self.is_open(row, lowest)));
        let direct = |targets: usize, partners: usize| {
            self.k > MOST_LEVELS
                || targets * partners <= self.tuning.direct_pairs
                || targets <= self.tuning.direct_targets
        };
        if direct(targets.len(), partners.len()) {
            self.search_directly(lowest, &targets, partners, scratch, run);
        } else if self.k == 1 && !self.ranked.is_wild() {
            // Equal rows share all; they are settled, and as partners one of them will do.
            let mut classes = std::mem::take(&mut scratch.classes);
            self.isa.run(Classify {
                ranked: self.ranked,
                lowest,
                rows,
                hash: self.tuning.hash,
                classes: &mut classes,
            });
            targets.clear();
            for (&row, &class) in rows.iter().zip(&classes.class_of) {
                if !self.is_open(row, lowest) {
                    continue;
                }
                if classes.alone[class as usize] {
                    targets.push(row);
                } else {
                    let cells = self.ranked.cells(row);
                    let columns = self.isa.run(ColumnsFrom { cells, lowest });
                    scratch.found.push(Shared { row, other: row, columns });
                    self.settle(row, lowest);
                }
            }
            if direct(targets.len(), classes.first.len()) {
                self.search_directly(lowest, &targets, &classes.first, scratch, run);
            } else {
                self.search_bitmaps(lowest, &targets, &classes.first, scratch, run);
            }
            scratch.classes = classes;
        } else {
            self.search_bitmaps(lowest, &targets, partners, scratch, run);
        }
        scratch.targets = targets;
    }

    fn search_directly<const W: usize>(
        &self,
        lowest: u32,
        targets: &[u32],
        partners: &[u32],
        scratch: &mut Scratch<W>,
        run: &Run,
    ) {
        for (index, &target) in targets.iter().enumerate() {
            // Whoever called sees it too.
            if index % 64 == 63 && run.stop().is_some() {
                return;
            }
            let slack = self.k - self.ranked.weight[target as usize];
            let kept = &mut scratch.scan.kept;
            kept.clear();
            let task = Direct { ranked: self.ranked, target, lowest, partners, slack, kept };
            let settled = self.isa.run(task);
            report(target, &scratch.scan.kept, &mut scratch.found);
            if settled {
                self.settle(target, lowest);
            }
        }
    }

    fn search_bitmaps<const W: usize>(
        &self,
        lowest: u32,
        targets: &[u32],
        partners: &[u32],
        scratch: &mut Scratch<W>,
        run: &Run,
    ) {
        if !scratch.leaf.build(self.ranked, lowest, targets, partners) {
            return self.search_directly(lowest, targets, partners, scratch, run);
        }
        let leaf = &scratch.leaf;
        let search = |target: u32, scan: &mut Scan<W>, found: &mut Vec<Shared<W>>| {
            let slack = self.k - self.ranked.weight[target as usize];
            if scan.run(leaf, self.ranked, target, slack, self.isa) {
                self.settle(target, lowest);
            }
            report(target, &scan.kept, found);
        };
        if targets.len().saturating_mul(partners.len()) < SHARED_PAIRS {
            for &target in targets {
                search(target, &mut scratch.scan, &mut scratch.found);
            }
            return;
        }
        // A large leaf: idle threads help.
        let parts: Vec<Vec<Shared<W>>> = targets
            .par_chunks(64)
            .map_init(Scan::default, |scan, targets| {
                let mut found = Vec::new();
                if run.stop().is_none() {
                    targets.iter().for_each(|&target| search(target, scan, &mut found));
                }
                found
            })
            .collect();
        parts.into_iter().for_each(|part| scratch.found.extend(part));
    }
}

/// The number in cells of a rank's item.
pub(super) fn cell_of(rank: usize) -> u32 {
    u32::try_from(rank).expect("no more ranks than cells") + 1
}

fn report<const W: usize>(target: u32, kept: &[Kept<W>], found: &mut Vec<Shared<W>>) {
    let here = kept.iter().filter(|kept| !kept.earlier);
    found.extend(here.map(|kept| Shared { row: target, other: kept.other, columns: kept.columns }));
}

/// Columns of a row whose cells are at least `lowest`.
#[inline(always)]
pub(super) fn columns_from<L: Lanes, const W: usize>(cells: &[u32], lowest: u32) -> Mask<W> {
    let mut columns = Mask::EMPTY;
    for (index, chunk) in cells.as_chunks::<16>().0.iter().enumerate() {
        columns.0[index / 4] |= u64::from(L::at_least(chunk, lowest)) << (index % 4 * 16);
    }
    columns
}

/// Columns in which two rows have the same ranked item.
#[inline(always)]
pub(super) fn equal_columns<L: Lanes, const W: usize>(a: &[u32], b: &[u32]) -> Mask<W> {
    let mut columns = Mask::EMPTY;
    let chunks = a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0);
    for (index, (a, b)) in chunks.enumerate() {
        columns.0[index / 4] |= u64::from(L::equal(a, b)) << (index % 4 * 16);
    }
    columns
}

/// [`columns_from`] as a task.
pub(super) struct ColumnsFrom<'a> {
    pub(super) cells: &'a [u32],
    pub(super) lowest: u32,
}

impl<const W: usize> Task<Mask<W>> for ColumnsFrom<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) -> Mask<W> {
        columns_from::<L, W>(self.cells, self.lowest)
    }
}

/// A row against all others of a leaf, one by one.
struct Direct<'a, const W: usize> {
    ranked: &'a Ranked,
    target: u32,
    lowest: u32,
    partners: &'a [u32],
    slack: u32,
    kept: &'a mut Vec<Kept<W>>,
}

impl<const W: usize> Task<bool> for Direct<'_, W> {
    /// Whether the row shares all its items here with more than `slack` others.
    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let Self { ranked, target, lowest, partners, slack, kept } = self;
        let cells = ranked.cells(target);
        let local: Mask<W> = columns_from::<L, W>(cells, lowest);
        let universe: Mask<W> = columns_from::<L, W>(cells, 1);
        let wild = ranked.is_wild();
        let mut full = 0;
        for &other in partners {
            if other == target {
                continue;
            }
            let mut shared = equal_columns::<L, W>(cells, ranked.cells(other));
            if wild {
                shared |= ranked.absent::<W>(other) & universe;
            }
            let columns = shared & local;
            if is_covered(columns, kept, slack, ranked) {
                continue;
            }
            if slack == 0 {
                kept.retain(|kept| !kept.columns.is_within(columns));
            }
            kept.push(Kept { other, columns, earlier: shared != columns });
            if columns == local {
                full += ranked.weight[other as usize];
                if full > slack {
                    return true;
                }
            }
        }
        false
    }
}

/// Whether more than `slack` rows are known to share all of `columns`.
#[inline(always)]
pub(super) fn is_covered<const W: usize>(
    columns: Mask<W>,
    kept: &[Kept<W>],
    slack: u32,
    ranked: &Ranked,
) -> bool {
    if slack == 0 {
        return kept.iter().any(|kept| columns.is_within(kept.columns));
    }
    let mut weight = 0u32;
    kept.iter().filter(|kept| columns.is_within(kept.columns)).any(|kept| {
        weight = weight.saturating_add(ranked.weight[kept.other as usize]);
        weight > slack
    })
}
