//! Classes of more than one row, kept as lists of rows.
//!
//! # Method
//! Rows lie class by class, and rows that are alone are only counted. So one more column is
//! counted class by class in a table of its codes, which stays in the cache, and nothing is spent
//! on rows that are told apart already. A column of two values of which one is rare is read in row
//! order instead: only its rare rows are looked at, since the others of a class are what is left.

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use muslin_table::{ClassSizes, Codes, Column, MissingRule, SizeCount, Slot};
use rayon::prelude::*;

/// The classes of more than one row that a column set makes.
///
/// # Guarantee
/// The histograms are those of the whole table, on any number of threads. The order of classes is
/// no part of the promise.
///
/// # Cost
/// 4 bytes per row that is not alone and 4 per class; another 4 per row of the table once a column
/// was read by its rare rows.
pub(crate) struct OpenClasses {
    all_rows: usize,
    /// The rows of all classes, class by class.
    rows: Vec<u32>,
    /// Where in `rows` each class ends.
    ends: Vec<u32>,
    /// Rows that are alone.
    alone: u64,
    class_of: OnceLock<Vec<u32>>,
    tally: OnceLock<Tally>,
}

/// A column that has two slots in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoSlots {
    common: u32,
    rare: u32,
    rare_rows: u64,
}

impl TwoSlots {
    /// From the rows of each slot; none where not exactly two slots have rows.
    pub(crate) fn of(counts: &[u64]) -> Option<Self> {
        let mut used = (0u32..).zip(counts).filter(|(_, rows)| **rows > 0);
        let (first, second) = (used.next()?, used.next()?);
        if used.next().is_some() {
            return None;
        }
        let ((common, _), (rare, &rare_rows)) =
            if first.1 >= second.1 { (first, second) } else { (second, first) };
        Some(Self { common, rare, rare_rows })
    }
}

/// Fewer rows than this are not worth a second thread.
const ROWS_PER_CHUNK: usize = 1 << 15;
/// Codes that are compared with the common one at a time.
const BLOCK: usize = 64;
/// Class of a row that is alone.
const ALONE: u32 = u32::MAX;

impl OpenClasses {
    /// All rows in one class.
    pub(crate) fn whole(rows: usize) -> Self {
        let count = u32::try_from(rows).expect("row ids are 32 bits wide");
        match count {
            0 | 1 => Self::new(rows, vec![], vec![], count.into()),
            _ => Self::new(rows, (0..count).collect(), vec![count], 0),
        }
    }

    fn new(all_rows: usize, rows: Vec<u32>, ends: Vec<u32>, alone: u64) -> Self {
        let (class_of, tally) = (OnceLock::new(), OnceLock::new());
        Self { all_rows, rows, ends, alone, class_of, tally }
    }

    /// The classes of rows that also agree on `column`.
    #[must_use]
    pub(crate) fn refine(&self, column: &Column, missing: MissingRule) -> Self {
        let (slots, alone) = (column.slots(), alone_slot(column, missing));
        match column.codes() {
            Codes::U8(codes) => self.refine_codes(codes, slots, alone),
            Codes::U16(codes) => self.refine_codes(codes, slots, alone),
            Codes::U32(codes) => self.refine_codes(codes, slots, alone),
        }
    }

    /// Sizes of all classes, those of one row included.
    pub(crate) fn sizes(&self, missing: MissingRule) -> ClassSizes {
        self.tally().clone().finish(missing)
    }

    /// What [`OpenClasses::sizes`] of [`OpenClasses::refine`] is, without making those classes.
    pub(crate) fn sizes_with(
        &self,
        column: &Column,
        missing: MissingRule,
        two: Option<TwoSlots>,
    ) -> ClassSizes {
        let (slots, alone) = (column.slots(), alone_slot(column, missing));
        // Where the common slot's rows agree with nobody, they are no rest that stays together.
        let rare = two.filter(|two| {
            let cost = two.rare_rows.saturating_mul(2).saturating_add(self.all_rows as u64 / 8);
            cost < self.rows.len() as u64 && alone != Some(two.common as usize)
        });
        let tally = match (column.codes(), rare) {
            (Codes::U8(codes), Some(two)) => self.count_rare(codes, two, alone),
            (Codes::U16(codes), Some(two)) => self.count_rare(codes, two, alone),
            (Codes::U32(codes), Some(two)) => self.count_rare(codes, two, alone),
            (Codes::U8(codes), None) => self.count_codes(codes, slots, alone),
            (Codes::U16(codes), None) => self.count_codes(codes, slots, alone),
            (Codes::U32(codes), None) => self.count_codes(codes, slots, alone),
        };
        tally.finish(missing)
    }

