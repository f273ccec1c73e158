//! The search by column sets: for few columns, small sizes, or very many rows.
//!
//! Each set of columns is visited once; its rows are in classes of more than `k` rows, refined
//! from the classes of the set without its last column. Rows that fall into smaller classes are
//! k-unique on the set, and minimally so unless they are on one of its subsets. Sets grow from
//! their largest column downwards and siblings come in rising order, so all subsets of a set are
//! visited before it: a bit per row remembers who is k-unique there. This is SUDA's own walk over
//! column sets (MH05, section 3), with memory instead of repeated sorting.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use muslin_engine::{Coverage, Run};
use rayon::prelude::*;

use super::listing::{Listed, Lister, RowList};
use super::ranked::Ranked;
use super::search::{Pool, stopped};
use super::tally::{SmallSets, Totals};
use crate::Result;
use crate::mask::Mask;

/// Rows from which on a refinement is shared out among threads.
const SHARED_ROWS: usize = 1 << 16;

/// Rows in classes, one class after the other.
#[derive(Default)]
struct Grouped {
    rows: Vec<u32>,
    ends: Vec<u32>,
}

impl Grouped {
    fn push(&mut self, rows: &[u32]) {
        self.rows.extend_from_slice(rows);
        self.ends.push(u32::try_from(self.rows.len()).expect("row ids are 32 bits wide"));
    }

    fn classes(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, &to)| &self.rows[from as usize..to as usize])
    }

    fn append(&mut self, other: &Self) {
        let before = u32::try_from(self.rows.len()).expect("row ids are 32 bits wide");
        self.rows.extend_from_slice(&other.rows);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }
}

/// The search by column sets.
pub(super) struct ColumnSets<'a, const W: usize> {
    ranked: &'a Ranked,
    totals: &'a Totals<'a>,
    k: u64,
    most: usize,
    run: &'a Run,
    /// Cells by column; empty for a column without ranked items.
    columns: Vec<Vec<u32>>,
    /// By set of columns, a bit for each row that is k-unique on it.
    unique: HashMap<Mask<W>, Vec<u64>>,
    /// By row and size. A set's rows are in one class each, so no two threads write one number.
    held: Vec<AtomicU32>,
    sizes: usize,
    small_sets: SmallSets,
    lists: bool,
    list: Vec<(u32, Listed<W>)>,
    others: Vec<u32>,
    refiners: Pool<Refiner>,
}

impl<'a, const W: usize> ColumnSets<'a, W> {
    pub(super) fn new(
        ranked: &'a Ranked,
        totals: &'a Totals<'a>,
        k: u32,
        most: usize,
        lists: bool,
        run: &'a Run,
    ) -> Self {
        let rows = u32::try_from(ranked.distinct()).expect("row ids are 32 bits wide");
        let column = |c: usize| (0..rows).map(|row| ranked.cells(row)[c]).collect::<Vec<_>>();
        let columns: Vec<Vec<u32>> = (0..ranked.columns)
            .into_par_iter()
            .map(|c| if ranked.has_items(c) { column(c) } else { Vec::new() })
            .collect();
        let sizes = most + 1;
        Self {
            ranked,
            totals,
            k: u64::from(k),
            most,
            run,
            columns,
            unique: HashMap::new(),
            held: (0..ranked.distinct() * sizes).map(|_| AtomicU32::new(0)).collect(),
            sizes,
            small_sets: SmallSets::new(ranked.columns, sizes),
            lists,
            list: Vec::new(),
            others: Vec::new(),
            refiners: Pool::default(),
        }
    }

    /// Finds everything and counts it; `lister` gets it row by row, in order.
    pub(super) fn find(
        mut self,
        small: &mut SmallSets,
        lister: Option<&mut Lister<'_, W>>,
    ) -> Result<Coverage> {
        let walked = (0..self.columns.len()).try_for_each(|column| {
            let mut start = Grouped::default();
            for rank in 0..self.ranked.ranks() {
                if self.ranked.column_of[rank] as usize == column {
                    start.push(self.ranked.holders(rank));
                }
            }
            self.extend(&mut vec![column], &start)
        });
        let coverage = walked.map_or_else(stopped, |()| Ok(Coverage::Complete))?;
        small.merge(&self.small_sets);
        self.finish(lister)?;
        Ok(coverage)
    }

