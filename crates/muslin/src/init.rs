//! The job that writes a first policy for a file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use muslin_engine::Run;
use muslin_io::{ColumnChoice, ColumnType, Input, ReadOptions};
use muslin_table::{DayFormat, Role, printable};
use serde::Serialize;

use crate::decide::decide;
use crate::input::InputReport;
use crate::policy::Policy;
use crate::presets::Preset;
use crate::protect::wrong;
use crate::scan::{ColumnReport, Decided, ScanJob, ScanReport};
use crate::toml_text::{key, list, quoted};
use crate::whole::Whole;
use crate::{Error, Result};

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
    /// Roles that are decided; in a policy that is there already, they replace what it says.
    pub decide: BTreeMap<String, Role>,
    /// Whether a policy that is there is written anew.
    pub force: bool,
    /// The threshold that the release must meet; [`InitJob::PRESET`] where nothing is said.
    pub preset: Option<String>,
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
            decide: BTreeMap::new(),
            force: false,
            preset: None,
            budget: Duration::from_secs(2),
        }
    }

    /// Scans the input and writes the policy.
    pub fn run(&self, run: &Run) -> Result<InitReport> {
        let name = self.preset.as_deref().unwrap_or(Self::PRESET);
        let Some(preset) = Preset::named(name) else {
            let names: Vec<&str> = Preset::ALL.iter().map(Preset::name).collect();
            return Err(wrong(
                &format!("there is no preset `{}`", printable(name)),
                &format!("pass one of {}", names.join(", ")),
            ));
        };
        let mut job = ScanJob::new(self.input.clone());
        job.read = self.read.clone();
        job.roles = self.given();
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

    /// Scans the input and writes the policy to a file. Of a policy that is there, only the roles that are decided change.
    pub fn write(&self, file: &Path, run: &Run) -> Result<InitReport> {
        let is_there = file.symlink_metadata().is_ok() && !self.force;
        // Somebody may have looked at every role in it.
        if is_there && self.decide.is_empty() {
            return Err(wrong(
                &format!("{} exists already", printable(&file.display().to_string())),
                "pass `--decide NAME=ROLE` to change a role in it, `--force` to write it anew, or `-o` with another name",
            ));
        }
        let mut report = if is_there { self.decided(file, run)? } else { self.run(run)? };
        let inputs = match &self.input {
            Input::Path(path) => vec![path.clone()],
            Input::Stdin | Input::Memory(_) => Vec::new(),
        };
        muslin_io::write_text(&report.policy, file, &inputs)?;
        report.written = Some(file.display().to_string());
        Ok(report)
    }

    /// Roles that are known.
    fn given(&self) -> BTreeMap<String, Role> {
        let mut roles = self.roles.clone();
        roles.extend(self.decide.iter().map(|(name, role)| (name.clone(), *role)));
        roles
    }

    /// A policy that is there, with the roles that are decided.
    fn decided(&self, file: &Path, run: &Run) -> Result<InitReport> {
        if self.read != ReadOptions::default() || self.preset.is_some() {
            return Err(wrong(
                &format!(
                    "{} exists already, and says how the input is read and what a release must meet",
                    printable(&file.display().to_string())
                ),
                "pass `--decide` alone, or `--force` to write the policy anew",
            ));
        }
        let name = file.display().to_string();
        let before = Policy::read(file)?;
        let text = std::fs::read_to_string(file).map_err(|error| Error::Policy {
            file: name.clone(),
            line: None,
            reason: format!("cannot be read: {}", muslin_io::Cause::from(&error)),
            hint: "check the path given as `-o`".into(),
        })?;
        let given = self.given();
        let read = before.to_read_options();
        let whole = Whole::of(&self.input, &read, &given, false, run)?;
        let policy = decide(&name, &text, &given)?;
        let after = Policy::parse(&name, &policy)?;
        let mut roles: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for column in whole.table.columns() {
            let role = after.role_of(column.name());
            roles.entry(role.name().into()).or_default().push(column.name().to_owned());
        }
        Ok(InitReport {
            schema: 1,
            command: "init".into(),
            input: InputReport::new(&whole.source),
            rows: whole.table.rows() as u64,
            roles,
            policy,
            written: None,
            warnings: whole.warnings,
        })
    }

    fn text(&self, scan: &ScanReport, preset: Preset) -> String {
        let mut text = String::from(
            "# A policy for `muslin protect`. Roles are suggestions until a person has checked them.\n# Roles: identifier (never published), quasi-identifier (an attacker may know it; it is protected), sensitive\n# (must not be inferred), weight, unit, household (published only with `publish = true`), other (published\n# unchanged). `muslin protect` refuses a policy with an undecided column. All keys: docs/guide/policy.md.\nschema = 1\n",
        );
        text += &self.input_part();
        for column in &scan.columns {
            let said = self.read.types.get(&column.name).copied();
            text += &of_column(column, said, self.read.formats.get(&column.name));
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
        text += "# An attacker who knows how classes are made may infer narrower ranges from the neighbouring classes. Only\n# coarser columns prevent that: write `generalize.recoding = \"full-domain\"` below and remove this line.\naccept = [\"downcoding\"]\n";
        text += "\n[protect]\nmethods = [\"generalize\"]          # mask, generalize, suppress; bucketize or slice last\n";
        text += "\n[limits]                          # a release that loses more is not written\n# gcp = 0.4                       # information loss on the quasi-identifiers\n# suppressed = 0.05               # share of cells\n";
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
            return "\n# [input]                         # muslin finds out what is not given\n# null = [\"\", \"NA\"]                # spellings of missing\n".into();
        }
        format!("\n[input]\n{text}")
    }
}

fn of_column(
    column: &ColumnReport,
    said: Option<ColumnType>,
    format: Option<&DayFormat>,
) -> String {
    let mut text = format!("\n[columns.{}]\n", key(&column.name));
    let role = format!("role = {}", quoted(column.role.name()));
    let why = match column.decided {
        Decided::Given => "decided".to_owned(),
        Decided::Suggested => comment(&column.reason),
    };
    let _ = writeln!(text, "{role:<33} # {why}");
    if let Some(consider) = &column.consider {
        let _ = writeln!(text, "# Consider {}.", comment(consider));
    }
    if let Some(own) = said {
        let _ = writeln!(text, "type = {}", quoted(own.name()));
    }
    if let Some(own) = format {
        let _ = writeln!(text, "format = {}", quoted(own.pattern()));
    }
    match column.role {
        Role::Sensitive => {
            text += "# diversity = \"2\"                 # no value occurs in more than 1 in 2 rows of any class\n# closeness = \"0.3\"               # shares in every class are near those of the table\n";
        }
        Role::QuasiIdentifier if column.data_type == "date" => {
            text += "# hierarchy.parts = [\"month\", \"year\"]\n";
        }
        Role::QuasiIdentifier if matches!(column.data_type.as_str(), "integer" | "number") => {
            text += "# hierarchy.widths = [5, 10, 20]   # ranges that values become\n";
        }
        Role::Weight | Role::Unit | Role::Household => {
            text += "# publish = true\n";
        }
        _ => {}
    }
    text
}

/// A text on one line of a comment.
fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
