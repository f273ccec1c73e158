//! The job that writes a first policy for a file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use muslin_engine::Run;
use muslin_io::{ColumnChoice, ColumnType, Input, ReadOptions};
use muslin_table::{Role, printable};
use serde::Serialize;

use crate::Result;
use crate::input::InputReport;
use crate::policy::Policy;
use crate::presets::Preset;
use crate::protect::wrong;
use crate::scan::{ColumnReport, Decided, ScanJob, ScanReport};

/// Writes a policy from a scan, for a person to look at and change.
///
/// # Guarantee
/// The text is a policy that [`Policy::parse`] takes, and names every column that was read with its role and
/// why. No value of a cell is in it.
///
/// # Cost
/// A scan.
///
/// # Example
/// ```
/// use muslin::{InitJob, Input, Policy, Run};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("people.csv");
/// std::fs::write(&file, "name,age,town\nAnn,31,A\nBob,33,A\nCy,52,B\nDi,58,B\n")?;
/// let report = InitJob::new(Input::named(&file)).run(&Run::new())?;
/// assert_eq!(Policy::parse("muslin.toml", &report.policy)?.k(), Some(5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct InitJob {
    /// What to read.
    pub input: Input,
    /// How to read it; what is said here is in the policy.
    pub read: ReadOptions,
    /// Roles that are known; the others are suggested.
    pub roles: BTreeMap<String, Role>,
    /// The threshold that the release must meet.
    pub preset: String,
    /// What the searches of the scan may take.
    pub budget: Duration,
}

/// A policy and what it was made from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InitReport {
    /// Version of this report's form: 1.
    pub schema: u32,
    /// `init`.
    pub command: String,
    /// The input.
    pub input: InputReport,
    /// Rows of the input.
    pub rows: u64,
    /// Columns by their role.
    pub roles: BTreeMap<String, Vec<String>>,
    /// The policy.
    pub policy: String,
    /// Where it was written; none where it was not.
    pub written: Option<String>,
    /// What to look at before relying on it.
    pub warnings: Vec<String>,
}

/// Quasi-identifiers that a release is made on, at most.
const MOST_COLUMNS: usize = 128;

impl InitJob {
    /// The preset where nobody says.
    pub const PRESET: &'static str = "ihsn-5";

