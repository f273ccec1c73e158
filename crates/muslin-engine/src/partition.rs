//! Classes of rows, refined one column at a time.
//!
//! # Method
//! Every row has the number of its class. Refining by a column gives each pair of class and code
//! a new number, in the order of first rows, so the numbering depends on the table alone. Where
//! there are few possible pairs they index a table directly; otherwise rows are first spread by a
//! hash of their pair, so that each part is counted inside the cache. Both ways the rows are cut
//! into one chunk per thread and each chunk is passed over once, plus once more to renumber.

use hashbrown::HashTable;
use muslin_table::{Codes, Column, MissingRule, Slot};
use rayon::prelude::*;

use crate::fold_bits;

/// The rows of a table in classes.
///
/// # Guarantee
/// Classes are numbered from zero by their first row, on any number of threads. Two rows are in
/// one class exactly when they agree on every column that refined the partition; under
/// [`MissingRule::Distinct`] a row with a missing cell agrees with no other.
///
/// # Cost
/// A refinement reads each row's class and code once. Memory is 4 bytes per row and 4 per class;
/// while refining, another 4 bytes per row, plus either at most 4 bytes per row and thread (few
/// pairs) or 20 bytes per row that is not yet alone in its class (many).
///
/// # Example
/// ```
/// use muslin_engine::Partition;
/// use muslin_table::{ColumnId, EncodedTable, MissingRule};
/// let table = EncodedTable::of(&[[1, 5], [2, 5], [1, 6], [1, 5]]);
/// let by_first = Partition::whole(4).refine(table.column(ColumnId::new(0)), MissingRule::Category);
/// assert_eq!(by_first.class_of(), [0, 1, 0, 0]);
/// let by_both = by_first.refine(table.column(ColumnId::new(1)), MissingRule::Category);
/// assert_eq!(by_both.class_of(), [0, 1, 2, 0]);
/// assert_eq!(by_both.sizes(), [2, 1, 1]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    class_of: Vec<u32>,
    sizes: Vec<u32>,
}

/// Spreads a pair's bits; the high ones choose the part, so they must be good.
type Hash = fn(u64) -> u64;

/// Fewer rows than this are not worth a second thread.
const ROWS_PER_CHUNK: usize = 1 << 15;
/// Rows of a part that is counted inside the cache.
const ROWS_PER_PART: usize = 1 << 14;

impl Partition {
    /// All rows in one class.
    pub fn whole(rows: usize) -> Self {
        let size = u32::try_from(rows).expect("row ids are 32 bits wide");
        Self { class_of: vec![0; rows], sizes: if rows == 0 { vec![] } else { vec![size] } }
    }

    /// Class of each row.
    pub fn class_of(&self) -> &[u32] {
        &self.class_of
    }

    /// Rows in each class.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The first row of each class.
    pub fn first_rows(&self) -> Vec<u32> {
        let mut first = Vec::with_capacity(self.sizes.len());
        for (row, &class) in (0u32..).zip(&self.class_of) {
            if class as usize == first.len() {
                first.push(row);
            }
        }
        first
    }

    /// The classes of rows that also agree on `column`.
    ///
    /// # Panics
    /// When the column has another number of rows, or for [`MissingRule::Wildcard`], under which
    /// rows do not fall into classes.
    #[must_use]
    pub fn refine(&self, column: &Column, missing: MissingRule) -> Self {
        self.refine_hashed(column, missing, fold_bits)
    }

    /// The rows that are not alone in their class, in order, and their classes, numbered anew.
    pub fn open(&self) -> (Vec<u32>, Self) {
        let mut rows = Vec::new();
        let mut class_of = Vec::new();
        let mut sizes = Vec::new();
        let mut number_of = vec![NONE; self.sizes.len()];
        for (row, &class) in (0u32..).zip(&self.class_of) {
            let size = self.sizes[class as usize];
            if size > 1 {
                let number = &mut number_of[class as usize];
                if *number == NONE {
                    *number = u32::try_from(sizes.len()).expect("no more classes than rows");
                    sizes.push(size);
                }
                rows.push(row);
                class_of.push(*number);
            }
        }
        (rows, Self { class_of, sizes })
    }

