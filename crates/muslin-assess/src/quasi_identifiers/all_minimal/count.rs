//! What classes leave together with one column more.

use std::ops::AddAssign;

use muslin_table::{Codes, Slot};

use super::classes::{Classes, Refiner, Scratch, narrow};
use super::few::{FEW, Few};

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

impl Classes {
    /// What these classes and a column leave together in a table of `rows` rows; none as soon as
    /// it is more than `limit`.
    pub(super) fn count(
        &self,
        rows: usize,
        by: Refiner<'_>,
        limit: Limit,
        scratch: &mut Scratch,
    ) -> Option<Together> {
        let alone = (rows - self.rows()) as u64;
        let mut found = Together { alone, ..Together::default() };
        self.count_while(by, scratch, |_, together| {
            found += together;
            found.is_within(limit)
        });
        found.is_within(limit).then_some(found)
    }

    /// Whether these classes and a column leave at most `limit` together, beside classes that
    /// leave at most `others` pairs; none where it may depend on those. Looks at no more classes than
    /// it must.
    pub(super) fn fits(
        &self,
        by: Refiner<'_>,
        limit: Limit,
        others: u64,
        scratch: &mut Scratch,
    ) -> Option<bool> {
        let mut found = Together::default();
        // At most as much as now in the classes that were not looked at.
        let mut most = self.together(self.rows());
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

    /// Counts what is left together of each class, until `take` has seen enough: it is told what is
    /// together now and then.
    fn count_while(
        &self,
        by: Refiner<'_>,
        scratch: &mut Scratch,
        take: impl FnMut(Together, Together) -> bool,
    ) {
        let (slots, alone) = (by.column.slots(), by.alone_slot());
        match by.column.codes() {
            Codes::U8(codes) => self.count_codes(codes, slots, alone, scratch, take),
            Codes::U16(codes) => self.count_codes(codes, slots, alone, scratch, take),
            Codes::U32(codes) => self.count_codes(codes, slots, alone, scratch, take),
        }
    }

    fn count_codes<S: Slot>(
        &self,
        codes: &[S],
        all_slots: usize,
        alone: usize,
        scratch: &mut Scratch,
        mut take: impl FnMut(Together, Together) -> bool,
    ) {
        let slot_of = |row: u32| codes[row as usize].index();
        scratch.fit(all_slots);
        let Scratch { slots, counts, .. } = scratch;
        let counts = &mut counts[..all_slots];
        for class in self.each() {
            let mut found = Together::default();
            if let &[a, b] = class {
                let slot = slot_of(a);
                let same = slot == slot_of(b) && slot != alone;
                found.pairs = u64::from(same);
                found.repeated = u64::from(same);
                found.alone = if same { 0 } else { 2 };
            } else if class.len() <= FEW {
                Few::new(class, slot_of, alone).count(class.len(), &mut found);
            } else if class.len() >= counts.len() * 2 {
                class.iter().for_each(|&row| counts[slot_of(row)] += 1);
                if let Some(alone) = counts.get_mut(alone) {
                    found.alone += u64::from(std::mem::take(alone));
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
                    let slot = slot_of(row);
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
}
