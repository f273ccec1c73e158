//! `muslin bucketize`, as a job.

use muslin::{BucketMethod, BucketizeJob, ReleaseOutput};

use super::{Asked, Wrong, same_missing_by_policy, set_quasi_identifiers};
use crate::Places;
use crate::args::{Bucketize, Common};

/// What is used of a policy.
const USED: [&str; 4] =
    ["columns.*.publish", "columns.*.diversity", "columns.*.closeness", "protect.bucketize.*"];

impl Bucketize {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<BucketizeJob, Wrong> {
        let mut asked = Asked::new(&self.input, places)?;
        asked.publish_on_request();
        same_missing_by_policy(&asked, self.input.missing)?;
        let buckets = &self.buckets;
        set_quasi_identifiers(&mut asked.roles, buckets.quasi_identifiers.as_deref());
        asked.check_buckets("bucketize")?;
        let l = asked.l(buckets.l, |policy| policy.protect.bucketize.l)?;
        let unused_keys = asked.unused_keys(&USED);
        let Asked { read, roles, missing, policy, .. } = asked;
        let own = policy.as_ref().and_then(|policy| policy.protect.bucketize.method.as_deref());
        let own = own.filter(|name| *name == "mondrian").map(|_| BucketMethod::Mondrian);
        let output = self.release.output(common.seed, policy.as_ref(), places);
        let sensitive_output = output.as_ref().zip(self.sensitive_table.as_ref());
        let sensitive_output = sensitive_output.map(|(output, file)| ReleaseOutput {
            destination: places.destination(file),
            ..output.clone()
        });
        Ok(BucketizeJob {
            read,
            roles,
            missing,
            sensitive: buckets.sensitive.clone(),
            method: buckets.method.or(own).unwrap_or_default(),
            bucket_name: buckets.bucket_name.clone(),
            output,
            sensitive_output,
            unused_keys,
            ..BucketizeJob::new(places.input(&self.input.file), l)
        })
    }
}
