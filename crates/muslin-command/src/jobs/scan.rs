//! `muslin scan`, as a job.

use muslin::ScanJob;

use super::{Asked, Wrong};
use crate::Places;
use crate::args::{Names, Scan};

impl Scan {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, places: &Places) -> Result<ScanJob, Wrong> {
        let Asked { read, roles, missing, policy, .. } = Asked::new(&self.input, places)?;
        let quasi_identifiers = self.quasi_identifiers.as_deref().map(Names::all);
        let new = ScanJob::new(places.input(&self.input.file));
        Ok(ScanJob {
            at: self.place.at(),
            read,
            roles,
            missing,
            quasi_identifiers,
            k: self.k.or_else(|| policy.as_ref()?.k()).unwrap_or(new.k),
            budget: self.budget,
            ..new
        })
    }
}
