//! Which rows of a release somebody's values fit.
//!
//! People who are alike on the columns are one *kind*, rows of the release that are alike one
//! *class*. Classes with the same suppressed columns are looked at together: kinds are sorted by the
//! columns that are left, and a class goes down from column to column to the kinds that it covers. So
//! a suppressed cell costs nothing, a visible one a search.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use muslin_engine::Run;
use muslin_table::{ColumnId, EncodedTable};
use muslin_verify::loss::Cover;
use rayon::prelude::*;

use crate::covers::Covers;
use crate::groups::{Groups, Lists};
use crate::released::most;
use crate::{Error, Result};

/// Who fits what.
pub(crate) struct Fits {
    /// People that are alike.
    pub(crate) kinds: Groups,
    /// Rows of the release that are alike.
    pub(crate) classes: Groups,
    /// The classes that each kind fits.
    pub(crate) of_kind: Lists,
}

/// A class on its way down through the kinds.
struct Walk<'a> {
    /// For each column that is left, the values of the kinds.
    values: Vec<&'a [u32]>,
    /// The missing slot of each of these columns.
    missing: Vec<u32>,
    /// Kinds in order of their values.
    order: &'a [u32],
}

impl Fits {
    /// Looks at columns of `people` and of `release`, whose labels stand for what `covers` has.
    pub(crate) fn new(
        attack: &'static str,
        (people, release): (&EncodedTable, &EncodedTable),
        on: &[(ColumnId, ColumnId)],
        covers: &[Covers],
        limit: u64,
        run: &Run,
    ) -> Result<Self> {
        let slots = |table: &EncodedTable, id: ColumnId| -> Vec<u32> {
            table.column(id).codes().slots().collect()
        };
        let own: Vec<Vec<u32>> = on.iter().map(|&(id, _)| slots(people, id)).collect();
        let labels: Vec<Vec<u32>> = on.iter().map(|&(_, id)| slots(release, id)).collect();
        let kinds = Groups::of(&own, people.rows(), run)?;
        let classes = Groups::of(&labels, release.rows(), run)?;
        let at_first = |strip: &Vec<u32>| -> Vec<u32> {
            kinds.first.iter().map(|&row| strip[row as usize]).collect()
        };
        let values: Vec<Vec<u32>> = own.iter().map(at_first).collect();
        let cover = |class: u32, place: usize| {
            let row = classes.first[class as usize] as usize;
            covers[place][labels[place][row] as usize].as_ref()
        };
        // Classes by the columns that say something.
        let mut patterns: BTreeMap<Vec<usize>, Vec<u32>> = BTreeMap::new();
        for class in (0u32..).take(classes.len()) {
            // A label of nobody's fits nobody.
            if (0..on.len()).any(|place| cover(class, place).is_none()) {
                continue;
            }
            let open = |&place: &usize| cover(class, place) != Some(&Cover::Any);
            patterns.entry((0..on.len()).filter(open).collect()).or_default().push(class);
        }
        let work = AtomicU64::new(0);
        let patterns: Vec<(Vec<usize>, Vec<u32>)> = patterns.into_iter().collect();
        let of_pattern = |(places, members): &(Vec<usize>, Vec<u32>)| -> Result<Vec<(u32, u32)>> {
            // Columns that mostly say one value first, of those the ones with many values.
            let mut places = places.clone();
            let wide = |&place: &usize| {
                let is_exact =
                    |&&class: &&u32| matches!(cover(class, place), Some(Cover::Exact(_)));
                let exact = members.iter().filter(is_exact).count();
                let distinct = people.column(on[place].0).slots();
                (std::cmp::Reverse(exact), std::cmp::Reverse(distinct), place)
            };
            places.sort_by_cached_key(wide);
            let values: Vec<&[u32]> = places.iter().map(|&place| &values[place][..]).collect();
            let mut order: Vec<u32> = (0u32..).take(kinds.len()).collect();
            order.sort_unstable_by(|&a, &b| {
                let of = |kind: u32| values.iter().map(move |strip| strip[kind as usize]);
                of(a).cmp(of(b)).then(a.cmp(&b))
            });
            let missing =
                places.iter().map(|&place| people.column(on[place].0).missing_slot()).collect();
            let walk = Walk { values, missing, order: &order };
            let mut found = Vec::new();
            count(attack, &work, order.len() as u64, limit)?;
            for (nth, &class) in members.iter().enumerate() {
                if nth % 1_024 == 0 {
                    run.check()?;
                }
                let covers: Vec<&Cover> =
                    places.iter().filter_map(|&place| cover(class, place)).collect();
                let (before, mut steps) = (found.len(), 0);
                walk.down(&covers, 0, order.len(), &mut steps, limit, &mut |kind| {
                    found.push((kind, class));
                });
                count(attack, &work, steps + (found.len() - before) as u64, limit)?;
            }
            Ok(found)
        };
        let found: Result<Vec<Vec<(u32, u32)>>> = patterns.par_iter().map(of_pattern).collect();
        let mut pairs = found?.concat();
        pairs.par_sort_unstable();
        let of_kind = Lists::new(kinds.len(), pairs.len(), pairs.iter().copied());
        Ok(Self { kinds, classes, of_kind })
    }

