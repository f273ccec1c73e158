//! Rows at risk by each of the thresholds that people use.

use muslin_table::ClassSizes;
use serde::Serialize;

use super::report::share;
use crate::presets::Preset;

/// What a preset asks for, and how far the file is from it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PresetReport {
    /// Its name, as policies and flags spell it.
    pub name: String,
    /// The least rows of a class, where it asks for that.
    pub k: Option<u32>,
    /// What the share of people expected to be found must be below, where it asks for that.
    pub global_risk: Option<f64>,
    /// What it asks for, in words.
    pub rule: String,
    /// Where it comes from.
    pub source: String,
    /// Rows in classes that are too small, where it asks for a size.
    pub rows_at_risk: Option<u64>,
    /// Their share of all rows.
    pub share: Option<f64>,
    /// The mean risk of people in the population, where it asks for that and the population is known.
    pub risk: Option<f64>,
    /// Whether the file meets it as it is, on the quasi-identifiers; none where that is not decided.
    pub met: Option<bool>,
    /// Why it is not decided.
    pub undecided: Option<String>,
}

/// Rows at risk by every preset.
pub(super) fn presets(sizes: &ClassSizes) -> Vec<PresetReport> {
    Preset::ALL.iter().map(|preset| of_preset(preset, sizes)).collect()
}

fn of_preset(preset: &Preset, sizes: &ClassSizes) -> PresetReport {
    let rows_at_risk = preset.k().map(|k| sizes.rows_below(k.into()));
    PresetReport {
        name: preset.name().into(),
        k: preset.k(),
        global_risk: preset.global_risk(),
        rule: preset.reading().into(),
        source: preset.source().into(),
        rows_at_risk,
        share: rows_at_risk.map(|rows| share(rows, sizes.rows())),
        // The rows of a sample do not show the risk of people in the population.
        risk: None,
        met: rows_at_risk.map(|rows| rows == 0),
        undecided: preset.global_risk().map(|_| Preset::POPULATION.into()),
    }
}
