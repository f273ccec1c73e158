//! The best of all cuts of a partition.
//!
//! One pass over the rows counts, for every column and every value, the rows that have it, and
//! joins their bounds. Joined from the first value on they are the bounds of the left side of every
//! cut, joined from the last on those of the right side. Where values are too many for that, rows
//! are sorted instead.

use rayon::prelude::*;

use super::lanes::{Bounds, Lane, Prices, Row};

/// Values of a column that are counted in a table at most.
const MOST_COUNTED: u32 = 1 << 12;
/// Rows from which on several threads count.
const MANY: usize = 1 << 17;

/// A cut that leaves enough rows on both sides. They are ordered from best to worst: by price, then
/// the first column, the more even cut, and the lower value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    price: u64,
    pub(super) lane: u32,
    /// How many rows one side has more than the other.
    uneven: u32,
    /// The last position of the left side.
    pub(super) position: u32,
}

/// Rows and bounds of every value of every column.
#[derive(Clone)]
pub(super) struct Counted<T, const N: usize> {
    starts: Vec<usize>,
    counts: Vec<u32>,
    bounds: Vec<Bounds<T, N>>,
}

/// A lane in which rows differ.
#[derive(Clone, Copy, Debug)]
struct Open {
    lane: usize,
    lo: u32,
    hi: u32,
    /// Where its first position is in the table; none where rows are sorted.
    counted: Option<usize>,
}

/// Room to look for cuts in.
#[derive(Clone)]
pub(super) struct Search<T, const N: usize> {
    counted: Counted<T, N>,
    open: Vec<Open>,
    keys: Vec<u64>,
    /// Of one lane: last position, rows and price of the left side.
    lefts: Vec<(u32, u32, u32)>,
    pub(super) candidates: Vec<Candidate>,
}

impl<T: Lane, const N: usize> Counted<T, N> {
    /// Room for columns of so many positions.
    fn new(positions: &[u32]) -> Self {
        let (mut starts, mut size) = (Vec::with_capacity(positions.len()), 0);
        for &positions in positions {
            starts.push(size);
            size += positions.min(MOST_COUNTED) as usize;
        }
        Self { starts, counts: vec![0; size], bounds: vec![Bounds::EMPTY; size] }
    }

    fn add(&mut self, rows: &[Row<T, N>], open: &[(usize, usize)]) {
        for row in rows {
            for &(lane, base) in open {
                let at = base.wrapping_add(row[lane].index());
                self.counts[at] += 1;
                self.bounds[at].take(row);
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, other)| *count += other);
        self.bounds.iter_mut().zip(&other.bounds).for_each(|(bounds, other)| bounds.join(other));
    }
}

