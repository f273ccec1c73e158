//! One pass over the table: what a row shares with the others, and how near they are.

use std::cmp::Reverse;

use muslin_engine::Run;
use muslin_table::{Codes, Column, EncodedTable, MissingRule, Slot};

use super::ExplainRow;
use crate::Result;
use crate::mask::Mask;

/// Rows that are compared at a time.
const BLOCK: usize = 1 << 12;
/// Agree sets from which on doubles are looked for.
const FEW_SETS: usize = 1 << 16;
/// Sets that are compared between two looks at the clock.
const SETS_PER_LOOK: usize = 1 << 8;

/// What one pass over the table tells about a row.
pub(super) struct Pass<const W: usize> {
    /// Columns in which the row has an item.
    pub(super) items: Mask<W>,
    /// Items that the row shares with another: each set once.
    shared: Vec<Mask<W>>,
    /// By column, rows that match there, the row itself included.
    pub(super) matching: Vec<u64>,
    /// By column, rows that do not match there and match everywhere else.
    pub(super) only: Vec<u64>,
    /// Other rows by the number of columns in which they do not match.
    pub(super) differing: Vec<u64>,
    /// The nearest rows, and where they do not match.
    pub(super) nearest: Vec<(u32, Mask<W>)>,
}

impl<const W: usize> Pass<W> {
    pub(super) fn over(
        table: &EncodedTable,
        row: usize,
        asked: &ExplainRow,
        run: &Run,
    ) -> Result<Self> {
        let own = |column| Own::new(column, row, asked.missing);
        let own: Vec<Own> = table.columns().iter().map(own).collect();
        let count = own.len();
        let all = Mask::first(count);
        let mut items = Mask::EMPTY;
        own.iter().enumerate().filter(|(_, own)| own.is_item).for_each(|(at, _)| items.insert(at));
        let mut pass = Self {
            items,
            shared: Vec::new(),
            // A cell that matches nothing is still the row's own.
            matching: own.iter().map(|own| u64::from(own.matches_nothing())).collect(),
            only: vec![0; count],
            differing: vec![0; count + 1],
            nearest: Vec::new(),
        };
        let mut matched = vec![Mask::<W>::EMPTY; BLOCK.min(table.rows())];
        let mut many = FEW_SETS;
        for start in (0..table.rows()).step_by(BLOCK) {
            run.check()?;
            let matched = &mut matched[..BLOCK.min(table.rows() - start)];
            matched.fill(Mask::EMPTY);
            for (at, (column, own)) in table.columns().iter().zip(&own).enumerate() {
                let range = start..start + matched.len();
                pass.matching[at] += match column.codes() {
                    Codes::U8(slots) => own.mark(&slots[range], at, matched),
                    Codes::U16(slots) => own.mark(&slots[range], at, matched),
                    Codes::U32(slots) => own.mark(&slots[range], at, matched),
                };
            }
            for (other, &matched) in (start..).zip(matched.iter()) {
                if other != row {
                    pass.add(other, matched, all.without(matched), asked.nearest);
                }
            }
            if pass.shared.len() > many {
                pass.forget_doubles();
                many = FEW_SETS.max(pass.shared.len() * 2);
                let sets = (many * size_of::<Mask<W>>()) as u64;
                run.check_memory(table.memory() as u64 + sets)?;
            }
        }
        pass.forget_doubles();
        Ok(pass)
    }

    /// Takes another row in.
    fn add(&mut self, row: usize, matched: Mask<W>, differ: Mask<W>, most: usize) {
        let shared = matched & self.items;
        if self.shared.last() != Some(&shared) {
            self.shared.push(shared);
        }
        let far = differ.len();
        self.differing[far] += 1;
        if far == 1 {
            differ.iter().for_each(|column| self.only[column] += 1);
        }
        if self.nearest.len() == most
            && self.nearest.last().is_none_or(|(_, last)| last.len() <= far)
        {
            return;
        }
        // Among rows that are equally near, earlier ones come first.
        let at = self.nearest.partition_point(|(_, other)| other.len() <= far);
        let row = u32::try_from(row).expect("row ids are 32 bits wide");
        self.nearest.insert(at, (row, differ));
        self.nearest.truncate(most);
    }

    fn forget_doubles(&mut self) {
        self.shared.sort_unstable_by_key(|set| set.0);
        self.shared.dedup();
    }

    /// What a set must meet to be shared with no other row: the items that are not in a maximal
    /// agree set. One that is empty when no set does.
    pub(super) fn edges(&self, run: &Run) -> Result<Vec<Mask<W>>> {
        // The largest sets first: then a set is maximal when none before it contains it.
        let mut sets = self.shared.clone();
        // In a table of one row, a set has still one item.
        sets.push(Mask::EMPTY);
        sets.sort_by_key(|set| Reverse(set.len()));
        let mut maximal: Vec<Mask<W>> = Vec::new();
        for (at, set) in sets.into_iter().enumerate() {
            if at % SETS_PER_LOOK == 0 {
                run.check()?;
            }
            if !maximal.iter().any(|other| set.is_within(*other)) {
                maximal.push(set);
            }
        }
        Ok(maximal.into_iter().map(|set| self.items.without(set)).collect())
    }
}

/// A cell of the row, and what matches it.
struct Own {
    slot: usize,
    /// The slot that matches besides its own.
    also: usize,
    matches_all: bool,
    is_item: bool,
}

/// No column has so many slots.
const NO_SLOT: usize = usize::MAX;

impl Own {
    fn new(column: &Column, row: usize, rule: MissingRule) -> Self {
        let (slot, missing) = (column.codes().slot(row), column.missing_slot());
        let is_missing = slot == missing && rule != MissingRule::Category;
        let wild = rule == MissingRule::Wildcard;
        Self {
            slot: if is_missing { NO_SLOT } else { slot as usize },
            also: if wild && !is_missing { missing as usize } else { NO_SLOT },
            matches_all: wild && is_missing,
            is_item: !is_missing,
        }
    }

    fn matches_nothing(&self) -> bool {
        self.slot == NO_SLOT && !self.matches_all
    }

    /// Adds the column to the sets of the rows that match; their number.
    fn mark<S: Slot, const W: usize>(
        &self,
        slots: &[S],
        column: usize,
        matched: &mut [Mask<W>],
    ) -> u64 {
        let mut count = 0;
        for (slot, matched) in slots.iter().zip(matched) {
            let slot = slot.index();
            if slot == self.slot || slot == self.also || self.matches_all {
                matched.insert(column);
                count += 1;
            }
        }
        count
    }
}
