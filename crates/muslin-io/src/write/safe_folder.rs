//! A folder that appears whole or not at all.
//!
//! Its files are made in a temporary folder beside the destination, which nobody else may read, and
//! beside which there is a locked file as long as its maker works on it. Once complete and on the
//! disk, the two folders change names in one step, and what was there before is removed. A temporary
//! folder whose file is gone, or not locked, belongs to a program that was killed; the next maker
//! removes it.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::safe_file::{
    PREFIX, SUFFIX, Temporary, create_temporary, folder_of, remove_leftovers, sync_folder,
};
use crate::{Error, OutputProblem, Result};

/// What the name of a temporary folder has after that of its file.
const FOLDER: &str = ".d";

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
    // After the folder, so that nobody takes that for a leftover.
    _lock: (Temporary, File),
}

impl SafeFolder {
    /// Begins a folder at `destination`.
    pub fn create(destination: &Path, mark: &str) -> Result<Self> {
        let problem = |problem| Error::Output { file: destination.display().to_string(), problem };
        let unwritable = |error: io::Error| problem(OutputProblem::Unwritable(error.kind()));
        let place = place(destination, mark).map_err(problem)?;
        let name = place.file_name().ok_or_else(|| problem(OutputProblem::NotAFolder))?;
        remove_left_folders(folder_of(&place));
        remove_leftovers(folder_of(&place));
        let (temporary, lock) = create(folder_of(&place), name).map_err(unwritable)?;
        Ok(Self { temporary, destination: place, _lock: lock })
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
        put(self.temporary.path(), &self.destination).map_err(|error| self.failed(&error))?;
        self.temporary.keep();
        sync_folder(folder_of(&self.destination));
        // What was there before has the temporary name now.
        let _ = fs::remove_dir_all(self.temporary.path());
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

/// A new folder, and the locked file beside it.
fn create(folder: &Path, name: &OsStr) -> io::Result<(Temporary, (Temporary, File))> {
    let (file, path) = create_temporary(folder, name)?;
    let mut own = path.clone().into_os_string();
    own.push(FOLDER);
    let lock = (Temporary::new(path), file);
    private().create(Path::new(&own))?;
    Ok((Temporary::folder(own.into()), lock))
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
fn remove_left_folders(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(lock) = name.to_str().and_then(|name| name.strip_suffix(FOLDER)) else { continue };
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_ours = lock.starts_with(PREFIX) && lock.ends_with(SUFFIX);
        if is_folder && is_ours && is_left(&folder.join(lock)) {
            let _ = fs::remove_dir_all(entry.path());
            let _ = fs::remove_file(folder.join(lock));
        }
    }
}

/// Whether nobody holds a lock any more.
fn is_left(lock: &Path) -> bool {
    let file = OpenOptions::new().write(true).open(lock);
    file.map_or_else(
        |error| error.kind() == io::ErrorKind::NotFound,
        |file| file.try_lock().is_ok(),
    )
}
