//! What a release claims, and who says so.

use muslin_io::Input;
use serde::Deserialize;

use super::VerifyJob;
use crate::Result;
use crate::claims::Claim;
use crate::published::{Folder, data_of, read_json};

/// A release and its claims.
pub(super) struct Claimed {
    /// The file of its data.
    pub(super) data: Input,
    pub(super) claims: Vec<Claim>,
    pub(super) folder: Option<Folder>,
}

/// A report, or a manifest, as far as it claims something.
#[derive(Deserialize)]
struct Claiming {
    claims: Vec<Claim>,
}

impl Claimed {
    pub(super) fn of(job: &VerifyJob) -> Result<Self> {
        let mut claims = job.claims.clone();
        if let Some(file) = &job.claims_file {
            let claiming: Claiming = read_json(file)?;
            claims.extend(claiming.claims);
        }
        let (data, folder) = data_of(&job.release)?;
        claims.extend(folder.iter().flat_map(|folder| folder.manifest.claims.iter().cloned()));
        Ok(Self { data, claims, folder })
    }
}
