//! Rows into buckets, by splits at medians while every bucket stays diverse.
//!
//! # Why a check looks at the new buckets only
//! A row *matches* a bucket when each slice has the row's values there. In a bucket, the sensitive
//! value of somebody with the known values q is s with probability `n(q,s) / n(q)`.
//!
//! Splits at thresholds give buckets in disjoint boxes. Who matches a bucket has in each split column
//! a value of the bucket's rows, hence one within its box; boxes are disjoint, so everybody matches
//! one bucket, his own, and `p(t,s) = n(q,s) / n(q)` there. For other buckets p(t,s) is an average of
//! such fractions, whatever the weights: when none is above 1/l, neither is p(t,s).

use std::cmp::Ordering;
use std::sync::OnceLock;

use muslin_engine::{Run, Stop};
use muslin_table::{Codes, ColumnId, EncodedTable};

use super::diversity::{Counts, Diversity};

/// Where a bucket is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SliceCut {
    /// At a threshold: equal rows stay together, and buckets are boxes that do not overlap.
    #[default]
    Strict,
    /// In halves: rows that have the median are shared out, so that buckets may overlap.
    Relaxed,
}

/// What is looked at before a split is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SliceCheck {
    /// The new buckets by themselves. That is enough for any buckets, and all there is where buckets
    /// are boxes.
    #[default]
    Buckets,
    /// All buckets that match each row, as in the paper. Where buckets overlap, it accepts what
    /// another bucket makes good, and takes longer.
    Matches,
}

/// Splits buckets.
pub(crate) struct Splits<'a> {
    columns: Vec<Split<'a>>,
    diversity: &'a Diversity,
    l: u32,
    cut: SliceCut,
    one_attempt: bool,
    run: &'a Run,
    stop: OnceLock<Stop>,
}

/// A column that buckets are split by.
struct Split<'a> {
    codes: &'a Codes,
    /// From the smallest to the largest slot of all rows.
    width: u32,
}

/// Rows bucket by bucket.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    pub(crate) rows: Vec<u32>,
    pub(crate) sizes: Vec<u32>,
    pub(crate) stop: Option<Stop>,
}

/// Fewer rows than this are not worth a second thread.
const ROWS_PER_TASK: usize = 1 << 14;

impl<'a> Splits<'a> {
    /// Splits by these columns, first ones first where they are equally wide.
    pub(crate) fn new(
        table: &'a EncodedTable,
        columns: impl Iterator<Item = ColumnId>,
        diversity: &'a Diversity,
        l: u32,
        run: &'a Run,
    ) -> Self {
        let column = |id: ColumnId| {
            let codes = table.column(id).codes();
            let (least, most) = codes.slots().fold((u32::MAX, 0), |(a, b), s| (a.min(s), b.max(s)));
            Split { codes, width: most.saturating_sub(least) }
        };
        let columns = columns.map(column).filter(|column| column.width > 0).collect();
        let (cut, one_attempt, stop) = (SliceCut::default(), false, OnceLock::new());
        Self { columns, diversity, l, cut, one_attempt, run, stop }
    }

    /// Where buckets are cut.
    pub(crate) fn cut(mut self, cut: SliceCut) -> Self {
        self.cut = cut;
        self
    }

    /// Whether a bucket is final when the first split is not accepted.
    pub(crate) fn one_attempt(mut self, one_attempt: bool) -> Self {
        self.one_attempt = one_attempt;
        self
    }

    /// Why splitting ended early, if it did.
    pub(super) fn stop(&self) -> Option<Stop> {
        self.stop.get().copied()
    }

    /// The buckets of all rows, in the order of their boxes.
    pub(crate) fn run(self, rows: u32) -> Buckets {
        let mut all: Vec<u32> = (0..rows).collect();
        let mut spare = vec![0; all.len()];
        let sizes = self.run.install(|| self.split(&mut all, &mut spare, None));
        Buckets { rows: all, sizes, stop: self.stop.into_inner() }
    }

    /// Splits a bucket as often as it goes; the sizes of what becomes of it, in order.
    fn split(&self, rows: &mut [u32], spare: &mut [u32], counts: Option<&mut Counts>) -> Vec<u32> {
        let mut own = None;
        let counts = counts.unwrap_or_else(|| own.insert(self.diversity.counts()));
        // Of fewer rows, neither half can be diverse.
        let is_enough = rows.len() as u64 >= 2 * u64::from(self.l);
        let mut accept = |low: &[u32], high: &[u32]| {
            let side = |rows, side| <[u32]>::iter(rows).map(move |&row| (row, side));
            self.diversity.are_diverse(side(low, 0).chain(side(high, 1)), self.l, counts)
        };
        let split = if is_enough { self.once(rows, spare, &mut accept) } else { None };
        let Some(left) = split else {
            return vec![u32::try_from(rows.len()).expect("row ids are 32 bits wide")];
        };
        let is_large = rows.len() > ROWS_PER_TASK;
        let (low, high) = rows.split_at_mut(left);
        let (low_spare, high_spare) = spare.split_at_mut(left);
        let (mut sizes, more) = if is_large {
            rayon::join(|| self.split(low, low_spare, None), || self.split(high, high_spare, None))
        } else {
            (self.split(low, low_spare, Some(counts)), self.split(high, high_spare, Some(counts)))
        };
        sizes.extend(more);
        sizes
    }

