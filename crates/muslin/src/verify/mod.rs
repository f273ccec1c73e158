//! The job that judges a release.

mod attacked;
mod bound;
mod claimed;
mod exposed;
mod hygiene;
mod judge;
mod report;
mod strange;

use std::collections::BTreeMap;
use std::path::PathBuf;

use arrow_schema::DataType;
use muslin_engine::{Engine, Run};
use muslin_io::{Format, Input, ReadOptions, ReadTable, Source};
use muslin_table::{Column, ColumnId, EncodedTable, Role};
use muslin_verify::Error as VerifyError;
use muslin_verify::loss::Reading;
use muslin_verify::{Truth, Unread, Untrue};

pub use self::exposed::{ExposedColumns, ExposureReport};
pub use self::report::{VerifyBound, VerifyCheck, VerifyReport};

use self::attacked::Attacked;
use self::claimed::Claimed;
use self::judge::{Bench, MOST_ROWS};
use crate::attack::AttackJob;
use crate::claims::{Claim, SpreadSetting};
use crate::elsewhere::{self, AskAt, Elsewhere};
use crate::hierarchies::Hierarchies;
use crate::input::{InputReport, names, warnings};
use crate::label_format::{self, LabelFormat};
use crate::pair::{Pair, PairSettings, read_alike, with_token};
use crate::published::{ReportText, quasi_identifiers, with_null};
use crate::suppress::CellCost;
use crate::suppressed_cells::with_suppressed;
use crate::verdict::{MAX_UNIQUE, VerdictFinding, verdict_of};
use crate::whole::Whole;
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
    /// The table that says which cells of the release are suppressed, where its format shows them as
    /// missing; that of the folder, where nothing is said.
    pub suppressed: Option<Input>,
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
    /// Forms of labels that are none of muslin's.
    pub label_formats: Vec<LabelFormat>,
    /// The column of the release that numbers buckets.
    pub bucket: Option<String>,
    /// Columns whose cells stayed together in buckets.
    pub slices: Option<Vec<Vec<String>>>,
    /// The sensitive column.
    pub sensitive: Option<String>,
    /// The table of the sensitive values of each bucket, where the release has two tables.
    pub sensitive_table: Option<Input>,
    /// The largest share of rows that columns beside the quasi-identifiers may make unique.
    pub max_unique: f64,
    /// Whether the attacks are tried that need no more than is read.
    pub attacks: bool,
    /// Attacks that are accepted, by name.
    pub accept: Vec<String>,
    /// The most that an attack may gain over its baseline.
    pub max_advantage: f64,
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
    format: Format,
    pair: Option<Pair>,
    /// Where labels of the release are nothing of the original's, or not understood.
    strange: Option<Strange>,
    warnings: Vec<String>,
}

/// Labels that are nothing of the original's: the two tables cannot be compared as a pair.
struct Strange {
    original: Whole,
    /// The columns with such.
    columns: Vec<Unread>,
}

/// What was found.
struct Judged {
    claims: Vec<Claim>,
    checks: Vec<VerifyCheck>,
    bound: Option<VerifyBound>,
    quasi_identifiers: Vec<String>,
    exposure: ExposureReport,
    findings: Vec<VerdictFinding>,
}

impl Tables<'_> {
    /// Whether the release is a text, where a suppressed cell is a mark.
    fn is_csv(&self) -> bool {
        self.format == Format::Csv
    }

    /// The original, where it was given.
    fn original(&self) -> Option<&Whole> {
        let of_strange = self.strange.as_ref().map(|strange| &strange.original);
        self.pair.as_ref().map(|pair| &pair.whole).or(of_strange)
    }
}

