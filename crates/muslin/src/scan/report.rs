use muslin_engine::Coverage;
use muslin_table::{ClassSizes, MissingRule, Role};
use serde::Serialize;

use super::alone::SingledOutReport;
use super::at_risk::PresetReport;
use super::dependencies::DependenciesReport;
use super::findings::FindingReport;
use super::influence::InfluenceReport;
use super::patterns::PatternReport;
use super::plots::ScanPlots;
use super::search::{MinimalUniquesReport, SetsReport};
use crate::input::InputReport;

/// What a scan found. Everything a person needs, nothing about a single person.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScanReport {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `scan`.
    pub command: String,
    /// How far the counts of columns and classes got. The parts below say it for themselves.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// What was read.
    pub input: InputReport,
    /// Number of rows.
    pub rows: u64,
    /// What a missing cell matches, in all that follows.
    pub missing_rule: MissingRule,
    /// The columns, in the input's order.
    pub columns: Vec<ColumnReport>,
    /// Classes on the quasi-identifiers together; none when there are none.
    pub quasi_identifiers: Option<ClassesReport>,
    /// Columns that somebody may know, of which sets were made in the parts below.
    pub known: Vec<String>,
    /// Rows that one, two or three columns single out.
    pub singled_out: Option<SingledOutReport>,
    /// The smallest keys: column sets that tell all rows apart.
    pub keys: Option<SetsReport>,
    /// The smallest column sets that tell nearly all rows apart.
    pub nearly_keys: Option<SetsReport>,
    /// Minimal uniques, up to a size that the budget allowed.
    pub minimal_uniques: Option<MinimalUniquesReport>,
    /// Columns that decide others; none for a table of less than 20 rows.
    pub dependencies: Option<DependenciesReport>,
    /// What dropping or coarsening a quasi-identifier would gain.
    pub influence: Option<InfluenceReport>,
    /// Rows at risk by the thresholds that people use; none without quasi-identifiers.
    pub presets: Vec<PresetReport>,
    /// What else to look at before a release.
    pub findings: Vec<FindingReport>,
    /// Numbers for plots.
    pub plots: ScanPlots,
    /// Seconds that the searches were allowed, beyond reading and counting.
    pub budget_seconds: f64,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
    /// The command that goes on from here, as arguments; none where there is none to give.
    pub next: Option<Vec<String>>,
}

/// Who decided something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Decided {
    /// The user.
    Given,
    /// muslin, to be checked.
    Suggested,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ColumnReport {
    /// Its name.
    pub name: String,
    /// The type of its values.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Distinct values; missing is none of them.
    pub distinct: u64,
    /// Missing cells.
    pub missing: u64,
    /// Classes of rows by this column, of all rows; none where missing matches anything.
    pub distinct_ratio: Option<f64>,
    /// Row pairs told apart by this column, of all pairs.
    pub separation_ratio: f64,
    /// Rows that this column alone singles out.
    pub rows_alone: u64,
    /// What it is to the people in the table.
    pub role: Role,
    /// Who says so.
    pub decided: Decided,
    /// Why: the name, the counts or the pattern.
    pub reason: String,
    /// Which roles to consider, where the role is undecided.
    pub consider: Option<String>,
    /// What the values look like, where they look like something.
    pub pattern: Option<PatternReport>,
}

/// The classes that a set of columns makes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassesReport {
    /// The columns.
    pub columns: Vec<String>,
    /// Who chose them.
    pub decided: Decided,
    /// Number of classes; none where missing matches anything.
    pub classes: Option<u64>,
    /// Rows in the smallest class.
    pub smallest: Option<u64>,
    /// Rows in the largest class.
    pub largest: Option<u64>,
    /// Classes, of all rows; none where missing matches anything.
    pub distinct_ratio: Option<f64>,
    /// Row pairs told apart, of all pairs.
    pub separation_ratio: f64,
    /// Rows that violate k-anonymity, for some k.
    pub below: Vec<Threshold>,
    /// Rows by the size of their class.
    pub sizes: Vec<SizeReport>,
}

/// Rows in classes smaller than some `k`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Threshold {
    /// The size that is asked for.
    pub k: u64,
    /// Rows in smaller classes.
    pub rows: u64,
    /// Their share of all rows.
    pub share: f64,
    /// Smaller classes; none where missing matches anything.
    pub classes: Option<u64>,
}

/// Rows whose class has a size within bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizeReport {
    /// Smallest size counted here.
    pub from: u64,
    /// Largest size counted here; none for all larger ones.
    pub to: Option<u64>,
    /// Rows.
    pub rows: u64,
}

impl Threshold {
    pub(crate) fn new(sizes: &ClassSizes, k: u64) -> Self {
        Self {
            k,
            rows: sizes.rows_below(k),
            share: share(sizes.rows_below(k), sizes.rows()),
            classes: sizes.classes_below(k),
        }
    }
}

impl ClassesReport {
    pub(super) fn new(
        columns: Vec<String>,
        decided: Decided,
        sizes: &ClassSizes,
        thresholds: &[u64],
    ) -> Self {
        let from = std::iter::once(1).chain(thresholds.iter().copied());
        let to = thresholds.iter().map(|k| Some(k - 1)).chain([None]);
        let within = from.zip(to).map(|(from, to)| {
            let upper = to.map_or(sizes.rows(), |to| sizes.rows_below(to + 1));
            SizeReport { from, to, rows: upper - sizes.rows_below(from) }
        });
        Self {
            columns,
            decided,
            classes: sizes.classes(),
            smallest: sizes.smallest(),
            largest: sizes.largest(),
            distinct_ratio: sizes.distinct_ratio().map(muslin_table::Ratio::as_f64),
            separation_ratio: sizes.separation_ratio().as_f64(),
            below: self::thresholds(sizes, thresholds),
            sizes: within.collect(),
        }
    }
}

/// Rows in classes below each of some sizes.
pub(super) fn thresholds(sizes: &ClassSizes, thresholds: &[u64]) -> Vec<Threshold> {
    thresholds.iter().map(|&k| Threshold::new(sizes, k)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
