//! The smallest keys and quasi-identifiers, and the minimal uniques up to a size that the budget allows: what
//! `muslin keys` and `muslin uniques` find, in short.

use std::collections::BTreeMap;

use muslin_assess::{
    Error as AssessError, Measure, MinimalSets, MinimalUniques, SetRatios, Target, UniquesFound,
};
use muslin_engine::{Coverage, MemoryEngine, Run, Stop};
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule};
use serde::Serialize;

use super::budget::{Budget, PartCoverage, STEPS_PER_ROW, choose, unless_over};
use super::report::share;
use super::scene::Scene;
use crate::keys::TargetReport;
use crate::uniques::ColumnShareReport;
use crate::{Error, Result};

/// Column sets that tell rows apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetsReport {
    /// Rows that sets were looked for in.
    #[serde(flatten)]
    pub part: PartCoverage,
    /// What a set must reach.
    pub target: TargetReport,
    /// Whether all columns together reach it, in the rows looked at. Where they do not, no set does.
    pub reachable: bool,
    /// Every set of at most so many columns was found, in the rows looked at, apart from a limit on how many are
    /// listed; none where the budget ended the search before.
    pub complete_to: Option<usize>,
    /// The smallest sets, a few of them.
    pub sets: Vec<SetReport>,
}

/// A set of columns that tells rows apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetReport {
    /// The columns.
    pub columns: Vec<String>,
    /// Whether the target is reached by all rows of the table, not only by those of a sample.
    pub exact: bool,
    /// Rows that the figures are of: all, or those of a sample.
    pub counted_rows: u64,
    /// Rows it singles out.
    pub rows_alone: u64,
    /// Their share of the rows counted.
    pub share: f64,
    /// Classes, of the rows counted; none where missing matches anything.
    pub distinct_ratio: Option<f64>,
    /// Row pairs told apart, of all pairs of the rows counted.
    pub separation_ratio: f64,
}

/// Minimal uniques: the smallest sets of values that a single row holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MinimalUniquesReport {
    /// Rows that were searched. In a sample rows are unique that are not in the whole table.
    #[serde(flatten)]
    pub part: PartCoverage,
    /// The columns that were searched.
    pub columns: Vec<String>,
    /// Every minimal unique of at most so many values is counted; none for any number.
    pub max_size: Option<usize>,
    /// How many there are.
    pub total: u64,
    /// By the number of values.
    pub by_size: BTreeMap<usize, u64>,
    /// Rows that have one, among those searched.
    pub rows_with_uniques: u64,
    /// Their share of the rows searched.
    pub share: f64,
    /// What each column contributes to the scores, the largest first.
    pub contributions: Vec<ColumnShareReport>,
}

/// Columns of a set that is looked for, at most.
const LARGEST_SET: usize = 6;
/// Sets that are reported.
const SETS: usize = 20;
/// Sets that a sample suggested and that are counted on all rows.
const COUNTED: usize = 5;
/// Steps that a minimal unique is taken to cost.
const STEPS_PER_UNIQUE: u64 = 32;
/// Sets of one or two columns for whose sake fewer rows are searched, at most.
const MOST_PAIRS: u64 = 20_000;
/// What a minimal unique costs more where a missing cell matches anything.
const WILD: u64 = 20;

/// Finds the smallest sets of columns that reach `target`.
pub(super) fn sets(
    scene: &Scene<'_>,
    target: Target,
    budget: &Budget,
) -> Result<Option<SetsReport>> {
    let (sample, ids) = searched(scene, budget, STEPS_PER_ROW)?;
    if sample.columns().is_empty() || sample.rows() < 2 {
        return Ok(None);
    }
    let search = MinimalSets::new(target)
        .missing(scene.missing)
        .max_size(Some(LARGEST_SET))
        .limit(Some(SETS));
    let found = unless_too_large(search.run(&sample, budget.run()));
    let Some(found) = unless_over(found, scene.run)?.flatten() else { return Ok(None) };
    if let Coverage::Stopped { by: Stop::Interrupted } = found.coverage() {
        scene.run.check()?;
    }
    let is_whole = sample.rows() as u64 == scene.rows();
    let memory = MemoryEngine::new(scene.table, budget.run());
    let engine = scene.engine.unwrap_or(&memory);
    let mut sets = Vec::new();
    for (at, set) in found.sets().iter().enumerate() {
        let own: ColumnSet = set.columns.iter().map(|id| ids[id.index()]).collect();
        let mut ratios = None;
        if !is_whole && at < COUNTED {
            let counted = SetRatios::of(engine, &own, scene.missing).map_err(Error::from);
            ratios = unless_over(counted, scene.run)?;
        }
        let columns = scene.names(&own);
        sets.push(match ratios {
            Some(ratios) => SetReport {
                columns,
                exact: reaches(&ratios, target),
                counted_rows: ratios.rows(),
                rows_alone: ratios.rows_alone(),
                share: share(ratios.rows_alone(), ratios.rows()),
                distinct_ratio: ratios.distinct().map(muslin_table::Ratio::as_f64),
                separation_ratio: ratios.separation().as_f64(),
            },
            None => SetReport {
                columns,
                exact: is_whole,
                counted_rows: set.rows,
                rows_alone: set.alone,
                share: share(set.alone, set.rows),
                distinct_ratio: set.distinct_ratio().map(muslin_table::Ratio::as_f64),
                separation_ratio: set.separation_ratio().as_f64(),
            },
        });
    }
    let part = PartCoverage::of(sample.rows() as u64, scene.rows(), budget.run());
    let is_stopped = found.coverage() == (Coverage::Stopped { by: Stop::TimeLimit });
    Ok(Some(SetsReport {
        part: if is_stopped { part.stopped() } else { part },
        target: target.into(),
        reachable: found.is_reachable(),
        complete_to: found.complete_to(),
        sets,
    }))
}