    fn start(&self, class: usize) -> usize {
        class.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    fn rows_of(&self, class: usize) -> &[u32] {
        &self.rows[self.start(class)..self.ends[class] as usize]
    }

    /// Stretches of classes, one per thread, none of few rows: every stretch has a table of
    /// all slots.
    fn chunks(&self, slots: usize) -> Vec<Range<usize>> {
        let rows = self.rows.len();
        let least = ROWS_PER_CHUNK.max(slots.saturating_mul(4));
        let chunks = (rows / least).clamp(1, rayon::current_num_threads());
        let cut = |chunk: usize| {
            let row = u32::try_from(rows * chunk / chunks).expect("row ids are 32 bits wide");
            self.ends.partition_point(|&end| end <= row)
        };
        (0..chunks).map(|chunk| cut(chunk)..cut(chunk + 1)).collect()
    }

    fn refine_codes<S: Slot>(&self, codes: &[S], slots: usize, alone: Option<usize>) -> Self {
        let parts: Vec<Parts> = self
            .chunks(slots)
            .into_par_iter()
            .map(|classes| self.split(classes, codes, slots, alone))
            .collect();
        let mut parts = parts.into_iter();
        let mut all = parts.next().expect("there is at least one stretch");
        for part in parts {
            let before = u32::try_from(all.rows.len()).expect("row ids are 32 bits wide");
            all.rows.extend(part.rows);
            all.ends.extend(part.ends.into_iter().map(|end| before + end));
            all.alone += part.alone;
        }
        Self::new(self.all_rows, all.rows, all.ends, self.alone + all.alone)
    }

    /// Splits some classes by a column: counts codes, then puts each row in its part's place.
    fn split<S: Slot>(
        &self,
        classes: Range<usize>,
        codes: &[S],
        slots: usize,
        alone: Option<usize>,
    ) -> Parts {
        const GONE: u32 = u32::MAX;
        let mut parts = Parts::default();
        let mut counts = vec![0u32; slots];
        let mut met: Vec<usize> = Vec::new();
        for class in classes {
            let rows = self.rows_of(class);
            for &row in rows {
                let slot = codes[row as usize].index();
                if counts[slot] == 0 {
                    met.push(slot);
                }
                counts[slot] += 1;
            }
            let mut end = u32::try_from(parts.rows.len()).expect("row ids are 32 bits wide");
            for &slot in &met {
                let size = counts[slot];
                if size == 1 || alone == Some(slot) {
                    parts.alone += u64::from(size);
                    counts[slot] = GONE;
                } else {
                    counts[slot] = end;
                    end += size;
                    parts.ends.push(end);
                }
            }
            parts.rows.resize(end as usize, 0);
            for &row in rows {
                let place = &mut counts[codes[row as usize].index()];
                if *place != GONE {
                    parts.rows[*place as usize] = row;
                    *place += 1;
                }
            }
            met.drain(..).for_each(|slot| counts[slot] = 0);
        }
        parts
    }

    fn count_codes<S: Slot>(&self, codes: &[S], slots: usize, alone: Option<usize>) -> Tally {
        let count = |classes| self.count_parts(classes, codes, slots, alone);
        let counted = self.chunks(slots).into_par_iter().map(count);
        let mut tally = counted.reduce(Tally::new, Tally::merge);
        tally.add_alone(self.alone);
        tally
    }

    fn count_parts<S: Slot>(
        &self,
        classes: Range<usize>,
        codes: &[S],
        slots: usize,
        alone: Option<usize>,
    ) -> Tally {
        let mut tally = Tally::new();
        let mut counts = vec![0u32; slots];
        // One place more than there are slots: the next place is written before it is known
        // whether it is needed, which is quicker than a branch that cannot be foretold.
        let mut met = vec![0usize; slots + 1];
        for class in classes {
            let rows = self.rows_of(class);
            if let &[a, b] = rows {
                let (a, b) = (codes[a as usize].index(), codes[b as usize].index());
                if a == b && alone != Some(a) {
                    tally.add(2, 1);
                } else {
                    tally.add_alone(2);
                }
                continue;
            }
            let mut slots_met = 0;
            for &row in rows {
                let slot = codes[row as usize].index();
                met[slots_met] = slot;
                slots_met += usize::from(counts[slot] == 0);
                counts[slot] += 1;
            }
            for &slot in &met[..slots_met] {
                let size = u64::from(std::mem::take(&mut counts[slot]));
                tally.add_part(size, alone == Some(slot));
            }
        }
        tally
    }

    fn count_rare<S: Slot>(&self, codes: &[S], two: TwoSlots, alone: Option<usize>) -> Tally {
        let common = S::at(two.common);
        let mut rare = vec![0u32; self.ends.len()];
        let mut met = Vec::new();
        for (codes, classes) in codes.chunks(BLOCK).zip(self.class_of().chunks(BLOCK)) {
            // Without a branch, so that many codes are compared at once.
            if codes.iter().fold(0, |any, &code| any | u8::from(code != common)) == 0 {
                continue;
            }
            // Places of the rare codes; the next one is written before it is known whether it is
            // needed, which is quicker than a branch that cannot be foretold.
            let (mut places, mut found) = ([0u8; BLOCK], 0);
            for (place, &code) in (0u8..).zip(codes) {
                places[found] = place;
                found += usize::from(code != common);
            }
            for &place in &places[..found] {
                let class = classes[usize::from(place)];
                if class != ALONE {
                    let rare = &mut rare[class as usize];
                    if *rare == 0 {
                        met.push(class as usize);
                    }
                    *rare += 1;
                }
            }
        }
        let mut tally = self.tally().clone();
        for class in met {
            let size = self.rows_of(class).len() as u64;
            let rare = u64::from(rare[class]);
            tally.add(size, -1);
            tally.add_part(rare, alone == Some(two.rare as usize));
            tally.add_part(size - rare, false);
        }
        tally
    }

    /// Class of each row of the table.
    fn class_of(&self) -> &[u32] {
        self.class_of.get_or_init(|| {
            let mut class_of = vec![ALONE; self.all_rows];
            for (class, number) in (0..self.ends.len()).zip(0u32..) {
                self.rows_of(class).iter().for_each(|&row| class_of[row as usize] = number);
            }
            class_of
        })
    }

    fn tally(&self) -> &Tally {
        self.tally.get_or_init(|| {
            let mut tally = Tally::new();
            (0..self.ends.len()).for_each(|class| tally.add(self.rows_of(class).len() as u64, 1));
            tally.add_alone(self.alone);
            tally
        })
    }
}

impl fmt::Debug for OpenClasses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenClasses")
            .field("classes", &self.ends.len())
            .field("rows", &self.rows.len())
            .field("alone", &self.alone)
            .finish_non_exhaustive()
    }
}

