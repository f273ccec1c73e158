//! Disambiguation: what minimal suppression gives away by being minimal; after paper 003's discussion.
//!
//! If no cell is blank without need, then a blank rules out every value with which it would not have
//! been needed. The other blanks stay blank whatever their values, so each blank is judged by itself.
//!
//! # Method
//! Rows that are published alike are one kind; kinds with the same blanks one pattern. Two patterns are
//! compared on the columns that both show, where equal kinds are counted by what they show in the
//! column of the blank. A value is excluded when, with it in sight, the row and all others would have
//! had their k equals.

use std::collections::BTreeMap;

use muslin_engine::Run;
use muslin_table::{ColumnId, ColumnSet};
use rayon::prelude::*;

use crate::attack::Guesses;
use crate::error::fault;
use crate::groups::Groups;
use crate::{Attack, Error, Released, Result};

const NAME: &str = "disambiguation";
const DEFENCE: &str =
    "suppress whole groups of equal rows, or blank further cells until each keeps two candidates";

/// Which rows are equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Equals {
    /// Rows that are published alike; a blank is a value of its own.
    Classes,
    /// Rows that agree wherever both show something: the ambiguity of paper 003.
    Wildcard,
}

/// Rules out values of suppressed cells, given that none was suppressed without need.
///
/// # Guarantee
/// A value is excluded exactly when, with it in place of the blank, the row has `k` equals and so has
/// every row that loses an equal by it. (Under [`Equals::Classes`] these are the rows that it leaves,
/// if any.) So where every blank is needed, the true value stays. Cells with one candidate are guessed.
///
/// # Cost
/// Patterns of blanks times the different rows of each.
///
/// # Example
/// ```
/// use muslin_attack::{Disambiguation, Equals, Released};
/// use muslin_engine::Run;
/// use muslin_table::{Column, EncodedTable};
/// // Two women in town are visible: the fourth person there would have needed no blank as a woman.
/// let town = EncodedTable::of(&[[1], [1], [2], [1], [2], [2]]).into_columns().remove(0);
/// let sex = Column::of_labels("sex", &["F", "M", "*"], [0, 0, 1, 2, 1, 1].into_iter())?;
/// let release = EncodedTable::new(6, vec![town, sex])?;
/// let released = Released::new(&release);
/// let attack = Disambiguation::new(release.all_columns(), 2).equals(Equals::Wildcard);
/// let found = attack.run(&released, &Run::new())?;
/// assert_eq!((found.targets(), found.certain()), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Disambiguation {
    columns: ColumnSet,
    k: u32,
    equals: Equals,
    codebook: bool,
    work_limit: u64,
}

/// The rows of a release by what is published.
struct Kinds {
    columns: Vec<ColumnId>,
    /// For each column, what each kind has there.
    values: Vec<Vec<u32>>,
    sizes: Vec<u32>,
    patterns: Vec<Pattern>,
}

/// Kinds with the same blanks, which are places among the columns.
struct Pattern {
    blanks: Vec<usize>,
    kinds: Vec<u32>,
}

/// What those who are equal to a row but for a blank show there.
#[derive(Clone, Default)]
struct Around {
    /// Rows that show nothing there.
    blank: u64,
    /// Rows that show each value, and the fewest equals that one of them has.
    shown: BTreeMap<u32, (u64, u64)>,
}

impl Disambiguation {
    /// Attacks the blanks of these columns of a release in which everybody is to have `k` equals, the
    /// row itself among them.
    pub fn new(columns: ColumnSet, k: u32) -> Self {
        Self { columns, k, equals: Equals::Classes, codebook: false, work_limit: 500_000_000 }
    }

    /// Which rows are equals: those of one class unless told.
    #[must_use]
    pub fn equals(mut self, equals: Equals) -> Self {
        self.equals = equals;
        self
    }

    /// The attacker knows every value that a column may have, not only those in sight. Needs the
    /// original.
    #[must_use]
    pub fn codebook(mut self, is_known: bool) -> Self {
        self.codebook = is_known;
        self
    }

    /// Refuses to take more steps: five hundred million unless told.
    #[must_use]
    pub fn work_limit(mut self, steps: u64) -> Self {
        self.work_limit = steps;
        self
    }

