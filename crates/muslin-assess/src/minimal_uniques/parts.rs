//! A search in parts that know nothing of each other, on one machine or many (MH05, section 5).
//!
//! Rows are singled out one by one, so a range of distinct rows is a task of its own: it needs the table
//! and nothing that another task found. Parts are put together in the order of their rows, and then all is
//! as if one search had found it.

use std::ops::Range;

use muslin_engine::{Coverage, Run};
use muslin_table::EncodedTable;
use serde::{Deserialize, Serialize};

use super::MinimalUniques;
use super::found::{Asked, UniquesFound};
use super::plan::{Method, Plan};
use super::ranked::{MOST_COLUMNS, Ranked};
use super::search::Search;
use super::tally::{Counted, SmallSets, Totals};
use crate::{Error, Result};

/// A search whose items are ranked, so that parts of it can be done.
pub struct PreparedUniques {
    search: MinimalUniques,
    ranked: Ranked,
    most: usize,
    weights: Vec<f64>,
    scale: i32,
}

/// What one part of a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UniquesPart {
    /// Which part.
    pub part: u32,
    /// Of how many.
    pub of: u32,
    /// Rows of the table, and distinct ones: what every part must agree on.
    rows: u64,
    distinct: u64,
    by_size: Vec<u64>,
    /// Counts of items that have any, by their places.
    items: Vec<(u32, u64)>,
    uniques: Vec<u64>,
    /// Bits of the scores, so that nothing is lost on the way.
    scores: Vec<u64>,
    smallest: Vec<u16>,
    contributions: Vec<u64>,
    sets: Vec<(Vec<usize>, u64)>,
}

impl MinimalUniques {
    /// Ranks the items of a table, so that parts of the search can be done. Parts are searched by agree
    /// sets.
    pub fn prepare(&self, table: &EncodedTable, run: &Run) -> Result<PreparedUniques> {
        self.check()?;
        let columns = table.columns().len();
        if columns > MOST_COLUMNS {
            return Err(Error::TooManyColumns { columns, most: MOST_COLUMNS });
        }
        let most = self.most(table);
        let (weights, scale) = self.score.weights(columns, most);
        let (k, missing) = (u64::from(self.k), self.missing);
        let ranked = run.install(|| Ranked::new(table, k, missing, words(columns), run))?;
        Ok(PreparedUniques { search: self.clone(), ranked, most, weights, scale })
    }
}

/// Words of a set of columns.
fn words(columns: usize) -> usize {
    match columns {
        0..=64 => 1,
        65..=128 => 2,
        129..=256 => 4,
        _ => 16,
    }
}

impl PreparedUniques {
    /// Does one of `of` parts. A limit that ends the run ends the part with an error.
    pub fn part(&self, part: u32, of: u32, run: &Run) -> Result<UniquesPart> {
        run.install(|| match words(self.ranked.columns) {
            1 => self.part_of::<1>(part, of, run),
            2 => self.part_of::<2>(part, of, run),
            4 => self.part_of::<4>(part, of, run),
            _ => self.part_of::<16>(part, of, run),
        })
    }

    /// The distinct rows of a part.
    fn range(&self, part: u32, of: u32) -> Range<u32> {
        let rows = self.ranked.distinct() as u64;
        let at = |part: u32| {
            let at = rows * u64::from(part) / u64::from(of.max(1));
            u32::try_from(at).expect("row ids are 32 bits wide")
        };
        at(part.min(of))..at((part + 1).min(of))
    }

