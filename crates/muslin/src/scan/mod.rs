//! The main job: what is in a file, how many of its people stand out, and what to do next.
//!
//! ```text
//! words, patterns --> roles     what columns are, by name, counts and what values look like
//! scene                         what everybody below looks at
//! alone                         rows that one, two or three columns single out
//! search                        smallest keys, minimal uniques
//! dependencies                  columns that say what others say
//! influence                     what dropping or coarsening a column would gain
//! at_risk, findings, plots      presets, warnings, numbers to draw
//! budget                        how deep all of them look
//! elsewhere                     the same of a table that is not in memory
//! ```

mod alone;
mod at_risk;
mod budget;
mod dependencies;
mod doubts;
mod elsewhere;
mod findings;
mod influence;
mod nature;
mod patterns;
mod plots;
mod report;
mod roles;
mod scene;
mod search;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use muslin_assess::Target;
use muslin_engine::{ColumnCounts, Engine, MemoryEngine, Run};
use muslin_io::{Input, ReadOptions, ReadTable, Source};
use muslin_table::{ClassSizes, Column, ColumnId, ColumnSet, EncodedTable, MissingRule, Role};

pub use self::alone::{PairReport, SingledOutReport, SingledOutSize, WorstSet};
pub use self::at_risk::PresetReport;
pub use self::budget::PartCoverage;
pub use self::dependencies::{DependenciesReport, DependencyReport};
pub use self::findings::{FindingKind, FindingReport};
pub use self::influence::{ColumnInfluence, Gain, InfluenceReport};
pub(crate) use self::nature::Nature;
pub use self::patterns::{Pattern, PatternReport};
pub use self::plots::{ScanPlots, SetPoint, SurvivalPoint};
pub(crate) use self::report::share;
pub use self::report::{ClassesReport, ColumnReport, Decided, ScanReport, SizeReport, Threshold};
pub use self::roles::suggest_role;
pub(crate) use self::roles::suggestion;
pub use self::search::{MinimalUniquesReport, SetReport, SetsReport};

use self::budget::Budget;
use self::roles::{Suggestion, kind_of, suggest};
use self::scene::Scene;
use crate::Result;
use crate::elsewhere::AskAt;
use crate::input::{InputReport, check_roles, has_empty_cells, warnings};

/// Scans a file: what its columns are, the classes its quasi-identifiers make, what singles rows out, and what
/// would help.
///
/// # Guarantee
/// Counts and ratios of columns and of the quasi-identifiers' classes are exact. Every part beyond says by its
/// coverage whether it is of all rows and all sets of columns; where it is not, a number of rows singled out
/// is a least number, and a dependency is called exact only if it was counted on all rows. No cell's value
/// is in the report, except spellings of missing that muslin itself lists.
///
/// # Cost
/// One pass to read, one per column and one per quasi-identifier over the codes; then work that the budget
/// stands for. How deep that goes is decided by counting, so the report is the same on any machine that is
/// quick enough to keep to the budget.
#[derive(Clone, Debug)]
pub struct ScanJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known; the others are suggested.
    pub roles: BTreeMap<String, Role>,
    /// The quasi-identifiers to look at; those with that role when not given.
    pub quasi_identifiers: Option<Vec<String>>,
    /// What a missing cell matches.
    pub missing: MissingRule,
    /// Rows in classes smaller than this are at risk, where columns are compared by what they do.
    pub k: u32,
    /// How long the searches may take, beyond reading and counting.
    pub budget: Duration,
    /// Where the table is asked about. Of one that does not fit memory, columns and classes are counted where it
    /// is, and searches look at rows drawn from it.
    pub at: AskAt,
}

/// Sizes that people ask about: each `k` is some office's or journal's rule.
const THRESHOLDS: [u64; 5] = [2, 3, 5, 10, 20];

