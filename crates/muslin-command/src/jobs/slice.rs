//! `muslin slice`, as a job.

use muslin::{SliceJob, SliceSetting};

use super::{Asked, Wrong, same_missing_by_policy, set_hierarchies};
use crate::Places;
use crate::args::{Common, Slice};

/// What is used of a policy.
const USED: [&str; 5] = [
    "columns.*.publish",
    "columns.*.hierarchy",
    "columns.*.diversity",
    "columns.*.closeness",
    "protect.slice.*",
];

impl Slice {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<SliceJob, Wrong> {
        let mut asked = Asked::new(&self.input, places)?;
        asked.publish_on_request();
        same_missing_by_policy(&asked, self.input.missing)?;
        let (cut, how) = (&self.cut, &self.how);
        set_hierarchies(&mut asked.hierarchies, &how.hierarchy);
        asked.check_buckets("slice")?;
        let l = asked.l(cut.l, |policy| policy.protect.slice.l)?;
        let unused_keys = asked.unused_keys(&USED);
        let Asked { read, roles, missing, hierarchies, policy, .. } = asked;
        let is_found = cut.count.is_some() || cut.with_sensitive.is_some();
        let own = policy.as_ref().and_then(|policy| policy.protect.slice.slices.clone());
        let given = cut.slices.as_ref().map(|slices| slices.0.clone());
        let slices = match given.or(own.filter(|_| !is_found)) {
            Some(slices) => SliceSetting::Given(slices),
            None => SliceSetting::Found { count: cut.count, with_sensitive: cut.with_sensitive },
        };
        Ok(SliceJob {
            read,
            roles,
            missing,
            sensitive: cut.sensitive.clone(),
            slices,
            one_attempt: how.one_attempt,
            relaxed: how.relaxed,
            check: how.check,
            levels: how.level.iter().cloned().collect(),
            hierarchies,
            hierarchy_folder: how.hierarchies.clone(),
            membership: how.membership,
            bucket_name: how.bucket_name.clone(),
            output: self.release.output(common.seed, policy.as_ref(), places),
            unused_keys,
            ..SliceJob::new(places.input(&self.input.file), l)
        })
    }
}
