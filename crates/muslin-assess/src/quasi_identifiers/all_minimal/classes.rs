//! Classes of two rows and more, refined and counted column by column.
//!
//! Rows that are alone in their class stay alone whatever column comes next, so they are left out:
//! after two or three selective columns hardly any rows are left to look at.

use std::ops::Range;

use muslin_table::{Codes, Column, MissingRule, Slot};
use rayon::prelude::*;

use super::count::Together;
use super::few::{FEW, Few};
use super::sort::sort;

/// The rows that are not alone, class by class.
#[derive(Debug, Default)]
pub(super) struct Classes {
    rows: Vec<u32>,
    /// Where each class ends in `rows`.
    ends: Vec<u32>,
    /// Pairs of rows in one class.
    pairs: u64,
}

/// What one thread needs to refine and count.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The slots of a class's rows.
    pub(super) slots: Vec<u32>,
    /// Rows of each slot; all zero between classes.
    pub(super) counts: Vec<u32>,
    /// Where the next row of each slot goes; only read after it was set.
    places: Vec<u32>,
    /// Slots and rows that are not alone.
    shared: Vec<(u32, u32)>,
    /// The refined classes' rows; as long as any were.
    rows: Vec<u32>,
    /// What other threads need that refine a part.
    others: Vec<Scratch>,
}

impl Scratch {
    pub(super) fn fit(&mut self, slots: usize) {
        if self.counts.len() < slots {
            self.counts.resize(slots, 0);
            self.places.resize(slots, 0);
        }
    }
}

/// A column as the search reads it.
#[derive(Clone, Copy)]
pub(super) struct Refiner<'a> {
    pub(super) column: &'a Column,
    /// The slot whose rows agree with nobody.
    alone: Option<u32>,
}

impl<'a> Refiner<'a> {
    pub(super) fn new(column: &'a Column, missing: MissingRule) -> Self {
        let alone = (missing == MissingRule::Distinct).then(|| column.missing_slot());
        Self { column, alone }
    }

    /// The slot whose rows agree with nobody; none is so large.
    pub(super) fn alone_slot(&self) -> usize {
        self.alone.map_or(usize::MAX, |slot| slot as usize)
    }

    /// Whether two rows agree on the column.
    pub(super) fn agree(&self, a: u32, b: u32) -> bool {
        let codes = self.column.codes();
        let slot = codes.slot(a as usize);
        slot == codes.slot(b as usize) && Some(slot) != self.alone
    }

    /// The classes that the column alone makes.
    pub(super) fn classes(&self) -> Classes {
        let slots = self.column.slots();
        match self.column.codes() {
            Codes::U8(codes) => sort(codes, slots, self.alone),
            Codes::U16(codes) => sort(codes, slots, self.alone),
            Codes::U32(codes) => sort(codes, slots, self.alone),
        }
    }
}

/// Fewer rows than this are not worth a second thread.
pub(super) const ROWS_PER_PART: usize = 1 << 15;

impl Classes {
    pub(super) fn new(rows: Vec<u32>, ends: Vec<u32>) -> Self {
        let (mut pairs, mut start) = (0, 0);
        for &end in &ends {
            let size = u64::from(end - start);
            pairs += size * (size - 1) / 2;
            start = end;
        }
        Self { rows, ends, pairs }
    }

    /// All rows in one class.
    pub(super) fn whole(rows: usize) -> Self {
        let count = u32::try_from(rows).expect("row ids are 32 bits wide");
        if count < 2 { Self::default() } else { Self::new((0..count).collect(), vec![count]) }
    }

    /// Rows that are not alone.
    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn memory(&self) -> usize {
        (self.rows.capacity() + self.ends.capacity()) * 4
    }

    fn class(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.rows[start as usize..self.ends[index] as usize]
    }

