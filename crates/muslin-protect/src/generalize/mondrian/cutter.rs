//! Cuts partitions until no cut is left.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use muslin_engine::{Run, Stop};

use super::axis::Axis;
use super::best::Search;
use super::diversity::{Sensitive, Sides};
use super::lanes::{Bounds, Lane, Prices, Row};
use super::{Cut, median};

/// Rows from which on a partition is a task by itself.
const TASK: usize = 1 << 12;
/// Rows from which on a partition asks whether the run must stop.
const ASKING: usize = 1 << 9;

/// A stretch of the rearranged rows that is one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class {
    pub(super) start: u32,
    pub(super) rows: u32,
}

/// Which rows go left: those before a position, and so many of those at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threshold {
    pub(super) lane: usize,
    pub(super) position: u32,
    pub(super) at_position: u32,
}

impl Threshold {
    /// Everything up to a position goes left.
    pub(super) fn up_to(lane: usize, position: u32) -> Self {
        Self { lane, position, at_position: u32::MAX }
    }

    /// Whether the next row goes left.
    #[inline]
    pub(super) fn is_left<T: Lane, const N: usize>(&mut self, row: &Row<T, N>) -> bool {
        let position = row[self.lane].position();
        let is_tie = position == self.position && self.at_position > 0;
        // There are never as many rows as the count of an unlimited threshold.
        self.at_position -= u32::from(is_tie);
        position < self.position || is_tie
    }
}

/// Everything that cutting rests on.
pub(super) struct Cutter<'a, T, const N: usize> {
    pub(super) axes: &'a [Axis],
    pub(super) prices: Prices<N>,
    pub(super) sensitive: Sensitive<'a>,
    pub(super) cut: Cut,
    pub(super) relaxed: bool,
    pub(super) run: &'a Run,
    stopped: OnceLock<Stop>,
    rooms: Mutex<Vec<Room<T, N>>>,
    classes: Mutex<Vec<Class>>,
    done: AtomicU64,
    every: u64,
}

/// What a task works with.
pub(super) struct Room<T, const N: usize> {
    pub(super) search: Search<T, N>,
    pub(super) sides: Sides,
    pub(super) keys: Vec<u32>,
}

/// Rows that are to be cut, and as much room.
struct Part<'p, T, const N: usize> {
    start: usize,
    rows: &'p mut [Row<T, N>],
    ids: &'p mut [u32],
    spare_rows: &'p mut [Row<T, N>],
    spare_ids: &'p mut [u32],
}

impl<'a, T: Lane, const N: usize> Cutter<'a, T, N> {
    pub(super) fn new(
        axes: &'a [Axis],
        sensitive: Sensitive<'a>,
        (cut, relaxed): (Cut, bool),
        run: &'a Run,
    ) -> Self {
        Self {
            axes,
            prices: Prices::of(axes),
            sensitive,
            cut,
            relaxed,
            run,
            stopped: OnceLock::new(),
            rooms: Mutex::default(),
            classes: Mutex::default(),
            done: AtomicU64::new(0),
            every: u64::MAX,
        }
    }

    /// Rearranges rows so that classes are stretches; rows of a class stay in order. Returns the
    /// classes in order and why there are not more, if something stopped it.
    pub(super) fn classes(
        mut self,
        rows: &mut [Row<T, N>],
        ids: &mut [u32],
    ) -> (Vec<Class>, Option<Stop>) {
        self.every = (rows.len() as u64 / 64).max(1);
        self.run.reporter().stage("cutting classes", Some(rows.len() as u64));
        let (mut spare_rows, mut spare_ids) = (rows.to_vec(), ids.to_vec());
        let (spare_rows, spare_ids) = (&mut spare_rows[..], &mut spare_ids[..]);
        let part = Part { start: 0, rows, ids, spare_rows, spare_ids };
        let this = &self;
        rayon::scope(|scope| this.work(scope, part));
        self.run.reporter().finish();
        let mut classes = self.classes.into_inner().unwrap_or_else(PoisonError::into_inner);
        classes.sort_unstable();
        (classes, self.stopped.get().copied())
    }

