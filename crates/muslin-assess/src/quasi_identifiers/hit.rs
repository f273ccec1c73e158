//! Cheapest sets of a property that only more columns can bring about.
//!
//! # Method
//! Implicit hitting sets. A set that lacks the property shows columns of which every set with the
//! property has one: an edge. The cheapest set that hits all edges known weighs no more than the
//! cheapest with the property; so when it has the property it is that, and otherwise it shows more
//! edges. While edges are few, sets that hit them are made quickly and not at the least weight.

use std::time::Duration;

use muslin_engine::{Run, Stop};
use muslin_table::ColumnSet;

use super::cover::Cover;
use super::{Weight, Weights};
use crate::{Error, Result};

/// What a column set showed.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Edges that it does not hit; none when it has the property.
    pub edges: Vec<ColumnSet>,
    /// Another set, one with the property.
    pub other: Option<ColumnSet>,
}

/// The cheapest set with the property, as far as is known.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The cheapest set known, if any is.
    pub set: Option<ColumnSet>,
    /// What every set with the property weighs at least.
    pub lower_bound: Weight,
    /// Why the search did not come to its end, if it did not.
    pub stop: Option<Stop>,
}

/// Finds the cheapest set with a property. `best` has it, if given; `show` tells of a set whether
/// it has, and adds edges that are not hit where it has not.
///
/// # Guarantee
/// When nothing stopped it, the set found is cheapest. Otherwise it has the property, and the lower
/// bound holds.
///
/// # Cost
/// That of the questions: about one for each edge that the proof needs, and of [`Cover::solve`].
pub fn hit(
    cover: &mut Cover,
    weights: &Weights,
    mut best: Option<ColumnSet>,
    show: &mut dyn FnMut(&ColumnSet) -> Result<Shown>,
    run: &Run,
) -> Result<Hit> {
    let weigh = |set: &Option<ColumnSet>| set.as_ref().map(|set| weights.sum(set));
    let mut is_quick = true;
    let stopped = |cover: &mut Cover, best: Option<ColumnSet>, stop| {
        // Without any time left, what is known of the edges still gives a bound.
        let now = Run::new().time_limit(Some(Duration::ZERO));
        let lower_bound = cover.solve(weigh(&best), &now).lower_bound;
        Ok(Hit { set: best, lower_bound, stop: Some(stop) })
    };
    loop {
        if let Some(stop) = run.stop() {
            return stopped(cover, best, stop);
        }
        let upper = weigh(&best);
        let quick = if is_quick { cover.quick() } else { None };
        let quick = quick.filter(|set| upper.is_none_or(|upper| weights.sum(set) < upper));
        is_quick = quick.is_some();
        let candidate = match quick {
            Some(set) => set,
            None => {
                let solved = cover.solve(upper, run);
                if let Some(stop) = solved.stop {
                    return stopped(cover, best, stop);
                }
                let Some(set) = solved.set else {
                    return Ok(Hit { set: best, lower_bound: solved.lower_bound, stop: None });
                };
                set
            }
        };
        let shown = match show(&candidate) {
            Err(Error::Engine(muslin_engine::Error::Stopped(stop))) => {
                return stopped(cover, best, stop);
            }
            shown => shown?,
        };
        let fits = if shown.edges.is_empty() { Some(candidate) } else { None };
        // A set that was found at the least weight and fits ends the search in the next round.
        is_quick |= fits.is_none();
        for set in [fits, shown.other].into_iter().flatten() {
            if weigh(&best).is_none_or(|upper| weights.sum(&set) < upper) {
                best = Some(set);
            }
        }
        shown.edges.into_iter().for_each(|edge| {
            cover.add(edge);
        });
    }
}

/// What is known about a property that a set keeps when columns are added to it.
#[derive(Clone, Debug, Default)]
pub struct Border {
    with: Vec<ColumnSet>,
    without: Vec<ColumnSet>,
}

impl Border {
    /// Whether the set has the property, if it follows from what is known.
    pub fn says(&self, set: &ColumnSet) -> Option<bool> {
        if self.with.iter().any(|known| known.is_subset(set)) {
            return Some(true);
        }
        self.without.iter().any(|known| set.is_subset(known)).then_some(false)
    }

    /// Remembers of a set whether it has the property.
    pub fn learn(&mut self, set: &ColumnSet, has: bool) {
        if self.says(set).is_some() {
            return;
        }
        if has {
            self.with.retain(|known| !set.is_subset(known));
            self.with.push(set.clone());
        } else {
            self.without.retain(|known| !known.is_subset(set));
            self.without.push(set.clone());
        }
    }
}
