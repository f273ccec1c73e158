//! `muslin report`, as a job.

use muslin::ReportJob;

use super::{Asked, Wrong};
use crate::Places;
use crate::args::{Names, Report};

impl Report {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, places: &Places) -> Result<ReportJob, Wrong> {
        let Asked { read, roles, policy, .. } = Asked::new(&self.input, places)?;
        Ok(ReportJob {
            read,
            roles,
            policy,
            quasi_identifiers: self.quasi_identifiers.as_deref().map(Names::all),
            release: self.release.as_ref().map(|name| places.input(name)),
            audience: self.audience,
            k: self.k,
            budget: self.budget,
            ..ReportJob::new(places.input(&self.input.file))
        })
    }
}
