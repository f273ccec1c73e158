//! `muslin plan`, as a job.

use muslin::{Policy, ProtectJob};

use super::{Asked, Wrong, same_missing};
use crate::Places;
use crate::args::Plan;

/// Values of k that are tried where nobody says.
const KS: [u32; 4] = [3, 5, 10, 20];

impl Plan {
    /// The job that the flags and the policy file describe, and the values of k to try.
    pub fn job(&self, places: &Places) -> Result<(ProtectJob, Vec<u32>), Wrong> {
        let Asked { read, roles, policy, .. } = Asked::new(&self.input, places)?;
        same_missing(&self.input, "made")?;
        let policy = match policy {
            Some(policy) => policy,
            None => Policy::parse("no policy", "schema = 1")?,
        };
        let mut ks = if self.k.is_empty() { KS.to_vec() } else { self.k.clone() };
        ks.extend(policy.k().filter(|_| self.k.is_empty()));
        ks.sort_unstable();
        ks.dedup();
        let job = ProtectJob {
            read,
            roles,
            ..ProtectJob::new(places.input(&self.input.file), policy, "")
        };
        Ok((job, ks))
    }
}
