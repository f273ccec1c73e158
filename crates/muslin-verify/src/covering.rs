//! Which published rows may stand for which original rows.
//!
//! Equal rows of either side stand together as a class. Published classes that have the same
//! columns suppressed are one *shape*. Where a shape has nothing but values, original classes are
//! looked up by these. Otherwise they are sorted by its columns, those that say most first, and each
//! published class narrows the sorted list down column by column. So neither compares all pairs.

use std::collections::BTreeMap;

use hashbrown::HashTable;
use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable};
use rayon::prelude::*;

use crate::Result;
use crate::classes::Classes;
use crate::keys::{Keys, agree, hash, mix};
use crate::lists::Lists;
use crate::loss::{Cover, Reading};
use crate::work::Work;

/// So many classes are looked at one by one.
const FEW: usize = 12;

/// Classes of rows that are equal on some columns.
pub(crate) struct Side {
    /// The class of each row.
    pub(crate) of: Vec<u32>,
    /// Rows of each class.
    pub(crate) rows: Vec<u32>,
    width: usize,
    slots: Vec<u32>,
}

impl Side {
    fn new(table: &EncodedTable, columns: &[ColumnId], run: &Run) -> Result<Self> {
        let keys = Keys::pack(table, columns);
        let all = keys.all();
        let classes = Classes::new(
            table.rows(),
            |row| hash(keys.row(row), &all),
            |a, b| agree(keys.row(a), keys.row(b), &all),
            run,
        )?;
        let slot = |(row, id): (u32, &ColumnId)| table.column(*id).codes().slot(row as usize);
        let slots =
            classes.first.iter().flat_map(|&row| columns.iter().map(move |id| slot((row, id))));
        Ok(Self {
            slots: slots.collect(),
            width: columns.len(),
            rows: classes.sizes(),
            of: classes.of,
        })
    }

    /// The slots of a class, column by column.
    pub(crate) fn slots(&self, class: usize) -> &[u32] {
        &self.slots[class * self.width..][..self.width]
    }
}

/// Which published classes may stand for which original ones, on some columns.
pub(crate) struct Covering<'a> {
    reading: &'a Reading,
    /// The columns of the original that were looked at: those that the release has.
    pub(crate) columns: Vec<ColumnId>,
    missing: Vec<u32>,
    pub(crate) originals: Side,
    pub(crate) published: Side,
}

/// How many original classes of each published one are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    All,
    One,
}

impl<'a> Covering<'a> {
    pub(crate) fn new(
        original: &EncodedTable,
        release: &EncodedTable,
        reading: &'a Reading,
        columns: impl IntoIterator<Item = ColumnId>,
        run: &Run,
    ) -> Result<Self> {
        let columns: Vec<ColumnId> =
            columns.into_iter().filter(|&id| reading.published(id).is_some()).collect();
        let published: Vec<ColumnId> =
            columns.iter().filter_map(|&id| reading.published(id)).collect();
        Ok(Self {
            reading,
            missing: columns.iter().map(|&id| original.column(id).missing_slot()).collect(),
            originals: Side::new(original, &columns, run)?,
            published: Side::new(release, &published, run)?,
            columns,
        })
    }

