//! Classes of two rows and more, refined and counted column by column.
//!
//! Rows that are alone in their class stay alone whatever column comes next, so they are left out:
//! after two or three selective columns hardly any rows are left to look at.

use std::ops::{AddAssign, Range};

use muslin_table::{Codes, Column, MissingRule, Slot};
use rayon::prelude::*;

/// The rows that are not alone, class by class.
#[derive(Debug, Default)]
pub(super) struct Classes {
    rows: Vec<u32>,
    /// Where each class ends in `rows`.
    ends: Vec<u32>,
}

/// What a column set leaves together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Together {
    /// Pairs of rows in one class.
    pub(super) pairs: u64,
    /// Rows that are not the first of their class.
    pub(super) repeated: u64,
    /// Rows with a class of their own.
    pub(super) alone: u64,
}

/// How much may be left together, so that counting can end as soon as there is more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) pairs: u64,
    pub(super) repeated: u64,
}

impl Together {
    /// What a class of so many rows, two or more, leaves together.
    fn of_class(rows: usize) -> Self {
        let rows = rows as u64;
        Self { pairs: rows * (rows - 1) / 2, repeated: rows - 1, alone: 0 }
    }

    pub(super) fn is_within(self, limit: Limit) -> bool {
        self.pairs <= limit.pairs && self.repeated <= limit.repeated
    }
}

impl AddAssign for Together {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.repeated += other.repeated;
        self.alone += other.alone;
    }
}

/// What one thread needs to refine and count.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The slots of a class's rows.
    slots: Vec<u32>,
    /// Rows of each slot; all zero between classes.
    counts: Vec<u32>,
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
    fn fit(&mut self, slots: usize) {
        if self.counts.len() < slots {
            self.counts.resize(slots, 0);
            self.places.resize(slots, 0);
        }
    }
}

/// A column as the search reads it.
#[derive(Clone, Copy)]
pub(super) struct Refiner<'a> {
    column: &'a Column,
    /// The slot whose rows agree with nobody.
    alone: Option<u32>,
}

impl<'a> Refiner<'a> {
    pub(super) fn new(column: &'a Column, missing: MissingRule) -> Self {
        let alone = (missing == MissingRule::Distinct).then(|| column.missing_slot());
        Self { column, alone }
    }

    /// Whether two rows agree on the column.
    pub(super) fn agree(&self, a: u32, b: u32) -> bool {
        let codes = self.column.codes();
        let slot = codes.slot(a as usize);
        slot == codes.slot(b as usize) && Some(slot) != self.alone
    }

    /// The classes that the column alone makes.
    pub(super) fn classes(&self) -> Classes {
        fn sort<S: Slot>(codes: &[S], slots: usize, alone: Option<u32>) -> Classes {
            let mut places = vec![0u32; slots];
            codes.iter().for_each(|code| places[code.index()] += 1);
            if let Some(alone) = alone {
                places[alone as usize] = 0;
            }
            let (mut end, mut ends) = (0, Vec::new());
            for place in &mut places {
                let rows = *place;
                *place = NOWHERE;
                if rows > 1 {
                    *place = end;
                    end += rows;
                    ends.push(end);
                }
            }
            let mut rows = vec![0; end as usize];
            for (row, code) in (0u32..).zip(codes) {
                let place = &mut places[code.index()];
                if *place != NOWHERE {
                    rows[*place as usize] = row;
                    *place += 1;
                }
            }
            Classes { rows, ends }
        }
        let slots = self.column.slots();
        match self.column.codes() {
            Codes::U8(codes) => sort(codes, slots, self.alone),
            Codes::U16(codes) => sort(codes, slots, self.alone),
            Codes::U32(codes) => sort(codes, slots, self.alone),
        }
    }
}

/// Fewer rows than this are not worth a second thread.
const ROWS_PER_PART: usize = 1 << 15;
/// No place: for slots of a single row.
const NOWHERE: u32 = u32::MAX;

impl Classes {
    /// All rows in one class.
    pub(super) fn whole(rows: usize) -> Self {
        let count = u32::try_from(rows).expect("row ids are 32 bits wide");
        if count < 2 {
            Self::default()
        } else {
            Self { rows: (0..count).collect(), ends: vec![count] }
        }
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

    fn each(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.ends.len()).map(|index| self.class(index))
    }

    /// Stretches of classes of about as many rows each, one for every thread; one where there are
    /// too few rows to share out.
    pub(super) fn parts(&self) -> Vec<Range<usize>> {
        let parts = (self.rows.len() / ROWS_PER_PART).clamp(1, rayon::current_num_threads());
        let rows = self.rows.len().div_ceil(parts);
        let bound = |part: usize| self.ends.partition_point(|&end| end as usize <= part * rows);
        let start = |part| if part == 0 { 0 } else { bound(part) };
        let end = |part| if part + 1 == parts { self.ends.len() } else { bound(part + 1) };
        (0..parts).map(|part| start(part)..end(part)).collect()
    }

