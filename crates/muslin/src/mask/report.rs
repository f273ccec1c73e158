//! What a mask says, in a form that every door shows.

use muslin_assess::Measure;
use muslin_engine::Coverage;
use muslin_protect::MaskSample;
use muslin_table::{MissingRule, printable};
use serde::Serialize;

use crate::Error;
use crate::claims::Claim;
use crate::input::InputReport;

/// Which columns are published, and what they give away. No value of a cell is here.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaskReport {
    /// Version of the report's form: 1.
    pub schema: u32,
    /// Always `mask`.
    pub command: String,
    /// How far the search got. What is published keeps to the target in any case.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// What was read.
    pub input: InputReport,
    /// Number of rows looked at, and published.
    pub rows: u64,
    /// Rows left out because an earlier row equals them; none unless that was asked for.
    pub duplicates_dropped: Option<u64>,
    /// Number of columns measured.
    pub columns: u64,
    /// What a missing cell matches.
    pub missing_rule: MissingRule,
    /// What is measured.
    pub measure: Measure,
    /// The ratio that is not exceeded.
    pub beta: f64,
    /// Measured columns that are published, in the input's order.
    pub publish: Vec<String>,
    /// Measured columns that are not.
    pub masked: Vec<String>,
    /// Columns that are published as they are and are not part of the ratio.
    pub unmeasured: Vec<String>,
    /// Columns that are not published because they are identifiers.
    pub identifiers_dropped: Vec<String>,
    /// Whether a measured column is published. Where none is, nothing is written.
    pub reached: bool,
    /// Whether it is proven that no columns of more weight are allowed.
    pub optimal: bool,
    /// The measure's ratio for the published columns, on all rows.
    pub ratio: f64,
    /// Classes that the published columns make, of all rows; none where rows do not fall into
    /// classes.
    pub distinct_ratio: Option<f64>,
    /// Row pairs that the published columns tell apart, of all pairs.
    pub separation_ratio: f64,
    /// Rows that the published columns tell from every other row.
    pub rows_alone: u64,
    /// Rows of the smallest class on the published columns; none without rows. Where a missing
    /// cell matches anything: the fewest rows that a row matches, itself included.
    pub smallest_class: Option<u64>,
    /// What the published columns are worth.
    pub weight: f64,
    /// No allowed columns are worth more than this.
    pub upper_bound: f64,
    /// What is between the two.
    pub gap: f64,
    /// How the columns were chosen: `greedy`, `sampled` or `exact`.
    pub method: String,
    /// The published columns, one after the other.
    pub steps: Vec<MaskStepReport>,
    /// The measured columns that are not published, and why.
    pub masked_columns: Vec<MaskedReport>,
    /// The sample that the columns were chosen on.
    pub sample: Option<MaskSampleReport>,
    /// The order of the release's rows: `shuffled`, `as-read` or `seeded`; none without a release.
    pub row_order: Option<String>,
    /// Where the release is; none where none was asked for, or nothing can be published.
    pub written: Option<String>,
    /// What the release claims; nothing where nothing can be published.
    pub claims: Vec<Claim>,
    /// What to look at before relying on the figures.
    pub warnings: Vec<String>,
}

/// A column that is published.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaskStepReport {
    /// The column.
    pub column: String,
    /// The ratio of this column and those before it, on all rows; none where a limit left no time
    /// for it.
    pub ratio: Option<f64>,
    /// Whether it had to be published.
    pub kept: bool,
}

/// A column that is masked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaskedReport {
    /// The column.
    pub column: String,
    /// Why.
    pub reason: MaskReason,
    /// The ratio of the column alone; none where a limit left no time for it.
    pub ratio_alone: Option<f64>,
    /// The ratio of the column and all that is published; none where a limit left no time for it.
    pub ratio_together: Option<f64>,
}

/// Why a column is masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MaskReason {
    /// Its own ratio is greater than the target's.
    ExceedsAlone,
    /// With what is published, the ratio would be greater than the target's.
    WouldExceed,
    /// Somebody asked for it.
    Dropped,
    /// It was not come to: a sample did not suggest it, or a limit ended the search.
    NotChosen,
}