    /// Adds each smaller column to `set`, whose classes of more than `k` rows are `classes`.
    fn extend(&mut self, set: &mut Vec<usize>, classes: &Grouped) -> Result<()> {
        if set.len() >= self.most || classes.rows.is_empty() {
            return Ok(());
        }
        let last = *set.last().expect("a set has a column");
        for column in 0..last {
            if self.columns[column].is_empty() {
                continue;
            }
            self.run.check()?;
            set.push(column);
            let large = self.visit(set, classes)?;
            self.extend(set, &large)?;
            set.pop();
            self.run.reporter().advance(1);
        }
        Ok(())
    }

    /// Refines `classes` by the last column of `set`: returns the classes of more than `k` rows,
    /// remembers the rows of the others as k-unique and counts those that are on no subset.
    fn visit(&mut self, set: &[usize], classes: &Grouped) -> Result<Grouped> {
        let mut columns = Mask::EMPTY;
        set.iter().for_each(|&column| columns.insert(column));
        // The set without its last column is where these rows come from: they are not unique
        // there. Single columns have no unique rows left.
        let subsets = set.iter().take(if set.len() > 2 { set.len() - 1 } else { 0 });
        let subsets = subsets.map(|&column| columns.without(Mask::one(column)));
        let subsets: Vec<&Vec<u64>> =
            subsets.filter_map(|subset| self.unique.get(&subset)).collect();
        let step = Step { set, subsets: &subsets };
        let parts: Vec<Part> =
            if classes.rows.len() < SHARED_ROWS || rayon::current_num_threads() == 1 {
                vec![self.part(&step, classes.classes())]
            } else {
                let pieces = Self::pieces(classes);
                pieces.into_par_iter().map(|piece| self.part(&step, piece.into_iter())).collect()
            };
        let mut large = Grouped::default();
        let mut count = 0;
        let mut bits =
            vec![0u64; if set.len() < self.most { self.ranked.distinct().div_ceil(64) } else { 0 }];
        for part in parts {
            large.append(&part.large);
            count += part.count;
            if !bits.is_empty() {
                part.unique.iter().for_each(|&row| bits[row as usize / 64] |= 1 << (row % 64));
            }
            for class in part.found.classes() {
                let start = u32::try_from(self.others.len()).expect("checked by memory");
                let first = *class.iter().min().expect("a class has a row");
                self.others.extend(class.iter().filter(|&&row| row != first));
                let end = u32::try_from(self.others.len()).expect("checked by memory");
                self.list.push((first, Listed { columns, others: (start, end) }));
            }
        }
        self.totals.add(set.len(), count);
        self.small_sets.add(&mut set.to_vec(), count);
        if !bits.is_empty() {
            self.unique.insert(columns, bits);
        }
        // What is listed is found set by set and kept until it can be sorted by row.
        let listed = size_of_val(&self.list[..]) + size_of_val(&self.others[..]);
        self.run.check_memory(listed as u64)?;
        Ok(large)
    }

    /// Pieces of whole classes, so that their results follow each other in order.
    fn pieces(classes: &Grouped) -> Vec<Vec<&[u32]>> {
        let piece = classes.rows.len().div_ceil(rayon::current_num_threads() * 4);
        let mut pieces: Vec<Vec<&[u32]>> = vec![Vec::new()];
        let mut rows = 0;
        for class in classes.classes() {
            if rows >= piece {
                pieces.push(Vec::new());
                rows = 0;
            }
            rows += class.len();
            pieces.last_mut().expect("there is one").push(class);
        }
        pieces
    }

    fn part<'b>(&self, step: &Step<'_>, classes: impl Iterator<Item = &'b [u32]>) -> Part {
        let mut refiner = self.refiners.take(|| Refiner::new(self.ranked));
        let mut part = Part::default();
        let size = step.set.len();
        let last = *step.set.last().expect("a set has a column");
        for class in classes {
            refiner.split(class, &self.columns[last], &self.ranked.weight);
            let mut from = 0;
            for at in 0..refiner.seen.len() {
                let (to, weight) = refiner.take(at);
                let rows = &refiner.sorted[from..to];
                from = to;
                if weight > self.k {
                    part.large.push(rows);
                    continue;
                }
                part.unique.extend_from_slice(rows);
                // Rows of one class are k-unique on a subset together or not at all.
                let first = rows[0] as usize;
                let known = |unique: &&Vec<u64>| unique[first / 64] >> (first % 64) & 1 != 0;
                if step.subsets.iter().any(known) {
                    continue;
                }
                part.count += 1;
                for &row in rows {
                    let held = &self.held[row as usize * self.sizes + size];
                    held.store(held.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                    for &column in step.set {
                        self.totals.add_part(row, column, size, 1);
                    }
                }
                for &column in step.set {
                    let cell = self.columns[column][first];
                    let items = &mut refiner.items[cell as usize];
                    if *items == 0 {
                        refiner.touched.push(cell);
                    }
                    *items += weight;
                }
                if self.lists {
                    part.found.push(rows);
                }
            }
        }
        let Refiner { items, touched, .. } = &mut refiner;
        for cell in touched.drain(..) {
            self.totals.add_item(cell, size, std::mem::take(&mut items[cell as usize]));
        }
        self.refiners.put(refiner);
        part
    }

