//! The job that judges a release.

mod bound;
mod claimed;
mod hygiene;
mod judge;
mod report;

use std::collections::BTreeMap;
use std::path::PathBuf;

use muslin_engine::{Engine, Run};
use muslin_io::{Input, ReadOptions, ReadTable, Source};
use muslin_table::{Column, ColumnId, EncodedTable, Role};
use muslin_verify::Error as VerifyError;
use muslin_verify::{Truth, Untrue};

pub use self::report::{VerifyBound, VerifyCheck, VerifyReport};

use self::claimed::Claimed;
use self::judge::{Bench, MOST_ROWS};
use crate::claims::{Claim, SpreadSetting};
use crate::elsewhere::{self, AskAt, Elsewhere};
use crate::hierarchies::Hierarchies;
use crate::input::{InputReport, names, warnings};
use crate::pair::{Pair, PairSettings, with_token};
use crate::published::{ReportText, quasi_identifiers};
use crate::suppress::CellCost;
use crate::{Error, Result};

/// Judges a release: every claim is counted again, by code that shares nothing with what made it.
///
/// # Guarantee
/// A check is met only where it was seen to hold. Counter-examples are rows and columns, never values.
/// With the original, it is also checked that every published cell is true: the original's value, a
/// generalization of it, blank, or in its bucket.
///
/// # Cost
/// Reading, the sorting or grouping of the rows for each claim, and for truth a search for an
/// assignment of the rows.
///
/// # Example
/// ```
/// use muslin::{Input, Run, VerifyJob};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("release.csv");
/// std::fs::write(&file, "age,town\n*,A\n*,A\n50,B\n50,B\n50,B\n")?;
/// let mut job = VerifyJob::new(Input::named(&file));
/// job.k = Some(2);
/// assert!(job.run(&Run::new())?.met);
/// job.k = Some(3);
/// let report = job.run(&Run::new())?;
/// assert_eq!((report.met, &report.checks[0].rows[..]), (false, &[0, 1][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct VerifyJob {
    /// The release: a file, or the folder that `muslin protect` wrote.
    pub release: Input,
    /// The table that it was made from.
    pub original: Option<Input>,
    /// How to read the release.
    pub read: ReadOptions,
    /// How to read the original; with the release's spellings of missing, where nothing is said.
    pub original_read: Option<ReadOptions>,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// The columns that classes are made of, all of which the release must have; where nothing is
    /// said, those with that role, or all that are nothing else.
    pub quasi_identifiers: Option<Vec<String>>,
    /// Cells of the release that are suppressed, besides `*`.
    pub token: Option<String>,
    /// The least rows that agree on the quasi-identifiers.
    pub k: Option<u32>,
    /// How sensitive columns are spread in classes on the quasi-identifiers.
    pub spreads: Vec<SpreadSetting>,
    /// Other claims.
    pub claims: Vec<Claim>,
    /// A report, or a manifest, with claims.
    pub claims_report: Option<ReportText>,
    /// The certificate of a suppression's lower bound; it needs the original, and a claim of k-anonymity.
    pub certificate: Option<Input>,
    /// What a blank of a column costs by that certificate; where nothing is said, what the report with
    /// the claims says, or one.
    pub weights: BTreeMap<String, CellCost>,
    /// Hierarchies whose labels the release may have.
    pub hierarchies: Hierarchies,
    /// A folder with hierarchies in files named after columns.
    pub hierarchy_folder: Option<PathBuf>,
    /// The column of the release that numbers buckets.
    pub bucket: Option<String>,
    /// Columns whose cells stayed together in buckets.
    pub slices: Option<Vec<Vec<String>>>,
    /// The sensitive column.
    pub sensitive: Option<String>,
    /// The table of the sensitive values of each bucket, where the release has two tables.
    pub sensitive_table: Option<Input>,
    /// Where the release is asked about.
    pub at: AskAt,
}

/// What is read.
struct Tables<'a> {
    /// The release, or its columns alone where it is asked about where it is.
    release: EncodedTable,
    rows: u64,
    elsewhere: Option<Elsewhere<'a>>,
    report: InputReport,
    pair: Option<Pair>,
    /// Where a label of the release is nothing of the original's: the column, and cells with such.
    strange: Option<(String, u64)>,
    warnings: Vec<String>,
}

