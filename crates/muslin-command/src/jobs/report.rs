//! `muslin report`, as a job.

use muslin::{ReadOptions, ReportJob};

use super::{Asked, Wrong, release_read};
use crate::Places;
use crate::args::{Names, Report};

impl Report {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, places: &Places) -> Result<ReportJob, Wrong> {
        let Asked { read, roles, policy, .. } = Asked::new(&self.input, places)?;
        let of_release =
            release_read(&read, &self.input, &self.release_read, policy.as_ref(), true);
        Ok(ReportJob {
            // Spellings of missing and columns are found as without a report.
            release_read: ReadOptions { csv: of_release.csv, ..ReadOptions::default() },
            read,
            roles,
            policy,
            quasi_identifiers: self.quasi_identifiers.as_deref().map(Names::all),
            release: self.release.as_ref().map(|name| places.input(name)),
            audience: self.audience,
            k: self.k,
            budget: self.budget,
            label_formats: self.label_format.clone(),
            ..ReportJob::new(places.input(&self.input.file))
        })
    }
}
