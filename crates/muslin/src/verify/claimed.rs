//! What a release claims, and who says so.

use std::path::{Path, PathBuf};

use muslin_io::Input;
use serde::Deserialize;

use super::VerifyJob;
use crate::claims::Claim;
use crate::release_folder::{MANIFEST, Manifest};
use crate::{Error, Result};

/// A release and its claims.
pub(super) struct Claimed {
    /// The file of its data.
    pub(super) data: Input,
    pub(super) claims: Vec<Claim>,
    pub(super) folder: Option<Folder>,
}

/// A release that is a folder.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    pub(super) manifest: Manifest,
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
        let Input::Path(path) = &job.release else {
            return Ok(Self { data: job.release.clone(), claims, folder: None });
        };
        if !path.is_dir() {
            return Ok(Self { data: job.release.clone(), claims, folder: None });
        }
        let manifest: Manifest = read_json(&path.join(MANIFEST))?;
        claims.extend(manifest.claims.iter().cloned());
        let data = Input::named(path.join(&manifest.data));
        let folder = Some(Folder { path: path.clone(), manifest });
        Ok(Self { data, claims, folder })
    }
}

fn read_json<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T> {
    let wrong = |reason: String| Error::Claims { file: file.display().to_string(), reason };
    let text = std::fs::read_to_string(file)
        .map_err(|error| wrong(format!("cannot be read: {}", error.kind())))?;
    serde_json::from_str(&text).map_err(|error| {
        // The message of the parser may quote what it read.
        wrong(format!(
            "is no report with claims (line {}, column {})",
            error.line(),
            error.column()
        ))
    })
}
