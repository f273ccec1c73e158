//! Which places a run may write to: no two outputs at one place, and none where something is that
//! the run reads.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use muslin_table::shell_word;

use super::{Destination, output};
use crate::{Error, Kept, OutputProblem, Result};

/// An error unless all outputs of a run are at different places, and none is, or is within, something
/// that the run reads, through links of any kind as well.
pub fn check_outputs(outputs: &[Destination], inputs: &[PathBuf]) -> Result<()> {
    for (at, one) in outputs.iter().enumerate() {
        if outputs[..at].iter().any(|earlier| earlier.is_same(one)) {
            return Err(output(one, OutputProblem::Twice));
        }
        if let Destination::Path(path) = one {
            check_input(path, inputs).map_err(|problem| output(one, problem))?;
        }
    }
    Ok(())
}

/// An error where a file would replace an input, or a part of one.
pub(super) fn check_input(file: &Path, inputs: &[PathBuf]) -> Result<(), OutputProblem> {
    for input in inputs {
        if is_same_place(input, file) {
            return Err(OutputProblem::IsInput);
        }
        check_within(file, input)?;
    }
    Ok(())
}

/// An error where something would be written into a folder that is read, or over a file that a pattern
/// of names stands for.
fn check_within(path: &Path, input: &Path) -> Result<(), OutputProblem> {
    let Some(place) = place_of(path) else { return Ok(()) };
    let is_read = match fs::canonicalize(input) {
        Ok(folder) => folder.is_dir() && place.starts_with(folder),
        Err(_) => path.exists() && fits(&place, input),
    };
    let file = input.display().to_string();
    if is_read { Err(OutputProblem::WithinInput(file)) } else { Ok(()) }
}

/// Whether a file may be one that a pattern such as `data/*.parquet` stands for: the folder before the
/// first `*`, `?` or `[` holds it, and its name begins and ends as the pattern's does.
fn fits(place: &Path, pattern: &Path) -> bool {
    let is_wild = |c: char| "*?[]{}".contains(c);
    let Some(text) = pattern.to_str().filter(|text| text.contains(is_wild)) else { return false };
    let plain = text.split(is_wild).next().unwrap_or_default();
    let folder = plain.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let folder = if plain.starts_with('/') && folder.is_empty() { "/" } else { folder };
    let (Ok(folder), Some(name)) = (fs::canonicalize(folder), place.file_name()) else {
        return false;
    };
    let last = text.rsplit('/').next().unwrap_or_default();
    let starts = last.split(is_wild).next().unwrap_or_default();
    let ends = last.rsplit(is_wild).next().unwrap_or_default();
    let name = name.to_string_lossy();
    place.starts_with(folder) && name.starts_with(starts) && name.ends_with(ends)
}

/// An error where a folder must not be replaced as a whole, whatever is in it: it is or holds the
/// working folder, or it holds something that is read or lies in it.
///
/// A folder that is not there yet passes, unless it would lie in a folder that is read.
pub fn check_folder(folder: &Path, inputs: &[PathBuf]) -> Result<()> {
    let problem = |problem| Error::Output { file: folder.display().to_string(), problem };
    for input in inputs {
        check_within(folder, input).map_err(problem)?;
    }
    check_kept(folder, inputs).map_err(problem)
}

/// The same for a folder that is there already.
pub(super) fn check_kept(folder: &Path, inputs: &[PathBuf]) -> Result<(), OutputProblem> {
    let Ok(existing) = fs::canonicalize(folder) else { return Ok(()) };
    let is_within = |path: &Path| path.starts_with(&existing);
    let kept =
        |reason: Kept| Err(OutputProblem::Kept { free: free_beside(folder, &reason), reason });
    if std::env::current_dir().and_then(fs::canonicalize).is_ok_and(|own| is_within(&own)) {
        return kept(Kept::WorkingFolder);
    }
    let held = inputs.iter().find(|input| {
        let is_there = fs::canonicalize(input).is_ok_and(|own| is_within(&own));
        // A link in the folder goes with it, wherever it leads.
        let is_led = |part: &Path| place_of(part).is_some_and(|own| is_within(&own));
        is_there || input.ancestors().filter(|part| !part.as_os_str().is_empty()).any(is_led)
    });
    held.map_or(Ok(()), |input| kept(Kept::HoldsInput(input.display().to_string())))
}

/// A name that nothing has, for what cannot be written to `folder`; for a shell.
pub(super) fn free_beside(folder: &Path, reason: &Kept) -> String {
    let spelled: PathBuf = folder.components().collect();
    let base = match reason {
        Kept::WorkingFolder => None,
        _ if spelled.file_name().is_none() => None,
        _ => Some(spelled),
    };
    let numbered = |base: &Path, number: u32| {
        let mut name = base.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    };
    let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
    let own = PathBuf::from("release");
    let mut names: Box<dyn Iterator<Item = PathBuf>> = match base {
        Some(base) => Box::new((2..).map(move |number| numbered(&base, number))),
        None => Box::new(
            std::iter::once(own.clone()).chain((2..).map(move |number| numbered(&own, number))),
        ),
    };
    let free = names.find(is_free).expect("a folder has fewer names than there are numbers");
    shell_word(&free.display().to_string()).into_owned()
}

