//! What is known about a release before it is attacked.

use std::collections::BTreeSet;

use muslin_attack::{Equals, Released, Rows};
use muslin_engine::Run;
use muslin_protect::BUCKET_NAME;
use muslin_table::{ColumnId, ColumnSet, EncodedTable, Role};

use super::{AttackJob, Tables};
use crate::claims::Claim;
use crate::pair::Pair;
use crate::published::quasi_identifiers;
use crate::{Error, Result, SuppressNotion};

/// What the job says, or else the release's own claims.
pub(super) struct Known {
    pub(super) k: Option<u32>,
    pub(super) equals: Equals,
    pub(super) sensitive: Vec<String>,
    pub(super) bucket: Option<String>,
    pub(super) slices: Option<Vec<Vec<String>>>,
    quasi: Option<Vec<String>>,
}

impl Known {
    pub(super) fn of(job: &AttackJob, claims: &[Claim]) -> Self {
        let of_classes = claims
            .iter()
            .find(|own| own.k.is_some() && ["k-anonymity", "ambiguity"].contains(&&*own.claim));
        let named = |of: fn(&Claim) -> Option<&String>| claims.iter().find_map(of).cloned();
        let has_roles = job.roles.values().any(|role| *role == Role::QuasiIdentifier);
        let is_weak = job.notion.map_or_else(
            || job.k.is_none() && of_classes.is_some_and(|own| own.claim == "ambiguity"),
            |notion| notion == SuppressNotion::Ambiguity,
        );
        let by_role = job.roles.iter().filter(|(_, role)| **role == Role::Sensitive);
        let sensitive: Vec<String> = match &job.sensitive {
            Some(name) => vec![name.clone()],
            None => by_role.map(|(name, _)| name.clone()).collect(),
        };
        let claimed =
            || claims.iter().filter_map(|own| own.sensitive.clone()).collect::<BTreeSet<_>>();
        Self {
            k: job.k.or_else(|| of_classes?.k),
            equals: if is_weak { Equals::Wildcard } else { Equals::Classes },
            sensitive: if sensitive.is_empty() {
                claimed().into_iter().collect()
            } else {
                sensitive
            },
            bucket: job.bucket.clone().or_else(|| named(|own| own.bucket.as_ref())),
            slices: job.slices.clone().or_else(|| claims.iter().find_map(|own| own.slices.clone())),
            quasi: job
                .quasi_identifiers
                .clone()
                .or_else(|| of_classes.filter(|_| !has_roles).map(|own| own.columns.clone())),
        }
    }
}

/// A release, and what its columns are to an attacker.
pub(super) struct Scene<'a> {
    pub(super) released: Released<'a>,
    pub(super) pair: Option<&'a Pair>,
    pub(super) k: Option<u32>,
    pub(super) equals: Equals,
    /// The quasi-identifiers.
    pub(super) quasi: ColumnSet,
    /// What the attacker wants to infer.
    pub(super) sensitive: Vec<ColumnId>,
    pub(super) bucket: Option<ColumnId>,
    /// Columns that stayed together in buckets.
    pub(super) slices: Option<Vec<ColumnSet>>,
    /// All columns but those that only name buckets or people.
    pub(super) looked: ColumnSet,
    /// The columns by which a row is one of the original's: all, or the largest slice.
    pub(super) moved: ColumnSet,
}

