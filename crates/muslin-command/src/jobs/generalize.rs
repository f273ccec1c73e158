//! `muslin generalize`, as a job.

use muslin::GeneralizeJob;

use super::{Asked, Wrong, same_missing_by_policy, set_hierarchies, set_quasi_identifiers};
use crate::Places;
use crate::args::{Bounds, Common, Generalize};

/// What is used of a policy.
const USED: [&str; 7] = [
    "columns.*.publish",
    "columns.*.hierarchy",
    "columns.*.diversity",
    "columns.*.closeness",
    "release.preset",
    "release.k",
    "protect.generalize.*",
];

impl Generalize {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<GeneralizeJob, Wrong> {
        let mut asked = Asked::new(&self.input, places)?;
        asked.publish_on_request();
        same_missing_by_policy(&asked, self.input.missing)?;
        let (target, recode) = (&self.target, &self.recode);
        let own = asked.policy.as_ref().map(|policy| policy.protect.generalize.clone());
        let own = own.unwrap_or_default();
        if !own.levels.is_empty() {
            return Err(asked.refused(
                "protect.generalize.levels",
                "generalize",
                "run `muslin protect -p`, which suppresses what levels leave, or leave the key out to have levels found",
            ));
        }
        set_quasi_identifiers(&mut asked.roles, target.quasi_identifiers.as_deref());
        set_hierarchies(&mut asked.hierarchies, &recode.hierarchy);
        let k = asked.k(target.k)?;
        let spreads: Vec<_> = target.diversity.iter().chain(&target.closeness).cloned().collect();
        let spreads = asked.spreads(&spreads);
        let unused_keys = asked.unused_keys(&USED);
        let Asked { read, roles, missing, hierarchies, policy, .. } = asked;
        let mut grids = own.grid;
        grids.extend(recode.grid.iter().cloned());
        Ok(GeneralizeJob {
            read,
            roles,
            missing,
            spreads,
            recoding: recode.recoding.or(own.recoding).unwrap_or_default(),
            hierarchies,
            hierarchy_folder: recode.hierarchies.clone(),
            suppression_limit: target.suppression_limit.or(own.suppression_limit),
            labels: recode.labels.or(own.labels),
            max_set: recode.max_set.or(own.max_set),
            tight: recode.bounds.map_or(own.tight, |bounds| bounds == Bounds::Tight),
            grids,
            cut: recode.cut,
            relaxed: recode.relaxed,
            output: self.release.output(common.seed, policy.as_ref(), places),
            unused_keys,
            ..GeneralizeJob::new(places.input(&self.input.file), k)
        })
    }
}
