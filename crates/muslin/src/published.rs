//! A release that somebody hands over: where its data is, and which of its columns may be known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use muslin_io::{Input, ReadOptions};
use muslin_table::{Column, EncodedTable, Role};

use crate::release_folder::{MANIFEST, Manifest};
use crate::{Error, Result};

/// A release that is a folder.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) manifest: Manifest,
}

impl Folder {
    /// The table that says which cells are suppressed, where the data does not show it.
    pub(crate) fn suppressed(&self) -> Option<Input> {
        let name = self.manifest.suppressed.as_ref()?;
        Some(Input::named(self.path.join(name)))
    }
}

/// How to read the original of a release: where nobody says how it spells missing, as the release's
/// manifest says.
pub(crate) fn with_null(mut read: ReadOptions, folder: Option<&Folder>) -> ReadOptions {
    if let Some(folder) = folder.filter(|_| read.null.is_empty()) {
        read.null.clone_from(&folder.manifest.null);
    }
    read
}

/// The file of a release's data, and the folder where the release is one.
pub(crate) fn data_of(release: &Input) -> Result<(Input, Option<Folder>)> {
    let Input::Path(path) = release else { return Ok((release.clone(), None)) };
    if !path.is_dir() {
        return Ok((release.clone(), None));
    }
    let manifest: Manifest = read_json(&path.join(MANIFEST))?;
    let data = Input::named(path.join(&manifest.data));
    Ok((data, Some(Folder { path: path.clone(), manifest })))
}

/// How a release is read: as somebody said, then as its manifest says, with names in any case.
pub(crate) fn release_read(read: &ReadOptions, folder: Option<&Folder>) -> ReadOptions {
    let mut read = read.clone();
    if let Some(dialect) = folder.and_then(|folder| folder.manifest.dialect.as_ref()) {
        dialect.fill(&mut read.csv);
    }
    // Columns are found by their names.
    read.csv.header = read.csv.header.or(Some(true));
    read
}

/// Whether a release is a folder that says what it is.
pub(crate) fn has_manifest(release: &Input) -> bool {
    matches!(release, Input::Path(path) if path.join(MANIFEST).is_file())
}

/// A report as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportText {
    /// In a file.
    File(PathBuf),
    /// As it is.
    Text(String),
}

impl ReportText {
    pub(crate) fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T> {
        match self {
            Self::File(file) => read_json(file),
            Self::Text(text) => parse_json("the report", text),
        }
    }
}

fn read_json<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| {
        let reason = format!("cannot be read: {}", muslin_io::Cause::from(&error));
        Error::Claims { file: name.clone(), reason }
    })?;
    parse_json(&name, &text)
}

fn parse_json<T: serde::de::DeserializeOwned>(name: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| {
        // The message of the parser may quote what it read.
        let (line, column) = (error.line(), error.column());
        let reason = format!("is no report with claims (line {line}, column {column})");
        Error::Claims { file: name.to_owned(), reason }
    })
}

/// The columns that somebody may know: those that are named, all of which the release must have; those
/// with that role; or all that are nothing else and not among `others`.
pub(crate) fn quasi_identifiers(
    release: &EncodedTable,
    named: Option<&[String]>,
    roles: &BTreeMap<String, Role>,
    others: &[&str],
) -> Result<Vec<String>> {
    if let Some(named) = named {
        for name in named {
            release.find(name)?;
        }
        return Ok(named.to_vec());
    }
    let role = |column: &Column| roles.get(column.name());
    let has_role = release.columns().iter().any(|own| role(own) == Some(&Role::QuasiIdentifier));
    let is_own = |column: &&Column| match role(column) {
        Some(Role::QuasiIdentifier) => true,
        _ if has_role => false,
        Some(_) => false,
        None => !others.contains(&column.name()),
    };
    let own = release.columns().iter().filter(is_own);
    Ok(own.map(|column| column.name().to_owned()).collect())
}
