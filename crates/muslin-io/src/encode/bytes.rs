use std::hash::{BuildHasher, Hasher};

use arrow_schema::DataType;
use hashbrown::HashTable;
use muslin_table::{Codes, Column, Dictionary, Form};
use rayon::prelude::*;

use super::infer::{Inferred, Parser, infer, is_whole, known_days, only_days};
use super::kernel::expect_soon;
use super::keys::rank;
use super::numbers::Numbers;
use super::sorted::{SortedBytes, sort_by_bytes, stored};
use super::tags::{TagTable, tag};
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
    recent: Recent,
    /// The number of each value of one byte; none is zero.
    single: Box<[u32; 256]>,
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

/// Values that were met not long ago, each in the one place that its bytes decide. A column of
/// few values finds nearly all of them here, for a multiplication and a comparison.
struct Recent {
    places: Vec<Entry>,
    shift: u32,
}

impl Recent {
    /// Places at the start, and at most: what stays in the cache near the core.
    const FEWEST: usize = 1 << 6;
    const MOST: usize = 1 << 13;
    /// A place that holds no value.
    const FREE: Entry =
        Entry { ends: Ends { head: 0, tail: 0 }, len: u32::MAX, number: Numbers::MISSING };

    fn new() -> Self {
        Self::of_size(Self::FEWEST)
    }

    fn of_size(places: usize) -> Self {
        Self { places: vec![Self::FREE; places], shift: 64 - places.trailing_zeros() }
    }

    #[inline]
    fn place(&self, ends: Ends) -> usize {
        let mixed = (ends.head ^ ends.tail.rotate_left(23)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        usize::try_from(mixed >> self.shift).expect("a place in memory")
    }

    /// The number of the value in a place if its ends and its length are these.
    #[inline]
    fn find(&self, place: usize, ends: Ends, len: u32) -> Option<u32> {
        let entry = &self.places[place];
        (entry.ends == ends && entry.len == len).then_some(entry.number)
    }

    /// Keeps a value in its place; with more distinct values there are more places.
    #[inline]
    fn keep(&mut self, place: usize, entry: Entry, distinct: usize) {
        if distinct * 4 > self.places.len() && self.places.len() < Self::MOST {
            *self = Self::of_size(self.places.len() * 4);
            return;
        }
        self.places[place] = entry;
    }
}

/// The first and the last eight bytes of a string; shorter strings are padded with zeros and have
/// no last bytes. With the length they tell strings of up to sixteen bytes apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) head: u64,
    tail: u64,
}

/// Longest string that its ends tell apart.
const SHORT: u32 = 16;

impl Ends {
    pub(super) fn of(value: &[u8]) -> Self {
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
    fn within(text: &[u8], start: usize, end: usize) -> Self {
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
            recent: Recent::new(),
            single: Box::new([0; 256]),
            nulls: nulls.iter().map(|null| null.clone().into_bytes()).collect(),
            null_numbers: Vec::new(),
            cells: Numbers::default(),
        }
    }

    /// Makes room for about so many rows in all.
    pub(crate) fn expect(&mut self, rows: usize) {
        self.cells.expect(rows);
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
        match *value {
            [byte] if self.single[usize::from(byte)] != 0 => self.single[usize::from(byte)],
            _ => self.number_of_ends(Ends::of(value), value),
        }
    }

    /// The number of the value `text[start..end]`, where eight bytes can be read from `start` on.
    #[inline]
    pub(crate) fn number_at(&mut self, text: &[u8], start: usize, end: usize) -> u32 {
        if end - start == 1 && self.single[usize::from(text[start])] != 0 {
            return self.single[usize::from(text[start])];
        }
        self.number_of_ends(Ends::within(text, start, end), &text[start..end])
    }

    #[inline]
    fn number_of_ends(&mut self, of_value: Ends, value: &[u8]) -> u32 {
        let len = u32::try_from(value.len()).unwrap_or(u32::MAX);
        let place = self.recent.place(of_value);
        match self.recent.find(place, of_value, len) {
            Some(number) if len <= SHORT || *stored(&self.bytes, &self.ends, number) == *value => {
                number
            }
            _ => self.number_of_rare(place, of_value, value),
        }
    }