    /// Splits a bucket in two where `accept` agrees; the size of the first.
    pub(super) fn once(
        &self,
        rows: &mut [u32],
        spare: &mut [u32],
        accept: &mut dyn FnMut(&[u32], &[u32]) -> bool,
    ) -> Option<usize> {
        if let Some(stop) = self.run.stop() {
            self.stop.get_or_init(|| stop);
            return None;
        }
        let mut dimensions: Vec<(usize, u32, u32)> = Vec::with_capacity(self.columns.len());
        for (at, column) in self.columns.iter().enumerate() {
            let (least, most) = column.range(rows);
            if most > least {
                dimensions.push((at, least, most));
            }
        }
        let share = |&(at, least, most): &(usize, u32, u32)| (most - least, self.columns[at].width);
        dimensions.sort_by(|a, b| {
            let ((a, of_a), (b, of_b)) = (share(a), share(b));
            (u64::from(b) * u64::from(of_a)).cmp(&(u64::from(a) * u64::from(of_b)))
        });
        let attempts = if self.one_attempt { 1 } else { dimensions.len() };
        for (at, least, most) in dimensions.into_iter().take(attempts) {
            let codes = self.columns[at].codes;
            let slot = |row: u32| codes.slot(row as usize);
            let middle = median(rows.iter().map(|&row| slot(row)), rows.len(), least, most);
            // Rows with the median go to the first bucket, or so many that there are two halves.
            let below = rows.iter().filter(|&&row| slot(row) < middle).count();
            let mut equal = match self.cut {
                // Where the median is the largest value, it goes to the second bucket.
                SliceCut::Strict if middle == most => 0,
                SliceCut::Strict => usize::MAX,
                SliceCut::Relaxed => rows.len().div_ceil(2) - below,
            };
            let mut is_first = |row: u32| match slot(row).cmp(&middle) {
                Ordering::Less => true,
                Ordering::Equal => {
                    let is_first = equal > 0;
                    equal = equal.saturating_sub(1);
                    is_first
                }
                Ordering::Greater => false,
            };
            // Which side each row is on, then the rows of each side in order.
            let (mut left, mut right) = (0, 0);
            for &row in &*rows {
                if is_first(row) {
                    spare[left] = row;
                    left += 1;
                } else {
                    right += 1;
                    spare[rows.len() - right] = row;
                }
            }
            spare[left..].reverse();
            let (low, high) = spare.split_at(left);
            if left > 0 && right > 0 && accept(low, high) {
                rows.copy_from_slice(spare);
                return Some(left);
            }
        }
        None
    }
}

impl Split<'_> {
    /// The smallest and the largest slot of some rows.
    fn range(&self, rows: &[u32]) -> (u32, u32) {
        fn range<S: muslin_table::Slot>(codes: &[S], rows: &[u32]) -> (u32, u32) {
            let slot = |row: &u32| u32::try_from(codes[*row as usize].index()).expect("a slot");
            rows.iter().map(slot).fold((u32::MAX, 0), |(a, b), s| (a.min(s), b.max(s)))
        }
        match self.codes {
            Codes::U8(codes) => range(codes, rows),
            Codes::U16(codes) => range(codes, rows),
            Codes::U32(codes) => range(codes, rows),
        }
    }
}

/// The lower median of `count` slots from `least` to `most`.
fn median(slots: impl Iterator<Item = u32>, count: usize, least: u32, most: u32) -> u32 {
    let wanted = (count - 1) / 2;
    let places = (most - least) as usize + 1;
    if places > count.max(1 << 10) {
        let mut slots: Vec<u32> = slots.collect();
        return *slots.select_nth_unstable(wanted).1;
    }
    let mut counts = vec![0usize; places];
    slots.for_each(|slot| counts[(slot - least) as usize] += 1);
    let mut before = 0;
    let reached = |&count: &usize| {
        before += count;
        before > wanted
    };
    let place = counts.iter().position(reached).expect("the counts add up to more than half");
    least + u32::try_from(place).expect("within the slots")
}

impl Buckets {
    /// Buckets somebody numbered; the numbers become those of their order.
    pub(crate) fn given(numbers: &[u32]) -> Self {
        let count = u32::try_from(numbers.len()).expect("row ids are 32 bits wide");
        let mut rows: Vec<u32> = (0..count).collect();
        rows.sort_by_key(|&row| numbers[row as usize]);
        let chunks = rows.chunk_by(|&a, &b| numbers[a as usize] == numbers[b as usize]);
        let sizes = chunks.map(|chunk| u32::try_from(chunk.len()).expect("32 bits")).collect();
        Self { rows, sizes, stop: None }
    }

    /// The rows of each bucket.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut rest = &self.rows[..];
        self.sizes.iter().map(move |&size| {
            let (bucket, others) = rest.split_at(size as usize);
            rest = others;
            bucket
        })
    }

    /// The bucket of each row.
    pub(crate) fn of_rows(&self) -> Vec<u32> {
        let mut bucket_of = vec![0; self.rows.len()];
        for (bucket, rows) in (0u32..).zip(self.iter()) {
            rows.iter().for_each(|&row| bucket_of[row as usize] = bucket);
        }
        bucket_of
    }
}