    /// The rows of the release that each kind fits.
    pub(crate) fn rows_of_kinds(&self) -> Vec<u64> {
        let rows = |classes: &[u32]| {
            classes.iter().map(|&class| u64::from(self.classes.sizes[class as usize])).sum()
        };
        self.of_kind.iter().map(rows).collect()
    }

    /// The people that fit each class, and one kind of them where they are all of one.
    pub(crate) fn people_of_classes(&self) -> (Vec<u64>, Vec<Option<u32>>) {
        let mut people = vec![0u64; self.classes.len()];
        let mut kinds = vec![0u32; self.classes.len()];
        let mut one = vec![None; self.classes.len()];
        for (kind, classes) in (0u32..).zip(self.of_kind.iter()) {
            for &class in classes {
                people[class as usize] += u64::from(self.kinds.sizes[kind as usize]);
                kinds[class as usize] += 1;
                one[class as usize] = Some(kind);
            }
        }
        one.iter_mut()
            .zip(&kinds)
            .filter(|(_, kinds)| **kinds > 1)
            .for_each(|(one, _)| *one = None);
        (people, one)
    }
}

/// Adds steps to the work, or says that they are too many.
fn count(attack: &'static str, work: &AtomicU64, steps: u64, limit: u64) -> Result<()> {
    if work.fetch_add(steps, Ordering::Relaxed).saturating_add(steps) > limit {
        return Err(Error::TooMuchWork { attack, limit });
    }
    Ok(())
}

impl Walk<'_> {
    /// Hands over the kinds among those from `from` to `to` that the rest of the covers fit. More
    /// than `limit` steps are not made.
    fn down(
        &self,
        covers: &[&Cover],
        from: usize,
        to: usize,
        steps: &mut u64,
        limit: u64,
        found: &mut dyn FnMut(u32),
    ) {
        *steps += 1;
        if from >= to || *steps > limit {
            return;
        }
        let depth = self.values.len() - covers.len();
        let Some((cover, rest)) = covers.split_first() else {
            self.order[from..to].iter().for_each(|&kind| found(kind));
            return;
        };
        let strip = self.values[depth];
        let end_of = |from: usize, value: u32| {
            from + self.order[from..to].partition_point(|&kind| strip[kind as usize] <= value)
        };
        let start_of = |from: usize, value: u32| {
            from + self.order[from..to].partition_point(|&kind| strip[kind as usize] < value)
        };
        let mut one = |value: u32, from: usize, found: &mut dyn FnMut(u32)| {
            let start = start_of(from, value);
            let end = end_of(start, value);
            self.down(rest, start, end, steps, limit, found);
            end
        };
        match cover {
            Cover::Exact(value) => {
                one(*value, from, found);
            }
            Cover::Missing => {
                one(self.missing[depth], from, found);
            }
            Cover::Set(values) => {
                values.iter().fold(from, |from, &value| one(value, from, found));
            }
            Cover::Multiset(values) => {
                values.iter().fold(from, |from, &(value, _)| one(value, from, found));
            }
            Cover::Range { first, last } => {
                let mut at = start_of(from, *first);
                while at < to {
                    let value = strip[self.order[at] as usize];
                    if value > *last {
                        break;
                    }
                    at = one(value, at, found);
                }
            }
            // A suppressed cell is in no pattern's columns.
            _ => self.down(rest, from, to, steps, limit, found),
        }
    }
}

/// Whether a value, as a slot of the people's column, is one that a cell may stand for.
pub(crate) fn fits(cover: &Cover, value: u32, missing: u32) -> bool {
    match cover {
        Cover::Exact(own) => *own == value,
        Cover::Range { first, last } => (*first..=*last).contains(&value),
        Cover::Set(values) => values.binary_search(&value).is_ok(),
        Cover::Multiset(values) => values.binary_search_by_key(&value, |own| own.0).is_ok(),
        Cover::Missing => value == missing,
        _ => true,
    }
}

/// The most frequent of the values that a cell may stand for, by their counts; the smallest of several.
pub(crate) fn most_frequent(cover: &Cover, counts: &[u64]) -> Option<u32> {
    let all = || (0u32..).zip(counts).map(|(value, &count)| (count, value));
    let of = |&value: &u32| (counts.get(value as usize).copied().unwrap_or(0), value);
    match cover {
        Cover::Range { first, last } => {
            let from = *first as usize;
            most(all().skip(from).take_while(|&(_, value)| value <= *last))
        }
        Cover::Exact(value) => Some(*value),
        Cover::Set(values) => most(values.iter().map(of)),
        // The label itself says how often.
        Cover::Multiset(values) => most(values.iter().map(|&(value, count)| (count.into(), value))),
        Cover::Missing => None,
        _ => most(all()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_value_is_one_that_the_label_allows() {
        let counts = [9, 2, 3, 3];
        let prior = |cover: &Cover| most_frequent(cover, &counts);
        assert_eq!(prior(&Cover::Any), Some(0));
        assert_eq!(prior(&Cover::Range { first: 1, last: 3 }), Some(2));
        assert_eq!(prior(&Cover::Range { first: 1, last: 1 }), Some(1));
        assert_eq!(prior(&Cover::Set([1, 3].into())), Some(3));
        assert_eq!(prior(&Cover::Multiset([(0, 1), (3, 2)].into())), Some(3));
        assert_eq!(prior(&Cover::Missing), None);
    }
}