    /// Attacks a release.
    pub fn run(&self, released: &Released<'_>, run: &Run) -> Result<Attack> {
        released.check(&self.columns)?;
        if self.k < 2 {
            return fault("`k` is at least 2", "give the number of equals everybody is to have");
        }
        if self.codebook && !released.has_original() {
            return fault(
                "the values that columns may have are not known without the original",
                "give the original, or let the attacker know the visible values only",
            );
        }
        run.install(|| {
            let columns: Vec<ColumnId> = self.columns.iter().collect();
            let strips: Vec<Vec<u32>> = columns.iter().map(|&id| released.numbers(id)).collect();
            let groups = Groups::of(&strips, released.table().rows(), run)?;
            let kinds = Kinds::new(released, columns, &strips, &groups);
            let patterns = kinds.patterns.len() as u64;
            let steps = match self.equals {
                Equals::Wildcard => patterns * groups.len() as u64,
                Equals::Classes => patterns * patterns,
            };
            if steps > self.work_limit {
                return Err(Error::TooMuchWork { attack: NAME, limit: self.work_limit });
            }
            let alphas = match self.equals {
                Equals::Wildcard => kinds.alphas(run)?,
                Equals::Classes => kinds.sizes.iter().map(|&size| u64::from(size)).collect(),
            };
            let domains: Vec<Vec<u32>> = kinds
                .columns
                .iter()
                .map(|&id| {
                    let shown = released.shown(id);
                    let known = |&value: &u32| self.codebook || shown[value as usize] > 0;
                    (0u32..).take(shown.len()).filter(known).collect()
                })
                .collect();
            let judge = Judge { kinds: &kinds, alphas: &alphas, domains: &domains, run };
            let of_pattern = |at: usize| judge.pattern(self, at);
            let found: Result<Vec<Vec<Cell>>> =
                (0..kinds.patterns.len()).into_par_iter().map(of_pattern).collect();
            Ok(self.score(released, &kinds, &groups, &found?.concat()))
        })
    }

    fn score(
        &self,
        released: &Released<'_>,
        kinds: &Kinds,
        groups: &Groups,
        found: &[Cell],
    ) -> Attack {
        let members = groups.members();
        let mut guesses = Guesses::new(released);
        let (mut unseen, mut left, mut all) = (0u64, 0u64, 0u64);
        for cell in found {
            for &row in members.of(cell.kind as usize) {
                guesses.target(kinds.columns[cell.place]);
                unseen += u64::from(cell.candidates == 0);
                left += cell.candidates;
                all += cell.domain;
                if let Some(value) = cell.only {
                    guesses.guess(row, kinds.columns[cell.place], value, true);
                }
            }
        }
        let rule = match self.equals {
            Equals::Classes => "",
            Equals::Wildcard => " wherever both show a value",
        };
        let codebook =
            if self.codebook { ", and the values that each column may have" } else { "" };
        let knows = format!(
            "the release, and that no cell is suppressed without need: {} rows must be alike{rule}{codebook}",
            self.k
        );
        let mut attack = guesses.finish(NAME, knows, DEFENCE);
        if unseen > 0 {
            attack =
                attack.noted(format!("{unseen} cells have a value that the release shows nowhere"));
        }
        match crate::attack::share(left, all) {
            Some(share) => {
                attack.noted(format!("{:.1} % of the candidate values remain", share * 100.0))
            }
            None => attack,
        }
    }
}

impl Kinds {
    fn new(
        released: &Released<'_>,
        columns: Vec<ColumnId>,
        strips: &[Vec<u32>],
        groups: &Groups,
    ) -> Self {
        let at_first = |strip: &Vec<u32>| -> Vec<u32> {
            groups.first.iter().map(|&row| strip[row as usize]).collect()
        };
        let values: Vec<Vec<u32>> = strips.iter().map(at_first).collect();
        let mut patterns: BTreeMap<Vec<usize>, Vec<u32>> = BTreeMap::new();
        for kind in (0u32..).take(groups.len()) {
            let blank =
                |&place: &usize| values[place][kind as usize] == released.blank(columns[place]);
            patterns.entry((0..columns.len()).filter(blank).collect()).or_default().push(kind);
        }
        let patterns =
            patterns.into_iter().map(|(blanks, kinds)| Pattern { blanks, kinds }).collect();
        Self { columns, values, sizes: groups.sizes.clone(), patterns }
    }

    /// Groups of the kinds of two patterns that agree on what both show.
    fn together(&self, one: &Pattern, other: &Pattern, run: &Run) -> Result<Groups> {
        let shows = |place: &usize| !one.blanks.contains(place) && !other.blanks.contains(place);
        let both = one.kinds.iter().chain(&other.kinds);
        let strip = |place: usize| -> Vec<u32> {
            both.clone().map(|&kind| self.values[place][kind as usize]).collect()
        };
        let strips: Vec<Vec<u32>> = (0..self.columns.len()).filter(shows).map(strip).collect();
        Groups::of(&strips, one.kinds.len() + other.kinds.len(), run)
    }

    /// The rows that each kind agrees with wherever both show something.
    fn alphas(&self, run: &Run) -> Result<Vec<u64>> {
        let of_pattern = |(at, one): (usize, &Pattern)| -> Result<Vec<(u32, u64)>> {
            let size = |&kind: &u32| u64::from(self.sizes[kind as usize]);
            let mut alphas: Vec<u64> = one.kinds.iter().map(size).collect();
            for (_, other) in self.patterns.iter().enumerate().filter(|&(nth, _)| nth != at) {
                let groups = self.together(one, other, run)?;
                let mut rows = vec![0u64; groups.len()];
                let (own, theirs) = groups.of.split_at(one.kinds.len());
                theirs
                    .iter()
                    .zip(&other.kinds)
                    .for_each(|(&g, kind)| rows[g as usize] += size(kind));
                alphas
                    .iter_mut()
                    .zip(own)
                    .for_each(|(alpha, &group)| *alpha += rows[group as usize]);
            }
            Ok(one.kinds.iter().copied().zip(alphas).collect())
        };
        let found: Result<Vec<Vec<(u32, u64)>>> =
            self.patterns.par_iter().enumerate().map(of_pattern).collect();
        let mut alphas = vec![0; self.sizes.len()];
        found?.concat().into_iter().for_each(|(kind, alpha)| alphas[kind as usize] = alpha);
        Ok(alphas)
    }
}

