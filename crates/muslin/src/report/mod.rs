//! Reports for people: what a scan found, and what became of it in a release.

mod figures;
mod rare;
mod released;
mod scanned;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use muslin_engine::Run;
use muslin_io::{Input, ReadOptions};
use muslin_report::{Document, Finding, Section, VerdictBox};
use muslin_table::Role;
use serde::{Deserialize, Serialize};

use self::rare::Rare;
use self::released::Released;
use crate::label_format::LabelFormat;
use crate::policy::Policy;
use crate::published::{data_of, release_read};
use crate::release_folder::Manifest;
use crate::scan::{ScanJob, ScanReport};
use crate::verdict::{MAX_UNIQUE, VerdictFindingKind, verdict_of};
use crate::{AttackJob, DiffJob, Error, ProtectJob, Result, VerifyJob};

/// Who a report is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Audience {
    /// Those who have the data.
    #[default]
    Internal,
    /// Everybody.
    External,
}

/// Makes a report of a table, or of a table and a release of it.
///
/// # Guarantee
/// No value of a cell is in it, except bins of published columns that at least `k` rows have. For
/// [`Audience::External`], which takes a release, also: no row number, no count from 1 to `k` - 1, no section about the original
/// alone, and no text that is a value of fewer than `k` rows; the report is searched for those before it is
/// given out.
///
/// # Cost
/// A scan within its budget; with a release, what judging, attacking and comparing it take.
///
/// # Example
/// ```
/// use muslin::{Input, ReportJob, Run};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("people.csv");
/// std::fs::write(&file, "age,town\n31,A\n33,A\n52,B\n58,B\n")?;
/// let document = ReportJob::new(Input::named(&file)).run(&Run::new())?;
/// assert!(document.to_html().starts_with("<!DOCTYPE html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReportJob {
    /// The table about people.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// How to read the release: its dialect, where it is not found out or in its manifest.
    pub release_read: ReadOptions,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// The quasi-identifiers to look at; those with that role when not given.
    pub quasi_identifiers: Option<Vec<String>>,
    /// What the release must meet, and how it is made.
    pub policy: Option<Policy>,
    /// A release of the table: a file, or the folder that `muslin protect` wrote.
    pub release: Option<Input>,
    /// Who the report is for.
    pub audience: Audience,
    /// Counts below this many are not for everybody; the policy's k, or 5, where nothing is said.
    pub k: Option<u32>,
    /// What the searches of the scan may take.
    pub budget: Duration,
    /// Forms of the release's labels that are none of muslin's.
    pub label_formats: Vec<LabelFormat>,
}

impl Audience {
    /// Its name, as flags spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Internal => "internal",
            Self::External => "external",
        }
    }
}

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentFormat {
    /// One page that needs nothing else.
    Html,
    /// Markdown; figures as their numbers.
    Markdown,
    /// JSON, with the numbers of figures.
    Json,
}

impl DocumentFormat {
    /// The format that a file's name says; HTML for standard output.
    pub fn of(file: &Path) -> Option<Self> {
        if file == Path::new("-") {
            return Some(Self::Html);
        }
        let end = file.extension()?.to_str()?.to_ascii_lowercase();
        match end.as_str() {
            "html" | "htm" => Some(Self::Html),
            "md" | "markdown" => Some(Self::Markdown),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// A document in this format.
    pub fn spell(self, document: &Document) -> Result<String> {
        Ok(match self {
            Self::Html => document.to_html(),
            Self::Markdown => document.to_markdown(),
            Self::Json => {
                let text = serde_json::to_string_pretty(document);
                text.map_err(|_| internal("a report could not be written"))? + "\n"
            }
        })
    }
}

/// Writes a document to a file, as a whole or not at all, and over none of the inputs.
pub fn write_document(document: &Document, file: &Path, inputs: &[&Input]) -> Result<()> {
    let Some(format) = DocumentFormat::of(file) else {
        return Err(crate::protect::wrong(
            "the name of the report's file does not say what to write",
            "name it `.html`, `.md` or `.json`",
        ));
    };
    let path = |input: &&Input| match input {
        Input::Path(path) => Some(path.clone()),
        Input::Stdin | Input::Memory(_) => None,
    };
    let inputs: Vec<_> = inputs.iter().filter_map(path).collect();
    Ok(muslin_io::write_text(&format.spell(document)?, file, &inputs)?)
}

impl ScanReport {
    /// What was found, as a report for those who have the data.
    pub fn document(&self) -> Document {
        scanned::document_of(self)
    }
}

impl ReportJob {
    /// A report of `input` for those who have it.
    pub fn new(input: Input) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            release_read: ReadOptions::default(),
            roles: BTreeMap::new(),
            quasi_identifiers: None,
            policy: None,
            release: None,
            audience: Audience::default(),
            k: None,
            budget: Duration::from_secs(10),
            label_formats: Vec::new(),
        }
    }

