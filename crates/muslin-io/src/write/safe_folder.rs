//! A folder that appears whole or not at all.
//!
//! Its files are made in a temporary folder beside the destination, which nobody else may read. Once
//! complete and on the disk, the two folders change names in one step, and what was there before is
//! removed: only a folder that is empty, or wholly made by this program, and in which nothing is that
//! the run reads.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::disk;
use super::places::{check_folder, check_kept, folder_of, free_beside};
use super::temporary::{self, TemporaryFolder};
use crate::{Error, Kept, OutputProblem, Result};

/// Looks at a folder that is there: why it is not wholly one that this program made, if so.
pub type IsOurs = fn(&Path) -> Result<(), String>;

/// A folder in the making; dropped without [`SafeFolder::commit`], nothing is left of it.
///
/// # Guarantee
/// Whenever the program ends, the destination is absent, as it was before, or complete; nobody but
/// its owner may read it. Of several programs that make the same folder, one wins. A folder is
/// replaced only if it is empty or wholly ours, is not and does not hold the working folder, and holds
/// nothing that is read.
#[derive(Debug)]
pub struct SafeFolder {
    temporary: TemporaryFolder,
    /// As it was named, for messages.
    named: PathBuf,
    destination: PathBuf,
    inputs: Vec<PathBuf>,
    is_ours: IsOurs,
}

impl SafeFolder {
    /// Begins a folder at `destination`; `inputs` is what the run reads.
    pub fn create(destination: &Path, inputs: &[PathBuf], is_ours: IsOurs) -> Result<Self> {
        let problem = |problem| Error::Output { file: destination.display().to_string(), problem };
        let unwritable = |error: io::Error| problem(OutputProblem::Unwritable(error.into()));
        let place = place(destination).map_err(problem)?;
        check_folder(destination, inputs)?;
        check_ours(&place, destination, is_ours).map_err(problem)?;
        if place.file_name().is_none() {
            return Err(problem(OutputProblem::NotAFolder));
        }
        let number = temporary::number_of(&place);
        let temporary = TemporaryFolder::create(folder_of(&place), number).map_err(unwritable)?;
        Ok(Self {
            temporary,
            named: destination.to_owned(),
            destination: place,
            inputs: inputs.to_vec(),
            is_ours,
        })
    }

    /// Where its files are made.
    pub fn path(&self) -> &Path {
        self.temporary.folder.path()
    }

    /// Makes a folder within.
    pub fn inner(&self, name: &str) -> Result<PathBuf> {
        let path = self.path().join(name);
        disk::make_folder(&path).map_err(|error| self.failed(error.into()))?;
        Ok(path)
    }

    /// An error about a file in the making, about where it would have been.
    #[must_use]
    pub fn in_its_place(&self, error: Error) -> Error {
        let of_place = |file: String| match Path::new(&file).strip_prefix(self.path()) {
            Ok(within) => self.named.join(within).display().to_string(),
            Err(_) => file,
        };
        match error {
            Error::Output { file, problem } => Error::Output { file: of_place(file), problem },
            Error::Input { mut place, problem } => {
                place.file = of_place(place.file);
                Error::Input { place, problem }
            }
            other => other,
        }
    }

    /// Puts the folder in its place.
    pub fn commit(mut self) -> Result<()> {
        sync(self.path()).map_err(|error| self.failed(error.into()))?;
        self.put().map_err(|problem| self.failed_with(problem))?;
        disk::sync_folder(folder_of(&self.destination));
        Ok(())
    }