    /// The number of a value that was not met lately, kept for when it comes again.
    #[inline(never)]
    fn number_of_rare(&mut self, place: usize, of_value: Ends, value: &[u8]) -> u32 {
        let hash = hash(&self.seed, of_value, value);
        let number = self.number_hashed(hash, of_value, value);
        let len = u32::try_from(value.len()).unwrap_or(u32::MAX);
        if let [byte] = *value {
            self.single[usize::from(byte)] = number;
        } else {
            self.recent.keep(place, Entry { ends: of_value, len, number }, self.ends.len());
        }
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

    /// Whether the values that come often are near whatever else is looked at in between.
    pub(crate) fn is_small(&self) -> bool {
        self.recent.places.len() <= Recent::FEWEST
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
        self.recent = Recent::new();
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
        let values = numbers.clone().filter_map(value);
        let is_asked = wanted.column_type.is_some();
        let days = match (wanted.column_type, wanted.format) {
            (Some(ColumnType::Date), None) => only_days(&values),
            _ => None,
        };
        let format = wanted.format.or(days.as_ref());
        let found = match wanted.column_type {
            Some(ColumnType::Category) if is_whole(values.clone()) => {
                Inferred::Typed(Parser::Integer)
            }
            Some(asked) => match Parser::asked(asked, wanted.spelling, format) {
                Some(parser) => Inferred::Typed(parser),
                None => Inferred::Text(Form::Plain),
            },
            None => infer(values.clone(), wanted.spelling),
        };
        let parser = match found {
            Inferred::Typed(parser) => parser,
            Inferred::Text(form) => {
                let (sorted, codes) = self.finish_sorted();
                let texts = sorted.into_text().ok_or(Problem::NotEncoded("UTF-8"))?;
                return make_column(name, Dictionary::new(texts).with_form(form), codes);
            }
        };
        let keys: Vec<Option<Option<u64>>> = numbers
            .map(|number| value(number).map_or(Some(None), |text| parser.key(text).map(Some)))
            .collect();
        if let Some(wrong) = (1u32..).zip(&keys).find(|(_, key)| key.is_none()) {
            let problem = match &parser {
                Parser::Day(expected) => Problem::NotADay {
                    column: name.to_owned(),
                    expected: expected.clone().into_owned(),
                    found: known_days(&values),
                },
                other => Problem::NotOfType(other.column_type()),
            };
            return Err(ColumnProblem { row: self.cells.first_row(wrong.0), problem });
        }
        let is_plain = values.clone().all(|text| parser.is_plain(text));
        let valued = values.count();
        let Self { table, mut bytes, ends, cells, .. } = self;
        drop(table);
        let ranked = rank(keys.into_iter().map(Option::flatten));
        let codes = cells.finish(ranked.keys.len(), &ranked.slots);
        let data_type = match parser.column_type() {
            ColumnType::Text | ColumnType::Category => DataType::Utf8,
            ColumnType::Integer => DataType::Int64,
            ColumnType::Number => DataType::Float64,
            ColumnType::Date => DataType::Date32,
            ColumnType::Boolean => DataType::Boolean,
        };
        let is_category = wanted.column_type == Some(ColumnType::Category);
        let form = if is_category { Form::Category } else { parser.form() };
        let dictionary = Dictionary::new(array_of_keys(&data_type, &ranked.keys)).with_form(form);
        let dictionary = if is_plain {
            dictionary
        } else if ranked.keys.len() < valued {
            debug_assert!(is_asked, "a type that is found out tells all spellings apart");
            // Days keep their pattern, with two digits for days and months.
            let has_pattern = matches!(dictionary.form(), Form::Days(_));
            if has_pattern { dictionary } else { dictionary.with_form(Form::Respelled) }
        } else {
            if let Parser::Number(mark) = parser {
                bytes.iter_mut().filter(|byte| **byte == mark).for_each(|byte| *byte = b'.');
            }
            let order = ranked.order();
            let texts = SortedBytes { bytes, ends, order }.into_text();
            let dictionary = dictionary.with_texts(texts.ok_or(Problem::NotEncoded("UTF-8"))?);
            let is_number = *dictionary.form() == Form::Plain;
            // Formats without texts may respell what somebody asked to be a number.
            if is_asked && is_number { dictionary.with_form(Form::Respelled) } else { dictionary }
        };
        make_column(name, dictionary, codes)
    }

    /// Rows so far.
    pub(crate) fn rows(&self) -> usize {
        self.cells.rows()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

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