/// The sample that columns were chosen on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaskSampleReport {
    /// How many were drawn.
    pub draws: u64,
    /// What was drawn: `rows` or `pairs` of rows.
    pub of: String,
    /// The ratio that was not exceeded on the sample.
    pub beta_prime: f64,
    /// The probability, at most, that the sample suggests more than is allowed.
    pub delta: f64,
    /// The seed that drew them.
    pub seed: u64,
    /// Whether it did, so that columns were taken out again.
    pub repaired: bool,
}

impl MaskSampleReport {
    pub(super) fn new(sample: &MaskSample, measure: Measure) -> Self {
        Self {
            draws: sample.draws,
            of: match measure {
                Measure::Distinct => "rows",
                Measure::Separation => "pairs",
            }
            .into(),
            beta_prime: sample.beta.as_f64(),
            delta: sample.delta.as_f64(),
            seed: sample.seed.number(),
            repaired: sample.is_repaired,
        }
    }
}

impl MaskReport {
    /// What stands in the way when no measured column can be published; none when one is, or when
    /// a limit ended the search.
    pub fn unreached(&self) -> Option<Error> {
        let is_stopped = matches!(self.coverage, Coverage::Stopped { .. });
        if self.reached || is_stopped {
            return None;
        }
        let (measure, beta) = (self.measure.name(), self.beta);
        let text = if self.rows == 0 {
            "the table has no rows, so there is no ratio to measure\n  hint: check that the file is the right one, and pass `--header no` if its only line is a row".into()
        } else if self.masked_columns.is_empty() {
            "no column is left to publish: all that were read are identifiers\n  hint: pass `--role` for those that are none".into()
        } else if self.ratio > beta {
            format!(
                "nothing can be published: {} rows have a {measure} ratio of {} even without a column, which is greater than {beta}\n  hint: pass a larger `--beta`",
                self.rows,
                shown(self.ratio, beta)
            )
        } else if let Some((column, ratio)) = self.least_telling() {
            format!(
                "no column can be published: even `{}`, which tells fewest rows apart, has a {measure} ratio of {}, greater than {beta}\n  hint: pass a larger `--beta`",
                printable(column),
                shown(ratio, beta)
            )
        } else if self.masked_columns.iter().all(|column| column.reason == MaskReason::Dropped) {
            "no column is left to publish: all that are measured are to be dropped\n  hint: name fewer in `--drop`".into()
        } else {
            "the sample suggests no column\n  hint: draw more, or mask without `--sample`".into()
        };
        Some(unreachable(text))
    }

    /// The column of the smallest ratio, where every column that may be published exceeds alone.
    fn least_telling(&self) -> Option<(&str, f64)> {
        let open = || self.masked_columns.iter().filter(|c| c.reason != MaskReason::Dropped);
        if open().any(|column| column.reason != MaskReason::ExceedsAlone) {
            return None;
        }
        open()
            .filter_map(|column| Some((column.column.as_str(), column.ratio_alone?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// An error that says that the target cannot be reached.
pub(super) fn unreachable(text: String) -> Error {
    Error::Protect(muslin_protect::Error::Unreachable(text))
}

/// A ratio above `beta` with as many decimals as show that, four at least.
pub(super) fn shown(ratio: f64, beta: f64) -> String {
    if ratio >= 1.0 {
        return "1".into();
    }
    let mut rounded = (4..17).map(|decimals| format!("{ratio:.decimals$}"));
    let differs = |text: &String| text.parse::<f64>().is_ok_and(|rounded| rounded > beta);
    rounded.find(differs).unwrap_or_else(|| ratio.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_that_exceeds_looks_greater() {
        assert_eq!(shown(0.6, 0.5), "0.6000");
        assert_eq!(shown(0.500_000_4, 0.5), "0.5000004");
        assert_eq!(shown(1.0, 0.5), "1");
    }
}
