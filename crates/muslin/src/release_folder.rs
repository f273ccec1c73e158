//! A release as a folder: its data, what it claims, and what only its owner may see.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use muslin_io::{CsvOptions, CsvStyle, Encoding};
use muslin_table::printable;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::claims::Claim;
use crate::{Error, Result};

/// The file that says what a release is.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The folder that is not for release.
pub(crate) const INTERNAL: &str = "internal";

/// What a release is, for whoever gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Manifest {
    /// Version of this form: 1.
    pub schema: u32,
    /// The version of muslin that made it.
    pub muslin: String,
    /// The file of the data.
    pub data: String,
    /// The file that says which cells of the data are suppressed, where the data's format shows them as
    /// missing: a true or false for each cell of a column that has some, in the order of the data's rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<String>,
    /// How the input spelled missing cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub null: Vec<String>,
    /// The files that are for release.
    pub files: Vec<ManifestFile>,
    /// SHA-256 of the policy.
    pub policy_sha256: Option<String>,
    /// How the text of the data is written; none for formats that say it themselves.
    #[serde(default)]
    pub dialect: Option<ReleaseDialect>,
    /// Published rows.
    pub rows: u64,
    /// Published columns.
    pub columns: Vec<String>,
    /// What holds, as a judge counted it.
    pub claims: Vec<Claim>,
    /// Known attacks that were accepted.
    pub accepted: Vec<String>,
    /// Whether a seed decided every draw, so that who guesses it can undo them.
    pub reproducible: bool,
    /// The verdict when it was written.
    #[serde(default)]
    pub verdict: String,
    /// What to look at before relying on the release.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// How the text of a release is written, so that nobody needs to guess it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseDialect {
    /// The character between fields.
    pub delimiter: char,
    /// The character around fields that need one.
    pub quote: char,
    /// Whether the first record holds the columns' names.
    pub header: bool,
    /// How characters are stored: `utf-8`, `utf-16le`, `utf-16be`, `latin-1` or `windows-1252`.
    pub encoding: String,
    /// Whether the decimal mark is a comma.
    pub decimal_comma: bool,
}

impl ReleaseDialect {
    pub(crate) fn new(style: &CsvStyle) -> Self {
        Self {
            delimiter: style.delimiter,
            quote: style.quote,
            header: true,
            encoding: style.encoding.name().into(),
            decimal_comma: style.decimal_comma,
        }
    }

    /// Options for reading: what is said already counts.
    pub(crate) fn fill(&self, csv: &mut CsvOptions) {
        let named = |own: &Encoding| own.name() == self.encoding;
        csv.delimiter = csv.delimiter.or(Some(self.delimiter));
        csv.quote = csv.quote.or(Some(Some(self.quote)));
        csv.header = csv.header.or(Some(self.header));
        csv.encoding = csv.encoding.or_else(|| Encoding::ALL.into_iter().find(named));
        csv.decimal_comma = csv.decimal_comma.or(Some(self.decimal_comma));
    }

    /// The dialect in a few words.
    pub fn in_words(&self) -> String {
        let delimiter = match self.delimiter {
            '\t' => "tab".to_owned(),
            other => format!("`{other}`"),
        };
        let mark = if self.decimal_comma { "decimal commas" } else { "decimal points" };
        format!("{delimiter} between fields, {mark}, {}", self.encoding)
    }
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManifestFile {
    /// Its name in the folder.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: String,
}

/// What only the owner of a release may see of it.
pub(crate) const REPORT: &str = "report.json";

/// What [`INTERNAL`] holds.
pub(crate) const INTERNAL_FILES: [&str; 3] = [REPORT, "diff.json", "ledger.csv"];

/// The most that a manifest takes.
const LARGEST_MANIFEST: u64 = 64 << 20;

/// Looks at a folder that is to be replaced: why it is not wholly a release that muslin made, if so.
///
/// It is one where `manifest.json` is a manifest of ours, and every file in the folder is that, is
/// listed there, or is one that muslin writes into `internal`. All are plain files of the folder itself.
pub(crate) fn wholly_ours(folder: &Path) -> Result<(), String> {
    let manifest = own_manifest(&folder.join(MANIFEST))
        .ok_or_else(|| format!("it has no `{MANIFEST}` that muslin wrote"))?;
    let is_listed = |name: &str| manifest.files.iter().any(|file| file.name == name);
    check_files(folder, &|name| name == MANIFEST || name == INTERNAL || is_listed(name))?;
    let internal = folder.join(INTERNAL);
    if fs::symlink_metadata(&internal).is_ok() {
        check_files(&internal, &|name| INTERNAL_FILES.contains(&name))?;
    }
    Ok(())
}

/// A manifest of this form, written by a version of muslin.
fn own_manifest(path: &Path) -> Option<Manifest> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(LARGEST_MANIFEST).read_to_string(&mut text).ok()?;
    let manifest: Manifest = serde_json::from_str(&text).ok()?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let version: Vec<&str> = manifest.muslin.split('.').collect();
    let is_version = version.len() == 3 && version.into_iter().all(is_number);
    (manifest.schema == 1 && is_version).then_some(manifest)
}

/// An error unless all that is in a folder has an expected name and is a plain file; `internal` is a folder.
fn check_files(folder: &Path, is_expected: &dyn Fn(&str) -> bool) -> Result<(), String> {
    let unreadable =
        |error: io::Error| format!("it cannot be read: {}", muslin_io::Cause::from(error));
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        let shown = printable(&name.to_string_lossy()).into_owned();
        if !name.to_str().is_some_and(is_expected) {
            return Err(format!("muslin did not write `{shown}`"));
        }
        let kind = entry.file_type().map_err(unreadable)?;
        let is_of_kind = if name == INTERNAL { kind.is_dir() } else { kind.is_file() };
        if !is_of_kind {
            return Err(format!("`{shown}` is not what muslin writes by that name"));
        }
    }
    Ok(())
}

