//! A folder that appears whole or not at all.
//!
//! Its files are made in a temporary folder beside the destination, which nobody else may read and
//! which holds a locked file as long as its maker works on it. Once complete and on the disk, the
//! two folders change names in one step, and what was there before is removed. A temporary folder
//! without a locked file belongs to a program that was killed; the next maker removes it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::safe_file::{PREFIX, SUFFIX, Temporary, folder_of, sync_folder};
use crate::{Error, OutputProblem, Result};

/// The file that is locked as long as a folder is in the making.
const LOCK: &str = ".lock";

/// How long a temporary folder without a lock may be one whose maker is about to lock it, or to
/// remove what it replaced.
const GRACE: Duration = Duration::from_secs(60);

/// A folder in the making; dropped without [`SafeFolder::commit`], nothing is left of it.
///
/// # Guarantee
/// Whenever the program ends, the destination is absent, as it was before, or complete; nobody but
/// its owner may read it. Of several programs that make the same folder, one wins. A folder is
/// replaced only if it is empty or holds the file that `mark` names.
#[derive(Debug)]
pub struct SafeFolder {
    temporary: Temporary,
    destination: PathBuf,
    lock: File,
}

impl SafeFolder {
    /// Begins a folder at `destination`.
    pub fn create(destination: &Path, mark: &str) -> Result<Self> {
        let problem = |problem| Error::Output { file: destination.display().to_string(), problem };
        let unwritable = |error: io::Error| problem(OutputProblem::Unwritable(error.kind()));
        let place = place(destination, mark).map_err(problem)?;
        let name = place.file_name().ok_or_else(|| problem(OutputProblem::NotAFolder))?;
        remove_leftovers(folder_of(&place));
        let (temporary, lock) = create_temporary(folder_of(&place), name).map_err(unwritable)?;
        Ok(Self { temporary, destination: place, lock })
    }

    /// Where its files are made.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Makes a folder within.
    pub fn inner(&self, name: &str) -> Result<PathBuf> {
        let path = self.path().join(name);
        private().create(&path).map_err(|error| self.failed(&error))?;
        Ok(path)
    }

    /// Puts the folder in its place.
    pub fn commit(mut self) -> Result<()> {
        sync(self.temporary.path()).map_err(|error| self.failed(&error))?;
        // Still locked, though nobody can find it any more.
        fs::remove_file(self.temporary.path().join(LOCK)).map_err(|error| self.failed(&error))?;
        put(self.temporary.path(), &self.destination).map_err(|error| self.failed(&error))?;
        self.temporary.keep();
        sync_folder(folder_of(&self.destination));
        // What was there before has the temporary name now.
        let _ = fs::remove_dir_all(self.temporary.path());
        drop(self.lock);
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Error {
        let file = self.destination.display().to_string();
        Error::Output { file, problem: OutputProblem::Unwritable(error.kind()) }
    }
}

/// The place of a folder that may be made there.
fn place(destination: &Path, mark: &str) -> Result<PathBuf, OutputProblem> {
    let unwritable = |error: io::Error| OutputProblem::Unwritable(error.kind());
    let existing = match fs::canonicalize(destination) {
        Ok(existing) => existing,
        Err(_) if destination.is_symlink() => return Err(OutputProblem::NotAFolder),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // `folder/` and `folder` are one place.
            return Ok(destination.components().collect());
        }
        Err(error) => return Err(unwritable(error)),
    };
    if !existing.is_dir() {
        return Err(OutputProblem::NotAFolder);
    }
    let is_empty = fs::read_dir(&existing).map_err(unwritable)?.next().is_none();
    if is_empty || existing.join(mark).is_file() {
        return Ok(existing);
    }
    Err(OutputProblem::NotOurs)
}

/// Makes folders that only their owner may read.
fn private() -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// A new folder with a locked file in it.
fn create_temporary(folder: &Path, name: &OsStr) -> io::Result<(Temporary, File)> {
    for attempt in 0..1_000u32 {
        let mut temporary = OsString::from(PREFIX);
        temporary.push(name);
        temporary.push(format!("-{}-{attempt}{SUFFIX}", std::process::id()));
        let path = folder.join(temporary);
        match private().create(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        }
        let temporary = Temporary::folder(path);
        let lock = File::create_new(temporary.path().join(LOCK))?;
        // Where there are no locks, nobody takes it for a leftover before its time is over.
        let _ = lock.try_lock();
        return Ok((temporary, lock));
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Puts a complete folder in its place, in one step where there is one.
fn put(made: &Path, destination: &Path) -> io::Result<()> {
    if !destination.exists() {
        match fs::rename(made, destination) {
            // Somebody was faster.
            Err(error) if destination.exists() => drop(error),
            renamed => return renamed,
        }
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, made, CWD, destination, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
    }
    // Where names cannot be exchanged, the old folder goes first: for a moment there is none.
    let mut aside = made.as_os_str().to_owned();
    aside.push("-old");
    fs::rename(destination, &aside)?;
    match fs::rename(made, destination) {
        Ok(()) => {
            let _ = fs::rename(&aside, made);
            Ok(())
        }
        Err(error) => {
            let _ = fs::rename(&aside, destination);
            Err(error)
        }
    }
}

/// Brings everything in a folder to the disk.
fn sync(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync(&entry.path())?;
        } else {
            File::open(entry.path())?.sync_all()?;
        }
    }
    sync_folder(folder);
    Ok(())
}

/// Removes temporary folders whose makers are gone. What cannot be removed is not ours.
fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let bytes = name.as_encoded_bytes();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_ours = bytes.starts_with(PREFIX.as_bytes()) && bytes.ends_with(SUFFIX.as_bytes());
        if is_folder && is_ours && is_left(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether nobody works on a temporary folder any more.
fn is_left(folder: &Path) -> bool {
    match OpenOptions::new().write(true).open(folder.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(_) => {
            let changed = fs::metadata(folder).and_then(|of| of.modified()).ok();
            changed.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > GRACE)
        }
    }
}