/// What was found.
struct Judged {
    checks: Vec<VerifyCheck>,
    bound: Option<VerifyBound>,
    quasi_identifiers: Vec<String>,
}

impl VerifyJob {
    /// Judges `release` by what it claims itself.
    pub fn new(release: Input) -> Self {
        Self {
            release,
            original: None,
            read: ReadOptions::default(),
            original_read: None,
            roles: BTreeMap::new(),
            quasi_identifiers: None,
            token: None,
            k: None,
            spreads: Vec::new(),
            claims: Vec::new(),
            claims_report: None,
            certificate: None,
            weights: BTreeMap::new(),
            hierarchies: Hierarchies::new(),
            hierarchy_folder: None,
            bucket: None,
            slices: None,
            sensitive: None,
            sensitive_table: None,
            at: AskAt::default(),
        }
    }

    /// Reads the release, and the original where there is one, and judges.
    pub fn run(&self, run: &Run) -> Result<VerifyReport> {
        let claimed = Claimed::of(self)?;
        if self.certificate.is_some() && self.original.is_none() {
            return Err(Error::Verify(VerifyError::Setting(
                "what a certificate proves is told from the original\n  hint: pass `--original FILE`"
                    .into(),
            )));
        }
        if claimed.claims.is_empty()
            && self.k.is_none()
            && self.spreads.is_empty()
            && self.original.is_none()
        {
            return Err(Error::Verify(VerifyError::Setting(
                "nothing is claimed that could be checked\n  hint: pass `-k`, `--claims REPORT.json` or `--original FILE`, or name a folder that `muslin protect` wrote".into(),
            )));
        }
        let tables = self.read(&claimed, run)?;
        run.reporter().stage("judging", None);
        let judged = self.judge(&claimed, &tables, run);
        run.reporter().finish();
        let Judged { checks, bound, quasi_identifiers } = judged?;
        Ok(VerifyReport {
            schema: 1,
            command: "verify".into(),
            met: checks.iter().all(|check| check.met),
            release: tables.report,
            original: tables.pair.as_ref().map(|pair| InputReport::new(&pair.whole.source)),
            rows: tables.rows,
            columns: tables.release.columns().len() as u64,
            original_rows: tables.pair.as_ref().map(|pair| pair.whole.table.rows() as u64),
            original_columns: tables
                .pair
                .as_ref()
                .map(|pair| pair.whole.table.columns().len() as u64),
            quasi_identifiers,
            checks,
            bound,
            warnings: self.withheld(&tables.release).into_iter().chain(tables.warnings).collect(),
        })
    }