impl ScanJob {
    /// Scans `input`, finding everything out.
    pub fn new(input: Input) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            quasi_identifiers: None,
            missing: MissingRule::default(),
            k: 5,
            budget: Duration::from_secs(10),
            at: AskAt::default(),
        }
    }

    /// Reads the input and looks at it.
    pub fn run(&self, run: &Run) -> Result<ScanReport> {
        if !self.at.is_memory() {
            return self.run_elsewhere(run);
        }
        let ReadTable { table, source } = muslin_io::read(&self.input, &self.read, run)?;
        self.on(&table, &source, run)
    }

    /// Scans a table in memory.
    fn on(&self, table: &EncodedTable, source: &Source, run: &Run) -> Result<ScanReport> {
        check_roles(&self.roles, table, source)?;
        let engine = MemoryEngine::new(table, run);
        run.reporter().stage("looking", Some(table.columns().len() as u64 + 1));
        let mut columns = Vec::new();
        for (index, column) in table.columns().iter().enumerate() {
            let by = [ColumnId::new(index)].into_iter().collect();
            let sizes = engine.class_sizes(&by, self.missing)?;
            let counts = ColumnCounts {
                distinct: column.dictionary().len() as u64,
                missing: column.missing(),
            };
            columns.push(self.describe(column, counts, &sizes));
            run.reporter().advance(1);
        }
        run.reporter().finish();
        let (chosen, decided) = self.chosen(table, &columns)?;
        let by: ColumnSet = chosen.iter().copied().collect();
        let sizes = (!by.is_empty()).then(|| engine.class_sizes(&by, self.missing)).transpose()?;
        let classes = sizes.as_ref().map(|sizes| {
            let names = chosen.iter().map(|&id| table.column(id).name().to_owned());
            ClassesReport::new(names.collect(), decided, sizes, &THRESHOLDS)
        });
        let are_given = self.quasi_identifiers.is_some();
        let quasi_identifiers: Vec<ColumnId> = chosen.into_iter().collect();
        let scene = Scene {
            known: Scene::known(table, &columns, &quasi_identifiers, are_given),
            quasi_identifiers,
            table,
            rows: table.rows() as u64,
            engine: None,
            columns: &columns,
            missing: self.missing,
            run,
        };
        let parts = self.parts(&scene, sizes.as_ref())?;
        let known: ColumnSet = scene.known.iter().copied().collect();
        let sets = [parts.keys.as_ref(), parts.nearly_keys.as_ref()];
        let mut next = self.next(&columns);
        // What is advised about the whole file goes on to the next command.
        if let Some(next) = next.as_mut().filter(|_| has_empty_cells(table)) {
            next.extend(["--null".to_owned(), String::new()]);
        }
        Ok(ScanReport {
            schema: 1,
            command: "scan".into(),
            coverage: muslin_engine::Coverage::Complete,
            input: InputReport::new(source),
            rows: table.rows() as u64,
            missing_rule: self.missing,
            quasi_identifiers: classes,
            known: scene.names(&known),
            presets: sizes.as_ref().map(at_risk::presets).unwrap_or_default(),
            findings: findings::look(&scene, parts.dependencies.as_ref()),
            plots: plots::plots(sizes.as_ref(), &columns, parts.singled_out.as_ref(), &sets),
            singled_out: parts.singled_out,
            keys: parts.keys,
            nearly_keys: parts.nearly_keys,
            minimal_uniques: parts.minimal_uniques,
            dependencies: parts.dependencies,
            influence: parts.influence,
            budget_seconds: self.budget.as_secs_f64(),
            warnings: warnings(table, source, &self.read),
            next,
            columns,
        })
    }

    /// What is beyond counting, as far as the budget goes. What matters most comes first.
    fn parts(&self, scene: &Scene<'_>, sizes: Option<&ClassSizes>) -> Result<Parts> {
        let shares = [0.2, 0.15, 0.2, 0.15, 0.1, 0.05, 0.15];
        let [of_two, of_three, of_influence, of_dependencies, of_keys, of_nearly, of_uniques] =
            Budget::split(self.budget, scene.run, shares);
        let reporter = scene.run.reporter();
        let mut parts = Parts::default();
        if scene.table.rows() == 0 || scene.table.columns().is_empty() {
            return Ok(parts);
        }
        reporter.stage("singled out", None);
        if !scene.known.is_empty() {
            parts.singled_out = Some(alone::look(scene, of_two, of_three)?);
        }
        reporter.stage("what would help", None);
        if let Some(sizes) = sizes {
            let now = sizes.rows_below(self.k.into());
            parts.influence = Some(influence::look(scene, self.k, now, of_influence)?);
        }
        reporter.stage("dependencies", None);
        if scene.table.rows() >= dependencies::FEWEST {
            parts.dependencies = Some(dependencies::look(scene, of_dependencies)?);
        }
        reporter.stage("keys", None);
        parts.keys = search::sets(scene, Target::key(), &of_keys)?;
        let target = search::quasi_identifier(self.missing)?;
        parts.nearly_keys = search::sets(scene, target, &of_nearly)?;
        reporter.stage("minimal uniques", None);
        parts.minimal_uniques = search::uniques(scene, &of_uniques)?;
        reporter.finish();
        Ok(parts)
    }

    /// What to do next: a policy, where there is anything to protect and a file to name.
    fn next(&self, columns: &[ColumnReport]) -> Option<Vec<String>> {
        let matters = |column: &ColumnReport| {
            !matches!(column.role, Role::Other | Role::Sensitive | Role::Weight)
        };
        let file = match &self.input {
            // What comes next reads a file.
            Input::Path(_) if !self.at.is_memory() => return None,
            Input::Path(path) => path.to_str()?.to_owned(),
            Input::Stdin | Input::Memory(_) => return None,
        };
        let is_needed = columns.iter().any(matters) || self.quasi_identifiers.is_some();
        let args = ["muslin", "init", &file, "--preset", "ihsn-5"];
        is_needed.then(|| args.map(str::to_owned).into())
    }

    fn describe(&self, column: &Column, counts: ColumnCounts, sizes: &ClassSizes) -> ColumnReport {
        let given = self.roles.get(column.name()).copied();
        let suggested = suggest(column);
        let pattern = suggested.pattern;
        let (role, reason, consider, decided) = match given {
            Some(role) => (role, "given".to_owned(), None, Decided::Given),
            None => {
                let Suggestion { role, reason, consider, .. } = suggested;
                (role, reason, consider.map(str::to_owned), Decided::Suggested)
            }
        };
        ColumnReport {
            name: column.name().to_owned(),
            data_type: kind_of(column).to_owned(),
            distinct: counts.distinct,
            missing: counts.missing,
            distinct_ratio: sizes.distinct_ratio().map(muslin_table::Ratio::as_f64),
            separation_ratio: sizes.separation_ratio().as_f64(),
            rows_alone: sizes.rows_below(2),
            role,
            decided,
            reason,
            consider,
            pattern,
        }
    }

    /// The quasi-identifiers that are given, have that role, or are suggested.
    fn chosen(
        &self,
        table: &EncodedTable,
        columns: &[ColumnReport],
    ) -> Result<(BTreeSet<ColumnId>, Decided)> {
        if let Some(names) = &self.quasi_identifiers {
            let ids: Result<_, _> = names.iter().map(|name| table.find(name)).collect();
            return Ok((ids?, Decided::Given));
        }
        let is_one = |column: &ColumnReport| column.role == Role::QuasiIdentifier;
        let ids = (0..columns.len()).filter(|&c| is_one(&columns[c])).map(ColumnId::new);
        let given = columns.iter().filter(|c| is_one(c)).all(|c| c.decided == Decided::Given);
        Ok((ids.collect(), if given { Decided::Given } else { Decided::Suggested }))
    }
}

/// What a scan finds beyond counts.
#[derive(Default)]
struct Parts {
    singled_out: Option<SingledOutReport>,
    keys: Option<SetsReport>,
    nearly_keys: Option<SetsReport>,
    minimal_uniques: Option<MinimalUniquesReport>,
    dependencies: Option<DependenciesReport>,
    influence: Option<InfluenceReport>,
}
