//! `cargo xtask gen`: files that are generated and checked in.
//!
//! The example `generate_schema` of the crate `muslin` prints one JSON object, with a path
//! below the root for every key and the text of that file as its value. It runs as a program
//! of its own, so this tool depends on none of our crates and builds quickly.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path};

use crate::failure::{Failure, Result};
use crate::process::Call;
use crate::program::create_folder;

/// What to do about a file that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Write it.
    Write,
    /// List it and fail.
    Check,
}

/// Path below the root to text.
type Files = BTreeMap<String, String>;

/// Generates the files, then writes or compares them.
pub(crate) fn run(mode: Mode) -> Result<()> {
    let call = Call::cargo(["run", "--quiet", "-p", "muslin", "--features", "schema", "--example"])
        .args(["generate_schema"]);
    println!("$ {call}");
    let files = parse(&call.captured()?.stdout)?;
    let drifted = drifted(&files, read)?;
    match mode {
        Mode::Write => {
            for (path, text) in &drifted {
                write(Path::new(path), text)?;
                println!("wrote {path}");
            }
        }
        Mode::Check if !drifted.is_empty() => {
            for (path, _) in &drifted {
                println!("drifted: {path}");
            }
            let message = format!("{} of {} generated files drifted", drifted.len(), files.len());
            return Err(Failure::new(message, "run `cargo xtask gen`"));
        }
        Mode::Check => {}
    }
    println!("{} of {} generated files were up to date", files.len() - drifted.len(), files.len());
    Ok(())
}

/// Understands what the generator printed; every path stays below the root.
fn parse(printed: &[u8]) -> Result<Files> {
    let hint = "the example `generate_schema` prints one JSON object of paths and texts";
    let files: Files = serde_json::from_slice(printed)
        .map_err(|error| Failure::new(format!("cannot read the generated files: {error}"), hint))?;
    if files.is_empty() {
        return Err(Failure::new("the generator listed no file", hint));
    }
    let below = |path: &str| {
        let mut parts = Path::new(path).components();
        !path.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
    };
    match files.keys().find(|path| !below(path)) {
        None => Ok(files),
        Some(path) => {
            let message = format!("generated file `{path}`: not a path below the root");
            Err(Failure::new(
                message,
                "give it relative to the root of the workspace, without `..`",
            ))
        }
    }
}

/// The files whose text differs from what `read` finds at their path.
fn drifted(
    files: &Files,
    read: impl Fn(&Path) -> Result<Option<Vec<u8>>>,
) -> Result<Vec<(&str, &str)>> {
    let mut drifted = Vec::new();
    for (path, text) in files {
        if read(Path::new(path))?.as_deref() != Some(text.as_bytes()) {
            drifted.push((path.as_str(), text.as_str()));
        }
    }
    Ok(drifted)
}

/// What is in the file now; `None` when there is none.
fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", path.display());
            Err(Failure::new(message, "check its permissions"))
        }
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    fs::write(path, text).map_err(|error| {
        let message = format!("cannot write `{}`: {error}", path.display());
        Failure::new(message, "check its permissions and the space left on the disk")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_and_a_missing_file_drifted_and_an_equal_one_did_not() {
        let files = parse(br#"{"a.json": "1", "b/c.json": "2", "d.json": "3"}"#).unwrap();
        let on_disk = |path: &Path| {
            Ok(match path.to_str() {
                Some("a.json") => Some(b"1".to_vec()),
                Some("b/c.json") => Some(b"0".to_vec()),
                _ => None,
            })
        };
        assert_eq!(drifted(&files, on_disk).unwrap(), [("b/c.json", "2"), ("d.json", "3")]);
    }

    #[test]
    fn what_is_not_a_list_of_files_below_the_root_is_refused() {
        for printed in ["", "[]", "{}", r#"{"../a": ""}"#, r#"{"/a": ""}"#, r#"{"": ""}"#] {
            assert!(parse(printed.as_bytes()).is_err(), "{printed}");
        }
    }
}
