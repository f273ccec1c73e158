//! `muslin suppress`, as a job.

use std::path::PathBuf;

use muslin::{BrokenDependency, ReleaseOutput, SuppressJob};

use super::{Asked, Wrong, set_quasi_identifiers};
use crate::Places;
use crate::args::{Common, Suppress};

impl Suppress {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<SuppressJob, Wrong> {
        let Asked { read, mut roles, missing, .. } = Asked::new(&self.input, places)?;
        let search = &self.search;
        set_quasi_identifiers(&mut roles, search.quasi_identifiers.as_deref());
        // Where a table of our own goes.
        let own =
            |file: Option<&PathBuf>| file.map(|file| ReleaseOutput::new(places.destination(file)));
        let dependency = search.r#break.as_ref().map(|(from, to)| BrokenDependency {
            from: from.clone(),
            to: to.clone(),
            one_counterexample: search.one_counterexample,
        });
        Ok(SuppressJob {
            read,
            roles,
            missing,
            notion: search.notion,
            method: search.method,
            ties: search.ties,
            irredundant: search.irredundant,
            dependency,
            weights: search.weight.iter().cloned().collect(),
            budgets: search.budget.iter().cloned().collect(),
            diversity: search.diversity.clone(),
            robust: search.robust,
            closed: search.closed,
            gap: search.gap,
            output: self.release.output(common.seed, places),
            certificate: own(search.certificate.as_ref()),
            ledger: own(search.ledger.as_ref()),
            ..SuppressJob::new(places.input(&self.input.file), search.k)
        })
    }
}