impl VerifyJob {
    /// Judges `release` by what it claims itself.
    pub fn new(release: Input) -> Self {
        Self {
            release,
            suppressed: None,
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
            label_formats: Vec::new(),
            bucket: None,
            slices: None,
            sensitive: None,
            sensitive_table: None,
            max_unique: MAX_UNIQUE,
            attacks: true,
            accept: Vec::new(),
            max_advantage: AttackJob::MAX_ADVANTAGE,
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
        let Judged { claims, checks, bound, quasi_identifiers, exposure, mut findings } = judged?;
        let original = tables.original().map(|whole| {
            let (rows, columns) = (whole.table.rows(), whole.table.columns().len());
            (InputReport::new(&whole.source), rows as u64, columns as u64)
        });
        let (report, rows) = (tables.report.clone(), tables.rows);
        let columns = tables.release.columns().len() as u64;
        let withheld = self.withheld(&tables.release);
        let warnings = withheld.into_iter().chain(tables.warnings.iter().cloned()).collect();
        let is_marked = tables.is_csv() || claimed.suppressed.is_some();
        let Attacked { findings: succeed, accepted, left } =
            self.attacked(&claims, tables, is_marked, run)?;
        findings.extend(succeed);
        Ok(VerifyReport {
            schema: 1,
            command: "verify".into(),
            met: checks.iter().all(|check| check.met),
            verdict: verdict_of(&checks, &findings),
            release: report,
            rows,
            columns,
            original_rows: original.as_ref().map(|of| of.1),
            original_columns: original.as_ref().map(|of| of.2),
            original: original.map(|of| of.0),
            quasi_identifiers,
            checks,
            findings,
            accepted,
            exposure,
            not_checked: self.not_checked().into_iter().chain(left).collect(),
            bound,
            warnings,
        })
    }

    fn read<'a>(&self, claimed: &Claimed, run: &'a Run) -> Result<Tables<'a>> {
        let Some(original) = &self.original else { return self.read_alone(claimed, None, run) };
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
        let read = with_null(read, claimed.folder.as_ref());
        let pair = Pair::of(
            &PairSettings {
                original,
                release: &claimed.data,
                suppressed: claimed.suppressed.as_ref(),
                read: &read,
                release_read: &claimed.read,
                roles: &self.roles,
                sensitive: sensitive.as_deref(),
                hierarchies: &self.hierarchies,
                hierarchy_folder: self.hierarchy_folder.as_deref(),
                bucket: bucket.as_deref(),
                slices: slices.as_deref(),
                sensitive_table: self.sensitive_table.as_ref(),
                token: self.token.as_deref(),
                label_formats: &self.label_formats,
            },
            run,
        );
        let pair = match pair {
            Err(Error::Verify(VerifyError::UnknownLabels { columns })) => {
                let original = Whole::of(original, &read, &self.roles, false, run)?;
                let tables = self.read_alone(claimed, Some(&original), run)?;
                return Ok(Tables { strange: Some(Strange { original, columns }), ..tables });
            }
            pair => pair?,
        };
        Ok(Tables {
            rows: pair.release.rows() as u64,
            elsewhere: None,
            release: pair.release.clone(),
            report: InputReport::new(&pair.release_source),
            format: pair.release_source.format,
            warnings: pair.warnings.clone(),
            pair: Some(pair),
            strange: None,
        })
    }

    /// The release by itself; with the types of an original, where there is one.
    fn read_alone<'a>(
        &self,
        claimed: &Claimed,
        original: Option<&Whole>,
        run: &'a Run,
    ) -> Result<Tables<'a>> {
        if !self.at.is_memory() {
            return self.read_elsewhere(claimed, run);
        }
        let ReadTable { table, source } = match original {
            Some(original) => read_alike(
                &claimed.data,
                &claimed.read,
                &original.table,
                Some(&original.source),
                run,
            )?,
            None => muslin_io::read(&claimed.data, &claimed.read, run)?,
        };
        let warnings = warnings(&table, &source, &claimed.read);
        label_format::check(&table, &self.label_formats)?;
        let table = with_suppressed(table, claimed.suppressed.as_ref(), run)?;
        let release = with_token(table, self.token.as_deref())?;
        let original = original.map(|own| &own.table);
        let release = label_format::spelled(release, &self.label_formats, original)?;
        let report = InputReport::new(&source);
        let rows = release.rows() as u64;
        let (pair, strange, format) = (None, None, source.format);
        Ok(Tables { release, rows, elsewhere: None, report, format, pair, strange, warnings })
    }

    /// A release that fits memory is judged there; of one that does not, what counts tell.
    fn read_elsewhere<'a>(&self, claimed: &Claimed, run: &'a Run) -> Result<Tables<'a>> {
        let all = |head: &EncodedTable, _: &Source| Ok(head.all_columns());
        let elsewhere = elsewhere::open(&self.at, &claimed.data, &claimed.read, &all, run)?;
        let report = InputReport::new(&elsewhere.source);
        let rows = elsewhere.rows;
        if let Some(table) = elsewhere.fetched(run)? {
            let warnings = warnings(&table, &elsewhere.source, &claimed.read);
            let table = with_suppressed(table, claimed.suppressed.as_ref(), run)?;
            let release = with_token(table, self.token.as_deref())?;
            let (pair, strange, format) = (None, None, elsewhere.source.format);
            return Ok(Tables {
                release,
                rows,
                elsewhere: None,
                report,
                format,
                pair,
                strange,
                warnings,
            });
        }
        let warnings = elsewhere.warnings(&claimed.read, run)?;
        let release = elsewhere.head.clone();
        let (pair, strange, format) = (None, None, elsewhere.source.format);
        let elsewhere = Some(elsewhere);
        Ok(Tables { release, rows, elsewhere, report, format, pair, strange, warnings })
    }

    /// A column that is not published must be one of the original, or of the policy: a name that is mistyped would
    /// make a claim about fewer columns.
    fn check_withheld(&self, withheld: &[String], tables: &Tables<'_>) -> Result<()> {
        let Some(original) = tables.original() else { return Ok(()) };
        let unknown = withheld.iter().find(|name| !self.roles.contains_key(*name));
        unknown.map_or(Ok(()), |name| original.find(name).map(|_| ()))
    }

    fn judge(&self, claimed: &Claimed, tables: &Tables<'_>, run: &Run) -> Result<Judged> {
        let bucket = self.bucket_in(claimed, tables)?;
        let quasi = self.quasi(&tables.release, bucket.as_deref())?;
        let mut claims: Vec<(Claim, Vec<String>)> = Vec::new();
        let own = self.k.map(|k| Claim::k_anonymity(k, &quasi)).into_iter();
        // In a bucket every row may have every sensitive value of the bucket.
        let classes = bucket.map_or_else(|| quasi.clone(), |bucket| vec![bucket]);
        let own = own.chain(self.spreads.iter().map(|of| Claim::spread(of, &classes)));
        // What two say is checked once.
        for claim in own.chain(claimed.claims.iter().cloned()) {
            let (claim, withheld) = claim.published_in(&tables.release);
            self.check_withheld(&withheld, tables)?;
            let is_same = |(own, _): &&mut (Claim, _)| {
                own.name() == claim.name() && own.columns == claim.columns
            };
            match claims.iter_mut().find(is_same) {
                Some((own, of_own)) => {
                    own.rows = own.rows.or(claim.rows);
                    own.published = own.published.take().or(claim.published);
                    of_own.retain(|name| withheld.contains(name));
                }
                None => claims.push((claim, withheld)),
            }
        }
        let pair = tables.pair.as_ref();
        let original = tables.original().map(|whole| &whole.table);
        let engine = tables.elsewhere.as_ref().map(|elsewhere| &*elsewhere.engine as &dyn Engine);
        let reading = pair.map(|pair| &pair.reading);
        let bench = Bench { release: &tables.release, engine, original, reading, run };
        let judge = |(claim, withheld): &(Claim, Vec<String>)| bench.judge(claim, withheld);
        let mut checks: Vec<VerifyCheck> = claims.iter().map(judge).collect::<Result<_>>()?;
        let claims: Vec<Claim> = claims.into_iter().map(|(claim, _)| claim).collect();
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
        if let Some(Strange { columns, original }) = &tables.strange {
            let mut check = strange::truthful(columns);
            let is_of_both = |unread: &Unread| {
                let id = original.table.find(&unread.column);
                id.is_ok_and(|id| is_mixed(original.table.column(id)))
            };
            if columns.iter().any(is_of_both) {
                check.reason += "; some values of the original's column are numbers and some are not: if these stand for missing cells, pass `--null` with their spelling";
            }
            checks.push(check);
        }
        match &tables.elsewhere {
            None => checks.extend(hygiene::checks(claimed, &self.at, tables, run)?),
            Some(elsewhere) => checks.extend(hygiene::counted(claimed, &self.at, elsewhere, run)?),
        }
        let (exposure, findings) = match engine {
            Some(engine) => self.exposed_elsewhere(&claims, &quasi, &tables.release, engine)?,
            None => self.exposed(&claims, &quasi, &tables.release, run)?,
        };
        Ok(Judged { claims, checks, bound, quasi_identifiers: quasi, exposure, findings })
    }

    /// The columns that classes are made of. The number of a bucket is nothing that anybody knows of a
    /// person.
    fn quasi(&self, release: &EncodedTable, bucket: Option<&str>) -> Result<Vec<String>> {
        let spread = self.spreads.iter().map(|setting| setting.column.as_str());
        let others: Vec<&str> = spread.chain(self.sensitive.as_deref()).chain(bucket).collect();
        quasi_identifiers(release, self.quasi_identifiers.as_deref(), &self.roles, &others)
    }

    /// The column that numbers buckets: the one that is named or claimed, or that the original lacks.
    fn bucket_in(&self, claimed: &Claimed, tables: &Tables<'_>) -> Result<Option<String>> {
        if let Some(name) = &self.bucket {
            tables.release.find(name)?;
            return Ok(Some(name.clone()));
        }
        let of_claims = claimed.claims.iter().find_map(|claim| claim.bucket.clone());
        let of_pair = || {
            let pair = tables.pair.as_ref()?;
            Some(pair.release.column(pair.reading.bucket_column()?).name().to_owned())
        };
        let is_there = |name: &String| tables.release.find(name).is_ok();
        Ok(of_claims.filter(is_there).or_else(of_pair))
    }

    /// What could be checked with more than was given.
    fn not_checked(&self) -> Vec<String> {
        match self.original {
            Some(_) => Vec::new(),
            None => vec![
                "whether every published row is consistent with a row of the original: pass `--original FILE`".into(),
            ],
        }
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

/// The check that every published cell is true.
pub(crate) const TRUTHFUL: &str = "truthful";

/// How the names of checks begin that are about files.
pub(crate) const HYGIENE: &str = "hygiene: ";

/// Whether a column was read as text although values of it are numbers.
fn is_mixed(column: &Column) -> bool {
    let texts = column.dictionary().texts();
    let is_number = |text: &String| text.trim().parse::<f64>().is_ok_and(f64::is_finite);
    *column.data_type() == DataType::Utf8
        && texts.iter().any(is_number)
        && !texts.iter().all(is_number)
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

/// Judges claims about a release in memory, with the original where it is needed.
pub(crate) fn judged(
    release: &EncodedTable,
    original: Option<(&EncodedTable, &Reading)>,
    claims: &[Claim],
    run: &Run,
) -> Result<Vec<VerifyCheck>> {
    let (original, reading) = original.unzip();
    let bench = Bench { release, engine: None, original, reading, run };
    claims.iter().map(|claim| bench.judge(claim, &[])).collect()
}

/// Whether every published cell is true.
fn truthful(pair: &Pair, run: &Run) -> Result<VerifyCheck> {
    let (original, release) = (&pair.whole.table, &pair.release);
    let published = |id: &ColumnId| pair.reading.published(*id).is_some();
    let columns = original.all_columns().iter().filter(published).collect();
    let found: Untrue = Truth::new(columns).run(original, release, &pair.reading, run)?;
    let named: Vec<String> =
        found.columns().iter().map(|(id, _)| original.column(*id).name().to_owned()).collect();
    // What is found untrue is so for certain; what was not searched to its end is open.
    let is_decided = found.is_exact() || !found.is_true();
    let reason = match (found.is_true(), found.is_exact()) {
        (true, true) => {
            "every published row is consistent with a different row of the original".into()
        }
        (true, false) => "every published row is consistent with a row of the original; the search for a different one for each was not finished".into(),
        (false, _) => format!(
            "{} published rows are consistent with no row of the original that is left for them",
            found.count()
        ),
    };
    Ok(VerifyCheck {
        claim: TRUTHFUL.into(),
        met: found.is_true() && is_decided,
        decided: is_decided,
        reason,
        columns: named,
        violations: found.count(),
        rows: found.rows().iter().copied().take(MOST_ROWS).collect(),
        of_original: false,
    })
}
