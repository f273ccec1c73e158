//! `muslin attack`, as a job.

use muslin::{AttackJob, Policy, ProtectMethod};

use super::{Asked, Wrong, release_read, same_missing, set_hierarchies};
use crate::Places;
use crate::args::{Attack, Names};

impl Attack {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, places: &Places) -> Result<AttackJob, Wrong> {
        let asked = Asked::new(&self.input, places)?;
        same_missing(&asked, self.input.missing, "releases are attacked")?;
        let slices = asked.policy_with(ProtectMethod::Slice);
        let slices = slices.and_then(|policy| policy.protect.slice.slices.clone());
        let notion = asked.policy_with(ProtectMethod::Suppress);
        let notion = notion.and_then(|policy| policy.protect.suppress.notion);
        let Asked { read, roles, mut hierarchies, policy, .. } = asked;
        let (attacker, made) = (&self.attacker, &self.made);
        set_hierarchies(&mut hierarchies, &made.hierarchy);
        let has_original = self.attacker.original.is_some();
        let of_release =
            release_read(&read, &self.input, &self.release_read, policy.as_ref(), has_original);
        Ok(AttackJob {
            original: attacker.original.as_ref().map(|name| places.input(name)),
            read: of_release,
            original_read: Some(read),
            roles,
            quasi_identifiers: attacker.quasi_identifiers.as_deref().map(Names::all),
            sensitive: attacker.sensitive.clone(),
            bucket: made.bucket.clone(),
            slices: made.slices.as_ref().map(|slices| slices.0.clone()).or(slices),
            sensitive_table: made.sensitive_table.as_ref().map(|name| places.input(name)),
            token: made.token.clone(),
            k: made.k.or_else(|| policy.as_ref().and_then(Policy::k)),
            notion: made.notion.or(notion),
            aux: attacker.aux.as_ref().map(|name| places.input(name)),
            on: attacker.on.as_deref().map(Names::all).unwrap_or_default(),
            id: attacker.id.clone(),
            previous: attacker.previous.as_ref().map(|name| places.input(name)),
            seeds: attacker.seeds,
            hierarchies,
            hierarchy_folder: made.hierarchies.clone(),
            label_formats: made.label_format.clone(),
            only: attacker.only.as_deref().map(Names::all),
            max_advantage: attacker
                .max_advantage
                .or(policy.as_ref().and_then(|own| own.release.max_advantage))
                .unwrap_or(AttackJob::MAX_ADVANTAGE),
            ..AttackJob::new(places.input(&self.input.file))
        })
    }
}