/// What is left of a blank of a kind.
#[derive(Clone)]
struct Cell {
    kind: u32,
    place: usize,
    candidates: u64,
    domain: u64,
    only: Option<u32>,
}

struct Judge<'a> {
    kinds: &'a Kinds,
    alphas: &'a [u64],
    domains: &'a [Vec<u32>],
    run: &'a Run,
}

impl Judge<'_> {
    fn pattern(&self, settings: &Disambiguation, at: usize) -> Result<Vec<Cell>> {
        let one = &self.kinds.patterns[at];
        let size = |kind: u32| u64::from(self.kinds.sizes[kind as usize]);
        let mut found = Vec::new();
        if one.blanks.is_empty() {
            return Ok(found);
        }
        let is_wildcard = settings.equals == Equals::Wildcard;
        let mut steps = 0;
        let mut around = vec![vec![Around::default(); one.blanks.len()]; one.kinds.len()];
        for (_, other) in self.kinds.patterns.iter().enumerate().filter(|&(nth, _)| nth != at) {
            let is_one_less = other.blanks.len() + 1 == one.blanks.len()
                && other.blanks.iter().all(|place| one.blanks.contains(place));
            if !is_wildcard && !is_one_less {
                continue;
            }
            let groups = self.kinds.together(one, other, self.run)?;
            let (own, theirs) = groups.of.split_at(one.kinds.len());
            for (nth, &place) in one.blanks.iter().enumerate() {
                let shows = !other.blanks.contains(&place);
                let mut sums = vec![Around::default(); groups.len()];
                for (&group, &kind) in theirs.iter().zip(&other.kinds) {
                    let value = shows.then(|| self.kinds.values[place][kind as usize]);
                    sums[group as usize].add(value, size(kind), self.alphas[kind as usize]);
                }
                for (&group, around) in own.iter().zip(&mut around) {
                    let sum = &sums[group as usize];
                    steps += sum.shown.len() as u64 + 1;
                    if steps > settings.work_limit {
                        let limit = settings.work_limit;
                        return Err(Error::TooMuchWork { attack: NAME, limit });
                    }
                    around[nth].merge(sum);
                }
            }
        }
        for (&kind, around) in one.kinds.iter().zip(&around) {
            for (&place, around) in one.blanks.iter().zip(around) {
                let own = size(kind);
                let excluded = |value: u32| match settings.equals {
                    Equals::Wildcard => around.excludes(value, own, settings.k),
                    Equals::Classes => around.excludes_in_classes(value, own, settings.k),
                };
                let domain = &self.domains[place];
                let mut left = domain.iter().copied().filter(|&value| !excluded(value));
                let only = left.next();
                let candidates = only.map_or(0, |_| 1 + left.count() as u64);
                let only = only.filter(|_| candidates == 1);
                let domain = domain.len() as u64;
                found.push(Cell { kind, place, candidates, domain, only });
            }
        }
        Ok(found)
    }
}

impl Around {
    /// Adds rows that show a value, or nothing.
    fn add(&mut self, value: Option<u32>, rows: u64, equals: u64) {
        match value {
            None => self.blank += rows,
            Some(value) => {
                let shown = self.shown.entry(value).or_insert((0, u64::MAX));
                *shown = (shown.0 + rows, shown.1.min(equals));
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        self.blank += other.blank;
        other
            .shown
            .iter()
            .for_each(|(&value, &(rows, equals))| self.add(Some(value), rows, equals));
    }

    /// Whether everybody keeps `k` equals when one of `own` rows shows the value.
    fn excludes(&self, value: u32, own: u64, k: u32) -> bool {
        let with = self.shown.get(&value).map_or(0, |shown| shown.0);
        // The row itself, rows of its kind, those that show nothing there and those that show it.
        if own + self.blank + with < u64::from(k) {
            return false;
        }
        let others = self.shown.iter().filter(|(other, _)| **other != value);
        others.map(|(_, shown)| shown.1).all(|equals| equals > u64::from(k))
    }

    /// Whether the row would be in a class of `k`, and leaves one behind.
    fn excludes_in_classes(&self, value: u32, own: u64, k: u32) -> bool {
        let with = self.shown.get(&value).map_or(0, |shown| shown.0);
        with + 1 >= u64::from(k) && (own == 1 || own > u64::from(k))
    }
}