    /// A policy for `input`.
    pub fn new(input: Input) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            preset: Self::PRESET.into(),
            budget: Duration::from_secs(2),
        }
    }

    /// Scans the input and writes the policy.
    pub fn run(&self, run: &Run) -> Result<InitReport> {
        let Some(preset) = Preset::named(&self.preset) else {
            let names: Vec<&str> = Preset::ALL.iter().map(Preset::name).collect();
            return Err(wrong(
                &format!("there is no preset `{}`", printable(&self.preset)),
                &format!("pass one of {}", names.join(", ")),
            ));
        };
        let mut job = ScanJob::new(self.input.clone());
        job.read = self.read.clone();
        job.roles.clone_from(&self.roles);
        job.budget = self.budget;
        let scan = job.run(run)?;
        let policy = self.text(&scan, preset);
        // What does not parse is our mistake, and said before it is written.
        Policy::parse("the policy that was made", &policy)?;
        let mut roles: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for column in &scan.columns {
            roles.entry(column.role.name().into()).or_default().push(column.name.clone());
        }
        let mut warnings = scan.warnings.clone();
        let quasi = roles.get(Role::QuasiIdentifier.name()).map_or(0, Vec::len);
        if quasi > MOST_COLUMNS {
            warnings.push(format!("{quasi} columns are quasi-identifiers, and releases are made on at most {MOST_COLUMNS} together: give the others another role, or exclude them"));
        }
        Ok(InitReport {
            schema: 1,
            command: "init".into(),
            input: scan.input.clone(),
            rows: scan.rows,
            roles,
            policy,
            written: None,
            warnings,
        })
    }

    /// Scans the input and writes the policy to a file that is not there yet.
    pub fn write(&self, file: &Path, run: &Run) -> Result<InitReport> {
        // Somebody may have looked at every role in it.
        if file.symlink_metadata().is_ok() {
            return Err(wrong(
                &format!("{} is there already", printable(&file.display().to_string())),
                "pass `-o` with another name, or `-o -` to print the policy",
            ));
        }
        let mut report = self.run(run)?;
        muslin_io::write_text(&report.policy, file, &[])?;
        report.written = Some(file.display().to_string());
        Ok(report)
    }

    fn text(&self, scan: &ScanReport, preset: Preset) -> String {
        let mut text = String::from(
            "# A policy for `muslin protect`. Roles that nobody gave are suggestions: look at each of them.\n# All keys: docs/guide/policy.md. A role is identifier (never published), quasi-identifier (somebody may\n# know it), sensitive (nobody should learn it), weight or other (published as it is).\nschema = 1\n",
        );
        text += &self.input_part();
        for column in &scan.columns {
            text += &of_column(column, self.read.types.get(&column.name).copied());
        }
        let _ = write!(
            text,
            "\n[release]\n{:<33} # {}\n{:<33} # {}\n",
            format!("preset = {}", quoted(preset.name())),
            preset.reading(),
            "",
            preset.source()
        );
        text += "# [[release.combination]]         # columns with a k of their own\n# columns = []\n# k = 10\n";
        text += "# Classes of few rows tell about their neighbours; who knows how they were made may narrow them down.\n# That attack has no defence but coarser columns: `generalize.recoding = \"full-domain\"`, and leave this out.\naccept = [\"downcoding\"]\n";
        text += "\n[protect]\nmethods = [\"generalize\"]          # mask, generalize, suppress; bucketize or slice last\n";
        text += "\n[limits]                          # where a release would lose more, nothing is written\n# gcp = 0.4                       # detail of quasi-identifiers\n# suppressed = 0.05               # cells\n";
        text
    }

    /// How the input is read, where somebody said something.
    fn input_part(&self) -> String {
        let mut text = String::new();
        let read = &self.read;
        let mut line = |key: &str, value: String| {
            let _ = writeln!(text, "{key} = {value}");
        };
        if !read.null.is_empty() {
            line("null", list(&read.null));
        }
        match &read.columns {
            ColumnChoice::All => {}
            ColumnChoice::Only(names) => line("only", list(names)),
            ColumnChoice::Except(names) => line("exclude", list(names)),
        }
        let csv = &read.csv;
        if let Some(delimiter) = csv.delimiter {
            line("delimiter", quoted(&delimiter.to_string()));
        }
        if let Some(quote) = csv.quote {
            line("quote", quoted(&quote.map(String::from).unwrap_or_default()));
        }
        if let Some(header) = csv.header {
            line("header", header.to_string());
        }
        if let Some(encoding) = csv.encoding {
            line("encoding", quoted(encoding.name()));
        }
        if let Some(comma) = csv.decimal_comma {
            line("decimal_comma", comma.to_string());
        }
        if csv.trim {
            line("trim", "true".into());
        }
        if text.is_empty() {
            return "\n# [input]                         # each part is found out when it is not given\n# null = [\"\", \"NA\"]                # spellings of missing\n".into();
        }
        format!("\n[input]\n{text}")
    }
}

fn of_column(column: &ColumnReport, said: Option<ColumnType>) -> String {
    let mut text = format!("\n[columns.{}]\n", key(&column.name));
    let role = format!("role = {}", quoted(column.role.name()));
    let why = match column.decided {
        Decided::Given => "given".to_owned(),
        Decided::Suggested => comment(&column.reason),
    };
    let _ = writeln!(text, "{role:<33} # {why}");
    if let Some(own) = said {
        let _ = writeln!(text, "type = {}", quoted(own.name()));
    }
    match column.role {
        Role::Sensitive => {
            text += "# diversity = \"2\"                 # no value is that of more than one in 2 rows of a class\n# closeness = \"0.3\"               # classes whose shares are near the table's\n";
        }
        Role::QuasiIdentifier if column.data_type == "date" => {
            text += "# hierarchy.parts = [\"month\", \"year\"]\n";
        }
        Role::QuasiIdentifier if matches!(column.data_type.as_str(), "integer" | "number") => {
            text += "# hierarchy.widths = [5, 10, 20]   # ranges that values become\n";
        }
        _ => {}
    }
    text
}

/// A key of a table, quoted where it must be.
fn key(name: &str) -> String {
    let mut table = toml::Table::new();
    table.insert(name.to_owned(), true.into());
    let text = table.to_string();
    text.trim_end().trim_end_matches("true").trim_end_matches([' ', '=']).to_owned()
}

/// A text as TOML spells it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// A text on one line of a comment.
fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_as_toml_reads_them() {
        for name in
            ["age", "Marital status", "a.b", "", "quo\"te", "back\\slash", "tab\t\u{1}", "日本"]
        {
            let text = format!("[columns.{}]\nrole = \"other\"\n", key(name));
            let read: toml::Table = text.parse().unwrap();
            let columns = read["columns"].as_table().unwrap();
            assert_eq!(columns.keys().collect::<Vec<_>>(), [name]);
        }
    }
}