    fn finish(self, lister: Option<&mut Lister<'_, W>>) -> Result<()> {
        let rows = u32::try_from(self.ranked.distinct()).expect("row ids are 32 bits wide");
        (0..rows).into_par_iter().with_min_len(1 << 12).for_each_init(
            || vec![0u64; self.sizes],
            |by_size, row| {
                let held = &self.held[row as usize * self.sizes..][..self.sizes];
                let held = held.iter().map(|held| u64::from(held.load(Ordering::Relaxed)));
                by_size.iter_mut().zip(held).for_each(|(sum, held)| *sum = held);
                by_size[1] = self.ranked.singles::<W>(row).len() as u64;
                self.totals.finish_row(row, by_size);
            },
        );
        let Some(lister) = lister else { return Ok(()) };
        let mut list = self.list;
        list.par_sort_unstable_by(|(row, a), (other, b)| {
            row.cmp(other).then_with(|| a.columns.order(&b.columns))
        });
        let mut rest = &list[..];
        for row in 0..rows {
            let (own, others) = rest.split_at(rest.partition_point(|&(first, _)| first == row));
            rest = others;
            let mut list = RowList {
                row,
                listed: Vec::with_capacity(own.len()),
                others: Vec::new(),
                is_cut: false,
            };
            for (_, listed) in own {
                let start = u32::try_from(list.others.len()).expect("fewer than all");
                let (from, to) = listed.others;
                list.others.extend_from_slice(&self.others[from as usize..to as usize]);
                let end = u32::try_from(list.others.len()).expect("fewer than all");
                list.listed.push(Listed { columns: listed.columns, others: (start, end) });
            }
            lister.row(&list)?;
        }
        Ok(())
    }
}

/// A set that is visited, and who is k-unique on its subsets.
struct Step<'a> {
    set: &'a [usize],
    subsets: &'a [&'a Vec<u64>],
}

/// What some of the classes became.
#[derive(Default)]
struct Part {
    large: Grouped,
    /// Rows that are k-unique on the set.
    unique: Vec<u32>,
    /// Those that are minimally so, if they are to be listed.
    found: Grouped,
    /// How many classes they are.
    count: u64,
}

/// Splits classes by a column; memory is reused.
struct Refiner {
    /// By cell: rows of the class that have it, then where the next one goes.
    counts: Vec<u32>,
    weights: Vec<u64>,
    /// Cells of the class.
    seen: Vec<u32>,
    /// The class by cell.
    sorted: Vec<u32>,
    /// By cell: rows that are minimally k-unique with that item.
    items: Vec<u64>,
    /// Cells with such rows.
    touched: Vec<u32>,
}

impl Refiner {
    fn new(ranked: &Ranked) -> Self {
        let cells = ranked.ranks() + 1;
        Self {
            counts: vec![0; cells],
            weights: vec![0; cells],
            seen: Vec::new(),
            sorted: Vec::new(),
            items: vec![0; cells],
            touched: Vec::new(),
        }
    }

    /// Sorts the rows of a class by their cells; rows without ranked item are left out, as
    /// nothing that they could be part of is minimal.
    fn split(&mut self, class: &[u32], codes: &[u32], weight: &[u32]) {
        let Self { counts, weights, seen, sorted, .. } = self;
        seen.clear();
        for &row in class {
            let cell = codes[row as usize];
            if cell == 0 {
                continue;
            }
            if counts[cell as usize] == 0 {
                seen.push(cell);
            }
            counts[cell as usize] += 1;
            weights[cell as usize] += u64::from(weight[row as usize]);
        }
        let mut start = 0;
        for &cell in &*seen {
            start += std::mem::replace(&mut counts[cell as usize], start);
        }
        sorted.resize(sorted.len().max(start as usize), 0);
        for &row in class {
            let cell = codes[row as usize] as usize;
            if cell != 0 {
                sorted[counts[cell] as usize] = row;
                counts[cell] += 1;
            }
        }
    }

    /// Where the rows of a cell end, and their weight; forgets both.
    fn take(&mut self, at: usize) -> (usize, u64) {
        let cell = self.seen[at] as usize;
        let end = std::mem::take(&mut self.counts[cell]);
        (end as usize, std::mem::take(&mut self.weights[cell]))
    }
}