    /// Puts a complete folder in its place, in one step where there is one. What was there before has
    /// the temporary name then, and goes with it.
    fn put(&mut self) -> Result<(), OutputProblem> {
        let unwritable = |error: io::Error| OutputProblem::Unwritable(error.into());
        let made = self.path().to_owned();
        if !self.destination.exists() {
            match disk::rename(&made, &self.destination) {
                // Somebody was faster.
                Err(_) if self.destination.exists() => {}
                Err(error) => return Err(unwritable(error)),
                Ok(()) => {
                    self.temporary.folder.keep();
                    return Ok(());
                }
            }
        }
        // Long after the first look: something may have come into it, or be read from it now.
        check_kept(&self.destination, &self.inputs)?;
        check_ours(&self.destination, &self.named, self.is_ours)?;
        if disk::exchange(&made, &self.destination).map_err(unwritable)? {
            // What came into it since the look goes back with it.
            let still = check_ours(&made, &self.named, self.is_ours);
            if still.is_err() {
                disk::exchange(&made, &self.destination).map_err(unwritable)?;
            }
            return still;
        }
        // Where names cannot be exchanged, the old folder steps aside first: for a moment there is none.
        // Its name then is none that is ever taken for a leftover.
        let mut aside = made.as_os_str().to_owned();
        aside.push("-old");
        disk::rename(&self.destination, Path::new(&aside)).map_err(unwritable)?;
        if let Err(error) = disk::rename(&made, &self.destination) {
            let _ = fs::rename(&aside, &self.destination);
            return Err(unwritable(error));
        }
        let _ = fs::rename(&aside, &made);
        Ok(())
    }

    fn failed(&self, cause: crate::Cause) -> Error {
        self.failed_with(OutputProblem::Unwritable(cause))
    }

    fn failed_with(&self, problem: OutputProblem) -> Error {
        Error::Output { file: self.named.display().to_string(), problem }
    }
}

/// The place of a folder that is there or may be made.
fn place(destination: &Path) -> Result<PathBuf, OutputProblem> {
    match fs::canonicalize(destination) {
        Ok(existing) if existing.is_dir() => Ok(existing),
        Ok(_) => Err(OutputProblem::NotAFolder),
        Err(_) if destination.is_symlink() => Err(OutputProblem::NotAFolder),
        // `folder/` and `folder` are one place.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(destination.components().collect())
        }
        Err(error) => Err(OutputProblem::Unwritable(error.into())),
    }
}

/// An error where a folder is there, is not empty and is not wholly ours.
fn check_ours(place: &Path, named: &Path, is_ours: IsOurs) -> Result<(), OutputProblem> {
    let mut entries = match fs::read_dir(place) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(OutputProblem::Unwritable(error.into())),
    };
    if entries.next().is_none() {
        return Ok(());
    }
    is_ours(place).map_err(|why| {
        let reason = Kept::NotOurs(why);
        OutputProblem::Kept { free: free_beside(named, &reason), reason }
    })
}

/// Brings everything in a folder to the disk.
fn sync(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync(&entry.path())?;
        } else {
            disk::sync(&File::open(entry.path())?, &entry.path())?;
        }
    }
    disk::sync_folder(folder);
    Ok(())
}

/// A folder for what memory does not hold. It goes with this value, or with the program where that ends
/// at once; what a killed program left goes when the next folder is made at the same place.
#[derive(Debug)]
pub struct ScratchFolder(TemporaryFolder);

impl ScratchFolder {
    /// Makes a folder among the temporary files of the system that nobody else can read.
    pub fn new() -> io::Result<Self> {
        Self::within(&std::env::temp_dir())
    }

    /// Makes a folder in another that nobody else can read.
    pub fn within(folder: &Path) -> io::Result<Self> {
        let mut number = [0; 8];
        getrandom::fill(&mut number).map_err(|_| io::Error::other("no random numbers"))?;
        TemporaryFolder::create(folder, u64::from_le_bytes(number)).map(Self)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.folder.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_folder_is_private_and_the_next_removes_what_was_left() {
        let place = tempfile::tempdir().unwrap();
        let left = place.path().join(".muslin-0123456789abcdef-1-0.tmp");
        fs::write(&left, "").unwrap();
        let folder = place.path().join(".muslin-0123456789abcdef-1-0.tmp.d");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("spilled"), "cells").unwrap();
        fs::create_dir(place.path().join("mine")).unwrap();

        let one = ScratchFolder::within(place.path()).unwrap();
        let other = ScratchFolder::within(place.path()).unwrap();
        fs::write(one.path().join("spilled"), "cells").unwrap();
        assert!(!left.exists() && !folder.exists() && one.path() != other.path());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(one.path()).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
        drop((one, other));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "only what is not ours");
    }
}