    /// Looks at the table, and at the release where there is one, and writes about it.
    pub fn run(&self, run: &Run) -> Result<Document> {
        if self.audience == Audience::External && self.release.is_none() {
            return Err(crate::protect::wrong(
                "a report for everybody is about a release, and none is named",
                "pass `--release`, or leave `--audience external` out",
            ));
        }
        let scan = self.scan(run)?;
        let k = u64::from(self.k.or(self.policy.as_ref().and_then(Policy::k)).unwrap_or(5));
        let made = match &self.release {
            Some(release) => self.of_release(&scan, release, k, run)?,
            None => scan.document(),
        };
        if self.audience == Audience::Internal {
            return Ok(made);
        }
        let rare = Rare::of(self, k, run)?;
        let document = made.for_release(k, &|text| rare.has(text));
        rare.check(&document)?;
        Ok(document)
    }

    fn scan(&self, run: &Run) -> Result<ScanReport> {
        let mut job = ScanJob::new(self.input.clone());
        job.read = self.read.clone();
        job.roles.clone_from(&self.roles);
        job.quasi_identifiers.clone_from(&self.quasi_identifiers);
        job.budget = self.budget;
        job.run(run)
    }

    fn of_release(
        &self,
        scan: &ScanReport,
        release: &Input,
        k: u64,
        run: &Run,
    ) -> Result<Document> {
        let (data, folder) = data_of(release)?;
        let release_read = release_read(&self.release_read, folder.as_ref());
        let manifest = folder.map(|folder| folder.manifest);
        let quasi = match (&self.quasi_identifiers, &manifest) {
            (Some(names), _) => names.clone(),
            (None, Some(manifest)) => claimed_columns(manifest),
            (None, None) => Vec::new(),
        };
        let known = scan.quasi_identifiers.as_ref().map(|own| own.columns.clone());
        let quasi = if quasi.is_empty() { known.unwrap_or_default() } else { quasi };

        let mut verify = VerifyJob::new(release.clone());
        verify.original = Some(self.input.clone());
        verify.original_read = Some(self.read.clone());
        // They are tried for a section of their own.
        verify.attacks = false;
        verify.read = self.release_read.clone();
        verify.roles.clone_from(&self.roles);
        let mut attack = AttackJob::new(release.clone());
        attack.original = Some(self.input.clone());
        attack.original_read = Some(self.read.clone());
        attack.read = self.release_read.clone();
        attack.roles.clone_from(&self.roles);
        let mut diff = DiffJob::new(self.input.clone(), release.clone());
        diff.read = self.read.clone();
        // Spellings of missing are the original's.
        let null = self.read.null.clone();
        diff.release_read = Some(ReadOptions { null, ..self.release_read.clone() });
        diff.roles.clone_from(&self.roles);
        diff.show_values = true;
        verify.label_formats.clone_from(&self.label_formats);
        attack.label_formats.clone_from(&self.label_formats);
        diff.label_formats.clone_from(&self.label_formats);
        if let Some(policy) = &self.policy {
            verify.hierarchies = policy.hierarchies();
            verify.max_unique = policy.release.max_unique.unwrap_or(MAX_UNIQUE);
            attack.max_advantage = policy.release.max_advantage.unwrap_or(AttackJob::MAX_ADVANTAGE);
            if manifest.is_none() {
                verify.k = policy.k();
                verify.spreads = policy.spreads();
                verify.claims = policy.claims();
            }
            attack.hierarchies = policy.hierarchies();
            diff.hierarchies = policy.hierarchies();
            diff.k = policy.k();
        }
        // What nobody gave a role has the one that was suggested.
        let sensitive = scan.columns.iter().filter(|column| column.role == Role::Sensitive);
        for column in sensitive {
            attack.roles.entry(column.name.clone()).or_insert(Role::Sensitive);
        }
        if manifest.is_none() {
            // Where nothing is claimed, k is what is asked.
            verify.k = u32::try_from(k).ok();
            let names = self.quasi_identifiers.clone();
            verify.quasi_identifiers.clone_from(&names);
            attack.quasi_identifiers = names;
            attack.k = verify.k;
        }
        let claims = manifest.as_ref().map(|own| own.claims.as_slice()).unwrap_or_default();
        if let Some(claim) = claims.iter().find(|claim| claim.slices.is_some()) {
            diff.slices.clone_from(&claim.slices);
            diff.bucket.clone_from(&claim.bucket);
            diff.sensitive.clone_from(&claim.sensitive);
        }
        let after = self.scan_release(&data, &release_read, &quasi, run)?;
        let plan = match &self.policy {
            Some(policy) => {
                let job = ProtectJob {
                    read: self.read.clone(),
                    roles: self.roles.clone(),
                    ..ProtectJob::new(self.input.clone(), policy.clone(), "")
                };
                Some(job.plan(&[3, 5, 10, 20], self.budget, run)?)
            }
            None => None,
        };
        let mut verdict = verify.run(run)?;
        // Attacks have a section of their own.
        verdict.findings.retain(|own| own.kind != VerdictFindingKind::Unchecked);
        verdict.verdict = verdict_of(&verdict.checks, &verdict.findings);
        let parts = Released {
            scan,
            after: &after,
            manifest: manifest.as_ref(),
            verdict: &verdict,
            attacks: &attack.run(run)?,
            lost: &diff.run(run)?,
            plan: plan.as_ref(),
            audience: self.audience,
            k,
        };
        Ok(parts.document())
    }

