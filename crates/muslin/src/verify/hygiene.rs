//! What the files of a release say beyond its cells.

use std::io;
use std::path::{Path, PathBuf};

use muslin_engine::{Error as EngineError, Run, Stop};
use muslin_io::Input;
use muslin_table::{Column, ColumnSet, EncodedTable};

use super::Tables;
use super::claimed::Claimed;
use super::report::VerifyCheck;
use crate::elsewhere::{AskAt, Elsewhere};
use crate::input::names;
use crate::pair::Pair;
use crate::published::Folder;
use crate::release_folder::{INTERNAL, MANIFEST, sha256};
use crate::{Error, Result};

/// Names that other programs give to the numbers of rows.
const INDEXES: [&str; 4] = ["__index_level_0__", "Unnamed: 0", "row_names", "_row_id"];

/// Rows below which their order says nothing.
const FEW_ROWS: usize = 20;

pub(super) fn checks(
    claimed: &Claimed,
    at: &AskAt,
    tables: &Tables<'_>,
    run: &Run,
) -> Result<Vec<VerifyCheck>> {
    let release = &tables.release;
    let mut bytes = files(&claimed.data, at, run)?;
    // What is beside the data is for release too.
    if let Some(suppressed) = claimed.suppressed.as_ref().filter(|_| met(bytes.as_ref())) {
        bytes = files(suppressed, at, run)?;
    }
    let mut checks: Vec<VerifyCheck> = bytes.into_iter().collect();
    checks.push(indexes(release));
    checks.extend(tables.pair.as_ref().and_then(order));
    if let Some(folder) = &claimed.folder {
        checks.push(manifest(folder, release)?);
    }
    Ok(checks)
}

/// The same of a release that is asked about where it is, and does not fit memory.
pub(super) fn counted(
    claimed: &Claimed,
    at: &AskAt,
    elsewhere: &Elsewhere<'_>,
    run: &Run,
) -> Result<Vec<VerifyCheck>> {
    let mut checks: Vec<VerifyCheck> = files(&claimed.data, at, run)?.into_iter().collect();
    let head = &elsewhere.head;
    let mut numbered = indexes(head);
    // A column that numbers rows has as many values as there are rows. One at a time may fit.
    let counts = elsewhere.engine.column_counts()?;
    for (id, counts) in head.all_columns().iter().zip(counts) {
        if counts.distinct < elsewhere.rows || !numbered.met {
            continue;
        }
        let column: ColumnSet = [id].into_iter().collect();
        match elsewhere.engine.collect(&column) {
            Err(EngineError::Stopped(Stop::MemoryLimit { .. })) => {
                let name = head.column(id).name();
                let reason =
                    format!("whether {} numbers the rows does not fit memory", names(&[name]));
                numbered = undecided("hygiene: index", &reason);
            }
            table => {
                let found = indexes(&table?);
                if !found.met {
                    numbered = found;
                }
            }
        }
    }
    checks.push(numbered);
    Ok(checks)
}

fn met(check: Option<&VerifyCheck>) -> bool {
    check.is_none_or(|check| check.met)
}

/// What the files say: nothing of what comes by a pipe or from a query, which has none.
fn files(data: &Input, at: &AskAt, run: &Run) -> Result<Option<VerifyCheck>> {
    match data {
        Input::Stdin => Ok(None),
        _ if at.sql.is_some() => Ok(None),
        Input::Path(path) if at.is_memory() || path.is_file() => bytes(data, run).map(Some),
        Input::Path(path) if path.is_dir() => {
            let mut first = None;
            for file in files_in(path).map_err(|error| unlisted(path, &error))? {
                let own = bytes(&Input::named(file), run)?;
                if !own.met {
                    return Ok(Some(own));
                }
                first = first.or(Some(own));
            }
            Ok(first)
        }
        Input::Path(_) => Ok(Some(undecided(
            "hygiene: bytes",
            "what files of a glob or a store say beyond their cells was not looked at",
        ))),
        Input::Memory(_) => bytes(data, run).map(Some),
    }
}

/// Files of a folder and of those in it; hidden ones are no data.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        if path.is_dir() {
            files.extend(files_in(&path)?);
        } else if !name.is_some_and(|name| name.starts_with(['_', '.'])) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn unlisted(folder: &Path, error: &io::Error) -> Error {
    let file = folder.display().to_string();
    Error::Claims { file, reason: format!("cannot be read: {}", muslin_io::Cause::from(error)) }
}

/// What is not known is not met.
fn undecided(claim: &str, reason: &str) -> VerifyCheck {
    VerifyCheck { decided: false, ..check(claim, false, reason.into(), Vec::new()) }
}

fn check(claim: &str, met: bool, reason: String, columns: Vec<String>) -> VerifyCheck {
    VerifyCheck {
        claim: claim.into(),
        met,
        decided: true,
        reason,
        columns,
        violations: 0,
        rows: Vec::new(),
        of_original: false,
    }
}

