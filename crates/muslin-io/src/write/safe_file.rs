//! A file that appears whole or not at all.
//!
//! The content goes to a file in the destination's folder that has no name, where the system has such
//! files, and else a temporary one; nobody but its owner may read it. Once complete and on the disk, it
//! takes the destination's name in one step. Of several files that belong together none takes its
//! name before all are complete; where one then cannot, the others give theirs back.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::disk::{self, Growing};
use super::places::{check_input, folder_of};
use super::temporary::{self, Temporary, create_file, link_file, name_file, remove_leftovers};
use crate::{Cause, OutputProblem};

/// Bytes that are written at once; few in tests, so that there are many calls.
const BUFFER: usize = if cfg!(test) { 64 } else { 1 << 20 };

/// A destination in the making; dropped before it is in its place, nothing is left of it.
pub(super) struct SafeFile {
    out: BufWriter<Growing>,
    temporary: Option<Temporary>,
}

/// A file that is complete and on the disk, and does not have its name yet.
pub(super) struct CompleteFile {
    file: File,
    temporary: Option<Temporary>,
    destination: PathBuf,
}

/// Why files did not get their names.
#[derive(Debug)]
pub(super) struct NotPlaced {
    /// Which of them.
    pub(super) at: usize,
    pub(super) cause: Cause,
    /// Those that have theirs all the same, as they could not give them back.
    pub(super) placed: Vec<PathBuf>,
}

impl SafeFile {
    /// Begins a file at `destination`, which must be none of `inputs`.
    pub(super) fn create(destination: &Path, inputs: &[PathBuf]) -> Result<Self, OutputProblem> {
        check_input(destination, inputs)?;
        // A link stays a link: what it points to is replaced.
        let place = match fs::canonicalize(destination) {
            Ok(existing) if !existing.is_file() => return Err(OutputProblem::NotAFile),
            Ok(existing) => existing,
            // A link to nothing is no place to write to.
            Err(_) if destination.is_symlink() => return Err(OutputProblem::NotAFile),
            Err(error) if error.kind() == io::ErrorKind::NotFound => destination.to_owned(),
            Err(error) => return Err(unwritable(error)),
        };
        if place.file_name().is_none() {
            return Err(OutputProblem::NotAFile);
        }
        let folder = folder_of(&place);
        let (file, temporary) = match disk::create_nameless(folder).map_err(unwritable)? {
            Some(file) => {
                // Should it need a name before its own, nobody takes it for one that was left.
                let _ = file.try_lock();
                (file, None)
            }
            None => {
                let number = temporary::number_of(&place);
                let (file, temporary) = create_file(folder, number).map_err(unwritable)?;
                (file, Some(temporary))
            }
        };
        remove_leftovers(folder, &file);
        let out = BufWriter::with_capacity(BUFFER, Growing { file, place });
        Ok(Self { out, temporary })
    }

    /// Brings all of it to the disk.
    pub(super) fn complete(self) -> io::Result<CompleteFile> {
        let out = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        disk::sync(&out.file, &out.place)?;
        Ok(CompleteFile { file: out.file, temporary: self.temporary, destination: out.place })
    }
}

fn unwritable(error: io::Error) -> OutputProblem {
    OutputProblem::Unwritable(error.into())
}

impl Write for SafeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl CompleteFile {
    /// Gives all files their names, or none.
    pub(super) fn place_all(mut files: Vec<Self>) -> Result<(), NotPlaced> {
        // A single file needs no way back.
        let is_alone = files.len() == 1;
        let mut before = Vec::with_capacity(files.len());
        for (at, file) in files.iter_mut().enumerate() {
            let kept = if is_alone { Ok(None) } else { file.prepare() };
            before.push(kept.map_err(|cause| NotPlaced { at, cause, placed: Vec::new() })?);
        }
        for at in 0..files.len() {
            if let Err(error) = files[at].place() {
                let placed = take_back(&files[..at], &mut before);
                return Err(NotPlaced { at, cause: error.into(), placed });
            }
        }
        let mut folders: Vec<&Path> = files.iter().map(|own| folder_of(&own.destination)).collect();
        folders.dedup();
        folders.into_iter().for_each(disk::sync_folder);
        Ok(())
    }

    /// Does beforehand what may fail: a name for a file that replaces another, and a second name for
    /// what it replaces.
    fn prepare(&mut self) -> Result<Option<Temporary>, Cause> {
        if !self.destination.exists() {
            return Ok(None);
        }
        self.name()?;
        Ok(Some(link_file(&self.destination, folder_of(&self.destination))?))
    }

    /// A temporary name, where there is none yet.
    fn name(&mut self) -> io::Result<()> {
        if self.temporary.is_none() {
            let number = temporary::number_of(&self.destination);
            let named = name_file(&self.file, folder_of(&self.destination), number)?;
            self.temporary = Some(named);
        }
        Ok(())
    }

    fn place(&mut self) -> io::Result<()> {
        if self.temporary.is_none() && !self.destination.exists() {
            match disk::name(&self.file, &self.destination) {
                // Somebody was faster, and is replaced.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                named => return named,
            }
        }
        self.name()?;
        if let Some(temporary) = &mut self.temporary {
            disk::rename(temporary.path(), &self.destination)?;
            temporary.keep();
        }
        Ok(())
    }