    fn part_of<const W: usize>(&self, part: u32, of: u32, run: &Run) -> Result<UniquesPart> {
        let MinimalUniques { k, tuning, contributions, .. } = self.search;
        let ranked = &self.ranked;
        let totals = Totals::new(ranked, &self.weights, contributions);
        let mut small = SmallSets::new(ranked.columns, self.weights.len());
        // Columns' parts of scores begin with these.
        totals.add_singles::<W>();
        let method = Some(Method::AgreeSets);
        let plan = Plan::new(ranked, k, self.most, method, tuning.isa, run)?;
        let search = Search { ranked, k, most: self.most, cut: plan.cut, tuning, run };
        let rows = self.range(part, of);
        match search.find_among::<W>(rows.clone(), &totals, &mut small, None)? {
            Coverage::Complete => {}
            Coverage::Stopped { by } => return Err(muslin_engine::Error::Stopped(by).into()),
            _ => unreachable!("a search is complete or stopped"),
        }
        let mut counted = totals.finish();
        counted.by_size[1] -= self.singles();
        let (from, to) = (rows.start as usize, rows.end as usize);
        let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect();
        let items = (0..).zip(&counted.items).filter(|(_, count)| **count > 0);
        let own = |column: usize| column * ranked.columns;
        Ok(UniquesPart {
            part,
            of,
            rows: ranked.distinct_of.len() as u64,
            distinct: ranked.distinct() as u64,
            items: items.map(|(at, &count)| (at, count)).collect(),
            uniques: counted.uniques[from..to].to_vec(),
            scores: bits(&counted.scores[from..to]),
            smallest: counted.smallest[from..to].to_vec(),
            contributions: bits(counted.parts.get(own(from)..own(to)).unwrap_or_default()),
            by_size: counted.by_size,
            sets: small.counts(),
        })
    }

    /// Items that are minimal uniques by themselves: no part's own.
    fn singles(&self) -> u64 {
        self.ranked.single_items.iter().sum()
    }

    /// Puts all parts together: what [`MinimalUniques::run`] finds by agree sets. An error where a part
    /// lacks, or is of another table.
    pub fn join(self, table: &EncodedTable, mut parts: Vec<UniquesPart>) -> Result<UniquesFound> {
        parts.sort_unstable_by_key(|part| part.part);
        let (rows, distinct) = (self.ranked.distinct_of.len(), self.ranked.distinct());
        let of = parts.len();
        for (at, part) in (0..).zip(&parts) {
            let is_ours = part.rows == rows as u64 && part.distinct == distinct as u64;
            let is_next = part.part == at && part.of as usize == of;
            let is_whole = part.uniques.len() == self.range(part.part, part.of).len();
            if !(is_ours && is_next && is_whole) {
                return Err(Error::Setting(
                    "the parts of the search are not of one table\n  hint: ask again once nobody writes to it".into(),
                ));
            }
        }
        let MinimalUniques { k, score, missing, .. } = self.search;
        let sizes = self.weights.len();
        let mut counted = Counted {
            by_size: vec![0; sizes],
            items: vec![0; self.ranked.ranks() * sizes],
            ..Counted::default()
        };
        counted.by_size[1] = self.singles();
        let mut small = SmallSets::new(self.ranked.columns, self.weights.len());
        for part in parts {
            for (size, count) in part.by_size.into_iter().enumerate() {
                counted.by_size[size] = counted.by_size[size].saturating_add(count);
            }
            for (at, count) in part.items {
                let item = counted.items.get_mut(at as usize).ok_or(Error::TooManyResults)?;
                *item = item.saturating_add(count);
            }
            counted.uniques.extend(part.uniques);
            counted.scores.extend(part.scores.into_iter().map(f64::from_bits));
            counted.smallest.extend(part.smallest);
            counted.parts.extend(part.contributions.into_iter().map(f64::from_bits));
            part.sets.into_iter().for_each(|(mut set, count)| small.add(&mut set, count));
        }
        let total = counted.by_size.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        if total.is_none_or(|total| total == u64::MAX) {
            return Err(Error::TooManyResults);
        }
        let Self { ranked, most, weights, scale, .. } = self;
        let (coverage, method) = (Coverage::Complete, Method::AgreeSets);
        let asked = Asked { k, most, coverage, method, weights, scale, score, missing };
        UniquesFound::new(table, ranked, counted, &small, asked)
    }
}