impl<T: Lane, const N: usize> Search<T, N> {
    /// Room to look for cuts of columns of so many positions.
    pub(super) fn new(positions: &[u32]) -> Self {
        Self {
            counted: Counted::new(positions),
            open: Vec::new(),
            keys: Vec::new(),
            lefts: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Lists the cuts that leave `k` rows on both sides, by column and then position. Gives up
    /// where `go_on` says so.
    pub(super) fn find(
        &mut self,
        prices: &Prices<N>,
        rows: &[Row<T, N>],
        bounds: &Bounds<T, N>,
        k: u32,
        go_on: &(dyn Fn() -> bool + Sync),
    ) {
        self.candidates.clear();
        self.open.clear();
        for (lane, &start) in self.counted.starts.iter().enumerate() {
            let (lo, hi) = bounds.lane(lane);
            let span = hi - lo + 1;
            if span > 1 {
                let is_counted = span <= MOST_COUNTED && span as usize <= rows.len() * 4 + 64;
                self.open.push(Open { lane, lo, hi, counted: is_counted.then_some(start) });
            }
        }
        self.count(rows, go_on);
        for at in 0..self.open.len() {
            if !go_on() {
                return;
            }
            let open = self.open[at];
            match open.counted {
                Some(start) => self.price_counted(prices, rows.len(), k, open, start),
                None => self.price_sorted(prices, rows, k, open),
            }
        }
    }

    fn count(&mut self, rows: &[Row<T, N>], go_on: &(dyn Fn() -> bool + Sync)) {
        let base = |open: &Open| {
            open.counted.map(|start| (open.lane, start.wrapping_sub(open.lo as usize)))
        };
        let open: Vec<(usize, usize)> = self.open.iter().filter_map(base).collect();
        if open.is_empty() {
            return;
        }
        if rows.len() < MANY {
            self.counted.add(rows, &open);
            return;
        }
        // Whole numbers are added up, so it is all the same who counts which rows.
        let empty = Counted { starts: Vec::new(), ..self.counted.clone() };
        let share = rows.len().div_ceil(rayon::current_num_threads());
        let parts = rows.par_chunks(share).map(|rows| {
            let mut counted = empty.clone();
            for rows in rows.chunks(1 << 14).take_while(|_| go_on()) {
                counted.add(rows, &open);
            }
            counted
        });
        for part in parts.collect::<Vec<_>>() {
            self.counted.merge(&part);
        }
    }

    fn price_counted(&mut self, prices: &Prices<N>, rows: usize, k: u32, open: Open, start: usize) {
        let all = u32::try_from(rows).expect("row ids are 32 bits wide");
        let (mut left, mut left_rows) = (Bounds::EMPTY, 0u32);
        let end = open.hi + 1;
        let table = start..start + (end - open.lo) as usize;
        let counts = &mut self.counted.counts[table.clone()];
        let bounds = &mut self.counted.bounds[table];
        self.lefts.clear();
        for ((position, &count), own) in (open.lo..).zip(&*counts).zip(&*bounds) {
            if count == 0 {
                continue;
            }
            left.join(own);
            left_rows += count;
            if all - left_rows < k {
                break;
            }
            if left_rows >= k {
                self.lefts.push((position, left_rows, prices.row(&left)));
            }
        }
        let first = self.candidates.len();
        let mut right = Bounds::EMPTY;
        let mut lefts = self.lefts.iter().rev().peekable();
        // What was counted is forgotten on the way back.
        for ((position, count), own) in (open.lo..end).zip(counts).zip(bounds).rev() {
            if *count == 0 {
                continue;
            }
            if let Some(&(_, rows, price)) = lefts.next_if(|left| left.0 == position) {
                self.candidates.push(candidate(
                    prices,
                    open.lane,
                    position,
                    (rows, price),
                    all,
                    &right,
                ));
            }
            right.join(own);
            *count = 0;
            *own = Bounds::EMPTY;
        }
        self.candidates[first..].reverse();
    }

    fn price_sorted(&mut self, prices: &Prices<N>, rows: &[Row<T, N>], k: u32, open: Open) {
        let all = u32::try_from(rows.len()).expect("row ids are 32 bits wide");
        let lane = open.lane;
        let key =
            |(at, row): (u32, &Row<T, N>)| u64::from(row[lane].position()) << 32 | u64::from(at);
        self.keys.clear();
        self.keys.extend((0u32..).zip(rows).map(key));
        if rows.len() < MANY {
            self.keys.sort_unstable();
        } else {
            self.keys.par_sort_unstable();
        }
        let split = |key: u64| {
            let (position, at) = (key >> 32, key & u64::from(u32::MAX));
            (
                u32::try_from(position).expect("32 bits"),
                &rows[usize::try_from(at).expect("32 bits")],
            )
        };
        let (mut left, mut left_rows) = (Bounds::EMPTY, 0u32);
        self.lefts.clear();
        for values in self.keys.chunk_by(|a, b| a >> 32 == b >> 32) {
            values.iter().for_each(|&key| left.take(split(key).1));
            left_rows += u32::try_from(values.len()).expect("no more than rows");
            if all - left_rows < k {
                break;
            }
            if left_rows >= k {
                self.lefts.push((split(values[0]).0, left_rows, prices.row(&left)));
            }
        }
        let first = self.candidates.len();
        let (mut right, mut end) = (Bounds::EMPTY, self.keys.len());
        for &(position, rows, price) in self.lefts.iter().rev() {
            // Everything after the left side's rows is on the right.
            let right_keys = &self.keys[rows as usize..end];
            right_keys.iter().for_each(|&key| right.take(split(key).1));
            end = rows as usize;
            self.candidates.push(candidate(prices, lane, position, (rows, price), all, &right));
        }
        self.candidates[first..].reverse();
    }
}

fn candidate<T: Lane, const N: usize>(
    prices: &Prices<N>,
    lane: usize,
    position: u32,
    left: (u32, u32),
    all: u32,
    right: &Bounds<T, N>,
) -> Candidate {
    let (rows, left_price) = left;
    let right_price = prices.row(right);
    let price =
        u64::from(rows) * u64::from(left_price) + u64::from(all - rows) * u64::from(right_price);
    let lane = u32::try_from(lane).expect("a few columns");
    Candidate { price, lane, uneven: (all - rows).abs_diff(rows), position }
}
