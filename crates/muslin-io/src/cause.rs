use std::fmt;
use std::io;

/// Why the operating system refused to read or to write, in plain words. The system's own texts may
/// hold paths, and for some refusals the standard library has no words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// Something the standard library has a kind for.
    Kind(io::ErrorKind),
    /// This program has as many files open as it may.
    TooManyFiles,
    /// All programs of the machine together have.
    TooManyFilesOfAll,
    /// The disk or the device failed.
    Device,
    /// Symbolic links lead in a circle.
    CircularLinks,
    /// Something else, by the system's number.
    Number(i32),
}

impl From<io::ErrorKind> for Cause {
    fn from(kind: io::ErrorKind) -> Self {
        Self::Kind(kind)
    }
}

impl From<&io::Error> for Cause {
    fn from(error: &io::Error) -> Self {
        let Some(number) = error.raw_os_error() else { return Self::Kind(error.kind()) };
        #[cfg(unix)]
        {
            use rustix::io::Errno;
            match Errno::from_raw_os_error(number) {
                Errno::MFILE => return Self::TooManyFiles,
                Errno::NFILE => return Self::TooManyFilesOfAll,
                Errno::IO => return Self::Device,
                Errno::LOOP => return Self::CircularLinks,
                _ => {}
            }
        }
        // The standard library calls what it has no kind for so, and only then.
        if error.kind().to_string() == "uncategorized error" {
            return Self::Number(number);
        }
        Self::Kind(error.kind())
    }
}

impl From<io::Error> for Cause {
    fn from(error: io::Error) -> Self {
        Self::from(&error)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use io::ErrorKind as Kind;
        f.write_str(match self {
            Self::Kind(Kind::NotFound) => "no such file or folder",
            Self::Kind(Kind::UnexpectedEof) => "it ends early",
            Self::Kind(Kind::StorageFull) => "no space is left on the disk",
            Self::Kind(Kind::QuotaExceeded) => "the disk quota is used up",
            Self::Kind(Kind::FileTooLarge) => "the file would be larger than the system allows",
            Self::Kind(Kind::ReadOnlyFilesystem) => "the file system is read-only",
            Self::Kind(Kind::PermissionDenied) => "permission denied",
            Self::Kind(Kind::InvalidFilename) => "the name is longer than the file system allows",
            Self::Kind(kind) => return kind.fmt(f),
            Self::TooManyFiles => "this program has too many files open",
            Self::TooManyFilesOfAll => "too many files are open on this machine",
            Self::Device => "the disk reported an input/output error",
            Self::CircularLinks => "its symbolic links lead in a circle",
            Self::Number(number) => return write!(f, "the system reported error {number}"),
        })
    }
}

impl Cause {
    /// A way out for whoever reads.
    pub(crate) fn hint_of_reading(self) -> &'static str {
        match self {
            Self::Kind(io::ErrorKind::NotFound) => "check the path",
            Self::Kind(io::ErrorKind::IsADirectory) => "name one file in it",
            Self::CircularLinks => "check the symbolic links of the path",
            Self::Device => "copy the file to another disk, as far as it can be read",
            Self::TooManyFiles | Self::TooManyFilesOfAll => MORE_FILES,
            _ => "check the path and your permission to read it",
        }
    }

    /// A way out for whoever writes.
    pub(crate) fn hint_of_writing(self) -> &'static str {
        use io::ErrorKind as Kind;
        match self {
            Self::Kind(Kind::NotFound) => "make the folder first",
            Self::Kind(Kind::StorageFull | Kind::QuotaExceeded) => {
                "free some space or write elsewhere"
            }
            Self::Kind(Kind::FileTooLarge) => {
                "raise the limit on the size of files with `ulimit -f unlimited`, or write to another disk"
            }
            Self::Kind(Kind::ReadOnlyFilesystem) => "write to another folder",
            Self::Kind(Kind::InvalidFilename) => "give it a shorter name",
            Self::CircularLinks => "check the symbolic links of the path",
            Self::Device => "write to another disk, and check this one",
            Self::TooManyFiles | Self::TooManyFilesOfAll => MORE_FILES,
            _ => "check the folder and your permission to write there",
        }
    }
}

const MORE_FILES: &str =
    "raise the limit on open files with `ulimit -n 1024`, or close other programs";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn every_refusal_has_plain_words() {
        use rustix::io::Errno;
        for (errno, said) in [
            (Errno::NOSPC, "no space is left on the disk"),
            (Errno::DQUOT, "the disk quota is used up"),
            (Errno::FBIG, "the file would be larger than the system allows"),
            (Errno::ROFS, "the file system is read-only"),
            (Errno::ACCESS, "permission denied"),
            (Errno::MFILE, "this program has too many files open"),
            (Errno::NFILE, "too many files are open on this machine"),
            (Errno::IO, "the disk reported an input/output error"),
            (Errno::LOOP, "its symbolic links lead in a circle"),
            (Errno::NAMETOOLONG, "the name is longer than the file system allows"),
            (Errno::NOENT, "no such file or folder"),
        ] {
            let error = io::Error::from_raw_os_error(errno.raw_os_error());
            assert_eq!(Cause::from(&error).to_string(), said);
        }
        let odd = io::Error::from_raw_os_error(Errno::NOTUNIQ.raw_os_error());
        let said = Cause::from(&odd).to_string();
        assert!(said.starts_with("the system reported error "), "{said}");
    }
}
