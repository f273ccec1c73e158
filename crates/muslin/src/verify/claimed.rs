//! What a release claims, and who says so.

use muslin_io::{Input, ReadOptions};
use serde::Deserialize;

use super::VerifyJob;
use crate::Result;
use crate::claims::Claim;
use crate::published::{Folder, ReportText, data_of, has_manifest, release_read};

/// A release and its claims.
pub(super) struct Claimed {
    /// The file of its data.
    pub(super) data: Input,
    /// The table that says which of its cells are suppressed, where its format does not show it.
    pub(super) suppressed: Option<Input>,
    /// How it is read.
    pub(super) read: ReadOptions,
    pub(super) claims: Vec<Claim>,
    pub(super) folder: Option<Folder>,
    /// What the report says about its certificate, where there is one to check.
    pub(super) bounded: Option<Bounded>,
}

/// A report of a suppression, as far as its bound rests on it.
#[derive(Deserialize)]
pub(super) struct Bounded {
    pub(super) columns: Vec<BoundedColumn>,
    pub(super) lower_bound: f64,
    /// Whether the certificate proves that bound.
    pub(super) bound_checked: bool,
}

/// A column that may lose cells.
#[derive(Deserialize)]
pub(super) struct BoundedColumn {
    pub(super) name: String,
    /// What a cell costs; none where all must stay.
    pub(super) weight: Option<f64>,
    /// Cells that it may lose.
    pub(super) budget: Option<u64>,
}

/// A report, or a manifest, as far as it claims something.
#[derive(Deserialize)]
struct Claiming {
    claims: Vec<Claim>,
}

impl Claimed {
    pub(super) fn of(job: &VerifyJob) -> Result<Self> {
        let mut claims = job.claims.clone();
        if let Some(report) = &job.claims_report {
            let claiming: Claiming = report.read()?;
            claims.extend(claiming.claims);
        }
        let bounded = match (&job.certificate, &job.claims_report) {
            (Some(_), Some(report)) => bounded(report)?,
            _ => None,
        };
        // Where tables are folders of files, one without a manifest is a table.
        let (data, folder) = if job.at.is_memory() || has_manifest(&job.release) {
            data_of(&job.release)?
        } else {
            (job.release.clone(), None)
        };
        claims.extend(folder.iter().flat_map(|folder| folder.manifest.claims.iter().cloned()));
        let suppressed = job.suppressed.clone().or_else(|| folder.as_ref()?.suppressed());
        let read = release_read(&job.read, folder.as_ref());
        Ok(Self { data, suppressed, read, claims, folder, bounded })
    }
}

/// What a report says about its bound; nothing where it is no report of a suppression.
fn bounded(report: &ReportText) -> Result<Option<Bounded>> {
    #[derive(Deserialize)]
    struct Told {
        #[serde(default)]
        command: String,
    }
    let told: Told = report.read()?;
    if told.command == "suppress" { report.read().map(Some) } else { Ok(None) }
}
