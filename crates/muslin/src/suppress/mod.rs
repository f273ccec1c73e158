//! The job that suppresses: withholds cells until every row is one of k, and accounts for it.

mod certificate;
mod decide;
mod ledger;
mod report;

use std::collections::BTreeMap;

use muslin_engine::{Coverage, Run, Stop};
use muslin_io::{Input, Prepared, ReadOptions, Release, RowOrder};
use muslin_protect::Ties;
use muslin_table::{Changes, ColumnId, ColumnSet, EncodedTable, MissingRule, Role, printable};
use muslin_verify::{Notions, Outsider};
use serde::{Deserialize, Serialize};

pub use self::certificate::CertificateCheck;
pub(crate) use self::certificate::read as read_certificate;
pub use self::report::{DiversityReport, NotionsReport, SuppressColumnReport, SuppressReport};

use self::decide::Decided;
use crate::claims::{Claim, SpreadSetting};
use crate::input::InputReport;
use crate::policy::unused_warning;
use crate::release::{Made, ReleaseOutput};
use crate::whole::Whole;
use crate::{Error, Result};

/// What is to hold for each row, or person, of k.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SuppressNotion {
    /// Wildcard ambiguity, after paper 003: weak.
    #[serde(rename = "ambiguity")]
    Ambiguity,
    /// (1,k).
    #[serde(rename = "1k")]
    OneToK,
    /// (k,1).
    #[serde(rename = "k1")]
    KToOne,
    /// (k,k).
    #[serde(rename = "kk")]
    BothK,
    /// Own-value k-anonymity.
    #[default]
    #[serde(rename = "k-anonymity")]
    KAnonymity,
}

impl SuppressNotion {
    /// Every notion, the strongest first.
    pub const ALL: [Self; 5] =
        [Self::KAnonymity, Self::BothK, Self::KToOne, Self::OneToK, Self::Ambiguity];

    /// The notion's name, as flags spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ambiguity => "ambiguity",
            Self::OneToK => "1k",
            Self::KToOne => "k1",
            Self::BothK => "kk",
            Self::KAnonymity => "k-anonymity",
        }
    }
}

/// How cells are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SuppressMethod {
    /// Paper 003: whole rows.
    A,
    /// Paper 003: the cell that occurs most often.
    B,
    /// Paper 003: row by row.
    C,
    /// Paper 003: all rows at once.
    D,
    /// Paper 003: the nearest row.
    Shortest,
    /// The fewest, with proof.
    Exact,
}

impl SuppressMethod {
    /// Every method.
    pub const ALL: [Self; 6] = [Self::A, Self::B, Self::C, Self::D, Self::Shortest, Self::Exact];

    /// The method's name, as flags spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
            Self::D => "d",
            Self::Shortest => "shortest",
            Self::Exact => "exact",
        }
    }
}

/// What a withheld cell of a column costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellCost {
    /// So much.
    Weight(muslin_assess::Weight),
    /// No cell is withheld.
    Never,
}

/// A dependency that a release shall not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenDependency {
    /// The columns that tell.
    pub from: Vec<String>,
    /// The columns that are told.
    pub to: Vec<String>,
    /// Whether one counterexample is enough; otherwise every row fits another value.
    pub one_counterexample: bool,
}