    fn read<'a>(&self, claimed: &Claimed, run: &'a Run) -> Result<Tables<'a>> {
        let Some(original) = &self.original else { return self.read_alone(claimed, run) };
        if !self.at.is_memory() {
            return Err(elsewhere::wrong(
                "a release is compared with its original in memory",
                "leave out `--engine` and `--sql`, or `--original`",
            ));
        }
        let of_claims = claimed.claims.iter().find(|claim| claim.slices.is_some());
        let named = |own: &Option<String>, claimed: Option<&String>| {
            own.clone().or_else(|| claimed.cloned())
        };
        let bucket = named(&self.bucket, of_claims.and_then(|claim| claim.bucket.as_ref()));
        let sensitive =
            named(&self.sensitive, of_claims.and_then(|claim| claim.sensitive.as_ref()));
        let slices =
            self.slices.clone().or_else(|| of_claims.and_then(|claim| claim.slices.clone()));
        let read = self.original_read.clone().unwrap_or_else(|| ReadOptions {
            null: self.read.null.clone(),
            ..ReadOptions::default()
        });
        let pair = Pair::of(
            &PairSettings {
                original,
                release: &claimed.data,
                read: &read,
                release_read: Some(&self.read),
                roles: &self.roles,
                sensitive: sensitive.as_deref(),
                hierarchies: &self.hierarchies,
                hierarchy_folder: self.hierarchy_folder.as_deref(),
                bucket: bucket.as_deref(),
                slices: slices.as_deref(),
                sensitive_table: self.sensitive_table.as_ref(),
                token: self.token.as_deref(),
            },
            run,
        );
        let pair = match pair {
            Err(Error::Verify(VerifyError::UnknownLabels { column, cells, .. })) => {
                let strange = Some((column, cells));
                return Ok(Tables { strange, ..self.read_alone(claimed, run)? });
            }
            pair => pair?,
        };
        Ok(Tables {
            rows: pair.release.rows() as u64,
            elsewhere: None,
            release: pair.release.clone(),
            report: InputReport::new(&pair.release_source),
            warnings: pair.warnings.clone(),
            pair: Some(pair),
            strange: None,
        })
    }

    fn read_alone<'a>(&self, claimed: &Claimed, run: &'a Run) -> Result<Tables<'a>> {
        if !self.at.is_memory() {
            return self.read_elsewhere(claimed, run);
        }
        let ReadTable { table, source } = muslin_io::read(&claimed.data, &self.read, run)?;
        let warnings = warnings(&table, &source, &self.read);
        let release = with_token(table, self.token.as_deref())?;
        let report = InputReport::new(&source);
        let rows = release.rows() as u64;
        Ok(Tables { release, rows, elsewhere: None, report, pair: None, strange: None, warnings })
    }

    /// A release that fits memory is judged there; of one that does not, what counts tell.
    fn read_elsewhere<'a>(&self, claimed: &Claimed, run: &'a Run) -> Result<Tables<'a>> {
        let all = |head: &EncodedTable, _: &Source| Ok(head.all_columns());
        let elsewhere = elsewhere::open(&self.at, &claimed.data, &self.read, &all, run)?;
        let report = InputReport::new(&elsewhere.source);
        let rows = elsewhere.rows;
        if let Some(table) = elsewhere.fetched(run)? {
            let warnings = warnings(&table, &elsewhere.source, &self.read);
            let release = with_token(table, self.token.as_deref())?;
            let (pair, strange) = (None, None);
            return Ok(Tables { release, rows, elsewhere: None, report, pair, strange, warnings });
        }
        let warnings = elsewhere.warnings(&self.read, run)?;
        let release = elsewhere.head.clone();
        let (pair, strange, elsewhere) = (None, None, Some(elsewhere));
        Ok(Tables { release, rows, elsewhere, report, pair, strange, warnings })
    }

    fn judge(&self, claimed: &Claimed, tables: &Tables<'_>, run: &Run) -> Result<Judged> {
        let quasi = self.quasi(&tables.release)?;
        let mut claims: Vec<Claim> =
            self.k.map(|k| Claim::k_anonymity(k, &quasi)).into_iter().collect();
        claims.extend(self.spreads.iter().map(|setting| Claim::spread(setting, &quasi)));
        // What two say is checked once.
        for claim in &claimed.claims {
            let is_same =
                |own: &&mut Claim| own.name() == claim.name() && own.columns == claim.columns;
            match claims.iter_mut().find(is_same) {
                Some(own) => {
                    own.rows = own.rows.or(claim.rows);
                    own.published = own.published.take().or_else(|| claim.published.clone());
                }
                None => claims.push(claim.clone()),
            }
        }
        let pair = tables.pair.as_ref();
        let original = pair.map(|pair| (&pair.whole.table, &pair.reading));
        let engine = tables.elsewhere.as_ref().map(|elsewhere| &*elsewhere.engine as &dyn Engine);
        let bench = Bench { release: &tables.release, engine, original, run };
        let mut checks: Vec<VerifyCheck> =
            claims.iter().map(|claim| bench.judge(claim)).collect::<Result<_>>()?;
        let proven = match &self.certificate {
            Some(file) => Some(self.proven(file, &claims, claimed, tables, run)?),
            None => None,
        };
        let bound = proven.as_ref().and_then(|proven| proven.bound);
        checks.extend(proven.map(|proven| proven.check));
        checks.extend(rows(&claims, tables.rows));
        checks.extend(columns(&claims, &tables.release));
        if let Some(pair) = pair {
            checks.push(truthful(pair, run)?);
        }
        if let Some((column, cells)) = &tables.strange {
            checks.push(VerifyCheck {
                claim: "truthful".into(),
                met: false,
                decided: true,
                reason: format!(
                    "{cells} cells are no values of the original, nor ranges, sets or labels of them"
                ),
                columns: vec![column.clone()],
                violations: *cells,
                rows: Vec::new(),
                of_original: false,
            });
        }
        match &tables.elsewhere {
            None => checks.extend(hygiene::checks(claimed, &self.at, tables, run)?),
            Some(elsewhere) => checks.extend(hygiene::counted(claimed, &self.at, elsewhere, run)?),
        }
        Ok(Judged { checks, bound, quasi_identifiers: quasi })
    }

    /// The columns that classes are made of.
    fn quasi(&self, release: &EncodedTable) -> Result<Vec<String>> {
        let spread = self.spreads.iter().map(|setting| setting.column.as_str());
        let sensitive: Vec<&str> = spread.chain(self.sensitive.as_deref()).collect();
        quasi_identifiers(release, self.quasi_identifiers.as_deref(), &self.roles, &sensitive)
    }

    /// Quasi-identifiers that are not published, which may be a mistake in their names.
    fn withheld(&self, release: &EncodedTable) -> Option<String> {
        let is_quasi = |(_, role): &(&String, &Role)| **role == Role::QuasiIdentifier;
        let names_of = self.roles.iter().filter(is_quasi).map(|(name, _)| name.as_str());
        let lacking: Vec<&str> = names_of.filter(|name| release.find(name).is_err()).collect();
        (!lacking.is_empty() && self.quasi_identifiers.is_none()).then(|| {
            format!("the release lacks these quasi-identifiers: {}", crate::input::names(&lacking))
        })
    }
}

