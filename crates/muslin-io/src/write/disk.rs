//! What writers ask of the operating system. Every call that makes, fills, syncs, names or renames
//! something is here, so that tests can make any of them fail.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A new file that only its owner may read.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    fault::meet(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A new file in a folder that only its owner may read and that has no name yet; nothing where the
/// system has no such files. What has no name is gone when its program is, however that ends.
pub(super) fn create_nameless(folder: &Path) -> io::Result<Option<File>> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags, open};
        use rustix::io::Errno;
        if fault::is_plain(folder) {
            return Ok(None);
        }
        fault::meet(folder)?;
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        match open(folder, flags, Mode::RUSR | Mode::WUSR) {
            // It gets its name by way of /proc, which need not be there.
            Ok(file) => {
                let file = File::from(file);
                Ok(descriptor(&file).exists().then_some(file))
            }
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        Ok(None)
    }
}

/// Gives a nameless file its name, unless something else has it.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "there are no such files"))]
pub(super) fn name(file: &File, path: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{AtFlags, CWD, linkat};
        fault::meet(path)?;
        Ok(linkat(CWD, descriptor(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }
    #[cfg(not(target_os = "linux"))]
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// A second name of a file.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    fault::meet(to)?;
    fs::hard_link(from, to)
}

/// Another name for a file or a folder, whatever had it.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fault::meet(to)?;
    fs::rename(from, to)
}

/// Two folders change names in one step; false where the system cannot do that.
pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        if fault::is_plain(other) {
            return Ok(false);
        }
        fault::meet(other)?;
        match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(true),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (one, other);
        Ok(false)
    }
}

/// A new folder that only its owner may read.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    fault::meet(path)?;
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Brings a file to the disk; `path` is where it is or will be.
pub(super) fn sync(file: &File, path: &Path) -> io::Result<()> {
    fault::meet(path)?;
    file.sync_all()
}

/// A new name is on the disk only when its folder is. A folder that cannot be opened cannot be asked
/// to, and what has the name is in its place all the same.
pub(super) fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A file that grows.
#[derive(Debug)]
pub(super) struct Growing {
    pub(super) file: File,
    /// Where it will be.
    pub(super) place: PathBuf,
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = fault::meet_write(&self.place, bytes)?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// No call is made to fail.
#[cfg(not(test))]
mod fault {
    use std::io;
    use std::path::Path;

    #[expect(clippy::unnecessary_wraps, reason = "in tests it fails")]
    pub(super) fn meet(_: &Path) -> io::Result<()> {
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "in tests it fails")]
    pub(super) fn meet_write<'a>(_: &Path, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        Ok(bytes)
    }

    #[cfg(target_os = "linux")]
    pub(super) fn is_plain(_: &Path) -> bool {
        false
    }
}

/// Makes calls fail, for tests.
#[cfg(test)]
pub(super) mod fault {
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;

    /// What happens to the calls that are about places in a folder.
    #[derive(Clone, Debug)]
    pub(crate) struct Plan {
        /// The folder: tests run beside each other, and writers have threads of their own.
        pub(crate) folder: PathBuf,
        /// Which call, from one.
        pub(crate) at: u64,
        pub(crate) fault: Fault,
        /// Whether the file system has no nameless files and exchanges no names.
        pub(crate) is_plain: bool,
        /// Calls so far.
        pub(crate) calls: u64,
        /// Whether the fault was met.
        pub(crate) is_met: bool,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// This call, and no other, fails with this number.
        Once(i32),
        /// This call and all after it fail.
        FromThen(i32),
        /// From this call on, every other write is interrupted before it wrote anything, and those
        /// between write a single byte.
        Slow,
    }

    static PLANS: Mutex<Vec<Plan>> = Mutex::new(Vec::new());

    /// Works under a plan, and says how many calls there were and whether the fault was met.
    pub(crate) fn under<T>(plan: Plan, work: impl FnOnce() -> T) -> (T, Plan) {
        let folder = plan.folder.clone();
        PLANS.lock().unwrap().push(plan);
        let done = work();
        let mut plans = PLANS.lock().unwrap();
        let at = plans.iter().position(|own| own.folder == folder).unwrap();
        (done, plans.remove(at))
    }

    fn with<T>(path: &Path, act: impl FnOnce(&mut Plan) -> T) -> Option<T> {
        let mut plans = PLANS.lock().unwrap();
        plans.iter_mut().find(|plan| path.starts_with(&plan.folder)).map(act)
    }

    pub(super) fn meet(path: &Path) -> io::Result<()> {
        let failed = with(path, |plan| {
            plan.calls += 1;
            let number = match plan.fault {
                Fault::Once(number) if plan.calls == plan.at => number,
                Fault::FromThen(number) if plan.calls >= plan.at => number,
                _ => return None,
            };
            plan.is_met = true;
            Some(io::Error::from_raw_os_error(number))
        });
        failed.flatten().map_or(Ok(()), Err)
    }

    pub(super) fn meet_write<'a>(path: &Path, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        let slow = with(path, |plan| {
            if plan.fault != Fault::Slow || plan.calls + 1 < plan.at {
                return None;
            }
            plan.calls += 1;
            plan.is_met = true;
            Some(plan.calls.is_multiple_of(2))
        });
        match slow.flatten() {
            None => meet(path).map(|()| bytes),
            Some(true) => Err(io::ErrorKind::Interrupted.into()),
            Some(false) => Ok(&bytes[..bytes.len().min(1)]),
        }
    }

    #[cfg(target_os = "linux")]
    pub(super) fn is_plain(path: &Path) -> bool {
        with(path, |plan| plan.is_plain).unwrap_or(false)
    }
}
