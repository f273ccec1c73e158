//! What is published beside the quasi-identifiers: how many rows it makes unique.

use muslin_engine::{Engine, Run};
use muslin_report::Quantity;
use muslin_table::{ColumnId, ColumnSet, EncodedTable, MissingRule, printable};
use muslin_verify::Exposure;
use serde::Serialize;

use super::VerifyJob;
use crate::Result;
use crate::claims::Claim;
use crate::input::names;
use crate::verdict::{VerdictFinding, VerdictFindingKind};

/// Columns and pairs that are listed.
const LISTED: usize = 10;

/// Rows that the published columns make unique, whatever their roles are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExposureReport {
    /// Rows of the release.
    pub rows: u64,
    /// Rows that are unique on all published columns.
    pub unique: u64,
    /// Rows that are unique on the quasi-identifiers alone.
    pub unique_on_quasi_identifiers: u64,
    /// Rows that are unique on the quasi-identifiers and the published columns that are not sensitive;
    /// none where values changed places within buckets, so that a row is not one person's.
    pub unique_beside: Option<u64>,
    /// The columns that make the most rows unique by themselves.
    pub columns: Vec<ExposedColumns>,
    /// The pairs of columns that do.
    pub pairs: Vec<ExposedColumns>,
    /// Of how many columns all pairs were counted.
    pub paired_columns: u64,
}

/// Columns, and the rows that they make unique.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExposedColumns {
    /// Their names.
    pub columns: Vec<String>,
    /// Rows that are unique on them.
    pub unique: u64,
    /// These rows as a share of all rows.
    pub share: f64,
}

/// The parts that published columns play.
struct Parts {
    quasi: ColumnSet,
    sensitive: ColumnSet,
    /// The numbers of buckets say nothing about a person.
    buckets: ColumnSet,
    are_sliced: bool,
}

impl Parts {
    fn of(job: &VerifyJob, claims: &[Claim], quasi: &[String], release: &EncodedTable) -> Self {
        let found = |names: &mut dyn Iterator<Item = &String>| -> ColumnSet {
            names.filter_map(|name| release.find(name).ok()).collect()
        };
        let sensitive = found(
            &mut claims
                .iter()
                .filter_map(|claim| claim.sensitive.as_ref())
                .chain(job.spreads.iter().map(|spread| &spread.column))
                .chain(&job.sensitive)
                .chain(job.roles.iter().filter_map(|(name, role)| {
                    (*role == muslin_table::Role::Sensitive).then_some(name)
                })),
        );
        let buckets =
            found(&mut claims.iter().filter_map(|claim| claim.bucket.as_ref()).chain(&job.bucket));
        let claimed: Vec<&Claim> =
            claims.iter().filter(|claim| !claim.columns.is_empty()).collect();
        let quasi = if claimed.is_empty() {
            found(&mut quasi.iter())
        } else {
            found(&mut claimed.iter().flat_map(|claim| &claim.columns))
        };
        let are_sliced = !buckets.is_empty() || claims.iter().any(|claim| claim.slices.is_some());
        Self {
            quasi: quasi.difference(&buckets).difference(&sensitive),
            sensitive,
            buckets,
            are_sliced,
        }
    }
}

impl VerifyJob {
    /// What is published beside the quasi-identifiers of a release in memory.
    pub(super) fn exposed(
        &self,
        claims: &[Claim],
        quasi: &[String],
        release: &EncodedTable,
        run: &Run,
    ) -> Result<(ExposureReport, Vec<VerdictFinding>)> {
        let parts = Parts::of(self, claims, quasi, release);
        let published = release.all_columns().difference(&parts.buckets);
        let facts = Exposure::new(published.clone()).run(release, run)?;
        let unique_on = |columns: ColumnSet| -> Result<u64> {
            if columns.is_empty() {
                return Ok(u64::from(release.rows() == 1));
            }
            Ok(Exposure::new(columns).pair_work(0).run(release, run)?.unique())
        };
        let on_quasi = unique_on(parts.quasi.clone())?;
        let beside = if parts.are_sliced {
            None
        } else {
            Some(unique_on(published.difference(&parts.sensitive))?)
        };
        let outside = |id: &ColumnId| !parts.quasi.contains(*id);
        let name = |id: ColumnId| release.column(id).name().to_owned();
        let columns = facts
            .singles()
            .iter()
            .filter(|(id, _)| outside(id))
            .map(|&(id, unique)| (vec![id], unique));
        let pairs = facts
            .pairs()
            .iter()
            .filter(|(ids, _)| ids.iter().any(outside))
            .map(|&(ids, unique)| (ids.to_vec(), unique));
        let rows = facts.rows();
        let of = |(ids, unique): (Vec<ColumnId>, u64)| ExposedColumns {
            columns: ids.into_iter().map(name).collect(),
            unique,
            share: share(unique, rows),
        };
        let some = |own: &ExposedColumns| own.unique > 0;
        let report = ExposureReport {
            rows,
            unique: facts.unique(),
            unique_on_quasi_identifiers: on_quasi,
            unique_beside: beside,
            columns: columns.map(of).filter(some).collect(),
            pairs: pairs.map(of).filter(some).take(LISTED).collect(),
            paired_columns: facts.paired_columns() as u64,
        };
        let findings = self.exposure_findings(&report);
        Ok((report, findings))
    }

