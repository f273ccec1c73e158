//! The folder of an executor: answers on their way to others, and what memory does not hold.
//!
//! Cells are among it, so nobody else on the machine may read it, and nothing of it may stay. Each executor makes a folder
//! of its own inside the one that it is given, which may hold anything else: Ballista removes folders in its work folder
//! by their age and when it ends, whoever made them. A lock beside the folder tells that its executor is there; what is
//! left of one that was killed has none that is held, and the next executor there removes it.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};

/// What the names of the folders begin with. A number of sixteen digits follows.
const NAME: &str = "muslin-executor-";
/// What the name of a lock ends with.
const LOCK: &str = ".lock";

/// A folder for one executor, which goes with this value.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    path: PathBuf,
    lock: PathBuf,
    /// Held as long as the executor is there.
    _held: File,
}

impl WorkFolder {
    /// Makes a folder inside another one, which is made where it is not there, and removes what killed executors left in it.
    pub(crate) fn inside(parent: &Path) -> io::Result<Self> {
        private().recursive(true).create(parent)?;
        let parent = fs::canonicalize(parent)?;
        let (lock, held) = loop {
            let mut number = [0; 8];
            getrandom::fill(&mut number).map_err(|_| io::Error::other("no random numbers"))?;
            let name = format!("{NAME}{:016x}{LOCK}", u64::from_le_bytes(number));
            let lock = parent.join(name);
            let held = private_file(&lock)?;
            held.lock()?;
            // Another executor may have taken it for one that is left, before it was held.
            if lock.exists() {
                break (lock, held);
            }
        };
        let path = lock.with_extension("");
        private().create(&path)?;
        let made = Self { path, lock, _held: held };
        made.sweep(&parent);
        Ok(made)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folders of executors that are gone. Whatever is not one of these stays, and so does what cannot be removed.
    fn sweep(&self, parent: &Path) {
        let Ok(entries) = fs::read_dir(parent) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let own = name.strip_suffix(LOCK).unwrap_or(name);
            let (folder, lock) = (parent.join(own), parent.join(format!("{own}{LOCK}")));
            if !is_one(own) || folder == self.path {
                continue;
            }
            // Held until all of it is removed, so that nobody takes the name meanwhile.
            let held = match File::open(&lock) {
                Ok(file) if file.try_lock().is_ok() => Some(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                _ => continue,
            };
            if self.is_mine(&folder, fs::Metadata::is_dir) {
                let _ = fs::remove_dir_all(&folder);
            }
            if held.is_some() && !folder.exists() && self.is_mine(&lock, fs::Metadata::is_file) {
                let _ = fs::remove_file(&lock);
            }
        }
    }

    /// Whether what is at a path is what it should be, is no link, and belongs to the user who runs this executor.
    fn is_mine(&self, path: &Path, is_right: fn(&fs::Metadata) -> bool) -> bool {
        let (Ok(own), Ok(about)) = (fs::metadata(&self.path), fs::symlink_metadata(path)) else {
            return false;
        };
        is_right(&about) && is_same_owner(&own, &about)
    }
}

#[cfg(unix)]
fn is_same_owner(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(one) == std::os::unix::fs::MetadataExt::uid(other)
}

#[cfg(not(unix))]
fn is_same_owner(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next executor.
        if fs::remove_dir_all(&self.path).is_ok() {
            let _ = fs::remove_file(&self.lock);
        }
    }
}

/// Whether a name is one of our folders.
fn is_one(name: &str) -> bool {
    let number = name.strip_prefix(NAME).unwrap_or_default();
    number.len() == 16 && number.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Folders that nobody else reads.
fn private() -> DirBuilder {
    let mut folder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut file = File::options();
    file.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
    file.open(path)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(folder: &Path) -> BTreeSet<String> {
        let name =
            |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        fs::read_dir(folder).unwrap().map(name).collect()
    }

    #[test]
    fn a_folder_is_private_and_goes_with_its_executor() {
        let parent = tempfile::tempdir().unwrap();
        let inside = parent.path().join("made/here");
        let own = WorkFolder::inside(&inside).unwrap();
        fs::create_dir_all(own.path().join("Job/1/0")).unwrap();
        #[cfg(unix)]
        for folder in [&inside, own.path()] {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
        }
        drop(own);
        assert!(names(&inside).is_empty(), "{:?}", names(&inside));
    }

    #[test]
    fn what_killed_executors_left_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            fs::create_dir_all(parent.path().join(name).join("Job/1/0")).unwrap();
            fs::write(parent.path().join(name).join("Job/1/0/data.arrow"), "cells").unwrap();
        };
        // With a lock that nobody holds, and without one.
        make("muslin-executor-0123456789abcdef");
        fs::write(parent.path().join("muslin-executor-0123456789abcdef.lock"), "").unwrap();
        make("muslin-executor-fedcba9876543210");
        fs::write(parent.path().join("muslin-executor-1111111111111111.lock"), "").unwrap();
        let others = [
            "mine",
            "muslin-executor-",
            "muslin-executor-0123456789abcde",
            "muslin-executor-0123456789abcdef0",
            "muslin-executor-0123456789ABCDEF",
            "muslin-executor-0123456789abcdef.old",
            "datafusion-tmp",
        ];
        others.into_iter().for_each(make);
        let alive = WorkFolder::inside(parent.path()).unwrap();
        fs::write(alive.path().join("cells"), "cells").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(
            parent.path().join("mine"),
            parent.path().join("muslin-executor-2222222222222222"),
        )
        .unwrap();
        let second = WorkFolder::inside(parent.path()).unwrap();
        assert!(alive.path().join("cells").exists());
        drop((alive, second));
        let left = names(parent.path());
        let mut expected: BTreeSet<String> = others.map(str::to_owned).into();
        #[cfg(unix)]
        expected.insert("muslin-executor-2222222222222222".into());
        assert_eq!(left, expected);
        assert!(parent.path().join("mine/Job/1/0/data.arrow").exists());
    }
}
