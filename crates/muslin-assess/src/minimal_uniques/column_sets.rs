//! The search by column sets: for few columns, small sizes, or very many rows.
//!
//! Each set of columns is visited once; its rows are in classes of more than `k` rows, refined
//! from the classes of the set without its last column. Rows that fall into smaller classes are
//! k-unique on the set, and minimally so unless they are on one of its subsets. Sets grow from
//! their largest column downwards and siblings come in rising order, so all subsets of a set are
//! visited before it: a bit per row remembers who is k-unique there. This is SUDA's own walk over
//! column sets ([MH05], section 3), with memory instead of repeated sorting.
//!
//! [MH05]: super

use std::collections::HashMap;

use muslin_engine::{Coverage, Run};
use rayon::prelude::*;

use super::listing::{Listed, Lister, RowList};
use super::mask::Mask;
use super::ranked::Ranked;
use super::search::stopped;
use super::tally::{SmallSets, Totals};
use crate::Result;

/// Rows from which on a refinement is shared out among threads.
const SHARED_ROWS: usize = 1 << 16;

/// Rows in classes, one class after the other.
#[derive(Default)]
struct Grouped {
    rows: Vec<u32>,
    ends: Vec<u32>,
}

impl Grouped {
    fn push(&mut self, rows: impl Iterator<Item = u32>) {
        self.rows.extend(rows);
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
    k: u64,
    most: usize,
    run: &'a Run,
    /// Cells by column; empty for a column without ranked items.
    columns: Vec<Vec<u32>>,
    /// By set of columns, a bit for each row that is k-unique on it.
    unique: HashMap<Mask<W>, Vec<u64>>,
    /// By row and size.
    held: Vec<u32>,
    sizes: usize,
    list: Option<Vec<(u32, Listed<W>)>>,
    others: Vec<u32>,
}

impl<'a, const W: usize> ColumnSets<'a, W> {
    pub(super) fn new(ranked: &'a Ranked, k: u32, most: usize, lists: bool, run: &'a Run) -> Self {
        let rows = u32::try_from(ranked.distinct()).expect("row ids are 32 bits wide");
        let column = |c: usize| (0..rows).map(|row| ranked.cells(row)[c]).collect::<Vec<_>>();
        let columns: Vec<Vec<u32>> = (0..ranked.columns)
            .into_par_iter()
            .map(|c| if ranked.has_items(c) { column(c) } else { Vec::new() })
            .collect();
        let sizes = most + 1;
        Self {
            ranked,
            k: u64::from(k),
            most,
            run,
            columns,
            unique: HashMap::new(),
            held: vec![0; ranked.distinct() * sizes],
            sizes,
            list: lists.then(Vec::new),
            others: Vec::new(),
        }
    }

    /// Finds everything and counts it in `totals`; `lister` gets it row by row, in order.
    pub(super) fn find(
        mut self,
        totals: &Totals<'_>,
        small: &mut SmallSets,
        lister: Option<&mut Lister<'_, W>>,
    ) -> Result<Coverage> {
        self.run.reporter().stage("looking at column sets", None);
        let walked = (0..self.columns.len()).try_for_each(|column| {
            let mut start = Grouped::default();
            for rank in 0..self.ranked.ranks() {
                if self.ranked.column_of[rank] as usize == column {
                    start.push(self.ranked.holders(rank).iter().copied());
                }
            }
            self.extend(&mut vec![column], &start, totals, small)
        });
        let coverage = walked.map_or_else(stopped, |()| Ok(Coverage::Complete))?;
        self.finish(totals, lister)?;
        Ok(coverage)
    }

    /// Adds each smaller column to `set`, whose classes of more than `k` rows are `classes`.
    fn extend(
        &mut self,
        set: &mut Vec<usize>,
        classes: &Grouped,
        totals: &Totals<'_>,
        small_sets: &mut SmallSets,
    ) -> Result<()> {
        if set.len() >= self.most || classes.rows.is_empty() {
            return Ok(());
        }
        let last = *set.last().expect("a set has a column");
        for column in 0..last {
            if self.columns[column].is_empty() {
                continue;
            }
            self.run.check()?;
            let (large, small) = self.refine(classes, column);
            set.push(column);
            self.note(set, &small, totals, small_sets);
            self.extend(set, &large, totals, small_sets)?;
            set.pop();
            self.run.reporter().advance(1);
        }
        Ok(())
    }

    /// The classes that `column` makes of `classes`: those of more than `k` rows, and the others.
    fn refine(&self, classes: &Grouped, column: usize) -> (Grouped, Grouped) {
        let codes = &self.columns[column];
        if classes.rows.len() < SHARED_ROWS || rayon::current_num_threads() == 1 {
            let all = classes.classes();
            return Refiner::new(self.ranked).refine(all, codes, &self.ranked.weight, self.k);
        }
        // Pieces of whole classes, so that their results follow each other in order.
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
        let parts: Vec<(Grouped, Grouped)> = pieces
            .into_par_iter()
            .map_init(
                || Refiner::new(self.ranked),
                |refiner, piece| {
                    refiner.refine(piece.into_iter(), codes, &self.ranked.weight, self.k)
                },
            )
            .collect();
        let (mut large, mut small) = (Grouped::default(), Grouped::default());
        for part in parts {
            large.append(&part.0);
            small.append(&part.1);
        }
        (large, small)
    }