    /// What these classes leave together in a table of `rows` rows.
    pub(super) fn together(&self, rows: usize) -> Together {
        let mut together =
            Together { alone: (rows - self.rows.len()) as u64, ..Together::default() };
        self.each().for_each(|class| together += Together::of_class(class.len()));
        together
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
            let mut copy = Self::default();
            for &index in indices {
                copy.rows.extend_from_slice(self.class(index as usize));
                copy.ends.push(narrow(copy.rows.len()));
            }
            copy
        };
        (copy(&mut order[small..].iter().rev()), copy(&mut order[..small].iter()))
    }

    /// The classes of rows that also agree on a column.
    pub(super) fn refine(&self, by: Refiner<'_>, scratch: &mut Scratch) -> Self {
        let parts = self.parts();
        if let [whole] = &parts[..] {
            return self.refine_part(whole.clone(), by, scratch);
        }
        let others = &mut scratch.others;
        others.resize_with(others.len().max(parts.len()), Scratch::default);
        let refine = |(part, scratch): (Range<usize>, _)| self.refine_part(part, by, scratch);
        let refined: Vec<Self> =
            parts.into_par_iter().zip(others.par_iter_mut()).map(refine).collect();
        let rows = refined.iter().map(|part| part.rows.len()).sum();
        let mut all = Self { rows: Vec::with_capacity(rows), ends: Vec::new() };
        for part in refined {
            let before = narrow(all.rows.len());
            all.rows.extend_from_slice(&part.rows);
            all.ends.extend(part.ends.iter().map(|end| before + end));
        }
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
        let alone = by.alone.map_or(usize::MAX, |slot| slot as usize);
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
                let few = Few::new(codes, class, alone);
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
            slots.clear();
            slots.extend(class.iter().map(|&row| narrow(codes[row as usize].index())));
            if class.len() >= counts.len() * 2 {
                slots.iter().for_each(|&slot| counts[slot as usize] += 1);
                if alone != usize::MAX {
                    counts[alone] = 0;
                }
                for (count, place) in counts.iter_mut().zip(places.iter_mut()) {
                    let size = std::mem::take(count) as usize;
                    // A row that is alone goes behind all the others.
                    *place = narrow(if size > 1 { end } else { before });
                    if size > 1 {
                        end += size;
                        ends.push(narrow(end));
                    }
                }
                for (&slot, &row) in slots.iter().zip(class) {
                    if slot as usize != alone {
                        let place = &mut places[slot as usize];
                        rows[*place as usize] = row;
                        *place += 1;
                    }
                }
                continue;
            }
            slots.iter().for_each(|&slot| counts[slot as usize] += 1);
            if alone != usize::MAX {
                counts[alone] = 0;
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
        Self { rows: rows[..end].to_vec(), ends }
    }

    /// What these classes and a column leave together in a table of `rows` rows; none as soon as it
    /// is more than `limit`.
    pub(super) fn count(
        &self,
        rows: usize,
        by: Refiner<'_>,
        limit: Limit,
        scratch: &mut Scratch,
    ) -> Option<Together> {
        let alone = (rows - self.rows.len()) as u64;
        let mut found = Together { alone, ..Together::default() };
        self.count_while(by, scratch, |_, together| {
            found += together;
            found.is_within(limit)
        });
        found.is_within(limit).then_some(found)
    }

    /// Whether these classes and a column leave at most `limit` together, beside classes that leave
    /// at most `others`; none where it may depend on those. Looks at no more classes than it must.
    pub(super) fn fits(
        &self,
        by: Refiner<'_>,
        limit: Limit,
        others: u64,
        scratch: &mut Scratch,
    ) -> Option<bool> {
        let mut found = Together::default();
        // At most as much as now in the classes that were not looked at.
        let mut most = self.together(self.rows.len());
        most.pairs = most.pairs.saturating_add(others);
        self.count_while(by, scratch, |before, together| {
            found += together;
            most.pairs -= before.pairs - together.pairs;
            most.repeated -= before.repeated - together.repeated;
            found.is_within(limit) && !most.is_within(limit)
        });
        match (found.is_within(limit), most.is_within(limit)) {
            (false, _) => Some(false),
            (_, true) => Some(true),
            (true, false) => None,
        }
    }

    /// Counts what a column leaves together of each class, until `take` has seen enough: it is told
    /// what is together now and with the column.
    fn count_while(
        &self,
        by: Refiner<'_>,
        scratch: &mut Scratch,
        take: impl FnMut(Together, Together) -> bool,
    ) {
        match by.column.codes() {
            Codes::U8(codes) => self.count_codes(codes, by, scratch, take),
            Codes::U16(codes) => self.count_codes(codes, by, scratch, take),
            Codes::U32(codes) => self.count_codes(codes, by, scratch, take),
        }
    }

    fn count_codes<S: Slot>(
        &self,
        codes: &[S],
        by: Refiner<'_>,
        scratch: &mut Scratch,
        mut take: impl FnMut(Together, Together) -> bool,
    ) {
        scratch.fit(by.column.slots());
        let Scratch { slots, counts, .. } = scratch;
        let counts = &mut counts[..by.column.slots()];
        let alone = by.alone.map_or(usize::MAX, |slot| slot as usize);
        for class in self.each() {
            let mut found = Together::default();
            if let &[a, b] = class {
                let slot = codes[a as usize].index();
                let same = slot == codes[b as usize].index() && slot != alone;
                found.pairs = u64::from(same);
                found.repeated = u64::from(same);
                found.alone = if same { 0 } else { 2 };
            } else if class.len() <= FEW {
                Few::new(codes, class, alone).count(class.len(), &mut found);
            } else if class.len() >= counts.len() * 2 {
                class.iter().for_each(|&row| counts[codes[row as usize].index()] += 1);
                if alone != usize::MAX {
                    found.alone += u64::from(std::mem::take(&mut counts[alone]));
                }
                for count in &mut *counts {
                    let size = u64::from(std::mem::take(count));
                    found.pairs += size * size.saturating_sub(1) / 2;
                    found.repeated += size.saturating_sub(1);
                    found.alone += u64::from(size == 1);
                }
            } else {
                slots.clear();
                for &row in class {
                    let slot = codes[row as usize].index();
                    if slot == alone {
                        found.alone += 1;
                        continue;
                    }
                    let before = counts[slot];
                    found.pairs += u64::from(before);
                    found.repeated += u64::from(before > 0);
                    counts[slot] = before + 1;
                    slots.push(narrow(slot));
                }
                for &slot in &*slots {
                    found.alone += u64::from(counts[slot as usize] == 1);
                    counts[slot as usize] = 0;
                }
            }
            if !take(Together::of_class(class.len()), found) {
                return;
            }
        }
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

/// Rows of a class that are compared with each other, all with all.
const FEW: usize = 8;

/// The slots of a class of few rows; what is not a row has a number that nothing else has.
struct Few([u32; FEW]);

impl Few {
    #[inline]
    fn new<S: Slot>(codes: &[S], class: &[u32], alone: usize) -> Self {
        let mut slots = std::array::from_fn(Self::none);
        for (at, (slot, &row)) in slots.iter_mut().zip(class).enumerate() {
            let index = codes[row as usize].index();
            *slot = if index == alone { Self::none(at) } else { narrow(index) };
        }
        Self(slots)
    }

    /// A number that is no slot: there are fewer slots than rows, and two more.
    fn none(at: usize) -> u32 {
        u32::MAX - narrow(at)
    }

    /// How many rows have each row's slot, itself included.
    #[inline]
    fn equals(&self) -> [u32; FEW] {
        let mut equals = [0; FEW];
        for other in self.0 {
            for (count, slot) in equals.iter_mut().zip(self.0) {
                *count += u32::from(slot == other);
            }
        }
        equals
    }

    /// Whether no row before has the same slot.
    fn is_first(&self, at: usize) -> bool {
        !self.0[..at].contains(&self.0[at])
    }

    #[inline]
    fn count(&self, rows: usize, found: &mut Together) {
        let equals = self.equals();
        let mut firsts = [1u32; FEW];
        for (before, other) in self.0.into_iter().enumerate() {
            for (at, (first, slot)) in firsts.iter_mut().zip(self.0).enumerate() {
                *first &= u32::from(slot != other || at <= before);
            }
        }
        // What is not a row is its own equal, first and alone.
        let filled = (FEW - rows) as u64;
        found.pairs += equals.iter().map(|&equals| u64::from(equals - 1)).sum::<u64>() / 2;
        found.repeated += FEW as u64 - firsts.iter().map(|&first| u64::from(first)).sum::<u64>();
        found.alone += equals.iter().map(|&e| u64::from(e == 1)).sum::<u64>() - filled;
    }
}

/// A slot whose rows have their place.
const PLACED: u32 = u32::MAX;

fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("rows and slots are counted in 32 bits")
}