/// As many rows as were published.
fn rows(claims: &[Claim], found: u64) -> Option<VerifyCheck> {
    let claimed = claims.iter().find_map(|claim| claim.rows)?;
    Some(VerifyCheck {
        claim: "rows".into(),
        met: claims.iter().filter_map(|claim| claim.rows).all(|rows| rows == found),
        decided: true,
        reason: format!("{found} rows, and {claimed} were published"),
        columns: Vec::new(),
        violations: claimed.abs_diff(found),
        rows: Vec::new(),
        of_original: false,
    })
}

/// No column but those that were published.
fn columns(claims: &[Claim], release: &EncodedTable) -> Option<VerifyCheck> {
    let published: Vec<&Vec<String>> =
        claims.iter().filter_map(|claim| claim.published.as_ref()).collect();
    if published.is_empty() {
        return None;
    }
    let names_of = release.columns().iter().map(Column::name);
    let is_new = |name: &&str| !published.iter().all(|own| own.iter().any(|own| own == name));
    let found: Vec<&str> = names_of.filter(is_new).collect();
    let reason = match &found[..] {
        [] => "no column but those that were published".into(),
        found => format!("not published: {}", names(found)),
    };
    Some(VerifyCheck {
        claim: "columns".into(),
        met: found.is_empty(),
        decided: true,
        reason,
        columns: found.into_iter().map(str::to_owned).collect(),
        violations: 0,
        rows: Vec::new(),
        of_original: false,
    })
}

/// Whether every published cell is true.
fn truthful(pair: &Pair, run: &Run) -> Result<VerifyCheck> {
    let (original, release) = (&pair.whole.table, &pair.release);
    let published = |id: &ColumnId| pair.reading.published(*id).is_some();
    let columns = original.all_columns().iter().filter(published).collect();
    let found: Untrue = Truth::new(columns).run(original, release, &pair.reading, run)?;
    let named: Vec<String> =
        found.columns().iter().map(|(id, _)| original.column(*id).name().to_owned()).collect();
    let reason = match (found.is_true(), found.is_exact()) {
        (true, true) => "each published row can be that of somebody".into(),
        (true, false) => {
            "each published row fits somebody; whether all fit at once takes too long to tell"
                .into()
        }
        (false, _) => format!("{} published rows are nobody's", found.count()),
    };
    Ok(VerifyCheck {
        claim: "truthful".into(),
        met: found.is_true(),
        decided: true,
        reason,
        columns: named,
        violations: found.count(),
        rows: found.rows().iter().copied().take(MOST_ROWS).collect(),
        of_original: false,
    })
}
