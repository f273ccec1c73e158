//! A file that appears whole or not at all.
//!
//! The content goes to a temporary file in the destination's folder, which nobody else may read
//! and which its writer keeps locked. Once complete and on the disk, it takes the destination's
//! name in one step. A temporary file that is not locked belongs to a program that was killed, so
//! the next writer in that folder removes it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::OutputProblem;

pub(super) const PREFIX: &str = ".muslin-";
pub(super) const SUFFIX: &str = ".tmp";

/// A destination in the making; dropped without [`SafeFile::commit`], nothing is left of it.
pub(super) struct SafeFile {
    out: BufWriter<File>,
    temporary: Temporary,
    destination: PathBuf,
}

/// Removes its file or folder when dropped, unless that was renamed.
#[derive(Debug)]
pub(super) struct Temporary {
    path: PathBuf,
    is_folder: bool,
    renamed: bool,
}

/// The temporary files and folders of this program, for the moment when it must end at once.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files of this program: for a program that is about to end without
/// giving its threads time to do so.
pub fn remove_temporary_files() {
    if let Ok(live) = LIVE.lock() {
        live.iter().for_each(|path| {
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        });
    }
}

impl Temporary {
    pub(super) fn new(path: PathBuf) -> Self {
        if let Ok(mut live) = LIVE.lock() {
            live.push(path.clone());
        }
        Self { path, is_folder: false, renamed: false }
    }

    /// A folder that is there already.
    pub(super) fn folder(path: PathBuf) -> Self {
        let mut temporary = Self::new(path);
        temporary.is_folder = true;
        temporary
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// It has another name now.
    pub(super) fn keep(&mut self) {
        self.renamed = true;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = if self.is_folder {
                fs::remove_dir_all(&self.path)
            } else {
                fs::remove_file(&self.path)
            };
        }
        if let Ok(mut live) = LIVE.lock() {
            live.retain(|path| *path != self.path);
        }
    }
}

/// A folder for what memory does not hold. It goes with this value, or with the program where that ends at once.
#[derive(Debug)]
pub struct ScratchFolder(Temporary);

