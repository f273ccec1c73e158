//! Counting what is found: by size, by row and by item.

use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use super::hypergraph::Hypergraph;
use super::listing::{Listed, RowList};
use super::partial::CollectShared;
use super::ranked::Ranked;
use super::scores::score_of;
use super::transversals::Collect;
use crate::mask::Mask;

/// Counts of everything found, written by many threads. Only whole numbers are added up, and a
/// row's score is made by one thread, so the outcome does not depend on who was first.
pub(super) struct Totals<'a> {
    ranked: &'a Ranked,
    /// What a minimal unique of each size adds to a row's score; its length is one above the
    /// largest size looked for.
    weights: &'a [f64],
    by_size: Vec<AtomicU64>,
    /// By rank and size.
    items: Vec<AtomicU64>,
    uniques: Vec<AtomicU64>,
    /// Bits of each row's score.
    scores: Vec<AtomicU64>,
    smallest: Vec<AtomicU16>,
    /// Bits of what each column adds to each row's score, by row, then by column, if asked for.
    parts: Vec<AtomicU64>,
}

/// [`Totals`] when all is counted.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) by_size: Vec<u64>,
    /// By rank and size.
    pub(super) items: Vec<u64>,
    pub(super) uniques: Vec<u64>,
    pub(super) scores: Vec<f64>,
    pub(super) smallest: Vec<u16>,
    pub(super) parts: Vec<f64>,
}

impl<'a> Totals<'a> {
    pub(super) fn new(ranked: &'a Ranked, weights: &'a [f64], with_parts: bool) -> Self {
        let zeros = |count: usize| (0..count).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        Self {
            ranked,
            weights,
            by_size: zeros(weights.len()),
            items: zeros(ranked.ranks() * weights.len()),
            uniques: zeros(ranked.distinct()),
            scores: zeros(ranked.distinct()),
            smallest: (0..ranked.distinct()).map(|_| AtomicU16::new(0)).collect(),
            parts: zeros(if with_parts { ranked.distinct() * ranked.columns } else { 0 }),
        }
    }

    /// Bytes that counting takes.
    pub(super) fn memory(ranked: &Ranked, sizes: usize, with_parts: bool) -> u64 {
        let parts = if with_parts { ranked.distinct() * ranked.columns } else { 0 };
        8 * (ranked.ranks() * sizes + parts) as u64 + 18 * ranked.distinct() as u64
    }

    /// Adds what minimal uniques of one size with a column add to a row's score. No two threads
    /// are at one row at a time.
    #[expect(clippy::cast_precision_loss, reason = "a score is a rounded number")]
    pub(super) fn add_part(&self, row: u32, column: usize, size: usize, count: u64) {
        if let Some(part) = self.parts.get(row as usize * self.ranked.columns + column) {
            let sum =
                f64::from_bits(part.load(Ordering::Relaxed)) + count as f64 * self.weights[size];
            part.store(sum.to_bits(), Ordering::Relaxed);
        }
    }

    /// Number of sizes, zero included.
    pub(super) fn sizes(&self) -> usize {
        self.weights.len()
    }

    /// Adds minimal uniques that are counted here and nowhere else.
    pub(super) fn add(&self, size: usize, count: u64) {
        add(&self.by_size[size], count);
    }

    /// Adds items that are minimal uniques by themselves, to rows too: they are known at once.
    pub(super) fn add_singles<const W: usize>(&self) {
        self.add(1, self.ranked.single_items.iter().sum());
        let rows = u32::try_from(self.ranked.distinct()).expect("row ids are 32 bits wide");
        for row in 0..rows {
            let singles = self.ranked.singles::<W>(row).len() as u64;
            if singles > 0 {
                self.finish_row(row, &[0, singles]);
                let columns = self.ranked.singles::<W>(row);
                columns.iter().for_each(|column| self.add_part(row, column, 1, 1));
            }
        }
    }

    /// Adds minimal uniques to the item of a cell.
    pub(super) fn add_item(&self, cell: u32, size: usize, count: u64) {
        add(&self.items[(cell as usize - 1) * self.sizes() + size], count);
    }

    /// Takes the sizes of all that a distinct row holds.
    pub(super) fn finish_row(&self, row: u32, by_size: &[u64]) {
        let row = row as usize;
        let uniques = by_size.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
        let score = score_of(by_size, self.weights);
        let smallest = by_size.iter().position(|&count| count > 0).unwrap_or(0);
        self.uniques[row].store(uniques, Ordering::Relaxed);
        self.scores[row].store(score.to_bits(), Ordering::Relaxed);
        let smallest = u16::try_from(smallest).expect("at most 1,024 columns");
        self.smallest[row].store(smallest, Ordering::Relaxed);
    }

    pub(super) fn finish(self) -> Counted {
        let whole = |all: Vec<AtomicU64>| all.into_iter().map(AtomicU64::into_inner).collect();
        Counted {
            by_size: whole(self.by_size),
            items: whole(self.items),
            uniques: whole(self.uniques),
            scores: self.scores.into_iter().map(|bits| f64::from_bits(bits.into_inner())).collect(),
            smallest: self.smallest.into_iter().map(AtomicU16::into_inner).collect(),
            parts: self.parts.into_iter().map(|bits| f64::from_bits(bits.into_inner())).collect(),
        }
    }
}

