//! `muslin generalize`, as a job.

use muslin::GeneralizeJob;

use super::{Asked, Wrong, set_hierarchies, set_quasi_identifiers};
use crate::Places;
use crate::args::{Bounds, Common, Generalize};

impl Generalize {
    /// The job that the flags and the policy file describe; flags win.
    pub fn job(&self, common: &Common, places: &Places) -> Result<GeneralizeJob, Wrong> {
        let Asked { read, mut roles, missing, mut hierarchies, .. } =
            Asked::new(&self.input, places)?;
        let (target, recode) = (&self.target, &self.recode);
        set_quasi_identifiers(&mut roles, target.quasi_identifiers.as_deref());
        set_hierarchies(&mut hierarchies, &recode.hierarchy);
        let spreads = target.diversity.iter().chain(&target.closeness).cloned().collect();
        Ok(GeneralizeJob {
            read,
            roles,
            missing,
            spreads,
            recoding: recode.recoding,
            hierarchies,
            hierarchy_folder: recode.hierarchies.clone(),
            suppression_limit: target.suppression_limit,
            labels: recode.labels,
            tight: recode.bounds == Bounds::Tight,
            grids: recode.grid.iter().cloned().collect(),
            cut: recode.cut,
            relaxed: recode.relaxed,
            output: self.release.output(common.seed, places),
            ..GeneralizeJob::new(places.input(&self.input.file), target.k)
        })
    }
}
