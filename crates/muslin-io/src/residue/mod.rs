//! What the bytes of a file say beyond its cells.
//!
//! A table that was edited in place may keep what was taken out: values that no cell has in
//! dictionaries and statistics, bytes under nulls, metadata of the program that wrote it. Here the
//! parts of a file are compared with the cells that a reader gets, by code that writers do not use.

mod arrow;
mod parquet;

use std::collections::BTreeMap;
use std::fmt;

use muslin_engine::Run;

use crate::read::{Format, Input, content, guarded};
use crate::{Place, Problem, Result};

/// A kind of thing that a file says beyond its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ResidueKind {
    /// A dictionary has values that no cell has.
    Dictionary,
    /// Statistics name values that no cell has.
    Statistics,
    /// There are bytes under cells without a value.
    UnderNull,
    /// There are bytes that belong to no cell.
    Unreferenced,
    /// A program left notes.
    Metadata,
    /// The file says by what its rows were sorted.
    Order,
    /// There is a filter of values.
    Filter,
}

impl ResidueKind {
    /// The kind's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dictionary => "dictionary",
            Self::Statistics => "statistics",
            Self::UnderNull => "under-null",
            Self::Unreferenced => "unreferenced",
            Self::Metadata => "metadata",
            Self::Order => "order",
            Self::Filter => "filter",
        }
    }
}

impl fmt::Display for ResidueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dictionary => "values in dictionaries that no cell has",
            Self::Statistics => "statistics of values that no cell has",
            Self::UnderNull => "bytes under cells without a value",
            Self::Unreferenced => "bytes that belong to no cell",
            Self::Metadata => "notes of the program that wrote it",
            Self::Order => "a note of what rows were sorted by",
            Self::Filter => "filters of values",
        })
    }
}

/// Something that a file says beyond its cells; never what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residue {
    kind: ResidueKind,
    column: Option<String>,
    count: u64,
}

impl Residue {
    /// What kind.
    pub fn kind(&self) -> ResidueKind {
        self.kind
    }

    /// The column it is about.
    pub fn column(&self) -> Option<&str> {
        self.column.as_deref()
    }

    /// How many values, bytes or notes.
    pub fn count(&self) -> u64 {
        self.count
    }
}

/// What is found, by kind and column.
#[derive(Default)]
struct Findings(BTreeMap<(ResidueKind, Option<String>), u64>);

impl Findings {
    fn add(&mut self, kind: ResidueKind, column: Option<&str>, count: usize) {
        if count > 0 {
            *self.0.entry((kind, column.map(str::to_owned))).or_default() += count as u64;
        }
    }

    fn into_list(self) -> Vec<Residue> {
        let residue = |((kind, column), count)| Residue { kind, column, count };
        self.0.into_iter().map(residue).collect()
    }
}

/// Looks for what the bytes of a table say beyond its cells. Text has nothing but cells.
///
/// # Guarantee
/// Every dictionary, every statistic and every buffer is looked at, as they are after decompression,
/// and as they are in memory where the table is there. A file that the reader takes and that cannot be looked at is an error.
///
/// # Cost
/// The file is in memory, as it is after decompression around it.
pub fn find_residue(input: &Input, run: &Run) -> Result<Vec<Residue>> {
    let place = Place::file(input.name());
    run.check()?;
    let found = if let Input::Memory(batches) = input {
        Some(arrow::look_at_batches(batches, run))
    } else {
        let (format, bytes) = content(input, run)?;
        // A damaged file may make a decoder panic.
        guarded(|| match format {
            Format::Csv => Ok(Findings::default()),
            Format::Parquet => parquet::look(bytes, run),
            Format::ArrowFile => arrow::look_at_file(bytes, run),
            Format::ArrowStream | Format::Memory | Format::Query => {
                arrow::look_at_stream(bytes, run)
            }
        })
    };
    let damaged = || place.error(Problem::Damaged("its parts do not fit together"));
    match found {
        Some(Ok(found)) => Ok(found.into_list()),
        Some(Err(Failed::Stopped(error))) => Err(error.into()),
        Some(Err(Failed::Damaged)) | None => Err(damaged()),
    }
}

/// Why a file could not be looked at.
enum Failed {
    Damaged,
    Stopped(muslin_engine::Error),
}

impl From<muslin_engine::Error> for Failed {
    fn from(error: muslin_engine::Error) -> Self {
        Self::Stopped(error)
    }
}