/// Adds; a sum that does not fit stays at the largest number and is refused later.
fn add(sum: &AtomicU64, count: u64) {
    let before = sum.fetch_add(count, Ordering::Relaxed);
    if before.checked_add(count).is_none() {
        sum.store(u64::MAX, Ordering::Relaxed);
    }
}

/// What one row holds. Memory is reused from row to row.
pub(super) struct RowTally<'a, const W: usize> {
    ranked: &'a Ranked,
    /// All that the row holds, by size.
    pub(super) held: Vec<u64>,
    /// What is counted at this row: a minimal unique of several rows counts at the first.
    own: Vec<u64>,
    /// Of all that the row holds, by class and size, those with a column of the class.
    classes: Vec<u64>,
    /// What is counted at this row, by column set, up to three columns.
    pub(super) small_sets: SmallSets,
    row: u32,
    /// What is counted at this row, one by one, if asked for.
    list: Option<Vec<Listed<W>>>,
    /// Other rows of what is listed.
    others: Vec<u32>,
    sizes: usize,
    /// Most that are listed of one row; what is more is left out and said.
    pub(super) most_listed: usize,
    is_cut: bool,
}

impl<'a, const W: usize> RowTally<'a, W> {
    pub(super) fn new(ranked: &'a Ranked, sizes: usize, lists: bool) -> Self {
        Self {
            ranked,
            held: vec![0; sizes],
            own: vec![0; sizes],
            classes: Vec::new(),
            small_sets: SmallSets::new(ranked.columns, sizes),
            row: 0,
            list: lists.then(Vec::new),
            others: Vec::new(),
            sizes,
            most_listed: usize::MAX,
            is_cut: false,
        }
    }

    /// Begins a row.
    pub(super) fn begin(&mut self, row: u32) {
        self.row = row;
        self.held.fill(0);
        self.own.fill(0);
        self.classes.fill(0);
        self.others.clear();
        if let Some(list) = &mut self.list {
            list.clear();
        }
    }

    /// Makes room for a row with so many classes.
    fn reserve(&mut self, classes: usize) {
        let needed = classes * self.sizes;
        if self.classes.len() < needed {
            self.classes.resize(needed, 0);
        }
    }

    fn list_all(
        &mut self,
        graph: &Hypergraph<W>,
        base: &[u16],
        last: Option<usize>,
        others: (u32, u32),
    ) {
        let Some(list) = &mut self.list else { return };
        let start = list.len();
        let classes = base.iter().map(|&class| class as usize).chain(last);
        let ways = classes.fold(1u64, |ways, class| ways.saturating_mul(graph.sizes[class]));
        if ways.saturating_add(start as u64) > self.most_listed as u64 {
            self.is_cut = true;
            return;
        }
        list.push(Listed { columns: Mask::EMPTY, others });
        for class in base.iter().map(|&class| class as usize).chain(last) {
            let members = graph.members[class];
            let end = list.len();
            let mut columns = members.iter();
            let first = columns.next().expect("a class has a column");
            for column in columns {
                for at in start..end {
                    let mut copy = list[at];
                    copy.columns.insert(column);
                    list.push(copy);
                }
            }
            list[start..end].iter_mut().for_each(|listed| listed.columns.insert(first));
        }
    }

    /// Number of those counted at this row.
    pub(super) fn own_total(&self) -> u64 {
        self.own.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// What is counted at this row, in order.
    pub(super) fn take_list(&mut self, row: u32) -> RowList<W> {
        let mut listed = self.list.take().unwrap_or_default();
        self.list = Some(Vec::new());
        listed.sort_unstable_by(|a, b| a.columns.order(&b.columns));
        let is_cut = std::mem::take(&mut self.is_cut);
        RowList { row, listed, others: std::mem::take(&mut self.others), is_cut }
    }

    /// Adds the row to the totals.
    pub(super) fn finish(&self, graph: &Hypergraph<W>, totals: &Totals<'_>) {
        totals.finish_row(self.row, &self.held);
        for (size, &count) in self.own.iter().enumerate().filter(|(_, count)| **count > 0) {
            totals.add(size, count);
        }
        let cells = totals.ranked.cells(self.row);
        let rows = u64::from(totals.ranked.weight[self.row as usize]);
        for (class, members) in graph.members.iter().enumerate() {
            let counts = self.classes.get(class * self.sizes..(class + 1) * self.sizes);
            for (size, &count) in counts.into_iter().flatten().enumerate().filter(|(_, c)| **c > 0)
            {
                // Each column of a class is in as many as any other.
                let each = count / graph.sizes[class];
                for column in members.iter() {
                    totals.add_item(cells[column], size, each.saturating_mul(rows));
                    totals.add_part(self.row, column, size, each);
                }
            }
        }
    }
}

impl<const W: usize> Collect<W> for RowTally<'_, W> {
    #[inline(always)]
    fn found(&mut self, graph: &Hypergraph<W>, base: &[u16], product: u64, completing: Mask<W>) {
        let size = base.len() + 1;
        self.reserve(graph.members.len());
        let mut ways = 0u64;
        for class in completing.iter() {
            let count = product.saturating_mul(graph.sizes[class]);
            ways = ways.saturating_add(count);
            let sum = &mut self.classes[class * self.sizes + size];
            *sum = sum.saturating_add(count);
        }
        for &class in base {
            let sum = &mut self.classes[class as usize * self.sizes + size];
            *sum = sum.saturating_add(ways);
        }
        self.held[size] = self.held[size].saturating_add(ways);
        self.own[size] = self.own[size].saturating_add(ways);
        if size <= SmallSets::MOST {
            completing.iter().for_each(|class| self.small_sets.add_all(graph, base, Some(class)));
        }
        if self.list.is_some() {
            completing.iter().for_each(|class| self.list_all(graph, base, Some(class), (0, 0)));
        }
    }
}