impl ScratchFolder {
    /// Makes a folder among the temporary files of the system that nobody else can read.
    pub fn new() -> io::Result<Self> {
        let mut number = [0; 8];
        getrandom::fill(&mut number).map_err(|_| io::Error::other("no random numbers"))?;
        let name = format!("muslin-{:016x}", u64::from_le_bytes(number));
        let path = std::env::temp_dir().join(name);
        let temporary = Temporary::folder(path.clone());
        let mut folder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        folder.create(path)?;
        Ok(Self(temporary))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl SafeFile {
    /// Begins a file at `destination`, which must be none of `inputs`.
    pub(super) fn create(destination: &Path, inputs: &[PathBuf]) -> Result<Self, OutputProblem> {
        let unwritable = |error: io::Error| OutputProblem::Unwritable(error.kind());
        // A link stays a link: what it points to is replaced.
        let destination = match fs::canonicalize(destination) {
            Ok(existing) => {
                if !existing.is_file() {
                    return Err(OutputProblem::NotAFile);
                }
                if inputs.iter().any(|input| is_same_file(input, &existing)) {
                    return Err(OutputProblem::IsInput);
                }
                existing
            }
            // A link to nothing is no place to write to.
            Err(_) if destination.is_symlink() => return Err(OutputProblem::NotAFile),
            Err(error) if error.kind() == io::ErrorKind::NotFound => destination.to_owned(),
            Err(error) => return Err(unwritable(error)),
        };
        let folder = folder_of(&destination);
        remove_leftovers(folder);
        let name = destination.file_name().ok_or(OutputProblem::NotAFile)?;
        let (file, path) = create_temporary(folder, name).map_err(unwritable)?;
        let temporary = Temporary::new(path);
        Ok(Self { out: BufWriter::with_capacity(1 << 20, file), temporary, destination })
    }

    /// Puts the file in its place.
    pub(super) fn commit(mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        fs::rename(&self.temporary.path, &self.destination)?;
        self.temporary.keep();
        sync_folder(folder_of(&self.destination));
        Ok(())
    }
}

/// A new name is on the disk only when its folder is. A folder that cannot be opened cannot be asked
/// to, and the file is in its place all the same.
pub(super) fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

impl Write for SafeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Temporary files that this program has made.
static MADE: AtomicU64 = AtomicU64::new(0);

/// A new locked file that only its owner may read.
pub(super) fn create_temporary(folder: &Path, name: &OsStr) -> io::Result<(File, PathBuf)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    for _ in 0..1_000 {
        // No name twice: whoever saw the first must not take the second for its leftover.
        let attempt = MADE.fetch_add(1, Ordering::Relaxed);
        let mut temporary = OsString::from(PREFIX);
        temporary.push(name);
        temporary.push(format!("-{}-{attempt}{SUFFIX}", std::process::id()));
        let path = folder.join(temporary);
        let file = match options.open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        // Another writer may have taken the file for a leftover before it was locked; its name is
        // then gone and the next one is tried. Where there are no locks, nobody takes it.
        let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if !taken && path.exists() {
            return Ok((file, path));
        }
        let _ = fs::remove_file(&path);
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes temporary files whose writers are gone. What cannot be removed is not ours.
pub(super) fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let bytes = name.as_encoded_bytes();
        let is_file = entry.file_type().is_ok_and(|file_type| file_type.is_file());
        if is_file && bytes.starts_with(PREFIX.as_bytes()) && bytes.ends_with(SUFFIX.as_bytes()) {
            let file = OpenOptions::new().write(true).open(entry.path());
            if file.is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Whether two paths are one place, there or not.
pub(super) fn is_same_place(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let folder = fs::canonicalize(folder_of(path)).ok()?;
        Some((folder, path.file_name()?.to_owned()))
    };
    is_same_file(one, other) || place(one).is_some_and(|own| place(other) == Some(own))
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let id = |path: &Path| fs::metadata(path).map(|m| (m.dev(), m.ino())).ok();
        id(a).is_some() && id(a) == id(b)
    }
    #[cfg(not(unix))]
    {
        matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_is_not_committed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = SafeFile::create(&folder.path().join("out.csv"), &[]).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(names(folder.path()).len(), 1);
        drop(file);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_committed_file_replaces_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").unwrap();
        let mut file = SafeFile::create(&path, &[]).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["out.csv"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn leftovers_go_and_files_being_written_stay() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".muslin-out.csv-1-0.tmp"), "left over").unwrap();
        fs::write(folder.path().join("data.tmp"), "not ours").unwrap();
        let other = SafeFile::create(&folder.path().join("other.csv"), &[]).unwrap();
        let one = SafeFile::create(&folder.path().join("out.csv"), &[]).unwrap();
        assert_eq!(names(folder.path()).len(), 3, "{:?}", names(folder.path()));
        other.commit().unwrap();
        one.commit().unwrap();
        assert_eq!(names(folder.path()), ["data.tmp", "other.csv", "out.csv"]);
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join(".muslin-pipe.tmp");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        SafeFile::create(&folder.path().join("out.csv"), &[]).unwrap().commit().unwrap();
        assert_eq!(names(folder.path()), [".muslin-pipe.tmp", "out.csv"]);
        let link = folder.path().join("link.csv");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
        assert_eq!(SafeFile::create(&link, &[]).err(), Some(OutputProblem::NotAFile));
    }

    #[test]
    fn the_input_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("in.csv");
        fs::write(&input, "data").unwrap();
        let refused = |path: &Path| SafeFile::create(path, std::slice::from_ref(&input)).err();
        assert_eq!(refused(&input), Some(OutputProblem::IsInput));
        #[cfg(unix)]
        {
            let link = folder.path().join("link.csv");
            std::os::unix::fs::symlink(&input, &link).unwrap();
            assert_eq!(refused(&link), Some(OutputProblem::IsInput));
            let hard = folder.path().join("hard.csv");
            fs::hard_link(&input, &hard).unwrap();
            assert_eq!(refused(&hard), Some(OutputProblem::IsInput));
        }
        assert_eq!(refused(folder.path()), Some(OutputProblem::NotAFile));
        let nowhere = refused(&folder.path().join("no/such/folder.csv"));
        assert_eq!(nowhere, Some(OutputProblem::Unwritable(io::ErrorKind::NotFound)));
    }
}
