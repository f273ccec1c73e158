//! `muslin protect`, as a job.

use muslin::{Destination, ProtectJob, Seed};

use super::{Asked, Wrong, same_missing};
use crate::Places;
use crate::args::{Common, Protect};

impl Protect {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<ProtectJob, Wrong> {
        let asked = Asked::new(&self.input, places)?;
        same_missing(&asked, self.input.missing, "releases are made")?;
        let Asked { read, roles, policy, .. } = asked;
        let policy = policy.expect("the policy is a required flag");
        let text = self.input.policy.as_ref().and_then(|path| places.text(path).ok());
        let max_unique = self.verdict.max_unique(Some(&policy));
        let max_advantage = self.verdict.max_advantage(Some(&policy));
        Ok(ProtectJob {
            read,
            max_unique,
            max_advantage,
            roles,
            policy_text: text,
            seed: self.reproducible.then(|| Seed::new(common.seed)),
            memory: match places.destination(&self.output) {
                Destination::Memory(memory) => Some(memory),
                _ => None,
            },
            ..ProtectJob::new(places.input(&self.input.file), policy, &self.output)
        })
    }
}