    /// Whether the destination is this file.
    fn is_placed(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
            let there = fs::symlink_metadata(&self.destination).map(id);
            matches!((self.file.metadata().map(id), there), (Ok(own), Ok(there)) if own == there)
        }
        #[cfg(not(unix))]
        true
    }
}

/// Makes files give their names back, to what had them before; those that did not.
fn take_back(files: &[CompleteFile], before: &mut [Option<Temporary>]) -> Vec<PathBuf> {
    let mut placed = Vec::new();
    for (file, before) in files.iter().zip(before) {
        // Another program may have put its own there since: that stays.
        if !file.is_placed() {
            continue;
        }
        let given_back = match before {
            None => fs::remove_file(&file.destination),
            Some(old) => fs::rename(old.path(), &file.destination).map(|()| old.keep()),
        };
        if given_back.is_err() {
            placed.push(file.destination.clone());
        }
    }
    placed
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

    fn made(path: &Path, text: &str) -> CompleteFile {
        let mut file = SafeFile::create(path, &[]).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.complete().unwrap()
    }

    #[test]
    fn a_file_that_is_not_placed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let mut file = SafeFile::create(&path, &[]).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        drop(made(&path, "all"));
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_has_no_name_before_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let complete = made(&path, "all");
        if complete.temporary.is_some() {
            return; // A file system without nameless files.
        }
        assert!(names(folder.path()).is_empty());
        CompleteFile::place_all(vec![complete]).unwrap();
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn a_placed_file_replaces_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").unwrap();
        let complete = made(&path, "new");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        CompleteFile::place_all(vec![complete]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["out.csv"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn files_that_belong_together_get_their_names_together() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old.csv", "new.csv"].map(|name| folder.path().join(name));
        fs::write(&old, "old").unwrap();
        CompleteFile::place_all(vec![made(&new, "1"), made(&old, "2")]).unwrap();
        assert_eq!(fs::read_to_string(&old).unwrap(), "2");
        assert_eq!(names(folder.path()), ["new.csv", "old.csv"]);

        fs::remove_file(&new).unwrap();
        fs::write(&old, "old").unwrap();
        // The last of three finds a folder at its place.
        let last = folder.path().join("last.csv");
        let files = vec![made(&new, "1"), made(&old, "2"), made(&last, "3")];
        fs::create_dir(&last).unwrap();
        fs::write(last.join("file"), "").unwrap();
        let failed = CompleteFile::place_all(files).unwrap_err();
        assert_eq!((failed.at, failed.placed), (2, Vec::new()));
        assert_eq!(fs::read_to_string(&old).unwrap(), "old");
        assert_eq!(names(folder.path()), ["last.csv", "old.csv"]);
    }

    #[test]
    fn what_cannot_be_taken_back_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old.csv", "new.csv"].map(|name| folder.path().join(name));
        fs::write(&old, "old").unwrap();
        let mut files = vec![made(&old, "1"), made(&new, "2")];
        let mut before: Vec<_> = files.iter_mut().map(|own| own.prepare().unwrap()).collect();
        files.iter_mut().for_each(|file| file.place().unwrap());
        // Somebody removes the second name under which the old file was kept.
        fs::remove_file(before[0].as_ref().unwrap().path()).unwrap();
        assert_eq!(take_back(&files, &mut before), [old]);
        assert!(!new.exists());
    }

    #[test]
    fn names_may_be_as_long_as_the_system_allows() {
        let folder = tempfile::tempdir().unwrap();
        for length in [236, 251, 255] {
            let path = folder.path().join("n".repeat(length));
            for text in ["one", "two"] {
                CompleteFile::place_all(vec![made(&path, text)]).unwrap();
                assert_eq!(fs::read_to_string(&path).unwrap(), text);
            }
        }
        let longer = SafeFile::create(&folder.path().join("n".repeat(256)), &[]).err();
        let name = io::ErrorKind::InvalidFilename;
        assert_eq!(longer, Some(OutputProblem::Unwritable(name.into())));
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.csv");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let link = folder.path().join("link.csv");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
        for path in [&pipe, &link, folder.path()] {
            assert_eq!(SafeFile::create(path, &[]).err(), Some(OutputProblem::NotAFile));
        }
        let nowhere = SafeFile::create(&folder.path().join("no/such/folder.csv"), &[]).err();
        let not_found = io::ErrorKind::NotFound;
        assert_eq!(nowhere, Some(OutputProblem::Unwritable(not_found.into())));
    }

    #[test]
    fn of_many_writers_of_one_file_one_wins() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let text = |writer: u32| format!("{writer}\n").repeat(2_000);
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..25 {
                        CompleteFile::place_all(vec![made(path, &text(writer))]).unwrap();
                    }
                });
            }
        });
        let found = fs::read_to_string(&path).unwrap();
        assert!((0..4).any(|writer| found == text(writer)));
        assert_eq!(names(folder.path()), ["out.csv"]);
    }
}