    /// Remembers who is k-unique on a set, and counts those that are on no subset.
    fn note(
        &mut self,
        set: &[usize],
        small: &Grouped,
        totals: &Totals<'_>,
        small_sets: &mut SmallSets,
    ) {
        if small.rows.is_empty() {
            return;
        }
        let mut columns = Mask::EMPTY;
        set.iter().for_each(|&column| columns.insert(column));
        // The set without its last column is where these rows come from: they are not unique
        // there. Single columns have no unique rows left.
        let subsets = set.iter().take(if set.len() > 2 { set.len() - 1 } else { 0 });
        let subsets: Vec<&Vec<u64>> = subsets
            .filter_map(|&column| self.unique.get(&columns.without(Mask::one(column))))
            .collect();
        let size = set.len();
        let mut count = 0;
        for class in small.classes() {
            // Rows of one class are k-unique on a subset together or not at all.
            let row = class[0] as usize;
            if subsets.iter().any(|unique| unique[row / 64] >> (row % 64) & 1 != 0) {
                continue;
            }
            count += 1;
            for &row in class {
                self.held[row as usize * self.sizes + size] += 1;
            }
            let rows: u64 =
                class.iter().map(|&row| u64::from(self.ranked.weight[row as usize])).sum();
            for &column in set {
                totals.add_item(self.columns[column][row], size, rows);
            }
            if size <= SmallSets::MOST {
                small_sets.add(&mut set.to_vec());
            }
            if let Some(list) = &mut self.list {
                let start = u32::try_from(self.others.len()).expect("checked by memory");
                let first = *class.iter().min().expect("a class has a row");
                self.others.extend(class.iter().filter(|&&row| row != first));
                let end = u32::try_from(self.others.len()).expect("checked by memory");
                list.push((first, Listed { columns, others: (start, end) }));
            }
        }
        totals.add(size, count);
        if size < self.most {
            let mut bits = vec![0u64; self.ranked.distinct().div_ceil(64)];
            small.rows.iter().for_each(|&row| bits[row as usize / 64] |= 1 << (row % 64));
            self.unique.insert(columns, bits);
        }
    }

    fn finish(self, totals: &Totals<'_>, lister: Option<&mut Lister<'_, W>>) -> Result<()> {
        let rows = u32::try_from(self.ranked.distinct()).expect("row ids are 32 bits wide");
        let mut by_size = vec![0u64; self.sizes];
        for row in 0..rows {
            let held = &self.held[row as usize * self.sizes..][..self.sizes];
            by_size.iter_mut().zip(held).for_each(|(sum, &held)| *sum = u64::from(held));
            by_size[1] = self.ranked.singles::<W>(row).len() as u64;
            totals.finish_row(row, &by_size);
        }
        let (Some(lister), Some(mut list)) = (lister, self.list) else { return Ok(()) };
        list.par_sort_unstable_by(|(row, a), (other, b)| {
            row.cmp(other).then_with(|| a.columns.order(&b.columns))
        });
        let mut rest = &list[..];
        for row in 0..rows {
            let (own, others) = rest.split_at(rest.partition_point(|&(first, _)| first == row));
            rest = others;
            let mut list =
                RowList { row, listed: Vec::with_capacity(own.len()), others: Vec::new() };
            for (_, listed) in own {
                let start = u32::try_from(list.others.len()).expect("fewer than all");
                list.others.extend_from_slice(
                    &self.others[listed.others.0 as usize..listed.others.1 as usize],
                );
                let end = u32::try_from(list.others.len()).expect("fewer than all");
                list.listed.push(Listed { columns: listed.columns, others: (start, end) });
            }
            lister.row(&list)?;
        }
        Ok(())
    }
}

/// Splits classes by a column; memory is reused.
struct Refiner {
    /// By cell: rows of the class that have it, then where they go.
    counts: Vec<u32>,
    weights: Vec<u64>,
    seen: Vec<u32>,
    sorted: Vec<u32>,
}

impl Refiner {
    fn new(ranked: &Ranked) -> Self {
        let cells = ranked.ranks() + 1;
        Self {
            counts: vec![0; cells],
            weights: vec![0; cells],
            seen: Vec::new(),
            sorted: Vec::new(),
        }
    }

    fn refine<'b>(
        &mut self,
        classes: impl Iterator<Item = &'b [u32]>,
        codes: &[u32],
        weight: &[u32],
        k: u64,
    ) -> (Grouped, Grouped) {
        let Self { counts, weights, seen, sorted } = self;
        let (mut large, mut small) = (Grouped::default(), Grouped::default());
        for class in classes {
            seen.clear();
            let mut kept = 0;
            for &row in class {
                let cell = codes[row as usize];
                // No ranked item: nothing that it could be part of is minimal.
                if cell == 0 {
                    continue;
                }
                if counts[cell as usize] == 0 {
                    seen.push(cell);
                }
                counts[cell as usize] += 1;
                weights[cell as usize] += u64::from(weight[row as usize]);
                kept += 1;
            }
            sorted.clear();
            sorted.resize(kept, 0);
            let mut start = 0;
            for &cell in &*seen {
                let count = counts[cell as usize];
                counts[cell as usize] = start;
                start += count;
            }
            for &row in class {
                let cell = codes[row as usize] as usize;
                if cell != 0 {
                    sorted[counts[cell] as usize] = row;
                    counts[cell] += 1;
                }
            }
            let mut from = 0;
            for &cell in &*seen {
                let to = counts[cell as usize] as usize;
                let target = if weights[cell as usize] > k { &mut large } else { &mut small };
                target.push(sorted[from..to].iter().copied());
                from = to;
                counts[cell as usize] = 0;
                weights[cell as usize] = 0;
            }
        }
        (large, small)
    }
}
