//! The job that generalizes: values give way to ranges, sets and groups.

mod decide;
mod report;
mod warnings;

use std::collections::BTreeMap;
use std::path::PathBuf;

use muslin_engine::{Coverage, Run, Stop};
use muslin_io::{Input, ReadOptions, Release};
use muslin_protect::Cut;
use muslin_table::{ColumnId, EncodedTable, MissingRule, Role};
use muslin_verify::{ClassFacts, ClassJudge, Condition};
use serde::{Deserialize, Serialize};

pub use self::report::{GeneralizeLoss, GeneralizeReport, GeneralizedColumnReport};

use self::decide::Decided;
use crate::claims::{Claim, SpreadSetting};
use crate::hierarchies::{Hierarchies, HierarchySource};
use crate::input::InputReport;
use crate::release::{Made, ReleaseOutput};
use crate::whole::Whole;
use crate::{Error, Result};

/// How values are recoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Recoding {
    /// Classes are boxes, cut out of each other.
    #[default]
    Mondrian,
    /// Each class at levels of its own.
    Local,
    /// Each column at one level.
    FullDomain,
}

impl Recoding {
    /// Every way, the default first.
    pub const ALL: [Self; 3] = [Self::Mondrian, Self::Local, Self::FullDomain];

    /// The way's name, as flags spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mondrian => "mondrian",
            Self::Local => "local",
            Self::FullDomain => "full-domain",
        }
    }
}

/// How the several values of a class are published, where no hierarchy says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Labels {
    /// From the smallest to the largest.
    Ranges,
    /// All of them.
    Sets,
    /// All of them with their numbers.
    Multisets,
}

impl Labels {
    /// Every form.
    pub const ALL: [Self; 3] = [Self::Ranges, Self::Sets, Self::Multisets];

    /// The form's name, as flags spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ranges => "ranges",
            Self::Sets => "sets",
            Self::Multisets => "multisets",
        }
    }
}

/// Recodes quasi-identifiers until every class is large and diverse enough.
///
/// # Guarantee
/// What the report claims holds for the release, by the count of a judge that shares no code with
/// the search; where it did not, the job would fail and write nothing. Columns that are no
/// quasi-identifiers are published as they are, identifiers not at all.
///
/// # Cost
/// Reading, then what [`muslin_protect::Mondrian`], [`muslin_protect::LocalRecoding`] or
/// [`muslin_protect::FullDomain`] say.
///
/// # Example
/// ```
/// use muslin::{GeneralizeJob, Input, Run};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("people.csv");
/// std::fs::write(&file, "age,town\n31,A\n33,A\n52,B\n58,B\n")?;
/// let report = GeneralizeJob::new(Input::named(&file), 2).run(&Run::new())?;
/// assert_eq!((report.classes, report.smallest), (2, Some(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GeneralizeJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// What a missing cell matches; only as a value of its own.
    pub missing: MissingRule,
    /// The least rows of a class.
    pub k: u32,
    /// How sensitive columns are spread in each class.
    pub spreads: Vec<SpreadSetting>,
    /// How values are recoded.
    pub recoding: Recoding,
    /// Where hierarchies come from.
    pub hierarchies: Hierarchies,
    /// A folder with hierarchies in files named after columns, for those that have none yet.
    pub hierarchy_folder: Option<PathBuf>,
    /// The share of rows that may be withheld; none, or for local recoding those that fit nowhere, where
    /// nothing is said.
    pub suppression_limit: Option<f64>,
    /// How several values are published by Mondrian; numbers and dates as ranges and others as sets,
    /// where nothing is said.
    pub labels: Option<Labels>,
    /// The most values of a set of texts or codes; a class that has more of them is suppressed in
    /// that column. [`GeneralizeJob::MAX_SET`] where nothing is said. Only Mondrian publishes sets.
    pub max_set: Option<u32>,
    /// Whether bounds of ranges are those of the class, which may be one person's.
    pub tight: bool,
    /// Steps of the grids that bounds of ranges lie on; found out where nothing is said.
    pub grids: BTreeMap<String, f64>,
    /// Where Mondrian cuts.
    pub cut: Cut,
    /// Whether rows at a median go to either side.
    pub relaxed: bool,
    /// The release to write.
    pub output: Option<ReleaseOutput>,
    /// Keys of a policy that say nothing here; the report names them.
    pub unused_keys: Vec<String>,
}

