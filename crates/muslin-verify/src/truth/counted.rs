//! Whether original rows can be given to published ones so that everything that is counted is right at
//! once: lists of counts, and what buckets show in each slice.

use std::collections::BTreeMap;

use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable};

use super::is_counted;
use super::search::{Search, Together};
use crate::Result;
use crate::bucket_index::BucketIndex;
use crate::covering::{Covering, Wanted};
use crate::loss::{Cover, Reading};
use crate::work::Work;

/// Steps for each choice that is kept: a choice takes memory.
const STEPS_PER_CHOICE: u64 = 50;

/// Ways for a row to stand in one bucket that are looked at, at most.
const MOST_WAYS: usize = 64;

/// Looks for an assignment that has every list of counts right. Where there is none, the rows that have
/// lists are marked.
pub(super) fn of_lists(
    (original, release): (&EncodedTable, &EncodedTable),
    reading: &Reading,
    columns: &[ColumnId],
    limit: u64,
    rows: &mut [bool],
    run: &Run,
) -> Result<Together> {
    let covering = Covering::new(original, release, reading, columns.iter().copied(), run)?;
    let Some(links) = covering.links(Wanted::All, &Work::new(limit), run)? else {
        return Ok(Together::Open);
    };
    let Some(slack) = original.rows().checked_sub(release.rows()) else {
        return Ok(Together::Not);
    };
    let mut search = Search::new(slack as u64, limit);
    let lists = Lists::new(&covering, &mut search);
    let pairs: usize = (0..links.len()).map(|to| links.of(to).len()).sum();
    if pairs as u64 > limit / STEPS_PER_CHOICE {
        return Ok(Together::Open);
    }
    let (originals, published) = (covering.originals.rows.len(), covering.published.rows.len());
    let mut choices = vec![Vec::new(); originals];
    for to in 0..published {
        let room = search.room(covering.published.rows[to].into());
        let mut add = |own: usize| {
            let slots = covering.originals.slots(own);
            choices[own].extend(lists.rooms(to, slots).map(|mut rooms| {
                rooms.push(room);
                rooms
            }));
        };
        if covering.shown(to).is_empty() {
            // Rows that say nothing may be anybody's.
            (0..originals).for_each(&mut add);
        }
        links.of(to).iter().for_each(|&own| add(own as usize));
    }
    let kinds = covering.originals.rows.iter().zip(choices);
    kinds.for_each(|(&rows, choices)| search.kind(rows, choices));
    let answer = search.run(run)?;
    if answer == Together::Not {
        let of = covering.published.of.iter();
        rows.iter_mut().zip(of).for_each(|(row, &of)| *row |= lists.has(of as usize));
    }
    Ok(answer)
}

/// Looks for one assignment of original rows to buckets that has every slice right.
pub(super) fn of_buckets(
    index: &BucketIndex<'_>,
    slack: u64,
    limit: u64,
    run: &Run,
) -> Result<Together> {
    let mut search = Search::new(slack, limit);
    let mut first = Vec::with_capacity(index.slices.len());
    for slice in &index.slices {
        let rooms = slice.rows.iter().map(|&rows| search.room(rows.into()));
        first.push(rooms.min().unwrap_or(0));
    }
    let mut is_open = false;
    let mut steps = limit / STEPS_PER_CHOICE;
    for (tuple, &rows) in index.tuple_rows.iter().enumerate() {
        let mut choices: Vec<Vec<u32>> = Vec::new();
        let taken = index.matching(tuple, |_, nodes| {
            let ways: usize = nodes.iter().map(|own| own.len()).product();
            if ways > MOST_WAYS {
                is_open = true;
                return;
            }
            for way in 0..ways {
                let mut rest = way;
                let rooms = nodes.iter().zip(&first).map(|(own, &first)| {
                    let node = own[rest % own.len()];
                    rest /= own.len();
                    first + node
                });
                choices.push(rooms.collect());
            }
        });
        let taken = taken + choices.len() as u64;
        let Some(left) = steps.checked_sub(taken).filter(|_| !is_open) else {
            return Ok(Together::Open);
        };
        steps = left;
        search.kind(rows, choices);
    }
    search.run(run)
}

/// A list of counts: its group, its place among the columns, and a value.
type Counted = (u32, u32, u32);

/// The lists of counts. Published classes that have the same ones are a *group*.
struct Lists {
    /// The group of each class.
    of: Vec<u32>,
    /// The places of each group's lists.
    places: Vec<Vec<u32>>,
    /// The room of each counted value.
    rooms: BTreeMap<Counted, u32>,
}

impl Lists {
    fn new(covering: &Covering<'_>, search: &mut Search) -> Self {
        let mut numbers: BTreeMap<Vec<(u32, u32)>, u32> = BTreeMap::new();
        let mut of = Vec::with_capacity(covering.published.rows.len());
        let (mut rows, mut first): (Vec<u64>, Vec<usize>) = (Vec::new(), Vec::new());
        for class in 0..covering.published.rows.len() {
            let places = (0u32..).zip(covering.published.slots(class));
            let lists = places.filter(|&(at, _)| is_counted(covering.cover(class, at as usize)));
            let lists: Vec<(u32, u32)> = lists.map(|(at, &slot)| (at, slot)).collect();
            let next = u32::try_from(numbers.len()).expect("classes have 32-bit numbers");
            let group = *numbers.entry(lists).or_insert(next);
            if group == next {
                rows.push(0);
                first.push(class);
            }
            rows[group as usize] += u64::from(covering.published.rows[class]);
            of.push(group);
        }
        let mut rooms = BTreeMap::new();
        let mut places = vec![Vec::new(); rows.len()];
        for (lists, &group) in &numbers {
            for &(place, _) in lists {
                places[group as usize].push(place);
                let cover = covering.cover(first[group as usize], place as usize);
                let Cover::Multiset(values) = cover else { continue };
                let all: u64 = values.iter().map(|&(_, count)| u64::from(count)).sum();
                for &(value, count) in values {
                    let room = search.room(rows[group as usize] / all * u64::from(count));
                    rooms.insert((group, place, value), room);
                }
            }
        }
        Self { of, places, rooms }
    }

    /// Whether a published class has lists.
    fn has(&self, class: usize) -> bool {
        !self.places[self.of[class] as usize].is_empty()
    }

    /// The rooms that an original row takes in the lists of a class; nothing where one lacks its value.
    fn rooms(&self, class: usize, slots: &[u32]) -> Option<Vec<u32>> {
        let group = self.of[class];
        let places = self.places[group as usize].iter();
        places.map(|&at| self.rooms.get(&(group, at, slots[at as usize])).copied()).collect()
    }
}