    fn work<'s>(&'s self, scope: &rayon::Scope<'s>, part: Part<'s, T, N>) {
        let room = self.rooms.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut room = room.unwrap_or_else(|| Room {
            search: Search::new(&match self.cut {
                Cut::Best => self.axes.iter().map(|axis| axis.values + 2).collect::<Vec<_>>(),
                Cut::Median => Vec::new(),
            }),
            sides: Sides::new(self.sensitive.judge),
            keys: Vec::new(),
        });
        let mut classes = Vec::new();
        self.cut_up(scope, part, &mut room, &mut classes);
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).push(room);
        self.classes.lock().unwrap_or_else(PoisonError::into_inner).append(&mut classes);
    }

    /// Cuts a part up. The larger side is cut in the same loop, so that the stack stays low however
    /// uneven cuts are.
    fn cut_up<'s>(
        &'s self,
        scope: &rayon::Scope<'s>,
        mut part: Part<'s, T, N>,
        room: &mut Room<T, N>,
        classes: &mut Vec<Class>,
    ) {
        while let Some(threshold) = self.choose(part.rows, part.ids, room) {
            let (left, right) = part.split(threshold);
            let (small, large) =
                if left.rows.len() < right.rows.len() { (left, right) } else { (right, left) };
            if small.rows.len() < TASK {
                self.cut_up(scope, small, room, classes);
            } else {
                scope.spawn(move |scope| self.work(scope, small));
            }
            part = large;
        }
        let number = |rows: usize| u32::try_from(rows).expect("row ids are 32 bits wide");
        classes.push(Class { start: number(part.start), rows: number(part.rows.len()) });
        self.advance(part.rows.len() as u64);
    }

    /// The cut to make, if one is left.
    fn choose(&self, rows: &[Row<T, N>], ids: &[u32], room: &mut Room<T, N>) -> Option<Threshold> {
        if rows.len() / 2 < self.sensitive.judge.k() as usize {
            return None;
        }
        if self.stopped.get().is_some() || (rows.len() >= ASKING && !self.go_on()) {
            return None;
        }
        let bounds = Bounds::of(rows);
        let chosen = match self.cut {
            Cut::Best => self.best(rows, ids, &bounds, room),
            Cut::Median => median::choose(self, rows, ids, &bounds, room),
        };
        // A cut that was chosen while the run was being stopped may rest on half the rows.
        chosen.filter(|_| self.stopped.get().is_none())
    }

    fn best(
        &self,
        rows: &[Row<T, N>],
        ids: &[u32],
        bounds: &Bounds<T, N>,
        room: &mut Room<T, N>,
    ) -> Option<Threshold> {
        let go_on = || rows.len() < ASKING || self.go_on();
        room.search.find(&self.prices, rows, bounds, self.sensitive.judge.k(), &go_on);
        let candidates = &mut room.search.candidates;
        let best = candidates.iter().min()?;
        let threshold = Threshold::up_to(best.lane as usize, best.position);
        if self.sensitive.is_size_alone()
            || room.sides.are_met(&self.sensitive, rows, ids, threshold)
        {
            return Some(threshold);
        }
        // Column by column, in the order in which they have the best of what is left.
        let mut left: Vec<Vec<_>> =
            candidates.chunk_by(|a, b| a.lane == b.lane).map(<[_]>::to_vec).collect();
        let mut judged = vec![false; left.len()];
        while go_on() {
            let best =
                left.iter().enumerate().filter_map(|(at, own)| Some((*own.iter().min()?, at)));
            let (best, at) = best.min()?;
            if judged[at] {
                return Some(Threshold::up_to(best.lane as usize, best.position));
            }
            room.sides.retain(&self.sensitive, rows, ids, &mut left[at]);
            judged[at] = true;
        }
        None
    }

    /// Whether the run may go on; remembers why not.
    fn go_on(&self) -> bool {
        if let Some(stop) = self.run.stop() {
            // The first reason stands.
            let _ = self.stopped.set(stop);
        }
        self.stopped.get().is_none()
    }

    /// Tells about rows that are done, some at a time.
    fn advance(&self, rows: u64) {
        let before = self.done.fetch_add(rows, Ordering::Relaxed);
        let told = |rows: u64| rows / self.every * self.every;
        if told(before + rows) > told(before) {
            self.run.reporter().advance(told(before + rows) - told(before));
        }
    }
}

impl<T: Lane, const N: usize> Part<'_, T, N> {
    /// Parts the rows, each side in the order that it had.
    fn split(self, mut threshold: Threshold) -> (Self, Self) {
        let (mut left, mut right) = (0, 0);
        for at in 0..self.rows.len() {
            // Both places are written and one of them counts: no branch to guess.
            let (row, id) = (self.rows[at], self.ids[at]);
            let is_left = threshold.is_left(&row);
            self.rows[left] = row;
            self.ids[left] = id;
            self.spare_rows[right] = row;
            self.spare_ids[right] = id;
            left += usize::from(is_left);
            right += usize::from(!is_left);
        }
        self.rows[left..].copy_from_slice(&self.spare_rows[..right]);
        self.ids[left..].copy_from_slice(&self.spare_ids[..right]);
        let (rows, right_rows) = self.rows.split_at_mut(left);
        let (ids, right_ids) = self.ids.split_at_mut(left);
        let (spare_rows, right_spare_rows) = self.spare_rows.split_at_mut(left);
        let (spare_ids, right_spare_ids) = self.spare_ids.split_at_mut(left);
        let right = Self {
            start: self.start + left,
            rows: right_rows,
            ids: right_ids,
            spare_rows: right_spare_rows,
            spare_ids: right_spare_ids,
        };
        (Self { start: self.start, rows, ids, spare_rows, spare_ids }, right)
    }
}
