//! Where the hierarchies of columns come from: a file, a rule, or the values themselves.

mod automatic;
mod file;
mod rules;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use muslin_engine::Run;
use muslin_table::{Column, Hierarchy, printable};

pub use self::rules::{DatePart, HierarchyRule};

use crate::{Error, Result};

/// Where the hierarchy of a column comes from.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HierarchySource {
    /// A file: on each line a value and what it becomes, level by level.
    File(PathBuf),
    /// A rule.
    Rule(HierarchyRule),
}

/// Hierarchies by column; of columns that are not listed, made from their values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hierarchies {
    sources: BTreeMap<String, HierarchySource>,
}

impl Hierarchies {
    /// No column has one but by its values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says where a column's hierarchy comes from.
    pub fn set(&mut self, column: impl Into<String>, source: HierarchySource) {
        self.sources.insert(column.into(), source);
    }

    /// The files of a folder that are named after columns: `hierarchy_age.csv`, `age.csv`, or either
    /// after a prefix and `_`.
    pub fn add_folder(&mut self, folder: &Path, columns: &[&str]) -> Result<()> {
        let unreadable = |error: std::io::Error| Error::Hierarchy {
            place: folder.display().to_string(),
            reason: format!("cannot be read: {}", muslin_io::Cause::from(&error)),
            hint: "check the folder given as `--hierarchies`".into(),
        };
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .map_err(unreadable)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()
            .map_err(unreadable)?;
        files.sort();
        for &column in columns {
            let is_its = |file: &&PathBuf, ending: &str| {
                let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let ending = format!("{ending}{column}.csv");
                name == ending || name.ends_with(&format!("_{ending}"))
            };
            let of = |ending: &str| files.iter().find(|file| is_its(file, ending));
            if let Some(file) = of("hierarchy_").or_else(|| of("")) {
                self.sources
                    .entry(column.to_owned())
                    .or_insert_with(|| HierarchySource::File(file.clone()));
            }
        }
        Ok(())
    }

    /// Where a column's hierarchy comes from; none for its values.
    pub fn of(&self, column: &str) -> Option<&HierarchySource> {
        self.sources.get(column)
    }

    /// Columns whose hierarchies somebody gave.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.sources.keys().map(String::as_str)
    }

    /// The files that are read for them.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.sources.values().filter_map(|source| match source {
            // A policy names a file as one of its rules.
            HierarchySource::File(file) | HierarchySource::Rule(HierarchyRule::File(file)) => {
                Some(file.clone())
            }
            HierarchySource::Rule(_) => None,
        })
    }

    /// The hierarchy of a column.
    pub(crate) fn build(&self, column: &Column, run: &Run) -> Result<Hierarchy> {
        match self.of(column.name()) {
            Some(HierarchySource::File(file)) => file::read(file, column, run),
            Some(HierarchySource::Rule(rule)) => rules::build(rule, column, run),
            None => Ok(automatic::build(column)?),
        }
    }
}

/// An error about a column's hierarchy.
fn wrong(column: &Column, reason: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::Hierarchy {
        place: format!("the hierarchy of column `{}`", printable(column.name())),
        reason: reason.into(),
        hint: hint.into(),
    }
}