fn reaches(ratios: &SetRatios, target: Target) -> bool {
    let ratio = match target.measure() {
        Measure::Distinct => ratios.distinct(),
        Measure::Separation => Some(ratios.separation()),
    };
    ratio.is_some_and(|ratio| ratio >= target.beta().ratio())
}

/// What a quasi-identifier reaches in a scan: nine classes for ten rows, or nearly all pairs where rows do not fall
/// into classes.
pub(super) fn quasi_identifier(missing: MissingRule) -> Result<Target> {
    let (measure, beta) = match missing {
        MissingRule::Wildcard => (Measure::Separation, "0.999"),
        _ => (Measure::Distinct, "0.9"),
    };
    Ok(Target::new(measure, beta.parse().map_err(Error::from)?))
}

/// Counts minimal uniques, size by size, as long as the budget lasts.
pub(super) fn uniques(scene: &Scene<'_>, budget: &Budget) -> Result<Option<MinimalUniquesReport>> {
    // Where a missing cell matches anything, rows match that agree in nothing, and there are many pairs of them.
    let cost = if scene.missing == MissingRule::Wildcard { WILD } else { 1 };
    // Rather fewer rows than no pairs of values.
    let known = scene.known.len() as u64;
    let pairs = choose(known, 1).saturating_add(choose(known, 2));
    let per_row = if pairs <= MOST_PAIRS { pairs.max(STEPS_PER_ROW) } else { STEPS_PER_ROW };
    let (sample, _) = searched(scene, budget, per_row * cost)?;
    let columns = sample.columns().len();
    if columns == 0 || sample.rows() == 0 {
        return Ok(None);
    }
    let (mut best, mut size) = (None, (columns > 1).then_some(1));
    loop {
        let search = MinimalUniques::new().max_size(size).missing(scene.missing);
        let found = unless_too_large(search.run(&sample, budget.run()));
        let Some(found) = unless_over(found, scene.run)?.flatten() else { break };
        if found.coverage() != Coverage::Complete {
            scene.run.check()?;
            break;
        }
        let next = size.map(|size| next(size, columns, &found));
        best = Some((found, size));
        let Some((next_size, predicted)) = next else { break };
        let sets = (1..=next_size.unwrap_or(columns) as u64)
            .map(|size| choose(columns as u64, size))
            .fold(0u64, u64::saturating_add);
        // Whatever way the search goes, it is not worth more than looking at every set.
        let every_set = sets.saturating_mul(sample.rows() as u64);
        let steps = every_set.min(predicted.saturating_mul(STEPS_PER_UNIQUE));
        if steps.saturating_mul(cost) > budget.steps() {
            break;
        }
        size = next_size;
    }
    let Some((found, max_size)) = best else { return Ok(None) };
    Ok(Some(report(scene, &sample, &found, max_size, budget.run())))
}

/// The size to look at after `size`, none for any, and how many minimal uniques there will be if their number goes on
/// as it did: it grows from size to size, ever more slowly, and falls ever faster once it falls.
fn next(size: usize, columns: usize, found: &UniquesFound) -> (Option<usize>, u64) {
    let of = |wanted| {
        found.by_size().find_map(|(size, count)| (size == wanted).then_some(count)).unwrap_or(0)
    };
    let (now, before) = (of(size), if size > 1 { of(size - 1) } else { 0 });
    let next = Some(size + 1).filter(|&next| next < columns && now >= before);
    let more = match before {
        0 => u64::MAX,
        _ if now >= before => now.saturating_mul(now) / before,
        _ => now.saturating_mul(now) / (before - now),
    };
    (next, found.total().saturating_add(more))
}

fn report(
    scene: &Scene<'_>,
    sample: &EncodedTable,
    found: &UniquesFound,
    max_size: Option<usize>,
    run: &Run,
) -> MinimalUniquesReport {
    let part = PartCoverage::of(sample.rows() as u64, scene.rows(), run);
    let is_stopped = max_size.is_some() && part.coverage == Coverage::Complete;
    MinimalUniquesReport {
        part: if is_stopped { part.stopped() } else { part },
        columns: sample.columns().iter().map(|column| column.name().to_owned()).collect(),
        max_size,
        total: found.total(),
        by_size: found.by_size().collect(),
        rows_with_uniques: found.rows_with_uniques(),
        share: share(found.rows_with_uniques(), sample.rows() as u64),
        contributions: crate::uniques::column_shares(found, sample),
    }
}

/// The columns that somebody may know, in as many rows as the budget allows.
fn searched(
    scene: &Scene<'_>,
    budget: &Budget,
    steps_per_row: u64,
) -> Result<(EncodedTable, Vec<ColumnId>)> {
    let set: ColumnSet = scene.known.iter().copied().collect();
    let most = budget.steps() / steps_per_row;
    let most = usize::try_from(most).unwrap_or(usize::MAX).max(1_000);
    Ok((budget.sample(&scene.table.project(&set), most)?, set.iter().collect()))
}

/// What a search is not made for is not an error of the scan.
fn unless_too_large<T>(found: Result<T, AssessError>) -> Result<Option<T>> {
    match found {
        Err(AssessError::TooManyColumns { .. } | AssessError::TooManyResults) => Ok(None),
        found => Ok(Some(found?)),
    }
}