    /// As [`Partition::refine`], for a partition of `rows` of the column's table.
    ///
    /// # Panics
    /// As [`Partition::refine`].
    #[must_use]
    pub fn refine_at(&self, rows: &[u32], column: &Column, missing: MissingRule) -> Self {
        fn gather<S: Slot>(rows: &[u32], codes: &[S]) -> Vec<S> {
            rows.par_iter().map(|&row| codes[row as usize]).collect()
        }
        assert_eq!(rows.len(), self.class_of.len(), "the rows of this partition");
        let step = Step::new(column, missing, fold_bits);
        match column.codes() {
            Codes::U8(codes) => self.refine_codes(&gather(rows, codes), &step),
            Codes::U16(codes) => self.refine_codes(&gather(rows, codes), &step),
            Codes::U32(codes) => self.refine_codes(&gather(rows, codes), &step),
        }
    }

    fn refine_hashed(&self, column: &Column, missing: MissingRule, hash: Hash) -> Self {
        assert_eq!(column.rows(), self.class_of.len(), "a column of the same table");
        let step = Step::new(column, missing, hash);
        match column.codes() {
            Codes::U8(codes) => self.refine_codes(codes, &step),
            Codes::U16(codes) => self.refine_codes(codes, &step),
            Codes::U32(codes) => self.refine_codes(codes, &step),
        }
    }

    fn refine_codes<S: Slot>(&self, codes: &[S], step: &Step) -> Self {
        let rows = codes.len();
        let chunks = (rows / ROWS_PER_CHUNK).clamp(1, rayon::current_num_threads());
        let chunk_rows = rows.div_ceil(chunks).max(1);
        let pairs = (self.sizes.len() as u64).saturating_mul(step.slots);
        if pairs <= (rows.max(1 << 12) / 2) as u64 {
            let pairs = usize::try_from(pairs).expect("no more than the rows");
            self.refine_by_table(codes, step, pairs, chunk_rows)
        } else {
            self.refine_by_hash(codes, step, chunk_rows)
        }
    }

    /// Each chunk numbers the pairs it meets in a table of all pairs; the numbers of all chunks are
    /// then made one, in chunk order.
    fn refine_by_table<S: Slot>(
        &self,
        codes: &[S],
        step: &Step,
        pairs: usize,
        chunk_rows: usize,
    ) -> Self {
        let mut class_of = vec![0u32; codes.len()];
        let local: Vec<Numbered> = class_of
            .par_chunks_mut(chunk_rows)
            .zip(codes.par_chunks(chunk_rows))
            .zip(self.class_of.par_chunks(chunk_rows))
            .map(|((new, codes), old)| {
                let mut number_of = vec![NONE; pairs];
                let mut met = Numbered::default();
                for ((new, code), &class) in new.iter_mut().zip(codes).zip(old) {
                    let slot = code.index();
                    let pair = class as usize * step.slots_usize() + slot;
                    let mut number = number_of[pair];
                    if number == NONE {
                        number = met.add(pair);
                        if step.alone != Some(slot) {
                            number_of[pair] = number;
                        }
                    }
                    met.sizes[number as usize] += 1;
                    *new = number;
                }
                met
            })
            .collect();
        let mut local = local.into_iter();
        let Some(mut all) = local.next() else {
            return Self::whole(0);
        };
        let rest: Vec<Numbered> = local.collect();
        if rest.is_empty() {
            return Self { class_of, sizes: all.sizes };
        }
        let mut number_of = vec![NONE; pairs];
        let alone = |pair: usize| step.alone == Some(pair % step.slots_usize());
        for (number, &pair) in (0u32..).zip(&all.pairs) {
            number_of[pair] = number;
        }
        let renumber: Vec<Vec<u32>> = rest
            .iter()
            .map(|chunk| {
                let numbers = chunk.pairs.iter().zip(&chunk.sizes).map(|(&pair, &size)| {
                    let mut number = number_of[pair];
                    if number == NONE || alone(pair) {
                        number = all.add(pair);
                        number_of[pair] = number;
                    }
                    all.sizes[number as usize] += size;
                    number
                });
                numbers.collect()
            })
            .collect();
        class_of[chunk_rows..].par_chunks_mut(chunk_rows).zip(&renumber).for_each(
            |(classes, numbers)| classes.iter_mut().for_each(|c| *c = numbers[*c as usize]),
        );
        Self { class_of, sizes: all.sizes }
    }