/// Withholds cells of quasi-identifiers until a notion of being one of k holds.
///
/// # Guarantee
/// The notion holds for the release, by the count of a judge that shares no code with the search;
/// where it did not, the job would fail and write nothing. Whatever reaches the notion costs at
/// least the lower bound. Cells that are published are those of the input; columns that are no
/// quasi-identifiers are published as they are, unless closed, identifiers not at all.
///
/// Where some columns have the role of a quasi-identifier, those lose cells; otherwise all but
/// identifiers and sensitive columns. Roles are those given, never suggested ones.
///
/// # Cost
/// Reading, then what [`muslin_protect::Suppress`] says.
///
/// # Example
/// ```
/// use muslin::{Input, Run, SuppressJob};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("people.csv");
/// std::fs::write(&file, "age,town\n30,A\n30,B\n40,C\n40,D\n")?;
/// let report = SuppressJob::new(Input::named(&file), 2).run(&Run::new())?;
/// assert_eq!(report.suppressed_cells, 4);
/// assert_eq!(report.notions.n6, Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SuppressJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// What a missing cell matches; only as a value of its own.
    pub missing: MissingRule,
    /// What is to hold.
    pub notion: SuppressNotion,
    /// Of how many each row is to be one.
    pub k: u32,
    /// How cells are chosen; by a search, or the best of paper 003 where that is asked for.
    pub method: Option<SuppressMethod>,
    /// How paper 003's methods break ties; as in the paper where nothing is said.
    pub ties: Option<Ties>,
    /// Whether cells that need not be blank are shown again; not in the paper's own methods, and
    /// otherwise yes, where nothing is said.
    pub irredundant: Option<bool>,
    /// A dependency to break instead of making rows ambiguous.
    pub dependency: Option<BrokenDependency>,
    /// What cells cost; one where nothing is said.
    pub weights: BTreeMap<String, CellCost>,
    /// What cells cost where `weights` does not say, as a policy lists it: columns that cannot lose cells are
    /// passed over.
    pub costs: BTreeMap<String, CellCost>,
    /// Cells that columns may lose.
    pub budgets: BTreeMap<String, u64>,
    /// A sensitive column, and l.
    pub diversity: Option<(String, u32)>,
    /// Whether more cells are withheld, until each leaves two values to somebody who knows that none is
    /// withheld without need.
    pub robust: bool,
    /// Whether a column that tells another one is withheld with it, quasi-identifier or not. Sensitive
    /// columns, weights and those that must stay lose no cell; where they tell, the report warns.
    pub closed: bool,
    /// How far above the bound is good enough, as a share of it.
    pub gap: f64,
    /// The release to write.
    pub output: Option<ReleaseOutput>,
    /// Where the certificate of the bound goes.
    pub certificate: Option<ReleaseOutput>,
    /// Where the ledger goes: for each withheld cell, what it breaks. Not for release.
    pub ledger: Option<ReleaseOutput>,
    /// Keys of a policy that say nothing here; the report names them.
    pub unused_keys: Vec<String>,
}

