//! `muslin mask`, as a job.

use muslin::{MaskJob, MaskMethod, Target};

use super::{Asked, Wrong};
use crate::Places;
use crate::args::{Common, Mask, Names};

impl Mask {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<MaskJob, Wrong> {
        let Asked { read, roles, missing, .. } = Asked::new(&self.input, places)?;
        let search = &self.search;
        let method = match search.sample {
            _ if search.exact => MaskMethod::Exact,
            Some(draws) => MaskMethod::Sampled { draws, delta: search.delta },
            None => MaskMethod::Greedy,
        };
        let output = self.release.output(common.seed, places);
        let target = Target::new(search.measure, search.beta);
        Ok(MaskJob {
            at: self.place.at(),
            read,
            roles,
            missing,
            method,
            keep: Names::all(&search.keep),
            drop: Names::all(&search.drop),
            weights: search.weight.iter().cloned().collect(),
            distinct_rows: search.distinct_rows,
            output,
            ..MaskJob::new(places.input(&self.input.file), target)
        })
    }
}