    /// Each chunk sorts its pairs into parts by their hash; each part finds the first row of every
    /// pair in it; first rows are then numbered in order.
    fn refine_by_hash<S: Slot>(&self, codes: &[S], step: &Step, chunk_rows: usize) -> Self {
        let parts = (codes.len() / ROWS_PER_PART).next_power_of_two().clamp(1, 1 << 12);
        let shift = 64 - parts.trailing_zeros();
        let part_of = |pair: u64| {
            usize::try_from((step.hash)(pair).checked_shr(shift).unwrap_or(0)).expect("few parts")
        };

        // Until it is known better, every row is the first of its class: right for rows that are
        // alone already.
        let row_count = u32::try_from(codes.len()).expect("row ids are 32 bits wide");
        let mut first_of: Vec<u32> = (0..row_count).into_par_iter().collect();
        let mut spread: Vec<Spread> = codes
            .par_chunks(chunk_rows)
            .zip(self.class_of.par_chunks(chunk_rows))
            .enumerate()
            .map(|(chunk, (codes, old))| {
                let start = u32::try_from(chunk * chunk_rows).expect("row ids are 32 bits wide");
                let open = (start..).zip(codes).zip(old).filter_map(|((row, code), &class)| {
                    let alone = self.sizes[class as usize] == 1 || step.alone == Some(code.index());
                    (!alone).then(|| (row, u64::from(class) * step.slots + code.index() as u64))
                });
                Spread::sort(open, parts, part_of)
            })
            .collect();

        // Transposed: for each part, its stretch of every chunk, in row order.
        let mut stretches: Vec<Vec<Stretch<'_>>> = (0..parts).map(|_| Vec::new()).collect();
        for chunk in &mut spread {
            let (mut rows, mut pairs) = (&chunk.rows[..], &mut chunk.pairs[..]);
            for (part, stretch) in stretches.iter_mut().enumerate() {
                let len = chunk.ends[part] - part.checked_sub(1).map_or(0, |p| chunk.ends[p]);
                let (part_rows, other_rows) = rows.split_at(len);
                let (part_pairs, other_pairs) = pairs.split_at_mut(len);
                stretch.push(Stretch { rows: part_rows, pairs: part_pairs });
                (rows, pairs) = (other_rows, other_pairs);
            }
        }
        let counted: Vec<(u32, u32)> = stretches
            .into_par_iter()
            .flat_map_iter(|mut stretch| find_first_rows(&mut stretch, step.hash))
            .collect();

        first_of.par_chunks_mut(chunk_rows).zip(&spread).enumerate().for_each(
            |(chunk, (first_of, spread))| {
                for (&row, &first) in spread.rows.iter().zip(&spread.pairs) {
                    first_of[row as usize - chunk * chunk_rows] =
                        u32::try_from(first).expect("replaced by a row");
                }
            },
        );
        drop(spread);
        number_first_rows(&first_of, &counted, chunk_rows)
    }
}

/// Marks a pair that has no number yet.
const NONE: u32 = u32::MAX;

/// What a refinement needs to know of its column.
struct Step {
    slots: u64,
    /// The slot whose rows agree with nobody.
    alone: Option<usize>,
    hash: Hash,
}

impl Step {
    fn new(column: &Column, missing: MissingRule, hash: Hash) -> Self {
        assert_ne!(missing, MissingRule::Wildcard, "a wildcard makes no classes");
        let alone = (missing == MissingRule::Distinct).then(|| column.missing_slot() as usize);
        Self { slots: column.slots() as u64, alone, hash }
    }

    fn slots_usize(&self) -> usize {
        usize::try_from(self.slots).expect("slots are counted in 32 bits")
    }
}

