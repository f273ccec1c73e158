//! `muslin mask`, as a job.

use muslin::{Beta, MaskJob, MaskMethod, Measure, Policy, Target};

use super::{Asked, Wrong, set_quasi_identifiers};
use crate::Places;
use crate::args::{Common, Mask, Names};

/// What is used of a policy.
const USED: [&str; 4] = ["columns.*.publish", "columns.*.weight", "protect.mask.*", "utility.keep"];

impl Mask {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<MaskJob, Wrong> {
        let mut asked = Asked::new(&self.input, places)?;
        asked.publish_on_request();
        set_quasi_identifiers(&mut asked.roles, self.search.quasi_identifiers.as_deref());
        let search = &self.search;
        let own = asked.policy.as_ref().map(|policy| policy.protect.mask.clone());
        let own = own.unwrap_or_default();
        let method = match search.sample {
            Some(draws) => MaskMethod::Sampled { draws, delta: search.delta },
            None if search.exact || own.exact => MaskMethod::Exact,
            None => MaskMethod::Greedy,
        };
        let target = self.target(asked.policy.as_ref())?;
        let (unused_keys, costs) = (asked.unused_keys(&USED), asked.costs());
        let Asked { read, roles, missing, policy, .. } = asked;
        Ok(MaskJob {
            at: self.place.at(),
            read,
            roles,
            missing,
            method,
            keep: Names::all(&search.keep),
            drop: Names::all(&search.drop),
            weights: search.weight.iter().cloned().collect(),
            costs,
            distinct_rows: search.distinct_rows,
            output: self.release.output(common.seed, policy.as_ref(), places),
            unused_keys,
            ..MaskJob::new(places.input(&self.input.file), target)
        })
    }

    /// The ratio that flags name, or else the policy.
    fn target(&self, policy: Option<&Policy>) -> Result<Target, Wrong> {
        let own = policy.map(|policy| &policy.protect.mask);
        let named = || {
            let name = own?.measure.as_deref()?;
            Measure::ALL.into_iter().find(|measure| measure.name() == name)
        };
        let beta = || -> Option<Beta> { own?.beta?.to_string().parse().ok() };
        let measure = self.search.measure.or_else(named);
        match (measure, self.search.beta.or_else(beta)) {
            (Some(measure), Some(beta)) => Ok(Target::new(measure, beta)),
            _ => Err(Wrong::Usage(
                "the ratio that the published columns may have is missing\n  hint: pass `--measure distinct --beta 0.5`, or write `protect.mask.measure` and `protect.mask.beta` in a policy given as `-p`",
            )),
        }
    }
}