impl<const W: usize> CollectShared<W> for RowTally<'_, W> {
    fn found(&mut self, graph: &Hypergraph<W>, base: &[u16], product: u64, others: &[u32]) {
        let size = base.len();
        self.reserve(graph.members.len());
        self.held[size] = self.held[size].saturating_add(product);
        for &class in base {
            let sum = &mut self.classes[class as usize * self.sizes + size];
            *sum = sum.saturating_add(product);
        }
        // Where missing matches anything, classes have one column each.
        let mut columns = Mask::EMPTY;
        let wild = self.ranked.is_wild();
        if wild {
            base.iter().for_each(|&class| columns |= graph.members[class as usize]);
        }
        let holds = |other: u32| !wild || (self.ranked.absent(other) & columns).is_empty();
        if others.iter().any(|&other| other < self.row && holds(other)) {
            return;
        }
        self.own[size] = self.own[size].saturating_add(product);
        if size <= SmallSets::MOST {
            self.small_sets.add_all(graph, base, None);
        }
        if self.list.is_some() {
            let start = u32::try_from(self.others.len()).expect("a row's list fits memory");
            self.others.extend_from_slice(others);
            let end = u32::try_from(self.others.len()).expect("a row's list fits memory");
            self.list_all(graph, base, None, (start, end));
        }
    }
}

/// Minimal uniques by column set, for sets of two and three columns.
#[derive(Clone, Debug, Default)]
pub(super) struct SmallSets {
    columns: usize,
    pairs: Vec<u64>,
    /// Empty in wide tables.
    triples: Vec<u64>,
}

impl SmallSets {
    /// Columns of the largest sets.
    pub(super) const MOST: usize = 3;
    /// Columns of the widest tables whose triples are counted.
    const WIDEST: usize = 128;

    pub(super) fn new(columns: usize, sizes: usize) -> Self {
        let triples = if sizes > 3 && columns <= Self::WIDEST { columns.pow(3) } else { 0 };
        let pairs = if sizes > 2 { columns.pow(2) } else { 0 };
        Self { columns, pairs: vec![0; pairs], triples: vec![0; triples] }
    }

    fn add_all<const W: usize>(
        &mut self,
        graph: &Hypergraph<W>,
        base: &[u16],
        last: Option<usize>,
    ) {
        let mut classes = base.iter().map(|&class| class as usize).chain(last);
        let members = |class: Option<usize>| class.map(|class| graph.members[class]);
        let (first, second, third) =
            (members(classes.next()), members(classes.next()), members(classes.next()));
        let (Some(first), Some(second)) = (first, second) else { return };
        for a in first.iter() {
            for b in second.iter() {
                match third {
                    None => self.add(&mut [a, b], 1),
                    Some(third) => third.iter().for_each(|c| self.add(&mut [a, b, c], 1)),
                }
            }
        }
    }

    /// Counts so many of one set.
    pub(super) fn add(&mut self, set: &mut [usize], times: u64) {
        if !(2..=Self::MOST).contains(&set.len()) {
            return;
        }
        set.sort_unstable();
        let at = set.iter().fold(0, |at, column| at * self.columns + column);
        let counts = if set.len() == 2 { &mut self.pairs } else { &mut self.triples };
        if let Some(count) = counts.get_mut(at) {
            *count += times;
        }
    }

    /// Adds what another counted.
    pub(super) fn merge(&mut self, other: &Self) {
        let add = |to: &mut [u64], from: &[u64]| to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        add(&mut self.pairs, &other.pairs);
        add(&mut self.triples, &other.triples);
    }

    /// Every set that was counted, with its count.
    pub(super) fn counts(&self) -> Vec<(Vec<usize>, u64)> {
        let columns = self.columns.max(1);
        let of = |counts: &[u64], size: u32| -> Vec<(Vec<usize>, u64)> {
            let set = |at: usize| (0..size).rev().map(|i| at / columns.pow(i) % columns).collect();
            let counted = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            counted.map(|(at, &count)| (set(at), count)).collect()
        };
        let mut all = of(&self.pairs, 2);
        all.extend(of(&self.triples, 3));
        all
    }
}