impl SuppressJob {
    /// Makes every row of `input` one of `k` equal ones, and writes nothing.
    pub fn new(input: Input, k: u32) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            missing: MissingRule::default(),
            notion: SuppressNotion::default(),
            k,
            method: None,
            ties: None,
            irredundant: None,
            dependency: None,
            weights: BTreeMap::new(),
            costs: BTreeMap::new(),
            budgets: BTreeMap::new(),
            diversity: None,
            robust: false,
            closed: false,
            gap: 0.02,
            output: None,
            certificate: None,
            ledger: None,
            unused_keys: Vec::new(),
        }
    }

    /// Reads the input, decides what to withhold, checks it, and writes what was asked for.
    pub fn run(&self, run: &Run) -> Result<SuppressReport> {
        // Before anything else: who cannot write need not wait.
        let outputs = self.output.iter().chain(&self.certificate).chain(&self.ledger);
        ReleaseOutput::check_all(outputs, &self.input)?;
        let mut whole = Whole::of(&self.input, &self.read, &self.roles, false, run)?;
        whole.check_decided(&self.roles)?;
        let (decided, mut report) = self.decided(&mut whole, run)?;
        let is_interrupted = report.coverage == Coverage::Stopped { by: Stop::Interrupted };
        if is_interrupted {
            return Ok(report);
        }
        // All of them appear, or none.
        let mut prepared = Vec::new();
        if let (Some(output), Some(proof)) = (&self.certificate, &decided.certificate) {
            let options = output.options_for(&self.input);
            prepared.push(certificate::prepare(proof, &output.destination, &options)?);
            report.certificate = output.destination.written();
        }
        if let Some(output) = &self.ledger {
            let to = (&output.destination, &output.options_for(&self.input));
            let columns = (&whole.measured, &whole.unmeasured());
            prepared.push(ledger::prepare(
                &whole.table,
                columns,
                &decided.changes,
                self.k,
                to,
                run,
            )?);
            report.ledger = output.destination.written();
        }
        if let Some(output) = &self.output {
            let release = released(&whole, &decided, output.order)?.1;
            prepared.push(output.prepare(&release, &self.input, &whole.source, run)?);
            report.written = output.destination.written();
        }
        Prepared::place_all(prepared)?;
        Ok(report)
    }

    /// Decides about a table in memory and checks that.
    pub(crate) fn on(&self, whole: &mut Whole, run: &Run) -> Result<Made<SuppressReport>> {
        let (decided, report) = self.decided(whole, run)?;
        let order = self.output.as_ref().map_or(RowOrder::AsRead, |output| output.order);
        let (changes, release) = released(whole, &decided, order)?;
        Ok(Made { changes, release, report })
    }

    fn decided(&self, whole: &mut Whole, run: &Run) -> Result<(Decided, SuppressReport)> {
        let diverse = self.diversity.as_ref().map(|(name, _)| name.as_str());
        whole.leave_sensitive(&self.roles, diverse.as_slice());
        whole.check_mark()?;
        let named = self.named(whole)?;
        run.reporter().stage("choosing cells", None);
        let decided = self.decide(whole, &named, run);
        run.reporter().finish();
        let decided = decided?;
        let report = self.report(whole, &named, &decided, run)?;
        Ok((decided, report))
    }

    fn report(
        &self,
        whole: &Whole,
        named: &decide::Named,
        decided: &Decided,
        run: &Run,
    ) -> Result<SuppressReport> {
        // The figures that promises rest on are counted whatever limit is over.
        let counting = run.clone().time_limit(None);
        let outsider = Outsider::new(whole.measured.clone());
        let judged =
            |changes: &Changes| outsider.run(&whole.table, changes, &counting).map_err(Error::from);
        let before = judged(&Changes::none(&whole.table))?;
        let after = judged(&decided.changes)?;
        self.check(&after, decided)?;
        let checked = match &decided.certificate {
            Some(proof) if decided.certified > 0 => {
                certificate::is_proven(proof, decided.certified, &whole.table, &counting)?
                    && decided.certified == decided.lower_bound
            }
            _ => false,
        };
        let rows = whole.table.rows() as u64;
        let columns: Vec<SuppressColumnReport> =
            whole.measured.iter().map(|id| column(whole, named, decided, id)).collect();
        // Columns that must stay are told about otherwise.
        let loses = |id: &ColumnId| !decided.changes.suppressed(*id).is_empty();
        let told: ColumnSet = named.tellers.iter().filter(loses).collect();
        let tellers = told.iter().map(|id| column(whole, named, decided, id)).collect();
        let cells = decided.changes.suppressed_cells() as u64;
        let quasi: u64 = columns.iter().map(|column| column.suppressed).sum();
        let (cost, bound) = (decided.cost, decided.lower_bound);
        let looked_at = rows * columns.len() as u64;
        Ok(SuppressReport {
            schema: 1,
            command: "suppress".into(),
            coverage: decided.coverage,
            input: InputReport::new(&whole.source),
            rows,
            columns,
            tellers,
            unmeasured: whole.names(&whole.unmeasured().difference(&told)),
            identifiers_dropped: whole.names(&whole.identifiers),
            notion: self.notion,
            k: self.k,
            method: decided.method.into(),
            suppressed_cells: cells,
            suppressed_share: share(quasi, looked_at),
            decoys: decided.decoys,
            rows_changed: rows_changed(&decided.changes, &whole.table),
            sacrificial_rows: after.sacrificial_rows() as u64,
            cost: units(cost),
            lower_bound: units(bound),
            upper_bound: decided.upper_bound.map(units),
            gap: (bound > 0).then(|| units(cost) / units(bound) - 1.0),
            optimal: cost == bound,
            bound_checked: checked,
            notions: notions(&after),
            notions_before: notions(&before),
            matched_once: after.matched_once() as u64,
            matched_once_before: before.matched_once() as u64,
            diversity: self
                .diversity
                .as_ref()
                .map(|(column, l)| DiversityReport { column: column.clone(), l: *l }),
            row_order: self.output.as_ref().map(|output| output.order_name().into()),
            written: None,
            certificate: None,
            ledger: None,
            claims: self.claims(whole),
            warnings: self.warnings(whole, &after, decided),
        })
    }

    /// What the release claims. A broken dependency is no promise about anybody.
    fn claims(&self, whole: &Whole) -> Vec<Claim> {
        if self.dependency.is_some() {
            return Vec::new();
        }
        let names = whole.names(&whole.measured);
        let mut claims = vec![Claim::notion(self.notion, self.k, &names)];
        if let Some((column, l)) = &self.diversity {
            let spread = muslin_protect::Spread::Probabilistic { l: *l };
            let setting = SpreadSetting { column: column.clone(), spread };
            claims.push(Claim::spread(&setting, &names));
        }
        let published = whole.names(&whole.published());
        let of_release =
            |claim: Claim| claim.of_rows(whole.table.rows() as u64).of_columns(published.clone());
        claims.into_iter().map(of_release).collect()
    }

    /// An error where the judge does not find what was promised: our own mistake.
    fn check(&self, after: &Notions, decided: &Decided) -> Result<()> {
        if decided.changes.suppressed_cells() == 0 && self.dependency.is_some() {
            return Ok(());
        }
        let smallest = match self.notion {
            _ if self.dependency.is_some() => None,
            SuppressNotion::Ambiguity => after.n1(),
            SuppressNotion::OneToK => Some(after.n2()),
            SuppressNotion::KToOne => Some(after.n3()),
            SuppressNotion::BothK => Some(after.n4()),
            SuppressNotion::KAnonymity => Some(after.n6()),
        };
        match smallest.and_then(muslin_verify::Counts::smallest) {
            Some(found) if found < self.k => Err(Error::NotHeld {
                claim: format!("{} with k = {}", self.notion.name(), self.k),
                found: u64::from(found),
            }),
            _ => Ok(()),
        }
    }

    /// What to look at before relying on the release.
    fn warnings(&self, whole: &Whole, after: &Notions, decided: &Decided) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.notion == SuppressNotion::Ambiguity && self.dependency.is_none() {
            warnings.push(
                "wildcard ambiguity is weak: whoever knows a person's values may still find the row; ask for `k-anonymity` to stop that".into(),
            );
        }
        if after.sacrificial_rows() > 0 && self.notion != SuppressNotion::KAnonymity {
            warnings.push(format!(
                "{} rows lost more than half of their cells; without them the others may stand out again",
                after.sacrificial_rows()
            ));
        }
        warnings.extend(decided.open.iter().map(|&(from, to)| {
            format!(
                "column `{}` stays, and tells most withheld cells of `{}`: leave one of them out with `--exclude`, or accept that",
                printable(&whole.name(from)),
                printable(&whole.name(to))
            )
        }));
        warnings.extend(whole.published_warnings(&self.roles));
        warnings.extend(self.output.as_ref().and_then(ReleaseOutput::warning));
        warnings.extend(unused_warning("suppress", &self.unused_keys));
        warnings.extend(whole.warnings.iter().cloned());
        warnings
    }
}