impl<'a> Scene<'a> {
    /// Looks at the tables. What is worth a warning goes to `told`.
    pub(super) fn new(
        job: &AttackJob,
        known: &Known,
        tables: &'a Tables,
        told: &mut Vec<String>,
        run: &Run,
    ) -> Result<Self> {
        let release = tables.release();
        let bucket = bucket(known, tables)?;
        let id = job.id.as_ref().and_then(|name| release.find(name).ok());
        let sensitive = sensitive(job, known, release)?;
        let apart: Vec<ColumnId> = bucket.into_iter().chain(id).collect();
        let others: Vec<&str> =
            apart.iter().chain(&sensitive).map(|&id| release.column(id).name()).collect();
        let quasi = quasi_identifiers(release, known.quasi.as_deref(), &job.roles, &others)?;
        let quasi = set(release, &quasi)?;
        let looked = release.all_columns().difference(&apart.into_iter().collect());
        let slices = match (&known.slices, bucket, &sensitive[..]) {
            (Some(slices), Some(_), _) => {
                Some(slices.iter().map(|slice| set(release, slice)).collect::<Result<Vec<_>>>()?)
            }
            (None, Some(_), &[sensitive]) => {
                let alone: ColumnSet = [sensitive].into_iter().collect();
                Some(vec![looked.difference(&alone), alone])
            }
            _ => None,
        };
        let has_not = |slice: &&ColumnSet| !sensitive.iter().any(|&own| slice.contains(own));
        let largest = slices.iter().flatten().filter(has_not);
        let largest = largest.reduce(|best, own| if own.len() > best.len() { own } else { best });
        let moved = largest.cloned().unwrap_or_else(|| looked.clone());
        let released = match &tables.pair {
            Some(pair) => judged(pair, job.id.as_deref(), &moved, told, run)?,
            None if !tables.is_marked && has_missing(release, &quasi) => {
                told.push("missing cells of the quasi-identifiers count as suppressed: pass `--original` to distinguish the two".into());
                Released::with_blank_missing(release, &quasi)
            }
            None => Released::new(release),
        };
        let (k, equals, pair) = (known.k, known.equals, tables.pair.as_ref());
        Ok(Self { released, pair, k, equals, quasi, sensitive, bucket, slices, looked, moved })
    }

    pub(super) fn release(&self) -> &'a EncodedTable {
        self.released.table()
    }

    pub(super) fn names(&self, columns: &ColumnSet) -> Vec<String> {
        columns.iter().map(|id| self.name(id)).collect()
    }

    pub(super) fn name(&self, column: ColumnId) -> String {
        self.release().column(column).name().to_owned()
    }
}

/// The sensitive columns that the release publishes. One that is named must be there; of several by role, some may be
/// left out of the release.
fn sensitive(job: &AttackJob, known: &Known, release: &EncodedTable) -> Result<Vec<ColumnId>> {
    let is_named = job.sensitive.is_some();
    let names = known.sensitive.iter().filter(|name| is_named || release.find(name).is_ok());
    names.map(|name| Ok(release.find(name)?)).collect()
}

/// The column that numbers buckets: the one that is named, or one that looks like it.
fn bucket(known: &Known, tables: &Tables) -> Result<Option<ColumnId>> {
    if let Some(name) = &known.bucket {
        return Ok(Some(tables.release().find(name)?));
    }
    let is_old = tables.pair.as_ref().is_some_and(|own| own.whole.table.find(BUCKET_NAME).is_ok());
    Ok(tables.release().find(BUCKET_NAME).ok().filter(|_| !is_old))
}

fn set(release: &EncodedTable, names: &[String]) -> Result<ColumnSet> {
    names.iter().map(|name| Ok(release.find(name)?)).collect()
}

fn has_missing(release: &EncodedTable, columns: &ColumnSet) -> bool {
    columns.iter().any(|id| release.column(id).missing() > 0)
}

/// A release whose guesses the original judges.
fn judged<'a>(
    pair: &'a Pair,
    id: Option<&str>,
    moved: &ColumnSet,
    told: &mut Vec<String>,
    run: &Run,
) -> Result<Released<'a>> {
    let (original, release) = (&pair.whole.table, &pair.release);
    let with = |rows: &Rows| Released::with_reading(release, original, &pair.reading, rows, run);
    match with(&rows(pair, id, moved)) {
        Err(muslin_attack::Error::TooMuchWork { .. }) => {
            told.push("it takes too long to find the original's row of each published row, so guesses at cells are not scored: pass `--id` with a column that both tables have".into());
            Ok(with(&Rows::Unknown)?)
        }
        released => Ok(released.map_err(Error::from)?),
    }
}

/// How the judge knows which row is whose.
fn rows(pair: &Pair, id: Option<&str>, moved: &ColumnSet) -> Rows {
    let (original, release) = (&pair.whole.table, &pair.release);
    if let Some(id) = id.filter(|id| original.find(id).is_ok() && release.find(id).is_ok()) {
        return Rows::ById(id.to_owned());
    }
    let own = |id: ColumnId| original.find(release.column(id).name()).ok();
    let (in_place, by_chance) = if original.rows() == release.rows() {
        pair.in_place(&moved.iter().filter_map(own).collect())
    } else {
        (0, 0)
    };
    if in_place == original.rows() && by_chance * 2 < in_place {
        return Rows::InOrder;
    }
    Rows::Fitting(moved.iter().filter(|&id| own(id).is_some()).collect())
}
