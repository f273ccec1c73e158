use hashbrown::HashTable;
use muslin_engine::fold_bits;
use muslin_table::Codes;
use rayon::prelude::*;

use super::numbers::Numbers;

/// Numbers 64-bit keys in the order of their first appearance.
pub(super) struct KeyEncoder {
    table: HashTable<(u64, u32)>,
    keys: Vec<u64>,
    /// The last key and its number: neighbours are often equal.
    last: (u64, u32),
    cells: Numbers,
}

impl KeyEncoder {
    pub(super) fn new() -> Self {
        Self {
            table: HashTable::new(),
            keys: Vec::new(),
            last: (0, Numbers::MISSING),
            cells: Numbers::default(),
        }
    }

    pub(super) fn cells(&mut self) -> &mut Numbers {
        &mut self.cells
    }

    pub(super) fn memory(&self) -> usize {
        self.table.allocation_size() + self.keys.len() * 8 + self.cells.memory()
    }

    #[inline]
    pub(super) fn number(&mut self, key: u64) -> u32 {
        let (last, number) = self.last;
        if last == key && number != Numbers::MISSING {
            return number;
        }
        let entry = self.table.entry(fold_bits(key), |&(k, _)| k == key, |&(k, _)| fold_bits(k));
        let number = entry
            .or_insert_with(|| {
                self.keys.push(key);
                (key, u32::try_from(self.keys.len()).expect("no more values than 32-bit rows"))
            })
            .get()
            .1;
        self.last = (key, number);
        number
    }

    /// Gives the look-up table's memory back; there will be no further key.
    pub(super) fn close(&mut self) {
        self.table = HashTable::new();
    }

    /// Number of distinct keys so far.
    pub(super) fn distinct(&self) -> usize {
        self.keys.len()
    }

    /// The keys in order, and the codes; keys in `missing` become missing.
    pub(super) fn finish(self, missing: &[u64]) -> (Vec<u64>, Codes) {
        let Self { table, keys, cells, .. } = self;
        drop(table);
        let ranked = rank(keys.into_iter().map(|key| (!missing.contains(&key)).then_some(key)));
        let codes = cells.finish(ranked.keys.len(), &ranked.slots);
        (ranked.keys, codes)
    }
}

/// Distinct keys in order, and for each number (missing first) the slot it becomes.
pub(super) struct Ranked {
    pub(super) keys: Vec<u64>,
    pub(super) slots: Vec<u32>,
}

impl Ranked {
    /// The number of each key, in order, where no two numbers have one key.
    pub(super) fn order(&self) -> Vec<u32> {
        let mut order = vec![0; self.keys.len()];
        for (number, &slot) in (0u32..).zip(&self.slots).skip(1) {
            if let Some(place) = order.get_mut(slot as usize) {
                *place = number;
            }
        }
        order
    }
}

/// Sorts keys in the order of their numbers; equal keys become one, none becomes missing.
pub(super) fn rank(keys: impl ExactSizeIterator<Item = Option<u64>>) -> Ranked {
    let mut slots = vec![u32::MAX; keys.len() + 1];
    let mut sorted: Vec<(u64, u32)> =
        (1u32..).zip(keys).filter_map(|(number, key)| key.map(|key| (key, number))).collect();
    sorted.par_sort_unstable();
    let mut keys: Vec<u64> = Vec::with_capacity(sorted.len());
    for (key, number) in sorted {
        if keys.last() != Some(&key) {
            keys.push(key);
        }
        slots[number as usize] = u32::try_from(keys.len() - 1).expect("no more keys than numbers");
    }
    let missing = u32::try_from(keys.len()).expect("no more keys than numbers");
    slots.iter_mut().filter(|slot| **slot == u32::MAX).for_each(|slot| *slot = missing);
    Ranked { keys, slots }
}
