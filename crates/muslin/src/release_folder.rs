//! A release as a folder: its data, what it claims, and what only its owner may see.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::claims::Claim;
use crate::{Error, Result};

/// The file that says what a release is.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The folder that is not for release.
pub(crate) const INTERNAL: &str = "internal";

/// What a release is, for whoever gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Manifest {
    /// Version of this form: 1.
    pub schema: u32,
    /// The version of muslin that made it.
    pub muslin: String,
    /// The file of the data.
    pub data: String,
    /// The files that are for release.
    pub files: Vec<ManifestFile>,
    /// SHA-256 of the input.
    pub input_sha256: Option<String>,
    /// SHA-256 of the policy.
    pub policy_sha256: Option<String>,
    /// Published rows.
    pub rows: u64,
    /// Published columns.
    pub columns: Vec<String>,
    /// What holds, as a judge counted it.
    pub claims: Vec<Claim>,
    /// Known attacks that were accepted.
    pub accepted: Vec<String>,
    /// Whether a seed decided every draw, so that who guesses it can undo them.
    pub reproducible: bool,
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManifestFile {
    /// Its name in the folder.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: String,
}

/// Releases beside this one, by name. What cannot be read is none.
pub(crate) fn beside(release: &Path) -> Vec<(String, Manifest)> {
    let above = match release.parent() {
        Some(above) if !above.as_os_str().is_empty() => above,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(above) else { return Vec::new() };
    let manifest = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        // Those with a dot are in the making.
        if name.starts_with('.') || release.file_name() == Some(&entry.file_name()) {
            return None;
        }
        let text = std::fs::read_to_string(entry.path().join(MANIFEST)).ok()?;
        Some((name, serde_json::from_str(&text).ok()?))
    };
    let mut found: Vec<(String, Manifest)> = entries.flatten().filter_map(manifest).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// The SHA-256 of a file; nothing where there is no such file.
pub(crate) fn sha256(path: &Path) -> Result<Option<String>> {
    let unreadable = |error: io::Error| Error::Claims {
        file: path.display().to_string(),
        reason: format!("cannot be read: {}", error.kind()),
    };
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(unreadable)? {
            0 => return Ok(Some(hex(&hash.finalize()))),
            read => hash.update(&buffer[..read]),
        }
    }
}

/// The SHA-256 of a text.
pub(crate) fn sha256_of(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from_digit(four.into(), 16).expect("four bits");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