/// Whether two paths are one place, there or not.
pub(super) fn is_same_place(one: &Path, other: &Path) -> bool {
    is_same_file(one, other) || place_of(one).is_some_and(|own| place_of(other) == Some(own))
}

/// Where a path is, without following a link in its last part.
fn place_of(path: &Path) -> Option<PathBuf> {
    Some(fs::canonicalize(folder_of(path)).ok()?.join(path.file_name()?))
}

/// The folder that a path is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let id = |path: &Path| -> io::Result<_> { fs::metadata(path).map(|m| (m.dev(), m.ino())) };
        matches!((id(a), id(b)), (Ok(a), Ok(b)) if a == b)
    }
    #[cfg(not(unix))]
    {
        matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(done: Result<()>) -> Option<OutputProblem> {
        match done {
            Ok(()) => None,
            Err(Error::Output { problem, .. }) => Some(problem),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn outputs_are_apart_and_none_is_an_input() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        for name in ["in.csv", "other.csv"] {
            fs::write(at(name), "a\n1\n").unwrap();
        }
        fs::create_dir(at("parts")).unwrap();
        fs::write(at("parts/a.parquet"), "").unwrap();
        fs::hard_link(at("in.csv"), at("hard.csv")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("in.csv"), at("link.csv")).unwrap();
        let inputs = [at("in.csv"), at("parts"), at("not/there.csv")];
        let check = |names: &[&str]| {
            let outputs: Vec<_> = names.iter().map(|name| Destination::named(at(name))).collect();
            problem(check_outputs(&outputs, &inputs))
        };
        assert_eq!(check(&["new.csv", "other.csv"]), None);
        assert_eq!(check(&["new.csv", "parts/../new.csv"]), Some(OutputProblem::Twice));
        for name in ["in.csv", "hard.csv", "parts/../in.csv"] {
            assert_eq!(check(&["new.csv", name]), Some(OutputProblem::IsInput), "{name}");
        }
        #[cfg(unix)]
        assert_eq!(check(&["link.csv"]), Some(OutputProblem::IsInput));
        for name in ["parts/a.parquet", "parts/new.csv"] {
            let within = OutputProblem::WithinInput(at("parts").display().to_string());
            assert_eq!(check(&[name]), Some(within), "{name}");
        }
        let twice = [Destination::Stdout, Destination::Stdout];
        assert_eq!(problem(check_outputs(&twice, &[])), Some(OutputProblem::Twice));
    }

    #[test]
    fn a_file_that_a_pattern_stands_for_is_an_input() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("d")).unwrap();
        for name in ["d/a.parquet", "d/a.csv"] {
            fs::write(at(name), "").unwrap();
        }
        let check = |name: &str| check_input(&at(name), &[at("d/*.parquet")]);
        assert!(matches!(check("d/a.parquet"), Err(OutputProblem::WithinInput(_))));
        assert_eq!(check("d/a.csv"), Ok(()));
        assert_eq!(check("d/new.parquet"), Ok(()), "it is not there yet, so it is not read");
        assert_eq!(check("a.parquet"), Ok(()));
    }

    #[test]
    fn a_folder_that_holds_something_that_is_read_is_kept() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("proj/sub")).unwrap();
        fs::create_dir(at("outside")).unwrap();
        for name in ["proj/sub/in.csv", "outside/in.csv"] {
            fs::write(at(name), "").unwrap();
        }
        let check = |folder: &str, input: &str| problem(check_folder(&at(folder), &[at(input)]));
        let is_kept = |folder: &str, input: &str| {
            matches!(check(folder, input),
                Some(OutputProblem::Kept { reason: Kept::HoldsInput(_), free })
                    if free == at(&format!("{folder}-2")).display().to_string())
        };
        assert!(is_kept("proj", "proj/sub/in.csv") && is_kept("proj", "proj/not-there.csv"));
        assert!(is_kept("proj/sub", "outside/../proj/sub/in.csv"));
        assert_eq!(check("proj/sub", "outside/in.csv"), None);
        assert!(matches!(check("proj/new", "proj"), Some(OutputProblem::WithinInput(_))));
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(at("proj/sub"), at("outside/way")).unwrap();
            symlink(at("outside"), at("proj/out")).unwrap();
            assert!(is_kept("proj", "outside/way/in.csv"), "a link leads into the folder");
            assert!(is_kept("proj", "proj/out/in.csv"), "a link that goes with the folder");
        }
    }

    #[test]
    fn the_working_folder_is_kept() {
        for folder in [".", "..", "../.", "/"] {
            let found = problem(check_folder(Path::new(folder), &[]));
            let Some(OutputProblem::Kept { reason, free }) = found else { panic!("{folder}") };
            assert_eq!(reason, Kept::WorkingFolder);
            assert_eq!(free, "release");
        }
    }
}