/// A release in a folder beside another.
pub(crate) struct Beside {
    /// The folder's name.
    pub(crate) name: String,
    pub(crate) manifest: Manifest,
    /// SHA-256 of its input, where the owner's part is still there.
    pub(crate) input_sha256: Option<String>,
}

/// The owner's report, as far as it says what the release was made of.
#[derive(Deserialize)]
struct Made {
    input_sha256: Option<String>,
}

/// Releases beside this one, by name. What cannot be read is none.
pub(crate) fn beside(release: &Path) -> Vec<Beside> {
    let above = match release.parent() {
        Some(above) if !above.as_os_str().is_empty() => above,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(above) else { return Vec::new() };
    let manifest = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        // Those with a dot are in the making.
        if name.starts_with('.') || release.file_name() == Some(&entry.file_name()) {
            return None;
        }
        let text = std::fs::read_to_string(entry.path().join(MANIFEST)).ok()?;
        let manifest = serde_json::from_str(&text).ok()?;
        let made = std::fs::read_to_string(entry.path().join(INTERNAL).join(REPORT)).ok();
        let made: Option<Made> = made.and_then(|text| serde_json::from_str(&text).ok());
        Some(Beside { name, manifest, input_sha256: made.and_then(|made| made.input_sha256) })
    };
    let mut found: Vec<Beside> = entries.flatten().filter_map(manifest).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// The SHA-256 of a file; nothing where there is no such file.
pub(crate) fn sha256(path: &Path) -> Result<Option<String>> {
    let unreadable = |error: io::Error| Error::Claims {
        file: path.display().to_string(),
        reason: format!("cannot be read: {}", muslin_io::Cause::from(&error)),
    };
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(unreadable)? {
            0 => return Ok(Some(hex(&hash.finalize()))),
            read => hash.update(&buffer[..read]),
        }
    }
}

/// The SHA-256 of a text.
pub(crate) fn sha256_of(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from_digit(four.into(), 16).expect("four bits");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A release as muslin writes it.
    fn release() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| ManifestFile { name: name.into(), bytes: 2, sha256: String::new() };
        let manifest = Manifest {
            schema: 1,
            muslin: env!("CARGO_PKG_VERSION").into(),
            data: "data.csv".into(),
            suppressed: None,
            null: Vec::new(),
            files: vec![file("data.csv"), file("summary.md")],
            policy_sha256: None,
            dialect: None,
            rows: 1,
            columns: vec!["a".into()],
            claims: Vec::new(),
            accepted: Vec::new(),
            reproducible: false,
            verdict: String::new(),
            warnings: Vec::new(),
        };
        write(&folder, MANIFEST, &serde_json::to_string(&manifest).unwrap());
        write(&folder, "data.csv", "a\n");
        write(&folder, "summary.md", "# \n");
        fs::create_dir(folder.path().join(INTERNAL)).unwrap();
        INTERNAL_FILES.iter().for_each(|name| write(&folder, &format!("{INTERNAL}/{name}"), ""));
        folder
    }

    fn write(folder: &tempfile::TempDir, name: &str, text: &str) {
        fs::write(folder.path().join(name), text).unwrap();
    }

    fn refused(change: impl Fn(&tempfile::TempDir)) -> String {
        let folder = release();
        assert_eq!(wholly_ours(folder.path()), Ok(()));
        change(&folder);
        wholly_ours(folder.path()).unwrap_err()
    }

    #[test]
    fn a_folder_with_anything_else_is_not_wholly_ours() {
        for name in ["people.csv", ".git", "internal/notes.txt"] {
            let shown = name.rsplit('/').next().unwrap();
            let said = refused(|folder| write(folder, name, "mine"));
            assert_eq!(said, format!("muslin did not write `{shown}`"));
        }
        let said = refused(|folder| fs::create_dir(folder.path().join("src")).unwrap());
        assert_eq!(said, "muslin did not write `src`");
        // A folder in the place of a file, a link in the place of the data.
        let said = refused(|folder| {
            fs::remove_file(folder.path().join("data.csv")).unwrap();
            fs::create_dir(folder.path().join("data.csv")).unwrap();
        });
        assert_eq!(said, "`data.csv` is not what muslin writes by that name");
        #[cfg(unix)]
        for (name, link) in [("data.csv", "elsewhere.csv"), ("internal", "elsewhere")] {
            let said = refused(|folder| {
                let path = folder.path().join(name);
                let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
                std::os::unix::fs::symlink(link, &path).unwrap();
            });
            assert_eq!(said, format!("`{name}` is not what muslin writes by that name"));
        }
    }

    #[test]
    fn a_manifest_of_another_program_is_not_ours() {
        let of_others = [
            "{}",
            "[]",
            r#"{"manifest_version":3}"#,
            r#"{"schema":1,"muslin":"0.1.0","data":"data.csv","files":[]}"#,
        ];
        for text in of_others {
            let said = refused(|folder| write(folder, MANIFEST, text));
            assert_eq!(said, "it has no `manifest.json` that muslin wrote", "{text}");
        }
        for (from, to) in [("\"schema\":1", "\"schema\":2"), ("0.1.0", "none")] {
            refused(|folder| {
                let path = folder.path().join(MANIFEST);
                let text = fs::read_to_string(&path).unwrap();
                assert!(text.contains(from));
                write(folder, MANIFEST, &text.replace(from, to));
            });
        }
        refused(|folder| fs::remove_file(folder.path().join(MANIFEST)).unwrap());
    }
}