    /// The same of a release that is asked about where it is: no pairs.
    pub(super) fn exposed_elsewhere(
        &self,
        claims: &[Claim],
        quasi: &[String],
        head: &EncodedTable,
        engine: &dyn Engine,
    ) -> Result<(ExposureReport, Vec<VerdictFinding>)> {
        let parts = Parts::of(self, claims, quasi, head);
        let published = head.all_columns().difference(&parts.buckets);
        let beside = published.difference(&parts.sensitive);
        let outside: Vec<ColumnId> = published.difference(&parts.quasi).iter().collect();
        let mut sets = vec![published, parts.quasi.clone(), beside];
        sets.extend(outside.iter().map(|&id| [id].into_iter().collect::<ColumnSet>()));
        let counted = engine.class_sizes_of_sets(&sets, MissingRule::Category)?;
        let unique: Vec<u64> = counted.iter().map(|sizes| sizes.rows_below(2)).collect();
        let rows = engine.shape()?.rows;
        let mut columns: Vec<ExposedColumns> = outside
            .iter()
            .zip(&unique[3..])
            .filter(|(_, unique)| **unique > 0)
            .map(|(&id, &unique)| ExposedColumns {
                columns: vec![head.column(id).name().to_owned()],
                unique,
                share: share(unique, rows),
            })
            .collect();
        columns.sort_by_key(|own| std::cmp::Reverse(own.unique));
        let report = ExposureReport {
            rows,
            unique: unique[0],
            unique_on_quasi_identifiers: unique[1],
            unique_beside: (!parts.are_sliced).then_some(unique[2]),
            columns,
            pairs: Vec::new(),
            paired_columns: 0,
        };
        let findings = self.exposure_findings(&report);
        Ok((report, findings))
    }

    /// The share of rows that may be unique.
    fn accepted(&self) -> String {
        format!("{} %", self.max_unique * 100.0)
    }

    fn exposure_findings(&self, report: &ExposureReport) -> Vec<VerdictFinding> {
        let is_much = |unique: u64| share(unique, report.rows) > self.max_unique;
        let percent = |unique: u64| {
            let share = Quantity::Share { part: unique, of: report.rows };
            format!(
                "{} of {} ({share})",
                Quantity::Count(unique),
                Quantity::Count(report.rows).of("row")
            )
        };
        let mut findings: Vec<VerdictFinding> = report
            .columns
            .iter()
            .filter(|own| is_much(own.unique))
            .map(|own| VerdictFinding {
                kind: VerdictFindingKind::UniqueColumn,
                text: format!(
                    "Column `{}` is published and makes {} unique by itself",
                    printable(&own.columns[0]),
                    percent(own.unique)
                ),
                columns: own.columns.clone(),
                rows: own.unique,
                remedy: Some(format!(
                    "leave it out (role `identifier`), generalize it (role `quasi-identifier`), or accept more than {} of the rows with `release.max_unique` in the policy",
                    self.accepted()
                )),
            })
            .collect();
        let more = report
            .unique_beside
            .map(|unique| unique.saturating_sub(report.unique_on_quasi_identifiers))
            .filter(|&more| is_much(more));
        if let Some(more) = more {
            // The columns that do most: alone, or with one other.
            let mut columns: Vec<String> = Vec::new();
            for name in report.columns.iter().chain(&report.pairs).flat_map(|own| &own.columns) {
                if !columns.contains(name) && columns.len() < 3 {
                    columns.push(name.clone());
                }
            }
            let most: Vec<&str> = columns.iter().map(String::as_str).collect();
            let most = if most.is_empty() {
                String::new()
            } else {
                format!("; {} contribute most", names(&most))
            };
            findings.push(VerdictFinding {
                kind: VerdictFindingKind::UniqueTogether,
                text: format!(
                    "The columns that are published beside the quasi-identifiers make {} unique{most}",
                    percent(more)
                ),
                columns,
                rows: more,
                remedy: Some(format!(
                    "leave out or generalize some of these columns, or accept more than {} of the rows with `release.max_unique` in the policy",
                    self.accepted()
                )),
            });
        }
        findings
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