    /// What a published class says in a column, by its place.
    pub(crate) fn cover(&self, class: usize, place: usize) -> &'a Cover {
        self.reading.cover(self.columns[place], self.published.slots(class)[place])
    }

    /// Whether a cell may stand for a slot of the original's column.
    fn covers(&self, cover: &Cover, place: usize, slot: u32) -> bool {
        match cover {
            Cover::Any => true,
            Cover::Missing => slot == self.missing[place],
            Cover::Exact(code) => slot == *code,
            Cover::Range { first, last } => (*first..=*last).contains(&slot),
            Cover::Set(values) => values.binary_search(&slot).is_ok(),
            Cover::Multiset(values) => values.binary_search_by_key(&slot, |of| of.0).is_ok(),
        }
    }

    /// The places that a published class says something about.
    pub(crate) fn shown(&self, class: usize) -> Vec<u32> {
        let places = (0u32..).take(self.columns.len());
        places.filter(|&place| *self.cover(class, place as usize) != Cover::Any).collect()
    }

    /// For each published class the original classes that it may stand for, in no special order;
    /// nothing where it takes too much work. A class that says nothing may stand for all and has an
    /// empty list.
    pub(crate) fn links(&self, wanted: Wanted, work: &Work, run: &Run) -> Result<Option<Lists>> {
        let mut shapes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (at, class) in (0..self.published.rows.len()).zip(0u32..) {
            let shown = self.shown(at);
            if !shown.is_empty() {
                shapes.entry(shown).or_default().push(class);
            }
        }
        let shapes: Vec<(Vec<u32>, Vec<u32>)> = shapes.into_iter().collect();
        let found: Result<Vec<Vec<Vec<u32>>>> = shapes
            .par_iter()
            .map(|(places, classes)| {
                run.check()?;
                let is_plain = |&class: &u32| {
                    let mut covers =
                        places.iter().map(|&place| self.cover(class as usize, place as usize));
                    covers.all(|cover| !cover.is_generalized())
                };
                if !work.add(self.originals.rows.len() as u64) {
                    return Ok(Vec::new());
                }
                if classes.iter().all(is_plain) {
                    Ok(self.look_up(places, classes, wanted, work))
                } else {
                    self.narrow(places, classes, wanted, work, run)
                }
            })
            .collect();
        let found = found?;
        if !work.is_within() {
            return Ok(None);
        }
        let mut lists = vec![Vec::new(); self.published.rows.len()];
        for ((_, classes), found) in shapes.iter().zip(found) {
            for (&class, list) in classes.iter().zip(found) {
                lists[class as usize] = list;
            }
        }
        Ok(Some(Lists::new(lists.into_iter())))
    }

    /// The original classes of published ones that show values alone.
    fn look_up(
        &self,
        places: &[u32],
        classes: &[u32],
        wanted: Wanted,
        work: &Work,
    ) -> Vec<Vec<u32>> {
        let value = |class: u32, place: u32| match self.cover(class as usize, place as usize) {
            Cover::Exact(code) => *code,
            _ => self.missing[place as usize],
        };
        let hash = |values: &[u32]| values.iter().fold(1, |hash, &slot| mix(hash, slot.into()));
        let width = places.len();
        let values: Vec<u32> = classes
            .iter()
            .flat_map(|&class| places.iter().map(move |&place| value(class, place)))
            .collect();
        let of = |at: usize| &values[at * width..][..width];
        // Labels may be written in two ways and yet be one value: then several classes are equal.
        let mut table: HashTable<usize> = HashTable::with_capacity(classes.len());
        for at in 0..classes.len() {
            table.insert_unique(hash(of(at)), at, |&at| hash(of(at)));
        }
        let mut lists = vec![Vec::new(); classes.len()];
        let mut own = vec![0; width];
        for (original, number) in (0..self.originals.rows.len()).zip(0u32..) {
            let slots = self.originals.slots(original);
            own.iter_mut().zip(places).for_each(|(to, &place)| *to = slots[place as usize]);
            for &at in table.iter_hash(hash(&own)).filter(|&&at| of(at) == own) {
                if wanted == Wanted::All || lists[at].is_empty() {
                    lists[at].push(number);
                }
            }
        }
        work.add(lists.iter().map(Vec::len).sum::<usize>() as u64);
        // A hash table gives what is equal in no special order, but each list by itself rises.
        lists
    }

    /// The original classes of published ones that show ranges and sets too.
    fn narrow(
        &self,
        places: &[u32],
        classes: &[u32],
        wanted: Wanted,
        work: &Work,
        run: &Run,
    ) -> Result<Vec<Vec<u32>>> {
        let (fixed, wide) = self.by_weight(places, classes);
        let slots = |class: u32| self.originals.slots(class as usize);
        let mut sorted: Vec<u32> = (0u32..).take(self.originals.rows.len()).collect();
        sorted.par_sort_by(|&a, &b| {
            let (a, b) = (slots(a), slots(b));
            let mut order = fixed.iter().chain(&wide).map(|&at| a[at].cmp(&b[at]));
            order.find(|order| order.is_ne()).unwrap_or(a.cmp(b))
        });
        // Classes that have the values which no published class of this shape is wide in.
        let hash =
            |class: u32| fixed.iter().fold(1, |hash, &at| mix(hash, slots(class)[at].into()));
        let is_alike = |&a: &u32, &b: &u32| fixed.iter().all(|&at| slots(a)[at] == slots(b)[at]);
        let alike: Vec<&[u32]> = sorted.chunk_by(is_alike).collect();
        let mut table: HashTable<&[u32]> = HashTable::with_capacity(alike.len());
        alike.iter().for_each(|&own| {
            table.insert_unique(hash(own[0]), own, |own| hash(own[0]));
        });
        let of_class = |&class: &u32| {
            let cover = |&place: &usize| self.cover(class as usize, place);
            let value = |place: &usize| match cover(place) {
                Cover::Exact(code) => *code,
                _ => self.missing[*place],
            };
            let hash = fixed.iter().fold(1, |hash, at| mix(hash, value(at).into()));
            let same = |own: &&[u32]| fixed.iter().all(|at| slots(own[0])[*at] == value(at));
            let mut search = Search {
                covering: self,
                covers: wide.iter().map(cover).collect(),
                places: &wide,
                is_one_enough: wanted == Wanted::One,
                steps: 1,
                found: Vec::new(),
            };
            if work.is_within() {
                table.find(hash, same).iter().for_each(|own| search.within(own, 0));
                work.add(search.steps + search.found.len() as u64);
            }
            if class.is_multiple_of(64) {
                run.check()?;
            }
            Ok(search.found)
        };
        classes.par_iter().map(of_class).collect()
    }

    /// The places at which all of these classes have a value or a missing cell; and the others, those
    /// first whose cells cover the smallest share of the column's values.
    fn by_weight(&self, places: &[u32], classes: &[u32]) -> (Vec<usize>, Vec<usize>) {
        let covers = |place: usize| classes.iter().map(move |&at| self.cover(at as usize, place));
        let share = |place: usize| {
            let all: u64 = covers(place).map(|cover| cover.len().unwrap_or(0) as u64).sum();
            // In millionths: enough to choose by.
            u128::from(all) * 1_000_000 / (u128::from(self.missing[place]) + 1)
        };
        let places = places.iter().map(|&place| place as usize);
        let is_fixed = |&place: &usize| !covers(place).any(Cover::is_generalized);
        let (fixed, mut wide): (Vec<usize>, Vec<usize>) = places.partition(is_fixed);
        wide.sort_by_cached_key(|&place| (share(place), place));
        (fixed, wide)
    }
}

