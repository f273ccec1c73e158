use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use arrow_array::{ArrayRef, GenericStringArray, OffsetSizeTrait};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use hashbrown::HashTable;
use muslin_table::{Codes, Column};
use rayon::prelude::*;

use super::infer::infer;
use super::kernel::expect_soon;
use super::keys::rank;
use super::numbers::Numbers;
use super::{ColumnProblem, Wanted, array_of_keys, make_column};
use crate::{ColumnType, Problem};

/// Numbers byte strings in the order of their first appearance.
///
/// Strings of up to sixteen bytes are compared as two words, their first and their last eight
/// bytes, without a look at the stored bytes; longer ones by these, then by the rest.
///
/// Two look-up tables: while there are few values, entries hold the ends themselves, so a look-up
/// stays in one place; with many, memory counts for more and entries hold a hash and a number.
pub(crate) struct BytesEncoder {
    table: Table,
    seed: foldhash::fast::RandomState,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    last: Entry,
    nulls: Vec<Vec<u8>>,
    null_numbers: Vec<u32>,
    cells: Numbers,
}

enum Table {
    Few(HashTable<Entry>),
    Many(TagTable),
}

/// Distinct values up to which there are few.
const FEW: usize = 1 << 16;

#[derive(Clone, Copy)]
struct Entry {
    ends: Ends,
    len: u32,
    number: u32,
}

/// The first and the last eight bytes of a string; shorter strings are padded with zeros and have
/// no last bytes. With the length they tell strings of up to sixteen bytes apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ends {
    head: u64,
    tail: u64,
}

/// Longest string that its ends tell apart.
const SHORT: u32 = 16;

impl Ends {
    fn of(value: &[u8]) -> Self {
        match (value.first_chunk(), value.last_chunk()) {
            (Some(head), Some(tail)) => {
                Self { head: u64::from_le_bytes(*head), tail: u64::from_le_bytes(*tail) }
            }
            _ => {
                let mut head = [0; 8];
                head[..value.len()].copy_from_slice(value);
                Self { head: u64::from_le_bytes(head), tail: 0 }
            }
        }
    }

    /// The ends of `text[start..end]`, where eight bytes can be read from `start` on.
    #[inline]
    pub(crate) fn within(text: &[u8], start: usize, end: usize) -> Self {
        let word = |at: usize| text[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let len = end - start;
        if len >= 8 {
            Self { head: word(start), tail: word(end - 8) }
        } else {
            Self { head: word(start) & ((1 << (8 * len)) - 1), tail: 0 }
        }
    }
}

impl BytesEncoder {
    pub(crate) fn new(nulls: &[String]) -> Self {
        Self {
            table: Table::Few(HashTable::new()),
            seed: foldhash::fast::RandomState::default(),
            bytes: Vec::new(),
            ends: Vec::new(),
            last: Entry {
                ends: Ends { head: 0, tail: 0 },
                len: u32::MAX,
                number: Numbers::MISSING,
            },
            nulls: nulls.iter().map(|null| null.clone().into_bytes()).collect(),
            null_numbers: Vec::new(),
            cells: Numbers::default(),
        }
    }

    /// Ends a batch: these are the numbers of its rows.
    pub(crate) fn end_batch(&mut self, numbers: &[u32]) {
        self.cells.push(numbers);
    }