    /// The classes of the release, on the quasi-identifiers that it has.
    fn scan_release(
        &self,
        data: &Input,
        read: &ReadOptions,
        quasi: &[String],
        run: &Run,
    ) -> Result<ScanReport> {
        let mut job = ScanJob::new(data.clone());
        job.read = ReadOptions { null: self.read.null.clone(), ..read.clone() };
        job.roles = quasi.iter().map(|name| (name.clone(), Role::QuasiIdentifier)).collect();
        job.budget = Duration::ZERO;
        let names = muslin_io::read(data, &job.read, run)?.table;
        let is_there = |name: &&String| names.find(name).is_ok();
        let there: Vec<String> = quasi.iter().filter(is_there).cloned().collect();
        job.roles.retain(|name, _| there.contains(name));
        job.quasi_identifiers = Some(there).filter(|own| !own.is_empty());
        job.run(run)
    }
}

/// The columns that the first claim about classes is of.
fn claimed_columns(manifest: &Manifest) -> Vec<String> {
    let claims = manifest.claims.iter();
    claims
        .map(|claim| claim.columns.clone())
        .find(|columns| !columns.is_empty())
        .unwrap_or_default()
}

/// A document of the project's own form.
fn document(
    title: String,
    rows: u64,
    subtitle: String,
    verdict: VerdictBox,
    sections: Vec<Section>,
) -> Document {
    Document {
        schema: 1,
        title,
        subtitle,
        rows,
        audience: "internal".into(),
        verdict,
        sections: sections.into_iter().filter(|section| !section.blocks.is_empty()).collect(),
        made_by: format!("muslin {}", env!("CARGO_PKG_VERSION")),
    }
}

/// Findings, the worst first.
fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    let place = |finding: &Finding| match finding.tone.as_str() {
        "bad" => 0,
        "look" => 1,
        _ => 2,
    };
    findings.sort_by_key(place);
    findings
}

fn internal(text: &str) -> Error {
    Error::Protect(muslin_protect::Error::Internal(text.to_owned()))
}