/// Nothing in the bytes that no cell says.
fn bytes(input: &Input, run: &Run) -> Result<VerifyCheck> {
    let found = muslin_io::find_residue(input, run)?;
    let mut columns: Vec<String> =
        found.iter().filter_map(|own| own.column().map(str::to_owned)).collect();
    columns.sort();
    columns.dedup();
    let mut kinds: Vec<String> = found.iter().map(|own| own.kind().to_string()).collect();
    kinds.dedup();
    let what = if matches!(input, Input::Memory(_)) { "the table" } else { "the file" };
    let reason = match &kinds[..] {
        [] => format!("{what} says nothing beyond its cells"),
        kinds => format!("{what} has {}", kinds.join(", ")),
    };
    Ok(check("hygiene: bytes", found.is_empty(), reason, columns))
}

/// No column that numbers rows.
fn indexes(release: &EncodedTable) -> VerifyCheck {
    let is_index = |column: &&Column| {
        INDEXES.contains(&column.name()) || column.name().is_empty() || counts_rows(column)
    };
    let found: Vec<&str> = release.columns().iter().filter(is_index).map(Column::name).collect();
    let reason = match &found[..] {
        [] => "no column numbers the rows".into(),
        found => format!("rows are numbered by {}", names(found)),
    };
    let columns = found.iter().map(|&name| name.to_owned()).collect();
    check("hygiene: index", found.is_empty(), reason, columns)
}

/// Whether a column has a whole number in each row, one more than in the row before.
fn counts_rows(column: &Column) -> bool {
    let values = column.dictionary();
    if column.rows() < FEW_ROWS || values.len() != column.rows() {
        return false;
    }
    let number = |at: usize| values.text(at).parse::<i64>().ok();
    let (first, last) = (number(0), number(values.len() - 1));
    let is_dense = first.zip(last).is_some_and(|(first, last)| {
        last.checked_sub(first).and_then(|span| usize::try_from(span).ok())
            == Some(values.len() - 1)
    });
    let in_order = column.codes().slots().zip(0u32..).all(|(slot, row)| slot == row);
    let backwards = column.codes().slots().zip((0..column.missing_slot()).rev());
    is_dense && (in_order || backwards.into_iter().all(|(slot, row)| slot == row))
}

/// Rows are not in the order of the original.
fn order(pair: &Pair) -> Option<VerifyCheck> {
    let (original, release) = (&pair.whole.table, &pair.release);
    if original.rows() != release.rows() || release.rows() < FEW_ROWS || pair.reading.has_buckets()
    {
        return None;
    }
    let rows = original.rows();
    let (in_place, by_chance) = pair.in_place(&original.all_columns());
    // Rows that were shuffled may lie where they were by chance: of few rows, or of rows that are much
    // alike, many do. To shuffle until none does would tell that none does.
    let is_beyond_chance = || {
        let chance = real(pair.by_chance(&original.all_columns()));
        real(in_place) >= chance + 3.0 * chance.sqrt() + 9.0
    };
    let is_told = in_place * 2 > rows && in_place > by_chance * 2 && is_beyond_chance();
    let reason = if is_told {
        "rows are where they are in the original: whoever knows its order knows who is who"
    } else {
        "rows are not in the order of the original"
    };
    Some(check("hygiene: order", !is_told, reason.into(), Vec::new()))
}

#[expect(clippy::cast_precision_loss, reason = "a threshold")]
fn real(rows: usize) -> f64 {
    rows as f64
}

/// The folder holds what its manifest says, and nothing else.
fn manifest(folder: &Folder, release: &EncodedTable) -> Result<VerifyCheck> {
    let mut wrong: Vec<String> = Vec::new();
    for file in &folder.manifest.files {
        let found = sha256(&folder.path.join(&file.name))?;
        if found.as_deref() != Some(file.sha256.as_str()) {
            wrong.push(format!("{} is not the file that was written", file.name));
        }
    }
    let known = |name: &str| {
        [MANIFEST, INTERNAL].contains(&name)
            || folder.manifest.files.iter().any(|own| own.name == name)
    };
    let entries = std::fs::read_dir(&folder.path).into_iter().flatten().flatten();
    let strange = entries.filter(|entry| !known(&entry.file_name().to_string_lossy())).count();
    if strange > 0 {
        wrong.push(format!("{strange} files are not in the manifest"));
    }
    if folder.manifest.rows != release.rows() as u64 {
        wrong.push("the number of rows is another".into());
    }
    let mut reason = if wrong.is_empty() {
        "the folder holds what its manifest says".into()
    } else {
        wrong.join("; ")
    };
    if folder.path.join(INTERNAL).exists() {
        reason = format!("{reason}; keep `{INTERNAL}` when you hand it over");
    }
    Ok(check("hygiene: manifest", wrong.is_empty(), reason, Vec::new()))
}