    pub(super) fn cells(&mut self) -> &mut Numbers {
        &mut self.cells
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> usize {
        let table = match &self.table {
            Table::Few(table) => table.allocation_size(),
            Table::Many(table) => table.memory(),
        };
        table + self.bytes.len() + self.ends.len() * size_of::<usize>() + self.cells.memory()
    }

    /// Number of distinct values so far.
    pub(crate) fn distinct(&self) -> usize {
        self.ends.len()
    }

    /// The number of a value.
    pub(crate) fn number(&mut self, value: &[u8]) -> u32 {
        self.number_of_ends(Ends::of(value), value)
    }

    /// The number of a value whose ends are known.
    #[inline]
    pub(crate) fn number_of_ends(&mut self, of_value: Ends, value: &[u8]) -> u32 {
        let len = u32::try_from(value.len()).unwrap_or(u32::MAX);
        if self.last.ends == of_value && self.last.len == len && len <= SHORT {
            return self.last.number;
        }
        let hash = hash(&self.seed, of_value, value);
        let number = self.number_hashed(hash, of_value, value);
        self.last = Entry { ends: of_value, len, number };
        number
    }

    #[inline]
    fn number_hashed(&mut self, hash: u64, of_value: Ends, value: &[u8]) -> u32 {
        let len = u32::try_from(value.len()).unwrap_or(u32::MAX);
        let (bytes, ends) = (&self.bytes, &self.ends);
        let found = match &self.table {
            Table::Few(table) => table
                .find(hash, |e| {
                    e.ends == of_value
                        && e.len == len
                        && (len <= SHORT || *stored(bytes, ends, e.number) == *value)
                })
                .map(|e| e.number),
            Table::Many(table) => {
                table.find(tag(hash), |number| *stored(bytes, ends, number) == *value)
            }
        };
        found.unwrap_or_else(|| self.insert(hash, of_value, value))
    }

    #[cold]
    fn insert(&mut self, hash_of_value: u64, of_value: Ends, value: &[u8]) -> u32 {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
        let number = u32::try_from(self.ends.len()).expect("no more values than 32-bit rows");
        if self.nulls.iter().any(|null| null == value) {
            self.null_numbers.push(number);
        }
        let len = u32::try_from(value.len()).unwrap_or(u32::MAX);
        let (seed, bytes, ends) = (&self.seed, &self.bytes, &self.ends);
        // The stored bytes are looked at only where the ends do not say it all.
        let hash_of_entry = |e: &Entry| {
            let value = if e.len <= SHORT { &[] } else { stored(bytes, ends, e.number) };
            hash_of_parts(seed, e.ends, e.len, value)
        };
        match &mut self.table {
            Table::Few(table) if table.len() < FEW => {
                let entry = Entry { ends: of_value, len, number };
                table.insert_unique(hash_of_value, entry, hash_of_entry);
            }
            Table::Few(table) => {
                let mut many = TagTable::new();
                table.iter().for_each(|e| many.insert(tag(hash_of_entry(e)), e.number));
                many.insert(tag(hash_of_value), number);
                self.table = Table::Many(many);
            }
            Table::Many(table) => table.insert(tag(hash_of_value), number),
        }
        number
    }

    /// Whether there are so many values that [`BytesEncoder::number_all`] pays.
    pub(crate) fn has_many(&self) -> bool {
        matches!(self.table, Table::Many(_))
    }

    /// The numbers of some values. With many values a look-up waits for memory three times: for
    /// the table, for the place of the stored bytes and for the bytes. Here each is asked for
    /// ahead of its use, so the waits overlap.
    pub(crate) fn number_all<V: AsRef<[u8]>>(&mut self, values: &[V], numbers: &mut Vec<u32>) {
        const AHEAD: usize = 12;
        let hashes: Vec<u64> = values
            .iter()
            .map(|value| hash(&self.seed, Ends::of(value.as_ref()), value.as_ref()))
            .collect();
        for (index, value) in values.iter().enumerate() {
            if let Table::Many(table) = &self.table {
                let later = |steps: usize| hashes.get(index + steps * AHEAD).copied().map(tag);
                if let Some(tag) = later(3) {
                    table.expect_soon(tag);
                }
                if let Some(number) = later(2).and_then(|tag| table.first_of(tag)) {
                    expect_soon(&self.ends, number as usize - 1);
                }
                if let Some(number) = later(1).and_then(|tag| table.first_of(tag)) {
                    let end = self.ends[number as usize - 1];
                    expect_soon(&self.bytes, end.saturating_sub(8));
                }
            }
            let value = value.as_ref();
            numbers.push(self.number_hashed(hashes[index], Ends::of(value), value));
        }
    }

    /// Gives the look-up table's memory back; there will be no further value.
    pub(crate) fn close(&mut self) {
        self.table = Table::Few(HashTable::new());
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Values with numbers above `known`, each with its number.
    pub(crate) fn values_after(&self, known: usize) -> impl Iterator<Item = (u32, &[u8])> + Clone {
        (known..self.ends.len()).map(|index| {
            let number = u32::try_from(index + 1).expect("numbers are 32 bits wide");
            (number, stored(&self.bytes, &self.ends, number))
        })
    }

    /// The values in byte order, and the codes.
    pub(super) fn finish_sorted(self) -> (SortedBytes, Codes) {
        let Self { table, bytes, ends, null_numbers, cells, .. } = self;
        drop(table);
        let numbers = u32::try_from(ends.len()).expect("numbers are 32 bits wide");
        let sorted: Vec<u32> =
            (1..=numbers).filter(|number| !null_numbers.contains(number)).collect();
        let sorted = sort_by_bytes(sorted, &|number| stored(&bytes, &ends, number));
        let missing = u32::try_from(sorted.len()).expect("numbers are 32 bits wide");
        let mut slots = vec![missing; ends.len() + 1];
        (0u32..).zip(&sorted).for_each(|(slot, &number)| slots[number as usize] = slot);
        let codes = cells.finish(sorted.len(), &slots);
        (SortedBytes { bytes, ends, order: sorted }, codes)
    }

    /// Makes the column of a text's values, in the type asked for or the one they all have.
    pub(crate) fn finish_text(
        self,
        name: &str,
        wanted: &Wanted<'_>,
    ) -> Result<Column, ColumnProblem> {
        let count = u32::try_from(self.ends.len()).expect("numbers are 32 bits wide");
        let value = |number: u32| {
            let missing = self.null_numbers.contains(&number);
            (!missing).then(|| stored(&self.bytes, &self.ends, number))
        };
        let numbers = (1..=count).into_par_iter();
        let found = wanted
            .column_type
            .unwrap_or_else(|| infer(numbers.clone().filter_map(value), wanted.spelling));
        let Some(parse) = wanted.spelling.asked_parser(found) else {
            let (sorted, codes) = self.finish_sorted();
            let values = sorted.into_text().ok_or(Problem::NotEncoded("UTF-8"))?;
            return make_column(name, values, codes);
        };
        let keys: Vec<Option<Option<u64>>> = numbers
            .map(|number| value(number).map_or(Some(None), |text| parse(text).map(Some)))
            .collect();
        if let Some(wrong) = (1u32..).zip(&keys).find(|(_, key)| key.is_none()) {
            let (row, problem) = (self.cells.first_row(wrong.0), Problem::NotOfType(found));
            return Err(ColumnProblem { row, problem });
        }
        let Self { table, bytes, ends, cells, .. } = self;
        drop((table, bytes, ends));
        let ranked = rank(keys.into_iter().map(Option::flatten));
        let codes = cells.finish(ranked.keys.len(), &ranked.slots);
        let data_type = match found {
            ColumnType::Text => DataType::Utf8,
            ColumnType::Integer => DataType::Int64,
            ColumnType::Number => DataType::Float64,
            ColumnType::Date => DataType::Date32,
            ColumnType::Boolean => DataType::Boolean,
        };
        make_column(name, array_of_keys(&data_type, &ranked.keys), codes)
    }

    /// Rows so far.
    pub(crate) fn rows(&self) -> usize {
        self.cells.rows()
    }
}

fn stored<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let index = number as usize - 1;
    let start = index.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start..ends[index]]
}

/// The half of a hash that is kept.
fn tag(hash: u64) -> u32 {
    let [.., a, b, c, d] = hash.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// Tags and numbers at places that the tags decide; a third of the places or more stays free, so a
/// look-up seldom goes beyond one line of memory. A number is never zero, which marks a free place.
struct TagTable {
    places: Vec<(u32, u32)>,
    used: usize,
}

impl TagTable {
    fn new() -> Self {
        Self { places: vec![(0, 0); 4 * FEW], used: 0 }
    }

    fn memory(&self) -> usize {
        self.places.capacity() * size_of::<(u32, u32)>()
    }

    /// The place where the search for a tag begins.
    fn place(&self, tag: u32) -> usize {
        let spread = u64::from(tag).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = spread >> (64 - self.places.len().trailing_zeros());
        usize::try_from(place).expect("a place in memory")
    }

    /// The numbers under a tag, in the order of search.
    fn numbers_of(&self, tag: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.place(tag);
        let places = self.places[start..].iter().chain(&self.places[..start]);
        places
            .take_while(|place| place.1 != 0)
            .filter(move |place| place.0 == tag)
            .map(|place| place.1)
    }

    #[inline]
    fn find(&self, tag: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        self.numbers_of(tag).find(|&number| is_it(number))
    }

    /// The number that a search for a tag looks at first.
    fn first_of(&self, tag: u32) -> Option<u32> {
        self.numbers_of(tag).next()
    }

    fn expect_soon(&self, tag: u32) {
        expect_soon(&self.places, self.place(tag));
    }

    fn insert(&mut self, tag: u32, number: u32) {
        if self.used * 3 >= self.places.len() * 2 {
            let larger = vec![(0, 0); self.places.len() * 2];
            let smaller = std::mem::replace(&mut self.places, larger);
            let used = smaller.into_iter().filter(|place| place.1 != 0);
            used.for_each(|(tag, number)| self.put(tag, number));
        }
        self.put(tag, number);
        self.used += 1;
    }

    fn put(&mut self, tag: u32, number: u32) {
        let mut at = self.place(tag);
        while self.places[at].1 != 0 {
            at = (at + 1) & (self.places.len() - 1);
        }
        self.places[at] = (tag, number);
    }
}

/// Numbers in the order of their strings. Eight bytes at a time decide; strings that agree on
/// them go by the next eight.
fn sort_by_bytes<'a>(numbers: Vec<u32>, value: &(impl Fn(u32) -> &'a [u8] + Sync)) -> Vec<u32> {
    fn sort<'a>(run: &mut [(u64, u32)], depth: usize, value: &(impl Fn(u32) -> &'a [u8] + Sync)) {
        // Few strings, or ones with a very long beginning in common, are compared as they are.
        if run.len() < 32 || depth > 512 {
            run.par_sort_unstable_by(|a, b| value(a.1).cmp(value(b.1)));
            return;
        }
        run.par_iter_mut().for_each(|(key, number)| {
            *key = Ends::of(value(*number).get(depth..).unwrap_or(&[])).head.swap_bytes();
        });
        run.par_sort_unstable();
        // A run of strings that all end here differs by zero bytes at most.
        let over =
            |run: &[(u64, u32)]| run.iter().all(|&(_, number)| value(number).len() <= depth + 8);
        run.par_chunk_by_mut(|a, b| a.0 == b.0).filter(|same| same.len() > 1).for_each(|same| {
            if over(same) {
                same.sort_unstable_by(|a, b| value(a.1).cmp(value(b.1)));
            } else {
                sort(same, depth + 8, value);
            }
        });
    }
    let mut keyed: Vec<(u64, u32)> = numbers.into_iter().map(|number| (0, number)).collect();
    sort(&mut keyed, 0, value);
    keyed.into_iter().map(|(_, number)| number).collect()
}

