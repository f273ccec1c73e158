//! `muslin slice`, as a job.

use muslin::{SliceJob, SliceSetting};

use super::{Asked, Wrong, set_hierarchies};
use crate::Places;
use crate::args::{Common, Slice};

impl Slice {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<SliceJob, Wrong> {
        let Asked { read, roles, missing, mut hierarchies, .. } = Asked::new(&self.input, places)?;
        let (cut, how) = (&self.cut, &self.how);
        set_hierarchies(&mut hierarchies, &how.hierarchy);
        let slices = match &cut.slices {
            Some(slices) => SliceSetting::Given(slices.0.clone()),
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
            output: self.release.output(common.seed, places),
            ..SliceJob::new(places.input(&self.input.file), cut.l)
        })
    }
}
