//! Why a column set gives rows away: what it singles out, and which few of its columns already do
//! most of that.
//!
//! For each share, the smallest subset whose own ratio reaches it; among those, one of the highest
//! ratio; among those, the one whose columns come first. Up to twelve columns every subset of the
//! size in question is asked for; beyond, the subset is taken greedily and need not be smallest.

use muslin_engine::{Coverage, Engine, Run};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, MissingRule, Ratio};

use super::greedy::{no_classes, stop_of};
use super::{Beta, Greedy, Measure, SetRatios, Target};
use crate::Result;

/// Explains one quasi-identifier.
///
/// # Guarantee
/// A subset that is called exact is a smallest one whose ratio reaches the share, and no other of
/// its size has a higher ratio. No subset is given for a share that the whole set does not reach.
///
/// # Cost
/// At most 2^c questions for a set of c columns up to twelve, a few per column beyond.
///
/// # Example
/// ```
/// use muslin_assess::{Explain, Measure};
/// use muslin_engine::{MemoryEngine, Run};
/// use muslin_table::{ColumnSet, EncodedTable};
/// let (table, run) = (EncodedTable::of(&[[20, 1], [30, 1], [40, 1], [20, 2], [40, 2]]), Run::new());
/// let explain = Explain::new(Measure::Separation);
/// let found = explain.run(&MemoryEngine::new(&table, &run), &ColumnSet::first(2), &run)?;
/// // The first column alone tells 8 of 10 pairs apart.
/// assert_eq!(found.shares()[1].share.to_string(), "0.8");
/// assert_eq!(found.shares()[1].subset.as_ref().map(|s| s.set().len()), Some(1));
/// assert_eq!(found.ratios().rows_alone(), 5);
/// # Ok::<(), muslin_assess::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Explain {
    measure: Measure,
    missing: MissingRule,
}

/// Shares that are explained.
const SHARES: [&str; 5] = ["0.5", "0.8", "0.9", "0.95", "0.99"];
/// Sets of more columns are explained greedily.
const MOST_COLUMNS: usize = 12;

impl Explain {
    /// Explains by this measure.
    pub fn new(measure: Measure) -> Self {
        Self { measure, missing: MissingRule::default() }
    }

    /// Missing cells match by this rule.
    #[must_use]
    pub fn missing(mut self, missing: MissingRule) -> Self {
        self.missing = missing;
        self
    }

    /// Explains `set`.
    pub fn run(&self, engine: &dyn Engine, set: &ColumnSet, run: &Run) -> Result<Explanation> {
        if self.measure == Measure::Distinct && self.missing == MissingRule::Wildcard {
            return Err(no_classes());
        }
        let whole = engine.class_sizes(set, self.missing)?;
        let exact = set.len() <= MOST_COLUMNS;
        let shares = SHARES.iter().map(|share| ShareReached {
            share: share.parse().expect("the shares are decimal numbers"),
            subset: None,
            exact,
        });
        let mut found = Explanation {
            ratios: SetRatios::from_sizes(set.clone(), &whole),
            shares: shares.collect(),
            coverage: Coverage::Complete,
        };
        let explained = if exact {
            self.smallest(engine, &whole, &mut found, run)
        } else {
            self.greedy(engine, &whole, &mut found, run)
        };
        if let Err(error) = explained {
            found.coverage = Coverage::Stopped { by: stop_of(error)? };
        }
        Ok(found)
    }

    fn target(&self, share: Beta) -> Target {
        Target::new(self.measure, share)
    }

    /// Every subset, size by size, until all shares that can be reached are.
    fn smallest(
        &self,
        engine: &dyn Engine,
        whole: &ClassSizes,
        found: &mut Explanation,
        run: &Run,
    ) -> Result<()> {
        let columns: Vec<ColumnId> = found.ratios.set().iter().collect();
        for size in 0..=columns.len() {
            let is_open = |share: &ShareReached| {
                share.subset.is_none() && self.target(share.share).is_reached(whole)
            };
            if !found.shares.iter().any(is_open) {
                break;
            }
            let best = self.best_of_size(engine, &columns, size, run)?;
            for share in &mut found.shares {
                if share.subset.is_none() && self.target(share.share).is_reached(&best.1) {
                    share.subset = Some(SetRatios::from_sizes(best.0.clone(), &best.1));
                }
            }
        }
        Ok(())
    }

    /// The subset of a size with the highest ratio, the first of them.
    fn best_of_size(
        &self,
        engine: &dyn Engine,
        columns: &[ColumnId],
        size: usize,
        run: &Run,
    ) -> Result<(ColumnSet, ClassSizes)> {
        let Some(prefix_size) = size.checked_sub(1) else {
            return Ok((ColumnSet::new(), engine.class_sizes(&ColumnSet::new(), self.missing)?));
        };
        let mut best: Option<(Ratio, ColumnSet, ClassSizes)> = None;
        // Every subset once: a prefix, and each column after its last.
        let mut prefixes = vec![(ColumnSet::new(), 0)];
        for _ in 0..prefix_size {
            let longer = prefixes.iter().flat_map(|(prefix, next)| {
                (*next..columns.len()).map(move |column| {
                    let mut longer = prefix.clone();
                    longer.insert(columns[column]);
                    (longer, column + 1)
                })
            });
            prefixes = longer.collect();
        }
        for (prefix, next) in prefixes {
            run.check()?;
            let sizes = engine.class_sizes_of_each(&prefix, &columns[next..], self.missing)?;
            for (&column, sizes) in columns[next..].iter().zip(sizes) {
                let ratio = self.measure.ratio(&sizes).expect("asked for where there is one");
                if best.as_ref().is_none_or(|best| ratio > best.0) {
                    let mut set = prefix.clone();
                    set.insert(column);
                    best = Some((ratio, set, sizes));
                }
            }
        }
        let (_, set, sizes) = best.expect("a set has subsets of every size up to its own");
        Ok((set, sizes))
    }

    fn greedy(
        &self,
        engine: &dyn Engine,
        whole: &ClassSizes,
        found: &mut Explanation,
        run: &Run,
    ) -> Result<()> {
        for share in &mut found.shares {
            let target = self.target(share.share);
            if !target.is_reached(whole) {
                continue;
            }
            let greedy = Greedy::new(target).missing(self.missing);
            let taken = greedy.among(found.ratios.set().clone()).run(engine, run)?;
            if let Coverage::Stopped { by } = taken.coverage() {
                return Err(muslin_engine::Error::Stopped(by).into());
            }
            share.subset = Some(taken.ratios().clone());
        }
        Ok(())
    }
}

/// The few columns that reach a share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareReached {
    /// The share of the rows or pairs.
    pub share: Beta,
    /// A subset whose ratio is at least the share; none where the whole set's is below.
    pub subset: Option<SetRatios>,
    /// Whether no smaller subset does it, nor another of its size better.
    pub exact: bool,
}

/// What [`Explain`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    ratios: SetRatios,
    shares: Vec<ShareReached>,
    coverage: Coverage,
}

impl Explanation {
    /// What the whole set tells apart and singles out.
    pub fn ratios(&self) -> &SetRatios {
        &self.ratios
    }

    /// The few columns that reach 50, 80, 90, 95 and 99 %.
    pub fn shares(&self) -> &[ShareReached] {
        &self.shares
    }

    /// How far it got: where it was stopped, subsets that are not given may exist.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }
}
