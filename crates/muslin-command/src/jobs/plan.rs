//! `muslin plan`, as a job.

use muslin::{Policy, ProtectJob, Role};

use super::{Asked, Wrong, same_missing, set_quasi_identifiers};
use crate::Places;
use crate::args::Plan;

/// Values of k that are tried where nobody says.
const KS: [u32; 4] = [3, 5, 10, 20];

impl Plan {
    /// The job that the flags and the policy file describe, and the values of k to try.
    pub fn job(&self, places: &Places) -> Result<(ProtectJob, Vec<u32>), Wrong> {
        let asked = Asked::new(&self.input, places)?;
        same_missing(&asked, self.input.missing, "releases are made")?;
        let Asked { read, mut roles, policy, .. } = asked;
        set_quasi_identifiers(&mut roles, self.quasi_identifiers.as_deref());
        let policy = match policy {
            Some(policy) => policy,
            // Without a policy an attacker may know the columns that flags name, or else every column.
            None => {
                let is_named = roles.values().any(|role| *role == Role::QuasiIdentifier);
                let others = if is_named { Role::Other } else { Role::QuasiIdentifier };
                let undeclared =
                    format!("schema = 1\n[release]\nundeclared = \"{}\"", others.name());
                Policy::parse("no policy", &undeclared)?
            }
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
