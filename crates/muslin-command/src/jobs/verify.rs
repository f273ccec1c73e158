//! `muslin verify`, as a job.

use muslin::{Policy, ProtectMethod, VerifyJob};

use super::{Asked, Wrong, release_read, same_missing, set_hierarchies};
use crate::Places;
use crate::args::{Names, Verify};

impl Verify {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, places: &Places) -> Result<VerifyJob, Wrong> {
        let asked = Asked::new(&self.input, places)?;
        same_missing(&asked, self.input.missing, "releases are judged")?;
        let flags = &self.claimed;
        let spreads: Vec<_> = flags.diversity.iter().chain(&flags.closeness).cloned().collect();
        let spreads = asked.spreads(&spreads);
        let slices = asked.policy_with(ProtectMethod::Slice);
        let slices = slices.and_then(|policy| policy.protect.slice.slices.clone());
        let Asked { read, roles, mut hierarchies, policy, .. } = asked;
        let claimed = &self.claimed;
        set_hierarchies(&mut hierarchies, &self.labels.hierarchy);
        let has_original = self.claimed.original.is_some();
        let of_release =
            release_read(&read, &self.input, &self.release_read, policy.as_ref(), has_original);
        Ok(VerifyJob {
            at: self.place.at(),
            original: claimed.original.as_ref().map(|name| places.input(name)),
            read: of_release,
            original_read: Some(read),
            roles,
            quasi_identifiers: claimed.quasi_identifiers.as_deref().map(Names::all),
            token: claimed.token.clone(),
            k: claimed.k.or_else(|| policy.as_ref()?.k()),
            spreads,
            claims: policy.as_ref().map(Policy::claims).unwrap_or_default(),
            claims_report: claimed.claims.as_deref().map(|name| places.report(name)),
            certificate: claimed.certificate.as_ref().map(|name| places.input(name)),
            weights: claimed.weight.iter().cloned().collect(),
            hierarchies,
            hierarchy_folder: self.labels.hierarchies.clone(),
            label_formats: self.labels.label_format.clone(),
            bucket: self.labels.bucket.clone(),
            slices: self.labels.slices.as_ref().map(|slices| slices.0.clone()).or(slices),
            sensitive: claimed.sensitive.clone(),
            max_unique: self.verdict.max_unique(policy.as_ref()),
            max_advantage: self.verdict.max_advantage(policy.as_ref()),
            attacks: !self.no_attacks,
            accept: policy.as_ref().map(|own| own.release.accept.clone()).unwrap_or_default(),
            sensitive_table: self.labels.sensitive_table.as_ref().map(|name| places.input(name)),
            ..VerifyJob::new(places.input(&self.input.file))
        })
    }
}
