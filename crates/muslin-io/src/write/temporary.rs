//! Files and folders on their way: their names, and what is done with those that killed programs left.
//!
//! A temporary file is locked by its writer. A temporary folder stands beside a locked file of the
//! same name without [`FOLDER`]. What nobody holds a lock on belongs to a program that is gone, so the
//! next writer in that folder removes it: only what has such a name, belongs to the same user and is
//! of the right kind.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::disk;

const PREFIX: &str = ".muslin-";
const SUFFIX: &str = ".tmp";
/// What the name of a temporary folder has after that of its file.
const FOLDER: &str = ".d";

/// Temporary files that this program has made.
static MADE: AtomicU64 = AtomicU64::new(0);

/// The temporary files and folders of this program, for the moment when it must end at once.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files of this program: for a program that is about to end without
/// giving its threads time to do so.
pub fn remove_temporary_files() {
    if let Ok(live) = LIVE.lock() {
        live.iter().for_each(|path| remove(path, path.is_dir()));
    }
}

/// A file or folder that is removed when this is dropped, unless it got another name.
#[derive(Debug)]
pub(super) struct Temporary {
    path: PathBuf,
    is_folder: bool,
    is_kept: bool,
}

impl Temporary {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// It has another name now.
    pub(super) fn keep(&mut self) {
        self.is_kept = true;
    }

    fn new(path: PathBuf, is_folder: bool) -> Self {
        if let Ok(mut live) = LIVE.lock() {
            live.push(path.clone());
        }
        Self { path, is_folder, is_kept: false }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_kept {
            remove(&self.path, self.is_folder);
        }
        if let Ok(mut live) = LIVE.lock() {
            live.retain(|path| *path != self.path);
        }
    }
}

fn remove(path: &Path, is_folder: bool) {
    // What cannot be removed now is removed by the next writer in that folder.
    let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// A number for the names of what becomes `destination`: names of any length make short ones.
pub(super) fn number_of(destination: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    destination.file_name().hash(&mut hasher);
    hasher.finish()
}

/// A path that nothing has had. No name twice: whoever saw the first must not take the second for
/// what a killed program left.
fn new_path(folder: &Path, number: u64) -> PathBuf {
    let made = MADE.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("{PREFIX}{number:016x}-{}-{made}{SUFFIX}", std::process::id()))
}

