//! Numbers for plots, in bins that no single person fills by name.

use muslin_table::ClassSizes;
use serde::Serialize;

use super::alone::SingledOutReport;
use super::report::{ColumnReport, SizeReport, share};
use super::search::SetsReport;

/// What plots of a scan are drawn from. More is in the parts: minimal uniques by size, what columns contribute, and rows
/// that pairs single out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScanPlots {
    /// Rows by the size of their class on the quasi-identifiers, in bins that double.
    pub class_sizes: Vec<SizeReport>,
    /// The share of rows in classes of at least k rows.
    pub survival: Vec<SurvivalPoint>,
    /// Column sets by what they tell apart: single columns, pairs, keys and quasi-identifiers that were found.
    pub sets: Vec<SetPoint>,
}

/// A point of a survival curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurvivalPoint {
    /// Rows of a class, at least.
    pub k: u64,
    /// Share of rows in such classes.
    pub share: f64,
}

/// A set of columns and its two ratios.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetPoint {
    /// The columns.
    pub columns: Vec<String>,
    /// Classes, of all rows; none where missing matches anything.
    pub distinct_ratio: Option<f64>,
    /// Row pairs told apart, of all pairs.
    pub separation_ratio: f64,
}

/// Numbers for plots of what the parts found.
pub(super) fn plots(
    sizes: Option<&ClassSizes>,
    columns: &[ColumnReport],
    singled_out: Option<&SingledOutReport>,
    found: &[Option<&SetsReport>],
) -> ScanPlots {
    let mut sets: Vec<SetPoint> = columns
        .iter()
        .map(|column| SetPoint {
            columns: vec![column.name.clone()],
            distinct_ratio: column.distinct_ratio,
            separation_ratio: column.separation_ratio,
        })
        .collect();
    sets.extend(singled_out.iter().flat_map(|part| &part.pairs).map(|pair| SetPoint {
        columns: pair.columns.clone(),
        distinct_ratio: pair.distinct_ratio,
        separation_ratio: pair.separation_ratio,
    }));
    let larger = found.iter().flatten().flat_map(|part| &part.sets);
    sets.extend(larger.filter(|set| set.exact && set.columns.len() > 2).map(|set| SetPoint {
        columns: set.columns.clone(),
        distinct_ratio: set.distinct_ratio,
        separation_ratio: set.separation_ratio,
    }));
    ScanPlots {
        class_sizes: sizes.map(bins).unwrap_or_default(),
        survival: sizes.map(survival).unwrap_or_default(),
        sets,
    }
}

/// Sizes 1, 2, 3 to 4, 5 to 8 and so on.
fn bins(sizes: &ClassSizes) -> Vec<SizeReport> {
    let largest = sizes.counts().last().map_or(0, |count| count.size);
    let mut bins = Vec::new();
    let (mut from, mut to) = (1u64, 1u64);
    while from <= largest {
        let rows = sizes.rows_below(to.saturating_add(1)) - sizes.rows_below(from);
        bins.push(SizeReport { from, to: Some(to), rows });
        (from, to) = (to.saturating_add(1), to.saturating_mul(2));
    }
    bins
}

/// 1, 2, 3, 5, 10, 20, 50 and so on, up to the largest class.
fn survival(sizes: &ClassSizes) -> Vec<SurvivalPoint> {
    let largest = sizes.counts().last().map_or(0, |count| count.size);
    let powers = std::iter::successors(Some(10u64), |power| power.checked_mul(10));
    let large = powers.flat_map(|power| [1, 2, 5].map(|of| power.saturating_mul(of)));
    let at_least = |k: u64| SurvivalPoint {
        k,
        share: share(sizes.rows() - sizes.rows_below(k), sizes.rows()),
    };
    [1, 2, 3, 5].into_iter().chain(large).take_while(|&k| k <= largest).map(at_least).collect()
}
