//! The job that masks: finds the columns that can be published together, and publishes them.

mod explain;
mod report;

use std::collections::BTreeMap;

use muslin_assess::{Target, Weight, Weights};
use muslin_engine::{Coverage, Engine, MemoryEngine, Run, Stop};
use muslin_io::{Input, ReadOptions, Release, RowOrder, Source};
use muslin_protect::{Mask, MaskFound, MaskMethod};
use muslin_table::{Changes, ColumnId, ColumnSet, EncodedTable, MissingRule, Role, printable};

pub use self::report::{MaskReason, MaskReport, MaskSampleReport, MaskStepReport, MaskedReport};

use self::explain::Explain;
use self::report::{shown, unreachable};
use crate::claims::Claim;
use crate::elsewhere::{self, AskAt};
use crate::input::{InputReport, check_roles, names};
use crate::looked::is_nearly_unique;
use crate::policy::unused_warning;
use crate::release::{Made, ReleaseOutput};
use crate::suppress::CellCost;
use crate::whole::Whole;
use crate::{Error, Result};

/// Publishes the columns of a file that together tell few enough rows apart, and masks the rest.
///
/// # Guarantee
/// The ratio of the published columns, on all rows that are looked at, is not greater than the
/// target's, whatever the method and however far it got. A release holds these columns and those
/// that are not measured, no identifier, and every row that was looked at; it is written as a whole
/// or not at all, and only when at least one measured column is published.
///
/// Where some columns have the role of a quasi-identifier, those are measured, and what is neither
/// that nor an identifier is published as it is. Otherwise all but identifiers are measured. Roles
/// are those given, never suggested ones.
///
/// # Cost
/// Reading, then what [`MaskMethod`] says: greedy asks one question about all columns left for
/// each column it publishes. Memory follows rows and columns; a release needs it twice.
///
/// # Example
/// ```
/// use muslin::{Input, MaskJob, Measure, Run, Target};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("people.csv");
/// // Sex and state make four classes of five rows; with age, every row would be alone.
/// std::fs::write(&file, "age,sex,state\n20,f,CA\n30,f,CA\n40,f,TX\n20,m,NY\n40,m,CA\n")?;
/// let target = Target::new(Measure::Distinct, "0.8".parse()?);
/// let report = MaskJob::new(Input::named(&file), target).run(&Run::new())?;
/// assert_eq!(report.publish, ["sex", "state"]);
/// assert_eq!(report.ratio, 0.8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MaskJob {
    /// What to read.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// Roles that are known.
    pub roles: BTreeMap<String, Role>,
    /// What a missing cell matches.
    pub missing: MissingRule,
    /// The ratio that what is published must not exceed.
    pub target: Target,
    /// How the columns are chosen.
    pub method: MaskMethod,
    /// Measured columns that must be published.
    pub keep: Vec<String>,
    /// Measured columns that must not be published.
    pub drop: Vec<String>,
    /// What measured columns are worth when they are published; one where nothing is said.
    pub weights: BTreeMap<String, Weight>,
    /// What measured columns are worth where nothing else says so, as a policy lists it: what may not be
    /// masked is published, and columns that are not measured are passed over.
    pub costs: BTreeMap<String, CellCost>,
    /// Whether rows that equal an earlier one, in every column that is read, are left out.
    pub distinct_rows: bool,
    /// The release to write.
    pub output: Option<ReleaseOutput>,
    /// Where the table is asked about.
    pub at: AskAt,
    /// Keys of a policy that say nothing here; the report names them.
    pub unused_keys: Vec<String>,
}

/// The measured columns that a job names.
struct Named {
    keep: ColumnSet,
    drop: ColumnSet,
    weights: Weights,
}

impl MaskJob {
    /// Chooses greedily among the columns of `input`, each worth one, and writes nothing.
    pub fn new(input: Input, target: Target) -> Self {
        Self {
            input,
            read: ReadOptions::default(),
            roles: BTreeMap::new(),
            missing: MissingRule::default(),
            target,
            method: MaskMethod::Greedy,
            keep: Vec::new(),
            drop: Vec::new(),
            weights: BTreeMap::new(),
            costs: BTreeMap::new(),
            distinct_rows: false,
            output: None,
            at: AskAt::default(),
            unused_keys: Vec::new(),
        }
    }

    /// Reads the input, chooses what to publish, and writes the release that was asked for.
    pub fn run(&self, run: &Run) -> Result<MaskReport> {
        // Before anything else: who cannot write need not wait.
        if let Some(output) = &self.output {
            output.check(&self.input)?;
        }
        if !self.at.is_memory() {
            return self.run_elsewhere(run);
        }
        let mut whole = Whole::of(&self.input, &self.read, &self.roles, self.distinct_rows, run)?;
        whole.check_decided(&self.roles)?;
        let mut report = self.chosen(&whole, run)?;
        self.write(&whole, &mut report, run)?;
        Ok(report)
    }