/// The slot whose rows agree with nobody.
fn alone_slot(column: &Column, missing: MissingRule) -> Option<usize> {
    assert_ne!(missing, MissingRule::Wildcard, "a wildcard makes no classes");
    (missing == MissingRule::Distinct).then(|| column.missing_slot() as usize)
}

/// What becomes of a stretch of classes.
#[derive(Default)]
struct Parts {
    rows: Vec<u32>,
    ends: Vec<u32>,
    alone: u64,
}

/// Most classes are small and there may be millions of them: those are counted by index.
const SMALL: usize = 256;

/// Numbers of classes by size; may be less than nothing while it is changed.
#[derive(Clone)]
struct Tally {
    small: [i64; SMALL],
    large: Vec<(u64, i64)>,
}

impl Tally {
    fn new() -> Self {
        Self { small: [0; SMALL], large: Vec::new() }
    }

    fn add(&mut self, size: u64, classes: i64) {
        match usize::try_from(size).ok().and_then(|size| self.small.get_mut(size)) {
            Some(count) => *count += classes,
            None => self.large.push((size, classes)),
        }
    }

    fn add_alone(&mut self, rows: u64) {
        self.add(1, i64::try_from(rows).expect("row ids are 32 bits wide"));
    }

    fn add_part(&mut self, size: u64, alone: bool) {
        if alone {
            self.add_alone(size);
        } else {
            self.add(size, 1);
        }
    }

    fn merge(mut self, other: Self) -> Self {
        self.small.iter_mut().zip(other.small).for_each(|(a, b)| *a += b);
        self.large.extend(other.large);
        self
    }

    fn finish(mut self, missing: MissingRule) -> ClassSizes {
        self.large.sort_unstable();
        self.large.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            kept.1 += if same { later.1 } else { 0 };
            same
        });
        // A part of no rows was counted by the first place and is no class.
        let small = (1u64..).zip(&self.small[1..]).map(|(size, &classes)| (size, classes));
        let all = small.chain(self.large).map(|(size, classes)| SizeCount {
            size,
            rows: size * u64::try_from(classes).expect("every class was added before"),
        });
        ClassSizes::from_rows(all, missing)
    }
}
