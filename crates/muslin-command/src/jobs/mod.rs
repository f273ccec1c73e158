//! What flags and a policy file say, as jobs: one file per verb.

mod attack;
mod bucketize;
mod diff;
mod explain;
mod generalize;
mod init;
mod keys;
mod mask;
mod plan;
mod policy_use;
mod protect;
mod report;
mod scan;
mod slice;
mod suppress;
mod uniques;
mod verify;

use std::collections::BTreeMap;
use std::path::PathBuf;

use muslin::{
    ColumnChoice, ColumnType, Hierarchies, HierarchySource, MissingRule, Policy, ReadOptions, Role,
    Run, Seed,
};

use crate::Places;
use crate::args::{Common, InputArgs, Names, ReleaseReadArgs};

/// Why flags make no job.
#[derive(Debug)]
pub enum Wrong {
    /// Flags that do not go together.
    Usage(&'static str),
    /// A policy or the like that cannot be had.
    Job(muslin::Error),
}

impl<E: Into<muslin::Error>> From<E> for Wrong {
    fn from(error: E) -> Self {
        Self::Job(error.into())
    }
}

impl Common {
    /// The run that the flags describe.
    pub fn to_run(&self) -> Result<Run, Wrong> {
        let run =
            Run::new().seed(Seed::new(self.seed)).memory(self.memory).time_limit(self.time_limit);
        Ok(match self.threads {
            Some(threads) => run.threads(usize::from(threads))?,
            None => run,
        })
    }
}

/// What the flags and the policy file say about an input; flags win.
struct Asked {
    read: ReadOptions,
    roles: BTreeMap<String, Role>,
    missing: MissingRule,
    hierarchies: Hierarchies,
    policy: Option<Policy>,
    /// The policy's file, for messages.
    policy_name: String,
}

impl Asked {
    fn new(input: &InputArgs, places: &Places) -> Result<Self, Wrong> {
        let policy = input.policy.as_deref().map(|name| places.policy(name)).transpose()?;
        let of_policy = policy.as_ref();
        let mut read = of_policy.map(Policy::to_read_options).unwrap_or_default();
        let mut roles = of_policy.map(Policy::roles).unwrap_or_default();
        let hierarchies = of_policy.map(Policy::hierarchies).unwrap_or_default();
        let missing = input.missing.or(of_policy.and_then(|policy| policy.missing));
        if let Some(columns) = &input.columns {
            read.columns = ColumnChoice::Only(Names::all(columns));
        }
        if let Some(columns) = &input.exclude {
            read.columns = ColumnChoice::Except(Names::all(columns));
        }
        roles.extend(input.role.iter().cloned());
        // A pattern of dates that is said now wins over a type that the policy says, and the other way round.
        for (name, format) in &input.date_format {
            read.types.remove(name);
            read.formats.insert(name.clone(), format.clone());
        }
        for (name, column_type) in &input.types {
            let is_said = input.date_format.iter().any(|(own, _)| own == name);
            if !is_said && *column_type != ColumnType::Date {
                read.formats.remove(name);
            }
            read.types.insert(name.clone(), *column_type);
        }
        read.null.extend(input.null.iter().cloned());
        let csv = &mut read.csv;
        csv.delimiter = input.delimiter.or(csv.delimiter);
        csv.quote = input.quote.map(|quote| quote.0).or(csv.quote);
        csv.header = input.header.or(csv.header);
        csv.encoding = input.encoding.or(csv.encoding);
        csv.decimal_comma = input.decimal_comma.or(csv.decimal_comma);
        csv.trim |= input.trim;
        let missing = missing.unwrap_or_default();
        let policy_name = input.policy.as_ref().map(|name| places.shown(name)).unwrap_or_default();
        Ok(Self { read, roles, missing, hierarchies, policy, policy_name })
    }
}

/// How a release is read. Beside its original, flags and policy are the original's, and the release
/// has flags of its own; alone, it is what plain flags describe.
fn release_read(
    asked: &ReadOptions,
    input: &InputArgs,
    own: &ReleaseReadArgs,
    policy: Option<&Policy>,
    has_original: bool,
) -> ReadOptions {
    let mut csv = own.csv();
    let mut read = ReadOptions { null: asked.null.clone(), ..ReadOptions::default() };
    if input.columns.is_some() || input.exclude.is_some() {
        read.columns = asked.columns.clone();
    }
    if !has_original {
        csv.delimiter = csv.delimiter.or(input.delimiter);
        csv.quote = csv.quote.or(input.quote.map(|quote| quote.0));
        csv.header = csv.header.or(input.header);
        csv.encoding = csv.encoding.or(input.encoding);
        csv.decimal_comma = csv.decimal_comma.or(input.decimal_comma);
        csv.trim = input.trim;
        read.types = input.types.iter().cloned().collect();
        read.formats = input.date_format.iter().cloned().collect();
    }
    // What the policy says of the release's dialect.
    let style = policy.map(Policy::release_style).unwrap_or_default();
    csv.delimiter = csv.delimiter.or(style.delimiter);
    csv.encoding = csv.encoding.or(style.encoding);
    csv.decimal_comma = csv.decimal_comma.or(style.decimal_comma);
    ReadOptions { csv, ..read }
}

/// Takes the columns that a flag names for the quasi-identifiers, instead of those of the policy.
fn set_quasi_identifiers(roles: &mut BTreeMap<String, Role>, named: Option<&[Names]>) {
    if let Some(named) = named {
        roles.retain(|_, role| *role != Role::QuasiIdentifier);
        roles.extend(Names::all(named).into_iter().map(|name| (name, Role::QuasiIdentifier)));
    }
}

/// Takes the hierarchies that flags name, instead of those of the policy.
fn set_hierarchies(hierarchies: &mut Hierarchies, named: &[(String, PathBuf)]) {
    for (name, file) in named {
        hierarchies.set(name, HierarchySource::File(file.clone()));
    }
}

/// An error where another rule for missing cells is asked for than releases have.
fn same_missing(asked: &Asked, flag: Option<MissingRule>, done: &str) -> Result<(), Wrong> {
    if asked.missing == MissingRule::Category {
        return Ok(());
    }
    if flag.is_some() {
        return Err(Wrong::Usage(match done {
            "releases are judged" => {
                "a missing cell is a value of its own when releases are judged\n  hint: leave `--missing` out"
            }
            "releases are attacked" => {
                "a missing cell is a value of its own when releases are attacked\n  hint: leave `--missing` out"
            }
            "tables are compared" => {
                "a missing cell is a value of its own when tables are compared\n  hint: leave `--missing` out"
            }
            _ => {
                "a missing cell is a value of its own when releases are made\n  hint: leave `--missing` out"
            }
        }));
    }
    Err(missing_of_policy(asked, done))
}

/// The same where a flag is looked at by the job.
fn same_missing_by_policy(asked: &Asked, flag: Option<MissingRule>) -> Result<(), Wrong> {
    if flag.is_some() { Ok(()) } else { same_missing(asked, flag, "releases are made") }
}

fn missing_of_policy(asked: &Asked, done: &str) -> Wrong {
    Wrong::Job(muslin::Error::Policy {
        file: asked.policy_name.clone(),
        line: None,
        reason: format!("`missing`: a missing cell is a value of its own when {done}"),
        hint: "pass `--missing category`, or leave the key out of the policy".into(),
    })
}