#[inline]
fn hash(seed: &foldhash::fast::RandomState, ends: Ends, value: &[u8]) -> u64 {
    hash_of_parts(seed, ends, u32::try_from(value.len()).unwrap_or(u32::MAX), value)
}

#[inline]
fn hash_of_parts(seed: &foldhash::fast::RandomState, ends: Ends, len: u32, value: &[u8]) -> u64 {
    let mut hasher = seed.build_hasher();
    if len <= SHORT {
        hasher.write_u64(ends.head);
        hasher.write_u64(ends.tail ^ u64::from(len).rotate_left(56));
    } else {
        hasher.write(value);
    }
    hasher.finish()
}

/// Distinct byte strings in order.
pub(super) struct SortedBytes {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    order: Vec<u32>,
}

impl SortedBytes {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.order.iter().map(|&number| stored(&self.bytes, &self.ends, number))
    }

    /// The strings as an array of text; nothing when one of them is not UTF-8.
    fn into_text(self) -> Option<ArrayRef> {
        if i32::try_from(self.bytes.len()).is_ok() {
            self.text_array::<i32>()
        } else {
            self.text_array::<i64>()
        }
    }

    fn text_array<O: OffsetSizeTrait>(&self) -> Option<ArrayRef> {
        const STEP: usize = 1 << 14;
        let value = |number: &u32| stored(&self.bytes, &self.ends, *number);
        let mut offsets = Vec::with_capacity(self.order.len() + 1);
        offsets.push(O::usize_as(0));
        let mut end = 0;
        offsets.extend(self.order.iter().map(|number| {
            end += value(number).len();
            O::usize_as(end)
        }));
        // Each stretch of values is copied to its own part of the text.
        let mut values = vec![0u8; end];
        let mut parts = Vec::with_capacity(self.order.len() / STEP + 1);
        let mut rest = values.as_mut_slice();
        for (numbers, start) in self.order.chunks(STEP).zip((0..).step_by(STEP)) {
            let length = offsets[start + numbers.len()].as_usize() - offsets[start].as_usize();
            let (part, others) = rest.split_at_mut(length);
            parts.push((numbers, part));
            rest = others;
        }
        parts.into_par_iter().for_each(|(numbers, mut part)| {
            for number in numbers {
                let value = value(number);
                let (to, others) = part.split_at_mut(value.len());
                to.copy_from_slice(value);
                part = others;
            }
        });
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let array =
            GenericStringArray::<O>::try_new(offsets, Buffer::from_vec(values), None).ok()?;
        Some(Arc::new(array))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn strings_are_sorted_by_bytes(
            texts in prop::collection::btree_set("[ab\u{0}]{0,20}|(prefix){0,4}[a-c]{0,3}", 0..200),
        ) {
            let texts: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
            // Numbered from one, in an order that is not theirs.
            let order: Vec<u32> = (1..=u32::try_from(texts.len()).unwrap()).rev().collect();
            let value = |number: u32| texts[number as usize - 1];
            let sorted: Vec<&[u8]> = sort_by_bytes(order, &value).into_iter().map(value).collect();
            prop_assert_eq!(sorted, texts);
        }
    }

    #[test]
    fn strings_with_a_long_common_beginning_are_sorted() {
        let texts: Vec<String> =
            (0..60).map(|v| format!("{}{v:02}", "x".repeat(2_000_000 / 60))).collect();
        let value = |number: u32| texts[number as usize - 1].as_bytes();
        let sorted = sort_by_bytes((1..=60).rev().collect(), &value);
        assert_eq!(sorted, (1..=60).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_stay_when_there_are_many_values() {
        let mut encoder = BytesEncoder::new(&[]);
        let text = |v: usize| format!("value {}{v}", "long ".repeat(v % 4));
        let count = FEW + 5_000;
        let first: Vec<u32> = (0..count).map(|v| encoder.number(text(v).as_bytes())).collect();
        let again: Vec<u32> = (0..count).map(|v| encoder.number(text(v).as_bytes())).collect();
        assert_eq!(first, again);
        let values: Vec<String> = (0..count + 9).map(text).collect();
        let mut all = Vec::new();
        encoder.number_all(&values, &mut all);
        assert_eq!(all, (1..=u32::try_from(count + 9).unwrap()).collect::<Vec<_>>());
        assert_eq!(first, (1..=u32::try_from(count).unwrap()).collect::<Vec<_>>());
    }
}
