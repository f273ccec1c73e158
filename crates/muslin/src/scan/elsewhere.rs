//! A scan of a table that is asked about where it is.
//!
//! One that fits memory is fetched and scanned as any other. Of a larger one, everything about columns, classes
//! and pairs is counted where it is; what columns are is told from rows that are drawn, and so are keys and minimal
//! uniques, which say so.

use muslin_assess::Target;
use muslin_engine::{ColumnCounts, Coverage, Engine, Run};
use muslin_table::{ClassSizes, ColumnId, ColumnSet, EncodedTable};

use super::budget::Budget;
use super::report::{ClassesReport, ColumnReport, ScanReport};
use super::scene::Scene;
use super::{Parts, ScanJob, THRESHOLDS, alone, at_risk, influence, plots, search};
use crate::Result;
use crate::elsewhere::{self, Elsewhere};
use crate::input::{InputReport, check_roles, warnings};

impl ScanJob {
    pub(super) fn run_elsewhere(&self, run: &Run) -> Result<ScanReport> {
        let all = |head: &EncodedTable, _: &muslin_io::Source| Ok(head.all_columns());
        let elsewhere = elsewhere::open(&self.at, &self.input, &self.read, &all, run)?;
        match elsewhere.fetched(run)? {
            Some(table) => self.on(&table, &elsewhere.source, run),
            None => self.counted(&elsewhere, run),
        }
    }

    fn counted(&self, elsewhere: &Elsewhere<'_>, run: &Run) -> Result<ScanReport> {
        let (head, engine) = (&elsewhere.head, &*elsewhere.engine);
        check_roles(&self.roles, head, &elsewhere.source)?;
        let table = elsewhere.looked_at(run)?;
        run.reporter().stage("looking", None);
        let columns = self.described(&table, engine)?;
        run.reporter().finish();
        let (chosen, decided) = self.chosen(head, &columns)?;
        let by: ColumnSet = chosen.iter().copied().collect();
        let sizes = (!by.is_empty()).then(|| engine.class_sizes(&by, self.missing)).transpose()?;
        let classes = sizes.as_ref().map(|sizes| {
            let names = chosen.iter().map(|&id| head.column(id).name().to_owned());
            ClassesReport::new(names.collect(), decided, sizes, &THRESHOLDS)
        });
        let quasi_identifiers: Vec<ColumnId> = chosen.into_iter().collect();
        let are_given = self.quasi_identifiers.is_some();
        let scene = Scene {
            known: Scene::known(&table, &columns, &quasi_identifiers, are_given),
            quasi_identifiers,
            table: &table,
            rows: elsewhere.rows,
            engine: Some(engine),
            columns: &columns,
            missing: self.missing,
            run,
        };
        let parts = self.counted_parts(&scene, engine, sizes.as_ref())?;
        let known: ColumnSet = scene.known.iter().copied().collect();
        let sets = [parts.keys.as_ref(), parts.nearly_keys.as_ref()];
        let mut warnings = warnings(&table, &elsewhere.source, &self.read);
        warnings.push(format!(
            "the table does not fit memory: columns, classes and pairs were counted, and the rest was looked for in {} rows drawn from it",
            table.rows()
        ));
        Ok(ScanReport {
            schema: 1,
            command: "scan".into(),
            coverage: Coverage::Complete,
            input: InputReport::new(&elsewhere.source),
            rows: elsewhere.rows,
            missing_rule: self.missing,
            quasi_identifiers: classes,
            known: scene.names(&known),
            presets: sizes.as_ref().map(at_risk::presets).unwrap_or_default(),
            findings: Vec::new(),
            plots: plots::plots(sizes.as_ref(), &columns, parts.singled_out.as_ref(), &sets),
            singled_out: parts.singled_out,
            keys: parts.keys,
            nearly_keys: parts.nearly_keys,
            minimal_uniques: parts.minimal_uniques,
            dependencies: None,
            influence: parts.influence,
            budget_seconds: self.budget.as_secs_f64(),
            warnings,
            next: self.next(&columns),
            columns,
        })
    }

    /// Columns by counts of all rows; what they are to people, from some.
    fn described(&self, table: &EncodedTable, engine: &dyn Engine) -> Result<Vec<ColumnReport>> {
        let all: Vec<ColumnId> = table.all_columns().iter().collect();
        let counts: Vec<ColumnCounts> = engine.column_counts()?;
        let sizes = engine.class_sizes_of_each(&ColumnSet::new(), &all, self.missing)?;
        let columns = table.columns().iter().zip(counts).zip(&sizes);
        Ok(columns.map(|((column, counts), sizes)| self.describe(column, counts, sizes)).collect())
    }

    fn counted_parts(
        &self,
        scene: &Scene<'_>,
        engine: &dyn Engine,
        sizes: Option<&ClassSizes>,
    ) -> Result<Parts> {
        let [rest] = Budget::split(self.budget, scene.run, [0.0]);
        let mut parts = Parts::default();
        if scene.rows() == 0 || scene.table.columns().is_empty() {
            return Ok(parts);
        }
        let reporter = scene.run.reporter();
        reporter.stage("singled out", None);
        if !scene.known.is_empty() {
            parts.singled_out = Some(alone::look_elsewhere(scene, engine, rest.run())?);
        }
        reporter.stage("what would help", None);
        if let Some(sizes) = sizes {
            let now = sizes.rows_below(self.k.into());
            parts.influence = Some(influence::look_elsewhere(scene, engine, self.k, now, &rest)?);
        }
        // Counting takes the time that it takes; what is searched after it is bounded.
        let [of_keys, of_nearly, of_uniques] =
            Budget::split(self.budget, scene.run, [0.4, 0.3, 0.3]);
        reporter.stage("keys", None);
        parts.keys = search::sets(scene, Target::key(), &of_keys)?;
        let target = search::quasi_identifier(self.missing)?;
        parts.nearly_keys = search::sets(scene, target, &of_nearly)?;
        reporter.stage("minimal uniques", None);
        parts.minimal_uniques = search::uniques(scene, &of_uniques)?;
        reporter.finish();
        Ok(parts)
    }
}
