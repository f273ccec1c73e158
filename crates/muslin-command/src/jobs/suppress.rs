//! `muslin suppress`, as a job.

use std::path::PathBuf;

use muslin::{BrokenDependency, ReleaseOutput, SuppressJob};

use super::{Asked, Wrong, same_missing_by_policy, set_quasi_identifiers};
use crate::Places;
use crate::args::{Common, Suppress};

/// What is used of a policy.
const USED: [&str; 8] = [
    "columns.*.publish",
    "columns.*.weight",
    "columns.*.diversity",
    "columns.*.closeness",
    "release.preset",
    "release.k",
    "protect.suppress.*",
    "utility.keep",
];

impl Suppress {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<SuppressJob, Wrong> {
        let mut asked = Asked::new(&self.input, places)?;
        asked.publish_on_request();
        same_missing_by_policy(&asked, self.input.missing)?;
        let search = &self.search;
        set_quasi_identifiers(&mut asked.roles, search.quasi_identifiers.as_deref());
        // Where a table of our own goes.
        let output =
            |file: Option<&PathBuf>| file.map(|file| ReleaseOutput::new(places.destination(file)));
        let dependency = search.r#break.as_ref().map(|(from, to)| BrokenDependency {
            from: from.clone(),
            to: to.clone(),
            one_counterexample: search.one_counterexample,
        });
        let k = asked.k(search.k)?;
        let diversity = asked.only_diversity(search.diversity.as_ref(), "suppress")?;
        let (unused_keys, costs) = (asked.unused_keys(&USED), asked.costs());
        let Asked { read, roles, missing, policy, .. } = asked;
        let own = policy.as_ref().map(|policy| policy.protect.suppress.clone()).unwrap_or_default();
        let new = SuppressJob::new(places.input(&self.input.file), k);
        Ok(SuppressJob {
            read,
            roles,
            missing,
            notion: search.notion.or(own.notion).unwrap_or_default(),
            method: search.method,
            ties: search.ties,
            irredundant: search.irredundant,
            dependency,
            weights: search.weight.iter().cloned().collect(),
            costs,
            budgets: search.budget.iter().cloned().collect(),
            diversity,
            robust: search.robust || own.robust,
            closed: search.closed || own.closed,
            gap: search.gap.or(own.gap).unwrap_or(new.gap),
            output: self.release.output(common.seed, policy.as_ref(), places),
            certificate: output(search.certificate.as_ref()),
            ledger: output(search.ledger.as_ref()),
            unused_keys,
            ..new
        })
    }
}