/// The original classes that one published class may stand for.
struct Search<'a> {
    covering: &'a Covering<'a>,
    covers: Vec<&'a Cover>,
    places: &'a [usize],
    is_one_enough: bool,
    steps: u64,
    found: Vec<u32>,
}

impl Search<'_> {
    /// Looks at classes that are covered up to this depth and sorted from there on.
    fn within(&mut self, sorted: &[u32], depth: usize) {
        self.steps += 1;
        if sorted.is_empty() || (self.is_one_enough && !self.found.is_empty()) {
            return;
        }
        if depth == self.places.len() {
            self.found.extend(sorted);
            return;
        }
        if sorted.len() <= FEW {
            self.steps += sorted.len() as u64;
            let (covering, covers, places) = (self.covering, &self.covers, self.places);
            let fits = |class: &&u32| {
                let slots = covering.originals.slots(**class as usize);
                (depth..places.len())
                    .all(|at| covering.covers(covers[at], places[at], slots[places[at]]))
            };
            self.found.extend(sorted.iter().filter(fits));
            return;
        }
        match self.covers[depth] {
            Cover::Exact(code) => self.between(sorted, depth, *code, *code),
            Cover::Missing => {
                let missing = self.covering.missing[self.places[depth]];
                self.between(sorted, depth, missing, missing);
            }
            Cover::Range { first, last } => self.between(sorted, depth, *first, *last),
            Cover::Set(values) => {
                values.iter().for_each(|&value| self.between(sorted, depth, value, value));
            }
            Cover::Multiset(values) => {
                values.iter().for_each(|&(value, _)| self.between(sorted, depth, value, value));
            }
            Cover::Any => self.between(sorted, depth, 0, u32::MAX),
        }
    }

    /// Those with a slot from the first to the last; one slot after the other where more columns
    /// have to be looked at.
    fn between(&mut self, sorted: &[u32], depth: usize, first: u32, last: u32) {
        let (covering, place) = (self.covering, self.places[depth]);
        let slot = |class: &u32| covering.originals.slots(*class as usize)[place];
        let from = sorted.partition_point(|class| slot(class) < first);
        let mut rest = &sorted[from..];
        rest = &rest[..rest.partition_point(|class| slot(class) <= last)];
        if depth + 1 == self.places.len() {
            self.within(rest, depth + 1);
            return;
        }
        while let Some(own) = rest.first().map(slot) {
            let end = rest.partition_point(|class| slot(class) <= own);
            self.within(&rest[..end], depth + 1);
            rest = &rest[end..];
        }
    }
}
