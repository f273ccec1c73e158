//! `muslin init`, as a job.

use muslin::InitJob;

use super::{Asked, Wrong};
use crate::Places;
use crate::args::Init;

impl Init {
    /// The job that the flags describe.
    pub fn job(&self, places: &Places) -> Result<InitJob, Wrong> {
        let Asked { read, roles, .. } = Asked::new(&self.input, places)?;
        Ok(InitJob {
            read,
            roles,
            preset: self.preset.clone(),
            decide: self.decide.iter().cloned().collect(),
            force: self.force,
            ..InitJob::new(places.input(&self.input.file))
        })
    }
}
