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
    ColumnChoice, Hierarchies, HierarchySource, MissingRule, Policy, ReadOptions, Role, Run, Seed,
};

use crate::Places;
use crate::args::{Common, InputArgs, Names};

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
        read.types.extend(input.types.iter().cloned());
        read.null.extend(input.null.iter().cloned());
        let csv = &mut read.csv;
        csv.delimiter = input.delimiter.or(csv.delimiter);
        csv.quote = input.quote.map(|quote| quote.0).or(csv.quote);
        csv.header = input.header.or(csv.header);
        csv.encoding = input.encoding.or(csv.encoding);
        csv.decimal_comma = input.decimal_comma.or(csv.decimal_comma);
        csv.trim |= input.trim;
        Ok(Self { read, roles, missing: missing.unwrap_or_default(), hierarchies, policy })
    }
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
fn same_missing(input: &InputArgs, done: &str) -> Result<(), Wrong> {
    if input.missing.is_none_or(|rule| rule == MissingRule::Category) {
        return Ok(());
    }
    Err(Wrong::Usage(match done {
        "judged" => {
            "a missing cell is a value of its own when releases are judged\n  hint: leave `--missing` out"
        }
        "attacked" => {
            "a missing cell is a value of its own when releases are attacked\n  hint: leave `--missing` out"
        }
        "compared" => {
            "a missing cell is a value of its own when tables are compared\n  hint: leave `--missing` out"
        }
        _ => {
            "a missing cell is a value of its own when releases are made\n  hint: leave `--missing` out"
        }
    }))
}