    fn write(&self, whole: &Whole, report: &mut MaskReport, run: &Run) -> Result<()> {
        if let Some(output) = self.output.as_ref().filter(|_| is_written(report)) {
            let release = released(whole, report, output.order)?.1;
            output.write(&release, &self.input, &whole.source, run)?;
            report.written = output.destination.written();
        }
        Ok(())
    }

    /// Chooses among the columns of a table that is asked about where it is. A release has its rows in
    /// another order, so what is published must fit memory.
    fn run_elsewhere(&self, run: &Run) -> Result<MaskReport> {
        if self.distinct_rows {
            return Err(elsewhere::no_distinct_rows());
        }
        let all = |head: &EncodedTable, source: &Source| {
            check_roles(&self.roles, head, source)?;
            Ok(head.all_columns())
        };
        let elsewhere = elsewhere::open(&self.at, &self.input, &self.read, &all, run)?;
        let warnings = elsewhere.warnings(&self.read, run)?;
        let (head, source) = (elsewhere.head.clone(), elsewhere.source.clone());
        let mut whole = Whole::of_table(head, source, &self.roles, warnings);
        let nearly = elsewhere.nearly_unique()?;
        let nearly = |id: ColumnId| nearly.contains(&whole.name(id));
        let mut report = self.chosen_by(&whole, &*elsewhere.engine, &nearly, run)?;
        if self.output.is_some() && is_written(&report) {
            whole.table = elsewhere.fetched(run)?.ok_or_else(|| {
                elsewhere::wrong(
                    "the release does not fit memory, and its rows are published in another order",
                    "pass a larger `--memory`, or leave out `-o` and publish the columns of the report by `--sql`",
                )
            })?;
            self.write(&whole, &mut report, run)?;
        }
        Ok(report)
    }

    /// Chooses among the columns of a table in memory.
    pub(crate) fn on(&self, whole: &Whole, run: &Run) -> Result<Made<MaskReport>> {
        let report = self.chosen(whole, run)?;
        let order = self.output.as_ref().map_or(RowOrder::AsRead, |output| output.order);
        let (changes, release) = released(whole, &report, order)?;
        Ok(Made { changes, release, report })
    }

    fn chosen(&self, whole: &Whole, run: &Run) -> Result<MaskReport> {
        let engine = MemoryEngine::new(&whole.table, run);
        let nearly = |id: ColumnId| is_nearly_unique(whole.table.column(id));
        self.chosen_by(whole, &engine, &nearly, run)
    }

    fn chosen_by(
        &self,
        whole: &Whole,
        engine: &dyn Engine,
        nearly: &dyn Fn(ColumnId) -> bool,
        run: &Run,
    ) -> Result<MaskReport> {
        let named = self.named(whole)?;
        run.reporter().stage("choosing columns", None);
        let chosen = self.choose(whole, &named, engine, nearly, run);
        run.reporter().finish();
        chosen
    }

    fn named(&self, whole: &Whole) -> Result<Named> {
        let set = |names: &[String]| -> Result<ColumnSet> {
            names.iter().map(|name| whole.measured_column(name)).collect()
        };
        let mut weights = Weights::new();
        for (name, weight) in &self.weights {
            weights.set(whole.measured_column(name)?, *weight);
        }
        let (mut keep, drop) = (set(&self.keep)?, set(&self.drop)?);
        for (name, cost) in self.costs.iter().filter(|(name, _)| !self.weights.contains_key(*name))
        {
            let id = whole.table.find(name).ok().filter(|id| whole.measured.contains(*id));
            match (id, cost) {
                (Some(id), CellCost::Weight(weight)) => weights.set(id, *weight),
                (Some(id), CellCost::Never) if !drop.contains(id) => _ = keep.insert(id),
                _ => {}
            }
        }
        Ok(Named { keep, drop, weights })
    }

    fn choose(
        &self,
        whole: &Whole,
        named: &Named,
        engine: &dyn Engine,
        nearly: &dyn Fn(ColumnId) -> bool,
        run: &Run,
    ) -> Result<MaskReport> {
        let unmeasured = whole.table.all_columns().difference(&whole.measured);
        let mask = Mask::new(self.target)
            .weights(named.weights.clone())
            .keep(named.keep.clone())
            .drop(named.drop.union(&unmeasured))
            .missing(self.missing)
            .method(self.method);
        let found = match mask.run(engine, run) {
            Err(muslin_protect::Error::Unreachable(_)) => {
                return Err(self.keep_exceeds(engine, &named.keep)?);
            }
            found => found?,
        };
        let target = self.target;
        let explain = Explain { engine, target, missing: self.missing, whole, named };
        self.report(&found, whole, &explain, nearly)
    }