impl GeneralizeJob {
    /// The most values of a set of texts or codes, where nothing is said.
    pub const MAX_SET: u32 = 5;

    /// Makes classes of `k` rows of `input`, and writes nothing.
    pub fn new(input: Input, k: u32) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            missing: MissingRule::default(),
            k,
            spreads: Vec::new(),
            recoding: Recoding::default(),
            hierarchies: Hierarchies::new(),
            hierarchy_folder: None,
            suppression_limit: None,
            labels: None,
            max_set: None,
            tight: false,
            grids: BTreeMap::new(),
            cut: Cut::default(),
            relaxed: false,
            output: None,
            unused_keys: Vec::new(),
        }
    }

    /// Reads the input, recodes it, checks that, and writes what was asked for.
    pub fn run(&self, run: &Run) -> Result<GeneralizeReport> {
        if let Some(output) = &self.output {
            output.check(&self.input)?;
        }
        let mut whole = Whole::of(&self.input, &self.read, &self.roles, false, run)?;
        whole.check_decided(&self.roles)?;
        let Made { release, mut report, .. } = self.on(&mut whole, run)?;
        let is_interrupted = report.coverage == Coverage::Stopped { by: Stop::Interrupted };
        if let Some(output) = self.output.as_ref().filter(|_| !is_interrupted) {
            output.write(&release, &self.input, &whole.source, run)?;
            report.written = output.destination.written();
        }
        Ok(report)
    }

    /// Recodes a table in memory and checks that.
    pub(crate) fn on(&self, whole: &mut Whole, run: &Run) -> Result<Made<GeneralizeReport>> {
        let sensitive: Vec<&str> = self.spreads.iter().map(|of| of.column.as_str()).collect();
        whole.leave_sensitive(&self.roles, &sensitive);
        whole.check_mark()?;
        let mut hierarchies = self.hierarchies.clone();
        if let Some(folder) = &self.hierarchy_folder {
            let names = whole.names(&whole.measured);
            hierarchies
                .add_folder(folder, &names.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        let decided = self.decide(whole, &hierarchies, run)?;
        let rows = whole.table.rows();
        if rows > 0 && decided.changes.removed().len() == rows {
            return Err(Error::Protect(muslin_protect::Error::Unreachable(format!(
                "every one of the {rows} rows would be removed, and an empty release be written: no class of rows meets what is asked\n  hint: pass a smaller `-k`, weaker `--diversity` or `--closeness`, or another `--recoding`"
            ))));
        }
        let mut changes = decided.changes.clone();
        whole.identifiers.iter().for_each(|id| changes.mask(id));
        // Judged and written whatever limit is over: what it left keeps its promises.
        let counting = run.clone().time_limit(None);
        let order = self.output.as_ref().map_or(muslin_io::RowOrder::AsRead, |output| output.order);
        let release = Release::new(&whole.table, &changes, order)?;
        let facts = self.judge(whole, release.table(), &counting)?;
        let report = self.report(whole, &decided, release.table(), &facts);
        Ok(Made { changes, release, report })
    }

    /// Counts the release's classes; an error where they are not what was promised.
    fn judge(&self, whole: &Whole, release: &EncodedTable, run: &Run) -> Result<ClassFacts> {
        let find = |name: &str| release.find(name);
        let names = whole.names(&whole.measured);
        let columns = names.iter().map(|name| find(name)).collect::<Result<_, _>>()?;
        let mut judge = ClassJudge::new(columns);
        for setting in &self.spreads {
            let original = whole.table.column(whole.table.find(&setting.column)?);
            judge = judge.sensitive(find(&setting.column)?, Some(original));
        }
        let facts = judge.run(release, run)?;
        let conditions = std::iter::once((Condition::AtLeast { k: self.k }, 0))
            .chain(self.spreads.iter().enumerate().map(|(at, of)| (condition(of), at)));
        for (condition, sensitive) in conditions {
            if facts.rows() > 0 && !facts.is_met(condition, sensitive) {
                return Err(Error::NotHeld {
                    claim: format!("{condition:?}"),
                    found: u64::from(facts.smallest().unwrap_or(0)),
                });
            }
        }
        Ok(facts)
    }

    fn report(
        &self,
        whole: &Whole,
        decided: &Decided,
        release: &EncodedTable,
        facts: &ClassFacts,
    ) -> GeneralizeReport {
        let rows = whole.table.rows() as u64;
        let removed = decided.changes.removed().len() as u64;
        let names = whole.names(&whole.measured);
        let mut claims = vec![Claim::k_anonymity(self.k, &names)];
        claims.extend(self.spreads.iter().map(|setting| Claim::spread(setting, &names)));
        let published = whole.names(&whole.published());
        let of_release =
            |claim: Claim| claim.of_rows(release.rows() as u64).of_columns(published.clone());
        let claims = claims.into_iter().map(of_release).collect();
        let column = |id: ColumnId| column(whole, decided, release, id);
        GeneralizeReport {
            schema: 1,
            command: "generalize".into(),
            coverage: decided.coverage,
            input: InputReport::new(&whole.source),
            rows,
            columns: whole.measured.iter().map(column).collect(),
            unmeasured: whole.names(&whole.unmeasured()),
            identifiers_dropped: whole.names(&whole.identifiers),
            recoding: self.recoding.name().into(),
            removed_rows: removed,
            removed_share: share(removed, rows),
            suppression_limit: self.limit(),
            classes: facts.classes() as u64,
            smallest: facts.smallest(),
            loss: GeneralizeLoss {
                gcp: decided.loss,
                gcp_lower_bound: decided.lower_bound,
                discernibility: discernibility(facts, removed, rows),
                average_class: facts.average().unwrap_or(0.0),
            },
            optimal: decided.lower_bound.map(|bound| decided.loss - bound < 1e-9),
            nodes: decided.nodes,
            nodes_checked: decided.checked,
            claims,
            row_order: self.output.as_ref().map(|output| output.order_name().into()),
            written: None,
            warnings: self.warnings(whole, decided),
        }
    }

    /// The share of rows that may be withheld.
    fn limit(&self) -> f64 {
        self.suppression_limit.unwrap_or(match self.recoding {
            Recoding::Local => 1.0,
            Recoding::Mondrian | Recoding::FullDomain => 0.0,
        })
    }
}

/// What became of a quasi-identifier.
fn column(
    whole: &Whole,
    decided: &Decided,
    release: &EncodedTable,
    id: ColumnId,
) -> GeneralizedColumnReport {
    let before = whole.table.column(id);
    let of = |list: &[(ColumnId, f64)]| list.iter().find(|(own, _)| *own == id).map(|of| of.1);
    let facts = decided.columns.iter().find(|column| column.id == id);
    let source = match decided.hierarchies.of(before.name()) {
        Some(HierarchySource::File(_)) => "file",
        Some(HierarchySource::Rule(_)) => "rule",
        None => "values",
    };
    let after = release.find(before.name()).map(|id| release.column(id).dictionary().len());
    GeneralizedColumnReport {
        name: before.name().to_owned(),
        gcp: of(&decided.losses).unwrap_or(0.0),
        level: facts.and_then(|column| column.level).map(|level| level as u64),
        levels: facts.and_then(|column| column.levels).map(|levels| levels as u64),
        hierarchy: facts.and_then(|column| column.levels).map(|_| source.into()),
        form: facts.map_or("label", |column| column.form).into(),
        distinct_before: before.dictionary().len() as u64,
        distinct_after: after.unwrap_or(0) as u64,
    }
}

/// The condition that a judge knows.
fn condition(setting: &SpreadSetting) -> Condition {
    use muslin_protect::{Distance, Spread};
    match setting.spread {
        Spread::Distinct { l } => Condition::Distinct { l },
        Spread::Probabilistic { l } => Condition::Probabilistic { l },
        Spread::Entropy { l } => Condition::Entropy { l },
        Spread::Recursive { c, l } => Condition::Recursive { c_millionths: c.millionths(), l },
        Spread::Close { t, distance } => Condition::Close {
            t_millionths: t.millionths(),
            ordered: distance == Distance::Ordered,
        },
        _ => Condition::AtLeast { k: u32::MAX },
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
fn discernibility(facts: &ClassFacts, removed: u64, rows: u64) -> f64 {
    let square = |(&size, &classes): (&u32, &u32)| f64::from(size).powi(2) * f64::from(classes);
    facts.histogram().iter().map(square).sum::<f64>() + removed as f64 * rows as f64
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