/// Tries names until one is free.
fn try_names<T>(
    folder: &Path,
    number: u64,
    make: impl Fn(&Path) -> io::Result<Option<T>>,
) -> io::Result<(T, PathBuf)> {
    for _ in 0..1_000 {
        let path = new_path(folder, number);
        match make(&path) {
            Ok(Some(made)) => return Ok((made, path)),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A new locked file.
pub(super) fn create_file(folder: &Path, number: u64) -> io::Result<(File, Temporary)> {
    let make = |path: &Path| {
        let file = disk::create_new(path)?;
        // Another writer may have taken the file for one of a killed program before it was locked; its
        // name is then gone and the next one is tried. Where there are no locks, nobody takes it.
        let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken && path.exists() {
            return Ok(Some(file));
        }
        let _ = fs::remove_file(path);
        Ok(None)
    };
    let (file, path) = try_names(folder, number, make)?;
    Ok((file, Temporary::new(path, false)))
}

/// A name for a nameless file, which its writer keeps locked.
pub(super) fn name_file(file: &File, folder: &Path, number: u64) -> io::Result<Temporary> {
    let ((), path) = try_names(folder, number, |path| disk::name(file, path).map(|()| Some(())))?;
    Ok(Temporary::new(path, false))
}

/// A second name of a file, under which it can be had back.
pub(super) fn link_file(file: &Path, folder: &Path) -> io::Result<Temporary> {
    let number = number_of(file);
    let ((), path) = try_names(folder, number, |path| disk::link(file, path).map(|()| Some(())))?;
    Ok(Temporary::new(path, false))
}

/// A new folder, and the locked file beside it. They are dropped in this order, so that nobody takes
/// the folder for one of a killed program.
#[derive(Debug)]
pub(super) struct TemporaryFolder {
    pub(super) folder: Temporary,
    _lock: (Temporary, File),
}

impl TemporaryFolder {
    pub(super) fn create(within: &Path, number: u64) -> io::Result<Self> {
        let (file, lock) = create_file(within, number)?;
        remove_leftovers(within, &file);
        let path = folder_of_lock(lock.path());
        disk::make_folder(&path)?;
        Ok(Self { folder: Temporary::new(path, true), _lock: (lock, file) })
    }
}

fn folder_of_lock(lock: &Path) -> PathBuf {
    let mut own = lock.as_os_str().to_owned();
    own.push(FOLDER);
    own.into()
}

/// Whether a name is one of those that [`new_path`] makes.
fn is_temporary(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let middle = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(SUFFIX));
    let parts: Vec<&str> = middle.map(|own| own.split('-').collect()).unwrap_or_default();
    let [number, process, made] = parts[..] else { return false };
    let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    number.len() == 16 && number.bytes().all(is_hex) && digits(process) && digits(made)
}

/// Removes the temporary files and folders whose writers are gone, if they belong to whom a file belongs
/// that this program just made. What cannot be removed stays.
pub(super) fn remove_leftovers(folder: &Path, made: &File) {
    let (Ok(entries), Ok(made)) = (fs::read_dir(folder), made.metadata()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if is_temporary(name) {
            remove_left_file(&entry.path(), &made);
        } else if let Some(lock) = name.strip_suffix(FOLDER).filter(|own| is_temporary(own)) {
            // A folder is made after its file and removed before it: without one nobody works on it.
            let is_alone = fs::symlink_metadata(folder.join(lock)).is_err();
            if is_alone && is_own(&entry.path(), &made, Metadata::is_dir) {
                remove(&entry.path(), true);
            }
        }
    }
}

/// Removes a temporary file, and the folder that stands beside it, if nobody holds its lock.
fn remove_left_file(path: &Path, made: &Metadata) {
    if !is_own(path, made, Metadata::is_file) {
        return;
    }
    let file = OpenOptions::new().write(true).open(path).or_else(|_| File::open(path));
    if !file.as_ref().is_ok_and(|file| file.try_lock().is_ok()) {
        return;
    }
    let beside = folder_of_lock(path);
    if is_own(&beside, made, Metadata::is_dir) {
        remove(&beside, true);
    }
    remove(path, false);
}

/// Whether something is of a kind, is no link, and has the owner of what this program made.
#[cfg_attr(not(unix), expect(unused_variables, reason = "files have no such owners"))]
fn is_own(path: &Path, made: &Metadata, is_of_kind: impl Fn(&Metadata) -> bool) -> bool {
    let Ok(metadata) = fs::symlink_metadata(path) else { return false };
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::uid(&metadata) != std::os::unix::fs::MetadataExt::uid(made) {
        return false;
    }
    is_of_kind(&metadata)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_temporary() {
        let made = new_path(Path::new(""), 7);
        assert!(is_temporary(made.to_str().unwrap()), "{}", made.display());
        for name in [
            ".muslin-0123456789abcdef-1-0.tmp.d",
            ".muslin-0123456789abcdef-1-0",
            ".muslin-0123456789abcde-1-0.tmp",
            ".muslin-0123456789ABCDEF-1-0.tmp",
            ".muslin-0123456789abcdef-1.tmp",
            ".muslin-0123456789abcdef--0.tmp",
            ".muslin-0123456789abcdef-1-0-2.tmp",
            ".muslin-notes.tmp",
            "muslin-0123456789abcdef-1-0.tmp",
        ] {
            assert!(!is_temporary(name), "{name}");
        }
    }

    #[test]
    fn what_is_left_goes_and_what_is_not_ours_stays() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let dead = |number: u64| format!(".muslin-{number:016x}-1-0.tmp");
        // As killed programs leave them.
        fs::write(at(&dead(1)), "cells").unwrap();
        fs::write(at(&dead(2)), "").unwrap();
        fs::create_dir(at(&(dead(2) + FOLDER))).unwrap();
        fs::write(at(&(dead(2) + FOLDER)).join("data.csv"), "cells").unwrap();
        fs::create_dir(at(&(dead(3) + FOLDER))).unwrap();
        // Somebody is at work.
        let (file, living) = create_file(place.path(), 4).unwrap();
        let folder = TemporaryFolder::create(place.path(), 5).unwrap();
        // Names that are like ours.
        let others = [".muslin-out.csv-1-0.tmp", ".muslin-notes.tmp.d", "data.tmp"];
        others.iter().for_each(|name| fs::write(at(name), "mine").unwrap());
        let mut stay: Vec<PathBuf> = others.iter().map(|name| at(name)).collect();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("data.tmp"), at(&dead(6))).unwrap();
            fs::create_dir(at("elsewhere")).unwrap();
            fs::write(at("elsewhere/file"), "mine").unwrap();
            std::os::unix::fs::symlink(at("elsewhere"), at(&(dead(7) + FOLDER))).unwrap();
            let pipe = at(&dead(8));
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            stay.extend([at(&dead(6)), at("elsewhere"), at("elsewhere/file"), pipe]);
            stay.push(at(&(dead(7) + FOLDER)));
        }
        stay.extend([living.path().to_owned(), folder.folder.path().to_owned()]);
        remove_leftovers(place.path(), &file);
        for gone in [dead(1), dead(2), dead(2) + FOLDER, dead(3) + FOLDER] {
            assert!(fs::symlink_metadata(at(&gone)).is_err(), "{gone}");
        }
        for path in stay {
            assert!(fs::symlink_metadata(&path).is_ok(), "{}", path.display());
        }
        drop((file, living, folder));
    }

    #[test]
    #[cfg(unix)]
    fn what_belongs_to_another_user_stays() {
        let place = tempfile::tempdir().unwrap();
        let left = place.path().join(".muslin-0123456789abcdef-1-0.tmp");
        fs::write(&left, "cells").unwrap();
        if std::os::unix::fs::chown(&left, Some(65_534), None).is_err() {
            return; // Only the superuser may give files away.
        }
        let (file, _own) = create_file(place.path(), 1).unwrap();
        remove_leftovers(place.path(), &file);
        assert!(left.exists());
    }
}
