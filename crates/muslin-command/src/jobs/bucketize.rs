//! `muslin bucketize`, as a job.

use muslin::{BucketizeJob, ReleaseOutput};

use super::{Asked, Wrong, set_quasi_identifiers};
use crate::Places;
use crate::args::{Bucketize, Common};

impl Bucketize {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<BucketizeJob, Wrong> {
        let Asked { read, mut roles, missing, .. } = Asked::new(&self.input, places)?;
        let buckets = &self.buckets;
        set_quasi_identifiers(&mut roles, buckets.quasi_identifiers.as_deref());
        let output = self.release.output(common.seed, places);
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
            method: buckets.method,
            bucket_name: buckets.bucket_name.clone(),
            output,
            sensitive_output,
            ..BucketizeJob::new(places.input(&self.input.file), buckets.l)
        })
    }
}