/// What is decided, with identifiers withheld, and the release that this makes.
fn released(whole: &Whole, decided: &Decided, order: RowOrder) -> Result<(Changes, Release)> {
    let mut changes = decided.changes.clone();
    whole.identifiers.iter().for_each(|id| changes.mask(id));
    let release = Release::new(&whole.table, &changes, order)?;
    Ok((changes, release))
}

fn column(
    whole: &Whole,
    named: &decide::Named,
    decided: &Decided,
    id: ColumnId,
) -> SuppressColumnReport {
    let suppressed = decided.changes.suppressed(id).len() as u64;
    let weight = named.weights.of(id).as_f64();
    SuppressColumnReport {
        name: whole.name(id),
        suppressed,
        share: share(suppressed, whole.table.rows() as u64),
        weight: (!named.never.contains(id)).then_some(weight),
        budget: named.budgets.iter().find(|(column, _)| *column == id).map(|(_, most)| *most),
    }
}

fn notions(found: &Notions) -> NotionsReport {
    let smallest = muslin_verify::Counts::smallest;
    NotionsReport {
        n1: found.n1().and_then(smallest),
        n2: smallest(found.n2()),
        n3: smallest(found.n3()),
        n4: smallest(found.n4()),
        n5: found.n5().and_then(smallest),
        n6: smallest(found.n6()),
    }
}

fn rows_changed(changes: &Changes, table: &EncodedTable) -> u64 {
    let mut changed = vec![false; table.rows()];
    for id in table.all_columns().iter() {
        changes.suppressed(id).iter().for_each(|row| changed[row.index()] = true);
    }
    changed.iter().filter(|&&changed| changed).count() as u64
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Millionths as what they are parts of.
pub(crate) fn units(millionths: u64) -> f64 {
    muslin_assess::Weight::of_millionths(millionths).as_f64()
}

/// The column set of some names.
fn named_set(whole: &Whole, names: &[String]) -> Result<ColumnSet> {
    names.iter().map(|name| Ok(whole.table.find(name)?)).collect()
}

/// An error about settings.
fn wrong(text: impl Into<String>) -> Error {
    Error::Protect(muslin_protect::Error::Setting(text.into()))
}