    /// The columns to keep are too many.
    fn keep_exceeds(&self, engine: &dyn Engine, keep: &ColumnSet) -> Result<Error> {
        let sizes = engine.class_sizes(keep, self.missing)?;
        let (measure, beta) = (self.target.measure(), self.target.beta());
        let ratio = measure.ratio(&sizes).map_or(1.0, muslin_table::Ratio::as_f64);
        let all: Vec<&str> = self.keep.iter().map(String::as_str).collect();
        Ok(unreachable(format!(
            "the columns to keep ({}) have a {} ratio of {}, which is greater than {beta}\n  hint: name fewer in `--keep`, or pass a larger `--beta`",
            names(&all),
            measure.name(),
            shown(ratio, beta.as_f64()),
        )))
    }

    fn report(
        &self,
        found: &MaskFound,
        whole: &Whole,
        explain: &Explain,
        nearly: &dyn Fn(ColumnId) -> bool,
    ) -> Result<MaskReport> {
        let (sizes, target) = (found.sizes(), self.target);
        let weight = found.weight();
        let method = match self.method {
            MaskMethod::Exact => "exact",
            // All rows are no sample.
            _ if found.sample().is_some() => "sampled",
            _ => "greedy",
        };
        let published = whole.names(&found.publish().union(&whole.unmeasured()));
        Ok(MaskReport {
            schema: 1,
            command: "mask".into(),
            coverage: found.coverage(),
            input: InputReport::new(&whole.source),
            rows: sizes.rows(),
            duplicates_dropped: whole.dropped,
            columns: whole.measured.len() as u64,
            missing_rule: self.missing,
            measure: target.measure(),
            beta: target.beta().as_f64(),
            publish: whole.names(found.publish()),
            masked: whole.names(&whole.measured.difference(found.publish())),
            unmeasured: whole.names(&whole.unmeasured()),
            identifiers_dropped: whole.names(&whole.identifiers),
            reached: found.is_reached(),
            optimal: found.is_optimal(),
            ratio: found.ratio().as_f64(),
            distinct_ratio: sizes.distinct_ratio().map(muslin_table::Ratio::as_f64),
            separation_ratio: sizes.separation_ratio().as_f64(),
            rows_alone: sizes.rows_below(2),
            smallest_class: sizes.smallest(),
            weight: weight.as_f64(),
            upper_bound: found.upper_bound().as_f64(),
            gap: found.upper_bound().minus(weight).as_f64(),
            method: method.into(),
            steps: explain.steps(found)?,
            masked_columns: explain.masked(found)?,
            sample: found.sample().map(|sample| MaskSampleReport::new(&sample, target.measure())),
            row_order: self.output.as_ref().map(|output| output.order_name().into()),
            written: None,
            claims: found
                .is_reached()
                .then(|| Claim::ratio(target, &whole.names(found.publish()), self.missing))
                .map(|claim| claim.of_rows(sizes.rows()).of_columns(published))
                .into_iter()
                .collect(),
            warnings: self.warnings(found, whole, nearly),
        })
    }

    /// What to look at before relying on the release.
    fn warnings(
        &self,
        found: &MaskFound,
        whole: &Whole,
        nearly: &dyn Fn(ColumnId) -> bool,
    ) -> Vec<String> {
        let mut warnings = Vec::new();
        let unmeasured = whole.unmeasured();
        if !unmeasured.is_empty() {
            let all = whole.names(&unmeasured);
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            warnings.push(format!(
                "published as they are, and not part of the ratio: {}; whoever knows them tells more rows apart",
                names(&all)
            ));
        }
        for id in found.publish().union(&unmeasured).iter() {
            if nearly(id) {
                let name = whole.name(id);
                let name = printable(&name);
                warnings.push(format!(
                    "column `{name}` is published and nearly unique by itself, as an identifier is: pass `--role {name}=identifier` if it is one"
                ));
            }
        }
        if found.sample().is_some_and(|sample| sample.is_repaired) {
            warnings.push(
                "the sample suggested more than is allowed, so columns were taken out again: draw more, or mask without `--sample`".into(),
            );
        }
        warnings.extend(self.output.as_ref().and_then(ReleaseOutput::warning));
        warnings.extend(unused_warning("mask", &self.unused_keys));
        warnings.extend(whole.warnings.iter().cloned());
        warnings
    }
}

/// Whether there is a release to write.
fn is_written(report: &MaskReport) -> bool {
    report.reached && report.coverage != Coverage::Stopped { by: Stop::Interrupted }
}

/// What was chosen, with identifiers withheld, and the release that this makes.
fn released(whole: &Whole, report: &MaskReport, order: RowOrder) -> Result<(Changes, Release)> {
    let table = &whole.table;
    let mut changes = Changes::none(table);
    for name in report.masked.iter().chain(&report.identifiers_dropped) {
        changes.mask(table.find(name)?);
    }
    let release = Release::new(table, &changes, order)?;
    Ok((changes, release))
}