    pub(super) fn each(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.ends.len()).map(|index| self.class(index))
    }

    /// Stretches of classes of about as many rows each, so many for every thread; one where there
    /// are too few rows to share out.
    pub(super) fn parts(&self, per_thread: usize) -> Vec<Range<usize>> {
        let most = match rayon::current_num_threads() {
            1 => 1,
            threads => threads * per_thread,
        };
        let parts = (self.rows.len() * per_thread / ROWS_PER_PART).clamp(1, most);
        let rows = self.rows.len().div_ceil(parts);
        let bound = |part: usize| self.ends.partition_point(|&end| end as usize <= part * rows);
        let start = |part| if part == 0 { 0 } else { bound(part) };
        let end = |part| if part + 1 == parts { self.ends.len() } else { bound(part + 1) };
        (0..parts).map(|part| start(part)..end(part)).collect()
    }

    /// What these classes leave together in a table of `rows` rows.
    pub(super) fn together(&self, rows: usize) -> Together {
        Together {
            pairs: self.pairs,
            repeated: (self.rows.len() - self.ends.len()) as u64,
            alone: (rows - self.rows.len()) as u64,
        }
    }

    /// Large classes, the largest first, and small ones that hold at most `pairs` pairs.
    pub(super) fn split(&self, pairs: u64) -> (Self, Self) {
        let mut order: Vec<u32> = (0..narrow(self.ends.len())).collect();
        order.sort_by_key(|&index| self.class(index as usize).len());
        let mut held = 0;
        let is_small = |&&index: &&u32| {
            let size = self.class(index as usize).len() as u64;
            held += size * (size - 1) / 2;
            held <= pairs
        };
        let small = order.iter().take_while(is_small).count();
        let copy = |indices: &mut dyn Iterator<Item = &u32>| {
            let (mut rows, mut ends) = (Vec::new(), Vec::new());
            for &index in indices {
                rows.extend_from_slice(self.class(index as usize));
                ends.push(narrow(rows.len()));
            }
            Self::new(rows, ends)
        };
        (copy(&mut order[small..].iter().rev()), copy(&mut order[..small].iter()))
    }

    /// The classes of rows that also agree on a column.
    pub(super) fn refine(&self, by: Refiner<'_>, scratch: &mut Scratch) -> Self {
        let parts = self.parts(2);
        if let [whole] = &parts[..] {
            return self.refine_part(whole.clone(), by, scratch);
        }
        let others = &mut scratch.others;
        others.resize_with(others.len().max(parts.len()), Scratch::default);
        let refine = |(part, scratch): (Range<usize>, _)| self.refine_part(part, by, scratch);
        let refined: Vec<Self> =
            parts.into_par_iter().zip(others.par_iter_mut()).map(refine).collect();
        let sum = |of: fn(&Self) -> usize| refined.iter().map(of).sum();
        let mut all = Self {
            rows: vec![0; sum(|part| part.rows.len())],
            ends: vec![0; sum(|part| part.ends.len())],
            pairs: refined.iter().map(|part| part.pairs).sum(),
        };
        let (mut rows, mut ends, mut before) = (&mut all.rows[..], &mut all.ends[..], 0);
        let copies: Vec<_> = refined
            .iter()
            .map(|part| {
                let here = (
                    rows.split_off_mut(..part.rows.len()).expect("room for all"),
                    ends.split_off_mut(..part.ends.len()).expect("room for all"),
                    before,
                );
                before += narrow(part.rows.len());
                (part, here)
            })
            .collect();
        copies.into_par_iter().for_each(|(part, (rows, ends, before))| {
            rows.copy_from_slice(&part.rows);
            ends.iter_mut().zip(&part.ends).for_each(|(end, of_part)| *end = before + of_part);
        });
        all
    }

    fn refine_part(&self, part: Range<usize>, by: Refiner<'_>, scratch: &mut Scratch) -> Self {
        match by.column.codes() {
            Codes::U8(codes) => self.refine_codes(part, codes, by, scratch),
            Codes::U16(codes) => self.refine_codes(part, codes, by, scratch),
            Codes::U32(codes) => self.refine_codes(part, codes, by, scratch),
        }
    }

    fn refine_codes<S: Slot>(
        &self,
        part: Range<usize>,
        codes: &[S],
        by: Refiner<'_>,
        scratch: &mut Scratch,
    ) -> Self {
        scratch.fit(by.column.slots());
        let Scratch { slots, counts, places, shared, rows, .. } = scratch;
        let (counts, places) = (&mut counts[..by.column.slots()], &mut places[..by.column.slots()]);
        let alone = by.alone_slot();
        // Never more rows than before: written without asking for room, cut at the end. One more
        // place takes rows that are alone.
        let start = if part.start == 0 { 0 } else { self.ends[part.start - 1] };
        let before = part.end.checked_sub(1).map_or(0, |last| self.ends[last] - start) as usize;
        rows.resize(rows.len().max(before + 1), 0);
        let mut ends = Vec::new();
        let mut end = 0usize;
        for class in part.map(|index| self.class(index)) {
            if let &[a, b] = class {
                let slot = codes[a as usize].index();
                if slot == codes[b as usize].index() && slot != alone {
                    rows[end] = a;
                    rows[end + 1] = b;
                    end += 2;
                    ends.push(narrow(end));
                }
                continue;
            }
            if class.len() <= FEW {
                let few = Few::new(class, |row| codes[row as usize].index(), alone);
                let equals = few.equals();
                for (at, &equals) in equals.iter().enumerate().take(class.len()) {
                    // The first of its slot, and not alone: its equals follow it.
                    if equals > 1 && few.is_first(at) {
                        for (other, &row) in class.iter().enumerate() {
                            rows[end] = row;
                            end += usize::from(few.0[other] == few.0[at]);
                        }
                        ends.push(narrow(end));
                    }
                }
                continue;
            }
            slots.resize(slots.len().max(class.len()), 0);
            let slots = &mut slots[..class.len()];
            for (place, &row) in slots.iter_mut().zip(class) {
                let slot = codes[row as usize].index();
                counts[slot] += 1;
                *place = narrow(slot);
            }
            if alone != usize::MAX {
                counts[alone] = 0;
            }
            if class.len() * 4 >= counts.len() {
                for (count, place) in counts.iter_mut().zip(places.iter_mut()) {
                    let size = std::mem::take(count) as usize;
                    // A row that is alone goes behind all the others.
                    *place = narrow(if size > 1 { end } else { before });
                    if size > 1 {
                        end += size;
                        ends.push(narrow(end));
                    }
                }
                if alone != usize::MAX {
                    places[alone] = narrow(before);
                }
                for (&slot, &row) in slots.iter().zip(class) {
                    let place = &mut places[slot as usize];
                    rows[*place as usize] = row;
                    *place += u32::from(slot as usize != alone);
                }
                continue;
            }
            // Most rows are alone now: those that are not are picked out without a branch.
            shared.resize(shared.len().max(class.len()), (0, 0));
            let mut picked = 0;
            for (&slot, &row) in slots.iter().zip(class) {
                let count = &mut counts[slot as usize];
                let is_shared = *count > 1;
                *count = if is_shared { *count } else { 0 };
                shared[picked] = (slot, row);
                picked += usize::from(is_shared);
            }
            for &(slot, row) in &shared[..picked] {
                let (count, place) = (&mut counts[slot as usize], &mut places[slot as usize]);
                if *count != PLACED {
                    *place = narrow(end);
                    end += *count as usize;
                    ends.push(narrow(end));
                    *count = PLACED;
                }
                rows[*place as usize] = row;
                *place += 1;
            }
            shared[..picked].iter().for_each(|&(slot, _)| counts[slot as usize] = 0);
        }
        ends.shrink_to_fit();
        Self::new(rows[..end].to_vec(), ends)
    }

    /// Every pair of rows of one class, of some classes.
    pub(super) fn each_pair(&self, part: Range<usize>, mut take: impl FnMut(u32, u32)) {
        for class in part.map(|index| self.class(index)) {
            for (at, &a) in class.iter().enumerate() {
                class[at + 1..].iter().for_each(|&b| take(a, b));
            }
        }
    }

    /// About `most` pairs of neighbours, from classes all over.
    pub(super) fn some_pairs(&self, most: usize, mut take: impl FnMut(u32, u32)) {
        let step = self.ends.len().div_ceil(most).max(1);
        let of_class = most.div_ceil(self.ends.len().max(1));
        for index in (0..self.ends.len()).step_by(step) {
            let class = self.class(index);
            let step = class.len().div_ceil(of_class).max(1);
            class.windows(2).step_by(step).for_each(|pair| take(pair[0], pair[1]));
        }
    }
}

/// A slot whose rows have their place.
const PLACED: u32 = u32::MAX;

pub(super) fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("rows and slots are counted in 32 bits")
}
