//! From what searches find to what reports say.

use std::collections::BTreeMap;

use muslin_assess::{Beta, Bounds, FoundSet, Measure, RatioEstimate, SetRatios, Target, Weight};
use muslin_table::Ratio;

use super::question::MinimumMethod;
use super::report::{
    BoundsReport, MinimumReport, RatiosKind, RatiosReport, SetFacts, TargetReport, WholeReport,
};

impl MinimumReport {
    /// Nothing found yet.
    pub(super) fn new(
        target: TargetReport,
        method: MinimumMethod,
        costs: &BTreeMap<String, Weight>,
    ) -> Self {
        Self {
            target,
            whole: WholeReport::default(),
            method,
            set: None,
            ratios: RatiosReport::default(),
            costs: costs.iter().map(|(name, cost)| (name.clone(), cost.as_f64())).collect(),
            weight: None,
            optimal: None,
            lower_bound: None,
            gap: None,
            dropped: Vec::new(),
            nearest: None,
            curve: Vec::new(),
            explanation: None,
            sample: None,
        }
    }
}

impl From<Target> for TargetReport {
    fn from(target: Target) -> Self {
        let measure = (!target.is_key()).then(|| target.measure());
        Self { target: target.to_string(), measure, beta: target.beta().as_f64() }
    }
}

impl TargetReport {
    /// What a sampled search looks for.
    pub(super) fn sampled(measure: Measure, beta: Option<Beta>) -> Self {
        beta.map_or_else(|| Target::key().into(), |beta| Target::new(measure, beta).into())
    }
}

impl From<Bounds> for BoundsReport {
    fn from(Bounds { low, high }: Bounds) -> Self {
        Self { low, high }
    }
}

impl From<&SetRatios> for RatiosReport {
    fn from(of: &SetRatios) -> Self {
        Self {
            distinct_ratio: of.distinct().map(Ratio::as_f64),
            separation_ratio: Some(of.separation().as_f64()),
            ratios: Some(RatiosKind::Exact),
            distinct_bounds: None,
            separation_bounds: None,
            confidence: None,
            classes: of.classes(),
            unseparated_pairs: u64::try_from(of.unseparated_pairs()).ok(),
            rows_alone: Some(of.rows_alone()),
            smallest_class: of.smallest_class(),
            largest_class: of.largest_class(),
        }
    }
}

impl RatiosReport {
    /// What a sample says; exact where it is the table. The bounds hold with `confidence`, which
    /// may be less than each single estimate was made with.
    pub(super) fn estimated(estimate: &RatioEstimate, confidence: f64) -> Self {
        if estimate.sampled().rows() == estimate.all_rows() {
            return estimate.sampled().into();
        }
        Self {
            separation_ratio: estimate.likely_separation(),
            ratios: Some(RatiosKind::Estimated),
            distinct_bounds: estimate.distinct().map(Into::into),
            separation_bounds: Some(estimate.separation().into()),
            confidence: Some(confidence),
            ..Self::default()
        }
    }
}

impl From<&FoundSet> for SetFacts {
    fn from(set: &FoundSet) -> Self {
        Self {
            size: set.columns.len(),
            distinct_ratio: set.distinct_ratio().map(Ratio::as_f64),
            separation_ratio: set.separation_ratio().as_f64(),
            rows_alone: set.alone,
        }
    }
}

impl From<&SetRatios> for SetFacts {
    fn from(of: &SetRatios) -> Self {
        Self {
            size: of.set().len(),
            distinct_ratio: of.distinct().map(Ratio::as_f64),
            separation_ratio: of.separation().as_f64(),
            rows_alone: of.rows_alone(),
        }
    }
}