/// Pairs in the order in which a chunk met them.
#[derive(Default)]
struct Numbered {
    pairs: Vec<usize>,
    sizes: Vec<u32>,
}

impl Numbered {
    fn add(&mut self, pair: usize) -> u32 {
        self.pairs.push(pair);
        self.sizes.push(0);
        u32::try_from(self.pairs.len() - 1).expect("no more classes than rows")
    }
}

/// The rows of a chunk sorted by part, each with its pair, later with its class's first row.
struct Spread {
    rows: Vec<u32>,
    pairs: Vec<u64>,
    ends: Vec<usize>,
}

impl Spread {
    fn sort(
        open: impl Iterator<Item = (u32, u64)> + Clone,
        parts: usize,
        part_of: impl Fn(u64) -> usize,
    ) -> Self {
        let mut ends = vec![0usize; parts];
        open.clone().for_each(|(_, pair)| ends[part_of(pair)] += 1);
        let mut total = 0;
        for end in &mut ends {
            (*end, total) = (total, total + *end);
        }
        let (mut rows, mut pairs) = (vec![0; total], vec![0; total]);
        for (row, pair) in open {
            let place = &mut ends[part_of(pair)];
            rows[*place] = row;
            pairs[*place] = pair;
            *place += 1;
        }
        Self { rows, pairs, ends }
    }
}

struct Stretch<'a> {
    rows: &'a [u32],
    pairs: &'a mut [u64],
}

/// Replaces every pair of a part by the first row that has it; returns first rows and sizes.
fn find_first_rows(part: &mut [Stretch<'_>], hash: Hash) -> Vec<(u32, u32)> {
    let mut found: HashTable<(u64, u32)> = HashTable::new();
    let mut classes: Vec<(u32, u32)> = Vec::new();
    for stretch in part {
        for (&row, pair) in stretch.rows.iter().zip(stretch.pairs.iter_mut()) {
            let entry = found.entry(hash(*pair), |&(p, _)| p == *pair, |&(p, _)| hash(p));
            let &mut (_, class) = entry
                .or_insert_with(|| {
                    classes.push((row, 0));
                    (*pair, u32::try_from(classes.len() - 1).expect("no more classes than rows"))
                })
                .into_mut();
            let (first, size) = &mut classes[class as usize];
            *size += 1;
            *pair = u64::from(*first);
        }
    }
    classes
}

/// Numbers the rows that are first of their class, and gives each row its first row's number.
fn number_first_rows(first_of: &[u32], counted: &[(u32, u32)], chunk_rows: usize) -> Partition {
    let is_first = |pair: &(u32, &u32)| pair.0 == *pair.1;
    let chunk_start =
        |chunk: usize| u32::try_from(chunk * chunk_rows).expect("row ids are 32 bits wide");
    let firsts: Vec<usize> = first_of
        .par_chunks(chunk_rows)
        .enumerate()
        .map(|(chunk, first_of)| (chunk_start(chunk)..).zip(first_of).filter(is_first).count())
        .collect();
    let starts: Vec<usize> = firsts
        .iter()
        .scan(0, |total, &count| Some(std::mem::replace(total, *total + count)))
        .collect();
    let classes: usize = firsts.iter().sum();

    let mut number_of = vec![0u32; first_of.len()];
    number_of.par_chunks_mut(chunk_rows).zip(first_of.par_chunks(chunk_rows)).enumerate().for_each(
        |(chunk, (numbers, first_of))| {
            let mut next = u32::try_from(starts[chunk]).expect("no more classes than rows");
            for ((row, &first), number) in (chunk_start(chunk)..).zip(first_of).zip(numbers) {
                if row == first {
                    *number = next;
                    next += 1;
                }
            }
        },
    );
    let mut sizes = vec![1u32; classes];
    for &(first, size) in counted {
        sizes[number_of[first as usize] as usize] = size;
    }
    let class_of = first_of.par_iter().map(|&first| number_of[first as usize]).collect();
    Partition { class_of, sizes }
}

#[cfg(test)]
mod tests;
